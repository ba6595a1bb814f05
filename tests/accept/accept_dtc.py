"""dtc compiles the reserved-memory nodes, and the blob holds the addresses and lengths of the map; cells that are expressions have the
values that dtc computes."""

import re
import subprocess
from pathlib import Path
from random import Random

from compare import dtsi_path
from expected import resized
from facts import BOARDS, Board, load_board
from fdt import Tree, cells, parse_fdt, strings_of
from support import MIB, Context, check, files_of, main, read, same, same_keys, tool

PARENT = "/reserved-memory"
WINDOW = 2048 * MIB


def source(nodes: str, labels: list[str]) -> str:
    """A device tree as small as can be, with a consumer that refers to every label."""
    return ("/dts-v1/;\n/ {\n#address-cells = <2>;\n#size-cells = <2>;\n"
            "reserved-memory {\n#address-cells = <2>;\n#size-cells = <2>;\nranges;\n"
            f"{nodes}\n}};\n"
            f"consumer {{ memory-region = {', '.join(f'<&{label}>' for label in labels)}; }};\n}};\n")


def tolerated(board: Board) -> re.Pattern[str]:
    """Some of the SDK's nodes have a reg but no unit address; their names are an interface that is not ours to mend."""
    nodes = "|".join(re.escape(carveout.node) for carveout in board.carveouts if not carveout.unit_address)
    return re.compile(rf"Warning \(unit_address_vs_reg\): {PARENT}/(?:{nodes}): ")


def compile_tree(dtc: str, dtsi: Path, board: Board, work: Path) -> Tree:
    labels = [carveout.label for carveout in board.carveouts]
    dts, dtb = work / "board.dts", work / "board.dtb"
    dts.write_text(source(read(dtsi), labels), encoding="utf-8")
    dtb.unlink(missing_ok=True)
    done = subprocess.run([dtc, "-@", "-I", "dts", "-O", "dtb", "-o", str(dtb), str(dts)], capture_output=True,
                          text=True, timeout=60)
    said = [line for line in done.stderr.splitlines() if line.strip() and not tolerated(board).search(line)]
    check(done.returncode == 0 and not said, f"dtc on {dtsi}: exit {done.returncode}: {said}")
    return parse_fdt(dtb.read_bytes())


def check_blob(board: Board, tree: Tree) -> int:
    children = [path for path in tree if path.startswith(f"{PARENT}/")]
    same_keys("dtb: reserved nodes", children, [f"{PARENT}/{carveout.full_node}" for carveout in board.carveouts])
    taken: list[tuple[int, int, str]] = []
    for carveout in board.carveouts:
        path = f"{PARENT}/{carveout.full_node}"
        node = tree[path]
        same(f"dtb: label {carveout.label}", strings_of(tree["/__symbols__"].get(carveout.label, b"\0")), [path])
        same(f"dtb: {path}: compatible", strings_of(node.get("compatible", b"\0")), [carveout.compatible or ""])
        same(f"dtb: {path}: alignment", cells(node.get("alignment", b"")),
             [] if carveout.alignment is None else [carveout.alignment])
        same(f"dtb: {path}: no-map", node.get("no-map"), b"" if carveout.no_map else None)
        reg = cells(node.get("reg", b""))
        same(f"dtb: {path}: cells", len(reg), 4)
        base, length = reg[0] << 32 | reg[1], reg[2] << 32 | reg[3]
        same(f"dtb: {path}: reg", (base, length), (carveout.origin, carveout.length))
        taken.append((base, length, path))
    taken.sort()
    for first, second in zip(taken, taken[1:]):
        check(first[0] + first[1] <= second[0], f"dtb: {first[2]} runs into {second[2]}")
    return len(taken)


def check_emitted(context: Context, dtc: str, name: str, knobs: dict[str, int]) -> int:
    board = resized(load_board(name), knobs) if knobs else load_board(name)
    settings = [word for knob, size in knobs.items() for word in ("--set", f"{knob}={size}")]
    out = context.emit(name, context.work / f"{name}-{sum(knobs.values())}", *settings)
    return check_blob(board, compile_tree(dtc, dtsi_path(out), board, context.work))


def check_four_gib(context: Context) -> str:
    """4 GiB is more than the window of this board: it must be refused, not written with a lost high word."""
    out = context.work / "four"
    context.run("emit", "--board", "j722s", "--set", "c7x_1_ddr_local_heap_size=4GiB", "--out", out, expect=(1, 3))
    check(not out.exists() or not files_of(out), "a refused emit wrote files")
    return "4 GiB refused"


