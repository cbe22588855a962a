# Sourced by the scripts of this folder. Each runs one client on this library, and ends with
# `N passed, N failed, N skipped`; exit code 77: the client is not here and cannot be installed.
#
#   LIBRARY=path/to/libsqlite3.so.0 tests/clients/NAME.sh     another library than the release build
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
library=$(readlink -f "${LIBRARY:-$root/build/release/lib/libsqlite3.so.0}")
reference=$root/build/reference/libsqlite3.so.0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The dynamic linker gives the library to whoever asks for libsqlite3.so.0.
mkdir "$work/lib"
ln -s "$library" "$work/lib/libsqlite3.so.0"
with_ours() { LD_LIBRARY_PATH=$work/lib LD_PRELOAD=$work/lib/libsqlite3.so.0 "$@"; }

skip() {
  echo "$1"
  echo "0 passed, 0 failed, 0 skipped"
  exit 77
}

passed=0
failed=0
skipped=0
check() {  # NAME EXPECTED ACTUAL
  if [[ $2 == "$3" ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $1"
    diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") | sed 's/^/    /'
  fi
}
finish() {
  echo "$passed passed, $failed failed, $skipped skipped"
  [[ $failed -eq 0 ]]
}

# Installs Debian packages where the command that they bring is not there.
need() {  # COMMAND PACKAGE...
  command -v "$1" >/dev/null && return
  [[ $(id -u) -eq 0 ]] && command -v apt-get >/dev/null || skip "no $1 here"
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${@:2}" >/dev/null 2>&1 ||
    skip "$1: its packages ${*:2} cannot be installed"
}

# Runs a program on this library and on the other (reference SQLite if it was built, else the
# system's), each in a directory of its own, and compares what they print line by line.
same_program() {  # COMMAND...
  mkdir -p "$work/run-ours" "$work/run-theirs"
  (cd "$work/run-ours" && with_ours "$@") >"$work/ours.out" 2>&1
  local preload=
  [[ -e $reference ]] && preload=$reference
  (cd "$work/run-theirs" && LD_PRELOAD=$preload "$@") >"$work/theirs.out" 2>&1
  local line=0 expected actual
  while IFS= read -r expected <&3; do
    line=$((line + 1))
    actual=$(sed -n "${line}p" "$work/ours.out")
    check "line $line" "$expected" "$actual"
  done 3<"$work/theirs.out"
  check "no more lines" "$(wc -l <"$work/theirs.out")" "$(wc -l <"$work/ours.out")"
}
