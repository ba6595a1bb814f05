"""What memsize makes of Android's dumps of models and requests, against the framework's rules, which a renderer and sums of this test's own
have once more.

Random small models are printed in every dialect, alone and in logs of three tools with others' lines between; each size, lifetime, pool, hole and
shared byte must come back. What is wrong with a model is found, and nothing in one that is right. A dump that is cut anywhere gives no number
that the whole one does not give. Where MEMSIZE_NN_DATA names real logs and texts of the framework's own printer, each gives what a person read in it.
"""

import argparse
import copy
import random
from typing import Any

from nn_compare import (ABRIDGED, LAST, codes_of, findings, has_unknown, planned, row_of, same_blocks, same_model, same_request, same_rows,
                        shown_row, wrong)
from nn_cuts import check_cuts, check_glued, text_of
from nn_dumps import (Argument, COPY, DIALECTS, GRAPH, Graph, HALS, Hidl, INPUT, Memory, Model, NONE, OUTPUT, Operand, Operation, POOL, PREFIXES, Request,
                      TEMPORARY, TYPES, bytes_of, cut_by_log, descriptor_of, events_of, lay_out, lives_of, log_of, messages_of, printer, step_of,
                      with_prefix)
from nn_known import check_data
from nn_models import CHANGES, LAYOUTS, changed, has, random_model, random_request
from support import Context, Failure, check, main, same


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--count", type=int, default=6, help="models of each dialect, layout and form")
    parser.add_argument("--step", type=int, default=4, help="cut small dumps at each so manieth byte")
    parser.add_argument("--seed", type=int, default=27)


# --- random ones


def check_model(context: Context, what: str, text: str, model: Model, dialect: str, pools: bool = True) -> None:
    document = planned(context, what, text)
    same(f"{what}: models", len(document["nnapi"]["models"]), 1)
    same_model(what, document["nnapi"]["models"][0], model, dialect, pools)
    same_blocks(what, document, model)
    same(f"{what}: abridged", ABRIDGED in codes_of(document), has_unknown(model))
    found = findings(context, what, text)
    same(f"{what}: findings", wrong(found), [])
    # Values that are not where the runtime would put them are valid, and are told.
    off = any(operand.life == COPY and operand.offset % step_of(operand.length) for graph in model.graphs() for operand in graph.operands)
    same(f"{what}: notes", {(severity, code) for severity, code, _ in found if code.startswith("nn.")}, {("note", "nn.alignment")} if off else set())


def small_model(rng: random.Random, dialect: str, layout: str, operations: int = 3) -> Model:
    """Of the runtime's own printer all is there if nothing has twenty items."""
    while True:
        model = random_model(rng, dialect, layout, rng.randint(1, operations))
        lists = [graph.operands for graph in model.graphs()] + [graph.operations for graph in model.graphs()]
        if dialect != "canonical" or all(len(items) < 20 for items in lists):
            return model


def check_bare(context: Context, rng: random.Random, dialect: str, layout: str, index: int) -> None:
    """What a driver prints to a file: nothing is cut."""
    what = f"{dialect}, {layout}, {index}"
    model = small_model(rng, dialect, layout, 3 if dialect == "canonical" else 12)
    end = rng.choice(("\n", "\r\n"))
    check_model(context, what, end.join(messages_of(model, dialect)) + end, model, dialect)
    if dialect in HALS:
        check_model(context, f"{what}, release", "\n".join(messages_of(model, dialect, False)) + "\n", model, dialect, False)
        hidl = Hidl(dialect)
        if dialect != "1.0" or not model.referenced:
            check_model(context, f"{what}, one value", f"prepareModel({hidl.whole(model)})\n", model, dialect)
    if dialect == "1.0":
        check_model(context, f"{what}, 8.1", "\n".join(Hidl("1.0").lines(model, version=False)) + "\n", model, dialect)
    if dialect in ("1.1", "1.2"):
        check_model(context, f"{what}, 10", "\n".join(Hidl(dialect).lines(model, relax=False)) + "\n", model, dialect)


