"""A change of an SDK tree is whole or not made, wherever it is killed and whatever the disk refuses.

The driver makes the change; a part of it takes the place of the C library's calls that change the disk
(tests/support/disk_faults.cpp). For every such call of an apply, of a second apply and of a revert, the
process is killed before it, or after it with a write half done; then at any time, by the clock. The next run
must find a way to the whole old or the whole new tree, and revert to the original, with modes and times. Then
each call fails once, or from there on, as a full or broken disk would let it.
"""

import argparse
import errno
import fcntl
import json
import os
import random
import resource
import shutil
import stat
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable

OWN = ".memsize"
SECONDS = 60
BINARY = bytes(range(256)) * 300
RTOS = "platform/zx9/rtos"

# What the tree is at first: path, bytes, mode, time.
ORIGINAL: dict[str, tuple[bytes, int, int]] = {
    f"{RTOS}/gen_linker_mem_map.py": (b"MB = 1 << 20\n", 0o755, 1_600_000_000_123_456_789),
    f"{RTOS}/app_mem_map.h": (BINARY, 0o644, 1_500_000_000_000_000_001),
    f"{RTOS}/r5/linker_mem_map.cmd": (b"MEMORY\r\n{\r\n}\r\n", 0o640, 1_400_000_000_999_999_999),
    f"{RTOS}/c7/freertos.syscfg": (b"", 0o4755, 1_300_000_000_000_000_000),
    f"{RTOS}/c7/gone.txt": (b"goes away\n", 0o600, 1_200_000_000_500_000_000),
    f"{RTOS}/c7/untouched.txt": (b"stays\n", 0o644, 1_100_000_000_000_000_000),
}
# A second tree, of which one file is older than any clock.
KERNEL: dict[str, tuple[bytes, int, int]] = {
    "arch/dts/board.dts": (b"/ { };\n", 0o664, -1_500_000_000_999_999_999),
    "arch/dts/memory.dtsi": (BINARY[:5000], 0o644, 1_000_000_000_000_000_007),
    "arch/Makefile": (b"all:\n", 0o755, 4_102_444_800_000_000_000),
}
LINK, LINK_TARGET = f"{RTOS}/c7/no_board.syscfg", "freertos.syscfg"

# Two changes: path, bytes after it (None: removed). The second is made on top of the first.
FIRST: dict[str, bytes | None] = {
    f"{RTOS}/app_mem_map.h": BINARY[::-1],
    f"{RTOS}/r5/linker_mem_map.cmd": b"MEMORY { }\n",
    LINK: b"var mmu;\n",
    f"{RTOS}/c7/gone.txt": None,
    f"{RTOS}/new/folder/file.h": b"#define NEW\n",
    f"{RTOS}/new/folder/other.h": b"",
}
SECOND: dict[str, bytes | None] = {
    f"{RTOS}/app_mem_map.h": b"short\n",
    f"{RTOS}/gen_linker_mem_map.py": b"MB = 1 << 21\n",
    f"{RTOS}/r5/linker_mem_map.cmd": ORIGINAL[f"{RTOS}/r5/linker_mem_map.cmd"][0],
    f"{RTOS}/c7/gone.txt": b"is back\n",
    f"{RTOS}/new/folder/file.h": None,
    f"{RTOS}/new/third.h": b"third\n",
}

KERNEL_CHANGE: dict[str, bytes | None] = {
    "arch/dts/board.dts": b"/ { memory; };\n",
    "arch/dts/memory.dtsi": None,
    "arch/new/carveouts.dtsi": b"new\n",
}

Snapshot = dict[str, Any]


class Wrong(Exception):
    pass


def require(holds: bool, what: str) -> None:
    if not holds:
        raise Wrong(what)


def snapshot(root: Path, times: bool = True, own: bool = False) -> Snapshot:
    """Everything below the root; folders without their times."""
    found: Snapshot = {}
    for folder, folders, files in os.walk(root):
        if not own and OWN in folders and Path(folder) == root:
            folders.remove(OWN)
        for name in folders + files:
            path = Path(folder) / name
            status = path.lstat()
            kind = stat.S_IFMT(status.st_mode)
            content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
            mode = None if path.is_symlink() else stat.S_IMODE(status.st_mode)
            time = status.st_mtime_ns if times and path.is_file() and not path.is_symlink() else None
            found[str(path.relative_to(root))] = (kind, content, mode, time)
    return found


def all_times(root: Path) -> dict[str, int]:
    return {str(path): path.lstat().st_mtime_ns for path in [root, *root.rglob("*")]}


def difference(a: Snapshot, b: Snapshot) -> str:
    return ", ".join(sorted(path for path in a.keys() | b.keys() if a.get(path) != b.get(path)))


