"""What real logs say, read by a person, against what memsize says of them.

One file of tests/accept/logs a log: how memsize ends, which codes it has, and every table, total, heap, failure and run
with its line; what a file does not name must not be there. The logs are in tests/data/ti/logs; large ones only where
MEMSIZE_TI_LOGS, or a folder shared/data/ti/logs beside the sources, has them. Then the same logs with one known table
behind them, which must be all that is new (not those that say "alone").
"""

import argparse
import json
import os
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

from support import DATA, SOURCE, Context, check, main, parse_json, same_keys

LOGS = Path(__file__).resolve().parent / "logs"
ELSEWHERE = Path(os.environ.get("MEMSIZE_TI_LOGS", SOURCE.parent / "shared" / "data" / "ti" / "logs"))

# Codes that speak of the log itself: of these, those that are expected are all that there may be.
OF_THE_LOG = ("read.", "trace.")

# The known table: record, space, lifetime, printed KiB, as SDK 10 and newer print it.
KNOWN = [
    (0, "DDR Non-cacheable", "Persistent", "19.42"), (1, "DDR Cacheable", "Persistent", "0.66"),
    (2, "L1D", "Scratch", "16.00"), (3, "L2", "Scratch", "224.00"), (4, "L3/MSMC", "Scratch", "2048.00"),
    (5, "DDR Cacheable", "Persistent", "2755.41"), (6, "DDR Non-cacheable", "Scratch", "4.00"),
    (7, "DDR Non-cacheable", "Persistent", "148.25"), (8, "DDR Non-cacheable", "Scratch", "0.13"),
    (9, "DDR Non-cacheable", "Scratch", "3.13"), (10, "DDR Cacheable", "Persistent", "530.19"),
    (11, "DDR Cacheable", "Scratch", "4096.25"), (12, "DDR Non-cacheable", "Persistent", "2048.00"),
    (13, "DDR Cacheable", "Persistent", "1390.06"), (14, "DDR Non-cacheable", "Persistent", "0.00"),
    (15, "DDR Cacheable", "Persistent", "4381.13"),
]
PRINTED = {"L1D": ("l1d", "on-chip"), "L2": ("l2", "on-chip"), "L3/MSMC": ("l3", "on-chip"),
           "DDR Cacheable": ("ddr", "cacheable"), "DDR Non-cacheable": ("ddr", "non-cacheable")}
KNOWN_CORE = "c7x_9"


def bytes_of(printed_kib: str) -> int:
    """A size printed in units of 1024 B, to the nearest byte."""
    return int((Decimal(printed_kib) * 1024).quantize(Decimal(1), ROUND_HALF_UP))


class Differences:
    def __init__(self) -> None:
        self.found: list[str] = []

    def add(self, text: str) -> None:
        self.found.append(text)

    def same(self, what: str, actual: Any, expected: Any) -> None:
        if actual != expected:
            self.add(f"{what}: is {actual!r}, expected {expected!r}")

    def lists(self, what: str, actual: list[Any], expected: list[Any], compare: Any) -> None:
        """Both in one order; the rest of the longer one is told."""
        for index, (one, other) in enumerate(zip(actual, expected)):
            compare(f"{what}[{index}]", one, other)
        for extra in actual[len(expected):]:
            self.add(f"{what}: unexpected {json.dumps(extra)}")
        for missing in expected[len(actual):]:
            self.add(f"{what}: missing {json.dumps(missing)}")


def exact(expected: dict[str, Any]) -> dict[str, Any]:
    """What memsize must print where the size was printed in KiB."""
    if "printed_kib" in expected:
        return expected | {"size_bytes": bytes_of(expected["printed_kib"])}
    return expected


def compare_parts(differences: Differences, optional: tuple[str, ...]) -> Any:
    """Compares two objects key by key. Optional keys count only where they are expected."""
    def compare(what: str, actual: dict[str, Any], expected: dict[str, Any]) -> None:
        expected = exact(expected)
        for key in sorted((set(actual) - set(optional)) | set(expected)):
            if key == "address" and key in actual and key in expected:
                differences.same(f"{what}.address", int(actual[key], 16), int(expected[key], 16))
            else:
                differences.same(f"{what}.{key}", actual.get(key), expected.get(key))
    return compare