def random_expression(random: Random, depth: int) -> str:
    kind = random.randrange(9 if depth else 1)
    if kind < 2:
        number = random.choice((random.randrange(10), random.getrandbits(32), 1 << random.randrange(64)))
        return random.choice((str(number), f"{number:#x}", f"0{number:o}", f"{number:#x}ULL"))
    part = [random_expression(random, depth - 1) for _ in range(3)]
    if kind == 2:
        return f"({part[0]})"
    if kind == 3:
        return random.choice("-~!") + " " * random.randrange(2) + part[0]
    if kind == 4:
        return f"({part[0]} ? {part[1]} : {part[2]})"
    # What is divided by is not 0.
    by = random.choice(("/", "%", "<<", ">>", "+", "-", "*", "&", "|", "^", "<", ">", "<=", ">=", "==", "!=", "&&", "||"))
    right = f"(({part[1]}) | 1)" if by in "/%" else f"{part[1]} & 63" if by in ("<<", ">>") and random.random() < 0.5 else part[1]
    return f"{part[0]} {by} {right}"


def compiled(command: list[str], text: str, work: Path) -> Tree:
    dts, dtb = work / "expressions.dts", work / "expressions.dtb"
    dts.write_text(text, encoding="utf-8")
    clean = subprocess.run([tool("cpp"), "-nostdinc", "-undef", "-P", "-x", "assembler-with-cpp", str(dts)], capture_output=True,
                           text=True, timeout=60, check=True).stdout
    done = subprocess.run([*command, "-I", "dts", "-O", "dtb", "-o", str(dtb)], input=clean, capture_output=True, text=True, timeout=60)
    check(done.returncode == 0, f"dtc on expressions: {done.stderr[-1000:]}")
    return parse_fdt(dtb.read_bytes())


def check_expressions(context: Context, dtc: str, seed: int) -> int:
    """Cells as expressions, half of them by a name, of which dtc says that they are the map: memsize finds nothing, and a bit that
    is another one."""
    random = Random(seed)
    out = context.emit("j722s", context.work / f"expressions-{seed}")
    dtsi, board = dtsi_path(out), load_board("j722s")
    text = read(dtsi)
    cells_of = re.findall(r"reg = <(0x\w+) (0x\w+) (0x\w+) (0x\w+)>;", text)
    wanted = [int(cell, 16) for node in cells_of for cell in node]
    made = [random_expression(random, 4) for _ in wanted]
    listed = "".join(f"x{i} = /bits/ 64 <({each})>;\n" for i, each in enumerate(made))
    values = compiled([dtc], f"/dts-v1/;\n/ {{\n{listed}}};\n", context.work)["/"]
    defines, words = "", []
    for i, (each, value) in enumerate(zip(made, wanted)):
        differs = int.from_bytes(values[f"x{i}"], "big") ^ value
        name = f"CELL_{i}" if i % 2 else f"({each})"
        defines += f"#define CELL_{i} ({each})\n" if i % 2 else ""
        words.append(f"({name} ^ {differs:#x})")
    nodes = iter(zip(*[iter(words)] * 4))
    text = defines + re.sub(r"reg = <0x\w+ 0x\w+ 0x\w+ 0x\w+>;", lambda _: f"reg = <{' '.join(next(nodes))}>;", text)
    labels = [carveout.label for carveout in board.carveouts]
    check_blob(board, compiled([dtc, "-@"], source(text, labels), context.work))
    dtsi.write_text(text, encoding="utf-8")
    context.run("check", "--map", out, "--board", "j722s")
    last = words[random.randrange(len(words))]
    dtsi.write_text(text.replace(last, f"({last} ^ 1)"), encoding="utf-8")
    context.run("check", "--map", out, "--board", "j722s", expect=1)
    return len(words)


def body(context: Context) -> str:
    dtc = tool("dtc")
    knob = "c7x_1_ddr_local_heap_size"
    default = load_board("j722s").default_knobs()
    others = sum(size for name, size in default.items() if name.startswith("c7x_")) - default[knob]
    cases: list[tuple[str, dict[str, int]]] = [(name, {}) for name in BOARDS if load_board(name).carveouts]
    cases += [("j722s", {knob: WINDOW - others}), ("j722s-sdk11", {knob: 10 * MIB, "c7x_2_ddr_scratch_size": 4096})]
    nodes = sum(check_emitted(context, dtc, name, knobs) for name, knobs in cases)
    count = sum(check_expressions(context, dtc, seed) for seed in range(20))
    return f"{nodes} nodes in {len(cases)} blobs, {count} cells as expressions, one carve-out of {WINDOW // MIB} MiB, {check_four_gib(context)}"


if __name__ == "__main__":
    main(__doc__, body)
