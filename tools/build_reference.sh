#!/usr/bin/env bash
# Builds reference SQLite 3.53 as build/reference/libsqlite3.so.0: the oracle of the differential
# tests and the yardstick of the benchmarks. Its source comes inside the npm package better-sqlite3
# and stays outside the repository. Exit code 77: no npm, or no network.
set -euo pipefail
cd "$(dirname "$0")/.."

out=build/reference
library=$out/libsqlite3.so.0
[ -e "$library" ] && exit 0
mkdir -p "$out"
if ! command -v npm >/dev/null; then
  echo "no npm here: reference SQLite is not built"
  exit 77
fi
if ! (cd "$out" && npm pack --silent better-sqlite3@12 >/dev/null); then
  echo "the package better-sqlite3 cannot be fetched: reference SQLite is not built"
  exit 77
fi
tar -xzf "$out"/better-sqlite3-12*.tgz -C "$out"
options=(-DSQLITE_ENABLE_FTS3 -DSQLITE_ENABLE_FTS4 -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_RTREE
         -DSQLITE_ENABLE_GEOPOLY -DSQLITE_ENABLE_MATH_FUNCTIONS -DSQLITE_ENABLE_DBSTAT_VTAB
         -DSQLITE_ENABLE_SESSION -DSQLITE_ENABLE_PREUPDATE_HOOK -DSQLITE_ENABLE_COLUMN_METADATA
         -DSQLITE_ENABLE_UNLOCK_NOTIFY -DSQLITE_USE_URI=1 -DSQLITE_THREADSAFE=1)
cc -O2 -fPIC -shared "${options[@]}" -Wl,-soname,libsqlite3.so.0 -o "$library.tmp" \
  "$out"/package/deps/sqlite3/sqlite3.c -lm -ldl -lpthread
cp "$out"/package/deps/sqlite3/sqlite3.h "$out"/
mv "$library.tmp" "$library"
