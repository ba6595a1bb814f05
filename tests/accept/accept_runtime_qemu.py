"""The runtime's A64 and Cortex-R5F parts on emulated cores, with a program of this test in the runtime's place.

What a whole run never shows, because then nothing goes wrong: every fault of an access is caught with its address and
cause; one that nobody expected is reported, and one while it is reported still ends the run. Vectors, code and stack lie
far apart, virtual addresses are not the physical ones, and what was written is read from the memory's file.
Compiled with clang and lld, and with gcc and GNU ld, in freestanding C without a warning.
"""

import os
import re
import struct
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

from support import SOURCE, Context, check, main, same, tool

TARGET = SOURCE / "src" / "runtime" / "target"
PROGRAM = Path(__file__).resolve().parent / "runtime"
GIB = 1 << 30
MEMORY = 44 * GIB
PAGE = 4096
MAGIC_ALL = (1 << 64) - 1

FREESTANDING = ("-std=c11 -O2 -ffreestanding -nostdlib -static -fno-pic -fno-stack-protector -fno-unwind-tables "
                "-fno-asynchronous-unwind-tables -Wall -Wextra -Wconversion -Wl,-z,noexecstack -Wl,-e,_start").split()
OPTIONS = {"a64": ["-mgeneral-regs-only", "-mstrict-align"],
           "r5f": ["-mcpu=cortex-r5", "-marm", "-mfloat-abi=soft", "-mno-unaligned-access"]}
COMPILERS = {
    ("a64", "clang"): ["clang", "--target=aarch64-none-elf", "-fuse-ld=lld"],
    ("a64", "gcc"): ["aarch64-linux-gnu-gcc", "-no-pie", "-Wl,--build-id=none"],
    ("r5f", "clang"): ["clang", "--target=arm-none-eabi", "-fuse-ld=lld"],
    ("r5f", "gcc"): ["arm-none-eabi-gcc"],
}
MACHINES = {"a64": ("qemu-system-aarch64", "cortex-a53", MEMORY), "r5f": ("qemu-system-arm", "cortex-r5f", 4 * GIB)}

# main.c: how a run ends; hal.h: what an access came to; map_table.h: kinds of caching.
RETURN, FAULT, FAULT_TWICE, UNDEFINED, OVERFLOW = range(5)
DONE, FAULTED, UNREACHED = range(3)
NON_CACHED, WRITE_THROUGH, WRITE_BACK = 1, 2, 4

# ESR_EL1: class, and the cause of an abort with its level of tables.
DATA_ABORT, FETCH_ABORT = 0x25, 0x21
TRANSLATION, PERMISSION, EXTERNAL = 0x04, 0x0C, 0x10
# DFSR and IFSR: nothing covers the address; no permission. A write adds a bit.
BACKGROUND, NO_PERMISSION, WAS_WRITE = 0x000, 0x00D, 0x800


@dataclass(frozen=True)
class Place:
    """Addresses of one kind, and what accesses to them must come to: a cause of the machine, or none."""
    name: str
    base: int
    physical: int
    size: int
    kind: int = NON_CACHED
    read: int | None = None
    write: int | None = None
    execute: int | None = None
    unreached: bool = False

    @property
    def points(self) -> tuple[int, int]:
        return self.base, self.base + self.size - 8


# --- A64: tables of four levels ------------------------------------------------------------------------

TABLES = 0x40000
# Attributes 0 to 4: device, non-cached, write-through, write-back, and inner write-through under outer write-back.
MAIR = 0xFABB4400 | 0xFF << 32
DEVICE, NC, WT, _, WB = range(5)
TCR = 2 << 32 | 16
EXECUTE_NEVER, READ_ONLY, ACCESSED = 1 << 53, 2 << 6, 1 << 10

