"""plan --stage: the constants that gain most, against every subset of them; plan --with and --beside: several models on one part.

Random models as heliaAOT's manifests have them, with profiles of one run or of two, on a part of their own. What is left for
copies is what the plan without copies leaves; who gains what is counted here once more.
"""

import csv
import itertools
import json
import random
from pathlib import Path
from typing import Any

from support import SOURCE, Context, check, main, parse_json, same

SLOT = 16
PART = """schema = 1
title = "A part that exists nowhere"
alignment = "{slot}"
[memory.near]
base = "0x20000000"
hardware = "{near}"
cost = 1
source = "made up"
[memory.flash]
base = "0x0"
hardware = "1MiB"
writable = false
volatile = false
cost = 4
source = "made up"
"""


def tensor(name: str, size: int, role: str) -> dict[str, Any]:
    return {"id": name, "nbytes": size, "is_constant": role == "constant", "is_scratch": role == "scratch",
            "memory": "flash" if role == "constant" else "near"}


def random_model(dice: random.Random) -> list[dict[str, Any]]:
    operators: list[dict[str, Any]] = []
    before = tensor("in", dice.randrange(1, 400), "scratch")
    constants: list[dict[str, Any]] = []
    for i in range(dice.randrange(2, 10)):
        after = tensor(f"t{i}", dice.randrange(1, 400), "scratch")
        local = []
        for name in ("w", "b")[:dice.randrange(3)]:
            shared = dice.choice(constants) if constants and dice.random() < 0.1 else None
            local.append(shared or tensor(f"{name}{i}", dice.randrange(1, 900), "constant"))
            constants.append(local[-1])
        operators.append({"idx": i, "id": 7 * i + 1, "op_type": "CONV_2D", "inputs": [before], "outputs": [after],
                          "local_tensors": local})
        before = after
    return operators


def write_profile(path: Path, cycles: dict[int, int]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["op", "id", "shape", "cycles"])
        for number, count in cycles.items():
            rows.writerow(["CONV_2D", number, "[1, 2]", count])


