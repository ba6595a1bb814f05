"""A trace, a board and an SDK tree each have a generation: any two that differ are told.

First without a tree: the bundled trace on every board of its part; each command line that a refusal proposes is run by
a shell, and must work. Then the trees that MEMSIZE_TI_SDK names (separated by ':'): each is known by a hash of one of
its scripts, and its generation is what the tree's release is, for every part of it; `board import` writes it; `emit
--sdk` refuses traces and boards of another one, without a change; a tree without the files that tell it is said to be
one of which nothing tells.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

from support import TRACE, Context, Skip, check, files_of, main, parse_json, same

VARIABLE = "MEMSIZE_TI_SDK"
# platform/j722s/rtos/gen_linker_mem_map.py of trees as published, by the first digits of its hash.
KNOWN = {"b4e19152abdb2b6c": "12", "19e1fc4e12402642": "11", "ed4f64c7daa57f49": "10"}
COMMAND = re.compile(r"memsize (?:emit|analyze|board) [^;\n]*")
TITLES = {"10": "SDK 10.x", "11": "SDK 11.01", "12": "SDK 12.0"}


def proposed(text: str) -> list[str]:
    """The command lines of hints."""
    lines = [line for line in text.splitlines() if line.startswith("  hint: ")]
    return [found.group().strip() for line in lines for found in COMMAND.finditer(line)]


def run_proposed(context: Context, command: str, where: Path) -> str:
    """As a user pastes it."""
    tools = where / "bin"
    tools.mkdir(parents=True, exist_ok=True)
    program = tools / "memsize"
    if not program.exists():
        program.symlink_to(Path(context.memsize).resolve())
    done = subprocess.run(["/bin/sh", "-c", command], cwd=where, capture_output=True, text=True, timeout=120, check=False,
                          env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"})
    same(f"{command}\n{done.stderr}", done.returncode, 0)
    return done.stderr


def check_bundled(context: Context) -> int:
    """A trace of SDK 11.01 on the boards of its part."""
    count = 0
    where = context.work / "hints"
    where.mkdir(parents=True, exist_ok=True)
    context.run("emit", "--board", "j722s-sdk11", "--trace", TRACE, "--out", where / "right")
    for extra in ((), ("--headroom", "20%"), ("--set", "c7x_2_ddr_scratch_size=6MiB"), ("--tight", "--core", "c7x_2")):
        refused = context.run("emit", "--board", "j722s", "--trace", TRACE, "--out", where / "wrong", *extra, expect=1)
        check(not (where / "wrong").exists(), "a refused emit wrote something")
        commands = proposed(refused.stderr)
        same("commands", len(commands), 2)
        check("--board j722s-sdk11" in commands[0], f"the board that fits is not named: {commands[0]}")
        for command in commands:
            said = run_proposed(context, command, where)
            check("error" not in said, said)
            shutil.rmtree(where / "wrong")
            count += 1
    said = context.run("analyze", TRACE, "--board", "j722s")
    for command in proposed(said.stderr):
        run_proposed(context, command, where)
        count += 1
    return count


def trees() -> dict[str, Path]:
    """By generation."""
    found = {}
    for named in filter(None, os.environ.get(VARIABLE, "").split(":")):
        folders = [folder for folder in (Path(named) / "vision_apps", Path(named)) if (folder / "platform").is_dir()]
        check(folders, f"{VARIABLE}: {named} has no platform")
        script = folders[0] / "platform" / "j722s" / "rtos" / "gen_linker_mem_map.py"
        known = KNOWN.get(hashlib.sha256(script.read_bytes()).hexdigest()[:16]) if script.is_file() else None
        if known is None:
            print(f"{named}: nobody has looked at this tree by hand")
        else:
            found[known] = folders[0].resolve()
    if not found:
        raise Skip(f"{VARIABLE} does not name a Processor SDK")
    return found


def copy_of(context: Context, tree: Path, soc: str) -> Path:
    root = context.work / "tree"
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(tree / "platform" / soc, root / "platform" / soc, symlinks=True)
    return root


def check_import(context: Context, generation: str, tree: Path) -> int:
    count = 0
    for platform in sorted(tree.glob("platform/*")):
        if not (platform / "rtos" / "gen_linker_mem_map.py").is_file():
            continue
        board = context.run("board", "import", "--sdk", tree, "--soc", platform.name).stdout
        same(f"{generation} {platform.name}", tomllib.loads(board).get("generation"), generation)
        count += 1
    return count


def refused(context: Context, tree: Path, *words: object) -> str:
    before = files_of(tree)
    done = context.run("emit", "--sdk", tree, *words, expect=1)
    same(f"{words}: the tree", files_of(tree), before)
    return done.stderr


def check_emit(context: Context, generation: str, tree: Path) -> int:
    """The bundled boards of J722S are of 11 and 12, its trace is of 11."""
    count = 0
    for board, of_board in (("j722s", "12"), ("j722s-sdk11", "11")):
        copy = copy_of(context, tree, "j722s")
        if of_board == generation:
            context.run("emit", "--board", board, "--sdk", copy, "--set", "c7x_2_ddr_scratch_size=48MiB")
        else:
            said = refused(context, copy, "--board", board, "--set", "c7x_2_ddr_scratch_size=48MiB")
            check(f"is of {TITLES[of_board]}, but this tree is of {TITLES[generation]}" in said, said)
            for command in proposed(said)[-1:]:
                run_proposed(context, said[said.index("hint: ") + 6:].splitlines()[0], copy.parent)
                check("--accept-generation" not in command, command)
            shutil.rmtree(copy)
            copy = copy_of(context, tree, "j722s")
            told = context.run("emit", "--board", board, "--sdk", copy, "--set", "c7x_2_ddr_scratch_size=48MiB",
                               "--accept-generation").stderr
            check("warning[sizing.generation]" in told, told)
        count += 1
        copy = copy_of(context, tree, "j722s")
        if generation == "11" and of_board == "11":
            context.run("emit", "--board", board, "--sdk", copy, "--trace", TRACE)
        else:
            said = refused(context, copy, "--board", board, "--trace", TRACE)
            if generation != "11":
                check(f"the trace is of SDK 11.01, but the SDK tree is of {TITLES[generation]}" in said, said)
                check("--accept-generation" in proposed(said)[-1], said)
                run_proposed(context, proposed(said)[-1], copy.parent)
        told = context.run("analyze", TRACE, "--board", board, "--sdk", copy_of(context, tree, "j722s")).stderr
        same(f"{generation} {board}: analyze --sdk", "the SDK tree is of" in told, generation != "11")
        count += 2
    return count


def check_reading(context: Context, generation: str, tree: Path) -> int:
    """Verbs that only read the tree say so, too, and propose the board that fits, where there is one."""
    count = 0
    copy = copy_of(context, tree, "j722s")
    for board, of_board in (("j722s", "12"), ("j722s-sdk11", "11")):
        differs = f"is of {TITLES[of_board]}, but this tree is of {TITLES[generation]}"
        done = context.run("check", "--sdk", copy, "--board", board, "--json", expect=(0, 1))
        found = parse_json(done.stdout, "check --json")["diagnostics"]
        told = [one for one in found if one["code"] == "sizing.generation"]
        same(f"{generation} {board}: check", [one["severity"] for one in told], [] if of_board == generation else ["error"])
        said = context.run("why", "DDR_C7X_2_SCRATCH", "--sdk", copy, "--board", board).stderr
        same(f"{generation} {board}: why", "warning[sizing.generation]" in said, of_board != generation)
        if told:
            check(differs in told[0]["message"] and differs in said, f"{told} {said}")
            run_proposed(context, said[said.index("hint: ") + 6:].splitlines()[0], copy.parent)
        if told and generation in ("11", "12"):
            fits = "j722s" if generation == "12" else "j722s-sdk11"
            same("check's hint", told[0]["hint"], f"memsize check --board {fits} --sdk {copy}")
        count += 2
    return count


def check_unknown(context: Context, tree: Path) -> int:
    """Without the files that tell it, nobody knows: said, and nothing is assumed without a word."""
    copy = copy_of(context, tree, "j722s")
    rtos = copy / "platform" / "j722s" / "rtos"
    for name in ("common/app_init.c", "common/app.h", "concerto_c7x_inc.mak"):
        (rtos / name).unlink()
    board = tomllib.loads(context.run("board", "import", "--sdk", copy, "--soc", "j722s").stdout)
    check("generation" not in board or (rtos / "c7x_1" / "freertos.syscfg").is_file(), "a generation out of nothing")
    if "generation" in board:
        return 1
    said = context.run("emit", "--board", "j722s", "--sdk", copy, "--diff", "--json").stdout
    found = [one["message"] for one in parse_json(said, "emit --json").get("diagnostics", [])]
    check(any("cannot be told" in message for message in found), f"an unknown tree is not told: {found}")
    return 1


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--own", action="store_true", help="only what needs no tree")


def body(context: Context) -> str:
    if context.options.own:
        return f"{check_bundled(context)} hints"
    hints = check_bundled(context)
    found = trees()
    parts = emits = unknown = 0
    for generation, tree in found.items():
        parts += check_import(context, generation, tree)
        emits += check_emit(context, generation, tree) + check_reading(context, generation, tree)
        unknown += check_unknown(context, tree)
    return f"{hints} hints, {len(found)} trees, {parts} parts, {emits} calls, {unknown} trees of which nothing tells"


if __name__ == "__main__":
    main(__doc__ or "", body, add_options)
