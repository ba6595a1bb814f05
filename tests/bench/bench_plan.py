"""How fast, how low and in how much memory plan packs tables of lifetimes, on one core, in turns with google/minimalloc
where its program is named, and with fpedd/omnimalloc's SuperMalloc where a Python that has it is. The data are those of --data: folders of tables with the columns id, lower, upper, size, of
which minimalloc/ has the challenging ones. Times are the processor's, so that what others do on the machine counts
less. It reports and judges nothing."""

import argparse
import heapq
import json
import os
import random
import statistics
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUNDLED = HERE.parent / "data" / "plans"
ELSEWHERE = Path(os.environ.get("MEMSIZE_PLAN_DATA", HERE.parents[2] / "shared" / "data" / "planner"))
NETWORKS = ("mlperf_tiny", "tflm_examples", "coral")
# What the challenging tables are planned for: where the number is below what their names say, what is alive at once
# leaves room.
CAPACITY = 1048576
TARGETS = {"D": 1038336, "J": 1032192}
LARGE = 5000
# More are not asked of OmniMalloc: a stack frame each.
PEERS_MOST = 20000


def rows_of(path: Path) -> int:
    return path.read_bytes().count(b"\n") - 1


def most_alive(path: Path) -> int:
    changes = []
    lines = path.read_text().split()
    columns = lines[0].split(",")
    lower, upper, size = (columns.index(name) for name in ("lower", "upper", "size"))
    for line in lines[1:]:
        fields = line.split(",")
        changes += [(int(fields[lower]), int(fields[size])), (int(fields[upper]), -int(fields[size]))]
    alive = most = 0
    for _, change in sorted(changes):
        alive += change
        most = max(most, alive)
    return most


class Bench:
    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.work = Path(tempfile.mkdtemp())
        self.out = self.work / "out"
        self.started: float | None = None

    def run(self, words: list[object]) -> tuple[float, float, int]:
        """Seconds of the processor, exit status, and the most memory in KiB; that is never less than this script's own."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        actions = [(os.POSIX_SPAWN_OPEN, 1, str(self.out), flags, 0o600),
                   (os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0)]
        command = list(map(str, words))
        child = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
        _, status, usage = os.wait4(child, 0)
        return usage.ru_utime + usage.ru_stime, os.waitstatus_to_exitcode(status), usage.ru_maxrss

    def plan(self, path: Path, words: list[object], runs: int) -> dict[str, object]:
        """Of the whole program, from its start to its end."""
        times = []
        memory = 0
        command = [os.path.abspath(self.options.memsize), "plan", path, *words]
        for _ in range(runs):
            took, _, memory = self.run([*command, "--csv"])
            times.append(took)
        self.run([*command, "--json"])
        document = json.loads(self.out.read_text())
        arena = document["arenas"][0]
        return {"seconds": statistics.median(times), "rss": memory / 1024, "height": arena["height_bytes"],
                "bound": arena["lower_bound_bytes"], "proof": arena["proof"]}

    def peer(self, path: Path, capacity: int, runs: int) -> str:
        if not self.options.minimalloc:
            return "-"
        limit = self.options.peer_limit
        times = []
        for _ in range(runs):
            took, status, memory = self.run(
                [self.options.minimalloc, f"--capacity={capacity}", f"--input={path}", f"--output={self.work / 'peer'}",
                 f"--timeout={limit}s"])
            if status != 0:
                return f"none in {took:.0f} s, {memory / 1024:.0f} MB"
            times.append(took)
        return f"{statistics.median(times):.3f} s, {memory / 1024:.0f} MB"

    def omnimalloc(self, path: Path, capacity: int | None) -> str:
        """How low, and in how much of the processor's time without that of starting it."""
        if not self.options.omnimalloc:
            return "-"
        python = [self.options.omnimalloc, HERE / "peer_omnimalloc.py"]
        if self.started is None:
            self.started, _, _ = self.run([*python, "--help"])
        words = [path, "--seconds", self.options.peer_limit, *(["--capacity", capacity] if capacity else [])]
        took, status, memory = self.run([*python, *words])
        height = self.out.read_text().strip()
        if status != 0:
            return f"failed after {took:.0f} s"
        return f"{height:>8} {max(took - self.started, 0):.3f} s, {memory / 1024:.0f} MB"

    def alone(self, paths: list[Path], words: list[object], seconds: float) -> dict[Path, tuple[float, int, int, int, str]]:
        """Of the planner alone: seconds, steps, height, bound and proof."""
        if not self.options.pack or not os.path.exists(self.options.pack):
            return {}
        done = subprocess.run([self.options.pack, "--seconds", str(seconds), *map(str, words), *map(str, paths)],
                              stdout=subprocess.PIPE, text=True, check=True)
        found = {}
        for line in done.stdout.splitlines():
            path, took, steps, height, bound, proof = line.split("\t")
            found[Path(path)] = (float(took), int(steps), int(height), int(bound), proof)
        return found


