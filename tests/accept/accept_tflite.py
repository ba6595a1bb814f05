"""Models of TensorFlow Lite: what is alive when, and how large it is, as a reader of flatbuffers of this file's own says.

It follows the format's tables by their numbers (tensorflow/lite/schema/schema.fbs), knows no more of them than it needs, and
shares nothing with FlatBuffers. Where MEMSIZE_PLAN_DATA names tables of lifetimes and MLPerf Tiny's models lie beside it, both
must be the same.
"""

import csv
import os
import re
import struct
from pathlib import Path
from typing import Any

from support import SOURCE, Context, check, main, parse_json, read, read_json, same

SAMPLE = SOURCE / "samples" / "plans" / "tflite" / "kws_ref_model.tflite"
# Bytes of an element, by TensorType.
ELEMENT = {0: 4, 2: 4, 3: 1, 4: 8, 6: 1, 7: 2, 9: 1}
TYPES = {0: "float32", 2: "int32", 9: "int8"}
# Of BuiltinOperator, what these models have.
KINDS = {0: "ADD", 1: "AVERAGE_POOL_2D", 3: "CONV_2D", 4: "DEPTHWISE_CONV_2D", 9: "FULLY_CONNECTED", 22: "RESHAPE", 25: "SOFTMAX",
         114: "QUANTIZE"}
# By the union's type, the fields in the order in which they are told: number, form, default.
STRIDES = {"padding": (0, "b", 0), "stride_h": (2, "i", 0), "stride_w": (1, "i", 0)}
OPTIONS = {
    1: STRIDES | {"dilation_h_factor": (5, "i", 1), "dilation_w_factor": (4, "i", 1), "fused_activation_function": (3, "b", 0)},
    2: STRIDES | {"depth_multiplier": (3, "i", 0), "dilation_h_factor": (6, "i", 1), "dilation_w_factor": (5, "i", 1),
                  "fused_activation_function": (4, "b", 0)},
    5: STRIDES | {"filter_height": (4, "i", 0), "filter_width": (3, "i", 0), "fused_activation_function": (5, "b", 0)},
    8: {"fused_activation_function": (0, "b", 0)},
}
TABLES = {"vww_96_int8": "vww_mobilenet", "kws_ref_model": "kws_dscnn", "ad01_int8": "ad_toycar", "pretrainedResnet_quant": "ic_resnet8"}
# Of vww_96_int8, what Ambiq's published rules for it stage (its hot 1x1 weights): 87.6 KiB.
STAGED = (*range(45, 50), *range(51, 56))


class Table:
    def __init__(self, data: bytes, at: int):
        self.data, self.at = data, at
        self.vtable = at - struct.unpack_from("<i", data, at)[0]

    def where(self, number: int) -> int | None:
        entry = 4 + 2 * number
        if entry >= struct.unpack_from("<H", self.data, self.vtable)[0]:
            return None
        offset = struct.unpack_from("<H", self.data, self.vtable + entry)[0]
        return self.at + offset if offset else None

    def scalar(self, number: int, form: str) -> int:
        at = self.where(number)
        return 0 if at is None else struct.unpack_from("<" + form, self.data, at)[0]

    def vector(self, number: int) -> tuple[int, int]:
        """Where its items begin, and how many there are."""
        at = self.where(number)
        if at is None:
            return 0, 0
        at += struct.unpack_from("<I", self.data, at)[0]
        return at + 4, struct.unpack_from("<I", self.data, at)[0]

    def numbers(self, number: int) -> list[int]:
        at, count = self.vector(number)
        return list(struct.unpack_from(f"<{count}i", self.data, at))

    def tables(self, number: int) -> list["Table"]:
        at, count = self.vector(number)
        return [Table(self.data, item + struct.unpack_from("<I", self.data, item)[0]) for item in range(at, at + 4 * count, 4)]


Rows = dict[str, tuple[int, int, int]]


