"""Names that somebody else chose: what is printed is pasted into a shell, rendered, loaded and shown on a terminal.

Every command that memsize prints about files, boards, folders and trees with hostile names is given to bash as it
stands, and does what it says, and nothing that a name says. No byte of a name commands a terminal.
"""

import csv
import io
import json
import os
import pty
import re
import shutil
import subprocess
from pathlib import Path

from support import SOURCE, TRACE, Context, check, main, read, same, tool

BOARD = "j722s-sdk11"
# What a shell, an option parser or a terminal would take for its own.
NAMES = ("x $(touch PWN).log", "`touch PWN`.log", "a;touch PWN;.log", "it's.log", 'a"b.log', "$'a'.log", "a\\nb.log", "a\nb.log",
         "-rf.log", "--help", "~", "#x.log", "!x!.log", "*.log", "ö.log", "\udcff.log", "\x9b1mx.log", "\x1b[31m.log", "a&&b|c>d.log")
CORE = "<img src=x onerror=alert(1)>|[a](b)`=1"
C1 = "\u009b"
# C0 without line ends, DEL, and C1 in UTF-8; what is no UTF-8 does not decode.
COMMANDS = re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")


class Shell:
    """bash in a folder, with memsize on its path."""

    def __init__(self, context: Context, folder: Path) -> None:
        self.bash, self.folder = tool("bash"), folder
        folder.mkdir(parents=True, exist_ok=True)
        self.environment = {**os.environ, "NO_COLOR": "1", "LC_ALL": "C.UTF-8",
                            "PATH": f"{context.memsize.parent}{os.pathsep}{os.environ['PATH']}"}
        self.memsize = str(context.memsize)

    def run(self, *words: str, status: int | None = 0) -> tuple[bytes, bytes]:
        return self.finish([self.memsize, *words], status)

    def paste(self, command: str, status: int | None = 0) -> tuple[bytes, bytes]:
        return self.finish([self.bash, "-c", command], status)

    def finish(self, words: list[str], status: int | None) -> tuple[bytes, bytes]:
        done = subprocess.run(words, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=120,
                              env=self.environment)
        check(status is None or done.returncode == status,
              f"{words!r}: exit {done.returncode}, expected {status}\n{done.stdout[-600:]!r}\n{done.stderr[-600:]!r}")
        pwned = sorted(path.name for path in self.folder.iterdir() if path.name == "PWN")
        same(f"{words!r}: what a name made", pwned, [])
        for stream in (done.stdout, done.stderr):
            found = COMMANDS.search(stream)
            check(not found, f"{words!r}: prints {found and stream[max(0, found.start() - 40):found.end() + 10]!r}")
            stream.decode("utf-8")
        return done.stdout, done.stderr


def printed(stream: bytes, pattern: str) -> str:
    found = re.search(pattern, stream.decode("utf-8"))
    check(found, f"no '{pattern}' in {stream!r}")
    return found.group(1)


def given(name: str) -> str:
    return f"./{name}" if name.startswith("-") else name


def check_logs(context: Context) -> int:
    """The command that writes the map of a log writes it."""
    for number, name in enumerate(NAMES):
        shell = Shell(context, context.work / f"log{number}")
        shutil.copy(TRACE, shell.folder / name)
        out, _ = shell.run("analyze", given(name), "--board", BOARD, "--set", "c7x_1_ddr_scratch_size=32MiB")
        shell.paste(printed(out, r"to write the map: (memsize .*)\n"))
        knobs = json.loads(read(shell.folder / "memsize-out" / BOARD / "memory_map.json"))["knobs"]
        check("33554432" in json.dumps(knobs), f"{name!r}: the pasted command forgets --set")
    return len(NAMES)


def check_plans(context: Context) -> int:
    """A plan that is taken for a log: the two verbs that read it."""
    for number, name in enumerate(NAMES):
        shell = Shell(context, context.work / f"plan{number}")
        shutil.copy(SOURCE / "samples" / "plans" / "vww_mobilenet.csv", shell.folder / name)
        _, said = shell.run("analyze", given(name), status=1)
        hint = r"(memsize check .*) says whether the plan is right, (?:memsize plan .*) looks for a lower one"
        shell.paste(printed(said, hint))
        shell.paste(printed(said, hint.replace("(memsize", "(?:memsize", 1).replace("(?:memsize plan", "(memsize plan")))
    return 2 * len(NAMES)