def joined(rng: random.Random, lines: list[str]) -> str:
    """Some lines of others lack their end, so that the next begins within."""
    text = ""
    for line in lines:
        is_others = any(f" {tag}" in line or f"/{tag}:" in line for tag in ("SELinux", "MiuiNetworkPolicy"))
        text += line[:-rng.randrange(1, 20)] if is_others and rng.random() < 0.5 else line + "\n"
    return text


def check_logged(context: Context, rng: random.Random, dialect: str, layout: str, form: str, index: int) -> None:
    """Two processes print a model each at the same time; what stands between is others'."""
    what = f"{dialect}, {layout}, {form}, {index}"
    models = [short_model(rng, dialect, layout) for _ in range(2)]
    sources = [(process, "Utils", messages_of(model, dialect)) for process, model in zip((1234, 4321), models)]
    lines = log_of(rng, form, sources)
    text = joined(rng, lines)
    document = planned(context, what, text)
    found = document["nnapi"]["models"]
    same(f"{what}: models", len(found), 2)
    order = sorted(range(2), key=lambda at: next(number for number, line in enumerate(lines) if f"{sources[at][0]}" in line and
                                                 sources[at][2][0].split("\n")[0][:30] in line))
    for each, at in zip(found, order):
        same_model(f"{what}, process {sources[at][0]}", each, models[at], dialect)
    same(f"{what}: findings", wrong(findings(context, what, text)), [])
    # The same model printed twice is one.
    once = messages_of(models[0], dialect)
    document = planned(context, f"{what}, twice", text_of(log_of(rng, form, [(77, "Utils", once + once)], 0.2)))
    same(f"{what}: printed twice", [each["times"] for each in document["nnapi"]["models"]], [2])
    same_blocks(f"{what}, twice", document, models[0])


def short_model(rng: random.Random, dialect: str, layout: str) -> Model:
    """One whose lines the log keeps whole, without a byte that ends a log's message."""
    while True:
        model = small_model(rng, dialect, layout, 2)
        messages = messages_of(model, dialect)
        if all(len(message) < 4060 for message in messages) and not any(c in message for message in messages for c in "\0\r"):
            return model


def check_cut_by_log(context: Context, rng: random.Random, dialect: str, form: str) -> None:
    """Of long lines the log keeps about four kilobytes: what is whole is there, and what is not is told."""
    what = f"{dialect}, {form}, cut by the log"
    while True:
        model = random_model(rng, dialect, "runtime", 25, 0.0)
        messages = messages_of(model, dialect)
        if max(map(len, messages)) > 4400 and not model.referenced and not any(c in message for message in messages for c in "\0\r\n"):
            break
    document = planned(context, what, text_of(log_of(rng, form, [(9, "Utils", messages)])))
    check(ABRIDGED in codes_of(document), f"{what}: it says nothing")
    found = document["nnapi"]["models"][0]
    check(not found["is_whole"], f"{what}: it is whole")
    whole = printer(dialect)
    kept = cut_by_log("Utils", messages[1] if dialect in HALS else messages[0])
    # How many operands end within what was kept.
    count, at = 0, 0
    for operand in model.main.operands:
        text = whole.operand(operand)
        at = kept.find(text, at)
        if at < 0 or (dialect == "canonical" and count == 20):
            break
        at += len(text)
        count += 1
    same(f"{what}: operands", found["operands"], count)
    same_rows(what, [shown_row(row) for row in found["main"]["operands"]], [row_of(operand, dialect) for operand in model.main.operands])
    check("hole_bytes" not in found.get("operand_values", {}), f"{what}: holes where operands are missing")
    check(all("hole_bytes" not in pool for pool in found["pools"]), f"{what}: holes where operands are missing")
    same_lives(what, document, model)
    same(f"{what}: findings", wrong(findings(context, what, text_of(log_of(rng, form, [(9, "Utils", messages)])))), [])


