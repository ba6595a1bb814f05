"""Which values the knobs of a board are given: as far as memsize and the SDK's script take them."""

import random
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Iterator, Sequence

from facts import deviations_of
from sdk_rules import misplaced
from sdk_tree import Refusal, Script, constants, generate
from support import MIB, Context, check, files_of, number, parse_json

PAGE = 4096
# In what steps sizes are chosen, other than 1 MiB.
GRANULE = {"j742s2": 2 * MIB, "j784s4": 2 * MIB, "j784s4-safertos": 2 * MIB}
# How far apart in the list of knobs two may be that change places.
NEIGHBOURS = 4
# Half of the vectors are of whole granules; in the others some values are odd numbers of pages.
ODD_VECTORS = 0.5


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
    check(known, f"{job.script.name} of {job.script.soc} has no constants")
    defaults = {name: value for name, value in shown["boards"][0]["knobs"].items() if name in known}
    # For a few values it does not pay to look at every knob.
    few = random.Random(f"{job.seed} {board}").sample(sorted(defaults), min(len(defaults), max(12, job.context.options.count)))
    knobs = [reach(job, Knob(name, value if isinstance(value, int) else number(value)))
             for name, value in defaults.items() if name in few]
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
