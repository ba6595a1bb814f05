"""For random legal knob values every file says what the SDK's own generator says when it is given the same values.

Runs where MEMSIZE_TI_SDK names a Processor SDK (a folder with vision_apps/platform); MEMSIZE_VECTORS changes how many
vectors of knob values each board gets.
"""

import argparse
import os
import random
import shutil
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from compare import dtsi_of, header_of, html_of, linker_of, mmu_of
from facts import Board, converted, deviations_of, load_board
from sdk_tree import Generated, Script, constants, corrected, find_vision_apps, generate, value_of
from support import MIB, Context, check, files_of, main, number, parse_json, same, same_keys

PAGE = 4096
# SoC and script of each board that has one; the granule is the step that each of its knobs is sure to take.
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
GRANULE = {"j742s2": 2 * MIB, "j784s4": 2 * MIB, "j784s4-safertos": 2 * MIB}
WORKERS = 2
ATTEMPTS = 40
LEAST_ACCEPTED = 0.5
# Half of the vectors are of whole granules; in the others some values are odd numbers of pages.
ODD_VECTORS = 0.5
# A refusal for one of these is about addresses that the SDK's generator prints too.
ABOUT_SPACE = {"layout.overlap", "layout.virtual-overlap", "layout.window", "layout.bank", "layout.address"}


@dataclass(frozen=True)
class Knob:
    name: str
    default: int
    least: int
    most: int


@dataclass(frozen=True)
class Job:
    context: Context
    script: Script
    knobs: tuple[Knob, ...]
    seed: int
    index: int

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


def accepted(context: Context, board: str, values: dict[str, int], out: Path, *more: str) -> list[str]:
    """The codes of the errors; none where the map was written."""
    shutil.rmtree(out, ignore_errors=True)
    done = context.run("emit", "--board", board, *settings(values), "--out", out, "--json", *more, expect=(0, 1, 3))
    if done.returncode == 0:
        return []
    check(not out.exists() or not files_of(out), "a refused emit wrote files")
    document = parse_json(done.stdout, "emit --json")
    codes = sorted({item["code"] for item in document["diagnostics"] if item["severity"] == "error"})
    check(codes, f"exit {done.returncode} without an error")
    return codes


def explore(job: Job) -> tuple[Knob, ...]:
    """The knobs that are constants of the script, and how far each can go alone."""
    board = job.script.board
    shown = parse_json(job.context.run("board", "show", board, "--json").stdout, "board show --json")
    known = constants(job.script.text())
    knobs = []
    for name, default in shown["boards"][0]["knobs"].items():
        if name in known:
            value = default if isinstance(default, int) else number(default)
            knobs.append(reach(job, Knob(name, value, value, value), isinstance(default, str)))
    return tuple(knobs)


