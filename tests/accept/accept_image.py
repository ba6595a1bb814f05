"""Firmware that arm-none-eabi-gcc and clang with lld link: every number of check's table against readelf, nm, objdump and
size; firmware with one mistake each, of which that and nothing else is told; GNU ld's map against the ELF file that it is of.
Where MEMSIZE_NSX_SDK names AmbiqAI's nsx-ambiq-sdk, its own linker scripts link the same firmware."""

import json
import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

from firmware import ARENAS, REGIONS, Arena, Firmware, Toolchain, output, sections_of, symbols_of
from support import Context, check, main, parse_json, same, tool

HASH = "5b1f0c7e92d4a836"
# An array that begins four bytes behind a multiple of its alignment.
CROOKED = """
__asm__(".section .bss.crooked,\\"aw\\",%nobits\\n.balign 16\\n.space 4\\n.global wake_arena_dtcm_buffer\\n"
        ".type wake_arena_dtcm_buffer,%object\\n.size wake_arena_dtcm_buffer,2504\\nwake_arena_dtcm_buffer: .space 2504\\n");
KEEP extern uint8_t wake_arena_dtcm_buffer[];
KEEP uint8_t *const crooked = wake_arena_dtcm_buffer;
"""
# Two arrays, the second of which begins in the first.
TOGETHER = """
__asm__(".section .bss.together,\\"aw\\",%nobits\\n.balign 16\\n.global wake_arena_dtcm_buffer\\n"
        ".global wake_arena_persistent_dtcm_buffer\\n"
        ".type wake_arena_dtcm_buffer,%object\\n.size wake_arena_dtcm_buffer,2504\\n"
        ".type wake_arena_persistent_dtcm_buffer,%object\\n.size wake_arena_persistent_dtcm_buffer,592\\n"
        "wake_arena_dtcm_buffer: .space 2496\\nwake_arena_persistent_dtcm_buffer: .space 592\\n");
extern uint8_t wake_arena_dtcm_buffer[];
extern uint8_t wake_arena_persistent_dtcm_buffer[];
KEEP uint8_t *const together[] = {wake_arena_dtcm_buffer, wake_arena_persistent_dtcm_buffer};
"""


def plan_of(firmware: Firmware, path: Path) -> Path:
    """The residency report of the firmware's arenas."""
    arenas: dict[str, list[dict[str, Any]]] = {"scratch": [], "persistent": [], "constant": []}
    tensors = []
    for region, arena in enumerate(firmware.arenas):
        row = {"region_id": region, "memory": arena.memory, "used": arena.used, "total_size": arena.used,
               "alignment": arena.alignment}
        if arena.role == "constant":
            row |= {"source_memory": arena.source or arena.memory, "kind": "staged" if arena.source else "cold",
                    "tensor_count": 1}
        arenas[arena.role].append(row)
        tensors.append({"id": str(region), "role": arena.role, "memory": arena.memory,
                        "source_memory": arena.source or arena.memory, "offset": 0, "size": arena.used})
    document = {"schema_version": 3, "module_prefix": "wake", "plan_hash": HASH, "tensor_layout_hash": HASH,
                "arenas": arenas, "tensors": tensors}
    path.write_text(json.dumps(document, indent=1), encoding="utf-8")
    return path


class Checker:
    def __init__(self, context: Context) -> None:
        self.context = context

    def document(self, firmware: Firmware, *images: Path) -> Any:
        plan = plan_of(firmware, self.context.work / "plan.json")
        options = [word for image in images for word in ("--images", image)]
        done = self.context.run("check", plan, "--board", firmware.part, *options, "--json", expect=(0, 1))
        return parse_json(done.stdout, "check --json")

    def found(self, firmware: Firmware, *images: Path) -> list[dict[str, Any]]:
        """What is wrong with the image; notes are what could not be seen."""
        return [each for each in self.document(firmware, *images)["diagnostics"]
                if each["code"].startswith("image.") and each["severity"] != "note"]


