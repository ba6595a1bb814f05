"""Logs of other vendors, read by formats that are data: sums and peaks against a reading of the test's own, line by line.

The test's patterns are those of Python's `re`, written down here by what vendors print, not taken from boards/formats.
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any, Dict

TIDL = r"""schema = 1
format = "rows"
title = "TIDL's rows, by a pattern"

[log]

[[log.row]]
pattern = '\[(?P<core>\w+) *\].* (?P<name>\d+)\s*, DDR (?P<kind>(?:Non-c|C)acheable\s*, \w+)\s*, (?P<align>\d+), (?P<size>[\d.]+)\s*, 0x(?P<address>[0-9a-f]+)'
unit = "1KiB"
[log.row.kinds]
"""


def expect(what: str, got: object, wanted: object) -> None:
    if got != wanted:
        raise AssertionError(f"{what}: {got!r}, expected {wanted!r}")


class Court:
    def __init__(self, memsize: Path, source: Path, work: Path):
        self.memsize, self.source, self.work = memsize, source, work

    def run(self, *words: str, status: int = 0) -> str:
        done = subprocess.run([str(self.memsize), *words], cwd=self.work, capture_output=True, text=True, timeout=120,
                              check=False)
        if done.returncode != status:
            raise AssertionError(f"{' '.join(words)}: exit status {done.returncode}, expected {status}\n{done.stderr}")
        return done.stdout

    def demands(self, *words: str, status: int = 0) -> Dict[str, int]:
        document: Dict[str, Any] = json.loads(self.run("analyze", *words, "--json", status=status))
        return {f"{core.get('core', '')} {demand['space']} {demand['cacheability']} {demand['lifetime']}": demand["requested_bytes"]
                for core in document["cores"] for demand in core["demands"]}

    def sample(self, name: str) -> Path:
        return self.source / "samples" / "formats" / name


def check_tflm(court: Court) -> None:
    text = court.sample("tflm.log").read_text(encoding="utf-8")
    sizes = {what: int(size) for what, size in re.findall(r"Arena allocation (\w+) (\d+) bytes", text)}
    expect("the log's own sum", sizes["head"] + sizes["tail"], sizes["total"])
    expect("arena", court.demands(str(court.sample("tflm.log"))), {"mcu arena cacheable persistent": sizes["total"]})
    # Two models, each with an arena of its own; and the same with what else a console prints.
    path = court.work / "two.log"
    path.write_text("".join(f"[ {i}.{i:06}] {line}\n" for i, line in enumerate((text + text.replace("13520", "23520").replace(
        "15732", "25732")).splitlines())), encoding="utf-8")
    expect("two arenas", court.demands("two.log"), {"mcu arena cacheable persistent": 15732 + 25732})


def check_rknn(court: Court) -> None:
    text = court.sample("rknn.log").read_text(encoding="utf-8")
    sums: Dict[str, int] = defaultdict(int)
    for name, size in re.findall(r"allocated memory, name: (\w+),.* aligned size: (\d+)", text):
        sums[f"npu ddr non-cacheable {'persistent' if name in ('task', 'weight') else 'scratch'}"] += int(size)
    expect("buffers", court.demands(str(court.sample("rknn.log"))), dict(sums))


def check_ion(court: Court) -> None:
    text = court.sample("cvi_ion.log").read_text(encoding="utf-8")
    used = int(re.search(r"used:(\d+)", text).group(1))
    expect("rows", sum(int(line.split()[1]) for line in text.splitlines() if len(line.split()) == 5 and
                       line.split()[0].isdigit()), used)
    path = str(court.sample("cvi_ion.log"))
    board = str(court.sample("sg2002.toml"))
    expect("carve-out", court.demands(path), {"linux ddr non-cacheable persistent": used})
    document = json.loads(court.run("analyze", path, "--board", board, "--json"))
    demand = document["cores"][0]["demands"][0]
    expect("suggestion in whole MiB", demand["suggested_bytes"] % (1 << 20), 0)
    if not used * 1.0 <= demand["suggested_bytes"] <= used * 1.1 + (1 << 20):
        raise AssertionError(f"{demand['suggested_bytes']} for {used}")
    # More was in use before: that counts.
    peak = court.work / "peak.log"
    peak.write_text(text.replace("peak 19050496", "peak 31050496"), encoding="utf-8")
    expect("peak", court.demands("peak.log"), {"linux ddr non-cacheable persistent": 31050496})
    court.run("emit", "--board", board, "--trace", path, "--out", "map", "--only", "dts,map-json")
    region = json.loads((court.work / "map/memory_map.json").read_text(encoding="utf-8"))["regions"][0]
    size = region["size_bytes"] if "size_bytes" in region else region["size"]
    expect("what Linux gets back", size < 75 << 20, True)
    dts = (court.work / "map/sg2002-reserved-memory.dtsi").read_text(encoding="utf-8")
    expect("the carve-out's end stays", f"{0x8FE00000 - demand['suggested_bytes']:#010x}" in dts.lower() or
           f"{0x8FE00000 - demand['suggested_bytes']:x}" in dts.lower(), True)


def check_stedgeai(court: Court) -> None:
    text = court.sample("stedgeai.txt").read_text(encoding="utf-8")
    sizes = {what: int(size.replace(",", "")) for what, size in re.findall(r"(weights|activations|ram) \(\w+\) *: *([\d,]+) B", text)}
    expect("nothing beside the activations", sizes["ram"], sizes["activations"])
    expect("sizes", court.demands(str(court.sample("stedgeai.txt"))),
           {"mcu flash cacheable persistent": sizes["weights"], "mcu ram cacheable scratch": sizes["activations"]})


def check_tidl(court: Court) -> None:
    """TIDL's own rows by patterns: the same sizes as the built-in reader has."""
    source = court.source / "samples" / "j722s-mobilenet" / "trace.log"
    kinds = ""
    for printed in sorted(set(re.findall(r"DDR ((?:Non-c|C)acheable\s*, \w+)", source.read_text(encoding="utf-8")))):
        cache, lifetime = (word.strip().lower() for word in printed.split(","))
        kinds += f"{json.dumps(printed)} = \"{cache} {lifetime}\"\n"
    (court.work / "rows.toml").write_text(TIDL + kinds, encoding="utf-8")
    by_pattern = court.demands("--format", "rows.toml", str(source))
    expect("patterns and the built-in reader", by_pattern, court.demands(str(source)))


