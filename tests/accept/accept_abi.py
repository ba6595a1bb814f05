"""The shared library, through its Python module and from C: the answers are what the program prints and writes."""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, List

from jsonschema import Draft202012Validator

BOARD = "j722s-sdk11"
# Words; files are beside each other under these names.
REQUESTS = (
    "analyze run.log --json",
    f"analyze run.log --board {BOARD} --json",
    f"analyze run.log --board {BOARD}",
    f"analyze run.log --board {BOARD} -o sizing.json",
    f"analyze latin.log --board {BOARD} --json",
    f"analyze run.log run.log --board {BOARD} --instances apart --json",
    f"emit --board {BOARD} --trace run.log --out map --json",
    "emit --board j784s4 --out map",
    "emit --board j721e --out map --only csource",
    f"report --board {BOARD} --trace run.log -o page.html --json",
    "why 0xA0000000 --board j722s --json",
    "why 0xA0000000 --board j722s",
    "check --board j722s --log boot.log --json",
    "plan plan.csv --json",
    "plan model.tflite --board apollo510 --stage none --json",
    "plan plan.csv --as csv",
    "diff plan.csv plan.csv --json",
    "list boards --json",
    "board show j721e --json",
    f"fit run.log --board {BOARD} --budget 64MiB --json",
    "format check tflm run.log --json",
    "analyze nothing.log --json",
    f"analyze run.log --board {BOARD} --set nothing=1 --json",
    "analyze run.log --board nothing --sarif",
    "analyze",
    "nothing",
    "--version",
    "help emit",
    "emit --board j722s --only nothing --out map --json",
)
WRONG = (
    ("", "request"), ("[]", "the request"), ("{}", "words"), ('{"words": []}', "words"), ('{"words": "analyze"}', "words"),
    ('{"words": [1]}', "words"), ('{"words": ["validate"]}', "other programs"), ('{"words": ["-q", "validate", "--board", "j722s"]}', "other programs"),
    ('{"words": ["__man"]}', "verb"),
    ('{"words": ["list"], "file": {}}', "did you mean 'files'?"), ('{"words": ["list"], "files": {"a": 1}}', "files.a"),
    ('{"words": ["list"], "files": {"a": {"base64": "!"}}}', "base64"), ('{"words": ["list"], "files": {"": ""}}', "path"),
    ('{"words": ["list"], "files": {"a": ""}, "disk": true}', "disk"), ('{"words": ["list"], "words": []}', "words"),
    ('{"schema": "memsize.request/2", "words": ["list"]}', "memsize.request/1"), ('{"words": ["list"', "request:1"),
)
C_PROGRAM = r"""
#include <memsize/memsize.h>
#include <stdio.h>

int main(int argc, char **argv) {
  memsize_session *session = memsize_open(NULL);
  char *answer = NULL;
  if (argc != 2 || memsize_abi() != MEMSIZE_ABI || session == NULL) {
    return 3;
  }
  answer = memsize_run(session, argv[1], MEMSIZE_TERMINATED);
  fputs(answer, stdout);
  memsize_free(answer);
  memsize_free(NULL);
  memsize_close(session);
  memsize_close(NULL);
  return 0;
}
"""


def expect(what: str, got: object, wanted: object) -> None:
    if got != wanted:
        raise AssertionError(f"{what}: {str(got)[:400]!r}, expected {str(wanted)[:400]!r}")


class Court:
    def __init__(self, options: argparse.Namespace, work: Path):
        self.program, self.library, self.source, self.work = options.memsize, options.library, options.source, work
        sys.path.insert(0, str(self.source / "src" / "integration"))
        sys.dont_write_bytecode = True
        import memsize  # pylint: disable=import-error,import-outside-toplevel
        self.module = memsize
        self.tool = memsize.Memsize(self.library)
        trace = (self.source / "samples/j722s-mobilenet/trace.log").read_bytes()
        self.files: Dict[str, bytes] = {
            "run.log": trace,
            # A name in Latin-1 is no UTF-8.
            "latin.log": b"caf\xe9 \xff\n" + trace,
            "boot.log": b"nothing of memory\n",
            "plan.csv": (self.source / "samples/plans/vww_mobilenet.csv").read_bytes(),
            "model.tflite": (self.source / "samples/plans/tflite/kws_ref_model.tflite").read_bytes(),
        }
        self.answers = Draft202012Validator(json.loads((self.source / "samples/schema/answer-1.json").read_text("utf-8")))
        self.requests = Draft202012Validator(json.loads((self.source / "samples/schema/request-1.json").read_text("utf-8")))

    def folder(self, name: str) -> Path:
        folder = self.work / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for path, content in self.files.items():
            (folder / path).write_bytes(content)
        return folder

    def raw(self, request: str) -> Dict[str, Any]:
        """As the library answers, held against the schema."""
        library = self.tool._library  # pylint: disable=protected-access
        text = request.encode("utf-8")
        answer = library.memsize_run(self.tool._session, text, len(text))  # pylint: disable=protected-access
        import ctypes  # pylint: disable=import-outside-toplevel
        got = json.loads(ctypes.string_at(answer))
        library.memsize_free(answer)
        for error in self.answers.iter_errors(got):
            raise AssertionError(f"answer to {request[:200]}: {error.message}")
        return got


