"""An emulated Cortex-R5F with each core's MPU regions shows memory as the map wants it, over all 4 GiB.

QEMU has no caches, but its MPU decides over every access. So a run takes the permissions from all regions of one kind
of memory (TEX, C, B, shareable, execute never) after the other: what faults then is of that kind. What must fault comes
from the map's areas, laid over the fixed regions of the board; the regions that memsize computed have no part in it but
that their edges are touched too. Between two edges nothing changes, so the first and last byte there speak for all.

Each core's regions come once from what memsize writes for the firmware, and once from the register values that it writes
by request. Compiled with clang and ld.lld; the program is in r5f/.
"""

import argparse
import itertools
import os
import re
import struct
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Callable, Iterable, NamedTuple

from facts import BOARDS
from support import (Context, Failure, check, fail, main, number, read, read_json, same, same_keys, tool,
                     without_comments)

R5F = Path(__file__).resolve().parent / "r5f"
NEEDED = ("j722s", "j722s-safertos", "j784s4", "j784s4-safertos")
# Sizes that no single region has, for a second map of a board.
SIZES_J722S = ("ipc_vring_mem_size=12MiB", "tiovx_obj_desc_mem_size=5MiB", "app_fileio_mem_size=8MiB")
SIZES_J784S4 = ("tiovx_obj_desc_mem_size=16128KiB", "app_fileio_mem_size=8MiB", "tiovx_log_rt_mem_size=24MiB",
                "ddr_intercore_eth_desc_size=6MiB")
RESIZED = dict(zip(NEEDED, (SIZES_J722S, SIZES_J722S, SIZES_J784S4, SIZES_J784S4)))
SPACE = 1 << 32

# The program's own 64 KiB, where high vectors are; nothing there is touched.
OWN = 0xFFFF0000
PLAN, MAGIC, PHASES = 0xFFFF8000, 0x4D505537, 13
NUMBERS = 16
FULL_ACCESS, EXECUTE_NEVER = 3 << 8, 1 << 12
READ, WRITE, EXECUTE = range(3)
# Fault status: nothing covers the address; no permission. A write adds a bit.
NOT_COVERED, NO_PERMISSION, WAS_WRITE = 0x000, 0x00D, 0x800

# The inner cache policy that an attribute's name promises.
PROMISES = {
    "device": {"device"},
    "non-cached": {"device", "non-cached"},
    "write-through": {"write-through"},
    "cached": {"write-back"},
    "cached-execute": {"write-back"},
    "shared": {"write-back"},
}
# What other cores write and read: no R5F may cache it.
SHARED = ("IPC_VRING_MEM", "APP_LOG_MEM", "APP_FILEIO_MEM", "TIOVX_OBJ_DESC_MEM", "TIOVX_LOG_RT_MEM", "DDR_{}_IPC")


@dataclass(frozen=True)
class Kind:
    """A kind of memory: what a region's access control register says besides permissions."""
    tex: int
    cacheable: bool
    bufferable: bool
    shareable: bool
    execute: bool

    @property
    def register(self) -> int:
        return ((0 if self.execute else EXECUTE_NEVER) | self.tex << 3 | self.shareable << 2 | self.cacheable << 1
                | self.bufferable)

    def policy(self, what: str) -> str:
        """The table of TEX, C and B in the Armv7-R manual (DDI 0406C, B5.4)."""
        policies = ("non-cached", "write-back", "write-through", "write-back")
        bits = self.cacheable << 1 | self.bufferable
        if self.tex >= 4:
            return policies[bits]
        known = {(0, 0): "device", (0, 1): "device", (0, 2): "write-through", (0, 3): "write-back",
                 (1, 0): "non-cached", (1, 3): "write-back", (2, 0): "device"}
        check((self.tex, bits) in known, f"{what}: TEX {self.tex}, C and B {bits:02b} are reserved")
        return known[self.tex, bits]