def expected_use(firmware: Firmware, elf: Path) -> dict[str, dict[str, int]]:
    """The table, by what GNU's tools say of sections."""
    memories = {row[3]: row for row in REGIONS[firmware.part].values() if row[3]}

    def memory_of(address: int) -> str:
        return next((name for name, row in memories.items() if row[1] <= address < row[1] + row[2]), "")

    use: dict[str, dict[str, int]] = {}
    for section in sections_of(elf):
        name = memory_of(section.address)
        reserved = not section.stored and section.name in (".heap", ".stack")
        kind = ("reserved" if reserved else "zeroed" if not section.stored
                else "data" if section.writable and name != "mram" else "constant")
        charges = [(name, kind)]
        if section.load != section.address:
            charges.append((memory_of(section.load), "copied"))
        for memory, what in charges:
            row = use.setdefault(memory, dict.fromkeys(("constant", "zeroed", "data", "copied", "reserved"), 0))
            row[what] += section.size
    use.pop("", None)
    return use


def check_numbers(checker: Checker, firmware: Firmware, elf: Path, what: str) -> Any:
    image = checker.document(firmware, elf)["images"][0]
    same(f"{what}: machine", (image["machine"], image["bits"], image["format"]), ("Arm", 32, "elf"))
    windows = {row[3]: row[2] for row in REGIONS[firmware.part].values()}
    rows = {row["memory"]: row for row in image["memories"]}
    expected = expected_use(firmware, elf)
    same(f"{what}: memories", set(rows), set(expected))
    for memory, use in expected.items():
        for kind, size in use.items():
            same(f"{what}: {memory}, {kind}", rows[memory][f"{kind}_bytes"], size)
        same(f"{what}: {memory}, window", rows[memory]["window_bytes"], windows[memory])
    symbols = symbols_of(elf)
    sections = sections_of(elf)
    same(f"{what}: symbols", len(image["symbols"]),
         sum(1 + (arena.role == "constant" and bool(arena.source)) for arena in firmware.arenas))
    for symbol in image["symbols"]:
        same(f"{what}: {symbol['name']}", (int(symbol["address"], 16), symbol["size_bytes"]), symbols[symbol["name"]])
        check(any(section.name == symbol["section"]
                  and section.address <= int(symbol["address"], 16) < section.address + section.size for section in sections),
              f"{what}: {symbol['name']} is not in {symbol['section']}")
    return image


def same_as_map(checker: Checker, firmware: Firmware, elf: Path, what: str) -> None:
    """What the linker's map says, as far as it can be known from there."""
    by_elf, by_map = (checker.document(firmware, path)["images"][0] for path in (elf, elf.with_suffix(".map")))
    # Code that is copied to memory that can be written looks like data there, unless its section is called text.
    for image in (by_elf, by_map):
        for row in image["memories"]:
            row["data_bytes"] += row.pop("constant_bytes") if firmware.part == "apollo3p" and row["memory"] != "mram" else 0
    same(f"{what}: the map's memories", by_map["memories"], by_elf["memories"])
    for symbol, other in zip(by_map["symbols"], by_elf["symbols"], strict=True):
        check(symbol["size_bytes"] >= other["size_bytes"], f"{what}: {symbol['name']} is too small by the map")
        for key in ("name", "memory", "role", "address", "section"):
            same(f"{what}: the map's {key}", symbol[key], other[key])
    both = checker.document(firmware, elf, elf.with_suffix(".map"))
    same(f"{what}: images", len(both["images"]), 2)


