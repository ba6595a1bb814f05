"""Logs of real boards against maps: what validate --log says, held against the logs' own text.

The rows of the application note's table are read here by one expression, and the heaps are those of its patch
(tests/data/ti/cases.json). Boot lines and statistics of other boards are read by one expression each, and held against
what TI's own scripts write (tests/data/ti/<board>.json).
"""

import re
from dataclasses import dataclass
from typing import Any

from support import DATA, MIB, TRACE, Context, check, main, number, parse_json, read, read_json, same

BOARD, CORE = "j722s-sdk11", "c7x_2"
LOGS = DATA / "logs"
ROW = re.compile(r"(\d+)\s*,\s*([\w /-]+?)\s*,\s*(Persistent|Scratch)\s*,\s*\d+,\s*([\d.]+)\s*,\s*0x([0-9a-f]{8})")
# By the printed space and attribute.
HEAPS = {
    ("DDR Non-cacheable", "Persistent"): "DDR_C7X_2_LOCAL_HEAP_NON_CACHEABLE",
    ("DDR Non-cacheable", "Scratch"): "DDR_C7X_2_SCRATCH_NON_CACHEABLE",
    ("DDR Cacheable", "Persistent"): "DDR_C7X_2_LOCAL_HEAP",
    ("DDR Cacheable", "Scratch"): "DDR_C7X_2_SCRATCH",
    ("L1D", "Scratch"): "L2RAM_C7x_2_AUX_AS_L1",
    ("L2", "Scratch"): "L2RAM_C7x_2_AUX",
    ("L3/MSMC", "Scratch"): "L2RAM_C7x_2_MAIN",
}
ORDER = list(HEAPS.values())[:4]
KNOBS = [f"c7x_2_ddr_{name}_size" for name in
         ("local_heap_non_cacheable", "scratch_non_cacheable", "local_heap", "scratch")]
BASE = 0x110000000
BOOT = re.compile(r"\[C7x_(\d) ?\].*Created heap \((\w+), .*\) @ ([0-9a-f]+) of size (\d+) bytes")
# In the order of the boards' data; of the SDKs that have two heaps a core.
SHARED = {"DDR_SHARED_MEM": "LOCAL_HEAP", "DDR_LOCAL_MEM": "LOCAL_HEAP", "DDR_SCRATCH_MEM": "SCRATCH",
          "DDR_NON_CACHE_M": "LOCAL_HEAP_NON_CACHEABLE", "DDR_SCRATCH_NON": "SCRATCH_NON_CACHEABLE"}


@dataclass(frozen=True)
class Row:
    record: int
    region: str
    # As printed, to the nearest byte, and rounded up.
    size: int
    ceiling: int
    low: int


def rows_of(text: str) -> list[Row]:
    rows = []
    for match in ROW.finditer(text):
        hundredths = int(match[4].replace(".", "")) * 1024
        rows.append(Row(int(match[1]), HEAPS[match[2], match[3]], (hundredths + 50) // 100, -(-hundredths // 100),
                        number("0x" + match[5])))
    return rows


def layout_of(sizes: list[int]) -> dict[str, tuple[int, int]]:
    """The four heaps follow each other, as in the generator script; memory on the chip stays where it is."""
    regions, at = {}, BASE
    for name, size in zip(ORDER, sizes):
        regions[name] = (at, size)
        at += size
    return regions | {"L2RAM_C7x_2_AUX_AS_L1": (0x7F83C000, 16 << 10), "L2RAM_C7x_2_AUX": (0x7F800000, 240 << 10),
                      "L2RAM_C7x_2_MAIN": (0x7E200000, 2 * MIB)}


def is_inside(row: Row, regions: dict[str, tuple[int, int]]) -> bool:
    base, size = regions[row.region]
    return (row.low - base) % (1 << 32) + row.size <= size


def validate(context: Context, *arguments: object, expect: int) -> dict[str, Any]:
    done = context.run("validate", *arguments, "--json", expect=expect)
    document: dict[str, Any] = parse_json(done.stdout, "validate --json")
    same("schema", document["schema"], "memsize.validate/1")
    return document


