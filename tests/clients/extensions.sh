#!/usr/bin/env bash
# Loadable extensions that others built, unchanged: Debian's libsqlite3-mod-* packages, SpatiaLite, and
# sqlite-vec from npm. A script of tests/clients/extensions loads each and uses it, on this library and
# on reference SQLite; what they print must be equal.
set -uo pipefail
source "$(dirname "$0")/client.sh"
need cc build-essential
scripts=$root/tests/clients/extensions
modules=/usr/lib/$(uname -m)-linux-gnu

mkdir "$work/reference"
if [[ -e $reference ]]; then
  ln -s "$reference" "$work/reference/libsqlite3.so.0"
else
  ln -s "$modules/libsqlite3.so.0" "$work/reference/libsqlite3.so.0"
fi
cc -I"$root/include" -o "$work/driver" "$root/tests/modules/driver.c" "$work/lib/libsqlite3.so.0" || exit 1

packages="libsqlite3-mod-blobtoxy libsqlite3-mod-csvtable libsqlite3-mod-impexp libsqlite3-mod-xpath
libsqlite3-mod-zipfile libsqlite3-mod-spatialite"
if ! dpkg -s $packages >/dev/null 2>&1 && [[ $(id -u) -eq 0 ]]; then
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >/dev/null 2>&1
fi
command -v npm >/dev/null && (cd "$work" && npm install sqlite-vec >/dev/null 2>&1)
vec=$(find "$work/node_modules" -name vec0.so 2>/dev/null | head -1)
python3 - "$scripts/birds.csv" "$work/birds.zip" <<'PY'
import sys, zipfile
with zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_DEFLATED) as archive:
    entry = zipfile.ZipInfo("birds.csv", (2020, 1, 2, 3, 4, 6))
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, open(sys.argv[1]).read())
    archive.writestr(zipfile.ZipInfo("d/", (2020, 1, 2, 3, 4, 6)), "")
PY

run_on() {  # FOLDER NAME
  rm -f "$work/$2.db"
  LD_LIBRARY_PATH=$1 timeout 120 "$work/driver" "$work/$2.sql" "$work/$2.db" 2>&1
}

for script in "$scripts"/*.sql; do
  name=$(basename "$script" .sql)
  sed "s#@LIB@#$modules#; s#@DATA@#$scripts#; s#@TMP@#$work#; s#@VEC@#$vec#" "$script" >"$work/$name.sql"
  if [[ $name == sqlite_vec && ! -e $reference ]]; then
    echo "skipped: $name needs reference SQLite (make reference), the system's may be too old"
    skipped=$((skipped + 1))
    continue
  fi
  expected=$(run_on "$work/reference" "$name")
  if grep -q '^load [0-9]' <<<"$expected"; then
    echo "skipped: $name is not here"
    skipped=$((skipped + 1))
    continue
  fi
  check "$name" "$expected" "$(run_on "$work/lib" "$name")"
done
finish
