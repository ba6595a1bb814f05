"""Dumps that are cut anywhere: no number that the whole one does not give, and a word that something is missing."""

import os
import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from nn_compare import ABRIDGED, codes_of, encoded, findings, planned, run, wrong
from nn_dumps import DIALECTS, HALS, PREFIXES, THREADTIME, events_of, log_of, messages_of, printer, with_prefix
from nn_models import random_model, random_request
from support import Context, check, parse_json, same


def text_of(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"


def is_prefix(what: str, part: list, whole: list) -> None:
    part, whole = ([{**row, "line": 0} if isinstance(row, dict) else row for row in rows] for rows in (part, whole))
    check(part == whole[:len(part)], f"{what}: {part[-1:]} is not in the whole text, which has {whole[len(part) - 1:len(part)]}")


def holds(what: str, part: Any, whole: Any) -> None:
    """Everything that a cut text gives is what the whole gives, or a sum of fewer."""
    check(len(part["models"]) <= len(whole["models"]), f"{what}: {len(part['models'])} models")
    for one, other in zip(part["models"], whole["models"]):
        for graph, all_of in zip([one["main"], *one.get("referenced", [])], [other["main"], *other.get("referenced", [])]):
            is_prefix(f"{what}: operands", graph["operands"], all_of["operands"])
            is_prefix(f"{what}: operations", graph["operations"], all_of["operations"])
            is_prefix(f"{what}: inputs", graph["inputs"], all_of["inputs"])
            is_prefix(f"{what}: outputs", graph["outputs"], all_of["outputs"])
        for name in ("announced_operands", "announced_operations", "operand_values_bytes"):
            check(one.get(name) in (None, other.get(name)), f"{what}: {name} is {one.get(name)}, of the whole {other.get(name)}")
        if one["operands"] < other["operands"]:
            check(all("hole_bytes" not in pool for pool in [one.get("operand_values", {}), *one["pools"]]), f"{what}: holes that nobody knows")
        sizes = {pool["index"]: pool.get("size_bytes") for pool in other["pools"]}
        for pool in one["pools"]:
            check(pool.get("size_bytes") in (None, sizes[pool["index"]]), f"{what}: pool {pool}")
        for name in ("inputs", "outputs", "temporaries"):
            check(one[name]["count"] <= other[name]["count"] and one[name]["bytes"] <= other[name]["bytes"], f"{what}: {name}")
    check(len(part["requests"]) <= len(whole["requests"]), f"{what}: {len(part['requests'])} requests")
    for one, other in zip(part["requests"], whole["requests"]):
        for is_output in (False, True):
            is_prefix(f"{what}: arguments", [row for row in one["arguments"] if row["is_output"] == is_output],
                      [row for row in other["arguments"] if row["is_output"] == is_output])
        for pool, all_of in zip(one["pools"], other["pools"]):
            check(all(pool.get(name) in (None, all_of.get(name)) for name in ("size_bytes", "token", "name")), f"{what}: pool {pool}, of {all_of}")
    for one, other in zip(part["events"], whole["events"]):
        # What became of the last value may be in the next line.
        for row, all_of in zip(one["values"], other["values"], strict=False):
            check(row.items() <= all_of.items(), f"{what}: value {row}, of the whole {all_of}")
        check(len(one["values"]) <= len(other["values"]), f"{what}: values")
        check(all(row in other["arguments"] for row in one["arguments"]), f"{what}: arguments {one['arguments']}")
        check(one.get("large_pool_bytes") in (None, other.get("large_pool_bytes")), f"{what}: large pool")


def check_one_cut(context: Context, name: str, data: bytes, whole: Any, end: int, told_until: int, looks: bool) -> None:
    what = f"{name}, cut behind {end} of {len(data)} bytes"
    done = run(context, "plan", data[:end], "--json")
    check(done.returncode in (0, 1), f"{what}: exit {done.returncode}: {done.stderr[-300:]!r}")
    document = parse_json(done.stdout.decode(), what)
    codes = codes_of(document)
    if done.returncode == 1:
        check(any(code.startswith("read.") for code in codes), f"{what}: {codes}")
        return
    blocks = {block["id"]: (block["lower"], block["upper"], block["size"]) for block in whole["blocks"]}
    for block in document["blocks"]:
        same(f"{what}: block {block['id']}", (block["lower"], block["upper"], block["size"]), blocks.get(block["id"]))
    holds(what, document["nnapi"], whole["nnapi"])
    check(end >= told_until or ABRIDGED in codes, f"{what}: nothing says that it is abridged")
    if looks:
        same(f"{what}: findings", wrong(findings(context, what, data[:end])), [])


def cut_everywhere(context: Context, pool: ThreadPoolExecutor, name: str, data: bytes, step: int, told_until: int | None = None) -> int:
    """At every step, a sixth of them looked at by `check`, too; up to `told_until` (else to its last byte) what is missing must be told."""
    whole = planned(context, name, data)
    told_until = len(data.rstrip()) if told_until is None else told_until
    ends = range(0, len(data), step)
    list(pool.map(lambda end: check_one_cut(context, name, data, whole, end, told_until, end // step % 6 == 0), ends))
    return len(ends)


def end_of_model(data: bytes, dialect: str) -> int:
    """Behind the last line that counts, which is that of its memories, or behind the record."""
    if dialect in HALS:
        return data.find(b"\n", data.rindex(b"pools"))
    return data.rindex(b"extensionNameToPrefix") + len("extensionNameToPrefix=[]")


def check_glued(context: Context, rng: random.Random) -> int:
    """A line of a log that lost its end, and perhaps more, so that the next line begins within it."""
    count = 0
    for dialect in DIALECTS:
        for form in PREFIXES:
            messages = ["\n"]
            while any(c in message for message in messages for c in "\0\r\n"):
                model = random_model(rng, dialect, "runtime", 2, 0.0)
                messages = messages_of(model, dialect)
            lines = log_of(rng, form, [(5, "Utils", messages)], 0.0, False)
            lines.append(with_prefix(form, "tflite", "of no model", 5))
            whole = planned(context, f"{dialect}, {form}", text_of(lines))
            for at, message in enumerate(messages):
                for lost in (0, 1, 4):
                    what = f"{dialect}, {form}, line {at} without its last {lost} bytes"
                    kept = lines[at][:len(lines[at]) - lost]
                    text = text_of([*lines[:at], kept + lines[at + 1], *lines[at + 2:]])
                    document = planned(context, what, text)
                    holds(what, document["nnapi"], whole["nnapi"])
                    # Without the others nothing of memory is missing.
                    is_needed = not message.startswith(("relax", "extensionNameToPrefix")) and not message.endswith("Model start")
                    check(ABRIDGED in codes_of(document) or not (lost and is_needed), f"{what}: nothing says that it is abridged")
                    same(f"{what}: findings", wrong(findings(context, what, text)), [])
                    count += 1
    return count


def check_cuts(context: Context, rng: random.Random, step: int) -> int:
    count = 0
    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        for number, dialect in enumerate(DIALECTS):
            while True:
                model = random_model(rng, dialect, "runtime", 2, 0.0)
                text = text_of(messages_of(model, dialect))
                if model.pools and len(text) < (1500 if dialect != "canonical" else 2200) and not model.referenced:
                    break
            data = encoded(text)
            count += cut_everywhere(context, pool, dialect, data, step, end_of_model(data, dialect))
            form = PREFIXES[number % 3]
            if not any(c in text for c in "\0\r"):
                data = encoded(text_of(log_of(rng, form, [(5, "Utils", messages_of(model, dialect))], 0.2)))
                count += cut_everywhere(context, pool, f"{dialect}, {form}", data, 7 * step, end_of_model(data, dialect))
            data = encoded(printer(dialect).request(random_request(rng, dialect, model)) + "\n")
            count += cut_everywhere(context, pool, f"request, {dialect}", data, step)
        while True:
            model = random_model(rng, "1.2", "runtime", 3, 0.0)
            if model.pools:
                break
        data = encoded(text_of([with_prefix(THREADTIME, tag, message) for tag, message in events_of(model)]))
        count += cut_everywhere(context, pool, "events", data, 2 * step, 0)
    return count
