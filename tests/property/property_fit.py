"""Which models fit together, against every set of them, sized by rules that are written here once more.

Models are random tables. What each block takes is read from the sizing document of its model alone; what a set needs
follows from facts/tidl-trace.md: persistent memory of models that are loaded together adds (R2, R4), scratch memory is the
largest (R3), the context of a priority is kept once (R6); with the allocators of boards/formats/tidl.toml, headroom, and the
board's step. On the board that is used for it the MMU asks for nothing. Needs are monotone, the order of inputs changes
nothing, and several cores get the cheapest of all ways to give models to them. On another board, where sizes grow for the
MMU, each set is held against `analyze` of the same inputs.
"""

import argparse
import itertools
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

MIB = 1 << 20
CACHED, NON_CACHED = "cacheable", "non-cacheable"
HEAPS = tuple(itertools.product((CACHED, NON_CACHED), ("persistent", "scratch")))
# Of the generation's operating system: round, header, idle, a model's object, its array of records.
BOARDS = {"j784s4": {"scratch": 8 * MIB, "step": 2 * MIB, "round": 256, "header": 256, "idle": 256, "object": 442112},
          "j722s-sdk11": {"scratch": 4 * MIB, "step": MIB, "round": 128, "header": 64, "idle": 64, "object": 252848}}
ARRAY = 384
CONTEXT, CONTEXT_REST, SCRATCH_RECORD = 12, 128, 11
LINEAR = 1024


