"""Judges the maps of an SDK's generator: what conflicts, what the firmware and the MMU's drivers cannot do."""

import re
from dataclasses import replace

from facts import Board
from page_tables import STOCK, mapped, misled
from sdk_tree import Generated, Script, source_entries
from support import MIB, MmuEntry, check, number

PAGE = 4096
# What ends the low window: U-Boot's place after relocation, the script's own window, or Linux's pool for devices.
DDR = 0x80000000
LOW_END = {"am62a": 0xC0000000, "j721e": 0xFB000000}
BOOT = {"UBOOT_RELOC_MEM"}
# Above 4 GiB, DRAM begins here on every part of these.
HIGH_BEGIN = 0x880000000
# The end of the evaluation module's DRAM.
HIGH_END = {"j721e": 0x900000000, "j721s2": 0xC00000000, "j722s": 0xA00000000, "j742s2": 0xC00000000}
# A refusal for one of these is about addresses that the SDK's generator prints too.
ABOUT_SPACE = {"layout.overlap", "layout.virtual-overlap", "layout.window", "layout.bank", "layout.address"}
# The least that the firmware takes (facts of the SDK's sources): what is not here can be one page.
MINIMA = {"app_log_mem_size": 256 << 10, "app_fileio_mem_size": 3288576, "tiovx_log_rt_mem_size": 12 << 10}
VISS = {1: 8 * 113120, 3: 8 * 243964}
MINIMA_OF: dict[str, dict[str, int]] = {
    "am62a": {"ipc_vring_mem_size": 3 * MIB, "tiovx_obj_desc_mem_size": 16 * MIB - (256 << 10),
              "ddr_viss_config_heap_size": VISS[3]},
    "j721e": {"ipc_vring_mem_size": 28 * MIB, "tiovx_obj_desc_mem_size": 3 * MIB, "mcu2_0_ddr_viss_heap_size": VISS[1]},
    "j721s2": {"ipc_vring_mem_size": 28 * MIB, "tiovx_obj_desc_mem_size": 3 * MIB,
               "mcu2_0_ddr_viss_heap_size": VISS[3]},
    "j722s": {"ipc_vring_mem_size": 5 * MIB, "tiovx_obj_desc_mem_size": 2 * MIB, "mcu2_0_ddr_viss_heap_size": VISS[3]},
    "j742s2": {"ipc_vring_mem_size": 48 * MIB, "tiovx_obj_desc_mem_size": 4 * MIB,
               "mcu2_0_ddr_viss_heap_size": VISS[3], "mcu4_0_ddr_viss_heap_size": VISS[3]},
    "j784s4": {"ipc_vring_mem_size": 48 * MIB, "tiovx_obj_desc_mem_size": 4 * MIB,
               "mcu2_0_ddr_viss_heap_size": VISS[3], "mcu4_0_ddr_viss_heap_size": VISS[3]},
}

# What the entries that have names of their own go over.
AREAS = {
    "DDR_SHARED_MEM_NON_CACHE": ("IPC_VRING_MEM", "TIOVX_LOG_RT_MEM", "TIOVX_OBJ_DESC_MEM", "APP_FILEIO_MEM",
                                 "APP_LOG_MEM"),
    "DDR_C7X_1_HEAP_SCRATCH_NON_CACHEABLE": ("DDR_C7X_1_LOCAL_HEAP_NON_CACHEABLE", "DDR_C7X_1_SCRATCH_NON_CACHEABLE"),
    "DDR_C7X_1_HEAP_SCRATCH_CACHEABLE": ("DDR_C7X_1_LOCAL_HEAP", "DDR_C7X_1_SCRATCH"),
    "DDR_C7X_2_HEAP_SCRATCH_NON_CACHEABLE": ("DDR_C7X_2_LOCAL_HEAP_NON_CACHEABLE", "DDR_C7X_2_SCRATCH_NON_CACHEABLE"),
    "DDR_C7X_2_HEAP_SCRATCH_CACHEABLE": ("DDR_C7X_2_LOCAL_HEAP", "DDR_C7X_2_SCRATCH"),
}


def entries_of(script: Script, board: Board, generated: Generated) -> dict[str, list[MmuEntry]]:
    """Each C7x's entries at the generated addresses: as the C source maps the header's macros, as the script patches
    its sysconfig file, or the shipped entries with their areas where the header has them."""
    if not board.named_mmu:
        return {core: source_entries(script, core, generated.macros) for core in board.mmu}
    return generated.mmu or {core: [followed(entry, generated.macros) for entry in entries]
                             for core, entries in board.mmu.items()}


def followed(entry: MmuEntry, macros: dict[str, int]) -> MmuEntry:
    members = AREAS.get(entry.name, (entry.name,))
    if not entry.name.startswith("DDR_"):
        return entry
    first = min(members, key=lambda name: macros[f"{name}_ADDR"])
    end = max(macros[f"{name}_ADDR"] + macros[f"{name}_SIZE"] for name in members)
    virtual = macros[f"{first}_ADDR"]
    return replace(entry, virtual=virtual, physical=macros.get(f"{first}_PHYS_ADDR", virtual), size=end - virtual)


