"""An SDK's generator scripts and the files that they write, edited in place, are what the edited scripts write.

Each part of each tree in MEMSIZE_TI_SDK (several, separated by ':') gets random sizes and addresses: the edited scripts
are run under Python in a copy of the part's folder, and every file that they write must be, byte for byte, the one that
was edited in place. Only the year of the copyright may differ, which the SDK's library prints, and the cells of a device
tree from 4 GiB up, which it prints wrong. MEMSIZE_VECTORS changes how many sets of values each part gets.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from accept_sdk_scripts import TOOLS, trees
from sdk_tree import mended, write_stubs
from support import MIB, Context, check, fail, main, number, parse_json, same

PAGE = 4096
WORKERS = 2
ATTEMPTS = 20
KINDS = {"LinkerCmdFile", "CHeaderFile", "DtsFile", "HtmlMmapTable"}
YEAR = re.compile(rb"Copyright \(c\) [\d-]+ Texas Instruments Incorporated *")
# A script that fails leaves the values that it had until then.
RUN = """
import json, sys
values, error, names = {"__name__": "__main__", "__file__": sys.argv[1]}, "", sys.argv[2:]
try:
    exec(compile(open(sys.argv[1], encoding="utf-8").read(), sys.argv[1], "exec"), values)
except (AssertionError, NameError) as problem:
    error = type(problem).__name__