def compare_tables(differences: Differences, document: dict[str, Any], expected: list[dict[str, Any]]) -> None:
    actual = [(core, instance) for core in document.get("cores", []) for instance in core["instances"]]

    def compare(what: str, pair: tuple[dict[str, Any], dict[str, Any]], table: dict[str, Any]) -> None:
        core, instance = pair
        differences.same(f"{what}.core", core.get("core"), table.get("core"))
        if table["rows"]:
            differences.same(f"{what}.form", instance.get("form"), table["form"])
        if "complete" in table:
            differences.same(f"{what}.complete", instance.get("complete"), table["complete"])
        differences.same(f"{what}.times", instance.get("times", 1), table.get("times", 1))
        rows = sorted(instance.get("blocks", []), key=lambda block: block["record"])
        differences.lists(f"{what}.rows", rows, table["rows"], compare_parts(differences, ("alignment",)))
        differences.lists(f"{what}.totals", instance.get("totals", []), table.get("totals", []),
                          compare_parts(differences, ()))

    differences.lists("tables", actual, expected, compare)


def compare_failures(differences: Differences, document: dict[str, Any], expected: dict[str, Any]) -> None:
    may = expected.get("failures_may", [])
    actual = [failure for failure in document.get("failures", [])
              if not any(all(failure.get(key) == value for key, value in one.items()) for one in may)]

    def compare(what: str, failure: dict[str, Any], wanted: dict[str, Any]) -> None:
        if wanted["says"] not in failure.get("message", ""):
            differences.add(f"{what}: {failure.get('message')!r} does not say {wanted['says']!r}")
        facts = {key: value for key, value in wanted.items() if key != "says"}
        compare_parts(differences, ("input", "message"))(what, failure, facts)

    differences.lists("failures", actual, expected.get("failures", []), compare)


def compare_codes(differences: Differences, document: dict[str, Any], expected: dict[str, Any]) -> None:
    codes = {severity: sorted({diagnostic["code"] for diagnostic in document["diagnostics"]
                               if diagnostic["severity"] == severity}) for severity in ("error", "warning")}
    differences.same("errors", codes["error"], sorted(expected["errors"]))
    # What memsize says of a failure that is no lack of memory is a warning of its own.
    told = {"trace.other"} if expected.get("failures") and "trace.failed" not in expected["errors"] else set()
    wanted = set(expected["warnings"]) | told
    for code in sorted(wanted - set(codes["warning"])):
        differences.add(f"warnings: {code} is missing")
    for code in codes["warning"]:
        if code not in wanted and (code.startswith(OF_THE_LOG) or code.startswith(tuple(expected.get("never", ["-"])))):
            differences.add(f"warnings: {code} is not wanted")


def compare_demands(differences: Differences, document: dict[str, Any], expected: list[dict[str, Any]]) -> None:
    found = {(core.get("core"), demand["space"], demand["cacheability"], demand["lifetime"]): demand
             for core in document.get("cores", []) for demand in core.get("demands", [])}
    for wanted in expected:
        key = (wanted["core"], wanted["space"], wanted["cacheability"], wanted["lifetime"])
        what = "demand " + " ".join(key)
        demand = found.get(key)
        if demand is None:
            differences.add(f"{what}: is missing")
            continue
        for flag in ("lower_bound", "totals_only"):
            if flag in wanted:
                differences.same(f"{what}.{flag}", demand.get(flag), wanted[flag])
        figure = max(demand.get(name, 0) for name in
                     ("requested_bytes", "bound_bytes", "extent_bytes", "statistics_bytes", "failed_bytes"))
        if figure < wanted["at_least_bytes"]:
            differences.add(f"{what}: {figure} B, expected at least {wanted['at_least_bytes']}")


def compare(document: dict[str, Any], expected: dict[str, Any]) -> list[str]:
    differences = Differences()
    if "input" in expected:
        inputs = document.get("inputs", [{}])
        differences.same("inputs", len(inputs), 1)
        for key in ("lines", "records"):
            differences.same(f"input.{key}", inputs[0].get(key), expected["input"][key])
        differences.same("input.format", inputs[0].get("format"), "tidl-log")
        differences.same("input.broken_rows", inputs[0].get("broken_rows", 0), 0)
        differences.same("input.emulated", inputs[0].get("emulated", False), expected.get("emulated", False))
    if "generation" in expected:
        differences.same("generation", document.get("generation"), expected["generation"])
    compare_tables(differences, document, expected.get("tables", []))
    part = compare_parts(differences, ("input",))
    differences.lists("heaps", document.get("heaps", []), expected.get("heaps", []), part)
    compare_failures(differences, document, expected)
    differences.lists("runs", document.get("runs", []), expected.get("runs", []), part)
    compare_demands(differences, document, expected.get("demands", []))
    compare_codes(differences, document, expected)
    return differences.found


