"""Random models and requests that every validator of Android's neural networks takes, and ways to make one invalid."""

import copy
import random
from typing import Callable

from nn_dumps import (COPY, EXTENSION, GRAPH, HALS, INPUT, NONE, OUTPUT, POINTER, POOL, TEMPORARY, TYPES, Argument, Graph, Memory, Model, Operand,
                      Operation, Request, bytes_of, lay_out, step_of, up)

LAYOUTS = ("packed", "runtime")
OPERATIONS = ("CONV_2D", "ADD", "MUL", "CONCATENATION", "PAD", "RESHAPE", "SOFTMAX", "LSTM", "TRANSPOSE")
SCALES = (0.5, 0.003922, 1.5, 0.0625, 2.0)


def has(dialect: str, since: str) -> bool:
    return dialect not in HALS or HALS.index(since) <= HALS.index(dialect)


def tensor(rng: random.Random, dialect: str, life: str, largest: int = 8, unknown: float = 0.0) -> Operand:
    kinds = [kind for kind, (_, is_scalar, since, _) in TYPES.items() if not is_scalar and has(dialect, since) and "PER_CHANNEL" not in kind]
    operand = Operand(rng.choice(kinds), [rng.randint(1, largest) for _ in range(rng.randint(1, 4))], life)
    if rng.random() < unknown:
        operand.dims = [] if rng.random() < 0.3 else [0 if rng.random() < 0.4 else size for size in operand.dims]
    zeros = TYPES[operand.type][3]
    if zeros is not None:
        operand.scale, operand.zero = rng.choice(SCALES), rng.randint(*zeros)
    return operand


def constant(rng: random.Random, dialect: str) -> Operand:
    """A scalar, weights, or weights with a scale for each channel."""
    dice = rng.random()
    if dice < 0.35:
        kinds = [kind for kind, (size, is_scalar, since, _) in TYPES.items() if is_scalar and size and has(dialect, since)]
        return Operand(rng.choice(kinds), [], COPY)
    if dice < 0.5 and has(dialect, "1.2"):
        operand = Operand("TENSOR_QUANT8_SYMM_PER_CHANNEL", [rng.randint(1, 8) for _ in range(4)], COPY)
        channel = rng.randrange(4)
        operand.channels = ([rng.choice(SCALES) for _ in range(operand.dims[channel])], channel)
        return operand
    return tensor(rng, dialect, COPY, rng.choice((3, 7)))


def add_graph(rng: random.Random, dialect: str, operations: int, unknown: float) -> Graph:
    graph = Graph()

    def add(operand: Operand) -> int:
        graph.operands.append(operand)
        return len(graph.operands) - 1

    ready = [add(tensor(rng, dialect, INPUT, unknown=unknown)) for _ in range(rng.randint(1, 2))]
    for _ in range(operations):
        inputs = [rng.choice(ready) for _ in range(rng.randint(1, 2))]
        inputs += [add(constant(rng, dialect)) for _ in range(rng.randint(0, 2))]
        if rng.random() < 0.15:
            inputs.append(add(Operand("TENSOR_FLOAT32", [0], NONE)))
        outputs = [add(tensor(rng, dialect, TEMPORARY if rng.random() < 0.7 else OUTPUT, unknown=unknown)) for _ in range(rng.choice((1, 1, 2)))]
        graph.operations.append(Operation(rng.choice(OPERATIONS), inputs, outputs))
        # An output may be read, too.
        ready += [index for index in outputs if graph.operands[index].life == TEMPORARY or rng.random() < 0.3]
    if not graph.of(OUTPUT):
        graph.operands[graph.operations[-1].outputs[-1]].life = OUTPUT
    return graph


def add_branches(rng: random.Random, dialect: str, model: Model) -> None:
    """An IF or a WHILE, whose graphs are operands."""
    kind = rng.choice(("IF", "WHILE"))
    model.referenced = [add_graph(rng, dialect, rng.randint(1, 2), 0.0) for _ in range(2)]
    main = model.main
    first = len(main.operands)
    for index in range(2):
        main.operands.append(Operand("SUBGRAPH", [], GRAPH, offset=index))
    main.operands.append(tensor(rng, dialect, TEMPORARY))
    main.operands.append(tensor(rng, dialect, OUTPUT))
    main.operations.append(Operation(kind, [first, first + 1, main.of(INPUT)[0]], [first + 2]))
    main.operations.append(Operation("ADD", [first + 2], [first + 3]))


