"""Compares every file of an output tree with what a board's files must say."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from facts import Board, Carveout, Region
from support import (DtsNode, LinkerRegion, MmuEntry, check, number, parse_dtsi, parse_header, parse_html,
                     parse_linker, parse_syscfg, read, read_json, same, same_keys)

DDR_START = 0x80000000
NON_CACHED = {"MAIR0", "MAIR4"}
CACHED = {"MAIR7"}
# Memories that their own core alone sees, at an address that means something else on the bus.
OWN_CORE = ("R5F_TCM", "L2RAM_C66x")


def linker_of(board: Board, out: Path, core: str) -> dict[str, LinkerRegion]:
    path = out / core / board.linker_files[core]
    return parse_linker(read(path), str(path))


def header_of(out: Path) -> dict[str, int]:
    return parse_header(read(out / "app_mem_map.h"), "app_mem_map.h")


def dtsi_path(out: Path) -> Path:
    return out / read_json(out / "memory_map.json")["files"]["dts"]


def dtsi_of(out: Path) -> dict[str, DtsNode]:
    path = dtsi_path(out)
    return parse_dtsi(read(path), path.name)


def mmu_of(out: Path, core: str) -> list[MmuEntry]:
    name = f"{core}/mmu.syscfg"
    syscfg = parse_syscfg(read(out / name), name)
    same(f"{name}: instances", list(syscfg.instances), [f"mmu_armv8{n}" for n in range(1, len(syscfg.instances) + 1)])
    for instance, properties in syscfg.instances.items():
        if re.fullmatch(r"DDR_C7x_\d_DTS", properties.get("$name", "")):
            check(properties.get("privExecute", "true") == "true", f"{name}: {instance}: code must be executable")
    return syscfg.entries(name)


def mmu_map_of(out: Path, core: str) -> list[MmuEntry]:
    """What the hardware does: ranges in ascending order, none over another."""
    name = f"{core}/mmu_map.json"
    document = read_json(out / name)
    same(f"{name}: schema", document.get("schema"), "memsize.mmu/1")
    same(f"{name}: core", document.get("core"), core)
    ranges = [MmuEntry(item["entry"], number(item["virtual"]), number(item["physical"]), item["size_bytes"],
                       f"MAIR{item['mair']}") for item in document["ranges"]]
    check(ranges, f"{name}: no range")
    for first, second in zip(ranges, ranges[1:]):
        check(first.size > 0 and first.virtual + first.size <= second.virtual,
              f"{name}: {first} and {second} are not one behind the other")
    return ranges


def compare_linker(board: Board, out: Path) -> int:
    lines = 0
    for core in board.cores:
        actual, expected = linker_of(board, out, core), board.linker(core)
        same_keys(f"{core} linker map", actual, expected)
        for name, region in expected.items():
            same(f"{core} linker map: {name} (origin, length)", (actual[name].origin, actual[name].length),
                 (region.origin, region.length))
            same(f"{core} linker map: attributes of {name}", actual[name].attributes, region.attributes)
        lines += len(actual)
    maps = {path.parent.name for path in out.glob("*/linker*")}
    same_keys("folders with a linker map", maps, board.cores)
    return lines


def compare_header(board: Board, out: Path) -> int:
    actual, expected = header_of(out), board.macros()
    same_keys("app_mem_map.h", actual, expected)
    for name, value in expected.items():
        same(f"app_mem_map.h: {name}", actual[name], value)
    return len(actual)


def compare_dtsi(board: Board, out: Path) -> int:
    if board.dts_file:
        same("dtsi: file name", dtsi_path(out).name, board.dts_file)
    actual = dtsi_of(out)
    same_keys("dtsi labels", actual, [carveout.label for carveout in board.carveouts])
    for carveout in board.carveouts:
        compare_node(f"dtsi: {carveout.label}", actual[carveout.label], carveout)
    return len(actual)


def compare_node(what: str, node: DtsNode, carveout: Carveout) -> None:
    same(f"{what}: node", node.node, carveout.full_node)
    same(f"{what}: compatible", node.compatible, carveout.compatible)
    same(f"{what}: reg", (node.base, node.length), (carveout.origin, carveout.length))
    same(f"{what}: no-map", node.no_map, carveout.no_map)
    same(f"{what}: alignment", node.alignment, carveout.alignment)


def html_of(out: Path) -> dict[str, list[tuple[int, int]]]:
    return parse_html(read(out / "system_memory_map.html"))


def compare_html(board: Board, out: Path) -> int:
    """Every region has its row."""
    rows = html_of(out)
    for region in board.regions:
        ends = (region.origin, region.origin + region.length - 1)
        check(ends in rows.get(region.name, []), f"html: no row of {region.name} from {ends[0]:#X} to {ends[1]:#X}: "
              f"{[tuple(map(hex, row)) for row in rows.get(region.name, [])]}")
    same("html: rows of regions that there are not", sorted(set(rows) - {region.name for region in board.regions}), [])
    return len(board.regions)


def compare_map_json(board: Board, out: Path) -> int:
    document = read_json(out / "memory_map.json")
    same("memory_map.json: schema", document.get("schema"), "memsize.map/1")
    same("memory_map.json: board", document.get("board"), board.name)
    same_keys("memory_map.json: cores with an MMU", document["mmu_cores"], board.mmu)
    compare_json_regions(board, document["regions"])
    compare_json_carveouts(board, document)
    header = {item["name"] for kind in ("regions", "carveouts") for item in document[kind] if item.get("in_header")}
    same_keys("memory_map.json: in_header", header,
              [item.name for item in (*board.regions, *board.carveouts) if item.header])
    return len(document["regions"]) + len(document["carveouts"])


def by_core(board: Board) -> dict[tuple[str, str], Region]:
    """One entry may stand for a region of several cores, so that (name, core) is what both sides share."""
    found: dict[tuple[str, str], Region] = {}
    for region in board.regions:
        for core in region.cores or ("",):
            check((region.name, core) not in found, f"test data of {board.name}: {region.name} of {core} twice")
            found[region.name, core] = region
    return found


def documents_by_core(documents: list[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for document in documents:
        for core in document["cores"] or ("",):
            key = (document["name"], core)
            check(key not in found, f"memory_map.json: {key} twice")
            found[key] = document
    return found


def compare_json_regions(board: Board, documents: list[dict[str, Any]]) -> None:
    expected, actual = by_core(board), documents_by_core(documents)
    same_keys("memory_map.json: regions", actual, expected)
    for key, region in expected.items():
        what = f"memory_map.json: {key}"
        same(f"{what}: kind", actual[key]["kind"], region.kind)
        same(f"{what}: in_html", actual[key]["in_html"], region.html)
        compare_json_place(what, actual[key], region)


def compare_json_place(what: str, document: dict[str, Any], region: Region) -> None:
    same(f"{what}: attributes", document.get("attributes", ""), region.attributes)
    same(f"{what}: place", (number(document["address"]), document["size_bytes"]), (region.origin, region.length))
    physical = number(document["physical"]) if "physical" in document else None
    if region.name.startswith(OWN_CORE):
        same(f"{what}: physical", physical, None)
    elif region.physical == region.origin < DDR_START:
        check(physical in (None, region.origin), f"{what}: physical is {document.get('physical')}")
    else:
        same(f"{what}: physical", physical, region.physical)


def compare_json_carveouts(board: Board, document: dict[str, Any]) -> None:
    """Groups have names of this project's own, except those that TI has a name for."""
    actual = {carveout["name"]: carveout for carveout in document["carveouts"]}
    same("memory_map.json: carve-outs", len(actual), len(document["carveouts"]))
    labelled = {name for name, carveout in actual.items() if carveout.get("label")}
    same_keys("memory_map.json: carve-outs", labelled, [item.name for item in board.carveouts])
    ranges = physical_ranges(document)
    for name, carveout in actual.items():
        compare_members(f"memory_map.json: carve-out {name}", carveout, ranges)
    for item in (*board.carveouts, *board.groups):
        what = f"memory_map.json: carve-out {item.name}"
        check(item.name in actual, f"{what} is missing")
        same(f"{what}: place", (number(actual[item.name]["physical"]), actual[item.name]["size_bytes"]),
             (item.origin, item.length))
    known = set(actual) - labelled
    for carveout in board.carveouts:
        compare_json_node(carveout, actual[carveout.name], known)


