#!/usr/bin/env bash
# A short visible session on a real database file: Godwit writes it, queries it, and the system's
# sqlite3 (where there is one) reads the same file.
set -euo pipefail
cd "$(dirname "$0")/.."

godwit=build/release/bin/godwit
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
db=$folder/birds.db

show() {
  printf '\n$ godwit birds.db "%s"\n' "$1"
  "$godwit" -box "$db" "$1"
}

show "CREATE TABLE flight(id INTEGER PRIMARY KEY, bird TEXT, km INT, year INT)"
show "CREATE INDEX flight_bird ON flight(bird)"
show "INSERT INTO flight(bird, km, year) VALUES
        ('godwit', 13560, 2022), ('tern', 12200, 2021), ('godwit', 12050, 2020), ('swift', 9500, 2021)"
show "SELECT bird, count(*) AS flights, max(km) AS longest FROM flight GROUP BY bird ORDER BY longest DESC"
show "EXPLAIN QUERY PLAN SELECT km FROM flight WHERE bird = 'godwit'"
if command -v sqlite3 >/dev/null; then
  printf '\n$ sqlite3 birds.db "PRAGMA integrity_check; SELECT count(*) FROM flight"   # the same file\n'
  sqlite3 "$db" "PRAGMA integrity_check; SELECT count(*) FROM flight"
fi
printf '\nThe shell is %s; try: %s yourfile.db\n' "$godwit" "$godwit"