def gap(height: int, bound: int) -> str:
    return f"{100 * (height - bound) / bound:.2f} %" if bound else "-"


def networks(bench: Bench, paths: list[Path]) -> None:
    print(f"\nnetworks: {len(paths)}; the planner alone, the whole program, the peer for as much as is alive")
    print(f"  {'':<58} {'rows':>5} {'height':>9} {'gap':>7} {'proof':<9} {'steps':>7} {'alone':>9} {'program':>9}  minimalloc")
    alone = bench.alone(paths, [], 0.02)
    for path in paths:
        whole = bench.plan(path, [], bench.options.runs)
        took, steps, *_ = alone.get(path, (float("nan"), 0))
        peer = bench.peer(path, int(whole["bound"]), bench.options.runs)
        print(f"  {path.parent.name + '/' + path.stem:<58} {rows_of(path):>5} {whole['height']:>9}"
              f" {gap(whole['height'], whole['bound']):>7} {whole['proof']:<9} {steps:>7} {took * 1e3:>6.3f} ms"
              f" {whole['seconds'] * 1e3:>6.1f} ms  {peer}")
    if alone:
        slowest = max(alone, key=lambda path: alone[path][0])
        proved = sum(found[4] in ("bound", "exhausted") for found in alone.values())
        print(f"  {proved} of {len(alone)} proved; the slowest takes {alone[slowest][0] * 1e3:.3f} ms ({slowest.stem}), all"
              f" {sum(found[0] for found in alone.values()) * 1e3:.2f} ms")


def targets(bench: Bench, paths: list[Path]) -> None:
    print("\nchallenging, down to a capacity; the peer for that, and for what the file's name says")
    print(f"  {'':<4} {'rows':>5} {'alive':>8} {'capacity':>8} {'height':>8} {'proof':<10} {'steps':>9} {'alone':>9}"
          f" {'program':>9} {'memory':>7}  {'minimalloc':<22} {f'minimalloc at {CAPACITY}':<22} omnimalloc")
    sums = [0.0, 0.0]
    for path in paths:
        letter = path.name[0]
        capacity = TARGETS.get(letter, CAPACITY)
        words = ["--capacity", capacity]
        took, steps, height, _, proof = bench.alone([path], words, 0.2).get(path, (float("nan"), 0, 0, 0, "-"))
        whole = bench.plan(path, words, bench.options.runs)
        peer = bench.peer(path, capacity, 1)
        easier = peer if capacity == CAPACITY else bench.peer(path, CAPACITY, 1)
        sums[0] += took
        sums[1] += float(whole["seconds"])
        print(f"  {letter:<4} {rows_of(path):>5} {most_alive(path):>8} {capacity:>8} {whole['height']:>8} {whole['proof']:<10}"
              f" {steps:>9} {took:>7.4f} s {whole['seconds']:>7.4f} s {whole['rss']:>4.0f} MB  {peer:<22} {easier:<22}"
              f" {bench.omnimalloc(path, capacity)}")
        if height and height != whole["height"]:
            print(f"       the program and its planner differ: {whole['height']} and {height}")
    print(f"  all: {sums[0]:.3f} s alone, {sums[1]:.3f} s as programs")


