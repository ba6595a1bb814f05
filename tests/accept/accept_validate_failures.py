"""What a run of validate comes to when the machine under it fails: an emulator that is missing, hangs, dies, lies or
never stops talking, no compiler, no room, no permission, and a user who has waited enough.

Each ends in time with one clear error and exit status 4 (130 after Ctrl-C), with one JSON document, with no process and
no file left behind.
"""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

from support import Context, check, main, same, tool

BOARD = "j722s"
EMULATORS = ("qemu-system-aarch64", "qemu-system-arm")
MARK = "MEMSIZE_TEST_MARK"
ENVIRONMENT, INTERRUPTED = 4, 130

# Programs in the emulator's place.
HANGS = "import time\ntime.sleep(600)\n"
LOOPS = "while True:\n    pass\n"
# Closes what it writes to, and stays; a child of its own keeps the pipes open.
HANGS_SILENTLY = "import os, time\nos.close(1)\nos.close(2)\ntime.sleep(600)\n"
CHILD_HANGS = "import os, time\nif os.fork() == 0:\n    time.sleep(600)\nos._exit(0)\n"
DEAF = "import signal, time\nfor one in (1, 2, 15):\n    signal.signal(one, signal.SIG_IGN)\ntime.sleep(600)\n"
KILLED = "import os\nos.kill(os.getpid(), 9)\n"
HALF_A_LINE = ("import os, sys\nsys.stdout.write('{\"event\":\"start\",\"co')\nsys.stdout.flush()\n"
               "os.kill(os.getpid(), 9)\n")
HALF_AN_END = "print('{\"event\":\"start\",\"core\":\"c7x_1\",\"phase\":1}')\nprint('{\"event\":\"verd', end='')\n"
EMPTY = ""
GARBAGE = "import os, sys\nsys.stdout.buffer.write(bytes(range(256)) * 40 + b'\\n\\x1b[2J\\n')\n"
NO_END = "import sys\nwhile True:\n    sys.stdout.write('x' * 65536)\n"
NO_END_OF_ERRORS = "import sys\nwhile True:\n    sys.stderr.write('x' * 65536)\n"
REFUSES = "import sys\nsys.exit('qemu: -machine none: \\x1b[2Jnot today')\n"
OTHER_CORE = ("print('{\"event\":\"start\",\"core\":\"other\",\"phase\":1}')\n"
              "print('{\"event\":\"verdict\",\"ok\":true,\"findings\":0}')\n")
LIES = ("print('{\"event\":\"start\",\"core\":\"c7x_1\",\"phase\":1}')\n"
        "print('{\"event\":\"finding\",\"check\":7}')\n"
        "print('{\"event\":\"verdict\",\"ok\":true,\"findings\":0}')\n")