@dataclass(frozen=True)
class Region:
    number: int
    name: str
    base: int
    size: int
    disabled: int
    kind: Kind
    attribute: str
    covers: tuple[str, ...] = ()

    def shows(self, address: int) -> bool:
        if not self.base <= address < self.base + self.size:
            return False
        return not self.disabled >> (address - self.base) * 8 // self.size & 1

    @property
    def edges(self) -> list[int]:
        if self.size < 256:
            return [self.base, self.base + self.size]
        return [self.base + part * self.size // 8 for part in range(9)]

    @property
    def registers(self) -> tuple[int, int, int]:
        """DRBAR, DRSR, DRACR."""
        return (self.base, self.disabled << 8 | self.size.bit_length() - 2 << 1 | 1, FULL_ACCESS | self.kind.register)


class Range(NamedTuple):
    name: str
    base: int
    size: int

    def has(self, address: int) -> bool:
        return self.base <= address < self.base + self.size


@dataclass(frozen=True)
class Area:
    range: Range
    attribute: str


@dataclass(frozen=True)
class Core:
    """What memory_map.json says of a core's MPU."""
    board: str
    name: str
    program: str
    first: int
    last: int
    spare: int
    regions: tuple[Region, ...]
    areas: tuple[Area, ...]
    # What the map has below 4 GiB, as this core sees it.
    map: tuple[Range, ...]

    @property
    def title(self) -> str:
        return f"{self.board} {self.name}"

    @property
    def fixed(self) -> tuple[Region, ...]:
        """Those before the first one that is there for an area; behind it, one without may paint over too much."""
        return tuple(itertools.takewhile(lambda region: not region.covers, self.regions))

    @property
    def computed(self) -> tuple[Region, ...]:
        return self.regions[len(self.fixed):]

    @property
    def kinds(self) -> dict[str, Kind]:
        return {region.attribute: region.kind for region in self.regions}

    def wanted(self, address: int) -> int | None:
        """The kind's register that this address must have; nothing: it must not be covered."""
        for area in self.areas:
            if area.range.has(address):
                return self.kinds[area.attribute].register
        return shown(self.fixed, address)

    def in_map(self, address: int) -> bool:
        return any(item.has(address) for item in self.map)


def shown(regions: Iterable[Region], address: int) -> int | None:
    """As the MPU decides: the highest number wins."""
    found = max((region for region in regions if region.shows(address)), key=lambda region: region.number, default=None)
    return None if found is None else found.kind.register


# --- memory_map.json ------------------------------------------------------------------------------


def region_of(item: dict[str, Any]) -> Region:
    kind = Kind(item["tex"], item["cacheable"], item["bufferable"], item["shareable"], item["execute"])
    return Region(item["number"], item["name"], number(item["base"]), item["size_bytes"], item["disabled"], kind,
                  item["attribute"], tuple(item["covers"]))


def ranges_of(document: dict[str, Any], core: str) -> list[Range]:
    """The map's regions and groups below 4 GiB; what only another core sees is left out."""
    found = []
    for item in document["regions"]:
        mine = core in item["cores"]
        if "virtual" in item and (mine or item["space"] != "core" and item["kind"] == "region"):
            found.append(Range(item["name"], number(item["virtual"]), item["size_bytes"]))
    found += [Range(item["name"], number(item["physical"]), item["size_bytes"]) for item in document["carveouts"]
              if "physical" in item]
    return [item for item in found if item.base + item.size <= SPACE]


def core_of(board: str, document: dict[str, Any], item: dict[str, Any]) -> Core:
    areas = tuple(Area(Range(area["region"], number(area["base"]), area["size_bytes"]), area["attribute"])
                  for area in item["areas"])
    core = Core(board, item["core"], item["program"], item["first"], item["last"], item["spare_bytes"],
                tuple(map(region_of, item["regions"])), areas, tuple(ranges_of(document, item["core"])))
    check_regions(core)
    check_areas(core)
    return core


def check_regions(core: Core) -> None:
    """The table can be programmed."""
    numbers = [region.number for region in core.regions]
    same(f"{core.title}: region numbers", numbers, list(range(core.first, core.first + len(numbers))))
    check(core.first + len(numbers) - 1 <= core.last < NUMBERS, f"{core.title}: {len(numbers)} regions are too many")
    for region in core.regions:
        what = f"{core.title}: region {region.number}, {region.name}"
        check(region.size >= 32 and region.size.bit_count() == 1, f"{what}: size {region.size:#x}")
        check(region.base % region.size == 0 and region.base < SPACE, f"{what}: base {region.base:#x}")
        check(0 <= region.disabled < (255 if region.size >= 256 else 1), f"{what}: parts {region.disabled:#x}")
        same(f"{what}: bits of {region.attribute}", region.kind, core.kinds[region.attribute])


def check_areas(core: Core) -> None:
    """The areas are the map's, keep what the attribute's name promises, and leave out nothing that is shared."""
    check(core.areas, f"{core.title}: no area")
    for area in core.areas:
        what = f"{core.title}: {area.range.name}"
        check(area.range in core.map, f"{what}: the map does not have it at {area.range.base:#x}")
        check(area.range.base + area.range.size <= OWN, f"{what}: runs into the test program")
        check(area.attribute in core.kinds, f"{what}: no region is {area.attribute}")
        check(area.attribute in PROMISES, f"{what}: this test does not know what {area.attribute} promises")
        kind = core.kinds[area.attribute]
        check(kind.policy(what) in PROMISES[area.attribute], f"{what}: {kind} is not {area.attribute}")
        check(kind.shareable or area.attribute != "shared", f"{what}: {kind} is not shareable")
        check(not area.range.base % 32 and not area.range.size % 32, f"{what}: not on 32 bytes")
    for one, other in itertools.combinations(core.areas, 2):
        check(one.attribute == other.attribute or not (one.range.has(other.range.base) or
                                                       other.range.has(one.range.base)),
              f"{core.title}: {one} and {other} overlap")
    names = {template.format(core.name.upper()) for template in SHARED}
    not_cached = {area.range.name for area in core.areas if area.attribute == "non-cached"}
    forgotten = {item.name for item in core.map if item.name in names} - not_cached
    check(not forgotten, f"{core.title}: {sorted(forgotten)} may be cached")


# --- The target -----------------------------------------------------------------------------------


# How the program in r5f/ ends where it cannot use the table.
ENDS = {10: "no plan", 11: "a region number out of range", 12: "no such kind of memory", 13: "size or alignment",
        14: "sub-regions that are not the size register's", 99: "an exception that no touch raised"}


def run_tool(what: str, *command: object) -> str:
    """A run that must succeed, and never hangs."""
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=60)
    check(done.returncode == 0, f"{what}: {Path(str(command[0])).name}: exit {done.returncode} "
          f"{ENDS.get(done.returncode, '')}\n{done.stderr[-2000:]}{done.stdout[-500:]}")
    return done.stdout