def place(rng: random.Random, model: Model, layout: str, dialect: str) -> None:
    """Constants in the order of their graphs: copied end to end, as vendors' tests do, or as the runtime does."""
    constants = [operand for graph in model.graphs() for operand in graph.operands if operand.life == COPY]
    for operand in constants:
        operand.length = bytes_of(operand.type, operand.dims) or 0
    if layout == "packed":
        end = 0
        for operand in constants:
            operand.offset, end = end, end + operand.length
        model.values = end
        return
    small = [operand for operand in constants if operand.length <= 128]
    offsets, model.values = lay_out([operand.length for operand in small])
    for operand, offset in zip(small, offsets):
        operand.offset = offset
    large = [operand for operand in constants if operand.length > 128]
    # Some lie in the application's memory, with holes, and two of them may be the same bytes.
    client = [operand for operand in large if rng.random() < 0.3]
    pools: list[Memory] = []
    if client:
        end = 0
        for index, operand in enumerate(client):
            before = client[index - 1] if index else None
            if before is not None and before.length == operand.length and rng.random() < 0.5:
                operand.offset = before.offset
            else:
                operand.offset = up(end, step_of(operand.length)) + 4 * rng.randrange(40)
            operand.life, operand.pool = POOL, 0
            end = max(end, operand.offset + operand.length)
        kinds = ["ashmem", "mmap_fd"] + (["hardware_buffer_blob"] if has(dialect, "1.2") else [])
        pools.append(Memory(rng.choice(kinds), end + rng.randrange(100)))
    own = [operand for operand in large if operand.life == COPY]
    offsets, end = lay_out([operand.length for operand in own])
    for operand, offset in zip(own, offsets):
        operand.life, operand.pool, operand.offset = POOL, len(pools), offset
    if own:
        pools.append(Memory("ashmem", end))
    model.pools = pools


def random_model(rng: random.Random, dialect: str, layout: str, operations: int, unknown: float = 0.1) -> Model:
    model = Model(add_graph(rng, dialect, operations, unknown))
    if has(dialect, "1.3") and rng.random() < 0.3:
        add_branches(rng, dialect, model)
    if has(dialect, "1.2") and rng.random() < 0.3:
        main = model.main
        main.operands.append(Operand(str(EXTENSION), [2, 2], TEMPORARY, extension=bytes(rng.randrange(256) for _ in range(rng.randint(1, 6)))))
        main.operands.append(tensor(rng, dialect, OUTPUT))
        last = len(main.operands) - 1
        main.operations.append(Operation("RESHAPE", [main.of(INPUT)[0]], [last - 1]))
        main.operations.append(Operation("RESHAPE", [last - 1], [last]))
    if dialect == "canonical" and rng.random() < 0.3:
        main = model.main
        main.operands.append(Operand("TENSOR_FLOAT32", [1, 64], POINTER, length=256))
        main.operations[-1].inputs.append(len(main.operands) - 1)
    place(rng, model, layout, dialect)
    for graph in model.graphs():
        graph.count()
    return model


def random_request(rng: random.Random, dialect: str, model: Model) -> Request:
    """Arguments in two memories, buffers of the driver's where there are any."""
    pools = [Memory(rng.choice(("ashmem", "mmap_fd"))), Memory("ashmem")]
    ends = [0, 0]

    def argument(operand: Operand, is_output: bool) -> Argument:
        dims: list[int] = []
        if bytes_of(operand.type, operand.dims) is None and not operand.type.isdigit():
            dims = [size or rng.randint(1, 5) for size in operand.dims] or [rng.randint(1, 5), 3]
        elif rng.random() < 0.3:
            dims = list(operand.dims)
        if not is_output and rng.random() < 0.1:
            return Argument(NONE)
        if has(dialect, "1.3") and rng.random() < 0.25:
            pools.append(Memory("token", token=len(pools) + 5))
            return Argument("POOL", len(pools) - 1, dims=dims)
        at = int(is_output)
        length = bytes_of(operand.type, dims or operand.dims) or 4
        offset = up(ends[at], rng.choice((1, 4, 64)))
        padding = up(length, 64) - length if dialect not in HALS and rng.random() < 0.5 else 0
        ends[at] = offset + length + padding
        return Argument("POOL", at, offset, length, padding, dims)

    main = model.main
    inputs = [argument(main.operands[index], False) for index in main.of(INPUT)]
    outputs = [argument(main.operands[index], True) for index in main.of(OUTPUT)]
    for at in range(2):
        pools[at].size = max(1, ends[at] + rng.choice((0, 0, 100)))
    return Request(inputs, outputs, pools)


# --- what is wrong with a model: what is done to it, and which check finds it

Change = Callable[[Model], bool]


def first(model: Model, life: str, wanted: Callable[[Operand], bool] = lambda operand: True) -> Operand | None:
    return next((operand for operand in model.main.operands if operand.life == life and wanted(operand)), None)


def alter(life: str, **fields: object) -> Change:
    """Sets fields of the first operand of a lifetime; a function takes what is there."""
    def change(model: Model) -> bool:
        operand = first(model, life)
        if operand is not None:
            for name, value in fields.items():
                setattr(operand, name, value(operand) if callable(value) else value)
        return operand is not None
    return change


