"""The fictitious SDK tree of tests/data/zy4: what its files must say after an edit.

What is generated comes from the tree's own scripts, run by Python with other constants. What the cores see comes from painting
their MMU and MPU, as node.js, which runs sysconfig's scripts, and a C compiler, which runs the start-up code, read them.
"""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from accept_sdk_program import MEMORY, STUBS, effective
from emit_sdk import Tree, bytes_of, plain, run_scripts, shown_change, snapshot
from emit_sdk_judges import check_entries, check_mmu, check_mpu, linker_of, macros_of, mmu_entries, mpu_regions, syscfg_of
from sdk_tree import edited
from support import SOURCE, Context, LinkerRegion, check, same, tool

DATA = SOURCE / "tests" / "data" / "zy4"
DTS = "k3-zy4-rtos-memory-map.dtsi"
SYSTEMS = {"freertos": "linker_mem_map_freertos.cmd", "safertos": "linker_mem_map_safertos.cmd"}
PAGES = {"freertos": "system_memory_map.html", "safertos": "system_memory_map_safertos.html"}
NON_CACHED = re.compile(r"RING_MEM|LOG_MEM|OBJ_MEM|FILEIO_MEM|DDR_\w+_IPC|\w+_NC")
# c7's MMU entries, and what each is there for.
COVERS = {"C7_DTS": ("DDR_C7_CODE",), "SHARED_MEM": ("SHARED_MEM",), "AREAS": ("RING_MEM", "LOG_MEM", "OBJ_MEM", "FILEIO_MEM"),
          "C7_IPC": ("DDR_C7_IPC",), "C7_HEAPS_NC": ("C7_HEAP_NC", "C7_SCRATCH_NC"), "C7_HEAPS": ("C7_HEAP", "C7_SCRATCH"),
          "C8_HEAPS_NC": ("C7_8_HEAP_NC", "C7_8_SCRATCH_NC"), "C8_HEAPS": ("C7_8_HEAP", "C7_8_SCRATCH")}

SHRUNK = {"c8_heap_nc_size": "3*MB", "c8_scratch_nc_size": "1*MB", "c8_heap_size": "10*MB", "c8_scratch_size": "5*MB"}


def original(context: Context) -> Tree:
    boards = [("--board", str(DATA / name)) for name in ("board.toml", "board-safertos.toml")]
    return Tree(DATA, "zy4", DATA / "tools" / "PyTI_PSDK_RTOS", boards[0], tuple(boards)).copy(context.work / "original")


# --- what must come out ---------------------------------------------------------------------------------


def scripted(tree: Tree, values: dict[str, str | int], work: Path) -> Tree:
    """The tree as its own scripts make it with these constants."""
    constants = tree.copy(work / "constants")
    for name in constants.scripts():
        path = constants.below(name)
        path.write_text(edited(path.read_text(encoding="utf-8"), {name: bytes_of(value) for name, value in values.items()}))
    return run_scripts(constants, work / "scripted")


def compare_generated(what: str, tree: Tree, values: dict[str, str | int], expected: Tree, changed: list[str]) -> None:
    """Every file that the scripts write, byte for byte but for the cells that the library prints wrong."""
    scripts = set(tree.scripts())
    written = [path for path in snapshot(expected.rtos) if path.endswith((".h", ".dtsi", ".html")) or "/linker_mem_map_" in path]
    check(len(written) == 12, f"{what}: {len(written)} generated files")
    for path in written:
        ours, theirs = tree.below(path).read_bytes(), expected.below(path).read_bytes()
        is_same = plain(ours) == plain(theirs) if path == DTS else ours == theirs
        check(is_same, f"{what}: {path} is not what the script writes:{shown_change(theirs, ours)}")
    for script in scripts:
        check(f"platform/zy4/rtos/{script}" in changed, f"{what}: {script} did not change")
    text = {script: tree.below(script).read_text(encoding="utf-8") for script in scripts}
    old = {script: (DATA / "platform" / "zy4" / "rtos" / script).read_text(encoding="utf-8") for script in scripts}
    for script in scripts:
        lines = [(a, b) for a, b in zip(old[script].split("\n"), text[script].split("\n")) if a != b]
        same(f"{what}: {script}: lines", text[script].count("\n"), old[script].count("\n"))
        same(f"{what}: {script}: what changed", sorted(line.split()[0] for line, _ in lines), sorted(values))
        for before, after in lines:
            same(f"{what}: {script}: what stands around the value", re.sub(r"=\s*[^;#]*", "=", after), re.sub(r"=\s*[^;#]*", "=", before))


