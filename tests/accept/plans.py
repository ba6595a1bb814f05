"""What the tests of plans share: an independent judge, planners of other tools, generators, data sets."""

import bisect
import csv
import io
import json
import os
import random
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Iterator

from support import SOURCE, Context, Skip, check, fail, parse_json

PLANS = SOURCE / "tests" / "data" / "plans"
# More, if they are there: folders of tables of lifetimes.
ELSEWHERE = Path(os.environ.get("MEMSIZE_PLAN_DATA", SOURCE.parent / "shared" / "data" / "planner"))

PROVED = ("bound", "exhausted")


@dataclass(frozen=True)
class Buffer:
    id: str
    lower: int
    upper: int
    size: int
    offset: int | None = None
    alignment: int = 1

    @property
    def end(self) -> int:
        return (self.offset or 0) + self.size


def buffers_of(text: str) -> list[Buffer]:
    """A table of lifetimes, as anybody would read it."""
    rows = csv.DictReader(io.StringIO(text, newline=""))
    return [Buffer(row["id"], int(row["lower"]), int(row["upper"]), int(row["size"]),
                   int(row["offset"]) if row.get("offset") else None, int(row.get("alignment") or 1)) for row in rows]


def read_buffers(path: Path) -> list[Buffer]:
    return buffers_of(path.read_bytes().decode())


def table_of(buffers: list[Buffer], line_end: str = "\n", quoting: int = csv.QUOTE_MINIMAL) -> str:
    """With offsets if any buffer has one, with alignments if any has one."""
    offsets = any(buffer.offset is not None for buffer in buffers)
    alignments = any(buffer.alignment != 1 for buffer in buffers)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator=line_end, quoting=quoting)
    writer.writerow(["id", "lower", "upper", "size"] + ["offset"] * offsets + ["alignment"] * alignments)
    for buffer in buffers:
        row: list[object] = [buffer.id, buffer.lower, buffer.upper, buffer.size]
        row += [buffer.offset if buffer.offset is not None else ""] * offsets + [buffer.alignment] * alignments
        writer.writerow(row)
    return text.getvalue()


def most_alive(buffers: list[Buffer]) -> int:
    """No plan is lower."""
    changes = [(buffer.lower, buffer.size) for buffer in buffers] + [(buffer.upper, -buffer.size) for buffer in buffers]
    alive = most = 0
    for _, change in sorted(changes):
        alive += change
        most = max(most, alive)
    return most


def height_of(buffers: list[Buffer]) -> int:
    return max((buffer.end for buffer in buffers if buffer.size), default=0)


def judge(what: str, wanted: list[Buffer], planned: list[Buffer]) -> int:
    """The height of a plan in which every wanted buffer has a place of its own; anything else is a failure."""
    check([(b.id, b.lower, b.upper, b.size) for b in sorted(wanted, key=lambda b: b.id)] ==
          [(b.id, b.lower, b.upper, b.size) for b in sorted(planned, key=lambda b: b.id)],
          f"{what}: the plan has other buffers")
    aligned = {buffer.id: buffer.alignment for buffer in wanted}
    events: list[tuple[int, int, int]] = []
    for index, buffer in enumerate(planned):
        if buffer.offset is None or buffer.offset < 0 or buffer.offset % aligned[buffer.id]:
            fail(f"{what}: '{buffer.id}' lies at {buffer.offset}")
        if buffer.size and buffer.lower < buffer.upper:
            events += [(buffer.lower, 1, index), (buffer.upper, 0, index)]
    # What is alive, by offset: only neighbours can meet what comes.
    alive: list[tuple[int, int, int]] = []
    for _, begins, index in sorted(events):
        buffer = planned[index]
        entry = (buffer.offset or 0, buffer.end, index)
        at = bisect.bisect_left(alive, entry)
        if not begins:
            del alive[at]
            continue
        for other in alive[max(at - 1, 0):at + 1]:
            check(other[1] <= entry[0] or entry[1] <= other[0],
                  f"{what}: '{planned[other[2]].id}' and '{buffer.id}' share bytes")
        alive.insert(at, entry)
    return height_of(planned)


