"""What an ARES network computes, layer by layer, in NumPy: int8 values, symmetric, batch 1. Written from ARES' description of its
arithmetic (atomic_ops: which operator rounds how), and shares nothing with memsize.

Ratios of scales are made in double and rounded once to float32; each product, quotient and sum of values is rounded to float32.
ARES' own golden does pools in double, which can differ by one where a value lies next to the middle of two.
"""

import json
from pathlib import Path
from typing import Any, Callable

import numpy as np

F = np.float32


def clipped(values: Any) -> Any:
    return np.clip(values, -128, 127).astype(np.int8)


def half_even(values: Any) -> Any:
    return clipped(np.rint(values.astype(F)))


def half_up(values: Any) -> Any:
    return clipped(np.floor(values.astype(F) + F(0.5)))


def pair(value: Any, default: Any = None) -> tuple[int, int]:
    value = default if value is None else value
    return (value[0], value[-1]) if isinstance(value, list) else (value, value)


def windows(x: Any, kernel: tuple[int, int], stride: tuple[int, int], padding: tuple[int, int], fill: int) -> Any:
    """[C, kernel rows, kernel columns, rows, columns] of [C, H, W]."""
    padded = np.pad(x, ((0, 0), (padding[0],) * 2, (padding[1],) * 2), constant_values=fill)
    rows = (padded.shape[1] - kernel[0]) // stride[0] + 1
    columns = (padded.shape[2] - kernel[1]) // stride[1] + 1
    parts = [[padded[:, y:y + (rows - 1) * stride[0] + 1:stride[0], x0:x0 + (columns - 1) * stride[1] + 1:stride[1]]
              for x0 in range(kernel[1])] for y in range(kernel[0])]
    return np.stack([np.stack(row, axis=1) for row in parts], axis=1)


def quantised_bias(bias: Any, scale: float) -> Any:
    return np.rint(bias.astype(F) / F(scale)).astype(np.int64)


def requantised(sums: Any, scale: float) -> Any:
    return half_even(sums.astype(np.int32).astype(F) * F(scale))


