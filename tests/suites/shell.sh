#!/bin/bash
# Tests of the command line. Each compares what `godwit` prints and its exit code with an expected
# text; the output modes are compared with the system's sqlite3 as well, where there is one.
#
#   tests/suites/shell.sh            uses build/release/bin/godwit
#   GODWIT=path tests/suites/shell.sh
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
godwit=${GODWIT:-$root/build/release/bin/godwit}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export HOME=$work
passed=0
failed=0

check() {  # NAME EXPECTED ACTUAL
  if [[ $2 == "$3" ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $1"
    diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") | sed 's/^/    /'
  fi
}

# Output (both streams) and exit code of the shell: with arguments, and with a script on stdin.
run() { "$godwit" "$@" 2>&1 </dev/null; echo "exit $?"; }
feed() { printf '%s\n' "$1" | "$godwit" "${@:2}" 2>&1; echo "exit ${PIPESTATUS[1]}"; }

source "$root/tests/suites/shell/modes.sh"
source "$root/tests/suites/shell/errors.sh"
source "$root/tests/suites/shell/dot_commands.sh"
source "$root/tests/suites/shell/import_dump.sh"
source "$root/tests/suites/shell/recover.sh"

# What the shell has made is sound for C SQLite, too.
if command -v sqlite3 >/dev/null; then
  for file in *.db; do
    [[ $file == r.db || ! -e $file ]] && continue  # damaged on purpose
    check "C SQLite's check of $file" "ok" "$(sqlite3 "$file" 'PRAGMA integrity_check' 2>&1)"
  done
fi

echo "shell: $passed passed, $failed failed"
[[ $failed -eq 0 ]]
