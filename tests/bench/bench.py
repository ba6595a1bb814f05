"""Times whole processes. Commands take turns, so that what else the machine does hits all of them alike."""

import argparse
import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path


def run(words: list[str], quiet: int) -> float:
    actions = [(os.POSIX_SPAWN_DUP2, quiet, 1), (os.POSIX_SPAWN_DUP2, quiet, 2)]
    start = time.perf_counter()
    child = os.posix_spawn(words[0], words, os.environ, file_actions=actions)
    _, status = os.waitpid(child, 0)
    elapsed = time.perf_counter() - start
    if status != 0:
        raise SystemExit(f"{' '.join(words)}: status {status}")
    return elapsed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memsize", required=True)
    parser.add_argument("--source", required=True, type=Path)
    parser.add_argument("--runs", type=int, default=200)
    options = parser.parse_args()
    memsize = os.path.abspath(options.memsize)
    trace = str(options.source / "samples/j722s-mobilenet/trace.log")
    scratch = tempfile.mkdtemp()
    same = os.path.join(scratch, "same")
    quiet = os.open("/dev/null", os.O_WRONLY)
    board = ["--board", "j722s-sdk11"]
    commands = {
        "/bin/true": ["/bin/true"],
        "memsize --version": [memsize, "--version"],
        "analyze, no board": [memsize, "analyze", trace],
        "analyze, with board": [memsize, "analyze", trace, *board],
        "emit, all files new": [memsize, "emit", *board, "--trace", trace, "--out", "{NEW}"],
        "emit, nothing to change": [memsize, "emit", *board, "--trace", trace, "--out", same],
    }
    run([memsize, "emit", *board, "--trace", trace, "--out", same], quiet)
    times: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(options.runs):
        for name, words in commands.items():
            fresh = os.path.join(scratch, f"new{turn}")
            times[name].append(run([fresh if word == "{NEW}" else word for word in words], quiet))
        shutil.rmtree(os.path.join(scratch, f"new{turn}"))
    shutil.rmtree(scratch)
    base = statistics.median(times["/bin/true"])
    print(f"{options.runs} runs each, medians")
    for name, values in times.items():
        median = statistics.median(values)
        print(f"  {name:<26} {median * 1e3:8.2f} ms   {median / base:6.2f} x /bin/true")


if __name__ == "__main__":
    main()
