"""Parts: every number and section of boards/memories as vendors' headers, linker scripts and start-up code have it.

The tables are typed from those files: AmbiqAI nsx-ambiq-sdk 310966f (am_reg_base_addresses.h; of each part linker_script*.ld and
startup_gcc.c, linker_script*.sct), helia-core-tester a3c4fbd (Corstone-300/), gap_sdk, ARES and pulp-sdk; of STM32, nRF and ESP32 from linker scripts of Rust crates,
ESP-IDF's soc.h and reports of ST Edge AI; of Corstone-310, -320 and Alif's E7 from linker scripts of Arm's evaluation kit (Alif's b1b93fc). What a part's machine
emulates is asked of QEMU: a word at each end of each window is loaded there, and read back.
"""

import re
import subprocess
from typing import Any

from support import Context, main, number, parse_json, same, same_keys, tool

KIB, MIB = 1 << 10, 1 << 20
M55, M4F, NOBODY = ("cortex-m55", True), ("cortex-m4", False), (None, None)
# Part: core and MVE, machine, alignment; memory: address, hardware, window, keeps, writes, used by rule, on the machine.
APOLLO4 = {
    "dtcm": (0x10000000, 384 * KIB, 393216, False, True, False, 0x20000000),
    "mram": (0x00018000, 2 * MIB, 1998848, True, False, False, 0x00018000),
    "psram": (0x14000000, 32 * MIB, 32 * MIB, True, True, True, None),
}
APOLLO510 = (M55, "mps3-an547", 16, {
    "itcm": (0x00000000, 256 * KIB, 262144, False, True, True, 0x00000000),
    "dtcm": (0x20000000, 512 * KIB, 507904, False, True, False, 0x20000000),
    "sram": (0x20080000, 3 * MIB, 3145728, False, True, False, 0x21000000),
    "mram": (0x00410000, 4 * MIB, 4128768, True, False, False, 0x28000000),
    "psram": (0x60000000, 64 * MIB, 64 * MIB, True, True, True, 0x60000000),
})
APOLLO330P = (M55, "mps3-an547", 16, {
    "dtcm": (0x20000000, 256 * KIB, 245760, False, True, False, 0x20000000),
    "sram": (0x20080000, 1792 * KIB, 1835008, False, True, False, 0x21000000),
    "mram": (0x00410000, 2 * MIB, 2031616, True, False, False, 0x28000000),
    "psram": (0x60000000, 32 * MIB, 32 * MIB, True, True, True, 0x60000000),
})
# How memories of parts without sections are used: on the chip or beside it; what keeps its bytes is not written.
def plain(address: int, size: int, flash: bool = False) -> tuple[Any, ...]:
    return (address, size, size, flash, not flash, False, None)


