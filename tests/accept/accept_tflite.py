"""Models of TensorFlow Lite: what is alive when, and how large it is, as a reader of flatbuffers of this file's own says.

It follows the format's tables by their numbers (tensorflow/lite/schema/schema.fbs), knows no more of them than it needs, and
shares nothing with FlatBuffers. Where MEMSIZE_PLAN_DATA names tables of lifetimes and MLPerf Tiny's models lie beside it, both
must be the same.
"""

import csv
import os
import re
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support import SOURCE, Context, check, main, parse_json, read, read_json, same, tool

SAMPLES = SOURCE / "samples" / "plans" / "tflite"
SAMPLE = SAMPLES / "kws_ref_model.tflite"
# With variables, which a second subgraph gives their values.
STREAM = SAMPLES / "okay_nabu.tflite"
CALL_ONCE, VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE = 129, 142, 143, 144
# Bytes of an element, by TensorType.
RESOURCE = 13
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


    def text(self, number: int) -> bytes:
        at, size = self.vector(number)
        return self.data[at:at + size]

    def table(self, number: int) -> "Table":
        at = self.where(number)
        assert at is not None
        return Table(self.data, at + struct.unpack_from("<I", self.data, at)[0])


Rows = dict[str, tuple[int, int, int]]


def root(data: bytes) -> Table:
    return Table(data, struct.unpack_from("<I", data)[0])


@dataclass
class Step:
    """An operator when it runs: who it is, and ids of the tensors that it reads and writes, a variable as ("v", its name)."""
    id: str
    code: int
    reads: list[Any]
    writes: list[Any]


def named(graph: int, index: int) -> str:
    return str(index) if graph == 0 else f"{graph}.{index}"


def steps_of(model: Table) -> list[Step]:
    codes = [max(code.scalar(0, "b"), code.scalar(3, "i")) for code in model.tables(1)]
    graphs = model.tables(2)
    steps: list[Step] = []

    def run(number: int) -> None:
        variables: dict[int, Any] = {}
        for index, operator in enumerate(graphs[number].tables(3)):
            code = codes[operator.scalar(0, "I")]
            step = Step(named(number, index), code, [named(number, i) for i in operator.numbers(1) if i >= 0],
                        [named(number, i) for i in operator.numbers(2)])
            steps.append(step)
            if code == VAR_HANDLE:
                variables[operator.numbers(2)[0]] = ("v", operator.table(4).text(1))
            elif code == READ_VARIABLE:
                step.reads.append(variables[operator.numbers(1)[0]])
            elif code == ASSIGN_VARIABLE:
                step.writes.append(variables[operator.numbers(1)[0]])
            elif code == CALL_ONCE:
                run(operator.table(4).scalar(0, "i"))

    run(0)
    return steps


def decode(data: bytes) -> tuple[Rows, dict[str, int]]:
    """Scratch tensors with their first step, the one after their last, and size; constants with their size."""
    model = root(data)
    stored = [buffer.vector(0)[1] for buffer in model.tables(4)]
    run = steps_of(model)
    steps: dict[str, list[int]] = {}
    for at, step in enumerate(run):
        for index in step.reads + step.writes:
            steps.setdefault(index, []).append(at)
    graphs = model.tables(2)
    for index in graphs[0].numbers(1):
        steps.setdefault(str(index), []).append(0)
    for index in graphs[0].numbers(2):
        steps.setdefault(str(index), []).append(len(run) - 1)
    scratch, constants = {}, {}
    for number, graph in enumerate(graphs):
        for index, tensor in enumerate(graph.tables(0)):
            size, name = stored[tensor.scalar(2, "I")], named(number, index)
            if size:
                constants[name] = size
            elif name in steps and tensor.scalar(1, "b") != RESOURCE:
                size = ELEMENT[tensor.scalar(1, "b")]
                for dimension in tensor.numbers(0):
                    size *= dimension
                scratch[name] = (min(steps[name]), max(steps[name]) + 1, size)
    return scratch, constants


