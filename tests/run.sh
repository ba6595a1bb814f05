#!/usr/bin/env bash
# Installs what is missing, builds, and runs all tests: under release, then under the sanitizers.
#   --quick   release only
#   --tidy    clang-tidy over all sources too
set -euo pipefail
# Where a shell looks for folders does not lead anywhere else.
unset CDPATH
cd -- "$(dirname -- "$0")/.."
source tests/support/install.sh

quick=no
tidy=no
for argument in "$@"; do
  case "$argument" in
    --quick) quick=yes ;;
    --tidy) tidy=yes ;;
    *) echo "usage: tests/run.sh [--quick] [--tidy]" >&2; exit 2 ;;
  esac
done

install_missing "${build_packages[@]}" "${test_packages[@]}"

echo "== format"
git ls-files '*.cpp' '*.hpp' | xargs clang-format --dry-run -Werror

run_preset() {
  local preset=$1 log
  echo "== $preset: build"
  cmake --preset "$preset" -DMEMSIZE_TESTS=ON >/dev/null
  cmake --build --preset "$preset"
  echo "== $preset: test"
  log=$(mktemp)
  # As many tests at once as there are processors.
  ctest --preset "$preset" -j "$(nproc)" | tee "$log"
  if [[ ${CI:-} == true ]] && grep -q -e 'Skipped' -e 'Not Run' "$log"; then
    echo "a test was skipped; here none may be" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
}

if [[ $tidy == yes ]]; then
  install_missing clang-tidy
  echo "== clang-tidy"
  cmake --preset dev >/dev/null
  git ls-files 'src/*.cpp' | xargs -n 1 -P "$(nproc)" clang-tidy -p build/dev --quiet 2>/dev/null
fi

run_preset release
if [[ $quick == no ]]; then
  run_preset asan
fi
echo "== all tests passed"