def grow_past(model: Model) -> bool:
    operand = first(model, POOL, lambda one: not model.pools[one.pool].name.startswith("hardware_buffer"))
    if operand is not None:
        operand.offset = model.pools[operand.pool].size - operand.length + 1
    return operand is not None


def swap_operations(model: Model) -> bool:
    operations = model.main.operations
    for at in range(len(operations) - 1):
        if set(operations[at].outputs) & set(operations[at + 1].inputs):
            operations[at], operations[at + 1] = operations[at + 1], operations[at]
            return True
    return False


def write_twice(model: Model) -> bool:
    operations = model.main.operations
    operations[-1].outputs.append(operations[0].outputs[0])
    return len(operations) > 1


def write_nothing(model: Model) -> bool:
    model.main.operands.append(Operand("TENSOR_FLOAT32", [1], TEMPORARY))
    return True


def write_input(model: Model) -> bool:
    model.main.operations[0].outputs.append(model.main.of(INPUT)[0])
    return True


def leave_out_of_list(life: str) -> Change:
    def change(model: Model) -> bool:
        model.main.listed[life] = model.main.of(life)[1:]
        return True
    return change


def list_twice(life: str) -> Change:
    def change(model: Model) -> bool:
        model.main.listed[life] = model.main.of(life) * 2
        return True
    return change


def list_another(model: Model) -> bool:
    model.main.listed[OUTPUT] = model.main.of(OUTPUT) + model.main.of(INPUT)[:1]
    return True


def name_nobody(model: Model) -> bool:
    model.main.operations[-1].inputs.append(len(model.main.operands) + 3)
    return True


def with_scale(wanted: Callable[[str], bool], scale: float) -> Change:
    def change(model: Model) -> bool:
        operand = next((one for one in model.main.operands if wanted(one.type)), None)
        if operand is not None:
            operand.scale = scale
        return operand is not None
    return change


def with_zero(kind: str, zero: int) -> Change:
    def change(model: Model) -> bool:
        operand = next((one for one in model.main.operands if one.type == kind), None)
        if operand is not None:
            operand.zero = zero
        return operand is not None
    return change


def change_channels(change: Callable[[list[float], int], tuple[list[float], int]]) -> Change:
    def apply(model: Model) -> bool:
        operand = next((one for one in model.main.operands if one.channels), None)
        if operand is not None and operand.channels:
            operand.channels = change(list(operand.channels[0]), operand.channels[1])
        return operand is not None
    return apply


# Name, the code of the check, the change.
CHANGES: list[tuple[str, str, Change]] = [
    ("a copy past operandValues", "nn.bounds", lambda model: alter(COPY, offset=lambda one: model.values - one.length + 1)(model)),
    ("a copy at 2^32", "nn.bounds", alter(COPY, offset=(1 << 32) - 1)),
    ("a copy with a pool", "nn.bounds", alter(COPY, pool=1)),
    ("a reference past its pool", "nn.bounds", grow_past),
    ("a reference into no pool", "nn.bounds", alter(POOL, pool=9)),
    ("a copy that is too short", "nn.length", alter(COPY, length=lambda one: one.length - 1)),
    ("a reference that is too long", "nn.length", alter(POOL, length=lambda one: one.length + 4)),
    ("a temporary with a place", "nn.length", alter(TEMPORARY, length=16)),
    ("an input with a place", "nn.length", alter(INPUT, offset=8)),
    ("operations in the wrong order", "nn.order", swap_operations),
    ("two writers", "nn.writer", write_twice),
    ("no writer", "nn.writer", write_nothing),
    ("an input that is written", "nn.writer", write_input),
    ("an operand that is not there", "nn.lists", name_nobody),
    ("an input that is not listed", "nn.lists", leave_out_of_list(INPUT)),
    ("an output that is listed twice", "nn.lists", list_twice(OUTPUT)),
    ("an input among the outputs", "nn.lists", list_another),
    ("an input of scale 1 without one", "nn.quantisation", with_scale(lambda kind: kind in ("TENSOR_FLOAT32", "INT32", "FLOAT32"), 1.0)),
    ("a scale below 0", "nn.quantisation", with_scale(lambda kind: kind.startswith("TENSOR_QUANT8_ASYMM"), -0.5)),
    ("a zero point above 255", "nn.quantisation", with_zero("TENSOR_QUANT8_ASYMM", 256)),
    ("a zero point below -128", "nn.quantisation", with_zero("TENSOR_QUANT8_ASYMM_SIGNED", -129)),
    ("a zero point where there is none", "nn.quantisation", with_zero("TENSOR_QUANT16_SYMM", 1)),
    ("too many scales", "nn.quantisation", change_channels(lambda scales, channel: (scales + [1.0], channel))),
    ("a channel beyond the rank", "nn.quantisation", change_channels(lambda scales, _: (scales, 4))),
]


def changed(model: Model, change: Change) -> Model | None:
    altered = copy.deepcopy(model)
    if not change(altered):
        return None
    for graph in altered.graphs():
        graph.count()
    return altered