def mistakes() -> dict[str, tuple[Firmware, str, str]]:
    """A firmware each, the code of what is wrong with it, and a word of the message or the hint."""
    good = Firmware("apollo510")
    psram = Arena("psram", "scratch", 8192, 32)
    wide = Arena("sram", "scratch", 4096, 32, size=4160)
    return {
        "other-memory": (replace(good, instead={"wake_arena_dtcm": '__attribute__((section(".sram_bss"))) ARENA(16) '
                                                "uint8_t wake_arena_dtcm_buffer[2504];"}), "image.memory", "0x2008"),
        "psram": (replace(good, arenas=(*ARENAS, psram), instead={
            "wake_arena_psram": '__attribute__((section(".sram_bss"))) ARENA(32) uint8_t wake_arena_psram_buffer[8192];'}),
            "image.memory", "allocate_arenas: false"),
        "whole-tcm": (replace(good, lengths={"MCU_TCM": 524288}), "image.window", "16 384 B"),
        "arena-beyond": (replace(good, lengths={"MCU_TCM": 524288}, script=replace(
            good, lengths={"MCU_TCM": 524288}).linker_script().replace(
                "= ORIGIN(MCU_TCM) + LENGTH(MCU_TCM);", "= ORIGIN(MCU_TCM) + 0x7a000; } > MCU_TCM .top 0x2007bf00 (NOLOAD) : "
                "{ *(.top)"), instead={"wake_arena_dtcm": '__attribute__((section(".top"))) ARENA(16) '
                                       "uint8_t wake_arena_dtcm_buffer[2504];"}), "image.window", ".top"),
        "crooked": (replace(good, instead={"wake_arena_dtcm": CROOKED}), "image.alignment", "16"),
        "small": (replace(good, instead={"wake_arena_dtcm": "ARENA(16) uint8_t wake_arena_dtcm_buffer[2400];"}),
                  "image.size", "2 504 B"),
        "large": (replace(good, instead={
            "wake_arena_sram": f'__attribute__((section(".sram_bss"))) ARENA(32) uint8_t wake_arena_sram_buffer[{wide.size}];'}),
            "image.size", "4 160 B"),
        "copied-constant": (replace(good, instead={
            "wake_arena_const_dtcm": "ARENA(16) uint8_t wake_arena_const_dtcm__source[1168] = {1};\n"
                                     "ARENA(16) uint8_t wake_arena_const_dtcm_buffer[1168];"}), "image.constant", ".data"),
        "cleared-constant": (replace(good, instead={
            "wake_arena_const_mram": "ARENA(16) uint8_t wake_arena_const_mram_buffer[80];"}), "image.memory", ".bss"),
        "const-arena": (replace(good, more=".tcm_ro : { *(.tcm_ro) } > MCU_TCM AT>MCU_MRAM", instead={
            "wake_arena_persistent_dtcm": '__attribute__((section(".tcm_ro"))) ARENA(16) '
                                          "const uint8_t wake_arena_persistent_dtcm_buffer[592] = {0};"}),
            "image.constant", "read-only"),
        "zeros": (Firmware("apollo3p", more=" ", script=Firmware("apollo3p", more=" ").linker_script().replace(
            "*(.tcm*)", "*(.tcm*) . = ALIGN(32);"), arenas=(ARENAS[2],)), "image.zeros", "592 B"),
        "zeros-of-data": (replace(good, instead={"wake_arena_sram": '__attribute__((section(".shared"))) ARENA(32) '
                                                 "uint8_t wake_arena_sram_buffer[4096];"}), "image.zeros", "4 096 B"),
        "nowhere": (replace(good, script=replace(good, more=".far (NOLOAD) : { *(.far) } > FAR").linker_script().replace(
            "MEMORY\n{", "MEMORY\n{\n  FAR (rwx) : ORIGIN = 0x30000000, LENGTH = 4096"),
                            extra='KEEP __attribute__((section(".far"))) int far[8];'), "image.orphan", "0x30000000"),
        "unknown-data": (Firmware("apollo4p", script=Firmware("apollo4p").linker_script().replace("*(.shared*)", ""),
                                  extra='KEEP __attribute__((section(".shared.mine"))) int mine[4] = {1};'),
                         "image.orphan", "does not copy 16 B"),
        "loaded-to-ram": (replace(good, shared=""), "image.load", ".shared"),
        "missing": (good.changed("wake_arena_persistent_dtcm"), "image.missing", "592 B"),
        "no-source": (replace(good, instead={
            "wake_arena_const_dtcm": "ARENA(16) uint8_t wake_arena_const_dtcm_buffer[1168];"}), "image.missing", "__source"),
        "twice": (replace(good, statics=True, other="#include <stdint.h>\n__attribute__((used, aligned(16))) static uint8_t "
                          "wake_arena_dtcm_buffer[2504];"), "image.duplicate", "2 times"),
        "together": (replace(good, instead={"wake_arena_dtcm": TOGETHER, "wake_arena_persistent_dtcm": ""}),
                     "image.overlap", "which ends at"),
        "other-plan": (replace(good, extra='KEEP const char wake_plan_hash[] = "00112233445566ff";'), "image.hash",
                       "00112233445566ff"),
        "other-plan-macro": (replace(good, flags=("-g3",) , extra='#define WAKE_PLAN_HASH "ffeeddccbbaa9988"'), "image.hash",
                             "ffeeddccbbaa9988"),
        "other-module": (replace(good, instead={arena.stem: "" for arena in ARENAS},
                                 extra="#define wake_model_run nap_model_run\nARENA(16) uint8_t nap_arena_dtcm_buffer[8];"),
                         "image.module", "'nap'"),
        "stripped": (replace(good, flags=("-s",)), "image.module", "no symbols"),
    }


