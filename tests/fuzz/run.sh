#!/usr/bin/env bash
# Fuzzes for a while: builds the preset 'fuzz' where something changed, and runs each target, beginning with its corpus
# and, where they are there, real logs. Ends with failure where a target crashed; what crashed it is kept.
#   tests/fuzz/run.sh SECONDS [TARGET...]     (default: every target)
#   MEMSIZE_TI_LOGS   a folder of logs, besides tests/data/ti/logs
set -euo pipefail
# Where a shell looks for folders does not lead anywhere else.
unset CDPATH
cd -- "$(dirname -- "$0")/../.."

seconds=${1:-}
if [[ ! $seconds =~ ^[1-9][0-9]*$ ]]; then
  echo "usage: tests/fuzz/run.sh SECONDS [TARGET...]" >&2
  exit 2
fi
shift
targets=("$@")
if [[ ${#targets[@]} -eq 0 ]]; then
  for corpus in tests/fuzz/corpus/*/; do
    targets+=("$(basename "$corpus")")
  done
fi
for target in "${targets[@]}"; do
  if [[ ! -f tests/fuzz/$target.cpp ]]; then
    echo "there is no target '$target'; there are: $(basename -s .cpp -a tests/fuzz/*.cpp | grep -v replay_main | xargs)" >&2
    exit 2
  fi
done

cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target "${targets[@]/#/fuzz_}" >/dev/null

found=build/fuzz/found
crashed=0
printf '%-18s %12s %8s\n' target executions crashes
for target in "${targets[@]}"; do
  mkdir -p "$found/$target/corpus" "$found/$target/crashes"
  # The first folder takes what is new; the others are only read.
  folders=("$found/$target/corpus" "tests/fuzz/corpus/$target")
  if [[ $target == tidl_* || $target == line_* ]]; then
    for logs in tests/data/ti/logs "${MEMSIZE_TI_LOGS:-../shared/data/ti/logs}"; do
      if [[ -d $logs ]]; then folders+=("$logs"); fi
    done
  fi
  before=$(find "$found/$target/crashes" -type f | wc -l)
  status=0
  "build/fuzz/tests/fuzz_$target" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=4096 -print_final_stats=1 \
    -artifact_prefix="$found/$target/crashes/" "${folders[@]}" >"$found/$target/log" 2>&1 || status=$?
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$found/$target/log")
  crashes=$(($(find "$found/$target/crashes" -type f | wc -l) - before))
  printf '%-18s %12s %8s\n' "$target" "${executions:-?}" "$crashes"
  if [[ $status -ne 0 ]]; then
    crashed=1
    echo "  failed with status $status: $found/$target/log, $found/$target/crashes/" >&2
  fi
done
exit "$crashed"