PARTS: dict[str, tuple[tuple[str | None, bool | None], str | None, int, dict[str, tuple[Any, ...]]]] = {
    "apollo3p": (M4F, "mps2-an386", 16, {
        "dtcm": (0x10000000, 64 * KIB, 65536, False, True, False, 0x20000000),
        # 768 KiB with the TCM in them.
        "sram": (0x10011000, 768 * KIB - 64 * KIB, 716800, False, True, False, 0x20011000),
        "mram": (0x0000C000, 2 * MIB, 2048000, True, False, False, 0x0000C000),
        "psram": (0x02000000, 8 * MIB, 8 * MIB, True, True, True, 0x21000000),
    }),
    # SSRAM0, ExtRAM and SSRAM1; programs get the first.
    "apollo4p": (M4F, "mps2-an386", 16, APOLLO4 | {
        "sram": (0x10060000, 1 * MIB + 384 * KIB + 1 * MIB, 1048576, False, True, False, 0x20060000)}),
    "apollo4l": (M4F, "mps2-an386", 16, APOLLO4 | {
        "sram": (0x10060000, 1 * MIB, 1048576, False, True, False, 0x20060000)}),
    "apollo510": APOLLO510,
    "apollo510b": APOLLO510,
    "apollo510l": APOLLO330P,
    "apollo330p": APOLLO330P,
    "corstone-300": (M55, "mps3-an547", 16, {
        "itcm": (0x00000000, 512 * KIB, 512 * KIB, False, True, True, 0x00000000),
        "dtcm": (0x20000000, 512 * KIB, 512 * KIB, False, True, False, 0x20000000),
        "sram": (0x21000000, 2 * MIB, 2 * MIB, False, True, False, 0x21000000),
        "mram": (0x60000000, 32 * MIB, 32 * MIB, True, False, False, 0x60000000),
    }),
    "gap8": (NOBODY, None, 4, {
        "l1": (0x10000004, 64 * KIB, 0xFFFC, False, True, True, None),
        "l2": (0x1C000000, 512 * KIB, 0x80000, False, True, False, None),
        "l3": (None, 8 * MIB, 8 * MIB, True, True, False, None),
        "flash": (None, 64 * MIB, 64 * MIB, True, False, True, None),
    }),
    "gap9": (NOBODY, None, 4, {
        "l1": (0x10000004, 128 * KIB, 0x1FFFC, False, True, True, None),
        "l2": (0x1C000000, 1600 * KIB, 0x190000, False, True, False, None),
        "l3": (None, 32 * MIB, 32 * MIB, True, True, False, None),
        "mram": (None, 2 * MIB, 2 * MIB, True, False, True, None),
        "flash": (None, 64 * MIB, 64 * MIB, True, False, True, None),
    }),
    "siracusa": (NOBODY, None, 4, {
        "l1": (0x10000004, 256 * KIB, 0x3FFFC, False, True, True, None),
        "l2": (0x1C000004, 2 * MIB, 0x1FFFFC, False, True, False, None),
        "weight_sram": (0x10800020, 4 * MIB, 0x3FFFE0, False, True, True, None),
        "weight_mram": (0x10400020, 4 * MIB, 0x3FFFE0, True, False, False, None),
        "l3": (None, 8 * MIB, 8 * MIB, True, True, True, None),
    }),
}
PARTS |= {
    "stm32n6": (M55, None, 16, {"npuram": plain(0x34200000, 4 * 448 * KIB), "sram": plain(0x34100000, MIB),
                                "flash": plain(0x70000000, 64 * MIB, True), "psram": plain(0x90000000, 32 * MIB)}),
    "stm32h743": (("cortex-m7", False), None, 16, {
        "dtcm": plain(0x20000000, 128 * KIB), "itcm": (0, 64 * KIB, 64 * KIB, False, True, True, None),
        "sram": plain(0x24000000, 512 * KIB), "sram_d2": plain(0x30000000, (128 + 128 + 32) * KIB),
        "flash": plain(0x08000000, 2 * MIB, True)}),
    "stm32u585": (("cortex-m33", False), None, 16, {"sram": plain(0x20000000, 768 * KIB), "flash": plain(0x08000000, 2 * MIB, True)}),
    "nrf5340": (("cortex-m33", False), None, 16, {"sram": plain(0x20000000, 512 * KIB), "flash": plain(0, MIB, True)}),
    "esp32s3": (NOBODY, None, 16, {"sram": plain(0x3FC88000, 0x3FD00000 - 0x3FC88000), "flash": plain(0x3C000000, 8 * MIB, True),
                                   "psram": plain(0x3C800000, 8 * MIB)}),
    "esp32p4": (NOBODY, None, 16, {"sram": plain(0x4FF00000, 0xC0000), "flash": plain(0x40000000, 16 * MIB, True),
                                   "psram": plain(0x48000000, 32 * MIB)}),
}
M85 = ("cortex-m85", True)
E7 = {"itcm": (0x01000000, 0x40000, 0x40000, False, True, True, None), "sram0": plain(0x02000000, 0x400000),
      "sram1": plain(0x08000000, 0x280000)}
OSPI = {"ospi": plain(0xC0000000, 0x02000000, True)}
PARTS |= {
    "corstone-310": (M85, None, 16, {"sram": plain(0x31000000, 0x400000), "bram": plain(0x11000000, 0x200000), "ddr": plain(0x70000000, 0x02000000, True)}),
    "corstone-320": (M85, None, 16, {"sram": plain(0x31000000, 0x400000), "bram": plain(0x12000000, 0x200000), "ddr": plain(0x70000000, 0x02000000, True)}),
    "alif-e7-hp": (M55, None, 16, E7 | {"dtcm": plain(0x20000000, 0x100000), "mram": plain(0x80008000, 0x477000, True)} | OSPI),
    "alif-e7-he": (M55, None, 16, E7 | {"dtcm": plain(0x20000000, 0x40000), "mram": plain(0x80008000, 0x47F000, True)} | OSPI),
}
# At least 16 B; the weight memories of Siracusa are at multiples of 32 B in its linker script.
ARENA_ALIGNMENT = {("siracusa", "weight_sram"): 32, ("siracusa", "weight_mram"): 32}
# The private banks of GAP9's L2 are the fabric controller's.
KEPT_BACK = {("gap9", "l2"): 64 * KIB, ("esp32p4", "sram"): 256 * KIB,
             # __HEAP_SIZE and __STACK_SIZE.
             ("corstone-310", "bram"): 0xC0000, ("corstone-320", "bram"): 0xC0000, ("alif-e7-hp", "dtcm"): 0x8000,
             ("alif-e7-he", "dtcm"): 0x1800}
