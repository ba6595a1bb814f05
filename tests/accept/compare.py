"""Compares every file of an output tree with what a board's files must say."""

import re
from pathlib import Path
from typing import Any

from expected import Board, Region
from support import (DtsNode, LinkerRegion, MmuEntry, check, number, parse_dtsi, parse_header, parse_html,
                     parse_linker, parse_syscfg, read, read_json, same, same_keys)

C7X = ("c7x_1", "c7x_2")
DDR_START = 0x80000000
DTSI = "k3-j722s-rtos-memory-map.dtsi"


def linker_of(board: Board, out: Path, core: str) -> dict[str, LinkerRegion]:
    path = out / core / board.linker_file
    return parse_linker(read(path), str(path))


def header_of(out: Path) -> dict[str, int]:
    return parse_header(read(out / "app_mem_map.h"), "app_mem_map.h")


def dtsi_of(out: Path) -> dict[str, DtsNode]:
    return parse_dtsi(read(out / DTSI), DTSI)


def mmu_of(out: Path, core: str) -> list[MmuEntry]:
    name = f"{core}/mmu.syscfg"
    syscfg = parse_syscfg(read(out / name), name)
    same(f"{name}: instances", list(syscfg.instances), [f"mmu_armv8{n}" for n in range(1, len(syscfg.instances) + 1)])
    for instance, properties in syscfg.instances.items():
        if re.fullmatch(r"DDR_C7x_\d_DTS", properties.get("$name", "")):
            check(properties.get("privExecute", "true") == "true", f"{name}: {instance}: code must be executable")
    return syscfg.entries(name)


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
    return lines


def compare_header(board: Board, out: Path) -> int:
    actual, expected = header_of(out), board.macros()
    same_keys("app_mem_map.h", actual, expected)
    for name, value in expected.items():
        same(f"app_mem_map.h: {name}", actual[name], value)
    return len(actual)


def compare_dtsi(board: Board, out: Path) -> int:
    actual = dtsi_of(out)
    same_keys("dtsi labels", actual, [carveout.label for carveout in board.carveouts])
    for carveout in board.carveouts:
        node = actual[carveout.label]
        what = f"dtsi: {carveout.label}"
        same(f"{what}: node", node.node, carveout.full_node)
        same(f"{what}: compatible", node.compatible, carveout.compatible)
        same(f"{what}: reg", (node.base, node.length), (carveout.origin, carveout.length))
        same(f"{what}: no-map", node.no_map, carveout.no_map)
    return len(actual)


def compare_html(board: Board, out: Path) -> int:
    rows = parse_html(read(out / "system_memory_map.html"))
    expected = [region for region in board.regions if region.html]
    for region in expected:
        found = rows.get(region.name, [])
        check(found, f"html: no row of {region.name}")
        check(any(region.origin in numbers for numbers in found),
              f"html: no row of {region.name} has {region.origin:#X}: {[sorted(map(hex, row)) for row in found]}")
    return len(expected)


def compare_map_json(board: Board, out: Path) -> int:
    document = read_json(out / "memory_map.json")
    same("memory_map.json: schema", document.get("schema"), "memsize.map/1")
    same("memory_map.json: board", document.get("board"), board.name)
    compare_json_regions(board, document["regions"])
    compare_json_carveouts(board, document)
    header = {item["name"] for kind in ("regions", "carveouts") for item in document[kind] if item.get("in_header")}
    same_keys("memory_map.json: in_header", header,
              [item.name for item in (*board.regions, *board.carveouts) if item.header])
    return len(document["regions"]) + len(document["carveouts"])


def compare_json_regions(board: Board, documents: list[dict[str, Any]]) -> None:
    """One entry may stand for a region of several cores, so that (name, core) is what both sides share."""
    expected: dict[tuple[str, str], Region] = {}
    for region in board.regions:
        for core in region.cores or ("",):
            expected[region.name, core] = region
    actual: dict[tuple[str, str], dict[str, Any]] = {}
    for document in documents:
        for core in document["cores"] or ("",):
            key = (document["name"], core)
            check(key not in actual, f"memory_map.json: {key} twice")
            actual[key] = document
    same_keys("memory_map.json: regions", actual, expected)
    for key, region in expected.items():
        compare_json_region(board, f"memory_map.json: {key}", actual[key], region)


def compare_json_region(board: Board, what: str, document: dict[str, Any], region: Region) -> None:
    same(f"{what}: kind", document["kind"], region.kind)
    same(f"{what}: attributes", document.get("attributes", ""), region.attributes)
    same(f"{what}: place", (number(document["address"]), document["size_bytes"]), (region.origin, region.length))
    same(f"{what}: in_html", document["in_html"], region.html)
    physical = number(document["physical"]) if "physical" in document else None
    if region.name.startswith("R5F_TCM"):
        same(f"{what}: physical", physical, None)
    elif region.name.startswith("L2RAM_"):
        check(physical in (None, region.origin), f"{what}: physical is {document.get('physical')}")
    else:
        same(f"{what}: physical", physical,
             region.origin if region.kind == "physical" else board.physical(region.origin))


