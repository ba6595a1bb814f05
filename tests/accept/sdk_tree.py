"""Runs the generator of an SDK in a copy of its platform folder, and reads what it wrote."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

from facts import Deviation, converted, deviations_of, load_facts, region_of
from support import (DtsNode, Failure, LinkerRegion, MmuEntry, Rows, Skip, check, fail, number, parse_dtsi,
                     parse_header, parse_linker, read, same, without_comments)

VARIABLE = "MEMSIZE_TI_SDK"
TOOLS = Path("tools") / "PyTI_PSDK_RTOS"
GENERATED = re.compile(r"linker_mem_map\w*\.cmd|app_mem_map\.h|k3-.*\.dtsi?|system_memory_map\w*\.html")
UNITS = {"KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}
# The scripts that patch files of a Linux tree name them by these variables; the labels that they look for.
PATCHED = {"ORG_DTS_PATH": ("c7x_0_dma_memory_region", "c7x_0_memory_region", "mcu_r5fss0_core0_dma_memory_region",
                            "mcu_r5fss0_core0_memory_region", "wkup_r5fss0_core0_dma_memory_region",
                            "wkup_r5fss0_core0_memory_region", "rtos_ipc_memory_region"),
           "EDGEAI_DTS_PATH": ("edgeai_memory_region", "edgeai_shared_region", "edgeai_core_heaps")}


class Refusal(Failure):
    """These values break an assertion of the SDK's script, or make it write a negative size."""


@dataclass(frozen=True)
class Script:
    """One generator of the SDK."""
    board: str
    vision_apps: Path
    soc: str
    name: str

    @property
    def folder(self) -> Path:
        return self.vision_apps / "platform" / self.soc / "rtos"

    def text(self) -> str:
        return read(self.folder / self.name)


@dataclass
class Generated:
    """What a generator wrote."""
    linker: dict[str, dict[str, LinkerRegion]] = field(default_factory=dict)
    macros: dict[str, int] = field(default_factory=dict)
    nodes: dict[str, DtsNode] = field(default_factory=dict)
    # First and last byte of each row.
    html: dict[str, tuple[int, int]] = field(default_factory=dict)
    mmu: dict[str, list[MmuEntry]] = field(default_factory=dict)
    warnings: set[str] = field(default_factory=set)
    files: int = 0
    mended: int = 0


def find_vision_apps() -> Path:
    # The first of several trees.
    named = os.environ.get(VARIABLE, "").partition(":")[0]
    if not named:
        raise Skip(f"{VARIABLE} does not name a Processor SDK")
    for folder in (Path(named) / "vision_apps", Path(named)):
        if (folder / "platform").is_dir() and (folder / TOOLS).is_dir():
            return folder.resolve()
    fail(f"{VARIABLE}={named}: neither it nor its vision_apps has platform/ and {TOOLS}")


def constants(text: str) -> dict[str, str]:
    """The script's constants: the last assignment of each, as it is written."""
    return {match[1]: match[2].strip() for match in
            re.finditer(r"^(\w+)[ \t]*=(?!=)[ \t]*([^;#\n]*)", text, flags=re.M)}


def value_of(expression: str) -> int:
    """A sum or product of literals with KB, MB and GB."""
    check(re.fullmatch(r"(?:[\s\d+*()-]|0x[0-9A-Fa-f]+|[KMG]B)+", expression), f"{expression!r} is not a literal size")
    return int(eval(expression, {"__builtins__": {}}, UNITS))  # noqa: S307 - only digits, units and operators


def edited(text: str, values: dict[str, int]) -> str:
    """The script with other values in the last assignment of each constant, which is the one that counts."""
    for name, value in values.items():
        places = list(re.finditer(rf"^{name}[ \t]*=(?!=).*$", text, flags=re.M))
        check(places, f"the script has no constant {name}")
        last = places[-1]
        text = text[:last.start()] + f"{name} = {value:#x};" + text[last.end():]
    return text


def generate(script: Script, values: dict[str, int], work: Path) -> Generated:
    """Runs the edited script in a fresh copy of its folder, without anything that it writes."""
    shutil.rmtree(work, ignore_errors=True)
    folder = work / script.soc / "rtos"
    for path in script.folder.rglob("*"):
        if path.suffix in (".py", ".syscfg"):
            copy = folder / path.relative_to(script.folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    (folder / script.name).write_text(edited(script.text(), values), encoding="utf-8")
    result = Generated()
    result.warnings = run_script(script, folder, write_stubs(work))
    read_generated(result, folder)
    read_patched(result, script, folder, work)
    return result


def write_stubs(work: Path) -> dict[str, str]:
    """Device trees with an empty node for each label that the script replaces."""
    for variable, labels in PATCHED.items():
        nodes = "\n".join(f"{label}: stub {{\n}};" for label in labels)
        (work / variable).write_text(nodes + "\n", encoding="utf-8")
    return {variable: str(work / variable) for variable in PATCHED}


def run_script(script: Script, folder: Path, stubs: dict[str, str]) -> set[str]:
    """The overlap warnings that it prints."""
    environment = {**os.environ, **stubs, "PYTHONPATH": str(script.vision_apps / TOOLS), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, script.name], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=120)
    if done.returncode != 0 and "AssertionError" in done.stderr:
        raise Refusal(done.stderr.strip())
    check(done.returncode == 0, f"{script.name} of {script.soc}: exit {done.returncode}: {done.stderr[-500:]}")
    return {line for line in done.stdout.splitlines() if line.startswith("WARNING")}