def analyze(context: Context, log: Path, arguments: list[str], exit_status: int) -> tuple[dict[str, Any], list[str]]:
    done = context.run("analyze", "--json", log, *arguments, expect=tuple(range(256)))
    wrong = [] if done.returncode == exit_status else [f"exit status: is {done.returncode}, expected {exit_status}"]
    return parse_json(done.stdout, f"analyze --json {log.name}"), wrong


def known_rows(prefix: str) -> str:
    """The known table as it is printed, with a base in every row."""
    return "".join(f"{prefix}{record:<12d}, {space:<20s}, {lifetime:<12s}, {128:4d}, {size:<8s}, 0x{base:08x}\n"
                   for (record, space, lifetime, size), base in zip(KNOWN, range(0x20000000, 0x30000000, 0x1000000)))


def with_known_table(expected: dict[str, Any], lines: int) -> dict[str, Any]:
    rows = [{"line": lines + index, "record": record, "space": PRINTED[space][0], "cacheability": PRINTED[space][1],
             "lifetime": lifetime.lower(), "alignment": 128, "printed_kib": size,
             "address": f"{0x20000000 + record * 0x1000000:#x}"}
            for index, (record, space, lifetime, size) in enumerate(KNOWN, 1)]
    table = {"core": KNOWN_CORE, "form": "kib-placed", "complete": True, "rows": rows}
    emulated = expected.get("emulated", False)
    records = expected.get("input", {"records": 0})["records"]
    later: dict[str, Any] = {
        **expected, "input": {"lines": lines + len(rows), "records": records + len(rows)},
        "exit": 0 if expected["exit"] == 1 else expected["exit"],
        "errors": [code for code in expected["errors"] if code != "read.no-table"],
        "warnings": [code for code in expected["warnings"] if code != "read.no-table"]
                    + (["sizing.emulated"] if emulated else []),
        "tables": [*expected.get("tables", []), table],
    }
    later.pop("generation", None)
    return later


def check_with_known_table(context: Context, log: Path, expected: dict[str, Any]) -> list[str]:
    """Nothing that stands before a table changes it, and the table changes nothing that stands before it."""
    emulated = expected.get("emulated", False)
    text = log.read_bytes()
    path = context.work / ("more-" + log.name)
    path.write_bytes(text + known_rows("" if emulated else "[C7x_9 ]     99.123456 s: ").encode())
    later = with_known_table(expected, text.count(b"\n"))
    document, wrong = analyze(context, path, ["--core", KNOWN_CORE] if emulated else [], later["exit"])
    return ["with a known table behind it: " + difference for difference in wrong + compare(document, later)]


def find(name: str) -> Path | None:
    return next((folder / name for folder in (DATA / "logs", ELSEWHERE) if (folder / name).is_file()), None)


def body(context: Context) -> str:
    expectations = [parse_json(path.read_text(encoding="utf-8"), path.name) for path in sorted(LOGS.glob("*.json"))]
    logs = {path.name for folder in (DATA / "logs", ELSEWHERE) for path in folder.glob("*.log")}
    same_keys("logs that are expected", {item["log"] for item in expectations} | logs,
              {item["log"] for item in expectations})
    differences: dict[str, list[str]] = {}
    absent = []
    chosen = [item for item in expectations if context.options.only in item["log"]]
    for expected in chosen:
        log = find(expected["log"])
        if log is None:
            absent.append(expected["log"])
            continue
        document, wrong = analyze(context, log, expected["arguments"], expected["exit"])
        found = wrong + compare(document, expected)
        if not expected.get("alone"):
            found += check_with_known_table(context, log, expected)
        if found:
            differences[expected["log"]] = found
    for name in absent:
        print(f"not here, so not read: {name}")
    read = len(chosen) - len(absent)
    check(read, "no log was read")
    check(not differences, f"{len(differences)} of {read} logs differ\n" + "\n".join(
        f"{name}:\n" + "\n".join(f"    {line}" for line in lines) for name, lines in differences.items()))
    return f"{read} logs as a person reads them, each also with a table behind it; {len(absent)} are not here"


def extra(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", default="", metavar="TEXT", help="logs whose name contains this")


if __name__ == "__main__":
    main(__doc__, body, extra)
