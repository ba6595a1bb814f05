"""emit --sdk changes an SDK tree as a careful engineer would, and everybody who uses its files agrees afterwards.

On the fictitious tree of tests/data/zy4, which has one of every kind of file. What the files must say comes from the tree's own
scripts, run by Python with other constants; what the cores must see from painting their MMU and MPU, as node.js, which
runs sysconfig's scripts, and a C compiler read them.
"""

import argparse
import json
import re
import shutil
from typing import Any

from accept_emit_force import edit_line
from emit_sdk import (Edit, Result, Tree, apply, check_scripts, contents, files_only, findings, new_findings, revert, rewritten,
                      same_tree, setting, shown_change, snapshot, without_own)
from emit_sdk_judges import check_agreement, check_consumers, compiled_nodes, macros_of, mpu_regions, nodes_of
from emit_sdk_own import HAND, check_hand, check_hand_elsewhere, check_salted
from emit_sdk_refusals import check_refusals
from emit_sdk_zy4 import DTS, PAGES, SHRUNK, SYSTEMS, check_hardware, compare_generated, original, scripted
from support import MIB, TRACE, Context, Skip, check, main, parse_json, same, same_keys, tool

# What a user may want; the comment says what it makes the files do.
CASES: list[dict[str, str | int]] = [
    dict(SHRUNK),                                       # the end of the high window moves, on both C7x
    {"c7_scratch_size": "96*MB"},                       # what is behind it moves
    {"c7_heap_nc_size": "4096*KB", "c7_scratch_nc_size": 12 * 4096},  # not a whole MB
    {"fileio_size": "8*MB"},                            # an area that one MPU region does not cover any more
    {"ring_size": "20*MB"},                             # areas that are no powers of two
    {"log_size": "512*KB"},                             # a constant that another one is less by
    {"r5_code_size": "10*MB", "r6_code_size": "8*MB"},  # rings of a core move, and its MPU region by a macro
    {"c7_code_size": "24*MB"},                          # the other C7x moves, by macros
    {"r5_heap_size": "4*MB", "r6_heap_size": "12*MB"},
    {"shared_addr_phys": 0x8A0000000},                  # MMU, RAT, device tree
    {"shared_addr_phys": 0xC0000000},                   # what is seen is where it is: a RAT entry is not needed, nor harmful
    {"shared_addr_phys": 0xC0000000, "c7_scratch_size": "1*GB", "c8_scratch_size": 3584 * MIB},  # a node of more than 4 GiB
]

CORES = ("r5", "r6", "c7", "c8")


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--cases", type=int, default=len(CASES), help="how many edits are tried")
    parser.add_argument("--salts", type=int, default=3, help="trees with somebody's own lines in them")


def check_sentence(what: str, result: Result, before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]) -> None:
    """The last line says what Linux gets, and which cores must be flashed again."""
    last = result.said.strip().splitlines()[-1] if result.said.strip() else ""
    change = sum(size for _, size in before.values()) - sum(size for _, size in after.values())
    sizes = [float(number) * {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}[unit]
             for number, unit in re.findall(r"(\d+(?:\.\d+)?) ([KMG]?)i?B\b", last)]
    # Two decimals are shown.
    is_said = any(abs(size - abs(change)) <= max(1, abs(change) * 0.005) for size in sizes)
    check(is_said or not change, f"{what}: Linux gets {change:#x} bytes; the last line is: {last}")
    cores = {core for core in CORES if any(f"/rtos/{core}/" in path for path in result.changed)}
    missing = [core for core in sorted(cores) if not re.search(rf"\b{core}\b", last)]
    check(not missing, f"{what}: {missing} are to be flashed, too; the last line is: {last}")


def check_report(what: str, tree: Tree, values: dict[str, str | int]) -> None:
    text = (tree.root / "REBUILD.md").read_text(encoding="utf-8")
    for name in values:
        check(name in text, f"{what}: REBUILD.md does not say that {name} changed")
    check(str(tree.root) not in text, f"{what}: REBUILD.md has an absolute path")


