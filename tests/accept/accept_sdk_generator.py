"""For random legal knob values every file says what the SDK's own generator says when it is given the same values.

Runs where MEMSIZE_TI_SDK names a Processor SDK (a folder with vision_apps/platform); MEMSIZE_VECTORS changes how many
vectors of knob values each board gets.
"""

import argparse
import os
import random
import re
import shutil
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Iterator, Sequence

from compare import dtsi_of, header_of, html_of, joined, linker_of, mmu_map_of, mmu_of, nameless, painted
from facts import Board, deviations_of, load_board
from page_tables import STOCK, mapped, misled
from sdk_tree import (Generated, Refusal, Script, constants, corrected, find_vision_apps, generate, source_entries,
                      value_of)
from support import MIB, Context, MmuEntry, check, fail, files_of, main, number, parse_json, same, same_keys

PAGE = 4096
# SoC and script of each board that has one.
BOARDS: dict[str, tuple[str, str]] = {
    "am62a": ("am62a", "gen_linker_mem_map.py"),
    "j721e": ("j721e", "gen_linker_mem_map.py"),
    "j721e-safertos": ("j721e", "gen_linker_mem_map_safertos.py"),
    "j721s2": ("j721s2", "gen_linker_mem_map.py"),
    "j721s2-safertos": ("j721s2", "gen_linker_mem_map_safertos.py"),
    "j722s": ("j722s", "gen_linker_mem_map.py"),
    "j722s-safertos": ("j722s", "gen_linker_mem_map_safertos.py"),
    "j742s2": ("j742s2", "gen_linker_mem_map.py"),
    "j784s4": ("j784s4", "gen_linker_mem_map.py"),
    "j784s4-safertos": ("j784s4", "gen_linker_mem_map_safertos.py"),
}
# In what steps sizes are chosen, other than 1 MiB.
GRANULE = {"j742s2": 2 * MIB, "j784s4": 2 * MIB, "j784s4-safertos": 2 * MIB}
WORKERS = 2
ATTEMPTS = 40
NEIGHBOURS = 4
LEAST_ACCEPTED = 0.5
# Half of the vectors are of whole granules; in the others some values are odd numbers of pages.
ODD_VECTORS = 0.5
# What ends the low window: U-Boot's place after relocation, the script's own window, or Linux's pool for devices.
DDR = 0x80000000
LOW_END = {"am62a": 0xC0000000, "j721e": 0xFB000000}
BOOT = {"UBOOT_RELOC_MEM"}
# The end of the evaluation module's DRAM.
HIGH_END = {"j721e": 0x900000000, "j721s2": 0xC00000000, "j722s": 0xA00000000, "j742s2": 0xC00000000}
# A refusal for one of these is about addresses that the SDK's generator prints too.
ABOUT_SPACE = {"layout.overlap", "layout.virtual-overlap", "layout.window", "layout.bank", "layout.address"}
# The least that the firmware takes (facts of the SDK's sources): what is not here can be one page.
MINIMA = {"app_log_mem_size": 256 << 10, "app_fileio_mem_size": 3288576, "tiovx_log_rt_mem_size": 12 << 10}
VISS = {1: 8 * 113120, 3: 8 * 243964}
MINIMA_OF: dict[str, dict[str, int]] = {
    "am62a": {"ipc_vring_mem_size": 3 * MIB, "tiovx_obj_desc_mem_size": 16 * MIB - (256 << 10),
              "ddr_viss_config_heap_size": VISS[3]},
    "j721e": {"ipc_vring_mem_size": 28 * MIB, "tiovx_obj_desc_mem_size": 3 * MIB, "mcu2_0_ddr_viss_heap_size": VISS[1]},
    "j721s2": {"ipc_vring_mem_size": 28 * MIB, "tiovx_obj_desc_mem_size": 3 * MIB,
               "mcu2_0_ddr_viss_heap_size": VISS[3]},
    "j722s": {"ipc_vring_mem_size": 5 * MIB, "tiovx_obj_desc_mem_size": 2 * MIB, "mcu2_0_ddr_viss_heap_size": VISS[3]},
    "j742s2": {"ipc_vring_mem_size": 48 * MIB, "tiovx_obj_desc_mem_size": 4 * MIB,
               "mcu2_0_ddr_viss_heap_size": VISS[3], "mcu4_0_ddr_viss_heap_size": VISS[3]},
    "j784s4": {"ipc_vring_mem_size": 48 * MIB, "tiovx_obj_desc_mem_size": 4 * MIB,
               "mcu2_0_ddr_viss_heap_size": VISS[3], "mcu4_0_ddr_viss_heap_size": VISS[3]},
}


