#!/usr/bin/env bash
# Godwit, the sqlite3 shell and Python's sqlite3 on one database at once, with random kills.
# STRESS_SECONDS=60 for the long run.
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v sqlite3 >/dev/null || { echo "skipped: no sqlite3 shell"; exit 77; }
for mode in wal delete; do
  /usr/bin/python3 tests/stress/mixed_processes.py build/release/lib/libsqlite3.so.0 --mode $mode \
    --seconds "${STRESS_SECONDS:-10}" --seed "${STRESS_SEED:-1}"
done
