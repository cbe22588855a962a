#!/usr/bin/env bash
# SQL scripts that once gave a wrong answer.
set -euo pipefail
cd "$(dirname "$0")/../.."
python3 tests/suites/regress.py build/release/lib/libsqlite3.so.0
