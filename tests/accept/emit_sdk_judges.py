"""What the files of an edited SDK tree say to those who use them: a C compiler, dtc, node.js, and readers of our own."""

import json
import re
import subprocess
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Iterator

from accept_dtc import source
from accept_sdk_program import DEFAULTS, compiled, effective
from emit_sdk import Tree
from fdt import cells, parse_fdt
from sdk_tree import html_rows, without_instructions
from support import (LinkerRegion, check, number, parse_dtsi, parse_linker, read, same, same_keys, tool,
                     without_comments)

HERE = Path(__file__).resolve().parent
GIB = 1 << 30
DDR = 0x80000000
NON_CACHED = {"MAIR0", "MAIR4"}


def macros_of(tree: Tree) -> dict[str, int]:
    """Somebody's own lines are passed over."""
    macros: dict[str, int] = {}
    for match in re.finditer(r"^#define\s+(\w+)\s+\(\s*(0x[0-9A-Fa-f]+)[uUlL]+\s*\)[ \t\r]*$",
                             without_comments(read(tree.below("app_mem_map.h"))), flags=re.M):
        check(match[1] not in macros, f"app_mem_map.h: {match[1]} twice")
        macros[match[1]] = number(match[2])
    check(macros, "app_mem_map.h: no macro")
    return macros


def linker_of(tree: Tree, path: str) -> dict[str, LinkerRegion]:
    # Somebody who edited one by hand left out a comma, which the linker takes.
    return parse_linker(re.sub(r"(ORIGIN\s*=\s*0x\w+)\s+LENGTH", r"\1 , LENGTH", read(tree.below(path))), path)


def nodes_of(tree: Tree, path: str) -> dict[str, tuple[int, int]]:
    nodes = parse_dtsi(without_instructions(read(tree.below(path))), path)
    return {label: (node.base, node.length) for label, node in nodes.items()}


# --- consumers --------------------------------------------------------------------------------------------


def compiled_macros(tree: Tree, work: Path) -> dict[str, int]:
    """What a C program sees."""
    names = list(macros_of(tree))
    lines = "".join(f'    printf("{name} %llu\\n", (unsigned long long)({name}));\n' for name in names)
    (work / "show.c").write_text(f'#include <stdio.h>\n#include "app_mem_map.h"\nint main(void) {{\n{lines}    return 0;\n}}\n')
    built = subprocess.run([tool("gcc", "cc", "clang"), "-Wall", "-Wextra", "-Werror", f"-I{tree.rtos}", str(work / "show.c"), "-o",
                            str(work / "show")], capture_output=True, text=True, timeout=60)
    check(built.returncode == 0, f"app_mem_map.h: {built.stderr[:800]}")
    printed = subprocess.run([str(work / "show")], capture_output=True, text=True, timeout=60, check=True).stdout
    return {name: int(value) for name, value in (line.split() for line in printed.splitlines())}


def compiled_nodes(tree: Tree, path: str, work: Path) -> dict[str, tuple[int, int]]:
    """What dtc makes of the nodes, by label."""
    text = without_instructions(read(tree.below(path)))
    labels = list(nodes_of(tree, path))
    dts, dtb = work / "tree.dts", work / "tree.dtb"
    dts.write_text(source(text, labels), encoding="utf-8")
    dtb.unlink(missing_ok=True)
    done = subprocess.run([tool("dtc"), "-@", "-I", "dts", "-O", "dtb", "-o", str(dtb), str(dts)], capture_output=True, text=True,
                          timeout=60)
    # Some of the SDK's nodes have a reg but no unit address, and node names that are not dtc's taste; a wrong one is an error.
    bad = [line for line in done.stderr.splitlines() if "ERROR" in line or "simple_bus_reg" in line or "FATAL" in line]
    check(done.returncode == 0 and not bad, f"dtc on {path}: exit {done.returncode}: {done.stderr[:800]}")
    blob = parse_fdt(dtb.read_bytes())
    found = {}
    for label in labels:
        node = blob["/__symbols__"][label].rstrip(b"\0").decode()
        high, low, length_high, length_low = cells(blob[node]["reg"])
        found[label] = (high << 32 | low, length_high << 32 | length_low)
        unit = re.search(r"@([0-9a-f]+)$", node)
        check(unit is None or int(unit[1], 16) == found[label][0], f"{path}: {node} begins at {found[label][0]:#x}")
    return found


