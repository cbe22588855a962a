#!/usr/bin/env bash
# The fuzz targets under AddressSanitizer and UndefinedBehaviorSanitizer, for a bounded time each.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${FUZZ_SECONDS:-20}
cmake --preset asan >/dev/null
targets=(fuzz_parser fuzz_json fuzz_file fuzz_log)
# Only where the server's libraries are.
! grep -q '^build fuzz_request:' build/asan/build.ninja || targets+=(fuzz_request)
cmake --build --preset asan -j"$(nproc)" --target "${targets[@]}" >/dev/null
cd build/asan
export ASAN_OPTIONS=detect_leaks=0
for target in "${targets[@]}"; do
  echo "$target:"
  ./bin/$target --seconds "$seconds" --seed "${FUZZ_SEED:-1}"
done
