"""What ARES makes of a network, as its rules say: shapes, fusions, residency, tiles, lifetimes. In Python's own numbers; shares
nothing with memsize.

Where memsize differs on purpose, a comment that begins with "Unlike ARES" says so.
"""

from dataclasses import dataclass, field
from typing import Any

IN_PLACE = ("QuantIdentity", "QuantReLU", "Flatten", "Reshape", "Squeeze")
COMPUTES = ("QuantConv2d", "QuantLinear", "QuantReLU", "QuantIdentity", "Add", "QuantAdd", "Concatenate", "MaxPool2d", "AvgPool2d",
            "GlobalAvgPool", "AdaptiveAvgPool2d")
# Of a linear layer's weights that pass through L2 layer by layer.
STAGED_FROM = 102400


def up(value: int, step: int) -> int:
    return -(-value // step)


def pair(value: Any, default: Any = None) -> tuple[int, int]:
    value = default if value is None else value
    if isinstance(value, list):
        return value[0], value[-1]
    return value, value


def product(shape: list[int]) -> int:
    result = 1
    for size in shape:
        result *= size
    return result


@dataclass
class Layer:
    name: str
    kind: str
    facts: dict[str, Any]
    inputs: list[str] = field(default_factory=list)
    shape_in: list[int] = field(default_factory=list)
    shape: list[int] = field(default_factory=list)
    op: str = ""
    weights: int = 0
    bias: int = 0
    macs: int = 0
    element: int = 1
    buffer: str = ""
    in_place: bool = False
    kernel: tuple[int, int] = (1, 1)
    stride: tuple[int, int] = (1, 1)
    padding: tuple[int, int] = (0, 0)
    groups: int = 1
    tiles: dict[str, int] | None = None
    tier: str | None = None
    residency: str | None = None


@dataclass
class Step:
    layers: list[Layer]
    fusion: str | None = None

    @property
    def base(self) -> Layer:
        return self.layers[0]


# --- tiles -------------------------------------------------------------------------------------------------


def window(n: int, k: int, s: int) -> int:
    return (n - 1) * s + k


def row_of_weights(layer: Layer, channels: int) -> int:
    kernel = layer.kernel[0] * layer.kernel[1]
    depthwise = layer.groups > 1 and layer.groups == channels
    return 4 * up(kernel if depthwise else kernel * channels, 4)


def conv_slabs(layer: Layer, estimate: tuple[int, int], l2: int) -> tuple[int, int, int, int] | None:
    """How many, rows, rows with halo, bytes; `estimate` is the output that the whole is thought to have."""
    _, channels, height, width = layer.shape_in
    out = layer.shape[1]
    if height * width * channels + estimate[0] * estimate[1] * out <= l2:
        return 1, 0, 0, 0
    for count in range(2, height + 1):
        rows = up(height, count)
        halo = min(window(rows, layer.kernel[0], layer.stride[0]), height)
        # ARES' halo: rows * stride + kernel - 1.
        halo = min(rows * layer.stride[0] + layer.kernel[0] - 1, height)
        need = 2 * (halo * width * channels + rows * (width // layer.stride[1]) * out)
        if need <= l2:
            return count, rows, halo, need
    return None


def conv_tiles(layer: Layer, l1: int, l2: int) -> dict[str, int] | None:
    _, channels, height, width = layer.shape_in
    _, out, out_h, out_w = layer.shape
    row = row_of_weights(layer, channels)

    def sizes(t: int) -> tuple[int, int]:
        return (window(t, layer.kernel[0], layer.stride[0]) * window(out_w, layer.kernel[1], layer.stride[1]) * channels,
                t * out_w * out)

    def made(slabs: tuple[int, int, int, int], t: int, m: int, buffers: int) -> dict[str, int]:
        into, outof = sizes(t)
        weights = m * row if buffers else 0
        made = {"rows": t, "columns": out_w, "channels": m, "input_rows": window(t, layer.kernel[0], layer.stride[0]),
                "input_columns": window(out_w, layer.kernel[1], layer.stride[1]), "row_tiles": up(slabs[1] or out_h, t),
                "column_tiles": 1, "channel_tiles": up(out, m), "input_bytes": into, "output_bytes": outof,
                "weight_bytes": weights, "weight_buffers": buffers, "l1_bytes": 2 * (into + outof) + buffers * weights}
        return made | slab_keys(slabs)

    slabs = conv_slabs(layer, (out_h, out_w), l2)
    for t in range(slabs[1] or out_h, 0, -1) if slabs else ():
        into, outof = sizes(t)
        room = l1 // 2 - into - outof
        if room <= 0:
            continue
        m = room // row
        if m >= out:
            return made(slabs, t, out, 2)
        if m >= 8:
            if up(out, m) >= 3:
                third = (l1 - 2 * (into + outof)) // (3 * row)
                if third >= 8 and up(out, third) >= 3:
                    return made(slabs, t, third, 3)
            return made(slabs, t, m, 2)
    slabs = conv_slabs(layer, (height // layer.stride[0], width // layer.stride[1]), l2)
    for t in range(slabs[1] or out_h, 0, -1) if slabs else ():
        if 2 * sum(sizes(t)) <= l1:
            return made(slabs, t, out, 0)
    return None


def slab_keys(slabs: tuple[int, int, int, int]) -> dict[str, int]:
    count, rows, halo, need = slabs
    return {} if count == 1 else {"slabs": count, "slab_rows": rows, "slab_input_rows": halo, "l2_bytes": need}


def linear_tiles(layer: Layer, l1: int, l2: int) -> dict[str, int] | None:
    tokens, inner, outer, size = tokens_of(layer), layer.facts["in_features"], layer.facts["out_features"], layer.element
    if tokens > 1 and size == 4:
        return None
    slabs = (1, 0, 0, 0)
    if inner * outer + inner * tokens + outer * tokens * size > l2:
        if inner * tokens > l2 // 2:
            return None
        for count in range(2, outer + 1):
            part = up(outer, count)
            need = inner * tokens + 2 * (part * inner + part * tokens * size)
            if need <= l2:
                slabs = (count, part, tokens, need)
                break
        else:
            return None
    span = slabs[1] or outer
    if tokens > 1:
        most = (l1 // 2 // inner) & ~3
        if most < 4:
            return None
        tile = min(span, most)
        for step in (64, 32, 16, 4):
            if tile // step * step >= 4:
                tile = tile // step * step
                break
        into = outof = 0
    else:
        most = (l1 - inner) // (2 * (inner + size))
        if inner > l1 or most < 1:
            return None
        tile = min(span, most)
        into, outof = inner, tile * size
    weights = tile * inner
    return {"rows": tokens, "columns": 1, "channels": tile, "input_rows": tokens, "input_columns": 1, "row_tiles": 1,
            "column_tiles": 1, "channel_tiles": up(span, tile), "input_bytes": into, "output_bytes": outof,
            "weight_bytes": weights, "weight_buffers": 2, "l1_bytes": into + 2 * (outof + weights)} | slab_keys(slabs)


def pool_tiles(layer: Layer, l1: int, l2: int) -> dict[str, int] | None:
    _, channels, height, width = layer.shape_in
    _, _, out_h, out_w = layer.shape
    k, s, p = layer.kernel[0], layer.stride[0], layer.padding[0]
    slabs = (1, 0, 0, 0)
    if channels * (height * width + out_h * out_w) > l2:
        for count in range(2, out_h + 1):
            rows = up(out_h, count)
            halo = min(window(rows, k, s), height)
            need = 2 * channels * (halo * width + rows * out_w)
            if need <= l2:
                slabs = (count, rows, halo, need)
                break
        else:
            return None
    for t in range(slabs[1] or out_h, 0, -1):
        rows = min(window(t, k, s), slabs[2] or height)
        for w in range(out_w, 0, -1):
            columns = min(window(w, k, s), width + 2 * p)
            if 2 * channels * (rows * columns + t * w) <= l1:
                return {"rows": t, "columns": w, "channels": channels, "input_rows": rows, "input_columns": columns,
                        "row_tiles": up(slabs[1] or out_h, t), "column_tiles": up(out_w, w), "channel_tiles": 1,
                        "input_bytes": channels * rows * columns, "output_bytes": channels * t * w, "weight_bytes": 0,
                        "weight_buffers": 0, "l1_bytes": 2 * channels * (rows * columns + t * w)} | slab_keys(slabs)
    return None


def global_tiles(layer: Layer, l1: int) -> dict[str, int] | None:
    _, channels, height, width = layer.shape_in
    for h in range(height, 0, -1):
        w = min(width, (l1 - 5 * channels) // (2 * h * channels)) if l1 >= 5 * channels else 0
        if w >= 1:
            return {"rows": 1, "columns": 1, "channels": channels, "input_rows": h, "input_columns": w,
                    "row_tiles": up(height, h), "column_tiles": up(width, w), "channel_tiles": 1,
                    "input_bytes": h * w * channels, "output_bytes": channels, "weight_bytes": 0, "weight_buffers": 0,
                    "l1_bytes": 2 * h * w * channels + 5 * channels}
    return None


def flat_tiles(count: int, tile: int, inputs: int) -> dict[str, int]:
    return {"rows": 1, "columns": 1, "channels": tile, "input_rows": 1, "input_columns": 1, "row_tiles": 1, "column_tiles": 1,
            "channel_tiles": up(count, tile), "input_bytes": inputs * tile, "output_bytes": 0, "weight_bytes": 0,
            "weight_buffers": 0, "l1_bytes": 2 * inputs * tile}


def concat_tiles(layer: Layer, l1: int) -> dict[str, int] | None:
    channels, places = layer.shape[1], product(layer.shape[2:])
    tile = min(places, l1 // (2 * channels))
    if tile < 1:
        return None
    return {"rows": 1, "columns": tile, "channels": channels, "input_rows": 1, "input_columns": tile, "row_tiles": 1,
            "column_tiles": up(places, tile), "channel_tiles": 1, "input_bytes": channels * tile, "output_bytes": 0,
            "weight_bytes": 0, "weight_buffers": 0, "l1_bytes": 2 * channels * tile}


def tokens_of(layer: Layer) -> int:
    return layer.shape_in[1] if len(layer.shape_in) == 3 and layer.shape_in[-1] == layer.facts["in_features"] else 1


def tiles_of(layer: Layer, l1: int, l2: int) -> tuple[str | None, dict[str, int] | None]:
    if layer.op == "conv2d":
        tiles = conv_tiles(layer, l1, l2)
    elif layer.op.startswith("linear"):
        tiles = linear_tiles(layer, l1, l2)
    elif layer.op in ("maxpool", "avgpool"):
        tiles = pool_tiles(layer, l1, l2)
    elif layer.op == "global_avgpool":
        tiles = global_tiles(layer, l1)
    elif layer.op in ("relu", "requantize"):
        tiles = flat_tiles(product(layer.shape[1:]), min(product(layer.shape[1:]), l1 // 2), 1)
    elif layer.op == "add":
        tiles = flat_tiles(product(layer.shape[1:]), min(product(layer.shape[1:]), l1 // 4), 2)
    elif layer.op == "concat":
        tiles = concat_tiles(layer, l1)
    else:
        return None, None
    if tiles is None:
        return "L2_FULL", None
    return ("L3_TILED" if tiles.get("slabs", 1) > 1 else "L1_TILED"), tiles


# --- what is moved, tile by tile ---------------------------------------------------------------------------


def overlap(first: int, count: int, size: int) -> int:
    """Of `count` rows from `first`, those that are no padding."""
    return max(0, min(first + count, size) - max(first, 0))


def moved(layer: Layer, tiles: dict[str, int]) -> int:
    """Bytes between L2 and L1 of one run, recounted."""
    if layer.op.startswith("linear"):
        tokens, inner, outer = tokens_of(layer), layer.facts["in_features"], layer.facts["out_features"]
        into = tiles.get("slabs", 1) * tokens * inner if tiles["input_bytes"] else 0
        outof = outer * tokens * layer.element if tiles["output_bytes"] else 0
        return into + outof + (layer.weights if tiles["weight_buffers"] else 0)
    count = product(layer.shape[1:])
    if layer.op in ("relu", "requantize", "concat"):
        return 2 * count
    if layer.op == "add":
        return 3 * count
    if layer.op == "global_avgpool":
        return product(layer.shape_in[1:]) + count
    return moved_by_windows(layer, tiles)


def moved_by_windows(layer: Layer, tiles: dict[str, int]) -> int:
    _, channels, height, width = layer.shape_in
    _, out, out_h, out_w = layer.shape
    spatial = total = 0
    into = 0
    per_slab = tiles.get("slab_rows", out_h)
    columns = [(c * tiles["columns"], min(tiles["columns"], out_w - c * tiles["columns"])) for c in range(tiles["column_tiles"])]
    for slab in range(tiles.get("slabs", 1)):
        for t in range(tiles["row_tiles"]):
            first = slab * per_slab + t * tiles["rows"]
            rows = min(tiles["rows"], per_slab - t * tiles["rows"], out_h - first)
            if rows <= 0:
                continue
            for left, wide in columns:
                spatial += 1
                into += (overlap(first * layer.stride[0] - layer.padding[0], window(rows, layer.kernel[0], layer.stride[0]), height)
                         * overlap(left * layer.stride[1] - layer.padding[1], window(wide, layer.kernel[1], layer.stride[1]), width))
                total += rows * wide * out
    total += into * channels
    if tiles["weight_buffers"]:
        total += layer.weights * (spatial if tiles["channel_tiles"] > 1 else 1)
    return total


# --- the network -------------------------------------------------------------------------------------------


class Network:
    def __init__(self, document: dict[str, Any], l1: int = 102400, l2: int = 1126400):
        self.l1, self.l2 = l1, l2
        order = document.get("__layer_order__") or [name for name in document if not name.startswith("__")]
        self.layers = [Layer(name, document[name]["type"], document[name]) for name in order]
        self.by_name = {layer.name: layer for layer in self.layers}
        for index, layer in enumerate(self.layers):
            self.name_inputs(index, layer)
        self.readers: dict[str, list[int]] = {}
        for index, layer in enumerate(self.layers):
            for name in layer.inputs:
                self.readers.setdefault(name, []).append(index)
        self.classifier = next((i for i in range(len(self.layers) - 1, -1, -1) if self.layers[i].kind == "QuantLinear"), None)
        for index, layer in enumerate(self.layers):
            self.shape(index, layer)
            self.place(index, layer)
            layer.tier, layer.tiles = (None, None) if index == 0 else tiles_of(layer, l1, l2)
            if layer.weights:
                self.reside(layer)
        self.steps = self.fused()

    def name_inputs(self, index: int, layer: Layer) -> None:
        facts = layer.facts
        named = facts.get("inputs") or [facts[key] for key in ("input", "input1", "input2") if key in facts]
        if named:
            layer.inputs = [name.removesuffix("_out") if name not in self.by_name else name for name in named]
        elif ".shortcut" in layer.name and not self.layers[index - 1].name.startswith(layer.name.split(".shortcut")[0] + ".shortcut"):
            layer.inputs = list(self.by_name[layer.name.split(".shortcut")[0] + ".conv1"].inputs)
        elif index:
            layer.inputs = [self.layers[index - 1].name]

    def shape(self, index: int, layer: Layer) -> None:
        facts, kind = layer.facts, layer.kind
        layer.shape_in = self.by_name[layer.inputs[0]].shape if layer.inputs else facts["output_shape"]
        shape = layer.shape_in
        layer.shape = list(shape)
        layer.op = {"QuantIdentity": "requantize", "QuantReLU": "relu", "QuantConv2d": "conv2d", "MaxPool2d": "maxpool",
                    "AvgPool2d": "avgpool", "GlobalAvgPool": "global_avgpool", "AdaptiveAvgPool2d": "global_avgpool",
                    "Add": "add", "QuantAdd": "add", "Concatenate": "concat"}.get(kind, kind.lower())
        if kind in ("QuantConv2d", "MaxPool2d", "AvgPool2d"):
            layer.kernel = pair(facts["kernel_size"])
            layer.stride = pair(facts.get("stride"), list(layer.kernel) if kind != "QuantConv2d" else 1)
            layer.padding = pair(facts.get("padding"), 0)
            sides = [(shape[2 + a] + 2 * layer.padding[a] - layer.kernel[a]) // layer.stride[a] + 1 for a in (0, 1)]
            layer.shape = [1, facts.get("out_channels", shape[1]), *sides]
            if kind == "AvgPool2d" and sides == [1, 1]:
                layer.op = "global_avgpool"
        if kind == "QuantConv2d":
            layer.groups = facts.get("groups", 1)
            layer.weights = facts["out_channels"] * (shape[1] // layer.groups) * layer.kernel[0] * layer.kernel[1]
            layer.bias = 4 * facts["out_channels"]
            layer.macs = layer.weights * layer.shape[2] * layer.shape[3]
        elif kind == "QuantLinear":
            is_final = index == self.classifier
            # Unlike ARES, a classifier that a later layer computes with gives int8.
            if is_final and not any(after.kind in COMPUTES for after in self.layers[index + 1:]):
                layer.element = 4
            layer.op = "linear_fp32" if layer.element == 4 else "linear_int8"
            layer.weights = facts["in_features"] * facts["out_features"]
            layer.bias = 0 if "bias_fp32" in facts and facts["bias_fp32"] is None else 4 * facts["out_features"]
            layer.shape = [1, facts["out_features"]] if tokens_of(layer) == 1 and len(shape) != 3 else [1, tokens_of(layer), facts["out_features"]]
            layer.macs = layer.weights * tokens_of(layer)
        elif layer.op == "global_avgpool":
            layer.shape = [1, shape[1], 1, 1]
        elif kind == "ZeroPad2d":
            left, right, top, bottom = facts["padding"]
            layer.shape = [1, shape[1], shape[2] + top + bottom, shape[3] + left + right]
        elif kind == "Flatten":
            start = facts.get("start_dim", 1)
            layer.shape = [*shape[:start], product(shape[start:])]
        elif kind == "Squeeze":
            layer.shape = shape[:facts["dim"]] + shape[facts["dim"] + 1:]
        elif kind == "Reshape":
            layer.shape = list(facts["shape"])
        elif kind == "Concatenate":
            layer.shape = [1, sum(self.by_name[name].shape[1] for name in layer.inputs), *shape[2:]]
        if layer.op == "global_avgpool":
            layer.shape = [1, shape[1], 1, 1]

    def place(self, index: int, layer: Layer) -> None:
        if index == 0:
            layer.buffer, layer.in_place = layer.name, True
            return
        if layer.kind in IN_PLACE:
            source = self.by_name[layer.inputs[0]].buffer
            shares = [each for each in self.layers[:index] if each.buffer == source]
            # Unlike ARES, which overwrites what a later layer still reads: then it has a buffer of its own.
            changes = layer.kind in ("QuantIdentity", "QuantReLU")
            if not changes or not any(reader > index for each in shares for reader in self.readers.get(each.name, [])):
                layer.buffer, layer.in_place = source, True
                return
        layer.buffer = "output_fp32" if layer.element == 4 else layer.name + "_out"

    def reside(self, layer: Layer) -> None:
        said = layer.facts.get("weight_residency")
        if layer.kind == "QuantLinear":
            if layer.tier == "L3_TILED":
                layer.residency = "L3_TILED"
                return
            if layer.weights >= STAGED_FROM and layer.element == 1:
                layer.residency = "L3_STAGED"
                return
        layer.residency = said or "L2"

    def only_read_by(self, layer: Layer, index: int) -> bool:
        return self.readers.get(layer.name, []) == [index]

    def fused(self) -> list[Step]:
        steps: list[Step] = []
        at = 0
        while at < len(self.layers):
            name, count = self.match(at)
            steps.append(Step(self.layers[at:at + count], name))
            if name == "conv_relu_maxpool":
                for layer in self.layers[at:at + 2]:
                    layer.buffer = self.layers[at + 2].buffer
            at += count
        return steps

    def match(self, at: int) -> tuple[str | None, int]:
        base, *rest = self.layers[at:at + 3]

        def follows(place: int, kind: str) -> bool:
            return (len(rest) > place and rest[place].kind == kind and rest[place].in_place and rest[place].buffer == base.buffer
                    and rest[place].inputs == [(base, *rest)[place].name])

        if at == 0 or base.tier == "L3_TILED":
            return None, 1
        what = {"conv2d": "conv", "linear_int8": "linear"}.get(base.op)
        if what and follows(0, "QuantReLU"):
            if follows(1, "QuantIdentity"):
                return what + "_relu_quant", 3
            if (what == "conv" and len(rest) > 1 and rest[1].op == "maxpool" and self.only_read_by(base, at + 1)
                    and self.only_read_by(rest[0], at + 2) and self.pool_fuses(base, rest[1])):
                return "conv_relu_maxpool", 3
            return what + "_relu", 2
        if base.op in ("maxpool", "avgpool", "global_avgpool") and follows(0, "QuantIdentity"):
            return "pool_quant", 2
        return None, 1

    @staticmethod
    def pool_fuses(conv: Layer, pool: Layer) -> bool:
        return conv.tiles is not None and conv.tiles["row_tiles"] * conv.tiles["column_tiles"] == 1

    def blocks(self) -> dict[str, tuple[int, int, int]]:
        """Of L2 that is used again: first step, step behind the last, bytes. Where no layer works in slabs."""
        live: dict[str, list[int]] = {}
        sizes: dict[str, int] = {}

        def use(layer: Layer, step: int) -> None:
            first, last = live.get(layer.buffer, [step, step])
            live[layer.buffer] = [min(first, step), max(last, step)]

        for index, step in enumerate(self.steps):
            last = step.layers[-1]
            for name in step.base.inputs:
                use(self.by_name[name], index)
            use(last, index)
            sizes.setdefault(last.buffer, product(last.shape[1:]) * last.element)
            if step.base.residency == "L3_STAGED":
                slab = step.base.name + "_weight_slab"
                # One slab for all: it comes early only where the step before does not use it.
                is_free = self.steps[index - 1].base.residency != "L3_STAGED"
                live[slab], sizes[slab] = [index - 1 if is_free else index, index], step.base.weights
        # Unlike ARES, the output lives one step longer: somebody reads it then.
        live[self.layers[-1].buffer][1] = len(self.steps)
        return {name: (first, last + 1, sizes[name]) for name, (first, last) in live.items()}


def first_fit(blocks: list[tuple[str, int, int, int]], alignment: int = 1) -> tuple[dict[str, int], int]:
    """By first step, then the largest; each into the lowest gap among those alive with it. Steps are [first, behind)."""
    placed: list[tuple[int, int, int, int]] = []
    offsets: dict[str, int] = {}
    for name, first, behind, size in sorted(blocks, key=lambda block: (block[1], -block[3])):
        at = 0
        for start, end, lower, upper in sorted(placed):
            if first < upper and lower < behind:
                if at + size <= start:
                    break
                at = max(at, end)
        offsets[name] = at
        placed.append((at, at + size, first, behind))
    return offsets, 4 * up(max((end for _, end, _, _ in placed), default=0), 4)
