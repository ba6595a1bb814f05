"""The map table of a core as its image holds it, and what tests ask of the image's ELF file: with no code of memsize's.

The layout is that of src/runtime/target/map_table.h.
"""

import re
import struct
from dataclasses import dataclass
from pathlib import Path

HAS_PHYSICAL = 1
ACCESS, LOOK, FAULT, NO_WRITE, NO_EXECUTE, PEER = range(6)
ALLOC, FREE, RESET = range(3)
NO_RECORD = 0xFFFFFFFF
ALL = (1 << 64) - 1
PT_LOAD = 1


@dataclass(frozen=True)
class Region:
    name: str
    virtual: int
    base: int
    size: int
    flags: int

    @property
    def on_bus(self) -> bool:
        return self.flags & HAS_PHYSICAL != 0

    def physical(self, address: int) -> int:
        """What only the core sees is there at the core's own addresses."""
        return self.base + (address - self.virtual) if self.on_bus else address


@dataclass(frozen=True)
class Point:
    virtual: int
    physical: int
    region: int
    kind: int
    writer: int
    writer_region: int


@dataclass(frozen=True)
class Step:
    kind: int
    heap: int
    slot: int
    instance: int
    record: int
    size: int


@dataclass(frozen=True)
class Table:
    core: str
    number: int
    regions: list[Region]
    keeps: list[tuple[int, int]]
    points: list[Point]
    heaps: list[int]
    steps: list[Step]

    def region_at(self, address: int) -> Region | None:
        return next((r for r in self.regions if r.virtual <= address < r.virtual + r.size), None)

    def physical(self, address: int) -> int | None:
        region = self.region_at(address)
        return None if region is None else region.physical(address)


def table_of(source: str) -> Table:
    words = re.search(r"memsize_map_words\[\] = \{([^}]*)\}", source)
    data = b"".join(struct.pack("<Q", int(word, 0)) for word in words[1].split(",") if word.strip())
    magic, size, name, number, _, *rows = struct.unpack_from("<8sQ64s12I", data)
    if magic != b"MEMSIZE1" or size > len(data):
        raise ValueError("no map table")

    def table(index: int, form: str) -> list[tuple]:
        count, offset = rows[2 * index:2 * index + 2]
        return [struct.unpack_from(form, data, offset + struct.calcsize(form) * row) for row in range(count)]

    return Table(text(name), number,
                 [Region(text(row[0]), row[1], row[2], row[3], row[5]) for row in table(0, "<64s4QII")],
                 [(row[0], row[1]) for row in table(1, "<2Q")],
                 [Point(*row) for row in table(2, "<2Q4I")],
                 [row[0] for row in table(3, "<2I3Q")],
                 [Step(row[0], row[1], row[2], row[3], row[4], row[6]) for row in table(4, "<6I2Q")])


def text(name: bytes) -> str:
    return name.split(b"\0")[0].decode()


def pattern(address: int, number: int, region: int) -> int:
    """What a core writes: SplitMix64's finaliser over the address and the writer."""
    x = address + 0x9E3779B97F4A7C15 * ((number << 32 | region) + 1) & ALL
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & ALL
    x = (x ^ x >> 27) * 0x94D049BB133111EB & ALL
    return x ^ x >> 31


# --- ELF ------------------------------------------------------------------------------------------------


def header_of(data: bytes) -> tuple[bool, tuple[int, ...]]:
    wide = data[4] == 2
    return wide, struct.unpack_from("<HHI3QIHHHHHH" if wide else "<HHI3IIHHHHHH", data, 16)


def entry_of(image: Path) -> int:
    return header_of(image.read_bytes())[1][3]


def segments_of(image: Path) -> list[tuple[int, int]]:
    """Virtual base and size of what is loaded."""
    data = image.read_bytes()
    wide, header = header_of(data)
    form, base, size = ("<IIQQQQQQ", 3, 6) if wide else ("<8I", 2, 5)
    parts = [struct.unpack_from(form, data, header[4] + row * struct.calcsize(form)) for row in range(header[9])]
    return [(part[base], part[size]) for part in parts if part[0] == PT_LOAD]


def symbol_of(image: Path, name: str) -> int:
    data = image.read_bytes()
    wide, header = header_of(data)
    form = "<IIQQQQIIQQ" if wide else "<10I"
    sections = [struct.unpack_from(form, data, header[5] + row * struct.calcsize(form)) for row in range(header[11])]
    for section in sections:
        if section[1] != 2:  # SHT_SYMTAB
            continue
        strings = sections[section[6]][4]
        step = "<IBBHQQ" if wide else "<IIIBBH"
        for at in range(section[4], section[4] + section[5], struct.calcsize(step)):
            symbol = struct.unpack_from(step, data, at)
            begin = strings + symbol[0]
            if data[begin:data.index(b"\0", begin)].decode() == name:
                return symbol[4] if wide else symbol[1]
    raise ValueError(f"{image} has no {name}")
