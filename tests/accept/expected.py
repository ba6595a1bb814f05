"""A model of the J722S: what other heap sizes do to the facts of that board."""

from dataclasses import dataclass, field, replace

from facts import Board, load_board
from support import fail

__all__ = ["Board", "load_board", "resized"]

HEAP_KINDS = ("LOCAL_HEAP_NON_CACHEABLE", "SCRATCH_NON_CACHEABLE", "LOCAL_HEAP", "SCRATCH")
PAIR = ((1, 2), (2, 1))


@dataclass
class Places:
    """Where things move: by name (origin, length, physical), and MMU entries by name (virtual, physical, size)."""
    named: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    mmu: dict[str, tuple[int, int, int]] = field(default_factory=dict)


def resized(board: Board, knobs: dict[str, int]) -> Board:
    """The board with other heap sizes: each chain is laid end to end from where it starts."""
    sizes = {**board.default_knobs(), **knobs}
    if set(sizes) != set(board.default_knobs()):
        fail(f"the model does not know {sorted(set(sizes) - set(board.default_knobs()))}")
    places = Places()
    high = chain_high(board, sizes, places)
    low = chain_low(board, sizes, places)
    places.named["DDR_C7X_HIGH_MEM"] = places.named["DDR_C7X_HIGH_MEM_DTS"] = (*high, high[0])
    places.named["DDR_VISION_APPS_CORE_HEAPS_LO_DTS"] = (*low, low[0])

    def moved(item):  # type: ignore[no-untyped-def]
        if item.name not in places.named:
            return item
        origin, length, physical = places.named[item.name]
        more = {"physical": physical} if hasattr(item, "physical") else {}
        return replace(item, origin=origin, length=length, **more)

    def remapped(entry):  # type: ignore[no-untyped-def]
        if entry.name not in places.mmu:
            return entry
        virtual, physical, size = places.mmu[entry.name]
        return replace(entry, virtual=virtual, physical=physical, size=size)

    return replace(board, regions=tuple(map(moved, board.regions)), carveouts=tuple(map(moved, board.carveouts)),
                   groups=tuple(map(moved, board.groups)),
                   mmu={core: tuple(map(remapped, entries)) for core, entries in board.mmu.items()})


def chain_high(board: Board, sizes: dict[str, int], places: Places) -> tuple[int, int]:
    """The heaps of c7x_1, then c7x_2: virtual and physical addresses advance together."""
    virtual = board.header_bases["DDR_64BIT_BASE_VADDR"]
    physical = start = board.header_bases["DDR_64BIT_BASE_PADDR"]
    for core, other in PAIR:
        for kind in HEAP_KINDS:
            size = sizes[f"c7x_{core}_ddr_{kind.lower()}_size"]
            places.named[f"DDR_C7X_{core}_{kind}"] = (virtual, size, physical)
            places.named[f"DDR_C7X_{other}_{core}_{kind}"] = (virtual, size, physical)
            places.named[f"DDR_C7X_{core}_{kind}_PHYS"] = (physical, size, physical)
            cache = "NON_CACHEABLE" if kind.endswith("NON_CACHEABLE") else "CACHEABLE"
            entry = f"DDR_C7X_{core}_HEAP_SCRATCH_{cache}"
            first_virtual, first_physical, sum_before = places.mmu.get(entry, (virtual, physical, 0))
            places.mmu[entry] = (first_virtual, first_physical, sum_before + size)
            virtual += size
            physical += size
    return start, physical - start


def chain_low(board: Board, sizes: dict[str, int], places: Places) -> tuple[int, int]:
    """The heaps of the R5F cores, then the VISS heap where the board has one."""
    at = start = board.region("DDR_MCU1_0_LOCAL_HEAP").origin
    for core in ("mcu1_0", "mcu2_0"):
        size = sizes[f"{core}_ddr_local_heap_size"]
        places.named[f"DDR_{core.upper()}_LOCAL_HEAP"] = (at, size, at)
        at += size
    for region in board.regions:
        if region.name == "DDR_MCU2_0_VISS_CONFIG_HEAP":
            places.named[region.name] = (at, region.length, at)
            at += region.length
    return start, at - start
