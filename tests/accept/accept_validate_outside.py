"""What an emulated core reported, seen from outside: QEMU's own monitor reads the guest's memory while its image ends.

A wrapper in PATH stops each core at hal_exit and asks the monitor where addresses lead and what lies there
(qemu_witness.py). Here that is compared with the map table that the image was linked with, and with its report: every
point's physical address and value, and the bytes at both ends of every block of the application note's trace, among
them those in memory above 4 GiB that only the MMU leads to. A map that leads elsewhere is shown alike by the image's
findings and by the monitor, and expectations that are wrong on purpose are found.
"""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import map_words
from map_words import Point, Table, pattern, segments_of, table_of
from support import TRACE, Context, check, main, read, read_json, same, tool

BOARD = "j722s-sdk11"
C7X, R5F = "c7x_2", "mcu1_0"
FOUR_GIB = 1 << 32
HERE = Path(__file__).resolve().parent
EMULATORS = ("qemu-system-aarch64", "qemu-system-arm")


@dataclass(frozen=True)
class Run:
    """One phase of one core."""
    table: Table
    seen: dict[str, Any]
    events: list[dict[str, Any]]
    image: list[tuple[int, int]]

    def events_of(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["event"] == kind]

    def is_image(self, address: int) -> bool:
        return any(base < address + 8 and address < base + size for base, size in self.image + self.table.keeps)

    def point(self, address: int) -> list[int | None]:
        return self.seen["points"][f"{address:#x}"]


def validate(context: Context, name: str, *arguments: object, expect: int = 0) -> dict[tuple[str, int], Run]:
    """Runs memsize with the wrapper in QEMU's place."""
    folders = {key: context.work / name / key for key in ("bin", "tmp", "seen")}
    for folder in folders.values():
        folder.mkdir(parents=True)
    for emulator in EMULATORS:
        wrapper = folders["bin"] / emulator
        wrapper.write_text(f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(HERE)!r})\n"
                           "import qemu_witness\nsys.stderr = open(sys.argv[0] + '.said', 'a')\n"
                           "sys.exit(qemu_witness.main())\n")
        wrapper.chmod(0o755)
    command = [str(context.memsize), "validate", "--board", BOARD, "--on", "qemu", "--json", *map(str, arguments)]
    environment = {**os.environ, "PATH": f"{folders['bin']}:{os.environ['PATH']}", "NO_COLOR": "1",
                   "TMPDIR": str(folders["tmp"]), "MEMSIZE_WITNESS": str(folders["seen"]),
                   "MEMSIZE_WITNESS_PATH": os.environ["PATH"]}
    done = subprocess.run(command, cwd=context.work, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=300, env=environment)
    same(f"{name}: exit status\n{done.stderr[-1500:]}", done.returncode, expect)
    same(f"{name}: files left behind", list(folders["tmp"].iterdir()), [])
    same(f"{name}: passed", json.loads(done.stdout)["passed"], expect == 0)
    runs = [run_of(folder) for folder in sorted(folders["seen"].iterdir())]
    return {(run.table.core, run.seen["phase"]): run for run in runs}


def run_of(folder: Path) -> Run:
    seen = read_json(folder / "monitor.json")
    what = folder.name
    same(f"{what}: breakpoint", seen["breakpoint"], "OK")
    check(seen["stopped"].startswith("T"), f"{what}: did not stop at its end: {seen['stopped']}")
    same(f"{what}: stopped at", seen["pc"], seen["entry"])
    image = next(folder.glob("*.elf"))
    run = Run(table_of(read(image.with_suffix(".c"))), seen,
              [json.loads(line) for line in read(folder / "output").splitlines()], segments_of(image))
    start = run.events[0]
    same(f"{what}: the report is of", (start["core"], start["phase"]), (run.table.core, seen["phase"]))
    same(f"{what}: last event", run.events[-1]["event"], "verdict")
    return run


# --- What must be -------------------------------------------------------------------------------------------


@dataclass
class Compared:
    points: int = 0
    values: int = 0
    faults: int = 0
    peers: int = 0
    blocks: int = 0
    high: int = 0

    def __add__(self, other: "Compared") -> "Compared":
        return Compared(*(a + b for a, b in zip(vars(self).values(), vars(other).values())))


