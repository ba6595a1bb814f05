"""A real arm64 kernel, Debian's, boots on QEMU with DRAM at TI's addresses and the device tree that memsize writes; memsize-probe runs
inside. What it brings home fits the map; with one carve-out moved that is found; and what Linux has more with a smaller map is what
memsize promised. No driver of the cores is there: nothing of them is tested here. Three boots, of seconds each.

Needs qemu-system-aarch64, dtc, cpio, binutils for AArch64, and network or a cache: apt-get download brings the kernel (60 MB) and a
static busybox into $XDG_CACHE_HOME/memsize-tests/boot."""

import base64
import gzip
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import probe_root
from support import MIB, Context, Skip, check, main, same, tool

BOARD = "j722s"
KERNEL_AT, TREE_AT, INITRD_AT, STUB_AT = 0x80200000, 0x88000000, 0x8A000000, 0x48000000
SMALLER = {"c7x_1_ddr_scratch_size": "1MiB", "c7x_1_ddr_local_heap_size": "1MiB", "ddr_shared_mem_size": "128MiB"}
RING_AT = 0xA6000000
STUB = f"""
.globl _start
_start:
 ldr x0, ={TREE_AT:#x}
 mov x1, xzr
 mov x2, xzr
 mov x3, xzr
 ldr x4, ={KERNEL_AT:#x}
 br x4
"""
INIT = """#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sysfs /sys
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox mount -t debugfs debug /sys/kernel/debug
/bin/memsize-probe -o /probe.json --log
/bin/busybox echo PROBE-BEGIN $?
/bin/busybox gzip -c /probe.json | /bin/busybox base64
/bin/busybox echo PROBE-END
/bin/busybox poweroff -f
"""
# Of the boot chain and of Linux, in every tree of the part.
OTHERS = """
\t\tlinux,cma { compatible = "shared-dma-pool"; reusable; size = <0x0 0x20000000>; linux,cma-default;
\t\t\talloc-ranges = <0x9 0x20000000 0x0 0xe0000000>; };
\t\ttfa@9e780000 { reg = <0x00 0x9e780000 0x00 0x80000>; no-map; };
\t\toptee@9e800000 { reg = <0x00 0x9e800000 0x00 0x01800000>; no-map; };
"""


def packages() -> Path:
    """The kernel's and busybox' files, unpacked, from the cache or Debian's archive."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "memsize-tests" / "boot"
    cache.mkdir(parents=True, exist_ok=True)
    if not (list(cache.glob("boot/vmlinuz-*")) and list(cache.glob("**/bin/busybox"))):
        said = subprocess.run(["apt-cache", "depends", "linux-image-arm64:arm64"], capture_output=True, text=True)
        found = re.search(r"Depends: (linux-image-[\w.+-]+)", said.stdout)
        if not found:
            raise Skip("apt knows no linux-image-arm64:arm64 (dpkg --add-architecture arm64; apt-get update)")
        done = subprocess.run(["apt-get", "download", f"{found[1]}:arm64", "busybox-static:arm64"], cwd=cache, capture_output=True)
        if done.returncode:
            raise Skip("apt-get cannot download the kernel and busybox")
        for package in cache.glob("*.deb"):
            subprocess.run(["dpkg-deb", "-x", package, cache], check=True)
            package.unlink()
        # Half a gigabyte that nobody needs here.
        shutil.rmtree(cache / "lib" / "modules", ignore_errors=True)
        shutil.rmtree(cache / "usr" / "lib" / "modules", ignore_errors=True)
    return cache


def initrd(work: Path, cache: Path, probe: Path) -> Path:
    root = work / "initrd"
    for folder in ("bin", "proc", "sys", "dev"):
        (root / folder).mkdir(parents=True)
    busybox = next(cache.glob("**/bin/busybox"))
    for source, name in ((busybox, "busybox"), (probe, "memsize-probe")):
        shutil.copy(source, root / "bin" / name)
        (root / "bin" / name).chmod(0o755)
    (root / "init").write_text(INIT)
    (root / "init").chmod(0o755)
    names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
    archive = subprocess.run([tool("cpio"), "-o", "-H", "newc", "--quiet"], input=names.encode(), cwd=root, capture_output=True, check=True)
    packed = work / "initrd.gz"
    packed.write_bytes(gzip.compress(archive.stdout, 1))
    return packed


def machine_tree(work: Path, qemu: str) -> str:
    """QEMU's own machine, without its memory."""
    blob = work / "virt.dtb"
    subprocess.run([qemu, "-machine", f"virt,dumpdtb={blob}", "-cpu", "cortex-a53", "-m", "1G", "-nographic",
                    "-nic", "none"], check=True, capture_output=True)
    text = subprocess.run([tool("dtc"), "-q", "-I", "dtb", "-O", "dts", blob], capture_output=True, text=True, check=True).stdout
    for node in (r"memory@40000000", r"chosen"):
        text = re.sub(r"\n\t" + node + r" \{.*?\n\t\};\n", "\n", text, flags=re.S)
    return text.rstrip().removesuffix("};").replace("/ {", '/ {\n\tserial-number = "SECRET-4711";', 1)


