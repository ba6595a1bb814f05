#!/usr/bin/env bash
# Measures start-up, analyze and emit, as medians and as ratios to /bin/true in the same run; then emit and check of
# every board, in turns with the generator of the SDK that MEMSIZE_TI_SDK names; then check --sdk of these SDKs; then a
# large log, in turns with wc, grep, ripgrep, RE2 (libre2-dev) and Python; then documents of many logs; then plans of tables of
# lifetimes, in turns with google/minimalloc where MINIMALLOC names its program, and with fpedd/omnimalloc where OMNIMALLOC names
# a Python that has it; then, with google-benchmark (libbenchmark-dev), the computation of
# every board's MPU regions. What a build takes, by room, is bench_build.py's to say. Before all that, the sizes of the embedded runtime's parts.
#   tests/bench/run.sh [RUNS [LOG_SIZE]]     (default 200 and 256MiB; a tenth of the runs for boards and SDKs; 1GiB is
#                                            what budgets of a large log are about)
set -euo pipefail
# Where a shell looks for folders does not lead anywhere else.
unset CDPATH
cd -- "$(dirname -- "$0")/../.."
if [[ ! -x build/release/memsize ]]; then
  cmake --preset release -DMEMSIZE_TESTS=OFF >/dev/null
  cmake --build --preset release --target memsize >/dev/null
fi
runs="${1:-200}"
python3 tests/bench/bench_runtime.py
python3 tests/bench/bench.py --memsize build/release/memsize --source . --runs "$runs"
python3 tests/bench/bench_boards.py --memsize build/release/memsize --runs "$(((runs + 9) / 10))"
python3 tests/bench/bench_sdk.py --memsize build/release/memsize --runs "$(((runs + 9) / 10))"
targets="$(cmake --build --preset release --target help)"
for target in scan_lines scan_re2 bench_plan; do
  if grep -q "^$target:" <<<"$targets"; then
    cmake --build --preset release --target "$target" >/dev/null
  fi
done
python3 tests/bench/bench_log.py --memsize build/release/memsize --size "${2:-256MiB}" \
  --scan-lines build/release/tests/scan_lines --scan-re2 build/release/tests/scan_re2
python3 tests/bench/bench_fleet.py --memsize build/release/memsize --source .
python3 tests/bench/bench_plan.py --memsize build/release/memsize --pack build/release/tests/bench_plan \
  ${MINIMALLOC:+--minimalloc "$MINIMALLOC"} ${OMNIMALLOC:+--omnimalloc "$OMNIMALLOC"}
if grep -q '^bench_mpu:' <<<"$targets"; then
  cmake --build --preset release --target bench_mpu >/dev/null
  exec build/release/tests/bench_mpu
fi
echo "google-benchmark is not there, or the tests are not configured: the MPU computation is not measured"
