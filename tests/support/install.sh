# Installs Debian packages that are missing. Sourced by samples/quickstart.sh and tests/run.sh.

install_missing() {
  local missing=() package
  for package in "$@"; do
    if ! dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$'; then
      missing+=("$package")
    fi
  done
  if [[ ${#missing[@]} -eq 0 ]]; then
    return 0
  fi
  echo "== installing: ${missing[*]}"
  local as_root=()
  if [[ $(id -u) -ne 0 ]]; then
    if ! command -v sudo >/dev/null; then
      echo "These packages are missing and this is neither root nor has sudo: ${missing[*]}" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
    --no-install-recommends "${missing[@]}" >/dev/null
}

# What memsize is built with and from.
build_packages=(
  g++ cmake ninja-build libcli11-dev libtomlplusplus-dev nlohmann-json3-dev libfmt-dev
  libexpected-dev libkainjow-mustache-dev libyaml-cpp-dev zlib1g-dev nettle-dev libre2-dev libflatbuffers-dev flatbuffers-compiler
)

# What its tests need besides.
test_packages=(
  doctest-dev clang-format binutils gcc device-tree-compiler u-boot-tools u-boot-qemu openssl patch gzip make nodejs python3 python3-jsonschema
  python3-numpy clang libclang-rt-dev lld llvm qemu-system-arm qemu-system-misc gcc-riscv64-unknown-elf binutils-aarch64-linux-gnu binutils-arm-none-eabi
  gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static cpio gcc-arm-none-eabi chromium poppler-utils
  zsh fish lintian parallel slurmctld slurmd slurm-client python3-yaml
)
# Kubernetes' own package of it and Debian's exclude each other: either will do.
command -v kubectl >/dev/null || test_packages+=(kubernetes-client)

# Whose kernel tests/accept/accept_probe_boot.py boots, which downloads it itself.
know_arm64() {
  if dpkg --print-foreign-architectures | grep -qx arm64; then
    return 0
  fi
  if [[ $(dpkg --print-architecture) == arm64 || $(id -u) -ne 0 ]]; then
    return 0
  fi
  dpkg --add-architecture arm64
  apt-get update -qq
}

# What drives the browser, and what looks for barriers in its pages: of npm, in the versions that tests/accept/page names,
# in the user's cache.
install_browser_modules() {
  local into=${MEMSIZE_BROWSER_MODULES:-${XDG_CACHE_HOME:-$HOME/.cache}/memsize-tests/browser}
  if cmp -s tests/accept/page/package.json "$into/package.json" && [[ -d $into/node_modules/axe-core ]]; then
    return 0
  fi
  command -v npm >/dev/null || install_missing npm
  echo "== installing: playwright-core and axe-core in $into"
  mkdir -p "$into"
  cp tests/accept/page/package.json "$into/"
  npm install --prefix "$into" --no-audit --no-fund --no-package-lock --ignore-scripts --silent >/dev/null
}