# Virtual base, physical base, size, attribute, other bits.
A64_CODE = (0x110000000, 0x892345000, 0x100000, WB, 0)
A64_STACK = (0x238000000, 0x45670000, 0x4000, WB, EXECUTE_NEVER)
A64_VECTORS = (0x340000000, 0x8F0004000, 0x4000, WB, 0)
A64_REGIONS = (
    A64_CODE, A64_STACK, A64_VECTORS,
    (0x120000000, 0xA00000000, 0x200000, NC, EXECUTE_NEVER),
    (0x120200000, 0x50000000, PAGE, WT, 0),
    (0x120201000, 0x50001000, PAGE, WB, READ_ONLY),
    (0x120202000, 0x50002000, PAGE, DEVICE, EXECUTE_NEVER),
    (0x120203000, 0x50003000, PAGE, WB, READ_ONLY | EXECUTE_NEVER),
    (0x120204000, 0xFF00000000, PAGE, WB, 0),
)
A64_BAD = 0x130000008
A64_PLACES = (
    Place("block", 0x120000000, 0xA00000000, 0x200000, NON_CACHED, execute=PERMISSION | 2),
    Place("page", 0x120200000, 0x50000000, PAGE, WRITE_THROUGH),
    Place("read-only", 0x120201000, 0x50001000, PAGE, WRITE_BACK, write=PERMISSION | 3),
    Place("device", 0x120202000, 0x50002000, PAGE, NON_CACHED, execute=PERMISSION | 3),
    Place("constant", 0x120203000, 0x50003000, PAGE, WRITE_BACK, write=PERMISSION | 3, execute=PERMISSION | 3),
    Place("beyond memory", 0x120204000, 0xFF00000000, PAGE, WRITE_BACK, EXTERNAL, EXTERNAL, EXTERNAL),
    Place("page behind", 0x120205000, -1, PAGE, 0, TRANSLATION | 3, TRANSLATION | 3, TRANSLATION | 3),
    Place("block before", 0x11FE00000, -1, 0x200000, 0, TRANSLATION | 2, TRANSLATION | 2, TRANSLATION | 2),
    Place("far", 0x8000000000, -1, PAGE, 0, TRANSLATION, TRANSLATION, TRANSLATION),
)


def a64_tables(regions: tuple[tuple[int, int, int, int, int], ...]) -> bytes:
    tables: list[list[int]] = [[0] * 512]
    for base, physical, size, attribute, bits in regions:
        leaf = 2 if base % (2 << 20) == physical % (2 << 20) == size % (2 << 20) == 0 else 3
        step = PAGE << 9 * (3 - leaf)
        for at in range(0, size, step):
            table = 0
            for level in range(leaf):
                index = (base + at) >> 39 - 9 * level & 511
                if tables[table][index] == 0:
                    tables[table][index] = TABLES + len(tables) * PAGE | 3
                    tables.append([0] * 512)
                table = (tables[table][index] & ~3) - TABLES >> 12
            tables[table][(base + at) >> 39 - 9 * leaf & 511] = (physical + at | ACCESSED | attribute << 2 | bits
                                                                | (1 if leaf < 3 else 3))
    return b"".join(struct.pack("<512Q", *table) for table in tables)


# --- R5F: regions of the MPU ------------------------------------------------------------------------------

FULL, RO, NOBODY, XN = 3 << 8, 6 << 8, 0, 1 << 12
MPU_NC, MPU_DEVICE, MPU_WT, MPU_WB, MPU_INNER_WT = 1 << 3, 1, 2, 1 << 3 | 3, 5 << 3 | 2
R5F_WINDOW = (0xC0000000, 0xC00FFFFF)


def region(base: int, size: int, access: int, disabled: int = 0) -> tuple[int, int, int]:
    return base, disabled << 8 | size.bit_length() - 2 << 1 | 1, access


