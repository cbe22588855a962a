#!/usr/bin/env bash
# docs/c-api.md says which functions the library exports: no more and no less.
set -euo pipefail
cd "$(dirname "$0")/../.."

library=build/release/lib/libsqlite3.so.0
exported=$(nm -D --defined-only "$library" | awk '$2 ~ /[TRDB]/ && $3 ~ /^sqlite3/ {print $3}' | sort -u)
listed=$(sed -n 's/^| `\(sqlite3[a-z0-9_]*\)` | yes |$/\1/p' docs/c-api.md | sort -u)
if ! difference=$(diff <(echo "$listed") <(echo "$exported")); then
  echo "docs/c-api.md (<) and the library (>) differ:"
  echo "$difference"
  exit 1
fi
count=$(wc -l <<<"$exported")
all=$(grep -c '^| `sqlite3[a-z0-9_]*` | ' docs/c-api.md)
if ! grep -q "^Provided: $count of $all\." docs/c-api.md; then
  echo "docs/c-api.md has another count than $count of $all"
  exit 1
fi
echo "$(wc -l <<<"$exported") functions, as docs/c-api.md says"
