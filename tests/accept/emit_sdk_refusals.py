"""What emit --sdk refuses: the status says why, and nothing is changed, not even a time."""

import os
import re
import subprocess

from emit_sdk import Edit, Tree, same_tree, setting, snapshot
from emit_sdk_zy4 import SHRUNK
from support import Context, check, same, tool

NOBODY = 65534


def check_refusals(context: Context, start: Tree) -> int:
    tree = start.copy(context.work / "tree")

    def refused(what: str, status: int | tuple[int, ...], says: str, values: dict[str, str | int], *words: object) -> None:
        said = Edit(context, tree, values).refused(status, *words)
        check(re.search(says, said), f"{what}: says\n{said}\nnot: {says}")

    cases = (
        ("a knob that the tree does not have", 2, "c7_heep_size.*", {"c7_heep_size": "3*MB"}),
        ("a size that is none", 2, "much", {"c7_heap_size": "much"}),
        ("MB", 2, "MiB", {"c7_heap_size": "3MB"}),
        ("no whole page", 1, "4 KiB", {"c7_heap_size": 4097}),
        ("less than the minimum", 1, "16 logs", {"log_size": "128*KB"}),
        ("more than the window", (1, 3), "c8|C8|SHARED", {"c8_scratch_size": "4*GB"}),
        ("rings that run into the next", (1, 3), "DDR_C7_IPC|c7_firmware|shared_low", {"ring_size": "64*MB"}),
        ("nothing", 1, "c7_heap", {"c7_heap_size": 0}),
        ("no DRAM there", (1, 3), "SHARED_MEM", {"shared_addr_phys": 0xA00000000}),
        ("over what is there", (1, 3), "SHARED_MEM|C8_", {"shared_addr_phys": 0x880000000}),
        ("not as the RAT must have it", (1, 3), "512 MiB|multiple|SHARED_MEM", {"shared_addr_phys": 0x8A8000000}),
    )
    for what, status, says, values in cases:
        refused(what, status, says, values)
    known = Edit(context, tree, dict(SHRUNK))
    for words in (("--out", context.work / "out"), ("--keep", "--force"), ("--diff", "--check")):
        known.refused(2, *words)
    for words in (("--keep",), ("--linux", context.work)):
        context.run("emit", *tree.board, *words, "--out", context.work / "out", expect=2)
    check(not (context.work / "out").exists(), "a refused emit wrote files")
    return len(cases) + check_places(context, start, tree)


def check_places(context: Context, start: Tree, tree: Tree) -> int:
    """Folders that are none, or that nobody may write to."""
    empty = context.work / "empty"
    empty.mkdir(exist_ok=True)
    context.run("emit", *tree.board, "--sdk", empty, "--set", "c7_heap_size=3MiB", expect=4)
    context.run("emit", *tree.board, "--sdk", context.work / "missing", "--set", "c7_heap_size=3MiB", expect=4)
    context.run("emit", "--board", "j722s", "--sdk", tree.root, "--set", "c7x_2_ddr_scratch_size=3MiB", expect=4)
    context.run("sdk", "status", "--sdk", empty, expect=4)
    context.run("sdk", "revert", "--sdk", empty, expect=4)
    same("an empty folder", list(empty.iterdir()), [])
    said = Edit(context, tree, dict(SHRUNK)).refused((1, 2, 4), "--linux", empty)
    check(re.search(r"device.tree|dts", said), f"--linux without a device tree says:\n{said}")
    check_unwritable(context, start)
    return 6


def check_unwritable(context: Context, start: Tree) -> None:
    """As another user where we are root."""
    tree = start.copy(context.work / "closed")
    for path in [tree.root, *tree.root.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = snapshot(tree.root)
    prefix = []
    if os.geteuid() == 0:
        prefix = [tool("setpriv"), f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        context.work.chmod(0o755)
    probe = subprocess.run([*prefix, str(context.memsize), "--version"], capture_output=True, text=True, timeout=60)
    if probe.returncode != 0:
        print("a tree that nobody may write to: skipped, another user cannot run memsize here")
    else:
        sets = [word for name, value in SHRUNK.items() for word in ("--set", setting(name, value))]
        done = subprocess.run([*prefix, str(context.memsize), "emit", *tree.board, "--sdk", str(tree.root), *sets], cwd=tree.root,
                              capture_output=True, text=True, timeout=60, env={**os.environ, "NO_COLOR": "1"})
        same(f"a tree that nobody may write to: exit status ({done.stderr.strip()})", done.returncode, 4)
        same_tree("a tree that nobody may write to", snapshot(tree.root), before)
        # Some file is enough.
        script = tree.below("app_mem_map.h")
        check(str(tree.root) in done.stderr or script.name in done.stderr, f"which place is not told: {done.stderr}")
    for path in [tree.root, *tree.root.rglob("*")]:
        path.chmod(0o755)
