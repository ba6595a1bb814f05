"""Random calls of memory domains against rules written once more, which share no code with the reference.

Each line is a sequence of allocations, copies, runs and releases; this test says what every call must come to, the token of each
buffer, its shape and whether it is initialised. The bytes are looked at where they come out.
"""

import argparse
import random
import subprocess
import sys
from dataclasses import dataclass, field
from math import prod
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "accept"))
from nn_cases import build_process  # noqa: E402
from support import Context, check, main, tool  # noqa: E402

Shape = tuple[int, ...]
N: Shape = (1, 32, 32, 8)
LATE = 40000
OK, BAD, NO, SMALL = "ok", "bad", "no", "small"
ELEMENTS = (4, 2, 1, 1)
# Letter: device, inputs, outputs, shape, and what differs in its operands.
MODELS: dict[str, tuple[str, int, int, Shape, str]] = {
    "c": ("plain", 1, 1, N, ""), "d": ("plain", 1, 1, N, ""), "t": ("plain", 2, 2, N, ""), "w": ("plain", 1, 1, (4, 32, 32, 8), ""),
    "y": ("plain", 1, 1, N, "type"), "s": ("plain", 1, 1, N, "scale"), "z": ("plain", 1, 1, N, "zero"), "p": ("plain", 1, 1, N, "extra"),
    "u": ("plain", 1, 1, (0, 32, 32, 8), ""), "r": ("plain", 1, 1, (), ""), "i": ("plain", 1, 1, (2,), ""), "j": ("plain", 1, 1, (1, 2), ""),
    "o": ("plain", 1, 1, (2, 1), ""), "x": ("foreign", 1, 1, N, ""), "n": ("closed", 1, 1, N, ""), "v": ("closed", 1, 1, (0, 32, 32, 8), ""),
    "l": ("tiled", 1, 1, N, ""), "m": ("tiled", 1, 1, (0, 32, 32, 8), ""), "f": ("poor", 1, 1, N, ""), "h": ("poor", 1, 1, (0, 32, 32, 8), ""),
}
ORDER = ("type", "scale", "zero", "extra")
PROBABILITIES = (1.0, 10.0, 0.0, -0.5)
SHAPES: tuple[Shape, ...] = ((), N, N, N, (2, 32, 32, 8), (0, 32, 32, 8), (32, 32, 8), (1, 32, 32, 0), (1, 16, 32, 16), (4, 32, 32, 8), (2,), (1, 2))


def combine(one: Shape, other: Shape) -> Shape | None:
    if not one or not other:
        return one or other
    if len(one) != len(other) or any(a and b and a != b for a, b in zip(one, other)):
        return None
    return tuple(a or b for a, b in zip(one, other))


def is_full(shape: Shape) -> bool:
    return bool(shape) and 0 not in shape


def shown(shape: Shape) -> str:
    return "x".join(map(str, shape)) or "-"


@dataclass
class Buffer:
    token: int
    device: str
    initial: Shape
    roles: set[tuple[str, str, int]]
    differs: str
    capacity: int
    shape: Shape = ()
    is_initialised: bool = False

    def clear(self) -> None:
        self.shape, self.is_initialised = self.initial, False

    def has_room(self, size: int) -> bool:
        return size + (64 if self.device == "tiled" else 0) <= self.capacity


