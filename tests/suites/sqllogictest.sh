#!/usr/bin/env bash
exec "$(dirname "$0")/../../tools/slt.sh"  sample
