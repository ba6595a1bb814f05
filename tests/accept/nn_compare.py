"""What memsize's document says of a model or a request, held against what was printed."""

import os
import subprocess
from typing import Any

from nn_dumps import (Argument, Graph, HALS, INPUT, Model, OUTPUT, Operand, Operation, Request, TEMPORARY, account_of, bytes_of, known_size,
                      life_name, lives_of, printed_scale, type_name, up, use_of)
from support import Context, check, fail, parse_json, same

ABRIDGED = "plan.abridged"


def encoded(text: str) -> bytes:
    """Bytes are what they are: the framework prints some as they come."""
    return text.encode("latin-1")


LAST = [b""]


def run(context: Context, verb: str, text: str | bytes, *words: str) -> subprocess.CompletedProcess[bytes]:
    data = encoded(text) if isinstance(text, str) else text
    LAST[0] = data
    return subprocess.run([str(context.memsize), verb, "-", *words], cwd=context.work, input=data, capture_output=True, timeout=120,
                          env={**os.environ, "NO_COLOR": "1"}, close_fds=False)


def planned(context: Context, what: str, text: str | bytes) -> Any:
    done = run(context, "plan", text, "--json")
    if done.returncode != 0:
        fail(f"{what}: exit {done.returncode}: {done.stderr[-600:].decode(errors='replace')}")
    return parse_json(done.stdout.decode(), what)


def codes_of(document: Any) -> list[str]:
    return [each["code"] for each in document["diagnostics"]]


def findings(context: Context, what: str, text: str | bytes) -> list[tuple[str, str, str]]:
    """Severity, code and message of everything that `check` finds."""
    done = run(context, "check", text, "--json")
    check(done.returncode in (0, 1), f"{what}: check exits {done.returncode}: {done.stderr[-600:]!r}")
    found = [(each["severity"], each["code"], each["message"]) for each in parse_json(done.stdout.decode(), what)["diagnostics"]]
    same(f"{what}: exit status of check", done.returncode, int(any(severity == "error" for severity, _, _ in found)))
    return found


