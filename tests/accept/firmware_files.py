"""Firmware as TI's linkers write it (ELF of 32 and 64 bits, maps, resource tables), and what Linux' remoteproc says of any such
file: written from the kernel's words, apart from memsize."""

import struct
from dataclasses import dataclass, field

PROGBITS, NOBITS, ALLOC = 1, 8, 2
ANY = 0xFFFFFFFF


@dataclass
class Section:
    name: str
    address: int
    size: int
    align: int = 4
    content: bytes | None = None   # None: NOBITS

    @property
    def end(self) -> int:
        return self.address + self.size


@dataclass
class Load:
    address: int        # physical
    memory: int
    offset: int = 0     # of the file
    stored: int = 0


@dataclass
class Elf:
    sections: list[Section] = field(default_factory=list)
    loads: list[Load] = field(default_factory=list)
    bits: int = 32
    machine: int = 40
    entry: int = 0
    change: dict = field(default_factory=dict)   # header fields that lie
    content_at: int = 0                          # behind all tables

    def bytes(self) -> bytes:
        """Headers first, then names, then content: what is cut off at the end is content."""
        wide = self.bits == 64
        head_size, load_size, row_size = (64, 56, 64) if wide else (52, 32, 40)
        names = b"\0.shstrtab\0"
        rows_at = head_size + load_size * len(self.loads)
        names_at = rows_at + row_size * (len(self.sections) + 2)
        for section in self.sections:
            names += section.name.encode() + b"\0"
        at = self.content_at = names_at + len(names)
        rows, content, name_at = [(0,) * 10], b"", 11
        for section in self.sections:
            stored = section.content
            rows.append((name_at, NOBITS if stored is None else PROGBITS, ALLOC, section.address, at + len(content), section.size,
                         0, 0, section.align, 0))
            content += stored or b""
            name_at += len(section.name) + 1
        rows.append((1, 3, 0, 0, names_at, len(names), 0, 0, 1, 0))
        loads = b""
        for load in self.loads:
            if wide:
                loads += struct.pack("<IIQQQQQQ", 1, 6, load.offset, load.address, load.address, load.stored, load.memory, 4)
            else:
                loads += struct.pack("<8I", 1, load.offset, load.address, load.address, load.stored, load.memory, 6, 4)
        table = b"".join(struct.pack("<IIQQQQIIQQ" if wide else "<10I", *row) for row in rows)
        value = {"magic": b"\x7fELF", "class": 2 if wide else 1, "data": 1, "phoff": head_size if self.loads else 0, "shoff": rows_at,
                 "phnum": len(self.loads), "shnum": len(rows)} | self.change
        head = value["magic"] + bytes([value["class"], value["data"], 1]) + b"\0" * 9 + struct.pack(
            "<HHIQQQIHHHHHH" if wide else "<HHIIIIIHHHHHH", 2, self.machine, 1, self.entry, value["phoff"], value["shoff"], 0x5000000,
            head_size, load_size, value["phnum"], row_size, value["shnum"], len(rows) - 1)
        return head + loads + table + names + content


def vdev(rings: list[tuple[int, int, int]], *, kind: int = 3, count: int | None = None, reserved: int = 0, config: int = 0) -> bytes:
    return (struct.pack("<6IBBH", kind, 7, 0, 1, 0, config, 0, len(rings) if count is None else count, reserved)
            + b"".join(struct.pack("<5I", address, align, number, i + 1, 0) for i, (address, align, number) in enumerate(rings)))


def trace(address: int, length: int, *, kind: int = 2, reserved: int = 0, name: bytes = b"trace:r5f0") -> bytes:
    return struct.pack("<4I32s", kind, address, length, reserved, name)


def resource_table(entries: list[bytes], *, version: int = 1, reserved: int = 0, count: int | None = None) -> bytes:
    count = len(entries) if count is None else count
    at, offsets = 16 + 4 * len(entries), b""
    for entry in entries:
        offsets += struct.pack("<I", at)
        at += len(entry)
    return struct.pack("<4I", version, count, reserved, 0) + offsets + b"".join(entries)


RINGS = [(ANY, 4096, 256), (ANY, 4096, 256)]


def find_table(image: bytes, wide: bool) -> tuple[str, bytes]:
    """The kernel's find_table(): what it says, and the table."""
    shoff, = struct.unpack_from("<Q", image, 0x28) if wide else struct.unpack_from("<I", image, 0x20)
    shnum, shstrndx = struct.unpack_from("<HH", image, 0x3C if wide else 0x30)
    size = 64 if wide else 40

    def row(index: int) -> tuple[int, int, int]:
        name, = struct.unpack_from("<I", image, shoff + size * index)
        offset, length = struct.unpack_from("<QQ" if wide else "<II", image, shoff + size * index + (0x18 if wide else 0x10))
        return name, offset, length

    names = row(shstrndx)[1]
    for index in range(shnum):
        name, offset, length = row(index)
        if not image[names + name:].startswith(b".resource_table\0"):
            continue
        if offset + length > len(image):
            return "resource table truncated", b""
        table = image[offset:offset + length]
        if length < 16:
            return "header-less resource table", b""
        version, count, *reserved = struct.unpack_from("<iIII", table)
        if version != 1:
            return f"unsupported fw ver: {version}", b""
        if any(reserved):
            return "non zero reserved bytes", b""
        return ("resource table incomplete", b"") if 16 + 4 * count > length else ("", table)
    return "", b""