@dataclass(frozen=True)
class Knob:
    name: str
    default: int
    step: int = 0
    least: int = 0
    most: int = 0


@dataclass(frozen=True)
class Pair:
    """Two knobs whose sum must stay as it is: one gives whole steps to the other."""
    giver: Knob
    taker: Knob
    step: int


@dataclass(frozen=True)
class Freedom:
    """What the values of a board's knobs can be."""
    knobs: int = 0
    free: tuple[Knob, ...] = ()
    pairs: tuple[Pair, ...] = ()

    @property
    def movable(self) -> int:
        return len({knob.name for knob in self.free} | {knob.name for pair in self.pairs
                                                        for knob in (pair.giver, pair.taker)})


@dataclass(frozen=True)
class Job:
    context: Context
    script: Script
    seed: int
    index: int = -1
    freedom: Freedom = Freedom()

    @property
    def granule(self) -> int:
        return GRANULE.get(self.script.board, MIB)

    @property
    def folder(self) -> Path:
        return self.context.work / f"{self.script.board}-{self.index}"


@dataclass
class Outcome:
    vectors: int = 0
    files: int = 0
    values: int = 0
    mended: int = 0
    refusals: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Outcome") -> None:
        self.vectors += other.vectors
        self.files += other.files
        self.values += other.values
        self.mended += other.mended
        self.refusals += other.refusals


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=20260521)
    parser.add_argument("--count", type=int, default=int(os.environ.get("MEMSIZE_VECTORS", "200")))
    parser.add_argument("--board", action="append", choices=sorted(BOARDS), help="only this board (may be repeated)")


# --- What memsize takes ---------------------------------------------------------------------------------------


def settings(values: dict[str, int]) -> list[str]:
    return [word for name, value in values.items() for word in ("--set", f"{name}={value}")]


def refused(context: Context, board: str, values: dict[str, int], out: Path, *more: str) -> list[tuple[str, str]]:
    """Codes and messages of the errors; none where the map was written."""
    shutil.rmtree(out, ignore_errors=True)
    done = context.run("emit", "--board", board, *settings(values), "--out", out, "--json", *more, expect=(0, 1, 3))
    if done.returncode == 0:
        return []
    check(not out.exists() or not files_of(out), "a refused emit wrote files")
    document = parse_json(done.stdout, "emit --json")
    errors = [(item["code"], item["message"]) for item in document["diagnostics"] if item["severity"] == "error"]
    check(errors, f"exit {done.returncode} without an error")
    return errors


def explore(job: Job) -> Freedom:
    """How far the knobs that are constants of the script can go: alone, or two by two."""
    board = job.script.board
    shown = parse_json(job.context.run("board", "show", board, "--json").stdout, "board show --json")
    known = constants(job.script.text())
    knobs = [reach(job, Knob(name, default if isinstance(default, int) else number(default)))
             for name, default in shown["boards"][0]["knobs"].items() if name in known]
    free = [knob for knob in knobs if knob.step and taken_by_sdk(job, knob)]
    coarse = [knob for knob in knobs if knob not in free or knob.step > 4 * MIB]
    return Freedom(len(knobs), tuple(free), tuple(find_pairs(job, coarse)))