negative = [name for name, value in values.items() if min(getattr(value, "length", 0), getattr(value, "origin", 0)) < 0]
print("\\n" + json.dumps({"error": error, "negative": negative, "values": {name: values[name] for name in names if name in values}}))
"""
# Only SDK 12.0 has it.
NEWEST = Path("platform") / "j722s" / "rtos" / "mcu1_0" / "linker_mem_map_freertos.cmd"
# Files that somebody edited, as SDK 12.0 has them: what its scripts make of them is something else.
HAND_MADE = {
    ("am62a", "mcu1_0/linker_mem_map.cmd"): "'DDR_DM_R5F' is [0x9CAA5000, 0x9E700000) here, but [0x9CAA0000, ",
    ("j784s4", "c7x_1/linker_mem_map_safertos.cmd"): "is [0x100000000, 0x110000000) here, but [0x100000000, ",
}


@dataclass(frozen=True)
class Part:
    """platform/SOC/rtos of a tree."""
    tree: Path
    soc: str

    @property
    def folder(self) -> Path:
        return self.tree / "platform" / self.soc / "rtos"

    @property
    def title(self) -> str:
        return f"{self.tree.name}/{self.soc}"

    def scripts(self) -> list[str]:
        return sorted(path.name for path in self.folder.glob("gen_linker_mem_map*.py"))


@dataclass(frozen=True)
class Job:
    context: Context
    part: Part
    index: int
    documents: dict[str, Any]
    # Files in which somebody changed blanks and comments, but no value.
    restyled: frozenset[str] = frozenset()

    @property
    def folder(self) -> Path:
        return self.context.work / f"{self.part.tree.name}-{self.part.soc}-{self.index}"


@dataclass
class Outcome:
    files: int = 0
    changed: int = 0
    moved: int = 0
    hand_made: int = 0
    mended: int = 0
    refused: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Outcome") -> None:
        self.files += other.files
        self.changed += other.changed
        self.moved += other.moved
        self.hand_made += other.hand_made
        self.mended += other.mended
        self.refused += other.refused


@dataclass
class Edited:
    """What the driver says, by path, and where it wrote what it changed."""
    out: Path
    said: dict[str, str]
    differences: dict[str, list[str]]
    refusals: list[str]


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dump", required=True, type=Path)
    parser.add_argument("--edit", required=True, type=Path)
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--count", type=int, default=int(os.environ.get("MEMSIZE_VECTORS", "8")))
    parser.add_argument("--part", action="append", help="only this part (may be repeated)")


def edit(context: Context, part: Part, out: Path, values: dict[str, int], *options: str) -> Edited:
    shutil.rmtree(out, ignore_errors=True)
    words = [f"{name}={value:#x}" for name, value in values.items()]
    command = [str(context.options.edit.resolve()), str(part.folder), str(out), *options, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    check(done.returncode in (0, 1), f"{' '.join(command)}: exit {done.returncode}: {done.stderr[-500:]}")
    result = Edited(out, {}, {}, [])
    path = ""
    for line in done.stdout.splitlines():
        if line.startswith("  "):
            result.differences.setdefault(path, []).append(line.strip())
        elif line.startswith("refused "):
            result.refusals.append(line)
        else:
            what, path = line.split(" ", 1)
            result.said[path] = what
    check(bool(result.refusals) == (done.returncode == 1), f"{' '.join(command)}: exit {done.returncode}")
    return result


def run_scripts(part: Part, edited: Edited, work: Path, names: list[str]) -> dict[str, Any]:
    """In a copy of the part's folder without what the scripts write. What each came to, by its name."""
    shutil.rmtree(work, ignore_errors=True)
    folder = work / part.soc / "rtos"
    for path in part.folder.rglob("*"):
        if path.suffix in (".py", ".syscfg"):
            copy = folder / path.relative_to(part.folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    outcomes = {}
    stubs = write_stubs(work)
    # The first script is the one that counts for files that several write, so it is the last to run.
    for name in reversed(part.scripts()):
        if (edited.out / name).is_file():
            shutil.copyfile(edited.out / name, folder / name)
        environment = {**os.environ, **stubs, "PYTHONPATH": str(part.tree / TOOLS), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run([sys.executable, "-c", RUN, name, *names], cwd=folder, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        check(done.returncode == 0, f"{name} of {part.title}: exit {done.returncode}: {done.stderr[-500:]}")
        outcomes[name] = json.loads(done.stdout.splitlines()[-1])
    return outcomes


def without_year(content: bytes) -> bytes:
    return YEAR.sub(b"Copyright", content)


def written_by(job: Job) -> set[str]:
    """What the scripts that run write, of the kinds that are edited."""
    return {os.path.normpath(one["path"]) for document in job.documents.values()
            for one in document.get("exports", []) if one["kind"] in KINDS}


def order_of(content: bytes) -> list[bytes]:
    return re.findall(rb"(\w+) .*: ORIGIN|#define (\w+)_ADDR|(\w+): \S+ \{|<td[^>]*>([A-Z]\w+)</td>", content)


def lines_of(content: bytes) -> list[tuple[bytes, int, int]]:
    lines = re.findall(rb"(\w+)\s*(?:\([^)]*\))?\s*:\s*ORIGIN = (0x\w+)\s*,?\s*LENGTH = (0x\w+)", content)
    check(lines, "a hand-made file that is no linker map")
    return [(name, number(origin.decode()), number(length.decode())) for name, origin, length in lines]


def compare_part(job: Job, edited: Edited, work: Path, outcome: Outcome) -> None:
    """Every file that the edited scripts write."""
    for path in sorted(written_by(job)):
        shipped = (job.part.folder / path).read_bytes()
        ours = (edited.out / path).read_bytes() if (edited.out / path).is_file() else shipped
        theirs = (work / job.part.soc / "rtos" / path).read_bytes()
        if path.endswith((".dts", ".dtsi")):
            text, count = mended_cells(theirs)
            outcome.mended += count
            theirs = text
        if edited.said[path] == "hand-made" or path in job.restyled:
            # What somebody wrote there stays.
            same(f"{path}: entries", lines_of(ours), lines_of(theirs))
        elif without_year(ours) != without_year(theirs):
            (work / "ours").write_bytes(ours)
            fail(f"{path} is not what the script writes: diff {work}/ours {work / job.part.soc / 'rtos' / path}")
        outcome.files += 1
        outcome.changed += ours != shipped
        outcome.moved += order_of(ours) != order_of(shipped)
        outcome.hand_made += edited.said[path] == "hand-made"
    extra = {path.relative_to(edited.out).as_posix() for path in edited.out.rglob("*") if path.is_file()}
    extra -= written_by(job) | set(job.part.scripts())
    check(not extra, f"files that no script writes were changed: {sorted(extra)}")


def mended_cells(content: bytes) -> tuple[bytes, int]:
    """The library prints lengths, and some addresses, as one cell of more than 32 bits."""
    def cells(match: re.Match[str]) -> str:
        value = number(match[1])
        return f"0x{value >> 32:02x} 0x{value & 0xFFFFFFFF:08x}"
    text, count = re.subn(r"\b0x00 (0x[0-9a-f]{9,})", cells, content.decode("utf-8"))
    return text.encode("utf-8"), count


def check_unchanged(job: Job) -> None:
    """Without values no byte changes, and what was edited by hand is known."""
    edited = edit(job.context, job.part, job.folder / "out", {})
    same(f"{job.part.title}: refusals", edited.refusals, [])
    check(not edited.out.exists(), f"{job.part.title}: files were changed although no value was")
    for (soc, path), text in HAND_MADE.items():
        if soc == job.part.soc and (job.part.tree / NEWEST).is_file():
            found = edited.differences.get(path, [])
            check(any(text in line for line in found), f"{job.part.title}: {path} is {found}")
    for path in written_by(job):
        check(edited.said.get(path) in ("same", "hand-made"), f"{job.part.title}: {path}: {edited.said.get(path)}")


def draw(rng: random.Random, job: Job) -> dict[str, int]:
    """Sizes, and sometimes addresses: those that a script says, not what it computes from them."""
    constants: dict[str, tuple[int, str]] = {}
    for document in job.documents.values():
        for variable in document.get("variables", []):
            last = variable["assignments"][-1]
            if "int" in variable["value"] and not last["augmented"]:
                constants[variable["name"]] = (int(variable["value"]["int"]), last["expression"]["text"])
    sizes = [name for name, (value, text) in constants.items() if name.endswith("_size") and value >= PAGE]
    addresses = [name for name, (_, text) in constants.items() if "_addr" in name and re.fullmatch(r"0x\w+", text)]
    values = {}
    for name in rng.sample(sizes, rng.randint(1, min(len(sizes), rng.choice((1, 3, 8))))):
        step = rng.choice((PAGE, MIB // 4, MIB, MIB, MIB, 16 * MIB))
        most = max(1, constants[name][0] * rng.choice((1, 1, 2)) // step)
        values[name] = step * rng.randint(1, most)
    for name in rng.sample(addresses, rng.choice((0, 0, 1, 2)) if len(addresses) > 1 else 0):
        values[name] = max(0, constants[name][0] + 16 * MIB * rng.randint(-64, 64))
    return values


def compare_vector(job: Job) -> Outcome:
    outcome = Outcome()
    if job.index == 0:
        check_unchanged(job)
    for attempt in range(ATTEMPTS):
        rng = random.Random(f"{job.context.options.seed} {job.part.title} {job.index} {attempt}")
        values = draw(rng, job)
        title = f"{job.part.title}, vector {job.index}.{attempt} ({values})"
        try:
            edited = edit(job.context, job.part, job.folder / "out", values, "--force")
            if edited.refusals:
                outcome.refused.update([reason(edited.refusals[0])])
                check_refused(job, values)
                continue
            outcomes = run_scripts(job.part, edited, job.folder / "sdk", list(values))
            for name, came in outcomes.items():
                lost = "variables" not in job.documents[name]
                same(f"{name}: how it ended", came["error"], "NameError" if lost else "")
                for constant, value in came["values"].items():
                    same(f"{name}: {constant}", value, values[constant])
            compare_part(job, edited, job.folder / "sdk", outcome)
        except Exception as error:
            error.args = (f"{title}: {error}",)
            raise
        shutil.rmtree(job.folder)
        return outcome
    fail(f"{job.part.title}, vector {job.index}: {ATTEMPTS} sets of values were refused: {outcome.refused}")


def reason(refusal: str) -> str:
    return "assertion" if "assertion" in refusal else "negative" if "must be from 0" in refusal else refusal


def check_refused(job: Job, values: dict[str, int]) -> None:
    """One of the scripts, given these values, does not run to its end, or has a section of a negative size."""
    out = job.folder / "plain"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for name in job.part.scripts():
        text = (job.part.folder / name).read_bytes().decode("utf-8")
        for constant, value in values.items():
            found = list(re.finditer(rf"^{constant}[ \t]*=(?!=).*$", text, flags=re.M))
            if found:
                text = text[:found[-1].start()] + f"{constant} = {value:#x};" + text[found[-1].end():]
        (out / name).write_bytes(text.encode("utf-8"))
    outcomes = run_scripts(job.part, Edited(out, {}, {}, []), job.folder / "sdk", [])
    failed = any(came["error"] and "variables" in job.documents[name] for name, came in outcomes.items())
    negative = any(came["negative"] for came in outcomes.values())
    check(failed or negative, "refused, but Python runs the scripts with these values")


def dump(context: Context, script: Path) -> Any:
    done = subprocess.run([str(context.options.dump.resolve()), str(script)], capture_output=True, text=True, timeout=60)
    check(done.returncode in (0, 1), f"{script}: exit {done.returncode}: {done.stderr[-500:]}")
    return parse_json(done.stdout, str(script))


def restyled(job: Job) -> frozenset[str]:
    """Files that are not byte for byte what the scripts write as they are, although every value is."""
    edited = edit(job.context, job.part, job.folder / "out", {})
    run_scripts(job.part, edited, job.folder / "sdk", [])
    found = set()
    for path in written_by(job):
        theirs = (job.folder / "sdk" / job.part.soc / "rtos" / path).read_bytes()
        if without_year((job.part.folder / path).read_bytes()) != without_year(theirs):
            # The cells that the library prints wrong are mended in one that is shipped.
            mended_too = without_year((job.part.folder / path).read_bytes()) == without_year(mended_cells(theirs)[0])
            found |= {path} if edited.said[path] == "same" and not mended_too else set()
    shutil.rmtree(job.folder)
    return frozenset(found)


def body(context: Context) -> str:
    parts = [Part(tree, folder.parent.name) for tree in trees() for folder in sorted(tree.glob("platform/*/rtos"))
             if list(folder.glob("gen_linker_mem_map*.py"))]
    parts = [part for part in parts if not context.options.part or part.soc in context.options.part]
    check(parts, "no part")
    total = Outcome()
    with ProcessPoolExecutor(WORKERS) as pool:
        for part in parts:
            documents = {name: dump(context, part.folder / name) for name in part.scripts()}
            styled = restyled(Job(context, part, -1, documents))
            check(len(styled) <= 1, f"{part.title}: blanks and comments were changed in {sorted(styled)}")
            jobs = [Job(context, part, index, documents, styled) for index in range(context.options.count)]
            here = Outcome()
            for outcome in pool.map(compare_vector, jobs):
                here.add(outcome)
            print(f"  {part.title}: {here}", flush=True)
            total.add(here)
    check(total.moved > 0, "no entry ever changed its place")
    return f"{len(parts)} parts, {context.options.count} vectors each: {total}"


if __name__ == "__main__":
    main(__doc__, body, add_options)
