"""GNU ld and lld take every core's linker script: each section comes to its region, each region can be filled to its last
byte and not further, and a script whose map was changed by hand is refused by its own assertions. Where MEMSIZE_TI_SDK
names a Processor SDK, sections go where its own linker scripts put them."""

import json
import os
import re
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from gnu_ld_sdk import check_sdk
from support import Context, check, fail, main, read, read_json, same, same_keys, tool

# The region of each section by what the sections are for; "~" is the core's part of a region's name.
FACTS = {
    ".bss:app_log_mem": "APP_LOG_MEM", ".bss:app_fileio_mem": "APP_FILEIO_MEM",
    ".bss:tiovx_obj_desc_mem": "TIOVX_OBJ_DESC_MEM", ".bss:ipc_vring_mem": "IPC_VRING_MEM",
    ".bss:ddr_local_mem": "DDR_~_LOCAL_HEAP", ".bss:ddr_scratch_mem": "DDR_~_SCRATCH",
    ".bss:ddr_non_cache_mem": "DDR_~_LOCAL_HEAP_NON_CACHEABLE",
    ".bss:ddr_scratch_non_cache_mem": "DDR_~_SCRATCH_NON_CACHEABLE",
    ".bss:ddr_cache_wt_mem": "DDR_~_VISS_CONFIG_HEAP", ".resource_table": "DDR_~_RESOURCE_TABLE",
}
KINDS = (".text", ".rodata", ".data", ".bss", ".stack")
STACK = 16 << 10
UNIT = 8


@dataclass(frozen=True)
class Placed:
    """A line of the script: an input section and the region of its output section."""
    name: str
    output: str
    region: str
    reserved: bool


@dataclass(frozen=True)
class Section:
    address: int
    size: int
    is_bits: bool
    is_allocated: bool


@dataclass
class Elf:
    sections: dict[str, Section]
    symbols: dict[str, int]
    # Of PT_LOADs that take memory.
    loads: list[tuple[int, int]]


def read_elf(path: Path) -> Elf:
    """The sections and symbols of an ELF file of 32 or 64 bits, little-endian."""
    data = path.read_bytes()
    check(data[:4] == b"\x7fELF" and data[5] == 1, f"{path} is no little-endian ELF file")
    wide = data[4] == 2
    offset, = struct.unpack_from("<Q" if wide else "<I", data, 40 if wide else 32)
    size, count, names = struct.unpack_from("<HHH", data, 58 if wide else 46)
    # name, type, flags, address, offset, size, link, info, alignment, entry size
    rows = [struct.unpack_from("<IIQQQQIIQQ" if wide else "<10I", data, offset + index * size) for index in range(count)]

    def text(table: int, at: int) -> str:
        begin = rows[table][4] + at
        return data[begin:data.index(b"\0", begin)].decode()

    sections = {text(names, row[0]): Section(row[3], row[5], row[1] != 8, bool(row[2] & 2)) for row in rows[1:]}
    symbols = {}
    for row in rows:
        if row[1] == 2:
            for at in range(row[4], row[4] + row[5], row[9]):
                name = text(row[6], struct.unpack_from("<I", data, at)[0])
                symbols[name], = struct.unpack_from("<Q" if wide else "<I", data, at + (8 if wide else 4))
    # type, then 32 bits: offset, virtual, physical, file size, memory size; 64 bits: flags, offset, ...
    at, = struct.unpack_from("<Q" if wide else "<I", data, 32 if wide else 28)
    step, total = struct.unpack_from("<HH", data, 54 if wide else 42)
    heads = [struct.unpack_from("<IIQQQQQ" if wide else "<6I", data, at + index * step) for index in range(total)]
    loads = [(head[4], head[6]) if wide else (head[3], head[5]) for head in heads if head[0] == 1]
    return Elf(sections, symbols, sorted(load for load in loads if load[1]))


@dataclass
class Core:
    """A core's script, and what memory_map.json says of its regions: where it sees them, and how large they are."""
    board: str
    name: str
    script: str
    regions: dict[str, tuple[int, int]]
    # What no other core has.
    own: set[str]

    @property
    def what(self) -> str:
        return f"{self.board} {self.name}"

    def placed(self) -> list[Placed]:
        pattern = r"^  (\S+)( \(NOLOAD\))? : ALIGN\(\w+\) \{ (?:KEEP\()?\*\((\S+) [^()]*\)\)? \} > (\w+) :\w+$"
        return [Placed(row[3], row[1], row[4], bool(row[2])) for row in re.finditer(pattern, self.script, flags=re.M)]

    def code(self) -> str:
        found = re.findall(r"^  (\w+) +\(rwx\) :", self.script, flags=re.M)
        same(f"{self.what}: regions with attributes", len(found), 1)
        return str(found[0])

    def whole(self) -> set[str]:
        """Outputs that must be as large as their region."""
        return set(re.findall(r'^ASSERT\(SIZEOF\((\S+)\) == 0 \|\| SIZEOF\(\1\) == LENGTH', self.script, flags=re.M))


