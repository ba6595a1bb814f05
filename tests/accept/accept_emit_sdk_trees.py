"""emit --sdk on real SDK trees: changes that people made come out as they made them, or better, in every file.

For each case of tests/data/ti/emit_cases.json, and for one edit of each part of each tree: the files, those who use them, the tree's
own scripts, check before and after, the same again, and the way back. Published results are judged by check.

Runs where MEMSIZE_TI_SDK names Processor SDKs, separated by colons. A case whose tree is not among them is told.
"""

import argparse
import hashlib
import random
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable

from accept_sdk_sources import trees
from emit_sdk import (TOOLS, Changes, Edit, Tree, apply, bytes_of, check_scripts, contents, files_only, findings, new_findings, revert,
                      rewritten, run_scripts, same_tree, shown_change, snapshot, without_own)
from emit_sdk_cases import check_expected, load_cases, set_instances
from emit_sdk_judges import check_consumers, check_painted, check_sight, compiled_macros, compiled_nodes, macros_of, mpu_painted, mpu_sight
from emit_sdk_salt import salt, without, without_ends
from facts import load_board
from sdk_findings import TREES
from sdk_tree import edited
from support import SOURCE, Context, Skip, check, main, parse_json, same, same_keys, tool

GENERATIONS = {0: "c59a3712", 1: "da7bcc53", 2: "12.0"}
TRACE = SOURCE / "samples" / "j722s-mobilenet" / "trace.log"
# The board that says what the tree does not; of a part and generation.
BOARDS = {("j722s", "c59a3712"): "j722s-sdk11", ("j722s", "da7bcc53"): "j722s-sdk11"}
# Files that were edited by hand, as shipped: emit stops at them, and must be told to keep them.
HAND_MADE = {("am62a", "12.0"): "mcu1_0/linker_mem_map.cmd", ("am62a", "c59a3712"): "mcu1_0/linker_mem_map.cmd"}
# The files of one system were made by hand where its script was forgotten: whoever writes both again may bring the script in line
# with them, or stop at them.
FORGOTTEN = {("j784s4", "12.0"): "_safertos.cmd"}
# One edit for each part: heaps of a C7x and of an R5F.
SWEEP: dict[str, dict[str, str | int]] = {
    "am62a": {"c7x_1_ddr_scratch_size": "96*MB", "dm_r5f_ddr_local_heap_size": "8*MB"},
    "j721e": {"c7x_1_ddr_scratch_size": "320*MB", "mcu2_0_ddr_local_heap_size": "8*MB"},
    "j721s2": {"c7x_1_ddr_local_heap_size": "192*MB", "mcu2_1_ddr_local_heap_size": "8*MB"},
    "j722s": {"c7x_1_ddr_scratch_non_cacheable_size": "24*MB", "mcu2_0_ddr_local_heap_size": "16*MB"},
    "j742s2": {"c7x_2_ddr_scratch_size": "64*MB", "c7x_1_ddr_local_heap_size": "96*MB"},
    # The shared memory stands behind them, on a multiple of 1 GiB: their sum must stay, in SafeRTOS's script at least.
    "j784s4": {"c7x_3_ddr_local_heap_size": "64*MB", "c7x_3_ddr_scratch_size": "192*MB"},
}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--only", default="", help="steps whose name contains this")