class Builder:
    FLAGS = ("--target=armv7r-none-eabi", "-mcpu=cortex-r5", "-mfloat-abi=soft", "-std=c11", "-ffreestanding",
             "-nostdlibinc", "-O1", "-Wall", "-Wextra", "-Werror")

    def __init__(self, work: Path) -> None:
        self.work = work
        self.compiler, self.linker = tool("clang", "clang-14"), tool("ld.lld", "ld.lld-14")
        self.objects = {name: self.compile(R5F / name, work / f"{name}.o", R5F / "include")
                        for name in ("start.S", "main.c", "table_plan.c", "table_csl.c", "table_safertos.c",
                                     "table_words.c")}
        self.plain = self.link("table_plan.c", work / "plan.elf")

    def compile(self, source: Path, target: Path, *include: Path) -> Path:
        flags = self.FLAGS if source.suffix == ".c" else self.FLAGS[:2]
        words = [word for folder in include for word in ("-I", folder)]
        run_tool(str(source), self.compiler, *flags, *words, "-c", source, "-o", target)
        return target

    def link(self, table: str, target: Path, *more: Path) -> Path:
        run_tool(str(target), self.linker, "-T", R5F / "image.ld", self.objects["start.S"], self.objects["main.c"],
                 self.objects[table], *more, "-o", target)
        return target

    def around(self, core: Core, out: Path, work: Path) -> Path:
        """The program around the table that memsize wrote as C."""
        source = out / core.name / "mpu_cfg.c"
        read(source)
        config = self.compile(source, work / "mpu_cfg.o", R5F / "include", out)
        return self.link(f"table_{core.program}.c", work / "mpu_cfg.elf", config)

    def with_words(self, core: Core, out: Path, work: Path) -> Path:
        """The program with the register values that memsize wrote by request."""
        words = self.compile(out / core.name / "mpu_table.c", work / "mpu_table.o")
        return self.link("table_words.c", work / "mpu_table.elf", words)


