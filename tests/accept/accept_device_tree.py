"""Device trees and boot images are held against the map: trees that dtc compiles of memsize's own nodes, overlays as fdtoverlay
merges them, boot images of mkimage behind certificates of openssl, as dumpimage reads them; and, where MEMSIZE_TI_IMAGES names
them, TI's own device tree and tispl.bin, by fdtget and readelf."""

import json
import os
import random
import re
import subprocess
from pathlib import Path

from firmware_files import Elf, Load, Section
from fdt import cells, parse_fdt
from support import FEW, Context, check, main, read, same, tool

BOARD = "j722s"
OVERLAYS = 20 if FEW else 50
PARENT = "/reserved-memory"
MEMORY = "reg = <0x00 0x80000000 0x00 0x80000000 0x08 0x80000000 0x01 0x80000000>;"

Reserved = dict[str, list[tuple[int | None, int]]]   # node, and for each range its base (None: Linux chooses) and size


def command(*words: object, text: str | None = None) -> str:
    done = subprocess.run([str(word) for word in words], input=text, capture_output=True, text=True, timeout=60)
    check(done.returncode == 0, f"{words[0]}: {done.stderr[-500:]}")
    return done.stdout


def compiled(source: str, target: Path, *words: str) -> Path:
    command(tool("dtc"), "-q", "-@", *words, "-I", "dts", "-O", "dtb", "-o", target, text="/dts-v1/;\n" + source)
    return target


def tree_of(nodes: str, more: str = "") -> str:
    return (f"/ {{\n#address-cells = <2>;\n#size-cells = <2>;\nmemory@80000000 {{ device_type = \"memory\"; {MEMORY} }};\n"
            f"reserved: reserved-memory {{\n#address-cells = <2>;\n#size-cells = <2>;\nranges;\n{nodes}\n}};\n{more}\n}};\n")


def checked(context: Context, *files: Path) -> dict:
    done = context.run("check", "--board", BOARD, "--images", *files, "--json", expect=(0, 1))
    return json.loads(done.stdout)


def found(document: dict, code: str) -> list[str]:
    return [each["message"] for each in document["diagnostics"] if each["code"] == code]


def no_errors(what: str, document: dict) -> None:
    same(f"{what}: findings", [each["message"] for each in document["diagnostics"] if each["severity"] != "note"], [])


def rows_of(document: dict) -> Reserved:
    rows: Reserved = {}
    for row in document["device_trees"][0]["reserved"]:
        base = int(row["base"], 16) if "base" in row else None
        rows.setdefault(row["node"], []).append((base, row["size_bytes"]))
    return {name: sorted(ranges, key=str) for name, ranges in rows.items()}


def judged_rows(blob: bytes) -> Reserved:
    """What /reserved-memory of a blob has, by a reader that shares nothing with memsize."""
    rows: Reserved = {}
    for path, node in parse_fdt(blob).items():
        if path.count("/") != 2 or not path.startswith(f"{PARENT}/") or node.get("status", b"okay\0") not in (b"okay\0", b"ok\0"):
            continue
        reg, size = cells(node.get("reg", b"")), cells(node.get("size", b""))
        ranges = [(reg[i] << 32 | reg[i + 1], reg[i + 2] << 32 | reg[i + 3]) for i in range(0, len(reg), 4)]
        rows[path.split("/")[2]] = sorted(ranges or [(None, size[0] << 32 | size[1])], key=str)
    return rows


