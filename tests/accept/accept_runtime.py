"""The reference runtime: its heaps give the addresses of a real chip, and each of its checks finds what it is for.

The parts that touch no machine are compiled with gcc and clang and their sanitizers, and run on a machine made up for
the test (tests/runtime); the program that is a core as a process is run on memories of our own. What is expected comes
from a log of a chip, from models in Python, and from what the memories hold afterwards.
"""

import argparse
import itertools
import json
import os
import random
import re
import shutil
import struct
import subprocess
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterable

from support import SOURCE, TRACE, Context, check, main, same, tool

TARGET = SOURCE / "src" / "runtime" / "target"
DRIVERS = SOURCE / "tests" / "runtime"
PURE = ("arena", "heap", "map_table", "probe", "replay", "report", "runtime")
WARNINGS = ("-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror")
WORDS = (1 << 64) - 1
KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30

NON_CACHED, WRITE_THROUGH, WRITE_BACK = 1, 2, 4
ON_BUS = 1
ACCESS, LOOK, FAULT, NO_WRITE, NO_EXECUTE, PEER = range(6)
LINEAR, RTOS = range(2)
ALLOC, FREE, RESET = range(3)


def pattern(physical: int, core: int, region: int) -> int:
    """As map_table.h says."""
    x = (physical + 0x9E3779B97F4A7C15 * ((core << 32 | region) + 1)) & WORDS
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & WORDS
    x = (x ^ x >> 27) * 0x94D049BB133111EB & WORDS
    return x ^ x >> 31


@dataclass
class Table:
    """A map table; rows as in map_table.h."""
    core: int = 0
    cores: int = 2
    regions: list[tuple[Any, ...]] = field(default_factory=list)
    keeps: list[tuple[int, int]] = field(default_factory=list)
    points: list[tuple[int, ...]] = field(default_factory=list)
    heaps: list[tuple[int, ...]] = field(default_factory=list)
    steps: list[tuple[int, ...]] = field(default_factory=list)

    def region(self, base: int, physical: int, size: int, kinds: int = 7, name: str = "REGION", align: int = 4096,
               flags: int = ON_BUS) -> int:
        self.regions.append((name.encode(), base, physical, size, align, flags, kinds))
        return len(self.regions) - 1

    def point(self, kind: int, base: int, physical: int = 0, region: int = 0, writer: int = 0,
              writer_region: int = 0) -> None:
        self.points.append((base, physical, region, kind, writer, writer_region))

    def step(self, kind: int, heap: int, slot: int, size: int = 0, align: int = 0, record: int = 0) -> None:
        self.steps.append((kind, heap, slot, 0, record, 0, size, align))

    def rows(self) -> list[tuple[str, list[tuple[Any, ...]]]]:
        return [("<64s4Q2I", self.regions), ("<2Q", self.keeps), ("<2Q4I", self.points), ("<2I3Q", self.heaps),
                ("<6I2Q", self.steps)]

    def bytes(self) -> bytes:
        offset, counts, body = 128, [], b""
        for form, rows in self.rows():
            counts += [len(rows), offset + len(body)]
            body += b"".join(struct.pack(form, *row) for row in rows)
        return struct.pack("<2Q64s12I", 0x31455A49534D454D, offset + len(body), b"core", self.core, self.cores,
                           *counts) + body


@dataclass
class Run:
    events: list[dict[str, Any]]
    status: int

    def of(self, event: str) -> list[dict[str, Any]]:
        return [one for one in self.events if one["event"] == event]

    def checks(self) -> list[str]:
        return [one["check"] for one in self.of("finding")]

    def part(self, name: str) -> dict[str, Any]:
        return next(one for one in self.of("part") if one["part"] == name)


def run_of(lines: Iterable[str], status: int, what: str) -> Run:
    events = [json.loads(line) for line in lines]
    check(events, f"{what}: no report")
    same(f"{what}: the last line", events[-1]["event"], "verdict")
    same(f"{what}: ok and the status", events[-1]["ok"], status == 0)
    if status != 3:
        same(f"{what}: the first line", events[0]["event"], "start")
        same(f"{what}: findings", events[-1]["findings"], sum(one["event"] == "finding" for one in events))
    return Run(events, status)


class Machine:
    """The pure parts, compiled with one compiler, over a made-up machine."""

    def __init__(self, work: Path, compiler: str) -> None:
        self.work, self.compiler = work, compiler
        self.machine, self.heaps = (self.build(name) for name in ("machine", "heaps"))

    def build(self, name: str) -> Path:
        program = self.work / f"{name}-{Path(self.compiler).name}"
        command = [self.compiler, *WARNINGS, "-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
                   f"-I{TARGET}", "-o", program, DRIVERS / f"{name}.c", *(TARGET / f"{part}.c" for part in PURE)]
        if name == "heaps":
            command = command[:-len(PURE)] + [TARGET / "arena.c", TARGET / "heap.c"]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120)
        check(done.returncode == 0 and not done.stderr, f"{self.compiler}: {name}: {done.stderr[-2000:]}")
        return program

    def ask(self, program: Path, *arguments: object, text: bytes = b"") -> str:
        done = subprocess.run([str(program), *map(str, arguments)], input=text, capture_output=True, timeout=300)
        check(done.returncode == 0 and not done.stderr, f"{program.name}: {done.stderr.decode()[-3000:]}")
        return done.stdout.decode()

    def run(self, table: Table, spec: str, phases: str = "1") -> list[Run]:
        (self.work / "table").write_bytes(table.bytes())
        (self.work / "spec").write_text(spec)
        runs, lines = [], []
        for line in self.ask(self.machine, self.work / "table", self.work / "spec", phases).splitlines():
            if line.startswith("exit "):
                runs.append(run_of(lines, int(line[5:]), "machine"))
                lines = []
            else:
                lines.append(line)
        return runs


