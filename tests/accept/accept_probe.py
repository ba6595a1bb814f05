"""memsize-probe on made-up boards: natively, and its static AArch64 twin under QEMU, which write the same. What is in its document
is held against sha256sum and against the files themselves; hostile roots neither stop nor hang it. Then the host reads it: the
probe of a board that runs a map is right, and each thing that differs is found."""

import base64
import hashlib
import json
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import time
from pathlib import Path

import probe_root
from firmware_files import Elf, Load, Section
from probe_root import POOL, Carveout, Root
from support import SOURCE, TRACE, Context, check, main, same

BOARD = "j722s"
# What Linux calls the cores of the board, and the nodes of their memory.
CORES = {"78400000.r5f": ("vision_apps_main_r5fss0_core0_dma_memory_region", "vision_apps_main_r5fss0_core0_memory_region"),
         "7e000000.dsp": ("vision_apps_c71_0_dma_memory_region", "vision_apps_c71_0_memory_region"),
         "7e200000.dsp": ("vision_apps_c71_1_dma_memory_region", "vision_apps_c71_1_memory_region")}
OTHERS = [(0x9E780000, 0x80000), (0x9E800000, 0x1800000)]
BANKS = [(0x80000000, 0x100000000), (0x880000000, 0xA00000000)]
BUFFERS = [(3, 786432, POOL), (1, 262144, POOL), (2, 524288, "system"), (9, 4096, "linux,cma")]


def carveouts_of(document: dict) -> list[Carveout]:
    return [Carveout(each["label"], each["node"] + (f"@{int(each['physical'], 16):x}" if each["unit_address"] else ""),
                     int(each["physical"], 16), each["size_bytes"], each["no_map"], each["members"])
            for each in document["carveouts"] if "label" in each]


def firmware(base: int, size: int) -> bytes:
    """For the second R5F: code at the start of its region."""
    return Elf([Section(".text", base, size)], [Load(base, size)]).bytes()


def good_root(folder: Path, carveouts: list[Carveout], image: bytes) -> Root:
    """A board that runs the map."""
    root = Root(folder)
    by_kind = {kind: [(each.base, each.size) for each in carveouts if each.no_map is kind] for kind in (True, False)}
    root.write("/proc/iomem", probe_root.iomem(by_kind[True] + OTHERS, by_kind[False], BANKS))
    root.write("/proc/meminfo", "MemTotal:        6793224 kB\nMemFree:         6500000 kB\nCmaTotal:         524288 kB\n")
    extra = {f"{name}@{base:x}": {"reg": probe_root.cells(base, size), "no-map": b""}
             for name, (base, size) in zip(("tfa", "optee"), OTHERS)}
    root.write("/sys/firmware/fdt", probe_root.fdt(probe_root.tree_of(carveouts, CORES, extra)))
    for number, (name, fw) in enumerate((("7e200000.dsp", "j722s-c71_1-fw"), ("78400000.r5f", "j722s-main-r5f0_0-fw"),
                                         ("7e000000.dsp", "j722s-c71_0-fw"))):
        root.core(number, name, "running", fw)
        root.write(f"/sys/kernel/debug/remoteproc/remoteproc{number}/trace0", "")
        root.write(f"/sys/kernel/debug/remoteproc/remoteproc{number}/resource_table", "No resource table found\n")
    root.write("/lib/firmware/vision_apps_evm/vx_app_rtos_linux_mcu2_0.out", image)
    root.write("/lib/firmware/vision_apps_evm/vx_app_rtos_linux_c7x_1.out", b"no ELF")
    root.write("/lib/firmware/vision_apps_evm/vx_app_rtos_linux_c7x_2.out", b"no ELF")
    # One absolute link by way of alternatives, one relative.
    root.link("/lib/firmware/j722s-main-r5f0_0-fw", "/etc/alternatives/r5f-fw")
    root.link("/etc/alternatives/r5f-fw", "../../lib/firmware/vision_apps_evm/vx_app_rtos_linux_mcu2_0.out")
    root.link("/lib/firmware/j722s-c71_0-fw", "vision_apps_evm/vx_app_rtos_linux_c7x_1.out")
    root.link("/lib/firmware/j722s-c71_1-fw", "vision_apps_evm/vx_app_rtos_linux_c7x_2.out")
    root.write("/sys/kernel/debug/dma_buf/bufinfo", probe_root.bufinfo(BUFFERS))
    root.write(f"/dev/dma_heap/{POOL}", b"")
    return root