def check_own(context: Context, nodes: str) -> int:
    """Our own nodes are fine; each of them, left out, cut short or moved, is found."""
    work = context.work
    own = compiled(tree_of(nodes), work / "own.dtb")
    document = checked(context, own)
    same("findings of our own nodes", document["diagnostics"], [])
    same("rows of our own nodes", rows_of(document), judged_rows(own.read_bytes()))
    same("whose they are", {row["by"] for row in document["device_trees"][0]["reserved"]}, {"map"})
    # As U-Boot merges them into a tree without any.
    base = compiled(tree_of(""), work / "bare.dtb")
    same("a tree without nodes", len(found(checked(context, base), "devicetree.carveout")), len(rows_of(document)))
    overlay = compiled(f"/plugin/;\n&reserved {{\n{nodes}\n}};\n", work / "apps.dtbo")
    no_errors("our nodes as an overlay", checked(context, base, overlay))
    count = 0
    for node in re.findall(r"^\t(?:\w+: )?([\w,@-]+) \{.*?^\t\};\n", nodes, re.M | re.S):
        whole = re.search(rf"^\t\w+: {re.escape(node)} \{{.*?^\t\}};\n", nodes, re.M | re.S)
        reg = re.search(r"reg = <(0x\w+) (0x\w+) (0x\w+) (0x\w+)>", whole[0])
        base_of = int(reg[1], 16) << 32 | int(reg[2], 16)
        size = int(reg[3], 16) << 32 | int(reg[4], 16)
        for what, text in (("missing", ""),
                           ("short", whole[0].replace(reg[4], f"{int(reg[4], 16) - 0x1000:#x}")),
                           ("moved", whole[0].replace(f"{reg[1]} {reg[2]}", "0x08 0xf0000000"))):
            document = checked(context, compiled(tree_of(nodes.replace(whole[0], text)), work / "wrong.dtb"))
            said = found(document, "devicetree.carveout")
            check(len(said) == 1 and f"{base_of:#x}".upper()[2:] in said[0].upper(), f"{node} {what}: {said}")
            check(what != "short" or f"{base_of + size - 0x1000:X}" in said[0], f"{node} short: {said}")
            count += 1
    return count


def random_overlay(chance: random.Random, labels: list[str], number: int) -> tuple[str, list[str]]:
    """Nodes under labels of the base and of earlier overlays, by label and by path, with references among them."""
    own = [f"own_{number}_{i}" for i in range(chance.randint(1, 3))]
    text = "/plugin/;\n"
    for i, label in enumerate(own):
        base = chance.randrange(0x880000000, 0x9F0000000, 4096)
        size = chance.randrange(0x1000, 0x8000000, 4096)
        name = f"n{chance.randrange(4)}@{base:x}" if chance.random() < 0.7 else f"n{number}-{i}"
        body = f"reg = <{base >> 32:#x} {base & 0xFFFFFFFF:#x} {size >> 32:#x} {size & 0xFFFFFFFF:#x}>;"
        if chance.random() < 0.2:
            body = f"size = <0 {size:#x}>; reusable;"
        body += f" user = <&{chance.choice(labels)} 7 &{chance.choice(own)}>;" if chance.random() < 0.7 else ""
        body += " no-map;" if chance.random() < 0.5 else ""
        target = "&reserved" if chance.random() < 0.6 else '&{/reserved-memory}'
        text += f"{target} {{\n{label}: {name} {{ {body} }};\n}};\n"
    for label in chance.sample(labels, min(len(labels), chance.randint(0, 3))):
        if label != "reserved":
            what = chance.choice(["no-map;", "status = \"disabled\";", "status = \"okay\";", "reg = <0x9 0x1000 0x0 0x2000>;"])
            text += f"&{label} {{ {what} }};\n"
    return text, own


def check_overlays(context: Context, nodes: str) -> int:
    chance = random.Random(26)
    merged = context.work / "merged.dtb"
    base = compiled(tree_of(nodes), context.work / "base.dtb")
    known = ["reserved", *re.findall(r"^\t(\w+): ", nodes, re.M)]
    done = 0
    while done < OVERLAYS:
        labels, files = list(known), []
        for i in range(chance.randint(1, 3)):
            text, own = random_overlay(chance, labels, i)
            files.append(compiled(text, context.work / f"overlay{i}.dtbo"))
            labels += own
        command(tool("fdtoverlay"), "-i", base, "-o", merged, *files)
        judged = checked(context, merged)
        document = checked(context, base, *files)
        same(f"round {done}: rows", rows_of(document), judged_rows(merged.read_bytes()))
        for part in ("reserved", "cores"):
            same(f"round {done}: {part}", sorted(map(str, document["device_trees"][0][part])),
                 sorted(map(str, judged["device_trees"][0][part])))
        same(f"round {done}: findings", sorted(each["message"] for each in document["diagnostics"]),
             sorted(each["message"] for each in judged["diagnostics"]))
        done += len(files)
    # In the wrong order an overlay lacks the label that an earlier one brings.
    first = compiled("/plugin/;\n&reserved { late: a@8f0000000 { reg = <8 0xf0000000 0 0x1000>; }; };\n", context.work / "1.dtbo")
    second = compiled("/plugin/;\n&late { no-map; };\n", context.work / "2.dtbo")
    no_errors("overlays in order", checked(context, base, first, second))
    said = found(checked(context, base, second, first), "devicetree.overlay")
    check(len(said) == 1 and "'late'" in said[0], f"overlays out of order: {said}")
    bare = context.work / "no-labels.dtb"
    command(tool("dtc"), "-q", "-I", "dts", "-O", "dtb", "-o", bare, text="/dts-v1/;\n" + tree_of(nodes))
    check("has no labels" in found(checked(context, bare, first), "devicetree.overlay")[0], "a base without labels")
    check("no device tree stands before it" in found(checked(context, first, base), "devicetree.overlay")[0], "an overlay first")
    return done


