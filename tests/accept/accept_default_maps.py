"""The default map of each board says in every file what the SDK says."""

import argparse
import json
from pathlib import Path

from compare import compare_tree, joined, nameless, painted
from facts import BOARDS, Board, deviations_of, load_board, load_deviations
from support import DATA, Context, check, main, number, read_json, same

def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--board", action="append", choices=sorted(BOARDS), help="only this board (may be repeated)")


def check_data(board: Board) -> int:
    """The facts themselves: complete, and without a conflict in any core's space."""
    named = {(region.name, region.origin) for region in board.regions}
    named |= {(item.name, item.origin) for item in (*board.carveouts, *board.groups)}
    same(f"test data of {board.name}: regions and MMU entries",
         (len(named), [len(entries) for entries in board.mmu.values()]), BOARDS[board.name])
    for core in board.cores:
        ordered = sorted(board.linker(core).values(), key=lambda region: region.origin)
        check(ordered, f"test data of {board.name}: {core} has no region")
        for first, second in zip(ordered, ordered[1:]):
            check(first.origin + first.length <= second.origin,
                  f"test data of {board.name}: {core}: {first.name} runs into {second.name}")
    return len(named)


def check_files() -> None:
    """Each file of facts belongs to a board here, and each exception too."""
    found = {json.loads(path.read_text(encoding="utf-8")).get("board") for path in DATA.glob("*.json")
             if path.name != "cases.json" and not path.name.startswith("mmu_")}
    same("boards with facts", sorted(found), sorted(BOARDS))
    strange = {item.board for item in load_deviations()} - set(BOARDS)
    check(not strange, f"exceptions.json: no board {sorted(strange)}")


def check_knobs(name: str, out: Path) -> None:
    """What exceptions.json says of this project's own defaults."""
    document = read_json(out / "memory_map.json")
    for deviation in deviations_of(name, "knob"):
        value = number(deviation.ours["value"])
        places = {number(region["physical"]) for region in document["regions"] if "physical" in region}
        check(value == document["knobs"].get(deviation.name) or value in places,
              f"{deviation.title}: {value:#x} is neither this knob's default nor an address")


def check_board(context: Context, name: str) -> str:
    board = load_board(name)
    named = check_data(board)
    try:
        out = context.emit(name, context.work / name)
        counts = compare_tree(board, out)
        check_knobs(name, out)
    except Exception as error:
        error.args = (f"{name}: {error}",)
        raise
    return (f"{name}: {named} names, {len(board.cores)} linker maps, "
            + ", ".join(f"{count} {what}" for what, count in counts.items()))


def check_painting() -> None:
    """The comparison's own painter, on entries that overlap in every way."""
    board = load_board("j721e")
    entries = board.mmu["c7x_1"]
    ranges = painted(entries)
    same("painted: joined again", joined(ranges), ranges)
    same("painted: without names", nameless(ranges), ranges)
    for entry in entries:
        for at in (entry.virtual, entry.virtual + entry.size - 1):
            last = [item for item in entries if item.covers(at)][-1]
            found = [item for item in ranges if item.covers(at)]
            same(f"painted: {at:#x}", [(item.attribute, item.physical - item.virtual) for item in found],
                 [(last.attribute, last.physical - last.virtual)])


def body(context: Context) -> str:
    check_files()
    check_painting()
    return "\n  ".join(["", *(check_board(context, name) for name in context.options.board or BOARDS)])


if __name__ == "__main__":
    main(__doc__, body, add_options)
