#!/usr/bin/env bash
# The examples build against the public header and library alone, run, and print what they should;
# system sqlite3 finds their file sound.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cc -Wall -Wextra -Iinclude examples/flights.c -Lbuild/release/lib -l:libsqlite3.so.0 -o "$folder/flights"
output=$(LD_LIBRARY_PATH=build/release/lib "$folder/flights" "$folder/birds.db")
expected=$'godwit: 2 flights, 13560 km\ntern: 1 flights, 12200 km'
if [ "$output" != "$expected" ]; then
  printf 'expected:\n%s\ngot:\n%s\n' "$expected" "$output"
  exit 1
fi
check=$(sqlite3 "$folder/birds.db" "PRAGMA integrity_check; SELECT count(*) FROM flight")
[ "$check" = $'ok\n3' ] || { echo "sqlite3 says: $check"; exit 1; }

# The archive is whole: it needs the C++ runtime alone.
cc -Iinclude examples/flights.c build/release/lib/libsqlite3.a -lstdc++ -lm -lpthread -ldl -o "$folder/static"
output=$("$folder/static" "$folder/other.db")
[ "$output" = "$expected" ] || { echo "the static library gives: $output"; exit 1; }
echo "examples: 2 passed"