@dataclass
class Machine:
    """The surroundings of one run."""
    root: Path
    path: str | None = None
    emulator: str | None = None
    limit: tuple[int, int] | None = None
    variables: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.root.mkdir()
        self.tmp = self.root / "tmp"
        self.tmp.mkdir()
        (self.root / "bin").mkdir()
        for name in EMULATORS if self.emulator is not None else ():
            self.put(name, self.emulator)

    def put(self, name: str, program: str, folder: str = "bin") -> None:
        """A Python program in a folder of this machine, by default the first in PATH."""
        file = self.root / folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!{sys.executable} -S\n{program}")
        file.chmod(0o755)

    @property
    def environment(self) -> dict[str, str]:
        path = os.environ["PATH"] if self.path is None else self.path
        return {**os.environ, "PATH": f"{self.root}/bin:{path}", "TMPDIR": str(self.tmp), "NO_COLOR": "1",
                MARK: str(self.root), **self.variables}

    def start(self, memsize: Path, *words: str) -> "subprocess.Popen[str]":
        def limit() -> None:
            if self.limit:
                resource.setrlimit(self.limit[0], (self.limit[1], self.limit[1]))

        return subprocess.Popen([str(memsize), "validate", "--board", BOARD, "--json", *words], cwd=self.root,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=self.environment, preexec_fn=limit)

    def processes(self) -> list[int]:
        """Those that have this run's mark in their environment: what memsize started, and what that did."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and f"{MARK}={self.root}\0".encode() in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                pass
        return found

    def check_clean(self, what: str, files: bool = True) -> None:
        deadline = time.monotonic() + 5
        while (left := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.02)
        for process in left:
            os.kill(process, signal.SIGKILL)
        check(not left, f"{what}: {len(left)} processes are left")
        if files:
            same(f"{what}: files left in TMPDIR", sorted(path.name for path in self.tmp.glob("*")), [])


def check_error(what: str, process: "subprocess.Popen[str]", status: int, text: str, seconds: float) -> str:
    begun = time.monotonic()
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        check(False, f"{what}: still running after {seconds} s")
    same(f"{what}: exit status ({time.monotonic() - begun:.1f} s)\n{err[-600:]}", process.returncode, status)
    try:
        document = json.loads(out)
    except ValueError:
        check(False, f"{what}: not one JSON document: {out[:300]!r}")
    errors = [item for item in document["diagnostics"] if item["severity"] == "error"]
    same(f"{what}: codes", [item["code"] for item in errors], ["validate.machine"])
    message = errors[0]["message"]
    check(text in message, f"{what}: '{text}' is not in: {message}")
    check(message.isprintable(), f"{what}: unprintable bytes in {message!r}")
    check("passed" not in document, f"{what}: a run that did not end has a result")
    check("Traceback" not in err and err.count("error[") == 1, f"{what}: {err[-600:]}")
    return message


def folder_with(root: Path, *programs: str) -> str:
    root.mkdir()
    for program in programs:
        (root / program).symlink_to(tool(program))
    return str(root)


def emulators(context: Context) -> int:
    """Programs in the emulator's place."""
    cases: list[tuple[str, str, str]] = [
        ("hangs", HANGS, "did not end within 1000 ms"),
        ("loops", LOOPS, "did not end within 1000 ms"),
        ("hangs silently", HANGS_SILENTLY, "did not end within 1000 ms"),
        ("leaves a child", CHILD_HANGS, "did not end within 1000 ms"),
        ("is deaf", DEAF, "did not end within 1000 ms"),
        ("is killed", KILLED, "was killed by signal 9"),
        ("is killed in a line", HALF_A_LINE, "was killed by signal 9"),
        ("ends in a line", HALF_AN_END, "did not come to its end"),
        ("says nothing", EMPTY, "did not come to its end"),
        ("prints garbage", GARBAGE, "did not come to its end"),
        ("prints without end", NO_END, "printed without end"),
        ("complains without end", NO_END_OF_ERRORS, "printed without end"),
        ("refuses", REFUSES, "not today"),
        ("is another core", OTHER_CORE, "did not come to its end"),
        ("lies", LIES, "did not come to its end"),
    ]
    for name, program, text in cases:
        machine = Machine(context.work / name.replace(" ", "-"), emulator=program)
        seconds = "1s" if "1000 ms" in text else "20s"
        process = machine.start(context.memsize, "--on", "qemu", "--timeout", seconds)
        check_error(f"an emulator that {name}", process, ENVIRONMENT, text, 60)
        machine.check_clean(f"an emulator that {name}")
    return len(cases)


def missing(context: Context) -> int:
    """Tools that are not there, and compilers that do not compile."""
    bins = context.work
    cases: list[tuple[str, str, list[str], str]] = [
        ("no emulator", folder_with(bins / "b0"), [], "'qemu-system-aarch64' is not in PATH"),
        ("no emulator of 32 bits", folder_with(bins / "b1", "qemu-system-aarch64", "clang", "ld.lld"), [],
         "'qemu-system-arm' is not in PATH"),
        ("no clang", folder_with(bins / "b2", *EMULATORS, "ld.lld"), ["--toolchain", "clang"],
         "'clang' is not in PATH"),
        ("no lld", folder_with(bins / "b3", *EMULATORS, "clang"), ["--toolchain", "clang"], "'ld.lld' is not in PATH"),
        ("no gcc", folder_with(bins / "b4", *EMULATORS), ["--toolchain", "gcc"], "gcc' is not in PATH"),
    ]
    for name, path, words, text in cases:
        machine = Machine(context.work / name.replace(" ", "-"), path=path)
        check_error(name, machine.start(context.memsize, "--on", "qemu", *words), ENVIRONMENT, text, 60)
        machine.check_clean(name)
    compilers = [("fails", "import sys\nsys.exit('clang: error: \\x1b[2Jno such day')\n", "no such day"),
                 ("hangs", HANGS, "takes too long"), ("writes nothing", EMPTY, "wrote no image"),
                 ("dies", KILLED, "signal 9")]
    for name, program, text in compilers:
        machine = Machine(context.work / f"compiler-{name.replace(' ', '-')}")
        machine.put("clang", program)
        process = machine.start(context.memsize, "--on", "qemu", "--toolchain", "clang", "--timeout", "1s")
        check_error(f"a compiler that {name}", process, ENVIRONMENT, text, 60)
        machine.check_clean(f"a compiler that {name}")
    return len(cases) + len(compilers)


