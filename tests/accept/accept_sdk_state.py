"""What memsize keeps in a tree for itself: of changes of the SDK's and the kernel's trees together, of runs beside each other, of git.

On the tree of tests/data/zy4, with a kernel's copy of its nodes. An interrupted run is what it leaves: a journal in the state that it
had reached. A run at work is a process that holds the lock.
"""

import fcntl
import json
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from emit_sdk import Tree, contents, files_only, snapshot, without_own
from emit_sdk_zy4 import DTS, original
from support import Context, check, main, parse_json, same, tool

SIZES = ("--set", "c8_scratch_size=5MiB", "--set", "c8_heap_size=10MiB")
OTHER_SIZES = ("--set", "c8_scratch_size=6MiB", "--set", "c8_heap_size=10MiB")
NODES = Path("board-support/linux-6.6/arch/arm64/boot/dts/ti") / DTS


class Pair:
    """Copies of both trees."""

    def __init__(self, context: Context, start: Tree) -> None:
        self.context, self.start = context, start
        context.work.mkdir(exist_ok=True)
        self.sdk = start.copy(context.work / "sdk")
        self.linux = context.work / "linux"
        shutil.rmtree(self.linux, ignore_errors=True)
        (self.linux / NODES).parent.mkdir(parents=True)
        nodes = self.sdk.below(DTS).read_text(encoding="utf-8")
        (self.linux / NODES).write_text(f"&reserved_memory {{\n{nodes}}};\n", encoding="utf-8")
        self.before = self.now()

    def now(self) -> list[dict[str, tuple[int, int, bytes]]]:
        return [contents(without_own(files_only(snapshot(root)))) for root in (self.sdk.root, self.linux)]

    def emit(self, *words: str, expect: int = 0) -> "subprocess.CompletedProcess[str]":
        return self.context.run("emit", *self.start.board, "--sdk", self.sdk.root, "--linux", self.linux, *words, expect=expect)

    def trees(self) -> tuple[object, ...]:
        return "--sdk", self.sdk.root, "--linux", self.linux

    def wanted(self, *words: str) -> list[dict[str, tuple[int, int, bytes]]]:
        """The trees with these sizes, which nothing interrupted."""
        other = Pair(replace(self.context, work=self.context.work / "wanted"), self.start)
        other.emit(*words)
        return other.now()


def set_state(root: Path, state: str) -> None:
    path = root / ".memsize" / "journal.json"
    journal = json.loads(path.read_text(encoding="utf-8"))
    journal["state"] = state
    path.write_text(json.dumps(journal), encoding="utf-8")


@contextmanager
def held(root: Path) -> Iterator[None]:
    """The lock, as a run has it."""
    (root / ".memsize").mkdir(exist_ok=True)
    path = root / ".memsize" / "lock"
    path.write_text("process 4711: memsize emit", encoding="utf-8")
    with path.open("r+b") as file:
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
        yield
    path.unlink()


def check_half_reverted(context: Context, start: Tree) -> None:
    """Killed as it put back one of two trees: the next run puts back the other, too, and takes nothing for an edit by hand."""
    for name in ("sdk", "linux"):
        pair = Pair(context, start)
        pair.emit(*SIZES)
        set_state(pair.sdk.root if name == "sdk" else pair.linux, "reverting")
        done = pair.emit(*OTHER_SIZES)
        check("hand-edited" not in done.stderr, f"{name}: {done.stderr}")
        same(f"half reverted in {name}: what is there", pair.now(), pair.wanted(*OTHER_SIZES))
        context.run("sdk", "revert", *pair.trees())
        same(f"half reverted in {name}: put back", pair.now(), pair.before)


def check_busy(context: Context, start: Tree) -> None:
    """While another run works on a tree, nobody reads half of it."""
    pair = Pair(context, start)
    pair.emit(*SIZES)
    board = start.board
    for root in (pair.sdk.root, pair.linux):
        with held(root):
            words = [("emit", *board, *pair.trees(), *OTHER_SIZES, *more) for more in ((), ("--diff",), ("--check",))]
            if root == pair.sdk.root:
                words += [("check", "--no-project", "--sdk", root, "--soc", "zy4"), ("why", "--no-project", "RING_MEM", "--sdk", root),
                          ("board", "import", "--sdk", root, "--soc", "zy4")]
            for each in words:
                done = context.run(*each, expect=4)
                check("another memsize is changing this tree" in done.stderr, f"{each[0]}: {done.stderr}")
    context.run("check", "--no-project", "--sdk", pair.sdk.root, "--soc", "zy4", expect=(0, 1))


def check_interrupted(context: Context, start: Tree) -> None:
    """Half a change is no tree: who only reads says so."""
    pair = Pair(context, start)
    pair.emit(*SIZES)
    set_state(pair.sdk.root, "reverting")
    for words in (("check", "--no-project", "--sdk", pair.sdk.root, "--soc", "zy4"),
                  ("why", "--no-project", "RING_MEM", "--sdk", pair.sdk.root)):
        done = context.run(*words, expect=1)
        check("was interrupted" in done.stderr and "memsize sdk revert --sdk" in done.stderr, f"{words[0]}: {done.stderr}")


def check_values(context: Context, start: Tree) -> None:
    """sdk status says which values the last change gave, and which were there before."""
    pair = Pair(context, start)
    pair.emit(*SIZES)
    pair.emit(*OTHER_SIZES)
    said = context.run("sdk", "status", *pair.trees()).stdout
    check("c8_scratch_size = 6 MiB instead of 5 MiB" in said, said)
    document = parse_json(context.run("sdk", "status", *pair.trees(), "--json").stdout, "sdk status --json")
    check("c8_scratch_size = 6 MiB instead of 5 MiB" in document["description"], document["description"])


def check_git(context: Context, start: Tree) -> None:
    """Git sees the files that changed, and nothing that memsize keeps."""
    git = tool("git")
    pair = Pair(context, start)
    run = [git, "-C", str(pair.sdk.root), "-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false"]
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "as it is")):
        subprocess.run([*run, *words], check=True, capture_output=True)
    pair.emit(*SIZES)
    listed = subprocess.run([*run, "status", "--porcelain", "-uall"], check=True, capture_output=True, text=True).stdout
    check(".memsize" not in listed and "app_mem_map.h" in listed, f"git status:\n{listed}")
    context.run("sdk", "revert", *pair.trees())
    listed = subprocess.run([*run, "status", "--porcelain", "-uall"], check=True, capture_output=True, text=True).stdout
    same("git status after revert", listed, "")
    check(not (pair.sdk.root / ".memsize").exists(), ".memsize is left")


def body(context: Context) -> str:
    start = original(context)
    steps = (check_half_reverted, check_busy, check_interrupted, check_values, check_git)
    for step in steps:
        step(context, start)
    return f"{len(steps)} things that two trees remember: all as they must be"


if __name__ == "__main__":
    main(__doc__, body)
