#!/usr/bin/env bash
# Measures start-up, analyze and emit, as medians and as ratios to /bin/true in the same run; then emit and check of
# every board, in turns with the generator of the SDK that MEMSIZE_TI_SDK names; then check --sdk of these SDKs; then,
# with google-benchmark (libbenchmark-dev), the computation of every board's MPU regions.
#   tests/bench/run.sh [RUNS]     (default 200; a tenth of it for boards and SDKs)
set -euo pipefail
cd "$(dirname "$0")/../.."
if [[ ! -x build/release/memsize ]]; then
  cmake --preset release -DMEMSIZE_TESTS=OFF >/dev/null
  cmake --build --preset release --target memsize >/dev/null
fi
runs="${1:-200}"
python3 tests/bench/bench.py --memsize build/release/memsize --source . --runs "$runs"
python3 tests/bench/bench_boards.py --memsize build/release/memsize --runs "$(((runs + 9) / 10))"
python3 tests/bench/bench_sdk.py --memsize build/release/memsize --runs "$(((runs + 9) / 10))"
if cmake --build --preset release --target help | grep -q '^bench_mpu:'; then
  cmake --build --preset release --target bench_mpu >/dev/null
  exec build/release/tests/bench_mpu
fi
echo "google-benchmark is not there, or the tests are not configured: the MPU computation is not measured"