R5F_TCM = region(0, 0x8000, FULL | MPU_NC)
R5F_CODE = region(0xA0200000, 0x100000, FULL | MPU_WB)
R5F_REGIONS = (
    R5F_TCM, R5F_CODE,
    region(0xA1000000, 0x4000, FULL | MPU_WB | XN),
    region(0xB0000000, 0x100000, FULL | MPU_NC | XN),
    region(0xB0010000, 0x1000, RO | MPU_WT),
    region(0xB0020000, 0x20, FULL | MPU_DEVICE | XN),
    region(0xB0030000, 0x800, NOBODY | MPU_WB),
    region(0xB0100000, 0x8000, FULL | MPU_INNER_WT, 0x81),
    region(0xB0200000, 0x1000, RO | MPU_WB | XN),
    region(0xC0000000, 0x100000, FULL | MPU_NC),
    region(0xB0040800, 0x1000, NOBODY),
)
# The last one is none: its base is off its size. Base, size, number.
R5F_NO_REGION = (0xB0040800, 0x1000, len(R5F_REGIONS) - 1)
R5F_BAD = 0x90000008
R5F_PLACES = (
    Place("plain", 0xB0000000, 0xB0000000, 0x10000, NON_CACHED, execute=NO_PERMISSION),
    Place("read-only above", 0xB0010000, 0xB0010000, 0x1000, WRITE_THROUGH, write=NO_PERMISSION),
    Place("small", 0xB0020000, 0xB0020000, 0x20, NON_CACHED, execute=NO_PERMISSION),
    Place("plain again", 0xB0020020, 0xB0020020, 0xFFE0, NON_CACHED, execute=NO_PERMISSION),
    Place("nobody's", 0xB0030000, -1, 0x800, 0, NO_PERMISSION, NO_PERMISSION, NO_PERMISSION),
    Place("no region", 0xB0040000, 0xB0040000, 0x1000, NON_CACHED, execute=NO_PERMISSION),
    Place("no region's", 0xB0041000, 0xB0041000, 0x1000, NON_CACHED, execute=NO_PERMISSION),
    Place("first eighth", 0xB0100000, -1, 0x1000, 0, BACKGROUND, BACKGROUND, BACKGROUND),
    Place("six eighths", 0xB0101000, 0xB0101000, 0x6000, WRITE_THROUGH),
    Place("last eighth", 0xB0107000, -1, 0x1000, 0, BACKGROUND, BACKGROUND, BACKGROUND),
    Place("constant", 0xB0200000, 0xB0200000, 0x1000, WRITE_BACK, write=NO_PERMISSION, execute=NO_PERMISSION),
    Place("nothing", 0x90000000, -1, 0x1000, 0, BACKGROUND, BACKGROUND, BACKGROUND),
    Place("window", R5F_WINDOW[0], -1, 0x100000, unreached=True),
    Place("above", 4 * GIB, -1, 0x1000, unreached=True),
)


# --- Images -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """What differs between the images of one core."""
    name: str
    ending: int
    mapped: bool = True


PLANS = (Plan("returns", RETURN), Plan("faults", FAULT), Plan("faults twice", FAULT_TWICE),
         Plan("undefined", UNDEFINED), Plan("overflow", OVERFLOW), Plan("no vectors", RETURN, mapped=False))


@dataclass(frozen=True)
class Segment:
    base: int
    data: bytes
    size: int


@dataclass(frozen=True)
class Image:
    entry: int
    segments: tuple[Segment, ...]

    def has(self, address: int) -> bool:
        return any(segment.base <= address < segment.base + segment.size for segment in self.segments)


def read_elf(path: Path) -> Image:
    data = path.read_bytes()
    wide = data[4] == 2
    entry, first = struct.unpack_from("<QQ" if wide else "<II", data, 24)
    step, count = struct.unpack_from("<HH", data, 54 if wide else 42)
    segments = []
    for at in range(first, first + step * count, step):
        if wide:
            kind, _, offset, base, _, stored, size = struct.unpack_from("<IIQQQQQ", data, at)
        else:
            kind, offset, base, _, stored, size = struct.unpack_from("<6I", data, at)
        if kind == 1:
            segments.append(Segment(base, data[offset:offset + stored], size))
    return Image(entry, tuple(segments))


def places_of(isa: str) -> tuple[Place, ...]:
    return A64_PLACES if isa == "a64" else R5F_PLACES


def bad_of(isa: str) -> int:
    return A64_BAD if isa == "a64" else R5F_BAD


def own_of(isa: str) -> list[int]:
    """Where the image's vectors, start and code are, and the last word of its stack."""
    if isa == "a64":
        return [A64_VECTORS[0], A64_CODE[0], A64_STACK[0] + A64_STACK[2] - 8]
    return [0, 0x40, R5F_CODE[0], 0xA1003FF8]


def core_source(isa: str, plan: Plan) -> str:
    if isa == "a64":
        boot = f".table = {TABLES:#x}, .mair = {MAIR:#x}, .tcr = {TCR:#x}"
    else:
        rows = [f"{{.number = {number}, .base = {base:#x}, .size = {size:#x}, .access = {access:#x}}}"
                for number, (base, size, access) in enumerate(R5F_REGIONS) if plan.mapped or number != 0]
        boot = (f".region_count = {len(rows)}, .window_count = 1, .regions = {{{', '.join(rows)}}}, "
                f".windows = {{{{.base = {R5F_WINDOW[0]:#x}, .last = {R5F_WINDOW[1]:#x}}}}}")
    addresses = own_of(isa) + [point for place in places_of(isa) for point in place.points]
    words = ", ".join(f"{word:#x}" for word in (plan.ending, bad_of(isa), len(addresses), *addresses))
    return (f'#include "boot.h"\nconst struct memsize_boot memsize_boot = {{{boot}}};\n'
            f"const uint64_t memsize_map_words[] = {{{words}}};\n")