class Network:
    """A folder as ARES' extractor leaves it. `values` has what each layer makes, `scales` what one step of it is worth."""

    def __init__(self, folder: Path, rounding: dict[str, Callable[[Any], Any]] | None = None):
        self.folder = folder
        self.rounding = {"even": half_even, "up": half_up, **(rounding or {})}
        found = json.loads((folder / "network_info.json").read_text())
        order = found.get("__layer_order__") or [name for name in found if not name.startswith("__")]
        self.layers = {name: found[name] for name in order if name in found}
        self.names = list(self.layers)
        self.values: dict[str, Any] = {}
        self.scales: dict[str, float] = {}

    def array(self, name: str, kind: str) -> Any:
        path = self.folder / "weights" / f"{name}_{kind}.npy"
        return np.load(path) if path.exists() else None

    def next_scale(self, name: str) -> float:
        for later in self.names[self.names.index(name) + 1:]:
            if self.layers[later]["type"] in ("QuantIdentity", "QuantReLU"):
                return float(self.layers[later]["scale"])
        return 1.0

    def quantiser_behind(self, name: str) -> float | None:
        at = self.names.index(name) + 1
        if at < len(self.names) and self.layers[self.names[at]]["type"] == "QuantIdentity":
            return float(self.layers[self.names[at]]["scale"])
        return None

    def inputs(self, name: str) -> list[str]:
        layer = self.layers[name]
        if "inputs" in layer:
            return list(layer["inputs"])
        if "input" in layer:
            return [layer["input"]]
        return [self.names[self.names.index(name) - 1]]

    def run(self) -> dict[str, Any]:
        first = self.names[0]
        case = self.folder / "test_cases" / "test_case_1"
        self.values[first] = np.load(case / "input_int8.npy")[0]
        self.scales[first] = float(self.layers[first]["scale"])
        for name in self.names[1:]:
            sources = self.inputs(name)
            self.scales[name] = self.scales[sources[0]]
            self.values[name] = self.compute(name, [self.values[source] for source in sources], [self.scales[s] for s in sources])
        return self.values

    def compute(self, name: str, inputs: list[Any], scales: list[float]) -> Any:
        layer, x, scale = self.layers[name], inputs[0], scales[0]
        kind = layer["type"]
        if kind in ("QuantConv2d", "QuantLinear"):
            return self.weighted(name, layer, x, scale)
        if kind == "QuantReLU":
            own = float(layer.get("scale") or scale)
            self.scales[name] = own
            positive = np.maximum(x, 0)
            return positive if own == scale else self.rounding["even"](positive.astype(F) * F(scale) / F(own))
        if kind == "QuantIdentity":
            own = float(layer["scale"])
            self.scales[name] = own
            return x if own == scale else self.rounding["up"](x.astype(F) * F(scale / own))
        if kind == "MaxPool2d":
            return self.pooled(layer, x, -128).max(axis=(1, 2))
        if kind == "AvgPool2d":
            own = self.quantiser_behind(name) or scale
            self.scales[name] = own
            parts = self.pooled(layer, x, 0).astype(np.int32)
            if pair(layer["kernel_size"]) == x.shape[1:] and pair(layer.get("padding"), 0) == (0, 0):
                # An average of everything is a global one, which rounds otherwise.
                return self.averaged(x, scale, own)
            return self.rounding["even"](parts.sum(axis=(1, 2)).astype(F) / F(parts.shape[1] * parts.shape[2]) * F(scale / own))
        if kind in ("GlobalAvgPool", "AdaptiveAvgPool2d"):
            own = self.quantiser_behind(name) or scale
            self.scales[name] = own
            return self.averaged(x, scale, own)
        if kind == "Add":
            own = float(layer.get("scale_output") or scale)
            self.scales[name] = own
            if scales[0] == scales[1] == own:
                return clipped(x.astype(np.int32) + inputs[1])
            return self.rounding["even"]((x.astype(F) * F(scales[0]) + inputs[1].astype(F) * F(scales[1])) / F(own))
        if kind == "Concatenate":
            own = float(layer.get("scale_output") or scale)
            self.scales[name] = own
            return np.concatenate([one if was == own else self.rounding["even"](one.astype(F) * F(was / own))
                                   for one, was in zip(inputs, scales, strict=True)])
        if kind == "ZeroPad2d":
            left, right, top, bottom = layer["padding"]
            return np.pad(x, ((0, 0), (top, bottom), (left, right)))
        assert kind in ("Flatten", "Reshape", "Squeeze"), kind
        return x.reshape(layer["shape"][1:] if kind == "Reshape" else -1)

    def pooled(self, layer: dict[str, Any], x: Any, fill: int) -> Any:
        kernel = pair(layer["kernel_size"])
        return windows(x, kernel, pair(layer.get("stride"), layer["kernel_size"]), pair(layer.get("padding"), 0), fill)

    def averaged(self, x: Any, scale: float, own: float) -> Any:
        sums = x.astype(np.int32).sum(axis=(1, 2))
        return self.rounding["up"](sums.astype(F) / F(x.shape[1] * x.shape[2]) * F(scale / own)).reshape(-1, 1, 1)

    def weighted(self, name: str, layer: dict[str, Any], x: Any, scale: float) -> Any:
        scale = float(layer.get("scale_input") or scale)
        weights, bias = self.array(name, "weight_int8").astype(np.int32), self.array(name, "bias_fp32")
        if layer["type"] == "QuantConv2d":
            parts = windows(x.astype(np.int32), pair(layer["kernel_size"]), pair(layer.get("stride"), 1), pair(layer.get("padding"), 0), 0)
            groups = layer.get("groups", 1)
            if groups == 1:
                sums = np.tensordot(weights, parts, axes=([1, 2, 3], [0, 1, 2]))
            else:
                parts = np.repeat(parts, weights.shape[0] // groups, axis=0)
                sums = (weights[:, 0, :, :, None, None] * parts).sum(axis=(1, 2))
            across = (slice(None), None, None)
        else:
            # A row each token, where there are some.
            rows = x if x.ndim == 2 and x.shape[1] == layer["in_features"] else x.reshape(-1)
            sums, across = rows.astype(np.int32) @ weights.T, (slice(None),)
        product = scale * float(layer["scale_weight"])
        if layer["type"] == "QuantLinear" and self.is_classifier(name):
            logits = sums.astype(np.int32).astype(F) * F(product)
            return logits if bias is None else logits + bias.astype(F)[across]
        own = float(layer.get("scale_output") or self.next_scale(name))
        self.scales[name] = own
        if bias is not None:
            sums = sums + quantised_bias(bias, product)[across]
        return self.rounding["even"](sums.astype(np.int32).astype(F) * F(product / own))

    def is_classifier(self, name: str) -> bool:
        """The last layer that computes."""
        behind = self.names[self.names.index(name) + 1:]
        return all(self.layers[later]["type"] in ("Flatten", "Reshape", "Squeeze") for later in behind)
