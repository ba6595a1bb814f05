"""Somebody's own lines in the files of an SDK tree: comments, functions, blank lines, blanks at line ends, other line ends.

Each is known again, so that a test can say that it is still there, and take it out.
"""

import ast
import random
import re
from dataclasses import dataclass, field
from pathlib import Path

from support import check, same

BLANKS = b"  \t"


@dataclass
class Salted:
    """What was put into one file."""
    path: str
    blocks: list[bytes] = field(default_factory=list)
    blanks: int = 0
    is_windows: bool = False


def block_of(kind: str, name: str, dice: random.Random) -> str:
    """A few whole lines."""
    python = (f"# {name}: 16*MB is ours\n", f"\n#\t{name} with a tab \t\n\n", f"def {name}():\n    return 0x1000 # {name}\n",
              f"{name} = 64  # a variable that nobody asks for\n")
    comment = (f"/* {name}: do not touch 0xA0000000 */\n", f"\n/*\n * {name}\n *\twith a tab \n */\n\n", f"// {name} \t\n")
    if kind == "py":
        return dice.choice(python)
    if kind == "syscfg":
        return dice.choice((*comment, f"function {name}() {{ return 0x1000; }}\n"))
    if kind == "h":
        return dice.choice((*comment, f"static inline int {name}(void) {{ return 1; }}\n"))
    if kind in ("dtsi", "cmd"):
        return dice.choice(comment[:2])
    return dice.choice(comment)


def free_lines(kind: str, text: str) -> list[int]:
    """Before which lines something may be put, from 0."""
    if kind == "py":
        tree = ast.parse(text)
        return [node.lineno - 1 for node in tree.body]
    lines, inside, found = text.split("\n"), False, []
    for number, line in enumerate(lines[:-1]):
        # What stands under a comment belongs to it.
        if not inside and not line.startswith("#endif") and not lines[number - 1].rstrip().endswith("*/"):
            found.append(number)
        rest = line
        while rest:
            mark = "*/" if inside else "/*"
            if mark not in rest:
                break
            rest = rest.split(mark, 1)[1]
            inside = not inside
    # Above the include guard stands a licence at most.
    guard = next((number for number, line in enumerate(lines) if line.startswith("#define")), -1) if kind == "h" else -1
    return [number for number in found if number > guard]


def salt(path: Path, name: str, tag: str, dice: random.Random) -> Salted:
    kind = path.suffix[1:]
    result = Salted(name)
    stat = path.stat()
    text = path.read_bytes().decode("utf-8")
    lines = text.split("\n")
    for number in dice.sample(range(len(lines) - 1), min(6, len(lines) - 1)):
        if lines[number].strip() and not lines[number].endswith(("\\", " ", "\t")):
            lines[number] += BLANKS.decode()
            result.blanks += 1
    for number in sorted(dice.sample(free_lines(kind, text), min(5, len(free_lines(kind, text)))), reverse=True):
        block = block_of(kind, f"salt_{tag}_{len(result.blocks)}", dice)
        lines[number] = block + lines[number]
        result.blocks.append(block.encode())
    lines = "\n".join(lines).split("\n")
    result.is_windows = dice.random() < 0.3
    path.write_bytes(("\r\n" if result.is_windows else "\n").join(lines).encode("utf-8"))
    check(stat.st_mode == path.stat().st_mode, f"{path}: its mode")
    return result


def without(what: str, content: bytes, salted: Salted) -> bytes:
    """The file without what was put in; all of it must be there."""
    if salted.is_windows:
        check(not re.search(rb"(?<!\r)\n", content), f"{what}: {salted.path}: lines do not end as they did")
        content = content.replace(b"\r\n", b"\n")
    check(b"\r" not in content, f"{what}: {salted.path}: a carriage return")
    for block in salted.blocks:
        same(f"{what}: {salted.path}: {block!r} is there", content.count(block), 1)
        content = content.replace(block, b"", 1)
    count = sum(line.endswith(BLANKS) for line in content.split(b"\n"))
    same(f"{what}: {salted.path}: lines that end with blanks", count, salted.blanks)
    return content


def without_ends(content: bytes) -> bytes:
    return b"\n".join(line.rstrip() for line in content.split(b"\n"))