def check_mistakes(checker: Checker, tools: Toolchain) -> int:
    count = 0
    for name, (firmware, code, word) in mistakes().items():
        if name == "other-plan-macro" and tools.name == "clang":
            # It has the macro where -fdebug-macro asks for it.
            firmware = replace(firmware, flags=("-g", "-fdebug-macro"))
        if name == "unknown-data" and tools.name == "clang":
            # GNU ld loads it behind the section before it, lld where it lies.
            code, word = "image.load", "16 B that nothing keeps"
        found = checker.found(firmware, tools.build(firmware, name))
        same(f"{tools.name}, {name}: codes", [each["code"] for each in found], [code])
        text = " ".join([*(each["message"] for each in found), *(each.get("hint", "") for each in found)])
        check(word in text, f"{tools.name}, {name}: '{word}' is not in: {text}")
        count += 1
    return count


def check_forms(checker: Checker, tools: Toolchain) -> None:
    """What is no mistake, and what is no image."""
    context, good = checker.context, Firmware("apollo510")
    elf = tools.build(replace(good, statics=True, extra=f'KEEP const char wake_plan_hash[] = "{HASH}";'), "statics")
    same(f"{tools.name}: static arenas", checker.found(good, elf), [])
    notes = [each for each in checker.document(good, elf)["diagnostics"] if each["code"].startswith("image.")]
    same(f"{tools.name}: a hash that is right", notes, [])
    external = replace(good, instead={arena.stem: "" for arena in ARENAS})
    notes = [each for each in checker.document(external, tools.build(external, "external"))["diagnostics"]
             if each["code"] == "image.module"]
    same(f"{tools.name}: arenas that are bound", [(each["severity"], "allocate_arenas" in each["hint"]) for each in notes],
         [("note", True)])
    # A boot loader needs no module, as long as the program beside it has it.
    boot = replace(external, extra="#define wake_model_run boot")
    same(f"{tools.name}: a program and its boot loader",
         checker.found(good, tools.build(boot, "boot"), tools.build(good, "good")), [])
    plan = plan_of(good, context.work / "plan.json")
    item = context.work / "item.o"
    output(*tools.compiler, "-c", "-mcpu=cortex-m55", elf.with_suffix(".c"), "-o", item)
    damaged = context.work / "cut.elf"
    data = elf.read_bytes()
    for path, content, code in ((item, None, "image.syntax"), (Path("/bin/sh"), None, "image.machine"),
                                (damaged, data[:len(data) // 2], "image.syntax"), (damaged, b"", "image.syntax"),
                                (damaged, data[:5] + b"\2" + data[6:], "image.syntax")):
        if content is not None:
            path.write_bytes(content)
        done = context.run("check", plan, "--board", "apollo510", "--images", path, "--json", expect=1)
        codes = {each["code"] for each in json.loads(done.stdout)["diagnostics"] if each["severity"] == "error"}
        same(f"{tools.name}: {path}", codes, {code})


def sidecar(checker: Checker, tools: Toolchain) -> None:
    """A blob that objcopy made an object of stands for the source."""
    work = checker.context.work
    (work / "wake_arena_const_dtcm__blob.bin").write_bytes(b"\1" * 1168)
    subprocess.run([tool("arm-none-eabi-objcopy"), "-I", "binary", "-O", "elf32-littlearm", "--rename-section",
                    ".data=.rodata,alloc,load,readonly,data,contents", "wake_arena_const_dtcm__blob.bin", "blob.o"],
                   cwd=work, check=True, timeout=60)
    firmware = Firmware("apollo510", objects=(str(work / "blob.o"),), instead={
        "wake_arena_const_dtcm": "ARENA(16) uint8_t wake_arena_const_dtcm_buffer[1168];"})
    elf = tools.build(firmware, "sidecar")
    same(f"{tools.name}: a sidecar", checker.found(firmware, elf), [])
    found = [symbol for symbol in checker.document(firmware, elf)["images"][0]["symbols"] if symbol["memory"] == "mram"]
    check(any("__blob_bin_start" in symbol["name"] and symbol["size_bytes"] == 1168 for symbol in found),
          f"{tools.name}: the sidecar was not found: {found}")


def vendor_scripts(checker: Checker, tools: Toolchain) -> str:
    folder = os.environ.get("MEMSIZE_NSX_SDK")
    if not folder:
        return "the vendor's own scripts: skipped, MEMSIZE_NSX_SDK names no nsx-ambiq-sdk"
    scripts = {"apollo510": "apollo510/gcc/linker_script_sbl.ld", "apollo330p": "apollo330P/gcc/linker_script_sbl.ld",
               "apollo4p": "apollo4p/gcc/linker_script.ld", "apollo3p": "apollo3p/gcc/linker_script.ld"}
    for part, name in scripts.items():
        path = Path(folder) / "modules/nsx-core/src" / name
        check(path.is_file(), f"MEMSIZE_NSX_SDK: {path} is missing")
        firmware = Firmware(part, script=path.read_text(encoding="utf-8"))
        # The oldest has no section for what start-up clears in its fast memory.
        arenas = [arena.stem for arena in ARENAS if arena.memory == "dtcm"] if part == "apollo3p" else []
        if arenas:
            firmware = replace(firmware, script=firmware.script.replace("*(.tcm*)", "*(.tcm*) . = ALIGN(4);"))
        elf = tools.build(firmware, f"vendor-{part}")
        check_numbers(checker, firmware, elf, f"{tools.name}, the vendor's {part}")
        found = checker.found(firmware, elf)
        same(f"{tools.name}, the vendor's {part}", [each["code"] for each in found], ["image.zeros"] * len(arenas))
        if tools.name == "gcc":
            same_as_map(checker, firmware, elf, f"the vendor's {part}")
    return f"{len(scripts)} scripts of the vendor's"


def check_text(checker: Checker, elf: Path, image: Any) -> None:
    """The table for people has the numbers of the document."""
    plan = plan_of(Firmware("apollo510"), checker.context.work / "plan.json")
    text = checker.context.run("check", plan, "--board", "apollo510", "--images", elf).stdout
    rows = {line.split()[0]: re.split(r" {2,}", line.strip())[1:] for line in text.splitlines() if line.startswith("  ")}
    for row in image["memories"]:
        shown = [int(cell.replace(" ", "").replace("-", "0")) for cell in rows[row["memory"]]]
        same(f"text: {row['memory']}", shown, [row[f"{key}_bytes"] for key in
                                               ("constant", "zeroed", "data", "copied", "reserved", "window")])


def body(context: Context) -> str:
    checker = Checker(context)
    said = []
    for name in ("gcc", "clang"):
        tools = Toolchain(name, context.work)
        for part in REGIONS:
            firmware = Firmware(part)
            elf = tools.build(firmware, f"good-{part}")
            image = check_numbers(checker, firmware, elf, f"{name}, {part}")
            same(f"{name}, {part}: findings", checker.found(firmware, elf), [])
            if name == "gcc":
                same_as_map(checker, firmware, elf, f"{name}, {part}")
            if part == "apollo510":
                check_text(checker, elf, image)
        count = check_mistakes(checker, tools)
        check_forms(checker, tools)
        sidecar(checker, tools)
        said.append(f"{name}: {len(REGIONS)} parts, {count} mistakes, {vendor_scripts(checker, tools)}")
    return "; ".join(said)


if __name__ == "__main__":
    main(__doc__ or "", body)
