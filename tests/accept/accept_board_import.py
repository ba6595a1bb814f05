"""A board that memsize imports from an SDK tree emits what the tree's own generator script writes.

For every part and operating system of every tree that MEMSIZE_TI_SDK names (separated by ':'): the script is really run
in a copy, and its linker maps, C header, device tree and HTML map are compared with those of the imported board; what
each core's MMU and R5F's MPU are given, with the sysconfig files and C sources of the tree, by effect. Then single
knobs are set, and the same constants edited in the script: the two maps must stay equal. All of it once with the
bundled boards, which know what no file of a tree says, and once as if the part were unknown.
"""

import argparse
import os
import random
import re
import shutil
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compare import dtsi_of, header_of, html_of, joined, mmu_map_of, nameless, painted
from sdk_tree import (TOOLS, VARIABLE, Generated, Refusal, Script, constants, defines, evaluated, generate,
                      source_entries, sysconfig_entries)
from support import (SOURCE, Context, Failure, Skip, check, main, number, parse_linker, read, same, same_keys,
                     without_comments)

DEFAULT_OS = "freertos"
DATA = "MEMSIZE_DATA"
# What a knob is multiplied with, in quarters: most of these fit most maps.
QUARTERS = (1, 2, 3, 5, 6, 8)
LITERAL = re.compile(r"(?:\d+ *\* *[KMG]B|0x[0-9A-Fa-f]+|\d+)")
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


@dataclass
class Totals:
    boards: int = 0
    # Those of them whose map breaks no rule.
    emitted: int = 0
    refused: int = 0
    values: int = 0
    moved: int = 0
    not_moved: Counter[str] = field(default_factory=Counter)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--count", type=int, default=3, help="knobs that are set one by one, for each board")


def trees() -> list[Path]:
    found = []
    for named in filter(None, os.environ.get(VARIABLE, "").split(":")):
        folders = [folder for folder in (Path(named) / "vision_apps", Path(named)) if (folder / "platform").is_dir()]
        check(folders, f"{VARIABLE}: {named} has no platform")
        found.append(folders[0].resolve())
    if not found:
        raise Skip(f"{VARIABLE} does not name a Processor SDK")
    return found


def scripts_of(tree: Path) -> list[Script]:
    return [Script(f"{path.parent.parent.name} {os_of(path.name)}", tree, path.parent.parent.name, path.name)
            for path in sorted(tree.glob("platform/*/rtos/gen_linker_mem_map*.py"))]


def os_of(name: str) -> str:
    return name.removeprefix("gen_linker_mem_map").removesuffix(".py").removeprefix("_") or DEFAULT_OS


def imported(context: Context, script: Script) -> tuple[Path, str]:
    """The board file, and the warnings."""
    file = context.work / f"{script.soc}-{os_of(script.name)}.toml"
    done = context.run("board", "import", "--sdk", script.vision_apps, "--soc", script.soc, "--os",
                       os_of(script.name), "-o", file, "--force")
    again = context.run("board", "import", "--sdk", script.vision_apps, "--soc", script.soc, "--os",
                        os_of(script.name))
    same(f"{script.board}: imported twice", again.stdout, read(file))
    check(str(script.vision_apps) not in read(file), f"{script.board}: the board names a folder of this machine")
    return file, done.stderr


def compare_files(board: dict[str, Any], generated: Generated, out: Path) -> int:
    count = 0
    same_keys("cores", board["core"], generated.linker)
    for core, lines in generated.linker.items():
        name = board["core"][core].get("linker", board["files"]["linker"])
        actual = parse_linker(read(out / core / name), f"{core}/{name}")
        same_keys(f"{core} linker map", actual, lines)
        for region, line in lines.items():
            same(f"{core} linker map: {region}", actual[region], line)
        count += len(lines)
    header = header_of(out)
    same_keys("app_mem_map.h", header, generated.macros)
    for macro, value in generated.macros.items():
        same(f"app_mem_map.h: {macro}", header[macro], value)
    nodes = dtsi_of(out)
    same_keys("dtsi", nodes, generated.nodes)
    for label, node in generated.nodes.items():
        same(f"dtsi: {label}", nodes[label], node)
    rows = html_of(out)
    for region, ends in generated.html.items():
        check(ends in rows.get(region, []), f"html: {region} is {rows.get(region)}, expected {ends}")
    return count + len(header) + len(nodes) + len(generated.html)


