"""Firmware as TI's linkers write it, and what Linux says of it: 500 random ELF files against a loader that was written apart, files
of both widths in TI's shape against figures added up here, maps in every form of theirs, and files that lie or are huge."""

import hashlib
import json
import os
import random
import re
import struct
import time
from pathlib import Path

from firmware_files import ANY, RINGS, Elf, Load, Section, remoteproc, resource_table, ti_map, trace, vdev
from support import FEW, Context, check, main, read_json, same

BOARD = "j722s-sdk11"
RANDOM = 50 if FEW else 500
BATCH = 50
MIB = 1 << 20


class Core:
    """A core of memory_map.json as its loader knows it."""

    def __init__(self, document: dict, name: str, boundary: int = 1) -> None:
        self.name, self.boundary = name, boundary
        self.rows = {row["name"]: row for row in document["regions"] if name in row["cores"] and "virtual" in row}
        mine = {row["name"] for row in document["regions"] if row["cores"] == [name]}
        nodes = [node for node in document["carveouts"] if set(node["members"]) <= mine]
        self.nodes = [(int(node["physical"], 16), int(node["physical"], 16) + node["size_bytes"]) for node in nodes
                      if "dma_memory" not in node["label"] and int(node["physical"], 16) + node["size_bytes"] <= 1 << 32]
        chip = sorted((int(row.get("physical", row["virtual"]), 16), row["size_bytes"]) for row in self.rows.values()
                      if row["space"] == "core" or (row["space"] == "sram" and row["name"] in mine))
        self.homes = list(self.nodes)
        for begin, size in chip:
            if self.homes and self.homes[-1][1] == begin and self.homes[-1] not in self.nodes:
                self.homes[-1] = (self.homes[-1][0], begin + size)
            else:
                self.homes.append((begin, begin + size))
        self.code, self.table, self.heap = (self.range(f"DDR_{name}{end}") for end in ("", "_RESOURCE_TABLE", "_LOCAL_HEAP"))

    def range(self, name: str) -> tuple[int, int]:
        """Names of cores are in several cases there."""
        row = next(row for key, row in self.rows.items() if key.lower() == name.lower())
        return int(row["virtual"], 16), row["size_bytes"]


def checked(context: Context, images: list[Path], *words: object) -> tuple[list[dict], list[dict]]:
    more = [word for image in images for word in ("--images", image)]
    done = context.run("check", "--board", BOARD, *more, *words, "--json", expect=(0, 1))
    document = json.loads(done.stdout)
    return document.get("firmware", []), document["diagnostics"]


def said_by_linux(found: list[dict], image: Path) -> str:
    """Of the findings of one image, what Linux says first when it refuses it."""
    for each in found:
        if each["severity"] == "error" and each.get("path") == str(image):
            match = re.search(r"Linux will not (?:load|start) this image: (.*)|\(Linux says: (.*)\)$", each["message"])
            if match:
                return match[1] or match[2]
    return ""


def random_table(chance: random.Random, core: Core) -> bytes:
    rings = [(ANY, chance.choice([4096] * 20 + [0]), chance.choice([256, 64] * 10 + [0])) for _ in range(chance.choice([1] + [2] * 12 + [3]))]
    entries = [vdev(rings, count=chance.choice([None] * 20 + [9]), reserved=chance.choice([0] * 20 + [256]),
                    config=chance.choice([0] * 20 + [12])),
               trace(core.table[0] + 0x400, 0x1000, kind=chance.choice([2, 2, 2, 0, 1, 7, 128, 0x10002]),
                     reserved=chance.choice([0] * 20 + [1]))]
    table = bytearray(resource_table(entries, version=chance.choice([1] * 20 + [2]), reserved=chance.choice([0] * 20 + [5]),
                                     count=chance.choice([None] * 20 + [40])))
    if chance.random() < 0.05:
        struct.pack_into("<I", table, 16, chance.choice([len(table), len(table) - 4, 1 << 31]))
    return bytes(table)


