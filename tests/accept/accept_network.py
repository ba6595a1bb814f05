"""Networks of ARES on GAP9: shapes, fusions, tiers, tiles and lifetimes of random networks, as a model of the rules says which
shares nothing with memsize (network_model.py). Plans are held against their own lifetimes, the best tiles against a count of
every byte, checkpoints against ARES' schema and a first-fit planner of this file's, levels against a sum.
"""

import csv
import json
import os
import random
from pathlib import Path
from typing import Any

import network_model as model
from support import SOURCE, Context, check, main, parse_json, read_json, same

SAMPLE = SOURCE / "samples" / "plans" / "ares" / "minimobilenet_v2"
GAP9_L1, GAP9_L2 = 131072, 0x190000
BUDGETS = (102400, 20000, 6000, 2600)
NETWORKS = 200
STAGES = ("pre_fusion", "post_fusion", "post_tiling", "post_memory_plan")


class Maker:
    """One random network, layer by layer."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.layers: dict[str, Any] = {}
        self.shape = [1, rng.choice((1, 3, 8, 16)), rng.randint(4, 30), rng.randint(4, 30)]
        self.scale = 0.5
        self.add("input_quant", type="QuantIdentity", scale=0.5, output_shape=list(self.shape))

    def add(self, name: str, **facts: Any) -> str:
        self.layers[name] = facts
        return name

    @property
    def last(self) -> str:
        return next(reversed(self.layers))

    def conv(self, name: str, out: int, depthwise: bool = False) -> None:
        rng, kernel = self.rng, self.rng.choice((1, 3, 3, 5))
        kernel = min(kernel, self.shape[2], self.shape[3])
        stride, padding = rng.choice((1, 1, 2)), rng.choice((0, kernel // 2))
        channels = self.shape[1]
        out = channels if depthwise else out
        self.add(name, type="QuantConv2d", in_channels=channels, out_channels=out, kernel_size=rng.choice((kernel, [kernel, kernel])),
                 stride=[stride, stride], padding=padding, groups=channels if depthwise else 1, scale_weight=0.25,
                 scale_output=0.5)
        self.shape = [1, out, *((side + 2 * padding - kernel) // stride + 1 for side in self.shape[2:])]

    def small(self) -> bool:
        return min(self.shape[2:]) < 4

    def block(self, index: int) -> None:
        kind = self.rng.choice(("plain", "plain", "depthwise", "residual", "concat", "pool", "pad"))
        if kind == "plain":
            self.conv(f"conv{index}", self.rng.choice((4, 10, 16, 33)))
            self.follow(index)
        elif kind == "depthwise":
            self.conv(f"dw{index}", 0, depthwise=True)
            self.follow(index)
        elif kind == "residual":
            source, channels = self.last, self.shape[1]
            self.add(f"b{index}.conv1", type="QuantConv2d", in_channels=channels, out_channels=channels, kernel_size=[3, 3],
                     stride=[1, 1], padding=[1, 1], scale_weight=0.25, scale_output=0.5)
            self.add(f"b{index}.relu1", type="QuantReLU", scale=0.5)
            self.add(f"b{index}.add", type="Add", inputs=[f"b{index}.relu1", source], scale_output=0.5)
        elif kind == "concat":
            source = self.last
            self.add(f"c{index}", type="QuantConv2d", in_channels=self.shape[1], out_channels=6, kernel_size=1, stride=1, padding=0,
                     scale_weight=0.25, scale_output=0.5)
            self.add(f"cat{index}", type="Concatenate", inputs=[source, f"c{index}"], dim=1, scale_output=0.5)
            self.shape = [1, self.shape[1] + 6, *self.shape[2:]]
        elif kind == "pool":
            kind = self.rng.choice(("MaxPool2d", "AvgPool2d"))
            self.add(f"pool{index}", type=kind, kernel_size=[2, 2], stride=[2, 2], padding=[0, 0])
            self.shape = [*self.shape[:2], self.shape[2] // 2, self.shape[3] // 2]
        else:
            self.add(f"pad{index}", type="ZeroPad2d", padding=[1, 0, 2, 1])
            self.shape = [*self.shape[:2], self.shape[2] + 3, self.shape[3] + 1]

    def follow(self, index: int) -> None:
        if self.rng.random() < 0.7:
            self.add(f"relu{index}", type="QuantReLU", scale=self.rng.choice((0.5, 0.25)))
            if self.rng.random() < 0.5:
                self.add(f"quant{index}", type="QuantIdentity", scale=self.rng.choice((0.5, 0.125)))
            elif self.rng.random() < 0.5 and not self.small():
                self.add(f"mp{index}", type="MaxPool2d", kernel_size=2, stride=2, padding=0)
                self.shape = [*self.shape[:2], self.shape[2] // 2, self.shape[3] // 2]

    def finish(self) -> dict[str, Any]:
        if self.rng.random() < 0.5:
            self.add("gap", type="GlobalAvgPool")
            self.shape = [1, self.shape[1], 1, 1]
        self.add("flatten", type="Flatten", start_dim=1)
        inner = model.product(self.shape)
        if self.rng.random() < 0.4:
            outer = self.rng.choice((16, 50, 300))
            self.add("hidden", type="QuantLinear", in_features=inner, out_features=outer, scale_weight=0.25, scale_output=0.5)
            self.add("hidden_relu", type="QuantReLU", scale=0.25)
            inner = outer
        self.add("classifier", type="QuantLinear", in_features=inner, out_features=10, scale_weight=0.25)
        return self.layers


def random_network(rng: random.Random) -> dict[str, Any]:
    maker = Maker(rng)
    for index in range(rng.randint(1, 7)):
        if maker.small():
            break
        maker.block(index)
    layers = maker.finish()
    for layer in layers.values():
        if rng.random() < 0.05 and "in_channels" in layer:
            layer["weight_residency"] = "L3_STAGED"
    if rng.random() < 0.5:
        layers["__layer_order__"] = list(layers)
    return layers


def plan_of(context: Context, path: Path, *options: object) -> dict[str, Any]:
    done = context.run("plan", path, "--board", "gap9", *options, "--json", expect=(0, 3))
    return parse_json(done.stdout, f"plan of {path.name}")


def check_layers(what: str, found: dict[str, Any], wanted: model.Network) -> None:
    steps = found["networks"][0]["layers"]
    same(f"{what}: steps", [step["name"] for step in steps], [step.base.name for step in wanted.steps])
    for step, expected in zip(steps, wanted.steps, strict=True):
        base, name = expected.base, f"{what}, {expected.base.name}"
        same(f"{name}: fusion", step.get("fusion"), expected.fusion)
        same(f"{name}: op", step["op"], base.op)
        same(f"{name}: output", step["output"], base.shape)
        same(f"{name}: weights", (step["weight_bytes"], step["bias_bytes"], step["macs"]), (base.weights, base.bias, base.macs))
        if base.weights:
            same(f"{name}: residency", step.get("residency"), base.residency)
        if not step["does_nothing"]:
            same(f"{name}: tier", step.get("tier"), base.tier)
            tiles = step.get("tiles")
            same(f"{name}: tiles", tiles, base.tiles)
            if tiles is not None:
                # A pool behind a convolution takes what it makes.
                pooled = expected.fusion == "conv_relu_maxpool"
                less = model.product(base.shape) - model.product(expected.layers[-1].shape) if pooled else 0
                same(f"{name}: moved", step["moved_bytes"], model.moved(base, tiles) - less)


def check_plan(what: str, found: dict[str, Any]) -> None:
    """Nothing that is alive together shares a byte, and nothing could be lower where that is said."""
    scratch = [block for block in found["blocks"] if block["role"] == "scratch" and block["memory"] == "l2"]
    peak = 0
    for step in range(max(block["upper"] for block in scratch)):
        alive = sorted((block["offset"], block["offset"] + block["size"], block["id"]) for block in scratch
                       if block["lower"] <= step < block["upper"])
        peak = max(peak, sum(end - begin for begin, end, _ in alive))
        for (_, end, one), (begin, _, other) in zip(alive, alive[1:], strict=False):
            check(end <= begin, f"{what}: {one} and {other} share bytes in step {step}")
    arena = next(arena for arena in found["arenas"] if arena["role"] == "scratch" and arena["memory"] == "l2")
    same(f"{what}: height", arena["height_bytes"], max(block["offset"] + block["size"] for block in scratch))
    check(arena["height_bytes"] >= peak, f"{what}: lower than what is alive")


def check_blocks(what: str, found: dict[str, Any], wanted: model.Network) -> None:
    blocks = {block["id"]: (block["lower"], block["upper"], block["size"]) for block in found["blocks"]
              if block["role"] == "scratch"}
    same(f"{what}: blocks", blocks, wanted.blocks())


def one_network(context: Context, rng: random.Random, index: int) -> int:
    document = random_network(rng)
    path = context.work / f"network{index}.json"
    path.write_text(json.dumps(document, indent=rng.choice((None, 1))))
    l1 = BUDGETS[index % len(BUDGETS)]
    what = f"network {index} with {l1} B"
    found = plan_of(context, path, "--set", f"l1={l1}")
    wanted = model.Network(document, l1)
    check_layers(what, found, wanted)
    check_plan(what, found)
    check_blocks(what, found, wanted)
    best = plan_of(context, path, "--set", f"l1={l1}", "--tiles", "best")
    # Other tiles may fuse otherwise: a pool runs with a convolution that is one tile.
    ares = {layer["name"]: layer for layer in found["networks"][0]["layers"]}
    bases = {layer.name: layer for layer in wanted.layers}
    for ours in best["networks"][0]["layers"]:
        theirs, base = ares[ours["name"]], bases[ours["name"]]
        if "moved_bytes" in ours and "moved_bytes" in theirs:
            check(ours["tiles"]["l1_bytes"] <= l1, f"{what}: {ours['name']} is larger than its budget")
            at = wanted.layers.index(base)
            pooled = ours.get("fusion") == "conv_relu_maxpool"
            less = model.product(base.shape) - model.product(wanted.layers[at + 2].shape) if pooled else 0
            is_same = ours.get("fusion") == theirs.get("fusion")
            if is_same and (ours["tiles"]["weight_buffers"] or not theirs["tiles"]["weight_buffers"]):
                check(ours["moved_bytes"] <= theirs["moved_bytes"], f"{what}: {ours['name']}: best moves more than ares")
            if base.kind == "QuantConv2d":
                same(f"{what}: {ours['name']}: best moves", ours["moved_bytes"], model.moved(base, ours["tiles"]) - less)
    if index % 10 == 0 and "shortages" not in found:
        check_checkpoints(context, path, l1, found)
    return len(found["networks"][0]["layers"])


def check_checkpoints(context: Context, path: Path, l1: int, found: dict[str, Any]) -> None:
    out = context.work / f"{path.stem}-out"
    context.run("emit", "--board", "gap9", "--plan", path, "--set", f"l1={l1}", "--out", out, "--only", "checkpoints")
    documents = {stage: read_json(out / "checkpoints" / f"{stage}.json") for stage in STAGES}
    for stage, document in documents.items():
        same(f"{stage}: stage", document["stage"], stage)
        check("created_utc" not in document, f"{stage} has a clock")
        names = {buffer["c_name"] for buffer in document["state"]["activation_buffers"]}
        for spec in document["state"]["layer_specs"]:
            for key, value in spec.items():
                if key.endswith("_buffer") and value is not None:
                    check(value in names or stage == "pre_fusion", f"{stage}: {spec['name']}: {key} is {value}, which nobody lists")
    state = documents["post_memory_plan"]["state"]
    blocks = {block["id"]: block for block in found["blocks"] if block["role"] == "scratch" and block["memory"] == "l2"}
    same("offsets", state["planner_offsets"], {name: block["offset"] for name, block in blocks.items()})
    lives = {name: (life["start"], life["end"] + 1, life["size"]) for name, life in state["planner_lifetimes"].items()}
    same("lifetimes", lives, {name: (block["lower"], block["upper"], block["size"]) for name, block in blocks.items()})
    # ARES' own planner, by a rule of four lines.
    offsets, height = model.first_fit([(name, *life) for name, life in lives.items()])
    planned = plan_of(context, out / "checkpoints", "--planner", "first-fit")
    same("first fit", {block["id"]: block["offset"] for block in planned["blocks"]}, offsets)
    check(planned["arenas"][0]["height_bytes"] <= height < planned["arenas"][0]["height_bytes"] + 4, "first fit's height")
    context.run("check", out / "checkpoints", "--board", "gap9")
    context.run("diff", out / "checkpoints", out / "checkpoints" / "post_memory_plan.json", "--fail-on", "any")


def check_levels(context: Context) -> None:
    """Every consumer is counted once, and the knob's value is the largest that fits."""
    def levels(*options: str, expect: int = 0) -> tuple[dict[str, Any], str]:
        done = context.run("check", SAMPLE / "network_info.json", "--board", "gap9", *options, "--json", expect=expect)
        document = parse_json(done.stdout, "check")
        return {level["memory"]: level for level in document["levels"]}, " ".join(
            item.get("hint", "") for item in document["diagnostics"])

    plain, _ = levels()
    for level in plain.values():
        same(f"{level['memory']}: used", level["used_bytes"], sum(item["size_bytes"] for item in level["consumers"]))
    same("L1", plain["l1"]["capacity_bytes"], GAP9_L1)
    same("L2", plain["l2"]["capacity_bytes"], GAP9_L2)
    rest = plain["l1"]["used_bytes"] - next(item["size_bytes"] for item in plain["l1"]["consumers"] if item.get("knob") == "cc_stack")
    _, hint = levels("--set", f"cc_stack={GAP9_L1 - rest + 1}", expect=3)
    check(f"cc_stack to at most {GAP9_L1 - rest}" in hint, f"the knob's value is not told: {hint}")
    fits, _ = levels("--set", f"cc_stack={GAP9_L1 - rest}")
    same("filled to the last byte", fits["l1"]["used_bytes"], GAP9_L1)


