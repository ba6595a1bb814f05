"""Files that program an MMU, MPU or RAT are changed in place, and their consumers read what was wanted.

For every such file of every tree: what is there already changes no byte; after random changes node.js, which runs the
scripts of sysconfig, and a C compiler, which compiles the tables, find the wanted values and everything else as before;
real changes that people made come out as they made them.

Runs where MEMSIZE_TI_SDK names Processor SDKs, separated by colons.
"""

import argparse
import copy
import json
import random
import re
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, Iterator

from accept_sdk_sources import trees
from support import DATA, MIB, SKIPPED, Failure, Skip, check, same, tool

HERE = Path(__file__).resolve().parent
STUBS = HERE / "r5f" / "include"
MOST = 16
# What sysconfig has where a script says nothing.
DEFAULTS: dict[str, dict[str, Any]] = {
    "mmu_armv8": {"vAddr": 0, "pAddr": 0, "size": 0, "attribute": "MAIR0"},
    "mpu_armv7": {"baseAddr": 0, "size": 32, "attributes": "Cached", "allowExecute": True, "subregionDisableMask": 0,
                  "tex": 1, "isCacheable": True, "isBufferable": True, "isShareable": False},
    "addr_translate": {"localAddr": 0, "systemAddr": 0, "size": 29},
}
# TEX, C, B, S of sysconfig's names.
KINDS = {"Device": (0, False, False, True), "NonCached": (1, False, False, True), "Cached": (1, True, True, False),
         "Cached+Sharable": (1, True, True, True)}
# Ways to see memory that a table of C has words for, as TEX, C, B: cached by policy; else by memory attribute.
POLICIES = {(4, False, False): 0, (5, False, True): 1, (6, True, False): 2, (7, True, True): 3}
MEMORY = [(0, False, False), (0, False, True), (0, True, False), (0, True, True), (1, False, False), (1, True, True),
          (2, False, False)]