def wrong(found: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    return [each for each in found if each[0] != "note" and each[1] != ABRIDGED]


def row_of(operand: Operand, dialect: str) -> dict:
    row = {"type": type_name(operand.type, dialect), "dimensions": operand.dims, "lifetime": life_name(operand.life, dialect),
           "scale": float(printed_scale(operand.scale, dialect)), "zero_point": operand.zero, "pool": operand.pool, "offset": operand.offset,
           "length_bytes": operand.length}
    size = bytes_of(operand.type, operand.dims)
    if size is not None:
        row["bytes"] = size
    if dialect in HALS:
        row["consumers"] = operand.consumers
    if operand.channels:
        row["channel_scales"] = [float(printed_scale(scale, dialect)) for scale in operand.channels[0]]
        row["channel_dimension"] = operand.channels[1]
    return row


def shown_row(row: dict) -> dict:
    """Without what says where it stands, and what a skin adds that is always nothing."""
    shown = {name: value for name, value in row.items() if name not in ("line", "pointer")}
    if shown.get("padding_bytes") == 0:
        del shown["padding_bytes"]
    return shown


def is_short(values: list, dialect: str) -> bool:
    return dialect == "canonical" and len(values) >= 20


def same_rows(what: str, found: list[dict], wanted: list[dict]) -> None:
    """The first of what was printed, all of it or less."""
    check(len(found) <= len(wanted), f"{what}: {len(found)} of {len(wanted)}")
    for index, (one, other) in enumerate(zip(found, wanted)):
        if one != other:
            fail(f"{what} {index}: {one}, expected {other}")


def operation_row(operation: Operation) -> dict:
    return {"type": operation.type, "inputs": operation.inputs, "outputs": operation.outputs}


def same_graph(what: str, found: Any, graph: Graph, dialect: str, operands: int | None = None, operations: int | None = None) -> None:
    """With so many operands and operations that the text has whole, if that is not all."""
    operands = len(graph.operands) if operands is None else operands
    operations = len(graph.operations) if operations is None else operations
    same(f"{what}: operands", len(found["operands"]), operands)
    same(f"{what}: operations", len(found["operations"]), operations)
    same_rows(f"{what}: operand", [shown_row(row) for row in found["operands"]], [row_of(operand, dialect) for operand in graph.operands])
    wanted = [operation_row(operation) for operation in graph.operations]
    for row in wanted:
        for name in ("inputs", "outputs"):
            if is_short(row[name], dialect):
                row[name] = row[name][:20]
    rows = [{name: row[name] for name in ("type", "inputs", "outputs")} for row in found["operations"]]
    same_rows(f"{what}: operation", rows, wanted)
    for name, life in (("inputs", INPUT), ("outputs", OUTPUT)):
        listed = graph.of(life)
        same(f"{what}: {name}", found[name], listed[:20] if dialect == "canonical" else listed)


def hal_name(dialect: str) -> str:
    return {"canonical": "the runtime's own form", "aidl": "AIDL"}.get(dialect, f"HIDL {dialect}")


def same_model(what: str, found: Any, model: Model, dialect: str, pools: bool = True) -> None:
    """A model that the text has whole."""
    same(f"{what}: HAL", found["hal"], hal_name(dialect))
    check(found["is_whole"], f"{what}: it is whole")
    if dialect in HALS:
        same(f"{what}: announced", (found["announced_operands"], found["announced_operations"]),
             (len(model.main.operands), len(model.main.operations)))
    same(f"{what}: operandValues", found.get("operand_values_bytes"), model.values)
    same(f"{what}: graphs", found["graphs"], 1 + len(model.referenced))
    for name, value in account_of(model, dialect, pools).items():
        same(f"{what}: {name}", found[name], value)
    check("main" in found, f"{what}: the document has no operands")
    same_graph(what, found["main"], model.main, dialect)
    for index, graph in enumerate(model.referenced):
        same_graph(f"{what}, graph {index}", found["referenced"][index], graph, dialect)


def same_blocks(what: str, document: Any, model: Model) -> None:
    """Each temporary of known size is a block with its life; no two that are alive at once share a byte."""
    wanted = {}
    for number, graph in enumerate(model.graphs()):
        for index, (lower, upper) in lives_of(graph).items():
            size = bytes_of(graph.operands[index].type, graph.operands[index].dims)
            if size is not None:
                wanted[f"g{number - 1}.{index}" if number else str(index)] = (lower, upper, size)
    blocks = {block["id"]: (block["lower"], block["upper"], block["size"]) for block in document["blocks"]}
    same(f"{what}: temporaries", blocks, wanted)
    placed = [(block["memory"], block["lower"], block["upper"], block["offset"], block["offset"] + block["size"]) for block in document["blocks"]]
    for index, one in enumerate(placed):
        for other in placed[:index]:
            check(one[0] != other[0] or one[1] >= other[2] or other[1] >= one[2] or one[3] >= other[4] or other[3] >= one[4],
                  f"{what}: {one} and {other} share bytes")


def has_unknown(model: Model) -> bool:
    return any(operand.life == TEMPORARY and bytes_of(operand.type, operand.dims) is None for graph in model.graphs() for operand in graph.operands)


def argument_row(argument: Argument, index: int, is_output: bool) -> dict:
    row: dict = {"is_output": is_output, "index": index, "kind": argument.kind, "length_bytes": argument.length}
    if argument.kind == "POOL":
        row |= {"pool": argument.pool, "offset": argument.offset}
    return row


def same_request(what: str, found: Any, request: Request, dialect: str) -> None:
    rows = [argument_row(argument, index, is_output) for is_output, arguments in ((False, request.inputs), (True, request.outputs))
            for index, argument in enumerate(arguments)]
    check(found["is_whole"], f"{what}: it is whole")
    names = ("is_output", "index", "kind", "length_bytes", "pool", "offset")
    same(f"{what}: arguments", [{name: row[name] for name in names if name in row} for row in found["arguments"]], rows)
    every = [*request.inputs, *request.outputs]
    same(f"{what}: dimensions", [row.get("dimensions", []) for row in found["arguments"]], [argument.dims for argument in every])
    same(f"{what}: padding", [row.get("padding_bytes", 0) for row in found["arguments"]], [argument.padding for argument in every])
    same(f"{what}: pools", len(found["pools"]), len(request.pools))
    step = 1 if dialect in HALS else 64
    bad = extra = 0
    for index, pool in enumerate(request.pools):
        here = [argument for argument in every if argument.kind == "POOL" and argument.pool == index]
        use = use_of([(argument.offset, argument.offset + argument.length) for argument in here], known_size(pool, dialect))
        same(f"{what}: pool {index}", {name: value for name, value in found["pools"][index].items() if name != "token"},
             {"index": index, "name": pool.name, **use})
        same(f"{what}: token of pool {index}", found["pools"][index].get("token"), pool.token or None)
        end = 0
        for argument in here:
            if argument.length:
                bad += argument.offset % 64 != 0 or argument.length + argument.padding < up(argument.length, step)
                end = up(end, 64) + up(argument.length, step)
        extra += end - sum(argument.length for argument in here)
    same(f"{what}: not as preferred", (found["not_preferred"], found["preferred_extra_bytes"]), (bad, extra))
