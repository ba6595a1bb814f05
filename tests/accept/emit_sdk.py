"""Drives `memsize emit --sdk` on copies of SDK trees, and tells what it did to them.

Nothing here knows how memsize changes a tree: a tree is a set of files with bytes, modes and times.
"""

import difflib
import os
import re
import shutil
import stat
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sdk_tree import write_stubs
from support import Context, check, fail, parse_json, same, tool

TOOLS = Path("tools") / "PyTI_PSDK_RTOS"
STATE = ".memsize"
REPORT = "REBUILD.md"
# The year that the SDK's library prints is that of its own release.
YEAR = re.compile(rb"Copyright \(c\) [\d-]+ Texas Instruments Incorporated *")
# The library prints a number of more than 32 bits as the low cell of a pair, beside a high cell of 0.
WRONG_CELL = re.compile(rb"\b0x00 (0x[0-9a-f]{9,})")
# Some scripts assert, and some that were shipped name a variable that they do not have: what they wrote until then counts.
RUN = """
import sys
try:
    exec(compile(open(sys.argv[1], encoding="utf-8").read(), sys.argv[1], "exec"), {"__name__": "__main__", "__file__": sys.argv[1]})
except NameError as problem:
    print("NameError:", problem)
"""
UNITS = {"KB": "KiB", "MB": "MiB", "GB": "GiB"}


@dataclass(frozen=True)
class Tree:
    """A copy of an SDK tree, of which one part is changed."""
    root: Path
    soc: str
    # Where the scripts' library is.
    tools: Path
    # The arguments that name the board.
    board: tuple[str, ...]
    # Calls of check that find all there is, by what they are told of the part.
    checks: tuple[tuple[str, ...], ...]

    @property
    def rtos(self) -> Path:
        return self.root / "platform" / self.soc / "rtos"

    def at(self, root: Path) -> "Tree":
        return replace(self, root=root)

    def copy(self, root: Path) -> "Tree":
        """With modes, times and links."""
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(parents=True)
        shutil.copytree(self.root / "platform", root / "platform", symlinks=True)
        return self.at(root)

    def below(self, path: str) -> Path:
        return self.rtos / path

    def scripts(self) -> list[str]:
        return sorted(path.name for path in self.rtos.glob("gen_linker_mem_map*.py"))


@dataclass(frozen=True)
class Item:
    """A file, folder or link."""
    kind: int
    mode: int
    time: int
    content: bytes


Snapshot = dict[str, Item]


def snapshot(root: Path) -> Snapshot:
    found: Snapshot = {}
    for path in [root, *root.rglob("*")]:
        about = path.lstat()
        kind = stat.S_IFMT(about.st_mode)
        content = path.read_bytes() if kind == stat.S_IFREG else os.readlink(path).encode() if kind == stat.S_IFLNK else b""
        found[path.relative_to(root).as_posix()] = Item(kind, stat.S_IMODE(about.st_mode), about.st_mtime_ns, content)
    return found


def files_only(items: Snapshot) -> Snapshot:
    return {path: item for path, item in items.items() if item.kind != stat.S_IFDIR}


def is_memsizes(path: str) -> bool:
    return path == REPORT or path == STATE or path.startswith(STATE + "/")


def without_own(items: Snapshot) -> Snapshot:
    """Without what memsize keeps in a tree for itself."""
    return {path: item for path, item in items.items() if not is_memsizes(path)}


def contents(items: Snapshot) -> dict[str, tuple[int, int, bytes]]:
    return {path: (item.kind, item.mode, item.content) for path, item in items.items()}


def changed_files(before: Snapshot, after: Snapshot) -> list[str]:
    """Besides memsize's own."""
    old, new = contents(without_own(files_only(before))), contents(without_own(files_only(after)))
    return sorted(path for path in {*old, *new} if old.get(path) != new.get(path))