def build(work: Path, isa: str, toolchain: str, plan: Plan) -> Image:
    command = COMPILERS[isa, toolchain]
    stem = work / f"{isa}-{toolchain}-{plan.name.replace(' ', '-')}"
    source, image = stem.with_suffix(".c"), stem.with_suffix(".elf")
    source.write_text(core_source(isa, plan))
    own = [TARGET / isa / "start.S", *sorted((TARGET / isa).glob("*.c")), TARGET / "semihosting.c"]
    done = subprocess.run([tool(command[0]), *command[1:], *FREESTANDING, *OPTIONS[isa], f"-I{TARGET}",
                           f"-I{TARGET / isa}", "-T", PROGRAM / f"{isa}.ld", *own, PROGRAM / "main.c", source, "-o",
                           image], capture_output=True, text=True, timeout=120)
    said = done.stdout + done.stderr
    check(done.returncode == 0 and not said, f"{image.name}: status {done.returncode}\n{said[:4000]}")
    return read_elf(image)


# --- A run -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    status: int
    text: str
    memory: Path

    def word(self, physical: int) -> int:
        with open(self.memory, "rb") as memory:
            memory.seek(physical)
            return int.from_bytes(memory.read(8), "little")


def physical_of(isa: str, address: int) -> int:
    if isa == "r5f":
        return address
    for base, physical, size, _, _ in A64_REGIONS:
        if base <= address < base + size:
            return physical + address - base
    raise AssertionError(f"{address:#x} is in no region")


