#!/usr/bin/env bash
# Troubles that users of embedded databases have met: processes that share a file, disks that fill up,
# backups under load, threads that share a handle. Each test is named after its trouble.
#   tests/suites/scenarios.sh [NAME...]     LIBRARY=path
set -euo pipefail
cd "$(dirname "$0")/../.."
exec python3 tests/suites/scenarios.py "${LIBRARY:-build/release/lib/libsqlite3.so.0}" "$@"