def compare(run: Run, writers: dict[str, Run], wrong: list[str]) -> Compared:
    """Adds what disagrees to `wrong`. `writers`: each core's run of phase 1, whose blocks may lie over points."""
    counts = Compared()
    edges = {name: block_bytes(other, []) for name, other in writers.items()}
    words = {name: {other.table.physical(at) & ~7 for at in edges[name]} for name, other in writers.items()}
    for point in run.table.points:
        compare_point(run, point, words, counts, wrong)
    if run.seen["phase"] == 1:
        compare_blocks(run, counts, wrong)
    return counts


def compare_point(run: Run, point: Point, blocks: dict[str, set[int]], counts: Compared, wrong: list[str]) -> None:
    table = run.table
    region = table.regions[point.region]
    expected = point.physical if region.on_bus else point.virtual
    physical, by_bus, by_core = run.point(point.virtual)
    where = f"{table.core}, {region.name}, {point.virtual:#x}"
    if point.kind == map_words.FAULT:
        counts.faults += 1
        if physical is not None:
            wrong.append(f"{where}: must fault, but leads to {physical:#x}")
        return
    counts.points += 1
    counts.high += point.virtual < FOUR_GIB * 2 and point.physical >= FOUR_GIB
    if physical != expected:
        wrong.append(f"{where}: leads to {physical}, not {expected:#x}")
        return
    if by_bus != by_core:
        wrong.append(f"{where}: the core reads {by_core}, the bus {by_bus}")
    covered = any(expected in words for words in blocks.values())
    if run.is_image(point.virtual) or covered:
        return
    # A point of a core's own is a number and a row of that core; one of another's, in phase 2, of the other's.
    if point.kind == map_words.ACCESS and run.seen["phase"] == 1:
        counts.values += 1
        value = pattern(expected, table.number, point.region)
    elif point.kind == map_words.PEER and run.seen["phase"] == 2:
        counts.peers += 1
        value = pattern(expected, point.writer, point.writer_region)
    else:
        return
    if by_bus != value:
        wrong.append(f"{where}: holds {by_bus:#x}, not {value:#x}")


def block_bytes(run: Run, wrong: list[str]) -> dict[int, int]:
    """What must stand at the ends of the blocks that the image reported, by the core's addresses."""
    steps = [(row, step) for row, step in enumerate(run.table.steps) if step.kind == map_words.ALLOC]
    blocks = run.events_of("block")
    if len(steps) != len(blocks):
        wrong.append(f"{run.table.core}: {len(blocks)} blocks, not {len(steps)}")
    expected: dict[int, int] = {}
    for (row, step), block in zip(steps, blocks):
        region = run.table.regions[run.table.heaps[step.heap]]
        record = block.get("record", map_words.NO_RECORD)
        said = block["region"], block["instance"], record, block["size"]
        if said != (region.name, step.instance, step.record, step.size):
            wrong.append(f"{run.table.core}: block {said} is not {step}")
        first = int(block["address"], 0)
        if not (region.virtual <= first and first + step.size <= region.virtual + region.size):
            wrong.append(f"{run.table.core}: block at {first:#x} lies outside of {region.name}")
        word = pattern(first, run.table.number, 0x80000000 | row).to_bytes(8, "little")
        last = first + step.size - 1
        for at in [*range(first, min(first + 8, last + 1)), *range(max(first, last - 7), last + 1)]:
            expected[at] = word[at % 8]
    return expected


def compare_blocks(run: Run, counts: Compared, wrong: list[str]) -> None:
    expected = block_bytes(run, wrong)
    counts.blocks += len(run.events_of("block"))
    for word in sorted({at & ~7 for at in expected}):
        physical, value = run.seen["blocks"][f"{word:#x}"]
        if physical != run.table.physical(word):
            wrong.append(f"{run.table.core}: block at {word:#x} leads to {physical}")
        elif not run.is_image(word):
            for at in range(word, word + 8):
                if at in expected and value.to_bytes(8, "little")[at % 8] != expected[at]:
                    wrong.append(f"{run.table.core}: block at {word:#x} holds {value:#x}")
                    break


def compare_all(runs: dict[tuple[str, int], Run]) -> tuple[Compared, list[str]]:
    wrong: list[str] = []
    total = Compared()
    first = {core: run for (core, phase), run in runs.items() if phase == 1}
    for run in runs.values():
        total += compare(run, first, wrong)
    return total, wrong


