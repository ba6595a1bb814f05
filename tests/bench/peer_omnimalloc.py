"""Packs one table of lifetimes with SuperMalloc of fpedd/omnimalloc, which has to be there, and prints the height.

With a capacity it may stop at the first plan that fits. It knows no capacity, but it stops at what must be alive: a
buffer of that size, alone behind all others, makes the two the same."""

import argparse
import csv
from pathlib import Path

from omnimalloc import Allocation, validate_allocation
from omnimalloc.allocators import SupermallocAllocator

# On one core, too: each of its three orders gets a share of the time only where it has a thread.
THREADS = 6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Path)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--capacity", type=int)
    options = parser.parse_args()
    with options.table.open(newline="") as file:
        buffers = [Allocation(id=row["id"], size=int(row["size"]), start=int(row["lower"]), end=int(row["upper"]))
                   for row in csv.DictReader(file)]
    asked = list(buffers)
    if options.capacity is not None:
        end = max(buffer.end for buffer in buffers)
        asked.append(Allocation(id="capacity", size=options.capacity, start=end, end=end + 1))
    found = SupermallocAllocator(timeout=options.seconds, num_threads=THREADS).solve(tuple(asked))
    placed = tuple(buffer for buffer in found.allocations if buffer.id != "capacity")
    validate_allocation(placed)
    print(max(buffer.height for buffer in placed))


if __name__ == "__main__":
    main()
