"""Consumers beside the SDK read a map of every board: U-Boot runs its script and the device tree is what dtc makes of the
emitted nodes, dtc takes the overlays for Zephyr, g++ and clang++ the C++ header with assertions made of memory_map.json,
Python's csv module the table. There is no armlink: scatter files are read by the grammar of its manual, written once more
here. A changed number in any of them is found. U-Boot changes TI's own tree, too, where
MEMSIZE_TI_IMAGES names it."""

import csv
import fnmatch
import io
import os
import random
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from accept_gnu_ld import FACTS
from compare import dtsi_path
from fdt import Tree, cells, parse_fdt, strings_of
from support import FEW, SOURCE, Context, check, fail, files_of, main, number, parse_json, read, read_json, same, same_keys, tool
from uboot import Case, needed, run_uboot

EMITTERS = ("scatter", "zephyr", "uboot", "cxx-header", "csv")
FILES = ("scatter.sct", "memory.overlay", "reserved_memory.cmd", "memory_map.hpp", "memory_map.csv")
CXX_FLAGS = ("-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only")
PARENT = "/reserved-memory"
# Notes as somebody else might write them, and what is a word of C++ as the name of a region.
NOTES = ("=HYPERLINK(\\\"http://x\\\",\\\"y\\\")", "@SUM(1)", "-1+1", "+1", "*/ #error x /*", "\\n} garbage {\\n", "; } ; fdt rm / ; '",
         "// \\\\", "a,\\\"b\\\",c", "$(reset) `reset` ${x}")
RENAMED = {"APP_LOG_MEM": "new", "DDR_SHARED_MEM": "new_", "APP_FILEIO_MEM": "bus"}


@dataclass
class Map:
    """What was emitted for a board, and its memory_map.json."""
    board: str
    out: Path
    document: dict[str, Any]

    def cores(self) -> list[str]:
        return sorted({core for region in self.document["regions"] for core in region["cores"]})

    def seen(self, core: str) -> dict[str, dict[str, Any]]:
        return {region["name"]: region for region in self.document["regions"] if core in region["cores"]}

    def labelled(self) -> list[dict[str, Any]]:
        return [item for item in self.document["carveouts"] if "label" in item]


def emitted(context: Context, name: str, board: str | Path) -> Map:
    out = context.work / name
    context.run("emit", "--board", board, "--only", ",".join((*EMITTERS, "map-json", "dts")), "--out", out)
    return Map(name, out, read_json(out / "memory_map.json"))


# --- armlink's grammar ---------------------------------------------------------------------------------

@dataclass
class Execution:
    name: str
    base: int
    size: int
    attributes: set[str]
    # Patterns of sections, and "+RO".
    selectors: list[str] = field(default_factory=list)


@dataclass
class Load:
    name: str
    base: int
    size: int
    regions: list[Execution] = field(default_factory=list)


