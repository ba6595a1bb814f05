"""A log that is followed: models are told as they come, and whatever ends it, the report is whole.

The log grows as a console would write it: in a file (that is cut or replaced meanwhile), through a pipe, a
named pipe, or a terminal.
"""

import argparse
import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tty
from pathlib import Path

TRACE = "samples/j722s-mobilenet/trace.log"
INTERRUPTED = 130
# Longer than any machine needs, so that a hang is a failure and not a slow test.
PATIENCE = 60
RECORDS = 16


class Follower:
    """memsize analyze --follow, and what it has printed so far."""

    def __init__(self, memsize: Path, words: list[str], folder: Path, stdin: int = subprocess.DEVNULL):
        self.process = subprocess.Popen([str(memsize), "analyze", *words, "--follow"], cwd=folder, stdin=stdin,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.text = b""
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self) -> None:
        assert self.process.stdout is not None
        while block := os.read(self.process.stdout.fileno(), 65536):
            self.text += block

    def wait_for(self, text: str, times: int = 1) -> None:
        end = time.monotonic() + PATIENCE
        while self.text.decode().count(text) < times:
            if time.monotonic() > end or (self.process.poll() is not None and not self.reader.is_alive()):
                raise AssertionError(f"'{text}' ({times} times) was not printed, but:\n{self.text.decode()}")
            time.sleep(0.02)

    def end(self) -> int:
        status = self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)
        return status

    def interrupt(self, number: int = signal.SIGINT) -> int:
        self.process.send_signal(number)
        return self.end()


def expect(what: str, got: object, wanted: object) -> None:
    if got != wanted:
        raise AssertionError(f"{what}: {got!r}, expected {wanted!r}")


def models_in(document: bytes | str) -> list[int]:
    """How many blocks each model has."""
    content = json.loads(document)
    expect("schema", content["schema"], "memsize.sizing/1")
    return [len(instance["blocks"]) for core in content["cores"] for instance in core["instances"]]


