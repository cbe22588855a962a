#!/usr/bin/env bash
# Runs every test on the release build: unit tests, then the suites that need more than the
# repository (skipped with a notice where their data is absent). Ends with a count.
set -uo pipefail
cd "$(dirname "$0")/.."

passed=0 failed=0 skipped=0
run() {  # run NAME COMMAND...: exit code 77 means skipped
  local name=$1
  shift
  echo "== $name"
  "$@"
  local code=$?
  if [ $code -eq 0 ]; then
    passed=$((passed + 1))
  elif [ $code -eq 77 ]; then
    skipped=$((skipped + 1))
  else
    failed=$((failed + 1))
    echo "!! $name failed (exit $code)"
  fi
}

run "unit tests" ctest --preset release -j"$(nproc)" --progress
for script in tests/suites/*.sh; do
  [ -e "$script" ] || continue
  run "$(basename "$script" .sh)" "$script"
done

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