def check_macs(context: Context) -> int:
    """ARES counts each multiplication and each addition."""
    def conv(i: int, o: int, k: int, s: int = 1) -> dict[str, Any]:
        return {"type": "QuantConv2d", "in_channels": i, "out_channels": o, "kernel_size": k, "stride": s, "padding": k // 2}

    def fc(i: int, o: int) -> dict[str, Any]:
        return {"type": "QuantLinear", "in_features": i, "out_features": o}

    pool = {"type": "MaxPool2d", "kernel_size": 2}
    image = {"type": "QuantIdentity", "output_shape": [1, 1, 28, 28]}
    networks = {
        "test_1_simplecnn": {"c1": conv(1, 16, 3), "p1": pool, "c2": conv(16, 32, 3), "p2": pool, "f": {"type": "Flatten"}, "fc": fc(1568, 10)},
        "test_2_tinycnn": {"c1": conv(1, 8, 5), "p1": pool, "f": {"type": "Flatten"}, "fc": fc(1568, 10)},
        "test_3_mlp": {"f": {"type": "Flatten"}, "a": fc(784, 256), "b": fc(256, 128), "c": fc(128, 10)},
        "test_8_stride2": {"c1": conv(1, 16, 3), "c2": conv(16, 32, 3, 2), "c3": conv(32, 32, 3), "c4": conv(32, 16, 3, 2),
                           "gap": {"type": "GlobalAvgPool"}, "fc": fc(16, 10)},
    }
    counted = {"test_1_simplecnn": 2063488, "test_2_tinycnn": 344960, "test_3_mlp": 469504, "test_8_stride2": 6096704}
    if folder := os.environ.get("MEMSIZE_PLAN_DATA"):
        table = Path(folder).parent / "plans" / "ares" / "performance_baseline.csv"
        if table.exists():
            with table.open() as rows:
                published = {row["test"]: int(row["macs_column"]) for row in csv.DictReader(rows)}
            same("ARES' own table", {name: published[name] for name in counted}, counted)
    for name, layers in networks.items():
        path = context.work / f"{name}.json"
        path.write_text(json.dumps({"input_quant": image} | layers))
        found = plan_of(context, path)
        same(name, 2 * sum(layer["macs"] for layer in found["networks"][0]["layers"]), counted[name])
    return len(networks)


def check_sample(context: Context) -> None:
    document = read_json(SAMPLE / "network_info.json")
    for l1 in BUDGETS:
        found = plan_of(context, SAMPLE / "network_info.json", "--set", f"l1={l1}")
        check_layers(f"sample with {l1} B", found, model.Network(document, l1))
        check_plan("sample", found)


def body(context: Context) -> str:
    rng = random.Random(23)
    layers = sum(one_network(context, rng, index) for index in range(NETWORKS))
    check_sample(context)
    check_levels(context)
    macs = check_macs(context)
    return f"{NETWORKS} random networks with {layers} steps, the sample at {len(BUDGETS)} budgets, MACs of {macs} networks"


if __name__ == "__main__":
    main(__doc__, body)
