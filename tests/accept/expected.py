"""What a board's files must say: facts from tests/data/ti, and a model of what sizes do to them."""

from dataclasses import dataclass, replace

from support import DATA, MmuEntry, fail, number, read_json

HEAP_KINDS = ("LOCAL_HEAP_NON_CACHEABLE", "SCRATCH_NON_CACHEABLE", "LOCAL_HEAP", "SCRATCH")
PAIR = ((1, 2), (2, 1))


@dataclass(frozen=True)
class Region:
    name: str
    attributes: str
    origin: int
    length: int
    cores: tuple[str, ...]
    header: bool
    html: bool

    @property
    def kind(self) -> str:
        if self.name.endswith("_PHYS"):
            return "physical"
        return "alias" if self.name.startswith(("DDR_C7X_1_2_", "DDR_C7X_2_1_")) else "region"


@dataclass(frozen=True)
class Carveout:
    name: str
    label: str
    node: str
    unit_address: bool
    compatible: str
    no_map: bool
    origin: int
    length: int
    members: tuple[str, ...]
    header: bool

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
    cores: tuple[str, ...]
    linker_file: str
    header_bases: dict[str, int]
    translation: tuple[tuple[int, int, int], ...]
    regions: tuple[Region, ...]
    carveouts: tuple[Carveout, ...]
    groups: tuple[Group, ...]
    non_cacheable: frozenset[str]
    mmu: dict[str, tuple[MmuEntry, ...]]

    def physical(self, address: int) -> int | None:
        """None for memories that only their core sees."""
        for virtual, physical, size in self.translation:
            if virtual <= address < virtual + size:
                return physical + address - virtual
        return None

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
        knobs = {f"c7x_{core}_ddr_{kind.lower()}_size": self.region(f"DDR_C7X_{core}_{kind}").length
                 for core, _ in PAIR for kind in HEAP_KINDS}
        for core in ("mcu1_0", "mcu2_0"):
            knobs[f"{core}_ddr_local_heap_size"] = self.region(f"DDR_{core.upper()}_LOCAL_HEAP").length
        return knobs


def load_board(name: str) -> Board:
    facts = read_json(DATA / f"{name.replace('-', '_')}.json")
    mmu = read_json(DATA / facts["mmu_file"])["entries"]

    def place(item: dict[str, object]) -> dict[str, object]:
        return {**item, "origin": number(str(item["origin"])), "length": number(str(item["length"]))}

    return Board(
        name=facts["board"],
        cores=tuple(facts["cores"]),
        linker_file=facts["linker_file"],
        header_bases={key: number(value) for key, value in facts["header_bases"].items()},
        translation=tuple((number(part["virtual"]), number(part["physical"]), number(part["size"]))
                          for part in facts["translation"]),
        regions=tuple(Region(**place({**item, "cores": tuple(item["cores"])})) for item in facts["regions"]),
        carveouts=tuple(Carveout(**place({**item, "members": tuple(item["members"])})) for item in facts["carveouts"]),
        groups=tuple(Group(**place(item)) for item in facts["groups"]),
        non_cacheable=frozenset(facts["non_cacheable"]),
        mmu={core: tuple(mmu_entry(entry) for entry in entries) for core, entries in mmu.items()})


def mmu_entry(facts: dict[str, str]) -> MmuEntry:
    return MmuEntry(facts["name"], number(facts["virtual"]), number(facts["physical"]), number(facts["size"]),
                    facts["attribute"])


def resized(board: Board, knobs: dict[str, int]) -> Board:
    """The board with other heap sizes: each chain is laid end to end from where it starts."""
    sizes = {**board.default_knobs(), **knobs}
    if set(sizes) != set(board.default_knobs()):
        fail(f"the model does not know {sorted(set(sizes) - set(board.default_knobs()))}")
    places: dict[str, tuple[int, int]] = {}
    mmu_places: dict[str, tuple[int, int, int]] = {}
    high = chain_high(board, sizes, places, mmu_places)
    low = chain_low(board, sizes, places)
    places["DDR_C7X_HIGH_MEM"] = places["DDR_C7X_HIGH_MEM_DTS"] = high
    places["DDR_VISION_APPS_CORE_HEAPS_LO_DTS"] = low

    def moved(item):  # type: ignore[no-untyped-def]
        if item.name not in places:
            return item
        origin, length = places[item.name]
        return replace(item, origin=origin, length=length)

    def remapped(entry: MmuEntry) -> MmuEntry:
        if entry.name not in mmu_places:
            return entry
        virtual, physical, size = mmu_places[entry.name]
        return replace(entry, virtual=virtual, physical=physical, size=size)

    return replace(board, regions=tuple(map(moved, board.regions)), carveouts=tuple(map(moved, board.carveouts)),
                   groups=tuple(map(moved, board.groups)),
                   mmu={core: tuple(map(remapped, entries)) for core, entries in board.mmu.items()})


def chain_high(board: Board, sizes: dict[str, int], places: dict[str, tuple[int, int]],
               mmu_places: dict[str, tuple[int, int, int]]) -> tuple[int, int]:
    """The heaps of c7x_1, then c7x_2: virtual and physical addresses advance together."""
    virtual = board.header_bases["DDR_64BIT_BASE_VADDR"]
    physical = start = board.header_bases["DDR_64BIT_BASE_PADDR"]
    for core, other in PAIR:
        for kind in HEAP_KINDS:
            size = sizes[f"c7x_{core}_ddr_{kind.lower()}_size"]
            places[f"DDR_C7X_{core}_{kind}"] = places[f"DDR_C7X_{other}_{core}_{kind}"] = (virtual, size)
            places[f"DDR_C7X_{core}_{kind}_PHYS"] = (physical, size)
            cache = "NON_CACHEABLE" if kind.endswith("NON_CACHEABLE") else "CACHEABLE"
            entry = f"DDR_C7X_{core}_HEAP_SCRATCH_{cache}"
            first_virtual, first_physical, sum_before = mmu_places.get(entry, (virtual, physical, 0))
            mmu_places[entry] = (first_virtual, first_physical, sum_before + size)
            virtual += size
            physical += size
    return start, physical - start


def chain_low(board: Board, sizes: dict[str, int], places: dict[str, tuple[int, int]]) -> tuple[int, int]:
    """The heaps of the R5F cores, then the VISS heap where the board has one."""
    at = start = board.region("DDR_MCU1_0_LOCAL_HEAP").origin
    for core in ("mcu1_0", "mcu2_0"):
        size = sizes[f"{core}_ddr_local_heap_size"]
        places[f"DDR_{core.upper()}_LOCAL_HEAP"] = (at, size)
        at += size
    for region in board.regions:
        if region.name == "DDR_MCU2_0_VISS_CONFIG_HEAP":
            places[region.name] = (at, region.length)
            at += region.length
    return start, at - start
