#!/usr/bin/env bash
# The fuzz targets under AddressSanitizer and UndefinedBehaviorSanitizer, for a bounded time each.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${FUZZ_SECONDS:-20}
cmake --preset asan >/dev/null
cmake --build --preset asan -j"$(nproc)" --target fuzz_parser fuzz_json fuzz_file fuzz_log >/dev/null
cd build/asan
export ASAN_OPTIONS=detect_leaks=0
for target in fuzz_parser fuzz_json fuzz_file fuzz_log; do
  echo "$target:"
  ./bin/$target --seconds "$seconds" --seed "${FUZZ_SEED:-1}"
done