# Ranks, not measurements: what is next to the core, on the chip, not volatile, beside the chip.
COST = {"npuram": 1, "dtcm": 1, "itcm": 1, "l1": 1, "sram": 2, "l2": 2, "weight_sram": 2, "sram0": 2, "sram1": 2, "sram_d2": 3, "bram": 3, "ddr": 4, "flash": 4, "mram": 4, "weight_mram": 4, "psram": 16, "ospi": 16, "l3": 16}
# Behind a bus that only DMA reaches.
FAR_COST = {("gap8", "flash"): 64, ("gap9", "flash"): 64, ("gap9", "mram"): 32}

# memory, toolchain, section, what it holds, what start-up does, attribute
M55_SECTIONS = """
    dtcm gcc      .stack        reserved    none   -
    dtcm gcc      .data         initialised copies -
    dtcm gcc      .bss          zeroed      clears -
    dtcm gcc      .heap         reserved    none   -
    sram gcc      .sram_bss     zeroed      clears .sram_bss
    sram gcc      .shared       initialised copies .shared
    mram gcc      .text         code        none   -
    mram gcc      .text         constant    none   -
    mram armclang MCU_MRAM      code        none   -
    mram armclang MCU_MRAM      constant    none   -
    dtcm armclang MCU_TCM       initialised copies -
    dtcm armclang MCU_TCM       zeroed      clears -
    dtcm armclang ARM_LIB_HEAP  reserved    none   -
    dtcm armclang ARM_LIB_STACK reserved    none   -
    sram armclang SHARED_SRAM   initialised copies .shared
    sram armclang SHARED_SRAM   zeroed      copies .sram_bss
"""
APOLLO510_SECTIONS = M55_SECTIONS + """
    itcm gcc      .itcm_text    code        copies .itcm_text
    itcm armclang MCU_ITCM      code        copies .itcm_text
"""
APOLLO330P_SECTIONS = M55_SECTIONS + """
    dtcm gcc      .dtcm_text    code        copies .dtcm_text
    dtcm armclang MCU_TCM       code        copies .dtcm_text
"""
APOLLO4_SECTIONS = """
    mram gcc      .text         code        none   -
    mram gcc      .text         constant    none   -
    dtcm gcc      .stack        reserved    none   -
    dtcm gcc      .data         initialised copies -
    dtcm gcc      .bss          zeroed      clears -
    dtcm gcc      .heap         reserved    none   -
    sram gcc      .sram_bss     zeroed      clears .sram_bss
    sram gcc      .shared       initialised copies .shared
    mram armclang MCU_MRAM      code        none   -
    mram armclang MCU_MRAM      constant    none   -
    dtcm armclang MCU_TCM       initialised copies -
    dtcm armclang MCU_TCM       zeroed      clears -
    sram armclang SHARED_SRAM   initialised copies SHARED_RW
"""
SECTIONS = {
    "apollo3p": """
    mram gcc      .text         code        none   -
    mram gcc      .text         constant    none   -
    sram gcc      .data         initialised copies -
    sram gcc      .bss          zeroed      clears -
    dtcm gcc      .tcm          code        copies .tcm
    dtcm gcc      .tcm          initialised copies .tcm
    dtcm gcc      .tcm          zeroed      copies .tcm_bss
    mram armclang ROMEM         code        none   -
    mram armclang ROMEM         constant    none   -
    sram armclang RWMEM         initialised copies -
    sram armclang RWMEM         zeroed      clears -
    dtcm armclang TCM           code        copies .tcm
    dtcm armclang TCM           initialised copies .tcm
    """,
    "apollo4p": APOLLO4_SECTIONS,
    "apollo4l": APOLLO4_SECTIONS,
    "apollo510": APOLLO510_SECTIONS,
    "apollo510b": APOLLO510_SECTIONS,
    "apollo510l": APOLLO330P_SECTIONS,
    "apollo330p": APOLLO330P_SECTIONS,
    "corstone-300": """
    dtcm all      .dtcm_bss     zeroed      clears .dtcm_bss
    dtcm all      .dtcm_data    initialised copies .dtcm_data
    sram all      .sram_bss     zeroed      clears .sram_bss
    sram all      .sram_data    initialised copies .sram_data
    mram all      .ddr_rodata   constant    none   .ddr_rodata
    itcm all      .itcm_text    code        none   .itcm_text
    itcm gcc      .text         code        none   -
    dtcm gcc      .data         initialised copies -
    sram gcc      .sram         zeroed      none   .bss.NoInit
    mram gcc      .ddr          constant    none   -
    dtcm gcc      .bss          zeroed      clears -
    dtcm gcc      .heap         reserved    none   -
    dtcm gcc      .stack        reserved    none   -
    itcm armclang rom_exec      code        none   -
    itcm armclang rom_exec      constant    none   -
    dtcm armclang DTCM          initialised copies -
    dtcm armclang DTCM          zeroed      clears -
    dtcm armclang ARM_LIB_HEAP  reserved    none   -
    dtcm armclang ARM_LIB_STACK reserved    none   -
    """,
}


