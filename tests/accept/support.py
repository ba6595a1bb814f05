"""What the acceptance tests share: arguments, running memsize, reading the files it writes."""

import argparse
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, NoReturn

SOURCE = Path(__file__).resolve().parents[2]
DATA = SOURCE / "tests" / "data" / "ti"
# Under the sanitizers less is tried of what is random.
FEW = bool(os.environ.get("MEMSIZE_FEW_ROUNDS"))
TRACE = SOURCE / "samples" / "j722s-mobilenet" / "trace.log"
MIB = 1 << 20
SKIPPED = 77


class Failure(Exception):
    """A test found something wrong."""


class Skip(Exception):
    """A tool that the test needs is missing."""


def fail(message: str) -> NoReturn:
    raise Failure(message)


def check(condition: object, message: str) -> None:
    if not condition:
        raise Failure(message)


def same(what: str, actual: Any, expected: Any) -> None:
    if actual != expected:
        raise Failure(f"{what}: is {shown(actual)}, expected {shown(expected)}")


def same_keys(what: str, actual: Any, expected: Any) -> None:
    """The two have the same members; the message names those that differ."""
    missing = sorted(set(expected) - set(actual), key=str)
    extra = sorted(set(actual) - set(expected), key=str)
    check(not missing and not extra, f"{what}: missing {missing}, unexpected {extra}")