def compare_json_node(expected: Carveout, carveout: dict[str, Any], groups: set[str]) -> None:
    what = f"memory_map.json: carve-out {expected.name}"
    same(f"{what}: label", carveout["label"], expected.label)
    node, _, unit = carveout["node"].partition("@")
    same(f"{what}: node", node, expected.node)
    check(unit in ("", f"{expected.origin:x}"), f"{what}: unit address {unit}")
    same(f"{what}: compatible", carveout.get("compatible") or None, expected.compatible)
    same(f"{what}: no_map", carveout["no_map"], expected.no_map)
    missing = set(expected.members) - set(carveout["members"]) - groups - {expected.name}
    check(not missing, f"{what}: members lack {sorted(missing)}")


def physical_ranges(document: dict[str, Any]) -> dict[str, tuple[int, int]]:
    ranges = {item["name"]: (number(item["physical"]), item["size_bytes"]) for item in document["carveouts"]}
    for item in document["regions"]:
        if "physical" in item:
            ranges[item["name"]] = (number(item["physical"]), item["size_bytes"])
    return ranges


def compare_members(what: str, carveout: dict[str, Any], ranges: dict[str, tuple[int, int]]) -> None:
    """The members fill the carve-out from its first to its last byte and stay inside."""
    members = carveout["members"] or [carveout["name"]]
    for name in members:
        check(name in ranges, f"{what}: member {name} is nowhere in physical memory")
    first = min(ranges[name][0] for name in members)
    last = max(sum(ranges[name]) for name in members)
    same(f"{what}: hull of its members", (first, last - first), (number(carveout["physical"]), carveout["size_bytes"]))


