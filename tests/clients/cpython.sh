#!/usr/bin/env bash
# CPython's own suite for its sqlite3 module. PYTHON names the interpreter; it needs the test package
# (Debian: libpython3-testsuite). A test that fails on reference SQLite too is not counted as failed.
set -uo pipefail
source "$(dirname "$0")/client.sh"

python=${PYTHON:-}
if [[ -z $python ]]; then
  for candidate in python3 /usr/bin/python3 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python3; do
    if "$candidate" -c 'import sqlite3, test.test_sqlite3' 2>/dev/null; then python=$candidate; fi
  done
fi
if [[ -z $python ]]; then
  need no-such-command libpython3-testsuite
  python=/usr/bin/python3
fi

# One line a test: its name and "ok", "FAIL", "ERROR" or "skipped".
results() {
  "$@" "$python" -m unittest -v test.test_sqlite3 2>&1 |
    python3 -c '
import re, sys
text = sys.stdin.read()
for name, result in re.findall(r"^(test\w* \([\w.]+\)).*?\.\.\. (ok|FAIL|ERROR|skipped|expected failure)",
                               text, re.M | re.S):
    print(name, result.split()[0])
'
}

cd "$work" || exit 1
results with_ours >ours
[[ -s ours ]] || { echo "the suite does not run"; with_ours "$python" -c 'import sqlite3'; exit 1; }
cp ours reference
if [[ -e $reference ]]; then
  results env LD_LIBRARY_PATH="$(dirname "$reference")" LD_PRELOAD="$reference" >reference
fi
while read -r name _ result; do
  case $result in
    ok | expected) passed=$((passed + 1)) ;;
    skipped) skipped=$((skipped + 1)) ;;
    *)
      if grep -q "^$name .* \(FAIL\|ERROR\)$" reference && [[ -e $reference ]]; then
        skipped=$((skipped + 1))
      else
        failed=$((failed + 1))
        echo "FAILED: $name"
      fi ;;
  esac
done <ours
finish