@dataclass
class Run:
    """What the program printed."""
    held: dict[int, tuple[int, ...]]
    # By phase, kind of touch and address: status and fault address.
    faults: dict[tuple[int, int, int], tuple[int, int]]


class Emulator:
    def __init__(self) -> None:
        self.program = tool("qemu-system-arm")

    def run(self, what: str, image: Path, plan: Path, phases: int) -> Run:
        # One region more than the R5F has is for the program itself.
        output = run_tool(
            what, self.program, "-machine", "none,memory-backend=ram",
            "-object", f"memory-backend-memfd,id=ram,size={SPACE},reserve=off",
            "-cpu", f"cortex-r5f,pmsav7-dregion={NUMBERS + 1},reset-hivecs=on", "-nic", "none", "-display", "none",
            "-serial", "none", "-monitor", "none", "-chardev", "stdio,id=console",
            "-semihosting-config", "enable=on,target=native,chardev=console",
            "-device", f"loader,file={image},cpu-num=0", "-device", f"loader,file={plan},addr={PLAN:#x},force-raw=on")
        return parse_run(what, output, phases)


def parse_run(what: str, output: str, phases: int) -> Run:
    run = Run({}, {})
    ended = []
    for line in output.splitlines():
        letter, *numbers = line.split()
        values = [int(word, 16) for word in numbers]
        if letter == "f":
            phase, kind, address, status, at = values
            run.faults[phase, kind, address] = (status, at)
        elif letter == "r":
            run.held[values[0]] = tuple(values[1:])
        elif letter == "m":
            same(f"{what}: regions of the MPU", values[0] >> 8 & 0xFF, NUMBERS + 1)
        else:
            same(f"{what}: line", letter, "e")
            ended += values
    same(f"{what}: phases", ended, list(range(phases + 1)))
    return run


@dataclass(frozen=True)
class Plan:
    """The kinds of memory, a phase for each, and stretches of the 4 GiB in which nothing changes."""
    kinds: list[int]
    stretches: list[tuple[int, int]]

    @property
    def addresses(self) -> list[int]:
        return [address for first, end in self.stretches for address in (first, end - 1)]

    def write(self, file: Path, regions: Iterable[Region]) -> Path:
        addresses, table = self.addresses, [(0, 0, 0)] * NUMBERS
        for region in regions:
            table[region.number] = region.registers
        blob = struct.pack("<3I13I", MAGIC, len(self.kinds), len(addresses),
                           *self.kinds, *[0] * (PHASES - len(self.kinds)))
        blob += b"".join(struct.pack("<3I", *registers) for registers in table)
        blob += struct.pack(f"<{len(addresses)}I", *addresses)
        check(len(blob) <= SPACE - PLAN, f"{file}: too many addresses")
        file.write_bytes(blob)
        return file


def plan_of(core: Core) -> Plan:
    edges = {0, OWN}
    for region in core.regions:
        edges.update(region.edges)
    for item in (*core.map, *(area.range for area in core.areas)):
        edges.update((item.base, item.base + item.size))
    ordered = sorted(edge for edge in edges if edge <= OWN)
    stretches = list(zip(ordered, ordered[1:]))
    check(all(end - first >= 8 for first, end in stretches), f"{core.title}: a stretch of less than 8 bytes")
    kinds = sorted({kind.register for kind in core.kinds.values()})
    check(len(kinds) <= PHASES, f"{core.title}: {len(kinds)} kinds of memory")
    return Plan(kinds, stretches)


# --- What the hardware shows ------------------------------------------------------------------------


def kind_at(what: str, plan: Plan, run: Run, address: int) -> int | None:
    """The kind of memory that the core has at an address; nothing: it has nothing there."""
    found = {phase: run.faults[phase, READ, address][0] for phase in range(len(plan.kinds) + 1)
             if (phase, READ, address) in run.faults}
    if found == dict.fromkeys(range(len(plan.kinds) + 1), NOT_COVERED):
        return None
    check(len(found) == 1 and 0 not in found, f"{what}: {address:#x} faults in phases {found}")
    return plan.kinds[next(iter(found)) - 1]


