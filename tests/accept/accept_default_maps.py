"""The default map of each board says in every file what the SDK says."""

from compare import compare_tree
from expected import Board, load_board
from support import Context, check, main, same

BOARDS = {"j722s": 75, "j722s-sdk11": 74}


def check_data(board: Board) -> int:
    """The facts themselves: complete, and without a conflict in any core's space."""
    named = {(region.name, region.origin) for region in board.regions}
    named |= {(item.name, item.origin) for item in (*board.carveouts, *board.groups)}
    same(f"test data of {board.name}: regions", len(named), BOARDS[board.name])
    for core in board.cores:
        ordered = sorted(board.linker(core).values(), key=lambda region: region.origin)
        check(ordered, f"test data of {board.name}: {core} has no region")
        for first, second in zip(ordered, ordered[1:]):
            check(first.origin + first.length <= second.origin,
                  f"test data of {board.name}: {core}: {first.name} runs into {second.name}")
    for core, entries in board.mmu.items():
        same(f"test data of {board.name}: entries of {core}", len(entries), 16)
    return len(named)


def body(context: Context) -> str:
    parts = []
    for name in BOARDS:
        board = load_board(name)
        regions = check_data(board)
        counts = compare_tree(board, context.emit(name, context.work / name))
        parts.append(f"{name}: {regions} regions, {len(board.cores)} linker maps, "
                     + ", ".join(f"{count} {what}" for what, count in counts.items()))
    return "; ".join(parts)


if __name__ == "__main__":
    main(__doc__, body)