def reach(job: Job, knob: Knob, is_address: bool) -> Knob:
    step = GRANULE.get(job.script.board, MIB)
    lower = [knob.default * part // 16 for part in (0, 1, 2, 4, 8, 12)]
    if is_address:
        lower = [knob.default - distance * 64 * MIB for distance in (16, 8, 4)]
    low = [knob.default - (knob.default - value) // step * step for value in lower]
    high = [knob.default + size * MIB for size in (1024, 256, 64, 32, 16, 8, 4, 2, 1)]
    return Knob(knob.name, knob.default, farthest(job, knob, low), farthest(job, knob, high))


def farthest(job: Job, knob: Knob, values: list[int]) -> int:
    for value in values:
        if value > 0 and not accepted(job.context, job.script.board, {knob.name: value}, job.folder, "--only", "c-header"):
            return value
    return knob.default


def draw(rng: random.Random, job: Job) -> dict[str, int]:
    """Some knobs, each somewhere in its reach; the same steps up as down on most, so that windows are kept."""
    movable = [knob for knob in job.knobs if knob.least < knob.most]
    chosen = rng.sample(movable, rng.randint(1, min(len(movable), rng.choice((2, 6, len(movable))))))
    odd = rng.random() < ODD_VECTORS
    values = {}
    for knob in chosen:
        step = PAGE if odd and rng.random() < 0.3 else GRANULE.get(job.script.board, MIB)
        down, up = (knob.default - knob.least) // step, (knob.most - knob.default) // step
        values[knob.name] = knob.default + step * rng.randint(-down, up // rng.choice((1, 2, 8)))
    return values


# --- One vector -----------------------------------------------------------------------------------------------


def compare_vector(job: Job) -> Outcome:
    """Draws until memsize takes the values; then both write their files."""
    outcome = Outcome()
    board = load_board(job.script.board)
    base = {item.name: converted(item.ours)["value"] for item in deviations_of(board.name, "knob")}
    for attempt in range(ATTEMPTS):
        rng = random.Random(f"{job.seed} {board.name} {job.index} {attempt}")
        values = {} if job.index == 0 else draw(rng, job)
        out = job.folder / "out"
        try:
            codes = accepted(job.context, board.name, values, out)
            if codes:
                check(job.index > 0, f"the default map is refused: {codes}")
                outcome.refusals.update([" ".join(codes)])
                check_refusal(job, {**base, **values}, codes)
                continue
            generated = generate(job.script, {**base, **values}, job.folder / "sdk")
            compare_files(board, corrected(generated, board.name), out, outcome)
        except Exception as error:
            error.args = (f"{board.name}, vector {job.index}.{attempt} ({' '.join(settings(values))}): {error}",)
            raise
        shutil.rmtree(job.folder)
        outcome.vectors = 1
        return outcome
    check(False, f"{board.name}, vector {job.index}: {ATTEMPTS} sets of values were refused: {outcome.refusals}")
    raise AssertionError


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
    for core, entries in generated.mmu.items():
        outcome.values += compare_sysconfig(core, entries, mmu_of(out, core))
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


def compare_sysconfig(core: str, entries: list, ours: list) -> int:
    same(f"{core}: MMU entries", [entry.name for entry in ours], [entry.name for entry in entries])
    for entry, wanted in zip(ours, entries):
        same(f"{core}: MMU entry {wanted.name}", entry, wanted)
    return len(entries)


# --- Refusals -------------------------------------------------------------------------------------------------


def check_refusal(job: Job, values: dict[str, int], codes: list[str]) -> None:
    """What is refused for its addresses alone must be a conflict in what the SDK's generator writes, too."""
    if not set(codes) <= ABOUT_SPACE:
        return
    generated = generate(job.script, values, job.folder / "sdk")
    before = generate(job.script, {name: value for name, value in values.items()
                                   if name in {item.name for item in deviations_of(job.script.board, "knob")}},
                      job.folder / "sdk")
    if generated.warnings <= before.warnings:
        check(conflicts(generated), f"refused for {codes}, but the SDK's map has no conflict")


def conflicts(generated: Generated) -> list[str]:
    """Overlaps in a core's own space, overlaps of nodes, and nodes outside of DRAM."""
    spaces = [[(region.origin, region.end, f"{core} {name}") for name, region in lines.items()]
              for core, lines in generated.linker.items()]
    spaces.append([(node.base, node.base + node.length, label) for label, node in generated.nodes.items()])
    return [f"{first[2]} and {second[2]}" for space in spaces for first, second in
            zip(sorted(space), sorted(space)[1:]) if first[1] > second[0]]


def check_knobs(script: Script) -> None:
    """Where exceptions.json says that the script has another value than this project, it has that value."""
    known = constants(script.text())
    for deviation in deviations_of(script.board, "knob"):
        check(deviation.name in known, f"{deviation.title}: not a constant of {script.name}")
        same(f"{deviation.title}: value by TI", value_of(known[deviation.name]), converted(deviation.script)["value"])


def check_board(context: Context, script: Script, pool: ProcessPoolExecutor) -> tuple[str, Outcome]:
    check_knobs(script)
    seed, count = context.options.seed, context.options.count
    knobs = pool.submit(explore, Job(context, script, (), seed, -1)).result()
    movable = sum(knob.least < knob.most for knob in knobs)
    check(movable > 3, f"{script.board}: only {movable} knobs can be changed")
    total = Outcome()
    jobs = [Job(context, script, knobs, seed, index) for index in range(count)]
    for outcome in pool.map(compare_vector, jobs, chunksize=4):
        total.add(outcome)
    refused = sum(total.refusals.values())
    check(total.vectors == count, f"{script.board}: {total.vectors} of {count} vectors")
    check(total.vectors >= LEAST_ACCEPTED * (total.vectors + refused),
          f"{script.board}: {refused} refusals for {total.vectors} vectors: {dict(total.refusals)}")
    return (f"{script.board}: {count} vectors over {movable} knobs, {refused} refused {dict(total.refusals)}, "
            f"{total.files} files and {total.values} entries the same, {total.mended} lengths of 4 GiB mended"), total


def body(context: Context) -> str:
    vision_apps = find_vision_apps()
    check(context.options.count > 0, "no vectors")
    print(f"seed {context.options.seed}, {context.options.count} vectors a board, SDK in {vision_apps}", flush=True)
    total = Outcome()
    with ProcessPoolExecutor(WORKERS) as pool:
        for board in context.options.board or BOARDS:
            line, outcome = check_board(context, Script(board, vision_apps, *BOARDS[board]), pool)
            print(f"  {line}", flush=True)
            total.add(outcome)
    return f"{total.vectors} vectors, {sum(total.refusals.values())} refused, {total.files} files compared"


if __name__ == "__main__":
    main(__doc__, body, add_options)