def up(size: int, step: int) -> int:
    return -(-size // step) * step


class Model:
    """A table as the firmware prints it."""

    def __init__(self, rng: random.Random, board: str, core: str, scale: float):
        def some(most: int) -> int:
            return rng.randint(1, int(most * scale))
        weights = rng.choice((some(40 * MIB), some(4 * MIB)))
        maps = rng.choice((some(16 * MIB), some(MIB)))
        preempted = rng.random() < 0.7
        self.core = core
        self.rows = (
            ("DDR Non-cacheable", "Persistent", 19884), ("DDR Cacheable", "Persistent", 676), ("L1D", "Scratch", 16384),
            ("L2", "Scratch", 229376), ("L3/MSMC", "Scratch", 2097152), ("DDR Cacheable", "Persistent", some(6 * MIB)),
            ("DDR Non-cacheable", "Scratch", 256), ("DDR Non-cacheable", "Persistent" if preempted else "Scratch", maps),
            ("DDR Non-cacheable", "Scratch", 256), ("DDR Non-cacheable", "Scratch", some(100000)),
            ("DDR Cacheable", "Persistent", some(MIB)), ("DDR Cacheable", "Scratch", BOARDS[board]["scratch"] + 256),
            ("DDR Non-cacheable", "Persistent", rng.choice((2097152, 1048576)) if preempted else 128),
            ("DDR Cacheable", "Persistent", some(2 * MIB)), ("DDR Non-cacheable", "Persistent", 1),
            ("DDR Cacheable", "Persistent", weights))

    def text(self) -> str:
        lines = ["TIDL Memory size requiement (record wise):",
                 "MemRecNum , Space     , Attribute , Alignment , Size(KBytes) , BasePtr"]
        sums: dict[str, int] = {}
        for number, (space, attribute, size) in enumerate(self.rows):
            lines.append(f"{number:<12}, {space:<20}, {attribute:<12}, {128:4}, {size / 1024:<8.2f}, 0x00000000")
            sums[f"{space}({attribute})"] = sums.get(f"{space}({attribute})", 0) + size
        lines += ["Total memory size requirement (space wise):", "Mem Space , Size(KBytes)"]
        lines += [f"{name}, {size / 1024:.2f}" for name, size in sums.items()]
        return "".join(f"[{self.core:<6}]  {at + 10:12.6f} s: {line}\n" for at, line in enumerate([*lines, "-" * 44]))


def largest(printed: str) -> int:
    """The largest size that is printed so."""
    hundredths = int(printed.replace(".", ""))
    whole = -(-hundredths * 1024 // 100)
    more = 1 << (whole.bit_length() - 25) if whole.bit_length() > 24 else 0
    return max(-(-(hundredths * 1024 + 512) // 100) + more, 1)


class Rules:
    def __init__(self, board: str, headroom: str, together: bool, one_priority: bool):
        self.data = BOARDS[board]
        self.percent = int(headroom[:-1]) if headroom.endswith("%") else None
        self.margin = 0 if self.percent is not None else int(headroom.removesuffix("KiB")) * 1024
        self.together, self.one_priority = together, one_priority

    def needs(self, models: list[list[dict]]) -> dict[tuple[str, str], int]:
        """What each heap needs for these models, which are lists of blocks."""
        needs = {}
        for heap in HEAPS:
            lists = [own for blocks in models if (own := [b for b in blocks if (b["cacheability"], b["lifetime"]) == heap])]
            if not lists:
                continue
            if heap[1] == "persistent" and self.together:
                needs[heap] = self.need(heap, lists, len(lists) > 1)
            else:
                needs[heap] = max(self.need(heap, [own], False) for own in lists)
        return needs

    def need(self, heap: tuple[str, str], lists: list[list[dict]], several: bool) -> int:
        sizes = [[[block["record"], block["size_bytes"], largest(block["printed_kib"])] for block in own] for own in lists]
        shared = self.one_priority and self.together and heap == (NON_CACHED, "persistent")
        if shared:
            contexts = [row for own in sizes for row in own if row[0] == CONTEXT]
            first = max(contexts, key=lambda row: row[1])
            for row in contexts:
                if row is not first and row[1] > CONTEXT_REST:
                    row[1:] = CONTEXT_REST, CONTEXT_REST
        requested = fixed = 0
        used = 0
        if heap == (CACHED, "persistent"):
            used = self.data["idle"] + up(ARRAY, self.data["round"]) + self.data["header"]
        for own in sizes:
            if heap == (CACHED, "persistent"):
                used += up(self.data["object"], self.data["round"]) + self.data["header"]
            for record, nearest, most in own:
                requested += nearest
                fixed += nearest if record == CONTEXT else min(nearest, self.data["scratch"]) if record == SCRATCH_RECORD else 0
                if heap == (CACHED, "persistent"):
                    used += up(up(most, 128), self.data["round"]) + self.data["header"]
                else:
                    used += up(up(most, 128), LINEAR)
        if heap != (CACHED, "persistent") and not several and not shared:
            last = up(sizes[-1][-1][2], 128)
            used -= up(last, LINEAR) - last
        figure = max(used, requested)
        margin = self.margin if self.percent is None else -(-(figure - fixed) * self.percent // 100)
        return max(up(figure + margin, self.data["step"]), self.data["step"])


class Trial:
    def __init__(self, memsize: Path, folder: Path, rng: random.Random):
        self.memsize, self.folder, self.rng = memsize, folder, rng

    def run(self, *words: str) -> tuple[int, bytes]:
        done = subprocess.run([str(self.memsize), *words], cwd=self.folder, capture_output=True, timeout=120, check=False)
        return done.returncode, done.stdout

    def document(self, *words: str) -> tuple[int, dict]:
        status, text = self.run(*words, "--json")
        return status, json.loads(text)

    def write(self, count: int, board: str, cores: tuple[str, ...], scale: float) -> list[str]:
        names = [f"m{number:02}.log" for number in range(count)]
        for name in names:
            (self.folder / name).write_text(Model(self.rng, board, self.rng.choice(cores), scale).text())
        return names

    def blocks(self, name: str) -> list[dict]:
        _, sizing = self.document("analyze", name)
        [core] = sizing["cores"]
        [instance] = core["instances"]
        return instance["blocks"]


def check_sets(trial: Trial) -> str | None:
    """One core: each set, by rules of our own."""
    rng = trial.rng
    headroom = rng.choice(("10%", "0%", "25%", "512KiB"))
    together, one_priority = rng.random() < 0.85, rng.random() < 0.3
    names = trial.write(rng.randint(1, 12), "j784s4", ("C7x_1", "C7x_2"), rng.choice((1.0, 0.3)))
    models = [trial.blocks(name) for name in names]
    rules = Rules("j784s4", headroom, together, one_priority)
    every = range(1 << len(names))
    sets = [[index for index in range(len(names)) if bits >> index & 1] for bits in every]
    needs = [rules.needs([models[index] for index in members]) for members in sets]
    totals = [sum(need.values()) for need in needs]
    for bits in every:
        for index in sets[bits]:
            if totals[bits] < totals[bits & ~(1 << index)]:
                return f"the need of {sets[bits]} is less than without {index}"
    budget = rng.choice(totals) + rng.choice((0, 0, -1, 4 * MIB))
    budget = max(budget, 1)
    fits = [total <= budget for total in totals]
    maximal = [sets[bits] for bits in every if bits and fits[bits] and
               not any(fits[bits | 1 << index] for index in range(len(names)) if not bits >> index & 1)]
    misfits = [sets[bits] for bits in every if not fits[bits] and all(fits[bits & ~(1 << index)] for index in sets[bits])]
    words = ["--board", "j784s4", "--core", "c7x_2", "--budget", str(budget), "--headroom", headroom,
             "--instances", "together" if together else "apart", *(["--one-priority"] if one_priority else [])]
    status, found = trial.document("fit", *names, *words)
    if status != (0 if fits[-1] else 3) or not found["complete"] or not found["proved"]:
        return f"exit status {status} for {names} {words}"
    for what, expected in (("maximal", maximal), ("misfits", misfits)):
        count = found[f"{what.removesuffix('s')}_count"]
        told = sorted(one["models"] for one in found[what])
        if count != len(expected) or (told != sorted(expected) if count <= 500 else len(told) != 500):
            return f"{what} of {words}: {count}, {told}; not {len(expected)}, {expected}"
    for one in [found["together"], *found["maximal"], *found["misfits"]]:
        bits = sum(1 << index for index in one["models"])
        got = sorted(heap["need_bytes"] for core in one["cores"] for heap in core["heaps"])
        if got != sorted(needs[bits].values()) or one["need_bytes"] != totals[bits] or one["fits"] != fits[bits]:
            return f"{one['models']} need {got}, not {needs[bits]}"
        left = one.get("left_bytes", 0) - one.get("lacks_bytes", 0)
        if left != budget - totals[bits]:
            return f"{one['models']}: {left} left, not {budget - totals[bits]}"
    full = (1 << len(names)) - 1
    drop = [i for i in range(len(names)) if len(names) > 1 and not fits[full] and fits[full & ~(1 << i)]]
    if found.get("drop", []) != drop:
        return f"without one of {found.get('drop')} the others fit, not {drop}"
    if trial.run("fit", *rng.sample(names, len(names)), *words, "--json")[1] != trial.run("fit", *names, *words, "--json")[1]:
        return f"another order of {names} is another answer"
    return None


def check_cores(trial: Trial) -> str | None:
    """Several cores: every way to give the models to them."""
    rng = trial.rng
    cores = ["c7x_1", "c7x_2", "c7x_3"][: rng.choice((2, 2, 3))]
    names = trial.write(rng.randint(2, 6 if len(cores) == 2 else 5), "j784s4", ("C7x_1", "C7x_2", "C7x_4"), 0.6)
    models = [trial.blocks(name) for name in names]
    rules = Rules("j784s4", "10%", True, False)

    def total(members: tuple[int, ...]) -> int:
        return sum(rules.needs([models[index] for index in members]).values())

    known = {members: total(members) for size in range(len(names) + 1)
             for members in itertools.combinations(range(len(names)), size)}
    budget = rng.choice(list(known.values())) + MIB
    most = rng.choice((None, sum(known[(i,)] for i in range(len(names))) - 4 * MIB))
    best: int | None = None
    for way in itertools.product(range(len(cores)), repeat=len(names)):
        parts = [known[tuple(i for i in range(len(names)) if way[i] == core)] for core in range(len(cores))]
        if max(parts) <= budget and (most is None or sum(parts) <= most):
            best = sum(parts) if best is None else min(best, sum(parts))
    words = ["--board", "j784s4", "--budget", str(budget)] + [word for core in cores for word in ("--core", core)]
    words += [] if most is None else ["--budget", f"all={most}"]
    status, found = trial.document("fit", *names, *words)
    if not found["proved"] or status != (3 if best is None else 0):
        return f"exit status {status}, the best way needs {best}: {words}"
    if best is not None and found["together"]["need_bytes"] != best:
        return f"{found['together']['need_bytes']} are needed, not {best}: {words}"
    if best is not None:
        for core in found["together"]["cores"]:
            there = tuple(i for i, on in zip(found["together"]["models"], found["together"]["on"]) if on == core["core"])
            if core["need_bytes"] != known[there]:
                return f"{core['core']} needs {core['need_bytes']} for {there}, not {known[there]}"
    return None


def suggested(trial: Trial, names: list[str], words: list[str]) -> dict[str, int]:
    _, sizing = trial.document("analyze", *names, *words)
    return {demand["knob"]: demand["suggested_bytes"] for core in sizing["cores"] for demand in core["demands"]
            if "suggested_bytes" in demand}


def check_analyze(trial: Trial) -> str | None:
    """Where sizes grow for the MMU: each set, as `analyze` sizes it."""
    rng = trial.rng
    names = trial.write(rng.randint(2, 5), "j722s-sdk11", ("C7x_1", "C7x_2"), 0.4)
    words = ["--board", "j722s-sdk11", *rng.choice(([], [], ["--one-priority"], ["--headroom", "0"], ["--tight"]))]
    every = [list(one) for size in range(1, len(names) + 1) for one in itertools.combinations(names, size)]
    needs = {tuple(one): suggested(trial, one, words) for one in every}
    totals = {one: sum(need.values()) for one, need in needs.items()}
    budget = rng.choice(list(totals.values()))
    status, found = trial.document("fit", *names, *words, "--budget", f"all={budget}")
    if status != (0 if totals[tuple(names)] <= budget else 3):
        return f"exit status {status} of {words} and all={budget}, where {totals[tuple(names)]} are needed"
    for one in [found["together"], *found["maximal"], *found["misfits"]]:
        members = tuple(names[index] for index in one["models"])
        got = {heap["knob"]: heap["need_bytes"] for core in one["cores"] for heap in core["heaps"]}
        if got != needs[members]:
            return f"{members} need {got}, analyze says {needs[members]}: {words}"
    fitting = [set(one) for one, total in totals.items() if total <= budget]
    maximal = [one for one in fitting if not any(one < other for other in fitting)]
    if sorted(sorted(one) for one in maximal) != sorted([names[i] for i in one["models"]] for one in found["maximal"]):
        return f"maximal sets of {words} and all={budget}: {found['maximal']}, not {maximal}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--memsize", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--seed", type=int, default=20)
    arguments = parser.parse_args()
    for number in range(arguments.count):
        for check in (check_sets, check_cores, check_analyze):
            seed = arguments.seed * 1000 + number
            with tempfile.TemporaryDirectory(dir=arguments.work) as folder:
                wrong = check(Trial(arguments.memsize.resolve(), Path(folder), random.Random(seed)))
            if wrong:
                print(f"property_fit: {check.__name__}, --seed {arguments.seed}, number {number}: {wrong}")
                return 1
    print(f"property_fit: {arguments.count} times sets of one core, of several, and of a board that grows them")
    return 0


if __name__ == "__main__":
    sys.exit(main())