def check_case(context: Context, start: Tree, values: dict[str, str | int]) -> int:
    """All that there is to say about one edit."""
    what = " ".join(setting(name, value) for name, value in values.items())
    tree = start.copy(context.work / "tree")
    nodes, found = nodes_of(start, DTS), findings(context, start)
    edit = Edit(context, tree, values)
    result = apply(edit)
    compare_generated(what, tree, values, scripted(start, values, context.work), result.changed)
    check_hardware(what, tree, context.work)
    values_seen = check_agreement(tree, SYSTEMS, PAGES) + check_consumers(tree, DTS, context.work)
    same(f"{what}: new findings", new_findings(found, findings(context, tree)), [])
    check_scripts(what, {}, tree, context.work)
    check_sentence(what, result, nodes, nodes_of(tree, DTS))
    check_report(what, tree, values)
    revert(edit, result)
    same_tree(f"{what}: after all", files_only(snapshot(tree.root)), files_only(snapshot(start.root)), is_back=True)
    return values_seen


def check_two_steps(context: Context, start: Tree) -> None:
    """One edit after another is both at once; what was not set keeps what the tree has; revert undoes both."""
    both = start.copy(context.work / "both")
    Edit(context, both, {"c8_heap_size": "10*MB", "c7_scratch_size": "96*MB"}).run()
    tree = start.copy(context.work / "tree")
    first, second = Edit(context, tree, {"c8_heap_size": "10*MB"}), Edit(context, tree, {"c7_scratch_size": "96*MB"})
    first.run()
    second.run()
    ours, theirs = contents(without_own(files_only(snapshot(tree.root)))), contents(without_own(files_only(snapshot(both.root))))
    for path in theirs:
        check(ours[path] == theirs[path], f"one edit after the other: {path}:{shown_change(theirs[path][2], ours[path][2])}")
    nothing = Edit(context, tree, {})
    before = snapshot(tree.root)
    nothing.run("--check")
    nothing.run()
    same_tree("nothing set", snapshot(tree.root), before)
    context.run("sdk", "revert", "--sdk", tree.root)
    same_tree("both undone", files_only(snapshot(tree.root)), files_only(snapshot(start.root)), is_back=True)


def check_folders(context: Context, start: Tree) -> None:
    """The tree is found from platform, and from the folder around."""
    expected = start.copy(context.work / "around" / "vision_apps")
    Edit(context, expected, dict(SHRUNK)).run()
    wanted = contents(files_only(snapshot(expected.root)))
    for given in ("platform", "..", "."):
        tree = start.copy(context.work / "around" / "vision_apps")
        sets = [word for name, value in SHRUNK.items() for word in ("--set", setting(name, value))]
        context.run("emit", *tree.board, "--sdk", tree.root / given, *sets)
        same(f"--sdk vision_apps/{given}: files", sorted(files_only(snapshot(tree.root))), sorted(wanted))
        for path, item in without_own(files_only(snapshot(tree.root))).items():
            check(item.content == wanted[path][2], f"--sdk vision_apps/{given}: {path}")


def check_sizing(context: Context, start: Tree) -> None:
    """A sizing drives the knobs of what was traced; other knobs keep the tree's values; --set wins."""
    tree = start.copy(context.work / "tree")
    Edit(context, tree, {"c7_heap_size": "48*MB"}).run()
    # What a trace of another part needed, as if this part's c8 had run it.
    document = parse_json(context.run("analyze", TRACE, "--json").stdout, "analyze --json")
    document["cores"][0]["core"] = "c8"
    del document["diagnostics"][:]
    # Changed on purpose: it no longer says what it hashed to.
    del document["content_hash"]
    needs: dict[tuple[str, str], int] = {}
    for block in document["cores"][0]["instances"][0]["blocks"]:
        block.pop("address", None)
        if block["space"] == "ddr":
            key = (block["cacheability"], block["lifetime"])
            needs[key] = needs.get(key, 0) + block["size_bytes"]
    sizing = context.work / "sizing.json"
    sizing.write_text(json.dumps(document), encoding="utf-8")
    edit = Edit(context, tree, {"c8_scratch_size": "6*MB"}, ("--sizing", str(sizing)))
    edit.run()
    macros = macros_of(tree)
    same("c7_heap_size, which nothing sizes", macros["C7_HEAP_SIZE"], 48 * MIB)
    same("c8_scratch_size, by --set", macros["C8_SCRATCH_SIZE"], 6 * MIB)
    for name, key in (("C8_HEAP", ("cacheable", "persistent")), ("C8_HEAP_NC", ("non-cacheable", "persistent")),
                      ("C8_SCRATCH_NC", ("non-cacheable", "scratch"))):
        size = needs[key]
        given = macros[f"{name}_SIZE"]
        check(given % MIB == 0 and size < given <= size * 1.3 + MIB, f"{name} has {given:#x} for {size:#x}")


