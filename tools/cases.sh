#!/usr/bin/env bash
# Small SQL scripts with right outputs, run on the library that was built. Exit code 77: not here.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/shared.sh
if [ -z "$shared" ] || [ ! -e "$shared/cases/run.py" ]; then
  echo "the cases are not here: skipped"
  exit 77
fi
python3 "$shared/cases/run.py" "$@" build/release/lib/libsqlite3.so.0 "$shared/cases/open"