def same_tree(what: str, after: Snapshot, before: Snapshot, is_back: bool = False) -> None:
    """Bytes, modes and times of everything, folders too. What went back to what it was may be newer, as make needs it."""
    for path in sorted({*before, *after}):
        check(path in after, f"{what}: {path} is gone")
        check(path in before, f"{what}: {path} is new")
        if is_back and before[path] == replace(after[path], time=before[path].time) and after[path].time > before[path].time:
            continue
        if before[path] != after[path]:
            old, new = before[path], after[path]
            parts = [name for name, a, b in (("kind", old.kind, new.kind), ("mode", old.mode, new.mode),
                     ("time", old.time, new.time), ("content", old.content, new.content)) if a != b]
            fail(f"{what}: {path}: its {' and '.join(parts)} changed{shown_change(old.content, new.content)}")


def shown_change(old: bytes, new: bytes) -> str:
    if old == new:
        return ""
    lines = [[line.decode("utf-8", "replace") for line in text.splitlines()] for text in (old, new)]
    return "\n" + "\n".join(list(difflib.unified_diff(*lines, "before", "after", lineterm="", n=1))[:24])


def setting(name: str, value: str | int) -> str:
    """`3*MB` as `3MiB`; addresses in hexadecimal."""
    match = re.fullmatch(r"(\d+)\*([KMG]B)", str(value))
    return f"{name}={match[1]}{UNITS[match[2]]}" if match else f"{name}={value}"


def bytes_of(text: str | int) -> int:
    """Of a size as the scripts write it."""
    if isinstance(text, int):
        return text
    match = re.fullmatch(r"(\d+)\*([KMG])B", text)
    return int(match[1]) << {"K": 10, "M": 20, "G": 30}[match[2]] if match else int(text, 0)


@dataclass
class Edit:
    """One call of emit --sdk, as often as needed."""
    context: Context
    tree: Tree
    values: dict[str, str | int]
    # Such as --keep.
    more: tuple[str, ...] = ()

    def run(self, *words: object, expect: int | tuple[int, ...] = 0, tree: Tree | None = None) -> subprocess.CompletedProcess[str]:
        tree = tree or self.tree
        sets = [word for name, value in self.values.items() for word in ("--set", setting(name, value))]
        return self.context.run("emit", *tree.board, "--sdk", tree.root, *sets, *self.more, *words, expect=expect)

    def shown(self) -> bytes:
        """What --diff shows, with the line ends of the files."""
        sets = [word for name, value in self.values.items() for word in ("--set", setting(name, value))]
        command = [str(self.context.memsize), "emit", *self.tree.board, "--sdk", str(self.tree.root), *sets, *self.more, "--diff"]
        done = subprocess.run(command, cwd=self.context.work, stdin=subprocess.DEVNULL, capture_output=True, timeout=120,
                              env={**os.environ, "NO_COLOR": "1"})
        check(done.returncode == 0, f"memsize {' '.join(command[1:])}: exit {done.returncode}\n{done.stderr.decode()[-2000:]}")
        return done.stdout

    def refused(self, status: int | tuple[int, ...], *words: object) -> str:
        """With nothing changed, not even a time. What it said."""
        before = snapshot(self.tree.root)
        done = self.run(*words, expect=status)
        same_tree(f"refused with {done.returncode}", snapshot(self.tree.root), before)
        return done.stdout + done.stderr


# --- before and after ---------------------------------------------------------------------------------


@dataclass
class Result:
    before: Snapshot
    after: Snapshot
    changed: list[str]
    said: str


def apply(edit: Edit) -> Result:
    """The whole life of an edit: asked for, shown, made, made again, and (by the caller) undone."""
    tree, what = edit.tree, f"{edit.tree.soc} {edit.values}"
    before = snapshot(tree.root)
    asked = edit.run("--check", expect=1)
    same_tree(f"{what}: --check", snapshot(tree.root), before)
    shown = edit.shown()
    same_tree(f"{what}: --diff", snapshot(tree.root), before)
    patched = tree.copy(edit.context.work / "patched")
    done = edit.run()
    after = snapshot(tree.root)
    changed = changed_files(before, after)
    check(changed, f"{what}: no file changed")
    for path in changed:
        check(path in asked.stdout + asked.stderr, f"{what}: --check does not name {path}:\n{asked.stdout}{asked.stderr}")
    check_patch(what, edit, patched, shown, after)
    check((tree.root / REPORT).is_file() and (tree.root / STATE).is_dir(), f"{what}: no {REPORT} or no {STATE}")
    check_modes(what, before, after)
    check_again(what, edit, after)
    return Result(before, after, changed, done.stdout)


