#!/usr/bin/env bash
# Replicas of Godwit against the server of Turso's, as it is (npm package turso 0.6.0).
# Usage: sync_client_turso.sh [UNIT_SYNC_PROGRAM]. GODWIT_TURSODB: the program tursodb, if it is there already.
# Exit 77: npm is missing, or the package cannot be had.
set -euo pipefail
cd "$(dirname "$0")"
program=$(realpath "${1:-../../build/release/bin/unit_sync}")
[ -x "$program" ] || { echo "built without sync"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "${GODWIT_TURSODB:-}" ]; then
  command -v npm >/dev/null || { echo "npm is needed"; exit 77; }
  echo '{"private": true}' >"$work/package.json"
  (cd "$work" && npm install --no-save --no-audit --no-fund turso@0.6.0 >npm.log 2>&1) ||
    { echo "the package cannot be had:"; tail -5 "$work/npm.log"; exit 77; }
  GODWIT_TURSODB=$(find "$work/node_modules/@tursodatabase" -name tursodb -type f | head -1)
fi
[ -n "$GODWIT_TURSODB" ] && "$GODWIT_TURSODB" --version >/dev/null 2>&1 || { echo "tursodb does not run here"; exit 77; }
export GODWIT_TURSODB
timeout 300 "$program" --gtest_filter='TursoServer*'
