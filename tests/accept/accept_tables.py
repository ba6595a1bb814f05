"""TIDL's tables as every C7x of every board prints them: one model is one model, complete, where it lies.

The tables are printed here, after tidl_alg.c, by allocators of this file's own: the heaps of each board are those of
TI's scripts (tests/data/ti), and many of them begin at a multiple of 4 GiB, where the low word of a base is 0.
"""

import itertools
import re
import struct
from dataclasses import dataclass
from random import Random
from typing import Any, Iterator

from support import DATA, Context, check, main, number, parse_json, read_json, same

KIB, MIB = 1 << 10, 1 << 20
HEAP = re.compile(r"DDR_C7X_(\d)_(LOCAL_HEAP|SCRATCH)(_NON_CACHEABLE)?")
CHIP = {"L1D": 0x64E00000, "L2": 0x64800000, "L3/MSMC": 0x70020000}
# What a C7x's own heap takes beside records (facts of each SDK's allocators): at its end or beginning, before each
# block, to a multiple of, and for a model: its target object and the array of its records.
MCU_PLUS_11 = (64, 64, 128, (252848, 384))
MCU_PLUS_12 = (64, 64, 256, (442112, 384))
PDK_12 = (256, 256, 256, (442112, 384))
PDK_PARTS = ("j721e", "j721s2", "j742s2", "j784s4", "tda54")
# Records of SDK 10 and newer: their space, and on parts with several C7x whether they are cached.
RECORDS = [("N", "Persistent"), ("C", "Persistent"), ("L1D", "Scratch"), ("L2", "Scratch"), ("L3/MSMC", "Scratch"),
           ("C", "Persistent"), ("N", "Scratch"), ("N", "Scratch"), ("N", "Scratch"), ("N", "Scratch"),
           ("C", "Persistent"), ("C", "Scratch"), ("N", "Persistent"), ("C", "Persistent"), ("N", "Persistent"),
           ("C", "Persistent")]
ADDED_UP = ("L1D", "L2", "L3/MSMC", "DDR Cacheable", "DDR Non-cacheable")


@dataclass(frozen=True)
class Core:
    board: str
    name: str
    generation: str
    # By space and attribute as printed.
    bases: dict[tuple[str, str], int]
    allocator: tuple[int, int, int, tuple[int, ...]]

    def space(self, kind: str) -> str:
        several = ("DDR Non-cacheable", "Persistent") in self.bases and self.board != "am62a"
        return {"C": "DDR Cacheable", "N": "DDR Non-cacheable" if several else "DDR Cacheable"}.get(kind, kind)


@dataclass(frozen=True)
class Row:
    record: int
    space: str
    attribute: str
    size: int
    address: int

    def text(self, with_base: bool) -> str:
        base = self.address & 0xFFFFFFFF if with_base else 0
        return f"{self.record:<12d}, {self.space:<20s}, {self.attribute:<12s}, {128:4d}, {kib(self.size):<8s}, 0x{base:08x}"


def kib(size: int) -> str:
    """As the target prints it: through a float."""
    return "%.2f" % (struct.unpack("f", struct.pack("f", float(size)))[0] / 1024)


def cores() -> list[Core]:
    found = []
    for path in sorted(DATA.glob("*.json")):
        facts = read_json(path)
        if not isinstance(facts, dict) or "regions" not in facts:
            continue
        heaps: dict[str, dict[tuple[str, str], int]] = {}
        for region in facts["regions"]:
            heap = HEAP.fullmatch(region["name"])
            if heap and f"c7x_{heap[1]}" in region["cores"]:
                space = "DDR Non-cacheable" if heap[3] else "DDR Cacheable"
                attribute = "Persistent" if heap[2] == "LOCAL_HEAP" else "Scratch"
                heaps.setdefault(f"c7x_{heap[1]}", {})[space, attribute] = number(region["origin"])
        board, generation = facts["board"], facts["generation"]
        allocator = (PDK_12 if board.startswith(PDK_PARTS) else MCU_PLUS_11 if generation == "11.01" else MCU_PLUS_12)
        found += [Core(board, name, generation, bases, allocator) for name, bases in sorted(heaps.items())]
    return found