class Trees:
    """The originals, and what is known of them as they are."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.found: dict[str, Path] = {}
        self.usual: dict[tuple[str, str], Changes] = {}
        for root in trees():
            script = root / "platform" / "j722s" / "rtos" / "gen_linker_mem_map.py"
            known = TREES.get(hashlib.sha256(script.read_bytes()).hexdigest()) if script.is_file() else None
            if known is None:
                print(f"{root}: nobody has looked at this tree by hand")
            else:
                self.found[GENERATIONS[known]] = root

    def tree(self, generation: str, soc: str) -> Tree:
        root = self.found[generation]
        board = BOARDS.get((soc, generation), soc)
        # Of most parts there is a board of one generation.
        accept = () if generation == ("da7bcc53" if board.endswith("-sdk11") else "12.0") else ("--accept-generation",)
        return Tree(root, soc, root / TOOLS, ("--board", board, *accept), (("--soc", soc),))

    def copy(self, generation: str, soc: str, name: str = "tree") -> Tree:
        """With one other part, which nobody asks for."""
        original = self.tree(generation, soc)
        root = self.context.work / name
        shutil.rmtree(root, ignore_errors=True)
        for one in (soc, "am62a" if soc != "am62a" else "j742s2"):
            shutil.copytree(original.root / "platform" / one, root / "platform" / one, symlinks=True)
        return original.at(root)

    def usual_changes(self, generation: str, soc: str) -> Changes:
        """What the tree's own scripts change in it as it is."""
        key = (generation, soc)
        if key not in self.usual:
            self.usual[key] = rewritten(self.copy(generation, soc, "unedited"), self.context.work / "scripts-before")
        return self.usual[key]


def nodes_file(tree: Tree) -> str | None:
    return next((path.name for path in tree.rtos.glob(f"k3-{tree.soc}-rtos-memory-map.dtsi")), None)


def words_for(context: Context, generation: str, tree: Tree, values: dict[str, str | int]) -> tuple[str, ...]:
    """Without a word about it, a tree that somebody edited is left alone, and the file is named."""
    name = HAND_MADE.get((tree.soc, generation)) or FORGOTTEN.get((tree.soc, generation))
    if name is None or not values:
        return ()
    edit = Edit(context, tree, values)
    before = snapshot(tree.root)
    said = edit.run("--check", expect=1).stderr
    same_tree(f"{tree.soc}: --check", snapshot(tree.root), before)
    if (tree.soc, generation) in FORGOTTEN and "sdk.hand-edited" not in said:
        return ()
    said = edit.refused(1)
    check(name in said and "--keep" in said and "--force" in said, f"{tree.soc}: {name}, --keep and --force are not told:\n{said}")
    return ("--keep",)


def check_edit(found: Trees, generation: str, soc: str, values: dict[str, str | int],
               expected: Callable[[Tree], int] = lambda tree: 0, extra: tuple[str, ...] = ()) -> str:
    context, what = found.context, f"{generation}/{soc} {values}"
    tree = found.copy(generation, soc)
    before, sight = findings(context, tree), mpu_sight(tree)
    edit = Edit(context, tree, values, (*words_for(context, generation, tree, values), *extra))
    result = apply(edit)
    # Where no file of a tree has Linux' nodes, they stand beside REBUILD.md.
    others = [path for path in result.changed
              if not path.startswith(f"platform/{soc}/rtos/") and path != f"k3-{soc}-rtos-memory-map.dtsi"]
    same(f"{what}: files of other parts", others, [])
    count = expected(tree)
    count += check_consumers(tree, nodes_file(tree), context.work)
    count += check_nodes_beside(what, tree, context.work)
    check_constants(what, tree, values)
    wrong = {(key[1], name) for key in before if key[0] == "mpu.cache" for name in key[3]}
    count += check_sight(what, sight, mpu_sight(tree), wrong)
    same(f"{what}: new findings", new_findings(before, findings(context, tree)), [])
    touched = check_scripts(what, found.usual_changes(generation, soc), tree, context.work)
    revert(edit, result)
    return f"{len(result.changed)} files changed, {count} values, {touched} files that the scripts always change"


