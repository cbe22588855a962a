#!/usr/bin/env bash
# The release library beside reference SQLite, as ratios. Arguments go to bench_engine (--help).
set -euo pipefail
cd "$(dirname "$0")/.."
exec build/release/bin/bench_engine "$@" build/reference/libsqlite3.so.0 \
  build/release/lib/libsqlite3.so.0
