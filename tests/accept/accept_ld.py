"""GNU ld accepts every core's regions: each can be filled to its last byte, and not one word more."""

import re
import subprocess
from pathlib import Path

from compare import linker_of
from expected import resized
from facts import BOARDS, Board, load_board
from support import MIB, Context, LinkerRegion, check, main, same, same_keys, tool

WORD = 4


def memory_block(regions: dict[str, LinkerRegion]) -> str:
    lines = []
    for name, region in regions.items():
        attributes = f" ({region.attributes.lower()})" if region.attributes else ""
        lines.append(f"  {name}{attributes} : ORIGIN = {region.origin:#x}, LENGTH = {region.length:#x}")
    return "MEMORY\n{\n" + "\n".join(lines) + "\n}\n"


def script(regions: dict[str, LinkerRegion], padding: str) -> str:
    """One section a region, with one word and then the given padding."""
    lines = [f"  .s{index} (NOLOAD) : {{ *(.bss.r{index}) {padding.format(name=name)} }} > {name}"
             for index, name in enumerate(regions)]
    return memory_block(regions) + "SECTIONS\n{\n" + "\n".join(lines) + "\n  /DISCARD/ : { *(*) }\n}\n"


class Linker:
    def __init__(self, work: Path) -> None:
        self.work = work
        self.compiler, self.ld, self.readelf = tool("gcc", "cc", "clang"), tool("ld"), tool("readelf")

    def object_for(self, count: int) -> Path:
        source, target = self.work / f"words{count}.c", self.work / f"words{count}.o"
        source.write_text("".join(f'__attribute__((section(".bss.r{index}"), used)) unsigned int word{index};\n'
                                  for index in range(count)), encoding="utf-8")
        done = subprocess.run([self.compiler, "-c", "-o", str(target), str(source)], capture_output=True, text=True,
                              timeout=60)
        check(done.returncode == 0, f"{self.compiler}: {done.stderr}")
        return target

    def link(self, text: str, count: int) -> tuple[subprocess.CompletedProcess[str], Path]:
        file, output = self.work / "map.ld", self.work / "linked"
        file.write_text(text, encoding="utf-8")
        output.unlink(missing_ok=True)
        done = subprocess.run([self.ld, "-e", "0", "-T", str(file), "-o", str(output), str(self.object_for(count))],
                              capture_output=True, text=True, timeout=60)
        return done, output

    def sections(self, output: Path) -> dict[int, tuple[int, int]]:
        """Address and size of each .s<n>."""
        done = subprocess.run([self.readelf, "-SW", str(output)], capture_output=True, text=True, timeout=60)
        check(done.returncode == 0, f"{self.readelf}: {done.stderr}")
        pattern = r"\]\s+\.s(\d+)\s+\w+\s+([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)\s"
        return {int(found[1]): (int(found[2], 16), int(found[3], 16)) for found in re.finditer(pattern, done.stdout)}


def check_fits(linker: Linker, what: str, regions: dict[str, LinkerRegion],
               expected: dict[str, tuple[int, int]]) -> None:
    """A word goes to the start of each region; then each region is filled: ld rejects overlaps by itself."""
    for padding, filled in (("", False), (f". += LENGTH({{name}}) - {WORD};", True)):
        done, output = linker.link(script(regions, padding), len(regions))
        check(done.returncode == 0, f"ld on {what}: {done.stderr[:2000]}")
        sections = linker.sections(output)
        same(f"{what}: sections", sorted(sections), list(range(len(regions))))
        for index, name in enumerate(regions):
            origin, length = expected[name]
            same(f"{what}: section in {name}", sections[index], (origin, length if filled else WORD))


def check_overflows(linker: Linker, what: str, regions: dict[str, LinkerRegion]) -> None:
    """A word more than a region has is an error, for each region."""
    done, _ = linker.link(script(regions, ". += LENGTH({name});"), len(regions))
    check(done.returncode != 0, f"ld on {what}: overfull regions were linked")
    full = re.findall(r"region [`'](\w+)' overflowed by (\d+) bytes", done.stderr)
    same_keys(f"{what}: regions that ld found overfull", dict(full), regions)
    same(f"{what}: overflow", {int(size) for _, size in full}, {WORD})


def check_board(linker: Linker, board: Board, out: Path) -> int:
    count = 0
    for core in board.cores:
        what = f"{board.name} {core}/{board.linker_files[core]}"
        regions = linker_of(board, out, core)
        expected = {name: (region.origin, region.length) for name, region in board.linker(core).items()}
        same_keys(what, regions, expected)
        check(all(region.length >= 2 * WORD for region in regions.values()), f"{what}: a region too small to test")
        check_fits(linker, what, regions, expected)
        check_overflows(linker, what, regions)
        count += len(regions)
    return count


def check_shrunk(context: Context, linker: Linker, name: str) -> int:
    knobs = {"c7x_1_ddr_local_heap_size": 10 * MIB, "c7x_2_ddr_scratch_non_cacheable_size": 4096}
    settings = [word for knob, size in knobs.items() for word in ("--set", f"{knob}={size}")]
    out = context.emit(name, context.work / f"{name}-shrunk", *settings)
    return check_board(linker, resized(load_board(name), knobs), out)


def body(context: Context) -> str:
    linker = Linker(context.work)
    boards = [board for board in map(load_board, BOARDS) if not board.partial]
    count = sum(check_board(linker, board, context.emit(board.name, context.work / board.name)) for board in boards)
    count += sum(check_shrunk(context, linker, name) for name in ("j722s", "j722s-sdk11"))
    maps = sum(len(board.cores) for board in boards) + 8
    return f"{count} regions of {maps} linker maps filled to the last byte, each overflow found"


if __name__ == "__main__":
    main(__doc__, body)
