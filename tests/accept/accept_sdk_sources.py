"""The parsers of an SDK's sources read every file of every tree, and say what an independent look at the text says.

Runs where MEMSIZE_TI_SDK names Processor SDKs, separated by colons: folders with vision_apps/platform or platform.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from support import SKIPPED, Failure, Skip, check, same

VARIABLE = "MEMSIZE_TI_SDK"
NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|\d+")
# Warnings that the SDK's own files deserve: the generator's comment ends at the first "*/" of a path.
EXPECTED_WARNINGS = {("dts", "'arch' is no part of a device tree")}
# What a command file may place into without a region in the core's own MEMORY: it is linked with another map.
WITHOUT_MAP = re.compile(r"_mcuplus\.cmd$|_threadx\w*\.cmd$")


def trees() -> list[Path]:
    named = [folder for folder in os.environ.get(VARIABLE, "").split(":") if folder]
    if not named:
        raise Skip(f"{VARIABLE} does not name a Processor SDK")
    found = []
    for name in named:
        folders = [folder for folder in (Path(name) / "vision_apps", Path(name)) if (folder / "platform").is_dir()]
        check(folders, f"{VARIABLE}: neither {name} nor its vision_apps has platform/")
        found.append(folders[0].resolve())
    return found


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def code_of(path: Path) -> str:
    """Without comments and what is switched off by #if 0."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text_of(path), flags=re.S)
    return re.sub(r"^[ \t]*#if 0\b.*?^[ \t]*#endif", "", text, flags=re.S | re.M)


class Jobs:
    """One line for the tool each."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, kind: str, path: Path, headers: list[Path] | None = None, flags: list[str] | None = None) -> None:
        fields = [kind, str(path), ",".join(map(str, headers or [])), ",".join(flags or [])]
        check(not any("\t" in field or "\n" in field for field in fields), f"{path}: odd name")
        self.lines.append("\t".join(fields))


def collect(tree: Path, jobs: Jobs) -> None:
    for rtos in sorted((tree / "platform").glob("*/rtos")):
        header = rtos / "app_mem_map.h"
        if not header.exists():
            continue
        jobs.add("header", header)
        for path in sorted([*rtos.glob("*.dts"), *rtos.glob("*.dtsi"), *rtos.glob("*.dtso")]):
            jobs.add("dts", path)
        for path in sorted(rtos.rglob("*.cmd")):
            is_memory = re.search(r"^\s*MEMORY\b", code_of(path), flags=re.M) is not None
            jobs.add("linker" if is_memory else "sections", path)
        for path in sorted(rtos.rglob("*.syscfg")):
            jobs.add("syscfg", path)
            jobs.add("claims", path, [header])
        for path in sorted(rtos.rglob("ti_dpl_config.c")):
            jobs.add("dpl", path, [header])
        for path in sorted(rtos.rglob("*mpu_cfg*.c")):
            jobs.add("mpu", path, [header])
            jobs.add("claims", path, [header])
        for path in sorted(rtos.glob("*/main.c")):
            collect_firmware(rtos, path, header, jobs)


def collect_firmware(rtos: Path, path: Path, header: Path, jobs: Jobs) -> None:
    code, core = code_of(path), path.parent.name
    own = rtos / "common" / f"app_cfg_{core}.h"
    headers = [header, own] if own.exists() else [header]
    for system in ("FREERTOS", "SAFERTOS"):
        flags = [f"CPU_{core}", system]
        if "Mmu_map(" in code:
            jobs.add("mmu", path, headers, flags)
        if "_setMar(" in code:
            jobs.add("mar", path, headers, flags)
        if "appTarget2SharedConversion(" in code:
            jobs.add("shared", path, headers, flags)
    common = rtos / "common" / "app_init.c"
    if core.startswith("mcu") and "appMemAddrTranslate(" in code_of(common):
        jobs.add("rat", common, headers, [f"CPU_{core}", "R5F", "FREERTOS"])


def number_in(text: str) -> int:
    match = NUMBER.fullmatch(re.sub(r"[uUlL]+$", "", text.strip()))
    check(match, f"{text!r} is not a number")
    return int(text.strip().rstrip("uUlL"), 0)


def cells_in(text: str) -> tuple[int, int]:
    cells = [int(cell, 0) for cell in text.split()]
    check(len(cells) == 4, f"{text!r} is not four cells")
    return cells[0] << 32 | cells[1], cells[2] << 32 | cells[3]


def size_in(text: str) -> int:
    """Of an enumerator such as MpuP_RegionSize_16M, or of a number."""
    match = re.search(r"_RegionSize_(\d+)([KMG]?)$", text)
    return int(match[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[match[2]] if match else number_in(text)


def compare_dpl(what: str, item: dict[str, Any], at: dict[str, str]) -> None:
    keys = {"virtual": "vaddr", "physical": "paddr", "base": "baseAddr", "local": "localAddr", "system": "systemAddr", "tex": "tex"}
    for key, name in keys.items():
        if key in item:
            same(f"{what}: {name}", item[key], number_in(at[name]))
    same(f"{what}: size", item["size"], size_in(at["size"]))
    for key, name in {"cacheable": "isCacheable", "bufferable": "isBufferable"}.items():
        if key in item:
            same(f"{what}: {name}", int(item[key]), number_in(at[name]))
    if "attribute" in item:
        same(f"{what}: attrIndx", f"MMUP_ATTRINDX_{item['attribute']}", at["attrIndx"])


def compare_values(what: str, kind: str, items: list[dict[str, Any]]) -> int:
    """The values are those that stand at their places."""
    for item in items:
        at = item.get("at", {})
        if kind == "linker":
            same(f"{what}: {item['name']}", (item["base"], item["size"]), (number_in(at["ORIGIN"]), number_in(at["LENGTH"])))
        elif kind == "header":
            same(f"{what}: {item['name']}", item["value"], number_in(at))
        elif kind == "dts" and "reg" in at:
            same(f"{what}: {item['label']}", (item["base"], item["size"]), cells_in(at["reg"]))
        elif kind == "syscfg":
            keys = {"virtual": "vAddr", "physical": "pAddr", "base": "baseAddr", "local": "localAddr", "system": "systemAddr"}
            for key, name in keys.items():
                if key in item:
                    same(f"{what}: {item['name']}.{name}", item[key], number_in(at.get(name, "0")))
        elif kind == "dpl":
            compare_dpl(what, item, at)
        elif kind in ("mmu", "mar", "rat", "shared"):
            for key in ("virtual", "physical", "base", "local", "system", "size"):
                if item.get(key) and item[key]["text"]:
                    same(f"{what}: text of {key}", item[key]["at"], item[key]["text"])
        elif kind == "claims":
            same(f"{what}: a claim", at, item.get("text", item.get("wrong")))
    return len(items)


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def count_is_right(what: str, kind: str, path: Path, items: list[dict[str, Any]]) -> None:
    """As many items as a search of the text finds."""
    code = code_of(path)
    if kind == "mmu":
        calls = re.findall(r"Mmu_map\(([^;]*?),\s*&attrs", code)
        found = [",".join(item[key]["text"] for key in ("virtual", "physical", "size")) for item in items]
        same(f"{what}: calls", list(map(squeezed, found)), list(map(squeezed, calls)))
    elif kind == "mar":
        same(f"{what}: calls", len(items), len(re.findall(r"_setMar\(", code)))
    elif kind == "shared":
        calls = len(re.findall(r"^\s+convert(?:Virt2Phys|Phys2Virt)\(", code, flags=re.M))
        tests = len(re.findall(r"if \( ?\(\(uint64_t\)(?:virtAddr|shared_ptr) >=", code))
        helpers = len(re.findall(r"static void convert(?:Virt2Phys|Phys2Virt)\(", code))
        same(f"{what}: ranges", len(items), calls + tests - helpers)
    elif kind == "header":
        same(f"{what}: macros", len(items), len(re.findall(r"^#define \w+ \(", code, flags=re.M)))
    elif kind == "linker":
        same(f"{what}: regions", len(items), len(re.findall(r"\bORIGIN\b", code)))
    elif kind == "dts":
        same(f"{what}: nodes", len(items), len(re.findall(r"\breg = <", text_of(path))))
    elif kind == "syscfg":
        modules = {name for name in re.findall(r"(?:mmu_armv8|mpu_armv7|addr_translate)\d+", code)}
        same(f"{what}: instances", len(items), len(modules))
    elif kind == "dpl":
        same(f"{what}: entries", len(items), len(re.findall(r"\.(?:vaddr|baseAddr|localAddr)\s*=", code)))
    elif kind == "mpu":
        check(items, f"{what}: no region")


def check_sections(done: list[dict[str, Any]]) -> Counter[str]:
    """Every region that a section goes to is one of the core's MEMORY."""
    regions: dict[Path, set[str]] = {}
    for job in done:
        if job["kind"] == "linker":
            regions.setdefault(Path(job["path"]).parent, set()).update(item["name"] for item in job["items"])
    lacking: Counter[str] = Counter()
    for job in done:
        path = Path(job["path"])
        if job["kind"] != "sections" or path.parent not in regions or WITHOUT_MAP.search(path.name):
            continue
        for item in job["items"]:
            for region in item["regions"]:
                if region not in regions[path.parent]:
                    lacking[f"{'/'.join(path.parts[-4:])}: {item['name']} goes to {region}"] += 1
    return lacking