def others(bench: Bench, title: str, paths: list[Path], peer: bool) -> None:
    print(f"\n{title}")
    print(f"  {'':<24} {'rows':>6} {'bound':>12} {'height':>12} {'gap':>8} {'proof':<10} {'program':>9} {'memory':>8}  {'minimalloc at the bound':<24} omnimalloc")
    for path in paths:
        whole = bench.plan(path, [], 1)
        beside = bench.peer(path, int(whole["bound"]), 1) if peer else "-"
        print(f"  {path.parent.name[:10] + '/' + path.stem:<24} {rows_of(path):>6} {whole['bound']:>12} {whole['height']:>12}"
              f" {gap(whole['height'], whole['bound']):>8} {whole['proof']:<10} {whole['seconds']:>7.3f} s {whole['rss']:>5.0f} MB  {beside:<24}"
              f" {bench.omnimalloc(path, None) if rows_of(path) <= PEERS_MOST else '-'}")


def cut(path: Path, count: int) -> None:
    """An arena that is full at every step, cut into buffers, the largest first: its height is the least."""
    random_cuts = random.Random(count)
    steps, size = 2 * count, 1 << 16
    pieces = [(-steps * size, 0, steps, 0, size)]
    while len(pieces) < count:
        _, lower, upper, begin, end = heapq.heappop(pieces)
        if upper - lower > 1 and len(pieces) > 2 and (random_cuts.random() < 0.5 or end - begin < 2):
            middle = random_cuts.randrange(lower + 1, upper)
            parts = ((lower, middle, begin, end), (middle, upper, begin, end))
        else:
            middle = random_cuts.randrange(begin + 1, end)
            parts = ((lower, upper, begin, middle), (lower, upper, middle, end))
        for part in parts:
            heapq.heappush(pieces, (-(part[1] - part[0]) * (part[3] - part[2]), *part))
    with path.open("w") as file:
        file.write("id,lower,upper,size\n")
        for number, (_, lower, upper, begin, end) in enumerate(pieces):
            file.write(f"b{number},{lower},{upper},{end - begin}\n")


def full(bench: Bench) -> None:
    tables = []
    for count in (1000, 5000, 20_000, 100_000):
        tables.append(bench.work / "full" / f"{count}.csv")
        tables[-1].parent.mkdir(exist_ok=True)
        cut(tables[-1], count)
    others(bench, "full arenas, whose least height is the bound", tables, bench.options.peer_large)


def crowd(bench: Bench) -> None:
    """What a million blocks cost besides the search."""
    lowers = random.Random(31)
    table = bench.work / "crowd.csv"
    with table.open("w") as file:
        file.write("id,lower,upper,size\n")
        for block in range(1_000_000):
            lower = lowers.randrange(1_000_000)
            file.write(f"b{block},{lower},{lower + lowers.randrange(1, 60)},{lowers.randrange(1, 500) * 16}\n")
    seconds, status, rss = bench.run([bench.options.memsize, "plan", table, "--time-limit", "1s"])
    print(f"\na million blocks with --time-limit 1s: {seconds:.2f} s, {rss / 1024:.0f} MB, exit status {status}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memsize", required=True)
    parser.add_argument("--pack", default="", help="the program of bench_plan.cpp")
    parser.add_argument("--minimalloc", default="", help="the peer's program")
    parser.add_argument("--omnimalloc", default="", help="a Python that has the other peer")
    parser.add_argument("--peer-limit", type=int, default=30, help="seconds; it may need many more to notice")
    parser.add_argument("--peer-large", action="store_true", help="the peer, too, where it needs gigabytes")
    parser.add_argument("--data", type=Path, default=ELSEWHERE)
    parser.add_argument("--runs", type=int, default=3)
    bench = Bench(parser.parse_args())
    # This process, and so its children.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    crowd(bench)
    full(bench)
    data = bench.options.data
    if not data.is_dir():
        print(f"{data} is not there: only tests/data/plans is planned")
        networks(bench, sorted(BUNDLED.glob("*.csv")))
        return
    tables = sorted(path for path in data.rglob("*.csv") if path.parent.name not in NETWORKS)
    challenging = [path for path in tables if path.name.endswith(f".{CAPACITY}.csv")]
    rest = [path for path in tables if path not in challenging]
    networks(bench, sorted(path for name in NETWORKS for path in (data / name).glob("*.csv")))
    targets(bench, challenging)
    others(bench, "challenging, as low as the default steps come", challenging, False)
    others(bench, "others", [path for path in rest if rows_of(path) < LARGE], True)
    others(bench, "large", [path for path in rest if rows_of(path) >= LARGE], bench.options.peer_large)


if __name__ == "__main__":
    main()
