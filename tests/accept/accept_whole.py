"""The whole reservation: what each step of the application note's case gives back on two SDKs, as the facts of the SDK
say; that all rows together are the reservation; that the map that is written has these sizes, passes every check and runs;
and what statistics and images prove, by sums of this script."""

import json
import os
from pathlib import Path
from typing import Any

from firmware_files import Elf, Load, Section
from support import FEW, MIB, TRACE, Context, check, main, read, read_json, same

KIB = 1024
# Rows 1 to 4: as shipped; the model on c7x_2; c7x_1 idle; rings, run-time log and descriptors as the firmware uses them. MiB.
STEPS = {"j722s-sdk11": (1368, 1131, 879, 763.25), "j722s": (1288.25, 1051.25, 799.25, 767.25)}
BOARDS = ("am62a", "j721e", "j721s2", "j722s", "j722s-safertos", "j722s-sdk11", "j742s2", "j784s4", "j784s4-safertos")
HEAPS = ("local_heap_non_cacheable", "scratch_non_cacheable", "local_heap", "scratch")
IDLE = ["--idle", "c7x_1"]


def sized(context: Context, board: str, *words: object) -> dict[str, Any]:
    done = context.run("analyze", "--board", board, *words, "--json")
    return json.loads(done.stdout)


def row_of(document: dict[str, Any], knob: str) -> dict[str, Any]:
    rows = [row for row in document["reservation"] if row.get("knob") == knob]
    check(len(rows) == 1, f"{knob} has {len(rows)} rows")
    return rows[0]


def check_steps(context: Context) -> int:
    """Each step's reservation, in the sizing and in the map that is written."""
    values = 0
    for board, steps in STEPS.items():
        trace = ("--trace", TRACE, "--accept-generation")
        words: tuple[tuple[object, ...], ...] = ((), trace, (*trace, *IDLE), (*trace, *IDLE, "--whole"))
        for step, wanted in zip(words, steps):
            out = context.work / f"step_{values}"
            context.run("emit", "--board", board, *step, "--out", out)
            same(f"{board} {step}", read_json(out / "memory_map.json")["reserved_bytes"], int(wanted * MIB))
            context.run("check", "--map", out)
            values += 1
        context.run("validate", "--map", out)
        needs = read_json(out / "memory_map.json")["needs"]
        same("heaps that somebody's word sizes",
             sorted(row["knob"] for row in needs if row["class"] == "asserted"),
             sorted(f"c7x_1_ddr_{heap}_size" for heap in HEAPS))
        text = read(out / "REBUILD.md")
        check(text.count("c7x_1 is idle (you said so)") == 4, "REBUILD.md repeats what was asserted")
    return values


def check_sums(context: Context) -> int:
    """Every byte is in one row; the map that emit writes has what analyze said."""
    boards = BOARDS[::4] if FEW else BOARDS
    for board in boards:
        document = sized(context, board, "--whole")
        for kind, total in (("current", "reserved_bytes"), ("suggested", "suggested_reserved_bytes")):
            same(f"{board}: {kind}", sum(row[f"{kind}_bytes"] for row in document["reservation"]), document[total])
        written = read_json(write_map(context, board, "whole", "--whole") / "memory_map.json")
        same(f"{board}: reserved", written["reserved_bytes"], document["suggested_reserved_bytes"])
        sizes = {row["name"]: row["size_bytes"] for row in written["regions"] if row["kind"] == "region"}
        for row in document["reservation"]:
            if "knob" in row:
                same(f"{board}: {row['knob']}", written["knobs"][row["knob"]], row["suggested_bytes"])
                same(f"{board}: {row['region']}", sizes[row["region"]], row["suggested_bytes"])
                check(row["suggested_bytes"] <= row["current_bytes"], f"{board}: {row['region']} grows")
                check(row["suggested_bytes"] >= row.get("need_bytes", 0) or row["class"] == "kept",
                      f"{board}: {row['region']} has less than it needs")
    return len(boards)


