#!/usr/bin/env bash
# sqllogictest on the library that was built: `slt.sh sample` (minutes) or `slt.sh all`.
# Further arguments go to the runner. Exit code 77: its data is not here.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/shared.sh
mode=${1:-sample}
shift || true
if [ -z "$shared" ] || [ ! -e "$shared/sqllogictest/open.tar.xz" ]; then
  echo "sqllogictest data is not here: skipped"
  exit 77
fi
library=build/release/lib/libsqlite3.so.0
work=build/sqllogictest
mkdir -p "$work"
[ -x "$work/slt" ] || c++ -O2 -std=c++17 -o "$work/slt" "$shared/sqllogictest/slt.cc" -ldl
if [ ! -d "$work/test" ]; then
  tar -xJf "$shared/sqllogictest/open.tar.xz" -C "$work"
fi
options=(--jobs "$(nproc)" --quiet --tmpdir "$work")
if [ "$mode" = sample ]; then
  "$work/slt" "${options[@]}" "$@" "$library" "$work"/test/select*.test "$work"/test/evidence
  "$work/slt" "${options[@]}" --every 12 --max-records 2000 "$@" "$library" "$work"/test/index \
    "$work"/test/random
else
  "$work/slt" "${options[@]}" "$@" "$library" "$work"/test
fi
