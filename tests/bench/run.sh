#!/usr/bin/env bash
# Measures start-up, analyze and emit, as medians and as ratios to /bin/true in the same run.
#   tests/bench/run.sh [RUNS]     (default 200)
set -euo pipefail
cd "$(dirname "$0")/../.."
if [[ ! -x build/release/memsize ]]; then
  cmake --preset release -DMEMSIZE_TESTS=OFF >/dev/null
  cmake --build --preset release --target memsize >/dev/null
fi
exec python3 tests/bench/bench.py --memsize build/release/memsize --source . --runs "${1:-200}"