ITS = """/dts-v1/;
/ {{
	description = "boot"; #address-cells = <1>;
	images {{
		atf {{ description = "ATF"; type = "firmware"; arch = "arm64"; compression = "none"; os = "arm-trusted-firmware"; load = <{atf}>; entry = <{atf}>; data = /incbin/("atf.bin"); }};
		tee {{ description = "OP-TEE"; type = "tee"; arch = "arm64"; compression = "none"; os = "tee"; load = <0x9e800000>; entry = <0x9e800000>; data = /incbin/("tee.bin"); }};
		dm {{ description = "DM"; type = "firmware"; arch = "arm"; compression = "none"; os = "DM"; load = <0x89000000>; entry = <0x89000000>; data = /incbin/("dm.bin"); }};
		spl {{ description = "SPL"; type = "standalone"; os = "U-Boot"; arch = "arm64"; compression = "none"; load = <{spl}>; entry = <{spl}>; data = /incbin/("spl.bin"); hash {{ algo = "crc32"; }}; }};
		fdt-0 {{ description = "board"; type = "flat_dt"; arch = "arm"; compression = "none"; data = /incbin/("own.dtb"); }};
	}};
	configurations {{ default = "conf-0"; conf-0 {{ description = "board"; firmware = "atf"; loadables = "tee", "dm", "spl"; fdt = "fdt-0"; }}; }};
}};
"""


def built(context: Context, its: str, *words: str) -> Path:
    (context.work / "tispl.its").write_text(its)
    subprocess.run([tool("mkimage"), *words, "-f", "tispl.its", "tispl.bin"], cwd=context.work, check=True, capture_output=True)
    return context.work / "tispl.bin"