def no_room(context: Context) -> int:
    """Disks and folders that cannot be written, and memory that cannot be had."""
    count = 0
    for size in (0, 30_000, 200_000):
        machine = Machine(context.work / f"room-{size}", limit=(resource.RLIMIT_FSIZE, size))
        process = machine.start(context.memsize, "--on", "qemu")
        check_error(f"files of {size} bytes at most", process, ENVIRONMENT, "", 120)
        machine.check_clean(f"files of {size} bytes at most")
        count += 1
    machine = Machine(context.work / "full")
    mounted = os.geteuid() == 0 and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=48k", "memsize-test", str(machine.tmp)],
        capture_output=True).returncode == 0
    if mounted:
        try:
            check_error("a full disk", machine.start(context.memsize, "--on", "qemu"), ENVIRONMENT, "", 60)
            machine.check_clean("a full disk")
            count += 1
        finally:
            subprocess.run(["umount", str(machine.tmp)], check=True)
    for name, folder in (("missing", "/nonexistent/below"), ("a file", str(context.memsize)),
                         ("of the kernel's", "/proc")):
        machine = Machine(context.work / f"tmpdir-{name.replace(' ', '-')}", variables={"TMPDIR": folder})
        check_error(f"TMPDIR that is {name}", machine.start(context.memsize, "--on", "qemu"), ENVIRONMENT,
                    "no folder can be made in", 60)
        machine.check_clean(f"TMPDIR that is {name}")
        count += 1
    # UBSan opens a pipe to look at an object's type, and takes one that it cannot look at for a broken one.
    if b"__ubsan" not in context.memsize.read_bytes():
        machine = Machine(context.work / "descriptors", limit=(resource.RLIMIT_NOFILE, 9))
        check_error("few descriptors", machine.start(context.memsize), ENVIRONMENT, "", 60)
        machine.check_clean("few descriptors")
        count += 1
    return count


def host_programs(context: Context) -> int:
    """A program in memsize-host's place, and none."""
    source = Path(__file__).resolve().parents[2]
    cases = [("missing", None, "memsize-host' is missing"), ("hung", DEAF, "did not end within 1000 ms"),
             ("killed", KILLED, "was killed by signal 9"), ("half", HALF_AN_END, "did not come to its end"),
             ("endless", NO_END, "printed without end")]
    for name, program, text in cases:
        machine = Machine(context.work / f"host-{name}", variables={"MEMSIZE_DATA": str(source)})
        memsize = Path(shutil.copy(context.memsize, machine.root / "bin" / "memsize"))
        if program is not None:
            machine.put("memsize-host", program, "libexec/memsize")
        seconds = "1s" if "1000 ms" in text else "20s"
        check_error(f"memsize-host {name}", machine.start(memsize, "--timeout", seconds), ENVIRONMENT, text, 60)
        machine.check_clean(f"memsize-host {name}")
    return len(cases)


