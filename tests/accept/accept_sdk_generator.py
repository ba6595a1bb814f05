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
from dataclasses import dataclass, field
from pathlib import Path

from compare import dtsi_of, header_of, html_of, joined, linker_of, mmu_map_of, mmu_of, nameless, painted
from facts import Board, deviations_of, load_board
from page_tables import STOCK, mapped, misled
from sdk_rules import check_error, conflicts, entries_of, misplaced
from sdk_tree import Generated, Refusal, Script, constants, corrected, find_vision_apps, generate, value_of
from sdk_vectors import Freedom, Job, base_of, draw, explore, refused, settings
from support import Context, check, fail, main, number, read_json, same, same_keys

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
WORKERS = 2
ATTEMPTS = 40
# Of all boards' values together, and of each board's where they are enough to say.
LEAST_ACCEPTED = 0.5
ENOUGH = 8


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
            outcome.values += compare_mmu(job.script, board, generated, out)
            same("conflicts in a map that was taken", conflicts(generated, job.script.soc), [])
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
    outcome.values += len(header) + len(nodes) + compare_html(generated, out)
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


def compare_html(generated: Generated, out: Path) -> int:
    """Each row of the SDK's page; what is marked for that page is on it."""
    rows = html_of(out)
    for name, ends in generated.html.items():
        check(ends in rows.get(name, []), f"html: {name} is {rows.get(name)}, expected {ends}")
    marked = {region["name"] for region in read_json(out / "memory_map.json")["regions"] if region["in_html"]}
    same_keys("in_html", marked, generated.html)
    return len(generated.html)


def compare_mmu(script: Script, board: Board, generated: Generated, out: Path) -> int:
    """The same ranges, from a legal list: enough tables, and no address that leads elsewhere."""
    count = 0
    for core, entries in entries_of(script, board, generated).items():
        mmu = mapped(entries, not board.named_mmu)
        check(mmu.taken <= STOCK, f"{core}: {mmu.taken} translation tables of {STOCK} were accepted")
        same(f"{core}: addresses that lead elsewhere", misled(entries, mmu), [])
        actual = mmu_map_of(out, core)
        same(f"{core}/mmu_map.json", joined(nameless(actual)), painted(nameless(entries)))
        if board.named_mmu:
            same(f"{core}/mmu.syscfg", mmu_of(out, core), entries)
        count += len(actual)
    return count


def check_refusal(job: Job, board: Board, values: dict[str, int], errors: list[tuple[str, str]]) -> None:
    try:
        generated = generate(job.script, values, job.folder / "sdk")
    except Refusal:
        return
    warned = bool(generated.warnings - usual_warnings(job))
    generated = corrected(generated, board.name)
    for code, message in errors:
        what = f"refused ({code}: {message}), but"
        check_error(what, job.script, board, generated, values, (code, message), warned)


WARNINGS: dict[str, set[str]] = {}


def usual_warnings(job: Job) -> set[str]:
    """What the script warns of on its default map."""
    if job.script.board not in WARNINGS:
        WARNINGS[job.script.board] = generate(job.script, base_of(job), job.folder / "sdk").warnings
    return WARNINGS[job.script.board]


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
    for outcome in pool.map(compare_vector, jobs):
        total.add(outcome)
    others = sum(total.refusals.values())
    check(total.vectors == count, f"{script.board}: {total.vectors} of {count} vectors")
    check(count < ENOUGH or total.vectors >= LEAST_ACCEPTED * (total.vectors + others),
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
    others = sum(total.refusals.values())
    check(total.vectors >= LEAST_ACCEPTED * (total.vectors + others),
          f"{others} refusals for {total.vectors} vectors: {dict(total.refusals)}")
    return f"{total.vectors} vectors, {sum(total.refusals.values())} refused, {total.files} files compared"


if __name__ == "__main__":
    main(__doc__, body, add_options)
