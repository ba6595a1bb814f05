"""An emulated A64 core walks each core's translation tables as mmu_map.json says, and finds nothing else.

The tables are loaded as bytes beside a program, and once more linked into it as C. The program asks the MMU with AT,
at EL3, what EL1 and EL0 would find at both sides of every edge of the map, and at places between: the physical address,
the attribute, and that EL0 may not. Nothing there is touched, so that no memory has to be behind it. What is expected
comes from mmu_map.json alone: where its ranges overlap, the later one wins. One descriptor that is wrong must be found.

Compiled with clang and ld.lld; the program is in a64/.
"""

import os
import re
import struct
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from facts import BOARDS
from support import Context, Failure, check, fail, main, number, read_json, same, tool

A64 = Path(__file__).resolve().parent / "a64"
PLAN, MAGIC, SPACE, TOP = 0x2000000, 0x414D4D55, 1 << 32, 1 << 48
PAGE, WORD, LEVELS = 4096, 8, (39, 30, 21, 12)

# The SDK's attributes by number (MAIR), and the control register that four levels of 4 KiB pages need: T0SZ, IRGN0,
# ORGN0, SH0, EPD1, IPS.
MAIR = (0x00, 0x04, 0x08, 0x0C, 0x44, 0x4F, 0xBB, 0x7D)
MAIR_EL1 = int.from_bytes(bytes(MAIR), "little")
TCR_EL1 = 16 | 1 << 8 | 1 << 10 | 2 << 12 | 1 << 23 | 5 << 32

# How many places are tried inside of a range, besides its ends.
INSIDE = 16
# PAR_EL1: a fault, and its status (translation faults of levels 0 to 3; permission faults); no fault: shareability.
FAULT = 1
NO_TRANSLATION, NO_PERMISSION = range(0x4, 0x8), range(0xC, 0x10)
OUTER_SHAREABLE = 2


class Range(NamedTuple):
    virtual: int
    physical: int
    size: int
    mair: int

    @property
    def end(self) -> int:
        return self.virtual + self.size


class Found(NamedTuple):
    """PAR_EL1 of each question."""
    read: int
    write: int
    user: int


@dataclass(frozen=True)
class Core:
    title: str
    name: str
    ranges: tuple[Range, ...]
    # As emitted.
    base: int
    tables: bytes
    source: Path

    def wanted(self, address: int) -> tuple[int, int] | None:
        """Physical address and MAIR byte; nothing: a fault."""
        for item in reversed(self.ranges):
            if item.virtual <= address < item.end:
                return item.physical + address - item.virtual, MAIR[item.mair]
        return None

    @property
    def addresses(self) -> list[int]:
        found = {0, TOP - 1}
        for item in self.ranges:
            for edge in (item.virtual, item.end):
                found.update((edge - 1, edge))
            found.update(item.virtual + item.size * part // INSIDE for part in range(INSIDE))
        return sorted(address for address in found if 0 <= address < TOP)


def core_of(board: str, folder: Path) -> Core:
    title = f"{board} {folder.name}"
    document = read_json(folder / "mmu_map.json")
    same(f"{title}: core", document["core"], folder.name)
    ranges = tuple(Range(number(item["virtual"]), number(item["physical"]), item["size_bytes"], item["mair"])
                   for item in document["ranges"])
    check(ranges, f"{title}: no range")
    binaries = list(folder.glob("mmu_tables_at_*.bin"))
    same(f"{title}: binaries", len(binaries), 1)
    at = re.fullmatch(r"mmu_tables_at_(0x[0-9A-F]+)\.bin", binaries[0].name)
    if at is None:
        fail(f"{title}: {binaries[0].name} names no address")
    core = Core(title, folder.name, ranges, number(at[1]), binaries[0].read_bytes(), folder / "mmu_tables.c")
    check(core.tables and not len(core.tables) % PAGE and not core.base % PAGE, f"{title}: not whole tables")
    check_place(core, read_json(folder.parent / "memory_map.json"))
    return core


def check_place(core: Core, document: dict) -> None:
    """The tables are the last bytes of memory that no other core has."""
    end = core.base + len(core.tables)
    homes = [item for item in document["regions"] if item["kind"] == "region" and item["cores"] == [core.name] and
             "physical" in item and number(item["physical"]) <= core.base and
             end <= number(item["physical"]) + item["size_bytes"]]
    same(f"{core.title}: regions that hold the tables", len(homes), 1)
    rest = number(homes[0]["physical"]) + homes[0]["size_bytes"] - end
    check(rest < PAGE, f"{core.title}: {rest} bytes behind the tables")


# --- The target -----------------------------------------------------------------------------------


def run_tool(what: str, *command: object) -> str:
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=60)
    check(done.returncode == 0, f"{what}: {Path(str(command[0])).name}: exit {done.returncode}\n"
          f"{done.stderr[-2000:]}{done.stdout[-500:]}")
    return done.stdout