def decode(data: bytes) -> tuple[Rows, dict[str, int]]:
    """Scratch tensors with their first step, the one after their last, and size; constants with their size."""
    model = Table(data, struct.unpack_from("<I", data)[0])
    (graph,) = model.tables(2)
    stored = [buffer.vector(0)[1] for buffer in model.tables(4)]
    operators = graph.tables(3)
    steps: dict[int, list[int]] = {}
    for step, operator in enumerate(operators):
        for index in operator.numbers(1) + operator.numbers(2):
            steps.setdefault(index, []).append(step)
    for index in graph.numbers(1):
        steps[index].append(0)
    for index in graph.numbers(2):
        steps[index].append(len(operators) - 1)
    scratch, constants = {}, {}
    for index, tensor in enumerate(graph.tables(0)):
        size = stored[tensor.scalar(2, "I")]
        if size:
            constants[str(index)] = size
        elif index in steps:
            size = ELEMENT[tensor.scalar(1, "b")]
            for dimension in tensor.numbers(0):
                size *= dimension
            scratch[str(index)] = (min(steps[index]), max(steps[index]) + 1, size)
    return scratch, constants


def rows_of(document: dict[str, Any]) -> Rows:
    return {block["id"]: (block["lower"], block["upper"], block["size"]) for block in document["blocks"] if block["role"] == "scratch"}


def check_model(context: Context, path: Path) -> dict[str, Any]:
    scratch, constants = decode(path.read_bytes())
    document = parse_json(context.run("plan", path, "--json").stdout, f"{path.name}: plan --json")
    same(f"{path.name}: scratch", rows_of(document), scratch)
    found = {block["id"]: block["size"] for block in document["blocks"] if block["role"] == "constant"}
    same(f"{path.name}: constants", found, constants)
    check_bytes(context, path)
    return document


def attributes_of(operator: Table) -> str:
    """Of the options whose kind is known, each by the number of its field; what is not written has the format's default."""
    names = OPTIONS.get(operator.scalar(3, "B"), {})
    at = operator.where(4)
    if not names or at is None:
        return ""
    options = Table(operator.data, at + struct.unpack_from("<I", operator.data, at)[0])
    values = [(name, options.scalar(field, form) if options.where(field) is not None else default)
              for name, (field, form, default) in names.items()]
    return ", ".join(f"{name} {value}" for name, value in values)


def check_header(path: Path, header: str, model: Table) -> None:
    """What the module's header says of elements and operators."""
    (graph,) = model.tables(2)
    for index, tensor in enumerate(graph.tables(0)):
        said = re.search(rf"^  net_tensor_{index} = \d+, /\* .*, (\w+) ([0-9x]+) \*/$", header, flags=re.M)
        shape = "x".join(map(str, tensor.numbers(0)))
        # A scalar has no dimensions, and what nobody uses has no bytes.
        if said and shape:
            same(f"{path.name}: tensor {index}", (said[1], said[2]), (TYPES[tensor.scalar(1, "b")], shape))
        check(said or not shape or f"net_tensor_{index} " not in header, f"{path.name}: nothing is said of tensor {index}")
    codes = [max(code.scalar(0, "b"), code.scalar(3, "i")) for code in model.tables(1)]
    found = re.findall(r"^  net_operator_(\d+) = (\d+), /\* (\w+); reads ([\d, ]+); writes ([\d, ]+)(?:; with ([\w, ]+))? \*/$",
                       header, flags=re.M)
    wanted = [(str(step), str(step), KINDS[codes[each.scalar(0, "I")]],
               ", ".join(str(number) for number in each.numbers(1) if number >= 0), ", ".join(map(str, each.numbers(2))),
               attributes_of(each))
              for step, each in enumerate(graph.tables(3))]
    same(f"{path.name}: operators", found, wanted)


