"""Every JSON document of memsize against its schema in samples/schema, in both directions.

Documents are made by running the program, after success and after errors. Each must be one JSON document
that its schema accepts, and must have no key that the schema does not describe. Each key that a schema
describes must be in some document. The schemas themselves must be valid, and must describe every key.
"""

import argparse
import copy
import fcntl
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Iterator

SKIPPED = 77
PLANS = "samples/plans"
FIRMWARE = "samples/firmware/wake_apollo3p.map"
TRACE = "samples/j722s-mobilenet/trace.log"
SDK = "tests/fixtures/sdk.disagree/header-by-hand/sdk"
OLD, NEW = "j722s-sdk11", "j722s"

try:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError
except ImportError:
    print("validate_schemas: skipped: the Python module jsonschema (Debian: python3-jsonschema) is missing")
    sys.exit(SKIPPED)

# What the program neither reads nor prints: tests/accept/accept_abi.py holds these against their schemas.
OF_LIBRARY = ("memsize.request/1", "memsize.answer/1")

# Arguments, exit status. {trace}, {sdk}, {zy4}, {fixtures} and {source} are absolute paths; other paths are in the work folder.
# Each command prints one document.
COMMANDS = (
    # sizing
    ("analyze {trace} --json", 0),
    ("analyze {trace} --board j722s-sdk11 --json", 0),
    ("analyze {trace} --board j722s --json", 0),
    ("analyze {trace} {trace} --board j722s-sdk11 --instances apart --headroom 512KiB --json", 0),
    ("analyze {trace} --board j784s4 --tight --json", 0),
    ("analyze sizing.json --board j722s-sdk11 --json", 0),
    ("analyze cut.log --board j722s-sdk11 --json", 0),
    ("analyze cut.log --board j722s-sdk11 --strict --json", 1),
    ("analyze bare.log --json", 0),
    ("analyze missing.log --json", 1),
    ("analyze empty.log --json", 1),
    ("analyze notable.log --json", 1),
    ("analyze broken.json --format memsize-sizing --json", 1),
    ("analyze {trace} --format nothing --json", 2),
    ("analyze {trace} --headroom much --json", 2),
    ("analyze {trace} --board nothing --json", 2),
    ("analyze {trace} --core nothing --json", 1),
    ("analyze {trace} --json -o file/below.json", 4),
    ("analyze everything.log --json", 3),
    ("analyze everything.log {trace} --board j722s-sdk11 --one-priority --json", 3),
    ("analyze loaded-again.log --board j722s --json", 0),
    ("analyze totals.log --json", 0),
    ("analyze {fixtures}/read.no-table/probe-without-a-log/probe.json --board j722s --whole --idle c7x_1 --json", 0),
    ("analyze {fixtures}/sizing.idle/in-statistics/statistics.log --json", 0),
    ("analyze --board j784s4 --whole --json", 0),
    ("analyze emulated.log --json", 0),
    ("analyze whole.log --json", 0),
    ("analyze damaged.log --json", 0),
    ("analyze damaged.log --strict --json", 1),
    # no verb
    ("nosuch --json", 2),
    # fit
    ("fit {trace} {source}/samples/fit/detector.log {source}/samples/fit/segmenter.log --board j722s-sdk11 --budget 64MiB "
     "--core c7x_2 --json", 3),
    ("fit {trace} {source}/samples/fit/detector.log {source}/samples/fit/segmenter.log --board j722s-sdk11 --budget 64MiB "
     "--budget all=90MiB --core c7x_2 --core c7x_1 --json", 3),
    ("fit {source}/samples/fit/segmenter.log --board j722s-sdk11 --budget 64MiB --one-priority --tight --json", 0),
    ("fit {fixtures}/sizing.does-not-fit/fit-no-room/huge.log --board j722s-sdk11 --budget 8GiB --json", 3),
    ("fit {fixtures}/sizing.does-not-fit/fit-no-room/huge.log {source}/samples/fit/segmenter.log --board j722s-sdk11 "
     "--budget 16MiB --json", 3),
    ("fit {trace} {source}/samples/fit/detector.log {source}/samples/fit/segmenter.log --board j784s4 --budget all=64MiB "
     "--core c7x_2 --tight --accept-generation --json", 3),
    ("fit {trace} --board j722s-sdk11 --json", 2),
    ("fit missing.log --board j722s-sdk11 --budget 64MiB --json", 1),
    # fleet
    ("analyze runs --board j722s-sdk11 --json", 0),
    ("analyze runs --json", 0),
    ("analyze {source}/samples/formats --json", 0),
    ("analyze runs --board j722s-sdk11 --cover 60% --json", 0),
    ("analyze runs {trace} --cover 60% --json", 2),
    ("analyze nologs --json", 1),
    ("analyze runs {trace} --json", 2),
    # plan, check and diff of plans
    ("plan {plans}/vww_mobilenet.csv --json", 0),
    ("plan {plans}/helia/wake_residency.json {plans}/helia/aot_operator_manifest.json --json", 0),
    ("plan {plans}/helia/wake_residency.json {plans}/helia/aot_operator_manifest.json --board apollo510 --json", 0),
    ("plan {plans}/helia/aot_operator_manifest.json --board apollo510 --stage dtcm=512 --json "
     "--profile {plans}/helia/profile_results.csv", 0),
    ("plan {plans}/tflite/kws_ref_model.tflite --with {plans}/gaps.csv --board apollo510 --stage none --json", 0),
    ("plan {plans}/tflite/okay_nabu.tflite --reorder --json", 0),
    ("plan {plans}/tflite/okay_nabu.tflite --beside {plans}/gaps.csv --memory a=9KiB:1 --memory b=99KiB:2 --json", 0),
    ("plan {plans}/tflite/okay_nabu.tflite --beside missing.csv --json", 1),
    ("plan {plans}/ares/post_memory_plan.json {plans}/ares/run.log --json", 0),
    ("plan {plans}/st-edge-ai/network_c_info.json --json", 0),
    ("plan {fixtures}/../data/plans/slabs_network.json --board gap9 --json", 0),
    ("plan {fixtures}/../data/plans/slabs_network.json --board gap9 --sweep l1=2KiB..64KiB:+31KiB --json", 0),
    ("plan {fixtures}/../data/nnapi/everything.log --json", 0),
    ("plan {fixtures}/../data/nnapi/twenty.log --json", 0),
    ("plan {plans}/vww_mobilenet.csv --capacity 40KiB --json", 3),
    ("plan missing.csv --json", 1),
    ("plan {plans}/vww_mobilenet.csv --planner nothing --json", 2),
    ("check {plans}/helia/wake_residency.json --json", 0),
    ("check {plans}/helia/wake_residency.json --strict --json", 1),
    ("check {plans}/helia/wake_residency.json --board apollo3p --images {firmware} --json", 0),
    ("check --board j722s --probe {fixtures}/probe.firmware/a-link-to-nothing/probe.json --json", 1),
    ("check --board j722s-sdk11 --images {fixtures}/firmware.load/with-a-heap/fw.out --json", 1),
    ("check --board j722s-sdk11 --images {fixtures}/firmware.table/too-long/fw.out --json", 0),
    ("check --board j722s-sdk11 --images {fixtures}/firmware.table/vring-elsewhere/fw.out --json", 1),
    ("check --board j722s-sdk11 --images {fixtures}/firmware.entry/between-pages/fw.out --json", 1),
    ("check --board j722s-sdk11 --images {fixtures}/firmware.place/map-of-another/fw.map --json", 0),
    ("check --board j722s --images {fixtures}/devicetree.core/swapped/board.dtb --json", 1),
    ("check --board j722s --images {fixtures}/fit.load/over-the-map/board.dtb {fixtures}/fit.load/over-the-map/tispl.bin --json", 1),
    ("diff {plans}/ares/post_memory_plan.json {plans}/ares/memory_level_report.json --json", 0),
    ("diff {plans}/helia/wake_residency.json {plans}/ares/post_memory_plan.json --fail-on any --json", 1),
    ("diff {plans}/vww_mobilenet.csv missing.csv --json", 1),
    ("diff {trace} sizing.json --board j722s-sdk11 --json", 0),
    ("diff {trace} {source}/tests/golden/analyze-said/run.log --board j722s-sdk11 --json", 0),
    ("diff {plans}/helia/aot_memory_layers.csv {plans}/helia/wake_residency.json --json", 0),
    ("diff {plans}/ares/post_memory_plan.json {plans}/helia/wake_residency.json --json", 0),
    ("diff {plans}/ares/post_memory_plan.json {plans}/helia/aot_operator_manifest.json --json", 0),
    ("diff {plans}/helia/aot_operator_manifest.json {plans}/ares/post_memory_plan.json --json", 0),
    ("diff {fixtures}/diff.changed/envelope/old.json {fixtures}/diff.changed/envelope/new.json --json", 0),
    ("diff {fixtures}/plan.contradiction/same-hash/old.json {fixtures}/plan.contradiction/same-hash/new.json --json", 0),
    ("list parts --json", 0),
    ("list planners --json", 0),
    # report
    ("report --board j722s-sdk11 --trace {trace} -o page.html --json", 0),
    ("report --board j722s -o page.svg --only svg --json", 0),
    ("report --map nothing -o page.html --json", 1),
    ("report --json", 2),
    # emit
    ("emit --board j722s-sdk11 --trace {trace} --out map --json", 0),
    ("emit --board j722s-sdk11 --sizing sizing.json --out map --json", 0),
    ("emit --board j722s --out map12 --json", 0),
    ("emit --board am62a --whole --idle c7x_1 --out am62a --json", 0),
    ("emit --board apollo510 --plan {plans}/helia/wake_residency.json --out module --json", 0),
    ("emit --board apollo510 --plan {plans}/helia/wake_residency.json --data {trace} --out refused --json", 1),
    ("validate --board apollo510 --plan {plans}/helia/wake_residency.json --json", 0),
    ("validate --board gap9 --plan {plans}/ares/minimobilenet_v2/network_info.json --json", 0),
    ("emit --board j721e-safertos --out safertos --json", 0),
    ("emit --board tda54 --out tda54 --json", 0),
    ("emit --board j722s --set c7x_1_ddr_scratch_size=128MiB --out map12 --diff --json", 0),
    ("emit --board j722s --set c7x_1_ddr_scratch_size=128MiB --out map12 --check --json", 1),
    ("emit --board j722s --only html,dts --out some --json", 0),
    ("emit --board j722s --trace {trace} --out refused --json", 1),
    ("emit --board j722s --set c7x_1_ddr_scratch_size=3GiB --out refused --json", 3),
    ("emit --board j722s --set c7x_1_ddr_scratch_size=1 --out refused --json", 1),
    ("emit --board j722s --set c7x_1_ddr_scratch_size=1MB --out refused --json", 2),
    ("emit --board j722s --set nothing=1MiB --out refused --json", 2),
    ("emit --board j722s --set nothing --out refused --json", 2),
    ("emit --board j722s --only nothing --out refused --json", 2),
    ("emit --board nothing --out refused --json", 2),
    ("emit --board j722s --dram 4GiB --out refused --json", 1),
    ("emit --board j722s --dram 4GB --out refused --json", 2),
    ("emit --board am62a --set ddr_shared_mem_size=171MiB --out refused --json", 1),
    ("emit --board j722s --out file --json", 4),
    ("emit --board {zy4}/board.toml --sdk {zy4} --set c7_heap_size=48MiB --keep --diff --json"
     " --linux {fixtures}/sdk.hand-edited/of-a-node/kernel", 0),
    ("emit --board {zy4}/board.toml --sdk {zy4} --set c7_heap_size=48MiB --check --json", 1),
    ("emit --board {zy4}/board.toml --sdk {zy4} --check --json", 0),
    ("emit --board j722s --sdk file --json", 4),
    # check
    ("check --sdk sdk --json", 1),
    ("check --sdk sdk --board zx9.toml --json", 1),
    ("check --sdk sdk --baseline known.json --json", 1),
    ("check --sdk sdk --baseline known.json --write-baseline all.json --json", 0),
    ("check --sdk sdk --baseline known.json --sarif", 1),
    ("check --sdk sdk --sarif", 1),
    ("check --sdk sdk --baseline file --sarif", 1),
    ("check --sdk file --json", 4),
    ("check --sdk file --sarif", 4),
    ("check --board tda54 --sarif", 0),
    ("check --sarif", 2),
    ("check --sarif --nothing", 2),
    ("check --board j722s --json", 0),
    ("check --board tda54 --strict --json", 1),
    ("check --map map --json", 0),
    ("check --map map --board j722s-sdk11 --log {trace} --json", 0),
    ("check --map altered --json", 1),
    ("check --map nothing --json", 1),
    ("check --board j722s --sizing sizing.json --strict --json", 1),
    ("check --board overlap.toml --json", 1),
    ("check {fixtures}/../data/plans/slabs_network.json --board gap9 --json", 0),
    ("check --json", 2),
    ("check --sizing sizing.json --json", 2),
    # validate
    ("validate --board j722s-sdk11 --trace timed.log --log timed.log --json", 0),
    ("validate --board j722s-sdk11 --log {trace} --json", 1),
    ("validate --board j722s --log everything.log --json", 1),
    ("validate --board j722s-sdk11 --log missing.log --json", 1),
    ("validate --board j722s-sdk11 --trace {trace} --json", 0),
    ("validate --board j722s-sdk11 --trace {trace} --on host --log {trace} --json", 0),
    ("validate --board j722s-sdk11 --map map --trace {trace} --json", 0),
    ("validate --board am62a --json", 0),
    ("validate --board tda54 --json", 0),
    ("validate --board j722s --map holed --json", 1),
    ("validate --board j722s --map nothing --json", 1),
    ("validate --board j722s --map map12 --set c7x_1_ddr_scratch_size=1MiB --json", 2),
    ("validate --board j722s --timeout never --json", 2),
    ("validate --board nothing --json", 2),
    ("validate --json", 2),
    # board
    ("board list --json", 0),
    ("board show j722s j722s-sdk11 --json", 0),
    ("board show j784s4 --json", 0),
    ("board show apollo510 corstone-300 gap9 --json", 0),
    ("board show {fixtures}/../data/plans/staged_part.toml --json", 0),
    ("board show nothing --json", 2),
    ("board check --json", 0),
    ("board check overlap.toml --json", 1),
    ("board check wrong.toml --json", 1),
    # why
    ("why DDR_C7X_2_SCRATCH --board j722s --json", 0),
    ("why DDR_SHARED_MEM --board j722s --json", 0),
    ("why DDR_C7x_1_IPC --board j722s --json", 0),
    ("why c7x_ddr_heaps_hi --board j722s --json", 0),
    ("why ddr_shared_mem_addr_phys --board j722s --json", 0),
    ("why DDR_SHARED_MEM --board j784s4 --json", 0),
    ("why 0x110300000 --board j722s --json", 0),
    ("why 0xA8000000 --board j722s --json", 0),
    ("why 0x900000010 --board j722s --core c7x_1 --json", 0),
    ("why RINGS --sdk {sdk} --json", 0),
    ("why 0xA5000010 --sdk {sdk} --board {sdk}/../board.toml --json", 0),
    ("why nothing --board j722s --json", 2),
    ("why nothing --sdk {sdk} --json", 1),
    ("why 4GiB --board j722s --json", 2),
    ("why RINGS --json", 2),
    ("why RINGS --sdk file --json", 4),
    # sdk; copies of the trees under tests/fixtures
    ("sdk status --sdk held --json", 0),
    ("sdk status --sdk halfway --json", 0),
    ("sdk status --sdk early --json", 0),
    ("sdk status --sdk untouched --json", 0),
    ("sdk status --sdk halfway --linux held --json", 0),
    ("sdk status --sdk lost --linux lost --json", 0),
    ("sdk status --linux nothing --json", 4),
    ("sdk revert --sdk edited --linux kernel --json", 1),
    ("sdk revert --sdk untouched --linux kernel --force --json", 0),
    ("sdk revert --linux kernel --json", 0),
    ("sdk revert --sdk edited --json", 1),
    ("sdk revert --sdk edited --force --json", 0),
    ("sdk status --sdk edited --json", 0),
    ("sdk revert --sdk untouched --json", 0),
    ("sdk status --sdk map --json", 4),
    ("sdk status --json", 2),
    # format
    ("format check cvi_ion {source}/samples/formats/cvi_ion.log --json", 0),
    ("format check rknn {fixtures}/read.bad-record/pattern-damaged/rknn.log --json", 1),
    ("format check nothing --json", 2),
    # list
    ("list readers --json", 0),
    ("list emitters --json", 0),
    ("list checks --json", 0),
    ("list boards --json", 0),
)

