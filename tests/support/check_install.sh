#!/usr/bin/env bash
# Installs into a folder, runs the program from elsewhere, and links a program against the library.
# usage: check_install.sh BUILD WORK SOURCE
set -euo pipefail
build=$1 work=$2 source=$3
rm -rf "$work"
cmake --install "$build" --prefix "$work/prefix" >/dev/null
# Nobody who runs the program gets libraries; who asks for them does.
if [[ -n $(find "$work/prefix" -name '*.a' -o -name '*.hpp') ]]; then
  echo "a library is installed that nobody asked for" >&2
  exit 1
fi
cmake --install "$build" --component library --prefix "$work/prefix" >/dev/null

# What is installed has no symbols of its own; what preset 'release' builds is hardened.
if command -v readelf >/dev/null; then
  hardened=$(sed -n 's/^MEMSIZE_HARDEN:BOOL=//p' "$build/CMakeCache.txt")
  for program in "$work/prefix/bin/memsize" "$work/prefix/libexec/memsize/memsize-host"; do
    has() {
      # grep reads to the end: what it does not read would be an error of readelf's.
      if ! readelf -W "$1" "$program" | grep -- "$2" >/dev/null; then
        echo "$program: readelf $1 shows no '$2'" >&2
        exit 1
      fi
    }
    if readelf -W -S "$program" | grep -e ' \.symtab ' -e ' \.debug' >/dev/null; then
      echo "$program is not stripped" >&2
      exit 1
    fi
    has -h 'Type: .*DYN'
    if [[ $hardened == ON ]]; then
      has -d 'FLAGS_1.*NOW.*PIE'
      has -l 'GNU_RELRO'
      has --dyn-syms '__stack_chk_fail'
      has --dyn-syms '_chk@'
    fi
  done
fi

cd /
"$work/prefix/bin/memsize-probe" --root "$work/consumer-of-nothing" >/dev/null 2>&1 && exit 1
"$work/prefix/bin/memsize-probe" --no-firmware -o "$work/probe.json"
"$work/prefix/bin/memsize" emit --board j722s --out "$work/out" >/dev/null
"$work/prefix/bin/memsize" check --map "$work/out" --board j722s

mkdir -p "$work/consumer"
cat > "$work/consumer/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES CXX)
find_package(memsize REQUIRED)
add_executable(consumer main.cpp)
target_link_libraries(consumer PRIVATE memsize::readers)
END
cat > "$work/consumer/main.cpp" <<'END'
#include <fstream>
#include <iterator>

#include "memsize/readers/reader.hpp"

int main(int, char** argv) {
  std::ifstream file{argv[1]};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  const auto recording = memsize::readers::read_text(text, argv[1]);
  return recording && recording->inputs.front().records == 16 ? 0 : 1;
}
END
cmake -S "$work/consumer" -B "$work/consumer/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/consumer/build" >/dev/null
"$work/consumer/build/consumer" "$source/samples/j722s-mobilenet/trace.log"
echo "installed, run from elsewhere, linked as a library"
