"""Writes a large console log like those of a board that runs for days: lines of the kernel, of syslog and of
applications, and among them the tables that models of two cores print, their rows interleaved. One line in a hundred
is a row. The same arguments give the same bytes.

    make_log.py -o FILE [--size 1GiB] [--seed 1]

A piece of text is varied thoroughly and repeated; each repetition has other times.
"""

import argparse
import random
import re

UNITS = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
# Records of one model as TIDL prints them: space, lifetime, KiB, low half of the address.
RECORDS = [
    ("DDR Non-cacheable", "Persistent", 19.42, 0x10000000), ("DDR Cacheable", "Persistent", 0.66, 0x1043DE40),
    ("L1D", "Scratch", 16.00, 0x7F83C000), ("L2", "Scratch", 224.00, 0x7F800000),
    ("L3/MSMC", "Scratch", 2048.00, 0x7E200000), ("DDR Cacheable", "Persistent", 2755.41, 0x1043E180),
    ("DDR Non-cacheable", "Scratch", 4.00, 0x10300000), ("DDR Non-cacheable", "Persistent", 148.25, 0x10005000),
    ("DDR Non-cacheable", "Scratch", 0.13, 0x10301000), ("DDR Non-cacheable", "Scratch", 3.13, 0x10301400),
    ("DDR Cacheable", "Persistent", 530.19, 0x106EEFC0), ("DDR Cacheable", "Scratch", 4096.25, 0x10E00000),
    ("DDR Non-cacheable", "Persistent", 2048.00, 0x1002A400), ("DDR Cacheable", "Persistent", 1390.06, 0x10773900),
    ("DDR Cacheable", "Persistent", 0.00, 0x108CF200), ("DDR Cacheable", "Persistent", 4381.13, 0x108CF240)]
ROWS_PER_LINE = 0.01
# Large enough to be varied, small enough to be made in seconds; what is repeated is written fast.
PIECE = 64 << 20
# The stamp's seconds, of which a repetition has others: six digits.
STAMP = re.compile(rb"(?<=\[   )\d{6}(?=\.)|(?<=\]  )\d{6}(?=\.)")

KERNEL = ["usb 1-1: new high-speed USB device number {a} using xhci-hcd",
          "EXT4-fs (mmcblk1p2): mounted filesystem with ordered data mode. Quota mode: none.",
          "remoteproc remoteproc{b}: remote processor 7e200000.dsp is now attached",
          "am65-cpsw-nuss 8000000.ethernet eth0: Link is Up - 1Gbps/Full - flow control rx/tx",
          "audit: type=1400 audit({a}.{a}:{b}): apparmor=\"STATUS\" operation=\"profile_load\"",
          "cma: cma_alloc: alloc failed, req-size: {a} pages, ret: -12",
          "virtio_rpmsg_bus virtio{b}: creating channel rpmsg_chrdev addr 0x{a:x}"]
SYSLOG = ["systemd[1]: Started Session {a} of User root.", "dbus-daemon[{a}]: [system] Activating service name=org.bluez",
          "sshd[{a}]: Accepted publickey for root from 192.168.1.{b} port {a} ssh2",
          "systemd-networkd[{b}]: eth0: DHCPv4 address 192.168.1.{b}/24 via 192.168.1.1",
          "kernel: oom_reaper: reaped process {a} (chrome), now anon-rss:0kB, file-rss:0kB"]
APPLICATION = ["frame {a} decoded in {b}.{a} ms, queue depth {b}", "INFO  pipeline: camera{b} fps=29.{a} dropped=0 latency={b}ms",
               "{{\"ts\": {a}, \"level\": \"info\", \"msg\": \"inference done\", \"ms\": {b}.4, \"boxes\": [{b}, {a}]}}",
               "WARN  tracker: object {a} lost after {b} frames, iou=0.{a}", "APP: Init ... !!!",
               "INFO  http: GET /api/v1/streams/{b}/status 200 {a}us \"Mozilla/5.0 (X11; Linux aarch64)\""]


def parse_size(text: str) -> int:
    size = re.fullmatch(r"(\d+)(|KiB|MiB|GiB)", text)
    if size is None:
        raise argparse.ArgumentTypeError(f"'{text}' is no size such as 64MiB")
    return int(size[1]) * UNITS[size[2]]


def row(core: str, time: int, number: int, shift: int) -> str:
    space, lifetime, kib, address = RECORDS[number]
    return "[%s ] %6d.%06d s: %-12d, %-20s, %-12s, %4d, %-8.2f, 0x%08x\n" % (
        core, time // 1000000, time % 1000000, number, space, lifetime, 128, kib, address + shift)


class Piece:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        # Microseconds; six digits of seconds, so that a repetition has as many.
        self.time = 100000 * 1000000
        self.waiting: list[tuple[str, int, int]] = []

    def noise(self) -> str:
        a, b = self.random.randrange(1, 99999), self.random.randrange(1, 255)
        kind = self.random.random()
        self.time += a
        if kind < 0.4:
            return "[   %6d.%06d] %s\n" % (self.time // 1000000, self.time % 1000000,
                                           self.random.choice(KERNEL).format(a=a, b=b))
        if kind < 0.6:
            return "Nov 22 01:%02d:%02d j722s-evm %s\n" % (a % 60, b % 60, self.random.choice(SYSLOG).format(a=a, b=b))
        return self.random.choice(APPLICATION).format(a=a, b=b) + "\n"

    def tables(self) -> list[tuple[str, int, int]]:
        """Rows of one model on each of two cores, one of which may be half a table behind."""
        behind = self.random.choice([0, 1, 8])
        shift = self.random.randrange(1 << 12) << 8
        both = []
        for core, late in (("C7x_1", 0), ("C7x_2", behind)):
            both += [(number + late, core, number) for number in range(len(RECORDS))]
        return [(core, number, shift) for _, core, number in sorted(both)]

    def rows(self) -> str:
        if not self.waiting:
            self.waiting = self.tables()
        core, number, shift = self.waiting.pop(0)
        self.time += self.random.randrange(10, 40)
        return row(core, self.time, number, shift)

    def make(self, size: int) -> bytes:
        text: list[str] = []
        used = 0
        tables_due = 0.0
        while used < size:
            tables_due += ROWS_PER_LINE
            # A whole pair of tables at a time, with a line of somebody else's here and there.
            line = self.noise()
            text.append(line)
            used += len(line)
            if tables_due >= 2 * len(RECORDS):
                tables_due -= 2 * len(RECORDS)
                for _ in range(2 * len(RECORDS)):
                    text.append(self.rows())
                    used += len(text[-1])
                    if self.random.random() < 0.1:
                        text.append(self.noise())
                        used += len(text[-1])
        return "".join(text).encode()[:size]


def later(piece: bytes, repetition: int) -> bytes:
    """The piece with other seconds in its stamps."""
    return STAMP.sub(lambda stamp: b"%06d" % ((int(stamp[0]) + repetition * 7919) % 1000000), piece)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--size", type=parse_size, default=UNITS["GiB"])
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    piece = Piece(options.seed).make(min(options.size, PIECE))
    with open(options.output, "wb") as log:
        written = repetition = 0
        while written < options.size:
            written += log.write(later(piece, repetition)[:options.size - written])
            repetition += 1


if __name__ == "__main__":
    main()
