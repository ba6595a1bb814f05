"""Starts the real QEMU with the words it was given, stops the core where its image ends, and writes down what QEMU's
monitor then says of memory. Stands in PATH under QEMU's name; output and exit status are QEMU's.

MEMSIZE_WITNESS names the folder for what is written down, one folder a run: the image's C file, its ELF file, its
output, and monitor.json. Nothing here knows what is right: addresses of the map table are looked up, and that is all.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, BinaryIO

from map_words import Table, entry_of, symbol_of, table_of


class Gdb:
    """GDB's remote protocol: as much as a breakpoint takes."""

    def __init__(self, path: str) -> None:
        self.stream = connect(path)

    def ask(self, packet: str) -> str:
        self.send(packet)
        return self.reply()

    def send(self, packet: str) -> None:
        self.stream.write(f"${packet}#{sum(packet.encode()) % 256:02x}".encode())
        self.stream.flush()

    def reply(self) -> str:
        while (byte := self.stream.read(1)) not in (b"$", b""):
            pass
        text = b""
        while (byte := self.stream.read(1)) not in (b"#", b""):
            text += byte
        self.stream.read(2)
        self.stream.write(b"+")
        self.stream.flush()
        return text.decode()


class Monitor:
    """QEMU's monitor for people, by way of the one for programs."""

    def __init__(self, path: str) -> None:
        self.stream = connect(path)
        self.stream.readline()
        self.execute("qmp_capabilities")

    def execute(self, command: str, **arguments: Any) -> Any:
        self.stream.write(json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n")
        self.stream.flush()
        while "event" in (answer := json.loads(self.stream.readline())):
            pass
        return answer["return"]

    def say(self, line: str) -> str:
        return self.execute("human-monitor-command", **{"command-line": line}).strip()

    def physical(self, address: int) -> int | None:
        """'gpa: 0x...', or 'Unmapped'."""
        said = self.say(f"gva2gpa {address:#x}")
        return int(said.split()[1], 0) if said.startswith("gpa:") else None

    def word(self, command: str, address: int) -> int | None:
        """'0000000080000000: 0x...' of 'xp' (physical addresses) or 'x' (the core's)."""
        said = self.say(f"{command} /1gx {address:#x}").split()
        return int(said[1], 0) if len(said) == 2 and said[1].startswith("0x") else None


def connect(path: str) -> BinaryIO:
    deadline = time.monotonic() + 20
    while True:
        try:
            wire = socket.socket(socket.AF_UNIX)
            wire.connect(path)
            return wire.makefile("rwb")
        except OSError:
            wire.close()
            if time.monotonic() > deadline:
                raise
            time.sleep(0.005)


def find_image(program: str, words: list[str], seen: Path, phase: int) -> tuple[Path, Table]:
    """The core's number stands nowhere: its image begins where this QEMU does, and of several cores that begin at one
    address of their own memory it is the next one's turn. (Its report says its name, too.)"""
    start = next(int(word.split("addr=")[1].split(",")[0], 0) for word in words if word.startswith("loader,"))
    isa = "a64" if program.endswith("aarch64") else "r5f"
    for image in sorted(Path(os.environ["TMPDIR"]).glob(f"memsize-*/{isa}/core*.elf")):
        table = table_of(image.with_suffix(".c").read_text())
        if table.physical(entry_of(image)) == start and not (seen / f"{table.core}-{phase}").exists():
            return image, table
    raise SystemExit(f"no image begins at {start:#x}")


def look(monitor: Monitor, table: Table) -> dict[str, Any]:
    seen = {}
    wanted = {point.virtual for point in table.points} | {region.virtual for region in table.regions}
    for address in sorted(wanted):
        physical = monitor.physical(address)
        by_bus = None if physical is None else monitor.word("xp", physical)
        by_core = None if physical is None else monitor.word("x", address)
        seen[f"{address:#x}"] = [physical, by_bus, by_core]
    return seen


def look_at_blocks(monitor: Monitor, output: bytes) -> dict[str, Any]:
    """The words that each block begins and ends with."""
    seen = {}
    for line in output.decode().splitlines():
        event = json.loads(line)
        if event["event"] == "block":
            first = int(event["address"], 0)
            for word in {at & ~7 for at in (first, first + min(7, event["size"] - 1),
                                            first + max(0, event["size"] - 8), first + event["size"] - 1)}:
                physical = monitor.physical(word)
                seen[f"{word:#x}"] = [physical, None if physical is None else monitor.word("xp", physical)]
    return seen


def main() -> int:
    program, words = Path(sys.argv[0]).name, sys.argv[1:]
    real = shutil.which(program, path=os.environ["MEMSIZE_WITNESS_PATH"])
    phase = next(int(word.split("phase=")[1]) for word in words if "phase=" in word)
    seen_by = Path(os.environ["MEMSIZE_WITNESS"])
    image, table = find_image(program, words, seen_by, phase)
    folder = seen_by / f"{table.core}-{phase}"
    folder.mkdir()
    shutil.copy(image, folder)
    shutil.copy(image.with_suffix(".c"), folder)
    os.chdir(folder)  # names of sockets are short
    at = words.index("-monitor")
    words[at:at + 2] = ["-S", "-qmp", "unix:monitor,server=on,wait=off", "-gdb", "unix:gdb,server=on,wait=off"]
    qemu = subprocess.Popen([real, *words], stdout=subprocess.PIPE, close_fds=False)
    output = bytearray()
    reader = threading.Thread(target=lambda: [output.extend(part) for part in iter(lambda: qemu.stdout.read1(), b"")])
    reader.start()
    gdb, monitor = Gdb("gdb"), Monitor("monitor")
    stop = symbol_of(image, "hal_exit")
    breakpoint_at = f"1,{stop:x},4"
    set_it = gdb.ask(f"Z{breakpoint_at}")
    stopped = gdb.ask("c")
    seen: dict[str, Any] = {"breakpoint": set_it, "stopped": stopped, "phase": phase}
    if stopped.startswith("T"):
        # The report's last line is out before the image ends, but not yet read.
        deadline = time.monotonic() + 10
        while b'"verdict"' not in output and time.monotonic() < deadline:
            time.sleep(0.001)
        seen["points"] = look(monitor, table)
        seen["blocks"] = look_at_blocks(monitor, bytes(output))
        seen["pc"] = int(re.search(r"\b(?:PC|R15)=([0-9a-f]+)", monitor.say("info registers"))[1], 16)
        gdb.ask(f"z{breakpoint_at}")
        gdb.send("D")
    status = qemu.wait()
    reader.join()
    seen["status"], seen["entry"] = status, stop
    Path("output").write_bytes(output)
    Path("monitor.json").write_text(json.dumps(seen))
    sys.stdout.buffer.write(output)
    return status

