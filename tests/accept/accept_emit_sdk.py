"""emit --sdk changes an SDK tree as a careful engineer would, and everybody who uses its files agrees afterwards.

On the fictitious tree of tests/data/zy4, which has one of every kind of file. What the files must say comes from the tree's own
scripts, run by Python with other constants; what the cores must see from painting their MMU and MPU, as node.js, which
runs sysconfig's scripts, and a C compiler read them.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from accept_sdk_program import MEMORY, STUBS
from emit_sdk import (Edit, Result, Tree, apply, bytes_of, check_scripts, contents, files_only, findings, new_findings, plain,
                      revert, rewritten, run_scripts, same_tree, setting, shown_change, snapshot, without_own)
from emit_sdk_judges import (check_agreement, check_consumers, check_entries, check_mmu, check_mpu, linker_of, macros_of, mmu_entries,
                             mpu_regions, nodes_of, syscfg_of)
from emit_sdk_salt import salt, without, without_ends
from sdk_tree import edited
from support import MIB, SOURCE, TRACE, Context, LinkerRegion, Skip, check, main, parse_json, same, tool

DATA = SOURCE / "tests" / "data" / "zy4"
DTS = "k3-zy4-rtos-memory-map.dtsi"
SYSTEMS = {"freertos": "linker_mem_map_freertos.cmd", "safertos": "linker_mem_map_safertos.cmd"}
PAGES = {"freertos": "system_memory_map.html", "safertos": "system_memory_map_safertos.html"}
NON_CACHED = re.compile(r"RING_MEM|LOG_MEM|OBJ_MEM|FILEIO_MEM|DDR_\w+_IPC|\w+_NC")
GIB = 1024 * MIB
NOBODY = 65534
# c7's MMU entries, and what each is there for.
COVERS = {"C7_DTS": ("DDR_C7_CODE",), "SHARED_MEM": ("SHARED_MEM",), "AREAS": ("RING_MEM", "LOG_MEM", "OBJ_MEM", "FILEIO_MEM"),
          "C7_IPC": ("DDR_C7_IPC",), "C7_HEAPS_NC": ("C7_HEAP_NC", "C7_SCRATCH_NC"), "C7_HEAPS": ("C7_HEAP", "C7_SCRATCH"),
          "C8_HEAPS_NC": ("C7_8_HEAP_NC", "C7_8_SCRATCH_NC"), "C8_HEAPS": ("C7_8_HEAP", "C7_8_SCRATCH")}

SHRUNK = {"c8_heap_nc_size": "3*MB", "c8_scratch_nc_size": "1*MB", "c8_heap_size": "10*MB", "c8_scratch_size": "5*MB"}
# What a user may want; the comment says what it makes the files do.
CASES: list[dict[str, str | int]] = [
    dict(SHRUNK),                                       # the end of the high window moves, on both C7x
    {"c7_scratch_size": "96*MB"},                       # what is behind it moves
    {"c7_heap_nc_size": "4096*KB", "c7_scratch_nc_size": 12 * 4096},  # not a whole MB
    {"fileio_size": "8*MB"},                            # an area that one MPU region does not cover any more
    {"ring_size": "20*MB"},                             # areas that are no powers of two
    {"log_size": "512*KB"},                             # a constant that another one is less by
    {"r5_code_size": "10*MB", "r6_code_size": "8*MB"},  # rings of a core move, and its MPU region by a macro
    {"c7_code_size": "24*MB"},                          # the other C7x moves, by macros
    {"r5_heap_size": "4*MB", "r6_heap_size": "12*MB"},
    {"shared_addr_phys": 0x8A0000000},                  # MMU, RAT, device tree
    {"shared_addr_phys": 0xC0000000},                   # what is seen is where it is: a RAT entry is not needed, nor harmful
    {"shared_addr_phys": 0xC0000000, "c7_scratch_size": "1*GB", "c8_scratch_size": 3584 * MIB},  # a node of more than 4 GiB
]


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--salts", type=int, default=3, help="trees with somebody's own lines in them")


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
        check_mpu(f"{what}: r6's table for {system}", firmware.mpu[system], maps["r6"], non_cached)
    check_rat(f"{what}: common/app_init.c", firmware.rat, macros)


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


# --- the cases --------------------------------------------------------------------------------------------


def check_sentence(what: str, said: str, before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]) -> None:
    """The last line says what Linux gets, and what to do."""
    last = said.strip().splitlines()[-1] if said.strip() else ""
    change = sum(size for _, size in before.values()) - sum(size for _, size in after.values())
    sizes = [float(number) * {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}[unit]
             for number, unit in re.findall(r"(\d+(?:\.\d+)?) ([KMG]?)i?B\b", last)]
    # Two decimals are shown.
    is_said = any(abs(size - abs(change)) <= max(1, abs(change) * 0.005) for size in sizes)
    check(is_said or not change, f"{what}: Linux gets {change:#x} bytes; the last line is: {last}")
    for core in ("r5", "r6", "c7", "c8"):
        check(re.search(rf"\b{core}\b", last) or "every core" in last or "all cores" in last or "firmware of" not in last,
              f"{what}: {core} is to be flashed, too; the last line is: {last}")


def check_report(what: str, tree: Tree, values: dict[str, str | int]) -> None:
    text = (tree.root / "REBUILD.md").read_text(encoding="utf-8")
    for name in values:
        check(name in text, f"{what}: REBUILD.md does not say that {name} changed")
    check(str(tree.root) not in text, f"{what}: REBUILD.md has an absolute path")


def check_case(context: Context, start: Tree, values: dict[str, str | int]) -> int:
    """All that there is to say about one edit."""
    what = " ".join(setting(name, value) for name, value in values.items())
    tree = start.copy(context.work / "tree")
    nodes, found = nodes_of(start, DTS), findings(context, start)
    edit = Edit(context, tree, values)
    result = apply(edit)
    compare_generated(what, tree, values, scripted(start, values, context.work), result.changed)
    check_hardware(what, tree, context.work)
    values_seen = check_agreement(tree, SYSTEMS, PAGES) + check_consumers(tree, DTS, context.work)
    same(f"{what}: new findings", new_findings(found, findings(context, tree)), [])
    check_scripts(what, {}, tree, context.work)
    check_sentence(what, result.said, nodes, nodes_of(tree, DTS))
    check_report(what, tree, values)
    revert(edit, result)
    same_tree(f"{what}: after all", files_only(snapshot(tree.root)), files_only(snapshot(start.root)))
    return values_seen


def check_two_steps(context: Context, start: Tree) -> None:
    """One edit after another is both at once; what was not set keeps what the tree has; revert undoes both."""
    both = start.copy(context.work / "both")
    Edit(context, both, {"c8_heap_size": "10*MB", "c7_scratch_size": "96*MB"}).run()
    tree = start.copy(context.work / "tree")
    first, second = Edit(context, tree, {"c8_heap_size": "10*MB"}), Edit(context, tree, {"c7_scratch_size": "96*MB"})
    first.run()
    second.run()
    ours, theirs = contents(without_own(files_only(snapshot(tree.root)))), contents(without_own(files_only(snapshot(both.root))))
    for path in theirs:
        check(ours[path] == theirs[path], f"one edit after the other: {path}:{shown_change(theirs[path][2], ours[path][2])}")
    nothing = Edit(context, tree, {})
    before = snapshot(tree.root)
    nothing.run("--check")
    nothing.run()
    same_tree("nothing set", snapshot(tree.root), before)
    context.run("sdk", "revert", "--sdk", tree.root)
    same_tree("both undone", files_only(snapshot(tree.root)), files_only(snapshot(start.root)))


def check_folders(context: Context, start: Tree) -> None:
    """The tree is found from platform, and from the folder around."""
    expected = start.copy(context.work / "around" / "vision_apps")
    Edit(context, expected, dict(SHRUNK)).run()
    wanted = contents(files_only(snapshot(expected.root)))
    for given in ("platform", "..", "."):
        tree = start.copy(context.work / "around" / "vision_apps")
        sets = [word for name, value in SHRUNK.items() for word in ("--set", setting(name, value))]
        context.run("emit", *tree.board, "--sdk", tree.root / given, *sets)
        same(f"--sdk vision_apps/{given}: files", sorted(files_only(snapshot(tree.root))), sorted(wanted))
        for path, item in without_own(files_only(snapshot(tree.root))).items():
            check(item.content == wanted[path][2], f"--sdk vision_apps/{given}: {path}")


def check_sizing(context: Context, start: Tree) -> None:
    """A sizing drives the knobs of what was traced; other knobs keep the tree's values; --set wins."""
    tree = start.copy(context.work / "tree")
    Edit(context, tree, {"c7_heap_size": "48*MB"}).run()
    # What a trace of another part needed, as if this part's c8 had run it.
    document = parse_json(context.run("analyze", TRACE, "--json").stdout, "analyze --json")
    document["cores"][0]["core"] = "c8"
    del document["diagnostics"][:]
    needs: dict[tuple[str, str], int] = {}
    for block in document["cores"][0]["instances"][0]["blocks"]:
        block.pop("address", None)
        if block["space"] == "ddr":
            key = (block["cacheability"], block["lifetime"])
            needs[key] = needs.get(key, 0) + block["size_bytes"]
    sizing = context.work / "sizing.json"
    sizing.write_text(json.dumps(document), encoding="utf-8")
    edit = Edit(context, tree, {"c8_scratch_size": "6*MB"}, ("--sizing", str(sizing)))
    edit.run()
    macros = macros_of(tree)
    same("c7_heap_size, which nothing sizes", macros["C7_HEAP_SIZE"], 48 * MIB)
    same("c8_scratch_size, by --set", macros["C8_SCRATCH_SIZE"], 6 * MIB)
    for name, key in (("C8_HEAP", ("cacheable", "persistent")), ("C8_HEAP_NC", ("non-cacheable", "persistent")),
                      ("C8_SCRATCH_NC", ("non-cacheable", "scratch"))):
        size = needs[key]
        given = macros[f"{name}_SIZE"]
        check(given % MIB == 0 and size < given <= size * 1.3 + MIB, f"{name} has {given:#x} for {size:#x}")