class Linkers:
    """GNU's linker and lld, with GNU's assembler, for one architecture."""

    def __init__(self, work: Path, prefix: str) -> None:
        self.work, self.prefix = work, prefix
        self.assembler = tool(f"{prefix}-as")
        self.linkers = (tool(f"{prefix}-ld"), tool("ld.lld", "ld.lld-14"))

    def assemble(self, sections: dict[str, tuple[int, bool]]) -> Path:
        """An object with these sections: their sizes, and whether they are without bytes."""
        lines = [".section .note.GNU-stack,\"\",%progbits", ".comm shared,8,8"]
        for name, (size, reserved) in sections.items():
            flags = "ax" if name.startswith((".text", ".startup")) else "a" if name.startswith(".rodata") else "aw"
            lines += [f'.section "{name}","{flags}",%{"nobits" if reserved else "progbits"}', f".space {size}"]
        target = self.work / "sections.o"
        done = subprocess.run([self.assembler, "-o", str(target)], input="\n".join(lines) + "\n", capture_output=True,
                              text=True, timeout=60)
        check(done.returncode == 0, f"{self.assembler}: {done.stderr[:500]}")
        return target

    def link(self, linker: str, script: str, item: Path) -> tuple[bool, str, Path]:
        file, output = self.work / "linker.ld", self.work / "linked"
        file.write_text(script, encoding="utf-8")
        output.unlink(missing_ok=True)
        more = ["--error-limit=0"] if "lld" in Path(linker).name else ["--no-warn-rwx-segments"]
        done = subprocess.run([linker, *more, "-e", "0", "-T", str(file), "-o", str(output), str(item)],
                              capture_output=True, text=True, timeout=120)
        return done.returncode == 0, done.stderr, output


def contents(core: Core) -> dict[str, tuple[int, bool]]:
    """A few bytes for each section, in both spellings by turns; an array that must fill its region does."""
    sections = {name: (UNIT, name == ".bss.some") for name in
                (".startup", ".text.some", ".rodata.some", ".data.some", ".bss.some", ".some.other")}
    # The stack ends on a multiple of 16.
    sections[".stack.some"] = (2 * UNIT, True)
    whole = core.whole()
    for index, placed in enumerate(core.placed()):
        name = placed.name.replace(":", ".") if index % 2 else placed.name
        sections[name] = (core.regions[placed.region][1] if placed.output in whole else UNIT, placed.reserved)
    return sections


def check_places(core: Core, linker: str, output: Path) -> None:
    what = f"{core.what} by {Path(linker).name}"
    elf = read_elf(output)
    expected = {placed.output: placed.region for placed in core.placed()}
    expected.update({name: core.code() for name in (*KINDS, ".other")})
    for name, region in expected.items():
        check(name in elf.sections, f"{what}: no section {name}")
        section, (origin, length) = elf.sections[name], core.regions[region]
        check(section.size and origin <= section.address and section.address + section.size <= origin + length,
              f"{what}: {name} at {section.address:#x} of {section.size:#x} bytes is not in {region}")
    for placed in core.placed():
        same(f"{what}: {placed.output} has bytes in the file", elf.sections[placed.output].is_bits, not placed.reserved)
    reserved = sum(core.regions[placed.region][1] for placed in core.placed() if placed.reserved)
    check(output.stat().st_size < min(8 << 20, reserved), f"{what}: the file has {output.stat().st_size} bytes")
    check_symbols(what, elf)
    check_segments(core, what, elf)


