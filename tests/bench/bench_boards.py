"""Times emit and check of every bundled board; with MEMSIZE_TI_SDK, in turns with the SDK's own generator."""

import argparse
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench import run

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "accept"))

from accept_sdk_generator import BOARDS  # noqa: E402
from sdk_tree import TOOLS, Script, find_vision_apps, write_stubs  # noqa: E402
from support import Skip  # noqa: E402

BUDGET = 10  # the generator must take that many times as long


def boards_of(memsize: str) -> list[str]:
    listed = subprocess.run([memsize, "list", "boards"], check=True, capture_output=True, text=True)
    return listed.stdout.split()[1:]


def generator_of(board: str, work: Path) -> list[str] | None:
    """The command that runs the SDK's script for the board in a copy of its folder; None without an SDK."""
    try:
        vision_apps = find_vision_apps()
    except Skip:
        return None
    if board not in BOARDS:
        return None
    soc, name = BOARDS[board]
    script = Script(board, vision_apps, soc, name)
    folder = work / f"{board}-sdk"
    shutil.copytree(script.folder, folder, ignore=shutil.ignore_patterns("*.c", "*.mak"))
    variables = {"PYTHONPATH": str(vision_apps / TOOLS), "PYTHONDONTWRITEBYTECODE": "1", **write_stubs(work)}
    words = [f"{variable}={shlex.quote(value)}" for variable, value in variables.items()]
    return ["/bin/sh", "-c", f"cd {shlex.quote(str(folder))} && exec env {' '.join(words)} {sys.executable} {name}"]


def row(memsize: str, board: str, runs: int, work: Path, quiet: int) -> str:
    out = work / board
    run([memsize, "emit", "--board", board, "--out", str(out)], quiet)
    generator = generator_of(board, work)
    times: dict[str, list[float]] = {"emit": [], "check": [], "generator": []}
    for turn in range(runs):
        fresh = work / f"{board}-{turn}"
        times["emit"].append(run([memsize, "emit", "--board", board, "--out", str(fresh)], quiet))
        shutil.rmtree(fresh)
        times["check"].append(run([memsize, "check", "--board", board, "--map", str(out)], quiet))
        if generator:
            times["generator"].append(run(generator, quiet))
    emit, check = (statistics.median(times[name]) * 1e3 for name in ("emit", "check"))
    text = f"  {board:<16} {emit:8.2f} {check:8.2f}"
    if generator:
        theirs = statistics.median(times["generator"]) * 1e3
        text += f" {theirs:10.2f} {theirs / emit:6.1f} x{'' if theirs >= BUDGET * emit else '  over budget'}"
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memsize", required=True)
    parser.add_argument("--runs", type=int, default=20)
    options = parser.parse_args()
    memsize = os.path.abspath(options.memsize)
    work = Path(tempfile.mkdtemp())
    quiet = os.open("/dev/null", os.O_WRONLY)
    print(f"{options.runs} runs each, medians in ms; the generator is that of MEMSIZE_TI_SDK")
    print(f"  {'board':<16} {'emit':>8} {'check':>8} {'generator':>10} {'emit':>8}")
    try:
        for board in boards_of(memsize):
            print(row(memsize, board, options.runs, work, quiet), flush=True)
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