@cache
def dumped(texts: tuple[str, ...]) -> tuple[dict[str, Any], ...]:
    done = subprocess.run([tool("node", "nodejs"), str(HERE / "syscfg_dump.js")], input=json.dumps(texts), capture_output=True,
                          text=True, timeout=60, check=True)
    return tuple(json.loads(done.stdout))


def syscfg_files(tree: Tree) -> list[str]:
    return sorted(path.relative_to(tree.rtos).as_posix() for path in tree.rtos.rglob("*.syscfg"))


def syscfg_of(tree: Tree, path: str) -> dict[str, dict[str, dict[str, Any]]]:
    """What node.js makes of it: module, then instance as the SDK's files call it, then properties."""
    # All of the tree at once.
    paths = syscfg_files(tree)
    dump = dumped(tuple(tree.below(each).read_bytes().decode("utf-8") for each in paths))[paths.index(path)]
    check("modules" in dump, f"{path}: node.js: {dump.get('problem')}")
    found = {}
    for module in dump["modules"]:
        name = module["path"].split("/")[-1]
        found[name] = {f"{name}{row}": one for row, one in enumerate(module["instances"], 1)}
    return found


def check_consumers(tree: Tree, dts: str | None, work: Path) -> int:
    """Each says the same as our own reading. How many values."""
    macros = compiled_macros(tree, work)
    same_keys("macros", macros, macros_of(tree))
    for name, value in macros_of(tree).items():
        same(f"app_mem_map.h by a C compiler: {name}", macros[name], value)
    count = len(macros)
    if dts:
        nodes, ours = compiled_nodes(tree, dts, work), nodes_of(tree, dts)
        for label, place in ours.items():
            same(f"{dts} by dtc: {label}", nodes[label], place)
        count += len(nodes)
    for path in syscfg_files(tree):
        count += sum(map(len, syscfg_of(tree, path).values()))
    return count


# --- one with the other -----------------------------------------------------------------------------------


def check_page(tree: Tree, page: str, regions: dict[str, LinkerRegion]) -> None:
    rows = html_rows(read(tree.below(page)), page)
    for name, (first, last) in rows.items():
        if name in regions:
            same(f"{page}: {name}", (first, last), (regions[name].origin, regions[name].end - 1))


def check_agreement(tree: Tree, systems: dict[str, str], page_of: dict[str, str]) -> int:
    """Linker maps, header and page of one part, all systems: one place for one name (and one core)."""
    macros, count = macros_of(tree), 0
    for system, pattern in systems.items():
        known: dict[str, LinkerRegion] = {}
        for path in sorted(tree.rtos.glob(f"*/{pattern}")):
            for name, region in linker_of(tree, path.relative_to(tree.rtos).as_posix()).items():
                where = f"{path.parent.name}/{path.name}: {name}"
                if f"{name}_ADDR" in macros:
                    same(f"{where}, by the header", (region.origin, region.length), (macros[f"{name}_ADDR"], macros[f"{name}_SIZE"]))
                same(f"{where}, by another core", known.setdefault(name, region), region)
                count += 1
        check(known, f"{system}: no linker map {pattern}")
        check_page(tree, page_of[system], known)
    return count


def check_entries(what: str, entries: list[dict[str, Any]], regions: dict[str, LinkerRegion], physical: dict[str, int],
                  covers: dict[str, tuple[str, ...]]) -> None:
    """Each entry is the hull of what it is there for, and no more."""
    known = {entry["$name"]: entry for entry in entries}
    for name, members in covers.items():
        first, end = min(regions[one].origin for one in members), max(regions[one].end for one in members)
        entry = known[name]
        lowest = min(members, key=lambda one: regions[one].origin)
        same(f"{what}: {name}: virtual, physical, size", (entry["vAddr"], entry["pAddr"], entry["size"]),
             (first, physical.get(lowest, first), end - first))


# --- what a core programs, by painting --------------------------------------------------------------------


def mmu_reach(entries: list[dict[str, Any]], address: int) -> tuple[int, str] | None:
    """Where an address leads, and how: the last entry that has it."""
    for entry in reversed(entries):
        if entry["vAddr"] <= address < entry["vAddr"] + entry["size"]:
            return entry["pAddr"] + address - entry["vAddr"], entry["attribute"]
    return None


