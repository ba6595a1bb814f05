"""Real logs, texts of Android's own printer and dumps with the values that a person read in them, where MEMSIZE_NN_DATA names their folder."""

import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from nn_compare import ABRIDGED, codes_of, encoded, findings, planned, run, same_blocks, same_graph, same_model, same_request, wrong
from nn_cuts import cut_everywhere
from nn_dumps import (Argument, Graph, INPUT, Memory, Model, NONE, OUTPUT, Operand, Operation, POINTER, Request, TEMPORARY, bytes_of, cut_by_log,
                      lay_out, messages_of, up)
from support import Context, check, parse_json, read, same


def expected_model(layout: Any) -> Model:
    lives = {"MODEL_INPUT": INPUT, "MODEL_OUTPUT": OUTPUT, "SUBGRAPH_INPUT": INPUT, "SUBGRAPH_OUTPUT": OUTPUT}
    operands = [Operand(one["type"], one["dims"], lives.get(one["life"], one["life"]), one["scale"], one["zp"], one["pool"], one["off"], one["len"],
                        one["nc"], tuple(one["extra"]) if one["extra"] else None) for one in layout["operands"]]
    operations = [Operation(one["type"], one["inputs"], one["outputs"]) for one in layout["operations"]]
    return Model(Graph(operands, operations), [], len(layout["ov"]), [Memory("ashmem", size) for size in layout["pools"]])


def check_known_file(context: Context, path: Path, model: Model, dialect: str) -> None:
    """All of it, or what the log and the printer kept."""
    data = path.read_bytes()
    pools = "vtspacked" not in path.name
    same_handles = re.sub(rb"\.handle = 0x[0-9a-f]+", b".handle = 0x7b3421c0a0", data)
    # Each line of the file is what our own printer writes: it may be trusted with random models.
    for message in messages_of(model, dialect, pools) if dialect != "aidl" else []:
        line = cut_by_log("Utils", message) if "logcat" in path.name else message
        check(encoded(line) in same_handles, f"{path.name}: our printer has {line[:200]}")
    document = planned(context, path.name, data)
    found = document["nnapi"]["models"]
    same(f"{path.name}: models", len(found), 1)
    lines = [message for message in messages_of(model, dialect) if len(message) > 4060] if "logcat" in path.name else []
    if not lines and not (dialect == "canonical" and len(model.main.operands) >= 20):
        same_model(path.name, found[0], model, dialect, pools)
        same_blocks(path.name, document, model)
        same(f"{path.name}: abridged", ABRIDGED in codes_of(document), False)
    else:
        check(ABRIDGED in codes_of(document), f"{path.name}: nothing says that it is abridged")
        kept = 20 if dialect == "canonical" else lines[0][:4060].count("}, {.type")
        same_graph(path.name, found[0]["main"], model.main, dialect, kept)
        same(f"{path.name}: operandValues", found[0]["operand_values_bytes"], model.values)
    same(f"{path.name}: findings", wrong(findings(context, path.name, data)), [])


def check_known_request(context: Context, path: Path, model: Model, dialect: str) -> None:
    """The suite's way: inputs end to end in one memory, outputs in another, sizes up to four bytes."""
    request = Request([], [], [])
    for pool, life in enumerate((INPUT, OUTPUT)):
        end = 0
        for index in model.main.of(life):
            length = bytes_of(model.main.operands[index].type, model.main.operands[index].dims) or 0
            arguments = request.inputs if life == INPUT else request.outputs
            arguments.append(Argument("POOL", pool, end, length))
            end += length
        request.pools.append(Memory("ashmem", up(end, 4)))
    document = planned(context, path.name, path.read_bytes())
    same_request(path.name, document["nnapi"]["requests"][0], request, dialect)


def check_synthetic(context: Context, folder: Path) -> int:
    count = 0
    for path in sorted(folder.glob("synthetic/*.expected.json")):
        name = path.name.removesuffix(".expected.json")
        layouts = parse_json(read(path), str(path))
        for other in sorted(folder.glob(f"*/{name}.*.txt")):
            hidl = re.search(r"\.hidl_v1_(\d)\.", other.name)
            dialect = f"1.{hidl[1]}" if hidl else "aidl" if ".aidl." in other.name else "canonical"
            model = expected_model(layouts["vts_packed" if "vtspacked" in other.name else "runtime_layout"])
            (check_known_request if ".request." in other.name else check_known_file)(context, other, model, dialect)
            count += 1
    check(count >= 28, f"only {count} files have an expected.json")
    return count