def judge(tree: Path, done: list[dict[str, Any]]) -> None:
    files: dict[str, set[str]] = {}
    items: Counter[str] = Counter()
    for job in done:
        kind, path = job["kind"], Path(job["path"])
        what = f"{kind} {path.relative_to(tree)}"
        for problem in job["problems"]:
            expected = problem["severity"] == "warning" and (kind, problem["message"]) in EXPECTED_WARNINGS
            check(expected, f"{what}:{problem['line']}:{problem['column']}: {problem['message']}")
        check(job["items"] or kind == "claims", f"{what}: nothing was read")
        items[kind] += compare_values(what, kind, job["items"])
        count_is_right(what, kind, path, job["items"])
        files.setdefault(kind, set()).add(job["path"])
    for kind, names in sorted(files.items()):
        print(f"{tree}: {kind}: {len(names)} files, {items[kind]} items")
    wrong = {(job["path"], item["line"]) for job in done if job["kind"] == "claims" for item in job["items"] if "wrong" in item}
    print(f"{tree}: {len(wrong)} comments beside entries are wrong")
    for line in sorted(check_sections(done)):
        print(f"{tree}: not in MEMORY: {line}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dump", required=True, type=Path, help="the tool memsize_sdk_dump")
    parser.add_argument("--wrong", action="store_true", help="list the comments that are wrong")
    options = parser.parse_args()
    try:
        for tree in trees():
            jobs = Jobs()
            collect(tree, jobs)
            done = subprocess.run([str(options.dump)], input="\n".join(jobs.lines) + "\n", capture_output=True, text=True,
                                  timeout=600, check=True)
            found = json.loads(done.stdout)
            same(f"{tree}: jobs", len(found), len(jobs.lines))
            judge(tree, found)
            if options.wrong:
                for job in found:
                    for item in job["items"]:
                        if "wrong" in item:
                            print(f"{job['path']}:{item['line']}: {item['name']}: {item['wrong']}, should be {item['right']}")
    except Skip as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    except Failure as failure:
        print(f"FAILED: {failure}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