def compare_json_carveouts(board: Board, document: dict[str, Any]) -> None:
    actual = {carveout["name"]: carveout for carveout in document["carveouts"]}
    same("memory_map.json: carve-outs", len(actual), len(document["carveouts"]))
    same_keys("memory_map.json: carve-outs", actual, [item.name for item in (*board.carveouts, *board.groups)])
    ranges = physical_ranges(document)
    for item in (*board.carveouts, *board.groups):
        carveout, what = actual[item.name], f"memory_map.json: carve-out {item.name}"
        same(f"{what}: place", (number(carveout["physical"]), carveout["size_bytes"]), (item.origin, item.length))
        compare_members(what, carveout, ranges)
    for expected in board.carveouts:
        carveout, what = actual[expected.name], f"memory_map.json: carve-out {expected.name}"
        same(f"{what}: label", carveout["label"], expected.label)
        node, _, unit = carveout["node"].partition("@")
        same(f"{what}: node", node, expected.node)
        check(unit in ("", f"{expected.origin:x}"), f"{what}: unit address {unit}")
        same(f"{what}: compatible", carveout["compatible"], expected.compatible)
        same(f"{what}: no_map", carveout["no_map"], expected.no_map)
        known = {group.name for group in board.groups}
        missing = set(expected.members) - set(carveout["members"]) - known - {expected.name}
        check(not missing, f"{what}: members lack {sorted(missing)}")
    for group in board.groups:
        check(not actual[group.name].get("label"), f"memory_map.json: {group.name} has a label")


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


def compare_mmu(board: Board, out: Path) -> int:
    count = 0
    for core in C7X:
        actual, expected = mmu_of(out, core), board.mmu[core]
        same(f"{core}/mmu.syscfg: names", [entry.name for entry in actual], [entry.name for entry in expected])
        for index, (entry, wanted) in enumerate(zip(actual, expected, strict=True), 1):
            what = f"{core}/mmu.syscfg: entry {index} {wanted.name}"
            same(f"{what} (virtual, physical, size)", (entry.virtual, entry.physical, entry.size),
                 (wanted.virtual, wanted.physical, wanted.size))
            same(f"{what}: attribute", entry.attribute, wanted.attribute)
        compare_mmu_json(core, out, actual)
        count += len(actual)
    return count


def compare_mmu_json(core: str, out: Path, entries: list[MmuEntry]) -> None:
    name = f"{core}/mmu_map.json"
    document = read_json(out / name)
    same(f"{name}: schema", document.get("schema"), "memsize.mmu/1")
    same(f"{name}: core", document.get("core"), core)
    ranges = [MmuEntry(item["entry"], number(item["virtual"]), number(item["physical"]), item["size_bytes"],
                       f"MAIR{item['mair']}") for item in document["ranges"]]
    same(f"{name}: number of ranges", len(ranges), len(entries))
    for index, (actual, expected) in enumerate(zip(ranges, entries), 1):
        check(actual == expected, f"{name}: range {index}: is {actual}, syscfg has {expected}")


def compare_coverage(board: Board, out: Path) -> int:
    """What a C7x links to in DDR is mapped, to the right place, with the right cache attribute."""
    checked = 0
    for core in C7X:
        entries = mmu_of(out, core)
        seen = {name: (region.origin, region.length) for name, region in linker_of(board, out, core).items()}
        log = board.region("TIOVX_LOG_RT_MEM")
        seen[log.name] = (log.origin, log.length)
        for name, (origin, length) in seen.items():
            if origin >= DDR_START:
                attribute = "MAIR4" if name in board.non_cacheable else "MAIR7"
                check_mapped(board, f"{core}: {name}", entries, range(origin, origin + length), attribute)
                checked += 1
    return checked


def check_mapped(board: Board, what: str, entries: list[MmuEntry], area: range, attribute: str) -> None:
    """Walks the pieces between entry boundaries; in each the last covering entry decides."""
    edges = {area.start} | {edge for entry in entries for edge in (entry.virtual, entry.virtual + entry.size)
                            if edge in area}
    for at in sorted(edges):
        covering = [entry for entry in entries if entry.covers(at)]
        check(covering, f"{what}: {at:#x} is not mapped")
        last = covering[-1]
        same(f"{what}: physical address of {at:#x}", last.physical + at - last.virtual, board.physical(at))
        same(f"{what}: attribute at {at:#x} (entry {last.name})", last.attribute, attribute)


def compare_tree(board: Board, out: Path) -> dict[str, int]:
    """Every file; returns how much of each was compared."""
    check(read(out / "REBUILD.md").strip(), "REBUILD.md is empty")
    return {
        "linker lines": compare_linker(board, out),
        "macros": compare_header(board, out),
        "device-tree nodes": compare_dtsi(board, out),
        "html rows": compare_html(board, out),
        "JSON entries": compare_map_json(board, out),
        "MMU entries": compare_mmu(board, out),
        "mapped regions": compare_coverage(board, out),
    }