def random_elf(chance: random.Random, core: Core) -> bytes:
    sections = [Section(".text", core.code[0], 64, 32)]
    if chance.random() < 0.7:
        table = random_table(chance, core)
        sections.append(Section(".resource_table", core.table[0], len(table), 4096, table))
    wide = chance.random() < 0.5
    loads = []
    for _ in range(chance.choice([1, 1, 2, 3])):
        begin, end = chance.choice([*core.homes * 4, (core.heap[0], sum(core.heap))])
        at = max(0, chance.choice([begin] * 6 + [begin + 64, end - 16, begin - 16]))
        size = chance.choice([16, 17, 48, 4096, end - begin, 0])
        at += (1 << 32) if wide and chance.random() < 0.05 else 0
        if wide and chance.random() < 0.03:
            size = 1 << chance.randint(32, 62)
        at = at if wide else min(at, 0xFFFFFFF0)
        size = size if wide else min(size, (1 << 32) - 1 - at)
        stored = chance.choice([0, 0, min(size, 16), min(size, 16), chance.choice([0, min(size, 1 << 20), size + 1])])
        loads.append(Load(at, size, chance.choice([0, 64, 200]), min(stored, (1 << 32) - 1)))
    change: dict = {}
    if chance.random() < 0.1:
        change = chance.choice([{"class": 3}, {"data": 2}, {"magic": b"\x7fELG"}, {"phnum": 0}, {"shoff": 1 << 24}, {"phoff": 1 << 24}])
    entry = chance.choice([0, 0, 0, core.code[0] // core.boundary * core.boundary, core.code[0] + 4])
    elf = Elf(sections, loads, 64 if wide else 32, chance.choice([40, 140, 0x1234]), entry, change)
    image = elf.bytes()
    # Of a table that is cut the kernel reads what lies behind the file.
    cut = chance.choice([chance.randint(0, 120), chance.randint(elf.content_at, len(image))])
    return image[:cut] if chance.random() < 0.08 else image


def check_random(context: Context, cores: list[Core]) -> str:
    chance = random.Random(526)
    words: dict[str, int] = {}
    loaded = 0
    for first in range(0, RANDOM, BATCH):
        files = []
        for index in range(BATCH):
            path = context.work / f"random{index}.out"
            core = chance.choice(cores)
            path.write_bytes(random_elf(chance, core))
            files.append((path, core))
        _, found = checked(context, [path for path, _ in files])
        for path, core in files:
            content = path.read_bytes()
            expected = remoteproc(content, core.homes, core.boundary)
            actual = said_by_linux(found, path)
            if not content.startswith(b"\x7f") and expected:
                # No ELF file at all: memsize says that.
                check(any(each["code"] == "image.syntax" and each.get("path") == str(path) for each in found), f"{path}: not refused")
                continue
            same(f"image {first} {path.name} of {core.name}: what Linux says", actual, expected)
            loaded += not expected
            kind = re.sub(r"0x\w+|-?\d+", "N", expected)
            words[kind] = words.get(kind, 0) + 1
    check(loaded > RANDOM // 5 and len(words) >= (8 if FEW else 15), f"{loaded} loaded, {words}")
    return f"{RANDOM} random images: {loaded} load, {len(words) - 1} reasons of Linux' agree"


def like_ti(core: Core, chance: random.Random, wide: bool) -> tuple[Elf, dict[str, int]]:
    """NOLOAD outside of segments, stacks at the region's end; and what each region must need."""
    base, size = core.code
    sections, at = [], base
    for name in (".text", ".rodata", ".bss", ".data"):
        align = chance.choice([4, 32, 128, 1024])
        at = (at + align - 1) // align * align
        sections.append(Section(name, at, chance.randrange(16, MIB, 4), align))
        at = sections[-1].end
    end = base + size
    for name in (".irqStack", ".svcStack", ".undStack"):
        length = chance.randrange(16, 4096)
        end = (end - length) // 4 * 4
        sections.append(Section(name, end, length, 4))
    loads = [Load(section.address, section.size) for section in sections]
    need = {name: 0 for name in core.rows}
    code = next(name for name in core.rows if core.range(name) == core.code)
    need[code] = (at - base) + (base + size - end)
    table = resource_table([vdev(RINGS), trace(core.table[0] + 0x400, 0x1000)])
    sections.append(Section(".resource_table", core.table[0], len(table), 4096, table))
    heaps = [(".bss:ddr_local_mem", core.heap)]
    for name in ("IPC_VRING_MEM", "TIOVX_OBJ_DESC_MEM"):
        heaps.append((f".bss:{name.lower()}", core.range(name)))
    for name, (address, length) in heaps:
        sections.append(Section(name, address, length, 4096))
    for name in core.rows:
        for section in sections[7:]:
            if section.address == core.range(name)[0]:
                need[name] = section.size
    return Elf(sections, loads, 64 if wide else 32, 0x9999 if wide else 40, base // (2 * MIB) * 2 * MIB), {k: v for k, v in need.items() if v}


def check_like_ti(context: Context, cores: list[Core]) -> int:
    chance = random.Random(9)
    image, text = context.work / "ti.out", context.work / "ti.map"
    count = 0
    for _ in range(4 if FEW else 20):
        core = chance.choice(cores)
        elf, need = like_ti(core, chance, core.boundary > 1)
        content = elf.bytes()
        image.write_bytes(content)
        firmware, found = checked(context, [image])
        same(f"{core.name}: errors", [each for each in found if each["severity"] == "error"], [])
        same("core", firmware[0]["core"], core.name)
        same("need", {row["name"]: row["need_bytes"] for row in firmware[0]["regions"]}, need)
        same("hash", firmware[0]["sha256"], hashlib.sha256(content).hexdigest())
        if core.boundary > 1:
            check("39321" in firmware[0]["machine"], f"an unknown machine is reported by its number: {firmware[0]}")
            check(core.heap[0] >= 1 << 32, "the C7x sees its heaps above 4 GiB")
        rows = {row["kind"] for row in firmware[0]["resource_table"]["entries"]}
        same("resource table", rows, {"vdev", "trace"})
        # Without the table of sections there are segments: nothing that is only reserved is seen.
        bare = Elf([], elf.loads, elf.bits, elf.machine, elf.entry, {"shnum": 0, "shoff": 0})
        image.write_bytes(bare.bytes())
        firmware, _ = checked(context, [image])
        code = next(name for name in core.rows if core.range(name) == core.code)
        same("need of a stripped file", {row["name"]: row["need_bytes"] for row in firmware[0]["regions"]}, {code: need[code]})
        # The linker's map of the same program: what is used has the padding.
        text.write_text(ti_map(core.name, [(name, *core.range(name), need.get(name, 0)) for name in core.rows]))
        firmware, found = checked(context, [text])
        same("findings of the map", found, [])
        same("need by the map", {row["name"]: row["need_bytes"] for row in firmware[0]["regions"]}, need)
        sums = {name: sum(part.size for part in elf.sections if core.range(name)[0] <= part.address < sum(core.range(name)))
                for name in need}
        check(all(sums[name] <= need[name] <= sums[name] + 7 * 1024 for name in need), f"sums {sums}, need {need}")
        count += len(need)
    return count


def check_map_forms(context: Context, core: Core) -> int:
    rows = [(name, *core.range(name), 0x5A0 if "DDR_MCU" in name and "HEAP" not in name and core.range(name)[1] > 4096 else 0)
            for name in core.rows]
    expected = {name: used for name, _, _, used in rows if used}
    path = context.work / "form.map"
    forms = [{}, {"wide": 16}, {"wide": 12}, {"pages": True}, {"attributes": "R  X"}, {"attributes": "RW  "}, {"fill": "00000000"},
             {"banner": "TMS320C6x Linker PC v8.5.0.LTS"}, {"long": 12}, {"attributes": "RWIX", "fill": ""}]
    for form in forms:
        for newline in ("\n", "\r\n"):
            path.write_bytes(ti_map(core.name, rows, **form).replace("\n", newline).encode())
            firmware, found = checked(context, [path])
            same(f"{form}: findings", found, [])
            same(f"{form}: used", {row["name"]: row["need_bytes"] for row in firmware[0]["regions"]}, expected)
            same(f"{form}: what it is", (firmware[0]["format"], firmware[0]["core"]), ("ti-map", core.name))
    # Any digit of a length, of what is used or not: the row no longer adds up.
    chance = random.Random(4)
    text = ti_map(core.name, rows)
    first = text.index("MEMORY CONFIGURATION")
    places = [match.start(group) + chance.randrange(8) for match in re.finditer(
        r"^  \w+ +\w{8}  (\w{8})  (\w{8})  (\w{8})", text[first:], re.M) for group in (1, 2, 3)]
    for place in chance.sample(places, 4 if FEW else 24):
        at = first + place
        digit = chance.choice([digit for digit in "0123456789abcdef" if digit != text[at]])
        path.write_text(text[:at] + digit + text[at + 1:])
        _, found = checked(context, [path])
        line = text[:at].count("\n") + 1
        same(f"digit at {at} becomes {digit}", [(each["code"], each.get("line")) for each in found], [("image.syntax", line)])
    return len(forms)


def check_hostile(context: Context, core: Core) -> float:
    """A million sections, in time that grows with them alone; and files with nothing in them."""
    count = 100_000 if FEW else 1_000_000
    path = context.work / "many.out"
    rows = 64
    body = struct.pack("<10I", 1, 8, 2, core.code[0], 0, 4, 0, 0, 4, 0)
    many = b"".join(struct.pack("<10I", 1, 8, 2, core.code[0] + 4 * (i % 1_000_000), 0, 4, 0, 0, 4, 0) for i in range(count))
    first = struct.pack("<10I", 0, 0, 0, 0, 0, count + 2, 1, 0, 0, 0)
    names = struct.pack("<10I", 1, 3, 0, 0, 52, rows, 0, 0, 1, 0)
    head = b"\x7fELF\1\1\1" + b"\0" * 9 + struct.pack("<HHIIIIIHHHHHH", 2, 40, 1, 0, 0, 52 + rows, 0, 52, 32, 0, 40, 0, 0xFFFF)
    path.write_bytes(head + (b"\0.many" + b"\0" * rows)[:rows] + first + names + many)
    check(len(body) == 40, "a row has 40 bytes")
    begin = time.monotonic()
    firmware, _ = checked(context, [path])
    took = time.monotonic() - begin
    same("need of many sections", firmware[0]["regions"][0]["need_bytes"], 4 * min(count, 1_000_000))
    check(took < 60, f"{count} sections took {took:.1f} s")
    # All of them nowhere: each is wrong, and a few are told.
    path.write_bytes(head + (b"\0.many" + b"\0" * rows)[:rows] + first + names + body + b"".join(
        struct.pack("<10I", 1, 8, 2, 0x10000000 + 4 * i, 0, 4, 0, 0, 4, 0) for i in range(count - 1)))
    _, found = checked(context, [path])
    check(10 < len(found) < 40, f"{len(found)} findings")
    check(any(re.search(rf"{count - 21} more are in no region", each["message"]) for each in found), f"{found[-3:]}")
    for content, words in ((Elf().bytes(), "nothing of this image"), (Elf(change={"shnum": 0xFF00}).bytes(), "table of sections"),
                           (Elf([Section(".text", core.code[0], 64)], [Load(core.code[0], 1 << 20)] * 512).bytes(), "overlap"),
                           (Elf(loads=[Load(core.code[0], 64)] * 600).bytes(), "600 segments")):
        path.write_bytes(content)
        _, found = checked(context, [path])
        check(any(words in each["message"] for each in found), f"{words}: {found[:3]}")
    return took


def check_tree(context: Context) -> None:
    """The map that an SDK tree has now."""
    tree = Path(__file__).resolve().parents[1] / "data" / "zx9"
    image = context.work / "tree.out"
    image.write_bytes(Elf([Section(".text", 0xA0000000, 0x3000, 32)], [Load(0xA0000000, 0x3000)]).bytes())
    words = ("check", "--sdk", tree, "--board", tree / "board.toml", "--images", image, "--json")
    document = json.loads(context.run(*words, expect=(0, 1)).stdout)
    firmware = document["firmware"][0]
    same("firmware of the tree", (firmware["core"], [(row["name"], row["reserved_bytes"], row["need_bytes"]) for row in firmware["regions"]]),
         ("r5", [("CODE_R5", 4 * MIB, 0x3000)]))


def check_real(context: Context) -> str:
    folder = os.environ.get("MEMSIZE_TI_IMAGES")
    if not folder:
        return "no real files (MEMSIZE_TI_IMAGES)"
    image = Path(folder) / "vx_app_rtos_linux_mcu2_0.out"
    firmware, found = checked(context, [image])
    same("findings of the real image", found, [])
    row = next(row for row in firmware[0]["regions"] if row["name"] == "DDR_MCU2_0")
    # By hand from readelf: 0x55D458 from the start, 5120 of stacks at the end.
    same("what it needs", (row["need_bytes"], row["reserved_bytes"], row["knob"]), (5_630_040, 30 * MIB, "mcu2_0_ddr_size"))
    # By hand from a dump of its 140 bytes.
    same("its resource table", firmware[0]["resource_table"],
         {"address": "0xA2100000", "size_bytes": 140, "entries": [
             {"type": 3, "kind": "vdev", "id": 7, "vrings": [{"alignment": 4096, "buffers": 256}] * 2},
             {"type": 2, "kind": "trace", "size_bytes": 0x80000, "name": "trace:r5f0", "device_address": "0xA2100400"}]})
    same("its hash", firmware[0]["sha256"], hashlib.sha256(image.read_bytes()).hexdigest())
    # A program for no core of this board: its map's rows add up all the same.
    _, found = checked(context, [Path(folder) / "ti-arm-clang-sbl_ospi_linux.release.map.head.txt"])
    same("findings of the real map", [each["code"] for each in found], ["firmware.core"])
    firmware, found = checked(context, [Path(folder) / "j721e-wdg_app_mcu1_0_strip.xer5f"], "--fill", "50%")
    check(all(not each["code"].startswith("image.") for each in found), f"the other part's image is read: {found}")
    return "the real image, table and map have their figures"


def run(context: Context) -> str:
    context.run("emit", "--board", BOARD, "--only", "map-json", "--out", "map")
    document = read_json(context.work / "map" / "memory_map.json")
    cores = [Core(document, "mcu2_0"), Core(document, "mcu1_0"), Core(document, "c7x_1", 2 * MIB)]
    said = check_random(context, cores)
    needs = check_like_ti(context, cores)
    forms = check_map_forms(context, cores[0])
    took = check_hostile(context, cores[0])
    check_tree(context)
    return f"{said}; {needs} needs added up, {forms} forms of maps, a million sections in {took:.1f} s; {check_real(context)}"


if __name__ == "__main__":
    main(__doc__, run)
