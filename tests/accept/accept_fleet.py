"""A folder of logs: what is said of all of them follows from what is said of each alone."""

import argparse
import gzip
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

TRACE = "samples/j722s-mobilenet/trace.log"
BOARD = "j722s-sdk11"
FIGURES = ("requested_bytes", "bound_bytes", "extent_bytes", "statistics_bytes", "failed_bytes")
# What two logs of the folder alone lead to: one is damaged, one is cut behind its title.
WORST = 1
KEY = ("core", "space", "cacheability", "lifetime")


def expect(what: str, got: object, wanted: object) -> None:
    if got != wanted:
        raise AssertionError(f"{what}: {got!r}, expected {wanted!r}")


class Fleet:
    """A folder with logs of several sizes, and with what a folder of logs has besides."""

    def __init__(self, memsize: Path, source: Path, work: Path):
        self.memsize, self.work = memsize, work
        self.trace = (source / TRACE).read_text(encoding="utf-8")
        # Path below the folder, and how much larger record 5 is, in hundredths of a KiB.
        self.logs = {"a.log": 0, "night/1.txt": 300000, "night/2.log.gz": 100000, "night/deep/3": 200000,
                     "night/deep/cores.log": 0}

    def make(self) -> None:
        for name, more in self.logs.items():
            size = 275541 + more
            text = self.trace.replace("2755.41", f"{size // 100}.{size % 100:02}")
            if name.endswith("cores.log"):
                text += self.trace.replace("C7x_2", "C7x_1")
            path = self.work / "runs" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            data = text.encode()
            path.write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)
        runs = self.work / "runs"
        (runs / "README").write_text("nothing of memory\n", encoding="utf-8")
        (runs / "empty.log").write_bytes(b"")
        (runs / "model.bin").write_bytes(bytes(range(256)) * 512)
        (runs / "night" / "damaged.log.gz").write_bytes(gzip.compress(self.trace.encode())[:200])
        (runs / "night" / "title.log").write_text("TIDL Memory size requiement (record wise):\n", encoding="utf-8")
        os.mkfifo(runs / "pipe")
        (runs / "loop").symlink_to("..")
        (runs / "again.log").symlink_to("a.log")
        (self.work / "outside.log").write_text(self.trace, encoding="utf-8")
        (runs / "out-of-here.log").symlink_to("../outside.log")

    def run(self, *words: str, status: int = 0) -> subprocess.CompletedProcess[bytes]:
        done = subprocess.run([str(self.memsize), "analyze", *words], cwd=self.work, capture_output=True, timeout=120,
                              check=False)
        if done.returncode != status:
            raise AssertionError(f"analyze {' '.join(words)}: exit status {done.returncode}, expected {status}\n"
                                 f"{done.stderr.decode()}")
        return done

    def alone(self, name: str, *options: str) -> dict[str, Any]:
        return json.loads(self.run(f"runs/{name}", "--json", *options).stdout)


def needs_of(document: dict[str, Any]) -> dict[tuple[str, ...], dict[str, int]]:
    needs = {}
    for core in document["cores"]:
        for demand in core["demands"]:
            key = (core["core"], demand["space"], demand["cacheability"], demand["lifetime"])
            needs[key] = {"bytes": max(demand.get(figure, 0) for figure in FIGURES)}
            if "suggested_bytes" in demand:
                needs[key]["suggested_bytes"] = demand["suggested_bytes"]
    return needs


def key_of(item: dict[str, Any]) -> tuple[str, ...]:
    return tuple(item[key] for key in KEY)