def check_nodes_beside(what: str, tree: Tree, work: Path) -> int:
    """Nodes that stand beside REBUILD.md begin and end, as dtc reads them, where regions that a C compiler sees do."""
    path = f"../../../k3-{tree.soc}-rtos-memory-map.dtsi"
    if not tree.below(path).is_file():
        check([*tree.rtos.glob("k3-*.dts*")], f"{what}: no file has Linux' nodes")
        return 0
    nodes, macros, board = compiled_nodes(tree, path, work), compiled_macros(tree, work), load_board(tree.soc)
    same_keys(f"{what}: labels beside REBUILD.md", nodes, [carveout.label for carveout in board.carveouts])
    count = 0
    for carveout in board.carveouts:
        end = carveout.origin + carveout.length
        inside = {region.name: region for region in board.regions
                  if carveout.origin <= region.origin and region.origin + region.length <= end and f"{region.name}_SIZE" in macros}
        first, last = (next((name for name, region in inside.items() if place(region) == edge), None)
                       for place, edge in ((lambda region: region.origin, carveout.origin),
                                           (lambda region: region.origin + region.length, end)))
        base, length = nodes[carveout.label]
        if first:
            same(f"{what}: {carveout.label} begins with {first}", base, macros[f"{first}_ADDR"])
        if last:
            same(f"{what}: {carveout.label} ends with {last}", base + length, macros[f"{last}_ADDR"] + macros[f"{last}_SIZE"])
        count += (first is not None) + (last is not None)
    check(count >= 6, f"{what}: only {count} ends of nodes are those of regions with macros")
    return count


def check_constants(what: str, tree: Tree, values: dict[str, str | int]) -> None:
    """Both scripts have the value, where they have the constant."""
    for script in tree.scripts():
        text = tree.below(script).read_text(encoding="utf-8")
        plainly = edited(text, {name: bytes_of(value) for name, value in values.items() if re.search(rf"^{name}\s*=", text, re.M)})
        scope: dict[str, Any] = {}
        for side in (text, plainly):
            body = "\n".join(line for line in side.splitlines() if re.match(r"(?:KB|MB|GB|\w+_size)\s*=", line))
            for line in body.splitlines():
                # Sums of what stands above; a line that needs more is not a constant.
                try:
                    exec(line.strip().rstrip(";"), {"__builtins__": {}}, scope)  # noqa: S102 - lines of the SDK's own scripts
                except NameError:
                    continue
            found = {name: scope.get(name) for name in values if name in scope}
            for name, value in found.items():
                same(f"{what}: {script}: {name}", value, bytes_of(values[name]))


def check_case(found: Trees, case: dict[str, Any]) -> str:
    if case["tree"] not in found.found:
        return f"skipped: no tree {case['tree']}"
    extra: tuple[str, ...] = ()
    if case["id"].startswith("j722s_4gb"):
        # What the case is for: the EVM's 8 GiB are the bundled board's.
        extra = ("--dram", "4GiB")
    if case["id"] == "appnote_j722s_c7x2":
        # That tree has c7x_1's entries wrong, which no size drives.
        extra = ("--force",)
    return check_edit(found, case["tree"], case["soc"], case["set"], lambda tree: check_expected(case, tree), extra)


def check_without_dram(found: Trees) -> str:
    """A board of 4 GiB has no memory where the SDK puts the shared memory: an edit that leaves it there is refused."""
    if "12.0" not in found.found:
        return "skipped: no tree 12.0"
    tree = found.copy("12.0", "j722s")
    edit = Edit(found.context, tree, {"c7x_2_ddr_scratch_size": "5*MB"}, ("--dram", "4GiB"))
    said = edit.refused((1, 3))
    check("layout.bank" in said and "DDR_SHARED_MEM" in said, f"--dram 4GiB: says\n{said}")
    return "refused"


