"""Reads TIDL's rows as a script of one's own would: one pattern a line. Counts rows and sums their KiB.

scan_re.py FILE
"""

import re
import sys

ROW = re.compile(
    r"\[\s*(\S+)\s*\]\s*(\d+\.\d+)\s*s:\s*(\d+)\s*,\s*([^,]+?)\s*,\s*(\w+)\s*,\s*(\d+)\s*,\s*([\d.]+)\s*,\s*(0x[0-9a-fA-F]+)"
)


def main() -> None:
    rows, kib = 0, 0.0
    with open(sys.argv[1], encoding="utf-8", errors="replace") as log:
        for line in log:
            row = ROW.match(line)
            if row:
                rows += 1
                kib += float(row[7])
    print(f"{rows} rows, {kib:.2f} KiB")


if __name__ == "__main__":
    main()