def check_boards(context: Context) -> int:
    """Boards in folders with such names."""
    for number, name in enumerate(NAMES):
        shell = Shell(context, context.work / f"board{number}")
        folder = shell.folder / name
        folder.mkdir()
        (folder / "b.toml").write_text(f'inherit = ["{BOARD}.toml"]\n', encoding="utf-8")
        path = f"{given(name)}/b.toml"
        shutil.copy(TRACE, shell.folder / "LOG")
        out, _ = shell.run("emit", "--board", path, "--out", "map")
        shell.paste(printed(out, r"size it with: (memsize .*)\n"))
        _, said = shell.run("emit", "--board", path, "--set", "nothing_like_it=1MiB", status=2)
        shell.paste(printed(said, r"hint: (memsize board show .*) lists them"))
        _, said = shell.run("emit", "--board", path, "--set", "nothing", status=2)
        shell.paste(printed(said, r"; (memsize board show .*) lists the knobs"))
    return 3 * len(NAMES)


def check_trees(context: Context) -> int:
    """SDK trees in folders with such names: what takes a change back."""
    zy4 = SOURCE / "tests" / "data" / "zy4"
    names = NAMES[:4] + NAMES[8:11] + ("a\nb", "\udcff")
    for number, name in enumerate(names):
        shell = Shell(context, context.work / f"tree{number}")
        shutil.copytree(zy4 / "platform", shell.folder / name / "platform", symlinks=True)
        before = (shell.folder / name / "platform" / "zy4" / "rtos" / "app_mem_map.h").read_bytes()
        change = ("emit", "--board", str(zy4 / "board.toml"), "--sdk", given(name), "--set", "c8_heap_size=10MiB", "--force")
        for pattern, then in ((r"(?m)^(memsize sdk revert .*) puts back what was", ()),
                              (r"; (memsize sdk revert .*) puts back what was", ("sdk", "status", "--sdk", given(name)))):
            out, _ = shell.run(*change)
            if then:
                out, _ = shell.run(*then)
            shell.paste(printed(out, pattern))
            after = (shell.folder / name / "platform" / "zy4" / "rtos" / "app_mem_map.h").read_bytes()
            same(f"{name!r}: what was put back", after, before)
    return 2 * len(names)


def check_kernel(context: Context) -> int:
    """A kernel's file whose name is no UTF-8: a surrogate, and a bare byte."""
    zy4 = SOURCE / "tests" / "data" / "zy4"
    for number, name in enumerate(("k3-zy4-\udced\udca0\udc80.dtsi", "k3-zy4-\udcff.dtsi")):
        shell = Shell(context, context.work / f"kernel{number}")
        shutil.copytree(zy4 / "platform", shell.folder / "sdk" / "platform", symlinks=True)
        tree = shell.folder / "kernel" / "arch" / "arm64" / "boot" / "dts" / "ti"
        tree.mkdir(parents=True)
        shutil.copy(zy4 / "platform" / "zy4" / "rtos" / "k3-zy4-rtos-memory-map.dtsi", tree / name)
        out, said = shell.run("emit", "--board", str(zy4 / "board.toml"), "--sdk", "sdk", "--linux", "kernel", "--set", "c8_heap_size=10MiB",
                              "--json", status=4)
        check(b"\\xED\\xA0\\x80.dtsi" in said or b"\\xFF.dtsi" in said, f"{name!r}: {said!r}")
        path = json.loads(out)["diagnostics"][0]["path"]
        check(path.endswith(("\\xED\\xA0\\x80.dtsi", "\\xFF.dtsi")), f"{name!r}: the document has {path!r}")
    return 2