def same_lives(what: str, document: Any, model: Model) -> None:
    """Fewer blocks, but none with another life."""
    lives = lives_of(model.main)
    for block in document["blocks"]:
        operand = model.main.operands[int(block["id"])]
        same(f"{what}: block {block['id']}", (block["lower"], block["upper"], block["size"]),
             (*lives[int(block["id"])], bytes_of(operand.type, operand.dims)))


def check_twenty(context: Context, rng: random.Random) -> None:
    """The runtime's printer has twenty items of a list and no count: exactly twenty may be more."""
    for wanted in (19, 20, 21, 40):
        model = Model(Graph([Operand("TENSOR_FLOAT32", [1 + index], TEMPORARY) for index in range(wanted)]))
        model.main.operands[0].life, model.main.operands[-1].life = INPUT, OUTPUT
        model.main.operations = [Operation("ADD", [index], [index + 1]) for index in range(min(wanted - 1, 15))]
        model.main.operations[-1].outputs += range(len(model.main.operations) + 1, wanted)
        document = planned(context, f"{wanted} operands", printer("canonical").whole(model) + "\n")
        found = document["nnapi"]["models"][0]
        same(f"{wanted} operands: there", found["operands"], min(wanted, 20))
        is_whole = wanted < 20
        same(f"{wanted} operands: whole", (found["is_whole"], ABRIDGED in codes_of(document)), (is_whole, not is_whole))
        if is_whole:
            same_blocks(f"{wanted} operands", document, model)
        else:
            same_lives(f"{wanted} operands", document, model)


def request_words(rng: random.Random, dialect: str, text: str) -> str:
    if dialect in HALS:
        return rng.choice(("request: {}", "Before mPreparedModel->execute() {}", "execute({})", "CpuExecutor::run() with request({})",
                           "Before executeSynchronously() {}")).format(text)
    return rng.choice(("{}", "execute({})")).format(text)


def check_request(context: Context, rng: random.Random, dialect: str, form: str, index: int) -> None:
    what = f"request, {dialect}, {form}, {index}"
    model = short_model(rng, dialect, "runtime")
    request = random_request(rng, dialect, model)
    words = request_words(rng, dialect, printer(dialect).request(request))
    check(len(words) < 4040, "a request is too long")
    lines = log_of(rng, form, [(5, "Utils", messages_of(model, dialect))]) + log_of(rng, form, [(5, "ExecutionBuilder", [words, words])])
    document = planned(context, what, text_of(lines))
    same(f"{what}: requests", len(document["nnapi"]["requests"]), 2)
    for found in document["nnapi"]["requests"]:
        same_request(what, found, request, dialect)
    same(f"{what}: findings", wrong(findings(context, what, text_of(lines))), [])
    check_wrong_requests(context, rng, what, dialect, model, request)


