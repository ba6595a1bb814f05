"""What a file of a tree has besides its bytes: owner, access list, extended attributes and other names.

On the tree of tests/data/zy4, on a real disk: files that change get all of it, as they get it back; where that may not be, and where
another name keeps the bytes of before, memsize says so. (A disk without user attributes or access lists: a skip.)
"""

import errno
import os
import struct
import subprocess
from pathlib import Path

from emit_sdk import Tree
from emit_sdk_zy4 import DTS, original
from support import Context, Skip, check, main, parse_json, same

SIZES = ("--set", "c8_scratch_size=5MiB", "--set", "c8_heap_size=10MiB")
ACL = "system.posix_acl_access"
NOBODY = 65534


def access_list(user: int) -> bytes:
    """user::rw-, user:USER:r--, group::r--, mask::r--, other::r--, as Linux has it."""
    none = 0xFFFFFFFF
    entries = ((1, 6, none), (2, 4, user), (4, 4, none), (16, 4, none), (32, 4, none))
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


def give(path: Path, name: str, value: bytes) -> None:
    try:
        os.setxattr(path, name, value)
    except OSError as problem:
        if problem.errno in (errno.ENOTSUP, errno.EPERM):
            raise Skip(f"this disk keeps no {name}") from problem
        raise


def facts(path: Path) -> tuple[object, ...]:
    status = path.stat()
    names = sorted(name for name in os.listxattr(path) if not name.startswith("security."))
    return status.st_mode, status.st_uid, status.st_gid, {name: os.getxattr(path, name) for name in names}


def check_kept(context: Context, start: Tree) -> int:
    """Also that a file beside them, which changes too, gets nothing that it had not."""
    tree = start.copy(context.work / "kept")
    note, listed, plain = tree.below("app_mem_map.h"), tree.below(DTS), tree.below("gen_linker_mem_map.py")
    give(note, "user.note", b"\x00 of a person")
    give(note, "user.empty", b"")
    give(listed, ACL, access_list(4711))
    note.chmod(0o640)
    if os.getuid() == 0:
        os.chown(note, 4711, 4712)
    files = (note, listed, plain)
    before = {path: (facts(path), path.read_bytes()) for path in files}
    done = context.run("emit", *start.board, "--sdk", tree.root, *SIZES)
    check("sdk.not-kept" not in done.stderr, done.stderr)
    for path in files:
        same(f"{path.name} after emit", facts(path), before[path][0])
        check(path.read_bytes() != before[path][1], f"{path.name} did not change")
    done = context.run("sdk", "revert", "--sdk", tree.root)
    check("sdk.not-kept" not in done.stderr, done.stderr)
    for path in files:
        same(f"{path.name} after revert", (facts(path), path.read_bytes()), before[path])
    # What somebody gave to a file since is not in the copy of before.
    context.run("emit", *start.board, "--sdk", tree.root, *SIZES)
    give(plain, "user.since", b"1")
    done = context.run("sdk", "revert", "--sdk", tree.root)
    check("lacks 'user.since'" in done.stderr and "gen_linker_mem_map.py: warning[sdk.not-kept]" in done.stderr, done.stderr)
    return len(files)


def check_names(context: Context, start: Tree) -> int:
    tree = start.copy(context.work / "names")
    changed, other = tree.below("app_mem_map.h"), context.work / "other name.h"
    other.unlink(missing_ok=True)
    os.link(changed, other)
    before = changed.read_bytes()
    for words in (("--diff",), ()):
        done = context.run("emit", *start.board, "--sdk", tree.root, *SIZES, *words, "--json")
        told = [one for one in parse_json(done.stdout, "emit --json")["diagnostics"] if one["code"] == "sdk.not-kept"]
        same(f"{words}: how often it is told", len(told), 1)
        check("other names (hard links), which keep the bytes of before" in told[0]["message"], str(told))
        check(any("app_mem_map.h has 2 names" in line for line in told[0]["details"]), str(told))
    check(changed.read_bytes() != before, "app_mem_map.h did not change")
    same("the other name's bytes", other.read_bytes(), before)
    done = context.run("sdk", "revert", "--sdk", tree.root)
    check("Other hard links of them\nare left as they are" in done.stdout, done.stdout)
    same("both", (changed.read_bytes(), other.read_bytes()), (before, before))
    return 2


def check_refused(context: Context, start: Tree) -> int:
    """Somebody who may change the folders, but not give files away."""
    if os.getuid() != 0:
        return 0
    tree = start.copy(context.work / "refused")
    for path in (tree.root, *tree.root.rglob("*")):
        if path.is_dir():
            os.chown(path, NOBODY, NOBODY)
        elif not path.is_symlink():
            path.chmod(0o666)
    context.work.chmod(0o755)

    def as_nobody(*words: object) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(list(map(str, words)), cwd="/", stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                              check=False, user=NOBODY, group=NOBODY, extra_groups=[])

    needed = (context.memsize, tree.below("app_mem_map.h"), start.board[1])
    if any(as_nobody("test", "-r", path).returncode != 0 for path in needed):
        print("nobody may not read what this runs and reads: not tried")
        return 0
    done = as_nobody(context.memsize, "emit", *start.board, "--sdk", tree.root, *SIZES)
    same(f"as nobody: {done.stderr}", done.returncode, 0)
    check("app_mem_map.h: warning[sdk.not-kept]: the file that replaces this one lacks its owner 0:0" in done.stderr, done.stderr)
    same("its owner", tree.below("app_mem_map.h").stat().st_uid, NOBODY)
    return 1


def body(context: Context) -> str:
    start = original(context)
    kept, names, refused = (step(context, start) for step in (check_kept, check_names, check_refused))
    return f"{kept} files keep what they had, {names} tell of other names, {refused} of an owner"


if __name__ == "__main__":
    main(__doc__ or "", body)
