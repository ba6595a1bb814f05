#!/bin/sh
# Sizes one share of many logs: every OF-th folder of LOGS, beginning with the INDEX-th, counted from 0.
# A folder's documents go to OUT/NAME, what was said of it to OUT/NAME.txt. The exit status is that of the worst folder.
# Shares need nothing of each other: any order, any machine; one that failed is run again as it was.
set -u

if [ $# -lt 4 ]; then
  echo "usage: $0 LOGS OUT INDEX OF [analyze's options]" >&2
  exit 2
fi
logs=$1 out=$2 index=$3 of=$4
shift 4
for number in "$index" "$of"; do
  case $number in
    ''|*[!0-9]*) echo "$0: INDEX '$index' and OF '$of' are to be numbers" >&2; exit 2 ;;
  esac
done
if [ "$index" -ge "$of" ]; then
  echo "$0: there is no share $index of $of: they are counted from 0" >&2
  exit 2
fi

mkdir -p "$out" || exit 2
worst=0 number=0 found=0
for folder in "$logs"/*/; do
  [ -d "$folder" ] || continue
  found=1
  if [ $((number % of)) -eq "$index" ]; then
    name=$(basename "$folder")
    "${MEMSIZE:-memsize}" analyze "$folder" --output "$out/$name" "$@" > "$out/$name.txt" 2>&1
    status=$?
    if [ $status -gt 1 ]; then
      echo "$0: $folder: exit status $status, see $out/$name.txt" >&2
    fi
    [ $status -gt $worst ] && worst=$status
  fi
  number=$((number + 1))
done
if [ $found -eq 0 ]; then
  echo "$0: there is no folder in '$logs'" >&2
  exit 2
fi
exit $worst