class Builder:
    FLAGS = ("--target=aarch64-none-elf", "-mcpu=cortex-a53", "-mgeneral-regs-only", "-std=c11", "-ffreestanding",
             "-O1", "-Wall", "-Wextra", "-Werror")

    def __init__(self, work: Path) -> None:
        self.compiler, self.linker = tool("clang", "clang-14"), tool("ld.lld", "ld.lld-14")
        self.objects = {name: self.compile(A64 / name, work / f"{name}.o")
                        for name in ("start.S", "main.c", "tables_plan.c", "tables_source.c")}
        self.plain = self.link("tables_plan.c", 0, work / "plain.elf")

    def compile(self, source: Path, target: Path) -> Path:
        flags = self.FLAGS if source.suffix == ".c" else self.FLAGS[:2]
        run_tool(str(source), self.compiler, *flags, "-c", source, "-o", target)
        return target

    def link(self, tables: str, base: int, target: Path, *more: Path) -> Path:
        # Without tables the address is of no matter, but behind the image.
        run_tool(str(target), self.linker, "-T", A64 / "image.ld", f"--defsym=TABLES={base or PLAN * 2:#x}",
                 self.objects["start.S"], self.objects["main.c"], self.objects[tables], *more, "-o", target)
        return target

    def around(self, core: Core, work: Path) -> Path:
        """The program with the tables that memsize wrote as C."""
        tables = self.compile(core.source, work / f"{core.name}.o")
        return self.link("tables_source.c", core.base, work / f"{core.name}.elf", tables)


class Emulator:
    def __init__(self) -> None:
        self.program = tool("qemu-system-aarch64")

    def run(self, core: Core, image: Path, work: Path, tables: bytes | None) -> dict[int, Found]:
        """With the tables loaded beside the image; None: it has its own, and its own registers."""
        addresses = core.addresses
        plan = work / "plan.bin"
        registers = (core.base, TCR_EL1, MAIR_EL1) if tables is not None else (0, 0, 0)
        plan.write_bytes(struct.pack(f"<{5 + len(addresses)}Q", MAGIC, len(addresses), *registers, *addresses))
        loaded = ["-device", f"loader,file={image},cpu-num=0",
                  "-device", f"loader,file={plan},addr={PLAN:#x},force-raw=on"]
        if tables is not None:
            (work / "tables.bin").write_bytes(tables)
            loaded += ["-device", f"loader,file={work / 'tables.bin'},addr={core.base:#x},force-raw=on"]
        check(core.base + len(core.tables) <= SPACE, f"{core.title}: tables above 4 GiB")
        output = run_tool(
            core.title, self.program, "-machine", "none,memory-backend=ram",
            "-object", f"memory-backend-memfd,id=ram,size={SPACE},reserve=off", "-cpu", "cortex-a53", "-nic", "none",
            "-display", "none", "-serial", "none", "-monitor", "none", "-chardev", "stdio,id=console",
            "-semihosting-config", "enable=on,target=native,chardev=console", *loaded)
        return parse_run(core, output)


def parse_run(core: Core, output: str) -> dict[int, Found]:
    first, *lines = [line.split() for line in output.splitlines()]
    same(f"{core.title}: TTBR0, TCR and MAIR", [int(word, 16) for word in first[1:]], [core.base, TCR_EL1, MAIR_EL1])
    found = {}
    for letter, address, *answers in lines:
        same(f"{core.title}: line", letter, "t")
        found[int(address, 16)] = Found(*(int(word, 16) for word in answers))
    same(f"{core.title}: answers", sorted(found), core.addresses)
    return found


