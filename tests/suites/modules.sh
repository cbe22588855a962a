#!/usr/bin/env bash
# Virtual tables of modules written in C: tests/modules/*.sql against what SQLite makes of them. Each
# call of a module is part of the output.
#   BUILD=debug tests/suites/modules.sh      another build
#   REFERENCE=/path tests/suites/modules.sh  writes the expected outputs, by the library in that folder
set -uo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
library=$PWD/build/${BUILD:-release}/lib
cc -Wall -Wextra -Iinclude -o "$work/driver" tests/modules/driver.c -L"$library" -l:libsqlite3.so.0 ||
  exit 1

cc -Wall -Wextra -Iinclude -o "$work/vfs" tests/modules/vfs_driver.c -L"$library" -l:libsqlite3.so.0 ||
  exit 1

passed=0 failed=0
# compare NAME: the output against the expected one, or in its place.
compare() {
  local expected=tests/modules/$1.expected
  if [[ -n ${REFERENCE:-} ]]; then
    cp "$work/$1.out" "$expected"
  elif diff -u "$expected" "$work/$1.out"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
}

for script in tests/modules/*.sql; do
  name=$(basename "$script" .sql)
  LD_LIBRARY_PATH=${REFERENCE:-$library} timeout 120 "$work/driver" "$script" "$work/$name.db" \
    >"$work/$name.out" 2>&1
  compare "$name"
done
mkdir "$work/files"
LD_LIBRARY_PATH=${REFERENCE:-$library} timeout 120 "$work/vfs" "$work/files" >"$work/vfs.out" 2>&1
compare vfs
echo "$passed passed, $failed failed, 0 skipped"
[[ $failed -eq 0 ]]