class Bench:
    def __init__(self, options: argparse.Namespace, work: Path) -> None:
        self.driver, self.memsize, self.work = options.driver.resolve(), options.memsize.resolve(), work
        self.step: int = options.step
        self.random = random.Random(options.seed)
        # Trees are copied with their times, which are all before.
        self.begun = time.time_ns() - 10**9
        self.trees = 0
        self.kills = 0
        self.original = self.fresh("original")
        self.fill(self.original, ORIGINAL)
        (self.original / LINK).symlink_to(LINK_TARGET)
        self.kernel = self.fresh("kernel")
        self.fill(self.kernel, KERNEL)
        self.kernel_change = self.plan("kernel", self.kernel, KERNEL_CHANGE)
        self.kernel_applied = self.copy(self.kernel)
        self.run("apply", self.kernel_applied, self.kernel_change)
        self.first = self.plan("first", self.original, FIRST)
        self.applied = self.copy(self.original)
        self.run("apply", self.applied, self.first)
        self.second = self.plan("second", self.applied, SECOND)
        self.twice = self.copy(self.applied)
        self.run("apply", self.twice, self.second)

    @staticmethod
    def fill(tree: Path, content_of: dict[str, tuple[bytes, int, int]]) -> None:
        for path, (content, mode, time) in content_of.items():
            file = tree / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            file.chmod(mode)
            os.utime(file, ns=(time, time))

    def fresh(self, name: str) -> Path:
        folder = self.work / name
        folder.mkdir()
        return folder

    def copy(self, tree: Path) -> Path:
        self.trees += 1
        return Path(shutil.copytree(tree, self.work / f"tree{self.trees}", symlinks=True))

    def plan(self, name: str, tree: Path, changes: dict[str, bytes | None]) -> Path:
        """before/ and after/ of the driver, from the tree as it is."""
        folder = self.fresh(f"plan-{name}")
        (folder / "before").mkdir()
        (folder / "after").mkdir()
        for path, content in changes.items():
            for side, data in (("before", (tree / path).read_bytes() if (tree / path).exists() else None),
                               ("after", content)):
                if data is not None:
                    file = folder / side / path
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_bytes(data)
        return folder

    def start(self, verb: str, tree: Path, *more: Path | str, fault: str = "", log: Path | None = None,
              before: Callable[[], None] | None = None) -> "subprocess.CompletedProcess[str]":
        environment = {**os.environ, "MEMSIZE_DISK_FAULT": fault}
        if not fault:
            del environment["MEMSIZE_DISK_FAULT"]
        if log:
            environment["MEMSIZE_DISK_LOG"] = str(log)
        return subprocess.run([str(self.driver), verb, str(tree), *map(str, more)], env=environment, timeout=SECONDS,
                              capture_output=True, text=True, check=False, preexec_fn=before)

    def run(self, verb: str, tree: Path, *more: Path | str) -> str:
        done = self.start(verb, tree, *more)
        require(done.returncode == 0, f"{verb}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def memsize_run(self, *words: Path | str, status: int = 0) -> str:
        done = subprocess.run([str(self.memsize), *map(str, words)], timeout=SECONDS, capture_output=True, text=True,
                              check=False)
        require(done.returncode == status,
                f"memsize {words}: exit {done.returncode}, expected {status}\n{done.stdout}{done.stderr}")
        return done.stdout if status == 0 else done.stderr

    def log_of(self, verb: str, tree: Path, *more: Path | str) -> list[list[str]]:
        return self.log_in_place(verb, self.copy(tree), *more)

    def log_in_place(self, verb: str, tree: Path, *more: Path | str) -> list[list[str]]:
        log = self.work / "log"
        log.unlink(missing_ok=True)
        done = self.start(verb, tree, *more, log=log)
        require(done.returncode == 0, f"{verb}: {done.stdout}{done.stderr}")
        return [line.split("\t") for line in log.read_text().splitlines()]

    # --- Killed ---------------------------------------------------------------------------------------

    def must_be(self, tree: Path, *wanted: Path, times: bool = False, what: str) -> Path:
        """Which of the trees it equals. A file that had other bytes in between may have the time at which it got its own back."""
        now = snapshot(tree, times)
        for other in wanted:
            there = snapshot(other, times)
            allowed = {path: (*item[:3], now[path][3] if path in now and (now[path][3] or 0) >= self.begun else item[3])
                       for path, item in there.items()}
            if now == allowed:
                return other
        raise Wrong(f"{what}: it is neither: differs from {wanted[0].name} in "
                    f"{difference(now, snapshot(wanted[0], times))}")

    def must_be_original(self, tree: Path, what: str) -> None:
        self.must_be(tree, self.original, times=True, what=what)
        require(not (tree / OWN).exists(), f"{what}: {OWN} is left with {sorted((tree / OWN).rglob('*'))}")

    def status_only_reads(self, tree: Path) -> dict[str, Any]:
        before, times = snapshot(tree, own=True), all_times(tree)
        document = json.loads(self.memsize_run("sdk", "status", "--sdk", tree, "--json"))
        require(snapshot(tree, own=True) == before and all_times(tree) == times, "status changed something")
        return document

    def recovered(self, killed: Path, old: Path, new: Path, plan: Path | None, what: str) -> None:
        """The killed tree's ways on: ending it, doing it again, and going back."""
        document = self.status_only_reads(killed)
        back = self.copy(killed)
        self.run("recover", killed)
        reached = self.must_be(killed, old, new, what=f"{what}, recover")
        after = self.status_only_reads(killed)
        expected = "clean" if reached == self.original else "applied"
        require(after["state"] == expected, f"{what}: {document['state']} became {after['state']}")
        require(not (killed / OWN / "lock").exists() and not (killed / OWN / "staged").exists(), f"{what}: leftovers")
        if plan:
            self.run("apply", killed, plan)
            self.must_be(killed, new, what=f"{what}, apply again")
        self.run("revert", killed)
        self.must_be_original(killed, f"{what}, revert after that")
        self.memsize_run("sdk", "revert", "--sdk", back)
        self.must_be_original(back, f"{what}, revert at once")
        shutil.rmtree(killed)
        shutil.rmtree(back)

    def kill_everywhere(self, name: str, verb: str, old: Path, new: Path, plan: Path | None) -> None:
        more = [plan] if plan else []
        calls = self.log_of(verb, old, *more)
        require(len(calls) > 20, f"{name}: only {len(calls)} calls were seen")
        for n in range(1, len(calls) + 2, self.step):
            for way in ("kill", "tear"):
                what = f"{name}, {way} {n} of {len(calls)}"
                tree = self.copy(old)
                done = self.start(verb, tree, *more, fault=f"{way} {n}")
                if n > len(calls):
                    require(done.returncode == 0, f"{what}: {done.stdout}")
                else:
                    require(done.returncode == -9, f"{what}: not killed: {done.returncode} {done.stdout}")
                    self.kills += 1
                self.recovered(tree, old, new, plan, what)

    def kill_twice(self) -> None:
        """Killed, and what ends that is killed too."""
        calls = len(self.log_of("apply", self.applied, self.second))
        for _ in range(max(10, 60 // self.step)):
            tree = self.copy(self.applied)
            faults = []
            self.start("apply", tree, self.second, fault=f"kill {self.random.randint(1, calls)}")
            for _ in range(3):
                verb = self.random.choice(["recover", "revert"])
                faults.append((verb, self.random.randint(1, 60)))
                self.start(verb, tree, fault=f"tear {faults[-1][1]}")
            what = f"killed again and again, {faults}"
            self.kills += 3
            self.run("recover", tree)
            self.must_be(tree, self.original, self.applied, self.twice, what=what)
            self.run("revert", tree)
            self.must_be_original(tree, what)

    def kill_at_any_time(self, seconds: float) -> None:
        """By the clock, not at a call; what ends it is killed, too, as often as not."""
        ends = time.monotonic() + seconds
        rounds: list[tuple[str, Path, Path, Path | None]] = [
            ("apply", self.original, self.applied, self.first), ("apply", self.applied, self.twice, self.second),
            ("revert", self.applied, self.original, None), ("revert", self.twice, self.original, None)]
        whole: dict[str, float] = {}
        while time.monotonic() < ends:
            verb, old, new, plan = self.random.choice(rounds)
            tree = self.copy(old)
            said = [verb]
            for again in ("", *self.random.choices(["recover", "revert"], k=self.random.randrange(3))):
                word = again or verb
                begun = time.monotonic()
                child = subprocess.Popen([str(self.driver), word, str(tree), *([str(plan)] if plan and not again else [])],
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                try:
                    child.wait(self.random.uniform(0, 1.1 * whole.get(word, 0.05)))
                    whole[word] = max(whole.get(word, 0), time.monotonic() - begun)
                except subprocess.TimeoutExpired:
                    child.kill()
                    child.wait()
                    self.kills += 1
                said.append(f"{word} after {time.monotonic() - begun:.4f} s")
            what = f"killed at any time: {', '.join(said)}"
            if len(said) > 2:
                self.run("recover", tree)
                self.must_be(tree, self.original, self.applied, self.twice, what=what)
                self.run("revert", tree)
                self.must_be_original(tree, what)
                shutil.rmtree(tree)
            else:
                self.recovered(tree, old, new, plan, what)

    # --- Two trees ------------------------------------------------------------------------------------

    def pair(self) -> tuple[Path, Path]:
        return self.copy(self.original), self.copy(self.kernel)

    def apply_pair(self, sdk: Path, kernel: Path, fault: str = "") -> "subprocess.CompletedProcess[str]":
        return self.start("apply", sdk, self.first, kernel, self.kernel_change, fault=fault)

    def pair_must_be_original(self, sdk: Path, kernel: Path, what: str) -> None:
        self.must_be_original(sdk, what)
        self.must_be(kernel, self.kernel, times=True, what=what)
        require(not (kernel / OWN).exists(), f"{what}: {OWN} is left")

    def pair_recovered(self, sdk: Path, kernel: Path, what: str) -> None:
        """Each tree is whole after what ends it; the same call again makes both; both go back."""
        back = self.copy(sdk), self.copy(kernel)
        self.run("recover", sdk)
        self.run("recover", kernel)
        self.must_be(sdk, self.original, self.applied, what=f"{what}, recover")
        self.must_be(kernel, self.kernel, self.kernel_applied, what=f"{what}, recover")
        done = self.apply_pair(sdk, kernel)
        require(done.returncode == 0, f"{what}, again: {done.stdout}")
        self.must_be(sdk, self.applied, what=f"{what}, again")
        self.must_be(kernel, self.kernel_applied, what=f"{what}, again")
        self.run("revert", sdk, kernel)
        self.pair_must_be_original(sdk, kernel, f"{what}, revert after that")
        self.memsize_run("sdk", "revert", "--sdk", back[0], "--linux", back[1])
        self.pair_must_be_original(*back, f"{what}, revert at once")
        for tree in (sdk, kernel, *back):
            shutil.rmtree(tree)

    def kill_pair(self) -> None:
        trees = self.pair()
        calls = len(self.log_in_place("apply", trees[0], self.first, trees[1], self.kernel_change))
        for n in range(1, calls + 1, self.step):
            sdk, kernel = self.pair()
            done = self.apply_pair(sdk, kernel, fault=f"tear {n}")
            require(done.returncode == -9, f"not killed at {n} of {calls}")
            self.kills += 1
            self.pair_recovered(sdk, kernel, f"two trees, killed at {n} of {calls}")
        calls = len(self.log_in_place("revert", *trees))
        for n in range(1, calls + 1, self.step):
            sdk, kernel = self.copy(self.applied), self.copy(self.kernel_applied)
            self.start("revert", sdk, kernel, fault=f"kill {n}")
            self.kills += 1
            self.pair_recovered(sdk, kernel, f"revert of two trees, killed at {n} of {calls}")

    def refuse_pair(self) -> None:
        trees = self.pair()
        calls = self.log_in_place("apply", trees[0], self.first, trees[1], self.kernel_change)
        for n in range(1, len(calls) + 1, self.step):
            what = f"two trees, {calls[n - 1][0]} fails as call {n} of {len(calls)}"
            sdk, kernel = self.pair()
            before = snapshot(sdk), snapshot(kernel)
            done = self.apply_pair(sdk, kernel, fault=f"fail any {errno.EIO} {n}")
            if done.returncode == 0:
                require(calls[n - 1][0] in ("unlink", "rmdir"), f"{what}: no error")
            else:
                require("nothing was changed" in done.stdout, f"{what}: {done.stdout}")
                require((snapshot(sdk), snapshot(kernel)) == before, f"{what}: changed something")
            self.pair_recovered(sdk, kernel, what)
        for n in range(1, len(calls) + 1, self.step):
            what = f"two trees, everything fails from call {n} on"
            sdk, kernel = self.pair()
            before = snapshot(sdk, times=False), snapshot(kernel, times=False)
            done = self.apply_pair(sdk, kernel, fault=f"fail+ any {errno.ENOSPC} {n}")
            for tree, was, option in ((sdk, before[0], "--sdk"), (kernel, before[1], "--linux")):
                if done.returncode != 0 and snapshot(tree, times=False) != was:
                    require(f"{option} {tree}" in done.stdout, f"{what}: does not say how to go back: {done.stdout}")
            self.pair_recovered(sdk, kernel, what)

    def pairs(self) -> None:
        """One tree cannot change: the other is not touched. Roots that are one tree, or inside of one."""
        sdk, kernel = self.pair()
        (kernel / "arch/dts/board.dts").write_bytes(b"somebody else's")
        times = all_times(sdk), all_times(kernel)
        done = self.apply_pair(sdk, kernel)
        require(done.returncode == 1 and f"{kernel}/arch/dts/board.dts" in done.stdout, done.stdout)
        require((all_times(sdk), all_times(kernel)) == times, "a refused change touched something")
        # A tree without a change gets nothing, not even a lock.
        sdk, kernel = self.copy(self.applied), self.copy(self.kernel)
        times = all_times(sdk)
        require(self.apply_pair(sdk, kernel).returncode == 0 and all_times(sdk) == times, "it was touched")
        # One refuses to go back: so does the other.
        (kernel / "arch/dts/board.dts").write_bytes(b"by hand")
        before = snapshot(sdk, own=True), snapshot(kernel, own=True)
        said = self.memsize_run("sdk", "revert", "--sdk", sdk, "--linux", kernel, status=1)
        require(f"--linux {kernel} --force" in said, said)
        require((snapshot(sdk, own=True), snapshot(kernel, own=True)) == before, "one of them went back")
        document = json.loads(self.memsize_run("sdk", "status", "--sdk", sdk, "--linux", kernel, "--json"))
        require(len(document["files"]) == len(FIRST) and len(document["linux"]["files"]) == len(KERNEL_CHANGE),
                f"status of both: {document}")
        self.memsize_run("sdk", "revert", "--sdk", sdk, "--linux", kernel, "--force")
        self.must_be_original(sdk, "both forced back")
        self.must_be(kernel, self.kernel, times=True, what="both forced back")
        require((kernel / OWN / "kept/arch/dts/board.dts").read_bytes() == b"by hand", "what was edited is lost")
        require("nothing to put back" in self.memsize_run("sdk", "revert", "--linux", self.copy(self.kernel)), "said")
        # One inside of the other: the journal is that of the outer one.
        outer = self.copy(self.kernel)
        inner = outer / "sdk"
        shutil.copytree(self.original, inner, symlinks=True)
        whole = self.copy(outer)
        self.run("apply", inner, self.first, outer, self.kernel_change)
        require((outer / OWN).exists() and not (inner / OWN).exists(), "there is a journal in the inner tree")
        # Four of the inner tree, two of the outer one, and a last line.
        require(self.run("originals", outer).count("\n") == 4 + 2 + 1, f"originals: {self.run('originals', outer)}")
        self.run("revert", inner, outer)
        self.must_be(outer, whole, times=True, what="one inside of the other")
        # The same one twice, by two names.
        tree = self.copy(self.original)
        self.run("apply", tree, self.first, tree / "platform" / "..", self.first)
        self.must_be(tree, self.applied, what="the same root twice")
        self.run("revert", tree, tree)
        self.must_be_original(tree, "the same root twice")
        # The inner one has a journal: each keeps its own.
        outer = self.copy(whole)
        self.run("apply", outer / "sdk", self.first)
        self.run("apply", outer, self.kernel_change, outer / "sdk", self.first)
        require((outer / "sdk" / OWN).exists() and (outer / OWN).exists(), "a journal is missing")
        self.run("revert", outer, outer / "sdk")
        self.must_be(outer, whole, times=True, what="two journals, one inside of the other")
        require(not (outer / "sdk" / OWN).exists(), "the inner journal is left")

    def originals(self) -> None:
        """What was there before the first change, however often it is changed since."""
        for tree in (self.copy(self.applied), self.copy(self.twice)):
            listed = dict(line.split("\t") for line in self.run("originals", tree).splitlines()[:-1])
            for path, size in listed.items():
                require(len(ORIGINAL[path][0]) == int(size), f"original of {path}: {size}")
            require(f"{RTOS}/app_mem_map.h" in listed and f"{RTOS}/new/folder/file.h" not in listed, f"{listed}")
        require(self.run("originals", self.original) == "done\n", "a tree that was not changed has originals")
        (tree / OWN / "backup" / RTOS / "app_mem_map.h").write_bytes(b"other")
        done = self.start("originals", tree)
        require(done.returncode == 1 and "sdk.journal" in done.stdout, done.stdout)

    # --- A disk that refuses -----------------------------------------------------------------------------

    def refuse_everywhere(self, name: str, old: Path, new: Path, plan: Path) -> None:
        calls = self.log_of("apply", old, plan)
        before = snapshot(old)
        for call, number in (("write", errno.ENOSPC), ("open", errno.ENOSPC), ("fsync", errno.EIO),
                             ("rename", errno.EACCES), ("mkdir", errno.ENOSPC), ("chmod", errno.EPERM),
                             ("unlink", errno.EACCES), ("rmdir", errno.EACCES), ("utimens", errno.EIO),
                             ("truncate", errno.EIO)):
            total = sum(line[0] == call for line in calls)
            require(total > 0 or call in ("utimens", "chmod"), f"{name}: no call of {call} was seen")
            for n in range(1, total + 1, self.step):
                what = f"{name}, {call} {n} of {total} fails"
                tree = self.copy(old)
                done = self.start("apply", tree, plan, fault=f"fail {call} {number} {n}")
                if done.returncode == 0:
                    # Only what tidies up may fail without a word.
                    require(call in ("unlink", "rmdir"), f"{what}: no error")
                    self.must_be(tree, new, what=what)
                else:
                    require(done.returncode in (1, 4), f"{what}: exit {done.returncode}")
                    require(os.strerror(number) in done.stdout, f"{what}: does not say why: {done.stdout}")
                    require("nothing was changed" in done.stdout, f"{what}: does not say what changed: {done.stdout}")
                    require(snapshot(tree) == before, f"{what}: changed {difference(snapshot(tree), before)}")
                self.recovered(tree, old, new, plan, what)
        for n in range(1, len(calls) + 1, self.step):
            what = f"{name}, everything fails from call {n} on"
            tree = self.copy(old)
            done = self.start("apply", tree, plan, fault=f"fail+ any {errno.ENOSPC} {n}")
            if done.returncode == 0:
                self.must_be(tree, new, what=what)
            else:
                now, said = snapshot(tree, times=False), done.stdout
                new_state = snapshot(new, times=False)
                # Files that are what they should become are named, or nothing is.
                if now == snapshot(old, times=False):
                    require("nothing was changed" in said or "takes it back" in said, f"{what}: {said}")
                else:
                    require("takes it back" in said, f"{what}: {said}")
                    for path, (kind, content, *_) in new_state.items():
                        was = snapshot(old, times=False).get(path, (None, None))
                        if kind == stat.S_IFREG and now.get(path, (0, None))[1] == content != was[1]:
                            require(f"{path}' is changed" in said, f"{what}: does not name {path}: {said}")
            self.recovered(tree, old, new, plan, what)

    def full_disk(self) -> None:
        """A real limit: no file may grow beyond it."""
        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))

        tree = self.copy(self.original)
        done = self.start("apply", tree, self.first, before=limit)
        require(done.returncode == 4 and os.strerror(errno.EFBIG) in done.stdout, f"no error: {done.stdout}")
        self.must_be_original(tree, "a file that may not grow")

    def small_disk(self) -> None:
        """A file system that is full, where this process may mount one."""
        folder = self.fresh("small")
        for size in range(140, 400, 20 if self.step == 1 else 60):
            if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "none", str(folder)],
                              capture_output=True, check=False).returncode != 0:
                return
            try:
                tree = Path(shutil.copytree(self.original, folder / "tree", symlinks=True))
                done = self.start("apply", tree, self.first)
                if done.returncode == 0:
                    self.run("revert", tree)
                else:
                    require(os.strerror(errno.ENOSPC) in done.stdout and "nothing was changed" in done.stdout,
                            f"{size} KiB: {done.stdout}")
                self.must_be_original(tree, f"a disk of {size} KiB")
            finally:
                subprocess.run(["umount", str(folder)], check=True)

    def edited_meanwhile(self) -> None:
        """Somebody writes a file at any moment of a change, or of its way back: those bytes are never lost."""
        header = f"{RTOS}/app_mem_map.h"
        for verb, old, plan in (("apply", self.original, [self.first]), ("apply", self.applied, [self.second]),
                                ("revert", self.applied, [])):
            calls = self.log_of(verb, old, *plan)
            for n in range(1, len(calls) + 1, self.step):
                # Nothing can look at the file between that look and the rename itself.
                if calls[n - 1][0] == "rename" and calls[n - 1][2].endswith(header):
                    continue
                what = f"{verb}, edited before call {n} of {len(calls)}"
                tree = self.copy(old)
                done = self.start(verb, tree, *plan, fault=f"edit {n} {tree / header}")
                require((tree / header).read_bytes() == b"in between\n", f"{what}: the edit is lost")
                if done.returncode != 0:
                    require(header in done.stdout and "sdk.changed" in done.stdout, f"{what}: {done.stdout}")
                    forced = self.start("revert", tree, "--force")
                    if forced.returncode == 0 and (tree / OWN).exists():
                        kept = [file.read_bytes() for file in (tree / OWN / "kept").rglob("*") if file.is_file()]
                        require(b"in between\n" in kept, f"{what}: the edit is not kept")
                shutil.rmtree(tree)

    def other_user(self) -> None:
        """Folders that the process may not write to. A superuser may: then it is done as nobody."""
        nobody = 65534
        self.work.chmod(0o755)

        def demote() -> None:
            if os.geteuid() == 0:
                os.setgid(nobody)
                os.setuid(nobody)

        def own(tree: Path) -> Path:
            if os.geteuid() == 0:
                for path in (tree, *tree.rglob("*")):
                    os.chown(path, nobody, nobody, follow_symlinks=False)
                # To give a file away drops these bits.
                for path, (_, mode, _) in ORIGINAL.items():
                    if (tree / path).exists():
                        (tree / path).chmod(mode)
            return tree

        if self.start("originals", own(self.copy(self.original)), before=demote).returncode != 0:
            return
        tree = own(self.copy(self.original))
        was = snapshot(tree)
        for folder, words in ((tree, "Permission denied"), (tree / RTOS / "c7", "folder is read-only")):
            folder.chmod(0o555)
            done = self.start("apply", tree, self.first, before=demote)
            require(done.returncode == 4 and words in done.stdout and "nothing was changed" in done.stdout,
                    f"{folder}: {done.returncode} {done.stdout}")
            folder.chmod(0o755)
            require(snapshot(tree, own=True) == was, "something was changed")
        # It becomes read-only between the change and the way back.
        tree = self.copy(self.original)
        done = self.start("apply", own(tree), self.first, before=demote)
        require(done.returncode == 0, done.stdout)
        for mode in (0o555, 0o000):
            (tree / RTOS / "r5").chmod(mode)
            done = self.start("revert", tree, before=demote)
            require(done.returncode != 0 and f"{RTOS}/r5" in done.stdout, f"{mode:o}: {done.returncode} {done.stdout}")
            require(self.start("revert", tree, before=demote).returncode != 0, "the second time it was possible")
        (tree / RTOS / "r5").chmod(0o755)
        done = self.start("revert", tree, before=demote)
        require(done.returncode == 0, done.stdout)
        self.must_be_original(tree, "a folder was read-only for a while")

    def hard_links(self) -> None:
        """Another name of a file, as in a copy made with cp -l, keeps its bytes."""
        header = f"{RTOS}/app_mem_map.h"
        tree, other = self.copy(self.original), self.fresh("linked") / "header.h"
        os.link(tree / header, other)
        self.run("apply", tree, self.first)
        require(other.read_bytes() == BINARY and (tree / header).read_bytes() == FIRST[header], "both were changed")
        self.run("revert", tree)
        self.must_be_original(tree, "a file with two names")
        require(other.read_bytes() == BINARY, "the other name has other bytes")

    def damaged_own(self) -> None:
        """Whatever is wrong below .memsize: it is said, and no file of the tree is lost."""
        header = f"{RTOS}/app_mem_map.h"

        def is_refused(tree: Path, what: str, *more: str) -> None:
            before = snapshot(tree)
            for words in (("revert", tree), ("apply", tree, self.second), ("recover", tree)):
                done = self.start(*words)
                if done.returncode != 0:
                    require(OWN in done.stdout and "nothing was changed" in done.stdout, f"{what}: {done.stdout}")
                    require(all(word in done.stdout for word in more), f"{what}: {done.stdout}")
                    require(snapshot(tree) == before, f"{what}: {words[0]} changed the tree")
                require(done.returncode != 0 or words[0] == "recover", f"{what}: {words[0]} is not refused")

        journal = (self.applied / OWN / "journal.json").read_bytes()
        for length in range(0, len(journal) - 2, max(1, len(journal) // (60 // self.step))):
            tree = self.copy(self.applied)
            (tree / OWN / "journal.json").write_bytes(journal[:length])
            is_refused(tree, f"a journal of {length} bytes")
        tree = self.copy(self.applied)
        (tree / OWN / "journal.json").unlink()
        is_refused(tree, "no journal", "the journal is missing")
        for content in (None, b"other"):
            tree = self.copy(self.applied)
            copy = tree / OWN / "backup" / header
            copy.unlink() if content is None else copy.write_bytes(content)
            is_refused(tree, "no copy of the original", header)
            # Put back by hand: it is the last original, and becomes the copy again.
            (tree / header).write_bytes(BINARY)
            self.run("apply", tree, self.plan(f"by-hand-{content}", tree, {header: b"anew\n"}))
            self.run("revert", tree)
            self.must_be_original(tree, "an original put back by hand")
        for kind in ("file", "link", "pipe"):
            tree = self.copy(self.original)
            if kind == "file":
                (tree / OWN).write_bytes(b"")
            elif kind == "link":
                (tree / OWN).symlink_to(self.work)
            else:
                os.mkfifo(tree / OWN)
            is_refused(tree, f".memsize is a {kind}", "no folder")
        tree = self.copy(self.applied)
        os.mkfifo(tree / OWN / "lock")
        self.memsize_run("sdk", "status", "--sdk", tree)
        done = self.start("revert", tree)
        require(done.returncode == 4 and "lock" in done.stdout, f"a pipe as the lock: {done.stdout}")
        # Left by a change that was only prepared, whose document somebody removed.
        tree = self.copy(self.applied)
        left = tree / OWN / "backup" / RTOS / "gen_linker_mem_map.py"
        left.write_bytes(ORIGINAL[f"{RTOS}/gen_linker_mem_map.py"][0])
        self.run("apply", tree, self.second)
        self.run("revert", tree)
        self.must_be_original(tree, "a copy was left")
        tree = self.copy(self.applied)
        left = tree / OWN / "backup" / RTOS / "gen_linker_mem_map.py"
        left.write_bytes(b"nobody knows")
        before = snapshot(tree, own=True)
        done = self.start("apply", tree, self.second)
        require(done.returncode == 1 and "does not say what it is" in done.stdout, done.stdout)
        require(snapshot(tree, own=True) == before, "something was changed")

    def moved(self) -> None:
        """A tree that is elsewhere now, or a part of it that is."""
        tree = Path(shutil.move(self.copy(self.applied), self.work / "moved away"))
        self.run("revert", tree)
        self.must_be_original(tree, "a tree that was moved")
        # A journal that belongs to another tree.
        tree = self.copy(self.original)
        (tree / RTOS / "app_mem_map.h").write_bytes(b"of another version\n")
        shutil.copytree(self.applied / OWN, tree / OWN)
        before = snapshot(tree)
        done = self.start("revert", tree)
        require(done.returncode == 1 and "app_mem_map.h" in done.stdout, done.stdout)
        require(snapshot(tree) == before, "something was changed")

    def large(self) -> None:
        """One file of 120 MB, and many small ones."""
        size, count = (120 << 20, 5000) if self.step == 1 else (1 << 20, 200)
        tree = self.fresh("large")
        (tree / "platform").mkdir()
        big = self.random.randbytes(size)
        (tree / "platform/big").write_bytes(big)
        for i in range(count):
            (tree / f"platform/{i}.h").write_bytes(b"%d\n" % i)
        was = snapshot(tree, times=False)
        plan = self.plan("large", tree, {"platform/big": big[::-1], **{f"platform/{i}.h": b"x" for i in range(count)}})
        self.run("apply", tree, plan)
        require((tree / "platform/big").read_bytes() == big[::-1], "the large file is not changed")
        self.run("revert", tree)
        require(snapshot(tree, times=False) == was, "large files do not come back")

    def durable_before_it_counts(self) -> None:
        """Every file below .memsize is synced before the rename that makes the journal count, and every tree's
        folder before the journal says that all is done."""
        tree = self.original
        log = self.log_of("apply", tree, self.first)
        commit = next(i for i, line in enumerate(log) if line[0] == "rename" and line[1].endswith("staging.json"))
        done = next(i for i, line in enumerate(log) if line[0] == "rename" and line[1].endswith("journal.json.new"))
        require(commit < done, "the journal is written before it counts")
        written = 0
        for i, line in enumerate(log):
            # open, write..., fsync of the same descriptor.
            if line[0] == "open" and f"{OWN}/" in line[1] and not line[1].endswith("/lock"):
                following = [other[0] for other in log[i + 1 : i + 8]]
                require("fsync" in following and following.index("fsync") < following.index("open")
                        if "open" in following else "fsync" in following, f"{line[1]} is not synced")
                written += 1
        require(written >= 9, f"only {written} files were seen")
        require(any(line[0] == "fsync" for line in log[commit + 1 : commit + 2]), "the journal's name is not synced")
        targets = [i for i, line in enumerate(log) if line[0] == "rename" and f"{OWN}/staged" in line[1]]
        require(all(commit < i < done for i in targets) and len(targets) == 5, "files are renamed in between")
        require(sum(line[0] == "fsync" for line in log[targets[-1] : done]) >= 3, "folders are not synced")

    # --- Refusals ------------------------------------------------------------------------------------------

    def refused(self, tree: Path, code: str, words: str, plan: Path | None = None) -> None:
        before, times = snapshot(tree, own=True), all_times(tree)
        done = self.start("apply", tree, plan or self.first)
        require(done.returncode in (1, 4) and code in done.stdout and words in done.stdout,
                f"expected {code} '{words}': {done.returncode} {done.stdout}")
        require("nothing was changed" in done.stdout, f"does not say what changed: {done.stdout}")
        require(snapshot(tree, own=True) == before and all_times(tree) == times, f"{words}: something changed")

    def refusals(self) -> None:
        header = f"{RTOS}/app_mem_map.h"
        tree = self.copy(self.original)
        (tree / header).chmod(0o444)
        self.refused(tree, "file.write", "read-only")
        tree = self.copy(self.original)
        (tree / header).unlink()
        (tree / header).mkdir()
        self.refused(tree, "file.write", "folder")
        tree = self.copy(self.original)
        (tree / header).write_bytes(b"somebody else's")
        self.refused(tree, "sdk.changed", "changed after it was read")
        tree = self.copy(self.original)
        (tree / header).unlink()
        self.refused(tree, "sdk.changed", "went away")
        tree = self.copy(self.original)
        (tree / RTOS / "new").write_bytes(b"a file")
        self.refused(tree, "file.write", "a file is where a folder")
        tree = self.copy(self.original)
        (tree / header).unlink()
        os.mkfifo(tree / header)
        self.refused(tree, "file.write", "no regular file")
        outside = self.fresh("outside")
        (outside / "app_mem_map.h").write_bytes(BINARY)
        for target, words in ((outside / "app_mem_map.h", str(outside)), (Path("nothing"), "leads nowhere"),
                              (Path("app_mem_map.h"), "leads nowhere")):
            tree = self.copy(self.original)
            (tree / header).unlink()
            (tree / header).symlink_to(target)
            self.refused(tree, "file.write", words)
        tree = self.copy(self.original)
        shutil.move(tree / RTOS / "r5", outside / "r5")
        (tree / RTOS / "r5").symlink_to(outside / "r5")
        self.refused(tree, "file.write", str(outside / "r5"))
        tree = self.copy(self.original)
        (tree / OWN).symlink_to(outside)
        self.refused(tree, "sdk.journal", "no folder")
        require(not (outside / "lock").exists(), "something was written outside of the tree")

    def hostile_links_below_own(self) -> None:
        """Who ships a tree may ship a .memsize too; it must not reach out of the tree."""
        outside = self.fresh("elsewhere")
        for name in ("backup", "journal.json"):
            tree = self.copy(self.applied)
            shutil.move(tree / OWN / name, outside / name)
            (tree / OWN / name).symlink_to(outside / name)
            before = snapshot(outside)
            now = snapshot(tree)
            self.memsize_run("sdk", "revert", "--sdk", tree, "--force", status=1)
            require(snapshot(outside) == before and snapshot(tree) == now, f"{name} as a link was followed")
        tree = self.copy(self.applied)
        (tree / OWN / "staged").symlink_to(outside)
        self.run("revert", tree)
        require((outside / "backup").exists(), "a link was followed when tidying up")
        self.must_be_original(tree, "a link in place of staged")

    # --- What is kept ------------------------------------------------------------------------------------------

    def again_changes_nothing(self) -> None:
        tree = self.copy(self.twice)
        twice = self.plan("twice", tree, {path: (tree / path).read_bytes() if (tree / path).exists() else None
                                          for path in FIRST.keys() | SECOND.keys()})
        with_kept = self.copy(self.original)
        (with_kept / OWN / "kept").mkdir(parents=True)
        (with_kept / OWN / "kept" / "file").write_bytes(b"by hand")
        same = self.plan("same", self.original, {LINK: b"", f"{RTOS}/c7/untouched.txt": b"stays\n"})
        for there, plan in ((tree, twice), (self.copy(self.original), same), (with_kept, same)):
            before, times = snapshot(there, own=True), all_times(there)
            self.run("apply", there, plan)
            require(snapshot(there, own=True) == before and all_times(there) == times, "applying the same changed it")
        # One of many: the others keep their time.
        tree = self.copy(self.applied)
        times = {path: (tree / path).stat().st_mtime_ns for path in ORIGINAL if (tree / path).exists()}
        self.run("apply", tree, self.plan("one", tree, {f"{RTOS}/app_mem_map.h": b"one\n",
                                                        f"{RTOS}/c7/untouched.txt": b"stays\n"}))
        for path, time in times.items():
            require((tree / path).stat().st_mtime_ns == time or path.endswith("app_mem_map.h"), f"{path} was touched")

    def folder_times(self) -> None:
        """Folders have their old times again, unless somebody else changed a name in them."""
        for tree in (self.original, self.kernel):
            for path in (tree, *tree.rglob("*")):
                if path.is_dir():
                    os.utime(path, ns=(10**18, 10**18 + len(path.name)))
        sdk, kernel = self.pair()
        times = all_times(sdk), all_times(kernel)
        for plans in (self.first, self.second):
            self.run("apply", sdk, plans, kernel, self.kernel_change)
        self.run("revert", sdk, kernel)
        now = all_times(sdk), all_times(kernel)
        changed = [Path(path) for a, b in zip(now, times) for path in a if a[path] != b[path]]
        require(not any(path.is_dir() for path in changed), f"other times: {changed}")
        # What goes by times makes again what was made of the files that are what they were.
        files = {sdk / path for path in {**FIRST, **SECOND, f"{RTOS}/c7/freertos.syscfg": b""} if path in ORIGINAL} | {kernel / path for path in KERNEL_CHANGE}
        newer = {path for path in changed if path.stat().st_mtime_ns >= self.begun}
        require(newer == set(changed) and newer <= files and len(newer) >= 2, f"new times: {changed}, not {files}")
        self.run("apply", sdk, self.first)
        (sdk / RTOS / "c7/mine.txt").write_bytes(b"")
        mine = (sdk / RTOS / "c7").stat().st_mtime_ns
        self.run("revert", sdk)
        require((sdk / RTOS / "c7").stat().st_mtime_ns >= mine, "a folder looks older than what is in it")
        require((sdk / RTOS / "r5").stat().st_mtime_ns == times[0][str(sdk / RTOS / "r5")], "r5 has another time")

    def edits_are_kept(self) -> None:
        header = f"{RTOS}/app_mem_map.h"
        tree = self.copy(self.applied)
        (tree / header).write_bytes(b"by hand\n")
        before = snapshot(tree, own=True)
        said = self.memsize_run("sdk", "revert", "--sdk", tree, status=1)
        require(header in said and "--force" in said and "nothing was changed" in said, said)
        require(snapshot(tree, own=True) == before, "a refused revert changed something")
        now = {item["path"]: item["now"] for item in self.status_only_reads(tree)["files"]}
        require(now[header] == "edited" and now[f"{RTOS}/new/folder/file.h"] == "applied", f"status says {now}")
        self.memsize_run("sdk", "revert", "--sdk", tree, "--force")
        self.must_be(tree, self.original, times=True, what="a forced revert")
        require((tree / OWN / "kept" / header).read_bytes() == b"by hand\n", "what was edited is not kept")
        # Once more, with other bytes: both are kept; and the tree is usable.
        self.run("apply", tree, self.first)
        (tree / header).write_bytes(b"by hand again\n")
        self.memsize_run("sdk", "revert", "--sdk", tree, "--force")
        require((tree / OWN / "kept" / header).read_bytes() == b"by hand\n", "the first is gone")
        require((tree / OWN / "kept" / (header + ".2")).read_bytes() == b"by hand again\n", "the second is not kept")
        require(len(self.status_only_reads(tree)["kept"]) == 2, "status does not list them")
        # Edited, then changed by memsize from there: the edited one is kept, the oldest is what comes back.
        tree = self.copy(self.applied)
        (tree / header).write_bytes(b"by hand\n")
        self.run("apply", tree, self.plan("edited", tree, {header: b"from by hand\n"}))
        require((tree / OWN / "kept" / header).read_bytes() == b"by hand\n", "what was edited is not kept")
        self.run("revert", tree)
        self.must_be(tree, self.original, times=True, what="reverted after an edit in between")

    def stuck_in_the_middle(self) -> None:
        """Killed halfway, then a file is edited: it is named, nothing is lost, revert --force goes back."""
        header = f"{RTOS}/app_mem_map.h"
        calls = self.log_of("apply", self.original, self.first)
        middle = next(i for i, line in enumerate(calls) if line[0] == "rename" and "staged" in line[1]) + 2
        tree = self.copy(self.original)
        self.start("apply", tree, self.first, fault=f"kill {middle}")
        (tree / header).write_bytes(b"in between\n")
        # Whoever comes next removes the lock's file that was left.
        (tree / OWN / "lock").unlink()
        before = snapshot(tree, own=True)
        for words in (("apply", tree, self.first), ("recover", tree), ("revert", tree)):
            done = self.start(*words)
            require(done.returncode == 1 and header in done.stdout and "--force" in done.stdout, done.stdout)
            require(snapshot(tree, own=True) == before, f"{words[0]} changed something")
        self.run("revert", tree, "--force")
        self.must_be(tree, self.original, times=True, what="forced back")
        require((tree / OWN / "kept" / header).read_bytes() == b"in between\n", "what was edited is lost")

    def copied_tree(self) -> None:
        """A copy that lost times and modes still goes back to the right modes."""
        tree = Path(shutil.copytree(self.applied, self.work / "copied", symlinks=True, copy_function=shutil.copyfile))
        self.run("revert", tree)
        touched = {path for path in FIRST if path in ORIGINAL} | {f"{RTOS}/c7/freertos.syscfg"}
        old, now = snapshot(self.original, times=False), snapshot(tree, times=False)
        require(all(old[path] == now[path] for path in touched), f"differs: {difference(old, now)}")

    # --- Two at once -----------------------------------------------------------------------------------------

    def two_at_once(self) -> None:
        tree = self.copy(self.applied)
        lock = tree / OWN / "lock"
        lock.write_text("process 4711 on this host since 2026-01-02 03:04:05 UTC: something\n")
        with lock.open("r+") as file:
            # Of the open file: another kind would go with any other descriptor of this process.
            fcntl.fcntl(file, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
            before = snapshot(tree, own=True)
            for words in (("apply", tree, self.second), ("revert", tree), ("recover", tree)):
                done = self.start(*words)
                require(done.returncode == 4 and "process 4711" in done.stdout and "03:04:05" in done.stdout,
                        f"{words[0]}: {done.returncode} {done.stdout}")
            said = self.memsize_run("sdk", "revert", "--sdk", tree, status=4)
            require("sdk.lock" in said and "process 4711" in said, said)
            require(self.status_only_reads(tree)["busy"].startswith("process 4711"), "status does not say who")
            require(snapshot(tree, own=True) == before, "who has no lock changed something")
        # Who held it is gone: its file is in nobody's way.
        self.run("apply", tree, self.second)
        self.must_be(tree, self.twice, what="after the lock was left")
        for _ in range(max(2, 6 // self.step)):
            tree = self.copy(self.original)
            running = [subprocess.Popen([self.driver, "apply", tree, self.first], stdout=subprocess.PIPE, text=True)
                       for _ in range(6)]
            ended = [(process.communicate()[0], process.returncode) for process in running]
            require(all(code in (0, 4) for _, code in ended) and any(code == 0 for _, code in ended), f"{ended}")
            self.must_be(tree, self.applied, what="six at once")
            running = [subprocess.Popen([self.driver, "revert", tree], stdout=subprocess.PIPE, text=True)
                       for _ in range(6)]
            ended = [(process.communicate()[0], process.returncode) for process in running]
            require(all(code in (0, 4) for _, code in ended) and any(code == 0 for _, code in ended), f"{ended}")
            self.must_be_original(tree, "six reverts at once")
        # Two trees, named in both orders.
        sdk, kernel = self.pair()
        words = (sdk, self.first, kernel, self.kernel_change)
        running = [subprocess.Popen([self.driver, "apply", *(words if i % 2 else words[2:] + words[:2])],
                                    stdout=subprocess.PIPE, text=True) for i in range(6)]
        ended = [(process.communicate()[0], process.returncode) for process in running]
        require(all(code in (0, 4) for _, code in ended) and any(code == 0 for _, code in ended), f"{ended}")
        self.must_be(sdk, self.applied, what="six at once in two trees")
        self.must_be(kernel, self.kernel_applied, what="six at once in two trees")

    def same_root(self) -> None:
        """The root is the same one, however it was typed."""
        tree = self.copy(self.applied)
        around = self.fresh("around")
        tree = Path(shutil.move(tree, around / "vision_apps"))
        for typed in (tree, tree / "platform", around, Path(f"{tree}/"), tree / "platform" / ".." / "platform"):
            document = self.status_only_reads(typed)
            require(document["state"] == "applied" and len(document["files"]) == len(FIRST), f"{typed}: {document}")
        done = subprocess.run([self.memsize, "sdk", "revert", "--sdk", "."], cwd=tree / "platform", check=False,
                              capture_output=True, text=True)
        require(done.returncode == 0, done.stderr)
        self.must_be_original(tree, "reverted from within platform")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", required=True, type=Path)
    parser.add_argument("--memsize", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path)
    parser.add_argument("--step", type=int, default=13, help="only every so many-th call is killed, or fails")
    parser.add_argument("--every", action="store_true", help="every call is, and files are large")
    parser.add_argument("--times", action="store_true", help="say how long each part took")
    parser.add_argument("--seconds", type=float, default=3, help="how long it is killed at any time")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--only", default="", help="parts whose name contains this")
    options = parser.parse_args()
    if options.every:
        options.step = 1
    os.umask(0o022)
    # A disk in memory syncs fast; where there is none, any will do.
    memory = Path("/dev/shm")
    folder = memory if memory.is_dir() and os.access(memory, os.W_OK) else options.work
    problems = 0
    with tempfile.TemporaryDirectory(dir=folder, prefix="memsize-transaction-") as work:
        bench = Bench(options, Path(work).resolve())
        original, applied, twice = bench.original, bench.applied, bench.twice
        parts: dict[str, Callable[[], None]] = {
            "kill-apply": lambda: bench.kill_everywhere("apply", "apply", original, applied, bench.first),
            "kill-second": lambda: bench.kill_everywhere("second apply", "apply", applied, twice, bench.second),
            "kill-revert": lambda: bench.kill_everywhere("revert", "revert", twice, original, None),
            "kill-twice": bench.kill_twice,
            "kill-at-any-time": lambda: bench.kill_at_any_time(options.seconds),
            "refuse-apply": lambda: bench.refuse_everywhere("apply", original, applied, bench.first),
            "refuse-second": lambda: bench.refuse_everywhere("second apply", applied, twice, bench.second),
            "kill-pair": bench.kill_pair,
            "refuse-pair": bench.refuse_pair,
            "pairs": bench.pairs,
            "originals": bench.originals,
            "meanwhile": bench.edited_meanwhile,
            "other-user": bench.other_user,
            "hard-links": bench.hard_links,
            "damaged": bench.damaged_own,
            "moved": bench.moved,
            "large": bench.large,
            "small-disk": bench.small_disk,
            "full-disk": bench.full_disk,
            "durable": bench.durable_before_it_counts,
            "refusals": bench.refusals,
            "hostile": bench.hostile_links_below_own,
            "again": bench.again_changes_nothing,
            "folder-times": bench.folder_times,
            "edits": bench.edits_are_kept,
            "stuck": bench.stuck_in_the_middle,
            "copied": bench.copied_tree,
            "two-at-once": bench.two_at_once,
            "root": bench.same_root,
        }
        for name, part in parts.items():
            if options.only in name:
                begin = time.monotonic()
                try:
                    part()
                except Wrong as problem:
                    print(f"{name}: {problem}")
                    problems += 1
                if options.times:
                    print(f"{name}: {time.monotonic() - begin:.1f} s")
        print(f"{bench.kills} kills, {bench.trees} trees, {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