def check_pinned(found: Trees, generation: str) -> str:
    """What stands behind the heaps stays where the R5Fs' RAT reaches it, when the heaps shrink."""
    edit = Edit(found.context, found.copy(generation, "j784s4"), {"c7x_3_ddr_local_heap_size": "64*MB"})
    before = macros_of(edit.tree)
    result = apply(edit)
    after = macros_of(edit.tree)
    same("DDR_C7X_3_LOCAL_HEAP_SIZE", after["DDR_C7X_3_LOCAL_HEAP_SIZE"], 64 << 20)
    same("DDR_SHARED_MEM_PHYS_ADDR", after["DDR_SHARED_MEM_PHYS_ADDR"], before["DDR_SHARED_MEM_PHYS_ADDR"])
    same("its alignment", after["DDR_SHARED_MEM_PHYS_ADDR"] % (1 << 30), 0)
    revert(edit, result)
    return "SHARED stands still"


def evaluated(text: str) -> dict[str, Any]:
    """The script's constants, as Python has them."""
    scope: dict[str, Any] = {}
    for match in re.finditer(r"^\w+[ \t]*=[ \t]*[^=\n;#][^\n;#]*", text, re.M):
        try:
            exec(match[0], {"__builtins__": {}}, scope)  # noqa: S102 - lines of the SDK's own scripts
        except (NameError, SyntaxError):  # no sum, or more than a line
            continue
    return scope


def check_total(found: Trees, generation: str, board: str, core: str, size: int, total: int) -> str:
    """Code of a C7x, of which each system's script has as much as other sections leave of one total: that becomes `total` in both."""
    soc = board.removesuffix("-safertos")
    tree = replace(found.copy(generation, soc), board=("--board", board))
    before = findings(found.context, tree)
    edit = Edit(found.context, tree, {f"{core}_ddr_size": size})
    result = apply(edit)
    for script in tree.scripts():
        values = evaluated(tree.below(script).read_text(encoding="utf-8"))
        same(f"{script}: the total of {core}", values[f"{core}_ddr_addr"] - values[f"{core}_ddr_ipc_addr"] + values[f"{core}_ddr_size"], total)
        if ("safertos" in script) == board.endswith("-safertos"):
            same(f"{script}: {core}_ddr_size", values[f"{core}_ddr_size"], size)
    check_scripts(board, found.usual_changes(generation, soc), tree, found.context.work)
    same(f"{board}: new findings", new_findings(before, findings(found.context, tree)), [])
    revert(edit, result)
    return f"{len(tree.scripts())} scripts"


def check_two_parts(found: Trees, generation: str) -> str:
    """REBUILD.md tells of each part that was changed, whichever was the last."""
    first = found.copy(generation, "j722s")
    told = first.root / "REBUILD.md"
    Edit(found.context, first, {"mcu2_0_ddr_local_heap_size": "16*MB"}).run()
    of_first = told.read_text(encoding="utf-8")
    second = found.tree(generation, "am62a").at(first.root)
    Edit(found.context, second, {"c7x_1_ddr_scratch_size": "96*MB"}, words_for(found.context, generation, second, SWEEP["am62a"])).run()
    both = told.read_text(encoding="utf-8")
    check("AM62A" in both.splitlines()[0] and both.endswith("\n" + of_first), f"REBUILD.md after the second part:\n{both}")
    found.context.run("sdk", "revert", "--sdk", first.root)
    check(not told.exists(), "REBUILD.md stays after revert")
    return "told"


def check_trace(found: Trees) -> str:
    """The application note's way: a trace sizes the map. The other generation's board refuses the trace."""
    if "da7bcc53" not in found.found:
        return "skipped: no tree da7bcc53"
    context, tree = found.context, found.copy("da7bcc53", "j722s")
    before = findings(context, tree)
    edit = Edit(context, tree, {}, ("--trace", str(TRACE)))
    result = apply(edit)
    document = parse_json(context.run("analyze", TRACE, "--board", "j722s-sdk11", "--json").stdout, "analyze --json")
    wanted = {demand["knob"]: demand["suggested_bytes"] for core in document["cores"] for demand in core["demands"]
              if "knob" in demand}
    check(len(wanted) >= 4, f"only {wanted}")
    macros = macros_of(tree)
    for knob, size in wanted.items():
        same(f"--trace: {knob}", macros["DDR_" + knob.replace("_ddr_", "_").upper()], size)
    same("--trace: new findings", new_findings(before, findings(context, tree)), [])
    check_scripts("--trace", found.usual_changes("da7bcc53", "j722s"), tree, context.work)
    revert(edit, result)
    if "12.0" in found.found:
        said = Edit(context, found.copy("12.0", "j722s"), {}, ("--trace", str(TRACE))).refused(1)
        check("--accept-generation" in said, f"a trace of another generation:\n{said}")
    return f"{len(wanted)} sizes"


