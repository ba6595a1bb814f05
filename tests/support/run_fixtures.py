"""Runs every mistake under tests/fixtures and compares the whole error text and the exit status.

A case is fixtures/<code>/<case>/ with `cmd`, input files, and what the program must say:

  expect         "exit N", then everything on standard error, byte for byte
  expect.stdout  standard output, where it matters
  expect.json    the diagnostics of <code> in the document that --json prints; notes are only there

`cmd` is one line of arguments. Lines before it that begin with '#' prepare the case, in this order:

  #run ARGUMENTS         runs memsize, which must succeed
  #replace FILE OLD NEW  replaces OLD, which must stand in FILE once (\\n is a newline, \\t a tab)
  #repeat FILE COUNT     the line of FILE that holds {N}, COUNT times, with 0, 1, 2, ... for {N}
  #remove FILE           removes a file
  #fifo NAME FILE        a named pipe that holds FILE's bytes and then closes
  #link NAME TARGET      a symbolic link
  #hardlink NAME FILE    another name of a file
  #lock NAME TEXT        a file with that text, which another process has locked
  #env NAME VALUE        an environment variable
  #stdin FILE            standard input (else it is empty)
  #stdout FILE           standard output goes there, such as /dev/full
  #memory KIB            the most that the program may map (a sanitizer maps more: then the case is left out)
  #writes                a failure may leave files behind (else nothing may have changed)

Each case runs in a copy of its folder, in a tree where boards/, templates/ and samples/ stand as in the
source tree, so that a small board may inherit ../../../../boards/<board>.toml. {OUT} is an empty folder
outside of that copy and {SRC} the root of the tree, in `cmd` as in what is expected.

--bless rewrites what is expected: read every difference as the person who made the mistake.
--coverage FILE checks instead that each code of diag_codes.def has a fixture that shows it.
"""

import argparse
import contextlib
import difflib
import fcntl
import json
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TextIO

SHARED = ("boards", "templates", "samples")
# As it is installed.
RUNTIME = "src/runtime/target"
EXPECTATIONS = ("expect", "expect.stdout", "expect.json")
SECONDS = 60


class Broken(Exception):
    """The case itself is wrong, or the program did what no expectation can describe."""


def fill_pipe(pipe: Path, data: bytes) -> None:
    """Waits for a reader; a case may well end without one."""
    with contextlib.suppress(OSError):
        pipe.write_bytes(data)