def check_bytes(context: Context, path: Path) -> None:
    """The bytes of every constant, where the module's report says that it lies in its arena's."""
    data = path.read_bytes()
    model = Table(data, struct.unpack_from("<I", data)[0])
    stored = [buffer.vector(0) for buffer in model.tables(4)]
    wanted = {}
    for index, tensor in enumerate(model.tables(2)[0].tables(0)):
        at, size = stored[tensor.scalar(2, "I")]
        if size:
            wanted[str(index)] = data[at:at + size]
    folder = context.emit("apollo510", context.work / f"{path.stem}-module", "--plan", path, "--data", path, "--prefix", "net")
    report = read_json(folder / "net_residency.json")
    blobs = {arena["memory"]: (folder / f"net_arena_const_{arena['memory']}__blob.bin").read_bytes()
             for arena in report["arenas"]["constant"]}
    found = {tensor["id"]: blobs[tensor["memory"]][tensor["offset"]:tensor["offset"] + tensor["size"]]
             for tensor in report["tensors"] if tensor["role"] == "constant"}
    check_header(path, read(folder / "inc" / "net_model.h"), model)
    check(found == wanted, f"{path.name}: bytes of {[name for name in wanted if found.get(name) != wanted[name]]}")


def check_published(context: Context, path: Path) -> None:
    """Ambiq's choice for visual wake words, as rules: 89 728 B staged and 55 296 B of scratch in DTCM."""
    rules = context.work / "rules.yaml"
    ids = ", ".join(f'"{index}"' for index in STAGED)
    rules.write_text(f"memory:\n  tensors:\n    - type: constant\n      id: [{ids}]\n"
                     "      attributes: {memory: mram, constant_destination_memory: dtcm}\n", encoding="utf-8")
    done = context.run("plan", path, "--board", "apollo330p", "--rules", rules, "--json")
    document = parse_json(done.stdout, "plan --rules")
    (dtcm,) = (memory for memory in document["memories"] if memory["name"] == "dtcm")
    same("dtcm: used, of", (dtcm["used_bytes"], dtcm["capacity_bytes"]), (145_024, 245_760))
    arenas = {(each["memory"], each["role"]): each["height_bytes"] for each in document["arenas"]}
    # As heliaAOT takes it, and back.
    written = context.work / "written.yaml"
    context.run("plan", path, "--board", "apollo330p", "--rules", rules, "--as", "helia-yaml", "-o", written)
    again = parse_json(context.run("plan", path, "--board", "apollo330p", "--rules", written, "--json").stdout, "plan --rules, again")
    same("what its YAML gives", again, document)
    same("rules", written.read_text(encoding="utf-8").count("- type:"), 3)
    same("arenas in dtcm", (arenas["dtcm", "scratch"], arenas["dtcm", "constant"]), (55_296, 89_728))


def body(context: Context) -> str:
    names = [SAMPLE.name]
    check_model(context, SAMPLE)
    data = Path(os.environ.get("MEMSIZE_PLAN_DATA", "/nowhere"))
    models = data.parent / "networks" / "mlcommons_tiny"
    if models.is_dir():
        for model, table in TABLES.items():
            document = check_model(context, models / f"{model}.tflite")
            with (data / "mlperf_tiny" / f"{table}.csv").open(encoding="utf-8") as file:
                wanted = {row["id"]: (int(row["lower"]), int(row["upper"]), int(row["size"])) for row in csv.DictReader(file)}
            # TFLM plans in slots of 16 bytes.
            slots = {name: (lower, upper, -(-size // 16) * 16) for name, (lower, upper, size) in rows_of(document).items()}
            same(f"{model}: as {table}.csv", slots, wanted)
            names.append(model)
        check_published(context, models / "vww_96_int8.tflite")
    # Cut anywhere, it is refused, and nothing else happens.
    whole = SAMPLE.read_bytes()
    cut = context.work / "cut.tflite"
    refused = 0
    for size in range(8, len(whole), 1999):
        cut.write_bytes(whole[:size])
        done = context.run("plan", cut, "--json", expect=(0, 1))
        refused += done.returncode
    check(refused > 20, f"{refused} cut models are refused")
    return ", ".join(names)


if __name__ == "__main__":
    main(__doc__, body)