# A command line that cannot be understood ends with status 2. Where it prints anything on standard
# output, that is a document too.
NOT_UNDERSTOOD = ("analyze --json", "emit --json", "list nothing --json", "board --json")

WRITTEN = ("all.json",
           "map/memory_map.json", "map12/memory_map.json", "map/c7x_1/mmu_map.json", "map/c7x_2/mmu_map.json",
           "map12/c7x_1/mmu_map.json", "map12/c7x_2/mmu_map.json", "am62a/memory_map.json",
           "am62a/c7x_1/mmu_map.json", "safertos/memory_map.json", "safertos/c7x_1/mmu_map.json", "tda54/memory_map.json",
           "held/.memsize/journal.json", "halfway/.memsize/journal.json", "early/.memsize/staging.json")

# SDK trees that memsize changed, by the fixture they are copied from.
TREES = {
    "held": "sdk.lock/held",
    "halfway": "sdk.changed/interrupted-status",
    "early": "sdk.changed/interrupted-early",
    "edited": "sdk.changed/edited",
    "untouched": "sdk.changed/nothing",
    "kernel": "sdk.changed/edited",
    "lost": "sdk.journal/damaged-backup",
}

# Beside a copy of the bundled boards: two regions on the same bytes.
OVERLAP = """\
schema = 1
inherit = ["j722s.toml"]
title = "a board whose shared memory lies on the heaps"

[knob.ddr_shared_mem_addr_phys]
default = "0x880000000"

[chain.c7x_heaps]
limit = "0x900000000"
"""

