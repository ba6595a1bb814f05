"""Small firmware for parts with memories: C, linker scripts in the shape of the vendor's, and what GNU's tools say of it."""

import re
import subprocess
from dataclasses import dataclass, field, replace
from pathlib import Path

from support import check, tool

# Regions of the vendor's scripts: name, attributes, origin, length; and the memory of the part that each is.
REGIONS = {
    "apollo510": {"MCU_ITCM": ("rwx", 0x0, 262144, "itcm"), "MCU_MRAM": ("rx", 0x410000, 4128768, "mram"),
                  "MCU_TCM": ("rwx", 0x20000000, 507904, "dtcm"), "SHARED_SRAM": ("rwx", 0x20080000, 3145728, "sram")},
    "apollo330p": {"MCU_MRAM": ("rx", 0x410000, 2031616, "mram"), "MCU_TCM": ("rwx", 0x20000000, 245760, "dtcm"),
                   "SHARED_SRAM": ("rwx", 0x20080000, 1835008, "sram")},
    "apollo4p": {"MCU_MRAM": ("rx", 0x18000, 1998848, "mram"), "MCU_TCM": ("rwx", 0x10000000, 393216, "dtcm"),
                 "SHARED_SRAM": ("rwx", 0x10060000, 1048576, "sram")},
    "apollo3p": {"ROMEM": ("rx", 0xC000, 2048000, "mram"), "TCM": ("rwx", 0x10000000, 65536, "dtcm"),
                 "STACKMEM": ("rwx", 0x10010000, 4096, ""), "RWMEM": ("rwx", 0x10011000, 716800, "sram")},
}
CPU = {"apollo510": "cortex-m55", "apollo330p": "cortex-m55", "apollo4p": "cortex-m4", "apollo3p": "cortex-m4"}

# Sections by what they are for; {fast} is the code that start-up copies.
SCRIPT = """
  .text : {{ KEEP(*(.isr_vector)) *(.text) *(.text*) *(.rodata) *(.rodata*) . = ALIGN(4); }} > MCU_MRAM
  {fast}
  .ARM.exidx : {{ *(.ARM.exidx*) }} > MCU_MRAM
  .stack (NOLOAD) : {{ . = ALIGN(8); *(.stack) *(.stack*) . = ALIGN(8); }} > MCU_TCM
  .data : {{ . = ALIGN(4); *(.data) *(.data*) . = ALIGN(4); }} > MCU_TCM AT>MCU_MRAM
  .bss : {{ . = ALIGN(4); *(.bss) *(.bss*) *(COMMON) . = ALIGN(4); }} > MCU_TCM
  {more}
  .heap (NOLOAD) : {{ . = ALIGN(8); __HeapBase = .; KEEP(*(.heap)) . = ORIGIN(MCU_TCM) + LENGTH(MCU_TCM); }} > MCU_TCM
  .sram_bss (NOLOAD) : {{ . = ALIGN(4); *(.sram_bss) *(.sram_bss*) . = ALIGN(4); }} > SHARED_SRAM
  .shared : {{ . = ALIGN(4); KEEP(*(.shared)) *(.shared*) . = ALIGN(4); }} > SHARED_SRAM {shared}
"""
SCRIPT_3P = """
  .text : {{ KEEP(*(.isr_vector)) *(.text) *(.text*) *(.rodata) *(.rodata*) . = ALIGN(4); }} > ROMEM
  .ARM.exidx : {{ *(.ARM.exidx*) }} > ROMEM
  .data : {{ . = ALIGN(4); *(.data) *(.data*) . = ALIGN(4); }} > RWMEM AT>ROMEM
  {more}
  .tcm : {{ . = ALIGN(4); *(.tcm) *(.tcm*) . = ALIGN(4); }} > TCM AT>ROMEM
  .stack (NOLOAD) : {{ . = ALIGN(8); *(.stack) *(.stack*) . = ALIGN(8); }} > STACKMEM
  .bss : {{ . = ALIGN(4); *(.bss) *(.bss*) *(COMMON) . = ALIGN(4); }} > RWMEM
"""
TCM_BSS = ".tcm_bss (NOLOAD) : { . = ALIGN(16); *(.tcm_bss) *(.tcm_bss*) . = ALIGN(4); } > TCM"

