"""For random legal heap sizes every file says what an independent model of the layout predicts."""

import argparse
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "accept"))

from compare import compare_tree, dtsi_of, linker_of, physical_ranges  # noqa: E402
from expected import Board, load_board, resized  # noqa: E402
from page_tables import STOCK, mapped, misled  # noqa: E402
from support import MIB, Context, check, files_of, main, parse_json, read_json, same, times_of  # noqa: E402

BOARDS = ("j722s", "j722s-sdk11", "j722s-safertos")
PAGE = 4096
WINDOW = 2048 * MIB
VISS_ALIGNMENT = 4
LEAST_EMITTED = 0.8


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=20260521)
    parser.add_argument("--count", type=int, default=60)


def heap_size(rng: random.Random, limit: int) -> int:
    """Small, whole MiB, or an odd number of pages; at most limit."""
    style = rng.choice(("small", "mib", "mib", "odd"))
    if style == "small" or limit < 2 * MIB:
        return PAGE * rng.randint(1, min(64, limit // PAGE))
    if style == "mib":
        return MIB * rng.randint(1, limit // MIB)
    return PAGE * (2 * rng.randint(0, limit // PAGE // 2 - 1) + 1)


def draw_knobs(rng: random.Random, board: Board) -> dict[str, int]:
    """Some knobs are left alone; the C7x heaps together stay inside the window."""
    default = board.default_knobs()
    heaps = [knob for knob in default if knob.startswith("c7x_")]
    chosen = rng.sample(heaps, rng.randint(1, len(heaps)))
    room = rng.choice((WINDOW, 1024 * MIB, 512 * MIB)) - sum(default[knob] for knob in heaps if knob not in chosen)
    knobs = {}
    for left, knob in zip(range(len(chosen), 0, -1), chosen):
        knobs[knob] = heap_size(rng, max(PAGE, min(room - (left - 1) * PAGE, 2 * room // left)))
        room -= knobs[knob]
    if rng.random() < 0.5:
        knobs.update(draw_low_knobs(rng))
    return {knob: knobs[knob] for knob in rng.sample(sorted(knobs), len(knobs))}


def draw_low_knobs(rng: random.Random) -> dict[str, int]:
    """The two R5F heaps keep what follows them aligned as its write-through MPU region must be."""
    first = rng.randint(1, 24)
    second = VISS_ALIGNMENT * rng.randint((first + VISS_ALIGNMENT) // VISS_ALIGNMENT, 16) - first
    return {"mcu1_0_ddr_local_heap_size": first * MIB, "mcu2_0_ddr_local_heap_size": second * MIB}


def spelled(rng: random.Random, size: int) -> str:
    forms = [str(size), f"{size:#x}", f"{size // 1024}KiB"]
    if size % MIB == 0:
        forms.append(f"{size // MIB}MiB")
    return rng.choice(forms)


def check_tables(board: Board) -> bool:
    """Whether the driver of every C7x has enough translation tables; with them, every address leads where it should."""
    models = {core: mapped(entries, blocks_replace_tables=False) for core, entries in board.mmu.items()}
    for core, model in models.items():
        same(f"{core}: addresses that its MMU leads elsewhere", misled(board.mmu[core], model), [])
    return all(model.taken <= STOCK for model in models.values())


def emitted(context: Context, board: Board, words: list[str], out: Path) -> bool:
    """False when the sizes need more translation tables than the C7x has."""
    done = context.run("emit", "--board", board.name, *words, "--out", out, "--json", expect=(0, 1))
    document = parse_json(done.stdout, "emit --json")
    if done.returncode == 0:
        return True
    codes = [item["code"] for item in document["diagnostics"] if item["severity"] == "error"]
    same("codes of a refusal", set(codes), {"mmu.tables"})
    check(not out.exists() or not files_of(out), "a refused emit wrote files")
    return False


def check_spaces(board: Board, out: Path) -> None:
    """No two regions of a core overlap, nor two different ranges of physical memory."""
    for core in board.cores:
        ranges = [(region.origin, region.end, name) for name, region in linker_of(board, out, core).items()]
        check_apart(f"{core} linker map", ranges)
    document = read_json(out / "memory_map.json")
    names = [item["name"] for item in document["regions"] if "physical" in item]
    ranges = physical_ranges(document)
    places = {ranges[name] for name in names}
    check_apart("physical memory", [(start, start + size, hex(start)) for start, size in places])
    check_apart("device tree", [(node.base, node.base + node.length, label) for label, node in dtsi_of(out).items()])


def check_apart(what: str, ranges: list[tuple[int, int, str]]) -> None:
    ordered = sorted(ranges)
    for first, second in zip(ordered, ordered[1:]):
        check(first[1] <= second[0], f"{what}: {first[2]} runs into {second[2]}")


def check_total(board: Board, default: Board, knobs: dict[str, int], out: Path) -> None:
    """What Linux gives up changes by exactly what the knobs changed."""
    before = sum(carveout.length for carveout in default.carveouts)
    change = sum(size - default.default_knobs()[knob] for knob, size in knobs.items())
    same(f"{board.name}: reserved in total", sum(node.length for node in dtsi_of(out).values()), before + change)


def check_case(context: Context, rng: random.Random, index: int, default: Board) -> bool:
    knobs = draw_knobs(rng, default)
    words = [word for knob, size in knobs.items() for word in ("--set", f"{knob}={spelled(rng, size)}")]
    out = context.work / f"{index}-{default.name}"
    try:
        board = resized(default, knobs)
        done = emitted(context, default, words, out)
        same("tables suffice by the model of the driver, and the sizes are emitted", done, check_tables(board))
        if not done:
            return False
        compare_tree(board, out)
        check_spaces(board, out)
        check_total(board, default, knobs, out)
        before, times = files_of(out), times_of(out)
        context.run("emit", "--board", board.name, *words, "--out", out)
        check(files_of(out) == before and times_of(out) == times, "a second emit changed the tree")
        context.run("check", "--map", out, "--board", board.name)
    except Exception as error:
        error.args = (f"case {index}: --board {default.name} {' '.join(words)}: {error}",)
        raise
    return True


def body(context: Context) -> str:
    seed, count = context.options.seed, context.options.count
    check(count > 0, "--count must be positive")
    print(f"seed {seed}", flush=True)
    rng = random.Random(seed)
    boards = [load_board(name) for name in BOARDS]
    for board in boards:
        check(resized(board, {}) == board, f"the model does not reproduce {board.name}'s own map")
    done = sum(check_case(context, rng, index, boards[index % len(boards)]) for index in range(count))
    check(done >= LEAST_EMITTED * count, f"only {done} of {count} size sets were emitted")
    return f"seed {seed}: {done} of {count} random size sets laid out as the model says, {count - done} refused"


if __name__ == "__main__":
    main(__doc__, body, add_options)