def check_as_program(court: Court) -> None:
    """Each request in memory, on the disk, and by the program: one document, one text, the same files."""
    for number, line in enumerate(REQUESTS):
        words = line.split()
        by_program, on_disk = court.folder(f"program{number}"), court.folder(f"disk{number}")
        done = subprocess.run([str(court.program), *words], cwd=by_program, capture_output=True, timeout=120, check=False)
        request = {"words": words, "files": {name: court.module._file(content)  # pylint: disable=protected-access
                                             for name, content in court.files.items()}}
        court.requests.validate(request)
        sealed = court.raw(json.dumps(request))
        here = Path.cwd()
        os.chdir(on_disk)
        try:
            real = court.raw(json.dumps({"words": words, "disk": True}))
        finally:
            os.chdir(here)
        for how, answer in (("in memory", sealed), ("on the disk", real)):
            expect(f"{line} {how}: status", answer["status"], done.returncode)
            expect(f"{line} {how}: problems", answer["problems"], done.stderr.decode())
            if "document" in answer:
                expect(f"{line} {how}", answer["document"], json.loads(done.stdout))
            else:
                expect(f"{line} {how}", answer["text"], done.stdout.decode())
        trees = []
        for folder in (by_program, on_disk):
            trees.append({str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*")
                          if path.is_file() and path.name not in court.files})
        expect(f"{line}: files on the disk", trees[1], trees[0])
        expect(f"{line}: files in memory", {path: court.module._bytes(file)  # pylint: disable=protected-access
                                            for path, file in sealed["files"].items()}, trees[0])
        expect(f"{line}: nothing but with the disk", "files" in real, False)


def check_module(court: Court) -> None:
    tool = court.tool
    version = subprocess.run([str(court.program), "--version"], capture_output=True, text=True, check=True).stdout
    expect("version", f"memsize {tool.version}\n", version)
    sizing = tool.document("analyze", "run.log", board=BOARD, files=court.files)
    again = tool.document("analyze", Path("sizing.json"), board=BOARD, files={"sizing.json": json.dumps(sizing)})
    expect("a document stands for its log", again, sizing)
    expect("cores", [core["core"] for core in sizing["cores"]], ["c7x_2"])
    try:
        tool.document("analyze", "nothing.log")
    except court.module.MemsizeError as problem:
        expect("its answer", (problem.answer.status, problem.answer.document["diagnostics"][0]["code"]), (1, "file.read"))
        expect("its words", "nothing.log" in str(problem), True)
    else:
        raise AssertionError("a log that is not there is no error")
    # A map in memory is read back in memory, and a change of it is found there.
    made = tool.run("emit", board=BOARD, trace="run.log", out="map", files=court.files)
    expect("made", made.status, 0)
    expect("checked", tool.run("check", map="map", files=made.files).status, 0)
    header = made.files["map/app_mem_map.h"]
    changed = dict(made.files)
    changed["map/app_mem_map.h"] = header.replace(b"0x", b"0x1", 1)
    expect("a change is found", tool.run("check", map="map", files=changed).status, 1)


