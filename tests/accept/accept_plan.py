"""Plans of tables of lifetimes, judged by a sweep of our own, against what is known to be possible.

Every table of tests/data/plans, and of the folder that MEMSIZE_PLAN_DATA names (or shared/data/planner beside the
sources, where that is): each plan is valid, and its height is what its proof says. Networks need what is alive at
their busiest step and no more; two peers' planners, written again here, say what they would need.
"""

import argparse
import gzip
import random
import re
import subprocess
from dataclasses import replace
from pathlib import Path

from plans import (ELSEWHERE, PLANS, PROVED, buffers_of, conforms, data_sets, height_of, judge,
                   most_alive, only_arena, plan, plan_document, plan_table, planned_by, puzzle, random_buffers,
                   read_buffers, run_bytes, table_of)
from support import Context, check, main, parse_json, same

# Of each of our tables: the least that any plan needs, and what the largest first needs.
KNOWN = {
    "ares_net.csv": (18816, 18816),
    "audio_preprocessor.csv": (2096, 2096),
    "mobilenet_v1.csv": (98304, 114688),
    "movenet.csv": (1105920, 1105920),
    "resnet8.csv": (49152, 49152),
    "traffic.csv": (2007040, 2007040),
    "vww.csv": (55296, 64512),
}

# The vector of the first-fit planner's own documentation, in bytes: all buffers together, the plan, the offsets.
ARES_SUM, ARES_HEIGHT = 26712, 18816
ARES_OFFSETS = {"conv1": 0, "input_quant": 12544, "conv2": 12544, "conv3": 0, "conv4": 6272, "gap": 0, "fc": 16}

# Folders whose tables are networks: nobody needs more for them than what is alive.
NETWORKS = ("mlperf_tiny", "tflm_examples", "coral")
# Challenging tables, and what a plan must come down to. The others, and C, to what is alive.
TARGETS = {"D": 1038336, "J": 1032192}
# A search of these need not end with a proof.
FEW_STEPS = "300000"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--largest", type=int, default=1 << 20, help="leave out tables with more rows")
    parser.add_argument("--quick", action="store_true", help="no long searches")


def digits(text: str) -> str:
    """Without what groups the digits of a number."""
    return re.sub(r"(?<=\d)[ ,\u00a0\u202f](?=\d{3})", "", text)


def check_known(context: Context) -> None:
    same("tables", sorted(path.name for path in PLANS.glob("*.csv")), sorted(KNOWN))
    for name, (least, largest_first) in KNOWN.items():
        wanted = read_buffers(PLANS / name)
        same(f"{name}: most that is alive", most_alive(wanted), least)
        document = plan_document(context, PLANS / name)
        arena = only_arena(document)
        same(f"{name}: the document", (arena["height_bytes"], arena["lower_bound_bytes"], arena["proof"]),
             (least, least, "bound"))
        same(f"{name}: the table", judge(name, wanted, plan_table(context, PLANS / name)), least)
        peer = plan_document(context, PLANS / name, "--planner", "by-size")
        same(f"{name}: by size", only_arena(peer)["height_bytes"], largest_first)
        same(f"{name}: by size, proved", only_arena(peer)["proof"] in PROVED, largest_first == least)
        text = plan(context, PLANS / name)
        check(str(least) in digits(text) and "optimal" in text, f"{name}: the report hides that it is optimal")
        text = plan(context, PLANS / name, "--planner", "by-size")
        same(f"{name}: the report calls the peer's plan optimal", "optimal" in text, largest_first == least)


def check_first_fit(context: Context) -> None:
    path = PLANS / "ares_net.csv"
    wanted = read_buffers(path)
    same("all buffers", sum(buffer.size for buffer in wanted), ARES_SUM)
    planned = plan_table(context, path, "--planner", "first-fit")
    same("first-fit", {buffer.id: buffer.offset for buffer in planned}, ARES_OFFSETS)
    same("first-fit", judge("first-fit", wanted, planned), ARES_HEIGHT)


def check_peers(context: Context, paths: dict[str, Path]) -> int:
    """The peers' planners come to what their rules do, offset by offset where those leave no choice."""
    count = 0
    for name, path in paths.items():
        wanted = read_buffers(path)
        if len(wanted) > 500:
            continue
        for planner in ("by-size", "first-fit"):
            planned = plan_table(context, path, "--planner", planner)
            height = judge(f"{name} {planner}", wanted, planned)
            expected = planned_by(planner, wanted)
            same(f"{name} {planner}: offsets", {b.id: b.offset for b in planned}, {b.id: b.offset for b in expected})
            same(f"{name} {planner}", height, height_of(expected))
            count += 1
        judge(f"{name} greedy", wanted, plan_table(context, path, "--planner", "greedy"))
    return count


