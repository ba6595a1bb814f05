"""Processor time of a fresh build, by room: what samples/quickstart.sh builds, in a folder that is removed again.

Every compilation and every link is started by this script, which asks the system what it took. The last lines are what a
newcomer waits for, and the largest compiler.
"""

import argparse
import collections
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
LOG = "MEMSIZE_BENCH_BUILD"


def launch(words: list[str]) -> int:
    """A compiler, started for cmake: its time and its memory go to the log."""
    status = subprocess.run(words, check=False).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = words[words.index("-o") + 1] if "-o" in words else words[-1]
    with open(os.environ[LOG], "a", encoding="utf-8") as log:
        log.write(f"{used.ru_utime + used.ru_stime:.3f} {used.ru_maxrss} {output}\n")
    return status


def room_of(output: str) -> str:
    target = output.split("CMakeFiles/", 1)[1].split(".dir/")[0] if "CMakeFiles/" in output else output
    return "cli" if target == "memsize" else target.removeprefix("memsize_")


def build(folder: Path, jobs: int, tests: str) -> None:
    launcher = f"{sys.executable};{Path(__file__).resolve()};--launch"
    subprocess.run(["cmake", "--preset", "release", "-B", str(folder), f"-DMEMSIZE_TESTS={tests}",
                    *(f"-DCMAKE_{language}_{kind}_LAUNCHER={launcher}" for language in ("C", "CXX") for kind in ("COMPILER", "LINKER"))],
                   cwd=SOURCE, stdout=subprocess.DEVNULL, check=True)
    subprocess.run(["cmake", "--build", str(folder), "-j", str(jobs)], stdout=subprocess.DEVNULL, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--tests", action="store_const", const="ON", default="OFF", help="what tests/run.sh builds, too")
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="memsize-build-"))
    os.environ[LOG] = str(work / "log")
    begun = time.monotonic()
    try:
        build(work / "build", options.jobs, options.tests)
        took = time.monotonic() - begun
        seconds: collections.Counter[str] = collections.Counter()
        largest = (0, "")
        for line in (work / "log").read_text(encoding="utf-8").splitlines():
            used, memory, output = line.split(" ", 2)
            seconds[room_of(output)] += float(used)
            largest = max(largest, (int(memory), Path(output).name))
    finally:
        shutil.rmtree(work)
    for room, used in seconds.most_common():
        print(f"{room:24} {used:7.1f} s")
    print(f"{'all':24} {sum(seconds.values()):7.1f} s of processor time, {took:.0f} s with {options.jobs} jobs")
    print(f"{'the largest compiler':24} {largest[0] / 1024:7.0f} MiB, {largest[1]}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--launch"]:
        sys.exit(launch(sys.argv[2:]))
    main()
