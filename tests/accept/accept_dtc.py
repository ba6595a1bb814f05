"""dtc compiles the reserved-memory nodes, and the blob holds the addresses and lengths of the map."""

import re
import subprocess
from pathlib import Path

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


def body(context: Context) -> str:
    dtc = tool("dtc")
    knob = "c7x_1_ddr_local_heap_size"
    default = load_board("j722s").default_knobs()
    others = sum(size for name, size in default.items() if name.startswith("c7x_")) - default[knob]
    cases: list[tuple[str, dict[str, int]]] = [(name, {}) for name in BOARDS if load_board(name).carveouts]
    cases += [("j722s", {knob: WINDOW - others}), ("j722s-sdk11", {knob: 10 * MIB, "c7x_2_ddr_scratch_size": 4096})]
    nodes = sum(check_emitted(context, dtc, name, knobs) for name, knobs in cases)
    return f"{nodes} nodes in {len(cases)} blobs, one carve-out of {WINDOW // MIB} MiB, {check_four_gib(context)}"


if __name__ == "__main__":
    main(__doc__, body)
