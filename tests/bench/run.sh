#!/usr/bin/env bash
# Measures start-up, analyze and emit, as medians and as ratios to /bin/true in the same run; then emit and check of
# every board, in turns with the generator of the SDK that MEMSIZE_TI_SDK names.
#   tests/bench/run.sh [RUNS]     (default 200; a tenth of it for the boards)
set -euo pipefail
cd "$(dirname "$0")/../.."
if [[ ! -x build/release/memsize ]]; then
  cmake --preset release -DMEMSIZE_TESTS=OFF >/dev/null
  cmake --build --preset release --target memsize >/dev/null
fi
runs="${1:-200}"
python3 tests/bench/bench.py --memsize build/release/memsize --source . --runs "$runs"
exec python3 tests/bench/bench_boards.py --memsize build/release/memsize --runs "$(((runs + 9) / 10))"