# --- somebody's own edits -----------------------------------------------------------------------------------


SALTED = ("gen_linker_mem_map.py", "gen_linker_mem_map_safertos.py", "app_mem_map.h", DTS, "c7/freertos.syscfg",
          "c7/safertos.syscfg", "r5/freertos.syscfg", "r5/safertos_no_board_deps.syscfg", "c7/linker_mem_map_freertos.cmd",
          "r5/linker_mem_map_safertos.cmd", "r6/zy4_mpu_cfg.c", "r6/zy4_safertos_mpu_cfg.c", "c8/main.c")
# In these no entry changes its place in a file.
STILL: list[dict[str, str | int]] = [dict(SHRUNK), {"r5_code_size": "10*MB"}, {"shared_addr_phys": 0x8A0000000}, {"fileio_size": "8*MB"}]


def check_salted(context: Context, start: Tree, index: int) -> int:
    dice = random.Random(f"{context.options.seed} {index}")
    values = STILL[index % len(STILL)]
    what = f"salted {index}, {values}"
    plainly = start.copy(context.work / "plainly")
    Edit(context, plainly, values).run()
    tree = start.copy(context.work / "tree")
    salted = [salt(tree.below(path), f"platform/zy4/rtos/{path}", f"{index}_{row}", dice) for row, path in enumerate(SALTED)]
    result = apply(Edit(context, tree, values))
    expected = contents(without_own(files_only(snapshot(plainly.root))))
    known = {one.path: one for one in salted}
    for path, (_, _, content) in contents(without_own(files_only(result.after))).items():
        if path in known:
            ours = without(what, content, known[path])
            check(without_ends(ours) == without_ends(expected[path][2]),
                  f"{what}: {path} without somebody's lines is not what it would be:{shown_change(expected[path][2], ours)}")
        else:
            check(content == expected[path][2], f"{what}: {path}:{shown_change(expected[path][2], content)}")
    check_hardware(what, tree, context.work)
    revert(Edit(context, tree, values), result)
    return sum(len(one.blocks) + one.blanks + one.is_windows for one in salted)


