"""A number that is changed in a written map is found, wherever nobody says that nothing depends on it.

Every number of every file that emit writes is changed by itself, in a map of each board, and check is told nothing but the folder.
What it may pass over stands in FREE. An ordinary run takes some of each file, --every all of them.
"""

import argparse
import random
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Callable

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "accept"))

from support import Context, check, main  # noqa: E402

BOARDS = ("am62a", "j721e", "j722s", "j722s-safertos", "j784s4", "j784s4-safertos")
NUMBER = re.compile(r"0[xX][0-9A-Fa-f]+|[0-9]+")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
LINE_COMMENTS = {".sct": re.compile(r"^[ ]*;[^\n]*", re.MULTILINE), "/reserved_memory.cmd": re.compile(r"^[ ]*#[^\n]*", re.MULTILINE)}
BY_REQUEST = ("gnu-ld", "mmu-tables", "mpu-tables", "scatter", "zephyr", "uboot", "cxx-header", "csv")


def in_comment(path: str, text: str, at: int) -> bool:
    pattern = next((each for end, each in LINE_COMMENTS.items() if f"/{path}".endswith(end)), COMMENT)
    return not path.endswith((".json", ".csv")) and any(found.start() <= at < found.end() for found in pattern.finditer(text))


def in_note(path: str, text: str, at: int) -> bool:
    """The last cell of a row, which may have commas in quotes."""
    return path.endswith(".csv") and bool(re.match(r'(?:[^,\n]*,){12}', text[text.rfind("\n", 0, at) + 1 : at]))


# Where a number may change, and why: nothing but people reads it.
FREE: tuple[tuple[str, Callable[[str, str, int], bool]], ...] = (
    ("the map for people: it is drawn from the same map, and nothing reads it", lambda path, text, at: path.endswith(".html")),
    ("what to do, in words; nothing reads it", lambda path, text, at: path.endswith(".md")),
    ("what memsize remembers of the folder: hashes, which tell emit --out of edits", lambda path, text, at: path.startswith(".memsize/")),
    ("comments: compilers, linkers, dtc and U-Boot skip them", in_comment),
    ("notes of a table: words for people", in_note),
)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=20261123)
    parser.add_argument("--count", type=int, default=6, help="numbers of each file")
    parser.add_argument("--boards", type=int, default=len(BOARDS), help="so many of the boards")
    parser.add_argument("--every", action="store_true", help="all of them")


def changed(rng: random.Random, word: str) -> str:
    """Another number that looks the same: one unit, one page or one bit off."""
    value = int(word, 16 if word[:2] in ("0x", "0X") else 10)
    other = rng.choice([value ^ 1 << rng.randrange(max(1, value.bit_length())), value + rng.choice((1, 16, 4096, 65536))])
    return f"{other:#x}" if word[:2] in ("0x", "0X") else str(other)


def places(path: str, text: str) -> list[re.Match[str]]:
    return [found for found in NUMBER.finditer(text) if not any(is_free(path, text, found.start()) for _, is_free in FREE)]


def try_board(context: Context, board: str, rng: random.Random, arguments: argparse.Namespace, missed: list[str]) -> int:
    out = context.work / board
    context.run("emit", "--board", board, "--out", out)
    context.run("emit", "--board", board, "--out", out, "--only", ",".join(BY_REQUEST))
    context.run("check", "--no-project", "--map", out)
    tried = 0
    for file in sorted(path for path in out.rglob("*") if path.is_file() and path.suffix != ".bin"):
        name, text = file.relative_to(out).as_posix(), file.read_text(encoding="utf-8")
        found = places(name, text)
        for place in found if arguments.every else rng.sample(found, min(arguments.count, len(found))):
            word = changed(rng, place[0])
            file.write_text(text[: place.start()] + word + text[place.end() :], encoding="utf-8")
            done = context.run("check", "--no-project", "--map", out, expect=(0, 1))
            tried += 1
            if done.returncode == 0:
                line = text.count("\n", 0, place.start()) + 1
                missed.append(f"{board}/{name}:{line}: {place[0]} is {word}: {text.splitlines()[line - 1].strip()}")
        file.write_text(text, encoding="utf-8")
    for file in sorted(out.rglob("*.bin")):
        content = file.read_bytes()
        at = rng.randrange(len(content))
        file.write_bytes(content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :])
        done = context.run("check", "--no-project", "--map", out, expect=(0, 1))
        tried += 1
        if done.returncode == 0:
            missed.append(f"{board}/{file.relative_to(out)}: byte {at}")
        file.write_bytes(content)
    return tried


def body(context: Context) -> str:
    rng = random.Random(context.options.seed)
    missed: list[str] = []
    boards = rng.sample(BOARDS, context.options.boards)
    counts = Counter({board: try_board(context, board, rng, context.options, missed) for board in boards})
    check(not missed, f"{len(missed)} of {sum(counts.values())} changed numbers pass:\n  " + "\n  ".join(missed[:40]))
    return f"{sum(counts.values())} numbers in maps of {len(boards)} boards, each changed by itself: all are found"


if __name__ == "__main__":
    main(__doc__, body, add_options)
