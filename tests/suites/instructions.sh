#!/usr/bin/env bash
# Instructions that the library runs for an operation of the small rows of bench/engine, counted by
# callgrind: they do not wander with the machine. A row that grows by more than 5 % against
# bench/baseline/instructions.txt fails. After a change that is meant to cost (or save) them:
#   tests/suites/instructions.sh --renew
# The benchmark itself runs once on both libraries, if reference SQLite is there: without thresholds.
set -euo pipefail
cd "$(dirname "$0")/../.."
baseline=bench/baseline/instructions.txt
library=$PWD/build/release/lib/libsqlite3.so.0
bench=build/release/bin/bench_engine
reference=build/reference/libsqlite3.so.0
rows=("prepare" "prepare a new text" "point select" "point select in a transaction"
      "secondary index lookup" "batch insert, no index" "batch insert, 3 indexes"
      "autocommit insert" "autocommit update" "UPDATE of all rows" "DELETE of half")

if [ "${1:-}" != --renew ] && [ -e $reference ]; then
  timeout 600 $bench --rows 2000 --rounds 1 $reference "$library"
fi
if ! command -v valgrind >/dev/null; then
  echo "valgrind is not installed: instructions are not counted"
  exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Only what happens below the measured function counts: no thread for checkpoints, no preparations.
count() {  # count ROW: instructions of one run
  valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=bench_engine_measured \
    $bench --rows 5000 --alone "$1" "$library" 2>&1 | sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

measured=$work/instructions.txt
for row in "${rows[@]}"; do
  instructions=$(count "$row")
  [ -n "$instructions" ] || { echo "no count for '$row'"; exit 1; }
  printf '%s\t%s\n' "$instructions" "$row" >>"$measured"
done
if [ "${1:-}" = --renew ]; then
  mkdir -p "$(dirname $baseline)"
  cp "$measured" $baseline
  cat $baseline
  exit 0
fi

failed=0
while IFS=$'\t' read -r now row; do
  before=$(awk -F'\t' -v row="$row" '$2 == row { print $1 }' $baseline)
  if [ -z "$before" ]; then
    echo "$row: not in the baseline"
    failed=1
    continue
  fi
  permille=$((now * 1000 / before - 1000))
  printf '%-32s %12d %12d %+4d.%d %%\n' "$row" "$before" "$now" $((permille / 10)) $((${permille#-} % 10))
  [ $permille -le 50 ] || { echo "  grew by more than 5 %"; failed=1; }
done <"$measured"
[ $failed -eq 0 ] && echo "no row grew by more than 5 %"
exit $failed