def check_salted(found: Trees, generation: str, soc: str, values: dict[str, str | int], tag: str) -> str:
    """Somebody's own lines stay."""
    dice, what = random.Random(f"{found.context.options.seed} {soc} {tag}"), f"salted {generation}/{soc}"
    context, plainly = found.context, found.copy(generation, soc, "plainly")
    words = words_for(context, generation, plainly, values)
    Edit(context, plainly, values, words).run()
    tree = found.copy(generation, soc)
    paths = [*tree.scripts(), "app_mem_map.h", *[path for path in (nodes_file(tree),) if path]]
    paths += [path.relative_to(tree.rtos).as_posix() for pattern in ("*/*.syscfg", "*/linker_mem_map*.cmd", "*/*_mpu_cfg.c")
              for path in sorted(tree.rtos.glob(pattern)) if not path.is_symlink()]
    prefix = f"platform/{soc}/rtos/"
    salted = {prefix + path: salt(tree.below(path), prefix + path, f"{tag}_{row}", dice) for row, path in enumerate(paths)}
    edit = Edit(context, tree, values, words)
    result = apply(edit)
    expected = contents(without_own(files_only(snapshot(plainly.root))))
    for path, (_, _, content) in contents(without_own(files_only(result.after))).items():
        if path in salted:
            ours = without(what, content, salted[path])
            ours, theirs = without_ends(ours), without_ends(expected[path][2])
            check(ours == theirs, f"{what}: {path} without somebody's lines is not what it would be:{shown_change(theirs, ours)}")
        else:
            check(content == expected[path][2], f"{what}: {path}:{shown_change(expected[path][2], content)}")
    revert(edit, result)
    return f"{len(salted)} files"


# --- published results, judged ------------------------------------------------------------------------------


def scripted_in_place(found: Trees, generation: str, soc: str, values: dict[str, str | int], name: str) -> Tree:
    """The tree as its own script makes it: what the authors of the published results did."""
    constants = found.copy(generation, soc, f"{name}-constants")
    for script in constants.scripts():
        path = constants.below(script)
        path.write_text(edited(path.read_text(encoding="utf-8"), {key: bytes_of(value) for key, value in values.items()}), encoding="utf-8")
    return run_scripts(constants, found.context.work / name)


def check_forgotten(found: Trees, case: dict[str, Any]) -> str:
    """The application note changes c7x_2's sysconfig file and forgets c7x_1's, which maps the same memory."""
    if case["tree"] not in found.found:
        return f"skipped: no tree {case['tree']}"
    tree = scripted_in_place(found, case["tree"], "j722s", case["set"], "published")
    for group in case["syscfg"]:
        for path in group["files"]:
            tree.below(path).write_text(set_instances(tree.below(path).read_text(encoding="utf-8"), group["instances"]), encoding="utf-8")
    complete = findings(found.context, tree)
    heaps = [key for key in complete if key[0].startswith("mmu.") and re.search("LOCAL_HEAP|SCRATCH", key[2])]
    same(f"{case['id']}, complete: findings about MMUs and heaps", heaps, [])
    forgotten = []
    for group in case["syscfg"]:
        for path in group["files"]:
            if path.startswith("c7x_1/"):
                shutil.copyfile(found.tree(case["tree"], "j722s").below(path), tree.below(path))
                forgotten.append(path)
    check(forgotten, f"{case['id']}: no file of c7x_1")
    new = new_findings(complete, findings(found.context, tree))
    for path in forgotten:
        about = [key for key in new if key[1] == path and key[0] == "mmu.cache" and "DDR_C7X_1_2_" in key[2]]
        check(about, f"{case['id']} without {path}: check does not find what it forgets: {new}")
    return f"{len(new)} findings"


