#!/usr/bin/env bash
# Unmodified clients of Turso and libsql against `godwit server`, and hostile input.
# Usage: sync_server.sh [GODWIT_PROGRAM]. GODWIT_NODE_MODULES: a folder that has the packages already.
# Exit 77: node or npm is missing, or the packages cannot be had.
set -euo pipefail
cd "$(dirname "$0")"
program=$(realpath "${1:-../../build/release/bin/godwit}")
"$program" server --help >/dev/null 2>&1 || { echo "built without the server"; exit 77; }
command -v node >/dev/null && command -v npm >/dev/null || { echo "node and npm are needed"; exit 77; }

work=$(mktemp -d)
server=""
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
cp sync_server/* "$work"
if [ -n "${GODWIT_NODE_MODULES:-}" ]; then
  ln -s "$(realpath "$GODWIT_NODE_MODULES")" "$work/node_modules"
else
  # Not `npm ci`: it refuses a lock file without the packages of other platforms, which a registry may not have.
  (cd "$work" && npm install --no-save --no-audit --no-fund >npm.log 2>&1) ||
    { echo "the packages cannot be had:"; tail -5 "$work/npm.log"; exit 77; }
fi

status=0
python3 "$work/hostile.py" "$program" "$work" || status=1

mkdir "$work/data"
"$program" server --dir "$work/data" --listen 127.0.0.1:0 --allow-create --log-level warning \
  >"$work/address" 2>"$work/server.log" &
server=$!
for _ in $(seq 100); do grep -q http "$work/address" && break; sleep 0.1; done
export GODWIT_URL GODWIT_WORK="$work"
GODWIT_URL=$(sed 's/.*serving on //' "$work/address")
for client in libsql serverless sync; do
  echo "== $client"
  (cd "$work" && timeout 300 node "$client.mjs") || status=1
done
kill "$server"
wait "$server" || status=1
server=""
[ "$status" -eq 0 ] || { echo "== the server's log"; tail -40 "$work/server.log"; }
exit $status
