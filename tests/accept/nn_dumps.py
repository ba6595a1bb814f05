"""Models and requests of Android's neural networks as its printers write them, and what they say of memory by the framework's rules.

HIDL's toString (HAL 1.0 to 1.3), the runtime's operator<< and AIDL's toString, in logs with prefixes, noise and cuts, or alone; written from
the printers' and the validator's rules, without a line of memsize's.
"""

import random
from dataclasses import dataclass, field
from math import prod

HALS = ("1.0", "1.1", "1.2", "1.3")
DIALECTS = (*HALS, "canonical", "aidl")

# Bytes of an element, whether it is a scalar, the HAL that it came with, and zero points (none: 0 alone).
TYPES: dict[str, tuple[int | None, bool, str, tuple[int, int] | None]] = {
    "FLOAT32": (4, True, "1.0", None), "INT32": (4, True, "1.0", None), "UINT32": (4, True, "1.0", None),
    "TENSOR_FLOAT32": (4, False, "1.0", None), "TENSOR_INT32": (4, False, "1.0", None), "TENSOR_QUANT8_ASYMM": (1, False, "1.0", (0, 255)),
    "BOOL": (1, True, "1.2", None), "TENSOR_QUANT16_SYMM": (2, False, "1.2", (0, 0)), "TENSOR_FLOAT16": (2, False, "1.2", None),
    "TENSOR_BOOL8": (1, False, "1.2", None), "FLOAT16": (2, True, "1.2", None), "TENSOR_QUANT8_SYMM_PER_CHANNEL": (1, False, "1.2", None),
    "TENSOR_QUANT16_ASYMM": (2, False, "1.2", (0, 65535)), "TENSOR_QUANT8_SYMM": (1, False, "1.2", (0, 0)),
    "TENSOR_QUANT8_ASYMM_SIGNED": (1, False, "1.3", (-128, 127)), "SUBGRAPH": (None, True, "1.3", None),
}
EXTENSION = 0x10001
INPUT, OUTPUT, TEMPORARY, COPY, POOL, NONE, GRAPH, POINTER = "INPUT", "OUTPUT", "TEMPORARY_VARIABLE", "CONSTANT_COPY", "CONSTANT_REFERENCE", "NO_VALUE", "SUBGRAPH", "POINTER"
LIMIT = 4065


@dataclass
class Operand:
    type: str
    dims: list[int]
    life: str
    scale: float = 0.0
    zero: int = 0
    pool: int = 0
    offset: int = 0
    length: int = 0
    consumers: int = 0
    channels: tuple[list[float], int] | None = None
    extension: bytes | None = None


@dataclass
class Operation:
    type: str
    inputs: list[int]
    outputs: list[int]


@dataclass
class Graph:
    operands: list[Operand] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    # What the lists of inputs and outputs say, where that is wrong.
    listed: dict[str, list[int]] = field(default_factory=dict)

    def of(self, life: str) -> list[int]:
        return self.listed[life] if life in self.listed else [index for index, operand in enumerate(self.operands) if operand.life == life]

    def count(self) -> None:
        for index, operand in enumerate(self.operands):
            operand.consumers = sum(operation.inputs.count(index) for operation in self.operations)


@dataclass
class Memory:
    """By hidl_memory's name; a token is of a buffer of the driver's."""
    name: str
    size: int = 0
    token: int = 0


@dataclass
class Model:
    main: Graph
    referenced: list[Graph] = field(default_factory=list)
    values: int = 0
    pools: list[Memory] = field(default_factory=list)

    def graphs(self) -> list[Graph]:
        return [self.main, *self.referenced]


@dataclass
class Argument:
    kind: str
    pool: int = 0
    offset: int = 0
    length: int = 0
    padding: int = 0
    dims: list[int] = field(default_factory=list)


@dataclass
class Request:
    inputs: list[Argument]
    outputs: list[Argument]
    pools: list[Memory]


# --- what they say of memory


def bytes_of(kind: str, dims: list[int]) -> int | None:
    """Nothing where nobody knows; never 0."""
    size, is_scalar = TYPES.get(kind, (None, False))[:2]
    if size is None or is_scalar:
        return size
    return size * prod(dims) if dims and 0 not in dims else None


