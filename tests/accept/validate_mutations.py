"""Maps in folders, each with one mistake that a person or a forgotten step could make, and who must find it."""

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

from support import MIB, check, number, read, read_json

KIB = 1 << 10
APPNOTE = "j722s-sdk11"
# MPU and MMU are programmed by the firmware's sources, without sysconfig.
SOURCES = "j721e"
# An R5F's heap lies before memory of another kind.
LOW_HEAPS = "j722s"


@dataclass(frozen=True)
class Found:
    """A finding: its code, and words that its message must have."""
    code: str
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Unseen:
    """Nothing is found there, and `not_tried` of the answer says why that region is not looked at."""
    core: str
    region: str
    why: str


Outcome = Found | Unseen
Edit = Callable[["Folder", dict[str, "Folder"]], None]


class Folder:
    """What emit --out wrote, to be changed file by file."""

    def __init__(self, root: Path):
        self.root = root

    def copy(self, to: Path) -> "Folder":
        shutil.copytree(self.root, to)
        return Folder(to)

    def change(self, path: str, pattern: str, into: str, count: int = 1) -> None:
        """The pattern must be there exactly `count` times."""
        text, changed = re.subn(pattern, into, read(self.root / path), flags=re.S)
        check(changed == count, f"{path}: {pattern} is there {changed} times, not {count}")
        (self.root / path).write_text(text)

    @property
    def document(self) -> Any:
        return read_json(self.root / "memory_map.json")

    def write_document(self, document: Any) -> None:
        (self.root / "memory_map.json").write_text(json.dumps(document, indent=2) + "\n")

    def region(self, name: str) -> Any:
        return next(item for item in self.document["regions"] if item["name"] == name)

    def change_regions(self, names: list[str], **members: Callable[[int], int]) -> None:
        """address, virtual, physical or size_bytes of each region of that name."""
        document = self.document
        changed = set()
        for item in document["regions"]:
            if item["name"] in names:
                changed.add(item["name"])
                for key, value in members.items():
                    item[key] = value(item[key]) if key == "size_bytes" else hex(value(number(item[key])))
        check(changed == set(names), f"memory_map.json has no {sorted(set(names) - changed)}")
        self.write_document(document)

    def mmu(self, core: str, entry: str, **fields: int) -> None:
        """One entry in both files of a core's MMU: virtual, physical, size, mair."""
        path = self.root / core / "mmu_map.json"
        document = read_json(path)
        item = next(item for item in document["ranges"] if item["entry"] == entry)
        for key, value in fields.items():
            name = {"size": "size_bytes"}.get(key, key)
            item[name] = hex(value) if key in ("virtual", "physical") else value
        path.write_text(json.dumps(document, indent=2) + "\n")
        if (self.root / core / "mmu.syscfg").is_file():
            self.mmu_syscfg(core, entry, fields)

    def mmu_syscfg(self, core: str, entry: str, fields: dict[str, int]) -> None:
        path = f"{core}/mmu.syscfg"
        instance = re.search(rf'(\w+)\.\$name = "{entry}"', read(self.root / path))
        check(instance, f"{path}: no {entry}")
        assert instance is not None
        for key, value in fields.items():
            name = {"virtual": "vAddr", "physical": "pAddr", "size": "size", "mair": "attribute"}[key]
            text = f'"MAIR{value}"' if key == "mair" else hex(value)
            self.change(path, rf"{instance[1]}\.{name} = [^;]+", f"{instance[1]}.{name} = {text}")

    def entry(self, core: str, name: str) -> dict[str, int]:
        item = next(item for item in read_json(self.root / core / "mmu_map.json")["ranges"] if item["entry"] == name)
        return {"virtual": number(item["virtual"]), "physical": number(item["physical"]), "size": item["size_bytes"],
                "mair": item["mair"]}

    def unit(self, core: str, module: str, name: str, key: str, value: str) -> None:
        """A property of an instance in a core's mpu.syscfg."""
        path = f"{core}/mpu.syscfg"
        instance = re.search(rf'({module}\d+)\.\$name = "{name}"', read(self.root / path))
        check(instance, f"{path}: no {name}")
        assert instance is not None
        self.change(path, rf"{instance[1]}\.{key} = [^;]+", f"{instance[1]}.{key} = {value}")

    def mpu_source(self, core: str, name: str, **fields: str) -> None:
        """Fields of a region in a core's mpu_cfg.c."""
        for key, value in fields.items():
            self.change(f"{core}/mpu_cfg.c", rf"(/\* {name}, [^{{}}]*?\.{key}\s*= )[^,]+", rf"\g<1>{value}")

    def linker(self, core: str) -> str:
        files = self.document["files"]
        return f"{core}/{files.get('linker_of', {}).get(core, files['linker'])}"

    def linker_region(self, core: str, name: str, origin: int | None = None, length: int | None = None) -> None:
        for key, value in (("ORIGIN", origin), ("LENGTH", length)):
            if value is not None:
                self.change(self.linker(core), rf"(\n\s*{name}\s[^\n]*{key} = )0x[0-9A-Fa-f]+", rf"\g<1>{value:#x}")

    def node(self, label: str, base: int, size: int) -> None:
        self.change(self.document["files"]["dts"], rf"(\b{label}: [^{{}}]*{{[^{{}}]*reg = <)[^>]+",
                    rf"\g<1>{cells(base, size)}")

    def split_node(self, label: str, base: int, sizes: tuple[int, int], gap: int) -> None:
        """Two nodes with a hole between them."""
        path = self.document["files"]["dts"]
        match = re.search(rf"\t{label}: ([\w-]+)(@[0-9a-f]+)? {{([^{{}}]*)}};\n", read(self.root / path))
        check(match, f"{path}: no {label}")
        assert match is not None
        second = base + sizes[0] + gap
        body = re.sub(r"reg = <[^>]+>", f"reg = <{cells(second, sizes[1])}>", match[3])
        self.node(label, base, sizes[0])
        with (self.root / path).open("a") as file:
            file.write(f"\n\t{label}_rest: {match[1]}-rest@{second:x} {{{body}}};\n")

    def take(self, other: "Folder", path: str) -> None:
        """A file of another map: one that somebody forgot to bring along."""
        check((self.root / path).read_bytes() != (other.root / path).read_bytes(), f"{path} is the same in both maps")
        shutil.copyfile(other.root / path, self.root / path)