def read_generated(result: Generated, folder: Path) -> None:
    """Every file that the script wrote; one of an unknown kind is a failure."""
    for path in sorted(path for path in folder.rglob("*") if GENERATED.fullmatch(path.name)):
        what = f"SDK's {path.relative_to(folder)}"
        if "0x-" in read(path):
            raise Refusal(f"{what} has a negative number")
        if path.suffix == ".cmd":
            check(path.parent.name not in result.linker, f"{what}: a second linker map of this core")
            result.linker[path.parent.name] = parse_linker(read(path), what)
        elif path.suffix == ".h":
            result.macros = parse_header(read(path), what)
        elif path.suffix in (".dtsi", ".dts"):
            text, result.mended = mended(without_instructions(read(path)))
            result.nodes = parse_dtsi(text, what)
        else:
            result.html = html_rows(read(path), what)
        result.files += 1
    check(result.linker and result.macros and result.html, f"{folder}: the generator did not write everything")


def read_patched(result: Generated, script: Script, folder: Path, work: Path) -> None:
    """Files that exist before and that some scripts patch: device trees, and the C7x's sysconfig."""
    for variable, labels in PATCHED.items():
        text = read(work / variable)
        if "stub" not in text:
            nodes = parse_dtsi(text, f"SDK's {variable}")
            same(f"SDK's {variable}: labels", sorted(nodes), sorted(labels))
            check(not set(nodes) & set(result.nodes), f"SDK's {variable}: labels twice")
            result.nodes.update(nodes)
            result.files += 1
    for path in sorted(folder.glob("c7x_*/*.syscfg")):
        if path.read_bytes() != (script.folder / path.relative_to(folder)).read_bytes():
            result.mmu[path.parent.name] = sysconfig_entries(read(path))
            result.files += 1
    check(result.nodes, f"{folder}: no device-tree node")


def without_instructions(text: str) -> str:
    """The generator's comment ends itself early, by a path with an asterisk before its slash."""
    return "\n".join(line for line in text.splitlines() if not line.strip().startswith(("/*", "*")))


def mended(text: str) -> tuple[str, int]:
    """The generator prints the whole number as the low cell of a pair, beside a high cell of 0."""
    def pair(match: re.Match[str]) -> str:
        value = number(match[1])
        return f"{value >> 32:#x} {value & 0xFFFFFFFF:#x}"
    return re.subn(r"\b0x00 (0x[0-9a-f]{9,})", pair, text)


def html_rows(text: str, what: str) -> dict[str, tuple[int, int]]:
    """Name, first and last byte are the first cells of each row."""
    parser = Rows()
    parser.feed(text)
    rows: dict[str, tuple[int, int]] = {}
    for name, first, last, *_ in parser.rows[1:]:
        check(name not in rows, f"{what}: {name} twice")
        rows[name] = (number(first), number(last))
    return rows


def sysconfig_entries(text: str) -> list[MmuEntry]:
    """The MMU entries; what a file of TI's does not say is 0, or MAIR0."""
    found: dict[str, dict[str, str]] = {}
    pattern = r'(mmu_armv8\d+)\.(\$?\w+)\s*=\s*("?)([^";\n]*)\3\s*;'
    for match in re.finditer(pattern, without_comments(text)):
        found.setdefault(match[1], {})[match[2]] = match[4]
    return [MmuEntry(found[key]["$name"], number(found[key].get("vAddr", "0")), number(found[key].get("pAddr", "0")),
                     number(found[key]["size"]), found[key].get("attribute", "MAIR0"))
            for key in sorted(found, key=lambda key: number(key.removeprefix("mmu_armv8")))]


def defines(text: str) -> dict[str, str]:
    return {match[1]: match[2].strip() for match in
            re.finditer(r"^[ \t]*#define[ \t]+(\w+)[ \t]+(.+)$", without_comments(text), flags=re.M)}


def evaluated(expression: str, macros: dict[str, str]) -> int:
    """A sum of literals and macros, as the C preprocessor and the compiler see it."""
    def inserted(match: re.Match[str]) -> str:
        word = match[0]
        return re.sub(r"[uUlL]+$", "", word) if word[0].isdigit() else f"({evaluated(macros[word], macros)})"
    text = re.sub(r"\w+", inserted, expression)
    check(re.fullmatch(r"[0-9a-fA-Fx\s()+-]+", text), f"{expression!r} is not a sum of literals and macros")
    return int(eval(text, {"__builtins__": {}}))  # noqa: S307 - only numbers and operators