def check_names(context: Context, start: Tree) -> None:
    """Entries that are arranged anew keep the names of those that stay as they are."""
    tree = start.copy(context.work / "tree")
    Edit(context, tree, {"fileio_size": "8*MB"}).run()
    for path in ("r5/freertos.syscfg", "r5/freertos_no_board_deps.syscfg"):
        before, after = mpu_regions(start, path), mpu_regions(tree, path)
        kept = [(one["$name"], other["$name"]) for one in before for other in after
                if {**one, "$name": ""} == {**other, "$name": ""}]
        check(len(kept) >= 3, f"{path}: only {kept} stay")
        for old, new in kept:
            same(f"{path}: name of {old}, which does not change", new, old)


def check_literal(context: Context, start: Tree) -> str:
    """c8's start-up code has the size of its code as a literal: it is brought in line, or the edit is refused with its name."""
    tree = start.copy(context.work / "tree")
    edit = Edit(context, tree, {"c8_code_size": "40*MB"})
    before = snapshot(tree.root)
    done = edit.run(expect=(0, 1))
    if done.returncode == 0:
        check_hardware("c8_code_size", tree, context.work)
        return "brought in line"
    same_tree("c8_code_size", snapshot(tree.root), before)
    check("main.c" in done.stderr, f"c8's start-up code is not named:\n{done.stderr}")
    return "refused"


def check_linux(context: Context, start: Tree) -> None:
    """The kernel's copy of the nodes follows, and goes back."""
    tree = start.copy(context.work / "tree")
    linux = context.work / "linux"
    shutil.rmtree(linux, ignore_errors=True)
    folder = linux / "board-support" / "linux-6.6" / "arch" / "arm64" / "boot" / "dts" / "ti"
    folder.mkdir(parents=True)
    nodes = tree.below(DTS).read_text(encoding="utf-8")
    (folder / DTS).write_text(f"/* of the kernel */\n&reserved_memory {{\n{nodes}}};\n", encoding="utf-8")
    before = files_only(snapshot(linux))
    edit = Edit(context, tree, dict(SHRUNK), ("--linux", str(linux)))
    edit.run()
    text = (folder / DTS).read_text(encoding="utf-8")
    check(text.startswith("/* of the kernel */\n&reserved_memory {\n"), "--linux: the kernel's own text is gone")
    for line in tree.below(DTS).read_text(encoding="utf-8").splitlines():
        check(line in text, f"--linux: the kernel's copy lacks {line.strip()}")
    after = snapshot(linux)
    edit.run()
    same_tree("--linux, again", snapshot(linux), after)
    context.run("sdk", "revert", "--sdk", tree.root, "--linux", linux)
    same_tree("--linux, undone", files_only(snapshot(linux)), before, is_back=True)
    same_tree("--linux, the SDK's tree undone", files_only(snapshot(tree.root)), files_only(snapshot(start.root)), is_back=True)


