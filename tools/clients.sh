#!/usr/bin/env bash
# Runs every client of tests/clients on the release library. Ends with a count over all of them; a
# client that is not here and cannot be installed counts as one skipped.
set -uo pipefail
cd "$(dirname "$0")/.."

passed=0 failed=0 skipped=0
for script in tests/clients/*.sh; do
  [[ $(basename "$script") == client.sh ]] && continue
  echo "== $(basename "$script" .sh)"
  output=$("$script" 2>&1)
  code=$?
  echo "$output"
  read -r p _ f _ s _ <<<"$(tail -1 <<<"${output//,/}")"
  if [[ $code -eq 77 ]]; then
    skipped=$((skipped + 1))
  elif [[ $p =~ ^[0-9]+$ && $f =~ ^[0-9]+$ && $s =~ ^[0-9]+$ ]]; then
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  else
    failed=$((failed + 1))
  fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[[ $failed -eq 0 ]]