# File, what stands there, what somebody made of it, and how both numbers may be told.
HAND = [
    ("c7/linker_mem_map_freertos.cmd", r"(C7_HEAP  .* LENGTH = )0x04000000", 0x03000000, 0x04000000),
    ("r5/linker_mem_map_safertos.cmd", r"(DDR_R5_HEAP .* ORIGIN = )0xAA000000", 0xAA100000, 0xAA000000),
    ("app_mem_map.h", r"(#define DDR_R6_HEAP_SIZE \()0x00800000", 0x00600000, 0x00800000),
    (DTS, r"(reg = <0x00 0xaa000000 0x00 )0x01000000", 0x00f00000, 0x01000000),
    ("system_memory_map.html", r"(>DDR_R5_HEAP<.*\n.*>)0xAA000000", 0xAA200000, 0xAA000000),
]


def spellings(number: int) -> list[str]:
    whole = [f"{number >> shift} {unit}iB" for shift, unit in ((30, "G"), (20, "M"), (10, "K")) if number % (1 << shift) == 0]
    return [f"0x{number:X}", f"0x{number:x}", f"0x{number:08X}", *whole]


def tells(said: str, number: int, base: int = 0) -> bool:
    """As itself, or as the end of a range."""
    return any(re.search(rf"(?<![\w.]){re.escape(text)}(?!\w)", said) for text in spellings(number) + spellings(base + number))