def wait_for(what: str, condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        check(time.monotonic() < deadline, f"{what}: nothing happens")
        time.sleep(0.01)


def endings(context: Context) -> int:
    """Signals, while an emulator or a compiler hangs, which may be deaf to them."""
    count = 0
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
        for place, programs in (("emulator", EMULATORS), ("compiler", ("clang",))):
            what = f"{number.name} while the {place} hangs"
            machine = Machine(context.work / f"{number.name}-{place}")
            started = machine.root / "started"
            for name in programs:
                machine.put(name, f"open({str(started)!r}, 'w').close()\n{DEAF}")
            process = machine.start(context.memsize, "--on", "qemu", "--toolchain", "clang", "--timeout", "300s")
            wait_for(what, started.exists)
            begun = time.monotonic()
            process.send_signal(number)
            if number == signal.SIGKILL:
                process.communicate(timeout=20)
                machine.check_clean(what, files=False)
            else:
                check_error(what, process, INTERRUPTED, "interrupted", 20)
                machine.check_clean(what)
            check(time.monotonic() - begun < 5, f"{what}: took {time.monotonic() - begun:.1f} s")
            count += 1
    return count


def caches(context: Context) -> int:
    """The runtime is compiled once; a cache that is damaged, not one's own or not there changes nothing but the time."""
    machine = Machine(context.work / "cache", variables={"XDG_CACHE_HOME": str(context.work / "cache" / "xdg")})
    calls = machine.root / "calls"
    machine.put("clang", f"import os, sys\nopen({str(calls)!r}, 'a').write('compile\\n' if '-c' in sys.argv else 'link\\n')\n"
                         f"os.execv({tool('clang')!r}, ['clang'] + sys.argv[1:])\n")
    folder = machine.root / "xdg" / "memsize"
    count = 0
    said = ""

    def expect(what: str, compiled: int, kept: int) -> None:
        nonlocal count, said
        calls.write_text("")
        out, err = machine.start(context.memsize, "--on", "qemu", "--toolchain", "clang").communicate(timeout=120)
        same(f"{what}: passed\n{err}", json.loads(out).get("passed"), True)
        same(f"{what}: what it says", out, said or out)
        said = out
        same(f"{what}: compilations", calls.read_text().split().count("compile"), compiled)
        same(f"{what}: kept", len(list(folder.glob("*"))) if folder.is_dir() else 0, kept)
        machine.check_clean(what)
        count += 1

    # One for A64, one for Armv7-R.
    expect("an empty cache", 2, 2)
    expect("a full cache", 0, 2)
    for file in folder.iterdir():
        content = file.read_bytes()
        file.write_bytes(content[:-3000] + bytes([content[-3000] ^ 1]) + content[-2999:])
    expect("a damaged cache", 2, 2)
    for file in folder.iterdir():
        file.write_bytes(file.read_bytes()[:-1])
    expect("a cache that is cut", 2, 2)
    expect("a mended cache", 0, 2)
    folder.chmod(0o777)
    expect("a cache that others can write", 2, 2)
    folder.chmod(0o700)
    clang = machine.root / "bin" / "clang"
    os.utime(clang, (1, 1))
    expect("another compiler", 2, 4)
    shutil.rmtree(folder)
    folder.write_text("")
    expect("a file in its place", 2, 0)
    folder.unlink()
    machine.variables["XDG_CACHE_HOME"] = "here"
    machine.variables["HOME"] = str(machine.root / "xdg")
    expect("a relative path, which the specification ignores", 2, 0)
    same("home", len(list((machine.root / "xdg" / ".cache" / "memsize").iterdir())), 2)
    del machine.variables["XDG_CACHE_HOME"]
    machine.variables["HOME"] = "/nonexistent"
    os.environ.pop("XDG_CACHE_HOME", None)
    expect("no place", 2, 0)
    machine.variables["XDG_CACHE_HOME"] = str(machine.root / "both")
    running = [machine.start(context.memsize, "--on", "qemu", "--toolchain", "clang") for _ in range(4)]
    for process in running:
        same("at once", json.loads(process.communicate(timeout=120)[0]).get("passed"), True)
    same("kept at once", len(list((machine.root / "both" / "memsize").iterdir())), 2)
    return count + len(running)


def body(context: Context) -> str:
    for name in (*EMULATORS, "clang", "ld.lld"):
        tool(name)
    counts = [emulators(context), missing(context), no_room(context), host_programs(context), endings(context),
              caches(context)]
    return ("{} emulators that fail, {} missing or broken tools, {} places without room, {} host programs and {} "
            "signals: each one error, and nothing is left behind; {} runs with caches").format(*counts)


if __name__ == "__main__":
    main(__doc__, body)