def reach(job: Job, knob: Knob) -> Knob:
    """Alone, from its default: the smallest step that is taken, and how far it goes in whole such steps."""
    steps = (PAGE, *(job.granule << shift for shift in (0, 1, 2, 4, 6, 8, 10)))
    step = next((step for step in steps if farthest(job, knob, (-step, step))), 0)
    if not step:
        return knob
    whole = max(step, job.granule)
    down = [knob.default * part // 16 // whole * whole for part in (16, 15, 14, 12, 8, 4)]
    up = [distance * job.granule // whole * whole for distance in (1024, 256, 64, 32, 16, 8, 4, 2, 1)]
    return replace(knob, step=step, least=knob.default + farthest(job, knob, [-distance for distance in down]),
                   most=knob.default + farthest(job, knob, up))


def is_taken(job: Job, values: dict[str, int]) -> bool:
    return all(value > 0 for value in values.values()) and not refused(
        job.context, job.script.board, values, job.folder, "--only", "c-header")


def farthest(job: Job, knob: Knob, distances: Sequence[int]) -> int:
    """The first distance that is taken; 0 where none is."""
    return next((distance for distance in distances
                 if distance and is_taken(job, {knob.name: knob.default + distance})), 0)


def taken_by_sdk(job: Job, knob: Knob) -> bool:
    """Some of the SDK's scripts assert where a chain ends, so that one knob alone cannot move."""
    value = knob.default + farthest(job, knob, (-knob.step, knob.step))
    try:
        return not misplaced(generate(job.script, {**base_of(job), knob.name: value}, job.folder / "sdk"))
    except Refusal:
        return False


def base_of(job: Job) -> dict[str, int]:
    """What the script must be given before its default map is this project's."""
    return {item.name: number(item.ours["value"]) for item in deviations_of(job.script.board, "knob")}


def find_pairs(job: Job, stuck: list[Knob]) -> Iterator[Pair]:
    """Knobs that cannot move alone, with the next ones in the chain that take what they give."""
    for index, giver in enumerate(stuck):
        for taker in (*stuck[max(0, index - NEIGHBOURS):index], *stuck[index + 1:index + 1 + NEIGHBOURS]):
            for step in (PAGE, job.granule, 2 * job.granule, 4 * MIB, 16 * MIB):
                if is_taken(job, {giver.name: giver.default - step, taker.name: taker.default + step}):
                    yield Pair(giver, taker, step)
                    break


def draw(rng: random.Random, job: Job) -> dict[str, int]:
    """Some knobs, each somewhere in its reach; more goes down than up, so that most windows are kept."""
    free = job.freedom.free
    chosen = rng.sample(free, rng.randint(0 if job.freedom.pairs else 1, min(len(free), rng.choice((2, 6, len(free))))))
    odd = set(rng.sample(chosen, min(2, len(chosen)))) if rng.random() < ODD_VECTORS else set()
    growing = rng.choice((1, 4, len(chosen) + 1))
    values = {}
    for knob in chosen:
        step = knob.step if knob in odd else max(knob.step, job.granule)
        down, up = (knob.default - knob.least) // step, (knob.most - knob.default) // step
        values[knob.name] = knob.default + step * rng.randint(-down, up // growing)
    return values | exchange(rng, [pair for pair in job.freedom.pairs
                                   if not {pair.giver.name, pair.taker.name} & set(values)])


def exchange(rng: random.Random, pairs: Sequence[Pair]) -> dict[str, int]:
    """Up to four pairs, no knob twice."""
    values: dict[str, int] = {}
    for pair in rng.sample(pairs, min(len(pairs), rng.randint(0, 4))):
        if not {pair.giver.name, pair.taker.name} & set(values):
            amount = pair.step * rng.randint(1, rng.choice((1, max(1, pair.giver.default // 2 // pair.step))))
            values |= {pair.giver.name: pair.giver.default - amount, pair.taker.name: pair.taker.default + amount}
    return values


# --- One vector -----------------------------------------------------------------------------------------------


def compare_vector(job: Job) -> Outcome:
    """Draws until memsize takes the values; then both write their files."""
    outcome = Outcome()
    board = load_board(job.script.board)
    base = base_of(job)
    for attempt in range(ATTEMPTS):
        rng = random.Random(f"{job.seed} {board.name} {job.index} {attempt}")
        values = {} if job.index == 0 else draw(rng, job)
        out = job.folder / "out"
        try:
            errors = refused(job.context, board.name, values, out)
            if errors:
                check(job.index > 0, f"the default map is refused: {errors}")
                outcome.refusals.update([" ".join(sorted({code for code, _ in errors}))])
                check_refusal(job, board, {**base, **values}, errors)
                continue
            try:
                generated = generate(job.script, {**base, **values}, job.folder / "sdk")
            except Refusal:
                outcome.refusals.update(["the SDK's own assertion"])
                continue
            if misplaced(generated):
                outcome.refusals.update(["the SDK misplaces the shared memory"])
                continue
            compare_files(board, corrected(generated, board.name), out, outcome)
            outcome.values += compare_mmu(job, board, generated, out)
        except Exception as error:
            error.args = (f"{board.name}, vector {job.index}.{attempt} ({' '.join(settings(values))}): {error}",)
            raise
        shutil.rmtree(job.folder)
        outcome.vectors = 1
        return outcome
    fail(f"{board.name}, vector {job.index}: {ATTEMPTS} sets of values were refused: {dict(outcome.refusals)}")


def compare_files(board: Board, generated: Generated, out: Path, outcome: Outcome) -> None:
    outcome.values += compare_linker(board, generated, out)
    header = header_of(out)
    same_keys("app_mem_map.h", header, generated.macros)
    for name, value in generated.macros.items():
        same(f"app_mem_map.h: {name}", header[name], value)
    nodes = dtsi_of(out)
    same_keys("dtsi", nodes, generated.nodes)
    for label, node in generated.nodes.items():
        same(f"dtsi: {label}", nodes[label], node)
    outcome.values += len(header) + len(nodes) + compare_html(board, generated, out)
    outcome.files += generated.files
    outcome.mended += generated.mended


def compare_linker(board: Board, generated: Generated, out: Path) -> int:
    same_keys("linker maps", board.cores, generated.linker)
    for core, lines in generated.linker.items():
        actual = linker_of(board, out, core)
        same_keys(f"{core} linker map", actual, lines)
        for name, region in lines.items():
            same(f"{core} linker map: {name}", actual[name], region)
    return sum(map(len, generated.linker.values()))


def compare_html(board: Board, generated: Generated, out: Path) -> int:
    """Each row of the SDK's page; of other regions that it knows there is none."""
    rows = html_of(out)
    for name, ends in generated.html.items():
        check(ends in rows.get(name, []), f"html: {name} is {rows.get(name)}, expected {ends}")
    extra = {region.name for region in board.regions} & set(rows) - set(generated.html)
    check(not extra, f"html: rows that the SDK's page does not have: {sorted(extra)}")
    return len(generated.html)


# --- The C7x's MMU ---------------------------------------------------------------------------------------------

AREAS = {"DDR_SHARED_MEM_NON_CACHE": ("IPC_VRING_MEM", "TIOVX_LOG_RT_MEM", "TIOVX_OBJ_DESC_MEM", "APP_FILEIO_MEM",
                                      "APP_LOG_MEM")}
for _core in (1, 2):
    for _cache in ("_NON_CACHEABLE", ""):
        AREAS[f"DDR_C7X_{_core}_HEAP_SCRATCH{_cache or '_CACHEABLE'}"] = (
            f"DDR_C7X_{_core}_LOCAL_HEAP{_cache}", f"DDR_C7X_{_core}_SCRATCH{_cache}")


def entries_of(job: Job, board: Board, generated: Generated) -> dict[str, list[MmuEntry]]:
    """Each C7x's entries at the generated addresses: as the C source maps the header's macros, as the script patches its
    sysconfig file, or the shipped entries with their areas where the header has them."""
    if not board.named_mmu:
        return {core: source_entries(job.script, core, generated.macros) for core in board.mmu}
    return generated.mmu or {core: [followed(entry, generated.macros) for entry in entries]
                             for core, entries in board.mmu.items()}


def followed(entry: MmuEntry, macros: dict[str, int]) -> MmuEntry:
    members = AREAS.get(entry.name, (entry.name,))
    if not entry.name.startswith("DDR_"):
        return entry
    first = min(members, key=lambda name: macros[f"{name}_ADDR"])
    end = max(macros[f"{name}_ADDR"] + macros[f"{name}_SIZE"] for name in members)
    virtual = macros[f"{first}_ADDR"]
    return replace(entry, virtual=virtual, physical=macros.get(f"{first}_PHYS_ADDR", virtual), size=end - virtual)


def compare_mmu(job: Job, board: Board, generated: Generated, out: Path) -> int:
    """The same ranges, from a legal list: enough tables, and no address that leads elsewhere."""
    count = 0
    for core, entries in entries_of(job, board, generated).items():
        mmu = mapped(entries, not board.named_mmu)
        check(mmu.taken <= STOCK, f"{core}: {mmu.taken} translation tables of {STOCK} were accepted")
        same(f"{core}: addresses that lead elsewhere", misled(entries, mmu), [])
        actual = mmu_map_of(out, core)
        same(f"{core}/mmu_map.json", joined(nameless(actual)), painted(nameless(entries)))
        if board.named_mmu:
            same(f"{core}/mmu.syscfg", mmu_of(out, core), entries)
        count += len(actual)
    return count


# --- Refusals -------------------------------------------------------------------------------------------------


def check_refusal(job: Job, board: Board, values: dict[str, int], errors: list[tuple[str, str]]) -> None:
    """Whatever is refused breaks a rule in what the SDK's generator writes, too."""
    try:
        generated = generate(job.script, values, job.folder / "sdk")
    except Refusal:
        return
    for code, message in errors:
        what = f"refused ({code}: {message}), but"
        if code == "knob.rule":
            check_minimum(what, job.script.soc, values, message)
        elif code == "layout.alignment":
            check_alignment(what, generated, message)
        elif code in ("mmu.tables", "mmu.congruence"):
            lists = entries_of(job, board, generated).values()
            mmus = [(entries, mapped(entries, not board.named_mmu)) for entries in lists]
            check(any(mmu.taken > STOCK if code == "mmu.tables" else misled(entries, mmu) for entries, mmu in mmus),
                  f"{what} the drivers can map the SDK's addresses")
        else:
            check(code in ABOUT_SPACE, f"refused ({code}: {message}): this test cannot judge that")
            conflict = conflicts(generated, job.script.soc) or misplaced(generated)
            check(conflict or generated.warnings - usual_warnings(job), f"{what} the SDK's map has no conflict")


WARNINGS: dict[str, set[str]] = {}


def usual_warnings(job: Job) -> set[str]:
    """What the script warns of on its default map."""
    if job.script.board not in WARNINGS:
        WARNINGS[job.script.board] = generate(job.script, base_of(job), job.folder / "sdk").warnings
    return WARNINGS[job.script.board]


def check_minimum(what: str, soc: str, values: dict[str, int], message: str) -> None:
    name = message.split(" ")[0]
    least = {**MINIMA, **MINIMA_OF[soc]}.get(name, PAGE)
    check(values[name] < least, f"{what} {name} may be {values[name]}: the firmware needs {least}")


def check_alignment(what: str, generated: Generated, message: str) -> None:
    """The region is there in the SDK's map, too, and not on such a multiple."""
    found = re.fullmatch(r"'(\w+)' at (0x[0-9A-F]+) must begin on a multiple of (\d+) (KiB|MiB|GiB)", message)
    check(found, f"{what} its message is not understood")
    name, address, count, unit = found.groups() if found else ("",) * 4
    places = {lines[name].origin for lines in generated.linker.values() if name in lines}
    places |= {generated.macros[macro] for macro in (f"{name}_ADDR", f"{name}_PHYS_ADDR") if macro in generated.macros}
    check(number(address) in places, f"{what} by the SDK {name} is at {sorted(map(hex, places))}")
    check(number(address) % (number(count) << {"KiB": 10, "MiB": 20, "GiB": 30}[unit]), f"{what} it is")


def misplaced(generated: Generated) -> str:
    """Shared memory that an R5F sees at another address goes through one RAT region, so that both are aligned."""
    virtual, size = generated.macros["DDR_SHARED_MEM_ADDR"], generated.macros["DDR_SHARED_MEM_SIZE"]
    physical = generated.macros.get("DDR_SHARED_MEM_PHYS_ADDR", virtual)
    whole = 1 << (size - 1).bit_length()
    return "" if virtual == physical or (virtual | physical) % whole == 0 else f"{virtual:#x} is {physical:#x}"


def conflicts(generated: Generated, soc: str) -> list[str]:
    """Overlaps in a core's own space, of device-tree nodes, or in low memory, and what reaches too far."""
    nodes = [(node.base, node.base + node.length, label) for label, node in generated.nodes.items()]
    low = [(first, last + 1, name) for name, (first, last) in generated.html.items() if DDR <= first < 4096 * MIB]
    spaces = [nodes, low, *([(region.origin, region.end, f"{core} {name}") for name, region in lines.items()]
                            for core, lines in generated.linker.items())]
    found = [f"{first[2]} and {second[2]}" for space in spaces
             for first, second in zip(sorted(space), sorted(space)[1:]) if first[1] > second[0]]
    ends = (LOW_END.get(soc, 0xFC000000), HIGH_END.get(soc, 1 << 40))
    return found + [name for first, end, name in (*nodes, *low) if name not in BOOT and end > ends[first > 4096 * MIB]]


def check_knobs(script: Script) -> None:
    """Where exceptions.json says that the script has another value than this project, it has that value."""
    known = constants(script.text())
    for deviation in deviations_of(script.board, "knob"):
        check(deviation.name in known, f"{deviation.title}: not a constant of {script.name}")
        text = str((deviation.script or {})["value"])
        literal = re.fullmatch(r"0x[0-9A-F]+", text) is not None
        same(f"{deviation.title}: value by TI", value_of(known[deviation.name]) if literal else known[deviation.name],
             number(text) if literal else text)


def check_board(context: Context, script: Script, freedom: Freedom, pool: ProcessPoolExecutor) -> Outcome:
    seed, count = context.options.seed, context.options.count
    check_knobs(script)
    check(freedom.movable > 3, f"{script.board}: only {freedom.movable} knobs can be changed")
    total = Outcome()
    jobs = [Job(context, script, seed, index, freedom) for index in range(count)]
    for outcome in pool.map(compare_vector, jobs, chunksize=4):
        total.add(outcome)
    others = sum(total.refusals.values())
    check(total.vectors == count, f"{script.board}: {total.vectors} of {count} vectors")
    check(total.vectors >= LEAST_ACCEPTED * (total.vectors + others),
          f"{script.board}: {others} refusals for {total.vectors} vectors: {dict(total.refusals)}")
    print(f"  {script.board}: {count} vectors over {freedom.movable} of {freedom.knobs} knobs, {others} refused "
          f"{dict(total.refusals.most_common())}, {total.files} files and {total.values} entries the same, "
          f"{total.mended} lengths of 4 GiB mended", flush=True)
    return total


def body(context: Context) -> str:
    vision_apps = find_vision_apps()
    seed, count = context.options.seed, context.options.count
    check(count > 0, "no vectors")
    print(f"seed {seed}, {count} vectors a board, SDK in {vision_apps}", flush=True)
    scripts = [Script(board, vision_apps, *BOARDS[board]) for board in context.options.board or BOARDS]
    total = Outcome()
    with ProcessPoolExecutor(WORKERS) as pool:
        found = pool.map(explore, [Job(context, script, seed) for script in scripts])
        for script, freedom in zip(scripts, found):
            total.add(check_board(context, script, freedom, pool))
    return f"{total.vectors} vectors, {sum(total.refusals.values())} refused, {total.files} files compared"


if __name__ == "__main__":
    main(__doc__, body, add_options)