def check_fit(context: Context, nodes: str) -> int:
    work = context.work
    kept = ("tfa@9e780000 { reg = <0 0x9e780000 0 0x80000>; no-map; }; optee@9e800000 { reg = <0 0x9e800000 0 0x1800000>; no-map; };")
    tree = compiled(tree_of(nodes + kept), work / "with-tee.dtb")
    command(tool("openssl"), "req", "-x509", "-newkey", "rsa:4096", "-nodes", "-keyout", work / "key.pem", "-subj", "/CN=nobody",
            "-days", "9", "-outform", "DER", "-out", work / "cert.der")
    certificate = (work / "cert.der").read_bytes()
    map_document = json.loads(read(work / "map" / "memory_map.json"))
    code = next(row for row in map_document["regions"] if row["name"] == "DDR_MCU1_0")
    at = int(code["virtual"], 16)
    program = Elf([Section(".text", at, 0x4000)], [Load(at, 0x4000)]).bytes()
    stray = Elf([Section(".text", at, 0x4000)], [Load(at, code["size_bytes"] + 0x1000)]).bytes()
    for name, payload in (("atf", b"a" * 1000), ("tee", b"t" * 5000), ("spl", b"s" * 3000), ("dm", program)):
        (work / f"{name}.bin").write_bytes(certificate + payload)
    its = {"atf": "0x9e780000", "spl": "0x80080000"}
    for words in ((), ("-E",), ("-E", "-p", "0x8000")):
        image = built(context, ITS.format(**its), *words)
        document = checked(context, tree, image)
        no_errors(f"a boot image {words}", document)
        parts = document["boot_images"][0]["parts"]
        listed = command(tool("dumpimage"), "-l", image)
        same("parts", [part["name"] for part in parts], re.findall(r"^ Image \d+ \(([\w-]+)\)", listed, re.M))
        sizes = [int(size) for size in re.findall(r"Data Size: +(\d+) Bytes", listed)]
        same("sizes", [part["size_bytes"] + part["certificate_bytes"] for part in parts], sizes)
        same("certificates", [part["certificate_bytes"] for part in parts], [len(certificate)] * 4 + [0])
        same("the program", [(each["core"], each["path"].endswith("tispl.bin:dm")) for each in document["firmware"]], [("mcu1_0", True)])
    for change, code_of, words in (({"spl": "0xa2000000"}, "fit.load", "'spl' is loaded to"),
                                   ({"spl": "0x9e900000"}, "fit.load", "over 'optee@9e800000'"),
                                   # Its 3000 bytes end where the device manager begins, and a byte behind that.
                                   ({"spl": "0x88fff448"}, "", ""),
                                   ({"spl": "0x88fff449"}, "fit.load", "'spl' is loaded to [0x88FFF449, 0x89000001), over 'dm', "),
                                   ({"atf": "0x9e700000"}, "fit.load", "'atf' stays in"),
                                   ({"atf": "0xa0000000"}, "fit.load", "'atf' is loaded to"),
                                   ({"atf": "0x70000000"}, "", "")):
        said = checked(context, tree, built(context, ITS.format(**{**its, **change})))
        if code_of:
            check(any(words in message for message in found(said, code_of)), f"{change}: {said['diagnostics']}")
        else:
            no_errors(f"{change}", said)
    for payload, code_of in ((stray, "firmware.load"), (b"\x99" * 64, "fit.firmware"), (program[:100], "image.syntax")):
        (work / "dm.bin").write_bytes(certificate + payload)
        said = checked(context, tree, built(context, ITS.format(**its)))
        check(found(said, code_of), f"{code_of}: {said['diagnostics']}")
    # Cut anywhere, it is told and nothing else happens.
    whole = built(context, ITS.format(**its), "-E").read_bytes()
    cut = work / "cut.bin"
    # What stands at the end is at most three bytes of padding.
    ends = [4, 39, 40, 60, 500, len(whole) // 2, len(whole) - 4]
    for end in ends:
        cut.write_bytes(whole[:end])
        codes = {each["code"] for each in checked(context, cut)["diagnostics"]}
        check(codes and codes <= {"devicetree.syntax", "fit.syntax"}, f"cut after {end} bytes: {codes}")
    return len(ends)


def check_real_tree(context: Context, real: Path, nodes: str) -> None:
    document = checked(context, real)
    rows = rows_of(document)
    names = command(tool("fdtget"), "-l", real, PARENT).split()
    same("nodes of the real tree", sorted(rows), sorted(names))
    for name in names:
        words = command(tool("fdtget"), "-t", "x", "-d", "none", real, f"{PARENT}/{name}", "reg").split()
        if words != ["none"]:
            reg = [int(word, 16) for word in words]
            same(name, rows[name], [(reg[0] << 32 | reg[1], reg[2] << 32 | reg[3])])
    reserved = document["device_trees"][0]["reserved"]
    same("what stands for the map", [(row["base"], row["size_bytes"] >> 20) for row in reserved if row["by"] == "map"],
         [("0xA0000000", 1), ("0xA0100000", 15), ("0xA2000000", 1), ("0xA2100000", 15)])
    wrong = found(document, "devicetree.carveout")
    same("the short one", len([each for each in wrong if "15 MiB; the map has [0xA2100000, 0xA4000000), 31 MiB" in each]), 1)
    same("the missing ones", len([each for each in wrong if each.startswith("nothing reserves")]), 13 - 4)
    over = "\n".join(found(document, "devicetree.overlap"))
    same("what lies over the map", sorted(re.findall(r"^'([^']+)'", over, re.M)),
         ["c7x-dma-memory@a3000000", "c7x-memory@a3100000", "ipc-memories@a5000000"])
    check("[0xA5000000, 0xA6C00000) lies over memory of the map: IPC_VRING_MEM, TIOVX_LOG_RT_MEM" in over, over)
    note = next(each for each in document["diagnostics"] if each["code"] == "devicetree.foreign")
    same("what lies beside it", sorted(re.match(r"([^:]+):", line)[1] for line in note["details"]),
         ["c7x-dma-memory@a4000000", "c7x-memory@a4100000", "mcu-r5fss-dma-memory-region@a1000000",
          "mcu-r5fss-memory-region@a1100000", "optee@9e800000", "tfa@9e780000"])
    same("reusable", [(row["node"], row["size_bytes"] >> 20) for row in reserved if row["by"] == "reusable"], [("linux,cma", 896)])
    cores = "\n".join(found(document, "devicetree.core"))
    same("cores with other memory", sorted(set(re.findall(r"\((\w+)\)", cores))), ["c7x_1", "c7x_2"])
    same("names of images", found(document, "devicetree.firmware"), [])
    # Our nodes merged in, nothing of TI's deleted: all of the map is there, and theirs lie over it.
    overlay = compiled("/plugin/;\n&{/reserved-memory} {\n" + nodes + "\n};\n", context.work / "apps.dtbo")
    merged = context.work / "real-merged.dtb"
    command(tool("fdtoverlay"), "-i", real, "-o", merged, overlay)
    document = checked(context, real, overlay)
    same("merged", rows_of(document), judged_rows(merged.read_bytes()))
    same("carve-outs of the merged tree", found(document, "devicetree.carveout"), [])
    over = "\n".join(found(document, "devicetree.overlap"))
    same("what lies over the map then", len(re.findall(r"^'", over, re.M)), 7)


def check_real(context: Context, nodes: str) -> str:
    folder = os.environ.get("MEMSIZE_TI_IMAGES")
    if not folder:
        return "no real files (MEMSIZE_TI_IMAGES)"
    check_real_tree(context, Path(folder) / "k3-j722s-evm.dtb", nodes)
    # A kernel booted with this one.
    no_errors("a tree that was booted with", checked(context, Path(folder) / "j722s-qemu.dtb"))
    image, firmware = Path(folder) / "j721e-tispl.bin", Path(folder) / "j721e-wdg_app_mcu1_0_strip.xer5f"
    done = context.run("check", "--board", "j721e", "--images", image, "--json", expect=(0, 1))
    document = json.loads(done.stdout)
    parts = {part["name"]: part for part in document["boot_images"][0]["parts"]}
    same("parts", list(parts), ["atf", "tee", "dm", "spl", "fdt-0", "fdt-1"])
    same("loads", [parts[name].get("load") for name in ("atf", "tee", "dm", "spl")], ["0x70000000", "0x9E800000", "0x89000000", "0x80080000"])
    same("the certificate in front", parts["dm"]["certificate_bytes"], 0x690)
    same("the program's size", parts["dm"]["size_bytes"], firmware.stat().st_size)
    same("load addresses", found(document, "fit.load"), [])
    program = document["firmware"][0]
    same("the program's core", program["core"], "mcu1_0")
    # The same by itself: what readelf says of its segments is what Linux' rules are held against.
    done = context.run("check", "--board", "j721e", "--images", firmware, "--json", expect=(0, 1))
    alone = json.loads(done.stdout)
    same("the program by itself", {**alone["firmware"][0], "path": ""}, {**program, "path": ""})
    loads = [(int(match[1], 16), int(match[2], 16)) for match in
             re.finditer(r"LOAD +0x\w+ 0x\w+ (0x\w+) 0x\w+ (0x\w+)", command(tool("readelf"), "-lW", firmware))]
    block = [(at, size) for at, size in loads if 0xA0000000 <= at < 0xA1000000]
    same("segments in mcu1_0's block", len(block), len([at for at, _ in loads if at >= 0x42000000]))
    check(any(at == 0xA0400000 for at, _ in block), f"segments: {block}")
    refused = {int(match[1], 16) for message in found(document, "firmware.load") for match in [re.search(r"da (0x\w+)", message)] if match}
    check(not refused & {at for at, _ in block}, f"refused: {refused}")
    # Everything cut short is told.
    whole = image.read_bytes()
    cut = context.work / "cut.bin"
    for end in (3, 4, 40, 100, len(whole) // 2, len(whole) - 1):
        cut.write_bytes(whole[:end])
        codes = {each["code"] for each in checked(context, cut)["diagnostics"]}
        check(codes and codes <= {"devicetree.syntax", "image.syntax"}, f"cut after {end} bytes: {codes}")
    return "TI's device tree and tispl.bin have their figures"


def run(context: Context) -> str:
    for name in ("dtc", "fdtoverlay", "fdtget", "mkimage", "dumpimage", "openssl", "readelf"):
        tool(name)
    context.run("emit", "--board", BOARD, "--only", "dts,map-json", "--out", "map")
    nodes = read(context.work / "map" / "k3-j722s-rtos-memory-map.dtsi")
    wrong = check_own(context, nodes)
    overlays = check_overlays(context, nodes)
    cut = check_fit(context, nodes)
    return f"{wrong} wrong trees, {overlays} random overlays, boot images ({cut} cut ones), {check_real(context, nodes)}"


if __name__ == "__main__":
    main(__doc__, run)