# --- What the hardware shows ------------------------------------------------------------------------


def check_answers(core: Core, found: dict[int, Found]) -> None:
    for address, answer in found.items():
        what = f"{core.title}: {address:#x}"
        wanted = core.wanted(address)
        if wanted is None:
            for par in answer:
                check(par & FAULT and par >> 1 & 0x3F in NO_TRANSLATION, f"{what}: PAR_EL1 {par:#x} is mapped")
            continue
        physical, attribute = wanted
        for par in (answer.read, answer.write):
            check(not par & FAULT, f"{what}: PAR_EL1 {par:#x} is a fault")
            same(f"{what}: physical page", par & (TOP - PAGE), physical & -PAGE)
            same(f"{what}: attribute", par >> 56, attribute)
            same(f"{what}: shareability", par >> 7 & 3, OUTER_SHAREABLE)
        check(answer.user & FAULT and answer.user >> 1 & 0x3F in NO_PERMISSION,
              f"{what}: EL0 has PAR_EL1 {answer.user:#x}")


def descriptor_of(core: Core, address: int) -> tuple[int, int]:
    """Where the block or page of a mapped address stands in the tables, and the bytes that it is for."""
    table = 0
    for shift in LEVELS:
        at = table + (address >> shift & 511) * WORD
        word = int.from_bytes(core.tables[at:at + WORD], "little")
        if shift == LEVELS[-1] or word & 3 == 1:
            return at, 1 << shift
        table = (word & (TOP - PAGE)) - core.base
    raise AssertionError("no last level")


def mistake(core: Core, turn: int) -> tuple[str, bytes]:
    """The tables with one descriptor wrong: another one, in another way, for each turn."""
    item = core.ranges[turn % len(core.ranges)]
    at, size = descriptor_of(core, item.virtual)
    word = int.from_bytes(core.tables[at:at + WORD], "little")
    ways = (("leads elsewhere", word ^ size), ("has another attribute", word ^ 1 << 2), ("is gone", 0),
            ("is EL0's", word | 1 << 6), ("is read-only", word | 1 << 7), ("is not shareable", word & ~(3 << 8)),
            ("faults at the first access", word & ~(1 << 10)))
    what, wrong = ways[turn % len(ways)]
    if what == "is not shareable" and MAIR[item.mair] in (0x00, 0x44):
        # Of such memory the field is not read.
        what, wrong = ways[0]
    return f"{item.virtual:#x} {what}", core.tables[:at] + wrong.to_bytes(WORD, "little") + core.tables[at + WORD:]


def check_mistake(core: Core, builder: Builder, emulator: Emulator, work: Path, turn: int) -> None:
    what, tables = mistake(core, turn)
    try:
        check_answers(core, emulator.run(core, builder.plain, work, tables))
    except Failure:
        return
    fail(f"{core.title}: {what}: was not found")


def run_core(core: Core, builder: Builder, emulator: Emulator, work: Path, turn: int) -> int:
    work.mkdir()
    found = emulator.run(core, builder.plain, work, core.tables)
    check_answers(core, found)
    linked = emulator.run(core, builder.around(core, work), work, None)
    same(f"{core.title}: answers of the tables as C", linked, found)
    check_mistake(core, builder, emulator, work, turn)
    return len(found)


def body(context: Context) -> str:
    emulator = Emulator()
    builder = Builder(context.work)
    cores: list[Core] = []
    for board, (_, entries) in BOARDS.items():
        # A board without MMU entries has no tables, and no folder either.
        if entries:
            out = context.emit(board, context.work / board, "--only", "mmu-tables,mmu-json,map-json")
            folders = sorted(path.parent for path in out.glob("*/mmu_map.json"))
            same(f"{board}: cores with tables", len(folders), len(entries))
            cores += [core_of(board, folder) for folder in folders]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        asked = list(pool.map(lambda item: run_core(item[1], builder, emulator, context.work / f"run-{item[0]}",
                                                    item[0]), enumerate(cores)))
    return f"{len(cores)} cores of {len(BOARDS)} boards, {sum(asked)} addresses, {len(cores)} mistakes found"


if __name__ == "__main__":
    main(__doc__ or "", body)