def check_damaged(found: Trees, case: dict[str, Any]) -> str:
    """The forum's tree, in which TI's script had made three MPU regions too small: 2^24 became 2^18 and 2^22, and 2^21 became 2^20.

    The third has 2^20 in the tree that we have, where the core's rings take no more.
    """
    if case["tree"] not in found.found:
        return f"skipped: no tree {case['tree']}"
    tree = scripted_in_place(found, case["tree"], "am62a", case["set"], "published")
    path = tree.below("mcu1_0/example.syscfg")
    before = findings(found.context, tree)
    text = path.read_text(encoding="utf-8")
    said = []
    for name, size, area in (("APP_LOG_MEM", 18, "TIOVX_OBJ_DESC_MEM"), ("APP_FILEIO_MEM", 22, "TIOVX_LOG_RT_MEM")):
        instance = re.search(rf'^(mpu_armv7\d+)\.\$name\s*=\s*"{name}"', text, re.M)
        check(instance, f"no MPU region {name}")
        assert instance is not None
        path.write_text(set_instances(text, {instance[1]: {"size": str(size)}}), encoding="utf-8")
        new = [key for key in new_findings(before, findings(found.context, tree)) if key[0].startswith("mpu.")]
        check(any(area in key[2] or name in key[2] for key in new), f"{name} with 2^{size}: check finds {new}")
        said += new
    return f"{len(said)} findings"


def check_as_shipped(found: Trees, generation: str, soc: str) -> str:
    """Nothing is asked for: what memsize would mend is told by --check, and once it is done nothing is left to do."""
    context, tree = found.context, found.copy(generation, soc)
    before = findings(context, tree)
    edit = Edit(context, tree, {})
    asked = edit.run("--check", expect=(0, 1))
    start = snapshot(tree.root)
    edit.run()
    after = snapshot(tree.root)
    same(f"{generation}/{soc}: --check, and whether something changed", asked.returncode == 1, without_own(after) != without_own(start))
    edit.run("--check")
    edit.run()
    same_tree(f"{generation}/{soc}: again", snapshot(tree.root), after)
    same(f"{generation}/{soc}: new findings", new_findings(before, findings(context, tree)), [])
    context.run("sdk", "revert", "--sdk", tree.root)
    same_tree(f"{generation}/{soc}: undone", files_only(snapshot(tree.root)), files_only(start), is_back=True)
    return "nothing to do" if asked.returncode == 0 else "mended"


def named_ranges(found: Trees, tree: Tree) -> dict[str, list[tuple[int, int]]]:
    """By file, the addresses that its findings about MPU regions name."""
    named: dict[str, list[tuple[int, int]]] = {}
    for words in tree.checks:
        done = found.context.run("check", "--sdk", tree.root, *words, "--json", expect=(0, 1))
        for finding in parse_json(done.stdout, "check --json")["diagnostics"]:
            path = finding.get("path", "").partition(f"platform/{tree.soc}/rtos/")[2]
            if seen := re.search(r" sees \[(0x\w+), (0x\w+)\) of ", finding["message"]):
                named.setdefault(path, []).append((int(seen[1], 16), int(seen[2], 16)))
            elif skew := re.search(r" begins at (0x\w+), which is no multiple of its size, (\d+) MiB", finding["message"]):
                named.setdefault(path, []).append((int(skew[1], 16) - (int(skew[2]) << 20), int(skew[1], 16) + (int(skew[2]) << 20)))
    return named