def misplaced(generated: Generated) -> str:
    """Shared memory that an R5F sees at another address goes through one RAT region, so that both are aligned."""
    virtual, size = generated.macros["DDR_SHARED_MEM_ADDR"], generated.macros["DDR_SHARED_MEM_SIZE"]
    physical = generated.macros.get("DDR_SHARED_MEM_PHYS_ADDR", virtual)
    whole = 1 << (size - 1).bit_length()
    return "" if virtual == physical or (virtual | physical) % whole == 0 else f"{virtual:#x} is {physical:#x}"


def conflicts(generated: Generated, soc: str) -> list[str]:
    """Overlaps in a core's own space, of device-tree nodes, or in low memory, and what reaches too far."""
    nodes = [(node.base, node.base + node.length, label) for label, node in generated.nodes.items()]
    low = [(first, last + 1, name) for name, (first, last) in generated.html.items() if DDR <= first < 4096 * MIB]
    spaces = [nodes, low, *([(region.origin, region.end, f"{core} {name}") for name, region in lines.items()]
                            for core, lines in generated.linker.items())]
    found = [f"{first[2]} and {second[2]}" for space in spaces
             for first, second in zip(sorted(space), sorted(space)[1:]) if first[1] > second[0]]
    ends = (LOW_END.get(soc, 0xFC000000), HIGH_END.get(soc, 1 << 40))
    return found + [name for first, end, name in (*nodes, *low) if name not in BOOT
                    and (end > ends[first > 4096 * MIB] or 4096 * MIB <= first < HIGH_BEGIN)]


def check_error(what: str, script: Script, board: Board, generated: Generated, values: dict[str, int],
                error: tuple[str, str], warned: bool) -> None:
    """What memsize finds wrong is wrong in the SDK's map of the same values, too."""
    code, message = error
    if code == "knob.rule":
        check_minimum(what, script.soc, values, message)
    elif code == "layout.alignment":
        check_alignment(what, generated, message)
    elif code in ("mmu.tables", "mmu.congruence"):
        mmus = [(entries, mapped(entries, not board.named_mmu))
                for entries in entries_of(script, board, generated).values()]
        check(any(mmu.taken > STOCK if code == "mmu.tables" else misled(entries, mmu) for entries, mmu in mmus),
              f"{what} the drivers can map the SDK's addresses")
    elif code == "rat.size":
        whole = generated.macros["DDR_SHARED_MEM_SIZE"] + generated.macros.get("UBOOT_RELOC_MEM_SIZE", 0)
        check(whole & (whole - 1), f"{what} the shared memory is one RAT region of {whole:#x} bytes")
    elif code == "rat.alignment":
        check(misplaced(generated), f"{what} the SDK's addresses can be translated")
    elif code == "mpu.regions":
        check(uneven_areas(generated), f"{what} every area is one MPU region")
    else:
        check(code in ABOUT_SPACE, f"{what} this test cannot judge that")
        conflict = conflicts(generated, script.soc) or misplaced(generated)
        check(warned or conflict, f"{what} the SDK's map has no conflict")


def uneven_areas(generated: Generated) -> list[str]:
    """Uncached and write-through areas that no single MPU region is."""
    areas = {name: (generated.macros[f"{name}_ADDR"], generated.macros[f"{name}_SIZE"])
             for name in (*AREAS["DDR_SHARED_MEM_NON_CACHE"],
                          *(macro[:-5] for macro in generated.macros if macro.endswith("_VISS_CONFIG_HEAP_ADDR")))
             if f"{name}_ADDR" in generated.macros}
    return [name for name, (base, size) in areas.items() if size & (size - 1) or base % size]


def check_minimum(what: str, soc: str, values: dict[str, int], message: str) -> None:
    name = message.split(" ")[0]
    least = {**MINIMA, **MINIMA_OF[soc]}.get(name, PAGE)
    check(values[name] < least, f"{what} {name} may be {values[name]}: the firmware needs {least}")


def check_alignment(what: str, generated: Generated, message: str) -> None:
    """The region is there in the SDK's map, too, and not on such a multiple."""
    found = re.fullmatch(r"'(\w+)' at (0x[0-9A-F]+) must begin on a multiple of (\d+) (KiB|MiB|GiB)", message)
    check(found, f"{what} its message is not understood")
    name, address, count, unit = found.groups() if found else ("",) * 4
    places = {lines[name].origin for lines in generated.linker.values() if name in lines}
    places |= {generated.macros[macro] for macro in (f"{name}_ADDR", f"{name}_PHYS_ADDR") if macro in generated.macros}
    check(number(address) in places, f"{what} by the SDK {name} is at {sorted(map(hex, places))}")
    check(number(address) % (number(count) << {"KiB": 10, "MiB": 20, "GiB": 30}[unit]), f"{what} it is")
