#!/usr/bin/env bash
# A fixed piece of the differential fuzzing.
set -euo pipefail
cd "$(dirname "$0")/../.."
tools/build_reference.sh || exit $?
for seed in 1 8 21; do
  python3 tools/fuzz/differential.py --seed $seed --statements "${STATEMENTS:-1500}"
done