def check_wrong_requests(context: Context, rng: random.Random, what: str, dialect: str, model: Model, request: Request) -> None:
    text = text_of(messages_of(model, dialect))
    tried = []

    def expect(code: str, name: str, altered: Request) -> None:
        found = findings(context, f"{what}, {name}", text + printer(dialect).request(altered) + "\n")
        check(code in [each for _, each, _ in found], f"{what}, {name}: {code} is not found, but {found}")
        tried.append(name)

    placed = [index for index, argument in enumerate(request.inputs) if argument.kind == "POOL" and argument.length]
    if placed:
        altered = copy.deepcopy(request)
        one = altered.inputs[placed[0]]
        one.offset = altered.pools[one.pool].size - one.length - one.padding + 1
        expect("nn.bounds", "past the end", altered)
        altered = copy.deepcopy(request)
        altered.inputs[placed[0]].pool = 30
        expect("nn.bounds", "no such pool", altered)
        altered = copy.deepcopy(request)
        altered.inputs[placed[0]].dims = [1, 1, 1, 1, 1, 1]
        if model.main.operands[model.main.of(INPUT)[placed[0]]].dims:
            expect("nn.request", "another rank", altered)
    altered = copy.deepcopy(request)
    altered.inputs.append(Argument("POOL", 0, 0, altered.pools[0].size))
    expect("nn.request", "too many inputs", altered)
    altered = copy.deepcopy(request)
    altered.inputs[0] = Argument(NONE, length=4)
    expect("nn.request", "no value with a length", altered)
    if has(dialect, "1.3"):
        altered = copy.deepcopy(request)
        altered.pools.append(Memory("token", token=9))
        altered.outputs[0] = Argument("POOL", len(altered.pools) - 1, 0, 4)
        expect("nn.request", "a part of a buffer", altered)
        altered.outputs[0] = Argument("POOL", len(altered.pools) - 1)
        altered.inputs[0] = Argument("POOL", len(altered.pools) - 1)
        expect("nn.role", "a buffer that is input and output", altered)
        altered = copy.deepcopy(request)
        altered.pools.append(Memory("token", token=0))
        # HIDL and AIDL print it as a number, the runtime as a word.
        expect("nn.token", "token 0", altered)
    outputs = [argument for argument in request.outputs if argument.kind == "POOL" and argument.length]
    if outputs and placed:
        altered = copy.deepcopy(request)
        one, other = next(a for a in altered.outputs if a.kind == "POOL" and a.length), altered.inputs[placed[0]]
        altered.pools[other.pool].size += one.length + one.padding
        one.pool, one.offset = other.pool, other.offset
        found = findings(context, f"{what}, alias", text + printer(dialect).request(altered) + "\n")
        check(("warning", "nn.alias") in [each[:2] for each in found], f"{what}: shared bytes are not told: {found}")


def check_changes(context: Context, rng: random.Random) -> int:
    """Each mistake in a model that was right is found by its check, in every dialect that can say it."""
    count = 0
    for name, code, change in CHANGES:
        for dialect in DIALECTS:
            altered = None
            for _ in range(60):
                altered = changed(small_model(rng, dialect, "runtime", 4), change)
                if altered is not None:
                    break
            if altered is None:
                continue
            text = text_of(messages_of(altered, dialect))
            found = findings(context, f"{name}, {dialect}", text)
            check(code in [each for severity, each, _ in found if severity == "error"], f"{name}, {dialect}: {code} is not found, but {found}")
            count += 1
        check(count, f"{name} was never tried")
    for hal in HALS:
        model = small_model(rng, hal, "packed")
        model.main.operands[model.main.of(INPUT)[0]].consumers += 1
        found = findings(context, "consumers", text_of(messages_of(model, hal)))
        check([code for _, code, _ in found if code.startswith("nn.con")] == ["nn.consumers"], f"a consumer too many, HAL {hal}: {found}")
        count += 1
    return count


