"""Documents combine as if their logs had been read together: byte for byte, in any order and grouping, but for the names
of the inputs in commands that hints propose."""

import argparse
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

CORES = ("C7x_1", "C7x_2", "C6x_1")
HEAPS = ("DDR_LOCAL_MEM", "DDR_SCRATCH_MEM", "DDR_NON_CACHE_MEM", "DDR_SCRATCH_NON_CACHE_MEM", "L2_MEM")
# Record: space, attribute, and the order of its size in bytes.
RECORDS = (
    ("DDR Non-cacheable", "Persistent", 20000),
    ("DDR Cacheable", "Persistent", 700),
    ("L1D", "Scratch", 16384),
    ("L2", "Scratch", 229376),
    ("L3/MSMC", "Scratch", 2097152),
    ("DDR Cacheable", "Persistent", 40000000),
    ("DDR Non-cacheable", "Scratch", 4096),
    ("DDR Non-cacheable", "Persistent", 8000000),
    ("DDR Non-cacheable", "Scratch", 256),
    ("DDR Non-cacheable", "Scratch", 4096),
    ("DDR Cacheable", "Persistent", 600000),
    ("DDR Cacheable", "Scratch", 4194560),
    ("DDR Non-cacheable", "Persistent", 2097152),
    ("DDR Cacheable", "Persistent", 1500000),
    ("DDR Non-cacheable", "Persistent", 1),
    ("DDR Cacheable", "Persistent", 5000000),
)
FIXED = (2, 3, 4, 11, 14)
OPTIONS = ([], [], ["--board", "j722s-sdk11"], ["--board", "j722s"], ["--instances", "apart"],
           ["--headroom", "512KiB"], ["--one-priority"], ["--board", "j722s-sdk11", "--tight"])


# Commands that hints propose name the inputs as they were typed, and the hash is of the hints, too.
HINT = re.compile(rb'"hint": "[^\n]*')
INPUTS = re.compile(rb"(?: (?:--trace )?\w+\.(?:log|json))+")
HASH = re.compile(rb',\s*"content_hash": "\w+"')