def mmu_entries(tree: Tree, path: str) -> list[dict[str, Any]]:
    return [effective("mmu_armv8", one) for one in syscfg_of(tree, path)["mmu_armv8"].values()]


def edges(entries: list[tuple[int, int]], first: int, end: int) -> list[int]:
    """One address of each stretch of [first, end) in which no range begins or ends."""
    cuts = {first} | {cut for start, size in entries for cut in (start, start + size) if first < cut < end}
    return sorted(cuts | {end - 1})


def check_mmu(what: str, entries: list[dict[str, Any]], regions: dict[str, LinkerRegion], physical: dict[str, int],
              non_cached: set[str]) -> int:
    """Each region of the core's linker map, over its whole length."""
    ranges = [(entry["vAddr"], entry["size"]) for entry in entries]
    for name, region in regions.items():
        for address in edges(ranges, region.origin, region.end):
            reached = mmu_reach(entries, address)
            check(reached, f"{what}: {name} is not mapped at {address:#x}")
            assert reached is not None
            same(f"{what}: {name}: where {address:#x} leads", reached[0], physical.get(name, region.origin) + address - region.origin)
            same(f"{what}: {name}: {reached[1]} at {address:#x} is not cached", reached[1] in NON_CACHED, name in non_cached)
    return len(regions)


