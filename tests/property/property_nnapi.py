"""Tables of lifetimes become models of Android's neural networks, printed in every dialect, and come back with the same lifetimes.

Each buffer is a temporary that one operation writes and others read; constants lie as vendors' tests pack them or as the runtime lays them out. What
the temporaries need is what is known to be the least: of the networks that MEMSIZE_PLAN_DATA names (or shared/data/planner beside the sources, where
that is), what is alive at the busiest operation; of small random models, the least of every order in which they can be placed.
"""

import argparse
import itertools
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "accept"))
from nn_compare import ABRIDGED, codes_of, findings, planned, same_model, wrong  # noqa: E402
from nn_dumps import (COPY, DIALECTS, HALS, INPUT, OUTPUT, PREFIXES, TEMPORARY, TYPES, Graph, Model, Operand, Operation, Hidl, messages_of,  # noqa: E402
                      up, with_prefix)
from nn_models import LAYOUTS, has, place  # noqa: E402
from plans import ELSEWHERE, Buffer, judge, most_alive, read_buffers  # noqa: E402
from support import Context, check, main, same  # noqa: E402

# Folders of networks: nobody needs more for them than what is alive.
NETWORKS = ("mlperf_tiny", "tflm_examples", "coral")
PIECE = 3000
# Where the runtime lets anything begin: std::max_align_t's alignment.
STEP = 16


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=27)
    parser.add_argument("--every", type=int, default=1, help="of the networks, only each so manieth")
    parser.add_argument("--count", type=int, default=40, help="random models of each dialect")


def temporary(rng: random.Random, dialect: str, size: int) -> Operand:
    """Of that many bytes, with a type and dimensions that give them."""
    kinds = [kind for kind, (each, is_scalar, since, _) in TYPES.items()
             if not is_scalar and each and size % each == 0 and has(dialect, since) and "PER_CHANNEL" not in kind]
    kind = rng.choice(kinds)
    left = size // (TYPES[kind][0] or 1)
    dims = []
    for factor in (2, 3, 5, 7):
        part = 1
        while left % factor == 0 and rng.random() < 0.7:
            part, left = part * factor, left // factor
        if part > 1 or rng.random() < 0.2:
            dims.append(part)
    rng.shuffle(dims)
    zeros = TYPES[kind][3]
    return Operand(kind, [*dims, left], TEMPORARY, 0.5 if zeros is not None else 0.0, rng.randint(*zeros) if zeros else 0)


def model_of(rng: random.Random, buffers: list[Buffer], dialect: str, layout: str) -> tuple[Model, dict[str, int]]:
    """And which operand each buffer is."""
    graph = Graph([Operand("TENSOR_FLOAT32", [1, 4], INPUT)])
    operands: dict[str, int] = {}

    def add(operand: Operand) -> int:
        graph.operands.append(operand)
        return len(graph.operands) - 1

    for step in range(max(buffer.upper for buffer in buffers)):
        reads = [operands[each.id] for each in buffers if each.lower < step < each.upper and (step == each.upper - 1 or rng.random() < 0.2)]
        inputs = reads or [0]
        if rng.random() < 0.5:
            inputs.append(add(Operand("TENSOR_FLOAT32", [rng.randint(1, 9), rng.randint(1, 9)], COPY)))
        inputs.append(add(Operand("INT32", [], COPY)))
        for each in buffers:
            if each.lower == step:
                operands[each.id] = add(temporary(rng, dialect, each.size))
        outputs = [operands[each.id] for each in buffers if each.lower == step]
        if not outputs or step + 1 == max(buffer.upper for buffer in buffers):
            outputs.append(add(Operand("TENSOR_FLOAT32", [1, 2], OUTPUT)))
        graph.operations.append(Operation("CONV_2D", inputs, outputs))
    model = Model(graph)
    place(rng, model, layout, dialect)
    graph.count()
    return model, operands


def in_pieces(message: str) -> list[str]:
    """As a driver prints what one line of a log does not hold."""
    pieces = []
    while len(message) > PIECE:
        at = message.rindex(", ", 0, PIECE) + 1
        pieces.append(message[:at])
        message = message[at:]
    return [*pieces, message]


def text_of(rng: random.Random, model: Model, dialect: str) -> str:
    """Alone, as one value, or in a log."""
    how = rng.choice(("alone", "value", "log"))
    if how == "value" and dialect in HALS:
        return f"{Hidl(dialect).whole(model)}\n"
    messages = messages_of(model, dialect)
    if how != "log":
        return "\n".join(messages) + "\n"
    form, lines = rng.choice(PREFIXES), []
    for message in messages:
        for piece in in_pieces(message):
            lines.append(with_prefix(form, "Utils", piece, 31))
            if rng.random() < 0.2:
                lines.append(with_prefix(form, "Utils", "of another process", 32))
    return "\n".join(lines) + "\n"


def asked(context: Context, what: str, text: str) -> Any:
    """What cannot be planned, or not as it should be, stands beside the failure."""
    (context.work / f"{what}.txt").write_text(text)
    return planned(context, what, text)