def painted(entries: tuple[MmuEntry, ...] | list[MmuEntry]) -> list[MmuEntry]:
    """What the entries do one after the other: each takes what it covers from those before it."""
    canvas: list[MmuEntry] = []
    for entry in entries:
        end = entry.virtual + entry.size
        kept = [part for old in canvas for part in (cut(old, old.virtual, min(old.virtual + old.size, entry.virtual)),
                                                    cut(old, max(old.virtual, end), old.virtual + old.size))]
        canvas = [part for part in kept if part.size > 0] + [entry]
    return joined(sorted(canvas, key=lambda part: part.virtual))


def cut(entry: MmuEntry, start: int, end: int) -> MmuEntry:
    return replace(entry, virtual=start, physical=entry.physical + start - entry.virtual, size=max(0, end - start))


def joined(parts: list[MmuEntry]) -> list[MmuEntry]:
    """Parts that go on as the part before them did are one."""
    whole: list[MmuEntry] = []
    for part in parts:
        last = whole[-1] if whole else None
        if last and (last.name, last.attribute, last.virtual + last.size, last.physical + last.size) == (
                part.name, part.attribute, part.virtual, part.physical):
            whole[-1] = replace(last, size=last.size + part.size)
        else:
            whole.append(part)
    return whole


def nameless(entries: list[MmuEntry]) -> list[MmuEntry]:
    return [replace(entry, name="") for entry in entries]


def compare_mmu(board: Board, out: Path) -> int:
    """What the hardware does, and where sysconfig writes the entries, the entries one by one."""
    count = 0
    for core in board.cores:
        files = {path.name for path in (out / core).glob("mmu*")}
        wanted = {"mmu_map.json", *({"mmu.syscfg"} if board.named_mmu else {})} if core in board.mmu else set()
        same_keys(f"{core}: MMU files", files, wanted)
        if core in board.mmu:
            count += compare_mmu_map(board, core, out)
            count += compare_syscfg(board, core, out) if board.named_mmu else 0
    return count