WRONG = 'schema = 1\ntitel = "a board with a wrong key"\n'


# The sums that a log prints below a table, where it has nothing else.
TOTALS = ("Total memory size requirement (space wise):", "Mem Space , Size(KBytes)",
          "DDR Cacheable(Persistent), 9057.45", "DDR Cacheable(Scratch), 4096.25", "-" * 44)
EMULATED = " 0.17s:  VX_ZONE_INIT:Enabled\n"

# What a log may say beside its tables.
BESIDE = (
    "PREEMPTION: Requesting memory of size 2097152 for targetPriority = 3",
    "MEM: Created heap (DDR_LOCAL_MEM, id=0, flags=0x00000004) @ 110400000 of size 67108864 bytes !!!",
    "# NETWORK_INIT_TIME =   145.00 (in ms, c7x @1GHz)",
    "# NETWORK_EXECUTION_TIME =     3.25 (in ms, c7x @1GHz) with DDR_BANDWIDTH (Read + Write) =  0.71, 7.32,"
    " 8.03 (in Mega Bytes/frame)",
    *TOTALS,
    "VX_ZONE_ERROR:[tivxAlgiVisionAllocMem:184] Failed to Allocate memory record 5 @ space = 17 and size = 170281740 !!!",
)
GRANTED = "VX_ZONE_INFO: Allocated memory record 1 @ space = 17 and size = 676, addr = 0x2080000000 ..."
STATISTICS = "CPU:  c7x_2: HEAP:    DDR_LOCAL_MEM: size =   67108864 B, free =   61611264 B ( 91 % unused)\n"


