"""validate: every SoC's maps hold on the host and on QEMU, and a map with a mistake in it does not.

The default map of each board and the one that a trace suggests are run on both, within a minute on two cores; the
application note's log comes to the very addresses that it printed. Maps in folders, with one mistake each, must be
found, by the right finding of the right core and region (validate_mutations.py). Maps of random legal sizes must not.
"""

import random
import re
import resource
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "property"))

from expected import load_board  # noqa: E402
from property_sizes import draw_knobs, spelled  # noqa: E402
from support import MIB, TRACE, Context, check, main, parse_json, read, read_json, same, tool  # noqa: E402
from validate_mutations import (APPNOTE, HEAP_KNOBS, KIB, LOW_HEAPS, MUTATIONS, SOURCES, Folder,  # noqa: E402
                                Mutation, Outcome, Unseen)

HOST, QEMU = "host", "qemu"
WHERE = (HOST, QEMU)
SOCS = ("am62a", "j721e", "j721s2", "j722s", "j742s2", "j784s4")
# The board that the application note's log is of.
BOARD_OF_TRACE = {"j722s": APPNOTE}
OTHERS = ("j722s-safertos", "j721e-safertos", "j721s2-safertos", "j784s4-safertos", "tda54")
TOOLS = ("clang", "ld.lld", "aarch64-linux-gnu-gcc", "arm-none-eabi-gcc", "qemu-system-aarch64", "qemu-system-arm")
AT_ONCE = 2
LOW = (1 << 32) - 1
# This SoC has half of the on-chip memory that the log's model was compiled for.
HALF = {"am62a": ("2048.00", "1024.00")}
ROW = r"\[(\w+)\][^\n]*?s: (\d+)\t, ([\w /-]+?)\t, (\w+)\t, (\d+), ([\d.]+)\t, (0x[0-9a-f]+)"
SEED, VECTORS = 20261122, 10
RANDOM_BOARDS = ("j722s", APPNOTE)

Item = TypeVar("Item")
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Job:
    board: str
    on: str
    trace: Path | None = None
    toolchain: str = "clang"

    @property
    def arguments(self) -> list[object]:
        traced = ["--trace", self.trace, "--accept-generation"] if self.trace else []
        return ["--board", self.board, *traced, "--on", self.on, "--toolchain", self.toolchain]

    @property
    def name(self) -> str:
        return f"{self.board}, {'suggested' if self.trace else 'default'} map, on {self.on} ({self.toolchain})"


@dataclass(frozen=True)
class Row:
    """A line of the log: a record, where it is, and the low half of its address."""
    record: int
    space: str
    kib: float
    address: int


def at_once(work: Callable[[Item], Answer], items: Iterable[Item]) -> list[Answer]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(work, items))


def validate(context: Context, *arguments: object, expect: tuple[int, ...] = (0,)) -> tuple[int, Any]:
    done = context.run("validate", *arguments, "--json", expect=expect)
    return done.returncode, parse_json(done.stdout, "validate --json")


def seconds_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


# --- every SoC --------------------------------------------------------------------------------------


def rows_of(log: Path) -> list[Row]:
    rows = [Row(int(match[2]), match[3], float(match[6]), int(match[7], 16)) for match in re.finditer(ROW, read(log))]
    same(f"records of {log.name}", [row.record for row in rows], list(range(16)))
    return rows


def c7x_cores(context: Context, board: str) -> list[str]:
    out = context.emit(board, context.work / f"cores-{board}")
    return list(read_json(out / "memory_map.json")["mmu_cores"])


def trace_for(context: Context, soc: str) -> tuple[str, str, Path]:
    """The board, a C7x of it, and the application note's log as if that core had written it."""
    board = BOARD_OF_TRACE.get(soc, soc)
    if board == APPNOTE:
        return board, "c7x_2", TRACE
    core = c7x_cores(context, board)[-1]
    text = read(TRACE).replace("[C7x_2]", f"[{core.replace('c7x', 'C7x')}]")
    if soc in HALF:
        check(HALF[soc][0] in text, f"the log has no {HALF[soc][0]}")
        text = text.replace(*HALF[soc])
    log = context.work / f"{soc}.log"
    log.write_text(text)
    return board, core, log


def check_figures(job: Job, document: Any) -> None:
    """It says that it did something, of every core that ran."""
    same(f"{job.name}: passed", document["passed"], True)
    same(f"{job.name}: errors", [item for item in document["diagnostics"] if item["severity"] == "error"], [])
    same(f"{job.name}: on", document["on"], job.on)
    check(document["words_seen_from_outside"] > 0, f"{job.name}: no word is looked at from outside")
    check(document["proven"] and document["not_proven"], f"{job.name}: it does not say what is proven, and what is not")
    ran = [core for core in document["cores"] if core["ran"]]
    untried = {item["core"] for item in document["not_tried"] if "region" not in item}
    for core in document["cores"]:
        check(core["ran"] or core["core"] in untried, f"{job.name}: {core['core']} did not run, and nothing says why")
    check(any(core["unit"] == "mmu" for core in ran), f"{job.name}: no core with an MMU ran")
    check(any(core["unit"] == "mpu" for core in ran), f"{job.name}: no core with an MPU ran")
    for core in ran:
        check(core["places"] > 0 and core["shared"] > 0, f"{job.name}: {core['core']} looked at nothing")
        check(core["places"] > core["skipped"], f"{job.name}: {core['core']} skipped everything")
        check(core["unit"] != "mmu" or core["must_fault"] > 0, f"{job.name}: no address must fault on {core['core']}")