def shown(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:#x}"
    if isinstance(value, tuple):
        return "(" + ", ".join(shown(part) for part in value) + ")"
    return repr(value)


def number(text: str) -> int:
    return int(text, 0)


@dataclass
class Context:
    memsize: Path
    work: Path
    options: argparse.Namespace

    def run(self, *arguments: object, expect: int | tuple[int, ...] = 0) -> subprocess.CompletedProcess[str]:
        """Runs memsize in the work directory; any other exit status is a failure."""
        command = [str(self.memsize), *map(str, arguments)]
        done = subprocess.run(command, cwd=self.work, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=120, env={**os.environ, "NO_COLOR": "1"})
        allowed = expect if isinstance(expect, tuple) else (expect,)
        check(done.returncode in allowed,
              f"memsize {' '.join(command[1:])}: exit {done.returncode}, expected {allowed}\n"
              f"{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done

    def emit(self, board: str, out: Path, *arguments: object) -> Path:
        self.run("emit", "--board", board, *arguments, "--out", out)
        check(out.is_dir(), f"emit --board {board} did not write {out}")
        return out


def tool(*names: str) -> str:
    for name in names:
        found = shutil.which(name)
        if found:
            return found
    raise Skip(f"{' or '.join(names)} is not installed")


def parse_arguments(description: str, extra: Callable[[argparse.ArgumentParser], None] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--memsize", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path)
    if extra:
        extra(parser)
    return parser.parse_args()


def main(description: str, body: Callable[[Context], str],
         extra: Callable[[argparse.ArgumentParser], None] | None = None) -> NoReturn:
    """Runs a test in a fresh directory below --work, which is kept when the test fails."""
    options = parse_arguments(description, extra)
    name = Path(sys.argv[0]).stem
    memsize = options.memsize.resolve()
    if not os.access(memsize, os.X_OK):
        print(f"{name}: FAILED: {memsize} is not a program")
        sys.exit(1)
    options.work.mkdir(parents=True, exist_ok=True)
    # What memsize keeps for its next run is the tests', not the user's.
    os.environ["XDG_CACHE_HOME"] = str(options.work.resolve() / "cache")
    # Each run of emit does all of its work, also where one before had nothing to do.
    os.environ["MEMSIZE_REMEMBER"] = "0"
    work = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=options.work.resolve()))
    try:
        summary = body(Context(memsize, work, options))
    except Skip as skip:
        shutil.rmtree(work)
        print(f"{name}: skipped: {skip}")
        sys.exit(SKIPPED)
    except (Failure, subprocess.TimeoutExpired) as failure:
        print(f"{name}: FAILED (files in {work}): {failure}")
        sys.exit(1)
    shutil.rmtree(work)
    print(f"{name}: {summary}")
    sys.exit(0)


def read(path: Path) -> str:
    check(path.is_file(), f"{path} is missing")
    return path.read_bytes().decode("utf-8")


def read_json(path: Path) -> Any:
    return parse_json(read(path), str(path))


def parse_json(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        fail(f"{what}: not one JSON document: {error}")


def is_kept_aside(path: Path) -> bool:
    """What memsize remembers of a folder that it wrote to."""
    return ".memsize" in path.parts


def files_of(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*"))
            if path.is_file() and not is_kept_aside(path)}


def times_of(root: Path) -> dict[str, int]:
    return {path.relative_to(root).as_posix(): path.stat().st_mtime_ns for path in root.rglob("*")
            if path.is_file() and not is_kept_aside(path)}


def without_comments(text: str) -> str:
    return re.sub(r"//[^\n]*", " ", re.sub(r"/\*.*?\*/", " ", text, flags=re.S))


def consume(what: str, pattern: str, text: str) -> list[re.Match[str]]:
    """All matches of a pattern that must cover the text but for white space."""
    found, at = [], 0
    for match in re.finditer(pattern, text):
        check(not text[at:match.start()].strip(), f"{what}: unexpected text {text[at:match.start()].strip()[:80]!r}")
        found.append(match)
        at = match.end()
    check(not text[at:].strip(), f"{what}: unexpected text {text[at:].strip()[:80]!r}")
    return found


@dataclass(frozen=True)
class LinkerRegion:
    attributes: str
    origin: int
    length: int

    @property
    def end(self) -> int:
        return self.origin + self.length


MEMORY_LINE = (r"(?P<name>\w+)\s*(?:\(\s*(?P<attributes>[RWIX]*)\s*\))?\s*:\s*ORIGIN\s*=\s*(?P<origin>0x[0-9A-Fa-f]+)"
               r"\s*,\s*LENGTH\s*=\s*(?P<length>0x[0-9A-Fa-f]+)")


def parse_linker(text: str, what: str) -> dict[str, LinkerRegion]:
    """The MEMORY block of a TI linker command file; anything else but comments is a failure."""
    block = re.fullmatch(r"\s*MEMORY\s*\{(.*)\}\s*", without_comments(text), flags=re.S)
    if block is None:
        fail(f"{what}: not exactly one MEMORY block")
    regions: dict[str, LinkerRegion] = {}
    for match in consume(what, MEMORY_LINE, block[1]):
        check(match["name"] not in regions, f"{what}: {match['name']} twice")
        regions[match["name"]] = LinkerRegion(match["attributes"] or "", number(match["origin"]),
                                              number(match["length"]))
    check(regions, f"{what}: no region")
    return regions


def parse_header(text: str, what: str) -> dict[str, int]:
    """The macros of a C header with an include guard."""
    lines = [line.strip() for line in without_comments(text).splitlines() if line.strip()]
    same(f"{what}: include guard", lines[:2] + lines[-1:],
         ["#ifndef APP_MEM_MAP_H", "#define APP_MEM_MAP_H", "#endif"])
    macros: dict[str, int] = {}
    for line in lines[2:-1]:
        match = re.fullmatch(r"#define\s+(\w+)\s+\(\s*(0x[0-9A-Fa-f]+)(?:u|ul|ull)\s*\)", line, flags=re.I)
        if match is None:
            fail(f"{what}: unexpected line {line!r}")
        check(match[1] not in macros, f"{what}: {match[1]} twice")
        macros[match[1]] = number(match[2])
    check(macros, f"{what}: no macro")
    return macros


@dataclass(frozen=True)
class MmuEntry:
    name: str
    virtual: int
    physical: int
    size: int
    attribute: str

    def covers(self, address: int) -> bool:
        return self.virtual <= address < self.virtual + self.size


MMU_OPTIONS = {
    "accessPermissions": {"Privilege RW, User None", "Privilege RW, User RW", "Privilege RO, User None",
                          "Privilege RO, User RO"},
    "privExecute": {"true", "false"},
    "userExecute": {"true", "false"},
    "shareable": {"Non Shareable", "Outer Shareable", "Inner Shareable"},
    "global": {"true", "false"},
    "attribute": {f"MAIR{index}" for index in range(8)},
}


@dataclass
class Syscfg:
    """Instances of mmu_armv8 in the order of their declaration, with every property as text."""
    instances: dict[str, dict[str, str]] = field(default_factory=dict)

    def entries(self, what: str) -> list[MmuEntry]:
        found = []
        for instance, properties in self.instances.items():
            where = f"{what}: {instance}"
            for key in ("$name", "vAddr", "pAddr", "size", "attribute"):
                check(key in properties, f"{where}: no {key}")
            found.append(MmuEntry(properties["$name"], number(properties["vAddr"]), number(properties["pAddr"]),
                                  number(properties["size"]), properties["attribute"]))
        return found


def parse_syscfg(text: str, what: str) -> Syscfg:
    """The MMU instances of a sysconfig script; other modules are passed over."""
    result = Syscfg()
    module = 0
    for statement in filter(None, map(str.strip, without_comments(text).split(";"))):
        if re.fullmatch(r'const\s+mmu_armv8\s*=\s*scripting\.addModule\("/kernel/dpl/mmu_armv8".*\)', statement):
            module += 1
            continue
        declared = re.fullmatch(r"const\s+(mmu_armv8\d+)\s*=\s*mmu_armv8\.addInstance\(\)", statement)
        if declared:
            check(module == 1, f"{what}: {declared[1]} before its module")
            check(declared[1] not in result.instances, f"{what}: {declared[1]} declared twice")
            result.instances[declared[1]] = {}
            continue
        assigned = re.fullmatch(r'(mmu_armv8\d+)\.(\$?\w+)\s*=\s*(?:"([^"]*)"|(\S+))', statement)
        if assigned:
            assign(result, assigned, what)
            continue
        check("mmu_armv8" not in statement, f"{what}: unexpected statement {statement[:80]!r}")
    same(f"{what}: modules", module, 1)
    return result


def assign(result: Syscfg, match: re.Match[str], what: str) -> None:
    instance, key, value = match[1], match[2], match[4] if match[3] is None else match[3]
    check(instance in result.instances, f"{what}: {instance} is not declared")
    properties = result.instances[instance]
    check(key not in properties, f"{what}: {instance}.{key} twice")
    if key in MMU_OPTIONS:
        check(value in MMU_OPTIONS[key], f"{what}: {instance}.{key} cannot be {value!r}")
    elif key in ("vAddr", "pAddr", "size"):
        check(re.fullmatch(r"0x[0-9A-Fa-f]+", value), f"{what}: {instance}.{key} cannot be {value!r}")
    else:
        same(f"{what}: property of {instance}", key, "$name")
    properties[key] = value


@dataclass(frozen=True)
class DtsNode:
    node: str
    compatible: str | None
    base: int
    length: int
    no_map: bool
    alignment: int | None = None


def parse_dtsi(text: str, what: str) -> dict[str, DtsNode]:
    """A list of labelled reserved-memory nodes with two address and two size cells."""
    nodes: dict[str, DtsNode] = {}
    pattern = r"(?P<label>\w+)\s*:\s*(?P<node>[\w,.+@-]+)\s*\{(?P<body>[^{}]*)\}\s*;"
    for match in consume(what, pattern, without_comments(text)):
        label = match["label"]
        check(label not in nodes, f"{what}: label {label} twice")
        nodes[label] = node_of(match["node"], match["body"], f"{what}: {label}")
    check(nodes, f"{what}: no node")
    return nodes


def node_of(name: str, body: str, what: str) -> DtsNode:
    properties: dict[str, str] = {}
    for match in consume(what, r"(?P<key>[\w,.#-]+)(?:\s*=\s*(?P<value>[^;]*?))?\s*;", body):
        check(match["key"] not in properties, f"{what}: {match['key']} twice")
        properties[match["key"]] = match["value"] or ""
    optional = {"compatible", "no-map", "alignment"}
    same_keys(f"{what}: properties", set(properties) | optional, {"reg", *optional})
    check(not properties.get("no-map"), f"{what}: no-map has a value")
    compatible = re.fullmatch(r'"([^"]*)"', properties.get("compatible", '""'))
    if compatible is None:
        fail(f"{what}: compatible is {properties['compatible']!r}")
    high, low, high_length, low_length = cells_of(properties["reg"], 4, f"{what}: reg")
    alignment = cells_of(properties["alignment"], 1, f"{what}: alignment")[0] if "alignment" in properties else None
    return DtsNode(name, compatible[1] or None, high << 32 | low, high_length << 32 | low_length,
                   "no-map" in properties, alignment)


def cells_of(text: str, count: int, what: str) -> list[int]:
    """Cells of 32 bits."""
    cells = re.fullmatch(r"<\s*" + r"\s+".join([r"(0x[0-9A-Fa-f]{1,8})"] * count) + r"\s*>", text)
    if cells is None:
        fail(f"{what}: is {text!r}")
    return [number(cell) for cell in cells.groups()]


class Rows(html.parser.HTMLParser):
    """The texts of every table row."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.in_cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th") and self.rows:
            self.rows[-1].append("")
            self.in_cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr"):
            self.in_cell = False

    def handle_data(self, data: str) -> None:
        if self.in_cell:
            self.rows[-1][-1] += data


class MarkedRows(html.parser.HTMLParser):
    """The attributes of every table row."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[dict[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append({name: value or "" for name, value in attrs})


def parse_html(text: str) -> dict[str, list[tuple[int, int]]]:
    """First and last byte of the rows of each name: as its cores see it, and on the bus."""
    parser = MarkedRows()
    parser.feed(text)
    parser.close()
    found: dict[str, list[tuple[int, int]]] = {}
    for row in parser.rows:
        for base in (row.get("data-v"), row.get("data-a")):
            if base:
                found.setdefault(row["data-r"], []).append((int(base), int(base) + int(row["data-n"]) - 1))
    return found
