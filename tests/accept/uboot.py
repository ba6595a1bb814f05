"""Runs scripts in Debian's U-Boot for QEMU's A64 machine, each with a device tree of its own, and reads the trees back
from the machine's memory."""

import os
import re
import select
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from support import Context, Skip, check, fail, tool

UBOOT = Path("/usr/lib/u-boot/qemu_arm64/u-boot.bin")
# The machine's memory begins at 1 GiB; U-Boot is at its end.
FIRST, STEP, TREE_SIZE, BEFORE_SCRIPT = 0x48000000, 0x100000, 0x40000, 0x80000
SECONDS = 60


@dataclass
class Case:
    """A script of U-Boot and the device tree that it changes; then what came of it."""
    what: str
    script: Path
    tree: Path
    after: bytes = b""
    wrong: str = ""
    said: str = ""


class Machine:
    """QEMU with a serial line on pipes; it is killed in the end, whatever happens."""

    def __init__(self, words: list[str]) -> None:
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.end = time.monotonic() + SECONDS
        self.seen = b""

    def __enter__(self) -> "Machine":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def type(self, text: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def until(self, pattern: bytes) -> str:
        """What is printed up to the pattern, which is taken too."""
        assert self.process.stdout
        while True:
            found = re.search(pattern, self.seen)
            if found:
                text, self.seen = self.seen[:found.end()], self.seen[found.end():]
                return text.decode("ascii", "replace")
            left = self.end - time.monotonic()
            ready, _, _ = select.select([self.process.stdout], [], [], max(0.0, left))
            data = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            if not data:
                fail(f"U-Boot: no {pattern!r} within {SECONDS} s; it said {self.seen[-1500:]!r}")
            self.seen += data


class Monitor:
    """QEMU's own prompt, for the memory."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(SECONDS)
        self.socket.connect(str(path))
        self.answer()

    def answer(self) -> str:
        said = b""
        while not said.endswith(b"(qemu) "):
            said += self.socket.recv(65536)
        return said.decode("ascii", "replace")

    def save(self, address: int, size: int, path: Path) -> bytes:
        self.socket.sendall(f'pmemsave {address:#x} {size} "{path}"\n'.encode())
        self.answer()
        return path.read_bytes()


def needed() -> None:
    tool("qemu-system-aarch64")
    tool("mkimage")
    if not UBOOT.is_file():
        raise Skip(f"{UBOOT} (u-boot-qemu) is not installed")


def image_of(context: Context, script: Path, number: int) -> Path:
    image = context.work / f"uboot-{number}.scr"
    done = subprocess.run([tool("mkimage"), "-A", "arm64", "-T", "script", "-d", str(script), str(image)],
                          capture_output=True, text=True, timeout=60)
    check(done.returncode == 0, f"mkimage on {script}: {done.stderr}")
    return image


def run_uboot(context: Context, cases: list[Case]) -> None:
    """All of them, in one machine that boots once."""
    # A path of a socket has 107 bytes at most.
    monitor = Path(os.path.relpath(context.work / "monitor"))
    words = [tool("qemu-system-aarch64"), "-M", "virt", "-cpu", "cortex-a53", "-m", "1G", "-nic", "none", "-display", "none",
             "-serial", "stdio", "-monitor", f"unix:{monitor},server,nowait", "-bios", str(UBOOT)]
    check(len(cases) * STEP < 512 << 20, "too many cases for the machine")
    for number, case in enumerate(cases):
        at = FIRST + number * STEP
        check(case.tree.stat().st_size < TREE_SIZE // 2, f"{case.tree} is too large")
        for path, address in ((case.tree, at), (image_of(context, case.script, number), at + BEFORE_SCRIPT)):
            words += ["-device", f"loader,file={path},addr={address:#x},force-raw=on"]
    with Machine(words) as machine:
        machine.until(rb"stop autoboot")
        machine.type("\r")
        machine.until(rb"=> ")
        memory = Monitor(monitor)
        for number, case in enumerate(cases):
            at = FIRST + number * STEP
            machine.type(f"setenv fdt_addr_r {at:#x}; source {at + BEFORE_SCRIPT:#x}; echo END-{number}: <${{memsize_wrong}}>\r")
            # Once as it is echoed, once as it is said.
            machine.until(rb"\r?\n")
            case.said = machine.until(rb"END-%d: <[^>]*>" % number)
            case.wrong = case.said.rsplit("<", 1)[1][:-1]
            machine.until(rb"=> ")
            case.after = memory.save(at, TREE_SIZE, context.work / "after.dtb")