class Probes:
    """The program, and its twin where there is one."""

    def __init__(self, context: Context) -> None:
        self.work = context.work
        build = context.memsize.resolve().parent
        self.commands = [[str(build / "memsize-probe")]]
        twin = build / "memsize-probe-aarch64"
        runner = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
        if twin.exists() and runner:
            self.commands.append([runner, str(twin)])
        check(os.access(self.commands[0][0], os.X_OK), "there is no memsize-probe beside memsize")

    def run(self, root: Path, *words: str, status: int = 0) -> dict:
        """The document, which both write alike but for the kernel and the time."""
        documents = []
        for command in self.commands:
            out = self.work / "probe.json"
            done = subprocess.run([*command, "--root", str(root), "-o", str(out), *words], capture_output=True, text=True, timeout=60)
            same(f"{' '.join(words)}: status, {done.stderr[-300:]}", done.returncode, status)
            document = json.loads(out.read_bytes())
            for member in ("time", "uname"):
                check(document.pop(member, ""), f"no {member}")
            document["watch"].pop("seconds")
            for sample in document["samples"]:
                sample.pop("t")
            documents.append(document)
        same("the AArch64 twin's document", documents[-1], documents[0])
        return documents[0]


def files_of(document: dict) -> dict[str, dict]:
    return {each["path"]: each for each in document["files"]}


def check_document(context: Context, probes: Probes, carveouts: list[Carveout], image: bytes) -> None:
    root = good_root(context.work / "board", carveouts, image)
    (root.folder / "proc/cmdline").write_text("root=/dev/SECRET-4711\n")
    document = probes.run(root.folder)
    files = files_of(document)
    same("/proc/iomem", files["/proc/iomem"]["text"], (root.folder / "proc/iomem").read_text())
    # Everything of the tree but what tells one board from another.
    tree = (root.folder / "sys/firmware/fdt").read_bytes()
    mine = base64.b64decode(files["/sys/firmware/fdt"]["base64"])
    same("the tree", mine, tree.replace(b"SECRET-4711", b"\0" * 11).replace(b"root=/dev/", b"\0" * 10))
    same("what was left out", sorted(files["/sys/firmware/fdt"]["zeroed"]), ["bootargs", "serial-number"])
    whole = (context.work / "probe.json").read_bytes()
    check(b"SECRET" not in whole and b"cmdline" not in whole, "a secret is in the document")
    check(socket.gethostname().encode() not in json.dumps(json.loads(whole)["uname"]).encode() or len(socket.gethostname()) < 4,
          "the host's name is in the document")
    entry = files["/lib/firmware/j722s-main-r5f0_0-fw"]
    same("links", entry["link"], ["/etc/alternatives/r5f-fw", "../../lib/firmware/vision_apps_evm/vx_app_rtos_linux_mcu2_0.out"])
    same("size", entry["size"], len(image))
    for part in entry["parts"]:
        same("a part", base64.b64decode(part["base64"]), image[part["at"]:part["at"] + len(base64.b64decode(part["base64"]))])
    check(sum(len(part["base64"]) for part in entry["parts"]) < 2000, "parts are as large as the file")
    said = subprocess.run(["sha256sum", root.folder / "lib/firmware/vision_apps_evm/vx_app_rtos_linux_mcu2_0.out"],
                          capture_output=True, text=True, check=True).stdout.split()[0]
    same("hash", entry["sha256"], said)
    same("samples", document["samples"], [{"dmabuf": [[POOL, 2, 1048576, 786432], ["linux,cma", 1, 4096, 4096],
                                                      ["system", 1, 524288, 524288]]}])
    same("the list of heaps", files["/dev/dma_heap"]["entries"], [POOL])
    same("what is missing", files["/sys/kernel/debug/remoteproc/remoteproc0/carveout_memories"]["error"], "ENOENT")
    short = probes.run(root.folder, "--no-firmware")
    check(not any(path.startswith("/lib/firmware") for path in files_of(short)), "--no-firmware has firmware")


