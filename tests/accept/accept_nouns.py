"""Every verb answers for the same map, however it is named: a folder is the board with its sizes, a tree its scripts."""

import json
import os

from support import TRACE, Context, Skip, check, main, same

PART, SDK12 = "j722s", "j722s"


def check_folder(context: Context) -> int:
    """why asks a written map what it asks a board with the same sizes."""
    settings = ["--set", "c7x_2_ddr_scratch_size=9MiB", "--set", "c7x_1_ddr_local_heap_size=16MiB"]
    context.run("emit", "--board", SDK12, *settings, "--out", "map")
    names = ["DDR_C7X_2_SCRATCH", "DDR_C7X_1_LOCAL_HEAP", "c7x_ddr_heaps_hi", "0x880000000", "DDR_SHARED_MEM"]
    for name in names:
        by_folder = json.loads(context.run("why", name, "--map", "map", "--json").stdout)
        by_board = json.loads(context.run("why", name, "--board", SDK12, *settings, "--json").stdout)
        check(by_folder["subjects"] and by_folder == by_board, f"why {name}: the folder's answer is another one")
    same("validate --map", json.loads(context.run("validate", "--map", "map", "--json").stdout),
         json.loads(context.run("validate", "--map", "map", "--board", SDK12, "--json").stdout))
    text = context.run("report", "--map", "map", "-o", "-").stdout
    check("DDR_C7X_2_SCRATCH" in text and "9 MiB" in text, "the page of the folder has other sizes")
    return len(names)


def check_tree(context: Context, sdk: str) -> None:
    # A tree as it was shipped reserves what its board does.
    context.run("emit", "--board", SDK12, "--out", "default")
    document = json.loads(context.run("diff", "default", sdk, "--soc", PART, "--json").stdout)
    same("growth from the board to the tree", document["growth_bytes"], 0)
    same("carve-outs that differ", [item for item in document["items"] if item["kind"] == "carve-out"], [])
    # What a command does without --board it does with the one that it finds.
    for words in (["analyze", TRACE, "--sdk", sdk], ["validate", "--sdk", sdk]):
        found = json.loads(context.run(*words, "--soc", PART, "--json", expect=(0, 1)).stdout)
        named = json.loads(context.run(*words, "--board", SDK12, "--json", expect=(0, 1)).stdout)
        for each in (found, named):
            each.pop("diagnostics")
        same(f"{words[0]} --sdk", found, named)
    same("validate's verdict", found["ok"] if "ok" in found else True, True)
    # The trace's model fits the heaps of the tree.
    done = context.run("check", "--sdk", sdk, "--soc", PART, "--log", TRACE, "--json", expect=(0, 1))
    report = json.loads(done.stdout)
    check("4 demands" in report["checked"], f"the trace was not held against the tree: {report['checked']}")
    misfits = [each for each in report["diagnostics"] if each["code"] == "sizing.does-not-fit"]
    same("what does not fit", misfits, [])
    # One that does not is found.
    large = TRACE.read_text().replace("4381.13", "71234.13")
    (context.work / "large.log").write_text(large)
    done = context.run("check", "--sdk", sdk, "--soc", PART, "--log", "large.log", "--json", expect=(1, 3))
    codes = {each["code"] for each in json.loads(done.stdout)["diagnostics"]}
    check("sizing.does-not-fit" in codes, f"a model that is too large is not found: {sorted(codes)}")


def run(context: Context) -> str:
    count = check_folder(context)
    trees = [tree for tree in os.environ.get("MEMSIZE_TI_SDK", "").split(":") if tree]
    if not trees:
        raise Skip("MEMSIZE_TI_SDK names no SDK")
    check_tree(context, trees[0])
    return f"{count} answers of a folder, one tree"


if __name__ == "__main__":
    main(__doc__, run)