def check_forced(found: Trees, generation: str, soc: str) -> str:
    """--force puts right what findings name: all else that a core sees through its MPU stays, to the last byte and attribute."""
    context, tree, what = found.context, found.copy(generation, soc), f"{generation}/{soc} --force"
    before, sight, named = findings(context, tree), mpu_painted(tree), named_ranges(found, tree)
    edit = Edit(context, tree, {}, ("--force",))
    edit.run()
    count = check_painted(what, sight, mpu_painted(tree), named)
    after = findings(context, tree)
    # Whatever memory is not shown at all, the board does not know either.
    left = [key for key in after if key[0].startswith("mpu.") and "not at all" not in key[2]]
    same(f"{what}: findings about MPU regions", left, [])
    same(f"{what}: new findings", new_findings(before, after), [])
    context.run("sdk", "revert", "--sdk", tree.root)
    return f"{count} pieces put right"


def steps_of(found: Trees) -> list[tuple[str, Callable[[], str]]]:
    cases = load_cases()
    steps: list[tuple[str, Callable[[], str]]] = [(f"case {case['id']}", lambda case=case: check_case(found, case)) for case in cases]
    for case in cases:
        if case["id"].startswith("appnote"):
            steps.append((f"published {case['id']}", lambda case=case: check_forgotten(found, case)))
        elif case["id"] == "e2e_1537":
            steps.append((f"published {case['id']}", lambda case=case: check_damaged(found, case)))
    steps += [("dram", lambda: check_without_dram(found)), ("trace", lambda: check_trace(found))]
    for generation, root in found.found.items():
        for soc, values in SWEEP.items():
            if (root / "platform" / soc / "rtos").is_dir():
                steps.append((f"part {generation}/{soc}", lambda g=generation, s=soc, v=values: check_edit(found, g, s, v)))
                steps.append((f"shipped {generation}/{soc}", lambda g=generation, s=soc: check_as_shipped(found, g, s)))
                steps.append((f"forced {generation}/{soc}", lambda g=generation, s=soc: check_forced(found, g, s)))
        if generation == "12.0":
            # Whole pages of c7x_1's and c7x_2's vectors are a multiple of 4 MiB with FreeRTOS: 30704 KiB behind 6 MiB and 16 KiB.
            for board, core, size, total in (("j722s", "c7x_1", 30704 << 10, 36 << 20), ("j722s-safertos", "c7x_1", 34815 << 10, 36 << 20),
                                             ("j721s2", "c7x_2", 10224 << 10, 16 << 20), ("j721e", "c7x_1", 59376 << 10, 64 << 20)):
                steps.append((f"total {board}", lambda b=board, c=core, s=size, t=total: check_total(found, "12.0", b, c, s, t)))
            steps.append(("two parts", lambda: check_two_parts(found, "12.0")))
        if generation != "12.0":  # there it stands apart
            steps.append((f"pinned {generation}/j784s4", lambda g=generation: check_pinned(found, g)))
        for soc in ("j722s", "j721s2"):
            steps.append((f"salted {generation}/{soc}", lambda g=generation, s=soc: check_salted(found, g, s, SWEEP[s], re.sub(r"\W", "_", g))))
    return steps


def body(context: Context) -> str:
    found = Trees(context)
    for name in ("node", "gcc", "dtc", "patch"):
        tool(name)
    steps = [(name, step) for name, step in steps_of(found) if context.options.only in name]
    failures = []
    for name, step in steps:
        try:
            print(f"  {name}: {step()}", flush=True)
        except Skip:
            raise
        except Exception as problem:  # every step is told
            failures.append(f"{name}: {problem}")
            print(f"  {name}: FAILED: {problem}", flush=True)
    check(not failures, f"{len(failures)} of {len(steps)} steps: {', '.join(name.split(':')[0] for name in failures)}")
    return f"{len(steps)} steps in {len(found.found)} trees"


if __name__ == "__main__":
    main(__doc__, body, add_options)