def check_hals(context: Context, rng: random.Random) -> int:
    """Types, lifetimes and memories that a HAL does not have; every HAL has those of the ones before."""
    count = 0

    def expect(what: str, hal: str, model: Model, code: str | None) -> None:
        nonlocal count
        model.main.count()
        found = wrong(findings(context, what, text_of(messages_of(model, hal))))
        check(code in [each for _, each, _ in found] if code else not found, f"{what}, HAL {hal}: {found}, expected {code}")
        count += 1

    def model_with(operand: Operand, *pools: Memory) -> Model:
        """It is read by the first of two operations."""
        graph = Graph([Operand("TENSOR_FLOAT32", [4], INPUT), operand, Operand("TENSOR_FLOAT32", [4], OUTPUT)], [Operation("ADD", [0, 1], [2])])
        return Model(graph, [], operand.length if operand.life == COPY else 0, list(pools))

    for hal in HALS:
        for kind, (size, is_scalar, since, zeros) in TYPES.items():
            if size:
                operand = Operand(kind, [] if is_scalar else [2], COPY, 0.5 if zeros else 0.0, length=size if is_scalar else 2 * size)
                if kind.endswith("PER_CHANNEL"):
                    operand.channels = ([0.5, 1.0], 0)
                expect(kind, hal, model_with(operand), None if has(hal, since) else "nn.hal")
        reference = Operand("TENSOR_FLOAT32", [50], POOL, length=200)
        for name, code in (("ashmem", None), ("mmap_fd", None), ("hardware_buffer_blob", None if has(hal, "1.2") else "nn.pool"),
                           ("hardware_buffer", "nn.pool"), ("ion", "nn.pool")):
            expect(name, hal, model_with(reference, Memory(name, 200)), code)
        expect("a type without a name", hal, model_with(Operand("39", [2], COPY, length=2)), "nn.hal")
        if hal != "1.3":
            expect("a graph", hal, model_with(Operand("SUBGRAPH", [], GRAPH)), "nn.hal")
        else:
            expect("a graph that is a constant", hal, model_with(Operand("SUBGRAPH", [], COPY)), "nn.hal")
            expect("a graph that is a tensor", hal, model_with(Operand("TENSOR_FLOAT32", [1], GRAPH)), "nn.hal")
    return count


def check_negative(context: Context) -> int:
    """AIDL has signed numbers, which a conversion refuses below 0."""
    count = 0

    def expect(what: str, text: str, is_wrong: bool = True) -> None:
        nonlocal count
        found = wrong(findings(context, what, text + "\n"))
        check(any(severity == "error" and code.startswith("nn.") for severity, code, _ in found) == is_wrong, f"{what}: {found}")
        count += 1

    def model(**fields: Any) -> str:
        operand = Operand("TENSOR_FLOAT32", [4], COPY, length=16)
        for name, value in fields.items():
            setattr(operand, name, value)
        graph = Graph([Operand("TENSOR_FLOAT32", [4], INPUT), operand, Operand("TENSOR_FLOAT32", [4], OUTPUT)], [Operation("ADD", [0, 1], [2])])
        return printer("aidl").whole(Model(graph, [], 16))

    def request(**fields: Any) -> str:
        argument = Argument("POOL", length=16)
        for name, value in fields.items():
            setattr(argument, name, value)
        return model() + "\n" + printer("aidl").request(Request([argument], [Argument("POOL", 1, length=16)], [Memory("ashmem", 16), Memory("ashmem", 16)]))

    expect("a model", model(), False)
    expect("a request", request(), False)
    for name, value in (("offset", -4), ("length", -16), ("pool", -1), ("dims", [-4]), ("offset", 1 << 32), ("length", 1 << 40)):
        expect(f"a constant's {name} {value}", model(**{name: value}))
        expect(f"an argument's {name} {value}", request(**{name: value}))
    expect("an argument's padding -1", request(padding=-1))
    expect("a list of operands with -1", model().replace("inputs: [0, 1]", "inputs: [0, -1]"))
    expect("a list of inputs with -1", model().replace("inputIndexes: [0]", "inputIndexes: [-1]"))
    return count


# --- events


