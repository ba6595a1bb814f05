"""Whoever follows REBUILD.md's table of files by hand has a tree in which nothing is wrong that was not wrong before.

For parts of each tree: emit --out with sizes of its own, then every row of the table, to the letter: files are copied, statements and
tables replaced, variables of the generator scripts set. check --sdk must find nothing new in the result; without one of the rows it
must, so that none is idle.

Runs where MEMSIZE_TI_SDK names Processor SDKs, separated by colons. A part whose tree is not among them is told.
"""

import hashlib
import re
import shutil
from pathlib import Path

from accept_sdk_sources import trees
from sdk_findings import TREES
from support import Context, Failure, check, main, parse_json

GENERATIONS = {0: "c59a3712", 1: "da7bcc53", 2: "12.0"}
# Board, the board of the other operating system, the tree that it is of, and sizes.
CASES = (
    ("j722s", "j722s-safertos", "12.0", {"c7x_1_ddr_scratch_non_cacheable_size": "24MiB", "mcu2_0_ddr_local_heap_size": "16MiB"}),
    ("j722s-sdk11", "", "da7bcc53", {"c7x_1_ddr_scratch_non_cacheable_size": "24MiB", "mcu2_0_ddr_local_heap_size": "16MiB"}),
    ("j742s2", "", "12.0", {"c7x_2_ddr_scratch_size": "64MiB", "c7x_1_ddr_local_heap_size": "96MiB"}),
    ("am62a", "", "12.0", {"c7x_1_ddr_scratch_size": "96MiB", "ddr_shared_mem_size": "160MiB"}),
    ("j721e", "j721e-safertos", "12.0", {"c7x_1_ddr_scratch_size": "320MiB", "mcu2_1_ddr_local_heap_size": "8MiB"}),
    ("j721s2", "j721s2-safertos", "12.0", {"c7x_1_ddr_local_heap_size": "192MiB", "mcu2_1_ddr_local_heap_size": "8MiB"}),
    ("j784s4", "j784s4-safertos", "12.0", {"c7x_3_ddr_local_heap_size": "64MiB", "c7x_3_ddr_scratch_size": "192MiB"}),
)
UNITS = {"KiB": "KB", "MiB": "MB", "GiB": "GB"}
ROW = re.compile(r"^\| (.+?) \| (.+?) \| (.+?) \|$")
SIZE = re.compile(r"^\| \S+ \| .+? \| ([\d.]+) ([KMG]iB) \| `(\w+)` \|$")
STATEMENTS = r"^[ \t]*(?:const[ \t]+)?{0}\d*\b[^\n]*\n"
# PDK's table of MPU regions, and that of its SafeRTOS port.
TABLE = re.compile(r"^[A-Za-z_][^;={}]*\b(?:gCslR5MpuCfg|gMPUConfigParms)\b[^;{]*=\s*\{.*?^\};", re.M | re.S)


class Follower:
    """One reader of one REBUILD.md."""

    def __init__(self, out: Path, tree: Path, soc: str, is_safertos: bool) -> None:
        self.out, self.tree, self.soc, self.is_safertos = out, tree, soc, is_safertos
        text = (out / "REBUILD.md").read_text(encoding="utf-8")
        check("emit --board" in text and "--sdk DIR" in text, "REBUILD.md does not say that emit --sdk does all of it")
        self.sizes = [found.groups() for found in map(SIZE.match, text.splitlines()) if found]
        table = text[text.index("| file | its place") :].split("\n\n")[0].splitlines()[2:]
        self.rows = [found.groups() for found in map(ROW.match, table) if found]
        check(len(self.rows) == len(table) >= 5, f"rows of the table: {table}")

    def follow(self, leave_out: str = "") -> bool:
        """Whether there is another operating system's map to put there, too."""
        other = False
        for what, place, _ in self.rows:
            if what == leave_out:
                continue
            if what.startswith("what memsize emit writes"):
                other = True
            elif what == "the sizes above":
                self.set_sizes(place)
            else:
                self.put(what.replace("SOC", self.soc), place.replace("SOC", self.soc))
        return other

    def set_sizes(self, place: str) -> None:
        rtos = self.tree / "platform" / self.soc / "rtos"
        for script in sorted(rtos.glob("gen_linker_mem_map*.py")):
            check(script.name in place, f"{script.name} is not named: {place}")
            text = script.read_text(encoding="utf-8")
            for number, unit, name in self.sizes:
                text, count = re.subn(rf"^({name}\s*=\s*)\S[^#\n]*", rf"\g<1>{number}*{UNITS[unit]}", text, flags=re.M)
                check(count == 1, f"{script.name}: {name} is there {count} times")
            script.write_text(text, encoding="utf-8")

    def put(self, what: str, place: str) -> None:
        sources = sorted(self.out.glob(what.replace("CORE", "*")))
        check(sources, f"{what}: emit wrote no such file")
        for source in sources:
            self.put_one(source, place.replace("CORE", source.parent.name))

    def put_one(self, source: Path, place: str) -> None:
        first = place.split(" ")[0].rstrip(",")
        if place.endswith("over the file of that name"):
            target = self.tree / first / source.name
            check(target.is_file(), f"there is no {target}")
            shutil.copyfile(source, target)
        elif "lines in place of" in place:
            modules = re.findall(r"\b(\w+_\w+)(?= and | lines)", place.split("its ")[1])
            pattern = first.rsplit("/", 1)[1]
            older = re.search(r"older: (\S+?)\)", place)
            names = [pattern, *([older[1]] if older else [])]
            if self.is_safertos:
                names = [re.search(r"SafeRTOS: (\S+?)[;)]", place)[1]]
            folder = self.tree / first.rsplit("/", 1)[0]
            targets = sorted(path for name in names for path in folder.glob(name))
            check(targets, f"{folder} has none of {names}")
            for target in targets:
                self.replace_lines(source, target, modules)
        elif "its table in place of" in place:
            name = re.search(r"SafeRTOS: (\S+?)\)", place)[1] if self.is_safertos else first.rsplit("/", 1)[1]
            target = self.tree / first.rsplit("/", 1)[0] / name
            # A core that its SDK does not build for this system has no file of it at all.
            if not target.is_file() and not [*target.parent.glob("*safertos*" if self.is_safertos else "*freertos*")]:
                check("where the SDK has no such file" in place, f"there is no {target}, and nothing says so: {place}")
                return
            ours = TABLE.search(source.read_text(encoding="utf-8"))
            text = target.read_text(encoding="utf-8")
            check(ours is not None and TABLE.search(text) is not None, f"no table in {source} or {target}")
            target.write_text(TABLE.sub(lambda _: ours[0], text, count=1), encoding="utf-8")
        else:
            name = re.search(r"SafeRTOS: (\S+?)\)", place)
            shutil.copyfile(source, self.tree / (first if not self.is_safertos or name is None else f"{first.rsplit('/', 1)[0]}/{name[1]}"))

    @staticmethod
    def replace_lines(source: Path, target: Path, modules: list[str]) -> None:
        text, ours = target.read_text(encoding="utf-8"), source.read_text(encoding="utf-8")
        for module in modules:
            lines = re.compile(STATEMENTS.format(re.escape(module)), re.M)
            there = lines.search(text)
            mine = "".join(found[0] for found in lines.finditer(ours))
            if there is None and not mine:
                continue
            at = there.start() if there else len(text)
            text = text[:at] + mine + lines.sub("", text[at:])
        target.write_text(text, encoding="utf-8")