def handle_resources(table: bytes) -> str:
    """rproc_handle_resources(): the error at which it stops."""
    count = struct.unpack_from("<I", table, 4)[0] if table else 0
    for index in range(count):
        at, = struct.unpack_from("<I", table, 16 + 4 * index)
        left = len(table) - at - 4
        if left < 0:
            return "rsc table is truncated"
        kind, = struct.unpack_from("<I", table, at)
        body = table[at + 4:]
        if kind in (0, 1, 2):
            name, length = {0: ("carveout", 52), 1: ("devmem", 52), 2: ("trace", 44)}[kind]
            if length > left:
                return f"{name} rsc is truncated"
            if struct.unpack_from("<I", body, length - 36)[0]:
                return f"{name} rsc has non zero reserved bytes"
        elif kind == 3:
            config, rings = (struct.unpack_from("<I", body, 16)[0], body[21]) if left >= 24 else (0, 0)
            if left < 24 or 24 + 20 * rings + config > left:
                return "vdev rsc is truncated"
            if body[22] or body[23]:
                return "vdev rsc has non zero reserved bytes"
            if rings > 2:
                return f"too many vrings: {rings}"
            for ring in range(rings):
                align, number = struct.unpack_from("<ii", body, 24 + 20 * ring + 4)
                if not align or not number:
                    return f"invalid qsz ({number}) or alignment ({align})"
    return ""


def remoteproc(image: bytes, homes: list[tuple[int, int]], boundary: int) -> str:
    """What Linux says of the file before it starts the core; empty: it runs. `homes` are memories that the driver knows."""
    if len(image) < 52:
        return "Image is too small"
    if image[4] not in (1, 2):
        return f"Unsupported class: {image[4]}"
    wide = image[4] == 2
    if wide and len(image) < 64:
        return "elf64 header is too small"
    if image[5] != 1:
        return "Unsupported firmware endianness"
    if image[:4] != b"\x7fELF":
        return "Image is corrupted (bad magic)"
    entry, phoff, shoff = struct.unpack_from("<QQQ" if wide else "<III", image, 0x18)
    phnum, = struct.unpack_from("<H", image, 0x38 if wide else 0x2C)
    if len(image) < shoff + (64 if wide else 40):
        return "Image is too small"
    if not phnum:
        return "No loadable segments"
    if phoff > len(image):
        return "Firmware size is too small"
    words, table = find_table(image, wide)
    words = words or handle_resources(table)
    if words:
        return words
    for index in range(phnum):
        if wide:
            kind, _, offset, _, at, stored, memory, _ = struct.unpack_from("<IIQQQQQQ", image, phoff + 56 * index)
        else:
            kind, offset, _, at, stored, memory, _, _ = struct.unpack_from("<8I", image, phoff + 32 * index)
        if kind != 1 or not memory:
            continue
        if stored > memory:
            return f"bad phdr filesz {stored:#x} memsz {memory:#x}"
        if offset + stored > len(image):
            return f"truncated fw: need {offset + stored:#x} avail {len(image):#x}"
        if not any(begin <= at and at + memory <= end for begin, end in homes):
            return f"bad phdr da {at:#x} mem {memory:#x}"
    address = entry & 0xFFFFFFFF
    if address & (boundary - 1):
        return f"invalid boot address {address:#x}, must be aligned on a {boundary:#x} boundary"
    return ""


def ti_map(core: str, regions: list[tuple[str, int, int, int]], *, wide: int = 8, pages: bool = False, attributes: str = "RWIX",
           fill: str = "", banner: str = "TI ARM Clang Linker Unix v1.3.0", long: int = 100) -> str:
    """A map of name, origin, length and used, in the forms that TI's linkers have."""
    lines = ["*" * 78, f"            {banner}", "*" * 78, ">> Linked Fri Mar 25 02:52:05 2022", "",
             f"OUTPUT FILE NAME:   <vx_app_rtos_linux_{core}.out>", 'ENTRY POINT SYMBOL: "_vectors"  address: 00000000', "", "",
             "MEMORY CONFIGURATION", "", "         name            origin    length      used     unused   attr    fill",
             "----------------------  --------  ---------  --------  --------  ----  --------"]
    lines += ["PAGE 0:"] if pages else []
    for name, origin, length, used in regions:
        numbers = "  ".join(f"{value:0{wide}x}" for value in (origin, length, used, length - used))
        lines += [f"  {name}*", f"*                       {numbers}  {attributes} {fill}"] if len(name) > long else \
            [f"  {name:22}  {numbers}  {attributes} {fill}"]
    lines += ["PAGE 1:", ""] if pages else []
    lines += ["", "", "SEGMENT ALLOCATION MAP", "", "run origin  load origin   length   init length attrs members",
              "----------  ----------- ---------- ----------- ----- -------", "a2200000    a2200000    00000040   00000040    r-x", ""]
    return "\n".join(lines)
