#!/usr/bin/env bash
# The storage simulator: power cuts, kills, I/O errors and full disks, decided by seeds.
# SIM_SEEDS=10000 for the long run, or: make sim SEEDS=10000
set -euo pipefail
cd "$(dirname "$0")/../.."
build/release/bin/godwit_sim --seeds "${SIM_SEEDS:-500}" --first "${SIM_FIRST:-1}" --jobs "$(nproc)"