def compare_mmu_map(board: Board, core: str, out: Path) -> int:
    expected, actual = painted(board.mmu[core]), mmu_map_of(out, core)
    actual = joined(actual if board.named_mmu else nameless(actual))
    for wanted, found in zip(expected, actual):
        check(found == wanted, f"{core}/mmu_map.json: is {found}, expected {wanted}")
    same(f"{core}/mmu_map.json: number of ranges", len(actual), len(expected))
    return len(actual)


def compare_syscfg(board: Board, core: str, out: Path) -> int:
    actual, expected = mmu_of(out, core), board.mmu[core]
    same(f"{core}/mmu.syscfg: names", [entry.name for entry in actual], [entry.name for entry in expected])
    for index, (entry, wanted) in enumerate(zip(actual, expected, strict=True), 1):
        what = f"{core}/mmu.syscfg: entry {index} {wanted.name}"
        same(f"{what} (virtual, physical, size)", (entry.virtual, entry.physical, entry.size),
             (wanted.virtual, wanted.physical, wanted.size))
        same(f"{what}: attribute", entry.attribute, wanted.attribute)
    return len(actual)


def compare_coverage(board: Board, out: Path) -> int:
    """What a core with an MMU links to in DDR is mapped, to the right place, with the right cache attribute."""
    checked = 0
    for core in board.mmu:
        ranges = mmu_map_of(out, core)
        log = board.region("TIOVX_LOG_RT_MEM")
        for region in (*board.linker(core).values(), log):
            if region.origin >= DDR_START:
                check_mapped(f"{core}: {region.name}", ranges, region,
                             NON_CACHED if region.name in board.non_cacheable else CACHED)
                checked += 1
    return checked


def check_mapped(what: str, ranges: list[MmuEntry], region: Region, attributes: set[str]) -> None:
    """Walks the ranges from the region's first byte to its last."""
    at, end = region.origin, region.origin + region.length
    while at < end:
        found = [item for item in ranges if item.covers(at)]
        check(found, f"{what}: {at:#x} is not mapped")
        last = found[0]
        same(f"{what}: physical address of {at:#x}", last.physical + at - last.virtual,
             region.physical + at - region.origin)
        check(last.attribute in attributes, f"{what}: at {at:#x} (entry {last.name}): {last.attribute}")
        at = last.virtual + last.size


def compare_partial(board: Board, out: Path) -> int:
    """Of a board that is not finished: each region that is known is there, at its place."""
    document = read_json(out / "memory_map.json")
    same("memory_map.json: board", document.get("board"), board.name)
    actual = documents_by_core(document["regions"])
    for key, region in by_core(board).items():
        found = [actual[name, core] for name, core in actual if name == key[0] and key[1] in ("", core)]
        check(found, f"memory_map.json: {key} is missing")
        for item in found:
            compare_json_place(f"memory_map.json: {key}", item, region)
    for core in board.cores:
        lines = linker_of(board, out, core)
        for name, region in board.linker(core).items():
            check(name in lines, f"{core} linker map: no {name}")
            same(f"{core} linker map: {name}", (lines[name].origin, lines[name].length), (region.origin, region.length))
    return len(board.regions)


def compare_tree(board: Board, out: Path) -> dict[str, int]:
    """Every file; returns how much of each was compared."""
    check(read(out / "REBUILD.md").strip(), "REBUILD.md is empty")
    if board.partial:
        return {"known regions": compare_partial(board, out)}
    return {
        "linker lines": compare_linker(board, out),
        "macros": compare_header(board, out),
        "device-tree nodes": compare_dtsi(board, out),
        "html rows": compare_html(board, out),
        "JSON entries": compare_map_json(board, out),
        "MMU entries": compare_mmu(board, out),
        "mapped regions": compare_coverage(board, out),
    }
