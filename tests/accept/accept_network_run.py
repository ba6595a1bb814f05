"""A network's program: what it computes on emulated RV32 and on this machine, at four times of the DMA, is what its layers must
make: ETH's own goldens, and those of random networks, which network_values.py computes in NumPy. Programs with one mistake each,
made here in their C, do not pass, and what is said names the mistake.
"""

import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import network_samples
import network_values
import numpy as np
from support import FEW, SOURCE, Context, check, main, parse_json, read, same, tool

SAMPLE = SOURCE / "samples" / "plans" / "ares" / "minimobilenet_v2"
NETWORK = SAMPLE / "network_info.json"
TARGET = SOURCE / "src" / "runtime" / "target"
BUDGETS = (102400, 6000, 2600)
# Some of them are refused.
NETWORKS = 30 if FEW else 320
# Of them, those that run on emulated harts, each at all times of the DMA.
EMULATED = 3 if FEW else 12
# So small that weights are staged, layers are in slabs and tensors go to L3.
TIGHT = ("--set", "l2=3000", "--set", "stage_linear=1024", "--set", "activations=3000", "--set", "activation_spill=1500")


@dataclass(frozen=True)
class Mutation:
    """`old` is in `file` once; `code` and `words` are in what is said."""

    name: str
    code: str
    words: str
    file: str
    old: str
    new: str
    count: int = 1
    seed: int | None = None  # of a random network; None: ETH's


PIPELINE, CONV, MOVE, LINEAR, ELEMENTS, RUN = (f"src/net/net_{name}.c" for name in
                                               ("pipeline", "conv", "move", "linear", "elements", "run"))
