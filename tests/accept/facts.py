"""What TI ships, board by board: facts from tests/data/ti, with the exceptions that exceptions.json lists."""

import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from support import DATA, SOURCE, MmuEntry, check, fail, number, read, read_json, same

EXCEPTIONS = Path(__file__).with_name("exceptions.json")

# How many regions, carve-outs and groups, and MMU entries of each core, the data must have.
BOARDS: dict[str, tuple[int, list[int]]] = {
    "am62a": (45, [21]),
    "j721e": (79, [17]),
    "j721e-safertos": (76, [17]),
    "j721s2": (75, [20, 20]),
    "j721s2-safertos": (69, [20, 20]),
    "j722s": (75, [16, 16]),
    "j722s-safertos": (69, [16, 16]),
    "j722s-sdk11": (74, [16, 16]),
    "j742s2": (131, [27, 27, 23]),
    "j784s4": (190, [35, 35, 35, 35]),
    "j784s4-safertos": (177, [35, 35, 35, 35]),
    "tda54": (170, []),
}

NUMBERS = ("origin", "length", "virtual", "physical", "size", "alignment")
# A region, carve-out or MMU entry that differs; a region that only one of the two keeps at its address, while the other
# lets it stand behind another region; a constant of the script with another default.
KINDS = ("region", "carveout", "mmu", "moves", "knob")
HEAP = re.compile(r"DDR_(?:C7X_\d_(?:LOCAL_HEAP|SCRATCH)(?:_NON_CACHEABLE)?|MCU\d_\d_LOCAL_HEAP)")
OTHERS_HEAP = re.compile(r"DDR_C7X_\d_\d_")


@dataclass(frozen=True)
class Region:
    name: str
    attributes: str
    origin: int
    length: int
    cores: tuple[str, ...]
    header: bool
    html: bool
    # Where it is on the bus.
    physical: int

    @property
    def kind(self) -> str:
        if self.name.endswith("_PHYS"):
            return "physical"
        return "alias" if OTHERS_HEAP.match(self.name) else "region"


@dataclass(frozen=True)
class Carveout:
    name: str
    label: str
    node: str
    unit_address: bool
    compatible: str | None
    no_map: bool
    origin: int
    length: int
    members: tuple[str, ...]
    header: bool
    alignment: int | None = None

    @property
    def full_node(self) -> str:
        return f"{self.node}@{self.origin:x}" if self.unit_address else self.node


@dataclass(frozen=True)
class Group:
    name: str
    origin: int
    length: int


@dataclass(frozen=True)
class Board:
    name: str
    generation: str
    cores: tuple[str, ...]
    linker_files: dict[str, str]
    # "" where TI keeps the nodes in files that hold more than these nodes.
    dts_file: str
    header_bases: dict[str, int]
    regions: tuple[Region, ...]
    carveouts: tuple[Carveout, ...]
    groups: tuple[Group, ...]
    non_cacheable: frozenset[str]
    # In the driver's order: a later entry wins. Names are "" where the firmware's C code has the calls.
    mmu: dict[str, tuple[MmuEntry, ...]]
    # What is known of a board that is not finished: its regions, no more.
    partial: bool = False

    @property
    def named_mmu(self) -> bool:
        return any(entry.name for entries in self.mmu.values() for entry in entries)

    def region(self, name: str) -> Region:
        found = [region for region in self.regions if region.name == name]
        if len(found) != 1:
            fail(f"test data of {self.name}: {len(found)} regions {name}")
        return found[0]

    def linker(self, core: str) -> dict[str, Region]:
        return {region.name: region for region in self.regions if core in region.cores}

    def macros(self) -> dict[str, int]:
        macros = dict(self.header_bases)
        for item in (*self.regions, *self.carveouts):
            if item.header:
                macros[f"{item.name}_ADDR"] = item.origin
                macros[f"{item.name}_SIZE"] = item.length
        return macros

    def default_knobs(self) -> dict[str, int]:
        """The sizes of the heaps, under the names that TI's scripts give them."""
        return {re.sub(r"^ddr_((?:c7x_|mcu\d_)\d)_", r"\1_ddr_", region.name.lower()) + "_size": region.length
                for region in self.regions if HEAP.fullmatch(region.name)}


@dataclass(frozen=True)
class Deviation:
    """One place where TI's files contradict each other, and what this project says there."""
    board: str
    kind: str
    name: str
    # Fields as TI has them; None for a region that is not in TI's file at all.
    script: dict[str, Any] | None
    ours: dict[str, Any]
    why: str
    # What finds it: a check of memsize's, or a test.
    check: str
    core: str = ""
    entry: int = 0

    @property
    def title(self) -> str:
        return f"exceptions.json: {self.board}: {self.kind} {self.name}"


