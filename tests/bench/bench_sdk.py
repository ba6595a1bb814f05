"""Times check --sdk: of a fictitious tree, and of each tree that MEMSIZE_TI_SDK names and of each part in it; and
emit --sdk where nothing has to change, as it runs before every build."""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
VARIABLE = "MEMSIZE_TI_SDK"
AGAIN = ", remembered"
BUDGET = 50.0  # ms for one part of an SDK
SAME_BUDGET = 20.0  # ms for emit --sdk with nothing to change
REMEMBERED_BUDGET = 8.0  # ms for the same, where an earlier run is remembered


def once(words: list[str], quiet: int, cache: Path) -> tuple[float, float]:
    """Seconds, on the clock and of the processor; a tree may have findings."""
    variables = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    actions = [(os.POSIX_SPAWN_DUP2, quiet, 1), (os.POSIX_SPAWN_DUP2, quiet, 2)]
    start = time.perf_counter()
    child = os.posix_spawn(words[0], words, variables, file_actions=actions)
    _, status, usage = os.wait4(child, 0)
    elapsed = time.perf_counter() - start
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        raise SystemExit(f"{' '.join(words)}: status {os.waitstatus_to_exitcode(status)}")
    return elapsed, usage.ru_utime + usage.ru_stime


def parts_of(memsize: str, tree: Path) -> dict[str, Path]:
    """Each part's own folder."""
    words = [memsize, "check", "--sdk", str(tree), "--json"]
    found = subprocess.run(words, check=False, capture_output=True, text=True)
    document = json.loads(found.stdout)
    return {variant["soc"]: Path(variant["folder"]) for variant in document["variants"]}


def rows(memsize: str, work: Path) -> dict[str, list[str]]:
    own = SOURCE / "tests" / "data" / "zx9"
    check = [memsize, "check", "--sdk"]
    commands = {"/bin/true": ["/bin/true"],
                "the fictitious tree": [*check, str(own), "--board", str(own / "board.toml")]}
    for number, name in enumerate(filter(None, os.environ.get(VARIABLE, "").split(":"))):
        commands[name] = [*check, name]
        for soc, folder in parts_of(memsize, Path(name)).items():
            # A tree that has nothing else.
            alone = work / f"{number}-{soc}" / "platform" / soc
            shutil.copytree(folder, alone / "rtos", ignore=shutil.ignore_patterns("*.html"))
            commands[f"  {soc}"] = [*check, str(alone.parents[1])]
            if (SOURCE / "boards" / f"{soc}.toml").is_file():
                emit = [memsize, "emit", "--no-project", "--board", soc, "--sdk", str(alone.parents[1]), "--check"]
                commands[f"  {soc}: emit"] = emit
                commands[f"  {soc}: emit{AGAIN}"] = emit
        commands[f"{name} --sarif"] = [*check, name, "--sarif"]
    return commands


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memsize", required=True)
    parser.add_argument("--runs", type=int, default=20)
    options = parser.parse_args()
    memsize = os.path.abspath(options.memsize)
    work = Path(tempfile.mkdtemp())
    quiet = os.open("/dev/null", os.O_WRONLY)
    try:
        commands = rows(memsize, work)
        results: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
        for _ in range(options.runs):
            for name, words in commands.items():
                results[name].append(once(words, quiet, work / "cache" if name.endswith(AGAIN) else Path(os.devnull)))
    finally:
        shutil.rmtree(work)
    print(f"check --sdk, {options.runs} runs each, medians; {VARIABLE} "
          + ("names the trees" if len(commands) > 2 else "is not set: no real tree is measured"))
    print(f"  {'':<40} {'ms':>8} {'ms of the processor':>20}")
    for name, values in results.items():
        clock, processor = (statistics.median(column) * 1e3 for column in zip(*values))
        # What else the machine does is not the tree's fault.
        budget = (SAME_BUDGET if name.endswith(": emit") else REMEMBERED_BUDGET if name.endswith(AGAIN)
                  else BUDGET)
        over = "  over budget" if name.startswith("  ") and processor > budget else ""
        print(f"  {name:<40} {clock:8.2f} {processor:20.2f}{over}")


if __name__ == "__main__":
    sys.exit(main())
