"""What a change goes into, and what it leaves: after emit --sdk, with and without --force, every core whose files changed is to be
flashed again; what was wrong with the tree before is left and told, or put right and told, one by one.

On the fictitious tree of tests/data/zy4, broken in ways that trees were shipped with; and where MEMSIZE_TI_SDK names Processor
SDKs, separated by colons, on copies of those.
"""

import os
import re
from pathlib import Path
from typing import Any

from emit_sdk import Edit, Tree, changed_files, snapshot
from emit_sdk_zy4 import original
from support import Context, Failure, check, main, parse_json, same

# Where a board has names and sizes that every tree of the part has.
PARTS = {"j722s": ("j722s", "c7x_1_ddr_scratch_size"), "am62a": ("am62a", "c7x_1_ddr_scratch_size")}


def edit_line(tree: Tree, path: str, pattern: str, put: str) -> None:
    file = tree.below(path)
    text, count = re.subn(pattern, put, file.read_text(encoding="utf-8"), flags=re.M)
    same(f"{path}: lines like {pattern}", count, 1)
    file.write_text(text, encoding="utf-8")


def words_of(tree: Tree) -> set[str]:
    """The folders that have a core's files."""
    return {path.name for path in tree.rtos.iterdir() if path.is_dir() and any(path.glob("*linker_mem_map*.cmd"))}


def check_flashed(what: str, edit: Edit) -> tuple[dict[str, Any], list[str], str]:
    """Each core whose files change is said, and REBUILD.md names it: the document, what changed, and what was said."""
    root, before = edit.tree.root, snapshot(edit.tree.root)
    done = edit.run("--json")
    document = parse_json(done.stdout, what)
    changed = changed_files(before, snapshot(root))
    cores = {core for core in words_of(edit.tree) if any(f"/rtos/{core}/" in path for path in changed)}
    missing = sorted(cores - set(document["changed_cores"]))
    check(not missing, f"{what}: files of {missing} changed, and they are not to be flashed: {document['changed_cores']}\n{changed}")
    if cores:
        check(document["rebuild"], f"{what}: nothing is to be built")
        text = (root / "REBUILD.md").read_text(encoding="utf-8")
        for core in cores:
            check(re.search(rf"\b{core}\b", text), f"{what}: REBUILD.md does not name {core}:\n{text}")
    said = "\n".join("\n".join([one["message"], *one.get("details", [])]) for one in document["diagnostics"])
    return document, changed, said


def expect(what: str, text: str, *patterns: str) -> None:
    for pattern in patterns:
        check(re.search(pattern, text), f"{what}: nothing like {pattern!r} is in\n{text}")


def check_cached_rings(context: Context, start: Tree) -> None:
    """Half of the rings are cached on an R5F, as SDKs were shipped."""
    path = "r5/freertos.syscfg"

    def broken() -> Tree:
        tree = start.copy(context.work / "tree")
        edit_line(tree, path, r"^(mpu_armv74\.size\s*=) 24;", r"\1 23;")
        return tree

    tree = broken()
    text = tree.below(path).read_bytes()
    document, _, said = check_flashed("rings cached, without --force", Edit(context, tree, {"c8_scratch_size": "5*MB"}))
    same("r5's file", tree.below(path).read_bytes(), text)
    same("cores to be flashed", document["changed_cores"], ["c7", "c8"])
    expect("rings cached, without --force", said, r"had \d+ findings? before, and keeps .*memsize check --sdk", r"r5.*RING_MEM|RING_MEM.*r5")
    for values in ({}, {"c8_scratch_size": "5*MB"}):
        tree = broken()
        what = f"rings cached, --force, {values}"
        document, changed, said = check_flashed(what, Edit(context, tree, dict(values), ("--force",)))
        check(any(one.endswith(path) for one in changed), f"{what}: {changed}")
        check("r5" in document["changed_cores"], f"{what}: {document['changed_cores']}")
        expect(what, said, r"puts right .* besides")
        expect(what, (tree.root / "REBUILD.md").read_text(encoding="utf-8"), r"because it was wrong", r"RING_MEM")
        same(f"{what}: c7 and c8", {"c7", "c8"} <= set(document["changed_cores"]), bool(values))