def sources_of(script: Script, core: str) -> list[Path]:
    """The core's sysconfig files for that operating system."""
    system = os_of(script.name)
    starts = (system, "example") if system == DEFAULT_OS else (system,)
    return sorted(path for path in (script.folder / core).glob("*.syscfg") if path.name.startswith(starts))


def compare_mmu(script: Script, generated: Generated, out: Path, warnings: str) -> int:
    """What each core's MMU is given, by effect; a core of which an entry was left out was told."""
    count = 0
    for core in generated.linker:
        files = [path for path in sources_of(script, core) if "mmu_armv8" in read(path)]
        main_file = script.folder / core / "main.c"
        if files:
            entries = sysconfig_entries(read(files[0]))
        elif main_file.is_file() and "Mmu_map(" in read(main_file):
            entries = source_entries(script, core, generated.macros)
        else:
            check(not (out / core / "mmu_map.json").exists(), f"{core}: an MMU that the tree does not program")
            continue
        if re.search(rf"sdk\.import\]: entry '.*' of {core}, ", warnings):
            continue
        actual = mmu_map_of(out, core)
        same(f"{core}/mmu_map.json", joined(nameless(actual)), painted(nameless(entries)))
        count += len(actual)
    return count


@dataclass(frozen=True)
class MpuRegion:
    base: int
    size: int
    disabled: int
    kind: str

    def shows(self, address: int) -> bool:
        into = address - self.base
        return 0 <= into < self.size and not self.disabled >> (into * 8 // self.size) & 1


def mpu_of(path: Path) -> list[MpuRegion]:
    """mpu_armv7 instances by number, with the defaults of mpu_armv7.syscfg.js."""
    found: dict[str, dict[str, str]] = {}
    for match in re.finditer(r'(mpu_armv7\d+)\.(\$?\w+)\s*=\s*("?)([^";\n]*)\3\s*;', without_comments(read(path))):
        found.setdefault(match[1], {})[match[2]] = match[4]
    regions = []
    for key in sorted(found, key=lambda key: int(key.removeprefix("mpu_armv7"))):
        own = found[key]
        regions.append(MpuRegion(number(own.get("baseAddr", "0")), 1 << number(own.get("size", "32")),
                                 number(own.get("subregionDisableMask", "0")), kind_of(own)))
    return regions


MPU_SIZE = re.compile(r"CSL_ARM_R5_MPU_REGION_SIZE_(\d+)(B|KB|MB|GB)")
TABLE_UNITS = {"B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}


def table_of(path: Path, macros: dict[str, int]) -> list[MpuRegion]:
    """The regions of PDK's table of C for FreeRTOS or SafeRTOS, by number; those that are off are left out."""
    text = without_comments(read(path))
    known = {**defines(text), **{name: hex(value) for name, value in macros.items()}}
    found: dict[int, MpuRegion] = {}
    for block in re.split(r"\.(?:regionId|ulRegionNumber)\s*=", text)[1:]:
        own = {match[1]: match[2].strip() for match in re.finditer(r"\.(?:ul)?(\w+)\s*=\s*([^,;{}]+)", block)}
        region = evaluated(re.split(r"[,}]", block)[0], known)
        if own.get("enable", "1U") not in ("1U", "1"):
            continue
        size = own.get("size") or own["RegionSize"]
        unit = MPU_SIZE.fullmatch(size)
        # Both hold the eighths that are off, whatever CSL's is called.
        off = own.get("SubRegionDisable") or own["subRegionEnable"]
        eighths = re.findall(r"mpuREGION_(\d)\w\w_SUB_REGION_DISABLE", off)
        disabled = (sum(1 << int(eighth) - 1 for eighth in eighths) if eighths
                    else 0 if re.search("ENABLE_ALL|ALL_SUB_REGIONS_ENABLED", off) else evaluated(off, known))
        found[region] = MpuRegion(
            evaluated(own.get("baseAddr") or own["RegionBeginAddress"], known),
            int(unit[1]) * TABLE_UNITS[unit[2]] if unit else 1 << 31 if "LARGEST" in size else product(size, known),
            disabled, policy_of(own))
    return [found[region] for region in sorted(found)]


def product(text: str, known: dict[str, str]) -> int:
    result = 1
    for factor in text.strip("() ").split("*"):
        result *= evaluated(re.sub(r"\(\w+_t\)", "", factor).strip("() "), known)
    return result


def policy_of(own: dict[str, str]) -> str:
    if not re.search(r"TRUE|1", own["cacheable"].replace("uint32_t", "")):
        return "not"
    return {"WT": "through", "WB": "cached"}.get(own["cachePolicy"].removeprefix("CSL_ARM_R5_CACHE_POLICY_")[:2], "not")


def kind_of(own: dict[str, str]) -> str:
    attributes = own.get("attributes", "Cached")
    if attributes != "CUSTOM":
        return {"Device": "not", "NonCached": "not", "Cached": "cached", "Cached+Sharable": "cached"}[attributes]
    cacheable, bufferable = own.get("isCacheable", "true") == "true", own.get("isBufferable", "true") == "true"
    if number(own.get("tex", "1")) & 4:
        return {(False, False): "not", (True, False): "through"}.get((cacheable, bufferable), "cached")
    return "through" if cacheable and not bufferable else "cached" if cacheable else "not"


def compare_mpu(script: Script, generated: Generated, out: Path, warnings: str) -> int:
    """What an R5F sees of each region of its linker map, at its first and its last byte."""
    count = 0
    for core, regions in generated.linker.items():
        files = [path for path in sources_of(script, core) if "mpu_armv7" in read(path)]
        system = "" if os_of(script.name) == DEFAULT_OS else f"_{os_of(script.name)}"
        table = script.folder / core / f"{script.soc}{system}_mpu_cfg.c"
        if files:
            theirs, ours = mpu_of(files[0]), mpu_of(out / core / "mpu.syscfg")
        elif table.is_file():
            theirs, ours = table_of(table, generated.macros), table_of(out / core / "mpu_cfg.c", header_of(out))
        else:
            continue
        for name, line in regions.items():
            if re.search(rf"sdk\.import\]: {core} shows '{name}' ", warnings):
                continue
            for address in (line.origin, line.end - 1):
                expected = [region.kind for region in theirs if region.shows(address)][-1:]
                actual = [region.kind for region in ours if region.shows(address)][-1:]
                same(f"{core} sees {name} at {address:#x}", actual, expected)
                count += 1
    return count


def knobs_of(board: dict[str, Any], script: Script) -> dict[str, int]:
    """Sizes that both have as one number."""
    known = constants(script.text())
    found = {}
    for name, knob in board.get("knob", {}).items():
        size = re.fullmatch(r"(\d+)(KiB|MiB|GiB)", knob["default"])
        if size and "kind" not in knob and LITERAL.fullmatch(known.get(name, "")):
            found[name] = int(size[1]) * UNITS[size[2]]
    return found


def move_knobs(context: Context, script: Script, file: Path, board: dict[str, Any], totals: Totals,
               seen: dict[str, int]) -> None:
    rng = random.Random(f"{context.options.seed} {script.vision_apps.name} {script.board}")
    knobs = knobs_of(board, script)
    check(len(knobs) > 3, f"only {len(knobs)} knobs are constants of the script")
    moved = 0
    for name in rng.sample(sorted(knobs), len(knobs)):
        if moved == context.options.count:
            break
        value = knobs[name] * rng.choice(QUARTERS) // 4 & -(1 << 21) or knobs[name] * 2
        if value == knobs[name]:
            continue
        out = context.work / f"moved-{file.stem}"
        done = context.run("emit", "--board", file, "--set", f"{name}={value}", "--out", out, expect=(0, 1, 3))
        if done.returncode:
            totals.not_moved.update(re.findall(r"error\[([\w.-]+)\]", done.stderr)[:1])
            continue
        try:
            generated = generate(script, {name: value}, context.work / "sdk")
        except Refusal:
            totals.not_moved.update(["the SDK's own assertion"])
            continue
        if stands_still(generated, seen):
            totals.not_moved.update(["told that it stands still"])
            continue
        totals.values += compare_files(board, generated, out)
        moved += 1
    totals.moved += moved


def stands_still(generated: Generated, seen: dict[str, int]) -> bool:
    """Whether the script moves a region of which the import said that the board does not."""
    return any(generated.macros.get(f"{name}_ADDR", address) != address for name, address in seen.items())


def told_to_stand(warnings: str) -> dict[str, int]:
    return {name: number(address) for name, address in
            re.findall(r"sdk\.import\]: '(\w+)' is seen at (0x[0-9A-F]+), which moves", warnings)}


def pinned_in(board: dict[str, Any], script: Script) -> dict[str, int]:
    """Where a RAT leads: a knob of the board, a sum of sizes in the script."""
    known = constants(script.text())
    pinned = {name: number(knob["default"]) for name, knob in board.get("knob", {}).items()
              if knob.get("kind") == "address" and not LITERAL.fullmatch(known.get(name, ""))}
    return {f"{chain['regions'][0]['name']}_PHYS": pinned[chain["physical"]]
            for chain in board["chain"].values() if chain.get("physical") in pinned}


def compare_shown(context: Context, file: Path, generated: Generated) -> int:
    """Where emit refuses the tree's own map: the addresses of the table of `board show`."""
    rows = [line.split() for line in context.run("board", "show", file).stdout.splitlines()]
    shown = {(row[-1] if len(row) < 5 else word, number(row[0]))
             for row in rows if len(row) > 4 and row[0].startswith("0x") for word in row[2:6]}
    count = 0
    for core, lines in generated.linker.items():
        for name, line in lines.items():
            check((name, line.origin) in shown, f"board show: {core}'s {name} is not at {line.origin:#x}")
            count += 1
    return count


def check_script(context: Context, script: Script, totals: Totals) -> None:
    try:
        generated = generate(script, {}, context.work / "sdk")
    except Refusal:
        raise
    except Failure as failure:
        if "NameError" not in str(failure):
            raise
        done = context.run("board", "import", "--sdk", script.vision_apps, "--soc", script.soc, "--os",
                           os_of(script.name), expect=1)
        check("error[sdk.name]" in done.stderr, f"another error: {done.stderr[:500]}")
        totals.refused += 1
        print(f"  {script.board}: the script itself ends with a NameError", flush=True)
        return
    file, warnings = imported(context, script)
    board = tomllib.loads(read(file))
    out = context.work / f"out-{file.stem}"
    done = context.run("emit", "--board", file, "--out", out, expect=(0, 1))
    totals.boards += 1
    if done.returncode:
        codes = sorted(set(re.findall(r"error\[([\w.-]+)\]", done.stderr)))
        same("what emit refuses, and what import warned of", codes,
             sorted(set(re.findall(r"warning\[((?:layout|mmu|mpu|rat)\.[\w.-]+)\]", warnings))))
        totals.values += compare_shown(context, file, generated)
        print(f"  {script.board}: the tree's own map breaks {', '.join(codes)}", flush=True)
        return
    totals.emitted += 1
    totals.values += compare_files(board, generated, out)
    mmu = compare_mmu(script, generated, out, warnings)
    mpu = compare_mpu(script, generated, out, warnings)
    totals.values += mmu + mpu
    before = totals.moved
    move_knobs(context, script, file, board, totals, told_to_stand(warnings) | pinned_in(board, script))
    print(f"  {script.board}: {read(file).count(chr(10))} lines, {mmu} MMU ranges and {mpu} MPU views the same, "
          f"{totals.moved - before} knobs moved", flush=True)


def data_without_boards(folder: Path) -> Path:
    """What memsize would have if it knew none of the parts."""
    for name in ("boards/parts", "boards/formats", "boards/programs", "templates"):
        shutil.copytree(SOURCE / name, folder / name)
    return folder


def check_trees(context: Context, found: list[Path], totals: Totals) -> None:
    for tree in found:
        check((tree / TOOLS).is_dir(), f"{tree} has no {TOOLS}")
        print(f"{tree}{', as unknown parts' if DATA in os.environ else ''}", flush=True)
        for script in scripts_of(tree):
            try:
                check_script(context, script, totals)
            except Exception as error:
                error.args = (f"{tree.name}, {script.board}: {error}",)
                raise


def body(context: Context) -> str:
    totals = Totals()
    found = trees()
    check_trees(context, found, totals)
    known = totals.boards
    os.environ[DATA] = str(data_without_boards(context.work / "data"))
    check_trees(context, found, totals)
    same("boards without a bundled one", totals.boards - known, known)
    check(totals.boards > 0, "no board was imported")
    check(totals.emitted > 0 and totals.moved > totals.emitted,
          f"only {totals.moved} knobs were moved: {dict(totals.not_moved)}")
    return (f"{totals.boards} boards imported, {totals.emitted} of them break no rule, {totals.refused} scripts "
            f"refused as Python does, {totals.values} values the same, {totals.moved} knobs moved, others not: "
            f"{dict(totals.not_moved)}")


if __name__ == "__main__":
    main(__doc__ or "", body, add_options)