def check_blocks(job: Job, document: Any, traced: str) -> None:
    """The traced core places the log's records; the others have a block as large as each heap."""
    for core in document["cores"]:
        if core["core"] == traced:
            sizes = {block["record"]: block["size_bytes"] for block in core["blocks"] if "record" in block}
            check(len(sizes) >= 8, f"{job.name}: only records {sorted(sizes)} are replayed")
            for row in rows_of(job.trace or TRACE):
                check(row.record not in sizes or abs(sizes[row.record] - row.kib * KIB) <= 6,
                      f"{job.name}: record {row.record} has {sizes.get(row.record)} B")
        else:
            check(all("record" not in block for block in core["blocks"]), f"{job.name}: {core['core']} was not traced")


def check_addresses(job: Job, document: Any) -> None:
    """All that the application note's log printed, to the byte: the low halves of virtual addresses."""
    blocks = next(core["blocks"] for core in document["cores"] if core["core"] == "c7x_2")
    placed = {block["record"]: int(block["address"], 16) & LOW for block in blocks if "record" in block}
    same(f"{job.name}: addresses", placed, {row.record: row.address for row in rows_of(TRACE)})


def check_socs(context: Context) -> str:
    jobs: list[tuple[Job, str | None]] = []
    for soc in SOCS:
        board, core, log = trace_for(context, soc)
        jobs += [(Job(soc, on), None) for on in WHERE] + [(Job(board, on, log), core) for on in WHERE]
    # The longest first: two at a time then end together.
    jobs.sort(key=lambda item: (item[0].on == HOST, -SOCS.index(item[0].board) if item[0].board in SOCS else 0))
    began, used = time.monotonic(), seconds_of_children()

    def run(item: tuple[Job, str | None]) -> tuple[Job, float]:
        job, traced = item
        start = time.monotonic()
        _, document = validate(context, *job.arguments)
        check_figures(job, document)
        if traced:
            check_blocks(job, document, traced)
        if job.board == APPNOTE:
            check_addresses(job, document)
        return job, time.monotonic() - start

    times = at_once(run, jobs)
    wall, busy = time.monotonic() - began, seconds_of_children() - used
    for job, seconds in times:
        print(f"{seconds:6.2f} s  {job.name}")
    print(f"{wall:6.2f} s  all of them, {AT_ONCE} at a time; {busy:.2f} s of processors' time", flush=True)
    return f"{len(jobs)} runs of {len(SOCS)} SoCs in {wall:.0f} s"


def check_others(context: Context) -> str:
    """Boards of another RTOS, one of which little is known, and the other compiler."""
    jobs = [Job(board, on) for board in OTHERS for on in WHERE if (board, on) != ("tda54", QEMU)]
    # Nothing stands for its cores: that is no success.
    _, document = validate(context, "--board", "tda54", "--on", QEMU, expect=(4,))
    check("no core of 'tda54' can be run" in document["diagnostics"][-1]["message"], "tda54 on QEMU says why")
    jobs += [Job(APPNOTE, QEMU, TRACE, "gcc"), Job(SOURCES, QEMU, None, "gcc"), Job(APPNOTE, HOST), Job(APPNOTE, QEMU)]

    def run(job: Job) -> None:
        _, document = validate(context, *job.arguments)
        if job.board == "tda54":
            same(f"{job.name}: passed", document["passed"], True)
        else:
            check_figures(job, document)
        if job.trace:
            check_addresses(job, document)

    at_once(run, jobs)
    return f"{len(jobs)} more of other boards and with the other compiler"


# --- maps with a mistake ----------------------------------------------------------------------------


def make_maps(context: Context) -> dict[str, Folder]:
    """What mutations begin with; those with a heap's name are one step too small for the trace."""
    traced = ("--trace", TRACE)
    tight = (*traced, "--tight", "--headroom", "0")

    def make(name: str, board: str, *arguments: object) -> Folder:
        return Folder(context.emit(board, context.work / f"map {name}", *arguments))

    maps = {
        "default": make("default", APPNOTE),
        "suggested": make("suggested", APPNOTE, *traced),
        "tight": make("tight", APPNOTE, *tight),
        "low": make("low", LOW_HEAPS),
        "grown": make("grown", LOW_HEAPS, "--set", "mcu2_0_ddr_local_heap_size=40MiB"),
        "sources": make("sources", SOURCES),
        "grown sources": make("grown sources", SOURCES, "--set", "ddr_intercore_eth_desc_size=4MiB"),
    }
    used = {mutation.map for mutation in MUTATIONS}
    for base, step, arguments in (("suggested", MIB, traced), ("tight", 4 * KIB, tight)):
        for heap in HEAP_KNOBS:
            if f"{base} {heap}" in used:
                size = maps[base].document["knobs"][heap] - step
                maps[f"{base} {heap}"] = make(f"{base} {heap}", APPNOTE, *arguments, "--set", f"{heap}={size}")
    return maps


