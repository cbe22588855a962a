#!/usr/bin/env bash
# A fixed piece of the differential fuzzing: seeds 1 and 2.
set -euo pipefail
cd "$(dirname "$0")/../.."
tools/build_reference.sh || exit $?
for seed in 1 2; do
  python3 tools/fuzz/differential.py --seed $seed --statements "${STATEMENTS:-3000}"
done