def compile_tree(work: Path, name: str, machine: str, dtsi: str, initrd_size: int) -> Path:
    source = machine + f"""
\tmemory@80000000 {{ device_type = "memory"; reg = <0x0 0x80000000 0x0 0x80000000>, <0x8 0x80000000 0x1 0x80000000>; }};
\treserved-memory {{
\t\t#address-cells = <2>; #size-cells = <2>; ranges;{OTHERS}{dtsi}
\t}};
\tr5f@78400000 {{ reg = <0 0x78400000 0 0x8000>; memory-region = <&vision_apps_main_r5fss0_core0_dma_memory_region>,
\t\t<&vision_apps_main_r5fss0_core0_memory_region>; }};
\tr5f@78000000 {{ reg = <0 0x78000000 0 0x8000>; memory-region = <&vision_apps_mcu_r5fss0_core0_dma_memory_region>,
\t\t<&vision_apps_mcu_r5fss0_core0_memory_region>; }};
\tdsp@7e000000 {{ reg = <0 0x7e000000 0 0x8000>; memory-region = <&vision_apps_c71_0_dma_memory_region>,
\t\t<&vision_apps_c71_0_memory_region>; }};
\tdsp@7e200000 {{ reg = <0 0x7e200000 0 0x8000>; memory-region = <&vision_apps_c71_1_dma_memory_region>,
\t\t<&vision_apps_c71_1_memory_region>; }};
\tchosen {{
\t\tbootargs = "console=ttyAMA0 rdinit=/init panic=-1 quiet secret=SECRET-4711";
\t\tstdout-path = "/pl011@9000000";
\t\tlinux,initrd-start = <0x0 {INITRD_AT:#x}>;
\t\tlinux,initrd-end = <0x0 {INITRD_AT + initrd_size:#x}>;
\t}};
}};
"""
    text, blob = work / f"{name}.dts", work / f"{name}.dtb"
    text.write_text(source)
    subprocess.run([tool("dtc"), "-q", "-@", "-I", "dts", "-O", "dtb", "-o", blob, text], check=True)
    return blob


class Machine:
    def __init__(self, context: Context) -> None:
        self.work = context.work
        self.qemu = tool("qemu-system-aarch64")
        probe = context.memsize.resolve().parent / "memsize-probe-aarch64"
        if not probe.exists():
            raise Skip("there is no memsize-probe-aarch64 (gcc-aarch64-linux-gnu, libc6-dev-arm64-cross)")
        cache = packages()
        kernel = next(cache.glob("boot/vmlinuz-*"))
        self.kernel = self.work / "Image"
        packed = kernel.read_bytes()
        self.kernel.write_bytes(gzip.decompress(packed) if packed[:2] == b"\x1f\x8b" else packed)
        self.initrd = initrd(self.work, cache, probe)
        (self.work / "stub.S").write_text(STUB)
        subprocess.run([tool("aarch64-linux-gnu-as"), "-o", self.work / "stub.o", self.work / "stub.S"], check=True)
        subprocess.run([tool("aarch64-linux-gnu-objcopy"), "-O", "binary", self.work / "stub.o", self.work / "stub.bin"], check=True)
        self.tree = machine_tree(self.work, self.qemu)

    def boot(self, name: str, dtsi: str, ring: bytes) -> tuple[Path, dict]:
        """What the probe wrote inside."""
        blob = compile_tree(self.work, name, self.tree, dtsi, self.initrd.stat().st_size)
        memory = self.work / "ring.bin"
        memory.write_bytes(ring)
        loads = [(self.work / "stub.bin", STUB_AT), (self.kernel, KERNEL_AT), (blob, TREE_AT), (self.initrd, INITRD_AT), (memory, RING_AT)]
        command = [self.qemu, "-machine", "virt,memory-backend=ram0", "-object", "memory-backend-ram,id=ram0,size=39G,reserve=off",
                   "-m", "39G", "-cpu", "cortex-a53", "-smp", "1", "-nographic", "-nic", "none", "-no-reboot",
                   "-device", f"loader,addr={STUB_AT:#x},cpu-num=0"]
        for file, at in loads:
            command += ["-device", f"loader,file={file},addr={at:#x},force-raw=on"]
        done = subprocess.run(command, capture_output=True, timeout=400, stdin=subprocess.DEVNULL)
        console = done.stdout.decode("latin-1").replace("\r", "")
        (self.work / f"{name}.log").write_text(console)
        found = re.search(r"PROBE-BEGIN 0\n(.*?)PROBE-END", console, re.S)
        check(found, f"{name}: the probe did not end well\n{console[-1500:]}{done.stderr.decode()[-500:]}")
        document = gzip.decompress(base64.b64decode("".join(line for line in found[1].split("\n") if re.fullmatch(r"[\w+/=]+", line))))
        path = self.work / f"{name}.json"
        path.write_bytes(document)
        check(b"SECRET" not in document, f"{name}: a secret is in the document")
        return path, json.loads(document)