def check_data(context: Context, paths: dict[str, Path]) -> None:
    for name, path in paths.items():
        wanted = read_buffers(path)
        alive = most_alive(wanted)
        folder = name.partition("/")[0]
        limits = [] if folder in NETWORKS or len(wanted) < 100 else ["--steps", FEW_STEPS]
        done = run_bytes(context, ["plan", path, "--csv", *limits])
        same(f"{name}: exit status, {done.stderr[-300:]!r}", done.returncode, 0)
        height = judge(name, wanted, buffers_of(done.stdout.decode()))
        check(height >= alive, f"{name}: {height} is lower than anything can be")
        if len(wanted) > 5000:
            continue
        arena = only_arena(plan_document(context, path, *limits))
        same(f"{name}: the document's height", arena["height_bytes"], height)
        same(f"{name}: the document's bound", arena["lower_bound_bytes"], alive)
        same(f"{name}: proved by the bound", arena["proof"] == "bound", height == alive)
        if folder in NETWORKS:
            same(f"{name}: height", height, alive)


def check_targets(context: Context, paths: dict[str, Path]) -> int:
    found = {Path(name).name[0]: path for name, path in paths.items() if name.startswith("minimalloc/") and
             name.endswith(".1048576.csv")}
    for letter, path in sorted(found.items()):
        wanted = read_buffers(path)
        target = TARGETS.get(letter, most_alive(wanted))
        planned = plan_table(context, path, "--capacity", target)
        check(judge(letter, wanted, planned) <= target, f"{letter}: above {target}")
    return len(found)


def check_forms(context: Context) -> None:
    """The same table in other forms is the same plan."""
    wanted = random_buffers(11, 60)
    limits = ["--steps", "20000"]
    table = table_of(wanted).encode()
    (context.work / "table.csv").write_bytes(table)
    first = run_bytes(context, ["plan", "table.csv", *limits, "--csv"])
    same("exit status", first.returncode, 0)
    judge("table", wanted, buffers_of(first.stdout.decode()))
    forms = {
        "crlf.csv": table_of(wanted, "\r\n").encode(),
        "bom.csv": b"\xef\xbb\xbf" + table,
        "packed.csv.gz": gzip.compress(table),
        "packed": gzip.compress(table),
        "blank.csv": table.replace(b"\n", b"\n\n"),
        "no-end.csv": table.rstrip(b"\n"),
        "other-columns.csv": "\n".join(f"{b.size},{b.upper},{b.id},{b.lower}" for b in wanted).join(
            ("size,upper,id,lower\n", "\n")).encode(),
        "spaces.csv": table.replace(b",", b" , "),
    }
    for name, text in forms.items():
        (context.work / name).write_bytes(text)
        other = run_bytes(context, ["plan", name, *limits, "--csv"])
        same(f"{name}: {other.stderr!r}", (other.returncode, other.stdout), (0, first.stdout))
    for text in (table, gzip.compress(table)):
        other = run_bytes(context, ["plan", "-", *limits, "--csv"], stdin=text)
        same(f"standard input: {other.stderr!r}", (other.returncode, other.stdout), (0, first.stdout))
    rng = random.Random(3)
    for turn in range(5):
        mixed = list(wanted)
        rng.shuffle(mixed)
        (context.work / "mixed.csv").write_text(table_of(mixed))
        planned = plan_table(context, "mixed.csv", *limits)
        same(f"permuted ({turn})", sorted(planned, key=lambda b: b.id),
             sorted(buffers_of(first.stdout.decode()), key=lambda b: b.id))
        same("rows stay in the report's order", [b.id for b in planned], [b.id for b in mixed])
    for surroundings in ({"LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Tokyo"}, {"LC_ALL": "C", "COLUMNS": "30"}):
        other_run = subprocess.run([str(context.memsize), "plan", "table.csv", *limits, "--json"], cwd=context.work,
                                   capture_output=True, env=surroundings, timeout=120)
        again = run_bytes(context, ["plan", "table.csv", *limits, "--json"])
        same("elsewhere", other_run.stdout, again.stdout)


def check_round_trips(context: Context) -> None:
    """What memsize writes it reads, and fixed blocks stay."""
    wanted = [replace(buffer, alignment=16) for buffer in random_buffers(12, 40)]
    (context.work / "wanted.csv").write_text(table_of(wanted))
    limits = ["--steps", "20000"]
    first = plan(context, "wanted.csv", *limits, "--csv")
    (context.work / "first.csv").write_text(first)
    (context.work / "first.json").write_text(plan(context, "wanted.csv", *limits, "--json"))
    height = judge("aligned", wanted, buffers_of(first))
    for name in ("first.csv", "first.json"):
        planned = plan_table(context, name, "--keep")
        same(f"{name} --keep", {b.id: b.offset for b in planned}, {b.id: b.offset for b in buffers_of(first)})
        same(f"{name} --keep", judge(name, wanted, planned), height)
        checked = context.run("check", name)
        check("error" not in checked.stdout + checked.stderr, f"check {name}: {checked.stdout}")
    for fixed in (wanted[0].id, wanted[7].id):
        moved = [replace(b, offset=b.offset + 16 * 1000) if b.id == fixed and b.offset is not None else b
                 for b in buffers_of(first)]
        (context.work / "moved.csv").write_text(table_of(moved))
        planned = plan_table(context, "moved.csv", "--fix", fixed, *limits)
        judge(f"--fix {fixed}", wanted, planned)
        place = {b.id: b.offset for b in moved}[fixed]
        same(f"--fix {fixed}", {b.id: b.offset for b in planned}[fixed], place)
    less = plan_document(context, "wanted.csv", "--capacity", height, *limits)
    check(only_arena(less)["height_bytes"] <= height, "--capacity: above a height that was reached")


