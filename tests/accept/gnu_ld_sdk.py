"""What SECTIONS of an SDK's own linker scripts say, against the regions that linker.ld gives the same sections."""

import re
from pathlib import Path
from typing import Mapping

from support import check, read, without_comments

VARIABLE = "MEMSIZE_TI_SDK"
TOKEN = re.compile(r'[{}()<>=,|]|"[^"]*"|[^\s{}()<>=,|"]+')
WORDS = {"load", "run", "align", "palign", "type", "fill", "start", "end", "size", "table", "block", "run_start", "run_end",
         "run_size", "load_start", "load_end", "load_size"}
# Boards of a part whose scripts are of another operating system than FreeRTOS end in its name.
SYSTEMS = {"safertos": "safertos"}
# Where linker.ld puts a section elsewhere, and why.
DEVIATIONS = {
    ".vectors": "programs of any compiler begin at address 0; the SDK's loader copies or starts them from elsewhere",
    ".freertosrstvectors": "one older script puts them before the rest of its TCM, which has a region for them now",
    ".cinit": "what TI's compilers initialise data from: two cores of some parts have it in their TCM",
}


class Script:
    """The sections of a TI linker command file: name and the region where they run."""

    def __init__(self, text: str) -> None:
        self.tokens = TOKEN.findall(without_comments(text))
        begin = next(index for index in range(len(self.tokens)) if self.tokens[index:index + 2] == ["SECTIONS", "{"])
        self.sections = self.members(begin + 2, self.closing(begin + 1))

    def closing(self, at: int) -> int:
        depth = 0
        while True:
            depth += {"{": 1, "}": -1}.get(self.tokens[at], 0)
            if depth == 0:
                return at
            at += 1

    def members(self, at: int, end: int) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        while at < end:
            name = self.tokens[at].rstrip(":")
            begin = at = at + 1
            inner: list[tuple[str, str]] = []
            if name in ("GROUP", "UNION"):
                while self.tokens[at] != "{":
                    at += 1
                inner = self.members(at + 1, self.closing(at))
                head, begin = self.region(self.tokens[begin:at]), self.closing(at) + 1
                at = self.attributes(begin, end)
                shared = head or self.region(self.tokens[begin:at])
                found += [(member, region or shared) for member, region in inner]
            else:
                at = self.attributes(at, end)
                found.append((name, self.region(self.tokens[begin:at])))
        return found

    def attributes(self, at: int, end: int) -> int:
        while at < end:
            token = self.tokens[at]
            if token == "{":
                at = self.closing(at) + 1
            elif token == "(":
                at = self.tokens.index(")", at) + 1
            elif token in (">", "="):
                at += 3 if self.tokens[at + 1] == ">" else 2
            elif token in (":", ",", "NOINIT") or token.lower() in WORDS:
                at += 1
            else:
                break
        return at

    @staticmethod
    def region(tokens: list[str]) -> str:
        depth, found = 0, ""
        for index, token in enumerate(tokens):
            depth += {"{": 1, "}": -1}.get(token, 0)
            if depth == 0 and index and not found and (
                    tokens[index - 1] == ">" or (tokens[index - 1] == "=" and tokens[index - 2].lower() == "run")):
                found = token if token != ">" else ""
        return found


def scripts_of(root: Path, board: str, core: str) -> list[Path]:
    """Those of a core for the board's operating system, the newer ones last."""
    soc, _, system = board.partition("-")
    if system not in ("", *SYSTEMS):
        return []
    system = SYSTEMS.get(system, "freertos")
    folder = root / "platform" / soc / "rtos" / core
    return sorted(folder.glob(f"{soc}_linker_{system}*.cmd"))


def check_sdk(cores: dict[tuple[str, str], tuple[str, dict[str, str], set[str]]], environment: Mapping[str, str]) -> str:
    """`cores`: the region of code and data, the region of each section that has its own, and all regions."""
    # The boards are of the first: older SDKs put some sections elsewhere.
    named = [Path(name) for name in environment.get(VARIABLE, "").split(":")[:1] if name]
    roots = [folder for name in named for folder in (name / "vision_apps", name) if (folder / "platform").is_dir()]
    if not roots:
        return f"{VARIABLE} names no Processor SDK to compare with"
    count, wrong = 0, []
    for (board, core), (code, placed, regions) in cores.items():
        expected: dict[str, str] = {}
        for path in [path for root in roots for path in scripts_of(root, board, core)]:
            expected.update(dict(Script(read(path)).sections))
        for name, region in expected.items():
            # A line of the script without a place, or one whose region this board's maps do not have.
            if region not in regions:
                continue
            ours = placed.get(name, code)
            count += 1
            if ours != region and name not in DEVIATIONS:
                wrong.append(f"{board} {core}: {name} goes to {ours}, the SDK's to {region}")
    check(not wrong, "\n".join(wrong[:40]))
    return f"{count} placements as in the SDK's own scripts"