def check_formats(context: Context) -> int:
    """A core's name in each format that a report has."""
    shell = Shell(context, context.work / "formats")
    out, _ = shell.run("analyze", str(TRACE), "--json")
    document = json.loads(out)
    document["cores"][0]["core"] = CORE
    # What is changed on purpose claims no hash.
    document.pop("content_hash", None)
    (shell.folder / "doc.json").write_text(json.dumps(document), encoding="utf-8")
    markdown, _ = shell.run("analyze", "doc.json", "--markdown")
    check(b"<img" not in markdown and b"&lt;img" in markdown, f"an element in Markdown: {markdown[:200]!r}")
    check(b"\\[a\\](b)\\`" in markdown, f"a link in Markdown: {markdown[:200]!r}")
    table, _ = shell.run("analyze", "doc.json", "--csv")
    rows = list(csv.DictReader(io.StringIO(table.decode("utf-8"))))
    same("cores of the CSV", {row["core"] for row in rows}, {CORE})
    document["cores"][0]["core"] = "=HYPERLINK(1)"
    (shell.folder / "doc.json").write_text(json.dumps(document), encoding="utf-8")
    table, _ = shell.run("analyze", "doc.json", "--csv")
    check(b"\n'=HYPERLINK(1)," in table, f"a formula in CSV: {table[-200:]!r}")
    text, _ = shell.run("analyze", "doc.json")
    check(b"=HYPERLINK(1): 1 model" in text, "the text lacks the core")
    return 4


def on_terminal(context: Context, folder: Path, *words: str) -> bytes:
    """Everything that a terminal gets, both streams."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execve(context.memsize, ["memsize", *words], {**os.environ, "NO_COLOR": "1"})
    got = b""
    while True:
        try:
            block = os.read(terminal, 65536)
        except OSError:
            break
        if not block:
            break
        got += block
    os.close(terminal)
    os.waitpid(child, 0)
    return got.replace(b"\r\n", b"\n")


def check_terminal(context: Context) -> int:
    """C0, C1, bare bytes and marks of direction, in names, quoted lines and whole files, on a terminal."""
    folder = context.work / "terminal"
    folder.mkdir()
    hostile = f"a{C1}31m\u202eb"
    (folder / "plan.csv").write_text(f"id,lower,upper,size\n{hostile},0,2,64\nb,1,3,32\n", encoding="utf-8")
    (folder / "quoted.toml").write_text(f'schema = 1\ntitle = "{hostile}"\nnonsense = 1\n', encoding="utf-8")
    (folder / "bare.toml").write_bytes(b'schema = 1\n# \x9b31m \xed\xa0\x80\nnonsense = "\x9b"\n')
    (folder / "row.log").write_bytes(b"[C7x_2 ]  1.0 s: 1\t, DDR Cacheable\t, Persis\x9btent \xc2\x9b, 128, 0x.66 , 0x1043de40\n")
    calls = (("plan", "plan.csv"), ("plan", "plan.csv", "--as", "csv"), ("plan", "plan.csv", "--json"),
             ("plan", "plan.csv", "--as", "chart"), ("plan", "plan.csv", "--as", "svg"), ("plan", "plan.csv", "--as", "c-header"),
             ("board", "check", "quoted.toml"), ("board", "check", "bare.toml"), ("analyze", "row.log"),
             ("emit", "--board", f"{hostile}/x.toml"), ("emit", "--board", BOARD, "--set", f"{hostile}=1MiB"), (hostile,))
    for words in calls:
        shown = on_terminal(context, folder, *words)
        check(shown, f"{words!r} shows nothing")
        found = COMMANDS.search(shown)
        check(not found, f"{words!r} sends {found and shown[max(0, found.start() - 40):found.end() + 10]!r}")
        check("\u202e".encode() not in shown, f"{words!r} turns a line around")
        shown.decode("utf-8")
    # What a file gets keeps its names.
    written = subprocess.run([context.memsize, "plan", "plan.csv", "--as", "csv"], cwd=folder, capture_output=True, timeout=60)
    check(hostile.encode() in written.stdout, "a file of the plan has another name")
    return len(calls)


def body(context: Context) -> str:
    counts = {"commands about logs": check_logs(context), "about plans": check_plans(context), "about boards": check_boards(context),
              "about trees": check_trees(context), "files of a kernel": check_kernel(context), "formats": check_formats(context), "calls on a terminal": check_terminal(context)}
    return ", ".join(f"{count} {what}" for what, count in counts.items())


if __name__ == "__main__":
    main(__doc__, body)
