#!/usr/bin/env bash
# Statements at SQLite's limits, beside reference SQLite.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ ! -e build/reference/libsqlite3.so.0 ]; then
  echo "skipped: no reference SQLite (make reference)"
  exit 77
fi
python3 tests/suites/limits.py
