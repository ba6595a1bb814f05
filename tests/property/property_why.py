"""What `why` answers for regions and addresses of every board is what memory_map.json and mmu_map.json say.

The written map is read on its own: who owns an address on the bus, and where a core's MMU entries lead it, is found
out again here, byte by byte at the edges of regions.
"""

import argparse
import random
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "accept"))

from support import Context, check, main, number, parse_json, read_json, same  # noqa: E402


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--count", type=int, default=6, help="regions of each board")


class Written:
    """A board's map as it was written."""

    def __init__(self, folder: Path) -> None:
        self.map = read_json(folder / "memory_map.json")
        self.regions = [one for one in self.map["regions"] if one["kind"] != "physical"]
        self.mmu = {core: read_json(folder / core / "mmu_map.json")["ranges"] for core in self.map["mmu_cores"]}

    def owner(self, physical: int) -> dict[str, Any] | None:
        for region in self.regions:
            if region["kind"] == "region" and "physical" in region:
                if 0 <= physical - number(region["physical"]) < region["size_bytes"]:
                    return region
        return None

    def owner_of(self, region: dict[str, Any]) -> dict[str, Any]:
        if region["kind"] == "region":
            return region
        return next(one for one in self.regions if one["kind"] == "region" and one["name"] == region["of"])

    def led_to(self, core: str, address: int) -> tuple[int, int] | None:
        """Physical address and MAIR of the last entry that has it."""
        for entry in reversed(self.mmu[core]):
            if 0 <= address - number(entry["virtual"]) < entry["size_bytes"]:
                return number(entry["physical"]) + address - number(entry["virtual"]), entry["mair"]
        return None

    def kinds(self, mair: int) -> set[str]:
        return {kind for kind, values in self.map["mair"].items() if mair in values} or {f"MAIR{mair}"}


def why(context: Context, board: str, *words: str) -> Any:
    done = context.run("why", *words, "--board", board, "--json")
    return parse_json(done.stdout, f"why {' '.join(words)}")


def check_name(context: Context, board: str, written: Written, region: dict[str, Any]) -> None:
    what = f"{board}: why {region['name']}"
    subjects = [one for one in why(context, board, region["name"])["subjects"] if one["kind"] == "region"]
    owner = written.owner_of(region)
    found = [one for one in subjects if one["name"] == owner["name"] and one["cores"] == owner["cores"]]
    check(len(found) == 1, f"{what}: {len(found)} subjects of {len(subjects)}")
    subject = found[0]
    same(f"{what}: size", subject["size_bytes"], owner["size_bytes"])
    same(f"{what}: physical", subject.get("physical"), owner.get("physical"))
    names = {(core, one["name"], number(one["virtual"])) for one in written.regions for core in one["cores"]
             if one is owner or one.get("of") == owner["name"]}
    pieces: dict[tuple[str, str], int] = {}
    for seen in subject["seen"]:
        check_sight(what, written, seen)
        if "name" in seen:
            key = (seen["core"], seen["name"])
            pieces[key] = pieces.get(key, 0) + seen["size_bytes"]
            check(any(core == seen["core"] and name == seen["name"] for core, name, _ in names), f"{what}: {seen}")
    same(f"{what}: who has it", set(pieces), {(core, name) for core, name, _ in names})
    for key, size in pieces.items():
        same(f"{what}: bytes that {key} sees", size, owner["size_bytes"])


def check_sight(what: str, written: Written, seen: dict[str, Any]) -> None:
    if seen["core"] not in written.mmu:
        return
    for offset in (0, seen["size_bytes"] - 1):
        led = written.led_to(seen["core"], number(seen["address"]) + offset)
        same(f"{what}: {seen} mapped", seen["mapped"], led is not None)
        if led is not None:
            if "physical" in seen:
                same(f"{what}: {seen} leads to", number(seen["physical"]) + offset, led[0])
            check(seen["cached"] in written.kinds(led[1]), f"{what}: {seen} is MAIR{led[1]}")


