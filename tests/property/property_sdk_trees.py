"""A broken SDK tree ends with status 0, 1 or 4 and one document: never with a crash, a hang or a wait for a pipe.

Each file of the fictitious tree is cut, doubled, filled with random bytes, or something else takes its place: a folder,
a pipe, a device, a link that leads nowhere, to itself or out of the tree. What is known about a case is checked: its
status, and what it says. A baseline accepts what was found wherever the tree lies and however its lines move.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Callable

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "accept"))

from support import SOURCE, check, same  # noqa: E402

TREE = SOURCE / "tests" / "data" / "zx9"
RTOS = "platform/zx9/rtos"
SCRIPT = "gen_linker_mem_map.py"
SECONDS = 60
MIB = 1 << 20
HUGE = 64 << 30  # a hole: it takes no room on the disk

Change = Callable[[Path], None]


def in_place(change: Callable[[Path], None]) -> Change:
    """Something else stands where the file was."""
    def apply(file: Path) -> None:
        file.unlink()
        change(file)
    return apply


def rewrite(change: Callable[[bytes, random.Random], bytes], rng: random.Random) -> Change:
    return lambda file: (file.write_bytes(change(file.read_bytes(), rng)), None)[1]


def flip(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(8):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def ways(rng: random.Random) -> dict[str, Change]:
    return {
        "removed": in_place(lambda file: None),
        "a folder": in_place(lambda file: file.mkdir()),
        "a pipe": in_place(os.mkfifo),
        "a device": in_place(lambda file: file.symlink_to("/dev/zero")),
        "a link to nowhere": in_place(lambda file: file.symlink_to("nowhere")),
        "a link to itself": in_place(lambda file: file.symlink_to(file.name)),
        "empty": rewrite(lambda data, _: b"", rng),
        "cut": rewrite(lambda data, dice: data[: dice.randrange(len(data))], rng),
        "doubled": rewrite(lambda data, _: data + data, rng),
        "random bytes": rewrite(lambda data, dice: dice.randbytes(len(data)), rng),
        "some other bytes": rewrite(flip, rng),
        "no line ends": rewrite(lambda data, _: data.replace(b"\n", b" "), rng),
        "lines that end as on Windows": rewrite(lambda data, _: data.replace(b"\n", b"\r\n"), rng),
    }


class Runner:
    def __init__(self, memsize: Path, work: Path) -> None:
        self.memsize, self.work = memsize, work
        self.runs = 0

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        self.runs += 1
        done = subprocess.run([str(self.memsize), "check", *arguments], cwd=self.work, stdin=subprocess.DEVNULL,
                              capture_output=True, encoding="utf-8", errors="replace", timeout=SECONDS,
                              env={**os.environ, "NO_COLOR": "1", "MEMSIZE_DATA": str(SOURCE)})
        check(done.returncode in (0, 1, 2, 4),
              f"{' '.join(arguments)}: status {done.returncode}\n{done.stderr[-2000:]}")
        return done

    def tree(self, name: str = "tree") -> Path:
        """A new copy."""
        shutil.rmtree(self.work / name, ignore_errors=True)
        shutil.copytree(TREE, self.work / name)
        return self.work / name

    def check_tree(self, what: str, status: int | None = None, says: str = "") -> None:
        """With a board and without, as text and as documents: one verdict, and never silence about an error."""
        for board in ((), ("--board", "tree/board.toml")):
            done = self.run("--sdk", "tree", *board)
            check(done.returncode in (0, 1, 4), f"{what}: status {done.returncode}")
            check((done.returncode == 0) == ("error[" not in done.stderr), f"{what}: status {done.returncode} and\n"
                  + done.stderr)
            check(done.returncode != 0 or done.stdout.startswith("ok: zx9 "), f"{what}: nothing was checked")
            document = json.loads(self.run("--sdk", "tree", *board, "--json").stdout)
            same(f"{what}: ok of the document", document.get("ok", False), done.returncode == 0)
            run = json.loads(self.run("--sdk", "tree", *board, "--sarif").stdout)["runs"][0]
            same(f"{what}: status in SARIF", run["invocations"][0]["exitCode"], done.returncode)
            found = len(run["results"]) + len(run["invocations"][0].get("toolExecutionNotifications", []))
            same(f"{what}: findings in SARIF", found, len(document["diagnostics"]))
        if status is not None:
            same(f"{what}: status", done.returncode, status)
            check(says in done.stderr, f"{what}: says\n{done.stderr}\nnot: {says}")


def files_of(tree: Path) -> list[str]:
    return sorted(str(path.relative_to(tree / RTOS)) for path in (tree / RTOS).rglob("*") if path.is_file())


def check_broken_files(runner: Runner, rng: random.Random, every: int) -> None:
    changes = [(name, way, change) for name in files_of(TREE) for way, change in ways(rng).items()]
    for name, way, change in changes[::every]:
        change(runner.tree() / RTOS / name)
        runner.check_tree(f"{name}: {way}")


def check_known(runner: Runner) -> None:
    """What must be said of which mistake; the board is the tree's own."""
    def edit(name: str, old: str, new: str) -> Change:
        def apply(tree: Path) -> None:
            file = tree / RTOS / name
            text = file.read_text()
            same(f"'{old}' in {name}", text.count(old), 1)
            file.write_text(text.replace(old, new))
        return apply

    def cut(name: str) -> Change:
        return lambda tree: os.truncate(tree / RTOS / name, (tree / RTOS / name).stat().st_size // 2)

    def put_away(tree: Path) -> None:
        (tree / RTOS / SCRIPT).unlink()
        (tree / RTOS / SCRIPT).mkdir()

    def grow(tree: Path) -> None:
        os.truncate(tree / RTOS / "r5" / "freertos.syscfg", HUGE)

    def outside(tree: Path) -> None:
        shutil.rmtree(runner.work / "outside", ignore_errors=True)
        (tree / RTOS / "r5").rename(runner.work / "outside")
        (tree / RTOS / "r5").symlink_to(runner.work / "outside")
        header = tree / RTOS / "app_mem_map.h"
        header.rename(runner.work / "outside" / "header")
        header.symlink_to("../../../../outside/header")

    def loops(tree: Path) -> None:
        (tree / RTOS / "up").symlink_to("..")
        (tree / RTOS / "r5" / "here").symlink_to(".")
        (tree / "platform" / "all").symlink_to("../../tree")

    cases: dict[str, tuple[Change, int, str]] = {
        "nothing": (lambda tree: None, 0, ""),
        "a script cut in half": (cut(SCRIPT), 1, "error[sdk."),
        "a comma too few": (edit("c7/freertos.syscfg", "mmu_armv82.size = 0x400000;", "mmu_armv82.size = ;"), 1,
                            "error[verify.parse]"),
        "a folder for a script": (put_away, 4, "no generator script for 'freertos'"),
        "a file that is larger than the memory": (grow, 4, "64 GiB"),
        "links out of the tree": (outside, 0, ""),
        "links that go in circles": (loops, 0, ""),
    }
    for what, (change, status, says) in cases.items():
        change(runner.tree())
        runner.check_tree(what, status, says)
    for words in (("--sdk", "tree/board.toml"), ("--sdk", "/dev/null"), ("--sdk", "nowhere"), ("--sdk", "-"),
                  ("--sdk", "tree/platform/zx9/rtos/r5"), ("--sdk", "tree", "--board", "j722s")):
        done = runner.run(*words)
        same(f"{' '.join(words)}: status", done.returncode, 4)
        check("error[sdk.tree]" in done.stderr, f"{' '.join(words)}: {done.stderr}")


def check_baselines(runner: Runner, rng: random.Random) -> None:
    """What is accepted stays so where the tree is moved and its lines are; what is new does not."""
    tree = runner.tree()
    for name, old, new in (("app_mem_map.h", "RINGS_SIZE (0x01000000u)", "RINGS_SIZE (0x00800000u)"),
                           ("c7/freertos.syscfg", "MAIR4", "MAIR7"), ("r5/freertos.syscfg", "0xA5FFFFFF", "0xA5FFFFF0"),
                           ("r6/zx9_mpu_cfg.c", "REGION_SIZE_16MB", "REGION_SIZE_8MB")):
        file = tree / RTOS / name
        same(f"'{old}' in {name}", file.read_text().count(old), 1)
        file.write_text(file.read_text().replace(old, new))
    found = json.loads(runner.run("--sdk", "tree", "--board", "tree/board.toml", "--json").stdout)["diagnostics"]
    check(len({item["code"] for item in found}) >= 3, f"too few kinds of findings: {found}")
    board = ("--board", "tree/board.toml", "--strict")
    same("writing a baseline", runner.run("--sdk", "tree", *board, "--write-baseline", "known.json").returncode, 0)
    known = json.loads((runner.work / "known.json").read_text())["findings"]
    same("findings in the baseline", len(known), len(found))
    check(str(runner.work) not in json.dumps(known) and "tree/" not in json.dumps(known), "it says where the tree lies")
    shutil.rmtree(runner.work / "moved", ignore_errors=True)
    (runner.work / "moved").mkdir()
    shutil.copytree(tree, runner.work / "moved" / "deeper")
    for name in files_of(tree):
        file = runner.work / "moved" / "deeper" / RTOS / name
        file.write_text("\n" * rng.randint(1, 9) + file.read_text())
    accepted = ("--baseline", "known.json", *board)
    for folder in ("tree", "./tree/", "moved", "moved/deeper", "moved/deeper/platform", str(runner.work / "moved")):
        done = runner.run("--sdk", folder, *accepted)
        same(f"{folder}: status with the baseline", done.returncode, 0)
        check(f"{len(known)} findings accepted" in done.stdout, f"{folder}: {done.stdout}")
    prints = [{item["partialFingerprints"]["memsizeFinding/v1"] for item in json.loads(runner.run(
        "--sdk", folder, *board, "--sarif").stdout)["runs"][0]["results"]} for folder in ("tree", "moved/deeper")]
    same("fingerprints in another folder", prints[1], prints[0])
    file = runner.work / "moved" / "deeper" / RTOS / "c8" / "main.c"
    file.write_text(file.read_text().replace("MAIR4", "MAIR7"))
    done = runner.run("--sdk", "moved", *accepted)
    same("a new finding: status", done.returncode, 1)
    same("a new finding: errors", done.stderr.count("error["), 1)
    os.truncate(tree / RTOS / "r5" / "freertos.syscfg", 5 * MIB)
    done = runner.run("--sdk", "tree", "--write-baseline", "other.json")
    same("a baseline of what cannot be read: status", done.returncode, 4)
    check(not (runner.work / "other.json").exists(), "it was written")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memsize", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path)
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--every", type=int, default=1, help="break files in every n-th way only")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory(dir=options.work) as work:
        runner = Runner(options.memsize.resolve(), Path(work))
        check_known(runner)
        check_baselines(runner, rng)
        check_broken_files(runner, rng, options.every)
        print(f"property_sdk_trees: {runner.runs} runs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