def planned_buffers(document: Any, operands: dict[str, int]) -> list[Buffer]:
    names = {str(index): name for name, index in operands.items()}
    return [Buffer(names[block["id"]], block["lower"], block["upper"], block["size"], block["offset"]) for block in document["blocks"]]


def check_table(context: Context, rng: random.Random, name: str, buffers: list[Buffer], dialect: str, layout: str, least: int | None = None) -> int:
    """The height of the plan; nothing is asked of what the printer cuts short but that no lifetime is another."""
    what = f"{name}, {dialect}, {layout}"
    model, operands = model_of(rng, buffers, dialect, layout)
    text = text_of(rng, model, dialect)
    document = asked(context, what, text)
    if dialect == "canonical" and (len(model.main.operands) >= 20 or any(len(each.inputs) >= 20 for each in model.main.operations)):
        check(ABRIDGED in codes_of(document), f"{what}: nothing says that it is abridged")
        wanted = {str(operands[each.id]): (each.lower, each.upper, each.size) for each in buffers}
        for block in document["blocks"]:
            same(f"{what}: block {block['id']}", (block["lower"], block["upper"], block["size"]), wanted[block["id"]])
        return 0
    same_model(what, document["nnapi"]["models"][0], model, dialect)
    height = judge(what, buffers, planned_buffers(document, operands))
    if least is not None:
        same(f"{what}: height", height, least)
        same(f"{what}: the document's height", sum(arena["height_bytes"] for arena in document["arenas"]), least)
        check(all(arena["proof"] in ("bound", "exhausted") for arena in document["arenas"]), f"{what}: nothing is proved")
    return height


def least_of_all(buffers: list[Buffer], step: int) -> int:
    """Each placed as low as it can be, in every order: one of them is as low as any plan."""
    best = sum(up(buffer.size, step) for buffer in buffers)
    for order in itertools.permutations(buffers):
        placed: list[tuple[int, int, Buffer]] = []
        for buffer in order:
            at = 0
            for begin, end, other in sorted((each for each in placed if each[2].lower < buffer.upper and buffer.lower < each[2].upper),
                                            key=lambda each: each[0]):
                if begin >= at + buffer.size:
                    break
                at = max(at, up(end, step))
            placed.append((at, at + buffer.size, buffer))
            if at + buffer.size >= best:
                break
        else:
            best = max(end for _, end, _ in placed)
    return best


def random_table(rng: random.Random) -> list[Buffer]:
    steps = rng.randint(2, 6)
    buffers = []
    for index in range(rng.randint(1, 6)):
        lower = rng.randrange(steps)
        buffers.append(Buffer(f"b{index}", lower, rng.randint(lower + 1, steps), rng.choice((1, 3, 16, 20, 64, 100, 256, 1000)) * rng.randint(1, 3)))
    return buffers


def check_random(context: Context, rng: random.Random, dialect: str, index: int) -> None:
    buffers = random_table(rng)
    what = f"random {dialect} {index}"
    model, operands = model_of(rng, buffers, dialect, rng.choice(LAYOUTS))
    if dialect == "canonical" and len(model.main.operands) >= 20:
        return
    text = text_of(rng, model, dialect)
    document = asked(context, what, text)
    same_model(what, document["nnapi"]["models"][0], model, dialect)
    height = judge(what, buffers, planned_buffers(document, operands))
    same(f"{what}: arenas", len(document["arenas"]), 1)
    arena = document["arenas"][0]
    for block in document["blocks"]:
        check(block["offset"] % STEP == 0, f"{what}: block {block['id']} lies at {block['offset']}")
    same(f"{what}: height, of {buffers}", (arena["height_bytes"], height), (least_of_all(buffers, STEP),) * 2)
    same(f"{what}: findings", wrong(findings(context, what, text)), [])


def run_all(context: Context) -> str:
    seed = context.options.seed
    with ThreadPoolExecutor() as pool:
        jobs = [pool.submit(check_random, context, random.Random(f"{seed} {dialect} {index}"), dialect, index)
                for dialect in DIALECTS for index in range(context.options.count)]
        tables = [path for folder in NETWORKS if (ELSEWHERE / folder).is_dir() for path in sorted((ELSEWHERE / folder).glob("*.csv"))]
        check(not tables or len(tables) == 44, f"there are {len(tables)} networks")
        tables = tables[::context.options.every]
        planned_ones = []
        for path in tables:
            buffers = read_buffers(path)
            planned_ones += [pool.submit(check_table, context, random.Random(f"{seed} {path.name} {dialect} {layout}"), path.stem, buffers, dialect,
                                         layout, most_alive(buffers)) for dialect in DIALECTS for layout in LAYOUTS]
        for job in jobs:
            job.result()
        heights = [job.result() for job in planned_ones]
    return (f"{len(jobs)} random models plan to the least of every order; {len(tables)} networks, {sum(height > 0 for height in heights)} dumps of them "
            f"to what is alive, {heights.count(0)} more that their printer cuts")


if __name__ == "__main__":
    main(__doc__, run_all, options)