def source_entries(script: Script, core: str, macros: dict[str, int]) -> list[MmuEntry]:
    """The calls of Mmu_map in the firmware's main.c, in their order, with the macros of a header."""
    text = without_comments(read(script.folder / core / "main.c"))
    known = {**defines(text), **{name: hex(value) for name, value in macros.items()}}
    found = re.search(r"void\s+appMmuMap\(Bool is_secure\)\s*\{(.*?)\nmmu_exit:", text, flags=re.S)
    check(found, f"{script.soc}: {core}/main.c has no appMmuMap")
    body = re.sub(r"#if 0\b.*?#endif", "", found[1] if found else "", flags=re.S)
    entries, attribute = [], ""
    for match in re.finditer(r"attrIndx\s*=\s*Mmu_AttrIndx_(MAIR\d)\s*;|Mmu_map\(([^;]*),\s*&attrs\s*,", body):
        attribute = match[1] or attribute
        if match[2]:
            virtual, physical, size = (evaluated(part, known) for part in match[2].split(","))
            entries.append(MmuEntry("", virtual, physical, size, attribute))
    same(f"{script.soc}: {core}/main.c: calls of Mmu_map", len(entries), body.count("Mmu_map("))
    return entries


def corrected(result: Generated, board: str) -> Generated:
    """With this project's answer wherever exceptions.json names a contradiction of TI's."""
    moves = deviations_of(board, "moves")
    places = {deviation.name: place_of(result, deviation.script or {}) for deviation in moves}
    for deviation in moves:
        same(f"{deviation.title}: origin by TI", first_of(result, deviation.name), places[deviation.name])
    for deviation in moves:
        move(result, deviation.name, place_of(result, deviation.ours))
    for deviation in deviations_of(board, "region"):
        correct_region(result, deviation)
    labels = {carveout.name: carveout.label for carveout in load_facts(board).carveouts}
    for deviation in deviations_of(board, "carveout"):
        correct_node(result, deviation, labels[deviation.name])
    return result


def first_of(result: Generated, name: str) -> int:
    return first_and_size(result, name)[0]


def first_and_size(result: Generated, name: str) -> tuple[int, int]:
    """Of a region that has one address for all."""
    found = {(lines[name].origin, lines[name].length) for lines in result.linker.values() if name in lines}
    found |= {(first, last + 1 - first) for row, (first, last) in result.html.items() if row == name}
    check(len(found) == 1, f"SDK's {name}: {len(found)} places")
    return found.pop()


def place_of(result: Generated, place: dict[str, str]) -> int:
    return number(place["origin"]) if "origin" in place else sum(first_and_size(result, place["behind"]))


def move(result: Generated, name: str, origin: int) -> None:
    for lines in result.linker.values():
        if name in lines:
            lines[name] = replace(lines[name], origin=origin)
    if name in result.html:
        first, last = result.html[name]
        result.html[name] = (origin, last - first + origin)
    if f"{name}_ADDR" in result.macros:
        result.macros[f"{name}_ADDR"] = origin


def correct_region(result: Generated, deviation: Deviation) -> None:
    """Addresses move with the knobs, so that it is their difference that counts."""
    if deviation.script is None:
        region = region_of({"name": deviation.name, **deviation.ours})
        check(deviation.name not in result.html, f"{deviation.title}: TI has it")
        line = LinkerRegion(region.attributes, region.origin, region.length)
        place_region(result, deviation.name, line, region.cores)
        if region.html:
            result.html[deviation.name] = (region.origin, region.origin + region.length - 1)
        return
    script, ours = converted(deviation.script), converted(deviation.ours)
    cores = tuple(core for core, lines in result.linker.items() if deviation.name in lines)
    same(f"{deviation.title}: cores by TI", cores, script.get("cores", cores))
    check(cores or deviation.name in result.html, f"{deviation.title}: TI does not have it")
    up, longer = (ours.get(key, 0) - script.get(key, 0) for key in ("origin", "length"))
    for core in cores:
        region = result.linker[core].pop(deviation.name)
    if cores:
        moved = replace(region, origin=region.origin + up, length=region.length + longer)
        place_region(result, deviation.name, moved, ours.get("cores", cores))
    if deviation.name in result.html:
        first, last = result.html[deviation.name]
        result.html[deviation.name] = (first + up, last + up + longer)
    for macro, change in ((f"{deviation.name}_ADDR", up), (f"{deviation.name}_SIZE", longer)):
        if macro in result.macros:
            result.macros[macro] += change


def place_region(result: Generated, name: str, region: LinkerRegion, cores: tuple[str, ...]) -> None:
    for core in cores:
        result.linker[core][name] = region


def correct_node(result: Generated, deviation: Deviation, label: str) -> None:
    script, ours = converted(deviation.script or {}), converted(deviation.ours)
    for key, value in script.items():
        same(f"{deviation.title}: {key} by TI", getattr(result.nodes[label], key), value)
    result.nodes[label] = replace(result.nodes[label], **ours)
