"""Inputs that take long: packed files that say nothing a hundred million times, and pipes that nobody writes to."""

import gzip
import os
import resource
import select
import shlex
import signal
import subprocess
import time
from pathlib import Path

from support import TRACE, Context, check, fail, main, parse_json, same, tool

LINES = 110_000_000
# Of address space, far more than a stream needs and far less than these lines.
LITTLE = 100 << 20
PATIENCE = 60
WAITING = b"memsize: waiting for 'pipe': it is a named pipe, and nobody writes to it\n"


def packed(path: Path, line: bytes, count: int) -> None:
    block = line * 1_000_000
    with gzip.open(path, "wb", 1) as file:
        for _ in range(count // 1_000_000):
            file.write(block)


def little_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (LITTLE, LITTLE))


def check_packed(context: Context) -> None:
    """A log is read to its end, however long, in no more memory; a plan is read whole, and has a limit."""
    packed(context.work / "lines.log.gz", b"\n", LINES)
    limits = {} if context.options.sanitized else {"preexec_fn": little_memory}
    done = subprocess.run([str(context.memsize), "analyze", "lines.log.gz"], cwd=context.work, capture_output=True,
                          timeout=PATIENCE, check=False, **limits)
    same(f"{LINES} lines of a log: {done.stderr[-500:]!r}", done.returncode, 1)
    check(f"({LINES} lines read)".encode() in done.stderr, f"how many lines were read: {done.stderr!r}")
    packed(context.work / "plan.csv.gz", b"0,1,2,3\n", 40_000_000)
    done = context.run("plan", "plan.csv.gz", expect=1)
    check("this is longer than 256 MiB" in done.stderr, f"a plan's limit: {done.stderr}")


def started(context: Context, *words: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([str(context.memsize), *words], cwd=context.work, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def told(process: "subprocess.Popen[bytes]") -> bytes:
    """Its first line on standard error, for which the test waits."""
    assert process.stderr is not None
    if not select.select([process.stderr], [], [], PATIENCE)[0]:
        process.kill()
        fail("nothing is told")
    return process.stderr.readline()


def check_pipe(context: Context) -> None:
    """Who waits says so; what is written then counts."""
    os.mkfifo(context.work / "pipe")
    trace = TRACE.read_bytes()
    known = parse_json(context.run("analyze", TRACE, "--json").stdout, "of the file")
    process = started(context, "analyze", "pipe", "--json")
    same("what is told", told(process), WAITING)
    (context.work / "pipe").write_bytes(trace)
    out, _ = process.communicate(timeout=PATIENCE)
    same("exit status", process.returncode, 0)
    check(parse_json(out.decode(), "of the pipe")["cores"] == known["cores"], "the pipe's cores are not the file's")


def check_end(context: Context) -> None:
    """Each verb's wait is told, and ends with a signal."""
    for words in (("analyze", "pipe"), ("plan", "pipe"), ("emit", "--board", "j722s", "--trace", "pipe"),
                  ("emit", "--project", "pipe")):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = started(context, *words)
            same(f"{words}: what is told", told(process), WAITING)
            process.send_signal(number)
            begin = time.monotonic()
            process.communicate(timeout=PATIENCE)
            check(process.returncode != 0, f"{words}: a run that read nothing succeeds")
            check(time.monotonic() - begin < PATIENCE / 2, f"{words}: did not end with {number.name}")


def check_substitution(context: Context) -> None:
    """A shell's <(...) is a pipe that somebody writes to, if late."""
    packed_trace = context.work / "trace.log.gz"
    packed_trace.write_bytes(gzip.compress(TRACE.read_bytes()))
    memsize = shlex.quote(str(context.memsize))
    for first in ("", "sleep 2; "):
        done = subprocess.run([tool("bash"), "-c", f"{memsize} analyze <({first}gzip -dc trace.log.gz)"],
                              cwd=context.work, capture_output=True, timeout=PATIENCE, check=False)
        same(f"a shell's pipe: {done.stderr!r}", done.returncode, 0)
        check(b"waiting" not in done.stderr, f"somebody writes: {done.stderr!r}")


def body(context: Context) -> str:
    check_packed(context)
    check_pipe(context)
    check_end(context)
    check_substitution(context)
    return "packed files end, and pipes are waited for"


if __name__ == "__main__":
    main(__doc__, body, lambda parser: parser.add_argument("--sanitized", action="store_true"))
