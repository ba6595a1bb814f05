"""Random networks with weights and inputs, in the form in which ARES' extractor leaves them; what their layers make is
network_values.py's. Scales are powers of two half of the time, so that many values lie in the middle of two."""

import json
import random
from pathlib import Path
from typing import Any

import network_values
import numpy as np

SCALES = (0.5, 0.25, 1.0, 0.125, 0.37, 0.081, 1.9)


class Maker:
    def __init__(self, seed: int):
        self.rng = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.layers: dict[str, Any] = {}
        self.arrays: dict[str, Any] = {}
        self.shape = [self.rng.choice((1, 2, 3, 8, 13, 16)), self.rng.randint(3, 20), self.rng.randint(3, 20)]
        self.blocks = 0
        self.tame = self.rng.random() < 0.5
        self.input = self.numbers.integers(-128, 128, (1, *self.shape), dtype=np.int8)
        self.add("input_quant", "QuantIdentity", scale=self.scale(), output_shape=[1, *self.shape])

    def scale(self) -> float:
        return self.rng.choice(SCALES[:4] if self.tame else SCALES)

    @property
    def last(self) -> str:
        return next(reversed(self.layers))

    def add(self, name: str, kind: str, **facts: Any) -> str:
        self.layers[name] = {"name": name, "type": kind, **facts}
        return name

    def weigh(self, name: str, shape: tuple[int, ...], product: float) -> None:
        least, most = self.rng.choice(((-128, 128), (-8, 9), (-2, 3)))
        self.arrays[f"{name}_weight_int8"] = self.numbers.integers(least, most, shape, dtype=np.int8)
        if self.rng.random() < 0.9:
            halves = self.numbers.integers(-4000, 4000, shape[0]) / 2
            self.arrays[f"{name}_bias_fp32"] = (halves * product).astype(np.float32)
        else:
            self.layers[name]["bias_fp32"] = None

    def factor(self, fan_in: int) -> float:
        """So that outputs neither all vanish nor all clip."""
        return self.rng.choice((1 / 8, 1 / 64, 1 / 512)) if self.tame else self.rng.uniform(0.2, 2) / (20 * fan_in ** 0.5)

    def conv(self, name: str, out: int, groups: int = 1, same: bool = False) -> None:
        rng, (channels, rows, columns) = self.rng, self.shape
        kernel = [3, 3] if same else [min(rng.choice((1, 2, 3, 3, 5)), rows), min(rng.choice((1, 2, 3, 3, 5)), columns)]
        stride = [1, 1] if same else [rng.choice((1, 1, 2, 3)), rng.choice((1, 1, 2))]
        padding = [1, 1] if same else [rng.randint(0, min(2, kernel[0] - 1)), rng.randint(0, min(2, kernel[1] - 1))]
        weight = self.factor(channels // groups * kernel[0] * kernel[1])
        facts: dict[str, Any] = {} if rng.random() < 0.3 else {"scale_output": self.scale()}
        self.add(name, "QuantConv2d", in_channels=channels, out_channels=out, kernel_size=kernel, stride=stride, padding=padding,
                 groups=groups, scale_weight=weight, **facts)
        self.weigh(name, (out, channels // groups, *kernel), weight)
        self.shape = [out, *((side + 2 * p - k) // s + 1 for side, k, s, p in zip((rows, columns), kernel, stride, padding, strict=True))]

    def behind(self) -> None:
        """What may be fused."""
        which, at = self.rng.random(), self.blocks
        if which < 0.75:
            self.add(f"relu{at}", "QuantReLU", scale=self.scale())
            if which < 0.3:
                self.add(f"quant{at}", "QuantIdentity", scale=self.scale())
            elif which < 0.5 and min(self.shape[1:]) >= 2:
                self.pool("MaxPool2d")
        elif which < 0.9:
            self.add(f"quant{at}", "QuantIdentity", scale=self.scale())

    def pool(self, kind: str) -> None:
        rng, (channels, rows, columns) = self.rng, self.shape
        kernel = [min(rng.choice((1, 2, 3)), rows), min(rng.choice((2, 3, 4)), columns)]
        stride, padding = [rng.randint(1, 3), rng.randint(1, 2)], [rng.randint(0, kernel[0] // 2), rng.randint(0, kernel[1] // 2)]
        self.add(f"pool{self.blocks}", kind, kernel_size=kernel, stride=stride, padding=padding)
        self.shape = [channels, *((side + 2 * p - k) // s + 1 for side, k, s, p in zip((rows, columns), kernel, stride, padding, strict=True))]
        if kind == "AvgPool2d" and rng.random() < 0.6:
            self.add(f"pool_quant{self.blocks}", "QuantIdentity", scale=self.scale())

    def block(self) -> None:
        self.blocks += 1
        rng, at, channels = self.rng, self.blocks, self.shape[0]
        kind = rng.choice(("conv", "conv", "depthwise", "residual", "concat", "max", "average", "pad"))
        if kind == "conv":
            self.conv(f"conv{at}", rng.choice((1, 3, 8, 17, 40)))
            self.behind()
        elif kind == "depthwise":
            self.conv(f"dw{at}", channels, groups=channels)
            self.behind()
        elif kind == "residual":
            before = self.last
            self.conv(f"body{at}", channels, same=True)
            if rng.random() < 0.5:
                self.add(f"relu{at}", "QuantReLU", scale=self.scale())
            self.add(f"add{at}", "Add", inputs=[self.last, before], scale_output=self.scale())
        elif kind == "concat":
            before, more = self.last, rng.choice((1, 4, 9))
            self.conv(f"branch{at}", more, same=True)
            self.add(f"cat{at}", "Concatenate", inputs=[before, self.last], dim=1, scale_output=self.scale())
            self.shape = [channels + more, *self.shape[1:]]
        elif kind in ("max", "average"):
            self.pool("MaxPool2d" if kind == "max" else "AvgPool2d")
        else:
            left, right, top, bottom = (rng.randint(0, 2) for _ in range(4))
            self.add(f"pad{at}", "ZeroPad2d", padding=[left, right, top, bottom])
            self.shape = [channels, self.shape[1] + top + bottom, self.shape[2] + left + right]

    def linear(self, name: str, inner: int, outer: int) -> None:
        weight = self.factor(inner)
        self.add(name, "QuantLinear", in_features=inner, out_features=outer, scale_weight=weight)
        self.weigh(name, (outer, inner), weight)

    def finish(self) -> None:
        rng = self.rng
        if rng.random() < 0.5:
            self.add("gap", "GlobalAvgPool")
            if rng.random() < 0.5:
                self.add("gap_quant", "QuantIdentity", scale=self.scale())
            self.shape = [self.shape[0], 1, 1]
        if rng.random() < 0.15:
            return
        self.add("flatten", "Flatten", start_dim=1)
        inner = int(np.prod(self.shape))
        tokens = rng.choice([count for count in (1, 2, 3, 4, 5) if inner % count == 0])
        if tokens > 1 and rng.random() < 0.5:
            self.add("tokens", "Reshape", shape=[1, tokens, inner // tokens])
            outer = rng.choice((3, 16, 50))
            self.linear("each", inner // tokens, outer)
            if rng.random() < 0.5:
                self.add("each_relu", "QuantReLU", scale=self.scale())
            if rng.random() < 0.3:
                self.linear("classifier", outer, rng.choice((1, 10)))
                return
            self.add("together", "Flatten", start_dim=1)
            inner = tokens * outer
        if rng.random() < 0.5:
            outer = rng.choice((7, 64, 130))
            self.linear("hidden", inner, outer)
            self.add("hidden_relu", "QuantReLU", scale=self.scale())
            if rng.random() < 0.5:
                self.add("hidden_quant", "QuantIdentity", scale=self.scale())
            inner = outer
        self.linear("classifier", inner, rng.choice((1, 10, 33)))
        if rng.random() < 0.2:
            self.add("last_quant", "QuantIdentity", scale=self.scale())


def make(folder: Path, seed: int) -> dict[str, Any]:
    """What each layer makes."""
    maker = Maker(seed)
    for _ in range(maker.rng.randint(1, 6)):
        if min(maker.shape[1:]) < 2:
            break
        maker.block()
    maker.finish()
    case = folder / "test_cases" / "test_case_1"
    for path in (folder / "weights", case / "intermediate_int8"):
        path.mkdir(parents=True)
    for layer in maker.layers.values():
        if maker.rng.random() < 0.1 and "scale_weight" in layer:
            layer["weight_residency"] = "L3_STAGED"
    (folder / "network_info.json").write_text(json.dumps({**maker.layers, "__layer_order__": list(maker.layers)}))
    for name, array in maker.arrays.items():
        np.save(folder / "weights" / f"{name}.npy", array)
    np.save(case / "input_int8.npy", maker.input)
    values = network_values.Network(folder).run()
    for name, made in values.items():
        if made.dtype == np.int8:
            np.save(case / "intermediate_int8" / f"{name}_int8.npy", made[None])
        else:
            np.save(case / "output_fp32.npy", made[None])
    return values
