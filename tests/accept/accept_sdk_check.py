"""What check --sdk finds in real SDKs is what was found there by hand, and a number that is changed in any file is found too.

Runs where MEMSIZE_TI_SDK names Processor SDKs, separated by colons: folders with vision_apps/platform or platform.
"""

import hashlib
import json
import random
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from accept_sdk_sources import trees
from sdk_findings import ROWS, TREES
from support import Context, check, main, same

CHANGES = 40
# Numbers that have a second source in the tree.
NUMBERS = {
    "linker_mem_map*.cmd": re.compile(r"(?:ORIGIN|LENGTH) = (0x[0-9A-Fa-f]+)"),
    "app_mem_map.h": re.compile(r"_(?:ADDR|SIZE) \((0x[0-9A-Fa-f]+)u?\)"),
    "*-memory-map.dtsi": re.compile(r"reg = <0x\w+ (0x[0-9a-f]+) "),
}


def run(memsize: Path, folder: Path, *more: str) -> list[dict[str, Any]]:
    done = subprocess.run([str(memsize), "check", "--sdk", str(folder), "--json", *more], capture_output=True, text=True, timeout=120)
    check(done.returncode in (0, 1), f"{folder}: exit status {done.returncode}: {done.stderr}")
    return list(json.loads(done.stdout)["diagnostics"])


def below_rtos(finding: dict[str, Any]) -> tuple[str, str]:
    match = re.search(r"/platform/(\w+)/rtos/(.*)$", finding["path"])
    check(match, f"{finding['path']} is in no platform")
    assert match is not None
    return match.group(1), match.group(2)


def compare(tree: Path, which: int, found: list[dict[str, Any]]) -> None:
    """Every finding is in one row, and every row has as many as it says."""
    counts: Counter[int] = Counter()
    for finding in found:
        soc, path = below_rtos(finding)
        rows = [i for i, (code, socs, paths, message, _, _) in enumerate(ROWS)
                if finding["code"] == code and re.fullmatch(socs, soc) and re.fullmatch(paths, path) and re.search(message, finding["message"])]
        same(f"{tree}: rows for {finding['code']} {soc} {path}: {finding['message']}", len(rows), 1)
        counts[rows[0]] += 1
    for i, row in enumerate(ROWS):
        same(f"{tree}: {row[:4]}", counts[i], row[4][which])
    print(f"{tree}: {len(found)} findings, as found by hand in {len(counts)} groups")


def shown(finding: dict[str, Any]) -> str:
    return "\n".join([finding["path"], finding["message"], *finding.get("details", [])])


def change_numbers(memsize: Path, tree: Path, work: Path) -> None:
    """One number of one file of a copy, at random: there is a finding more, and it names that file."""
    random.seed(tree.name)
    places = []
    for pattern, number in NUMBERS.items():
        for path in sorted(tree.glob(f"platform/*/rtos/**/{pattern}")):
            matches = list(number.finditer(path.read_text(encoding="utf-8", errors="replace")))
            places += [(path, match.span(1), match.group(1)) for match in matches]
    changed = 0
    for path, (begin, end), text in random.sample(places, CHANGES):
        soc = path.relative_to(tree).parts[1]
        with tempfile.TemporaryDirectory(dir=work) as folder:
            copy = Path(folder) / "platform" / soc
            shutil.copytree(tree / "platform" / soc / "rtos", copy / "rtos")
            before = set(map(shown, run(memsize, Path(folder))))
            target = copy / path.relative_to(tree / "platform" / soc)
            content = target.read_text(encoding="utf-8", errors="replace")
            target.write_text(f"{content[:begin]}{int(text, 16) + 0x1000:#x}{content[end:]}", encoding="utf-8")
            after = set(map(shown, run(memsize, Path(folder))))
            check(any(each.startswith(str(target)) for each in after - before), f"{path}: {text} + 0x1000 is not found")
            changed += 1
    print(f"{tree}: {changed} numbers of {len(places)} changed, each found")


def body(context: Context) -> str:
    total = 0
    for tree in trees():
        script = tree / "platform" / "j722s" / "rtos" / "gen_linker_mem_map.py"
        known = TREES.get(hashlib.sha256(script.read_bytes()).hexdigest()) if script.exists() else None
        found = run(context.memsize, tree)
        total += len(found)
        if known is None:
            print(f"{tree}: {len(found)} findings; nobody has looked at this tree by hand")
        else:
            compare(tree, known, found)
        change_numbers(context.memsize, tree, context.work)
    return f"{total} findings"


if __name__ == "__main__":
    main(__doc__, body)