def physical_of(macros: dict[str, int]) -> dict[str, int]:
    """Where on the bus each name is that a C7x or R5F sees elsewhere."""
    found = {name.removesuffix("_PHYS_ADDR"): value for name, value in macros.items() if name.endswith("_PHYS_ADDR")}
    for name in list(found):
        core, rest = name.split("_", 1)
        if core in ("C7", "C8"):
            found[f"{'C8_7' if core == 'C7' else 'C7_8'}_{rest}"] = found[name]
    return found


def regions_of(tree: Tree, core: str, system: str) -> dict[str, LinkerRegion]:
    return linker_of(tree, f"{core}/{SYSTEMS[system]}")


FIRMWARE = """
#include <stdio.h>
#include <stdint.h>
#include <ti/csl/csl_types.h>
typedef struct { int attrIndx; } Mmu_MapAttrs;
typedef struct { uint64_t size, baseAddress, translatedAddress; } app_mem_rat_prm_t;
enum { Mmu_AttrIndx_MAIR0, Mmu_AttrIndx_MAIR4 = 4, Mmu_AttrIndx_MAIR7 = 7 };
static void Mmu_initMapAttrs(Mmu_MapAttrs *attrs) { attrs->attrIndx = -1; }
static Bool Mmu_map(uint64_t v, uint64_t p, uint64_t size, Mmu_MapAttrs *attrs, Bool is_secure)
{
    printf("MMU %llu %llu %llu %d\\n", (unsigned long long)v, (unsigned long long)p, (unsigned long long)size, attrs->attrIndx);
    return is_secure == UFALSE;
}
static int32_t appMemAddrTranslate(app_mem_rat_prm_t *prm)
{
    printf("RAT %llu %llu %llu\\n", (unsigned long long)prm->baseAddress, (unsigned long long)prm->translatedAddress,
           (unsigned long long)prm->size);
    return 0;
}
#define CPU_r6
#include "common/app_init.c"
#include "r6/zy4_mpu_cfg.c"
#include "r6/zy4_safertos_mpu_cfg.c"
#include "c8/main.c"
int main(void)
{
    map_all(0);
    translate();
    for (unsigned i = 0; i < CSL_ARM_R5F_MPU_REGIONS_MAX; ++i) {
        const CSL_ArmR5MpuRegionCfg *r = &gCslR5MpuCfg[i];
        if (r->enable) {
            printf("freertos %u %u %u %u %u %u %u %u\\n", r->regionId, r->baseAddr, 2U << r->size, r->subRegionEnable,
                   r->shareable, r->cacheable, r->cachePolicy, r->memAttr);
        }
    }
    for (unsigned i = 0; i < CSL_ARM_R5F_MPU_REGIONS_MAX; ++i) {
        const xMPU_CONFIG_PARAMETERS *r = &gMPUConfigParms[i];
        const xMPU_CONFIG_ACCESS *a = &r->xRegionAccess;
        if (r->ulRegionSize) {
            printf("safertos %u %u %u %u %u %u %u %u\\n", r->ulRegionNumber, r->ulRegionBeginAddress, r->ulRegionSize,
                   r->ulSubRegionDisable >> 8, a->ulshareable, a->ulcacheable, a->ulcachePolicy, a->ulmemAttr);
        }
    }
    return 0;
}
"""


@dataclass
class Firmware:
    """What the C code of the tree tells the hardware, compiled and run."""
    # Of c8, by its calls.
    mmu: list[dict[str, Any]]
    # Of r6: where it is seen, where it is, its size.
    rat: list[tuple[int, int, int]]
    # Of r6, by operating system.
    mpu: dict[str, list[dict[str, Any]]]


def firmware_of(tree: Tree, work: Path) -> Firmware:
    (work / "firmware.c").write_text(FIRMWARE, encoding="utf-8")
    built = subprocess.run([tool("gcc", "cc", "clang"), "-w", f"-I{tree.rtos}", f"-I{STUBS}", str(work / "firmware.c"), "-o",
                            str(work / "firmware")], capture_output=True, text=True, timeout=60)
    check(built.returncode == 0, f"the firmware's C code: {built.stderr[:800]}")
    found = Firmware([], [], {"freertos": [], "safertos": []})
    for line in subprocess.run([str(work / "firmware")], capture_output=True, text=True, timeout=60, check=True).stdout.splitlines():
        kind, *words = line.split()
        numbers = list(map(int, words))
        if kind == "MMU":
            found.mmu.append({"vAddr": numbers[0], "pAddr": numbers[1], "size": numbers[2], "attribute": f"MAIR{numbers[3]}"})
        elif kind == "RAT":
            found.rat.append((numbers[0], numbers[1], numbers[2]))
        else:
            number, base, size, mask, shareable, cached, policy, memory = numbers
            tex, c, b = (4 + policy, bool(policy >> 1 & 1), bool(policy & 1)) if cached else MEMORY[memory]
            found.mpu[kind].append({"number": number, "baseAddr": base, "size": size.bit_length() - 1, "subregionDisableMask": mask,
                                    "kind": (tex, c, b, bool(shareable))})
    for table in found.mpu.values():
        table.sort(key=lambda region: region["number"])
        check(table and len(table) <= 16, f"a table with {len(table)} regions")
    check(max(one["number"] for one in found.mpu["safertos"]) <= 10, "SafeRTOS keeps regions from 11 on for itself")
    return found


