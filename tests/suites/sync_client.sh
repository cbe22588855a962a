#!/usr/bin/env bash
# godwit/sync against `godwit server`, and against `tursodb --sync-server` where npm's package `turso` can be had.
# Usage: sync_client.sh [GODWIT_PROGRAM]. GODWIT_TURSO_MODULES: a folder node_modules that has `turso` already.
# Exit 77: node or the addon is missing.
set -euo pipefail
cd "$(dirname "$0")"
program=$(realpath "${1:-../../build/release/bin/godwit}")
"$program" server --help >/dev/null 2>&1 || { echo "built without the server"; exit 77; }
command -v node >/dev/null && command -v npm >/dev/null || { echo "node and npm are needed"; exit 77; }
export GODWIT_PACKAGE
GODWIT_PACKAGE=$(realpath ../../bindings/node)
(cd "$GODWIT_PACKAGE" && node -e 'if (!require("./lib/native").native.replicaOpen) process.exit(1)' 2>/dev/null) ||
  { echo "the addon is not built, or has no sync: npm run build in bindings/node"; exit 77; }

work=$(mktemp -d)
server=""
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
cp sync_client/* "$work"
cp sync_server/harness.mjs "$work"
export GODWIT_WORK="$work" GODWIT_PROGRAM="$program"
status=0

echo "== godwit server"
mkdir "$work/data"
"$program" server --dir "$work/data" --listen 127.0.0.1:0 --allow-create --log-level warning >"$work/address" 2>"$work/server.log" &
server=$!
for _ in $(seq 100); do grep -qs http "$work/address" && break; sleep 0.1; done
GODWIT_URL=$(sed 's/.*serving on //' "$work/address")
export GODWIT_URL
(cd "$work" && SERVER=godwit timeout 300 node client.mjs) || status=1
echo "== examples/conflicts"
node ../../examples/conflicts/conflicts.mjs "$GODWIT_URL" | diff ../../examples/conflicts/expected.txt - || status=1
kill "$server"
wait "$server" || status=1
server=""
[ "$status" -eq 0 ] || { echo "== the server's log"; tail -40 "$work/server.log"; }

echo "== tursodb --sync-server"
modules=${GODWIT_TURSO_MODULES:-}
if [ -z "$modules" ]; then
  (cd "$work" && npm install --no-save --no-audit --no-fund turso@0.6.0 >npm.log 2>&1) && modules="$work/node_modules"
fi
tursodb=$(ls "$modules"/@tursodatabase/cli-*/tursodb 2>/dev/null | head -1 || true)
if [ -z "$tursodb" ]; then
  echo "skipped: npm's package turso cannot be had"
else
  (cd "$work" && SERVER=turso TURSODB="$tursodb" timeout 300 node client.mjs) || status=1
fi
exit $status