def check_real_log(context: Context, folder: Path) -> None:
    path = next(folder.glob("logcat_v1_3_*.txt"))
    wanted = parse_json(read(path.with_suffix(".expected.json")), "expected")
    document = planned(context, path.name, path.read_bytes())
    found = document["nnapi"]["models"]
    same("the real log: models", len(found), 1)
    one = found[0]
    same("the real log: operands", (one["operands"], one["announced_operands"]), (17, 769))
    same("the real log: operations", (one["operations"], one["announced_operations"]), (58, 262))
    same("the real log: operandValues", one["operand_values_bytes"], 1480)
    names = {"type": "type", "dims": "dimensions", "consumers": "consumers", "lifetime": "lifetime", "pool": "pool", "offset": "offset",
             "length": "length_bytes", "computed_bytes": "bytes"}
    same("the real log: its operands", [{name: row.get(key) for name, key in names.items()} for row in one["main"]["operands"]],
         [{name: row[name] for name in names} for row in wanted["parsed_operands"]])
    same("the real log: its operations", [{name: row[name] for name in ("type", "inputs", "outputs")} for row in one["main"]["operations"]],
         wanted["parsed_operations"])
    same("the real log: lists", (one["main"]["inputs"], one["main"]["outputs"]), ([0], [766, 767, 768]))
    events = document["nnapi"]["events"][0]
    same("the real log: places", [(row["is_output"], row["index"], row["pool"], row["offset"]) for row in events["arguments"]],
         [(False, 0, 0, 0), (True, 0, 1, 0), (True, 1, 1, 1632000), (True, 2, 1, 2040000)])
    same("the real log: device, failures", (events["device"], events["failed_executions"]), ("qti-dsp", 2))
    check(ABRIDGED in codes_of(document), "the real log: nothing says that it is abridged")
    text = run(context, "plan", path.read_bytes())
    said = (text.stdout + text.stderr).decode()
    for words in ("17 of 769 operands", "58 of 262 operations", "1 480 B", "HIDL 1.3 on qti-dsp", "307 200 B", "1 632 000 B", "2 040 000 B",
                  "not printed", "2 executions failed; nothing in the log says that memory was the reason"):
        check(words in said, f"the real log: the report does not say '{words}'")
    # The numbers that a person reads in it, all in their places.
    for row in one["main"]["operands"]:
        if row["lifetime"].startswith("CONSTANT"):
            same("the real log: bytes of a constant", row["bytes"], row["length_bytes"])
    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        cut_everywhere(context, pool, path.name, path.read_bytes(), 211, 0)
    same("the real log: findings", wrong(findings(context, path.name, path.read_bytes())), [])


def check_printer(context: Context, folder: Path) -> None:
    """Text of the runtime's own printer: values of every kind, raw bytes among them."""
    lines = (folder / "canonical" / "misc.canonical.txt").read_bytes().split(b"\n")
    operands = [line for line in lines if line.startswith(b"Operand{")]
    operation = next(line for line in lines if line.startswith(b"Operation{") and b"..." not in line)
    memories = [line for line in lines if line.startswith(b"Memory{")]
    model = (b"Model{.main=Model::Subgraph{.operands=[" + b", ".join(operands) + b"], .operations=[" + operation + b"], .inputIndexes=[], "
             b".outputIndexes=[]}, .referenced=[], .operandValues=Model::OperandValues{<0bytes>}, .pools=[" + b", ".join(memories) +
             b"], .relaxComputationFloat32toFloat16=false, extensionNameToPrefix=[]}\n")
    document = planned(context, "misc", model)
    found = document["nnapi"]["models"][0]
    rows = [(row["type"], row["dimensions"], row["scale"], row["zero_point"], row["lifetime"], row["offset"], row["length_bytes"], row.get("bytes"))
            for row in found["main"]["operands"]]
    same("misc: operands", [row[:4] + row[5:] for row in rows], [
        ("SUBGRAPH", [], 0, 0, 1, 0, None), ("Extension OperandType 65537", [2, 2], 0, 0, 0, 0, None), (rows[2][0], [], 0, 0, 0, 0, None),
        ("TENSOR_FLOAT32", [1, 64], 0, 0, 0, 256, 256), ("TENSOR_QUANT8_ASYMM", [1, 224, 224, 3], 0.00392157, 128, 0, 0, 150528),
        ("TENSOR_QUANT8_ASYMM", [1, 224, 224, 3], 1.5e-07, 128, 0, 0, 150528)])
    check("77" in rows[2][0] and "9" in rows[2][4], f"misc: an unknown type and lifetime are {rows[2]}")
    same("misc: lifetimes", [row[4] for row in rows[:2] + rows[3:]], ["SUBGRAPH", TEMPORARY, POINTER, TEMPORARY, TEMPORARY])
    same("misc: operation", found["main"]["operations"][0]["inputs"], list(range(19)))
    same("misc: pools", [(pool["name"], pool.get("size_bytes")) for pool in found["pools"]][:3],
         [("hardware_buffer", 12), ("ashmem", 5), ("hardware_buffer_blob", None)])
    for values in ([0, 10, 125], [93], [125, 93], [93, 125], [44, 32, 44], [60, 62, 123], [34], [128, 255, 32], [46, 46, 46], list(range(30, 49))):
        raw = b", ".join(bytes([value]) for value in values)
        pieces = model.replace(b"\x01, \x02, \xff", raw)
        again = planned(context, f"raw bytes {raw!r}", pieces)
        same(f"raw bytes {raw!r}", [row["type"] for row in again["nnapi"]["models"][0]["main"]["operands"]], [row[0] for row in rows])
    done = run(context, "plan", (folder / "canonical" / "misc.canonical.txt").read_bytes())
    check(done.returncode in (0, 1), f"misc alone: exit {done.returncode}")
    request = planned(context, "request_mixed", (folder / "canonical" / "request_mixed.canonical.txt").read_bytes())["nnapi"]["requests"][0]
    same("request_mixed", [(row["is_output"], row["kind"], row.get("pool"), row.get("offset"), row["length_bytes"], row.get("padding_bytes", 0),
                            row.get("dimensions", [])) for row in request["arguments"]],
         [(False, "POOL", 0, 0, 768, 0, []), (False, NONE, None, None, 0, 0, []), (False, POINTER, None, None, 16, 48, []),
          (True, "POOL", 1, 0, 0, 0, [1, 8, 8, 3]), (True, POINTER, None, None, 16, 0, [])])
    same("request_mixed: pools", [(pool["name"], pool.get("size_bytes"), pool.get("token")) for pool in request["pools"]],
         [("mmap_fd", 4096, None), ("token", None, 7), ("token", None, None), ("<empty memory>", None, None), ("buffer", None, None)])
    found = findings(context, "request_mixed", (folder / "canonical" / "request_mixed.canonical.txt").read_bytes())
    # An invalid token, a memory without a handle, and no buffer at all.
    same("request_mixed: wrong", [code for _, code, _ in wrong(found)], ["nn.token", "nn.pool", "nn.token"])
    request = planned(context, "aidl", (folder / "synthetic" / "aidl_request_with_token.txt").read_bytes())["nnapi"]["requests"][0]
    same("aidl: pools", [(pool["name"], pool.get("size_bytes"), pool.get("token")) for pool in request["pools"]],
         [("mmap_fd", 4096, None), ("token", None, 1)])
    same("aidl: arguments", [(row["is_output"], row["kind"], row.get("pool"), row["length_bytes"], row.get("dimensions", [])) for row in
                             request["arguments"]], [(False, "POOL", 0, 768, []), (False, NONE, None, 0, []), (True, "POOL", 1, 0, [1, 8, 8, 3])])


