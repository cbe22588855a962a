#!/usr/bin/env bash
# What is installed works from where it is: headers, libraries, pkg-config files, shell, man page; the
# package has the same files, and none of SQLite's.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "$1"; exit 1; }

cmake --install build/release --prefix "$folder/made" >/dev/null
mv "$folder/made" "$folder/usr"  # the prefix may move
libraries=$(dirname "$(find "$folder/usr" -name libgodwit.so)")
expected=$'godwit: 2 flights, 13560 km\ntern: 1 flights, 12200 km'

export PKG_CONFIG_PATH="$libraries/pkgconfig:$libraries/godwit/pkgconfig"
for name in godwit sqlite3; do
  read -r -a flags <<<"$(pkg-config --cflags --libs $name)"
  cc examples/flights.c "${flags[@]}" -o "$folder/$name"
  search=$libraries
  if [ $name = sqlite3 ]; then search=; fi  # finds its library by itself
  output=$(LD_LIBRARY_PATH=$search "$folder/$name" "$folder/$name.db")
  [ "$output" = "$expected" ] || fail "$name gives: $output"
done
LD_LIBRARY_PATH='' ldd "$folder/sqlite3" | grep -q godwit/libsqlite3.so.0 ||
  fail "sqlite3.pc does not lead to the library of the prefix"
version=$(sed -n 's/^#define SQLITE_VERSION *"\(.*\)"/\1/p' include/sqlite3.h)
[ "$(pkg-config --modversion sqlite3)" = "$version" ] || fail "sqlite3.pc has another version than sqlite3.h"
cc examples/flights.c -I"$(dirname "$(find "$folder/usr" -name sqlite3.h)")" "$libraries/godwit/libsqlite3.a" \
  -lstdc++ -lm -lpthread -ldl -o "$folder/static"
[ "$("$folder/static" "$folder/static.db")" = "$expected" ] || fail "libsqlite3.a does not work"
[ "$("$folder/usr/bin/godwit" :memory: "SELECT sqlite_version()")" = "$version" ] || fail "the shell does not run"
if command -v man >/dev/null; then
  page=$(MANPAGER=cat man --warnings=w -l "$folder/usr/share/man/man1/godwit.1" 2>&1)
  grep -q "shell of the Godwit database" <<<"$page" || fail "the man page does not show"
  if grep -qi "warning" <<<"$page"; then fail "the man page: $page"; fi
fi
installed=5

if command -v cpack >/dev/null && command -v dpkg-deb >/dev/null; then
  (cd build/release && cpack -G DEB -B "$folder/packages" >"$folder/cpack.log" 2>&1) || { cat "$folder/cpack.log"; exit 1; }
  package=$(ls "$folder"/packages/godwit_*.deb)
  files=$(dpkg-deb -c "$package" | awk '{print $6}' | sed 's,^\./,,')
  for wanted in bin/godwit 'lib/libgodwit\.so\.0' 'lib/.*godwit/libsqlite3\.so\.0' 'lib/.*godwit/libsqlite3\.a' \
    'lib/.*godwit/pkgconfig/sqlite3\.pc' 'lib/.*pkgconfig/godwit\.pc' include/godwit/sqlite3.h share/man/man1/godwit.1; do
    grep -q "^usr/$wanted" <<<"$files" || fail "the package lacks $wanted"
  done
  if grep -v godwit/ <<<"$files" | grep -q 'libsqlite3\|include/sqlite3\|pkgconfig/sqlite3'; then
    fail "the package overwrites SQLite's files"
  fi
  dpkg-deb -f "$package" Depends | grep -q libc6 || fail "the package depends on nothing"
  installed=$((installed + 1))
fi
echo "install: $installed passed"
