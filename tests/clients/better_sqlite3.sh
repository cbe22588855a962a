#!/usr/bin/env bash
# better-sqlite3 (npm), compiled against this library's header and linked to it instead of the SQLite that
# it brings, each part of its interface. The package has no tests: better_sqlite3.js is run, beside the
# same add-on on reference SQLite.
set -uo pipefail
source "$(dirname "$0")/client.sh"
command -v node >/dev/null && command -v npm >/dev/null || skip "no node here"
headers=${NODE_HEADERS:-$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")/include/node}
[[ -e $headers/v8.h ]] || skip "no headers of node here"
cd "$work" || exit 1
npm pack --silent better-sqlite3@12 >/dev/null 2>&1 || skip "no better-sqlite3 here"
tar xzf better-sqlite3-*.tgz

compile() { ${CXX:-c++} -std=c++20 -O1 -fPIC -w -DNDEBUG -DBUILDING_NODE_EXTENSION -DNODE_GYP_MODULE_NAME=better_sqlite3 -DV8_DEPRECATION_WARNINGS=0 -I"$headers" "$@"; }
compile -I"$root/include" -c package/src/better_sqlite3.cpp -o addon.o || { echo "it does not compile"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }
ln -s "$(readlink -f "$reference")" "$work/libreference.so"
c++ -shared addon.o "$library" -Wl,-rpath,"$(dirname "$library")" -Wl,--no-undefined -Wl,-z,undefs -o ours.node || exit 1
c++ -shared addon.o -L"$work" -l:libreference.so -Wl,-rpath,"$(dirname "$(readlink -f "$reference")")" -Wl,-z,undefs -o reference.node || exit 1

run() {  # ADDON
  mkdir -p "files_$1" && (cd "files_$1" && node "$root/tests/clients/better_sqlite3.js" "$work/package" "$work/$1.node" 2>&1)
}
run reference >expected.txt
run ours >actual.txt
while IFS= read -r name; do
  check "$name" "$(grep -F -- "$name: " expected.txt)" "$(grep -F -- "$name: " actual.txt)"
done < <(sed 's/: .*//' expected.txt | sort -u)
[[ -s expected.txt ]] || { echo "the reference gives nothing"; failed=$((failed + 1)); }
finish
