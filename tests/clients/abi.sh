#!/usr/bin/env bash
# The binary interface beside that of reference SQLite: exported symbols, and the value of every
# SQLITE_* constant. Symbols that docs/c-api.md names as not provided count as skipped.
set -uo pipefail
source "$(dirname "$0")/client.sh"
[[ -e $reference ]] || skip "no reference SQLite (make reference)"

symbols() { nm -D --defined-only "$1" | awk '$3 ~ /^sqlite3/ {print $3}' | sort -u; }
while read -r symbol; do
  if grep -q "^| \`$symbol\` | no |\$" "$root/docs/c-api.md"; then
    skipped=$((skipped + 1))
  else
    check "symbol $symbol" "" "$(grep -qx "$symbol" <(symbols "$library") || echo missing)"
  fi
done < <(symbols "$reference")

# Name and value of each constant that a header has as a number or a text.
constants() {
  local header=$1
  local names
  names=$(sed -nE 's/^#[ ]*define[ ]+(SQLITE_[A-Z0-9_]+)[ ]+[^ ].*/\1/p' "$header" | sort -u |
    grep -vE '^SQLITE_(EXTERN|STDCALL|APICALL|CALLBACK|SYSAPI|CDECL|API|STATIC|TRANSIENT|DEPRECATED|EXPERIMENTAL|WASI|THREADSAFE|SCM_.*|SOURCE_ID|INT64_TYPE|UINT64_TYPE)$')
  {
    echo '#include <stdio.h>'
    echo "#include \"$header\""
    echo '#define SHOW(name) _Generic((name), char*: show_text, default: show_number)(#name, name)'
    echo 'static void show_text(const char* n, ...);'
    cat <<'C'
#include <stdarg.h>
static void show_text(const char* n, ...) {
  va_list a; va_start(a, n); printf("%s %s\n", n, va_arg(a, const char*)); va_end(a);
}
static void show_number(const char* n, ...) {
  va_list a; va_start(a, n); printf("%s %d\n", n, va_arg(a, int)); va_end(a);
}
int main(void) {
C
    for name in $names; do echo "  SHOW($name);"; done
    echo '  return 0; }'
  } >"$work/constants.c"
  cc -w -DSQLITE_ENABLE_SESSION -o "$work/constants" "$work/constants.c" && "$work/constants"
}
constants "$(dirname "$reference")/sqlite3.h" >"$work/theirs"
constants "$root/include/sqlite3.h" | sort >"$work/ours.txt"
[[ -s $work/theirs && -s $work/ours.txt ]] || { echo "the constants cannot be listed"; exit 1; }
while read -r line; do
  check "constant ${line%% *}" "$line" "$(grep "^${line%% *} " "$work/ours.txt")"
done <"$work/theirs"
finish