def check_hand(context: Context, start: Tree, row: int) -> None:
    path, pattern, mine, theirs = HAND[row]
    # Every file of the row must change for these.
    values: dict[str, str | int] = {"c8_scratch_size": "5*MB", "r5_code_size": "10*MB"}
    plainly = start.copy(context.work / "plainly")
    Edit(context, plainly, values).run()
    tree = start.copy(context.work / "tree")
    text = tree.below(path).read_text(encoding="utf-8")
    width = "0x%08X" if path != DTS else "0x%08x"
    changed, count = re.subn(pattern, lambda match: match[1] + width % mine, text)
    same(f"{path}: {pattern}", count, 1)
    tree.below(path).write_text(changed, encoding="utf-8")
    base = int(re.search(r"0x(\w+) , LENGTH", re.search(pattern, text)[0])[1], 16) if "LENGTH" in pattern else 0  # type: ignore[index]
    if path in ("app_mem_map.h", DTS):
        base = 0xAA800000 if path == "app_mem_map.h" else 0xAA000000
    said = Edit(context, tree, values).refused(1)
    check(path in said, f"{path}, edited by hand, is not named:\n{said}")
    for number in (mine, theirs):
        check(tells(said, number, base), f"{path}: {number:#x} is not told:\n{said}")
    check("--force" in said and "--keep" in said, f"{path}: neither --force nor --keep is told:\n{said}")
    wanted = contents(without_own(files_only(snapshot(plainly.root))))
    for word in ("--keep", "--force"):
        copy = tree.copy(context.work / "hand")
        edit = Edit(context, copy, values, (word,))
        edit.run()
        after = snapshot(copy.root)
        now = contents(without_own(files_only(after)))
        for other, (_, _, content) in wanted.items():
            if not other.endswith(path):
                check(now[other][2] == content, f"{word}: {other}:{shown_change(content, now[other][2])}")
        ours, clean = now[f"platform/zy4/rtos/{path}"][2].decode(), wanted[f"platform/zy4/rtos/{path}"][2].decode()
        if word == "--force":
            check(ours == clean, f"--force: {path}:{shown_change(clean.encode(), ours.encode())}")
        else:
            kept, count = re.subn(pattern, lambda match: match[1] + width % mine, clean)
            same(f"{path} after the edit: {pattern}", count, 1)
            check(ours == kept, f"--keep: {path}:{shown_change(kept.encode(), ours.encode())}")
        edit.run()
        same_tree(f"{word}, again", snapshot(copy.root), after)
        context.run("sdk", "revert", "--sdk", copy.root)
        same_tree(f"{word}, undone", files_only(snapshot(copy.root)), files_only(snapshot(tree.root)))


def check_hand_elsewhere(context: Context, start: Tree) -> None:
    """A file that need not change is left as somebody has it, and nobody is bothered."""
    tree = start.copy(context.work / "tree")
    path = tree.below("r5/linker_mem_map_safertos.cmd")
    text = path.read_text(encoding="utf-8").replace("0xAA000000", "0xAA100000")
    path.write_text(text, encoding="utf-8")
    Edit(context, tree, {"c8_scratch_size": "5*MB"}).run()
    same("a file edited by hand that need not change", path.read_text(encoding="utf-8"), text)


# --- what is wrong --------------------------------------------------------------------------------------------


