"""What memsize reads from the SDK's generator scripts is what Python computes when it runs them.

Each script is evaluated by the library, and really run under Python with exporters that only record: variables,
sections, maps, exports and overlap warnings must be equal, and so must errors. MEMSIZE_TI_SDK names one or more trees,
separated by ':'; --own takes the scripts in tests/accept/sdk instead.
"""

import argparse
import ast
import json
import os
import random
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support import Context, Skip, check, fail, main, same, same_keys

VARIABLE = "MEMSIZE_TI_SDK"
TOOLS = Path("tools") / "PyTI_PSDK_RTOS"
OWN = Path(__file__).resolve().parent / "sdk"
# The library never compares these two, which are one memory at the same address of two cores.
SEPARATE = ("L2RAM_C66x_1", "L2RAM_C66x_2")
# What makes another size of "16*MB"; some of these overlap, some break assertions.
FACTORS = (1, 2, 3, 5, 8, 16, 31, 64, 100, 256, 512, 4096)
SECTION = ("name", "attributes", "comment", "origin", "length", "dts_label", "dts_node", "compatibility",
           "print_compatibility", "no_map", "origin_tag", "split_origin", "alignment")


@dataclass
class Counts:
    variables: int = 0
    sections: int = 0
    maps: int = 0
    exports: int = 0
    warnings: int = 0


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dump", required=True, type=Path)
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--count", type=int, default=2, help="scripts with other sizes, for each script")
    parser.add_argument("--own", action="store_true", help="the scripts of the tests instead of an SDK's")


def dump(context: Context, script: Path) -> Any:
    command = [str(context.options.dump.resolve()), str(script), "--separate", *SEPARATE]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    check(done.returncode in (0, 1), f"{script}: exit {done.returncode}: {done.stderr[-500:]}")
    return json.loads(done.stdout)


def record(context: Context, script: Path, library: Path, mode: str) -> Any:
    """Runs in an empty folder, with nothing of memsize's environment that scripts might ask for."""
    recorder = Path(__file__).resolve().parent / "record_script.py"
    environment = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, str(recorder), str(script), str(library), mode], cwd=context.work,
                          env=environment, capture_output=True, text=True, timeout=120)
    check(done.returncode == 0, f"{script} ({mode}): {done.stderr[-1000:]}")
    return json.loads(done.stdout)


def compare_script(context: Context, script: Path, library: Path, what: str) -> Counts:
    ours = dump(context, script)
    python = record(context, script, library, "set")
    if "error" in python:
        compare_error(ours, python, what)
        return Counts()
    check("variables" in ours, f"{what}: refused: {ours['diagnostics']}")
    variables = {variable["name"]: variable for variable in ours["variables"]}
    same_keys(f"{what}: variables", variables, python["variables"])
    for name, value in python["variables"].items():
        same(f"{what}: {name}", variables[name]["value"], value)
    compare_sections(ours, python, what)
    same(f"{what}: maps", [map_of(one) for one in ours["maps"]], [map_of(one) for one in python["maps"]])
    same(f"{what}: exports", [export_of(one) for one in ours["exports"]],
         [export_of(one) for one in python["exports"]])
    bare = record(context, script, library, "unset")
    certain = [export_of(one) for one in ours["exports"] if not one["conditional"]]
    if "exports" in bare:
        same(f"{what}: certain exports", certain, [export_of(one) for one in bare["exports"]][:len(certain)])
    compare_warnings(ours, python, what)
    check_places(context, script, ours, what)
    return Counts(len(variables), len(ours["sections"]), len(ours["maps"]), len(ours["exports"]),
                  len(ours["diagnostics"]))


def compare_varied(context: Context, script: Path, library: Path, what: str) -> str:
    """The script with other sizes. Negative sizes are refused here, and written by the SDK."""
    rng = random.Random(f"{context.options.seed} {what}")
    outcome = ""
    for index in range(context.options.count):
        text = script.read_bytes().decode("utf-8")
        varied = re.sub(r"\b\d+(?=\s*\*\s*[KM]B)",
                        lambda match: str(rng.choice(FACTORS)) if rng.random() < 0.1 else match[0], text)
        copy = context.work / "varied.py"
        copy.write_bytes(varied.encode("utf-8"))
        messages = dump(context, copy)["diagnostics"]
        if any("must be from 0" in message["message"] for message in messages):
            outcome += "-"
            continue
        counts = compare_script(context, copy, library, f"{what}, variant {index}")
        outcome += "w" if counts.warnings else "=" if counts.sections else "e"
    return outcome


def compare_error(ours: Any, python: Any, what: str) -> None:
    check("variables" not in ours, f"{what}: Python says {python}, but nothing was refused")
    same(f"{what}: errors", len(ours["diagnostics"]), 1)
    error = ours["diagnostics"][0]
    same(f"{what}: line of {error['message']!r} and {python['message']!r}", error["line"], python["line"])
    unknown = python["error"] in ("NameError", "UnboundLocalError")
    same(f"{what}: code", error["code"], "sdk.name" if unknown else "sdk.script")
    if unknown:
        check(python["message"].startswith(error["message"]), f"{what}: {error['message']} for {python['message']}")


def section_of(section: Any) -> tuple[Any, ...]:
    return tuple(section[key] for key in SECTION)


