"""How long documents of many logs take together, how much memory, and how both grow; and whether they say what one run
over the logs says. The logs are the sample's with other sizes."""

import argparse
import json
import math
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from bench_log import run

# A size in the sample, by which its logs differ.
SIZE = "2755.41"


def make_logs(sample: str, folder: Path, count: int) -> None:
    for log in range(count):
        path = folder / f"{log // 1000:04}" / f"{log:07}.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(sample.replace(SIZE, f"{1700 + log % 1000}.{log // 1000:02}"))


def demands(memsize: str, folder: Path) -> list[dict]:
    words = [memsize, "analyze", str(folder), "--board", "j722s-sdk11", "--json"]
    document = json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout)
    return [{key: value for key, value in demand.items() if key != "max_path"} for demand in document["demands"]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memsize", required=True)
    parser.add_argument("--source", required=True, type=Path)
    parser.add_argument("--most", type=int, default=10_000, help="how many logs at most; 100000 take minutes")
    options = parser.parse_args()
    memsize = os.path.abspath(options.memsize)
    sample = (options.source / "samples/j722s-mobilenet/trace.log").read_text()
    quiet = os.open("/dev/null", os.O_WRONLY)
    before = None
    count = 1000
    while count <= options.most:
        work = Path(tempfile.mkdtemp())
        make_logs(sample, work / "logs", count)
        analyze = [memsize, "analyze", "--board", "j722s-sdk11"]
        run([*analyze, str(work / "logs"), "-o", str(work / "documents")], quiet)
        elapsed, computed, memory = run([*analyze, str(work / "documents")], quiet)
        same = demands(memsize, work / "logs") == demands(memsize, work / "documents")
        grown = "" if before is None else f", exponent {math.log10(computed / before):.2f}"
        print(
            f"  {count:>7} documents: {elapsed:7.2f} s, {computed:7.2f} s of the processor{grown}, "
            f"{memory / 1024:6.1f} MiB; as the logs: {'yes' if same else 'NO'}"
        )
        before = computed
        count *= 10
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
