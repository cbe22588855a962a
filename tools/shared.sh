# Sourced by scripts that use data from outside the repository. GODWIT_SHARED names the folder that
# holds it; by default ../shared beside the checkout. Sets $shared, or leaves it empty.
shared=${GODWIT_SHARED:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/shared}
[ -d "$shared" ] || shared=""
