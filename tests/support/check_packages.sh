#!/usr/bin/env bash
# Makes Debian's packages, has lintian read them, and installs, upgrades and removes them in an empty root.
# usage: check_packages.sh BUILD WORK
set -euo pipefail
build=$1 work=$2
for tool in lintian dpkg cpack; do
  if ! command -v "$tool" >/dev/null; then
    echo "$tool is missing"
    exit 77
  fi
done
rm -rf "$work"
mkdir -p "$work/root/var/lib/dpkg/"{info,updates,triggers} "$work/root/etc"
touch "$work/root/var/lib/dpkg/"{status,available}
(cd "$build" && cpack -G DEB -B "$work/packages" >"$work/cpack.log" 2>&1) || { cat "$work/cpack.log" >&2; exit 1; }
program=("$work"/packages/memsize_*.deb)
library=("$work"/packages/libmemsize-dev_*.deb)

lintian --fail-on error --allow-root "${program[0]}" "${library[0]}"

# What a package has, and what it has not.
for file in usr/bin/memsize usr/bin/memsize-probe usr/share/man/man1/memsize.1.gz usr/share/bash-completion/completions/memsize \
    usr/share/doc/memsize/copyright usr/share/memsize/boards/j722s.toml usr/share/memsize/templates/page/main.tmpl; do
  if ! dpkg-deb -c "${program[0]}" | grep " \./$file$" >/dev/null; then
    echo "memsize has no $file" >&2
    exit 1
  fi
done
if dpkg-deb -c "${program[0]}" | grep -E '\.(a|hpp)$' >&2; then
  echo "memsize has what belongs to libmemsize-dev" >&2
  exit 1
fi
size=$(stat -c %s "${program[0]}")
if [[ $size -gt 8000000 ]]; then
  echo "memsize has $size bytes" >&2
  exit 1
fi

for file in usr/include/memsize/memsize.h usr/share/memsize/python/memsize.py; do
  if ! dpkg-deb -c "${library[0]}" | grep " \./$file$" >/dev/null; then
    echo "libmemsize-dev has no $file" >&2
    exit 1
  fi
done

# In a root without anything, whose dependencies are this machine's.
packages() { dpkg --root="$work/root" --force-depends --force-not-root --force-script-chrootless --log=/dev/null "$@" >/dev/null; }
packages -i "${program[0]}" "${library[0]}" 2>"$work/dpkg.log" || { cat "$work/dpkg.log" >&2; exit 1; }
cd /
MEMSIZE_DATA= "$work/root/usr/bin/memsize" emit --board j722s --out "$work/out" >/dev/null
"$work/root/usr/bin/memsize" check --map "$work/out" --board j722s
"$work/root/usr/bin/memsize" validate --board j722s -q
# Python finds the library where it was installed, and the library its boards.
MEMSIZE_DATA= PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$work/root/usr/share/memsize/python \
  /usr/bin/python3 -c 'import memsize; assert memsize.Memsize().document("board", "show", "j722s")["boards"]'
# The same again is an upgrade.
packages -i "${program[0]}" "${library[0]}" 2>/dev/null
packages -r libmemsize-dev 2>/dev/null
packages -r memsize 2>/dev/null
left=$(find "$work/root" -path "$work/root/var/lib/dpkg" -prune -o -type f -print)
if [[ -n $left ]]; then
  printf 'left behind:\n%s\n' "$left" >&2
  exit 1
fi
echo "two packages, without an error of lintian's; installed, run, upgraded and removed"
