#!/usr/bin/env bash
# Installs what is missing, builds, and runs all tests: with what users run, then under the sanitizers.
#   --quick   before a commit: one incremental build, and the tests that take seconds
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
install_browser_modules
know_arm64

# What was compiled before is taken from there, where there is such a place.
configuration=(-DMEMSIZE_TESTS=ON)
if command -v ccache >/dev/null; then
  configuration+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi

# Minutes and seconds since the first stage, before what begins now.
stage() {
  printf '== %2d:%02d  %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$1"
}

# Further words are ctest's.
run_preset() {
  local preset=$1 log
  shift
  stage "$preset: build"
  cmake --preset "$preset" "${configuration[@]}" >/dev/null
  cmake --build --preset "$preset"
  stage "$preset: test"
  log=$(mktemp)
  # One test more at once than there are processors: some wait.
  ctest --preset "$preset" -j "$(($(nproc) + 1))" "$@" | tee "$log"
  if [[ ${CI:-} == true ]] && grep -q -e 'Skipped' -e 'Not Run' "$log"; then
    echo "a test was skipped; here none may be" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
}

SECONDS=0
stage "format"
git ls-files '*.cpp' '*.hpp' ':!tests/golden' ':!samples/plans' | xargs clang-format --dry-run -Werror

if [[ $tidy == yes ]]; then
  install_missing clang-tidy
  stage "clang-tidy"
  cmake --preset dev >/dev/null
  git ls-files 'src/*.cpp' | xargs -n 1 -P "$(nproc)" clang-tidy -p build/dev --quiet 2>/dev/null
fi

if [[ $quick == yes ]]; then
  run_preset quick -R '^(unit|rules|fixtures|golden)'
else
  stage "every file by itself"
  cmake --preset dev -B build/alone -DCMAKE_CXX_COMPILER=clang++ -DMEMSIZE_TESTS=ON >/dev/null
  cmake --build build/alone --target memsize_generated
  /usr/bin/python3 tests/support/compile_alone.py build/alone
  run_preset release
  run_preset asan
  run_preset tsan
fi
stage "all tests passed"