def check_faults(what: str, plan: Plan, run: Run, kinds: dict[int, int | None]) -> None:
    """Every fault has the right status and address, and there is no other."""
    expected = {}
    for address, kind in kinds.items():
        status, phases = (NOT_COVERED, range(len(plan.kinds) + 1)) if kind is None else \
            (NO_PERMISSION, [plan.kinds.index(kind) + 1])
        expected.update({(phase, READ, address): (status, address) for phase in phases})
        if kind is None:
            expected[0, WRITE, address] = (status | WAS_WRITE, address)
        if kind is None or kind & EXECUTE_NEVER:
            expected[0, EXECUTE, address] = (status, address & ~3)
    same_keys(f"{what}: faults (phase, kind, address)", run.faults, expected)
    for key, fault in expected.items():
        same(f"{what}: fault {key}", run.faults[key], fault)


def check_memory(core: Core, plan: Plan, run: Run) -> None:
    """The core shows each byte of the 4 GiB as the areas and the fixed regions want it."""
    kinds = {address: kind_at(core.title, plan, run, address) for address in plan.addresses}
    spare = 0
    for first, end in plan.stretches:
        same(f"{core.title}: kinds of {first:#x} and {end - 1:#x}", kinds[end - 1], kinds[first])
        if kinds[first] == core.wanted(first):
            continue
        check(not core.in_map(first), f"{core.title}: {first:#x} to {end - 1:#x} has {described(kinds[first])}, "
              f"but must have {described(core.wanted(first))}")
        spare += end - first
    same(f"{core.title}: spare bytes", spare, core.spare)
    check_faults(core.title, plan, run, kinds)


def described(kind: int | None) -> str:
    return "nothing" if kind is None else f"access control {kind:#x}"


def check_held(core: Core, regions: Iterable[Region], run: Run) -> None:
    """The MPU holds what memory_map.json says: what memsize wrote for the firmware says the same."""
    expected = {index: (0, 0, 0) for index in range(NUMBERS)}
    expected.update({region.number: region.registers for region in regions})
    for index, registers in expected.items():
        same(f"{core.title}: registers of region {index}", run.held.get(index), registers)


# --- mpu.syscfg -------------------------------------------------------------------------------------

# What an instance has that its file does not say, and the bits of the attributes that have a name.
DEFAULTS = {"baseAddr": "0x0", "size": "32", "accessPermissions": '"Supervisor RD+WR, User RD+WR"',
            "attributes": '"Cached"', "allowExecute": "true", "subregionDisableMask": "0x0", "tex": "1",
            "isCacheable": "true", "isBufferable": "true", "isShareable": "false"}
NAMED = {"Device": (0, False, False, True), "NonCached": (1, False, False, True), "Cached": (1, True, True, False),
         "Cached+Sharable": (1, True, True, True)}
RAT_DEFAULTS = {"localAddr": "0x0", "systemAddr": "0x0", "size": "29"}


def parse_instances(text: str, what: str) -> dict[str, list[dict[str, str]]]:
    """By module, the properties of its instances; they are numbered from 1 on."""
    modules: dict[str, list[dict[str, str]]] = {}
    for statement in filter(None, map(str.strip, without_comments(text).split(";"))):
        if added := re.fullmatch(r'const\s+(\w+)\s*=\s*scripting\.addModule\("/kernel/dpl/\1"(?:, .*)?\)', statement):
            check(added[1] not in modules, f"{what}: module {added[1]} twice")
            modules[added[1]] = []
        elif declared := re.fullmatch(r"const\s+(\w+)\s*=\s*(\w+)\.addInstance\(\)", statement):
            check(declared[2] in modules, f"{what}: no module: {statement}")
            modules[declared[2]].append({})
            same(f"{what}: instance", declared[1], f"{declared[2]}{len(modules[declared[2]])}")
        elif assigned := re.fullmatch(r"(\w+)\.(\$?\w+)\s*=\s*(.+)", statement):
            known = {f"{name}{at + 1}": instance for name, instances in modules.items()
                     for at, instance in enumerate(instances)}
            check(assigned[1] in known, f"{what}: no instance: {statement}")
            check(assigned[2] not in known[assigned[1]], f"{what}: twice: {statement}")
            known[assigned[1]][assigned[2]] = assigned[3]
        else:
            fail(f"{what}: unexpected statement {statement!r}")
    return modules