# --- heaps ------------------------------------------------------------------------------------------------------------


def log_records() -> dict[int, tuple[str, int, int]]:
    """Class, bytes and the low word of the address of each record of the chip's log; the last table has the addresses."""
    text = TRACE.read_text(encoding="utf-8", errors="replace")
    row = r"(\d+)\s*,\s*([\w/ -]+?)\s*,\s*(Scratch|Persistent)\s*,\s*\d+\s*,\s*([\d.]+)\s*,\s*0x([0-9a-fA-F]+)"
    found = {int(number): (f"{space} {kept}", round(float(size) * KIB) or 1, int(base, 16))
             for number, space, kept, size, base in re.findall(row, text)}
    same("records of the log", sorted(found), list(range(16)))
    return found


def size_of(text: str) -> int:
    number, unit = re.fullmatch(r"(\d+)(KiB|MiB)?", text).groups()
    return int(number) * {None: 1, "KiB": KIB, "MiB": MIB}[unit]


def check_log(machine: Machine) -> None:
    """From empty heaps, all records of the log come to lie where they were on the chip."""
    formats = tomllib.loads((SOURCE / "boards" / "formats" / "tidl.toml").read_text())
    rules = {kind: rule for rule in formats["generation"]["11"]["heap"] for kind in rule["classes"]
             if "mcu-plus" in rule.get("families", ["mcu-plus"])}
    # The heaps of the log's map: class, data of the generation, base; the chip's log has the low words only.
    heaps = {"DDR Non-cacheable Persistent": ("non-cacheable persistent", 0x110000000, 3 * MIB),
             "DDR Non-cacheable Scratch": ("non-cacheable scratch", 0x110300000, MIB),
             "DDR Cacheable Persistent": ("cacheable persistent", 0x110400000, 10 * MIB),
             "DDR Cacheable Scratch": ("cacheable scratch", 0x110E00000, 5 * MIB),
             "L1D Scratch": (None, 0x7F83C000, 16 * KIB), "L2 Scratch": (None, 0x7F800000, 224 * KIB),
             "L3/MSMC Scratch": (None, 0x7E200000, 2 * MIB)}
    table, spec, slot = Table(), "", itertools.count()
    for name, (kind, base, size) in heaps.items():
        rule = rules[kind] if kind else {"kind": "linear", "align": "1KiB"}
        row = table.region(base, base + 0x780000000, size, name=name)
        table.heaps.append((row, RTOS if rule["kind"] == "rtos" else LINEAR, size_of(rule.get("round", rule.get("align"))),
                            size_of(rule.get("header", "0")), size_of(rule.get("idle", "0"))))
        spec += f"map {base} {base + 0x780000000} {size} 7 {NON_CACHED}\n"
        for owned in rule.get("objects", []) + rule.get("transient", []):
            table.step(ALLOC, row, next(slot), size_of(owned), record=0xFFFFFFFF)
    records = log_records()
    for number, (kind, size, _) in records.items():
        table.step(ALLOC, list(heaps).index(kind), next(slot), size, 128, number)
    run = machine.run(table, spec)[0]
    same("findings of the log's replay", run.checks(), [])
    found = {one["record"]: int(one["address"], 16) for one in run.of("block") if "record" in one}
    for number, (_, _, low) in records.items():
        same(f"address of record {number}", found[number] & 0xFFFFFFFF, low)
    same("records replayed", len(found), 16)