def values_in(text: str) -> list[dict]:
    """Events as a person reads them: a value, and what the next line says of it."""
    values: list[dict] = []
    for message in re.findall(r"ModelBuilder: (.*)", text):
        if match := re.fullmatch(r"setOperandValue for operand (\d+) size (\d+)", message):
            values.append({"operand": int(match[1]), "size_bytes": int(match[2])})
        elif match := re.fullmatch(r"setOperandValueFromMemory for operand (\d+) offset (\d+) size (\d+)", message):
            values.append({"operand": int(match[1]), "kind": "memory", "size_bytes": int(match[3]), "offset": int(match[2])})
        elif match := re.fullmatch(r"Copied small value to offset (\d+)", message):
            if values and "kind" not in values[-1]:
                values[-1] |= {"kind": "copied", "offset": int(match[1])}
        elif message == "Saving large value" and values and "kind" not in values[-1]:
            values[-1] |= {"kind": "large"}
    return values


def check_issues(context: Context, folder: Path) -> None:
    for name in ("tensorflow_52914_kirin980_modelbuilder", "tensorflow_24830_honor10_modelbuilder"):
        path = folder / "issues" / f"{name}.txt"
        found = planned(context, name, path.read_bytes())["nnapi"]["events"]
        same(f"{name}: processes", len(found), 1)
        values = values_in(read(path))
        if "24830" in name:
            same(f"{name}: by hand", [value["size_bytes"] for value in values], [3456, 18432, 1048576])
            for value, offset in zip(values, lay_out([3456, 18432, 1048576])[0]):
                value["offset"] = offset
        else:
            same(f"{name}: by hand", [(value["operand"], value["offset"]) for value in values][:3], [(131, 308), (132, 312), (133, 316)])
        names = ("operand", "kind", "size_bytes", "offset")
        same(f"{name}: values", [{key: row[key] for key in names if key in row} for row in found[0]["values"]],
             [{key: value[key] for key in names if key in value} for value in values])
    # Lines of other tags, of three tools, with nothing in them about memory.
    for path in (folder / "issues" / "nnstreamer_2755_manager_capab.txt", folder / "issues" / "tensorflow_43541_executionplan_android_studio_style.txt",
                 folder / "issues" / "tensorflow_60234_new_android_studio_style.txt", folder / "fuzz_model_prototxt.txt"):
        done = run(context, "plan", path.read_bytes(), "--json")
        same(f"{path.name}: exit status", done.returncode, 1)
        same(f"{path.name}: codes", codes_of(parse_json(done.stdout.decode(), path.name)), ["read.no-table"])


def check_data(context: Context) -> str:
    folder = os.environ.get("MEMSIZE_NN_DATA")
    if not folder:
        return "no text of others (MEMSIZE_NN_DATA)"
    check_real_log(context, Path(folder))
    count = check_synthetic(context, Path(folder))
    check_printer(context, Path(folder))
    check_issues(context, Path(folder))
    return f"{count} known files, a real log and the framework's own printer agree"