class Case:
    def __init__(self, memsize: str, fixtures: Path, case: Path, scratch: Path) -> None:
        self.memsize = memsize
        self.case = case
        self.code = case.parent.name
        self.out = scratch / "out"
        self.root = scratch / "tree"
        self.folder = self.root / "tests" / "fixtures" / self.code / case.name
        self.stdin: Path | None = None
        self.locked: TextIO | None = None
        self.stdout = ""
        self.variables: dict[str, str] = {}
        self.may_write = False
        self.limit: list[str] = []
        shutil.copytree(case, self.folder, ignore=shutil.ignore_patterns(*EXPECTATIONS, "cmd"))
        self.out.mkdir()
        for name in SHARED:
            (self.root / name).symlink_to(fixtures.parent.parent.resolve() / name)
        (self.root / "runtime").symlink_to(fixtures.parent.parent.resolve() / RUNTIME)

    def run(self) -> dict[str, str]:
        *directives, command = self.case.joinpath("cmd").read_text().rstrip("\n").split("\n")
        for line in directives:
            self.prepare(*self.words(line.removeprefix("#")))
        before = self.files()
        done = self.memsize_run(self.words(command))
        if done.returncode < 0:
            raise Broken(f"killed by signal {-done.returncode}")
        if done.returncode != 0 and not self.may_write and self.files() != before:
            raise Broken("it failed, but changed files")
        if self.locked:
            self.locked.close()
        stdout = self.anywhere(done.stdout)
        written = {"expect": f"exit {done.returncode}\n{self.anywhere(done.stderr)}", "expect.stdout": stdout}
        if "--json" in command.split() and not self.stdout:
            written["expect.json"] = self.diagnostics(stdout)
        return written

    def prepare(self, directive: str, *words: str) -> None:
        match directive, words:
            case "run", _:
                done = self.memsize_run(list(words))
                if done.returncode != 0:
                    raise Broken(f"#run {shlex.join(words)}: exit {done.returncode}\n{done.stderr.decode()}")
            case "replace", (name, old, new):
                old, new = (text.replace("\\n", "\n").replace("\\t", "\t") for text in (old, new))
                text = (self.folder / name).read_text()
                if text.count(old) != 1:
                    raise Broken(f"'{old}' stands {text.count(old)} times in {name}")
                (self.folder / name).write_text(text.replace(old, new))
            case "repeat", (name, count):
                lines = (self.folder / name).read_text().splitlines(keepends=True)
                marked = [line for line in lines if "{N}" in line]
                if len(marked) != 1:
                    raise Broken(f"{{N}} stands in {len(marked)} lines of {name}")
                at = lines.index(marked[0])
                lines[at : at + 1] = [marked[0].replace("{N}", str(n)) for n in range(int(count))]
                (self.folder / name).write_text("".join(lines))
            case "remove", (name,):
                (self.folder / name).unlink()
            case "fifo", (name, content):
                os.mkfifo(self.folder / name)
                data = (self.folder / content).read_bytes()
                threading.Thread(target=fill_pipe, args=(self.folder / name, data), daemon=True).start()
            case "hardlink", (name, file):
                (self.folder / name).hardlink_to(self.folder / file)
            case "link", (name, target):
                (self.folder / name).symlink_to(target)
            case "lock", (name, text):
                (self.folder / name).write_text(text + "\n")
                self.locked = (self.folder / name).open("r+")
                # Of the open file: another kind would go with any other descriptor of this process.
                whole = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
                fcntl.fcntl(self.locked, fcntl.F_OFD_SETLK, whole)
            case "env", (name, value):
                self.variables[name] = value
            case "stdin", (name,):
                self.stdin = self.folder / name
            case "stdout", (name,):
                self.stdout = name
            case "memory", (kib,):
                self.limit = ["bash", "-c", f'ulimit -v {int(kib)}; exec "$@"', "_"]
            case "writes", ():
                self.may_write = True
            case _:
                raise Broken(f"unknown directive '#{directive} {shlex.join(words)}'")

    def words(self, line: str) -> list[str]:
        return [
            word.replace("{OUT}", str(self.out)).replace("{SRC}", str(self.root))
            for word in shlex.split(line)
        ]

    def memsize_run(self, arguments: list[str]) -> "subprocess.CompletedProcess[bytes]":
        environment = {
            **os.environ,
            "LC_ALL": "C",
            "NO_COLOR": "1",
            "XDG_CACHE_HOME": os.devnull,  # no folder: each run is the first
            "MEMSIZE_DATA": str(self.root),
            **self.variables,
        }
        with open(self.stdin or os.devnull, "rb") as stdin:
            stdout = open(self.stdout, "wb") if self.stdout else subprocess.PIPE
            try:
                return subprocess.run(
                    [*self.limit, self.memsize, *arguments],
                    stdin=stdin,
                    stdout=stdout,
                    stderr=subprocess.PIPE,
                    cwd=self.folder,
                    env=environment,
                    timeout=SECONDS,
                    check=False,
                )
            except subprocess.TimeoutExpired as late:
                raise Broken(f"still running after {SECONDS} seconds") from late

    def files(self) -> dict[str, bytes]:
        return {
            str(path): path.read_bytes() if path.is_file() else b""
            for top in (self.folder, self.out)
            for path in sorted(top.rglob("*"))
        }

    def anywhere(self, text: bytes | None) -> str:
        """What was printed, as it would be in any folder of any machine. Stray bytes become visible."""
        shown = (text or b"").decode("utf-8", errors="backslashreplace")
        return shown.replace(str(self.out), "{OUT}").replace(str(self.root), "{SRC}")

    def diagnostics(self, stdout: str) -> str:
        try:
            document = json.loads(stdout)
        except ValueError as problem:
            raise Broken(f"standard output is not one JSON document: {problem}") from problem
        own = [item for item in document["diagnostics"] if item["code"] == self.code]
        return json.dumps(own, indent=2) + "\n"