def check_hardware(what: str, tree: Tree, work: Path) -> None:
    macros = macros_of(tree)
    physical, firmware = physical_of(macros), firmware_of(tree, work)
    for system in SYSTEMS:
        maps = {core: regions_of(tree, core, system) for core in ("r5", "r6", "c7", "c8")}
        non_cached = {name for regions in maps.values() for name in regions if NON_CACHED.fullmatch(name)}
        entries = mmu_entries(tree, f"c7/{system}.syscfg")
        check_mmu(f"{what}: c7/{system}.syscfg", entries, maps["c7"], physical, non_cached)
        check_entries(f"{what}: c7/{system}.syscfg", entries, maps["c7"], physical, COVERS)
        check_mmu(f"{what}: c8/main.c", firmware.mmu, maps["c8"], physical, non_cached)
        for variant in (system, f"{system}_no_board_deps"):
            check_mpu(f"{what}: r5/{variant}.syscfg", mpu_regions(tree, f"r5/{variant}.syscfg"), maps["r5"], non_cached)
            check_rat(f"{what}: r5/{variant}.syscfg", sysconfig_rat(tree, f"r5/{variant}.syscfg"), macros)
        for path in (f"c7/{system}.syscfg", f"r5/{system}.syscfg", f"r5/{system}_no_board_deps.syscfg"):
            check_comments(what, tree, path)
        check_mpu(f"{what}: r6's table for {system}", firmware.mpu[system], maps["r6"], non_cached)
    check_rat(f"{what}: common/app_init.c", firmware.rat, macros)


def check_comments(what: str, tree: Tree, path: str) -> None:
    """What stands above an entry is true; of an MPU region with parts switched off the parts that are on may be told."""
    dump = syscfg_of(tree, path)
    text = tree.below(path).read_text(encoding="utf-8")
    for first, last, module, number in re.findall(
            r"Region start: (0x\w+)\s+\* Region end: (0x\w+)[^/]*?\*/[ \t\r]*\n(mmu_armv8|mpu_armv7)(\d+)\.", text):
        entry = effective(module, dump[module][module + number])
        begin, size = (entry["vAddr"], entry["size"]) if module == "mmu_armv8" else (entry["baseAddr"], 1 << entry["size"])
        on = [part for part in range(1, 9) if not entry.get("subregionDisableMask", 0) >> (part - 1) & 1]
        unused, used = min(on) - 1, max(on)
        check(int(first, 16) in (begin, begin + size * unused // 8),
              f"{what}: {path}: Region start of {entry['$name']}, {begin:#x}, is told as {first}")
        check(int(last, 16) + 1 in (begin + size, begin + size * used // 8),
              f"{what}: {path}: Region end of {entry['$name']}, {begin:#x} + {size:#x}, is told as {last}")


def sysconfig_rat(tree: Tree, path: str) -> list[tuple[int, int, int]]:
    found = syscfg_of(tree, path).get("addr_translate", {})
    return [(one.get("localAddr", 0), one.get("systemAddr", 0), 1 << one.get("size", 29)) for one in found.values()]


def check_rat(what: str, entries: list[tuple[int, int, int]], macros: dict[str, int]) -> None:
    """The shared memory is reached where it is; where it is seen at its own address, an entry may be there, too."""
    first, size, bus = macros["SHARED_MEM_ADDR"], macros["SHARED_MEM_SIZE"], macros["SHARED_MEM_PHYS_ADDR"]
    leads = [system - local for local, system, length in entries if local <= first and first + size <= local + length]
    if first == bus:
        same(f"{what}: where the shared memory leads", leads in ([], [0]), True)
    else:
        same(f"{what}: where the shared memory leads", leads, [bus - first])