MUTATIONS = (
    Mutation("a tile is not awaited", "network.layer", "is not its golden", PIPELINE, "    net_wait(come[buffer]);\n", ""),
    Mutation("the next tile comes over the last one", "network.layer", "is not its golden", PIPELINE, "come[1 - buffer] = stages->load(stages->context, "
             "tile + 1, 1 - buffer)", "come[1 - buffer] = stages->load(stages->context, tile + 1, buffer)"),
    Mutation("what goes is not awaited at the end", "network.dma", "not awaited by the end of the task", PIPELINE,
             "  net_wait(gone[0]);\n  net_wait(gone[1]);\n", ""),
    Mutation("one tile is stored before it is made", "network.layer", "is not its golden", PIPELINE,
             "    stages->work(stages->context, tile, buffer);\n    if (stages->store != NULL) {\n      gone[buffer] = "
             "stages->store(stages->context, tile, buffer);\n    }\n",
             "    if (stages->store != NULL) {\n      gone[buffer] = stages->store(stages->context, tile, buffer);\n    }\n"
             "    stages->work(stages->context, tile, buffer);\n"),
    Mutation("the last tile is as large as the others", "network.", "", PIPELINE,
             "(rest < size ? rest : size)", "(rest != 0 ? size : 0)"),
    Mutation("a window is a row short", "network.layer", "is not its golden", PIPELINE,
             "const uint32_t last = (to - 1) * axis->stride + axis->kernel;",
             "const uint32_t last = (to - 1) * axis->stride + axis->kernel - (axis->kernel > 1);"),
    Mutation("weights are not awaited", "network.layer", "is not its golden", CONV, "    net_wait(conv->weights_come[buffer]);\n", ""),
    Mutation("weights take turns in one buffer", "network.layer", "is not its golden", CONV, "step->weight[at % step->weight_buffers]",
             "step->weight[0]"),
    Mutation("weights are read in L2", "network.fault", "of 'conv2_weight' in L2", CONV, "      weights = next_weights(conv);\n",
             "      (void)next_weights(conv);\n      weights = net_weights(step) + channels.from * 16;\n"),
    Mutation("the input is read in L2", "network.fault", "in L2", CONV,
             "conv->work.in = (const int8_t*)(net_memories.l1 + step->input[buffer]);",
             "conv->work.in = (const int8_t*)net_l2(step->reads[0].place);"),
    Mutation("the output is written in L2", "network.fault", "writes", CONV,
             "conv->work.out = (int8_t*)(net_memories.l1 + step->output[buffer]);",
             "conv->work.out = (int8_t*)net_l2(step->writes);"),
    Mutation("the bias comes after the scale", "network.layer", "is not its golden", CONV, "net_quantised(net_sum(sum, bias), work->scale)",
             "net_round_even((float)sum * work->scale + (float)bias)", seed=1),
    Mutation("the bias is another channel's", "network.layer", "is not its golden", CONV, "work->bias != NULL ? work->bias[channel] : 0",
             "work->bias != NULL ? work->bias[channel ^ (channel + 1 < work->to.channels)] : 0", seed=1),
    Mutation("of two neighbours the larger one", "network.layer", "is not its golden", "inc/net_round.h",
             "if (rest > 0.5F || (rest == 0.5F && (whole & 1) != 0)) {", "if (rest >= 0.5F) {", seed=1),
    Mutation("one transfer more than may be open", "network.dma", "than the engine has open at once", "inc/net_config.h",
             "#define NET_DMA_OPEN 16U", "#define NET_DMA_OPEN 17U"),
    Mutation("a command is used twice", "network.dma", "used again before it was awaited", MOVE, "    close_command(slot);\n    pi_cl",
             "    pi_cl"),
    Mutation("a transfer is awaited twice", "network.dma", "that nobody asked for", MOVE,
             "    pi_cl_dma_cmd_wait(&commands[slot]);\n", "    pi_cl_dma_cmd_wait(&commands[slot]);\n    "
             "pi_cl_dma_cmd_wait(&commands[slot]);\n"),
    Mutation("sides change places", "network.dma", "its local side is not in L1", MOVE,
             "pi_cl_dma_cmd((uint32_t)(uintptr_t)l2, (uint32_t)(uintptr_t)l1, now", "pi_cl_dma_cmd((uint32_t)(uintptr_t)l1, "
             "(uint32_t)(uintptr_t)l2, now"),
    Mutation("a row is moved twice", "network.transfers", "where its tiles need", MOVE,
             "      (void)move_bytes(step, place, box->columns, l1, direction);\n",
             "      (void)move_bytes(step, place, box->columns, l1, direction);\n"
             "      if (row == 0) {\n        (void)move_bytes(step, place, box->columns, l1, direction);\n      }\n"),
    Mutation("a channel more than there is", "network.", "", CONV, "NET_FOR_MINE(item, work->to.channels * work->to.rows)",
             "NET_FOR_MINE(item, (work->to.channels + 1000) * work->to.rows)"),
    Mutation("one worker does nothing", "network.layer", "is not its golden", "inc/net.h", "item = pi_core_id(); item < (count)",
             "item = pi_core_id(); pi_core_id() != 3 && item < (count)"),
    Mutation("a tensor lies in another", "network.layer", "is not its golden", "src/network.c", "{{NET_L2, 1024}, 16, 0x1p+0F", "{{NET_L2, 512}, 16, 0x1p+0F", -1),
    Mutation("a scale is another one", "network.layer", "is not its golden", "src/network.c", ".scale = 0x1.02p-7F", ".scale = 0x1.04p-7F", -1),
    Mutation("a tile is a row lower", "network.", "conv2", "src/network.c", ".rows = {8, 8, 1, 1, 0, 3}", ".rows = {8, 8, 1, 1, 0, 2}"),
    Mutation("two buffers are one", "network.layer", "is not its golden", "src/network.c", ".input = {288, 672}", ".input = {288, 288}"),
    Mutation("a file is another one's", "network.file", "conv3_weight.bin ck=", "inc/network_data.h", "CONV3_WEIGHT_CHECKSUM 0x0",
             "CONV3_WEIGHT_CHECKSUM 0x1"),
    Mutation("C that is none", "network.build", "says:", RUN, "void net_run(", "void net_run((", 1),
    Mutation("it never ends", "network.fault", "did not end within", RUN, "  stage(step);\n  if (step->staged != 0) {",
             "  for (volatile int again = 1; again != 0;) {\n  }\n  if (step->staged != 0) {"),
)


def validate(context: Context, *options: object, network: Path = NETWORK, expect: int = 0) -> dict[str, Any]:
    done = context.run("validate", "--board", "gap9", "--plan", network, *options, "--json", expect=expect)
    return parse_json(done.stdout, f"validate {network} {options}")


def check_goldens(context: Context) -> int:
    """ETH's, at each budget, on each machine, by each compiler."""
    values, equal = network_values.Network(SAMPLE).run(), 0
    for path in (SAMPLE / "test_cases" / "test_case_1" / "intermediate_int8").glob("*.npy"):
        name = path.name.removesuffix("_int8.npy")
        check(np.array_equal(values[name].reshape(-1), np.load(path).reshape(-1)), f"the model in NumPy: {name} is not its golden")
        equal += 1
    same("goldens", equal, 11)
    runs = 0
    for budget in BUDGETS:
        for machine in ("qemu", "host"):
            for toolchain in ("clang", "gcc"):
                found = validate(context, "--set", f"l1={budget}", "--on", machine, "--toolchain", toolchain)
                what = f"{budget} B on {machine} by {toolchain}"
                check(found["passed"], what)
                same(f"{what}: layers", found["network"]["compared_layers"], equal)
                same(f"{what}: times", found["network"]["timings"], ["now", "wait", "last", "own"])
                check(found["network"]["most_open"] <= 16, what)
                runs += 4
    return runs