def run_folder(context: Context, folder: Folder, on: str) -> tuple[int, Any]:
    board = folder.document["board"]
    traced = ["--trace", TRACE] if board == APPNOTE else []
    return validate(context, "--board", board, "--map", folder.root, *traced, "--on", on, expect=(0, 1))


def caught_by(what: str, outcome: Outcome, status: int, document: Any) -> str:
    errors = [item for item in document["diagnostics"] if item["severity"] == "error"]
    said = "\n".join(f"  {item['code']}: {item['message']}" for item in errors)
    if isinstance(outcome, Unseen):
        same(f"{what}: exit status, with\n{said}\n", status, 0)
        why = [item["why"] for item in document["not_tried"]
               if (item["core"], item.get("region")) == (outcome.core, outcome.region)]
        check(len(why) == 1 and outcome.why in why[0], f"{what}: of {outcome.region} it says {why}")
        return f"not seen: {outcome.region} of {outcome.core} is not tried"
    same(f"{what}: exit status", status, 1)
    same(f"{what}: passed", document.get("passed", False), False)
    check(any(item["code"] == outcome.code and all(word in item["message"] for word in outcome.words)
              for item in errors), f"{what}: no {outcome.code} with {outcome.words} in\n{said}")
    return outcome.code


def check_mutations(context: Context) -> tuple[str, list[tuple[str, str, str]]]:
    maps = make_maps(context)

    def hold(item: tuple[str, str]) -> None:
        status, document = run_folder(context, maps[item[0]], item[1])
        same(f"'{item[0]}' as it was written, on {item[1]}: status, with {document['diagnostics']}", status, 0)

    good = sorted({name for name in maps if not any(heap in name for heap in HEAP_KNOBS)})
    at_once(hold, [(name, on) for name in good for on in WHERE])

    def run(item: tuple[int, Mutation]) -> tuple[str, str, str]:
        index, mutation = item
        folder = maps[mutation.map].copy(context.work / f"mutation-{index}")
        mutation.edit(folder, maps)
        caught = [caught_by(f"{mutation.name}, on {on}", outcome, *run_folder(context, folder, on))
                  for on, outcome in ((HOST, mutation.host), (QEMU, mutation.qemu))]
        return mutation.name, caught[0], caught[1]

    table = at_once(run, enumerate(MUTATIONS))
    return f"{len(good)} maps in folders hold, {len(table)} with a mistake do not", table


def show(table: list[tuple[str, str, str]]) -> None:
    rows = [("mutation", "caught on host by", "on QEMU by"), *table]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        print(" | ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


# --- maps without a mistake -------------------------------------------------------------------------


def check_random(context: Context) -> str:
    """Sizes that are legal are never found wrong; those that need too many tables are refused as emit does."""
    rng = random.Random(SEED)
    vectors = []
    for index in range(VECTORS):
        board = load_board(RANDOM_BOARDS[index % len(RANDOM_BOARDS)])
        knobs = draw_knobs(rng, board)
        vectors.append([word for knob, size in knobs.items() for word in ("--set", f"{knob}={spelled(rng, size)}")])

    def run(item: tuple[int, list[str]]) -> int:
        index, words = item
        board = RANDOM_BOARDS[index % len(RANDOM_BOARDS)]
        status, document = validate(context, "--board", board, *words, expect=(0, 1))
        codes = {note["code"] for note in document["diagnostics"] if note["severity"] == "error"}
        if status == 0:
            same(f"--board {board} {' '.join(words)}: errors", codes, set())
            return 1
        refused = context.run("emit", "--board", board, *words, "--check", "--out", context.work / "none", expect=(1,))
        check(codes == {"mmu.tables"} and "mmu.tables" in refused.stderr,
              f"--board {board} {' '.join(words)}: {document['diagnostics']}")
        return 0

    held = sum(at_once(run, enumerate(vectors)))
    check(held >= 0.7 * VECTORS, f"only {held} of {VECTORS} random maps could be made")
    return f"{held} of {VECTORS} random maps hold, the others are refused"


def body(context: Context) -> str:
    for name in TOOLS:
        tool(name)
    said = [check_socs(context), check_others(context), check_random(context)]
    mutations, table = check_mutations(context)
    show(table)
    return "; ".join([*said, mutations])


if __name__ == "__main__":
    main(__doc__ or "", body)