def check_patch(what: str, edit: Edit, copy: Tree, text: bytes, after: Snapshot) -> None:
    """What --diff shows is what is done. Its paths are below the tree, or begin with what memsize was told."""
    file = edit.context.work / "shown.patch"
    begin = re.search(rb"^--- ", text, re.M)
    check(begin, f"{what}: --diff shows no patch:\n{text[:500].decode()}")
    assert begin is not None
    file.write_bytes(text[begin.start():].replace(str(edit.tree.root).encode() + b"/", b""))
    done = subprocess.run([tool("patch"), "-p0", "--binary", "--batch", "-i", str(file)], cwd=copy.root, capture_output=True,
                          text=True, timeout=60)
    check(done.returncode == 0, f"{what}: patch -p0: {done.stdout}{done.stderr}")
    theirs, ours = contents(without_own(files_only(snapshot(copy.root)))), contents(without_own(files_only(after)))
    for path in sorted({*theirs, *ours}):
        same(f"{what}: --diff, applied: {path}: {shown_change(*(side.get(path, (0, 0, b''))[2] for side in (ours, theirs)))}",
             theirs.get(path) == ours.get(path), True)


def check_modes(what: str, before: Snapshot, after: Snapshot) -> None:
    for path, item in before.items():
        check(path in after, f"{what}: {path} is gone")
        same(f"{what}: kind and mode of {path}", (after[path].kind, after[path].mode), (item.kind, item.mode))
        if item.content == after[path].content and item.kind == stat.S_IFREG:
            same(f"{what}: time of {path}, which did not change", after[path].time, item.time)


def check_again(what: str, edit: Edit, after: Snapshot) -> None:
    edit.run()
    same_tree(f"{what}: the same again", snapshot(edit.tree.root), after)
    edit.run("--check")
    shown = edit.shown()
    check(b"\n@@" not in shown, f"{what}: --diff shows something after the edit:\n{shown[:800].decode()}")
    same_tree(f"{what}: --check and --diff after the edit", snapshot(edit.tree.root), after)


def revert(edit: Edit, result: Result) -> None:
    """What was before is there again; a second time there is nothing to do."""
    what, root = f"{edit.tree.soc} {edit.values}", edit.tree.root
    status = edit.context.run("sdk", "status", "--sdk", root)
    for path in result.changed:
        check(path in status.stdout, f"{what}: sdk status does not name {path}:\n{status.stdout}")
    same_tree(f"{what}: sdk status", snapshot(root), result.after)
    edit.context.run("sdk", "revert", "--sdk", root)
    same_tree(f"{what}: sdk revert", files_only(snapshot(root)), files_only(result.before), is_back=True)
    now = snapshot(root)
    for path, item in result.before.items():
        if item.kind == stat.S_IFREG:
            same(f"{what}: whether {path} is newer after sdk revert", now[path].time > item.time, item.content != result.after[path].content)
    same(f"{what}: folders after sdk revert", sorted(set(now)), sorted(set(result.before)))
    edit.context.run("sdk", "revert", "--sdk", root)
    same_tree(f"{what}: sdk revert with nothing to revert", snapshot(root), now)


# --- findings -----------------------------------------------------------------------------------------

NUMBER = re.compile(r"(?<![\w'])(?:0x[0-9A-Fa-f]+|\d+(?:\.\d+)?)(?: ?[KMG]iB| B| bytes)?(?![\w'])")


# Code, file, what is said without its numbers, which names, and how many things one finding is about.
Finding = tuple[str, str, str, frozenset[str], int]
Findings = Counter[Finding]


def findings(context: Context, tree: Tree) -> Findings:
    found: Findings = Counter()
    for words in tree.checks:
        done = context.run("check", "--sdk", tree.root, *words, "--json", expect=(0, 1))
        document = parse_json(done.stdout, "check --json")
        found += Counter(key_of(finding, tree.soc) for finding in document["diagnostics"])
    return found


