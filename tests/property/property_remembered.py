"""emit before a build says at the second time what it said at the first, and notices whatever changes what it would say.

A made-up tree is copied once for each file that a run reads or looks for. Each copy has a run that changes it, one that has
nothing to do and is kept, and one that follows from what was kept: its words are replaced there by others, which must be seen.
Then one file changes in each copy, in one of several ways, and the words must be those of a run that remembers nothing."""

import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "accept"))

from support import SOURCE, Context, check, main, same  # noqa: E402

# What memsize waits for before it believes that two times differ, and a little.
TICK = 2.2
MARK = "as it was kept\n"


class Copy:
    """A tree, memsize's data and a cache of its own."""

    def __init__(self, context: Context, name: str, words: list[str]) -> None:
        self.memsize = str(context.memsize)
        self.folder = context.work / name
        shutil.copytree(SOURCE / "tests" / "data" / "zy4", self.folder / "zy4")
        for data in ("boards", "templates"):
            shutil.copytree(SOURCE / data, self.folder / data)
        self.words = words

    def run(self, cache: str = "cache", status: int | None = 0, *more: str, **variables: str) -> tuple[int, str, str]:
        variables = {**os.environ, "MEMSIZE_REMEMBER": "", "NO_COLOR": "1", "MEMSIZE_DATA": str(self.folder),
                     "XDG_CACHE_HOME": str(self.folder / cache), **variables}
        done = subprocess.run([self.memsize, *self.words, *more], cwd=self.folder, env=variables, timeout=120,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        check(status is None or done.returncode == status, f"{self.folder}: {done.returncode}\n{done.stderr}")
        return done.returncode, done.stdout, done.stderr

    def kept(self) -> list[Path]:
        return sorted((self.folder / "cache" / "memsize").glob("emit-*"))

    def record(self) -> list[bytes]:
        """The texts of what is kept, each with its length before it; the hash of all stands in front."""
        whole = self.kept()[0].read_bytes()
        rest, texts = whole[64:], []
        same("the hash of what is kept", whole[:64].decode(), hashlib.sha256(rest).hexdigest())
        while rest:
            size, rest = rest.split(b"\n", 1)
            texts.append(rest[:int(size)])
            rest = rest[int(size):]
        return texts

    def say_otherwise(self) -> None:
        texts = self.record()
        texts[2] = MARK.encode()
        content = b"".join(b"%d\n%s" % (len(text), text) for text in texts)
        self.kept()[0].write_bytes(hashlib.sha256(content).hexdigest().encode() + content)

    def files(self) -> list[str]:
        """What was looked at and is a file here."""
        texts = self.record()[5:]
        paths = [self.folder / name.decode() for letter, name in zip(texts[0::3], texts[1::3]) if letter == b"l"]
        return sorted(str(each.relative_to(self.folder)) for each in paths
                      if each.is_file() and each.is_relative_to(self.folder))


def grow(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\n")


def same_size(path: Path) -> None:
    content = path.read_bytes()
    at = content.rfind(b" ")
    path.write_bytes(content[:at] + b"\t" + content[at + 1:])


def restore_time(path: Path) -> None:
    """Who changes a file and sets its time back has another change time."""
    before = path.stat()
    same_size(path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def replace(path: Path) -> None:
    beside = path.with_name(path.name + ".new")
    shutil.copy2(path, beside)
    beside.rename(path)


def into_link(path: Path) -> None:
    elsewhere = path.with_name(path.name + ".target")
    path.rename(elsewhere)
    path.symlink_to(elsewhere.name)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def remove(path: Path) -> None:
    path.unlink()


CHANGES = [grow, same_size, restore_time, replace, into_link, cut, remove]


def prepare(copies: list[Copy]) -> list[tuple[int, str, str]]:
    """Each has a run kept that had nothing to do."""
    time.sleep(TICK)
    for copy in copies:
        check("nothing changed" not in copy.run()[1], "the first run has nothing to do")
        check(not copy.kept(), "a run that changed something is kept")
    time.sleep(TICK)
    said = [copy.run() for copy in copies]
    for copy in copies:
        same("what is kept of a run that changed nothing", len(copy.kept()), 1)
    return said


def changes_of_files(context: Context, words: list[str], parts: list[str], every: int) -> int:
    """`parts`: of what at least one file must be looked at."""
    name = words[-1]
    first = Copy(context, f"{name}-first", words)
    said = prepare([first])[0]
    files = first.files()
    for part in parts:
        check(any(each.startswith(part) for each in files), f"nothing of {part} was looked at: {files}")
    same("a run that is remembered", first.run(), said)
    first.say_otherwise()
    same("where what is kept is used", first.run()[1], MARK)
    tasks = [(file, CHANGES[i % len(CHANGES)]) for i, file in enumerate(files) if i % every == 0]
    copies = [Copy(context, f"{name}-{i}", words) for i in range(len(tasks))]
    prepare(copies)
    for copy, (file, change) in zip(copies, tasks):
        copy.say_otherwise()
        change(copy.folder / file)
        alone = copy.run("none", None, "--check")
        seen = copy.run("cache", None)
        check(MARK not in seen[1], f"{change.__name__} of {file} is not seen")
        if alone[0] == 0:
            same(f"after {change.__name__} of {file}", seen, copy.run("none-2"))
    return len(tasks)


def other_changes(context: Context, words: list[str]) -> int:
    """What is no change of one file."""
    def new_file(copy: Copy) -> dict[str, str]:
        (copy.folder / "zy4/platform/zy4/rtos/r5/linker_mem_map_other.cmd").write_text("/* new */\n")
        return {}

    def project(copy: Copy) -> dict[str, str]:
        (copy.folder / "memsize.toml").write_text('board = "zy4/board.toml"\n')
        return {}

    def mode(copy: Copy) -> dict[str, str]:
        (copy.folder / "zy4/platform/zy4/rtos/app_mem_map.h").chmod(0o400)
        return {}

    def damage(copy: Copy) -> dict[str, str]:
        kept = copy.kept()[0]
        kept.write_bytes(kept.read_bytes()[:-3])
        return {}

    def others_may_write(copy: Copy) -> dict[str, str]:
        copy.kept()[0].parent.chmod(0o777)
        return {}

    def another_program(copy: Copy) -> dict[str, str]:
        shutil.copy2(copy.memsize, copy.folder / "memsize")
        copy.memsize = str(copy.folder / "memsize")
        return {}

    def more_words(copy: Copy) -> dict[str, str]:
        copy.words = [*copy.words, "-v"]
        return {}

    def colour(copy: Copy) -> dict[str, str]:
        copy.words = [*copy.words, "--color", "always"]
        return {}

    def no_memory(copy: Copy) -> dict[str, str]:
        return {"MEMSIZE_REMEMBER": "0"}

    changes = [new_file, no_memory, project, mode, damage, others_may_write, another_program, more_words, colour]
    copies = [Copy(context, change.__name__, words) for change in changes]
    prepare(copies)
    for copy, change in zip(copies, changes):
        copy.say_otherwise()
        variables = change(copy)
        seen = copy.run("cache", None, **variables)
        check(MARK not in seen[1], f"{change.__name__} is not seen")
        same(f"after {change.__name__}", seen, copy.run("none", None, **variables))
    return len(changes)


def not_kept(context: Context, words: list[str]) -> None:
    """What may be another thing at the next time, and what failed."""
    tree = Copy(context, "fresh", words)
    tree.run()
    tree.run()
    check(not tree.kept(), "a run is kept whose files changed just before")
    time.sleep(TICK)
    tree.run("cache", 2, "--nonsense")
    check(not tree.kept(), "a run that failed is kept")
    # No blocks: as a file of the kernel's, whose times say nothing.
    board = tree.folder / "zy4" / "board.toml"
    board.write_text(board.read_text().replace("inherit = [", 'inherit = ["empty.toml", ', 1))
    (board.parent / "empty.toml").touch()
    tree.run()
    time.sleep(TICK)
    tree.run()
    check(not tree.kept(), "a run is kept that read what has no blocks")
    (board.parent / "empty.toml").write_text("# now it has\n")
    time.sleep(TICK)
    tree.run()
    check(len(tree.kept()) == 1, "what has blocks is not kept")
    shutil.rmtree(tree.folder / "cache")
    trace = (SOURCE / "samples" / "j722s-mobilenet" / "trace.log").read_bytes()
    command = [str(context.memsize), "emit", "--no-project", "--board", "j722s-sdk11", "--trace", "-", "--stdout"]
    subprocess.run(command, input=trace, check=False, capture_output=True, cwd=tree.folder,
                   env={**os.environ, "MEMSIZE_REMEMBER": "", "XDG_CACHE_HOME": str(tree.folder / "cache")})
    check(not tree.kept(), "a run that read standard input is kept")
    tree.run(MEMSIZE_REMEMBER="0")
    check(not tree.kept(), "a run is kept that was to remember nothing")


def body(context: Context) -> str:
    words = ["emit", "--board", "zy4/board.toml", "--set", "c8_scratch_size=5MiB", "--set", "c8_heap_size=10MiB", "--sdk", "zy4"]
    out = ["emit", "--board", "zy4/board.toml", "--out", "map"]
    count = changes_of_files(context, words, ["zy4/platform", "zy4/board.toml", "boards/programs"], context.options.every)
    count += changes_of_files(context, out, ["map", "zy4/board.toml", "templates"], context.options.every)
    others = other_changes(context, words)
    not_kept(context, words)
    return f"{count} files changed and {others} other things, each seen"


main(__doc__, body, lambda parser: parser.add_argument("--every", type=int, default=1))