# What puts zeroed variables into a memory, and initialised ones.
ATTRIBUTES = {
    "apollo3p": {"dtcm": '__attribute__((section(".tcm_bss")))', "sram": "", "fast": ".tcm",
                 "shared": ""},
    "": {"dtcm": "", "sram": '__attribute__((section(".sram_bss")))', "fast": ".dtcm_text",
         "shared": '__attribute__((section(".shared")))'},
}

BEGIN = """
#include <stdint.h>
#define ARENA(align) __attribute__((aligned(align), used))
#define KEEP __attribute__((used))
KEEP __attribute__((section(".stack"))) static uint32_t stack[256];
void Reset_Handler(void);
KEEP __attribute__((section(".isr_vector"))) const void *const vectors[] = {stack + 256, (const void *)Reset_Handler};
KEEP int counter[5] = {1, 2, 3, 4, 5};
"""
END = """
int wake_model_run(int step) { return counter[step % 5] * 3; }
void Reset_Handler(void) { for (;;) { counter[0] = wake_model_run(counter[1]); } }
"""


@dataclass(frozen=True)
class Arena:
    """One row of the plan, and the line of C that makes it."""
    memory: str
    role: str
    used: int
    alignment: int = 16
    source: str = ""
    size: int = 0

    @property
    def stem(self) -> str:
        role = {"scratch": "", "persistent": "persistent_", "constant": "const_"}[self.role]
        return f"wake_arena_{role}{self.memory}"


ARENAS = (Arena("dtcm", "scratch", 2504), Arena("sram", "scratch", 4096, 32), Arena("dtcm", "persistent", 592),
          Arena("dtcm", "constant", 1168, 16, "mram"), Arena("mram", "constant", 80))


@dataclass
class Firmware:
    part: str
    arenas: tuple[Arena, ...] = ARENAS
    # The C of an arena by its stem, instead of its own.
    instead: dict[str, str] = field(default_factory=dict)
    extra: str = ""
    # Of a second source.
    other: str = ""
    more: str = ""
    shared: str = "AT>MCU_MRAM"
    script: str = ""
    lengths: dict[str, int] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    statics: bool = False

    def source(self) -> str:
        words = ATTRIBUTES.get(self.part, ATTRIBUTES[""])
        lines = [BEGIN]
        static = "static " if self.statics else ""
        for arena in self.arenas:
            if arena.stem in self.instead:
                lines.append(self.instead[arena.stem])
                continue
            how = f"ARENA({arena.alignment})"
            size = arena.size or arena.used
            if arena.role != "constant" or arena.source:
                lines.append(f"{words[arena.memory]} {static}{how} uint8_t {arena.stem}_buffer[{size}];")
            if arena.role == "constant":
                suffix = "__source" if arena.source else "_buffer"
                lines.append(f"{static}{how} const uint8_t {arena.stem}{suffix}[{size}] = {{1, 2, 3}};")
        fast = ".itcm_text" if self.part == "apollo510" else words["fast"]
        lines.append(f'KEEP __attribute__((section("{fast}"))) int fast(int x) {{ return x * 5 + counter[x & 3]; }}')
        lines.append(f"{words['shared']} KEEP int table[3] = {{7, 8, 9}};")
        return "\n".join([*lines, self.extra, END])

    def linker_script(self) -> str:
        if self.script:
            return self.script
        regions = "\n".join(f"  {name} ({row[0]}) : ORIGIN = {row[1]:#x}, LENGTH = {self.lengths.get(name, row[2])}"
                            for name, row in REGIONS[self.part].items())
        fast = {"apollo510": ".itcm_text : { *(.itcm_text*) . = ALIGN(4); } > MCU_ITCM AT>MCU_MRAM"}.get(
            self.part, ".dtcm_text : { *(.dtcm_text*) . = ALIGN(4); } > MCU_TCM AT>MCU_MRAM")
        body = (SCRIPT_3P.format(more=self.more or TCM_BSS) if self.part == "apollo3p"
                else SCRIPT.format(fast=fast, more=self.more, shared=self.shared))
        return (f"ENTRY(Reset_Handler)\nMEMORY\n{{\n{regions}\n}}\nSECTIONS\n{{{body}\n"
                "  .ARM.attributes 0 : { *(.ARM.attributes) }\n}\n")

    def changed(self, stem: str, **what: int) -> "Firmware":
        """The same, where the C has another arena than the plan."""
        return replace(self, instead={**self.instead, stem: ""}, **what)