class Host:
    """Programs of this machine, in one compilation each: what they share is compiled once."""

    FLAGS = ("-std=c11", "-O1", "-ffreestanding", "-fno-pic", "-ffp-contract=off", "-pthread", "-w", "-D_GNU_SOURCE", "-DMEMSIZE_EMULATED",
             f"-I{TARGET}", f"-I{TARGET}/pmsis")

    def __init__(self, folder: Path, tree: Path):
        self.compiler, self.folder = tool("gcc"), folder
        folder.mkdir()
        sources = [*(TARGET / "net").glob("net_*.c"), TARGET / "pmsis" / "pmsis.c", TARGET / "pmsis" / "host.c", TARGET / "report.c"]
        for source in sources:
            self.call(source.stem + ".o", "-c", source, f"-I{TARGET}/net", f"-I{tree}/inc")
        self.objects = [folder / f"{source.stem}.o" for source in sources]

    def call(self, out: str, *words: object) -> Path:
        done = subprocess.run([self.compiler, *self.FLAGS, *map(str, words), "-o", str(self.folder / out)], capture_output=True, text=True)
        check(done.returncode == 0, f"gcc: {done.stderr[:2000]}")
        return self.folder / out

    def build(self, name: str, tree: Path) -> Path:
        board, packed = write_board(tree)
        return self.call(name, "-Dmain=program_main", tree / "src" / "main.c", tree / "src" / "network.c", board, packed, *self.objects,
                         f"-I{tree}/inc", "-no-pie")


def write_board(tree: Path) -> tuple[Path, Path]:
    """What the emulated board has, and the files in its flash."""
    files = sorted((tree / "bin").iterdir())
    board = tree / "board.c"
    rows = "".join(f'{{"{path.name}", f{at}, e{at}}},' for at, path in enumerate(files))
    board.write_text('#include "board.h"\n'
                     "const struct pmsis_board pmsis_board = {\"cluster\", 8, 131072, 1638400, 33554432, 131071, 16};\n"
                     + "".join(f"extern const uint8_t f{at}[], e{at}[];\n" for at in range(len(files)))
                     + f"const struct pmsis_file pmsis_files[] = {{{rows}}};\nconst size_t pmsis_file_count = {len(files)};\n")
    packed = tree / "files.S"
    packed.write_text('.section .rodata\n' + "".join(f'.global f{at}, e{at}\nf{at}: .incbin "{path}"\ne{at}:\n' for at, path in enumerate(files))
                      + '.section .note.GNU-stack,"",%progbits\n')
    return board, packed