def sections_of(memories: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    return sorted((memory["name"], section.get("toolchain", "all"), section["name"], section["holds"], section["start_up"],
                   section.get("attribute", "-")) for memory in memories for section in memory["sections"])


def address_of(memory: dict[str, Any], key: str) -> int | None:
    return number(memory[key]) if key in memory else None


def check_part(context: Context, name: str) -> dict[str, Any]:
    document = parse_json(context.run("board", "show", name, "--json").stdout, name)
    same(f"{name}: as a board", document["boards"], [])
    (part,) = document["parts"]
    core, machine, alignment, wanted = PARTS[name]
    same(f"{name}: core", (part.get("core"), part.get("mve")), core)
    same(f"{name}: machine", part.get("machine"), machine)
    same(f"{name}: alignment", part["alignment"], alignment)
    memories = {memory["name"]: memory for memory in part["memories"]}
    same_keys(f"{name}: memories", memories, wanted)
    for key, memory in memories.items():
        same(f"{name}: {key}", (address_of(memory, "address"), memory["hardware_bytes"], memory["window_bytes"],
                                not memory["volatile"], memory["writable"], memory["by_rule"],
                                address_of(memory, "emulated_address")), wanted[key])
        same(f"{name}: {key}: kept back", memory["window_bytes"] - memory["budget_bytes"], KEPT_BACK.get((name, key), 0))
        same(f"{name}: {key}: arenas", memory["arena_alignment"], ARENA_ALIGNMENT.get((name, key), 16))
    same(f"{name}: cheapest first", [(memory["name"], memory["cost"]) for memory in part["memories"]],
         sorted(((key, FAR_COST.get((name, key), cost)) for key, cost in COST.items() if key in wanted), key=lambda row: row[1]))
    rows = sorted(tuple(line.split()) for line in SECTIONS.get(name, "").splitlines() if line.strip())
    same(f"{name}: sections", sections_of(part["memories"]), rows)
    # What the table for people says is the same.
    text = context.run("board", "show", name).stdout
    shown = [tuple(line.split()) for line in text.splitlines() if re.match(r"\w+ +\S+ +(code|constant|initialised|zeroed|reserved) ", line)]
    words = {"none": "-", "clears": "cleared", "copies": "copied"}
    same(f"{name}: sections as text", sorted(shown),
         sorted((memory, section, holds, words[start], attribute, toolchain)
                for memory, toolchain, section, holds, start, attribute in rows))
    return part


def check_machine(context: Context, machine: str, what: str, base: int, size: int) -> None:
    """The window's first and last word hold what is loaded there; flash takes it from a file only."""
    loaded = {base: 0x5EED0001, base + size - 4: 0x5EED0002}
    command = [tool("qemu-system-arm"), "-M", machine, "-S", "-nic", "none", "-display", "none", "-serial", "none", "-monitor", "stdio"]
    for address, word in loaded.items():
        image = context.work / f"{word:x}.bin"
        image.write_bytes(word.to_bytes(4, "little"))
        command += ["-device", f"loader,file={image},addr={address:#x},force-raw=on"]
    asked = "".join(f"xp /1xw {address:#x}\n" for address in loaded) + "quit\n"
    done = subprocess.run(command, input=asked, capture_output=True, text=True, timeout=60)
    read = {int(at, 16): int(word, 16) for at, word in re.findall(r"(?m)^([0-9a-f]{16}): (0x[0-9a-f]{8})", done.stdout)}
    for address, word in loaded.items():
        same(f"{machine}: {what} at {address:#x}", read.get(address), word)


def body(context: Context) -> str:
    listed = parse_json(context.run("board", "list", "--json").stdout, "board list")
    same_keys("the bundled parts", {part["name"] for part in listed["parts"]}, PARTS)
    windows: dict[str, dict[tuple[int, int], str]] = {}
    for name in PARTS:
        part = check_part(context, name)
        for memory in part["memories"]:
            if "emulated_address" in memory:
                window = (number(memory["emulated_address"]), memory["window_bytes"])
                windows.setdefault(part["machine"], {})[window] = f"{name}'s {memory['name']}"
    done = context.run("board", "check", *PARTS)
    same("what check says", [line.split(":")[0] for line in done.stdout.splitlines()], list(PARTS))
    for machine, each in windows.items():
        for (base, size), what in each.items():
            check_machine(context, machine, what, base, size)
    return f"{len(PARTS)} parts, {sum(map(len, windows.values()))} windows on {len(windows)} machines"


if __name__ == "__main__":
    main(__doc__, body)