class Toolchain:
    def __init__(self, name: str, work: Path) -> None:
        self.name, self.work = name, work
        if name == "gcc":
            self.compiler = [tool("arm-none-eabi-gcc")]
            self.link = ["-Wl,--no-warn-rwx-segments"]
        else:
            self.compiler = [tool("clang", "clang-14"), "--target=arm-none-eabi"]
            tool("ld.lld", "ld.lld-14")
            self.link = ["-fuse-ld=lld"]

    def build(self, firmware: Firmware, name: str) -> Path:
        """An ELF file; GNU ld's map lies beside it."""
        folder = self.work / self.name
        folder.mkdir(exist_ok=True)
        script, target = folder / f"{name}.ld", folder / f"{name}.elf"
        script.write_text(firmware.linker_script(), encoding="utf-8")
        sources = [folder / f"{name}.c"]
        sources[0].write_text(firmware.source(), encoding="utf-8")
        if firmware.other:
            sources.append(folder / f"{name}_other.c")
            sources[1].write_text(firmware.other, encoding="utf-8")
        command = [*self.compiler, f"-mcpu={CPU[firmware.part]}", "-mthumb", "-mfloat-abi=soft", "-Os", "-ffreestanding",
                   "-nostdlib", "-fno-common", "-fno-unwind-tables", *firmware.flags, *self.link, "-T", str(script),
                   f"-Wl,-Map={target.with_suffix('.map')}", *map(str, sources), *firmware.objects, "-o", str(target)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        check(done.returncode == 0, f"{' '.join(command)}: {done.stderr[:2000]}")
        return target


@dataclass(frozen=True)
class Section:
    name: str
    address: int
    load: int
    size: int
    writable: bool
    stored: bool


def output(*command: object) -> str:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60)
    check(done.returncode == 0, f"{command}: {done.stderr[:500]}")
    return done.stdout


def sections_of(elf: Path) -> list[Section]:
    """By readelf -S; load addresses by objdump -h, and sizes once more by size -A."""
    # A script may have two sections of one name; no two have one address.
    rows = {}
    for row in re.finditer(r"^ +\[ *\d+\] (\S+) +(\S+) +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+) [0-9a-f]+ +([A-Zx]*) ",
                           output(tool("arm-none-eabi-readelf"), "-SW", elf), flags=re.M):
        if "A" in row[5] and int(row[4], 16):
            rows[row[1], int(row[3], 16)] = (int(row[4], 16), "W" in row[5], row[2] != "NOBITS")
    loads = {(row[1], int(row[3], 16)): (int(row[2], 16), int(row[4], 16)) for row in
             re.finditer(r"^ +\d+ (\S+) +([0-9a-f]+) +([0-9a-f]+) +([0-9a-f]+) ",
                         output(tool("arm-none-eabi-objdump"), "-h", elf), flags=re.M) if int(row[2], 16)}
    sizes = {(name, int(address)): int(size) for name, size, address in
             re.findall(r"^(\S+) +(\d+) +(\d+)$", output(tool("arm-none-eabi-size"), "-A", elf), flags=re.M) if int(size)}
    for place, (size, _, _) in rows.items():
        check(sizes[place] == size == loads[place][0], f"{elf}: {place}: readelf, objdump and size differ")
    return [Section(*place, loads[place][1] if stored else place[1], size, writable, stored)
            for place, (size, writable, stored) in rows.items()]


def symbols_of(elf: Path) -> dict[str, tuple[int, int]]:
    """Addresses and sizes by nm -S, which readelf -s says once more."""
    found = {row[3]: (int(row[1], 16), int(row[2], 16)) for row in
             re.finditer(r"^([0-9a-f]+) ([0-9a-f]+) [A-Za-z] (\S+)$", output(tool("arm-none-eabi-nm"), "-S", elf), flags=re.M)}
    again = {row[3]: (int(row[1], 16), int(row[2])) for row in
             re.finditer(r"^ +\d+: ([0-9a-f]+) +(\d+) OBJECT .* (\S+)$",
                         output(tool("arm-none-eabi-readelf"), "-sW", elf), flags=re.M)}
    for name, place in again.items():
        check(found.get(name, place) == place, f"{elf}: {name}: nm and readelf differ")
    return found