def check_hashes(context: Context, probes: Probes) -> None:
    chance = random.Random(4)
    root = Root(context.work / "hashes")
    for size in [0, 1, 55, 56, 63, 64, 65, 119, 120, 127, 128, 65535, 65536, 70001]:
        root.write(f"/lib/firmware/{size}-fw", chance.randbytes(size))
    for path, entry in files_of(probes.run(root.folder)).items():
        if path.endswith("-fw"):
            same(path, entry["sha256"], hashlib.sha256((root.folder / path[1:]).read_bytes()).hexdigest())


def check_open_files(context: Context, probes: Probes) -> None:
    """Without debugfs: buffers that several processes share count once."""
    root = Root(context.work / "shared")
    root.process(12, [(4, 3, 786432, POOL), (5, 3, 786432, POOL), (6, 1, 262144, POOL)])
    root.process(345, [(7, 3, 786432, POOL), (8, 11, 524288, "system")])
    document = probes.run(root.folder)
    same("source", document["watch"]["source"], "fdinfo")
    same("samples", document["samples"], [{"dmabuf": [[POOL, 2, 1048576, 786432], ["system", 1, 524288, 524288]]}])
    # A list of another kernel's form, and one whose sum is wrong, are not believed.
    for text in ("Dma-buf Objects:\nsize\tflags\tmode\tcount\texp_name\n\tdrm\t4096\n\nTotal 1 objects, 4096 bytes\n",
                 probe_root.bufinfo(BUFFERS).replace("Total 4 objects, 1576960", "Total 4 objects, 1576961")):
        root.write("/sys/kernel/debug/dma_buf/bufinfo", text)
        same("source", probes.run(root.folder)["watch"]["source"], "fdinfo")


def check_watch(context: Context, probes: Probes) -> None:
    """A peak of a quarter of a second is seen, Ctrl-C keeps what is there, and nothing that is the same is written twice."""
    root = Root(context.work / "watched")
    list_file = root.write("/sys/kernel/debug/dma_buf/bufinfo", probe_root.bufinfo(BUFFERS[:1]))
    for command in probes.commands:
        out = context.work / "watched.json"
        out.write_text("what was there before")
        running = subprocess.Popen([*command, "--root", str(root.folder), "-o", str(out), "--watch", "3600", "--every", "20"])
        time.sleep(1)
        beside = root.folder / "next"
        for buffers in (BUFFERS, BUFFERS[:2]):
            beside.write_text(probe_root.bufinfo(buffers))
            beside.rename(list_file)
            time.sleep(0.5)
        same("before the end", out.read_text(), "what was there before")
        running.send_signal(signal.SIGINT)
        same("status", running.wait(timeout=20), 0)
        document = json.loads(out.read_bytes())
        seen = [{name: (count, size) for name, count, size, _ in sample["dmabuf"]} for sample in document["samples"]]
        check({POOL: (2, 1048576), "system": (1, 524288), "linux,cma": (1, 4096)} in seen, f"the peak is not in {seen}")
        check(3 <= len(seen) <= 5 and document["watch"]["taken"] > 20, f"{len(seen)} of {document['watch']}")
        same("why it ended", document["watch"]["ended"], "signal")
        list_file.write_text(probe_root.bufinfo(BUFFERS[:1]))
    same("left beside", [each.name for each in context.work.glob("*.new")], [])