def everything(trace: str) -> str:
    said = "".join(f"[C7x_2 ]     60.000000 s: {line}\n" for line in BESIDE)
    return said.splitlines(keepends=True)[0] + trace + said + STATISTICS


class Checker:
    def __init__(self, memsize: Path, source: Path, work: Path):
        self.memsize, self.source, self.work = memsize, source, work
        self.problems: list[str] = []
        self.schemas: dict[str, dict[str, Any]] = {}
        self.seen: dict[str, set[str]] = {}
        self.documents = 0

    def wrong(self, what: str, message: str) -> None:
        self.problems.append(f"{what}: {message}")

    # --- Schemas ----------------------------------------------------------------------------------

    def load_schemas(self) -> None:
        for file in sorted((self.source / "samples" / "schema").glob("*.json")):
            try:
                schema = json.loads(file.read_text(encoding="utf-8"))
                Draft202012Validator.check_schema(schema)
                name = name_of({key: child.get("const") for key, child in schema["properties"].items()})
                if name is None:
                    raise KeyError("schema")
            except (ValueError, KeyError, SchemaError) as problem:
                self.wrong(file.name, f"not a usable schema: {str(problem).splitlines()[0]}")
                continue
            if file.name != name.removeprefix("memsize.").replace("/", "-") + ".json":
                self.wrong(file.name, f"describes {name}")
            for where, described in described_keys(schema, ""):
                if "const" not in described and not described.get("description") and "$ref" not in described:
                    self.wrong(file.name, f"'{where}' has no description")
            if name not in OF_LIBRARY:
                self.schemas[name] = schema
            self.seen[name] = set()

    # --- Inputs -----------------------------------------------------------------------------------

    def make_inputs(self) -> None:
        trace = (self.source / TRACE).read_text(encoding="utf-8")
        lines = trace.splitlines(keepends=True)
        for name, text in {
            "empty.log": "",
            "notable.log": "nothing of interest\n",
            "cut.log": "".join(lines[: len(lines) // 2]),
            "bare.log": "".join(line.split("s:", 1)[-1] for line in lines),
            "broken.json": "{",
            "everything.log": everything(trace),
            "timed.log": trace + "".join(line + "\n" for line in BESIDE if "NETWORK" in line),
            "loaded-again.log": trace + "another table\n" + trace.replace("2755.41", "2655.41") + trace,
            "totals.log": "".join(f"[C7x_2 ]      5.000000 s: {line}\n" for line in TOTALS),
            "emulated.log": EMULATED + trace,
            "whole.log": f"[C7x_2 ]      5.000000 s: {GRANTED}\n",
            "damaged.log": trace.replace("2755.41", "27x5.41"),
            "file": "a file where a folder should be\n",
            "overlap.toml": OVERLAP,
            "wrong.toml": WRONG,
        }.items():
            (self.work / name).write_text(text, encoding="utf-8")
        for folder in ("runs/below", "nologs"):
            (self.work / folder).mkdir(parents=True)
        (self.work / "runs/a.log").write_text(trace, encoding="utf-8")
        (self.work / "runs/copy.log").write_text(trace, encoding="utf-8")
        (self.work / "runs/below/b.log").write_text(trace.replace("2755.41", "3755.41"), encoding="utf-8")
        for board in (OLD, NEW):
            shutil.copy(self.source / "boards" / f"{board}.toml", self.work)
        (self.work / "sizing.json").write_text(self.run(f"analyze {{trace}} --board {OLD} --json").stdout,
                                               encoding="utf-8")
        self.make_tree()
        for name, fixture in TREES.items():
            shutil.copytree(self.source / "tests" / "fixtures" / fixture / "sdk", self.work / name)
        (self.work / "held/.memsize/lock").write_text("somebody\n", encoding="utf-8")
        self.lock = (self.work / "held/.memsize/lock").open("r+", encoding="utf-8")
        fcntl.fcntl(self.lock, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
        self.run(f"emit --board {OLD} --out altered")
        self.run(f"emit --board {NEW} --out holed")
        for file in (self.work / "holed").glob("*.dtsi"):
            file.write_text(file.read_text(encoding="utf-8").replace("0x00 0x20000000>", "0x00 0x10000000>"),
                            encoding="utf-8")
        for file in (self.work / "altered").glob("*.dtsi"):
            file.write_text(file.read_text(encoding="utf-8").replace("0xa5000000", "0xa6000000"), encoding="utf-8")

    def make_tree(self) -> None:
        """A small SDK tree in which files contradict each other, with every kind of file."""
        case = self.source / "tests/fixtures/sdk.generated/script-not-run"
        shutil.copytree(case / "sdk", self.work / "sdk")
        shutil.copy(case / "board.toml", self.work / "zx9.toml")
        core = self.work / "sdk/platform/zx9/rtos/r5"
        (core / "main.c").write_text("int main(void) { return 0; }\n", encoding="utf-8")
        (core / "zx9_mpu_cfg.c").write_text("/* left over */\n", encoding="utf-8")
        (core / "r5_linker_freertos.cmd").write_text("SECTIONS\n{\n    .text : {} > CODE\n}\n", encoding="utf-8")
        self.run("check --sdk sdk --write-baseline known.json")
        known = json.loads((self.work / "known.json").read_text(encoding="utf-8"))
        known["findings"][0]["why"] = "since the first release"
        known["findings"].pop(1)
        (self.work / "known.json").write_text(json.dumps(known), encoding="utf-8")

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        words = [word.format(trace=self.source / TRACE, plans=self.source / PLANS, firmware=self.source / FIRMWARE,
                             sdk=self.source / SDK, source=self.source, zy4=self.source / "tests/data/zy4",
                             fixtures=self.source / "tests/fixtures")
                 for word in command.split()]
        return subprocess.run([str(self.memsize), *words], cwd=self.work, stdin=subprocess.DEVNULL, timeout=120,
                              capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1", "XDG_CACHE_HOME": os.devnull})

    # --- Documents --------------------------------------------------------------------------------

    def check_command(self, command: str, status: int) -> None:
        what = f"memsize {command}"
        done = self.run(command)
        if done.returncode != status:
            self.wrong(what, f"exit status {done.returncode}, expected {status}\n{done.stderr[:600]}")
        document = self.check_text(what, done.stdout)
        if document is not None:
            errors = errors_in(document)
            if (status != 0) != bool(errors):
                self.wrong(what, f"exit status {status} with {len(errors)} errors in the document")

    def check_text(self, what: str, text: str) -> dict[str, Any] | None:
        try:
            document = json.loads(text)
        except ValueError as problem:
            self.wrong(what, f"not exactly one JSON document: {problem}")
            return None
        self.documents += 1
        name = name_of(document) if isinstance(document, dict) else None
        if name not in self.schemas:
            self.wrong(what, f"no schema for {name!r}")
            return None
        schema = self.schemas[name]
        for problem in Draft202012Validator(schema).iter_errors(document):
            self.wrong(what, f"{name}: {problem.json_path}: {problem.message[:300]}")
        for problem in Draft202012Validator(closed(schema)).iter_errors(document):
            if problem.validator == "additionalProperties":
                self.wrong(what, f"{name} does not describe: {problem.json_path}: {problem.message[:300]}")
        note_keys(schema, schema, document, "", self.seen[name])
        return document

    def check_probes(self) -> None:
        """What memsize-probe writes: of made-up boards, and of an empty folder."""
        for path in sorted((self.source / "tests" / "fixtures").glob("probe.*/*/probe.json")):
            if path.parent.name != "another-schema":
                self.check_text(str(path), path.read_text(encoding="utf-8"))
        empty = self.work / "empty-root"
        empty.mkdir()
        done = subprocess.run([self.memsize.parent / "memsize-probe", "--root", empty, "--log"], capture_output=True, text=True)
        self.check_text("memsize-probe", done.stdout)

    def check_coverage(self) -> None:
        """Diagnostics are the same in every document: it is enough that one has a key of theirs."""
        of_diagnostics = {where for keys in self.seen.values() for where in keys if where.startswith("diagnostics[]")}
        for name, schema in self.schemas.items():
            never = sorted({where for where, _ in described_keys(schema, "")} - self.seen[name] - of_diagnostics)
            if never:
                self.wrong(name, f"described, but in no document: {', '.join(never)}")


def name_of(document: dict[str, Any]) -> str | None:
    """What kind of document it is; of SARIF, as its schema's file is called here."""
    if "$schema" in document and "runs" in document:
        return f"sarif/{document.get('version')}"
    return document.get("schema")


def errors_in(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The findings that decide the exit status."""
    found = [item for item in document.get("diagnostics", [])
             if item.get("severity") == "error" and not item.get("accepted")]
    # SARIF's; those of a sizing are no findings.
    for run in document.get("runs", []) if "$schema" in document else []:
        items = run["results"] + run["invocations"][0].get("toolExecutionNotifications", [])
        found += [item for item in items if item["level"] == "error" and not item.get("suppressions")]
    return found


def closed(schema: Any) -> Any:
    """The schema with no key allowed that it does not describe."""
    schema = copy.deepcopy(schema)

    def close(node: Any) -> None:
        if isinstance(node, list):
            for item in node:
                close(item)
        elif isinstance(node, dict):
            if "properties" in node and node.get("type") == "object":
                node.setdefault("additionalProperties", False)
            for key, child in node.items():
                if key not in ("if", "then", "else"):
                    close(child)

    close(schema)
    return schema


def resolve(root: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    return root["$defs"][node["$ref"].rsplit("/", 1)[1]] if "$ref" in node else node


def described_keys(root: dict[str, Any], at: str, node: dict[str, Any] | None = None
                   ) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every key that a schema describes, as a dotted path, with its description."""
    node = resolve(root, root if node is None else node)
    for key, child in node.get("properties", {}).items():
        where = f"{at}.{key}".lstrip(".")
        yield where, child
        yield from described_keys(root, where, child)
    if "items" in node:
        yield from described_keys(root, at + "[]", node["items"])


def note_keys(root: dict[str, Any], node: dict[str, Any], value: Any, at: str, seen: set[str]) -> None:
    """Adds the keys of a document that its schema describes."""
    node = resolve(root, node)
    if isinstance(value, dict):
        for key, child in node.get("properties", {}).items():
            if key in value:
                where = f"{at}.{key}".lstrip(".")
                seen.add(where)
                note_keys(root, child, value[key], where, seen)
    elif isinstance(value, list) and "items" in node:
        for item in value:
            note_keys(root, node["items"], item, at + "[]", seen)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memsize", required=True, type=Path)
    parser.add_argument("--source", required=True, type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memsize-schemas-") as folder:
        checker = Checker(options.memsize.resolve(), options.source.resolve(), Path(folder))
        checker.load_schemas()
        checker.make_inputs()
        for command, status in COMMANDS:
            checker.check_command(command, status)
        for command in NOT_UNDERSTOOD:
            done = checker.run(command)
            if done.returncode != 2:
                checker.wrong(f"memsize {command}", f"exit status {done.returncode}, expected 2")
            if done.stdout:
                checker.check_text(f"memsize {command}", done.stdout)
        for path in WRITTEN:
            if (checker.work / path).is_file():
                checker.check_text(path, (checker.work / path).read_text(encoding="utf-8"))
            else:
                checker.wrong(path, "emit did not write it")
        checker.check_probes()
        checker.check_coverage()
    for problem in checker.problems:
        print(problem)
    print(f"validate_schemas: {len(checker.schemas)} schemas, {checker.documents} documents, "
          f"{len(checker.problems)} problems")
    return 1 if checker.problems or not checker.schemas else 0


if __name__ == "__main__":
    sys.exit(main())