class Driver:
    """The library's functions, and the consumers of what they write."""

    def __init__(self, program: Path) -> None:
        self.program = program
        self.node = tool("node", "nodejs")
        self.compiler = tool("gcc", "cc", "clang")

    def edit(self, jobs: list[dict[str, Any]]) -> list[dict[str, Any]]:
        lines = "".join(json.dumps(job) + "\n" for job in jobs)
        done = subprocess.run([str(self.program)], input=lines, capture_output=True, text=True, timeout=600, check=False)
        check(done.returncode == 0, f"{self.program}: exit {done.returncode}: {done.stderr[-800:]}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def run_scripts(self, texts: list[str]) -> list[dict[str, Any]]:
        done = subprocess.run([self.node, str(HERE / "syscfg_dump.js")], input=json.dumps(texts), capture_output=True,
                              text=True, timeout=600, check=True)
        return json.loads(done.stdout)


def bytes_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


def text_of(job: dict[str, Any], result: dict[str, Any]) -> str:
    check("text" in result, f"{job['path']}: {result.get('errors')}")
    return result["text"]


# --- scripts of sysconfig --------------------------------------------------------------------------------


def module_of(what: str, dump: dict[str, Any], name: str) -> dict[str, Any]:
    check("modules" in dump, f"{what}: node.js: {dump.get('problem')}")
    found = [module for module in dump["modules"] if module["path"].endswith("/" + name)]
    check(len(found) <= 1, f"{what}: {name} is added twice")
    return found[0] if found else {"instances": [], "properties": {}}


def others_of(dump: dict[str, Any]) -> list[Any]:
    return [module for module in dump["modules"] if module["path"].split("/")[-1] not in DEFAULTS]


def effective(module: str, properties: dict[str, Any]) -> dict[str, Any]:
    """What sysconfig makes of an instance."""
    full = {**DEFAULTS[module], **properties}
    if module != "mpu_armv7":
        return full
    kind = KINDS.get(full["attributes"], (full["tex"], full["isCacheable"], full["isBufferable"], full["isShareable"]))
    for key in ("attributes", "tex", "isCacheable", "isBufferable", "isShareable"):
        del full[key]
    return {**full, "kind": kind}


def from_fields(module: str, fields: dict[str, Any]) -> dict[str, Any]:
    """The same from a wanted entry."""
    if module == "mmu_armv8":
        return {"$name": fields["name"], **{key: fields[key] for key in ("vAddr", "pAddr", "size", "attribute")}}
    if module == "addr_translate":
        return {"$name": fields["name"], "localAddr": fields["local"], "systemAddr": fields["system"],
                "size": fields["size"].bit_length() - 1}
    return {"$name": fields["name"], "baseAddr": fields["base"], "size": fields["size"].bit_length() - 1,
            "allowExecute": fields["execute"], "subregionDisableMask": fields["disabled"],
            "kind": (fields["tex"], fields["cacheable"], fields["bufferable"], fields["shareable"])}


def lists_of(job: dict[str, Any]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    if job["kind"] == "mmu":
        yield "mmu_armv8", job["entries"]
    else:
        yield "mpu_armv7", job["regions"]
        yield "addr_translate", job["entries"]


def check_script(job: dict[str, Any], before: dict[str, Any], after: dict[str, Any]) -> None:
    what = job["path"]
    for module, wanted in lists_of(job):
        instances = module_of(what, after, module)["instances"]
        same(f"{what}: {module}", [effective(module, one) for one in instances],
             [from_fields(module, fields) for fields in wanted])
        same(f"{what}: {module} itself", module_of(what, after, module)["properties"],
             module_of(what, before, module)["properties"])
    same(f"{what}: other modules", others_of(after), others_of(before))


def check_lines(job: dict[str, Any], old: str, new: str, wanted_before: dict[str, Any]) -> None:
    """Where only values change, only lines of the changed instances and comments do."""
    changed = set()
    for module, wanted in lists_of(job):
        before = wanted_before["regions" if module == "mpu_armv7" else "entries"]
        changed |= {f"{module}{i + 1}." for i, fields in enumerate(wanted) if fields != before[i]}
    lines = new.splitlines()
    kept = [line for line in lines if line in set(old.splitlines()) or line.lstrip().startswith(("*", "//", "/*"))
            or line.split("$")[0].strip().startswith(tuple(changed))]
    same(f"{job['path']}: changed lines", lines, kept)
    quiet = [line for line in old.splitlines() if not line.lstrip().startswith(("*", "//", "/*"))
             and not line.strip().startswith(tuple(changed))]
    same(f"{job['path']}: lines that stay", [line for line in lines if line in set(quiet)],
         [line for line in quiet])


def check_comments(job: dict[str, Any], new: str, before: dict[str, Any]) -> None:
    """A comment above an entry that changed says what is true."""
    if job["kind"] != "mmu":
        return
    for start, end, attribute, name in re.findall(
            r"Region start: (0x\w+)\s+\* Region end: (0x\w+)(?:[^*]|\*(?!/))*?MAIR(\d)\.\s+\*/\s+mmu_armv8(\d+)\.", new):
        entry = job["entries"][int(name) - 1]
        if entry != before["entries"][int(name) - 1]:
            what = f"{job['path']}: comment of {entry['name']}"
            same(f"{what}: start", int(start, 16), entry["vAddr"])
            check(int(end, 16) - entry["vAddr"] - entry["size"] in (0, -1) or not entry["size"], f"{what}: end {end}")
            same(f"{what}: attribute", f"MAIR{attribute}", entry["attribute"])


def vary_mmu(entry: dict[str, Any], dice: random.Random) -> None:
    key = dice.choice(["vAddr", "pAddr", "size", "attribute", "name"])
    if key == "attribute":
        entry[key] = f"MAIR{dice.randrange(8)}"
    elif key == "name":
        entry[key] += "_X"
    else:
        entry[key] = dice.choice([0, dice.randrange(1, 1 << 24) << 12, dice.randrange(1 << 32) & ~0xFFFFF])


def vary_region(region: dict[str, Any], dice: random.Random, kinds: list[tuple[int, bool, bool]],
                largest: int) -> None:
    key = dice.choice(["base", "size", "disabled", "execute", "shareable", "kind"])
    if key == "kind":
        region["tex"], region["cacheable"], region["bufferable"] = dice.choice(kinds)
    elif key == "base":
        region[key] = dice.choice([0, dice.randrange(1 << 12) << 20, dice.randrange(1 << 27) << 5])
    elif key == "size":
        region[key] = 1 << dice.randrange(5, largest + 1)
    elif key == "disabled":
        region[key] = dice.choice([0, 1, 0x80, dice.randrange(256)])
    else:
        region[key] = dice.random() < 0.5


def vary_rat(entry: dict[str, Any], dice: random.Random) -> None:
    key = dice.choice(["local", "system", "size"])
    if key == "size":
        entry[key] = 1 << dice.randrange(5, 33)
    else:
        entry[key] = dice.randrange(1 << (12 if key == "local" else 24)) << 20


def restructured(job: dict[str, Any], dice: random.Random) -> None:
    """Entries come and go anywhere."""
    for module, wanted in lists_of(job):
        for _ in range(dice.randrange(3)):
            if wanted and dice.random() < 0.5:
                del wanted[dice.randrange(len(wanted))]
            elif wanted and (module == "mmu_armv8" or len(wanted) < MOST):
                extra = copy.deepcopy(dice.choice(wanted))
                extra["name"] = f"EXTRA_{dice.randrange(1 << 30)}"
                wanted.insert(dice.randrange(len(wanted) + 1), extra)
        for i, fields in enumerate(wanted):
            fields.update({"instance": i + 1} if module == "mmu_armv8" else {"number": i})


def vary_script(job: dict[str, Any], dice: random.Random) -> None:
    for module, wanted in lists_of(job):
        for _ in range(dice.randrange(4)):
            if not wanted:
                continue
            one = dice.choice(wanted)
            if module == "mmu_armv8":
                vary_mmu(one, dice)
            elif module == "mpu_armv7":
                vary_region(one, dice, [*POLICIES, *MEMORY], 32)
            else:
                vary_rat(one, dice)


def check_scripts(tree: Path, driver: Driver, count: int) -> int:
    paths = sorted((tree / "platform").rglob("*.syscfg"))
    asked = [{"kind": kind, "path": str(path)} for path in paths for kind in ("mmu", "mpu")]
    found = []
    for job, said in zip(asked, driver.edit(asked)):
        same(f"{job['path']}: errors", said["errors"], [])
        if said["entries"] or said["regions"]:
            found.append((job, {"entries": said["entries"], "regions": said["regions"]}))
    check(found, f"{tree}: no script of sysconfig has entries")
    texts = {job["path"]: bytes_of(Path(job["path"])) for job, _ in found}
    still = driver.edit([{**job, **said} for job, said in found])
    for (job, _), result in zip(found, still):
        same(f"{job['path']}: what is there already", text_of(job, result) == texts[job["path"]], True)

    dice = random.Random(str(tree.name))
    jobs, plain = [], []
    for job, said in found:
        for i in range(count):
            wanted = {**job, **copy.deepcopy(said)}
            if i % 3 == 2:
                restructured(wanted, dice)
            vary_script(wanted, dice)
            if i % 4 == 1:
                wanted["text"] = "\ufeff" + texts[job["path"]].replace("\n", "\r\n")
            jobs.append(wanted)
            plain.append(said if i % 3 != 2 else None)
    results = [text_of(job, result) for job, result in zip(jobs, driver.edit(jobs))]
    before = dict(zip(texts, driver.run_scripts(list(texts.values()))))
    for job, said, result, dump in zip(jobs, plain, results, driver.run_scripts(results)):
        check_script(job, before[job["path"]], dump)
        if "text" in job:
            check(result.startswith("\ufeff") and not re.search(r"(?<!\r)\n", result),
                  f"{job['path']}: byte order mark and line endings are not kept")
        elif said is not None:
            check_lines(job, texts[job["path"]], result, said)
            check_comments(job, result, said)
    return len(jobs)


# --- tables of C -------------------------------------------------------------------------------------------


PRINTER = """
#include <stdio.h>
#include "%s"
int main(void) {
  for (unsigned i = 0; i < CSL_ARM_R5F_MPU_REGIONS_MAX; ++i) {
    %s
  }
  return 0;
}
"""
CSL = """const CSL_ArmR5MpuRegionCfg *r = &gCslR5MpuCfg[i];
    printf("%u %u %u %u %u %u %u %u %u %u %u\\n", r->regionId, r->enable, r->baseAddr, r->size, r->subRegionEnable,
           r->exeNeverControl, r->accessPermission, r->shareable, r->cacheable, r->cachePolicy, r->memAttr);"""
SAFERTOS = """xMPU_CONFIG_PARAMETERS *r = &gMPUConfigParms[i]; xMPU_CONFIG_ACCESS *a = &r->xRegionAccess;
    printf("%u 1 %u %u %u %u %u %u %u %u %u\\n", r->ulRegionNumber, r->ulRegionBeginAddress, r->ulRegionSize,
           r->ulSubRegionDisable, a->ulexeNeverControl, a->ulaccessPermission, a->ulshareable, a->ulcacheable,
           a->ulcachePolicy, a->ulmemAttr);"""


@cache
def run_table(compiler: str, text: str, header: str, is_csl: bool) -> tuple[bool, str]:
    """What the start-up code programs, a line each; or what the compiler says."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "table.c").write_text(text, encoding="utf-8")
        (folder / "app_mem_map.h").write_text(header, encoding="utf-8")
        (folder / "main.c").write_text(PRINTER % ("table.c", CSL if is_csl else SAFERTOS), encoding="utf-8")
        built = subprocess.run([compiler, "-w", "-O0", f"-I{folder}", f"-I{STUBS}", str(folder / "main.c"), "-o",
                                str(folder / "main")], capture_output=True, text=True, timeout=60, check=False)
        if built.returncode != 0:
            return False, built.stderr[:800]
        return True, subprocess.run([str(folder / "main")], capture_output=True, text=True, timeout=60, check=True).stdout


def compiled(driver: Driver, what: str, text: str, header: str, is_csl: bool) -> tuple[list[dict[str, Any]], list[int]]:
    """The regions that the start-up code programs, and the access permission of each."""
    done, printed = run_table(driver.compiler, text, header, is_csl)
    check(done, f"{what}: {printed}")
    rows = [[int(word) for word in line.split()] for line in printed.splitlines()]
    used = [row for row in rows if row[1] and row[3] >= (4 if is_csl else 32)]
    regions = []
    for number, _, base, size, mask, never, _, shareable, cached, policy, memory in used:
        tex, cacheable, bufferable = (4 + policy, policy >> 1 & 1, policy & 1) if cached else MEMORY[memory]
        if not cached and not is_csl:
            cacheable, bufferable = bufferable, cacheable
        regions.append({"number": number, "base": base, "size": 2 << size if is_csl else size,
                        "disabled": mask if is_csl else mask >> 8, "tex": tex, "cacheable": bool(cacheable),
                        "bufferable": bool(bufferable), "shareable": bool(shareable), "execute": not never})
    regions.sort(key=lambda region: region["number"])
    return regions, [row[6] for row in sorted(used)]


def without_names(regions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in region.items() if key != "name"} for region in regions]


def moved(header: str, macros: dict[str, int]) -> str:
    for name, value in macros.items():
        header, count = re.subn(rf"(#define {name} +\()0x\w+?(u|ul|ull)?(\))", rf"\g<1>0x{value:X}\g<2>\g<3>", header)
        same(f"{name}: definitions", count, 1)
    return header


def vary_table(job: dict[str, Any], used: list[str], is_csl: bool, dice: random.Random, structure: bool) -> None:
    """Macros move, and with them some of the regions; others get other values; some come and go."""
    regions = job["regions"]
    shift = dice.randrange(1, 16) * MIB
    job["after"] = {name: (job["macros"][name] + shift) & 0xFFFFFFFF for name in used if dice.random() < 0.7}
    for region in regions:
        names = [name for name in used if job["macros"][name] == region["base"]]
        if names and dice.random() < 0.8:
            region["base"] = job["after"].get(names[0], region["base"])
    kinds = [*POLICIES, *(kind if is_csl else (kind[0], kind[2], kind[1]) for kind in MEMORY)]
    for _ in range(dice.randrange(5)):
        vary_region(dice.choice(regions), dice, kinds, 32 if is_csl else 31)
    least = regions[0]["number"]
    for _ in range(dice.randrange(1, 3) if structure else 0):
        if len(regions) > 2 and dice.random() < 0.5:
            del regions[dice.randrange(len(regions))]
        elif len(regions) + least < MOST:
            regions.insert(dice.randrange(len(regions) + 1), {**dice.choice(regions), "name": "EXTRA"})
    for i, region in enumerate(regions):
        region["number"] = least + i


def check_tables(tree: Path, driver: Driver, count: int) -> int:
    jobs = []
    for path in sorted((tree / "platform").rglob("*mpu_cfg*.c")):
        header = path.parent.parent / "app_mem_map.h"
        macros = {name: int(value, 16) for name, value in
                  re.findall(r"#define (\w+) +\((0x[0-9A-Fa-f]+)", bytes_of(header))}
        jobs.append({"kind": "table", "path": str(path), "header": str(header), "macros": macros})
    check(jobs, f"{tree}: no table of C")
    said = driver.edit(jobs)
    for job, one in zip(jobs, said):
        same(f"{job['path']}: errors", one["errors"], [])
    still = driver.edit([{**job, "regions": one["regions"]} for job, one in zip(jobs, said)])
    for job, result in zip(jobs, still):
        same(f"{job['path']}: what is there already", text_of(job, result) == bytes_of(Path(job["path"])), True)

    dice = random.Random(str(tree.name))
    tried = []
    for job, one in zip(jobs, said):
        text = bytes_of(Path(job["path"]))
        used = sorted({name for name in re.findall(r"\w+_ADDR\b", text) if name in job["macros"]})
        for i in range(count):
            wanted = {**job, "regions": copy.deepcopy(one["regions"])}
            vary_table(wanted, used, "gCslR5MpuCfg" in text, dice, i % 2 == 1)
            if i % 4 == 3:
                wanted["text"] = text.replace("\n", "\r\n")
            tried.append(wanted)
    for i, (job, result) in enumerate(zip(tried, driver.edit(tried))):
        old = bytes_of(Path(job["path"]))
        new = text_of(job, result)
        is_csl = "gCslR5MpuCfg" in old
        header = bytes_of(Path(job["header"]))
        regions, permissions = compiled(driver, job["path"], new, moved(header, job["after"]), is_csl)
        same(f"{job['path']}: regions", regions, without_names(job["regions"]))
        if i % count % 2 == 0:
            same(f"{job['path']}: access", permissions, compiled(driver, job["path"], old, header, is_csl)[1])
            check_table_lines(job["path"], old, new)
    return len(tried)


def check_table_lines(what: str, old: str, new: str) -> None:
    """Values change in their lines, and nothing else does."""
    before, after = old.splitlines(), new.splitlines()
    same(f"{what}: lines", len(after), len(before))
    for was, now in zip(before, after):
        same(f"{what}: field", now.split("=")[0] if "=" in was else None, was.split("=")[0] if "=" in was else None) \
            if was.lstrip().startswith(".") else \
            check(was == now or was.lstrip().startswith(("/*", "*", "//")), f"{what}: {was!r} became {now!r}")


# --- what people changed -----------------------------------------------------------------------------------


FIELDS = {"mmu_armv8": {"$name": "name", "vAddr": "vAddr", "pAddr": "pAddr", "size": "size", "attribute": "attribute"},
          "mpu_armv7": {"$name": "name", "baseAddr": "base", "size": "size"},
          "addr_translate": {"$name": "name", "localAddr": "local", "systemAddr": "system", "size": "size"}}


def value_of(text: str) -> Any:
    return int(text, 0) if re.fullmatch(r"0[xX][0-9a-fA-F]+|\d+", text) else {"true": True, "false": False}.get(text, text)


def check_cases(tree: Path, driver: Driver) -> int:
    """Each case of which the tree has the state before."""
    done = 0
    for case in json.loads((DATA / "program_cases.json").read_text(encoding="utf-8")):
        path = tree / "platform" / case["soc"] / "rtos" / case["file"]
        dump = driver.run_scripts([bytes_of(path)])[0] if path.exists() else {"modules": []}
        expected = copy.deepcopy(dump)
        job = {"kind": "mmu" if "c7x" in case["file"] else "mpu", "path": str(path)}
        job.update({key: value for key, value in driver.edit([job])[0].items() if key != "errors"})
        if all(apply_case(job, name, pair, dump, expected) for name, pair in case["instances"].items()):
            result = text_of(job, driver.edit([job])[0])
            same(f"{case['id']}: {path}", driver.run_scripts([result])[0], expected)
            done += 1
    return done


def apply_case(job: dict[str, Any], name: str, pair: list[dict[str, str]], dump: dict[str, Any],
               expected: dict[str, Any]) -> bool:
    match = re.fullmatch(r"(mmu_armv8|mpu_armv7|addr_translate)(\d+)", name)
    check(match, f"{name}: no instance")
    assert match
    module, at = match[1], int(match[2]) - 1
    before, after = ({key: value_of(value) for key, value in one.items()} for one in pair)
    instances = module_of(job["path"], dump, module)["instances"]
    if at >= len(instances) or instances[at] != before:
        return False
    module_of(job["path"], expected, module)["instances"][at] = after
    fields = dict(lists_of(job))[module][at]
    for key, value in after.items():
        if value != before[key]:
            is_power = key == "size" and module != "mmu_armv8"
            fields[FIELDS[module][key]] = 1 << value if is_power else value
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edit", required=True, type=Path, help="the program of tests/support/edit_program.cpp")
    parser.add_argument("--count", type=int, default=12, help="random changes of each script; a quarter of it of each table")
    options = parser.parse_args()
    try:
        cases = 0
        for tree in trees():
            driver = Driver(options.edit.resolve())
            scripts = check_scripts(tree, driver, options.count)
            tables = check_tables(tree, driver, max(2, options.count // 4))
            cases += check_cases(tree, driver)
            print(f"{tree}: {scripts} changes of scripts, {tables} of tables of C")
        print(f"{cases} changes that people made")
    except Skip as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    except Failure as failure:
        print(f"FAILED: {failure}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