def cells(base: int, size: int) -> str:
    return " ".join(f"{cell:#x}" for value in (base, size) for cell in (value >> 32, value & 0xFFFFFFFF))


def heaps(owner: int, viewer: int, kinds: tuple[str, ...] = ("LOCAL_HEAP", "SCRATCH")) -> list[str]:
    """The cached heaps of a C7x as another one names them."""
    who = f"{owner}" if owner == viewer else f"{viewer}_{owner}"
    return [f"DDR_C7X_{who}_{kind}" for kind in kinds]


CACHED = "DDR_C7X_2_HEAP_SCRATCH_CACHEABLE"
RAW = "DDR_C7X_2_HEAP_SCRATCH_NON_CACHEABLE"
HEAPS = "c7x_ddr_heaps_hi"


def move_heaps(folder: Folder, to: Callable[[int], int]) -> None:
    """The cached heaps of c7x_2 lie elsewhere, and every file agrees."""
    names = heaps(2, 2) + heaps(2, 1)
    folder.change_regions(names + [f"{name}_PHYS" for name in heaps(2, 2)], physical=to)
    for core in ("c7x_1", "c7x_2"):
        folder.mmu(core, CACHED, physical=to(folder.entry(core, CACHED)["physical"]))


def overlap_physical(folder: Folder, _: dict[str, Folder]) -> None:
    own = number(folder.region(heaps(2, 2)[0])["physical"])
    other = number(folder.region(heaps(1, 1)[0])["physical"])
    move_heaps(folder, lambda at: at - own + other + 4 * MIB)


def shifted(by: int) -> Edit:
    def edit(folder: Folder, _: dict[str, Folder]) -> None:
        move_heaps(folder, lambda at: at + by)
        node = next(item for item in folder.document["carveouts"] if item.get("label") == HEAPS)
        folder.node(HEAPS, number(node["physical"]), node["size_bytes"] + max(by, 4 * KIB))
    return edit


def attribute(core: str, entry: str, mair: int) -> Edit:
    def edit(folder: Folder, _: dict[str, Folder]) -> None:
        check(folder.entry(core, entry)["mair"] != mair, f"{core} {entry} is MAIR{mair} as it is")
        folder.mmu(core, entry, mair=mair)
    return edit


def syscfg(core: str, module: str, name: str, key: str, value: str) -> Edit:
    return lambda folder, _: folder.unit(core, module, name, key, value)


def source(core: str, name: str, **fields: str) -> Edit:
    return lambda folder, _: folder.mpu_source(core, name, **fields)


def stale(map_name: str, *paths: str) -> Edit:
    def edit(folder: Folder, maps: dict[str, Folder]) -> None:
        for path in paths:
            folder.take(maps[map_name], path)
    return edit