def padded(size: int) -> int:
    return -(-size // SLOT) * SLOT


def gains_of(model: list[dict[str, Any]], gained: dict[int, int]) -> dict[str, int]:
    gains: dict[str, int] = {}
    for operator in model:
        if operator["local_tensors"]:
            largest = max(operator["local_tensors"], key=lambda one: int(one["nbytes"]))["id"]
            gains[largest] = gains.get(largest, 0) + gained[operator["id"]]
    return {name: gain for name, gain in gains.items() if gain > 0}


def best_of(sizes: dict[str, int], gains: dict[str, int], room: int) -> int:
    """The highest gain of all subsets."""
    subsets = itertools.chain.from_iterable(itertools.combinations(gains, count) for count in range(len(gains) + 1))
    return max(sum(gains[name] for name in names) for names in subsets if sum(sizes[name] for name in names) <= room)


def plan(context: Context, *words: Any) -> dict[str, Any]:
    return dict(parse_json(context.run("plan", *words, "--json").stdout, "plan --json"))


def scratch_of(document: dict[str, Any]) -> dict[str, str]:
    return {block["id"]: block["memory"] for block in document["blocks"] if block["role"] == "scratch"}


def check_random(context: Context, dice: random.Random, number: int) -> int:
    model = random_model(dice)
    part, manifest = context.work / "part.toml", context.work / "manifest.json"
    profiles = [context.work / "cold.csv", context.work / "staged.csv"]
    near = 1 << dice.randrange(10, 14)
    part.write_text(PART.format(slot=SLOT, near=near), encoding="utf-8")
    manifest.write_text(json.dumps(model), encoding="utf-8")
    cycles = [{operator["id"]: dice.randrange(0, 1000) for operator in model} for _ in profiles]
    for path, counts in zip(profiles, cycles):
        write_profile(path, counts)
    plain = [manifest, "--board", part]
    cold = plan(context, *plain, "--stage", "none")
    left = next(one["capacity_bytes"] - one["used_bytes"] for one in cold["memories"] if one["name"] == "near")

    limit = dice.choice([None, dice.randrange(SLOT, 4000)])
    two = dice.random() < 0.5
    words = [*plain, "--stage", "auto" if limit is None else f"near={limit}", "--profile", profiles[0]]
    got = plan(context, *words, *(["--profile", profiles[1]] if two else []))
    gained = {key: max(count - cycles[1][key], 0) if two else count for key, count in cycles[0].items()}
    gains = gains_of(model, gained)
    sizes = {one["id"]: padded(one["nbytes"]) for operator in model for one in operator["local_tensors"]}
    room = left if limit is None else min(left, limit)
    advice, = got["staging"]["memories"]
    what = f"model {number}"
    same(f"{what}: gain", advice["gain"], best_of(sizes, gains, room))
    check(sum(sizes[name] for name in advice["blocks"]) <= room, f"{what}: more is staged than there is room for")
    same(f"{what}: gain of the chosen", sum(gains[name] for name in advice["blocks"]), advice["gain"])
    same(f"{what}: proved", advice["is_best"], True)
    same(f"{what}: of all", got["staging"]["whole"], sum(cycles[0].values()))

    # Copies push nothing out; the rest of the constants stays where it was; who is next has no room.
    same(f"{what}: scratch", scratch_of(got), scratch_of(cold))
    for block in got["blocks"]:
        if block["role"] == "constant":
            staged = block["id"] in advice["blocks"]
            same(f"{what}: {block['id']}", (block["memory"], block.get("source_memory")),
                 ("near", "flash") if staged else ("flash", None))
    waiting = {name: gain for name, gain in gains.items() if name not in advice["blocks"]}
    same(f"{what}: somebody is next", "next" in advice, bool(waiting))
    if waiting:
        following = advice["next"]
        same(f"{what}: next", following["gain"], max(waiting.values()))
        taken = sum(sizes[name] for name in advice["blocks"])
        same(f"{what}: missing", following["missing_bytes"], max(sizes[following["block"]] - (room - taken), 0))
    for memory in got["memories"]:
        check(memory["used_bytes"] <= memory["capacity_bytes"], f"{what}: {memory['name']} has not enough room")
    return len(advice["blocks"])


def check_rules_again(context: Context) -> None:
    """What is written for heliaAOT gives the same plan without advice."""
    model = SOURCE / "samples" / "plans" / "tflite" / "kws_ref_model.tflite"
    advised = plan(context, model, "--board", "apollo330p", "--stage", "dtcm=16KiB")
    rules = context.work / "memory.yaml"
    context.run("plan", model, "--board", "apollo330p", "--stage", "dtcm=16KiB", "--as", "helia-yaml", "-o", rules)
    ruled = plan(context, model, "--board", "apollo330p", "--rules", rules)
    check(advised["staging"]["memories"][0]["blocks"], "nothing is staged")
    same("blocks", ruled["blocks"], advised["blocks"])


def heights_of(document: dict[str, Any]) -> dict[tuple[str, str], int]:
    return {(arena["memory"], arena["role"]): arena["height_bytes"] for arena in document["arenas"]}


def check_several(context: Context, dice: random.Random, number: int) -> None:
    """Two models that never run at once: scratch is that of the larger, constants are those of both."""
    part = context.work / "part.toml"
    part.write_text(PART.format(slot=SLOT, near=1 << 14), encoding="utf-8")
    models = [context.work / "a.json", context.work / "b.json"]
    for path in models:
        path.write_text(json.dumps(random_model(dice)), encoding="utf-8")
    alone = [heights_of(plan(context, path, "--board", part)) for path in models]
    both = plan(context, models[0], "--with", models[1], "--board", part)
    heights, what = heights_of(both), f"models {number}"
    scratch, constant = ("near", "scratch"), ("flash", "constant")
    same(f"{what}: scratch", heights[scratch], max(one[scratch] for one in alone))
    constants = [one.get(constant, 0) for one in alone]
    check(sum(constants) <= heights.get(constant, 0) <= sum(map(padded, constants)), f"{what}: constants")
    same(f"{what}: their names", [model["name"] for model in both["models"]], ["a", "b"])
    same(f"{what}: alive", max(model["scratch_bytes"] for model in both["models"]), alive_in(both))


def part_behind(sizes: dict[str, int], begins: dict[str, int]) -> str:
    """Two memories that are written and one that is not, without what lies before."""
    text = 'schema = 1\ntitle = "A part that exists nowhere"\nalignment = "16"\n'
    for number, (name, size) in enumerate(sizes.items()):
        begin = begins.get(name, 0)
        if begin >= size:
            # A part has no memory of nothing.
            continue
        text += (f'[memory.{name}]\nbase = "{0x20000000 + (number << 24) + begin:#x}"\nhardware = "{size - begin}"\n'
                 f'cost = {number + 1}\nsource = "made up"\n')
    return text + "writable = false\nvolatile = false\n"


def planned_behind(context: Context, path: Path, sizes: dict[str, int], begins: dict[str, int]) -> dict[str, Any] | None:
    """The model alone on what is left; nothing: it does not fit."""
    part = context.work / "rest.toml"
    part.write_text(part_behind(sizes, begins), encoding="utf-8")
    got = dict(parse_json(context.run("plan", path, "--board", part, "--json", expect=(0, 3)).stdout, "plan --json"))
    return None if "shortages" in got else got


def fit_in(context: Context, turns: tuple[Path, ...], sizes: dict[str, int]) -> bool:
    begins: dict[str, int] = {}
    for path in turns:
        document = planned_behind(context, path, sizes, begins)
        if document is None:
            return False
        for memory in document["memories"]:
            if memory["used_bytes"]:
                begins[memory["name"]] = padded(begins.get(memory["name"], 0) + memory["used_bytes"])
    return True


def check_at_once(context: Context, dice: random.Random, number: int) -> str:
    """Models that run at once: each as it would be alone on what those before it leave; refused where no order fits."""
    what = f"models at once {number}"
    sizes = {"near": padded(dice.randrange(64, 1500)), "far": padded(dice.randrange(64, 3000)), "flash": 1 << 14}
    part = context.work / "part.toml"
    part.write_text(part_behind(sizes, {}), encoding="utf-8")
    paths = [context.work / f"{name}.json" for name in "abc"[:dice.randrange(2, 4)]]
    for path in paths:
        path.write_text(json.dumps(random_model(dice)), encoding="utf-8")
    beside = [word for path in paths[1:] for word in ("--beside", path)]
    done = context.run("plan", paths[0], *beside, "--board", part, "--json", expect=(0, 3))
    got = dict(parse_json(done.stdout, what))
    same(f"{what}: names", [model["name"] for model in got["models"]], [path.stem for path in paths])
    if done.returncode == 3:
        check(not any(fit_in(context, turns, sizes) for turns in itertools.permutations(paths)), f"{what}: an order fits")
        return "refused"
    same(f"{what}: status", done.returncode, 0)
    ends = dict.fromkeys(sizes, 0)
    for path, model in sorted(zip(paths, got["models"]), key=lambda pair: int(pair[1]["turn"])):
        begins = {memory["name"]: memory["begin_bytes"] for memory in model["memories"]}
        same(f"{what}: where {path.stem} begins", begins, {name: padded(end) for name, end in ends.items()})
        alone = planned_behind(context, path, sizes, begins)
        check(alone is not None, f"{what}: {path.stem} does not fit alone")
        same(f"{what}: {path.stem}", (model["plan"]["blocks"], model["plan"]["arenas"]),
             alone and (alone["blocks"], alone["arenas"]))
        for memory in model["memories"]:
            if memory["used_bytes"]:
                ends[memory["name"]] = memory["begin_bytes"] + memory["used_bytes"]
    for memory in got["memories"]:
        same(f"{what}: {memory['name']}", (memory["used_bytes"], memory["capacity_bytes"]),
             (ends[memory["name"]], sizes[memory["name"]]))
        check(ends[memory["name"]] <= sizes[memory["name"]], f"{what}: {memory['name']} has not enough room")
    one = context.work / "one.json"
    one.write_text(json.dumps(got["models"][-1]["plan"]), encoding="utf-8")
    context.run("check", one)
    return "in turn" if [model["turn"] for model in got["models"]] == list(range(len(paths))) else "in another order"


def write_table(path: Path, dice: random.Random) -> None:
    rows = [(dice.randrange(20), dice.randrange(1, 8), dice.randrange(1, 500)) for _ in range(dice.randrange(2, 40))]
    path.write_text("id,lower,upper,size\n" + "".join(f"b{number},{lower},{lower + life},{size}\n"
                                                     for number, (lower, life, size) in enumerate(rows)), encoding="utf-8")


def check_capacity(context: Context, dice: random.Random, number: int) -> None:
    """In one memory, models that run at once need what they need alone, one behind the other, and no byte more."""
    paths = [context.work / f"table{name}.csv" for name in range(dice.randrange(2, 6))]
    for path in paths:
        write_table(path, dice)
    heights = [plan(context, path)["arenas"][0]["height_bytes"] for path in paths]
    # What comes last needs no padding.
    least = sum(map(padded, heights)) - max(padded(height) - height for height in heights)
    beside = [word for path in paths[1:] for word in ("--beside", path)]
    context.run("plan", paths[0], *beside, "--capacity", sum(map(padded, heights)))
    done = context.run("plan", paths[0], *beside, "--capacity", least - 1, expect=3)
    check("run at the same time" in done.stderr or heights[0] >= least, f"tables {number}: who has the rest is not said")


def alive_in(document: dict[str, Any]) -> int:
    """The most bytes of scratch that are alive at one step."""
    blocks = [(block["lower"], block["upper"], block["size"]) for block in document["blocks"] if block["role"] == "scratch"]
    return max(sum(size for lower, upper, size in blocks if lower <= step < upper) for step, _, _ in blocks)


def body(context: Context) -> str:
    dice = random.Random(20)
    count = 500
    staged = sum(check_random(context, dice, number) for number in range(count))
    check(staged > count, "hardly anything is staged")
    check_rules_again(context)
    for number in range(60):
        check_several(context, dice, number)
    ways = [check_at_once(context, dice, number) for number in range(120)]
    for number in range(20):
        check_capacity(context, dice, number)
    counts = {way: ways.count(way) for way in ("in turn", "in another order", "refused")}
    check(all(counts.values()), f"not every case: {counts}")
    return f"{count} models, {staged} constants staged; 60 pairs; at once: {counts}"


if __name__ == "__main__":
    main(__doc__, body)
