"""Firmware is held against the map that it runs with: by readelf's and llvm-readobj's accounts of what GNU ld and lld linked, and,
where MEMSIZE_TI_IMAGES names them, by figures of a real image of TI's. What Linux says of files: accept_firmware_loader.py."""

import json
import os
import re
import subprocess
from pathlib import Path

from firmware_files import Elf, Load, Section
from support import Context, check, main, read, read_json, same, tool

BOARD = "j722s-sdk11"


class Map:
    """memory_map.json, as a core's loader would use it."""

    def __init__(self, document: dict) -> None:
        self.regions = document["regions"]
        self.cores = sorted({core for row in self.regions for core in row["cores"]})

    def of(self, core: str) -> list[tuple[str, int, int]]:
        return [(row["name"], int(row["virtual"], 16), row["size_bytes"]) for row in self.regions
                if core in row["cores"] and "virtual" in row]


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
              ".space 0x4321\n.section .tracebuf,\"aw\",%nobits\ntrace: .space 0x80000\n"
              ".section .resource_table,\"a\"\n.word 1, 2, 0, 0, 24, 92, 3, 7, 0, 1, 0, 0, 0x200\n"
              ".word -1, 4096, 256, 1, 0, -1, 4096, 256, 2, 0, 2, trace, 0x80000, 0\n.ascii \"trace:r5f0\"\n.space 22\n"
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
            same(f"{image.name}: resources", [(row["kind"], row.get("name"), len(row.get("vrings", []))) for row in
                                              firmware["resource_table"]["entries"]], [("vdev", None, 2), ("trace", "trace:r5f0", 0)])
            text = subprocess.run([tool("readelf"), "-SW", image], capture_output=True, text=True, check=True).stdout
            tops: dict[str, int] = {}
            for match in re.finditer(r"\] (\S+) +(?:PROGBITS|NOBITS|ARM_EXIDX) +(\w+) \w+ (\w+) \w+ +W?A", text):
                address, size = int(match[2], 16), int(match[3], 16)
                home = [(name, base) for name, base, length in linked.of(core) if base <= address and address + size <= base + length]
                if size:
                    same(f"{image.name}: regions of {match[1]}", len(home), 1)
                    tops[home[0][0]] = max(tops.get(home[0][0], 0), address + size - home[0][1])
            same(f"{image.name}: used", used_by(firmware), tops)
            text = subprocess.run([tool("llvm-readobj", "llvm-readobj-14"), "--sections", image], capture_output=True, text=True,
                                  check=True).stdout
            sums: dict[str, int] = {}
            for match in re.finditer(r"SHF_ALLOC.*?Address: (\w+)\s+Offset: \w+\s+Size: (\d+)", text, re.S):
                address, size = int(match[1], 16), int(match[2])
                for name, base, length in linked.of(core):
                    if size and base <= address < base + length:
                        sums[name] = sums.get(name, 0) + size
            check(set(sums) == set(tops) and all(sums[name] <= tops[name] < sums[name] + 8192 for name in sums),
                  f"{image.name}: sections {sums}, used {tops}")
            count += len(tops)
            # Of the other SDK's map it is none.
            _, found = verdict(context, image, "--set", "ipc_vring_mem_size=16MiB")
            check(any(each["code"] == "firmware.place" and "APP_LOG_MEM" in each["message"] for each in found),
                  f"{image.name}: an array for another map is not found")
    return count


def check_stray(context: Context, linked: Map) -> None:
    image = context.work / "stray.out"
    code = next(row for row in linked.of("mcu2_0") if row[0] == "DDR_MCU2_0")
    for sections, code_of, words in (
            ([(".text", 0x10000000, 64)], "firmware.core", "for itself"),
            ([(".text", code[1], 64), (".far", 0x10000000, 64)], "firmware.region", "'.far' [0x10000000, 0x10000040)"),
            ([(".text", code[1], 64), (".over", code[1] + code[2] - 16, 32)], "firmware.region", "'.over'"),
            ([(".text", code[1], code[2] - 4096)], "firmware.full", "fuller than 95 %")):
        image.write_bytes(Elf([Section(*row) for row in sections], [Load(code[1], 64)]).bytes())
        _, found = verdict(context, image)
        check(any(each["code"] == code_of and words in each["message"] for each in found), f"{sections}: {found}")
    image.write_bytes(Elf([Section(".text", code[1], 64)], [Load(code[1], 64)]).bytes())
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
    return f"{regions} regions as readelf and llvm-readobj have them, {check_real(context)}"


if __name__ == "__main__":
    main(__doc__, run)
