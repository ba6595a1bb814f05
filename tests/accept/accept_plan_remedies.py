"""What is said to help where a plan does not fit does, and nothing smaller would: hundreds of small problems over one
to three memories, each against every assignment and every order of its blocks."""

import argparse
import random
import re
from functools import lru_cache
from itertools import permutations, product

from plans import Buffer, first_gap, plan_document, table_of
from support import Context, check, main, same

GROWTH = re.compile(r"([\d,  ]+) B more in '(\w+)'")
WITHOUT = re.compile(r"without '(\w+)' of ([\d,  ]+) B it would fit")


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--problems", type=int, default=250)


@lru_cache(maxsize=None)
def least_height(blocks: tuple[Buffer, ...]) -> int:
    """Of any plan: the lowest place for one after another, in every order."""
    least = sum(block.size for block in blocks)
    for order in permutations(blocks):
        placed: list[Buffer] = []
        for block in order:
            offset = first_gap(block, placed, False)
            if offset + block.size >= least:
                break
            placed.append(Buffer(block.id, block.lower, block.upper, block.size, offset))
        else:
            least = max((block.end for block in placed), default=0)
    return least


def heights(blocks: tuple[Buffer, ...], memories: int) -> list[tuple[int, ...]]:
    """Of each memory, for every assignment of blocks to memories."""
    return [tuple(least_height(tuple(b for b, where in zip(blocks, homes) if where == memory)) for memory in range(memories))
            for homes in product(range(memories), repeat=len(blocks))]


def fits(needed: list[tuple[int, ...]], sizes: list[int]) -> bool:
    return any(all(one <= size for one, size in zip(each, sizes)) for each in needed)


def least_growth(needed: list[tuple[int, ...]], sizes: list[int], memory: int) -> int | None:
    """Of this memory alone."""
    wanted = [each[memory] for each in needed
              if all(one <= size for i, (one, size) in enumerate(zip(each, sizes)) if i != memory)]
    return min(wanted) - sizes[memory] if wanted else None


def judge(what: str, blocks: tuple[Buffer, ...], sizes: list[int], shortages: list[dict[str, object]]) -> None:
    names = [f"m{i}" for i in range(len(sizes))]
    needed = heights(blocks, len(sizes))
    remedies = shortages[0]["remedies"]
    assert isinstance(remedies, list)
    for each in shortages:
        same(f"{what}: remedies", each["remedies"], remedies)
    growths: dict[str, int] = {}
    removed = None
    for remedy in remedies:
        more = {name: int(re.sub(r"\D", "", size)) for size, name in GROWTH.findall(remedy)}
        without = WITHOUT.fullmatch(remedy)
        check(more or without, f"{what}: what does '{remedy}' mean?")
        if without:
            removed = next(block for block in blocks if block.id == without[1])
        else:
            check(fits(needed, [size + more.get(name, 0) for name, size in zip(names, sizes)]), f"{what}: not enough: {remedy}")
            growths |= more if len(more) == 1 else {}
    least = {name: by for i, name in enumerate(names) if (by := least_growth(needed, sizes, i)) is not None}
    same(f"{what}: growths", growths, least)
    smallest = None
    for block in sorted(blocks, key=lambda block: block.size):
        if fits(heights(tuple(other for other in blocks if other != block), len(sizes)), sizes):
            smallest = block.size
            break
    same(f"{what}: the smallest block", removed and removed.size, smallest)


def body(context: Context) -> str:
    chance = random.Random(7)
    refused = several = 0
    for problem in range(context.options.problems):
        blocks = []
        for i in range(chance.randint(2, 5)):
            lower = chance.randint(0, 6)
            blocks.append(Buffer(f"b{i}", lower, lower + chance.randint(1, 4), chance.randint(1, 9)))
        memories = chance.randint(1, 3)
        sizes = [chance.randint(3, 14 // memories + 1) for _ in range(memories)]
        path = context.work / "blocks.csv"
        path.write_text(table_of(blocks))
        words = [word for i, size in enumerate(sizes) for word in ("--memory", f"m{i}={size}:{i + 1}")]
        what = f"problem {problem}: {blocks} in {sizes}"
        expected = fits(heights(tuple(blocks), memories), sizes)
        document = plan_document(context, path, *words, expect=0 if expected else 3)
        if not expected:
            judge(what, tuple(blocks), sizes, document["shortages"])
            refused += 1
            several += len(document["shortages"]) > 1
    check(refused >= 20 or context.options.problems < 100, f"only {refused} of the problems do not fit")
    return f"{refused} of {context.options.problems} problems do not fit, {several} in several memories; what is said helps"


if __name__ == "__main__":
    main(__doc__ or "", body, options)