def mpu_instance(properties: dict[str, str], index: int, what: str) -> Region:
    """As the SDK's templates make a region of it."""
    check(set(properties) <= {"$name", *DEFAULTS}, f"{what}: properties {sorted(properties)}")
    said = {key: properties.get(key, default) for key, default in DEFAULTS.items()}
    same(f"{what}: permissions", said["accessPermissions"], DEFAULTS["accessPermissions"])
    attribute = text_of(said["attributes"], what)
    if attribute == "CUSTOM":
        bits = (number(said["tex"]), *(truth_of(said[key], what) for key in ("isCacheable", "isBufferable",
                                                                            "isShareable")))
    else:
        check(attribute in NAMED, f"{what}: attributes {attribute}")
        check(not set(properties) & {"tex", "isCacheable", "isBufferable", "isShareable"},
              f"{what}: the bits of {attribute} cannot be set")
        bits = NAMED[attribute]
    return Region(index, text_of(properties.get("$name", ""), what), number(said["baseAddr"]),
                  1 << number(said["size"]), number(said["subregionDisableMask"]),
                  Kind(*bits, truth_of(said["allowExecute"], what)), "")


def text_of(word: str, what: str) -> str:
    found = re.fullmatch(r'"([^"]*)"', word)
    if found is None:
        fail(f"{what}: {word!r} is no string")
    return found[1]


def truth_of(word: str, what: str) -> bool:
    check(word in ("true", "false"), f"{what}: {word!r} is neither true nor false")
    return word == "true"


def read_syscfg(core: Core, document: dict[str, Any], file: Path) -> tuple[Region, ...]:
    """The regions of a core's file for sysconfig, which are memory_map.json's; and so are the translations.

    The SDK's driver (MpuP_armv7r.c) numbers them from 0 on, whichever number the first one has.
    """
    modules = parse_instances(read(file), str(file))
    found = tuple(mpu_instance(properties, index, f"{file}: instance {index + 1}")
                  for index, properties in enumerate(modules.pop("mpu_armv7", [])))
    same(f"{file}: number of regions", len(found), len(core.regions))
    for region, wanted in zip(found, core.regions):
        same(f"{file}: region {wanted.number}", region,
             replace(wanted, number=wanted.number - core.first, attribute="", covers=()))
    entries = [item for rat in document["rat"] if rat["core"] == core.name for item in rat["entries"]]
    expected = [(item["name"], number(item["local"]), number(item["system"]), item["size_bytes"]) for item in entries]
    translations = [translation_of(properties, str(file)) for properties in modules.pop("addr_translate", [])]
    same(f"{file}: translations", translations, expected if document["rat_program"] == "sysconfig" else [])
    check(not modules, f"{file}: modules {sorted(modules)}")
    return found


def translation_of(properties: dict[str, str], what: str) -> tuple[str, int, int, int]:
    check(set(properties) <= {"$name", *RAT_DEFAULTS}, f"{what}: properties {sorted(properties)}")
    said = {**RAT_DEFAULTS, **properties}
    return (text_of(said.get("$name", ""), what), number(said["localAddr"]), number(said["systemAddr"]),
            1 << number(said["size"]))


# --- The test finds what is wrong -------------------------------------------------------------------


