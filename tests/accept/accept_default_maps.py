"""The default map of each board says in every file what the SDK says; two that write one folder at once leave one map."""

import argparse
import json
import shutil
import subprocess
from pathlib import Path

from compare import compare_tree, joined, nameless, painted
from facts import BOARDS, Board, deviations_of, load_board, load_deviations, load_facts
from page_tables import STOCK, mapped, misled
from support import DATA, Context, check, main, number, read_json, same

# How many of the 16 translation tables of a C7x the shipped entries take.
TABLES = {"am62a": 10, "j721e": 9, "j721e-safertos": 9, "j721s2": 10, "j721s2-safertos": 10, "j722s": 12,
          "j722s-safertos": 12, "j722s-sdk11": 10, "j742s2": 11, "j784s4": 14, "j784s4-safertos": 14}


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


def check_tables(board: Board) -> None:
    """The entries as TI has them and as this project has them: both can be mapped."""
    for core, entries in load_facts(board.name).mmu.items():
        same(f"test data of {board.name}: {core}: tables", mapped(entries, not board.named_mmu).taken,
             TABLES[board.name])
    for core, entries in board.mmu.items():
        mmu = mapped(entries, not board.named_mmu)
        check(mmu.taken <= STOCK, f"{board.name}: {core} takes {mmu.taken} translation tables")
        same(f"{board.name}: {core}: addresses that lead elsewhere", misled(entries, mmu), [])


def check_files() -> None:
    """Each file of facts belongs to a board here, and each exception too."""
    found = {json.loads(path.read_text(encoding="utf-8")).get("board") for path in DATA.glob("*.json")
             if not path.name.endswith("cases.json") and not path.name.startswith("mmu_")}
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
    check_tables(board)
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


def check_two_at_once(context: Context) -> None:
    """Two that write one folder at once leave the map of one of them."""
    out = context.work / "together"
    for index in range(12):
        if index % 2 == 0:
            shutil.rmtree(out, ignore_errors=True)
        both = [subprocess.Popen([context.memsize, "emit", "--board", "j722s", "--out", out, "--set", f"c7x_2_ddr_scratch_size={size}MiB"],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                for size in (10 + index, 30 + index)]
        said = [one.communicate(timeout=120)[1] for one in both]
        same(f"two at once, {index}: exit status", [one.returncode for one in both], [0, 0])
        check(not any("error" in text for text in said), f"two at once, {index}: {said}")
        context.run("check", "--map", out)


def body(context: Context) -> str:
    check_files()
    check_painting()
    check_two_at_once(context)
    return "\n  ".join(["", *(check_board(context, name) for name in context.options.board or BOARDS)])


if __name__ == "__main__":
    main(__doc__, body, add_options)