@cache
def load_deviations() -> tuple[Deviation, ...]:
    known = set(re.findall(r'"(\w+\.[\w-]+)"', read(SOURCE / "include" / "memsize" / "core" / "diag_codes.def")))
    known |= {path.stem.replace("accept_", "accept.") for path in EXCEPTIONS.parent.glob("accept_*.py")}
    found = []
    for item in read_json(EXCEPTIONS):
        deviation = Deviation(**item)
        check(deviation.kind in KINDS, f"{deviation.title}: unknown kind")
        check(deviation.why.strip(), f"{deviation.title}: no reason")
        check(deviation.check in known, f"{deviation.title}: no check {deviation.check}")
        if deviation.kind == "moves":
            same(f"{deviation.title}: fields", sorted([*(deviation.script or {}), *deviation.ours]),
                 ["behind", "origin"])
        elif deviation.script is None:
            same(f"{deviation.title}: kind of what TI does not have", deviation.kind, "region")
        else:
            same(f"{deviation.title}: fields", sorted(deviation.script), sorted(deviation.ours))
            check(all(value != deviation.ours[key] for key, value in deviation.script.items()),
                  f"{deviation.title}: a field does not differ")
        found.append(deviation)
    return tuple(found)


def deviations_of(board: str, kind: str) -> list[Deviation]:
    return [item for item in load_deviations() if (item.board, item.kind) == (board, kind)]


def converted(fields: dict[str, Any]) -> dict[str, Any]:
    """Fields of a record, from their spelling in JSON."""
    return {key: number(value) if key in NUMBERS and value is not None
            else tuple(value) if isinstance(value, list) else value for key, value in fields.items()}


def patched(item: Any, deviation: Deviation) -> Any:
    """The record with this project's values; TI's must be what the exception says they are."""
    script, ours = converted(deviation.script or {}), converted(deviation.ours)
    for key, value in script.items():
        same(f"{deviation.title}: {key} by TI", getattr(item, key), value)
    if isinstance(item, Region) and "origin" in ours and item.physical == item.origin:
        ours = {"physical": ours["origin"], **ours}
    return replace(item, **ours)


def with_deviations(board: Board) -> Board:
    """Each exception must find what it is about, as it says that TI has it: one that is not needed fails."""
    regions, carveouts = list(board.regions), list(board.carveouts)
    for kind, items in (("region", regions), ("carveout", carveouts)):
        for deviation in deviations_of(board.name, kind):
            places = [index for index, item in enumerate(items) if item.name == deviation.name]
            check(len(places) == (deviation.script is not None), f"{deviation.title}: {len(places)} of that name")
            if places:
                items[places[0]] = patched(items[places[0]], deviation)
            else:
                items.append(region_of({"name": deviation.name, **deviation.ours}))
    for deviation in deviations_of(board.name, "moves"):
        both = {**(deviation.script or {}), **deviation.ours}
        before = board.region(both["behind"])
        same(f"{deviation.title}: origin, and end of what is before it",
             (board.region(deviation.name).origin, before.origin + before.length), (number(both["origin"]),) * 2)
    mmu = {core: list(entries) for core, entries in board.mmu.items()}
    for deviation in deviations_of(board.name, "mmu"):
        entries = mmu[deviation.core]
        check(0 < deviation.entry <= len(entries), f"{deviation.title}: no entry {deviation.entry}")
        entries[deviation.entry - 1] = patched(entries[deviation.entry - 1], deviation)
    return replace(board, regions=tuple(regions), carveouts=tuple(carveouts),
                   mmu={core: tuple(entries) for core, entries in mmu.items()})


def load_board(name: str) -> Board:
    return with_deviations(load_facts(name))


def load_facts(name: str) -> Board:
    """The facts as TI has them."""
    facts = read_json(DATA / f"{name.replace('-', '_')}.json")
    same(f"test data of {name}: board", facts["board"], name)
    mmu = read_json(DATA / facts["mmu_file"])["entries"] if facts.get("mmu_file") else {}
    files = facts["linker_file"]
    return Board(
        name=name,
        generation=facts["generation"],
        cores=tuple(facts["cores"]),
        linker_files=files if isinstance(files, dict) else dict.fromkeys(facts["cores"], files),
        dts_file=facts["dts_file"],
        header_bases={key: number(value) for key, value in facts["header_bases"].items()},
        regions=tuple(region_of(item) for item in facts["regions"]),
        carveouts=tuple(Carveout(**converted(item)) for item in facts["carveouts"]),
        groups=tuple(Group(**converted(item)) for item in facts["groups"]),
        non_cacheable=frozenset(facts["non_cacheable"]),
        mmu={core: tuple(mmu_entry(entry) for entry in entries) for core, entries in mmu.items()},
        partial=facts.get("partial", False))


def region_of(facts: dict[str, Any]) -> Region:
    fields = converted(facts)
    return Region(**{"physical": fields["origin"], **fields})


def mmu_entry(facts: dict[str, str]) -> MmuEntry:
    return MmuEntry(facts.get("name", ""), number(facts["virtual"]), number(facts["physical"]), number(facts["size"]),
                    facts["attribute"])
