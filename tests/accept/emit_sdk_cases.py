"""Changes that people made of TI's memory maps, and what the files must say after them.

tests/data/ti/emit_cases.json has them in our own words. Where MEMSIZE_TI_CASES names the full record, with what was there before,
both must say the same.
"""

import json
import os
import re
from pathlib import Path
from typing import Any

from emit_sdk import Tree
from emit_sdk_judges import linker_of, macros_of, nodes_of, syscfg_of, value_of
from support import DATA, check, number, read_json, same

VARIABLE = "MEMSIZE_TI_CASES"
TREES = {"vision_apps da7bcc53": "da7bcc53", "ProcessorSDK 12.0 9e54027b": "12.0"}
# What the cases have as TI's own tools left it, where memsize must not, or need not, do the same.
KEPT = {
    # AM62A's script also writes c7x_1's sysconfig file, and by that corrects the size of an SRAM that no knob moves: the entry maps
    # 16 MiB, the script's section has 1 MiB. Whoever edits the map may leave it; check says so before and after (mmu.excess).
    ("e2e_1537", "c7x_1/example.syscfg", "mmu_armv88"): ("size", 0x1000000),
    ("e2e_5775", "c7x_1/example.syscfg", "mmu_armv88"): ("size", 0x1000000),
}


def load_cases() -> list[dict[str, Any]]:
    cases = read_json(DATA / "emit_cases.json")
    named = os.environ.get(VARIABLE, "")
    if named:
        same(f"{named} and emit_cases.json", normal(cases), normal([converted(case) for case in json.loads(Path(named).read_text())]))
    return cases


def converted(case: dict[str, Any]) -> dict[str, Any]:
    """The full record, without what was there before."""
    return {"id": case["id"], "soc": case["soc"], "tree": TREES[case["base_tree"]], "set": case["edits"],
            "header": {name: after for name, (_, after) in case["app_mem_map_h"].items()},
            "linker": {path: {name: after for name, (_, after) in lines.items()} for path, lines in case["linker"].items()},
            "dts": {path: {label: after for label, (_, after) in nodes.items()} for path, nodes in case["dts"].items()},
            "syscfg": [{"files": [path], "instances": {name: after for name, (_, after) in found.items()}}
                       for path, found in case["syscfg"].items()]}


def normal(value: Any) -> Any:
    """Numbers as numbers; the sysconfig instances by file."""
    if isinstance(value, dict):
        return {key: normal(item) for key, item in value.items()}
    if isinstance(value, list):
        if value and isinstance(value[0], dict) and "instances" in value[0]:
            return {path: normal(group["instances"]) for group in value for path in group["files"]}
        return [normal(item) for item in value]
    return number(value) if isinstance(value, str) and re.fullmatch(r"0x[0-9A-Fa-f]+", value) else value


def reg_of(cells: str) -> tuple[int, int]:
    """A low cell of more than 32 bits is a mistake of the SDK's library, beside a high cell of 0: what it means is the number."""
    high, low, length_high, length_low = (number(cell) for cell in cells.split())
    check(low < 1 << 32 and (length_low < 1 << 32 or length_high == 0), f"cells {cells}")
    return high << 32 | low, length_high << 32 | length_low


def check_expected(case: dict[str, Any], tree: Tree) -> int:
    """Every value of the case. How many."""
    what, count = case["id"], 0
    macros = macros_of(tree)
    for name, text in case["header"].items():
        same(f"{what}: app_mem_map.h: {name}", macros.get(name), number(text))
        count += 1
    for path, lines in case["linker"].items():
        regions = linker_of(tree, path)
        for name, (origin, length) in lines.items():
            same(f"{what}: {path}: {name}", (regions[name].origin, regions[name].length), (number(origin), number(length)))
            count += 1
    for path, nodes in case["dts"].items():
        found = nodes_of(tree, path)
        for label, cells in nodes.items():
            same(f"{what}: {path}: {label}", found[label], reg_of(cells))
            count += 1
    for group in case["syscfg"]:
        for path in group["files"]:
            count += check_instances(what, path, group["instances"], tree)
    return count


def check_instances(what: str, path: str, instances: dict[str, dict[str, str]], tree: Tree) -> int:
    dump, count = syscfg_of(tree, path), 0
    for instance, properties in instances.items():
        module = next(module for module in ("mmu_armv8", "mpu_armv7", "addr_translate") if instance.startswith(module))
        found = dump.get(module, {}).get(instance)
        identity = module == "addr_translate" and properties["localAddr"] == properties["systemAddr"]
        if found is None and identity:
            # Memory that is seen where it is needs no translation; an entry that says so does no harm.
            continue
        check(found is not None, f"{what}: {path}: no {instance}")
        assert found is not None
        for key, text in properties.items():
            may_stay = KEPT.get((what, path, instance))
            if may_stay and may_stay == (key, found.get(key)):
                continue
            same(f"{what}: {path}: {instance}.{key}", found.get(key), value_of(text))
            count += 1
    return count


def set_instances(text: str, instances: dict[str, dict[str, str]]) -> str:
    """By hand, as the published notes say."""
    for instance, properties in instances.items():
        for key, value in properties.items():
            quoted = value if re.fullmatch(r"0x[0-9A-Fa-f]+|\d+|true|false", value) else f'"{value}"'
            text, count = re.subn(rf"^({instance}\.{re.escape(key)}\s*=\s*)[^;\n]*;", lambda match: f"{match[1]}{quoted};", text, flags=re.M)
            same(f"{instance}.{key}", count, 1)
    return text