def check_mpu(what: str, regions: list[dict[str, Any]], areas: dict[str, LinkerRegion], non_cached: set[str]) -> int:
    """The same for an MPU: `kind` is TEX, C, B, S of each; the last one that has an address counts."""
    pieces = []
    for region in regions:
        size = 1 << region["size"]
        check(region["baseAddr"] % size == 0, f"{what}: {region['baseAddr']:#x} is no multiple of {size:#x}")
        for part in range(8):
            if size >= 256 and not region["subregionDisableMask"] >> part & 1:
                pieces.append((region["baseAddr"] + part * size // 8, size // 8, region["kind"]))
    ranges = [(start, size) for start, size, _ in pieces]
    for name, area in areas.items():
        for address in edges(ranges, area.origin, min(area.end, 4 * GIB)):
            kinds = [kind for start, size, kind in pieces if start <= address < start + size]
            check(kinds, f"{what}: {name} is not mapped at {address:#x}")
            same(f"{what}: {name}: TEX, C, B, S {kinds[-1]} at {address:#x} is not cached", not (kinds[-1][1] or kinds[-1][2]),
                 name in non_cached)
    return len(areas)


Sight = dict[tuple[str, str], frozenset[tuple[Any, ...]]]


def mpu_sight(tree: Tree) -> Sight:
    """How each MPU file shows each region of its core's linker map: every TEX, C, B, S that is found in it."""
    found: Sight = {}
    for path, name, regions in mpu_files(tree):
        system = "safertos" if "safertos" in path.name else "freertos"
        maps = [path.parent / f"linker_mem_map{end}.cmd" for end in (f"_{system}", "")]
        lines = linker_of(tree, next(one for one in maps if one.is_file()).relative_to(tree.rtos).as_posix())
        for region, place in lines.items():
            if DDR <= place.origin < 4 * GIB:
                found[name, region] = frozenset(kinds_in(regions, place))
    return found


def mpu_files(tree: Tree) -> Iterator[tuple[Path, str, list[dict[str, Any]]]]:
    """Each file with MPU regions that is built, its path below the part, and the regions."""
    for path in sorted(tree.rtos.glob("*/*")):
        name, text = path.relative_to(tree.rtos).as_posix(), read(path) if path.suffix in (".c", ".syscfg") else ""
        if path.suffix == ".syscfg" and "mpu_armv7" in text:
            yield path, name, mpu_regions(tree, name)
        elif path.name.endswith("_mpu_cfg.c") and not list(path.parent.glob("*.syscfg")):
            yield path, name, table_regions(tree, name, text)


Painted = dict[str, list[tuple[int, int, tuple[Any, ...]]]]


def mpu_painted(tree: Tree) -> Painted:
    """What each MPU file makes of all 4 GiB: base, end, and TEX, C, B, S and execution of each piece."""
    return {name: painted(regions) for _, name, regions in mpu_files(tree)}


def painted(regions: list[dict[str, Any]]) -> list[tuple[int, int, tuple[Any, ...]]]:
    ranges = [(base, size, (*region["kind"], region["allowExecute"])) for region in regions for base, size in parts_of(region)]
    cuts = sorted({0, 4 * GIB} | {cut for base, size, _ in ranges for cut in (base, base + size) if cut < 4 * GIB})
    pieces: list[tuple[int, int, tuple[Any, ...]]] = []
    for base, end in zip(cuts, cuts[1:]):
        pieces.append((base, end, next((kind for first, size, kind in reversed(ranges) if first <= base < first + size), ())))
    return pieces


def check_painted(what: str, before: Painted, after: Painted, named: dict[str, list[tuple[int, int]]]) -> int:
    """Nothing is shown otherwise than before, of all that a core can address, but what findings named: by file, ranges."""
    same_keys(f"{what}: MPU files", after, before)
    count = 0
    for name, pieces in before.items():
        for base, end, kind in pieces:
            for first, last, now in after[name]:
                low, high = max(base, first), min(end, last)
                if low >= high or now == kind:
                    continue
                named_too = sorted(one for one in named.get(name, []) if one[0] < high and low < one[1])
                at = low
                for begin, close in named_too:
                    check(begin <= at, f"{what}: {name}: {at:#x} to {begin:#x} was TEX, C, B, S, X {kind}, and is {now}")
                    at = max(at, close)
                check(at >= high, f"{what}: {name}: {at:#x} to {high:#x} was TEX, C, B, S, X {kind}, and is {now}")
                count += 1
    return count


def parts_of(region: dict[str, Any]) -> list[tuple[int, int]]:
    """Base and size of what is not switched off."""
    size = 1 << region["size"]
    parts = [part for part in range(8) if not region["subregionDisableMask"] >> part & 1] if size >= 256 else range(0)
    return [(region["baseAddr"] + part * size // 8, size // 8) for part in parts]


def table_regions(tree: Tree, name: str, text: str) -> list[dict[str, Any]]:
    driver: Any = SimpleNamespace(compiler=tool("gcc", "cc", "clang"))
    regions, _ = compiled(driver, name, text, read(tree.below("app_mem_map.h")), "gCslR5MpuCfg" in text)
    return [{"baseAddr": one["base"], "size": one["size"].bit_length() - 1, "subregionDisableMask": one["disabled"],
             "allowExecute": one["execute"],
             "kind": (one["tex"], one["cacheable"], one["bufferable"], one["shareable"])} for one in regions]


def kinds_in(regions: list[dict[str, Any]], place: LinkerRegion) -> set[tuple[Any, ...]]:
    pieces = [(base, size, region["kind"]) for region in regions for base, size in parts_of(region)]
    kinds: set[tuple[Any, ...]] = set()
    for address in edges([(start, size) for start, size, _ in pieces], place.origin, min(place.end, 4 * GIB)):
        over = [kind for start, size, kind in pieces if start <= address < start + size]
        tex, c, b, shareable = over[-1] if over else (None, False, False, False)
        # Strongly ordered memory is shareable whatever the bit says.
        kinds.add((tex, c, b, shareable if c or b or tex else True))
    return kinds


def check_sight(what: str, before: Sight, after: Sight, wrong: set[tuple[str, str]]) -> int:
    """Who saw a region in one way sees it so afterwards: an edit moves memory, it does not change what it is for.

    What was wrong before, by file and region, may be right now.
    """
    same_keys(f"{what}: regions in MPU files", after, before)
    for key, kinds in before.items():
        if len(kinds) == 1 and key not in wrong:
            same(f"{what}: {key[0]}: {key[1]}: TEX, C, B, S", sorted(after[key], key=str), sorted(kinds, key=str))
    return len(before)


def mpu_regions(tree: Tree, path: str) -> list[dict[str, Any]]:
    check(DEFAULTS["mpu_armv7"]["size"] == 32, "sysconfig's default")
    return [effective("mpu_armv7", one) for one in syscfg_of(tree, path)["mpu_armv7"].values()]


def value_of(text: Any) -> Any:
    """A property as the cases write it, as node.js has it."""
    if text in ("true", "false"):
        return text == "true"
    return number(text) if isinstance(text, str) and re.fullmatch(r"0x[0-9A-Fa-f]+|\d+", text) else text