def check_hostile(context: Context, probes: Probes) -> None:
    root = Root(context.work / "hostile")
    os.makedirs(root.folder / "proc")
    os.mkfifo(root.folder / "proc/iomem")
    root.link("/proc/meminfo", "/proc/meminfo")
    root.write("/sys/firmware/fdt", b"\xd0\x0d\xfe\xed" + b"\xff" * 60)
    strange = b"a\"b\\c\nd\xe9\xff-fw"
    os.makedirs(root.folder / "lib/firmware")
    Path(os.fsdecode(os.fsencode(root.folder) + b"/lib/firmware/" + strange)).write_bytes(b"x")
    with open(root.folder / "lib/firmware/huge-fw", "wb") as huge:
        huge.truncate(1 << 40)
    os.mkfifo(root.folder / "lib/firmware/pipe-fw")
    root.link("/lib/firmware/out-fw", "/../../../../../../etc/hostname")
    root.link("/lib/firmware/loop-fw", "loop2-fw")
    root.link("/lib/firmware/loop2-fw", "loop-fw")
    os.mkdir(root.folder / "lib/firmware/folder-fw")
    # Tables that lie behind the end, and overlap everything.
    elf = bytearray(Elf([Section(".text", 0x1000, 64, content=b"\0" * 64)], [Load(0x1000, 64)]).bytes())
    struct.pack_into("<I", elf, 32, 0xFFFFFFF0)
    root.write("/lib/firmware/lying-fw", bytes(elf))
    root.write("/lib/firmware/short-fw", b"\x7fELF\1\1\1")
    with open(root.folder / "proc/big", "wb") as big:
        big.truncate(1 << 30)
    root.link("/sys/kernel/debug/dma_buf/bufinfo", "/proc/big")
    for number in range(300):
        root.core(number, f"{number}.r5f", "running", "../../../etc/passwd")
    files = files_of(probes.run(root.folder))
    firmware_file = "/lib/firmware/"
    same("errors", {path: files[path].get("error") for path in (
        "/proc/iomem", "/proc/meminfo", "/sys/firmware/fdt", firmware_file + "huge-fw", firmware_file + "pipe-fw",
        firmware_file + "out-fw", firmware_file + "loop-fw", firmware_file + "folder-fw")},
         {"/proc/iomem": "ESPIPE", "/proc/meminfo": "ELOOP", "/sys/firmware/fdt": "EBADMSG", firmware_file + "huge-fw": "EFBIG",
          firmware_file + "pipe-fw": "ESPIPE", firmware_file + "out-fw": "ENOENT", firmware_file + "loop-fw": "ELOOP",
          firmware_file + "folder-fw": "EISDIR"})
    check(firmware_file + strange.decode("latin-1") in files, "a strange name is lost")
    check(not any("passwd" in path for path in files), "it left /lib/firmware")
    check(os.path.getsize(context.work / "probe.json") < 1 << 20, "the document is large")
    # It is a document that the host reads, and says what is missing.
    done = context.run("check", "--probe", "probe.json", "--board", BOARD, expect=1)
    check("probe.access" in done.stderr, done.stderr)


def check_usage(context: Context, probes: Probes) -> None:
    command = probes.commands[0]
    for words, status in ((["--help"], 0), (["--version"], 0), (["--nothing"], 2), (["--watch", "0"], 2), (["--watch"], 2),
                          (["--every", "9"], 2), (["-o"], 2), (["--root", "/nowhere"], 2),
                          (["-o", "/nowhere/probe.json"], 4), (["-o", "/dev/full"], 4)):
        done = subprocess.run([*command, *words], capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL)
        same(" ".join(words), done.returncode, status)
        check(done.stderr if status else done.stdout, f"{words}: nothing is said")
    check(Path("/dev/full").is_char_device(), "/dev/full was renamed over")