def check_refusals(context: Context, start: Tree) -> int:
    tree = start.copy(context.work / "tree")

    def refused(what: str, status: int | tuple[int, ...], says: str, values: dict[str, str | int], *words: object) -> None:
        said = Edit(context, tree, values).refused(status, *words)
        check(re.search(says, said), f"{what}: says\n{said}\nnot: {says}")

    cases = (
        ("a knob that the tree does not have", 2, "c7_heep_size.*", {"c7_heep_size": "3*MB"}),
        ("a size that is none", 2, "much", {"c7_heap_size": "much"}),
        ("MB", 2, "MiB", {"c7_heap_size": "3MB"}),
        ("no whole page", 1, "4 KiB", {"c7_heap_size": 4097}),
        ("less than the minimum", 1, "16 logs", {"log_size": "128*KB"}),
        ("more than the window", (1, 3), "c8|C8|SHARED", {"c8_scratch_size": "4*GB"}),
        ("rings that run into the next", (1, 3), "DDR_C7_IPC|c7_firmware|shared_low", {"ring_size": "64*MB"}),
        ("nothing", 1, "c7_heap", {"c7_heap_size": 0}),
        ("no DRAM there", (1, 3), "SHARED_MEM", {"shared_addr_phys": 0xA00000000}),
        ("over what is there", (1, 3), "SHARED_MEM|C8_", {"shared_addr_phys": 0x880000000}),
        ("not as the RAT must have it", (1, 3), "512 MiB|multiple|SHARED_MEM", {"shared_addr_phys": 0x8A8000000}),
    )
    for what, status, says, values in cases:
        refused(what, status, says, values)
    known = Edit(context, tree, dict(SHRUNK))
    for words in (("--out", context.work / "out"), ("--keep", "--force"), ("--diff", "--check")):
        known.refused(2, *words)
    for words in (("--force",), ("--keep",), ("--linux", context.work)):
        context.run("emit", *tree.board, *words, "--out", context.work / "out", expect=2)
    check(not (context.work / "out").exists(), "a refused emit wrote files")
    return len(cases) + check_places(context, start, tree)


def check_places(context: Context, start: Tree, tree: Tree) -> int:
    """Folders that are none, or that nobody may write to."""
    empty = context.work / "empty"
    empty.mkdir(exist_ok=True)
    context.run("emit", *tree.board, "--sdk", empty, "--set", "c7_heap_size=3MiB", expect=4)
    context.run("emit", *tree.board, "--sdk", context.work / "missing", "--set", "c7_heap_size=3MiB", expect=4)
    context.run("emit", "--board", "j722s", "--sdk", tree.root, "--set", "c7x_2_ddr_scratch_size=3MiB", expect=4)
    context.run("sdk", "status", "--sdk", empty, expect=4)
    context.run("sdk", "revert", "--sdk", empty, expect=4)
    same("an empty folder", list(empty.iterdir()), [])
    said = Edit(context, tree, dict(SHRUNK)).refused((1, 2, 4), "--linux", empty)
    check(re.search(r"device.tree|dts", said), f"--linux without a device tree says:\n{said}")
    check_unwritable(context, start)
    return 6