def check_nodes_beside(context: Context, start: Tree) -> None:
    """Where scripts of a tree's own write Linux' nodes into the kernel's files, and no file of the tree has them, they stand beside
    REBUILD.md: as dtc reads them, those that this map needs. Where Linux keeps what it has, there are none.
    """
    tree = start.copy(context.work / "nodeless")
    tree.below("gen_dts_file.py").write_text("class Org_dts_file:\n    def __init__(self, nodes):\n        self.nodes = nodes\n\n"
                                             "    def export(self):\n        pass\n", encoding="utf-8")
    for script in tree.scripts():
        edit_line(tree, script, r"^DtsFile\((\w+),.*", r"Org_dts_file(\1).export();")
        edit_line(tree, script, r"^from ti_psdk_rtos_tools import \*", r"\g<0>\nfrom gen_dts_file import Org_dts_file")
    tree.below(DTS).unlink()
    beside = f"../../../{DTS}"
    within = Edit(context, tree, {"c8_heap_size": "63*MB", "c8_scratch_size": "65*MB"})
    within.run()
    check(not tree.below(beside).exists(), "Linux keeps what it has, and nodes are written")
    context.run("sdk", "revert", "--sdk", tree.root)
    edit = Edit(context, tree, dict(SHRUNK))
    result = apply(edit)
    check(DTS in result.changed, f"no nodes: {result.changed}")
    nodes, wanted = compiled_nodes(tree, beside, context.work), nodes_of(scripted(start, SHRUNK, context.work), DTS)
    same_keys("labels of the nodes beside REBUILD.md", nodes, wanted)
    for label, place in wanted.items():
        same(f"nodes beside REBUILD.md, by dtc: {label}", nodes[label], place)
    check(nodes != nodes_of(start, DTS), "the nodes are those from before the edit")
    revert(edit, result)


def check_document(context: Context, start: Tree) -> None:
    tree = start.copy(context.work / "tree")
    edit = Edit(context, tree, dict(SHRUNK))
    before = snapshot(tree.root)
    asked = parse_json(edit.run("--check", "--json", expect=1).stdout, "emit --sdk --check --json")
    document = parse_json(edit.run("--json").stdout, "emit --sdk --json")
    same("schema", (asked["schema"], document["schema"]), ("memsize.emit/1",) * 2)
    text = str(document)
    result = Result(before, snapshot(tree.root), [], "")
    for path in {*result.after} - {*result.before}:
        check(path.startswith((".memsize", "REBUILD.md")), f"{path} is new")
    check("app_mem_map.h" in text and "c7/freertos.syscfg" in text, f"the document does not name what changed: {text[:800]}")
    broken = parse_json(Edit(context, tree, {"no_such_size": 1}).run("--json", expect=2).stdout, "emit --sdk --json, refused")
    check(broken["diagnostics"], "no diagnostic in the document of a refusal")


def body(context: Context) -> str:
    for name in ("node", "gcc", "dtc", "patch"):
        tool(name)
    start = original(context)
    same("what the tree's own scripts change in it", sorted(rewritten(start, context.work / "scripts")), [])
    same("findings in it", sorted(findings(context, start)), [])
    check_hardware("as it is", start, context.work)
    failures: list[str] = []
    steps: list[tuple[str, Any]] = [(f"case {values}", lambda values=values: check_case(context, start, values)) for values in CASES[:context.options.cases]]
    steps += [(f"salted {row}", lambda row=row: check_salted(context, start, row)) for row in range(context.options.salts)]
    steps += [(f"by hand {row}", lambda row=row: check_hand(context, start, row)) for row in range(len(HAND))]
    steps += [(function.__name__, lambda function=function: function(context, start)) for function in
              (check_two_steps, check_folders, check_sizing, check_names, check_hand_elsewhere, check_refusals, check_literal, check_linux, check_nodes_beside, check_document)]
    for name, step in steps:
        try:
            step()
        except Skip:
            raise
        except Exception as problem:  # every step is told
            failures.append(f"{name}: {problem}")
    check(not failures, f"{len(failures)} of {len(steps)}:\n" + "\n\n".join(failures))
    return f"{len(steps)} steps, {context.options.cases} edits"


if __name__ == "__main__":
    main(__doc__, body, add_options)