# Says that a file of SIZE bytes is longer: what is read behind its end is answered with a bus error, as memory behind a
# firewall is.
FIREWALL = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/stat.h>
int fstat(int file, struct stat* is) {
  const int status = ((int (*)(int, struct stat*))dlsym(RTLD_NEXT, "fstat"))(file, is);
  is->st_size += status == 0 && is->st_size == SIZE ? 1 << 20 : 0;
  return status;
}
"""


def check_firewall(context: Context, probes: Probes, carveouts: list[Carveout]) -> None:
    """Memory that the bus refuses ends the search, not the program."""
    root = Root(context.work / "firewall")
    shared = next(each for each in carveouts if each.label == "vision_apps_memory_region")
    node = f"/proc/device-tree/reserved-memory/{shared.node}"
    root.write(node + "/reg", probe_root.cells(shared.base, shared.size))
    root.write(node + "/no-map", b"")
    root.write(node + "/compatible", b"shared-dma-pool\0")
    os.truncate(root.write("/dev/mem", b""), shared.base + 0x4000)
    source, library, out = (context.work / name for name in ("firewall.c", "firewall.so", "refused.json"))
    source.write_text(FIREWALL)
    subprocess.run(["cc", "-shared", "-fPIC", f"-DSIZE={shared.base + 0x4000}", "-o", library, source], check=True)
    done = subprocess.run([*probes.commands[0], "--root", root.folder, "-o", out, "--log"], capture_output=True, text=True,
                          timeout=60, env={**os.environ, "LD_PRELOAD": str(library), "ASAN_OPTIONS": "verify_asan_link_order=0"})
    same(f"status behind a firewall, {done.stderr[-300:]}", done.returncode, 0)
    memory = files_of(json.loads(out.read_bytes()))["/dev/mem"]
    same("memory that is refused", (memory["parts"], memory["error"]), ([], "EFAULT"))


def check_log(context: Context, probes: Probes, carveouts: list[Carveout]) -> None:
    """What a core prints, out of made-up memory: its table is that of the log."""
    root = Root(context.work / "ring")
    shared = next(each for each in carveouts if each.label == "vision_apps_memory_region")
    node = f"/proc/device-tree/reserved-memory/{shared.node}"
    root.write(node + "/reg", probe_root.cells(shared.base, shared.size))
    root.write(node + "/no-map", b"")
    root.write(node + "/compatible", b"shared-dma-pool\0")
    # Memory of the secure world is not looked at.
    root.write("/proc/device-tree/reserved-memory/optee@9e800000/reg", probe_root.cells(0x9E800000, 0x1800000))
    root.write("/proc/device-tree/reserved-memory/optee@9e800000/no-map", b"")
    log = TRACE.read_text()
    lines = [line.split("]", 1)[1].lstrip() for line in log.splitlines() if line.startswith("[C7x_2")]
    memory = root.write("/dev/mem", b"")
    with open(memory, "r+b") as file:
        file.truncate(shared.base + shared.size)
        file.seek(0x9E800000)
        file.write(probe_root.ring_entry("SECRET", "secret\n"))
        file.seek(shared.base + 0x4000)
        file.write(probe_root.ring_entry("C7x_2", "\n".join(lines) + "\n"))
        file.seek(shared.base + 0x8000)
        file.write(probe_root.ring_entry("MCU2_0", "the end\n", lap="the lap before\n"))
    document = probes.run(root.folder, "--log")
    same("entries", [part["at"] - shared.base for part in files_of(document)["/dev/mem"]["parts"]], [0x4000, 0x8000])
    plain = json.loads(context.run("analyze", TRACE, "--board", BOARD, "--json", expect=(0, 1)).stdout)
    mine = json.loads(context.run("analyze", "probe.json", "--board", BOARD, "--json", expect=(0, 1)).stdout)
    same("the reader", mine["inputs"][0]["format"], "memsize-probe")

    def figures(sizing: dict) -> list:
        return [(core["core"], [(each["space"], each["lifetime"], each["requested_bytes"], each["suggested_bytes"])
                                for each in core["demands"]]) for core in sizing["cores"]]

    check(figures(plain), "the trace sizes nothing")
    same("demands", figures(mine), figures(plain))
    # Statistics that somebody took along.
    stats = context.work / "stats.txt"
    stats.write_text(log)
    probes.run(good_root(context.work / "added", carveouts, b"none").folder, "--add", str(stats))
    mine = json.loads(context.run("analyze", "probe.json", "--board", BOARD, "--json", expect=(0, 1)).stdout)
    same("demands of a file that was added", figures(mine), figures(plain))
    # Nothing that is a log: what is there is told.
    probes.run(good_root(context.work / "silent", carveouts, b"none").folder)
    done = context.run("analyze", "probe.json", "--board", BOARD, expect=1)
    check("the kernel's map of memory" in done.stderr and "3 remote cores" in done.stderr, done.stderr)


def check_found(context: Context, probes: Probes, carveouts: list[Carveout], image: bytes) -> int:
    """One thing at a time is not as the map has it."""
    count = 0

    def verdict(name: str, change, *words: object) -> list[tuple[str, str]]:
        nonlocal count
        count += 1
        folder = context.work / f"case-{name}"
        change(good_root(folder, carveouts, image))
        probes.run(folder)
        done = context.run("check", "--probe", "probe.json", "--board", BOARD, *words, "--json", expect=(0, 1))
        found = json.loads(done.stdout)["diagnostics"]
        return [(each["severity"], each["code"], each["message"]) for each in found if each["severity"] != "note"]

    def expect(name: str, change, code: str, *parts: str, words: tuple = (), only: bool = True) -> None:
        found = verdict(name, change, *words)
        hits = [each for each in found if each[1] == code and all(part in each[2] for part in parts)]
        check(hits, f"{name}: no {code} with {parts} in {found}")
        check(not only or len(found) == len(hits), f"{name}: more than {code}: {found}")

    def edit(path: str, old: str, new: str):
        def change(root: Root) -> None:
            text = (root.folder / path[1:]).read_text()
            check(old in text, f"{path} has no {old}")
            root.write(path, text.replace(old, new))
        return change

    same("a board that runs the map", verdict("good", lambda root: None), [])
    built = context.work / "built.out"
    built.write_bytes(image)
    same("with the image that it runs", verdict("hash", lambda root: None, "--images", built), [])
    built.write_bytes(firmware(next(each.base for each in carveouts if each.label == CORES["78400000.r5f"][1]) + 0x100000, 0x9000))
    expect("other-hash", lambda root: None, "probe.firmware", "no firmware of the board", words=("--images", built))
    heaps = next(each for each in carveouts if each.label == "c7x_ddr_heaps_hi")
    iomem_lines = probe_root.iomem([(each.base, each.size) for each in carveouts if each.no_map and each is not heaps] + OTHERS,
                                   [(each.base, each.size) for each in carveouts if not each.no_map], BANKS)
    expect("ram", lambda root: root.write("/proc/iomem", iomem_lines), "probe.reserved", heaps.node.split("@")[0], "is RAM to Linux")
    pool = next(each for each in carveouts if not each.no_map)
    expect("pool", edit("/proc/iomem", f"  {pool.base:08x}-{pool.base + pool.size - 1:08x} : reserved",
                        f"  {pool.base:08x}-{pool.base + pool.size // 2 - 1:08x} : reserved"), "probe.reserved", pool.node)
    expect("foreign", edit("/proc/iomem", "80000000-9e77ffff : System RAM",
                           "80000000-80ffffff : reserved\n81000000-9e77ffff : System RAM"), "probe.foreign", "16 MiB at [0x80000000")
    zeros = "00000000-00000000 : System RAM\n  00000000-00000000 : reserved\n"
    expect("not-root", lambda root: root.write("/proc/iomem", zeros), "probe.access", "each address in it is 0")
    expect("offline", edit("/sys/class/remoteproc/remoteproc2/state", "running", "offline"), "probe.core", "7e000000.dsp", "offline")
    expect("crashed", edit("/sys/class/remoteproc/remoteproc0/state", "running", "crashed"), "probe.core", "has crashed")
    expect("dangling", lambda root: (root.folder / "lib/firmware/vision_apps_evm/vx_app_rtos_linux_c7x_2.out").unlink(),
           "probe.firmware", "j722s-c71_1-fw -> vision_apps_evm/vx_app_rtos_linux_c7x_2.out (ENOENT)")
    text = next(each.base for each in carveouts if each.label == CORES["78400000.r5f"][1]) + 0x100000

    def elsewhere(root: Root) -> None:
        root.write("/lib/firmware/vision_apps_evm/vx_app_rtos_linux_mcu2_0.out",
                   Elf([Section(".text", text, 0x8000)], [Load(text, 0x8000), Load(heaps.base & 0xFFFFFFFF, 0x8000)]).bytes())
    expect("segment", elsewhere, "firmware.load", "bad phdr")
    return count


def run(context: Context) -> str:
    probes = Probes(context)
    context.run("emit", "--board", BOARD, "--out", "out")
    carveouts = carveouts_of(json.loads((context.work / "out/memory_map.json").read_text()))
    code = next(each for each in carveouts if each.label == CORES["78400000.r5f"][1])
    image = firmware(code.base + 0x100000, 0x8000)
    check_document(context, probes, carveouts, image)
    check_hashes(context, probes)
    check_open_files(context, probes)
    check_watch(context, probes)
    check_hostile(context, probes)
    check_usage(context, probes)
    check_log(context, probes, carveouts)
    check_firewall(context, probes, carveouts)
    count = check_found(context, probes, carveouts, image)
    schema = json.loads((SOURCE / "samples/schema/probe-1.json").read_text())
    try:
        from jsonschema import Draft202012Validator
    except ImportError:
        schema = None
    if schema:
        Draft202012Validator.check_schema(schema)
        for folder in ("board", "hostile", "shared", "ring", "hashes"):
            probes.run(context.work / folder, "--log")
            errors = list(Draft202012Validator(schema).iter_errors(json.loads((context.work / "probe.json").read_bytes())))
            same(f"{folder}: against its schema", [error.message[:200] for error in errors], [])
    twins = "native and under QEMU" if len(probes.commands) == 2 else "native; without its AArch64 twin"
    return f"the probe, {twins}; {count} boards against a map"


if __name__ == "__main__":
    main(__doc__, run)
