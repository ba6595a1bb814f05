"""Firmware is held against the map that it runs with: by readelf's account of what GNU ld and lld linked, by a loader's
rules written apart for random images, and, where MEMSIZE_TI_IMAGES names them, by figures of a real image of TI's."""

import json
import os
import random
import re
import struct
import subprocess
from pathlib import Path

from support import Context, check, main, read, read_json, same, tool

BOARD = "j722s-sdk11"
NOBITS, PROGBITS, ALLOC = 8, 1, 2
RANDOM = 20 if os.environ.get("MEMSIZE_FEW_ROUNDS") else 200

Section = tuple[str, int, int, int]   # name, type, address, size
Load = tuple[int, int]                # physical address, size in memory


def elf32(sections: list[Section], loads: list[Load]) -> bytes:
    """A program for an Arm, in which sections have no bytes of their own in the file but a length."""
    names = b"\0.shstrtab\0"
    rows = [(0,) * 10]
    for name, kind, address, size in sections:
        rows.append((len(names), kind, ALLOC, address, 0, 0 if kind == PROGBITS and size > 4096 else size, 0, 0, 4, 0))
        names += name.encode() + b"\0"
    heads = b"".join(struct.pack("<8I", 1, 0, address, address, 0, size, 6, 4) for address, size in loads)
    at = 52 + len(heads)
    rows.append((1, 3, 0, 0, at, len(names), 0, 0, 1, 0))
    table = b"".join(struct.pack("<10I", *row) for row in rows)
    padded = names + b"\0" * (-len(names) % 4)
    head = b"\x7fELF\1\1\1" + b"\0" * 9 + struct.pack("<HHIIIIIHHHHHH", 2, 40, 1, 0, 52, at + len(padded), 0x5000000, 52, 32,
                                                     len(loads), 40, len(rows), len(rows) - 1)
    return head + heads + padded + table + b"\0" * 4096


class Map:
    """memory_map.json, as a core's loader would use it."""

    def __init__(self, document: dict) -> None:
        self.regions = document["regions"]
        self.carveouts = document["carveouts"]
        self.cores = sorted({core for row in self.regions for core in row["cores"]})

    def of(self, core: str) -> list[tuple[str, int, int]]:
        return [(row["name"], int(row["virtual"], 16), row["size_bytes"]) for row in self.regions
                if core in row["cores"] and "virtual" in row]

    def homes(self, core: str) -> list[tuple[int, int]]:
        """What Linux may load for the core, as ranges that do not touch: rows of its own in carve-outs of its own."""
        mine = {row["name"] for row in self.regions if row["cores"] == [core]}
        good = {name for node in self.carveouts if set(node["members"]) <= mine and "dma_memory" not in node["label"]
                for name in node["members"]}
        own = sorted((int(row["virtual"], 16), int(row["virtual"], 16) + row["size_bytes"]) for row in self.regions
                     if core in row["cores"] and "virtual" in row
                     and (row["space"] == "core" or row["name"] in (good if row["space"] == "ddr" else mine)))
        merged: list[tuple[int, int]] = []
        for begin, end in own:
            if merged and begin <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((begin, end))
        return merged


def verdict(context: Context, image: Path, *words: str) -> tuple[dict, list[dict]]:
    done = context.run("check", "--board", BOARD, "--images", image, *words, "--json", expect=(0, 1))
    document = json.loads(done.stdout)
    return document["firmware"][0], document["diagnostics"]


def used_by(firmware: dict) -> dict[str, int]:
    return {row["name"]: row["low_bytes"] + row["high_bytes"] for row in firmware["regions"]}


def check_linked(context: Context, linked: Map) -> int:
    """What two linkers make of our own scripts; readelf says where it lies."""
    out = context.work / "out"
    context.run("emit", "--board", BOARD, "--only", "gnu-ld", "--out", out)
    source = (".section .text.some,\"ax\"\n.space 0x12345\n.section .data.some,\"aw\"\n.space 0x321\n.section .bss.some,\"aw\",%nobits\n"
              ".space 0x4321\n.section .resource_table,\"a\"\n.space 140\n"
              ".section \".bss:app_log_mem\",\"aw\",%nobits\n.space 0x40000\n")
    count = 0
    for core in ("mcu2_0", "mcu1_0"):
        item = context.work / "item.o"
        subprocess.run([tool("arm-none-eabi-as"), "-o", item], input=source, text=True, check=True)
        for linker, more in ((tool("arm-none-eabi-ld"), ["--no-warn-rwx-segments"]), (tool("ld.lld", "ld.lld-14"), [])):
            image = context.work / f"{core}-{Path(linker).name}.out"
            subprocess.run([linker, *more, "-e", "0", "-T", out / core / "linker.ld", "-o", image, item], check=True)
            firmware, found = verdict(context, image)
            same(f"{image.name}: findings", found, [])
            same(f"{image.name}: core", firmware["core"], core)
            text = subprocess.run([tool("readelf"), "-SW", image], capture_output=True, text=True, check=True).stdout
            tops: dict[str, int] = {}
            for match in re.finditer(r"\] (\S+) +(?:PROGBITS|NOBITS|ARM_EXIDX) +(\w+) \w+ (\w+) \w+ +W?A", text):
                address, size = int(match[2], 16), int(match[3], 16)
                home = [(name, base) for name, base, length in linked.of(core) if base <= address and address + size <= base + length]
                if size:
                    same(f"{image.name}: regions of {match[1]}", len(home), 1)
                    tops[home[0][0]] = max(tops.get(home[0][0], 0), address + size - home[0][1])
            same(f"{image.name}: used", used_by(firmware), tops)
            count += len(tops)
            # Of the other SDK's map it is none.
            _, found = verdict(context, image, "--set", "ipc_vring_mem_size=16MiB")
            check(any(each["code"] == "firmware.place" and "APP_LOG_MEM" in each["message"] for each in found),
                  f"{image.name}: an array for another map is not found")
    return count