def check_random(context: Context) -> tuple[int, int]:
    """Half of them cut as ARES cuts, half the best way; every third with little room in L2."""
    folder = context.work / "networks"
    seeds = list(range(NETWORKS))
    host: Host | None = None
    layers = refused = 0

    def prepared(seed: int) -> tuple[int, tuple[str, ...], Path, str]:
        network = folder / str(seed)
        values = network_samples.make(network, seed)
        options = ("--set", f"l1={(102400, 20000, 6000, 2600)[seed % 4]}", "--tiles", ("ares", "best")[seed // 4 % 2],
                   *(TIGHT if seed % 3 == 0 else ()))
        tree = context.work / f"program{seed}"
        done = context.run("emit", "--board", "gap9", "--plan", network / "network_info.json", *options, "--only", "tables,runtime,bin",
                           "--out", tree, expect=(0, 1))
        return len(values), options, tree, done.stderr

    for seed in seeds:
        count, options, tree, said = prepared(seed)
        if not (tree / "src").is_dir():
            # What is not cut can't be used where it lies in L3.
            check(seed % 3 == 0 and ("lies in L3" in said or "--tiles best cuts it right" in said), f"{seed}: {said}")
            refused += 1
            continue
        host = host or Host(context.work / "shared", tree)
        program = host.build(f"program{seed}.elf", tree)
        timing = ("now", "wait", "last", "own")[seed // 8 % 4]
        done = subprocess.run([program, f"timing={timing}"], capture_output=True, text=True, timeout=60)
        goldens = len(list((tree / "bin").glob("*_golden.bin")))
        check(done.returncode == 0 and f"Network validation: 0 of {goldens} layers differ" in done.stdout,
              f"seed {seed}, {' '.join(options)}, {timing}: exit {done.returncode}\n{done.stdout[-1500:]}")
        check(goldens > 0, f"{seed}: nothing was compared")
        layers += goldens
        if seed < EMULATED:
            network = folder / str(seed) / "network_info.json"
            found = validate(context, *options, "--on", "qemu", "--toolchain", ("clang", "gcc")[seed % 2], network=network)
            same(f"{seed}: on QEMU", found["network"]["compared_layers"], goldens)
        shutil.rmtree(tree)
        program.unlink()
    check(refused < NETWORKS // 6, f"{refused} of {NETWORKS} are refused")
    return layers, refused


def check_sanitized(context: Context) -> int:
    """The runtime and the emulation by themselves: memory, undefined behaviour, races."""
    network = context.work / "sanitized" / "network_info.json"
    network_samples.make(network.parent, 3)
    tree = context.work / "sanitized_program"
    context.run("emit", "--board", "gap9", "--plan", network, "--set", "l1=6000", *TIGHT, "--tiles", "best", "--only", "tables,runtime,bin",
                "--out", tree)
    runs = 0
    for compiler, sanitizer in (("gcc", "address,undefined"), ("clang", "thread")):
        sources = [*(tree / "src").rglob("*.c"), TARGET / "pmsis" / "pmsis.c", TARGET / "pmsis" / "host.c", TARGET / "report.c"]
        write_board(tree)
        program = context.work / f"sanitized_{compiler}"
        done = subprocess.run([tool(compiler), *Host.FLAGS, "-Dmain=program_main", f"-fsanitize={sanitizer}", "-fno-sanitize-recover=all", "-g",
                               *map(str, [*(source for source in sources if source.name != "host.c"), tree / "board.c", tree / "files.S"]),
                               f"-I{tree}/inc", "-c"], cwd=context.work, capture_output=True, text=True)
        check(done.returncode == 0, done.stderr[:2000])
        done = subprocess.run([tool(compiler), *Host.FLAGS, f"-fsanitize={sanitizer}", "-fno-sanitize-recover=all", "-g", str(TARGET / "pmsis" / "host.c"),
                               *map(str, sorted(context.work.glob("*.o"))), "-no-pie", "-o", str(program)], capture_output=True, text=True)
        check(done.returncode == 0, done.stderr[:2000])
        for path in context.work.glob("*.o"):
            path.unlink()
        for timing in ("now", "wait", "last", "own"):
            ran = subprocess.run([program, f"timing={timing}"], capture_output=True, text=True, timeout=120)
            check(ran.returncode == 0 and "Network validation: 0 of" in ran.stdout, f"{sanitizer}, {timing}: {ran.stdout[-500:]}{ran.stderr[-2000:]}")
            runs += 1
    return runs


def check_mutation(context: Context, at: int, mutation: Mutation) -> None:
    tree, network = context.work / f"mutant{at}", NETWORK
    if mutation.seed is not None:
        network = context.work / f"network{at}" / "network_info.json"
        network_samples.make(network.parent, mutation.seed)
    options = ("--board", "gap9", "--plan", network, "--set", "l1=2600")
    context.run("emit", *options, "--only", "tables,runtime,bin", "--out", tree)
    path = tree / mutation.file
    text = read(path)
    found = text.count(mutation.old)
    check(found == mutation.count if mutation.count >= 0 else found > 0, f"{mutation.name}: {found} places in {mutation.file}")
    path.write_text(text.replace(mutation.old, mutation.new))
    done = context.run("validate", *options, "--map", tree, "--on", "qemu", "--timeout", "5s", expect=1)
    said = [line for line in done.stderr.splitlines() if f"error[{mutation.code}" in line and mutation.words in line]
    check(said, f"{mutation.name}: not found as {mutation.code} with '{mutation.words}':\n{done.stderr}")
    shutil.rmtree(tree)


def check_model() -> int:
    """A model that rounds otherwise makes other values: the random networks have what tells them apart."""
    import tempfile
    wrong = {"even": network_values.half_up, "up": network_values.half_even}
    told = set()
    for seed in range(40):
        with tempfile.TemporaryDirectory() as folder:
            values = network_samples.make(Path(folder) / "n", seed)
            for kind, rounding in wrong.items():
                other = network_values.Network(Path(folder) / "n", {kind: rounding}).run()
                if any(not np.array_equal(values[name], other[name]) for name in values):
                    told.add(kind)
    same("roundings that are told apart", told, set(wrong))
    return len(told)


def body(context: Context) -> str:
    for name in ("qemu-system-riscv32", "clang", "ld.lld", "riscv64-unknown-elf-gcc", "gcc"):
        tool(name)
    runs, sanitized = check_goldens(context), check_sanitized(context)
    check_model()
    layers, refused = check_random(context)
    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(check_mutation, context, at, mutation) for at, mutation in enumerate(MUTATIONS)]:
            done.result()
    return (f"{runs} runs of ETH's network equal their goldens, {layers} layers of {NETWORKS - refused} random networks the model in NumPy "
            f"({refused} refused), {sanitized} runs are clean under sanitizers, {len(MUTATIONS)} mutations found")


main(__doc__ or "", body)