def slots(rows: Rows) -> Rows:
    """TFLM plans in slots of 16 bytes."""
    return {name: (lower, upper, -(-size // 16) * 16) for name, (lower, upper, size) in rows.items()}


def busiest(rows: Rows) -> int:
    return max(sum(size for lower, upper, size in rows.values() if lower <= step < upper)
               for step in range(max(upper for _, upper, _ in rows.values())))


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
    model = root(data)
    stored = [buffer.vector(0) for buffer in model.tables(4)]
    wanted = {}
    for number, graph in enumerate(model.tables(2)):
        for index, tensor in enumerate(graph.tables(0)):
            at, size = stored[tensor.scalar(2, "I")]
            if size:
                wanted[named(number, index)] = data[at:at + size]
    folder = context.emit("apollo510", context.work / f"{path.stem}-module", "--plan", path, "--data", path, "--prefix", "net")
    report = read_json(folder / "net_residency.json")
    blobs = {arena["memory"]: (folder / f"net_arena_const_{arena['memory']}__blob.bin").read_bytes()
             for arena in report["arenas"]["constant"]}
    found = {tensor["id"]: blobs[tensor["memory"]][tensor["offset"]:tensor["offset"] + tensor["size"]]
             for tensor in report["tensors"] if tensor["role"] == "constant"}
    header = read(folder / "inc" / "net_model.h")
    if len(model.tables(2)) == 1:
        check_header(path, header, model)
    same(f"{path.name}: operators by number", [int(number) for number in re.findall(r"^  net_operator_\w+ = (\d+),", header, flags=re.M)],
         list(range(len(steps_of(model)))))
    check(found == wanted, f"{path.name}: bytes of {[name for name in wanted if found.get(name) != wanted[name]]}")


def check_kept(path: Path, given: list[Step], order: list[Step]) -> None:
    """What must come before what in the model does so: written and read, read and written again, and twice written."""
    place = {step.id: at for at, step in enumerate(order)}
    same(f"{path.name}: operators", sorted(place), sorted(step.id for step in given))
    for at, first in enumerate(given):
        for second in given[at + 1:]:
            shared = {*first.writes} & {*second.reads, *second.writes} or {*first.reads} & {*second.writes}
            check(not shared or place[first.id] < place[second.id],
                  f"{path.name}: {second.id} is before {first.id}, and both use {shared}")
    # A subgraph runs within its operator.
    for called, behind in zip(order, order[1:]):
        check(not behind.id.startswith("1.") or called.code == CALL_ONCE or called.id.startswith("1."),
              f"{path.name}: {behind.id} runs behind {called.id}")


def offsets_in(model: Table) -> list[int]:
    """The plan that is in the model, as the interpreter finds it."""
    (found,) = (entry for entry in model.tables(6) if entry.text(0) == b"OfflineMemoryAllocation")
    buffer = model.tables(4)[found.scalar(1, "I")]
    at, size = buffer.vector(0)
    check(at % 16 == 0, "the plan begins where a vector of a buffer does")
    words = struct.unpack_from(f"<{size // 4}i", model.data, at)
    tensors = sum(len(graph.tables(0)) for graph in model.tables(2))
    same("version, subgraphs, tensors", words[:3], (1, len(model.tables(2)), tensors))
    same("offsets", len(words), 3 + tensors)
    return list(words[3:])


def content(model: Table) -> list[Any]:
    """What must not change: tensors with their bytes, operators without their order, and what else is said."""
    stored = [buffer.text(0) for buffer in model.tables(4)]
    graphs = [([(tensor.numbers(0), tensor.scalar(1, "b"), tensor.text(3), stored[tensor.scalar(2, "I")]) for tensor in graph.tables(0)],
               sorted((step.numbers(1), step.numbers(2), step.scalar(0, "I"), step.scalar(3, "B"), attributes_of(step))
                      for step in graph.tables(3)), graph.numbers(1), graph.numbers(2)) for graph in model.tables(2)]
    said = sorted((entry.text(0), stored[entry.scalar(1, "I")]) for entry in model.tables(6)
                  if entry.text(0) != b"OfflineMemoryAllocation")
    return [graphs, said, model.text(3), len(model.tables(7))]


def check_order(context: Context, path: Path, gain: bool) -> str:
    """Another order, and the model with it and with its plan."""
    data = path.read_bytes()
    planned = context.work / f"{path.stem}-planned.tflite"
    written = parse_json(context.run("plan", path, "--reorder", "--json").stdout, "plan --reorder")
    (order,) = written["orders"]
    given = busiest(decode(data)[0])
    same(f"{path.name}: of its own order", order["given_bytes"], given)
    context.run("plan", path, "--reorder", "--as", "tflite", "-o", planned)
    new = planned.read_bytes()
    model = root(new)
    same(f"{path.name}: content", content(model), content(root(data)))
    steps = {step.id: step for step in steps_of(root(data))}
    check_kept(path, list(steps.values()), [steps[name] for name in order["operators"]])
    rows = slots(decode(new)[0])
    found = busiest(decode(new)[0])
    check(found <= order["given_bytes"] and (found < given) == gain, f"{path.name}: {found} B of {given}")
    # No order needs less than its busiest operator.
    sizes = {name: size for name, (_, _, size) in decode(data)[0].items()}
    least = max(sum(sizes.get(name, 0) for name in {*step.reads, *step.writes}) for step in steps.values())
    if gain:
        same(f"{path.name}: the busiest operator", (found, order["busiest_bytes"], order["is_least"]), (least, least, True))
    # In the arena: slots of 16 bytes that are not shared, and no higher than what is alive.
    names = [named(number, index) for number, graph in enumerate(model.tables(2)) for index in range(len(graph.tables(0)))]
    places = {name: offset for name, offset in zip(names, offsets_in(model)) if offset >= 0}
    same(f"{path.name}: planned tensors", sorted(places), sorted(rows))
    for name, (lower, upper, size) in rows.items():
        check(places[name] % 16 == 0, f"{path.name}: tensor {name} lies at {places[name]}")
        for other, (begin, end, length) in rows.items():
            check(name == other or upper <= begin or end <= lower or places[name] + size <= places[other]
                  or places[other] + length <= places[name], f"{path.name}: {name} and {other} share bytes")
    same(f"{path.name}: height", max(places[name] + size for name, (_, _, size) in rows.items()), busiest(rows))
    context.run("check", planned)
    # Of a model that has a plan, the plan is replaced, and the file grows no further.
    again = context.work / "again.tflite"
    context.run("plan", planned, "--as", "tflite", "-o", again)
    same(f"{path.name}: written twice", (content(root(again.read_bytes())), offsets_in(root(again.read_bytes()))),
         (content(model), offsets_in(model)))
    check(again.read_bytes() == new, f"{path.name}: written twice, {len(again.read_bytes())} B of {len(new)}")
    return f"{path.stem} {given} to {found} B"


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


# What is around a model's tables, so that they compile and print themselves.
EON = """#include <cstdint>
#include <cstdio>
#define ALIGN(X) __attribute__((aligned(X)))
enum Where { kTfLiteArenaRw, kTfLiteMmapRo };
enum Type { kTfLiteInt8, kTfLiteInt32 };
enum Quantization { kTfLiteNoQuantization };
enum Operator { OP_CONV_2D, OP_DEPTHWISE_CONV_2D, OP_ADD, OP_FULLY_CONNECTED, OP_SOFTMAX };
struct TfLiteIntArray { int size; int data[1]; };
struct TensorInfo_t { Where where; Type type; const void* data; TfLiteIntArray* dims; size_t bytes; struct { Quantization kind; void* more; } quantization; };
struct NodeInfo_t { TfLiteIntArray* inputs; TfLiteIntArray* outputs; void* more; Operator op; };
extern uint8_t tensor_arena[];
static int opdata0, opdata1, opdata2, opdata3, opdata4, opdata5;
#include MODEL
alignas(16) uint8_t tensor_arena[kTensorArenaSize];
static void list(const char* what, int node, const TfLiteIntArray* array) {
  for (int i = 0; i < array->size; ++i) std::printf("%s %d %d\\n", what, node, array->data[i]);
}
int main() {
  int number = 0;
  for (const TensorInfo_t& each : tensorData)
    std::printf("tensor %d %d %d %zu\\n", number++, each.where,
                each.where == kTfLiteArenaRw ? int((const uint8_t*)each.data - tensor_arena) : -1, each.bytes);
  number = 0;
  for (const NodeInfo_t& each : nodeData) { list("reads", number, each.inputs); list("writes", number, each.outputs); ++number; }
  std::printf("arena 0 %d\\n", kTensorArenaSize);
}
"""


def check_eon(context: Context) -> None:
    """The tables that a compiler of C++ makes of EON's file, against what is read of it."""
    path = SOURCE / "samples" / "plans" / "eon" / "trained_model_compiled.cpp"
    (context.work / "eon.cpp").write_text(EON, encoding="utf-8")
    program = context.work / "eon"
    # memsize reads casts away; a compiler wants const data to be const.
    subprocess.run([tool("g++"), "-std=c++17", "-fpermissive", "-w", f'-DMODEL="{path}"', str(context.work / "eon.cpp"), "-o",
                    str(program)], check=True)
    rows = [line.split() for line in subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout.splitlines()]
    used: dict[str, list[int]] = {"0": [0]}
    for what, node, tensor in (row for row in rows if row[0] in ("reads", "writes")):
        used.setdefault(tensor, []).append(int(node))
    wanted = {row[1]: (min(used[row[1]]), max(used[row[1]]) + 1, int(row[4]), int(row[3])) for row in rows
              if row[0] == "tensor" and row[2] == "0"}
    document = parse_json(context.run("plan", path, "--keep", "--json").stdout, "plan --keep")
    found = {block["id"]: (block["lower"], block["upper"], block["size"], block["offset"]) for block in document["blocks"]
             if block["role"] == "scratch"}
    same("EON's tensors", found, wanted)
    same("EON's constants", {block["id"]: block["size"] for block in document["blocks"] if block["role"] == "constant"},
         {row[1]: int(row[4]) for row in rows if row[0] == "tensor" and row[2] == "1"})


def body(context: Context) -> str:
    check_eon(context)
    names = [SAMPLE.name]
    check_model(context, SAMPLE)
    check_model(context, STREAM)
    names += [check_order(context, SAMPLE, gain=False), check_order(context, STREAM, gain=True)]
    data = Path(os.environ.get("MEMSIZE_PLAN_DATA", "/nowhere"))
    models = data.parent / "networks" / "mlcommons_tiny"
    if models.is_dir():
        for model, table in TABLES.items():
            document = check_model(context, models / f"{model}.tflite")
            with (data / "mlperf_tiny" / f"{table}.csv").open(encoding="utf-8") as file:
                wanted = {row["id"]: (int(row["lower"]), int(row["upper"]), int(row["size"])) for row in csv.DictReader(file)}
            same(f"{model}: as {table}.csv", slots(rows_of(document)), wanted)
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