def check_documents(court: Court) -> None:
    """A format of one's own: its documents stand for its logs, if the format is named again."""
    own = court.source / "tests" / "golden" / "format-own"
    words = ("--format", str(own / "npu.toml"))
    court.run("analyze", *words, str(own / "npu.log"), "--json", "-o", "own.json")
    first = court.demands(*words, str(own / "npu.log"))
    expect("again", court.demands(*words, "own.json"), first)
    expect("sums", first, {"0 ddr cacheable persistent": 12800, "0 ddr cacheable scratch": 1 << 20,
                           "1 ddr cacheable persistent": 8192,
                           # Half of the last decimal may be missing: 1.55 MiB.
                           "1 ddr cacheable scratch": 1625293})
    court.run("analyze", "own.json", status=1)
    check = json.loads(court.run("format", "check", str(own / "npu.toml"), str(own / "npu.log"), "--json"))
    matched = {use["is"]: use["matched_lines"] for use in check["logs"][0]["patterns"]}
    expect("lines by pattern", matched, {"row": 4, "total": 1, "begins": 2, "ends": 2, "ignore": 1})


def check_damage(court: Court) -> None:
    """A digit that is gone is told, or changes nothing but the line that it was in."""
    chance = random.Random(7)
    for name in ("tflm", "rknn", "cvi_ion"):
        text = court.sample(f"{name}.log").read_text(encoding="utf-8")
        whole = court.demands(str(court.sample(f"{name}.log")))
        for _ in range(25):
            at = chance.randrange(len(text))
            damaged = text[:at] + chance.choice(("", "~", "x", "\n")) + text[at + 1:]
            (court.work / "damaged.log").write_text(damaged, encoding="utf-8")
            done = subprocess.run([str(court.memsize), "analyze", "--format", name, "damaged.log", "--json"], cwd=court.work,
                                  capture_output=True, text=True, timeout=60, check=False)
            document = json.loads(done.stdout)
            told = [item for item in document["diagnostics"] if item["severity"] in ("warning", "error")]
            found = {f"{core.get('core', '')} {d['space']} {d['cacheability']} {d['lifetime']}": d["requested_bytes"]
                     for core in document.get("cores", []) for d in core["demands"]}
            lower = any(found.get(key, 0) < size for key, size in whole.items())
            # A digit of a size may be lost without a trace where nothing adds the sizes up.
            shorter = damaged.count("\n") == text.count("\n") and text[at].isdigit()
            if lower and not told and not (name == "rknn" and shorter):
                raise AssertionError(f"{name}: {text[max(0, at - 30):at + 30]!r}: less, and nothing is said")


def check_speed(court: Court) -> None:
    """Patterns that others' engines need forever for: linear in the line."""
    hostile = "schema = 1\nformat = \"slow\"\ntitle = \"slow\"\n\n[log]\n[[log.row]]\nclass = \"cacheable scratch\"\n" \
              "pattern = 'mem (a|a|aa)*(a|aa)+b (?P<size>\\d+)'\n"
    (court.work / "slow.toml").write_text(hostile, encoding="utf-8")
    (court.work / "slow.log").write_text("mem " + "a" * 60000 + "c 5\nmem aab 7\n", encoding="utf-8")
    begun = time.monotonic()
    expect("the row that is one", court.demands("--format", "slow.toml", "slow.log"), {" ddr cacheable scratch": 7})
    if time.monotonic() - begun > 30:
        raise AssertionError("a line of 60 000 letters took longer than anything linear does")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memsize", required=True, type=Path)
    parser.add_argument("--source", required=True, type=Path)
    options = parser.parse_args()
    cases = (check_tflm, check_rknn, check_ion, check_stedgeai, check_tidl, check_documents, check_damage, check_speed)
    problems = 0
    with tempfile.TemporaryDirectory(prefix="memsize-formats-") as folder:
        court = Court(options.memsize.resolve(), options.source.resolve(), Path(folder))
        for case in cases:
            try:
                case(court)
            except (AssertionError, ValueError, KeyError, StopIteration, AttributeError) as problem:
                problems += 1
                print(f"{case.__name__}: {problem}")
    print(f"accept_formats: {len(cases)} cases, {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