class Cases:
    def __init__(self, memsize: Path, source: Path, folder: Path):
        self.memsize, self.folder = memsize, folder
        self.trace = (source / TRACE).read_bytes()
        # The same model on the other core, so that two are told apart.
        self.second = self.trace.replace(b"C7x_2", b"C7x_1")

    def growing_file(self) -> None:
        """Pieces that end within a row; the file never ends, a signal does."""
        log = self.folder / "grows.log"
        log.write_bytes(b"")
        follower = Follower(self.memsize, ["grows.log", "--json", "-o", "grows.json"], self.folder)
        with log.open("ab", buffering=0) as file:
            for at in range(0, len(self.trace), 301):
                file.write(self.trace[at : at + 301])
                time.sleep(0.005)
        follower.wait_for("c7x_2: model at line")
        with log.open("ab") as file:
            file.write(self.second)
        follower.wait_for("c7x_1: model at line")
        expect("exit status", follower.interrupt(), INTERRUPTED)
        expect("models", models_in((self.folder / "grows.json").read_bytes()), [RECORDS, RECORDS])

    def terminated(self) -> None:
        """SIGTERM is as good; the report comes on standard output, behind the models."""
        (self.folder / "there.log").write_bytes(self.trace)
        follower = Follower(self.memsize, ["there.log"], self.folder)
        follower.wait_for("c7x_2: model at line")
        expect("exit status", follower.interrupt(signal.SIGTERM), INTERRUPTED)
        follower.wait_for("c7x_2: 1 model\n")

    def document_alone(self) -> None:
        """With --json standard output is one document."""
        (self.folder / "alone.log").write_bytes(self.trace)
        follower = Follower(self.memsize, ["alone.log", "--json"], self.folder)
        time.sleep(1.5)
        expect("exit status", follower.interrupt(), INTERRUPTED)
        expect("models", models_in(follower.text), [RECORDS])

    def same_as_read(self) -> None:
        """What was followed to its end is what reading gives."""
        read = subprocess.run([str(self.memsize), "analyze", "-", "--json"], input=self.trace, capture_output=True,
                              check=True, timeout=PATIENCE).stdout
        reading, writing = os.pipe()
        follower = Follower(self.memsize, ["-", "--json"], self.folder, reading)
        os.close(reading)
        for at in range(0, len(self.trace), 97):
            os.write(writing, self.trace[at : at + 97])
        os.close(writing)
        expect("exit status", follower.end(), 0)
        expect("document", follower.text, read)

    def nothing_came(self) -> None:
        """An interrupt before anything came is an error with a document, and no hang."""
        (self.folder / "empty.log").write_bytes(b"")
        follower = Follower(self.memsize, ["empty.log", "--json"], self.folder)
        time.sleep(0.5)
        expect("exit status", follower.interrupt(), INTERRUPTED)
        codes = [item["code"] for item in json.loads(follower.text)["diagnostics"]]
        expect("codes", codes, ["read.empty"])

    def cut_file(self) -> None:
        """A file that is cut is read from its beginning; what it said before counts, and it is said."""
        log = self.folder / "cut.log"
        log.write_bytes(self.trace + self.second)
        follower = Follower(self.memsize, ["cut.log", "--json", "-o", "cut.json"], self.folder)
        follower.wait_for("c7x_1: model at line")
        os.truncate(log, 0)
        follower.wait_for("was cut or replaced")
        with log.open("ab") as file:
            file.write(self.second)
        follower.wait_for("c7x_1: model at line", 2)
        expect("exit status", follower.interrupt(), INTERRUPTED)
        document = (self.folder / "cut.json").read_bytes()
        expect("models", models_in(document), [RECORDS] * 2)
        messages = [item["message"] for item in json.loads(document)["diagnostics"] if item["code"] == "file.read"]
        expect("warnings", [message.startswith("'cut.log' was cut or replaced behind line") for message in messages],
               [True])

    def replaced_file(self) -> None:
        """A log that is rotated: another file has its name."""
        log = self.folder / "rotated.log"
        log.write_bytes(self.trace)
        follower = Follower(self.memsize, ["rotated.log"], self.folder)
        follower.wait_for("c7x_2: model at line")
        log.rename(self.folder / "rotated.log.1")
        log.write_bytes(self.second)
        follower.wait_for("was cut or replaced")
        follower.wait_for("c7x_1: model at line")
        expect("exit status", follower.interrupt(), INTERRUPTED)

    def named_pipe(self) -> None:
        """Nobody has opened it yet; when the writer goes, the input has ended."""
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        follower = Follower(self.memsize, ["pipe"], self.folder)
        time.sleep(0.3)
        with pipe.open("wb", buffering=0) as file:
            file.write(self.trace)
            follower.wait_for("c7x_2: model at line")
        expect("exit status", follower.end(), 0)
        follower.wait_for("c7x_2: 1 model\n")

    def silent_pipe(self) -> None:
        """Waiting for a writer can be ended."""
        os.mkfifo(self.folder / "silent")
        follower = Follower(self.memsize, ["silent"], self.folder)
        time.sleep(0.3)
        expect("exit status", follower.interrupt(), INTERRUPTED)

    def terminal(self) -> None:
        """As a serial line; it is left when the other end is closed."""
        ours, theirs = pty.openpty()
        tty.setraw(theirs)
        follower = Follower(self.memsize, [os.ttyname(theirs)], self.folder)
        for line in self.trace.splitlines(keepends=True):
            os.write(ours, line)
        follower.wait_for("c7x_2: model at line")
        os.close(theirs)
        os.close(ours)
        expect("exit status", follower.end(), 0)
        follower.wait_for("c7x_2: 1 model\n")

    def packed(self) -> None:
        """What is packed is refused at once."""
        (self.folder / "packed.log.gz").write_bytes(b"\x1f\x8b\x08\x00")
        follower = Follower(self.memsize, ["packed.log.gz", "--json"], self.folder)
        expect("exit status", follower.end(), 1)
        expect("code", json.loads(follower.text)["diagnostics"][0]["code"], "file.gzip")


CASES = (Cases.growing_file, Cases.terminated, Cases.document_alone, Cases.same_as_read, Cases.nothing_came,
         Cases.cut_file, Cases.replaced_file, Cases.named_pipe, Cases.silent_pipe, Cases.terminal, Cases.packed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memsize", required=True, type=Path)
    parser.add_argument("--source", required=True, type=Path)
    options = parser.parse_args()
    problems = 0
    for case in CASES:
        with tempfile.TemporaryDirectory(prefix="memsize-follow-") as folder:
            try:
                case(Cases(options.memsize.resolve(), options.source, Path(folder)))
            except (AssertionError, subprocess.TimeoutExpired, ValueError, OSError) as problem:
                problems += 1
                print(f"{case.__name__}: {problem}")
    print(f"accept_follow: {len(CASES)} cases, {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