def run(work: Path, isa: str, toolchain: str, plan: Plan, image: Image, phase: int) -> Run:
    memory = work / f"{isa}-{toolchain}-{PLANS.index(plan)}-{phase}.memory"
    with open(memory, "wb") as file:
        file.truncate(MEMORY)
        for segment in image.segments:
            if segment.data:
                file.seek(physical_of(isa, segment.base))
                file.write(segment.data)
            # What was there before must not show.
            file.write(b"\xA5" * min(segment.size - len(segment.data), 0x4000))
        if isa == "a64":
            file.seek(TABLES)
            file.write(a64_tables(A64_REGIONS if plan.mapped else tuple(r for r in A64_REGIONS if r != A64_VECTORS)))
    program, core, size = MACHINES[isa]
    done = subprocess.run(
        [tool(program), "-machine", "none,memory-backend=r", "-cpu", core, "-m", f"{size >> 20}M", "-object",
         f"memory-backend-file,id=r,size={size >> 20}M,mem-path={memory},share=on,prealloc=off,reserve=off", "-nic",
         "none", "-display", "none", "-serial", "none", "-monitor", "none", "-chardev", "stdio,id=report",
         "-semihosting-config", f"enable=on,target=native,chardev=report,arg=fw,arg=phase={phase}", "-device",
         f"loader,addr={physical_of(isa, image.entry):#x},cpu-num=0"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    same(f"{isa} {toolchain} {plan.name}: standard error", done.stderr, "")
    return Run(done.returncode, done.stdout, memory)


# --- What a run must show ---------------------------------------------------------------------------------


def numbers_of(line: str) -> tuple[str, tuple[int, ...]]:
    words = line.split()
    check(re.fullmatch(r"[a-z]+( [0-9a-f]{16})*", line), f"strange line {line!r}")
    return words[0], tuple(int(word, 16) for word in words[1:])


def cause_of(isa: str, word: str, status: int) -> int:
    """The cause that a fault's status holds; that it is a fault of this access is checked."""
    if isa == "a64":
        same(f"{word}: class", status >> 26, FETCH_ABORT if word == "execute" else DATA_ABORT)
        same(f"{word}: was a write", status >> 6 & 1, int(word == "write"))
        return status & 0x3F
    same(f"{word}: was a write", status & WAS_WRITE, WAS_WRITE if word == "write" else 0)
    return status & 0x40F


def check_access(isa: str, image: Image, place: Place, word: str, numbers: tuple[int, ...]) -> None:
    address, result, *found = numbers
    what = f"{isa} {place.name}: {word} {address:#x}"
    if place.unreached:
        same(what, result, UNREACHED)
        return
    if word == "translate":
        if place.physical < 0:
            same(what, result, FAULTED)
        else:
            same(what, (result, *found), (DONE, place.physical + address - place.base, place.kind))
        return
    cause = {"read": place.read, "write": place.write, "execute": place.execute}[word]
    if cause is None:
        same(what, result, DONE)
        if word == "read":
            same(f"{what}: value", found[0], 0 if place.write is not None else address ^ MAGIC_ALL)
        return
    same(what, result, FAULTED)
    fault_address, status, pc = found
    same(f"{what}: address", fault_address, address)
    same(f"{what}: cause", cause_of(isa, word, status), cause)
    check(pc == address if word == "execute" else image.has(pc), f"{what}: place {pc:#x}")


def check_accesses(isa: str, image: Image, lines: Iterator[tuple[str, tuple[int, ...]]], memory: Run) -> None:
    for address in own_of(isa):
        for word in ("translate", "write", "execute", "read"):
            said, numbers = next(lines)
            wanted = UNREACHED if word in ("write", "execute") else DONE
            same(f"{isa}: own {word}", (said, *numbers[:2]), (word, address, wanted))
    for place in places_of(isa):
        for address in place.points:
            for word in ("translate", "write", "execute", "read"):
                said, numbers = next(lines)
                same(f"{isa} {place.name}", (said, numbers[0]), (word, address))
                check_access(isa, image, place, word, numbers)
            written = place.write is None and not place.unreached
            if place.physical >= 0 and place.physical < MEMORY:
                same(f"{isa} {place.name}: memory at {address:#x}",
                     memory.word(place.physical + address - place.base), address ^ MAGIC_ALL if written else 0)


def check_ending(isa: str, image: Image, plan: Plan, rest: list[tuple[str, tuple[int, ...]]], status: int) -> None:
    what = f"{isa} {plan.name}"
    same(f"{what}: status", status, {RETURN: 0, FAULT_TWICE: 4}.get(plan.ending, 3))
    if plan.ending == RETURN:
        same(what, rest, [("end", ())])
        return
    same(f"{what}: lines", [word for word, _ in rest], ["fault"])
    address, cause, pc = rest[0][1]
    check(image.has(pc), f"{what}: place {pc:#x}")
    if plan.ending in (FAULT, FAULT_TWICE):
        same(f"{what}: address", address, bad_of(isa))
        cause_of(isa, "read", cause)
    elif plan.ending == UNDEFINED:
        same(f"{what}: address", address, pc)
    else:
        stack = min(segment.base for segment in image.segments if not segment.data)
        check(stack - 8192 <= address < stack, f"{what}: address {address:#x}, the stack begins at {stack:#x}")


def check_run(isa: str, plan: Plan, image: Image, found: Run, phase: int) -> None:
    what = f"{isa} {plan.name}"
    if not plan.mapped:
        same(what, (found.status, found.text), (5, ""))
        return
    lines = [numbers_of(line) for line in found.text.splitlines()]
    check(len(lines) > 4 and found.text.endswith("\n"), f"{what}: status {found.status}, said {found.text!r}")
    same(what, lines[:2], [("phase", (phase,)), ("state", (1, 0))])
    if isa == "r5f":
        same(what, lines.pop(2), ("finding", R5F_NO_REGION))
    word, (begin, end) = lines[2]
    check(word == "image" and begin < end, f"{what}: {lines[2]}")
    all_accesses = 4 * (len(own_of(isa)) + 2 * len(places_of(isa)))
    check_accesses(isa, image, iter(lines[3:3 + all_accesses]), found)
    check_ending(isa, image, plan, lines[3 + all_accesses:], found.status)


def one(context: Context, isa: str, toolchain: str, plan: Plan) -> int:
    image = build(context.work, isa, toolchain, plan)
    phases = (1, 2) if plan.ending == RETURN and plan.mapped else (1,)
    for phase in phases:
        found = run(context.work, isa, toolchain, plan, image, phase)
        check_run(isa, plan, image, found, phase)
        found.memory.unlink()
    return len(phases)


def body(context: Context) -> str:
    for command in (*(command[0] for command in COMPILERS.values()), "ld.lld", *(m[0] for m in MACHINES.values())):
        tool(command)
    jobs = [(isa, toolchain, plan) for isa, toolchain in COMPILERS for plan in PLANS]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        runs = sum(pool.map(lambda job: one(context, *job), jobs))
    touches = sum(4 * (len(own_of(isa)) + 2 * len(places_of(isa))) for isa in MACHINES)
    return f"{len(jobs)} images of {len(COMPILERS)} toolchains, {runs} runs: {touches} accesses to each end as they must"


if __name__ == "__main__":
    main(__doc__, body)