def up(value: int, step: int) -> int:
    return -(-value // step) * step


def step_of(length: int) -> int:
    """Where the runtime lets a value of that length begin."""
    return 1 if length < 2 else 2 if length < 4 else 4


def lay_out(lengths: list[int]) -> tuple[list[int], int]:
    """As the runtime does, in the order of the calls; the offsets and the end."""
    offsets, end = [], 0
    for length in lengths:
        offsets.append(up(end, step_of(length)))
        end = offsets[-1] + length
    return offsets, end


def covered(ranges: list[tuple[int, int]]) -> int:
    """Byte by byte, where that is not too much."""
    total = end = 0
    for begin, stop in sorted(ranges):
        total += max(0, stop - max(begin, end))
        end = max(end, stop)
    return total


def use_of(ranges: list[tuple[int, int]], size: int | None, is_whole: bool = True) -> dict:
    """What one memory holds; holes are only known where everything that lies there is."""
    inside = covered(ranges)
    found = {"count": len(ranges), "bytes": sum(stop - begin for begin, stop in ranges), "covered_bytes": inside}
    found["shared_bytes"] = found["bytes"] - inside
    if size is not None:
        found["size_bytes"] = size
    if is_whole:
        found["hole_bytes"] = max([size or 0, *(stop for _, stop in ranges)]) - inside
    return found


def role_of(operands: list[Operand]) -> dict:
    sizes = [bytes_of(operand.type, operand.dims) for operand in operands]
    return {"count": len(sizes), "bytes": sum(filter(None, sizes)), "unknown": sizes.count(None)}


def lives_of(graph: Graph) -> dict[int, tuple[int, int]]:
    """Of each temporary: from the operation that writes it to behind the last one that reads it."""
    lives = {}
    for index in graph.of(TEMPORARY):
        written = [at for at, operation in enumerate(graph.operations) if index in operation.outputs]
        read = [at for at, operation in enumerate(graph.operations) if index in operation.inputs]
        if written:
            lives[index] = (written[0], max([written[0], *read]) + 1)
    return lives


def runtime_layout(model: Model, padding: int) -> int:
    """Between devices every temporary would have bytes of its own, of a loop's outputs two copies."""
    total = 0
    for graph in model.graphs():
        for index in graph.of(TEMPORARY):
            size = bytes_of(graph.operands[index].type, graph.operands[index].dims)
            loops = any(operation.type == "WHILE" and index in operation.outputs for operation in graph.operations)
            for _ in range(0 if size is None else 2 if loops else 1):
                total = up(total, 64) + up(size or 0, padding)
    return total


def account_of(model: Model, dialect: str, has_pools: bool = True) -> dict:
    """The sums of a model that is there whole."""
    operands = [operand for graph in model.graphs() for operand in graph.operands]
    where: dict[int, list[tuple[int, int]]] = {index: [] for index in range(len(model.pools) if has_pools else 0)}
    for operand in operands:
        if operand.life == POOL:
            where.setdefault(operand.pool, []).append((operand.offset, operand.offset + operand.length))
    names = {index: pool.name for index, pool in enumerate(model.pools)} if has_pools else {}
    sizes = {index: known_size(pool, dialect) for index, pool in enumerate(model.pools)} if has_pools else {}
    pools = [{"index": index, **({"name": names[index]} if index in names else {}), **use_of(ranges, sizes.get(index))}
             for index, ranges in sorted(where.items())]
    copied = [(operand.offset, operand.offset + operand.length) for operand in operands if operand.life == COPY]
    return {"operand_values": use_of(copied, model.values), "pools": pools,
            "inputs": role_of([operand for operand in model.main.operands if operand.life == INPUT]),
            "outputs": role_of([operand for operand in model.main.operands if operand.life == OUTPUT]),
            "temporaries": role_of([operand for operand in operands if operand.life == TEMPORARY]),
            "runtime_layout_bytes": runtime_layout(model, 1 if dialect in HALS else 64)}


def known_size(memory: Memory, dialect: str) -> int | None:
    """HIDL prints one of every memory, the others none of hardware buffers."""
    if memory.name == "token" or (dialect not in HALS and memory.name.startswith("hardware_buffer")):
        return None
    return memory.size


# --- numbers and names as each printer has them


def printed_scale(scale: float, dialect: str) -> str:
    return f"{scale:.6g}" if dialect == "canonical" else f"{scale:f}"


def life_name(life: str, dialect: str) -> str:
    if life in (INPUT, OUTPUT):
        return f"{'MODEL' if dialect in HALS[:3] else 'SUBGRAPH'}_{life}"
    return "CONSTANT_POOL" if life == POOL and dialect == "aidl" else life


def type_name(kind: str, dialect: str) -> str:
    if kind in TYPES or not kind.isdigit():
        return kind
    return {"canonical": f"Extension OperandType {kind}", "aidl": kind}.get(dialect, f"{int(kind):#x}")


def hidl_list(items: list, shown=str) -> str:
    return f"[{len(items)}]{{{', '.join(map(shown, items))}}}"


def plain_list(items: list, shown=str) -> str:
    return f"[{', '.join(map(shown, items))}]"


def short_list(items: list, shown=str) -> str:
    """The runtime's own printer stops behind the twentieth, even if that is the last."""
    return f"[{', '.join(map(shown, items[:20]))}{'...' if len(items) >= 20 else ''}]"


class Hidl:
    def __init__(self, hal: str):
        self.hal = hal
        self.has_extra = hal in HALS[2:]

    def operand(self, one: Operand) -> str:
        text = (f"{{.type = {type_name(one.type, self.hal)}, .dimensions = {hidl_list(one.dims)}, .numberOfConsumers = {one.consumers}, "
                f".scale = {printed_scale(one.scale, self.hal)}, .zeroPoint = {one.zero}, .lifetime = {life_name(one.life, self.hal)}, "
                f".location = {{.poolIndex = {one.pool}, .offset = {one.offset}, .length = {one.length}}}")
        if not self.has_extra:
            return text + "}"
        if one.channels:
            scales = hidl_list(one.channels[0], lambda scale: f"{scale:f}")
            extra = f".channelQuant = {{.scales = {scales}, .channelDim = {one.channels[1]}}}"
        elif one.extension is not None:
            extra = f".extension = {hidl_list(list(one.extension))}"
        else:
            extra = ".none = {}"
        return f"{text}, .extraParams = {{{extra}}}}}"

    @staticmethod
    def operation(one: Operation) -> str:
        return f"{{.type = {one.type}, .inputs = {hidl_list(one.inputs)}, .outputs = {hidl_list(one.outputs)}}}"

    @staticmethod
    def memory(one: Memory) -> str:
        return f'memory {{.name = "{one.name}", .size = {one.size}, .handle = 0x7b3421c0a0}}'

    def pool(self, one: Memory) -> str:
        """Of a request."""
        if self.hal != "1.3":
            return self.memory(one)
        return f"{{.token = {one.token}}}" if one.name == "token" else f"{{.hidlMemory = {self.memory(one)}}}"

    def lists(self, graph: Graph) -> list[tuple[str, str]]:
        return [("operands", hidl_list(graph.operands, self.operand)), ("operations", hidl_list(graph.operations, self.operation)),
                ("inputIndexes", hidl_list(graph.of(INPUT))), ("outputIndexes", hidl_list(graph.of(OUTPUT)))]

    def lines(self, model: Model, pools: bool = True, version: bool = True, relax: bool = True) -> list[str]:
        """As the framework's logModelToInfo prints a model; 8.1 has no version, release builds have no pools."""
        is_new = self.hal == "1.3"
        lines = [f"V{self.hal.replace('.', '_')}::Model start" if version else "Model start"]
        for name, text in self.lists(model.main):
            lines.append(f"{'main.' if is_new else ''}{name}{text}")
        for index, graph in enumerate(model.referenced):
            lines += [f"referenced[{index}].{name}{text}" for name, text in self.lists(graph)]
        lines.append(f"operandValues size{' ' if self.hal in ('1.1', '1.3') else ''}{model.values}")
        lines.append("pools" + (hidl_list(model.pools, self.memory) if pools else ""))
        if relax and self.hal in HALS[2:]:
            lines += [f"relaxComputationFloat32toFloat16{' ' if is_new else ''}0", "extensionNameToPrefix[0]{}"]
        return lines

    def whole(self, model: Model) -> str:
        """As one value."""
        def graph(one: Graph) -> str:
            return ", ".join(f".{name} = {text}" for name, text in self.lists(one))
        values = f".operandValues = {hidl_list([index % 256 for index in range(model.values)])}, .pools = {hidl_list(model.pools, self.memory)}"
        if self.hal != "1.0":
            values += ", .relaxComputationFloat32toFloat16 = 0"
        if self.has_extra:
            values += ", .extensionNameToPrefix = [0]{}"
        if self.hal != "1.3":
            return f"{{{graph(model.main)}, {values}}}"
        referenced = hidl_list(model.referenced, lambda one: f"{{{graph(one)}}}")
        return f"{{.main = {{{graph(model.main)}}}, .referenced = {referenced}, {values}}}"

    def argument(self, one: Argument) -> str:
        return (f"{{.hasNoValue = {int(one.kind == NONE)}, .location = {{.poolIndex = {one.pool}, .offset = {one.offset}, "
                f".length = {one.length}}}, .dimensions = {hidl_list(one.dims)}}}")

    def request(self, one: Request) -> str:
        return (f"{{.inputs = {hidl_list(one.inputs, self.argument)}, .outputs = {hidl_list(one.outputs, self.argument)}, "
                f".pools = {hidl_list(one.pools, self.pool)}}}")


class Canonical:
    @staticmethod
    def location(one: Operand | Argument, pointer: str = "constant null") -> str:
        padding = one.padding if isinstance(one, Argument) else 0
        return (f"DataLocation{{.pointer=<{pointer} pointer>, .poolIndex={one.pool}, .offset={one.offset}, .length={one.length}, "
                f".padding={padding}}}")

    def operand(self, one: Operand) -> str:
        extra = "<no params>"
        if one.channels:
            extra = (f"Operand::SymmPerChannelQuantParams{{.scales={short_list(one.channels[0], lambda scale: f'{scale:.6g}')}, "
                     f".channelDim={one.channels[1]}}}")
        elif one.extension is not None:
            extra = short_list(list(one.extension), chr)
        pointer = "constant non-null" if one.life == POINTER else "constant null"
        return (f"Operand{{.type={type_name(one.type, 'canonical')}, .dimensions={short_list(one.dims)}, .scale={one.scale:.6g}, "
                f".zeroPoint={one.zero}, lifetime={life_name(one.life, 'canonical')}, .location={self.location(one, pointer)}, "
                f".extraParams=Operand::ExtraParams{{{extra}}}}}")

    @staticmethod
    def operation(one: Operation) -> str:
        return f"Operation{{.type={one.type}, .inputs={short_list(one.inputs)}, .outputs={short_list(one.outputs)}}}"

    def graph(self, one: Graph) -> str:
        return (f"Model::Subgraph{{.operands={short_list(one.operands, self.operand)}, .operations={short_list(one.operations, self.operation)}, "
                f".inputIndexes={short_list(one.of(INPUT))}, .outputIndexes={short_list(one.of(OUTPUT))}}}")

    @staticmethod
    def memory(one: Memory) -> str:
        inner = {"ashmem": f"Ashmem{{.fd=<valid fd>, .size={one.size}}}", "mmap_fd": f"Fd{{.size={one.size}, .prot=3, .fd=<valid fd>, .offset=0}}",
                 "hardware_buffer_blob": "<AHardwareBuffer blob>", "hardware_buffer": "<non-blob AHardwareBuffer>"}
        unknown = f"Unknown{{.handle=<handle with 1 fds and 0 ints>, .size={one.size}, .name={one.name}}}"
        return f"Memory{{.handle={inner.get(one.name, unknown)}}}"

    def whole(self, model: Model) -> str:
        return (f"Model{{.main={self.graph(model.main)}, .referenced={short_list(model.referenced, self.graph)}, "
                f".operandValues=Model::OperandValues{{<{model.values}bytes>}}, .pools={short_list(model.pools, self.memory)}, "
                ".relaxComputationFloat32toFloat16=false, extensionNameToPrefix=[]}")

    def argument(self, one: Argument) -> str:
        pointer = "mutable non-null" if one.kind == POINTER else "constant null"
        return (f"Request::Argument{{.lifetime={one.kind}, .location={self.location(one, pointer)}, .dimensions={short_list(one.dims)}}}")

    def pool(self, one: Memory) -> str:
        inner = f"MemoryDomainToken={one.token}" if one.name == "token" else self.memory(one)
        return f"Request::MemoryPool{{{inner}}}"

    def request(self, one: Request) -> str:
        return (f"Request{{.inputs={short_list(one.inputs, self.argument)}, .outputs={short_list(one.outputs, self.argument)}, "
                f".pools={short_list(one.pools, self.pool)}}}")


class Aidl:
    @staticmethod
    def location(one: Operand | Argument) -> str:
        padding = one.padding if isinstance(one, Argument) else 0
        return f"DataLocation{{poolIndex: {one.pool}, offset: {one.offset}, length: {one.length}, padding: {padding}}}"

    def operand(self, one: Operand) -> str:
        extra = "(null)"
        if one.channels:
            scales = plain_list(one.channels[0], lambda scale: f"{scale:f}")
            extra = f"OperandExtraParams{{channelQuant: SymmPerChannelQuantParams{{scales: {scales}, channelDim: {one.channels[1]}}}}}"
        elif one.extension is not None:
            extra = f"OperandExtraParams{{extension: {plain_list(list(one.extension))}}}"
        return (f"Operand{{type: {type_name(one.type, 'aidl')}, dimensions: {plain_list(one.dims)}, scale: {one.scale:f}, zeroPoint: {one.zero}, "
                f"lifetime: {life_name(one.life, 'aidl')}, location: {self.location(one)}, extraParams: {extra}}}")

    @staticmethod
    def operation(one: Operation) -> str:
        return f"Operation{{type: {one.type}, inputs: {plain_list(one.inputs)}, outputs: {plain_list(one.outputs)}}}"

    def graph(self, one: Graph) -> str:
        return (f"Subgraph{{operands: {plain_list(one.operands, self.operand)}, operations: {plain_list(one.operations, self.operation)}, "
                f"inputIndexes: {plain_list(one.of(INPUT))}, outputIndexes: {plain_list(one.of(OUTPUT))}}}")

    @staticmethod
    def memory(one: Memory) -> str:
        if one.name.startswith("hardware_buffer"):
            kind = "BLOB" if one.name.endswith("blob") else "RGBA_8888"
            inner = (f"hardwareBuffer: HardwareBuffer{{description: HardwareBufferDescription{{width: {one.size}, height: 1, layers: 1, "
                     f"format: {kind}, usage: 51, stride: {one.size}}}, handle: NativeHandle{{fds: [fd:11], ints: [1, 2]}}}}")
        elif one.name == "mmap_fd":
            inner = f"mappableFile: MappableFile{{length: {one.size}, prot: 3, fd: fd:12, offset: 0}}"
        else:
            inner = f"ashmem: Ashmem{{fd: fd:9, size: {one.size}}}"
        return f"Memory{{{inner}}}"

    def whole(self, model: Model) -> str:
        values = plain_list([index % 256 - 128 for index in range(model.values)])
        return (f"Model{{main: {self.graph(model.main)}, referenced: {plain_list(model.referenced, self.graph)}, operandValues: {values}, "
                f"pools: {plain_list(model.pools, self.memory)}, relaxComputationFloat32toFloat16: false, extensionNameToPrefix: []}}")

    def argument(self, one: Argument) -> str:
        return (f"RequestArgument{{hasNoValue: {str(one.kind == NONE).lower()}, location: {self.location(one)}, "
                f"dimensions: {plain_list(one.dims)}}}")

    def pool(self, one: Memory) -> str:
        return f"RequestMemoryPool{{{f'token: {one.token}' if one.name == 'token' else f'pool: {self.memory(one)}'}}}"

    def request(self, one: Request) -> str:
        return (f"Request{{inputs: {plain_list(one.inputs, self.argument)}, outputs: {plain_list(one.outputs, self.argument)}, "
                f"pools: {plain_list(one.pools, self.pool)}}}")


def printer(dialect: str) -> Hidl | Canonical | Aidl:
    return Canonical() if dialect == "canonical" else Aidl() if dialect == "aidl" else Hidl(dialect)


def messages_of(model: Model, dialect: str, pools: bool = True) -> list[str]:
    """The lines that the framework logs."""
    if dialect in HALS:
        return Hidl(dialect).lines(model, pools)
    return [printer(dialect).whole(model)]


# --- logs

THREADTIME, STUDIO, STUDIO_NEW = "threadtime", "studio", "studio-new"
PREFIXES = (THREADTIME, STUDIO, STUDIO_NEW)


def with_prefix(form: str, tag: str, message: str, process: int = 1234, thread: int | None = None, tick: int = 0) -> str:
    thread = process if thread is None else thread
    clock = f"08-17 21:47:{tick // 1000 % 60:02}.{tick % 1000:03}"
    if form == THREADTIME:
        return f"{clock} {process:5} {thread:5} I {tag:<8}: {message}"
    if form == STUDIO:
        owner = "?" if process % 2 else "org.example.app"
        return f"2024-{clock} {process}-{thread}/{owner} I/{tag}: {message}"
    return f"2024-{clock} {process}-{thread} {tag:<23} {f'pid-{process}':<36} I  {message}"


def cut_by_log(tag: str, message: str) -> str:
    """The log keeps so many bytes of a message with its tag."""
    return message[:LIMIT - len(tag)]


NOISE = [("chatty", "uid=2000(shell) /data/local/tmp/benchmark_model identical 42 lines"), ("SELinux", "avc:  denied  { find } for pid=5278 uid=10208"),
         ("MiuiNetworkPolicy", "bandwidth: 0 KB/s, Max bandwidth: 2068 KB/s"), ("QnnDsp", ""), ("tflite", "Created TensorFlow Lite delegate for NNAPI."),
         ("Utils", "nothing of a model"), ("HtpError", "size 99, offset 12, poolIndex = 3 {.length = 7"), ("art", "operand 3 [5]{7, 8}"),
         ("Operations", "Operand 3: For operand {.type = TENSOR_FLOAT32, .dimensions = [1]{4}, .location = {.poolIndex = 0, .offset = 0, .length = 12}} "
                        "expected a size of 16 but got 12"),
         ("GraphDump", '    d3 [label="3: REF TF32(1x3x3x8)"]'), ("Manager", "Capab {.operandPerformance = [1]{{.type = FLOAT32, .info = {.execTime = 0.6}}}}"),
         ("ArmnnDriver", "1 input(s), 1 operation(s), 1 output(s), 11 operand(s)"), ("ArmnnDriver", "Inputs: {1, 224, 224, 3} TENSOR_FLOAT32, ")]


def log_of(rng: random.Random, form: str, sources: list[tuple[int, str, list[str]]], noise: float = 0.5, is_cut: bool = True) -> list[str]:
    """Lines of several sources (process, tag, messages), each in its order, mixed with one another and with others' lines."""
    lines, tick = [], 0
    left = [(process, tag, list(messages)) for process, tag, messages in sources]
    while left:
        at = rng.randrange(len(left))
        process, tag, messages = left[at]
        message = messages.pop(0)
        for piece in message.split("\n"):
            lines.append(with_prefix(form, tag, cut_by_log(tag, piece) if is_cut else piece, process, process, tick))
        while rng.random() < noise:
            other, words = rng.choice(NOISE)
            # What stands for repeated lines has the process whose lines they were.
            owner = process if other == "chatty" else 7000 + rng.randrange(99)
            lines.append(with_prefix(form, other, words, owner, owner, tick))
        tick += rng.randrange(3)
        if not messages:
            del left[at]
    return lines


def events_of(model: Model, client_pools: int = 0) -> list[tuple[str, str]]:
    """Tag and message of what the runtime says while an application builds the model: its constants in their order."""
    lines: list[tuple[str, str]] = []
    copied, large = 0, []
    for index, operand in enumerate(model.main.operands):
        if operand.life == POOL and operand.pool < client_pools:
            lines.append(("ModelBuilder", f"setOperandValueFromMemory for operand {index} offset {operand.offset} size {operand.length}"))
            lines.append(("Memory", "add()"))
        elif operand.life in (COPY, POOL):
            lines.append(("ModelBuilder", f"setOperandValue for operand {index} size {operand.length}"))
            if operand.length <= 128:
                copied = up(copied, step_of(operand.length))
                lines.append(("ModelBuilder", f"Copied small value to offset {copied}"))
                copied += operand.length
            else:
                lines.append(("ModelBuilder", "Saving large value"))
                large.append(operand.length)
    if large:
        lines.append(("ModelBuilder", f"copyLargeValuesToSharedMemory has {len(large)} values."))
        lines.append(("ModelBuilder", f"Allocated large value pool of size {lay_out(large)[1]} at index {client_pools}"))
    return lines


def descriptor_of(dims: list[int], inputs: list[int], outputs: list[int], kind: str = "TENSOR_FLOAT32") -> list[str]:
    """What the runtime says before it asks a driver for a buffer: which inputs and outputs of its first prepared model it is for."""
    def roles(name: str, indexes: list[int]) -> list[str]:
        return [f"    {name} roles [{len(indexes)}]:", *(f"        BufferRole{{.modelIndex=0, .ioIndex={index}, .probability=1}}" for index in indexes)]
    return ["MemoryDescriptor start", f"    Data type: {kind}", "    Scale: 0", "    Zero point: 0", "    Extra params: Operand::ExtraParams{<no params>}",
            f"    Dimensions: {plain_list(dims)}", "    Prepared models [1]:", "        service = example-dsp", *roles("Input", inputs),
            *roles("Output", outputs), "MemoryDescriptor end"]