def check_segments(core: Core, what: str, elf: Elf) -> None:
    """What rproc_elf_load_segments() of Linux asks: every PT_LOAD lies in one memory of the core's own."""
    homes = {core.regions[name] for name in core.own}
    for address, size in elf.loads:
        check(any(begin <= address and address + size <= begin + length for begin, length in homes),
              f"{what}: bad phdr da {address:#x} mem {size:#x}")
    for placed in core.placed():
        section = elf.sections[placed.output]
        inside = [load for load in elf.loads if load[0] < section.address + section.size and section.address < sum(load)]
        if placed.region != core.code():
            same(f"{what}: segments that have {placed.output}", len(inside), 0 if placed.reserved else 1)
    for name in (*KINDS, ".other"):
        section = elf.sections[name]
        check(any(begin <= section.address and section.address + section.size <= begin + size for begin, size in elf.loads),
              f"{what}: {name} is not loaded")


def check_symbols(what: str, elf: Elf) -> None:
    before = 0
    for kind in KINDS:
        section, name = elf.sections[kind], kind[1:]
        begin, end = elf.symbols[f"__{name}_start"], elf.symbols[f"__{name}_end"]
        same(f"{what}: {kind}", (begin, end), (section.address, section.address + section.size))
        check(before <= begin, f"{what}: {kind} is before what stands before it")
        before = end
    check(elf.sections[".stack"].size >= STACK + 2 * UNIT, f"{what}: the stack has {elf.sections['.stack'].size} bytes")
    same(f"{what}: image", (elf.symbols["__image_start"], elf.symbols["__image_end"]),
         (elf.symbols["__text_start"], elf.sections[".other"].address + elf.sections[".other"].size))


def check_full(core: Core, linkers: Linkers, linker: str) -> int:
    """Each region that has sections is filled; then all of them have a byte too many."""
    sections = contents(core)
    # Here nothing must be behind the stack.
    del sections[".some.other"]
    good, errors, output = linkers.link(linker, core.script, linkers.assemble(sections))
    check(good, f"{core.what}: {Path(linker).name}: {errors[:1000]}")
    elf = read_elf(output)
    regions = {placed.output: placed.region for placed in core.placed()} | {".stack": core.code()}
    given = {name.replace(":", "."): name for name in sections} | {".stack": ".stack.some"}
    last: dict[str, str] = {}
    for name, section in sorted(elf.sections.items(), key=lambda item: item[1].address + item[1].size):
        if name in regions and (regions[name] != core.code() or name == ".stack"):
            last[regions[name]] = name
    for region, name in last.items():
        room = sum(core.regions[region]) - elf.sections[name].address - elf.sections[name].size
        size, reserved = sections[given[name]]
        sections[given[name]] = (size + room, reserved)
    # An ELF file with tens of megabytes for each core would take time, and show nothing.
    big = {name: (size, reserved or size > (4 << 20)) for name, (size, reserved) in sections.items()}
    good, errors, output = linkers.link(linker, core.script, linkers.assemble(big))
    check(good, f"{core.what}: {Path(linker).name} cannot fill its regions: {errors[:1000]}")
    filled = read_elf(output)
    for region, name in last.items():
        section = filled.sections[name]
        same(f"{core.what}: end of {name} in {region}", section.address + section.size, sum(core.regions[region]))
    more = dict(big)
    for name in last.values():
        more[given[name]] = (more[given[name]][0] + 1, more[given[name]][1])
    good, errors, _ = linkers.link(linker, core.script, linkers.assemble(more))
    check(not good, f"{core.what}: {Path(linker).name} links overfull regions")
    found = re.findall(r"region [`'](\w+)'(?::)? overflowed by (\d+) byte", errors)
    same_keys(f"{core.what}: regions that {Path(linker).name} found overfull", {name for name, _ in found}, last)
    return len(last)


def replaced(core: Core, change: dict[str, tuple[int, int]]) -> str:
    """The script with other numbers in MEMORY."""
    def other(match: re.Match[str]) -> str:
        origin, length = change[match[2]]
        return f"{match[1]}{match[2]}{match[3]} ORIGIN = {origin:#x} , LENGTH = {length:#x}"
    text, count = re.subn(r"^(  )(\w+)( +(?:\(rwx\) )?:) ORIGIN = \w+ , LENGTH = \w+$", other, core.script, flags=re.M)
    same(f"{core.what}: regions in MEMORY", count, len(core.regions))
    return text