def check_summary(fleet: Fleet, *options: str) -> None:
    document = json.loads(fleet.run("runs", "--json", *options, status=WORST).stdout)
    names = sorted(f"runs/{name}" for name in fleet.logs)
    expect("files", [file["path"] for file in document["files"]], names)
    each = {f"runs/{name}": needs_of(fleet.alone(name, *options)) for name in fleet.logs}
    for file in document["files"]:
        got = {key_of(need): {key: need[key] for key in ("bytes", "suggested_bytes") if key in need}
               for need in file["demands"]}
        expect(f"needs of {file['path']}", got, each[file["path"]])
    keys = sorted({key for needs in each.values() for key in needs})
    expect("demands", sorted(key_of(span) for span in document["demands"]), keys)
    for span in document["demands"]:
        asked = {path: needs[key_of(span)]["bytes"] for path, needs in each.items() if key_of(span) in needs}
        most = max(asked.values())
        expect("files of a demand", span["files"], len(asked))
        expect("least", span["min_bytes"], min(asked.values()))
        expect("median", span["median_bytes"], statistics.median_low(asked.values()))
        expect("most", span["max_bytes"], most)
        expect("most by", span["max_path"], min(path for path, size in asked.items() if size == most))
        if "--board" in options:
            covering = max(needs[key_of(span)]["suggested_bytes"] for needs in each.values() if key_of(span) in needs)
            expect("suggestion", span["suggested_bytes"], covering)
    expect("unreadable files", document["unreadable_files"], 2)
    expect("other files", document["other_files"], 3)
    expect("links", document["links"], 3)
    expect("diagnostics", [(item["code"], item["path"]) for item in document["diagnostics"]
                           if item["severity"] != "note" and item["code"].startswith(("file.", "read."))],
           [("file.gzip", "runs/night/damaged.log.gz"), ("read.no-table", "runs/night/title.log")])