class Scatter:
    """Arm Compiler for Embedded Reference Guide, "Scatter file syntax": load regions with execution regions, which have
    input section descriptions."""

    ATTRIBUTES = {"ABSOLUTE", "FIXED", "NOCOMPRESS", "OVERLAY", "PI", "PROTECTED", "UNINIT", "ZEROPAD"}

    def __init__(self, what: str, text: str) -> None:
        self.what = what
        self.words = re.findall(r"[{}(),]|[^\s{}(),]+", re.sub(r";[^\n]*", " ", text))
        self.at = 0

    def peek(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def take(self, pattern: str) -> str:
        word = self.peek()
        check(re.fullmatch(pattern, word), f"{self.what}: '{word}' instead of {pattern}")
        self.at += 1
        return word

    def head(self) -> tuple[str, int, int, set[str]]:
        name, base = self.take(r"[A-Za-z_]\w*"), number(self.take(r"0x[0-9A-Fa-f]+"))
        attributes, size = set(), None
        while self.peek() != "{":
            if self.peek() == "EMPTY":
                attributes.add(self.take("EMPTY"))
                size = number(self.take(r"-?0x[0-9A-Fa-f]+"))
            elif self.peek() in self.ATTRIBUTES:
                attributes.add(self.take(r"\w+"))
            else:
                check(size is None, f"{self.what}: {name} has two sizes")
                size = number(self.take(r"0x[0-9A-Fa-f]+"))
        if size is None:
            fail(f"{self.what}: {name} has no size")
        # An empty region of a negative length ends at its base.
        return (name, base + size, -size, attributes) if size < 0 else (name, base, size, attributes)

    def execution(self) -> Execution:
        region = Execution(*self.head())
        self.take(r"\{")
        while self.peek() != "}":
            self.take(r"\*|\.ANY\d*")
            self.take(r"\(")
            while True:
                region.selectors.append(self.take(r"\+(?:RO|RW|ZI|FIRST|LAST)|[\w.*?$]+"))
                if self.peek() != ",":
                    break
                self.take(",")
            self.take(r"\)")
        self.take(r"\}")
        return region

    def loads(self) -> list[Load]:
        found = []
        while self.peek():
            name, base, size, attributes = self.head()
            check(not attributes, f"{self.what}: load region with {attributes}")
            load = Load(name, base, size)
            self.take(r"\{")
            while self.peek() != "}":
                load.regions.append(self.execution())
            self.take(r"\}")
            check(load.regions, f"{self.what}: {name} has no execution region")
            found.append(load)
        return found


def apart(what: str, ranges: list[tuple[int, int, str]]) -> None:
    ranges.sort()
    for one, other in zip(ranges, ranges[1:]):
        check(one[0] + one[1] <= other[0], f"{what}: {one[2]} runs into {other[2]}")


def check_scatter(of: Map, core: str) -> int:
    what = f"{of.board} {core} scatter"
    loads = Scatter(what, read(of.out / core / "scatter.sct")).loads()
    names = [load.name for load in loads] + [region.name for load in loads for region in load.regions]
    same(f"{what}: names", len(names), len(set(names)))
    regions = {region.name: region for load in loads for region in load.regions}
    stack = regions.pop("ARM_LIB_STACK", None)
    seen = of.seen(core)
    same_keys(what, regions, seen)
    for name, region in regions.items():
        wanted = seen[name]
        same(f"{what}: {name}", (region.base, region.size), (number(wanted["virtual"]), wanted["size_bytes"]))
        check(bool(region.selectors) != ("EMPTY" in region.attributes), f"{what}: {name}: {region}")
    apart(what, [(region.base, region.size, region.name) for region in regions.values()])
    code = [region for region in regions.values() if "+RO" in region.selectors]
    same(f"{what}: regions of code", len(code), 1)
    if stack:
        same(f"{what}: end of the stack", stack.base + stack.size, code[0].base + code[0].size)
    for load in loads:
        # What is in the image is where it runs: nothing has to be copied before main().
        first = load.regions[0]
        same(f"{what}: {load.name}", (load.base, load.size), (first.base, first.size))
        for region in load.regions[1:]:
            check(region.attributes & {"UNINIT", "EMPTY"}, f"{what}: {region.name} would be loaded to {load.name}")
    # A section comes to one region, whichever way it is spelled.
    for section, region_name in FACTS.items():
        for spelled in (section, section.replace(":", "."), f"{section}.x"):
            hits = [name for name, region in regions.items()
                    if any(fnmatch.fnmatchcase(spelled, each) for each in region.selectors)]
            check(len(hits) <= 1, f"{what}: {spelled} comes to {hits}")
            wanted_name = RENAMED.get(region_name, region_name) if of.board == "hostile" else region_name
            if "~" not in region_name and hits:
                same(f"{what}: {spelled}", hits, [wanted_name])
            # Every core of the boards has these for an array of its own.
            check(hits or section != ".bss:app_log_mem" or wanted_name not in regions, f"{what}: {spelled} comes nowhere")
    return len(regions)


# --- Zephyr --------------------------------------------------------------------------------------------

ATTRIBUTES = {"non-cached": 1 << 8, "write-through": 1, "cached": 1}


def check_overlay(context: Context, of: Map, core: str) -> int:
    """The same with a base of one cell and of two; Zephyr puts an overlay behind its board's tree."""
    what = f"{of.board} {core} overlay"
    trees = []
    for root in (1, 2):
        dts, dtb = context.work / "zephyr.dts", context.work / "zephyr.dtb"
        dts.write_text(f"/dts-v1/;\n/ {{\n#address-cells = <{root}>;\n#size-cells = <{root}>;\nsoc {{ }};\n}};\n"
                       + read(of.out / core / "memory.overlay"), encoding="utf-8")
        done = subprocess.run([tool("dtc"), "-@", "-O", "dtb", "-o", str(dtb), str(dts)], capture_output=True, text=True, timeout=60)
        check(done.returncode == 0 and not done.stderr, f"dtc on {what}: exit {done.returncode}: {done.stderr[:2000]}")
        trees.append(parse_fdt(dtb.read_bytes()))
    tree = trees[0]
    same(f"{what}: nodes", {key: tree[key] for key in tree if key != "/"}, {key: trees[1][key] for key in trees[1] if key != "/"})
    on_bus = {name: region for name, region in of.seen(core).items() if "physical" in region}
    symbols = {label: strings_of(path)[0] for label, path in tree.get("/__symbols__", {}).items()}
    same_keys(what, symbols, on_bus)
    for name, region in on_bus.items():
        node = tree[symbols[name]]
        base, size = number(region["physical"]), region["size_bytes"]
        same(f"{what}: {name}", cells(node["reg"]), [base >> 32, base & 0xFFFFFFFF, size >> 32, size & 0xFFFFFFFF])
        # Zephyr's linker script has a region at this address: right only where the core sees it there.
        linked = region["virtual"] == region["physical"]
        same(f"{what}: {name}: compatible", strings_of(node["compatible"]), ["zephyr,memory-region", "mmio-sram"][0 if linked else 1:])
        same(f"{what}: {name}: region", strings_of(node.get("zephyr,memory-region", b"\0")), [name if linked else ""])
        attribute = ATTRIBUTES.get(region.get("cache", "")) if linked else None
        same(f"{what}: {name}: attribute", cells(node.get("zephyr,memory-attr", b"")), [] if attribute is None else [attribute])
    return len(on_bus)


# --- U-Boot --------------------------------------------------------------------------------------------

def compiled(context: Context, name: str, inner: str) -> Path:
    dts, dtb = context.work / f"{name}.dts", context.work / f"{name}.dtb"
    dts.write_text(f"/dts-v1/;\n/ {{\n#address-cells = <2>;\n#size-cells = <2>;\nmodel = \"stub\";\n{inner}\n}};\n", encoding="utf-8")
    # Some nodes of the SDK have no unit address, and old ones here are elsewhere than they say.
    done = subprocess.run([tool("dtc"), "-q", "-@", "-O", "dtb", "-o", str(dtb), str(dts)], capture_output=True, text=True, timeout=60)
    check(done.returncode == 0, f"dtc on {dts}: {done.stderr[:2000]}")
    return dtb


def in_parent(nodes: str, width: int = 2) -> str:
    return f"reserved-memory {{\n#address-cells = <{width}>;\n#size-cells = <{width}>;\nranges;\n{nodes}\n}};"


def users_of(of: Map) -> str:
    return "user { memory-region = " + ", ".join(f"<&{item['label']}>" for item in of.labelled()) + "; };"


def old_nodes(of: Map) -> str:
    """What a kernel has: the same labels, elsewhere, and some with what the map has not."""
    return "\n".join(f"{item['label']}: old-{index}@{0x10000000 + index * 0x100000:x} {{\n"
                     f"reg = <0 {0x10000000 + index * 0x100000:#x} 0 0x1000>;\nno-map;\n}};" for index, item in enumerate(of.labelled()))


def reserved(tree: Tree) -> dict[str, dict[str, bytes]]:
    return {path: {name: value for name, value in node.items() if name != "phandle"}
            for path, node in tree.items() if path.startswith(f"{PARENT}/")}


def cases_of(context: Context, of: Map) -> list[tuple[str, Case, Tree]]:
    """For each its device tree before, and what the emitted nodes make of a tree by dtc."""
    script = of.out / "reserved_memory.cmd"
    wanted = parse_fdt(compiled(context, f"{of.board}-wanted", in_parent(read(dtsi_path(of.out)))).read_bytes())
    trees = {"nothing": "", "parent": in_parent('other: other@1000 { reg = <0 0x1000 0 0x1000>; };'),
             "old": in_parent(old_nodes(of)) + users_of(of)}
    found = []
    for kind, inner in trees.items():
        case = Case(f"{of.board} {kind}", script, compiled(context, f"{of.board}-{kind}", inner))
        found.append((kind, case, wanted))
    folder = os.environ.get("MEMSIZE_TI_IMAGES")
    if folder and of.board == "j722s":
        found.append(("real", Case("the EVM's own tree", script, Path(folder) / "k3-j722s-evm.dtb"), wanted))
    return found


def check_case(of: Map, kind: str, case: Case, wanted: Tree) -> int:
    same(f"{case.what}: U-Boot", case.wrong, "")
    before, after = parse_fdt(case.tree.read_bytes()), parse_fdt(case.after)
    # Everything else is as it was.
    untouched = [path for path in before if not path.startswith(f"{PARENT}/old-")]
    for path in untouched:
        same(f"{case.what}: {path}", after.get(path), before[path])
    nodes = reserved(wanted)
    if kind != "old":
        same_keys(case.what, set(after) - set(before) - {PARENT}, nodes)
        for path, node in nodes.items():
            same(f"{case.what}: {path}", after[path], node)
        parent = after[PARENT]
        same(f"{case.what}: cells", (cells(parent["#address-cells"]), cells(parent["#size-cells"]), parent["ranges"]), ([2], [2], b""))
        return len(nodes)
    same_keys(case.what, after, before)
    for item in of.labelled():
        label = item["label"]
        path, = strings_of(before["/__symbols__"][label])
        goal, = strings_of(wanted["/__symbols__"][label])
        node = dict(after[path])
        same(f"{case.what}: {label}: phandle", node.pop("phandle", None), before[path].get("phandle"))
        same(f"{case.what}: {label}", node, nodes[goal])
    return len(nodes)


def check_uboot(context: Context, maps: list[Map]) -> str:
    planned = [(of, *each) for of in maps if of.labelled() for each in cases_of(context, of)]
    # What cannot be done is told: cells of another width, and no device tree at all.
    one = next(of for of in maps if of.labelled())
    script = one.out / "reserved_memory.cmd"
    narrow = Case("narrow", script, compiled(context, "narrow", in_parent("", 1)))
    none = Case("none", script, script)
    run_uboot(context, [case for _, _, case, _ in planned] + [narrow, none])
    nodes = sum(check_case(of, kind, case, wanted) for of, kind, case, wanted in planned)
    for case in (narrow, none):
        check(case.wrong and "not all memory is reserved" in case.said, f"{case.what}: {case.wrong!r}, {case.said[-800:]!r}")
    return f"U-Boot changed {len(planned)} trees ({nodes} nodes)"


# --- C++ -----------------------------------------------------------------------------------------------

def in_cxx(name: str) -> str:
    """The header's rule, for the names that these boards have."""
    stem = name.rstrip("_")
    return name + "_" if stem in ("new", "bus") else name


def assertions(of: Map) -> str:
    lines = ["using namespace memory_map;"]

    def add(kind: str, name: str, base: int, size: int) -> None:
        lines.append(f'static_assert({name}.begin == {base:#x}ULL && {name}.size == {size}ULL && '
                     f'{name}.last() == {base + size - 1:#x}ULL && {name}.contains({base:#x}ULL) && '
                     f'!{name}.contains({(base + size) & (1 << 64) - 1:#x}ULL), "{name}");')
        lines.append(f"static_assert(std::is_same_v<decltype({name}), const {kind}>);")

    for core in of.cores():
        for name, region in of.seen(core).items():
            add("CoreRange", f"memory_map::{in_cxx(core)}::{in_cxx(name)}", number(region["virtual"]), region["size_bytes"])
            if "physical" in region:
                add("BusRange", f"memory_map::{in_cxx(core)}::bus::{in_cxx(name)}", number(region["physical"]), region["size_bytes"])
    for item in of.labelled():
        add("BusRange", f"memory_map::reserved::{item['label']}", number(item["physical"]), item["size_bytes"])
    return "\n".join(lines) + "\n"


def cxx(context: Context, of: Map, compiler: str, standard: str, text: str) -> subprocess.CompletedProcess[str]:
    file = context.work / "use.cpp"
    file.write_text('#include "memory_map.hpp"\n#include "memory_map.hpp"\n#include <type_traits>\n' + text, encoding="utf-8")
    return subprocess.run([compiler, f"-std={standard}", *CXX_FLAGS, "-I", str(of.out), str(file)], capture_output=True, text=True,
                          timeout=120)


def check_cxx(context: Context, of: Map) -> int:
    text = assertions(of) + "int main() { return 0; }\n"
    count = text.count(".begin ==")
    header = without_comments_of(read(of.out / "memory_map.hpp"))
    same(f"{of.board}: constants", len(re.findall(r"inline constexpr", header)), count)
    for compiler in (tool("g++"), tool("clang++", "clang++-14")):
        for standard in ("c++17", "c++20"):
            done = cxx(context, of, compiler, standard, text)
            check(done.returncode == 0, f"{compiler} -std={standard} on {of.board}'s header:\n{done.stderr[:3000]}")
    return count


def without_comments_of(text: str) -> str:
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def check_kinds(context: Context, of: Map) -> None:
    """Addresses of a core and of the bus do not mix, and assertions can fail."""
    core, name = next((core, name) for core in of.cores() for name, region in of.seen(core).items() if "physical" in region)
    one, other = (f"memory_map::{in_cxx(core)}::{part}{in_cxx(name)}" for part in ("", "bus::"))
    for compiler in (tool("g++"), tool("clang++", "clang++-14")):
        for text in (f"static_assert({one} == {other});", f"static_assert({one}.overlaps({other}));",
                     f"memory_map::BusRange x = {one};", f"static_assert({one}.size == 1);"):
            check(cxx(context, of, compiler, "c++17", text).returncode != 0, f"{compiler} takes {text}")
        check(cxx(context, of, compiler, "c++17", f"static_assert({one} == {one});").returncode == 0, f"{compiler} refuses {one}")


# --- CSV -----------------------------------------------------------------------------------------------

def check_csv(of: Map) -> int:
    text = (of.out / "memory_map.csv").read_bytes().decode("utf-8")
    rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    same(f"{of.board}: rows", len(rows), len(of.document["regions"]))
    for row, region in zip(rows, of.document["regions"]):
        what = f"{of.board} csv: {region['name']}"
        check(None not in row and None not in row.values(), f"{what}: {row}")
        for cell in row.values():
            check(not re.match(r"\s*[=+\-@]", cell) and not re.search(r"[\x00-\x09\x0b-\x1f]", cell), f"{what}: a formula: {cell!r}")
        for key in ("name", "kind", "of", "space", "attributes", "cache", "knob"):
            same(f"{what}: {key}", row[key], region.get(key, ""))
        for key in ("virtual", "physical"):
            same(f"{what}: {key}", number(row[key]) if row[key] else None, number(region[key]) if key in region else None)
        same(f"{what}: size", int(row["size_bytes"]), region["size_bytes"])
        same(f"{what}: cores", row["cores"].split(), region["cores"])
        same(f"{what}: carve-outs", row["carveouts"].split(),
             [item["name"] for item in of.document["carveouts"] if region.get("of", region["name"]) in item["members"]])
        note = region.get("note", "")
        same(f"{what}: note", row["note"].removeprefix("'"), note)
    return len(rows)


# --- what memsize itself finds -------------------------------------------------------------------------

def codes(context: Context, folder: Path) -> list[str]:
    done = context.run("check", "--map", folder, "--json", expect=(0, 1))
    return [each["code"] for each in parse_json(done.stdout, "check --json")["diagnostics"] if each["severity"] == "error"]


def check_verifier(context: Context, of: Map, rounds: int, seed: int) -> int:
    """The map of a board that nobody has: files are held against each other, and nothing else."""
    folder = context.work / "changed"
    shutil.copytree(of.out, folder)
    document = folder / "memory_map.json"
    document.write_text(read(document).replace(f'"board": "{of.document["board"]}"', '"board": "nobody"', 1), encoding="utf-8")
    same("a map as it was written", codes(context, folder), [])
    chance = random.Random(seed)
    changed = 0
    for path in sorted(path for path in folder.rglob("*") if path.name in FILES):
        text = read(path)
        bare = re.sub(r"/\*.*?\*/", lambda found: " " * len(found[0]), text, flags=re.S)
        if path.suffix in (".sct", ".cmd"):
            bare = re.sub(r"(?m)^\s*[;#].*$", lambda found: " " * len(found[0]), bare)
        if path.suffix == ".csv":
            numbers = [found for found in re.finditer(r"(?<=,)(?:0x[0-9A-F]+|\d{2,})(?=,)", bare)]
        elif path.suffix == ".sct":
            # But for the stack, which no other file has.
            numbers = [found for found in re.finditer(r"0x[0-9A-Fa-f]+", bare)
                       if "ARM_LIB_STACK" not in bare[bare.rfind("\n", 0, found.start()):found.start()]]
        elif path.suffix == ".cmd":
            numbers = [found for found in re.finditer(r"0x[0-9A-Fa-f]+", bare) if "reg <" in bare[bare.rfind("\n", 0, found.start()):found.start()]]
        else:
            numbers = list(re.finditer(r"0x[0-9A-Fa-f]+", bare))
        check(numbers, f"{path} has no numbers")
        for found in chance.sample(numbers, min(rounds, len(numbers))):
            other = number(found[0]) ^ 1 << chance.randrange(4, 20)
            spelled = f"{other}" if found[0].isdigit() else f"{other:#x}"
            path.write_text(text[:found.start()] + spelled + text[found.end():], encoding="utf-8")
            said = codes(context, folder)
            check(said and set(said) <= {"verify.disagree", "verify.parse"},
                  f"{path.name}: {found[0]} became {spelled} at {found.start()}: {said}")
            changed += 1
        path.write_text(text[:len(text) // 2], encoding="utf-8")
        check(codes(context, folder), f"half of {path.name} passes")
        path.write_text(text, encoding="utf-8")
    same("the map again", codes(context, folder), [])
    shutil.rmtree(folder)
    return changed


def hostile_board(context: Context) -> Path:
    """A board of ours with other notes and names."""
    boards = context.work / "boards"
    shutil.copytree(SOURCE / "boards", boards)
    for path in boards.rglob("*.toml"):
        text = read(path)
        for name, other in RENAMED.items():
            text = re.sub(rf"\b{name}\b", other, text)
        path.write_text(text, encoding="utf-8")
    board = boards / "j722s.toml"
    notes = iter(NOTES * 100)
    board.write_text(re.sub(r'\bnote = "[^"\n]*"', lambda _: f'note = "{next(notes)}"', read(board)), encoding="utf-8")
    return board


def run(context: Context) -> str:
    needed()
    context.run("emit", "--board", "j722s", "--out", "plain")
    written = {Path(path).name for path in files_of(context.work / "plain")}
    check(not written & set(FILES), f"without --only: {written & set(FILES)}")
    maps = [emitted(context, path.stem, path.stem) for path in sorted((SOURCE / "boards").glob("*.toml"))]
    maps.append(emitted(context, "hostile", hostile_board(context)))
    check({"new", "new_", "bus"} <= {region["name"] for region in maps[-1].document["regions"]}, "the names are not hostile")
    regions = nodes = constants = rows = 0
    for of in maps:
        for core in of.cores():
            regions += check_scatter(of, core)
            nodes += check_overlay(context, of, core)
        constants += check_cxx(context, of)
        rows += check_csv(of)
    check_kinds(context, maps[0])
    booted = check_uboot(context, maps)
    by_name = {of.board: of for of in maps}
    rounds = 1 if FEW else 4
    changed = sum(check_verifier(context, by_name[name], rounds, seed) for seed, name in enumerate(("j722s", "tda54", "hostile")))
    return (f"{len(maps)} maps: {regions} scatter regions, {nodes} overlay nodes, {constants} constants, {rows} rows; {booted}; "
            f"{changed} changed numbers found")


if __name__ == "__main__":
    main(__doc__, run)