@dataclass
class World:
    """What the documents say, for one service."""
    element: int
    random: random.Random
    executor: int
    live: dict[int, Buffer] = field(default_factory=dict)  # by token
    freed: list[int] = field(default_factory=list)
    next_token: int = 1
    names: list[Buffer | None] = field(default_factory=lambda: [None] * 4)
    last_tokens: list[int] = field(default_factory=lambda: [0] * 4)
    steps: list[str] = field(default_factory=list)

    def size(self, shape: Shape, differs: str = "") -> int:
        """Two of the types change places: FLOAT32 and FLOAT16."""
        element = {4: 2, 2: 4, 1: 1}[self.element] if differs == "type" else self.element
        return element * prod(shape)

    def release(self, name: int) -> None:
        buffer = self.names[name]
        if buffer:
            del self.live[buffer.token]
            self.freed.append(buffer.token)
            self.names[name] = None

    # Allocation.

    def test(self, device: str, shape: Shape, models: str, roles: list[tuple[str, int, int, float]]) -> tuple[int, Shape, str]:
        if not models:
            return 1, (), ""
        if not roles:
            return 2, (), ""
        for kind, model, io, probability in roles:
            if not 0 <= model < len(models):
                return 3, (), ""
            if models[model] == "0":
                return 4, (), ""
            if MODELS[models[model]][0] != device:
                return 5, (), ""
            if io >= MODELS[models[model]][1 if kind == "in" else 2]:
                return 6, (), ""
            if not 0 < probability <= 1:
                return 7, (), ""
        used = [(kind, models[model], io) for kind, model, io, _ in roles]
        if len(set(used)) != len(used):
            return 8, (), ""
        differ = [MODELS[letter][4] for _, letter, _ in used]
        # A test is of all operands before the next one begins for the next operand: against the first.
        for other in differ:
            wrong = [9 + at for at, what in enumerate(ORDER) if (other == what) != (differ[0] == what) and self.counts(what)]
            if wrong:
                return wrong[0], (), ""
        whole: Shape | None = shape
        for _, letter, _ in used:
            whole = combine(whole, MODELS[letter][3])
            if whole is None:
                return 13, (), ""
        return 0, whole or (), differ[0]

    def counts(self, what: str) -> bool:
        return True

    def alloc(self) -> None:
        pick = self.random.choice
        name = self.random.randrange(4)
        letters = "".join(pick("cccdtuurlmnvwyszpxfhij0") for _ in range(pick((0, 1, 1, 1, 1, 2, 2, 3))))
        if len(letters) > 1 and self.random.random() < 0.7:
            letters = letters[0] + "".join(pick((letters[0], "c", "d", "u", "t")) for _ in letters[1:])
        roles = []
        for kind in ("in", "out"):
            for _ in range(pick((0, 1, 1, 2))):
                roles.append((kind, self.random.randrange(max(1, len(letters) + (self.random.random() < 0.05))), pick((0, 0, 0, 0, 1)),
                              pick((1.0,) * 12 + PROBABILITIES)))
        shape = pick(SHAPES) if self.random.random() < 0.4 else ()
        if self.random.random() < 0.6:
            # One that is right.
            letters, shape = pick("cccdttuurrlm"), ()
            last = MODELS[letters][1]
            roles = [(kind, 0, io, 1.0) for kind in ("in", "out") for io in range(last) if self.random.random() < 0.8] or [("in", 0, 0, 1.0)]
        device = "plain" if not letters or letters[0] in "0x" else MODELS[letters[0]][0]
        self.release(name)
        number, whole, differs = self.test(device, shape, letters, roles)
        size = self.size(whole, differs)
        result = f"{BAD}:{number}"
        if number == 0:
            capacity = size + (64 if device == "tiled" else 0) if is_full(whole) else 0 if device == "closed" else LATE
            if capacity == 0:
                result = f"{NO}:16"
            elif device == "poor":
                result = f"{NO}:17"
            else:
                result = OK
                token = self.freed.pop() if self.freed else self.next_token
                self.next_token += token == self.next_token
                buffer = Buffer(token, device, whole, {(letters[model], kind, io) for kind, model, io, _ in roles}, differs, capacity)
                buffer.clear()
                self.live[token] = self.names[name] = buffer
        self.last_tokens[name] = self.names[name].token if self.names[name] else 0

        def words(wanted: str) -> str:
            return ",".join(f"{model}.{io}" + (f"*{PROBABILITIES.index(probability)}" if probability != 1 else "")
                            for kind, model, io, probability in roles if kind == wanted) or "-"

        self.steps.append(f"alloc {name} {shown(shape)} {letters or '-'} {words('in')} {words('out')} {result}")
        if result == OK:
            self.steps.append(f"token {name} {self.last_tokens[name]}")

    # Copies.

    def named(self) -> int | None:
        there = [name for name, buffer in enumerate(self.names) if buffer]
        return self.random.choice(there) if there else None

    def sizes(self) -> dict[str, int]:
        full = self.element * prod(N)
        return {"full": full, "half": full // 2, "double": 2 * full, "two": full // 4096}

    def copy_from(self) -> None:
        name = self.named()
        if name is None:
            return
        buffer = self.names[name]
        assert buffer
        word = self.random.choice(("full",) * 6 + ("half", "double", "two", "none", "lost"))
        shape = self.random.choice(SHAPES)
        if self.random.random() < 0.5:
            word, shape = "full", () if is_full(buffer.initial) else N
        combined = combine(buffer.initial, shape)
        if word in ("none", "lost"):
            result = BAD if word == "none" else NO
        elif (shape and not is_full(shape)) or combined is None or not is_full(combined) or \
                self.size(combined, buffer.differs) != self.sizes()[word]:
            result = BAD
        else:
            result = OK if buffer.has_room(self.size(combined, buffer.differs)) else NO
        buffer.clear()
        if result == OK:
            buffer.shape, buffer.is_initialised = combined or (), True
        self.steps.append(f"from {name} {word} {shown(shape)} {result}")

    def copy_to(self) -> None:
        name = self.named()
        if name is None:
            return
        buffer = self.names[name]
        assert buffer
        word = self.random.choice(("full",) * 5 + ("half", "double", "two", "none", "lost"))
        if word in ("none", "lost"):
            result = BAD if word == "none" else NO
        elif is_full(buffer.shape) and self.size(buffer.shape, buffer.differs) != self.sizes()[word]:
            result = BAD
        else:
            result = OK if buffer.is_initialised else NO
        self.steps.append(f"to {name} {word} {result}")

    # Executions.

    def argument(self) -> tuple[str, int | None, Shape]:
        """A word, the token that it names, and the shape behind it."""
        shape = self.random.choice(SHAPES) if self.random.random() < 0.4 else ()
        kind = self.random.random()
        if kind < 0.45:
            return "m", None, shape
        if kind < 0.5:
            return "v", None, ()
        name = self.random.randrange(4)
        if kind < 0.95 and self.last_tokens[name]:
            return f"{self.random.choice('tttT')}{name}", self.last_tokens[name], shape
        token = self.random.choice((0, 1, 2, 3, 90, 5000))
        return f"#{token}", token, shape

    def fitting(self, letter: str, kind: str, io: int) -> tuple[str, int | None, Shape]:
        there = [(f"t{name}", buffer.token) for name, buffer in enumerate(self.names)
                 if buffer and (letter, kind, io) in buffer.roles and (kind == "out" or buffer.is_initialised)]
        word, token = self.random.choice(there) if there and self.random.random() < 0.8 else ("m", None)
        shape = MODELS[letter][3]
        return word, token, () if is_full(shape) else N

    def run(self) -> None:
        owned = [letter for buffer in self.names if buffer for letter, _, _ in sorted(buffer.roles) if letter in "cdturlm"]
        letter = self.random.choice(owned if owned and self.random.random() < 0.8 else "cccdtuurlm")
        _, ins, outs, shape, _ = MODELS[letter]
        how = self.random.choice(("",) * 6 + ("fail", "short"))
        fits = self.random.random() < 0.6
        arguments = [[self.fitting(letter, kind, io) if fits else self.argument() for io in range(count)]
                     for kind, count in (("in", ins), ("out", outs))]
        result = self.judge(letter, shape, arguments, how)
        words = [",".join(word + (f":{shown(given)}" if given else "") for word, _, given in side) for side in arguments]
        self.steps.append(f"run {letter} {words[0]} {words[1]} {result} {how}".rstrip())

    def judge(self, letter: str, shape: Shape, arguments: list[list[tuple[str, int | None, Shape]]], how: str) -> str:
        # The request alone. What memory has: the operand's bytes, or N's where it is open.
        memory = self.size(shape if is_full(shape) else N)
        for side, is_output in zip(arguments, (False, True)):
            may_be_open = is_output and self.executor != 2
            for word, _, given in side:
                if word == "v":
                    continue
                both = combine(shape, given)
                if both is None or not given and not may_be_open and not is_full(shape):
                    return BAD
                for at, dimension in enumerate(given):
                    if dimension == 0 and (not may_be_open or shape and shape[at]):
                        return BAD
                if word == "m" and is_full(both) and self.size(both) != memory:
                    return BAD
        # Pools, in the order of their first use; T has one of its own. Arguments are looked at as far as pools are.
        order: list[tuple[str, int]] = []
        keys: list[list[int | None]] = []
        for side in arguments:
            keys.append([])
            for word, token, _ in side:
                if token is None:
                    keys[-1].append(None)
                    continue
                same = [at for at, (other, _) in enumerate(order) if other == word.replace("T", "t") and word[0] == "t"]
                if not same:
                    order.append((word.replace("T", "t") if word[0] != "#" else f"{word}@{len(order)}", token))
                keys[-1].append(same[0] if same else len(order) - 1)
        for pool, (_, token) in enumerate(order):
            result = self.open(letter, arguments, keys, pool, [each for _, each in order])
            if result != OK:
                return result
        return self.compute(letter, shape, arguments, memory, how)

    def open(self, letter: str, arguments: list[list[tuple[str, int | None, Shape]]], keys: list[list[int | None]], pool: int,
             tokens: list[int]) -> str:
        buffer = self.live.get(tokens[pool])
        if buffer is None:
            return BAD
        for io, (_, _, given) in enumerate(arguments[0]):
            if keys[0][io] != pool:
                continue
            if (letter, "in", io) not in buffer.roles:
                return BAD
            if not buffer.is_initialised:
                return NO
            if combine(buffer.shape, given) is None:
                return BAD
        reads, writes = (sum(1 for key in side if key is not None and key <= pool and self.live.get(tokens[key]) is buffer) for side in keys)
        if writes > 1 or writes and reads:
            return BAD
        for io, (_, _, given) in enumerate(arguments[1]):
            if keys[1][io] == pool and ((letter, "out", io) not in buffer.roles or combine(buffer.initial, given) is None):
                return BAD
        return OK

    def compute(self, letter: str, shape: Shape, arguments: list[list[tuple[str, int | None, Shape]]], memory: int, how: str) -> str:
        """The test's kernel makes every output of the first input."""
        _, token, given = arguments[0][0]
        made = combine(shape, given) or ()
        if token is not None:
            made = combine(made, self.live[token].shape) or ()
        result = NO if how == "fail" else OK
        short = []
        for word, token, given in arguments[1]:
            own = combine(shape, given) or ()
            buffer = self.live[token] if token is not None else None
            if buffer:
                own = combine(own, buffer.initial) or ()
            room = memory if buffer is None else self.size(buffer.initial) if is_full(buffer.initial) else buffer.capacity
            size = self.size(made) if is_full(made) else 0
            short.append(how == "short" or word != "v" and size > room)
            if short[-1]:
                result = SMALL
            elif word != "v" and result == OK:
                if combine(own, made) is None or not is_full(combine(own, made) or ()):
                    result = NO
                elif not (buffer.has_room(self.size(combine(own, made) or ())) if buffer else size <= room):
                    result = SMALL
        outputs = [self.live[token] for _, token, _ in arguments[1] if token is not None]
        if result == SMALL and any(small and token is not None for small, (_, token, _) in zip(short, arguments[1])):
            result = NO
        for buffer in outputs:
            after = combine(buffer.initial, made)
            if result == OK and (after is None or not is_full(after) or not buffer.has_room(self.size(after))):
                result = NO
        for buffer in outputs:
            buffer.clear()
            if result == OK:
                buffer.shape, buffer.is_initialised = combine(buffer.initial, made) or (), True
        return result

    def look(self) -> None:
        name = self.named()
        if name is not None:
            buffer = self.names[name]
            assert buffer
            self.steps.append(f"look {name} {'yes' if buffer.is_initialised else 'no'} {shown(buffer.shape)}")

    def free(self) -> None:
        name = self.named()
        if name is not None:
            self.release(name)
            self.steps.append(f"free {name}")


def sequence(number: int) -> str:
    chance = random.Random(number)
    kind, executor = chance.randrange(4), chance.choice((0, 0, 2))
    world = World(ELEMENTS[kind], chance, executor)
    for _ in range(chance.choice((6, 12, 25))):
        chance.choice((world.alloc, world.alloc, world.copy_from, world.copy_from, world.copy_to, world.run, world.run, world.run,
                       world.look, world.free))()
    return f"{number} {kind} {executor} " + "; ".join(world.steps)


def body(context: Context) -> str:
    program = build_process(context.work, tool("cc", "gcc"), ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"])
    lines = [sequence(context.options.seed * 1_000_000 + number) for number in range(context.options.count)]
    done = subprocess.run([str(program), "-"], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=1200)
    if done.returncode != 0:
        first = done.stdout.splitlines()[0] if done.stdout else ""
        line = next((each for each in lines if each.startswith(first.split(",")[0] + " ")), "")
        check(False, f"seed {context.options.seed}: {first}\n{line}\n{done.stdout[-300:]}{done.stderr[-3000:]}")
    words = " ".join(lines)
    good = {verb: words.count(f"; {verb} ") for verb in ("alloc", "from", "to", "run")}
    return f"seed {context.options.seed}: {len(lines)} sequences, {good}"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)


if __name__ == "__main__":
    main(__doc__, body, arguments)