def check_address(context: Context, board: str, written: Written, address: int) -> None:
    what = f"{board}: why {address:#x}"
    answer = why(context, board, f"{address:#x}")
    same(f"{what}: address", number(answer["address"]), address)
    readings = {one.get("core", ""): one for one in answer["readings"]}
    same(f"{what}: readers", len(readings), len(answer["readings"]))
    check_place(f"{what} on the bus", written, readings[""], address)
    for core in written.mmu:
        led = written.led_to(core, address)
        same(f"{what}: {core} maps it", readings[core]["mapped"], led is not None)
        if led is not None:
            same(f"{what}: {core}", number(readings[core]["physical"]), led[0])
    for reading in readings.values():
        if "name" in reading:
            own = [one for one in written.regions if one["name"] == reading["name"]]
            check(any(reading["offset_bytes"] < one["size_bytes"] for one in own), f"{what}: {reading}")


def check_place(what: str, written: Written, reading: dict[str, Any], physical: int) -> None:
    owner = written.owner(physical)
    same(what, reading.get("name"), owner["name"] if owner else None)
    if owner:
        same(f"{what}: offset", reading["offset_bytes"], physical - number(owner["physical"]))
        return
    gaps = [gap for gap in written.map["gaps"] if 0 <= physical - number(gap["physical"]) < gap["size_bytes"]]
    check(reading["where"], f"{what}: nothing is said")
    for gap in gaps:
        check(gap["why"] in reading["where"], f"{what}: {reading['where']} instead of {gap['why']}")


def check_growth(context: Context, board: str, written: Written, region: dict[str, Any]) -> int:
    """The regions that why says move are those that a map written with the larger knob has elsewhere."""
    subjects = [one for one in why(context, board, region["name"])["subjects"] if one["name"] == region["name"]]
    growth = subjects[0].get("growth") if len(subjects) == 1 else None
    if growth is None or not growth["works"] or not growth["change"].startswith("--set "):
        return 0
    what = f"{board}: {growth['change']}"
    folder = context.emit(board, context.work / f"{board}-larger", "--only", "map-json", *growth["change"].split())
    larger = read_json(folder / "memory_map.json")
    expected = set()
    for before in written.regions:
        after = next(one for one in larger["regions"] if one["name"] == before["name"]
                     and one["cores"] == before["cores"] and one["kind"] == before["kind"])
        key = "physical" if "physical" in before else "virtual"
        if before["kind"] == "region" and (before[key], before["size_bytes"]) != (after[key], after["size_bytes"]):
            expected.add((before["name"], before[key], after[key], before["size_bytes"], after["size_bytes"]))
    told = {(one["name"], one["base"], one["new_base"], one["size_bytes"], one["new_size_bytes"])
            for one in growth["moved"] + growth["resized"] if not one["name"].startswith("carve-out ")}
    same(f"{what}: what changes", told, expected)
    if "largest_bytes" in growth:
        knob = growth["change"].split()[1].split("=")[0]
        context.run("check", "--board", board, "--set", f"{knob}={growth['largest_bytes']}")
    return 1


def body(context: Context) -> str:
    rng = random.Random(context.options.seed)
    boards = parse_json(context.run("board", "list", "--json").stdout, "board list")["boards"]
    check(boards, "no board")
    names = addresses = grown = 0
    for board in (one["name"] for one in boards):
        written = Written(context.emit(board, context.work / board, "--only", "map-json,mmu-json"))
        chosen = rng.sample(written.regions, min(context.options.count, len(written.regions)))
        for region in chosen:
            check_name(context, board, written, region)
            base, size = number(region["virtual"]), region["size_bytes"]
            bases = {base, number(region.get("physical", region["virtual"]))}
            for address in sorted(edge for one in bases for edge in (one, one + size - 1, one + size)):
                check_address(context, board, written, address)
                addresses += 1
            names += 1
            grown += check_growth(context, board, written, region)
    check(grown, "nothing could grow")
    return f"{len(boards)} boards, {names} names, {addresses} addresses, {grown} larger maps"


if __name__ == "__main__":
    main(__doc__, body, add_options)
