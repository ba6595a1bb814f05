"""Somebody's own lines and numbers in a tree: emit --sdk leaves them where they are."""

import random
import re

from emit_sdk import Edit, Tree, apply, contents, files_only, revert, same_tree, shown_change, snapshot, without_own
from emit_sdk_salt import salt, without, without_ends
from emit_sdk_zy4 import DTS, SHRUNK, check_hardware
from support import Context, check, same

SALTED = ("gen_linker_mem_map.py", "gen_linker_mem_map_safertos.py", "app_mem_map.h", DTS, "c7/freertos.syscfg",
          "c7/safertos.syscfg", "r5/freertos.syscfg", "r5/safertos_no_board_deps.syscfg", "c7/linker_mem_map_freertos.cmd",
          "r5/linker_mem_map_safertos.cmd", "r6/zy4_mpu_cfg.c", "r6/zy4_safertos_mpu_cfg.c", "c8/main.c")
# In these no entry changes its place in a file, and none goes, with what somebody wrote into it.
STILL: list[dict[str, str | int]] = [dict(SHRUNK), {"r5_code_size": "10*MB"}, {"shared_addr_phys": 0x8A0000000}, {"c7_code_size": "24*MB"}]


def check_salted(context: Context, start: Tree, index: int) -> int:
    dice = random.Random(f"{context.options.seed} {index}")
    values = STILL[index % len(STILL)]
    what = f"salted {index}, {values}"
    plainly = start.copy(context.work / "plainly")
    Edit(context, plainly, values).run()
    tree = start.copy(context.work / "tree")
    salted = [salt(tree.below(path), f"platform/zy4/rtos/{path}", f"{index}_{row}", dice) for row, path in enumerate(SALTED)]
    result = apply(Edit(context, tree, values))
    expected = contents(without_own(files_only(snapshot(plainly.root))))
    known = {one.path: one for one in salted}
    for path, (_, _, content) in contents(without_own(files_only(result.after))).items():
        if path in known:
            ours = without(what, content, known[path])
            ours, theirs = without_ends(ours), without_ends(expected[path][2])
            check(ours == theirs, f"{what}: {path} without somebody's lines is not what it would be:{shown_change(theirs, ours)}")
        else:
            check(content == expected[path][2], f"{what}: {path}:{shown_change(expected[path][2], content)}")
    check_hardware(what, tree, context.work)
    revert(Edit(context, tree, values), result)
    return sum(len(one.blocks) + one.blanks + one.is_windows for one in salted)


# File, what stands there, what somebody made of it, and how both numbers may be told.
HAND = [
    ("c7/linker_mem_map_freertos.cmd", r"(C7_HEAP  .* LENGTH = )0x04000000", 0x03000000, 0x04000000),
    ("r5/linker_mem_map_safertos.cmd", r"(DDR_R5_HEAP .* ORIGIN = )0xAA000000", 0xAA100000, 0xAA000000),
    ("app_mem_map.h", r"(#define DDR_R6_HEAP_SIZE \()0x00800000", 0x00600000, 0x00800000),
    (DTS, r"(reg = <0x00 0xaa000000 0x00 )0x01000000", 0x00f00000, 0x01000000),
    ("system_memory_map.html", r"(>DDR_R5_HEAP<.*\n.*>)0xAA000000", 0xAA200000, 0xAA000000),
]


def spellings(number: int) -> list[str]:
    whole = [f"{number >> shift} {unit}iB" for shift, unit in ((30, "G"), (20, "M"), (10, "K")) if number % (1 << shift) == 0]
    return [f"0x{number:X}", f"0x{number:x}", f"0x{number:08X}", *whole]


def tells(said: str, number: int, base: int = 0) -> bool:
    """As itself, or as the end of a range."""
    return any(re.search(rf"(?<![\w.]){re.escape(text)}(?!\w)", said) for text in spellings(number) + spellings(base + number))


def check_hand(context: Context, start: Tree, row: int) -> None:
    path, pattern, mine, theirs = HAND[row]
    # Every file of the row must change for these.
    values: dict[str, str | int] = {"c8_scratch_size": "5*MB", "r5_code_size": "10*MB"}
    plainly = start.copy(context.work / "plainly")
    Edit(context, plainly, values).run()
    tree = start.copy(context.work / "tree")
    text = tree.below(path).read_text(encoding="utf-8")
    width = "0x%08X" if path != DTS else "0x%08x"
    changed, count = re.subn(pattern, lambda match: match[1] + width % mine, text)
    same(f"{path}: {pattern}", count, 1)
    tree.below(path).write_text(changed, encoding="utf-8")
    base = int(re.search(r"0x(\w+) , LENGTH", re.search(pattern, text)[0])[1], 16) if "LENGTH" in pattern else 0  # type: ignore[index]
    if path in ("app_mem_map.h", DTS):
        base = 0xAA800000 if path == "app_mem_map.h" else 0xAA000000
    said = Edit(context, tree, values).refused(1)
    check(path in said, f"{path}, edited by hand, is not named:\n{said}")
    for number in (mine, theirs):
        check(tells(said, number, base), f"{path}: {number:#x} is not told:\n{said}")
    check("--force" in said and "--keep" in said, f"{path}: neither --force nor --keep is told:\n{said}")
    wanted = contents(without_own(files_only(snapshot(plainly.root))))
    for word in ("--keep", "--force"):
        copy = tree.copy(context.work / "hand")
        edit = Edit(context, copy, values, (word,))
        edit.run()
        after = snapshot(copy.root)
        now = contents(without_own(files_only(after)))
        for other, (_, _, content) in wanted.items():
            if not other.endswith(path):
                check(now[other][2] == content, f"{word}: {other}:{shown_change(content, now[other][2])}")
        ours, clean = now[f"platform/zy4/rtos/{path}"][2].decode(), wanted[f"platform/zy4/rtos/{path}"][2].decode()
        if word == "--force":
            check(ours == clean, f"--force: {path}:{shown_change(clean.encode(), ours.encode())}")
        else:
            kept, count = re.subn(pattern, lambda match: match[1] + width % mine, clean)
            same(f"{path} after the edit: {pattern}", count, 1)
            check(ours == kept, f"--keep: {path}:{shown_change(kept.encode(), ours.encode())}")
        edit.run()
        same_tree(f"{word}, again", snapshot(copy.root), after)
        context.run("sdk", "revert", "--sdk", copy.root)
        same_tree(f"{word}, undone", files_only(snapshot(copy.root)), files_only(snapshot(tree.root)), is_back=True)


def check_hand_elsewhere(context: Context, start: Tree) -> None:
    """A file that need not change is left as somebody has it, and nobody is bothered."""
    tree = start.copy(context.work / "tree")
    path = tree.below("r5/linker_mem_map_safertos.cmd")
    text = path.read_text(encoding="utf-8").replace("0xAA000000", "0xAA100000")
    path.write_text(text, encoding="utf-8")
    Edit(context, tree, {"c8_scratch_size": "5*MB"}).run()
    same("a file edited by hand that need not change", path.read_text(encoding="utf-8"), text)