class ModelHeap:
    """Free pieces in a list, joined when a block comes back; a linear heap is one number."""

    def __init__(self, base: int, size: int, align: int, header: int | None, idle: int) -> None:
        self.base, self.size, self.align, self.header = base, size, align, header
        self.idle = idle
        self.clear()

    def clear(self) -> None:
        self.live: dict[int, int] = {}
        self.offset = 0
        self.free = [[0, self.size - self.idle]]

    def used(self) -> int:
        return self.offset if self.header is None else self.idle + sum(self.live.values())

    def room(self) -> int:
        if self.header is None:
            return max(0, self.size - (self.offset + self.align - 1) // self.align * self.align)
        largest = max((end - begin for begin, end in self.free), default=0)
        return max(0, largest - self.header) // self.align * self.align

    def alloc(self, size: int, align: int) -> int | None:
        align = max(align, self.align)
        if self.header is None:
            begin = (self.offset + align - 1) // align * align
            if begin + size > self.size:
                return None
            self.offset = begin + size
            self.live[self.base + begin] = size
            return self.base + begin
        wanted = (size + align - 1) // align * align + self.header
        for piece in self.free:
            if piece[1] - piece[0] >= wanted:
                begin, rest = piece[0], piece[1] - piece[0] - wanted
                taken = wanted if rest > 2 * self.header else wanted + rest
                piece[0] += taken
                self.free = [one for one in self.free if one[0] < one[1]]
                self.live[self.base + begin + self.header] = taken
                return self.base + begin + self.header
        return None

    def give_back(self, address: int) -> None:
        if self.header is None:
            del self.live[address]
            self.offset = 0
            return
        begin = address - self.base - self.header
        pieces = sorted(self.free + [[begin, begin + self.live.pop(address)]])
        self.free = pieces[:1]
        for piece in pieces[1:]:
            if self.free[-1][1] == piece[0]:
                self.free[-1][1] = piece[1]
            else:
                self.free.append(piece)


def check_random(machine: Machine, seed: int, steps: int) -> None:
    draw = random.Random(seed)
    shapes = [(0x1_1000_0000, 1 * MIB, 1024, None, 0), (0x7_FFFF_F000_0000, 3 * MIB, 128, 64, 64),
              (0x8000_0000, 300 * KIB, 256, 64, 64), (0xFFFF_FFFF_FFF0_0000, MIB, 8, None, 0),
              (0x4000_0000, 64 * KIB, 16, 16, 0), (0x2000_0000, 96 * KIB, 64, 0, 64)]
    heaps, orders, expected = [], [], []
    for base, size, align, header, idle in shapes:
        heaps.append(ModelHeap(base, size, align, header, idle))
        orders.append(f"linear {base} {size} {align}" if header is None else f"rtos {base} {size} {align} {header} {idle}")
    peaks = [heap.used() for heap in heaps]
    for _ in range(steps):
        at = draw.randrange(len(heaps))
        heap = heaps[at]
        what = draw.random()
        if what < 0.55 or not heap.live:
            size, align = draw.choice((draw.randint(1, 300), draw.randint(1, 20 * KIB))), draw.choice((0, 0, 128, 512))
            orders.append(f"alloc {at} {size} {align}")
            address = heap.alloc(size, align) if len(heap.live) < 80 or heap.header is None else None
            if address is None and heap.header is not None and len(heap.live) >= 80:
                orders.pop()
                continue
            expected.append("full" if address is None else str(address))
            peaks[at] = max(peaks[at], heap.used())
            continue
        if what < 0.6:
            orders.append(f"room {at}")
            expected.append(str(heap.room()))
            continue
        if what < 0.997:
            address = draw.choice(sorted(heap.live))
            orders.append(f"free {at} {address}")
            heap.give_back(address)
        else:
            orders.append(f"reset {at}")
            heap.clear()
        peaks[at] = 0 if heap.header is None else peaks[at]
        expected.append(f"{heap.used()} {peaks[at]}")
    answers = machine.ask(machine.heaps, text="\n".join(orders).encode()).splitlines()
    for order, answer, right in zip(orders[len(shapes):], answers, expected):
        same(f"seed {seed}: {order}", answer, right)
    same("answers", len(answers), len(expected))


def check_arenas(machine: Machine) -> None:
    orders = ["region 4096 64", "region 100 16", "ready", "bind 2 4096 4096", "bind 0 0 4096", "bind 0 4096 4095",
              "bind 0 4097 4096", "bind 2 0 0", "bind 0 0 1", "bind 0 1 1", "ready", "bind 0 4096 4096", "ready",
              "bind 1 65536 101", "ready", "bind_all 1 4096 4096", "bind_all 2 4096 4096 8193 100",
              "bind_all 2 4096 4096 8192 100", f"bind 0 {1 << 40} 8192"]
    answers = machine.ask(machine.heaps, text="\n".join(orders).encode()).split()
    same("codes of arenas", answers, "6 1 2 3 4 1 2 3 6 0 6 0 0 5 4 0 0".split())


# --- findings ---------------------------------------------------------------------------------------------------------

BASE, BUS = 0x110000000, 0x890000000


def plain(kinds: int = NON_CACHED) -> Table:
    table = Table()
    table.region(BASE, BUS, 64 * KIB, kinds)
    return table


def spec_of(*lines: str) -> str:
    return "\n".join((f"map {BASE} {BUS} {64 * KIB} 7 {NON_CACHED}", *lines)) + "\n"


def check_findings(machine: Machine) -> None:
    """Each check is found when it is provoked, and nothing else is."""

    def found(what: str, table: Table, spec: str, *phases: list[str]) -> list[Run]:
        runs = machine.run(table, spec, "12"[:len(phases)])
        for run, right in zip(runs, phases):
            same(f"{what}: findings", run.checks(), right)
        return runs

    table = plain()
    table.point(ACCESS, BASE, BUS)
    table.point(ACCESS, BASE + 64 * KIB - 8, BUS + 64 * KIB - 8)
    table.point(LOOK, BASE + 64, BUS + 64)
    table.point(FAULT, BASE + 64 * KIB)
    table.point(FAULT, BASE - 8)
    runs = found("nothing", table, spec_of(), [], [])
    same("points done", runs[0].part("points")["done"], 5)
    same("points kept", runs[1].part("kept")["done"], 2)

    found("kept", table, spec_of(f"poke {BUS} 5"), [], ["kept"])
    found("translate", table, f"map {BASE} {BUS + 4096} {64 * KIB} 7 1", ["translate"] * 3)
    found("attribute", table, f"map {BASE} {BUS} {64 * KIB} 7 {NON_CACHED + WRITE_BACK}", ["attribute"] * 3)
    found("unmapped", table, f"map {BASE} {BUS} 4096 7 1", ["unmapped"])
    found("write", table, spec_of(f"stuck {BUS} 8"), ["write"])
    found("guard", table, spec_of(f"map {BASE - 4096} {BUS} 4096 1 1"), ["guard"])
    found("fault", table, f"map {BASE} {BUS} {64 * KIB} 1 1", ["fault", "fault"])
    found("hidden", table, spec_of(f"hide {BASE - 64 * KIB} {256 * KIB}"), [])
    found("image", table, spec_of(f"image {BASE + 64 * KIB - 8} {BASE + 64 * KIB + 8}"), ["image"])
    runs = found("own image", table, spec_of(f"image {BASE + 4} {BASE + 4096}"), [])
    same("points skipped", runs[0].part("points")["skipped"], 1)
    table.keeps.append((BASE + 64 * KIB - 8, 8))
    same("points kept out", machine.run(table, spec_of())[0].part("points")["skipped"], 1)

    table = plain()
    table.point(ACCESS, BASE + 16, BUS + 16)
    table.point(ACCESS, BASE + MIB + 16, BUS + 16, 1)
    table.region(BASE + MIB, BUS, 4096)
    found("alias", table, spec_of(f"map {BASE + MIB} {BUS} 4096 7 1"), ["write"])

    table = plain()
    table.point(NO_WRITE, BASE, BUS)
    table.point(NO_EXECUTE, BASE + 8, BUS + 8)
    found("no right", table, f"map {BASE} {BUS} 4096 1 1", [])
    found("rights", table, spec_of(), ["read-only", "execute"])
    found("no reading", table, "", ["fault"])

    table = plain()
    table.point(PEER, BASE + 24, BUS + 24, 0, 1, 7)
    found("peer", table, spec_of(f"poke {BUS + 24} {pattern(BUS + 24, 1, 7):#x}"), [], [])
    found("peer", table, spec_of(f"poke {BUS + 24} {pattern(BUS + 24, 1, 6):#x}"), [], ["peer"])

    table = plain()
    table.region(BASE + 32 * KIB, BUS, 4096)
    found("overlap", table, spec_of(), ["overlap"])
    table.regions[1] = (b'a"\\\n\xff', BASE + MIB + 4096, BUS, 0, 8192, ON_BUS, 1)
    run = found("empty and misaligned", table, spec_of(), ["region"])[0]
    same("an escaped name", run.of("finding")[0]["region"], 'a"\\\n\u00ff')

    table = plain()
    table.heaps.append((0, LINEAR, 64 * KIB * 4, 0, 0))
    table.regions[0] = (b"R", BASE + 64 * KIB, BUS, 64 * KIB, 4096, ON_BUS, 1)
    table.step(ALLOC, 0, 0, 8)
    run = found("arena", table, "", ["arena"])[0]
    same("code of the arena", run.of("finding")[0]["actual"], "0x4")
    same("a run is refused", (run.part("replay")["done"], run.part("replay")["skipped"]), (0, 1))

    table = plain()
    table.heaps.append((0, LINEAR, 1024, 0, 0))
    table.step(ALLOC, 0, 0, 40 * KIB)
    table.step(ALLOC, 0, 1, 40 * KIB)
    run = found("heap", table, spec_of(), ["heap"])[0]
    same("what is free", run.of("finding")[0]["expected"], hex(24 * KIB))
    found("block", Table(regions=table.regions, heaps=table.heaps, steps=table.steps[:1]),
          spec_of(f"poke {BUS + 40 * KIB - 8} 1"), [], ["block"])
    found("block that cannot be written", table, f"map {BASE} {BUS} {64 * KIB} 1 1", ["fault", "heap"])
    same("a fault", machine.run(table, spec_of(), "f")[0].status, 3)


def check_replay(machine: Machine) -> None:
    """Small and odd blocks, points below blocks, and one model's deletion that hands another's memory out."""
    draw = random.Random(5)
    table = plain()
    table.heaps.append((0, LINEAR, 1, 0, 0))
    at = 0
    for slot in range(200):
        size = draw.randint(1, 40)
        table.step(ALLOC, 0, slot, size)
        at += size
    for place in range(0, 64 * KIB, 512):
        table.point(ACCESS, BASE + place, BUS + place)
    runs = machine.run(table, spec_of(), "12")
    same("findings of small blocks", [run.checks() for run in runs], [[], []])
    same("live blocks looked at", runs[1].part("blocks")["done"], 200)
    check(0 < runs[1].part("kept")["skipped"] <= at // 512 + 1, "points below blocks are not told from others")

    for second, harmed in ((1, False), (30 * KIB, True), (4 * KIB, True)):
        table = plain()
        table.heaps.append((0, LINEAR, 1024, 0, 0))
        table.step(ALLOC, 0, 0, 4000)   # one model
        table.step(ALLOC, 0, 1, 8000)   # another
        table.step(FREE, 0, 0)          # the first is deleted: the heap begins anew
        table.step(ALLOC, 0, 2, second)
        if second == 4 * KIB:
            table.step(ALLOC, 0, 3, 100)  # within the other's block
        runs = machine.run(table, spec_of(), "12")
        same(f"deleted, then {second} B", [run.checks() for run in runs], [["block"]] * 2 if harmed else [[]] * 2)
        same("where the heap begins anew", runs[0].of("block")[2]["address"], hex(BASE))

    table = plain()
    table.heaps.append((0, LINEAR, 1024, 0, 0))
    table.step(ALLOC, 0, 0, 4000)
    table.step(RESET, 0, 0)
    table.step(ALLOC, 0, 0, 4000)
    same("scratch of the next model", [run.checks() for run in machine.run(table, spec_of(), "12")], [[], []])


def check_tables(machine: Machine) -> None:
    """Every field, set to what it cannot be, makes a table that is refused; any other table harms nothing."""
    table = plain()
    table.keeps.append((BASE + 4096, 4096))
    table.point(PEER, BASE, BUS, 0, 1)
    table.heaps.append((0, RTOS, 128, 64, 64))
    table.step(ALLOC, 0, 0, 100, 128)
    table.step(FREE, 0, 0)
    good = table.bytes()
    # Where each row begins: region, keep, point, heap, first and second step.
    region, keep, point, heap, step = 128, 232, 248, 280, 312
    second, size = step + 40, len(good)
    same("bytes of the table", size, second + 40)
    fields = {0: "Q", 8: "Q", 80: "I", **{at: "I" for at in range(88, 128, 4)},
              region + 88: "Q", region + 96: "I", region + 100: "I", region + 64: "Q", region + 72: "Q",
              point: "Q", point + 16: "I", point + 20: "I", point + 24: "I",
              heap: "I", heap + 4: "I", heap + 8: "Q", heap + 16: "Q", heap + 24: "Q",
              step: "I", step + 4: "I", step + 8: "I", step + 20: "I", step + 32: "Q", second: "I", second + 4: "I",
              second + 8: "I", keep: "Q"}
    bad = [good[:at] + b"\xff" * struct.calcsize(form) + good[at + struct.calcsize(form):] for at, form in fields.items()]
    bad += [good[:at] + struct.pack("<" + form, value) + good[at + struct.calcsize(form):]
            for at, form, value in ((84, "I", 0), (80, "I", 2), (region + 100, "I", 0), (region + 100, "I", 8),
                                    (region + 88, "Q", 0), (region + 88, "Q", 12), (point, "Q", BASE + 4),
                                    (point, "Q", BASE + 64 * KIB), (point, "Q", BASE - 8), (heap + 8, "Q", 0),
                                    (step + 24, "Q", 0), (step + 32, "Q", 3), (second + 8, "I", 1), (second, "I", 0),
                                    (step, "I", FREE), (92, "I", 120), (92, "I", 132), (100, "I", 128), (8, "Q", 127),
                                    (8, "Q", size - 1))]
    bad += [good[:16] + b"x" * 64 + good[80:], good[:region] + b"x" * 64 + good[region + 64:]]
    draw = random.Random(9)
    fuzzed = []
    for _ in range(3000):
        one = bytearray(good)
        for _ in range(draw.randint(1, 3)):
            one[draw.randrange(8, size)] = draw.choice((0, 1, 2, 3, 127, 128, 255, draw.randrange(256)))
        fuzzed.append(bytes(one))
    stream = b"".join(struct.pack("<I", len(one)) + one for one in [good, *bad, *fuzzed])
    answers = machine.ask(machine.machine, "tables", text=stream).split()
    same("answers", len(answers), 1 + len(bad) + len(fuzzed))
    same("a good table", answers[0], "1")
    for number, answer in enumerate(answers[1:1 + len(bad)]):
        same(f"broken table {number}", answer, "0")
    check("1" in answers[1 + len(bad):] and "0" in answers[1 + len(bad):], "fuzzed tables are all of one kind")


def check_freestanding(work: Path) -> int:
    """Compiled for the cores, the runtime asks for nothing but the machine."""
    linker, nm = tool("ld.lld"), tool("llvm-nm", "llvm-nm-14")
    clang = tool("clang")
    judges = [[clang, "--target=aarch64-none-elf"], [clang, "--target=armv7r-none-eabi"]]
    for name, flags in (("aarch64-linux-gnu-gcc", ["-mgeneral-regs-only", "-fno-pic"]),
                        ("arm-none-eabi-gcc", ["-mcpu=cortex-r5", "-mfloat-abi=soft"])):
        if shutil.which(name):
            judges.append([name, *flags])
    for number, (compiler, level) in enumerate(itertools.product(judges, ("-O0", "-Os", "-O2"))):
        objects = []
        for part in (*PURE, "memory"):
            out = work / f"{part}-{number}.o"
            done = subprocess.run([*compiler, *WARNINGS, level, "-ffreestanding", "-c", "-o", out, TARGET / f"{part}.c"],
                                  capture_output=True, text=True, timeout=60)
            check(done.returncode == 0, f"{compiler}: {part}: {done.stderr[-2000:]}")
            objects.append(out)
        whole = work / "whole.o"
        subprocess.run([linker, "-r", "-o", whole, *objects], check=True, timeout=60)
        names = subprocess.run([nm, "-u", "-j", whole], capture_output=True, text=True, check=True).stdout.split()
        check(names, "nm says nothing")
        foreign = [name for name in names if not name.startswith("hal_")]
        same(f"{compiler[:2]} {level}: what is missing", foreign, [])
    return len(judges)


# --- a core as a process ----------------------------------------------------------------------------------------------


class Host:
    def __init__(self, work: Path, program: Path) -> None:
        self.work, self.program = work, program

    def try_run(self, space: str, table: bytes, phase: object, fds: Iterable[int]) -> subprocess.CompletedProcess[str]:
        (self.work / "space").write_text(space)
        (self.work / "map").write_bytes(table)
        return subprocess.run([self.program, "space", "map", str(phase)], cwd=self.work, pass_fds=tuple(fds),
                              capture_output=True, text=True, timeout=60)

    def run(self, space: str, table: Table, phase: int, *fds: int) -> Run:
        done = self.try_run(space, table.bytes(), phase, fds)
        check(done.returncode in (0, 1) and not done.stderr, f"memsize-host: {done.returncode}: {done.stderr}")
        return run_of(done.stdout.splitlines(), done.returncode, "memsize-host")


def memory(size: int) -> int:
    fd = os.memfd_create("memory", 0)
    os.ftruncate(fd, size)
    return fd


def word_at(fd: int, offset: int) -> int:
    return struct.unpack("<Q", os.pread(fd, 8, offset))[0]


PAGE_BIT, USED, READ_ONLY, NO_EXEC = 3, 1 << 10, 1 << 7, 3 << 53


def armv8_tables(place: int, leaves: list[tuple[int, int, int, int]]) -> bytes:
    """Tables of 4 KiB granule and 4 levels; a leaf is (virtual, physical, level, other bits)."""
    tables: list[list[int]] = [[0] * 512]
    for virtual, physical, level, bits in leaves:
        table = 0
        for depth in range(level):
            index = virtual >> 39 - 9 * depth & 511
            if not tables[table][index]:
                tables.append([0] * 512)
                tables[table][index] = place + 4096 * (len(tables) - 1) | PAGE_BIT
            table = (tables[table][index] - place) // 4096
        tables[table][virtual >> 39 - 9 * level & 511] = physical | bits | (PAGE_BIT if level == 3 else 1)
    return b"".join(struct.pack("<512Q", *table) for table in tables)


def check_armv8(host: Host) -> None:
    fd = memory(GIB)
    place = BUS + 512 * MIB
    index = {"device": 0 << 2, "non-cached": 4 << 2, "write-back": 7 << 2}
    tables = armv8_tables(place, [
        (BASE, BUS, 2, USED | index["non-cached"] | NO_EXEC),
        (BASE + 2 * MIB, BUS + 2 * MIB, 3, USED | index["write-back"] | READ_ONLY | NO_EXEC),
        (BASE + 2 * MIB + 4096, BUS + 2 * MIB + 4096, 3, index["write-back"]),  # no access flag: not mapped
        (BASE + 4 * MIB, BUS, 2, USED | index["write-back"]),
        (0x180000000, 0x40000000, 2, USED | index["device"]),  # registers
        (0x7000000000, BUS + 256 * MIB, 2, USED | index["write-back"] | NO_EXEC)])
    os.pwrite(fd, tables, place - BUS)
    space = (f"# a core\nmemory {BUS:#x} {GIB:#x} {fd}\narmv8 {place:#x} {len(tables):#x}\n"
             "mair 0xff00004400000000\n")
    table = Table(core=1)
    first = table.region(BASE, BUS, 2 * MIB, NON_CACHED, align=2 * MIB)
    table.region(BASE + 2 * MIB, BUS + 2 * MIB, 4096, WRITE_BACK)
    far = table.region(0x7000000000, BUS + 256 * MIB, 2 * MIB, WRITE_BACK)
    table.region(0x180000000, 0x40000000, 4096, NON_CACHED)
    for row, offset in ((first, 0), (first, 2 * MIB - 8), (far, 4096)):
        base, physical = table.regions[row][1:3]
        table.point(ACCESS, base + offset, physical + offset, row)
    table.point(LOOK, BASE + 2 * MIB, BUS + 2 * MIB, 1)
    table.point(NO_WRITE, BASE + 2 * MIB + 8, BUS + 2 * MIB + 8, 1)
    table.point(NO_EXECUTE, BASE + 8, BUS + 8)
    table.point(LOOK, 0x180000008, 0x40000008, 3)
    for edge in (BASE - 8, BASE + 2 * MIB + 4096, BASE + 6 * MIB, 0x7000000000 - 8, 0x7000000000 + 2 * MIB,
                 1 << 47, WORDS - 7):
        table.point(FAULT, edge)
    table.heaps.append((far, RTOS, 128, 64, 64))
    for slot in range(3):
        table.step(ALLOC, 0, slot, 1000 + slot)
    runs = [host.run(space, table, phase, fd) for phase in (1, 2)]
    same("findings", [run.checks() for run in runs], [[], []])
    same("points", (runs[0].part("points")["done"], runs[0].part("points")["skipped"]), (14, 0))
    same("kept", runs[1].part("kept")["done"], 3)
    for row, offset in ((first, 0), (first, 2 * MIB - 8), (far, 4096)):
        physical = table.regions[row][2] + offset
        same(f"memory at {physical:#x}", word_at(fd, physical - BUS), pattern(physical, 1, row))
    os.pwrite(fd, b"changed.", 256 * MIB + 4096)
    same("findings after a change", host.run(space, table, 2, fd).checks(), ["kept"])

    # Whatever is not as the table says is found.
    wrong = Table()
    wrong.region(BASE, BUS, 2 * MIB, WRITE_BACK)
    wrong.region(BASE + 2 * MIB, BUS + MIB, 2 * MIB, WRITE_BACK)
    wrong.region(BASE + 4 * MIB, BUS, 2 * MIB, WRITE_BACK)
    wrong.point(LOOK, BASE, BUS)
    wrong.point(LOOK, BASE + 2 * MIB, BUS + MIB, 1)
    wrong.point(LOOK, BASE + 2 * MIB + 4096, BUS + MIB + 4096, 1)
    wrong.point(NO_WRITE, BASE, BUS)
    wrong.point(NO_EXECUTE, BASE + 4 * MIB, BUS, 2)
    wrong.point(FAULT, BASE + 4 * MIB)
    wrong.point(ACCESS, BASE + 16, BUS + 16)
    wrong.point(ACCESS, BASE + 4 * MIB + 16, BUS + 16, 2)
    wrong.point(ACCESS, BASE + 2 * MIB, BUS + 2 * MIB, 1)
    same("findings of a wrong table", host.run(space, wrong, 1, fd).checks(),
         ["attribute", "translate", "unmapped", "read-only", "execute", "guard", "attribute", "fault", "write"])
    os.close(fd)


def check_mpu(host: Host) -> None:
    """The higher number wins, disabled eighths are not there, a misaligned region is none, and a RAT lies behind."""
    bus, tcm = memory(16 * MIB), memory(64 * KIB)

    def registers(number: int, base: int, size: int, access: int, off: int = 0) -> str:
        return f"mpu {number} {base:#x} {off << 8 | (size.bit_length() - 2) << 1 | 1:#x} {access:#x}\n"

    read_write, read_only, never = 3 << 8, 6 << 8, 1 << 12
    cached, device = 1 << 3 | 3, 1
    space = (f"memory 0x80000000 {8 * MIB:#x} {bus}\nlocal 0x41010000 {64 * KIB:#x} {tcm}\n"
             f"rat 0x80400000 0x80600000 {MIB:#x}\n"
             + registers(0, 0x80000000, 8 * MIB, read_write | cached, off=0b10000000)
             + registers(1, 0x80100000, MIB, read_only | never | cached)
             + registers(2, 0x41000000, 128 * KIB, read_write | never | device)
             + registers(3, 0x80200040, 64, read_only | cached))
    table = Table()
    table.region(0x80000000, 0x80000000, MIB, WRITE_BACK)
    table.region(0x80100000, 0x80100000, MIB, WRITE_BACK)
    table.region(0x80200000, 0x80200000, MIB, WRITE_BACK)
    table.region(0x80400000, 0x80600000, MIB, WRITE_BACK)
    table.region(0x41010000, 0, 64 * KIB, NON_CACHED, flags=0)
    table.point(ACCESS, 0x80000000, 0x80000000)
    table.point(ACCESS, 0x800FFFF8, 0x800FFFF8)
    table.point(NO_WRITE, 0x80100000, 0x80100000, 1)
    table.point(NO_EXECUTE, 0x801FFFF8, 0x801FFFF8, 1)
    table.point(ACCESS, 0x80200038, 0x80200038, 2)  # a page that two regions share
    table.point(NO_WRITE, 0x80200040, 0x80200040, 2)
    table.point(ACCESS, 0x80400008, 0x80600008, 3)
    table.point(ACCESS, 0x41010008, 0, 4)
    table.point(FAULT, 0x80700000)
    table.point(FAULT, 0x80800000)
    table.point(FAULT, 0x7FFFFFF8)
    run = host.run(space, table, 1, bus, tcm)
    same("findings", run.checks(), [])
    same("points that cannot be tried", run.part("points")["skipped"], 1)
    same("memory behind the RAT", word_at(bus, 0x600008), pattern(0x80600008, 0, 3))
    same("local memory", word_at(tcm, 8), pattern(0x41010008, 0, 4))
    wrong = space + registers(4, 0x80001000, 64 * KIB, 0)
    run = host.run(wrong, table, 1, bus, tcm)
    same("a misaligned region", [(one["check"], one["address"], one["actual"]) for one in run.of("finding")],
         [("mpu", "0x80001000", "0x4")])
    run = host.run(space + registers(4, 0x80000000, 16, 0), table, 1, bus, tcm)
    same("a region too small", run.checks(), ["mpu"])
    run = host.run(space + registers(4, 0x80000000, 64 * KIB, 0), table, 1, bus, tcm)
    same("no access", run.checks(), ["unmapped"])
    os.close(bus)
    os.close(tcm)


def check_two_cores(host: Host) -> None:
    """Two processes, one memory: each finds what the other wrote, at its own address of it."""
    fd = memory(8 * MIB)
    spaces = [f"memory {BUS:#x} {8 * MIB:#x} {fd}\nwindow {base:#x} {BUS:#x} {8 * MIB:#x}\n"
              for base in (BASE, 0x90000000)]
    tables = []
    for core, base in enumerate((BASE, 0x90000000)):
        table = Table(core=core)
        table.region(base, BUS, 8 * MIB)
        table.point(ACCESS, base + 64 * core, BUS + 64 * core)
        table.point(PEER, base + 64 * (1 - core), BUS + 64 * (1 - core), 0, 1 - core, 0)
        tables.append(table)
    for phase in (1, 2):
        for space, table in zip(spaces, tables):
            same(f"phase {phase}", host.run(space, table, phase, fd).checks(), [])
    os.pwrite(fd, bytes(8), 64)
    same("peer", host.run(spaces[0], tables[0], 2, fd).checks(), ["peer"])
    same("kept", host.run(spaces[1], tables[1], 2, fd).checks(), ["kept"])
    low = Table()
    low.region(0, BUS, 4096)
    low.point(ACCESS, 8, BUS + 8)
    run = host.run(f"memory {BUS:#x} {8 * MIB:#x} {fd}\nwindow 0 {BUS:#x} 4096\n", low, 1, fd)
    same("low addresses", (run.checks(), run.part("points")["skipped"]), ([], 1))
    os.close(fd)


def check_broken(host: Host) -> None:
    fd = memory(MIB)
    good = plain().bytes()
    lines = {"memory 0x1000 0x1000": "takes 3 numbers", "memory 0x1000 0x1000 999": "not open", "what 1": "unknown word",
             f"memory 0x1000 {2 * MIB} {fd}": "has 1048576 bytes", f"memory x 0x1000 {fd}": "no number",
             f"memory 0x 0x1000 {fd}": "no number", f"memory -1 0x1000 {fd}": "no number",
             "window 0 0 0": "is 0 or too large", "window 0x1000 0 0xffffffffffffffff": "is 0 or too large",
             "mpu 99 0 0 0": "no MPU", "mpu 0 0x100000000 0 0": "32 bits", "armv8 0x1001 0x1000": "no table",
             "armv8 0 0": "no table", "window 0x10000000000000000 0 1": "no number", "rat 1 2 3 4 5 6 7": "too many",
             "mpu 0 0 0 0\narmv8 0 4096": "an MMU or an MPU", "window 0 0 16\nwindow 8 0 16": "lies over"}
    for text, message in lines.items():
        done = host.try_run("\n" + text + "\n", good, 1, [fd])
        same(f"{text!r}: status", done.returncode, 2)
        number = 1 + len(text.splitlines())
        check(f"space:{number}: " in done.stderr and message in done.stderr, f"{text!r}: says {done.stderr!r}")
    tables = {b"": "0 bytes", good[:100]: "100 bytes", good + bytes(8): "the file has", good[:-8]: "the file has"}
    for table, message in tables.items():
        done = host.try_run("", table, 1, [])
        same("status", done.returncode, 2)
        check(message in done.stderr, f"a broken table: says {done.stderr!r}")
    done = host.try_run("", bytes(len(good)), 1, [])
    same("no table", (done.returncode, '"table"' in done.stdout), (1, True))
    # Tables that lead into themselves.
    os.pwrite(fd, struct.pack("<512Q", *[0x80000003] * 512), 0)
    done = host.try_run(f"memory 0x80000000 0x1000 {fd}\narmv8 0x80000000 0x1000\n", good, 1, [fd])
    same("a loop of tables", (done.returncode, "more tables" in done.stderr), (2, True))
    for words in ((), ("space", "map", "3"), ("none", "map", "1")):
        done = subprocess.run([host.program, *words], cwd=host.work, capture_output=True, text=True, timeout=10)
        same(f"arguments {words}", (done.returncode, bool(done.stderr)), (2, True))
    os.close(fd)


def body(context: Context) -> str:
    compilers = [tool(name) for name in ("gcc", "clang")]
    for seed, compiler in enumerate(compilers):
        machine = Machine(context.work, compiler)
        check_log(machine)
        check_random(machine, seed + 1, 20000)
        check_arenas(machine)
        check_findings(machine)
        check_replay(machine)
        check_tables(machine)
    judges = check_freestanding(context.work)
    host = Host(context.work, context.options.host.resolve())
    check(os.access(host.program, os.X_OK), f"{host.program} is not a program")
    for part in (check_armv8, check_mpu, check_two_cores, check_broken):
        part(host)
    return f"16 addresses of a chip, 40000 heap steps, every finding, {judges} cross compilers, and cores as processes"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", required=True, type=Path)


if __name__ == "__main__":
    main(__doc__ or "", body, arguments)