def check_events(context: Context, rng: random.Random, form: str, index: int) -> None:
    """What the runtime says while a model is built, alone, has the place of each constant."""
    what = f"events, {form}, {index}"
    while True:
        model = random_model(rng, "1.2", "runtime", 8, 0.0)
        client = sum(pool.size != 0 for pool in model.pools[:-1]) if len(model.pools) > 1 else 0
        if any(operand.life == POOL for operand in model.main.operands):
            break
    lines = []
    for tick, (tag, message) in enumerate(events_of(model, client)):
        lines.append(with_prefix(form, tag, message, 555, 555, tick))
        if rng.random() < 0.3:
            lines.append(with_prefix(form, "ModelBuilder", f"setOperandValue for operand 99 size {rng.randrange(9)}", 888, 888, tick))
            lines.append(with_prefix(form, "chatty", "uid=2000(shell) benchmark_model identical 3 lines", 555, 555, tick))
    bindings = [(False, 0, "POINTER", None, None), (True, 0, "MEMORY", 1, 4096), (True, 1, "MEMORY", 1, 163), (False, 1, "HAS_NO_VALUE", None, None)]
    dims = rng.choice(("", " dim(1, 2, 3)"))
    for is_output, number, kind, pool, offset in bindings:
        value = f"MEMORY(pool={pool}, off={offset}){dims}" if kind == "MEMORY" else f"POINTER(0x7fe){dims}" if kind == "POINTER" else kind
        lines.append(with_prefix(form, "ExecutionBuilder", f"{'output' if is_output else 'input'}[{number}] = {value}", 555))
    lines.append(with_prefix(form, "ExecutionPlan", "temp: operand (0, 12) offset = 64 paddedLength = 128", 555))
    lines.append(with_prefix(form, "ExecutionPlan", "temp (boundary constant): operand (1, 3) offset = 192 paddedLength = 64", 555))
    lines.append(with_prefix(form, "ExecutionPlan", "DynamicTemporaries: sourceOperandIndex = (0, 7), stepIndex = 1, offset = 0, dimensions = [1, 2], "
                                                    "paddedLength = 64, alignment = 64, padding = 64", 555))
    document = planned(context, what, text_of(lines))
    same(f"{what}: models", document["nnapi"]["models"], [])
    found = next(each for each in document["nnapi"]["events"] if each["process"] == "555")
    values, offsets, at = [], lay_out([operand.length for operand in model.main.operands if operand.life == POOL and operand.pool >= client])[0], 0
    kinds: dict[str, list[int]] = {"copied": [], "large": [], "from_memory": []}
    for number, operand in enumerate(model.main.operands):
        if operand.life not in (COPY, POOL):
            continue
        kind = "copied" if operand.life == COPY else "from_memory" if operand.pool < client else "large"
        kinds[kind].append(operand.length)
        offset = operand.offset
        if kind == "large":
            offset, at = offsets[at], at + 1
        values.append({"operand": number, "kind": kind.removeprefix("from_"), "size_bytes": operand.length, "offset": offset})
    for kind, lengths in kinds.items():
        same(f"{what}: {kind}", (found[kind]["count"], found[kind]["bytes"]), (len(lengths), sum(lengths)))
    check("values" in found, f"{what}: the document has no places")
    names = ("operand", "kind", "size_bytes", "offset")
    same(f"{what}: places", [{name: row.get(name) for name in names} for row in found["values"]], values)
    same(f"{what}: large pool", found.get("large_pool_bytes"), lay_out(kinds["large"])[1] if kinds["large"] else None)
    same(f"{what}: arguments", [tuple(row.get(name) for name in ("is_output", "index", "kind", "pool", "offset")) for row in found["arguments"]],
         bindings)
    same(f"{what}: between devices", found["between_devices_bytes"], 256)


def check_lost_events(context: Context, rng: random.Random, form: str) -> None:
    """Two models one after another; a line of the first is not in the log: nobody knows where its large values lie, and those of the second do."""
    messages: list[list[tuple[str, str]]] = []
    models: list[Model] = []
    while len(models) < 2:
        model = random_model(rng, "1.2", "runtime", 8, 0.0)
        if len(model.pools) == 1 and sum(operand.life == POOL for operand in model.main.operands) > 1:
            events = events_of(model)
            if ("ModelBuilder", "Saving large value") in events:
                models.append(model)
                messages.append(events)
    saving = messages[0].index(("ModelBuilder", "Saving large value"))
    for what, lost in (("nothing", []), ("a value", [saving - 1, saving]), ("what became of it", [saving]), ("which it is", [saving - 1])):
        kept = [event for at, event in enumerate(messages[0]) if at not in lost] + messages[1]
        document = planned(context, f"{what} is lost", text_of([with_prefix(form, tag, message) for tag, message in kept]))
        values = [row for row in document["nnapi"]["events"][0]["values"] if row.get("kind") == "large"]
        wanted: list[list[int | None]] = [[*lay_out([operand.length for operand in model.main.operands if operand.life == POOL])[0]] for model in models]
        if lost:
            wanted[0] = [None] * (len(wanted[0]) - 1)
        same(f"{what} is lost: places", [row.get("offset") for row in values], wanted[0] + wanted[1])
        same(f"{what} is lost: abridged", ABRIDGED in codes_of(document), bool(lost))