class Log:
    """What one console would have recorded."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.lines: list[str] = []
        self.time = rng.uniform(1, 60)
        self.next_free = {core: 0x10000000 for core in CORES}

    def say(self, core: str | None, text: str) -> None:
        self.time += self.rng.uniform(0, 0.01)
        self.lines.append(text if core is None else f"[{core:<6}] {self.time:13.6f} s: {text}")

    def sizes(self) -> list[int]:
        return [size if i in FIXED else self.rng.randint(1, 2 * size) for i, (_, _, size) in enumerate(RECORDS)]

    def table(self, core: str, sizes: list[int], placed: bool, damage: float) -> None:
        self.say(core, "TIDL Memory size requiement (record wise):")
        self.say(core, "MemRecNum , Space     , Attribute , Alignment , Size(KBytes) , BasePtr")
        at = self.next_free[core] if self.rng.random() < 0.7 else 0x10000000
        for record, ((space, attribute, _), size) in enumerate(zip(RECORDS, sizes)):
            base = at if placed else 0
            at += (size + 1023) // 1024 * 1024
            row = f"{record:<12}, {space:<20}, {attribute:<12}, {128:4}, {size / 1024:<8.2f}, 0x{base:08x}"
            if self.rng.random() < damage:
                row = row[: self.rng.randrange(len(row) // 2, len(row))]
            if self.rng.random() >= damage:
                self.say(core, row)
        if placed:
            self.next_free[core] = at
        self.totals(core, sizes)

    def totals(self, core: str, sizes: list[int]) -> None:
        sums: dict[str, int] = {}
        for (space, attribute, _), size in zip(RECORDS, sizes):
            name = f"{space}({attribute})"
            sums[name] = sums.get(name, 0) + size
        self.say(core, "Total memory size requirement (space wise):")
        self.say(core, "Mem Space , Size(KBytes)")
        for name, size in sums.items():
            self.say(core, f"{name}, {size / 1024:.2f}")
        self.say(core, "-" * 44)

    def model(self, core: str) -> None:
        damage = self.rng.choice((0, 0, 0, 0.05))
        sizes = self.sizes()
        for _ in range(self.rng.choice((1, 1, 1, 2))):
            self.table(core, sizes, False, damage)
            self.say(core, "TIDL init call from ivision API ")
            self.table(core, sizes, True, damage)

    def other(self, core: str) -> None:
        rng = self.rng
        kind = rng.randrange(7)
        if kind == 0:
            for number, name in enumerate(HEAPS):
                self.say(core, f"MEM: Created heap ({name}, id={number}, flags=0x00000004) @ "
                               f"{0x110000000 + (number << 26):x} of size {rng.randint(1, 512) << 20} bytes !!!")
        elif kind == 1:
            for name in HEAPS:
                size = rng.randint(1, 512) << 20
                free = rng.randint(0, size)
                self.say(None, f"HEAP: CPU: {core.lower():>6}: HEAP: {name[:15]:>16}: size = {size:10} B, "
                               f"free = {free:10} B ({free * 100 // size:3} % unused)")
        elif kind == 2:
            self.say(core, "VX_ZONE_ERROR:[tivxAlgiVisionAllocMem:184] Failed to Allocate memory record "
                           f"{rng.choice((5, 7, 11))} @ space = {rng.choice((17, 18))} and size = "
                           f"{rng.randint(1 << 20, 1 << 28)} !!! ")
        elif kind == 3:
            self.say(core, f"# NETWORK_INIT_TIME = {rng.uniform(1, 500):8.2f} (in ms, c7x @1GHz)")
            read, written = rng.uniform(0, 50), rng.uniform(0, 50)
            self.say(core, f"# NETWORK_EXECUTION_TIME = {rng.uniform(1, 50):8.2f} (in ms, c7x @1GHz) with "
                           f"DDR_BANDWIDTH (Read + Write) = {read:.2f}, {written:.2f}, {read + written:.2f} "
                           "(in Mega Bytes/frame)")
        elif kind == 4:
            self.totals(core, self.sizes())
        elif kind == 5:
            self.say(None, "Not able to allocate MSMC memory \u00e9")
        else:
            self.say(None, " Freeing memory for user provided Net")

    def damage_heaps(self) -> None:
        """One letter of some lines of heaps, boot or statistics, is another one."""
        for number, line in enumerate(self.lines):
            if ("HEAP:" in line or "Created heap" in line) and self.rng.random() < 0.1:
                at = self.rng.randrange(len(line))
                self.lines[number] = line[:at] + self.rng.choice("x7 ~") + line[at + 1:]

    def text(self) -> str:
        for _ in range(self.rng.randint(1, 4)):
            core = self.rng.choice(CORES)
            for _ in range(self.rng.randint(0, 2)):
                self.other(core)
            if self.rng.random() < 0.75:
                self.model(core)
        self.model(self.rng.choice(CORES))
        self.damage_heaps()
        return "\n".join(self.lines) + "\n"


class Trial:
    def __init__(self, memsize: Path, folder: Path, rng: random.Random):
        self.memsize, self.folder, self.rng = memsize, folder, rng
        self.options = rng.choice(OPTIONS)
        self.made = 0

    def analyze(self, inputs: list[str]) -> tuple[int, bytes]:
        done = subprocess.run([str(self.memsize), "analyze", *inputs, *self.options, "--json"],
                              cwd=self.folder, capture_output=True, timeout=120, check=False)
        return done.returncode, done.stdout

    def said(self, inputs: list[str]) -> tuple[int, bytes]:
        """What it says of these inputs, without what they are called in commands that it proposes."""
        status, document = self.analyze(inputs)
        document = HINT.sub(lambda hint: INPUTS.sub(b"INPUTS", hint[0]), document)
        return status, HASH.sub(b"", document)

    def document(self, inputs: list[str]) -> str:
        self.made += 1
        name = f"document{self.made}.json"
        (self.folder / name).write_bytes(self.analyze(inputs)[1])
        return name

    def merged(self, names: list[str]) -> tuple[int, bytes]:
        """Combines in random groups: logs, documents of logs, documents of documents."""
        parts = [[name] for name in self.rng.sample(names, len(names))]
        while len(parts) > 1 or self.rng.random() < 0.2:
            self.rng.shuffle(parts)
            count = self.rng.randint(1, 3)
            group = [name for part in parts[:count] for name in part]
            parts = parts[count:]
            # Logs and documents may also stand side by side for a while.
            parts.append(group if self.rng.random() < 0.25 else [self.document(group)])
        return self.said(parts[0])

    def run(self) -> str | None:
        names = []
        for number in range(self.rng.randint(1, 4)):
            name = f"{self.rng.choice('abc')}{number}.log"
            (self.folder / name).write_text(Log(self.rng).text(), encoding="utf-8")
            names.append(name)
        if self.rng.random() < 0.2:
            names.append(names[0])
        if self.rng.random() < 0.2:
            # The same run under another name, with a line before it.
            copy = f"{self.rng.choice('0m')}9.log"
            head = self.rng.choice(("", "login: root\n"))
            (self.folder / copy).write_text(head + (self.folder / names[0]).read_text(encoding="utf-8"), encoding="utf-8")
            names.append(copy)
        expected = self.said(names)
        if not expected[1].startswith(b"{"):
            return f"no document for {names}"
        for what, got in (("another order", self.said(self.rng.sample(names, len(names)))),
                          ("documents", self.merged(names))):
            if got != expected:
                return f"{what} of {' '.join(names)} with {' '.join(self.options) or 'no option'} differ: " \
                       f"exit status {got[0]}, expected {expected[0]}\n{first_difference(expected[1], got[1])}"
        return None


def first_difference(expected: bytes, got: bytes) -> str:
    for number, (a, b) in enumerate(zip(expected.splitlines(), got.splitlines()), 1):
        if a != b:
            return f"line {number}\n  together: {a.decode(errors='replace')}\n  merged:   {b.decode(errors='replace')}"
    return "one is longer"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memsize", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path)
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--count", type=int, default=60)
    options = parser.parse_args()
    problems = 0
    for number in range(options.count):
        with tempfile.TemporaryDirectory(prefix="merge-", dir=options.work) as folder:
            trial = Trial(options.memsize.resolve(), Path(folder), random.Random(f"{options.seed} {number}"))
            problem = trial.run()
        if problem:
            problems += 1
            print(f"trial {number} of seed {options.seed}: {problem}")
        if problems == 5:
            break
    print(f"property_merge: {options.count} trials, {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
