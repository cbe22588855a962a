#!/usr/bin/env bash
# Files written by system SQLite, read by Godwit, and the other way round.
set -euo pipefail
cd "$(dirname "$0")/../.."
/usr/bin/python3 tests/suites/interop.py build/release/lib/libsqlite3.so.0 "${ROWS:-300000}"
