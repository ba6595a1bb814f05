"""A trace of one model on C7x_2 shrinks that core's heaps in every file, and in nothing else."""

import shutil
from pathlib import Path
from typing import Any

from compare import compare_tree, dtsi_of, dtsi_path, header_of, linker_of, mmu_of
from expected import resized
from facts import Board, load_board, mmu_entry
from support import (DATA, MIB, TRACE, Context, MmuEntry, check, fail, files_of, main, number, parse_json, read_json,
                     same, same_keys, times_of)

DEMANDS = (
    # cacheability, lifetime, records, requested, tolerance, suggested MiB
    ("cacheable", "persistent", 5, 9274829, 0, 10),
    ("cacheable", "scratch", 1, 4194560, 0, 5),
    ("non-cacheable", "persistent", 4, 2268846, 2, 3),
    ("non-cacheable", "scratch", 3, 7434, 2, 1),
)
EXTENT = range(9528900, 9528910)


def case(name: str) -> dict[str, Any]:
    for item in read_json(DATA / "cases.json"):
        if item["id"] == name:
            return item
    fail(f"no case {name}")


def settings(item: dict[str, Any]) -> list[str]:
    return [word for knob, size in item["set"].items() for word in ("--set", f"{knob}={size // MIB}MiB")]


def check_case(item: dict[str, Any], board: Board, default: Path, out: Path) -> int:
    """Every value of the case is there, and what the case does not name is as in the default tree."""
    values = 0
    old, new = header_of(default), header_of(out)
    same_keys("macros", new, old)
    same_keys("changed macros", [name for name in new if new[name] != old[name]], item["header"])
    for name, value in item["header"].items():
        same(f"app_mem_map.h: {name}", new[name], number(value))
        values += 1
    for core in board.cores:
        values += check_linker_case(item["linker"].get(core, {}), board, core, default, out)
    old_nodes, new_nodes = dtsi_of(default), dtsi_of(out)
    same_keys("changed nodes", [label for label in new_nodes if new_nodes[label] != old_nodes.get(label)], item["dts"])
    for label, (base, length) in item["dts"].items():
        same(f"dtsi: {label}", (new_nodes[label].base, new_nodes[label].length), (number(base), number(length)))
        values += 1
    for core in board.mmu:
        values += check_mmu_case(item["mmu"][core], core, mmu_of(default, core), mmu_of(out, core))
    return values


def check_linker_case(wanted: dict[str, list[str]], board: Board, core: str, default: Path, out: Path) -> int:
    file = f"{core}/{board.linker_files[core]}"
    if not wanted:
        check((default / file).read_bytes() == (out / file).read_bytes(), f"{file} must stay as it is")
        return 0
    old, new = linker_of(board, default, core), linker_of(board, out, core)
    same_keys(f"changed regions of {file}", [name for name in new if new[name] != old.get(name)], wanted)
    for name, (origin, length) in wanted.items():
        same(f"{file}: {name}", (new[name].origin, new[name].length), (number(origin), number(length)))
    return len(wanted)


def check_mmu_case(wanted: dict[str, dict[str, str]], core: str, old: list[MmuEntry], new: list[MmuEntry]) -> int:
    same(f"{core}/mmu.syscfg: entries", len(new), len(old))
    for index, entry in enumerate(new, 1):
        expected = mmu_entry(wanted[str(index)]) if str(index) in wanted else old[index - 1]
        check(entry == expected, f"{core}/mmu.syscfg: entry {index} is {entry}, expected {expected}")
    return len(wanted)


def check_analysis(context: Context) -> Path:
    done = context.run("analyze", TRACE, "--board", "j722s-sdk11", "--json")
    document = parse_json(done.stdout, "analyze --json")
    same("analyze: schema", document["schema"], "memsize.sizing/1")
    same("analyze: cores", [core["core"] for core in document["cores"]], ["c7x_2"])
    core = document["cores"][0]
    same("analyze: blocks", [len(instance["blocks"]) for instance in core["instances"]], [16])
    ddr = {(demand["cacheability"], demand["lifetime"]): demand
           for demand in core["demands"] if demand["space"] == "ddr"}
    same_keys("analyze: DDR demands", ddr, [row[:2] for row in DEMANDS])
    for cacheability, lifetime, records, requested, tolerance, suggested in DEMANDS:
        demand, what = ddr[cacheability, lifetime], f"analyze: {cacheability} {lifetime}"
        same(f"{what}: records", demand["records"], records)
        check(abs(demand["requested_bytes"] - requested) <= tolerance,
              f"{what}: requested {demand['requested_bytes']}, expected {requested} +- {tolerance}")
        same(f"{what}: suggested", demand["suggested_bytes"], suggested * MIB)
    extent = ddr["cacheable", "persistent"]["extent_bytes"]
    check(extent in EXTENT, f"analyze: extent {extent}, expected {EXTENT}")
    path = context.work / "sizing.json"
    path.write_text(done.stdout, encoding="utf-8")
    return path