def check_largest(fleet: Fleet) -> None:
    """By hand: record 5 is 3000 KiB larger in one log, and a heap's sum with it."""
    document = json.loads(fleet.run("runs", "--json", status=WORST).stdout)
    span = next(span for span in document["demands"]
                if key_of(span) == ("c7x_2", "ddr", "cacheable", "persistent"))
    expect("who asked for most", span["max_path"], "runs/night/1.txt")
    expect("how much more", (span["max_bytes"] - span["min_bytes"]) // 1024, 3000)


def check_cover(fleet: Fleet) -> None:
    """What a share of the logs needs, from each log's own needs; and the best that leaving one out could save."""
    each = {f"runs/{name}": needs_of(fleet.alone(name)) for name in fleet.logs}

    def most(paths: list[str]) -> dict[tuple[str, ...], int]:
        found: dict[tuple[str, ...], int] = {}
        for path in paths:
            for key, need in each[path].items():
                found[key] = max(found.get(key, 0), need["bytes"])
        return found

    paths = sorted(each)
    # Of five logs 80% leave out one, 60% two, 81% and 99.99% none.
    for share, few in (("80%", 1), ("60%", 2), ("81%", 0), ("99.99%", 0)):
        cover = json.loads(fleet.run("runs", "--json", "--cover", share, status=WORST).stdout)["cover"]
        expect("share", cover["share"], share)
        expect("logs", cover["files"], len(paths) - len(cover["left_out"]))
        expect(f"at most {few} left out", len(cover["left_out"]) <= few, True)
        kept = [path for path in paths if path not in cover["left_out"]]
        expect(f"needs of {share}", {key_of(span): span["max_bytes"] for span in cover["demands"]}, most(kept))
        for path in cover["left_out"]:
            expect(f"{path} needs more", most(kept + [path]) != most(kept), True)
        if few == 1:
            best = min(sum(most([path for path in paths if path != gone]).values()) for gone in paths)
            expect("no other log saves more", sum(most(kept).values()), best)
    text = fleet.run("runs", "--cover", "80%", "--board", BOARD, status=WORST).stdout.decode()
    expect("the report says it", "For 80%: 4 of 5 logs fit. Without the other 1:" in text, True)
    rows = fleet.run("runs", "--cover", "80%", "--csv", status=WORST).stdout.decode().splitlines()
    expect("column", rows[0].endswith(",cover_bytes"), True)
    for share in ("99", "0%", "100%", "101%", "99.999%", ".5%", "5.%", "-1%", "1e1%", "%", "nine%",
                  "99999999999999999999%"):
        fleet.run("runs", "--cover", share, status=2)
    fleet.run("outside.log", "--cover", "99%", status=2)


def check_documents(fleet: Fleet) -> None:
    """Each log's own document, where the log lies; also inside the folder, where it is no log."""
    for _ in range(2):
        fleet.run("runs/", "-o", "runs/sizings", "--board", BOARD, status=WORST)
    written = {str(path.relative_to(fleet.work / "runs/sizings")): path.read_bytes()
               for path in (fleet.work / "runs/sizings").rglob("*") if path.is_file()}
    expect("documents", sorted(written), sorted(f"{name}.json" for name in fleet.logs))
    for name in fleet.logs:
        expect(f"document of {name}", json.loads(written[f"{name}.json"]), fleet.alone(name, "--board", BOARD))


def check_order(fleet: Fleet) -> None:
    """However the work is divided, the same bytes."""
    first = fleet.run("runs", "--json", "--board", BOARD, status=WORST).stdout
    for _ in range(5):
        expect("the same again", fleet.run("runs", "--json", "--board", BOARD, status=WORST).stdout, first)


def check_core(fleet: Fleet) -> None:
    document = json.loads(fleet.run("runs", "--json", "--core", "c7x_1", status=WORST).stdout)
    expect("files", [file["path"] for file in document["files"]], ["runs/night/deep/cores.log"])
    document = json.loads(fleet.run("runs", "--json", "--core", "c7x_9", status=1).stdout)
    errors = [item for item in document["diagnostics"] if item["code"] == "sizing.unknown-core"]
    expect("why no log has the core", [item["severity"] for item in errors], ["error"])
    expect("in how many logs it is not", errors[0]["details"], [f"nor in {len(fleet.logs) - 1} more logs"])
    expect("which core is near", errors[0]["hint"].startswith("did you mean 'c7x_"), True)


def check_worst(fleet: Fleet) -> None:
    """What is wrong with a log alone fails the folder; what is not is told all the same."""
    done = fleet.run("runs", "--json", status=WORST)
    document = json.loads(done.stdout)
    expect("files", [file["path"] for file in document["files"]], sorted(f"runs/{name}" for name in fleet.logs))
    errors = [(item["code"], item["path"]) for item in document["diagnostics"] if item["severity"] == "error"]
    expect("errors", errors, [("file.gzip", "runs/night/damaged.log.gz"), ("read.no-table", "runs/night/title.log")])
    expect("heading", fleet.run("runs", status=WORST).stdout.decode().split("\n")[0],
           "runs: 5 logs, 2 unreadable files, 3 other files, 3 links not followed")
    folder = fleet.work / "worst"
    folder.mkdir()
    (folder / "a.log").write_text(fleet.trace, encoding="utf-8")
    fleet.run("worst", "--board", BOARD)
    for text, options, status in ((fleet.trace.replace("2755.41", "2755410.00"), ("--board", BOARD), 3),
                                  (fleet.trace.replace("C7x_2", "C7x_9"), ("--board", BOARD), 1),
                                  (fleet.trace.replace("2755.41", "27x5.41"), ("--strict",), 1)):
        (folder / "b.log").write_text(text, encoding="utf-8")
        fleet.run("worst/b.log", *options, status=status)
        fleet.run("worst", *options, status=status)


def check_once(fleet: Fleet) -> None:
    """A folder counts once, whatever it is called and whatever else is named."""
    (fleet.work / "same").symlink_to("runs")
    alone = json.loads(fleet.run("runs", "--json", status=WORST).stdout)
    for more in ("./runs", "same", "runs/night/..", "runs/night", "./runs/night", "same/night/deep"):
        expect(f"with {more}", json.loads(fleet.run("runs", more, "--json", status=WORST).stdout), alone)
    there = fleet.run("runs/night", "runs", status=WORST).stdout.decode().split("\n")[0]
    expect("heading", there, "runs/night, runs: 5 logs, 2 unreadable files, 3 other files, 3 links not followed")
    (fleet.work / "same").unlink()


def check_misfit(fleet: Fleet) -> None:
    """What no window holds is told once, whether one log or each asks for it."""
    large = fleet.trace.replace("2755.41", "2755410.00")
    for count in (1, 2):
        folder = fleet.work / f"large{count}"
        folder.mkdir()
        for number in range(count):
            (folder / f"{number}.log").write_text(large, encoding="utf-8")
        document = json.loads(fleet.run(folder.name, "--board", BOARD, "--json", status=3).stdout)
        codes = [item["code"] for item in document["diagnostics"]]
        expect("misfits", codes.count("layout.window"), 1)


def check_output_inside(fleet: Fleet) -> None:
    """A log is never left out quietly because it lies where documents go; a document is no log."""
    folder = fleet.work / "inside"
    (folder / "night").mkdir(parents=True)
    (folder / "a.log").write_text(fleet.trace, encoding="utf-8")
    (folder / "night" / "b.log").write_text(fleet.trace, encoding="utf-8")
    for output in ("inside/night", "./inside/../inside/night/"):
        done = fleet.run("inside", "-o", output, status=2)
        expect("it names the log", "inside/night/b.log" in done.stderr.decode(), True)
    expect("nothing was written", sorted(path.name for path in folder.rglob("*.json")), [])
    documents = folder / "documents"
    for _ in range(2):
        documents.mkdir(exist_ok=True)
        # As a shell makes it, before memsize begins.
        (documents / "fleet.json").write_bytes(b"")
        summary = fleet.run("inside", "-o", "inside/documents", "--json").stdout
        (documents / "fleet.json").write_bytes(summary)
        expect("files", [file["path"] for file in json.loads(summary)["files"]],
               ["inside/a.log", "inside/night/b.log"])


def check_refusals(fleet: Fleet) -> None:
    for words, status, said in ((("runs", "outside.log"), 2, "is no folder"),
                                (("runs", "--follow"), 2, "--follow reads one log"),
                                (("runs", "--explain"), 2, "one recording"),
                                (("runs", "-o", "runs"), 2, "the folder that is read"),
                                (("runs", "--board", "nothing"), 2, "nothing"),
                                (("runs", "--headroom", "much"), 2, "--headroom"),
                                (("runs", "-o", "outside.log"), 4, "outside.log"),
                                (("bare",), 1, "none of the 0 files")):
        (fleet.work / "bare").mkdir(exist_ok=True)
        done = fleet.run(*words, status=status)
        if not re.search(re.escape(said), done.stderr.decode()):
            raise AssertionError(f"analyze {' '.join(words)} does not say '{said}':\n{done.stderr.decode()}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memsize", required=True, type=Path)
    parser.add_argument("--source", required=True, type=Path)
    options = parser.parse_args()
    problems = 0
    with tempfile.TemporaryDirectory(prefix="memsize-fleet-") as folder:
        fleet = Fleet(options.memsize.resolve(), options.source, Path(folder))
        fleet.make()
        cases = (lambda: check_summary(fleet), lambda: check_summary(fleet, "--board", BOARD),
                 lambda: check_largest(fleet), lambda: check_cover(fleet), lambda: check_order(fleet),
                 lambda: check_core(fleet),
                 lambda: check_worst(fleet), lambda: check_once(fleet), lambda: check_misfit(fleet),
                 lambda: check_output_inside(fleet), lambda: check_refusals(fleet), lambda: check_documents(fleet))
        for case in cases:
            try:
                case()
            except (AssertionError, ValueError, KeyError, StopIteration) as problem:
                problems += 1
                print(problem)
    print(f"accept_fleet: {len(cases)} cases, {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