def check_assertions(core: Core, linkers: Linkers, linker: str) -> int:
    nothing = linkers.assemble({".text": (UNIT, False)})
    order = sorted(core.regions, key=lambda name: core.regions[name])
    following = dict(zip(order, order[1:]))
    changes = {
        "moved": ({name: (origin + 1, length) for name, (origin, length) in core.regions.items()},
                  [f"{name} is not where the map has it" for name in order]
                  + re.findall(r'"(\w+ must begin on a multiple of [^"]*)"', core.script)),
        "shorter": ({name: (origin, length - 1) for name, (origin, length) in core.regions.items()},
                    [f"{name} is not where the map has it" for name in order]),
        "longer": ({name: (origin, core.regions[following[name]][0] + 1 - origin if name in following else length)
                    for name, (origin, length) in core.regions.items()},
                   [f"{name} overlaps {other}" for name, other in following.items()]),
    }
    for title, (change, messages) in changes.items():
        good, errors, _ = linkers.link(linker, replaced(core, change), nothing)
        check(not good, f"{core.what}: {Path(linker).name} takes regions that are {title}")
        missing = [message for message in messages if message not in errors]
        check(not missing, f"{core.what}: regions {title}: {Path(linker).name} does not say: {missing[:3]}")
    small = {placed.name: (core.regions[placed.region][1] - 1, True) for placed in core.placed()
             if placed.output in core.whole()}
    good, errors, _ = linkers.link(linker, core.script, linkers.assemble({".text": (UNIT, False), **small}))
    check(not good, f"{core.what}: {Path(linker).name} takes arrays that are too small")
    for placed in core.placed():
        if placed.output in core.whole():
            check(f"{placed.output} is not as large as {placed.region}" in errors,
                  f"{core.what}: {Path(linker).name} does not say that {placed.output} is too small")
    return sum(len(messages) for _, messages in changes.values()) + len(small)


def check_facts(core: Core) -> None:
    for placed in core.placed():
        if placed.name in FACTS and placed.region != core.code():
            pattern = FACTS[placed.name].replace("~", r"\w+")
            check(re.fullmatch(pattern, placed.region), f"{core.what}: {placed.name} goes to {placed.region}")
    names = {placed.name for placed in core.placed()}
    for name, region in FACTS.items():
        has = [each for each in core.regions if re.fullmatch(region.replace("~", core.name), each, flags=re.I)]
        check(not has or name in names, f"{core.what}: {has} has no section")
    check(any(placed.name == ".vectors" for placed in core.placed()), f"{core.what}: no .vectors")


def cores_of(context: Context, board: str) -> list[Core]:
    out = context.work / board
    context.run("emit", "--board", board, "--only", "gnu-ld,map-json", "--out", out)
    document = read_json(out / "memory_map.json")
    cores = []
    for path in sorted(out.glob("*/linker.ld")):
        name = path.parent.name
        regions = {row["name"]: (int(row["address"], 16), row["size_bytes"]) for row in document["regions"]
                   if name in row["cores"]}
        own = {row["name"] for row in document["regions"]
               if row["cores"] == [name] or row["space"] == "core" and name in row["cores"]}
        cores.append(Core(board, name, read(path), regions, own))
    same_keys(f"{board}: cores with a script", {core.name for core in cores},
              {name for row in document["regions"] for name in row["cores"]})
    return cores


def body(context: Context) -> str:
    arm, wide = Linkers(context.work, "arm-none-eabi"), Linkers(context.work, "aarch64-linux-gnu")
    boards = [row["board"] for row in json.loads(context.run("list", "boards", "--json").stdout)["boards"]]
    cores = [core for board in boards for core in cores_of(context, board)]
    sections = filled = asserted = 0
    for core in cores:
        check_facts(core)
        # An R5F is an ARM; what stands in for the DSPs has 64 bits, as their heaps are above 4 GiB.
        linkers = arm if all(sum(place) <= 1 << 32 for place in core.regions.values()) and "mcu" in core.name else wide
        for linker in linkers.linkers:
            good, errors, output = linkers.link(linker, core.script, linkers.assemble(contents(core)))
            check(good, f"{core.what}: {Path(linker).name}: {errors[:1000]}")
            check_places(core, linker, output)
            filled += check_full(core, linkers, linker)
            asserted += check_assertions(core, linkers, linker)
        sections += len(core.placed())
    check(cores, "no core has a linker script") if boards else fail("no boards")
    compared = check_sdk({(core.board, core.name): (core.code(), {placed.name: placed.region for placed in core.placed()},
                                                    set(core.regions)) for core in cores}, os.environ)
    return (f"{sections} sections of {len(cores)} cores of {len(boards)} boards in their regions by two linkers, {filled} "
            f"regions filled to the last byte and overfull, {asserted} assertions fired; {compared}")


if __name__ == "__main__":
    main(__doc__ or "", body)