def same_files(what: str, actual: Path, expected: Path, skip: tuple[str, ...] = ()) -> int:
    left, right = files_of(actual), files_of(expected)
    same_keys(f"{what}: files", left, right)
    different = [name for name in left if left[name] != right[name] and name not in skip]
    check(not different, f"{what}: differ: {different}")
    return len(left)


def check_idempotent(context: Context, out: Path, arguments: list[object]) -> None:
    before, times = files_of(out), times_of(out)
    context.emit("j722s-sdk11", out, *arguments)
    same_keys("second emit: files", files_of(out), before)
    for name, content in files_of(out).items():
        check(content == before[name], f"second emit changed {name}")
    same("second emit: files written again", [name for name, time in times_of(out).items() if time != times[name]], [])


def check_check(context: Context, out: Path, arguments: list[object]) -> None:
    """--check passes on the tree, finds one changed byte, and repairs nothing."""
    command = ["emit", "--board", "j722s-sdk11", *arguments, "--out", out, "--check"]
    context.run(*command)
    altered = context.work / "altered"
    shutil.copytree(out, altered)
    file = altered / "c7x_1" / "linker_mem_map.cmd"
    content = file.read_bytes()
    at = content.rindex(b"0x") + 2
    file.write_bytes(content[:at] + (b"1" if content[at:at + 1] != b"1" else b"2") + content[at + 1:])
    before = files_of(altered)
    context.run("emit", "--board", "j722s-sdk11", *arguments, "--out", altered, "--check", expect=1)
    check(files_of(altered) == before, "emit --check wrote into the tree")
    file.unlink()
    context.run("emit", "--board", "j722s-sdk11", *arguments, "--out", altered, "--check", expect=1)
    check(not file.exists(), "emit --check wrote a missing file")


def check_other_generation(context: Context) -> int:
    """A trace of the older generation does not size the newer one unless the user insists."""
    refused = context.work / "refused"
    done = context.run("emit", "--board", "j722s", "--trace", TRACE, "--out", refused, expect=1)
    check(not refused.exists() or not files_of(refused), "a refused emit wrote files")
    check("--accept-generation" in done.stdout + done.stderr, "the refusal does not name --accept-generation")
    item, board = case("appnote_j722s_c7x2_on_sdk12"), load_board("j722s")
    default = context.emit("j722s", context.work / "default12")
    out = context.emit("j722s", context.work / "accepted", "--trace", TRACE, "--accept-generation", *settings(item))
    compare_tree(resized(board, item["set"]), out)
    return check_case(item, board, default, out)


def body(context: Context) -> str:
    item, board = case("appnote_j722s_c7x2"), load_board("j722s-sdk11")
    default = context.emit("j722s-sdk11", context.work / "default")
    traced = context.emit("j722s-sdk11", context.work / "traced", "--trace", TRACE)
    values = check_case(item, board, default, traced)
    compare_tree(resized(board, item["set"]), traced)

    by_hand = context.emit("j722s-sdk11", context.work / "set", *settings(item))
    check_case(item, board, default, by_hand)
    compare_tree(resized(board, item["set"]), by_hand)
    same_files("--set against --trace", by_hand, traced, skip=("REBUILD.md", "memory_map.json", "system_memory_map.html"))

    sizing = check_analysis(context)
    sized = context.emit("j722s-sdk11", context.work / "sized", "--sizing", sizing)
    files = same_files("--sizing against --trace", sized, traced)
    check_idempotent(context, traced, ["--trace", TRACE])
    check_check(context, traced, ["--trace", TRACE])
    newer = check_other_generation(context)
    check(dtsi_path(traced).is_file(), "the device tree is gone")
    return (f"{values} values by --trace and by --set, {len(DEMANDS)} demands, {files} files the same by --sizing, "
            f"nothing written twice, --check finds a byte, {newer} values on the newer generation when accepted")


if __name__ == "__main__":
    main(__doc__, body)