def check_unwritable(context: Context, start: Tree) -> None:
    """As another user where we are root."""
    tree = start.copy(context.work / "closed")
    for path in [tree.root, *tree.root.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = snapshot(tree.root)
    prefix = []
    if os.geteuid() == 0:
        prefix = [tool("setpriv"), f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        context.work.chmod(0o755)
    probe = subprocess.run([*prefix, str(context.memsize), "--version"], capture_output=True, text=True, timeout=60)
    if probe.returncode != 0:
        print("a tree that nobody may write to: skipped, another user cannot run memsize here")
    else:
        sets = [word for name, value in SHRUNK.items() for word in ("--set", setting(name, value))]
        done = subprocess.run([*prefix, str(context.memsize), "emit", *tree.board, "--sdk", str(tree.root), *sets], cwd=tree.root,
                              capture_output=True, text=True, timeout=60, env={**os.environ, "NO_COLOR": "1"})
        same(f"a tree that nobody may write to: exit status ({done.stderr.strip()})", done.returncode, 4)
        same_tree("a tree that nobody may write to", snapshot(tree.root), before)
        # Some file is enough.
        script = tree.below("app_mem_map.h")
        check(str(tree.root) in done.stderr or script.name in done.stderr, f"which place is not told: {done.stderr}")
    for path in [tree.root, *tree.root.rglob("*")]:
        path.chmod(0o755)


def check_literal(context: Context, start: Tree) -> str:
    """c8's start-up code has the size of its code as a literal: it is brought in line, or the edit is refused with its name."""
    tree = start.copy(context.work / "tree")
    edit = Edit(context, tree, {"c8_code_size": "40*MB"})
    before = snapshot(tree.root)
    done = edit.run(expect=(0, 1))
    if done.returncode == 0:
        check_hardware("c8_code_size", tree, context.work)
        return "brought in line"
    same_tree("c8_code_size", snapshot(tree.root), before)
    check("main.c" in done.stderr, f"c8's start-up code is not named:\n{done.stderr}")
    return "refused"


def check_linux(context: Context, start: Tree) -> None:
    """The kernel's copy of the nodes follows, and goes back."""
    tree = start.copy(context.work / "tree")
    linux = context.work / "linux"
    shutil.rmtree(linux, ignore_errors=True)
    folder = linux / "board-support" / "linux-6.6" / "arch" / "arm64" / "boot" / "dts" / "ti"
    folder.mkdir(parents=True)
    nodes = tree.below(DTS).read_text(encoding="utf-8")
    (folder / DTS).write_text(f"/* of the kernel */\n&reserved_memory {{\n{nodes}}};\n", encoding="utf-8")
    before = files_only(snapshot(linux))
    edit = Edit(context, tree, dict(SHRUNK), ("--linux", str(linux)))
    edit.run()
    text = (folder / DTS).read_text(encoding="utf-8")
    check(text.startswith("/* of the kernel */\n&reserved_memory {\n"), "--linux: the kernel's own text is gone")
    for line in tree.below(DTS).read_text(encoding="utf-8").splitlines():
        check(line in text, f"--linux: the kernel's copy lacks {line.strip()}")
    after = snapshot(linux)
    edit.run()
    same_tree("--linux, again", snapshot(linux), after)
    context.run("sdk", "revert", "--sdk", tree.root, "--linux", linux)
    same_tree("--linux, undone", files_only(snapshot(linux)), before)
    same_tree("--linux, the SDK's tree undone", files_only(snapshot(tree.root)), files_only(snapshot(start.root)))


def check_document(context: Context, start: Tree) -> None:
    tree = start.copy(context.work / "tree")
    edit = Edit(context, tree, dict(SHRUNK))
    before = snapshot(tree.root)
    asked = parse_json(edit.run("--check", "--json", expect=1).stdout, "emit --sdk --check --json")
    document = parse_json(edit.run("--json").stdout, "emit --sdk --json")
    same("schema", (asked["schema"], document["schema"]), ("memsize.emit/1",) * 2)
    text = str(document)
    result = Result(before, snapshot(tree.root), [], "")
    for path in {*result.after} - {*result.before}:
        check(path.startswith((".memsize", "REBUILD.md")), f"{path} is new")
    check("app_mem_map.h" in text and "c7/freertos.syscfg" in text, f"the document does not name what changed: {text[:800]}")
    broken = parse_json(Edit(context, tree, {"no_such_size": 1}).run("--json", expect=2).stdout, "emit --sdk --json, refused")
    check(broken["diagnostics"], "no diagnostic in the document of a refusal")


def body(context: Context) -> str:
    for name in ("node", "gcc", "dtc", "patch"):
        tool(name)
    start = original(context)
    same("what the tree's own scripts change in it", sorted(rewritten(start, context.work / "scripts")), [])
    same("findings in it", sorted(findings(context, start)), [])
    check_hardware("as it is", start, context.work)
    failures: list[str] = []
    steps: list[tuple[str, Any]] = [(f"case {values}", lambda values=values: check_case(context, start, values)) for values in CASES]
    steps += [(f"salted {row}", lambda row=row: check_salted(context, start, row)) for row in range(context.options.salts)]
    steps += [(f"by hand {row}", lambda row=row: check_hand(context, start, row)) for row in range(len(HAND))]
    steps += [(function.__name__, lambda function=function: function(context, start)) for function in
              (check_two_steps, check_folders, check_sizing, check_hand_elsewhere, check_refusals, check_literal, check_linux, check_document)]
    for name, step in steps:
        try:
            step()
        except Skip:
            raise
        except Exception as problem:  # every step is told
            failures.append(f"{name}: {problem}")
    check(not failures, f"{len(failures)} of {len(steps)}:\n" + "\n\n".join(failures))
    return f"{len(steps)} steps, {len(CASES)} edits"


if __name__ == "__main__":
    main(__doc__, body, add_options)