def found(document: dict[str, Any], code: str) -> list[dict[str, Any]]:
    return [item for item in document["diagnostics"] if item["code"] == code]


def settings(sizes: list[int]) -> list[str]:
    return [word for knob, size in zip(KNOBS, sizes) for word in ("--set", f"{knob}={size}")]


def check_records(log: dict[str, Any], rows: list[Row], regions: dict[str, tuple[int, int]]) -> int:
    """Each record is where the table and the layout put it. Gives how many lie outside."""
    same("records", [record["record"] for record in log["records"]], [row.record for row in rows])
    outside = 0
    for record, row in zip(log["records"], rows):
        what = f"record {row.record}"
        inside = is_inside(row, regions)
        outside += not inside
        same(f"{what}: where", record["where"], "inside" if inside else "outside")
        same(f"{what}: region", record["region"], row.region)
        same(f"{what}: size", record["size_bytes"], row.size)
        same(f"{what}: low word", number(record["address_low"]), row.low)
        if inside:
            base = regions[row.region][0]
            same(f"{what}: address", number(record["address"]), base + (row.low - base) % (1 << 32))
    same("inside, outside", (log["inside"], log["outside"]), (len(rows) - outside, outside))
    return outside


def check_regions(log: dict[str, Any], rows: list[Row], regions: dict[str, tuple[int, int]]) -> None:
    same("regions", sorted(region["region"] for region in log["regions"]), sorted(regions))
    for region in log["regions"]:
        name = region["region"]
        base, size = regions[name]
        same(f"{name}: core", region["core"], CORE)
        same(f"{name}: base, size", (number(region["base"]), region["size_bytes"]), (base, size))
        own = [row for row in rows if row.region == name]
        same(f"{name}: records", region["records"], len(own))
        inside = [row for row in own if is_inside(row, regions)]
        same(f"{name}: inside", region["inside"], len(inside))
        same(f"{name}: largest", region["largest"]["size_bytes"], max(row.size for row in own))
        if inside:
            used = max((row.low - base) % (1 << 32) + max(row.ceiling, 1) for row in inside)
            same(f"{name}: in use", region["used_bytes"], min(used, size))
            same(f"{name}: left", region["left_bytes"], max(size - used, 0))
            same(f"{name}: percent", region["left_percent"], max(size - used, 0) * 100 // size)
        else:
            check("used_bytes" not in region, f"{name}: something is in use")


def check_note(context: Context) -> int:
    """The application note's own log, on its own map and on others."""
    rows = rows_of(read(TRACE))
    same("rows", len(rows), 16)
    case = next(item for item in read_json(DATA / "cases.json") if item["id"] == "appnote_j722s_c7x2")
    sizes = [case["set"][knob] for knob in KNOBS]
    changed = layout_of(sizes)
    for name, (origin, length) in case["linker"][CORE].items():
        same(f"the note's {name}", changed[name], (number(origin), number(length)))

    # The map that the log itself asks for is the note's, and so is the one with its sizes.
    for arguments in (["--trace", TRACE], settings(sizes)):
        document = validate(context, "--board", BOARD, *arguments, "--log", TRACE, expect=0)
        same("outside", check_records(document["log"], rows, changed), 0)
        check_regions(document["log"], rows, changed)
        same("errors", [item for item in document["diagnostics"] if item["severity"] != "note"], [])
    text = context.run("validate", "--board", BOARD, "--trace", TRACE, "--log", TRACE).stdout
    check("16 records, each inside of its region" in text, f"the report does not say so:\n{text}")

    # The default map: what does not lie at the very beginning is somewhere else.
    standard = layout_of([64 * MIB] * 4)
    document = validate(context, "--board", BOARD, "--log", TRACE, expect=1)
    outside = check_records(document["log"], rows, standard)
    check(outside == 9, f"{outside} outside of the default map")
    check_regions(document["log"], rows, standard)
    (said,) = found(document, "log.outside")
    check(f"{outside} of 16 records" in said["message"], said["message"])
    check("DDR_C7X_2_LOCAL_HEAP_NON_CACHEABLE" in said["details"][0], "where they are is not said")

    check_old_firmware(context, rows, standard, sizes)
    return len(rows)


def check_old_firmware(context: Context, rows: list[Row], standard: dict[str, tuple[int, int]],
                       sizes: list[int]) -> None:
    """The same records where the default map has their heaps, held against the note's map."""
    changed = layout_of(sizes)
    text = read(TRACE)
    for row in rows:
        moved = (row.low - changed[row.region][0] + standard[row.region][0]) % (1 << 32)
        text = text.replace(f"0x{row.low:08x}", f"0x{moved:08x}!")
    old = context.work / "old.log"
    old.write_text(text.replace("!", ""), encoding="utf-8")
    document = validate(context, "--board", BOARD, "--log", old, expect=0)
    same("outside", check_records(document["log"], rows_of(read(old)), standard), 0)
    document = validate(context, "--board", BOARD, *settings(sizes), "--log", old, expect=1)
    (said,) = found(document, "log.outside")
    check(any("default map" in detail for detail in said["details"]), f"old firmware is not named: {said}")
    check("firmware of c7x_2" in said["hint"], said["hint"])


def check_times(context: Context) -> None:
    after = read(LOGS / "02_j722s_sdk11.01_appnote_postrun.log")
    begun = re.search(r"NETWORK_INIT_TIME = ([\d.]+)", after)
    run = re.search(r"NETWORK_EXECUTION_TIME = ([\d.]+) .*= ([\d.]+), ([\d.]+), ([\d.]+)", after)
    check(begun and run, "the note's times are not there")
    assert begun and run
    before = after.replace(begun[1], "150.50").replace(run[1], "4.75")
    for name, text in (("before.log", before), ("after.log", after)):
        (context.work / name).write_text(read(TRACE) + text, encoding="utf-8")
    document = validate(context, "--board", BOARD, "--trace", "before.log", "--log", "after.log", expect=0)
    (pair,) = document["log"]["times"]
    figures = ("init_ms", "execution_ms", "read_mb", "written_mb")
    same("before", [pair["before"][key] for key in figures], [150.5, 4.75, float(run[2]), float(run[3])])
    same("after", [pair["after"][key] for key in figures],
         [float(begun[1]), float(run[1]), float(run[2]), float(run[3])])


def check_failures(context: Context) -> None:
    """A real failure alone, on the core that it names; and behind the note's table, in a heap that is too small."""
    real = LOGS / "05_j721e_sdk8.2_gsoc_alloc_failure_c7x.log"
    size = re.search(r"memory record 5 @ space = 17 and size = (\d+)", read(real))
    check(size, "the failure is not there")
    assert size
    shown = f"{int(size[1]):,}".replace(",", " ")
    document = validate(context, "--board", BOARD, "--log", real, expect=3)
    (said,) = found(document, "trace.failed")
    check("DDR_C7X_1_LOCAL_HEAP" in said["message"] and shown in said["message"], said["message"])
    failed = context.work / "failed.log"
    failed.write_text(re.sub(r"0x[0-9a-f]{8}", "0x00000000", read(TRACE)) +
                      read(real).replace("C7x_1 ]", "[C7x_2 ]"), encoding="utf-8")
    document = validate(context, "--board", BOARD, "--trace", TRACE, "--log", failed, expect=3)
    (said,) = found(document, "trace.failed")
    check("DDR_C7X_2_LOCAL_HEAP" in said["message"] and shown in said["message"], said["message"])
    least = [detail for detail in said["details"] if "at least" in detail]
    check(len(least) == 1, f"how much is needed is not said: {said['details']}")
    same("records with an address", document["log"]["inside"] + document["log"]["outside"], 0)


def heaps_of(board: str) -> dict[str, tuple[int, int]]:
    return {region["name"]: (number(region["origin"]), number(region["length"]))
            for region in read_json(DATA / f"{board}.json")["regions"]}


def check_boots(context: Context) -> int:
    """Boot lines of an older SDK on the newer one's board: every heap is elsewhere."""
    log = LOGS / "08_j721s2_visionapps_docs_boot_heaps_c7x1_c7x2.log"
    regions = heaps_of("j721s2")
    expected = {}
    for core, name, address, size in BOOT.findall(read(log)):
        region = f"DDR_C7X_{core}_{SHARED.get(name)}"
        if name in SHARED and regions[region] != (number("0x" + address), int(size)):
            expected.setdefault(f"c7x_{core}", []).append((region, number("0x" + address)))
    check(expected, "no boot line differs")
    document = validate(context, "--board", "j721s2", "--log", log, expect=1)
    said = {item["message"].split(":")[0]: item for item in found(document, "log.heap")}
    same("cores", sorted(said), sorted(expected))
    for core, heaps in expected.items():
        same(f"{core}: heaps", len(said[core]["details"]), len(heaps))
        for region, address in heaps:
            check(any(detail.startswith(f"{region}: ") and f"0x{address:X} in the log" in detail
                      for detail in said[core]["details"]), f"{core}: {region} is not told: {said[core]['details']}")
    return sum(map(len, expected.values()))


def statistics_of(text: str) -> list[tuple[str, str, int, int]]:
    """Core, heap, size and what is in use, of Markdown statistics."""
    heaps, core = [], ""
    for line in text.splitlines():
        if line.startswith("##CPU: "):
            core = line.removeprefix("##CPU: ").strip()
        row = re.fullmatch(r"\s*(\w+) \|\s*(\d+) B \|\s*(\d+) B \|.*", line)
        if row and row[1] in SHARED:
            heaps.append((core, row[1], int(row[2]), int(row[2]) - int(row[3])))
    return heaps


def check_statistics(context: Context) -> int:
    """Statistics of heaps of the map's sizes are what is in use; of other sizes, they are another map's."""
    checked = 0
    log = LOGS / "10_j721s2_datasheet_app_tidl_avp2_two_models_heaptables.log"
    document = validate(context, "--board", "j721s2", "--log", log, expect=0)
    checked += check_used(document, statistics_of(read(log)))
    log = LOGS / "09_j784s4_datasheet_app_tidl_cam_heaptables_c7x.log"
    heaps = statistics_of(read(log))
    document = validate(context, "--board", "j784s4", "--log", log, expect=1)
    same("cores of other firmware", sorted(item["message"].split(":")[0] for item in found(document, "log.heap")),
         sorted({core for core, _, _, _ in heaps}))
    knobs = [f"{core}_ddr_{region.lower()}_size={size}" for core, name, size, _ in heaps for region in (SHARED[name],)]
    document = validate(context, "--board", "j784s4", *[word for knob in knobs for word in ("--set", knob)],
                        "--log", log, expect=0)
    same("heaps of other sizes", found(document, "log.heap"), [])
    return checked + check_used(document, heaps)


def check_used(document: dict[str, Any], heaps: list[tuple[str, str, int, int]]) -> int:
    regions = {region["region"]: region for region in document["log"]["regions"]}
    for core, name, size, used in heaps:
        region = regions[f"DDR_{core.upper()}_{SHARED[name]}"]
        same(f"{core} {name}", (region["size_bytes"], region["used_bytes"], region["used_from"], region["left_bytes"]),
             (size, used, "statistics", size - used))
    check(heaps, "no statistics")
    return len(heaps)


def body(context: Context) -> str:
    records = check_note(context)
    check_times(context)
    check_failures(context)
    boots = check_boots(context)
    statistics = check_statistics(context)
    return (f"{records} records of the application note on its map, on the default map and moved; times before and "
            f"after; two failures; {boots} boot lines, {statistics} statistics")


if __name__ == "__main__":
    main(__doc__, body)
