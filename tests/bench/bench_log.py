"""How fast a large log is read, on one core, in turns with tools that look at each of its bytes, too. The log is made
by make_log.py and stays in the page cache. Memory is measured with a small and with the whole log."""

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from make_log import UNITS, parse_size

HERE = Path(__file__).resolve().parent
SMALL = 64 * UNITS["MiB"]
WORD = ", 0x"
# What memsize is held against.
MEASURES = ("wc -l", "rg -F -c")


def warm(log: Path) -> None:
    """Reads the log once, in pieces: a process counts the memory of the one that started it as its own."""
    with open(log, "rb", buffering=0) as whole:
        while whole.read(UNITS["MiB"]):
            pass


def run(words: list[str], quiet: int) -> tuple[float, float, int]:
    """Seconds, those of the processor, and the most memory in KiB; that is never less than this script's own."""
    start = time.perf_counter()
    child = os.posix_spawn(words[0], words, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, quiet, 1)])
    _, status, usage = os.wait4(child, 0)
    elapsed = time.perf_counter() - start
    if status != 0:
        raise SystemExit(f"{' '.join(words)}: status {status}")
    return elapsed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def commands(options: argparse.Namespace) -> dict[str, list[str]]:
    found = {"memsize analyze": [os.path.abspath(options.memsize), "analyze"]}
    for name, program, arguments in (
        ("line scanner alone", options.scan_lines, []),
        ("wc -l", shutil.which("wc"), ["-l"]),
        ("grep -F -c", shutil.which("grep"), ["-F", "-c", WORD]),
        ("rg -F -c", shutil.which("rg"), ["-F", "-c", WORD]),
        ("RE2, a line at a time", options.scan_re2, []),
        ("Python re, a line at a time", sys.executable, [str(HERE / "scan_re.py")]),
    ):
        if program and os.path.exists(program):
            found[name] = [program, *arguments]
        else:
            print(f"skipped, it is not there: {name}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memsize", required=True)
    parser.add_argument("--scan-lines", default="", help="the program of scan_lines.cpp")
    parser.add_argument("--scan-re2", default="", help="the program of scan_re2.cpp")
    parser.add_argument("--size", type=parse_size, default=256 * UNITS["MiB"])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--log", type=Path, help="one that is there, instead of a made one")
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp())
    log = options.log or work / "log"
    if options.log is None:
        os.system(f"{sys.executable} {HERE / 'make_log.py'} --size {options.size} -o {log}")
    small = work / "small"
    with open(log, "rb") as whole, open(small, "wb") as part:
        for _ in range(SMALL // UNITS["MiB"]):
            part.write(whole.read(UNITS["MiB"]))
    # This process, and so its children.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    # Not /dev/null: grep stops at the first line then.
    quiet = os.open(work / "printed", os.O_WRONLY | os.O_CREAT)
    warm(log)
    found = commands(options)
    times: dict[str, list[float]] = {name: [] for name in found}
    processor: dict[str, list[float]] = {name: [] for name in found}
    memory: dict[str, int] = {}
    for _ in range(options.runs):
        for name, words in found.items():
            elapsed, computed, memory[name] = run([*words, str(log)], quiet)
            times[name].append(elapsed)
            processor[name].append(computed)
    size = log.stat().st_size
    print(f"{size / 1e9:.2f} GB, {options.runs} runs each, medians, one core")
    print("GB/s by the clock, by the processor's time (what others do on the machine counts less), and ratios of that")
    medians = {name: statistics.median(values) for name, values in processor.items()}
    for name, median in medians.items():
        ratios = "".join(
            f"   {medians[measure] / median:5.2f} x {measure}" for measure in MEASURES if measure in medians
        )
        clock = statistics.median(times[name])
        print(f"  {name:<28} {size / clock / 1e9:6.2f} {size / median / 1e9:6.2f}{ratios}   {memory[name] / 1024:7.1f} MiB")
    _, _, least = run([*found["memsize analyze"], str(small)], quiet)
    print(
        f"  memory of memsize analyze: {least / 1024:.1f} MiB for {min(size, SMALL) >> 20} MiB, "
        f"{memory['memsize analyze'] / 1024:.1f} MiB for {size >> 20} MiB"
    )
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