def first_gap(buffer: Buffer, placed: list[Buffer], aligned: bool) -> int:
    offset = 0
    for other in sorted((p for p in placed if p.lower < buffer.upper and buffer.lower < p.upper and p.size),
                        key=lambda p: p.offset or 0):
        if (other.offset or 0) >= offset + buffer.size:
            break
        if other.end > offset:
            offset = other.end
            if aligned:
                offset = -(-offset // buffer.alignment) * buffer.alignment
    return offset


def planned_by(planner: str, buffers: list[Buffer]) -> list[Buffer]:
    """What the published rules of TFLM ("by-size") and ARES ("first-fit") come to."""
    keys = {"by-size": lambda b: -b.size, "first-fit": lambda b: (b.lower, -b.size)}
    placed: list[Buffer] = []
    for buffer in sorted(buffers, key=keys[planner]):
        placed.append(replace(buffer, offset=first_gap(buffer, placed, planner == "by-size")))
    return placed


def data_sets(largest: int) -> Iterator[tuple[str, Path]]:
    """Ours, and those that are elsewhere, with at most that many rows."""
    for folder in (PLANS, ELSEWHERE):
        if not folder.is_dir():
            continue
        for path in sorted(folder.rglob("*.csv")):
            if path.read_bytes().count(b"\n") <= largest + 1:
                yield path.relative_to(folder).as_posix(), path


def random_buffers(seed: int, count: int, steps: int = 400, largest: int = 1 << 16) -> list[Buffer]:
    """Crowded enough that nobody packs them without gaps."""
    rng = random.Random(seed)
    buffers = []
    for index in range(count):
        lower = rng.randrange(steps)
        length = rng.choice((1, 3, 10, steps // 8, steps // 3))
        buffers.append(Buffer(f"t{index}", lower, lower + 1 + rng.randrange(length), 64 * rng.randrange(1, largest >> 6)))
    return buffers


def puzzle(seed: int, pieces: int, steps: int = 1000, height: int = 1 << 20, fixed: int = 0) -> list[Buffer]:
    """A full rectangle cut into pieces: some plan leaves no gap, but nobody finds that of many pieces. The first `fixed`
    of them say where they were cut out."""
    rng = random.Random(seed)
    whole = [(0, steps, 0, height)]
    while len(whole) < pieces:
        at = rng.randrange(len(whole))
        lower, upper, bottom, top = whole[at]
        if rng.random() < 0.5 and upper - lower > 8:
            cut = rng.randrange(lower + 1, upper)
            whole[at] = (lower, cut, bottom, top)
            whole.append((cut, upper, bottom, top))
        elif top - bottom > 2048:
            cut = bottom + 1024 * rng.randrange(1, (top - bottom) // 1024)
            whole[at] = (lower, upper, bottom, cut)
            whole.append((lower, upper, cut, top))
    rng.shuffle(whole)
    return [Buffer(f"p{index}", lower, upper, top - bottom, bottom if index < fixed else None)
            for index, (lower, upper, bottom, top) in enumerate(whole)]


def allocations(seed: int, count: int) -> list[Buffer]:
    """As a program's allocator sees them: many, most of them small and short-lived."""
    rng = random.Random(seed)
    return [Buffer(f"a{index}", index, index + 1 + int(rng.paretovariate(0.8)) % 5000, 16 << rng.randrange(10))
            for index in range(count)]


def plan(context: Context, *arguments: object, expect: int | tuple[int, ...] = 0) -> str:
    return context.run("plan", *arguments, expect=expect).stdout


def plan_table(context: Context, path: object, *arguments: object) -> list[Buffer]:
    return buffers_of(plan(context, path, *arguments, "--csv"))


def plan_document(context: Context, path: object, *arguments: object, expect: int | tuple[int, ...] = 0) -> Any:
    document = parse_json(plan(context, path, *arguments, "--json", expect=expect), f"plan {path} --json")
    conforms(document)
    return document


def conforms(document: Any) -> None:
    """To the schema that users have; where nobody can tell, it is not asked."""
    try:
        from jsonschema import Draft202012Validator
    except ImportError as missing:
        raise Skip("the Python module jsonschema (Debian: python3-jsonschema) is missing") from missing
    schema = json.loads((SOURCE / "samples" / "schema" / "plan-1.json").read_text())
    for error in Draft202012Validator(schema).iter_errors(document):
        fail(f"the document does not follow its schema: {error.json_path}: {error.message[:300]}")


def only_arena(document: Any) -> Any:
    check(len(document["arenas"]) == 1, f"there are {len(document['arenas'])} arenas")
    return document["arenas"][0]


def run_bytes(context: Context, arguments: list[object], stdin: bytes = b"", **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([str(context.memsize), *map(str, arguments)], cwd=context.work, input=stdin,
                          capture_output=True, timeout=300, env={**os.environ, "NO_COLOR": "1"}, **options)