def total(document: dict) -> int:
    text = next(each["text"] for each in document["files"] if each["path"] == "/proc/meminfo")
    return int(re.search(r"MemTotal: +(\d+) kB", text)[1]) * 1024


def reserved(folder: Path) -> int:
    carveouts = json.loads((folder / "memory_map.json").read_text())["carveouts"]
    return sum(each["size_bytes"] for each in carveouts if "label" in each)


def run(context: Context) -> str:
    tool("dtc")
    tool("cpio")
    machine = Machine(context)
    dtsi = {}
    for name, sizes in (("default", {}), ("smaller", SMALLER)):
        words = [word for knob, size in sizes.items() for word in ("--set", f"{knob}={size}")]
        context.run("emit", "--board", BOARD, "--out", name, *words)
        dtsi[name] = next((context.work / name).glob("*.dtsi")).read_text()
    ring = probe_root.ring_entry("C7x_1", "a text that the core printed\n")
    totals = {}
    for name in ("default", "smaller"):
        path, document = machine.boot(name, dtsi[name], ring)
        totals[name] = total(document)
        same(f"{name}: who asked", document["uid"], 0)
        done = context.run("check", "--probe", path, "--map", name, "--json", expect=(0, 1))
        found = [each for each in json.loads(done.stdout)["diagnostics"] if each["severity"] == "error" or each["code"].startswith("probe")]
        same(f"{name}: findings", found, [])
        # The ring, out of memory that the kernel does not map.
        entries = next(each for each in document["files"] if each["path"] == "/dev/mem")
        same(f"{name}: the ring", [(part["at"], base64.b64decode(part["base64"])) for part in entries["parts"]], [(RING_AT, ring)])
    promised = reserved(context.work / "default") - reserved(context.work / "smaller")
    gained = totals["smaller"] - totals["default"]
    check(promised > 200 * MIB, "the smaller map is not smaller")
    check(abs(gained - promised) <= 5 * MIB + promised // 500,
          f"Linux has {gained / MIB:.1f} MiB more, memsize promised {promised / MIB:.1f}")
    # The heaps of the cores a MiB further up: Linux has their first one.
    moved = dtsi["default"].replace("c7x-ddr-heaps-hi@880000000", "c7x-ddr-heaps-hi@880100000").replace("<0x08 0x80000000 ", "<0x08 0x80100000 ")
    check(moved != dtsi["default"], "nothing was moved")
    path, _ = machine.boot("moved", moved, ring)
    done = context.run("check", "--probe", path, "--map", "default", "--json", expect=1)
    found = [each["message"] for each in json.loads(done.stdout)["diagnostics"] if each["code"] == "probe.reserved"]
    check(len(found) == 1 and "c7x-ddr-heaps-hi" in found[0] and "1 MiB of it is RAM to Linux" in found[0], f"moved: {found}")
    return f"three boots; Linux has {gained / MIB:.1f} MiB more, {promised / MIB:.1f} were promised"


if __name__ == "__main__":
    main(__doc__, run)