def up(value: int, to: int) -> int:
    return -(-value // to) * to


class Heaps:
    """The heaps of one core: scratch is given out anew to each model, what is kept is not."""

    def __init__(self, core: Core):
        self.core = core
        self.idle, self.header, self.step, self.objects = core.allocator
        self.used = {heap: 0 for heap in core.bases}

    def place(self, heap: tuple[str, str], size: int) -> int:
        base = self.core.bases[heap]
        if heap == ("DDR Cacheable", "Persistent"):
            at = self.used[heap] + self.header
            self.used[heap] = at + up(size, self.step)
        else:
            at = up(self.used[heap], KIB)
            self.used[heap] = at + size
        return base + at

    def load(self, sizes: list[int]) -> list[Row]:
        own = ("DDR Cacheable", "Persistent")
        self.used = {heap: used if heap[1] == "Persistent" else 0 for heap, used in self.used.items()}
        self.used[own] = max(self.used[own], self.idle)
        for item in self.objects:
            self.place(own, item)
        rows = []
        for record, ((kind, attribute), size) in enumerate(zip(RECORDS, sizes)):
            space = self.core.space(kind)
            address = CHIP[space] if space in CHIP else self.place((space, attribute), size)
            rows.append(Row(record, space, attribute, size, address))
        return rows


def sizes_of(core: Core, random: Random) -> list[int]:
    fixed = 4 * MIB if core.generation == "11.01" else 2 * MIB if core.board == "am62a" else 8 * MIB
    return [random.randrange(1, 64 * KIB), 676, 16 * KIB, 64 * KIB, 128 * KIB, random.randrange(256 * KIB, MIB), 4 * KIB,
            random.randrange(256, 2 * MIB), 128, random.randrange(128, 4 * KIB), random.randrange(1, 64 * KIB),
            fixed + 256, 128, random.randrange(1, 512 * KIB), 1, random.randrange(1, 2 * MIB)]


def table(rows: list[Row], with_base: bool) -> Iterator[str]:
    yield from ("", "-" * 44, "TIDL Memory size requiement (record wise):",
                "MemRecNum   , Space               , Attribute   , Alignment   , Size(KBytes), BasePtr     ")
    yield from (row.text(with_base) for row in rows)
    yield from ("-" * 44, "Total memory size requirement (space wise):", "Mem Space , Size(KBytes)")
    for space, attribute in itertools.product(ADDED_UP, ("Scratch", "Persistent")):
        total = sum(row.size for row in rows if (row.space, row.attribute) == (space, attribute))
        if total:
            yield f"{space}({attribute}), {kib(total):<8s}"
    yield from ("-" * 44, "NOTE: Memory requirement in host emulation can be different from the same on EVM",
                "      To get the actual TIDL memory requirement make sure to run on EVM with ",
                "      debugTraceLevel = 2", "-" * 44)


def log(core: Core, models: list[list[Row]], prints: str, blank: bool) -> str:
    """`prints`: a, the table of the allocation; t, the line before the initialisation's; i, that table."""
    lines: list[str] = []
    for rows in models:
        for one in prints:
            lines += ["TIDL init call from ivision API "] if one == "t" else table(rows, one == "i")
    text, name, time = "", "C" + core.name[1:], 4659_174923
    for line in lines:
        for part in (line, "") if blank else (line,):
            text += f"[{name:<6s}] {time // 1_000_000:6d}.{time % 1_000_000:06d} s: {part}\r\n"
            time += 17
    return text


def check_blocks(what: str, core: Core, rows: list[Row], blocks: list[dict[str, Any]], placed: bool) -> None:
    same(f"{what}: records", [block["record"] for block in blocks], [row.record for row in rows])
    for row, block in zip(rows, blocks):
        same(f"{what}: size of record {row.record}", block["printed_kib"], kib(row.size))
        if row.space in CHIP:
            continue
        address = number(block["address"]) if "address" in block else None
        same(f"{what}: address of record {row.record}", address, row.address if placed else None)


def check_log(context: Context, core: Core, models: list[list[Row]], prints: str, blank: bool) -> None:
    what = f"{core.board} {core.name}, {len(models)} x {prints}{', blank lines' if blank else ''}"
    path = context.work / f"{core.board}_{core.name}_{len(models)}{prints}{'b' if blank else ''}.log"
    path.write_text(log(core, models, prints, blank), encoding="utf-8", newline="")
    done = context.run("analyze", path, "--board", core.board, "--json")
    document = parse_json(done.stdout, what)
    (sized,) = document["cores"]
    same(f"{what}: core", sized["core"], core.name)
    check(sized["complete"], f"{what}: is not complete")
    same(f"{what}: models", len(sized["instances"]), len(models))
    for rows, instance in zip(models, sized["instances"]):
        check(instance["complete"], f"{what}: a model is not complete")
        check_blocks(what, core, rows, instance["blocks"], "i" in prints)
    loud = [item for item in document["diagnostics"]
            if item["severity"] != "note" and item["code"] not in ("sizing.generation", "board.provisional")]
    same(f"{what}: warnings", loud, [])
    accepted = [] if core.generation in ("11.01", "12.0") else ["--accept-generation"]
    context.run("emit", "--board", core.board, "--trace", path, "--out", path.with_suffix(".out"), *accepted)


def check_validate(context: Context, core: Core) -> None:
    path = context.work / f"{core.board}_{core.name}_1ati.log"
    document = parse_json(context.run("validate", "--board", core.board, "--log", path, "--json",
                                      expect=(0, 1, 3)).stdout, "validate --json")["log"]
    heaps = [record for record in document["records"] if RECORDS[record["record"]][0] not in CHIP]
    same(f"{core.board} {core.name}: records of heaps", {record["where"] for record in heaps}, {"inside"})


def body(context: Context) -> str:
    all_cores = cores()
    check(len(all_cores) > 25, f"{len(all_cores)} cores are known")
    zero = sum(any(base & 0xFFFFFFFF == 0 for base in core.bases.values()) for core in all_cores)
    check(zero > 15, f"{zero} cores have a heap at a multiple of 4 GiB")
    logs = 0
    for core in all_cores:
        random = Random(f"{core.board} {core.name}")
        for count, prints, blank in itertools.product((1, 2), ("a", "i", "ai", "ati"), (False, True)):
            heaps = Heaps(core)
            check_log(context, core, [heaps.load(sizes_of(core, random)) for _ in range(count)], prints, blank)
            logs += 1
        check_validate(context, core)
    return f"{logs} logs of {len(all_cores)} cores, {zero} of them with a heap at a multiple of 4 GiB"


if __name__ == "__main__":
    main(__doc__.splitlines()[0], body)
