"""What `why` answers for SDK trees is what their files say, and what their scripts make when Python runs them.

Every section of every script is found by its name and at its address. For random sizes, what moves when one grows is
what the really edited script moves when it is really run. MEMSIZE_TI_SDK names one or more trees, separated by ':'.
"""

import argparse
import ast
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from accept_sdk_scripts import TOOLS, trees
from support import Context, check, main, number, parse_json, same



def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--names", type=int, default=12, help="sections of each script; 0: all")
    parser.add_argument("--grown", type=int, default=3, help="variables of each script that grow")


def record(context: Context, script: Path, library: Path) -> Any:
    recorder = Path(__file__).resolve().parent / "record_script.py"
    environment = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, str(recorder), str(script), str(library), "set"], cwd=context.work,
                          env=environment, capture_output=True, text=True, timeout=120)
    check(done.returncode == 0, f"{script}: {done.stderr[-1000:]}")
    return json.loads(done.stdout)


def os_of(script: Path) -> str:
    return re.sub(r"^gen_linker_mem_map_?", "", script.stem) or "freertos"


def ask(context: Context, tree: Path, script: Path, what: str) -> Any:
    done = context.run("why", what, "--sdk", tree, "--soc", script.parts[-3], "--os", os_of(script), "--json")
    return parse_json(done.stdout, f"why {what}")


def exported(recorded: Any) -> dict[tuple[int, int], tuple[str, int, int]]:
    """Name, origin and length of every section of every export, by their places."""
    return {(i, j): (entry["name"], int(entry["origin"]), int(entry["length"]))
            for i, export in enumerate(recorded["exports"]) for j, entry in enumerate(export["entries"])}


def check_section(context: Context, tree: Path, script: Path, section: tuple[str, int, int], linked: set[str]) -> None:
    name, origin, length = section
    what = f"{script}: {name}"
    found = [one for one in ask(context, tree, script, name)["subjects"] if one["name"] == name]
    places = {(number(one["address"]), one["size_bytes"]) for one in found}
    check((origin, length) in places, f"{what}: is at {places}, not at {(origin, length)}")
    if name not in linked or length == 0:
        return
    for address in (origin, origin + length - 1):
        answer = ask(context, tree, script, f"{address:#x}")
        names = {(one["name"], one["offset_bytes"]) for one in answer["readings"] if "name" in one}
        check((name, address - origin) in names, f"{what}: {address:#x} is in {names}")


def sizes_of(script: Path, recorded: Any) -> list[str]:
    """Variables outside functions that are assigned once and whose value is a size."""
    counts: dict[str, int] = {}
    for node in ast.parse(script.read_text(encoding="utf-8-sig")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            counts[node.targets[0].id] = counts.get(node.targets[0].id, 0) + 1
    return [name for name, count in counts.items()
            if count == 1 and "int" in recorded["variables"].get(name, {}) and name.lower().endswith("_size")]


def with_larger(script: Path, variable: str, step: int) -> str:
    """The script's text with `step` added where the variable gets its value."""
    text = script.read_text(encoding="utf-8-sig")
    lines = text.encode("utf-8").splitlines(keepends=True)
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == variable:
            value = node.value
            line = value.end_lineno - 1
            lines[line] = (lines[line][:value.end_col_offset] + f" + {step}".encode()
                           + lines[line][value.end_col_offset:])
    return b"".join(lines).decode("utf-8")


def overlaps(sections: set[tuple[str, int, int]]) -> set[tuple[str, str]]:
    return {(min(a[0], b[0]), max(a[0], b[0])) for a in sections for b in sections
            if a[0] != b[0] and a[1] <= b[1] < a[1] + a[2] and b[2] != 0}


def check_growth(context: Context, tree: Path, script: Path, variable: str, before: Any) -> str:
    what = f"{script}: {variable}"
    subjects = [one for one in ask(context, tree, script, variable)["subjects"] if "growth" in one]
    if not subjects or not subjects[0]["growth"]["what"].endswith(f"'{variable}'"):
        return "-"
    growth = subjects[0]["growth"]
    copy = context.work / script.name
    copy.write_text(with_larger(script, variable, growth["step_bytes"]), encoding="utf-8")
    after = record(context, copy, tree / TOOLS)
    if not growth["works"]:
        if "error" in after:
            return "e"
        new = overlaps(set(exported(after).values())) - overlaps(set(exported(before).values()))
        check(new, f"{what}: is refused, but Python runs it and nothing overlaps: {growth['problems']}")
        return "o"
    check("error" not in after, f"{what}: Python fails: {after}")
    now, then = exported(before), exported(after)
    same(f"{what}: exports", list(then), list(now))
    expected = {(one[0], one[1], then[key][1], one[2], then[key][2]) for key, one in now.items() if one != then[key]}
    told = {(one["name"], number(one["base"]), number(one["new_base"]), one["size_bytes"], one["new_size_bytes"])
            for one in growth["moved"] + growth["resized"]}
    same(f"{what}: what changes", told, expected)
    return "="


def check_script(context: Context, tree: Path, script: Path, rng: random.Random) -> tuple[int, str]:
    recorded = record(context, script, tree / TOOLS)
    if "error" in recorded:
        context.run("why", "nothing", "--sdk", tree, "--soc", script.parts[-3], "--os", os_of(script), expect=(1, 2))
        return 0, "fails"
    sections = sorted(set(exported(recorded).values()))
    linked = {entry["name"] for export in recorded["exports"] if export["kind"] == "LinkerCmdFile"
              and (script.parent / export["path"]).is_file() for entry in export["entries"]}
    hand_edited = linked_otherwise(script, recorded)
    count = context.options.names or len(sections)
    for section in rng.sample(sections, min(count, len(sections))):
        check_section(context, tree, script, section, linked - hand_edited)
    sizes = sizes_of(script, recorded)
    grown = "".join(check_growth(context, tree, script, variable, recorded)
                    for variable in rng.sample(sizes, min(context.options.grown, len(sizes))))
    return min(count, len(sections)), grown


def linked_otherwise(script: Path, recorded: Any) -> set[str]:
    """Sections that a linker map has elsewhere than the script makes them."""
    names: set[str] = set()
    for export in recorded["exports"]:
        file = script.parent / export["path"]
        if export["kind"] != "LinkerCmdFile" or not file.is_file():
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        for entry in export["entries"]:
            line = re.search(rf"^\s*{entry['name']}\b[^\n]*ORIGIN\s*=\s*(\w+)\s*,?\s*LENGTH\s*=\s*(\w+)", text, re.M)
            if line is None or (number(line[1]), number(line[2])) != (int(entry["origin"]), int(entry["length"])):
                names.add(entry["name"])
    return names


def body(context: Context) -> str:
    rng = random.Random(context.options.seed)
    scripts = names = 0
    outcomes = ""
    for tree in trees():
        for script in sorted(tree.glob("platform/*/rtos/gen_linker_mem_map*.py")):
            found, grown = check_script(context, tree, script, rng)
            print(f"  {'/'.join(script.parts[-4:])}: {found} sections, {grown}", flush=True)
            scripts += 1
            names += found
            outcomes += grown.replace("fails", "")
    check("=" in outcomes, "nothing could grow")
    return f"{scripts} scripts, {names} sections, {outcomes.count('=')} larger sizes"


if __name__ == "__main__":
    main(__doc__, body, add_options)
