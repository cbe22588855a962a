#!/usr/bin/env bash
# Journal modes, locks, checkpoints, URI parameters, read-only WALs beside reference SQLite 3.53.
set -euo pipefail
cd "$(dirname "$0")/../.."
reference=build/reference/libsqlite3.so.0
[ -e $reference ] || { echo "skipped: no reference SQLite (make reference)"; exit 77; }
/usr/bin/python3 tests/suites/storage.py "${LIBRARY:-build/release/lib/libsqlite3.so.0}" $reference