def check_shortage(context: Context) -> None:
    path = PLANS / "vww.csv"
    document = plan_document(context, path, "--capacity", "55295", expect=3)
    check(any(found["code"] == "plan.does-not-fit" for found in document["diagnostics"]), "no diagnostic says why")
    arena = only_arena(document)
    same("what is needed", (arena["lower_bound_bytes"], arena["height_bytes"]), (55296, 55296))
    check(arena["proof"] in ("bound", "infeasible"), f"'{arena['proof']}' says nothing")
    shortage = document["shortages"][0]
    same("shortage", (shortage["needed_bytes"], shortage["budget_bytes"]), (55296, 55295))
    buffers = {buffer.id: buffer for buffer in read_buffers(path)}
    live = [buffers[name] for name in shortage["live"]]
    check(all(buffer.lower <= shortage["step"] < buffer.upper for buffer in live), "who is alive at the peak is not")
    same("bytes at the peak", sum(buffer.size for buffer in live), 55296)
    sizes = [buffers[name].size for name in shortage["largest"]]
    same("the largest", sizes, sorted((b.size for b in buffers.values()), reverse=True)[:5])
    check(shortage["remedies"], "nothing is said to help")
    text = context.run("plan", path, "--capacity", "48KiB", expect=3)
    check("55296" in digits(text.stdout + text.stderr), "the report does not say what is needed")
    plan_document(context, path, "--capacity", "54KiB")
    # A plan that does not fit is still none that collides.
    judge("infeasible", read_buffers(path), buffers_of(plan(context, path, "--capacity", "1", "--csv", expect=3)))


def check_strict(context: Context) -> None:
    (context.work / "doubtful.csv").write_text("id,lower,upper,size,colour\na,0,1,5,red\n")
    same("warnings", only_arena(plan_document(context, "doubtful.csv"))["height_bytes"], 5)
    document = parse_json(plan(context, "doubtful.csv", "--strict", "--json", expect=1), "--strict")
    conforms(document)
    check([found for found in document["diagnostics"] if found["severity"] == "error"], "--strict: no error")


def check_puzzles(context: Context) -> None:
    """What some plan fills is filled, and proved: with lives that are long beside all steps, and with pieces that stay."""
    for pieces, steps, height, fixed, words in ((103, 40, 1 << 18, 0, []), (150, 60, 1 << 20, 10, ["--keep"])):
        for seed in range(3):
            name = f"puzzle-{seed}-{fixed}.csv"
            wanted = puzzle(seed, pieces, steps, height, fixed)
            (context.work / name).write_text(table_of(wanted))
            same(name, judge(name, wanted, plan_table(context, name, *words)), height)
            same(f"{name}: proof", only_arena(plan_document(context, name, *words))["proof"], "bound")
            placed = {block["id"]: block["offset"] for block in plan_document(context, name, *words)["blocks"]}
            for buffer in wanted[:fixed]:
                same(f"{name}: where {buffer.id} stays", placed[buffer.id], buffer.offset)
    for name, height in (("long_100_0.csv", 1 << 18), ("fix10_0.csv", 1 << 20)):
        path = ELSEWHERE.parent / "found" / "planner" / name
        if not path.is_file():
            print(f"skipped: {path} is not there")
            continue
        arena = only_arena(plan_document(context, path))
        same(name, (arena["height_bytes"], arena["proof"]), (height, "bound"))


def body(context: Context) -> str:
    paths = dict(data_sets(context.options.largest))
    check_known(context)
    check_first_fit(context)
    check_forms(context)
    check_round_trips(context)
    check_shortage(context)
    check_puzzles(context)
    check_strict(context)
    peers = check_peers(context, paths)
    check_data(context, paths)
    targets = 0 if context.options.quick else check_targets(context, paths)
    elsewhere = "" if ELSEWHERE.is_dir() else f"; {ELSEWHERE} is not there"
    return f"{len(paths)} tables are planned, {peers} as peers would, {targets} down to known targets{elsewhere}"


if __name__ == "__main__":
    main(__doc__ or "", body, options)