# --- Lies ---------------------------------------------------------------------------------------------------


def with_table(runs: dict[tuple[str, int], Run], core: str, **parts: Any) -> dict[tuple[str, int], Run]:
    return {key: replace(run, table=replace(run.table, **parts)) if key == (core, 1) else run
            for key, run in runs.items()}


def check_lies(runs: dict[tuple[str, int], Run], core: str) -> int:
    """One wrong expectation is one thing that is found."""
    run = runs[core, 1]
    table = run.table
    row = next(row for row, point in enumerate(table.points)
               if point.kind == map_words.ACCESS and table.regions[point.region].on_bus
               and not run.is_image(point.virtual))

    def with_point(**parts: int) -> dict[tuple[str, int], Run]:
        points = list(table.points)
        points[row] = replace(points[row], **parts)
        return with_table(runs, core, points=points)

    lies = {"a physical address": with_point(physical=table.points[row].physical + 8),
            "a point that faults": with_point(kind=map_words.FAULT),
            "another writer": with_table(runs, core, number=table.number + 1)}
    if run.events_of("block"):
        events = [dict(event) for event in run.events]
        block = next(event for event in events if event["event"] == "block" and event["size"] > 64)
        block["size"] -= 8
        lies["a block's size"] = {**runs, (core, 1): replace(run, events=events)}
    for name, lie in lies.items():
        check(compare_all(lie)[1], f"{core}: {name} that is wrong is not found")
    return len(lies)


# --- A map that leads elsewhere --------------------------------------------------------------------------


def check_wrong_map(context: Context) -> int:
    """The physical address of one entry moved: the image says where that leads, and so does the monitor."""
    folder = context.emit(BOARD, context.work / "map", "--trace", TRACE)
    syscfg = folder / C7X / "mmu.syscfg"
    text = read(syscfg)
    entries = re.findall(r"(\w+\.pAddr\s*=\s*)(0x8[0-9A-Fa-f]{8})\b", text)
    check(entries, f"{syscfg.name}: no entry leads above 4 GiB")
    old = "".join(entries[0])
    syscfg.write_text(text.replace(old, f"{entries[0][0]}{int(entries[0][1], 0) + 0x200000:#x}", 1))
    run = validate(context, "wrong", "--map", folder, expect=1)[C7X, 1]
    found = [event for event in run.events_of("finding") if event["check"] == "translate"]
    check(found, "the entry that leads elsewhere is not found")
    for finding in found:
        expected, actual = int(finding["expected"], 0), int(finding["actual"], 0)
        same(f"{finding['region']}: where the core says it leads", run.point(int(finding["address"], 0))[0], actual)
        same(f"{finding['region']}: how far that is off", actual - expected, 0x200000)
    return len(found)


def body(context: Context) -> str:
    for name in (*EMULATORS, "clang", "ld.lld"):
        tool(name)
    runs = validate(context, "right", "--trace", TRACE)
    for core in (C7X, R5F):
        for phase in (1, 2):
            check((core, phase) in runs, f"{core} did not run phase {phase}")
    total, wrong = compare_all(runs)
    check(not wrong, "\n".join(wrong[:12]))
    traced = compare(runs[C7X, 1], {}, [])
    check(traced.blocks >= 16, f"{C7X}: {traced.blocks} blocks are fewer than the trace's records")
    check(traced.high, f"{C7X}: no point leads above 4 GiB")
    own = compare(runs[R5F, 1], {}, [])
    check(min(own.points, own.values) >= 20, f"{R5F}: {own.values} of {own.points} points were compared")
    check(min(total.values, total.faults, total.peers) > 0, f"something was not compared: {total}")
    lies = sum(check_lies(runs, core) for core in (C7X, R5F))
    moved = check_wrong_map(context)
    return (f"{len(runs)} runs, stopped at their end: {total.points} places lead where the map says, {total.high} of "
            f"them above 4 GiB, {total.faults} nowhere; {total.values} words, {total.peers} words of other cores and "
            f"{total.blocks} blocks hold what the images wrote; {lies} wrong expectations found, and {moved} places of "
            "a wrong map seen alike")


if __name__ == "__main__":
    main(__doc__, body)