def difference(name: str, expected: str, written: str) -> str:
    lines = difflib.unified_diff(
        expected.splitlines(), written.splitlines(), f"expected {name}", f"written {name}", lineterm=""
    )
    return "\n".join(lines)


def run_case(memsize: str, fixtures: Path, case: Path, bless: bool) -> list[str]:
    with tempfile.TemporaryDirectory() as scratch:
        if "#memory " in (case / "cmd").read_text() and b"__asan_init" in Path(memsize).read_bytes():
            return []
        try:
            written = Case(memsize, fixtures, case, Path(scratch).resolve()).run()
        except Broken as problem:
            return [str(problem)]
    problems = []
    for name in EXPECTATIONS:
        file = case / name
        wanted = name == "expect" or file.exists()
        if bless and wanted:
            file.write_text(written[name])
        elif wanted and name not in written:
            problems.append(f"{name} needs --json")
        elif wanted:
            expected = file.read_text() if file.exists() else ""
            if expected != written[name]:
                problems.append(difference(name, expected, written[name]))
    return problems


def check_coverage(fixtures: Path, def_file: Path) -> list[str]:
    codes = re.findall(r'^MEMSIZE_DIAG_CODE\(\w+, "([^"]+)"', def_file.read_text(), re.M)
    problems = [] if codes else [f"no codes in {def_file}"]
    for code in codes:
        expectations = sorted(fixtures.glob(f"{code}/*/expect")) + sorted(fixtures.glob(f"{code}/*/expect.json"))
        marks = (f"[{code}]", f'"code": "{code}"')
        if not any(mark in file.read_text() for file in expectations for mark in marks):
            problems.append(f"no fixture under {fixtures.name}/{code}/ shows [{code}]")
    for folder in sorted(path.name for path in fixtures.iterdir() if path.is_dir()):
        if folder not in codes:
            problems.append(f"{fixtures.name}/{folder}/ is not a code of {def_file.name}")
    print(f"{len(codes)} codes, {len(problems)} problems")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memsize", type=Path)
    parser.add_argument("--fixtures", required=True, type=Path)
    parser.add_argument("--bless", action="store_true", default=os.environ.get("MEMSIZE_BLESS") == "1")
    parser.add_argument("--coverage", type=Path, metavar="DEF_FILE")
    parser.add_argument("--only", default="", help="cases whose <code>/<case> contains this")
    options = parser.parse_args()
    if options.coverage:
        problems = check_coverage(options.fixtures, options.coverage)
        print("".join(f"{problem}\n" for problem in problems), end="")
        return 1 if problems else 0
    if options.memsize is None:
        parser.error("--memsize is needed to run the fixtures")
    memsize = str(options.memsize.resolve())
    cases = sorted(path.parent for path in options.fixtures.glob("*/*/cmd"))
    cases = [case for case in cases if options.only in f"{case.parent.name}/{case.name}"]
    failed = 0
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        results = pool.map(lambda case: run_case(memsize, options.fixtures, case, options.bless), cases)
        for case, problems in zip(cases, results):
            failed += bool(problems)
            for problem in problems:
                print(f"{case.parent.name}/{case.name}: {problem}\n")
    print(f"{len(cases) - failed} fixtures passed" + (f", {failed} failed" if failed else ""))
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