def key_of(finding: dict[str, Any], soc: str) -> Finding:
    path = finding.get("path", "").partition(f"platform/{soc}/rtos/")[2]
    names = re.findall(r"'([A-Za-z_]\w+)'", "\n".join([finding["message"], *finding.get("details", [])]))
    many = re.match(r"\d+", finding["message"])
    return finding["code"], path, NUMBER.sub("#", finding["message"]), frozenset(names), int(many[0]) if many else 1


def new_findings(before: Findings, after: Findings) -> list[tuple[str, str, str]]:
    """Of others than were named in the file before; that the SDK's own library writes a length of 4 GiB and more wrong is no
    news either: the file in the tree has it right.
    """
    found = []
    for code, path, message, names, many in (after - before).elements():
        known = any((code, path) == key[:2] and (names and names <= key[3] or message == key[2] and many < key[4]) for key in before)
        if not known and (code, path.split("_mem_map")[0]) != ("dts.cells", "gen_linker"):
            found.append((code, path, message))
    return sorted(found)


# --- the tree's own scripts ---------------------------------------------------------------------------


def run_scripts(tree: Tree, work: Path) -> Tree:
    """In a copy of the tree. The first script counts where several write one file, so it is the last to run."""
    copy = tree.copy(work)
    stubs = write_stubs(work)
    environment = {**os.environ, **stubs, "PYTHONPATH": str(tree.tools), "PYTHONDONTWRITEBYTECODE": "1"}
    for name in reversed(copy.scripts()):
        done = subprocess.run([sys.executable, "-c", RUN, name], cwd=copy.rtos, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)
        check(done.returncode == 0, f"{name} of {tree.soc}: exit {done.returncode}: {done.stderr[-800:]}")
    return copy


# Files, as they are and as a script makes them.
Changes = dict[str, tuple[bytes, bytes]]


def rewritten(tree: Tree, work: Path) -> Changes:
    """Files that the tree's own scripts change, as they are and as they would be."""
    made = run_scripts(tree, work)
    found = {}
    for path in sorted(made.rtos.rglob("*")):
        name = path.relative_to(made.rtos).as_posix()
        old = tree.below(name).read_bytes() if tree.below(name).is_file() else b""
        if path.is_file() and plain(old) != plain(path.read_bytes()):
            found[name] = (old, path.read_bytes())
    return found


def plain(content: bytes) -> list[bytes]:
    """Words of each line, without the year, with cells of 32 bits."""
    def cells(match: re.Match[bytes]) -> bytes:
        value = int(match[1], 16)
        return b"0x%02x 0x%08x" % (value >> 32, value & 0xFFFFFFFF)
    text = WRONG_CELL.sub(cells, YEAR.sub(b"Copyright", content))
    return [b" ".join(line.split()) for line in text.splitlines() if line.split()]


def names_of(old: bytes, new: bytes) -> set[str]:
    """What the lines that differ are about: the words in them that are no numbers."""
    lines = difflib.unified_diff(*([line.decode("utf-8", "replace") for line in plain(side)] for side in (old, new)), n=0)
    changed = [line[1:] for line in lines if line[:1] in "+-" and not line.startswith(("+++", "---"))]
    return {" ".join(re.findall(r"\b(?!0x)[A-Za-z_$]\w*(?!\w)", re.sub(r"@[0-9a-f]+", "", line))) for line in changed}


def check_scripts(what: str, usual: Changes, after: Tree, work: Path) -> int:
    """Run on the edited tree, the scripts change only what they change on the unedited one, too: those lines of those files."""
    now = rewritten(after, work / "scripts-after")
    for name, (old, new) in now.items():
        check(name in usual, f"{what}: the tree's own script makes another {name} than memsize:{shown_change(old, new)}")
        extra = names_of(old, new) - names_of(*usual[name])
        check(not extra, f"{what}: the tree's own script changes more of {name} than before the edit: {sorted(extra)[:8]}")
    return len(now)