def wrong_ones(core: Core, region: Region) -> list[tuple[str, Region]]:
    other = next(kind for kind in core.kinds.values() if kind.register != region.kind.register)
    found = [("moved", replace(region, base=region.base ^ region.size)),
             ("as another kind", replace(region, kind=other))]
    if region.size >= 256:
        found += [("halved", replace(region, size=region.size // 2)),
                  ("without its last eighth", replace(region, disabled=region.disabled ^ 0x80)),
                  ("gone", replace(region, disabled=0xFF))]
    return found


def mistake(core: Core, turn: int) -> tuple[str, tuple[Region, ...]]:
    """A table in which one computed region is wrong, so that it shows; another one for each turn."""
    found = [(f"{region.name} {what}", tuple(wrong if item.number == region.number else item for item in core.regions))
             for region in core.computed for what, wrong in wrong_ones(core, region)]
    check(found, f"{core.title}: no computed region")
    addresses = plan_of(core).addresses
    for at in range(len(found)):
        what, regions = found[(turn + at) % len(found)]
        if any(shown(regions, address) != shown(core.regions, address) for address in addresses):
            return what, regions
    fail(f"{core.title}: no mistake shows")


def check_mistake(core: Core, turn: int, emulate: Callable[[str, tuple[Region, ...]], Run]) -> None:
    """One mistake must be found by what the emulated core shows."""
    what, regions = mistake(core, turn)
    run = emulate(f"{core.title}: {what}", regions)
    try:
        check_memory(core, plan_of(core), run)
    except Failure:
        return
    fail(f"{core.title}: {what}: was not found")


# --- All boards -------------------------------------------------------------------------------------


@dataclass
class Job:
    core: Core
    document: dict[str, Any]
    out: Path
    # Where mpu_table.c is.
    words: Path
    work: Path


class Counts(NamedTuple):
    areas: int
    touches: int


def check_core(builder: Builder, emulator: Emulator, job: Job, turn: int) -> Counts:
    core, plan = job.core, plan_of(job.core)
    job.work.mkdir(parents=True)

    def emulate(what: str, image: Path, regions: tuple[Region, ...], name: str) -> Run:
        return emulator.run(what, image, plan.write(job.work / name, regions), len(plan.kinds))

    if core.program == "sysconfig":
        regions = read_syscfg(core, job.document, job.out / core.name / "mpu.syscfg")
        run = emulate(core.title, builder.plain, regions, "plan.bin")
    else:
        regions = core.regions
        run = emulate(core.title, builder.around(core, job.out, job.work), (), "plan.bin")
    check_held(core, regions, run)
    check_memory(core, plan, run)
    # The same as register values.
    run = emulate(f"{core.title}: mpu_table.c", builder.with_words(core, job.words, job.work), (), "words.bin")
    check_held(core, core.regions, run)
    check_memory(core, plan, run)
    check_mistake(core, turn, lambda what, wrong: emulate(what, builder.plain, wrong, "mistake.bin"))
    return Counts(len(core.areas), len(plan.addresses) * (len(plan.kinds) + 3))


def jobs_of(context: Context, board: str, settings: tuple[str, ...]) -> list[Job]:
    """The cores of a board's map."""
    title = f"{board}-resized" if settings else board
    sizes = [word for setting in settings for word in ("--set", setting)]
    out = context.emit(board, context.work / title, *sizes)
    document = read_json(out / "memory_map.json")
    found = [core_of(title, document, item) for item in document.get("mpu", [])]
    check(found or board not in NEEDED, f"{board}: memory_map.json has no MPU")
    check(not list(out.glob("*/mpu_table.c")), f"{board}: mpu_table.c is written by request only")
    words = context.work / f"{title}-words"
    if found:
        context.emit(board, words, *sizes, "--only", "mpu-tables")
        same(f"{board}: files of mpu-tables", sorted(path.parent.name for path in words.glob("[!.]*/*")),
             sorted(core.name for core in found))
    return [Job(core, document, out, words, context.work / f"{title}-r5f" / core.name) for core in found]


def body(context: Context) -> str:
    emulator = Emulator()
    builder = Builder(context.work)
    boards = context.options.board or list(BOARDS)
    maps = [(board, ()) for board in boards] + [(board, RESIZED[board]) for board in boards if board in RESIZED]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        jobs = [job for found in pool.map(lambda item: jobs_of(context, *item), maps) for job in found]
        check(jobs, "no board has an MPU")
        counts = list(pool.map(lambda job, turn: check_core(builder, emulator, job, turn), jobs, itertools.count()))
    areas, touches = (sum(column) for column in zip(*counts))
    shown_maps = len({job.core.board for job in jobs})
    return (f"{len(jobs)} R5F cores in {shown_maps} maps: {areas} areas, {touches} touches on an emulated Cortex-R5F "
            f"as the map says; {len(jobs)} wrong tables found")


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--board", action="append", choices=sorted(BOARDS), help="only this board (may be repeated)")


if __name__ == "__main__":
    main(__doc__, body, add_options)
