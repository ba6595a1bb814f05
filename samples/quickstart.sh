#!/usr/bin/env bash
# Builds memsize on a fresh Debian 12 machine and runs its main job on a bundled real trace.
set -euo pipefail
# Where a shell looks for folders does not lead anywhere else.
unset CDPATH
cd -- "$(dirname -- "$0")/.."
source tests/support/install.sh

install_missing "${build_packages[@]}"

echo "== building build/release/memsize, and what validate runs: about three minutes on two processors"
cmake --preset release -DMEMSIZE_TESTS=OFF >/dev/null
# Done, of all, and the seconds until then.
export NINJA_STATUS='[%f/%t, %e s] '
# More at once than there are processors take longer.
cmake --build --preset release -j "$(nproc)"

memsize=build/release/memsize
trace=samples/j722s-mobilenet/trace.log

echo
echo "== memsize analyze $trace --board j722s-sdk11"
"$memsize" analyze "$trace" --board j722s-sdk11

echo
echo "== memsize emit --board j722s-sdk11 --trace $trace --out out/"
"$memsize" emit --board j722s-sdk11 --trace "$trace" --out out/

echo
echo "The map is in out/. Look at out/system_memory_map.html in a browser; then out/REBUILD.md, and build/release/memsize --help."