def wrong_alias(folder: Folder, _: dict[str, Folder]) -> None:
    folder.mmu("c7x_1", CACHED, physical=number(folder.region(heaps(1, 1)[0])["physical"]))


def wrong_alias_told(folder: Folder, maps: dict[str, Folder]) -> None:
    """The map's own document is wrong, too."""
    own = number(folder.region(heaps(2, 2)[0])["physical"])
    other = number(folder.region(heaps(1, 1)[0])["physical"])
    folder.change_regions(heaps(2, 1), physical=lambda at: at - own + other)
    wrong_alias(folder, maps)


def lost_alias(folder: Folder, _: dict[str, Folder]) -> None:
    """It leads to reserved memory that no core uses, and memory_map.json agrees."""
    own = number(folder.region(heaps(2, 2)[0])["physical"])
    other = number(folder.region("TIOVX_LOG_RT_MEM")["physical"])
    check((own - other) % (2 * MIB) == 0, "this is about where it leads only")
    folder.change_regions(heaps(2, 1), physical=lambda at: at - own + other)
    folder.mmu("c7x_1", CACHED, physical=other)


def node_of(folder: Folder, label: str) -> tuple[int, int]:
    item = next(item for item in folder.document["carveouts"] if item.get("label") == label)
    return number(item["physical"]), item["size_bytes"]


def short_node(label: str) -> Edit:
    def edit(folder: Folder, _: dict[str, Folder]) -> None:
        base, size = node_of(folder, label)
        folder.node(label, base, size - MIB)
    return edit


def cut_node(folder: Folder, _: dict[str, Folder]) -> None:
    """A page in the middle of a heap of c7x_1 is Linux's."""
    base, size = node_of(folder, HEAPS)
    first = 5 * MIB
    folder.split_node(HEAPS, base, (first, size - first - 4 * KIB), 4 * KIB)


def no_node(folder: Folder, _: dict[str, Folder]) -> None:
    folder.change(folder.document["files"]["dts"], rf"\t{HEAPS}: [^{{}}]*{{[^{{}}]*}};\n", "")


def longer_entry(core: str, entry: str, by: int) -> Edit:
    def edit(folder: Folder, _: dict[str, Folder]) -> None:
        folder.mmu(core, entry, size=folder.entry(core, entry)["size"] + by)
    return edit


def overlap_virtual(folder: Folder, _: dict[str, Folder]) -> None:
    name = heaps(2, 2)[1]
    origin = number(folder.region(name)["address"]) - MIB
    folder.linker_region("c7x_2", name, origin=origin)


def moved_linker(folder: Folder, _: dict[str, Folder]) -> None:
    item = folder.region("DDR_C7x_1_IPC")
    folder.linker_region("c7x_1", item["name"], origin=number(item["address"]) + 64 * KIB,
                         length=item["size_bytes"] - 64 * KIB)


def longer_linker(folder: Folder, _: dict[str, Folder]) -> None:
    item = folder.region(heaps(2, 2)[1])
    folder.linker_region("c7x_2", item["name"], length=item["size_bytes"] + MIB)


def shorter_linker(folder: Folder, _: dict[str, Folder]) -> None:
    item = folder.region(heaps(2, 2)[1])
    folder.linker_region("c7x_2", item["name"], length=item["size_bytes"] - MIB)


def renamed_linker(folder: Folder, _: dict[str, Folder]) -> None:
    folder.change(folder.linker("c7x_2"), r"(\n\s*)DDR_C7X_2_SCRATCH ", r"\g<1>DDR_C7X_2_SCRATHC ")


def missing_linker(folder: Folder, _: dict[str, Folder]) -> None:
    folder.change(folder.linker("c7x_2"), r"\n\s*DDR_C7X_2_SCRATCH [^\n]*", "")


def nothing(_: Folder, __: dict[str, Folder]) -> None:
    """The map itself is the mistake."""


@dataclass(frozen=True)
class Mutation:
    name: str
    # The map that it begins with: a name of accept_validate.make_maps.
    map: str
    edit: Edit
    host: Outcome
    # Where QEMU sees what the host sees: none.
    on_qemu: Outcome | None = None

    @property
    def qemu(self) -> Outcome:
        return self.on_qemu or self.host


def too_small(heap: str, map_name: str) -> Mutation:
    kind = heap.removesuffix("_size").removeprefix("c7x_2_ddr_").upper()
    return Mutation(f"a heap one step too small: {heap} ({map_name})", f"{map_name} {heap}", nothing,
                    Found("validate.heap", (f"c7x_2, DDR_C7X_2_{kind}:", "does not fit")))


