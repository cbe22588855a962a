#!/usr/bin/env bash
# Installs the Debian packages that building and testing need, if any is missing. Does nothing where
# all are there, so it needs root and a network only once.
set -euo pipefail

packages=(cmake ninja-build g++ ccache lld libgtest-dev libbenchmark-dev libedit-dev python3 sqlite3
          libsqlite3-dev pkg-config dpkg-dev xz-utils
          libboost1.81-dev libssl-dev zlib1g-dev libzstd-dev libprotozero-dev
          nlohmann-json3-dev valgrind)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
    missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "installing: ${missing[*]}"
sudo=""
[ "$(id -u)" -eq 0 ] || sudo="sudo"
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
$sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