def check_roles(context: Context, form: str) -> None:
    """Buffers of the driver's, from the runtime's descriptor and the driver's token to the requests that use them."""
    shape = [1, 32, 32, 8]
    model = Model(Graph([Operand("TENSOR_FLOAT32", shape, INPUT), Operand("TENSOR_FLOAT32", shape, OUTPUT)], [Operation("RELU", [0], [1])]))
    model.main.count()
    memory = Memory("ashmem", 32768)
    buffer = Memory("token", token=1)
    into = Request([Argument("POOL", 0, 0, 32768)], [Argument("POOL", 1)], [memory, buffer])
    out_of = Request([Argument("POOL", 1)], [Argument("POOL", 0, 0, 32768)], [memory, buffer])

    def log(inputs: list[int], outputs: list[int], requests: list[Request], is_freed: bool = False) -> str:
        said = [("Utils", message, 555) for message in messages_of(model, "1.3")]
        said += [("Memory", message, 555) for message in descriptor_of(shape, inputs, outputs)]
        said.append(("SampleDriver", f"SampleDriver::allocate -- type = TENSOR_FLOAT32, dimensions = [4]{{{', '.join(map(str, shape))}}}, size = 32768", 900))
        said.append(("BufferTracker", "BufferTracker::add -- new token = 1", 900))
        if is_freed:
            said.append(("BufferTracker", "BufferTracker::free -- release token = 1", 900))
        said += [("SampleDriver", f"execute({Hidl('1.3').request(request)})", 900) for request in requests]
        return text_of([with_prefix(form, tag, message, process, process, tick) for tick, (tag, message, process) in enumerate(said)])

    for name, text, code in (("both roles", log([0], [0], [into, out_of]), None), ("an input as output", log([0], [], [into]), "nn.role"),
                             ("an output as input", log([], [0], [into, out_of]), "nn.role"),
                             ("a buffer that was given back", log([0], [0], [into], True), "nn.token")):
        found = wrong(findings(context, f"{name}, {form}", text))
        same(f"{name}, {form}: {found}", sorted({each for _, each, _ in found}), [code] if code else [])


def run_all(context: Context) -> str:
    rng = random.Random(context.options.seed)
    known = check_data(context)
    models = 0
    for dialect in DIALECTS:
        for layout in LAYOUTS:
            for index in range(context.options.count):
                check_bare(context, rng, dialect, layout, index)
                check_logged(context, rng, dialect, layout, PREFIXES[index % 3], index)
                check_request(context, rng, dialect, PREFIXES[index % 3], index)
                models += 4
        for form in PREFIXES:
            check_cut_by_log(context, rng, dialect, form)
    check_twenty(context, rng)
    for form in PREFIXES:
        check_roles(context, form)
    for index in range(2 * context.options.count):
        check_events(context, rng, PREFIXES[index % 3], index)
        check_lost_events(context, rng, PREFIXES[index % 3])
    changes = check_changes(context, rng) + check_hals(context, rng) + check_negative(context)
    cuts = check_cuts(context, rng, context.options.step) + check_glued(context, rng)
    return f"{models} random models, {changes} mistakes looked for, {cuts} cuts; {known}"


def run_and_keep(context: Context) -> str:
    """What was asked last stands beside a failure."""
    try:
        return run_all(context)
    except Failure:
        (context.work / "last.txt").write_bytes(LAST[0])
        raise


if __name__ == "__main__":
    main(__doc__, run_and_keep, options)
