#!/usr/bin/env bash
# Tables of the modules that come with the library, beside SQLite: each makes files, the other goes on with
# them. Without build/reference the system's SQLite is asked.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
reference=build/reference/libsqlite3.so.0
[ -e $reference ] || reference=$(ldconfig -p | sed -n 's,.*=> \(.*/libsqlite3\.so\.0\)$,\1,p' | head -1)
python3 tests/suites/rtree.py build/release/lib/libsqlite3.so.0 "$reference" "$folder"
python3 tests/suites/fts5.py build/release/lib/libsqlite3.so.0 "$reference" "$folder"
python3 tests/suites/fts3.py build/release/lib/libsqlite3.so.0 "$reference" "$folder"
