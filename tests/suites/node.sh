#!/usr/bin/env bash
# The npm package: builds the addon and runs its tests (bindings/node/test). Skipped without Node 20 or its
# headers. Types are checked where `npm ci` in bindings/node has brought tsc.
set -uo pipefail
cd "$(dirname "$0")/../../bindings/node"

if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
  echo "node: skipped, node or npm is missing"
  exit 77
fi
if ! node -e 'process.exit(+process.versions.node.split(".")[0] >= 20 ? 0 : 1)'; then
  echo "node: skipped, $(node --version) is older than 20"
  exit 77
fi
headers=${npm_config_nodedir:-$(npm config get nodedir)}/include/node
if [[ ! -e $headers/node_api.h && ! -e /usr/include/node/node_api.h &&
      ! -e $(dirname "$(command -v node)")/../include/node/node_api.h ]]; then
  echo "node: skipped, node_api.h is missing"
  exit 77
fi

GODWIT_PRESET=${BUILD:-release} node scripts/build.mjs || exit 1
timeout 600 npm test --silent || exit 1
if [[ -x node_modules/.bin/tsc ]]; then
  npm run --silent types || exit 1
else
  echo "node: types not checked, tsc is not installed"
fi
