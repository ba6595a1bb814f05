"""A C compiler takes app_mem_map.h without a warning, and every macro has the map's value."""

import subprocess
from pathlib import Path

from compare import header_of
from facts import BOARDS, Board, load_facts
from support import MIB, Context, check, main, number, read_json, same, same_keys, tool

FLAGS = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only")
SHRUNK = {
    "c7x_1_ddr_local_heap_non_cacheable_size": 4096,
    "c7x_1_ddr_scratch_size": 7 * MIB + 12288,
    "c7x_2_ddr_local_heap_non_cacheable_size": 3 * MIB,
    "c7x_2_ddr_scratch_non_cacheable_size": MIB,
    "c7x_2_ddr_local_heap_size": 10 * MIB,
    "c7x_2_ddr_scratch_size": 5 * MIB,
}


def macros_of(board: Board, document: dict) -> dict[str, int]:
    """Of a board that is not finished the facts lack the bases."""
    macros = {name: number(value) for name, value in document["header_bases"].items()}
    same(f"{board.name}: bases", macros, macros if board.partial else board.header_bases)
    for item in document["regions"]:
        if item["in_header"]:
            add(macros, item["name"], number(item["address"]), item["size_bytes"])
    for item in document["carveouts"]:
        if item["in_header"]:
            add(macros, item["name"], number(item["physical"]), item["size_bytes"])
    return macros


def add(macros: dict[str, int], name: str, address: int, size: int) -> None:
    for macro, value in ((f"{name}_ADDR", address), (f"{name}_SIZE", size)):
        same(f"memory_map.json: {macro} of two entries", macros.setdefault(macro, value), value)


def program(macros: dict[str, int]) -> str:
    """Each macro must be usable by the preprocessor and by the compiler, and be unsigned."""
    lines = ['#include "app_mem_map.h"', '#include "app_mem_map.h"']
    for name, value in macros.items():
        lines += [f"#if {name} != {value:#x}ULL", f'#error "{name}"', "#endif",
                  f'_Static_assert({name} == {value:#x}ULL, "{name}");',
                  f'_Static_assert({name} - {name} - 1 > 0, "{name} is signed");']
    lines.append("int main(void) { return 0; }")
    return "\n".join(lines) + "\n"


def compiles(compiler: str, out: Path, text: str, work: Path) -> subprocess.CompletedProcess[str]:
    file = work / "use.c"
    file.write_text(text, encoding="utf-8")
    return subprocess.run([compiler, *FLAGS, "-I", str(out), str(file)], capture_output=True, text=True, timeout=60)


def check_header(context: Context, compiler: str, board: str, out: Path) -> int:
    macros = macros_of(load_facts(board), read_json(out / "memory_map.json"))
    same_keys("app_mem_map.h", header_of(out), macros)
    done = compiles(compiler, out, program(macros), context.work)
    check(done.returncode == 0, f"{compiler} on {out / 'app_mem_map.h'}:\n{done.stderr[:3000]}")
    wrong = dict(macros, DDR_SHARED_MEM_SIZE=macros["DDR_SHARED_MEM_SIZE"] + 1)
    check(compiles(compiler, out, program(wrong), context.work).returncode != 0, "a wrong value compiles too")
    return len(macros)


def check_shrunk(context: Context, compiler: str, board: str) -> int:
    settings = [word for knob, size in SHRUNK.items() for word in ("--set", f"{knob}={size}")]
    out = context.emit(board, context.work / f"{board}-shrunk", *settings)
    macros = header_of(out)
    for knob, size in SHRUNK.items():
        macro = knob.replace("_ddr_", "_").upper()
        same(f"{board}: DDR_{macro}", macros[f"DDR_{macro}"], size)
    return check_header(context, compiler, board, out)


def body(context: Context) -> str:
    compiler = tool("gcc", "cc", "clang")
    counts = [check_header(context, compiler, board, context.emit(board, context.work / board)) for board in BOARDS]
    counts += [check_shrunk(context, compiler, board) for board in ("j722s", "j722s-sdk11")]
    return f"{sum(counts)} macros of {len(counts)} headers, each by #if and by _Static_assert"


if __name__ == "__main__":
    main(__doc__, body)