HEAP_KNOBS = ("c7x_2_ddr_local_heap_size", "c7x_2_ddr_scratch_size", "c7x_2_ddr_local_heap_non_cacheable_size",
              "c7x_2_ddr_scratch_non_cacheable_size")
OVERWRITTEN = "was overwritten: no node of the device tree reserves"

MUTATIONS = (
    too_small("c7x_2_ddr_scratch_size", "suggested"),
    *(too_small(heap, "tight") for heap in HEAP_KNOBS),
    Mutation("two cores' heaps overlap above 4 GiB", "suggested", overlap_physical,
             Found("validate.memory", ("c7x_1, DDR_C7X_1_LOCAL_HEAP:", "was overwritten by others"))),
    Mutation("two regions of a core overlap above 4 GiB", "suggested", overlap_virtual,
             Found("validate.map",
                   ("c7x_2, DDR_C7X_2_SCRATCH:",
                    "begins at 0x110D00000, and shares addresses with the region at 0x110400000"))),
    Mutation("MAIR7 became MAIR4 on one core", "suggested", attribute("c7x_2", CACHED, 4),
             Found("validate.cache", ("c7x_2, DDR_C7X_2_SCRATCH:", "is non-cached, but must be cached"))),
    Mutation("MAIR4 became MAIR7 on one core", "suggested", attribute("c7x_1", RAW, 7),
             Found("validate.cache",
                   ("c7x_1, DDR_C7X_1_2_SCRATCH_NON_CACHEABLE:", "is cached, but must be non-cached"))),
    Mutation("MAIR7 became MAIR4 in mmu_map.json", "sources", attribute("c7x_1", "DDR_C7X_1_SCRATCH", 4),
             Found("validate.cache", ("c7x_1, DDR_C7X_1_SCRATCH:", "is non-cached, but must be cached"))),
    Mutation("an R5F's non-cached area is cached: mpu.syscfg", "suggested",
             syscfg("mcu2_0", "mpu_armv7", "IPC_VRING_MEM", "attributes", '"Cached"'),
             Found("validate.cache", ("mcu2_0, IPC_VRING_MEM:", "is cached, but must be non-cached"))),
    Mutation("an R5F's non-cached area is cached: mpu_cfg.c", "sources",
             source("mcu2_0", "DDR_MCU2_0_IPC", cacheable="(uint32_t)UTRUE",
                    cachePolicy="CSL_ARM_R5_CACHE_POLICY_WB_WA", memAttr="0U"),
             Found("validate.cache", ("mcu2_0, DDR_MCU2_0_IPC:", "is cached, but must be non-cached"))),
    Mutation("an eighth of an R5F's non-cached area is off", "suggested",
             syscfg("mcu2_0", "mpu_armv7", "IPC_VRING_MEM", "subregionDisableMask", "0x7"),
             Found("validate.cache", ("mcu2_0, IPC_VRING_MEM:", "is cached, but must be non-cached"))),
    Mutation("an R5F may execute what it shares", "suggested",
             syscfg("mcu2_0", "mpu_armv7", "DDR_MCU2_0_IPC", "allowExecute", "true"),
             Found("validate.guard", ("mcu2_0, DDR_MCU2_0_IPC:", "can be executed, but must not"))),
    Mutation("heaps moved by 4 KiB on the bus: 2 MiB blocks cut it", "suggested", shifted(4 * KIB),
             Found("validate.translation", ("c7x_2, DDR_C7X_2_SCRATCH:", "leads to"))),
    Mutation("heaps moved by 1 MiB on the bus: 2 MiB blocks cut it", "suggested", shifted(MIB),
             Found("validate.translation", ("c7x_1, DDR_C7X_1_2_SCRATCH:", "leads to"))),
    Mutation("an alias leads to other bytes", "suggested", wrong_alias,
             Found("validate.translation",
                   ("c7x_1, DDR_C7X_1_2_LOCAL_HEAP:", "leads to 0x888000000, not to 0x890400000"))),
    Mutation("an alias leads to other bytes, told so by memory_map.json", "suggested", wrong_alias_told,
             Found("validate.translation",
                   ("c7x_1, DDR_C7X_1_2_LOCAL_HEAP:", "leads to 0x888000000, not to 0x890400000"))),
    Mutation("an alias leads to bytes of nobody, told so by memory_map.json", "suggested", lost_alias,
             Found("validate.translation",
                   ("c7x_1, DDR_C7X_1_2_SCRATCH:", "leads to 0xABE00000, not to 0x890E00000"))),
    Mutation("a node of the device tree is short", "suggested", short_node(HEAPS),
             Found("validate.memory", (OVERWRITTEN, "c7x_1 has it as DDR_C7X_1_2_SCRATCH"))),
    Mutation("an R5F's node of the device tree is short", "suggested",
             short_node("vision_apps_main_r5fss0_core0_memory_region"),
             Found("validate.memory", (OVERWRITTEN, "mcu2_0 has it as DDR_MCU2_0"))),
    Mutation("a carve-out has a hole of one page", "suggested", cut_node,
             Found("validate.memory",
                   (OVERWRITTEN, "[0x880500000, 0x880501000)", "DDR_C7X_1_LOCAL_HEAP_NON_CACHEABLE"))),
    Mutation("a node of the device tree is missing", "suggested", no_node,
             Found("validate.memory", (OVERWRITTEN, "[0x880000000, 0x900000000)"))),
    Mutation("an MPU base off its alignment: mpu.syscfg", "suggested",
             syscfg("mcu2_0", "mpu_armv7", "DDR_MCU2_0_IPC", "baseAddr", "0xA2100000"),
             Found("validate.map", ("mcu2_0: MPU region 6 of 2 MiB begins at 0xA2100000", "no multiple of its size"))),
    Mutation("an MPU base off its alignment: mpu_cfg.c", "sources",
             source("mcu2_0", "DDR_MCU2_0_IPC", baseAddr="0xA2080000U"),
             Found("validate.map", ("mcu2_0: MPU region 7 of 1 MiB begins at 0xA2080000", "no multiple of its size"))),
    Mutation("mmu.syscfg from before the change, all cores", "suggested",
             stale("default", "c7x_1/mmu.syscfg", "c7x_2/mmu.syscfg"),
             Found("validate.cache", ("c7x_2, DDR_C7X_2_LOCAL_HEAP:", "is non-cached, but must be cached"))),
    Mutation("mpu.syscfg from before the change", "grown", stale("low", "mcu2_0/mpu.syscfg"),
             Found("validate.cache", ("mcu2_0, DDR_MCU2_0_LOCAL_HEAP:", "is write-through, but must be cached"))),
    Mutation("mpu_cfg.c from before the change", "grown sources", stale("sources", "mcu2_0/mpu_cfg.c"),
             Found("validate.cache", ("mcu2_0, INTERCORE_ETH_DATA_MEM:", "is non-cached, but must be cached"))),
    Mutation("the application note's own map, c7x_1 forgotten", "suggested", stale("default", "c7x_1/mmu.syscfg"),
             Found("validate.cache", ("c7x_1, DDR_C7X_1_2_LOCAL_HEAP:", "is non-cached, but must be cached"))),
    Mutation("an entry reaches beyond its regions", "suggested", longer_entry("c7x_2", CACHED, 2 * MIB),
             Found("validate.guard", ("c7x_2, DDR_C7X_2_SCRATCH:", "0x111300000, outside of everything"))),
    Mutation("a linker map has a region elsewhere", "suggested", moved_linker,
             Found("validate.translation",
                   ("c7x_1, DDR_C7x_1_IPC:", "0xAD010000 leads to 0xAD010000, not to 0xAD000000"))),
    Mutation("a linker map has a region too long", "suggested", longer_linker,
             Found("validate.translation", ("c7x_2, DDR_C7X_2_SCRATCH:", "nothing is mapped at 0x111300000"))),
    Mutation("a linker map has a heap too short", "suggested", shorter_linker,
             Found("validate.heap", ("c7x_2, DDR_C7X_2_SCRATCH:", "does not fit"))),
    Mutation("a linker map has a region under another name", "suggested", renamed_linker,
             Found("verify.disagree",
                   ("'DDR_C7X_2_SCRATHC' is in the linker map of c7x_2 but not in memory_map.json",))),
    Mutation("a linker map has lost a region", "suggested", missing_linker,
             Found("verify.disagree", ("'DDR_C7X_2_SCRATCH' is in the map of c7x_2 but not in its linker map",))),
    Mutation("an R5F's address translation leads elsewhere", "suggested",
             syscfg("mcu2_0", "addr_translate", "CONFIG_ADDR_TRANSLATE_REGION0", "systemAddr", "0x908000000"),
             Found("validate.translation", ("mcu2_0, DDR_SHARED_MEM:", "leads to 0x908000018, not to 0x900000018")),
             Unseen("mcu2_0", "DDR_SHARED_MEM", "address translation (RAT), which is not emulated")),
)
