"""A made-up root for memsize-probe: what a board's /proc, /sys, /dev and /lib/firmware have, in the forms that Linux prints."""

import os
import struct
from dataclasses import dataclass, field
from pathlib import Path

RAM_FIRST, RAM_LAST = 0x80000000, 0xFFFFFFFF
MAGIC = 0x01357231
ENTRY = 16384
POOL = "carveout_vision_apps_shared-memories"


def fdt(tree: dict) -> bytes:
    """A flattened device tree (Devicetree Specification 0.4, chapter 5): folders are nodes, bytes are properties."""
    strings: dict[str, int] = {}
    text = b""

    def word(*values: int) -> bytes:
        return struct.pack(f">{len(values)}I", *values)

    def node(name: str, content: dict) -> bytes:
        nonlocal text
        out = word(1) + name.encode() + b"\0"
        out += b"\0" * (-len(out) % 4)
        for key, value in content.items():
            if isinstance(value, bytes):
                if key not in strings:
                    strings[key] = len(text)
                    text += key.encode() + b"\0"
                out += word(3, len(value), strings[key]) + value + b"\0" * (-len(value) % 4)
        for key, value in content.items():
            if isinstance(value, dict):
                out += node(key, value)
        return out + word(2)

    struct_block = node("", tree) + word(9)
    at = 40 + 16
    return (word(0xD00DFEED, at + len(struct_block) + len(text), at, at + len(struct_block), 40, 17, 16, 0, len(text),
                 len(struct_block)) + b"\0" * 16 + struct_block + text)


def cells(*values: int) -> bytes:
    return b"".join(struct.pack(">Q", value) for value in values)


def words(*values: int) -> bytes:
    return struct.pack(f">{len(values)}I", *values)


@dataclass
class Carveout:
    """Of memory_map.json, as the test needs it."""
    label: str
    node: str
    base: int
    size: int
    no_map: bool = True
    members: list[str] = field(default_factory=list)


def tree_of(carveouts: list[Carveout], cores: dict[str, tuple[str, str]], extra: dict | None = None) -> dict:
    """The running tree: `cores` has for each remoteproc name the labels of its two memories."""
    reserved: dict = {"#address-cells": words(2), "#size-cells": words(2), "ranges": b""}
    handles = {}
    for number, each in enumerate(carveouts, 1):
        handles[each.label] = number
        reserved[each.node] = {"reg": cells(each.base, each.size), "phandle": words(number),
                               **({"no-map": b"", "compatible": b"shared-dma-pool\0"} if each.no_map else {"compatible": b"dma-heap-carveout\0"})}
    bus: dict = {"#address-cells": words(2), "#size-cells": words(2), "ranges": b""}
    for name, (first, second) in cores.items():
        address, kind = name.split(".")
        bus[f"{kind}@{address}"] = {"reg": cells(int(address, 16), 0x1000), "memory-region": words(handles[first], handles[second])}
    return {"#address-cells": words(2), "#size-cells": words(2), "model": b"a board of the tests\0",
            "serial-number": b"SECRET-4711\0", "chosen": {"bootargs": b"root=/dev/SECRET-4711\0"},
            "memory@80000000": {"device_type": b"memory\0", "reg": cells(0x80000000, 0x80000000, 0x880000000, 0x180000000)},
            "reserved-memory": {**reserved, **(extra or {})}, "bus@f0000": bus}


def iomem(no_map: list[tuple[int, int]], mapped: list[tuple[int, int]], banks: list[tuple[int, int]]) -> str:
    """As request_standard_resources() of arm64 has it: what is not mapped at the top, neighbours as one."""
    lines = []
    merged: list[list[int]] = []
    for base, size in sorted(no_map):
        if merged and merged[-1][1] >= base:
            merged[-1][1] = max(merged[-1][1], base + size)
        else:
            merged.append([base, base + size])
    for begin, end in banks:
        at = begin
        pieces: list[tuple[int, int, str]] = []
        for low, high in merged:
            if begin <= low < end:
                if at < low:
                    pieces.append((at, low, "System RAM"))
                pieces.append((low, high, "reserved"))
                at = high
        if at < end:
            pieces.append((at, end, "System RAM"))
        for low, high, name in pieces:
            lines.append(f"{low:08x}-{high - 1:08x} : {name}")
            if name == "System RAM":
                lines += [f"  {base:08x}-{base + size - 1:08x} : reserved" for base, size in sorted(mapped) if low <= base < high]
    return "\n".join(lines) + "\n"


def bufinfo(buffers: list[tuple[int, int, str]]) -> str:
    """drivers/dma-buf/dma-buf.c, dma_buf_debug_show(): inode, size, exporter."""
    text = "\nDma-buf Objects:\nsize    \tflags   \tmode    \tcount   \texp_name\tino     \tname\n"
    for inode, size, exporter in buffers:
        text += f"{size:08d}\t00000002\t00080007\t{3:08d}\t{exporter}\t{inode:08d}\t<none>\n"
        text += "\tAttached Devices:\nTotal 0 devices attached\n\n"
    return text + f"\nTotal {len(buffers)} objects, {sum(size for _, size, _ in buffers)} bytes\n"


def ring_entry(core: str, text: str, lap: str = "") -> bytes:
    """An entry of APP_LOG: indices, magic word, state, name, and texts that each end with a NUL."""
    data = b"".join(line.encode() + b"\n\0" for line in text.splitlines())
    rest = b"".join(line.encode() + b"\n\0" for line in lap.splitlines())
    memory = data + b"\0" * (ENTRY - 32 - len(data) - len(rest)) + rest
    return struct.pack("<IIII16s", 0, len(data), MAGIC, 2, core.encode()) + memory


class Root:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, path: str, content: str | bytes) -> Path:
        file = self.folder / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def link(self, path: str, target: str) -> None:
        file = self.folder / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        os.symlink(target, file)

    def core(self, number: int, name: str, state: str, firmware: str) -> None:
        for member, value in (("name", name), ("state", state), ("firmware", firmware)):
            self.write(f"/sys/class/remoteproc/remoteproc{number}/{member}", value + "\n")

    def process(self, number: int, buffers: list[tuple[int, int, int, str]]) -> None:
        """Open files: number, inode, size, exporter; and one that is no buffer."""
        (self.folder / f"proc/{number}/fd").mkdir(parents=True)
        (self.folder / f"proc/{number}/fdinfo").mkdir(parents=True)
        os.symlink("/dev/null", self.folder / f"proc/{number}/fd/0")
        self.write(f"/proc/{number}/fdinfo/0", "pos:\t0\nflags:\t0100002\nmnt_id:\t25\nino:\t1\n")
        for file, inode, size, exporter in buffers:
            os.symlink(f"/dmabuf:{exporter}", self.folder / f"proc/{number}/fd/{file}")
            self.write(f"/proc/{number}/fdinfo/{file}", f"pos:\t0\nflags:\t02000002\nmnt_id:\t10\nino:\t{inode}\nsize:\t{size}\n"
                       f"count:\t4\nexp_name:\t{exporter}\n")