def check_entry_left(context: Context, start: Tree) -> None:
    """An MMU entry that no size drives stays as it is, in a file that changes, and that is said; --force puts it right, and says so."""
    path, wrong = "c7/freertos.syscfg", r"^(mmu_armv83\.size\s*=) 0x20000000;"
    tree = start.copy(context.work / "tree")
    edit_line(tree, path, wrong, r"\1 0x30000000;")
    _, changed, said = check_flashed("a large entry", Edit(context, tree, {"c8_scratch_size": "5*MB"}))
    check(any(one.endswith(path) for one in changed), f"{path} did not change: {changed}")
    expect("a large entry", tree.below(path).read_text(encoding="utf-8"), r"mmu_armv83\.size\s*= 0x30000000;")
    expect("a large entry", said, r"MMU entry 'SHARED_MEM' of c7 .* left as it is")
    _, _, said = check_flashed("a large entry, --force", Edit(context, tree, {}, ("--force",)))
    expect("a large entry, --force", tree.below(path).read_text(encoding="utf-8"), r"mmu_armv83\.size\s*= 0x20000000;")
    expect("a large entry, --force", said, r"MMU entry 'SHARED_MEM' of c7 .* put right")
    expect("a large entry, --force", (tree.root / "REBUILD.md").read_text(encoding="utf-8"), r"MMU entry 'SHARED_MEM' of c7")


def check_gone(context: Context, start: Tree) -> None:
    """A file that is not there is told, by check and by emit."""
    def without(path: str) -> Tree:
        tree = start.copy(context.work / "tree")
        tree.below(path).unlink()
        return tree

    def unset(path: str, module: str) -> Tree:
        tree = start.copy(context.work / "tree")
        lines = tree.below(path).read_text(encoding="utf-8").splitlines(keepends=True)
        tree.below(path).write_text("".join(line for line in lines if module not in line), encoding="utf-8")
        return tree

    part = "r5/freertos_no_board_deps.syscfg"
    cases = [("no header", lambda: without("app_mem_map.h"), "app_mem_map.h"),
             ("no MPU regions in one of its files", lambda: unset(part, "mpu_armv7"), part)]
    for what, make, path in cases:
        tree = make()
        found = context.run("check", "--sdk", tree.root, *tree.checks[0], expect=(0, 1))
        expect(f"{what}: check", found.stdout + found.stderr, rf"{re.escape(path)}.*\[sdk\.missing\]")
        done = Edit(context, tree, {"c8_scratch_size": "5*MB"}).run(expect=(0, 1))
        expect(f"{what}: emit", done.stdout + done.stderr, re.escape(path))
    same("a core without its files", gone_core(context, start), True)


def gone_core(context: Context, start: Tree) -> bool:
    tree = start.copy(context.work / "gone")
    for file in tree.below("c7").glob("freertos*.syscfg"):
        file.unlink()
    found = context.run("check", "--sdk", tree.root, *tree.checks[0], expect=(0, 1))
    expect("c7 without its files: check", found.stdout + found.stderr, r"no file of c7 configures its MMU")
    done = Edit(context, tree, {"c8_scratch_size": "5*MB"}).run(expect=(0, 1))
    expect("c7 without its files: emit", done.stdout + done.stderr, r"no file of c7 configures its MMU")
    return True


def check_real(context: Context, folder: Path) -> int:
    """Every part of a tree: a forced repair, and a size of one core."""
    count = 0
    for soc, (board, knob) in PARTS.items():
        tree = Tree(folder, soc, folder, ("--board", board, "--accept-generation"), ())
        if not tree.rtos.is_dir():
            continue
        for values, more in (({}, ("--force",)), ({knob: "16*MB"}, ()), ({knob: "16*MB"}, ("--force",))):
            copy = tree.copy(context.work / "real")
            what = f"{folder.name} {soc} {values} {' '.join(more)}"
            try:
                document, changed, _ = check_flashed(what, Edit(context, copy, dict(values), more))
            except Failure as failure:
                if "expected (0,)" not in str(failure):
                    raise
                continue  # Refused: edited by hand, or its scripts write a map that is none.
            if more and changed and "mcu1_0" in document["changed_cores"]:
                steps = " ".join(step["what"] for step in document["rebuild"])
                check("tispl.bin" in steps or soc != "j722s", f"{what}: mcu1_0 changed, and tispl.bin is not made: {steps}")
            count += 1
    return count


def body(context: Context) -> str:
    start = original(context)
    for step in (check_cached_rings, check_entry_left, check_gone):
        step(context, start)
    folders = [Path(one) for one in os.environ.get("MEMSIZE_TI_SDK", "").split(":") if one]
    count = sum(check_real(context, folder) for folder in folders)
    check(count or not folders, "MEMSIZE_TI_SDK names no tree with a known part")
    return f"our own tree; {count} changes of real trees" if folders else "our own tree; real trees skipped: MEMSIZE_TI_SDK is not set"


if __name__ == "__main__":
    main(__doc__, body)