def check_c(court: Court) -> None:
    """One header, C99 and C++, and nothing but its functions in the library."""
    source = court.work / "client.c"
    source.write_text(C_PROGRAM, encoding="utf-8")
    request = json.dumps({"words": ["list", "boards", "--json"]})
    wanted = json.dumps(court.raw(request), sort_keys=True)
    for compiler, standard in (("gcc", "-std=c99"), ("clang", "-std=c99"), ("g++", "-std=c++11")):
        program = court.work / f"client-{compiler}"
        words = [compiler, standard, "-Wall", "-Wextra", "-Werror", "-pedantic", "-I", str(court.source / "include")]
        words += (["-x", "c++"] if compiler == "g++" else []) + [str(source), "-x", "none", str(court.library), "-o", str(program)]
        subprocess.run(words, check=True, timeout=120)
        done = subprocess.run([str(program), request], capture_output=True, text=True, timeout=60, check=False,
                              env={**os.environ, "LD_LIBRARY_PATH": str(court.library.parent)})
        expect(f"{compiler}: status and errors", (done.returncode, done.stderr), (0, ""))
        expect(f"{compiler}: the answer", json.dumps(json.loads(done.stdout), sort_keys=True), wanted)
    names = subprocess.run(["nm", "-D", "--defined-only", str(court.library)], capture_output=True, text=True, check=True)
    expect("what is visible", sorted(line.split()[2] for line in names.stdout.splitlines()),
           ["memsize_abi", "memsize_close", "memsize_free", "memsize_open", "memsize_run", "memsize_version"])


def check_wrong(court: Court) -> None:
    for request, said in WRONG:
        answer = court.raw(request)
        expect(f"status of {request}", answer["status"], 2)
        expect(f"{request} says '{said}': {answer['problems']}", said in answer["problems"], True)


def check_any(court: Court) -> None:
    """Requests with bytes changed, cut and doubled: each has an answer, and the next one is as before."""
    chance = random.Random(20)
    whole = json.dumps({"words": ["analyze", "run.log", "--board", BOARD, "--json"],
                        "files": {"run.log": court.files["run.log"].decode()}})
    before = court.raw(whole)
    words = ["analyze", "emit", "plan", "check", "why", "board", "show", "list", "sdk", "revert", "--board", "j722s", "--json",
             "--map", "--out", ".", "..", "/", "", "-", "--sdk", "--set", "a=1", "0", "run.log", "é\u0000"]
    rounds = 100 if os.environ.get("MEMSIZE_FEW_ROUNDS") else 400
    for _ in range(rounds):
        text: List[str] = list(whole)
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(text))
            text[at:at + chance.choice((0, 1, 40))] = [chance.choice('{}[]",:\\0 \u0007\u00e9'), ""][:chance.randrange(3)]
        court.raw("".join(text))
        asked = chance.sample(words, chance.randrange(1, 6))
        asked = [word for word in asked if word != "\u0000"]
        court.raw(json.dumps({"words": asked, "files": {"run.log": court.files["run.log"].decode()}}))
    expect("afterwards", court.raw(whole), before)


def check_silence(court: Court) -> None:
    """Nothing is printed, whatever is asked for, on a terminal either."""
    code = ("import os, pty, sys; sys.path.insert(0, sys.argv[1]); import memsize\n"
            "tool = memsize.Memsize(sys.argv[2])\n"
            "for words in (('analyze',), ('list', 'boards'), ('analyze', 'none', '--json'), ('plan', 'p.csv')):\n"
            "    tool.run(*words, files={'p.csv': open(sys.argv[3]).read()})\n")
    words = [sys.executable, "-B", "-c", code, str(court.source / "src/integration"), str(court.library),
             str(court.source / "samples/plans/vww_mobilenet.csv")]
    read, write = os.openpty()
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=write, stderr=write, timeout=60, check=False)
    os.close(write)
    try:
        printed = os.read(read, 4096)
    except OSError:
        printed = b""
    os.close(read)
    expect("what a terminal sees", (done.returncode, printed), (0, b""))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memsize", required=True, type=Path)
    parser.add_argument("--library", required=True, type=Path)
    parser.add_argument("--source", required=True, type=Path)
    options = parser.parse_args()
    options.memsize, options.library = options.memsize.resolve(), options.library.resolve()
    options.source = options.source.resolve()
    os.environ["MEMSIZE_DATA"] = str(options.source)
    cases = (check_as_program, check_module, check_c, check_wrong, check_any, check_silence)
    problems = 0
    with tempfile.TemporaryDirectory(prefix="memsize-abi-") as folder:
        court = Court(options, Path(folder))
        for case in cases:
            try:
                case(court)
            except (AssertionError, KeyError, ValueError, subprocess.SubprocessError) as problem:
                problems += 1
                print(f"{case.__name__}: {problem}")
    print(f"accept_abi: {len(cases)} cases, {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