def map_of(one: Any) -> tuple[Any, ...]:
    entries = [section_of(entry.get("section", entry)) for entry in one["entries"]]
    return one["title"], one["overlap_checked"], *entries


def export_of(one: Any) -> tuple[Any, ...]:
    entries = [section_of(entry.get("section", entry)) for entry in one["entries"]]
    return (one["kind"], one["map_title"], one["path"], one.get("physical_base"), one.get("virtual_base"), *entries)


def compare_sections(ours: Any, python: Any, what: str) -> None:
    same(f"{what}: number of sections", len(ours["sections"]), len(python["sections"]))
    for index, (actual, expected) in enumerate(zip(ours["sections"], python["sections"])):
        same(f"{what}: section {index}", section_of(actual), section_of(expected))
        if actual["variable"] in python["section_names"]:
            same(f"{what}: {actual['variable']}", index, python["section_names"][actual["variable"]])


def compare_warnings(ours: Any, python: Any, what: str) -> None:
    found = [message["message"] for message in ours["diagnostics"]]
    expected = [f"'{one}' and '{other}' overlap in the script's map '{title}'"
                for title, one, other in python["warnings"]]
    same(f"{what}: warnings", found, expected)


def check_places(context: Context, script: Path, ours: Any, what: str) -> None:
    """Every place holds its text, and an expression put into brackets there changes no value."""
    content = script.read_bytes()
    edits = []
    for variable in ours["variables"]:
        for assignment in variable["assignments"]:
            name, expression = assignment["name_place"], assignment["expression"]
            same(f"{what}: place of a name", piece(content, name), variable["name"])
            check_expression(content, expression, f"{what}: {variable['name']}")
            edits.append(expression["place"])
    for section in ours["sections"]:
        check_expression(content, section["origin_argument"], f"{what}: origin of {section['name']}")
        check_expression(content, section["length_argument"], f"{what}: length of {section['name']}")
        check(piece(content, section["place"]).startswith("MemSection"), f"{what}: place of {section['name']}")
        edits += [section["origin_argument"]["place"], section["length_argument"]["place"]]
    edited = context.work / "edited.py"
    edited.write_bytes(bracketed(content, edits))
    again = dump(context, edited)
    check("variables" in again, f"{what}: refused after editing: {again['diagnostics']}")
    same(f"{what}: values after editing", values_of(again), values_of(ours))


def piece(content: bytes, place: Any) -> str:
    return content[place["offset"]:place["offset"] + place["length"]].decode("utf-8")


def check_expression(content: bytes, expression: Any, what: str) -> None:
    place = expression["place"]
    same(f"{what}: text", piece(content, place), expression["text"])
    before = content[:place["offset"]].removeprefix(b"\xEF\xBB\xBF").replace(b"\r\n", b"\n")
    same(f"{what}: line", place["line"], before.count(b"\n") + 1)
    same(f"{what}: column", place["column"], len(before) - before.rfind(b"\n"))
    ast.parse(f"({expression['text']})", mode="eval")
    same(f"{what}: blanks", expression["text"].strip(" \t;"), expression["text"])


def bracketed(content: bytes, places: list[Any]) -> bytes:
    for offset, length in sorted({(place["offset"], place["length"]) for place in places}, reverse=True):
        content = content[:offset] + b"(" + content[offset:offset + length] + b")" + content[offset + length:]
    return content


def values_of(document: Any) -> Any:
    return ([(one["name"], one["value"], [a["expression"]["uses"] for a in one["assignments"]])
             for one in document["variables"]],
            [section_of(section) for section in document["sections"]])


def trees() -> list[Path]:
    named = os.environ.get(VARIABLE, "")
    if not named:
        raise Skip(f"{VARIABLE} does not name a Processor SDK")
    found = []
    for name in filter(None, named.split(":")):
        folders = [folder for folder in (Path(name) / "vision_apps", Path(name))
                   if (folder / "platform").is_dir() and (folder / TOOLS).is_dir()]
        if not folders:
            fail(f"{VARIABLE}: neither {name} nor its vision_apps has platform/ and {TOOLS}")
        found.append(folders[0].resolve())
    return found


def body(context: Context) -> str:
    jobs: list[tuple[Path, Path]] = []
    if context.options.own:
        libraries = [OWN / "library"]
        if os.environ.get(VARIABLE):
            libraries += [tree / TOOLS for tree in trees()]
        jobs = [(script, library) for library in libraries for script in sorted((OWN / "scripts").glob("*.py"))]
    else:
        for tree in trees():
            jobs += [(script, tree / TOOLS) for script in sorted(tree.glob("platform/*/rtos/gen_linker_mem_map*.py"))]
    check(jobs, "no script")
    total = Counts()
    for script, library in jobs:
        what = "/".join(script.parts[-4:])
        counts = compare_script(context, script, library, what)
        varied = "" if context.options.own else compare_varied(context, script, library, what)
        print(f"  {what} with {library}: {counts} {varied}", flush=True)
        for name, value in vars(counts).items():
            setattr(total, name, getattr(total, name) + value)
    return f"{len(jobs)} scripts, {total}"


if __name__ == "__main__":
    main(__doc__, body, add_options)