def check_random(context: Context, linked: Map) -> int:
    """Segments anywhere: remoteproc's rule, from its own words, against what memsize says."""
    chance = random.Random(26)
    refused = 0
    image = context.work / "random.out"
    for _ in range(RANDOM):
        core = chance.choice(["mcu1_0", "mcu2_0"])
        homes, regions = linked.homes(core), linked.of(core)
        code = next(row for row in regions if row[0] == f"DDR_{core.upper()}")
        loads = []
        for _ in range(chance.randint(1, 4)):
            begin, end = chance.choice([*homes, *((base, base + size) for _, base, size in regions)])
            at = max(0, chance.choice([begin, end - 16, begin - 16, chance.randrange(begin, end)]))
            loads.append((at, chance.choice([0, 16, 17, 4096, end - begin])))
        loads = [(at, min(size, (1 << 32) - 1 - at)) for at, size in loads]
        high = chance.randrange(1, 64) * 16
        low = chance.randrange(64, code[2] // 2, 4)
        sections: list[Section] = [(".text", NOBITS, code[1], low),
                                   (".irqStack", NOBITS, code[1] + code[2] - high, high)]
        image.write_bytes(elf32(sections, loads))
        firmware, found = verdict(context, image)
        bad = {(at, size) for at, size in loads
               if size and not any(begin <= at and at + size <= end for begin, end in homes)}
        said = {(int(match[1], 16), int(match[2], 16)) for each in found if each["code"] == "firmware.load"
                for match in [re.search(r"bad phdr da (0x\w+) mem (0x\w+)", each["message"])] if match}
        same(f"{core}: segments {loads} refused", said, bad)
        rows = {row["name"]: (row["low_bytes"], row["high_bytes"]) for row in firmware["regions"]}
        same(f"{core}: both ends of the code", rows, {code[0]: (low, high)})
        refused += len(bad)
    check(refused > RANDOM // 4, f"only {refused} segments were refused")
    return refused


def check_stray(context: Context, linked: Map) -> None:
    image = context.work / "stray.out"
    code = next(row for row in linked.of("mcu2_0") if row[0] == "DDR_MCU2_0")
    for sections, code_of, words in (
            ([(".text", NOBITS, 0x10000000, 64)], "firmware.core", "for itself"),
            ([(".text", NOBITS, code[1], 64), (".far", NOBITS, 0x10000000, 64)], "firmware.region", "'.far' [0x10000000, 0x10000040)"),
            ([(".text", NOBITS, code[1], 64), (".over", NOBITS, code[1] + code[2] - 16, 32)], "firmware.region", "'.over'"),
            ([(".text", NOBITS, code[1], code[2] - 4096)], "firmware.full", "nearly full")):
        image.write_bytes(elf32(sections, []))
        _, found = verdict(context, image)
        check(any(each["code"] == code_of and words in each["message"] for each in found), f"{sections}: {found}")
    image.write_bytes(elf32([(".text", NOBITS, code[1], 64)], []))
    other = context.work / "other.out"
    other.write_bytes(image.read_bytes())
    done = context.run("check", "--board", BOARD, "--images", image, "--images", other, "--json", expect=1)
    check("firmware.twice" in done.stdout, "two images of one core are not told")


def check_real(context: Context) -> str:
    folder = os.environ.get("MEMSIZE_TI_IMAGES")
    if not folder:
        return "no real image (MEMSIZE_TI_IMAGES)"
    image = Path(folder) / "vx_app_rtos_linux_mcu2_0.out"
    firmware, found = verdict(context, image)
    same("findings of the real image on its map", found, [])
    # By hand from readelf: 0x55D458 from the start, 5120 of stacks at the end.
    same("the real image's code and data", used_by(firmware)["DDR_MCU2_0"], 0x55D458 + 5120)
    same("its file access", used_by(firmware)["APP_FILEIO_MEM"], 0x322840)
    same("what is only reserved", sorted(row["name"] for row in firmware["regions"] if row["only_reserved"]),
         ["APP_FILEIO_MEM", "APP_LOG_MEM", "DDR_MCU2_0_LOCAL_HEAP", "IPC_VRING_MEM", "TIOVX_OBJ_DESC_MEM"])
    done = context.run("check", "--board", "j722s", "--images", image, "--json", expect=1)
    told = {match[1] for each in json.loads(done.stdout)["diagnostics"]
            for match in [re.search(r"is there for '(\w+)'", each["message"])] if match}
    same("on another SDK's map", told, {"APP_FILEIO_MEM", "APP_LOG_MEM", "IPC_VRING_MEM", "TIOVX_OBJ_DESC_MEM"})
    # Everything cut short is told, and nothing else happens.
    whole = image.read_bytes()
    cut = context.work / "cut.out"
    for end in (0, 3, 16, 51, 52, 200, len(whole) // 2, len(whole) - 1):
        cut.write_bytes(whole[:end])
        done = context.run("check", "--board", BOARD, "--images", cut, "--json", expect=1)
        check("image.syntax" in done.stdout, f"cut after {end} bytes: {done.stdout}")
    return "the real image has its figures"


def run(context: Context) -> str:
    context.run("emit", "--board", BOARD, "--only", "map-json", "--out", "map")
    linked = Map(read_json(context.work / "map" / "memory_map.json"))
    regions = check_linked(context, linked)
    check_stray(context, linked)
    refused = check_random(context, linked)
    return f"{regions} regions as readelf has them, {refused} of {RANDOM} images' segments refused, {check_real(context)}"


if __name__ == "__main__":
    main(__doc__, run)