def findings(context: Context, tree: Path, soc: str) -> list[str]:
    done = context.run("check", "--no-project", "--sdk", tree, "--soc", soc, "--json", expect=(0, 1))
    return sorted(f"{item['code']}: {item['message']}" for item in parse_json(done.stdout, "check --json")["diagnostics"])


def without_numbers(finding: str) -> str:
    return re.sub(r"0x[0-9A-Fa-f]+|\d[\d.]*( [KMG]iB)?", "#", finding)


def follow_all(context: Context, original: Path, case: tuple[str, str, str, dict[str, str]], leave_out: str) -> tuple[list[str], list[str]]:
    """What is wrong in the tree afterwards, and what of that was not before."""
    board, other, _, sizes = case
    soc = board.split("-")[0]
    tree = context.work / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(original / "platform" / soc, tree / "platform" / soc, symlinks=True)
    known = {without_numbers(finding) for finding in findings(context, tree, soc)}
    words = [word for knob, size in sizes.items() for word in ("--set", f"{knob}={size}")]
    for name in filter(None, (board, other)):
        out = context.work / name
        shutil.rmtree(out, ignore_errors=True)
        context.run("emit", "--no-project", "--board", name, *words, "--out", out)
        wants_other = Follower(out, tree, soc, name.endswith("safertos")).follow(leave_out)
        safe = (tree / "platform" / soc / "rtos" / "gen_linker_mem_map_safertos.py").is_file()
        check(not (wants_other and safe) or other or board.endswith("sdk11"), f"{board}: no board for the other operating system")
    after = findings(context, tree, soc)
    return after, [finding for finding in after if without_numbers(finding) not in known]


def found_trees() -> dict[str, Path]:
    found = {}
    for root in trees():
        script = root / "platform" / "j722s" / "rtos" / "gen_linker_mem_map.py"
        known = TREES.get(hashlib.sha256(script.read_bytes()).hexdigest()) if script.is_file() else None
        if known is not None:
            found[GENERATIONS[known]] = root
    return found


def body(context: Context) -> str:
    found = found_trees()
    followed = 0
    for case in CASES:
        board, _, generation, _ = case
        if generation not in found:
            print(f"{board}: MEMSIZE_TI_SDK names no tree of {generation}", flush=True)
            continue
        whole, new = follow_all(context, found[generation], case, "")
        if new:
            raise Failure(f"{board}: wrong after all rows of the table: {new}")
        # What nobody checks is no row: a map for people, and what is the other system's.
        rows = Follower(context.work / board, found[generation], board.split("-")[0], False).rows
        for what in (row[0] for row in rows if row[0] != "system_memory_map.html" and not row[0].startswith("what ")):
            after, _ = follow_all(context, found[generation], case, what)
            check({*after} - {*whole}, f"{board}: nothing is wrong without the row of '{what}'")
        followed += len(rows)
    check(followed > 0, "no tree of a known generation")
    return f"{followed} rows of {len(CASES)} tables followed to the letter: nothing new is wrong, and each row is needed"


if __name__ == "__main__":
    main(__doc__, body)