def write_map(context: Context, board: str, name: str, *words: object) -> Path:
    out = context.work / f"{board}_{name}"
    context.run("emit", "--board", board, *words, "--out", out)
    context.run("check", "--map", out)
    return out


def check_idle(context: Context) -> int:
    """Four idle cores of a J784S4 get the part's step of 2 MiB for each heap; an idle core that is not is an error."""
    words = [word for core in range(1, 5) for word in ("--idle", f"c7x_{core}")]
    document = sized(context, "j784s4", *words)
    same("heaps", len(document["reservation"]), 16)
    same("sizes", {row["suggested_bytes"] for row in document["reservation"]}, {2 * MIB})
    # One fragment of free memory, and its end: what statistics of four idle C7x show.
    same("needs", sorted(row["need_bytes"] for row in document["reservation"]), [0] * 12 + [256] * 4)
    busy = context.run("analyze", TRACE, "--board", "j722s-sdk11", "--idle", "c7x_2", expect=1)
    check(f"{TRACE}:1: error[sizing.idle]: c7x_2 is not idle" in busy.stderr, busy.stderr)
    used = 252848 + 384
    log = statistics(context, "busy.log", "c7x_1", "DDR_LOCAL_MEM", 64 * MIB, [used])
    busy = context.run("analyze", log, "--board", "j722s", "--idle", "c7x_1", expect=1)
    check("c7x_1 is not idle: 247.30 KiB" in busy.stderr or "c7x_1 is not idle" in busy.stderr, busy.stderr)
    quiet = statistics(context, "quiet.log", "c7x_1", "DDR_LOCAL_MEM", 64 * MIB, [256])
    document = sized(context, "j722s", quiet, "--idle", "c7x_1")
    same("an idle core's statistics agree", {row["suggested_bytes"] for row in document["reservation"]}, {MIB})
    return 5


def statistics(context: Context, name: str, core: str, heap: str, size: int, used: list[int]) -> Path:
    """Lines as vx_app_heap_stats.out prints them."""
    log = context.work / name
    log.write_text("".join(f"CPU: {core:>6}: HEAP: {heap:>16}: size = {size:10} B, free = {size - bytes_:10} B "
                           f"({(size - bytes_) * 100 // size:3} % unused)\n" for bytes_ in used))
    return log


def check_statistics(context: Context) -> int:
    """An R5F's heap: several samples under load, half of the most besides, and 64 KiB; else it stays, and says why."""
    knob, size = "mcu2_0_ddr_local_heap_size", 32 * MIB
    used = [3_456_789, 5_000_001, 4_200_000]
    log = statistics(context, "load.log", "mcu2_0", "DDR_LOCAL_MEM", size, used)
    row = row_of(sized(context, "j722s", log, "--whole"), knob)
    wanted = max(used) + max(used) // 2 + 64 * KIB
    same("measured", (row["class"], row["need_bytes"], row["suggested_bytes"]),
         ("measured", max(used), -(-wanted // MIB) * MIB))
    for name, few, why in (("one.log", [5_000_000], "one sample"), ("idle.log", [64, 64, 4096], "of an idle mcu2_0")):
        row = row_of(sized(context, "j722s", statistics(context, name, "mcu2_0", "DDR_LOCAL_MEM", size, few), "--whole"), knob)
        same(f"{name}: class", (row["class"], row["suggested_bytes"]), ("kept", size))
        check(why in row["why"], f"{name}: {row['why']}")
    return 3


def check_pool(context: Context) -> int:
    """The pool that cores share: the most of all samples, its largest buffer, and a quarter; one sample is none."""
    knob, pool = "ddr_shared_mem_size", "carveout_vision_apps_shared-memories"
    samples = [[3, 30 * MIB, 12 * MIB], [9, 71 * MIB, 20 * MIB], [2, 24 * MIB, 24 * MIB]]
    probe = {"schema": "memsize.probe/1", "tool": "memsize-probe", "time": "2026-01-31T12:00:00Z", "uname": "Linux", "root": "/",
             "uid": 0, "files": [], "samples": [{"t": i * 0.1, "dmabuf": [[pool, *use], ["system", 1, 900 * MIB, 900 * MIB]]}
                                                for i, use in enumerate(samples)],
             "watch": {"source": "bufinfo", "seconds": 0.3, "every_ms": 100, "taken": 3, "ended": "time"}}
    (context.work / "probe.json").write_text(json.dumps(probe))
    document = sized(context, "j722s", "probe.json", "--whole")
    row = row_of(document, knob)
    need = (71 + 24) * MIB
    least = need + need // 4
    same("pool", (row["class"], row["need_bytes"], row["suggested_bytes"]), ("measured", need, -(-least // MIB) * MIB))
    # The document stands for the probe.
    (context.work / "pool.json").write_text(json.dumps(document))
    same("of a document", row_of(sized(context, "j722s", "pool.json", "--whole"), knob), row)
    probe["samples"], probe["watch"]["taken"] = probe["samples"][:1], 1
    (context.work / "probe.json").write_text(json.dumps(probe))
    row = row_of(sized(context, "j722s", "probe.json", "--whole"), knob)
    same("one sample", (row["class"], row["suggested_bytes"]), ("kept", 512 * MIB))
    check(row["why"].startswith("one sample of 30 MiB proves nothing"), row["why"])
    return 3


def check_images(context: Context) -> int:
    """Code: what the sections need, a tenth more, and a step; what keeps its size; and firmware of TI's where it is there."""
    base, size = 0xA2200000, 30 * MIB
    image = context.work / "folder" / "mcu2_0.out"
    image.parent.mkdir()
    low, high = 0x321000, 0x1400
    image.write_bytes(Elf([Section(".text", base, low), Section(".irqStack", base + size - high, high)],
                          [Load(base, low), Load(base + size - high, high)]).bytes())
    row = row_of(sized(context, "j722s-sdk11", "--images", image), "mcu2_0_ddr_size")
    need = low + high
    least = need + need // 10 + MIB
    same("need", (row["class"], row["need_bytes"]), ("derived", need))
    same("suggested", row["suggested_bytes"], -(-least // MIB) * MIB)
    check("mcu2_0.out" in row["why"] and "folder" not in row["why"], f"a file's name without its folder: {row['why']}")
    tight = row_of(sized(context, "j722s-sdk11", "--images", image, "--headroom", "0", "--tight"), "mcu2_0_ddr_size")
    check(need <= tight["suggested_bytes"] < least, f"without headroom: {tight['suggested_bytes']}")
    kept = row_of(sized(context, "j722s-sdk11", "--whole", "--images", image, "--keep-size", "mcu2_0_ddr_size"),
                  "mcu2_0_ddr_size")
    same("kept", (kept["class"], kept["why"], kept["suggested_bytes"]), ("kept", "you keep it", size))
    twice = context.run("analyze", "--board", "j722s-sdk11", "--images", image, image, expect=1)
    check("firmware.twice" in twice.stderr, twice.stderr)
    folder = os.environ.get("MEMSIZE_TI_IMAGES")
    if not folder:
        return 5
    real = Path(folder) / "vx_app_rtos_linux_mcu2_0.out"
    row = row_of(sized(context, "j722s-sdk11", "--images", real), "mcu2_0_ddr_size")
    # The top of what lies from the region's start on, and the stacks of the modes at its end.
    same("a real image", row["need_bytes"], 0x55D458 + 5120)
    written = read_json(write_map(context, "j722s-sdk11", "real", "--images", real) / "memory_map.json")
    check("sha256" in written["needs"][0]["why"], "the map says of which image its size is")
    return 7


def run(context: Context) -> str:
    return (f"{check_steps(context)} steps, {check_sums(context)} boards, {check_idle(context)} idle cores, "
            f"{check_statistics(context)} heaps, {check_pool(context)} pools, {check_images(context)} images")


if __name__ == "__main__":
    main(__doc__, run)
