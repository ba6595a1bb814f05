"""An MPU program that memsize never heard of is a file of words and a template: a C compiler says what its tables mean."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from support import SOURCE, Context, check, main, read_json, same, tool

# Made up, in the shape of the MCU+ SDK's MpuP_RegionConfig: no numbers, bits of their own, sizes by name.
PROGRAM = """schema = 1
title = "the made-up start-up code"
table = "kWindows"
template = "mpu-windows"
largest = "4GiB"
kept = ["reserved"]

[constant]
WINDOW_ALL_ON = 0

[field]
enable = { name = "on" }
base = { name = "from", write = "0x{x8}U" }
size = { name = "length", power = 1, write = "WINDOW_{64K}" }
disabled = { name = "off", write = "0x{x2}U", names = { WINDOW_ALL_ON = 0 } }
execute_never = { name = "no_code" }
shareable = { name = "shared" }
tex = { name = "type" }
cacheable = { name = "c" }
bufferable = { name = "b" }
"""

TEMPLATE = """/* Windows of {{core}}: {{title}}. */
#include "windows.h"

const Window kWindows[16] = {
{{#regions}}
    /* {{number}}: {{name}} */
    {
        .from = {{from}},
        .length = {{length}},
        .how = {
            .on = {{on}}, .type = {{type}}, .c = {{c}}, .b = {{b}}, .shared = {{shared}}, .no_code = {{no_code}},
            .off = {{off}},
        },
        .reserved = 0U,
    },
{{/regions}}
};
"""

NAMES = [f"{1 << bits % 10}{'KMG'[bits // 10 - 1] if bits >= 10 else ''}" for bits in range(5, 33)]
HEADER = """#include <stdint.h>
enum { %s };
#define WINDOW_ALL_ON 0U
typedef struct {
  uint32_t from;
  uint32_t length;
  struct { uint32_t on, type, c, b, shared, no_code, off; } how;
  uint32_t reserved;
} Window;
""" % ", ".join(f"WINDOW_{name} = {4 + at}" for at, name in enumerate(NAMES))

PRINTER = """#include <stdio.h>
#include "TABLE"
int main(void) {
  for (int i = 0; i < 16; ++i) {
    const Window* w = &kWindows[i];
    if (w->how.on) {
      printf("[%d, %lu, %llu, %u, %u, %u, %u, %u, %u]\\n", i, (unsigned long)w->from, 2ULL << w->length, w->how.type,
             w->how.c, w->how.b, w->how.shared, w->how.no_code, w->how.off);
    }
  }
  return 0;
}
"""


class Made:
    """Data folders with the made-up program beside those that are shipped."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.data = context.work / "data"
        for folder in ("boards", "templates"):
            shutil.copytree(SOURCE / folder, self.data / folder)
        (self.data / "boards/programs/windows.toml").write_text(PROGRAM)
        template = self.data / "templates/mpu-windows/main.tmpl"
        template.parent.mkdir()
        template.write_text(TEMPLATE)
        (self.data / "boards/own.toml").write_text('inherit = ["j721s2.toml"]\ntitle = "Another"\n\n[mpu]\nprogram = "windows"\n')
        os.environ["MEMSIZE_DATA"] = str(self.data)

    def compiled(self, table: Path) -> list[list[int]]:
        """What a C compiler makes of a table: number, base, size, TEX, C, B, S, XN, eighths off."""
        folder = self.context.work / "compile"
        folder.mkdir(exist_ok=True)
        (folder / "windows.h").write_text(HEADER)
        (folder / "main.c").write_text(PRINTER.replace("TABLE", str(table)))
        subprocess.run([tool("gcc", "cc"), "-Wall", "-Werror", "-I", folder, folder / "main.c", "-o", folder / "main"],
                       check=True)
        done = subprocess.run([folder / "main"], check=True, capture_output=True, text=True)
        return [json.loads(line) for line in done.stdout.splitlines()]


def regions_of(out: Path) -> dict[str, list[list[int]]]:
    return {each["core"]: [[one["number"], int(str(one["base"]), 0), one["size_bytes"], one["tex"], int(one["cacheable"]),
                            int(one["bufferable"]), int(one["shareable"]), int(not one["execute"]), one["disabled"]]
                           for one in each["regions"]] for each in read_json(out / "memory_map.json")["mpu"]}


def check_map(made: Made) -> int:
    """A board whose R5Fs are programmed so has the regions that it has with the PDK's table."""
    context = made.context
    own, known = context.work / "own", context.work / "known"
    context.run("emit", "--board", "own", "--out", own)
    context.run("emit", "--board", "j721s2", "--out", known)
    regions = regions_of(own)
    same("regions", regions, regions_of(known))
    check(len(regions) == 6, "J721S2 has six R5Fs")
    for core, wanted in regions.items():
        same(f"the table of {core}", made.compiled(own / core / "mpu_cfg.c"), wanted)
    context.run("check", "--map", own)
    same("a second time", context.run("emit", "--board", "own", "--out", own, "--check").returncode, 0)
    table = own / "mcu2_0/mpu_cfg.c"
    good = table.read_text()
    for find, put, code in ((".type = 0U, .c = 0U", ".type = 5U, .c = 0U", "verify"),
                            ("WINDOW_64K", "WINDOW_32K", "verify"), ("kWindows[", "kDoors[", "verify.parse"),
                            (".shared = 0U", ".shared = 7U", "verify.parse"), ("WINDOW_64K", "WINDOW_65K", "verify.parse")):
        check(find in good, f"'{find}' is not in the table")
        table.write_text(good.replace(find, put, 1))
        done = context.run("check", "--map", own, expect=1)
        check(f"error[{code}" in done.stderr or "error[mpu" in done.stderr, f"{put} is not found: {done.stderr}")
    table.write_text(good)
    return len(regions)


def check_refused(made: Made) -> None:
    """What a program's file cannot be is told where it stands."""
    file = made.data / "boards/programs/windows.toml"
    for find, put, said in (("power = 1", "power = 9", "must be from 0 to 1"), ('table = "kWindows"', "", "'table'"),
                            ("cacheable = {", "cachable = {", "cachable"), ('largest = "4GiB"', 'largest = "3GiB"', "power of two"),
                            ("schema = 1", "schema = 2", "schema = 1")):
        file.write_text(PROGRAM.replace(find, put, 1))
        done = made.context.run("emit", "--board", "own", "--out", "refused", expect=1)
        check(said in done.stderr and "windows.toml:" in done.stderr, f"{put or find}: {done.stderr}")
    file.write_text(PROGRAM)
    done = made.context.run("emit", "--board", "j721s2", "--out", "fine")
    same("another board's program", done.stderr, "")
    own = made.data / "boards/own.toml"
    own.write_text(own.read_text().replace('"windows"', '"doors"'))
    done = made.context.run("emit", "--board", "own", "--out", "refused", expect=1)
    check("program 'doors' of [mpu] is unknown" in done.stderr and "sysconfig, csl, safertos, windows" in done.stderr, done.stderr)


def windows(rows: list[list[int]]) -> str:
    """The table as a person would write it: nothing that memsize made."""
    text = '#include "windows.h"\nconst Window kWindows[16] =\n{\n'
    for _, base, size, tex, c, b, shared, no_code, off in rows:
        text += (f"    {{   /* from {base:#x} */\n        .from = {base:#010x}U,\n        .length = WINDOW_{NAMES[size.bit_length() - 6]},\n"
                 f"        .how = {{ .on = 1U, .type = {tex}U, .c = {c}U, .b = {b}U, .shared = {shared}U, .no_code = {no_code}U, "
                 f".off = {off:#04x}U }},\n        .reserved = 0U,\n    }},\n")
    return text + "};\n"


def check_tree(made: Made) -> None:
    """A tree whose R5F has such a table is checked, changed in place, and imported."""
    context = made.context
    tree = context.work / "tree"
    shutil.copytree(SOURCE / "tests/data/zx9", tree)
    folder = tree / "platform/zx9/rtos"
    table = folder / "r6/zx9_mpu_cfg.c"
    before = context.run("check", "--sdk", tree, "--soc", "zx9", "--json", expect=(0, 1)).stdout
    rows = [[0, 0, 1 << 31, 0, 0, 0, 1, 1, 0], [1, 1 << 31, 1 << 31, 1, 1, 1, 0, 0, 0], [2, 0xA5000000, 16 << 20, 1, 0, 0, 1, 1, 0]]
    table.write_text(windows(rows))
    same("what a compiler says of the table", made.compiled(table), rows)
    same("check --sdk", context.run("check", "--sdk", tree, "--soc", "zx9", "--json", expect=(0, 1)).stdout, before)
    # A region that shows less than it must is found.
    table.write_text(windows([rows[0], [1, 1 << 31, 1 << 29, 1, 1, 1, 0, 0, 0], rows[2]]))
    done = context.run("check", "--sdk", tree, "--soc", "zx9", expect=1)
    check("r6/zx9_mpu_cfg.c" in done.stderr + done.stdout, done.stderr)
    table.write_text(windows(rows))
    # Half of what a core may not cache is given back, and all of the core's windows follow.
    context.run("board", "import", "--sdk", tree, "--soc", "zx9", "-o", "mine.toml", expect=(0, 1))
    context.run("emit", "--sdk", tree, "--board", "./mine.toml", "--set", "rings_size=8MiB")
    now = made.compiled(table)
    linker = (folder / "r6/linker_mem_map.cmd").read_text()
    found = re.search(r"RINGS .*ORIGIN = (\w+) .*LENGTH = (\w+)", linker)
    check(found is not None, "the linker map has no RINGS")
    origin, length = int(found[1], 16), int(found[2], 16)
    same("the linker map's RINGS", length, 8 << 20)
    same("the windows that do not move", now[:2], rows[:2])
    same("the window of RINGS", now[2:], [[2, origin, length, 1, 0, 0, 1, 1, 0]])
    check("/* from 0x0 */" in table.read_text() and ".reserved = 0U" in table.read_text(), "what nobody asked for has changed")
    # A tree that has no other one is such a board.
    other = shutil.copytree(tree, context.work / "other") / "platform/zx9/rtos"
    (other / "r5/freertos.syscfg").unlink()
    shutil.copy(table, other / "r5/zx9_mpu_cfg.c")
    context.run("board", "import", "--sdk", context.work / "other", "--soc", "zx9", "-o", "other.toml", expect=(0, 1))
    check('program = "windows"' in (context.work / "other.toml").read_text(), "the imported board has another MPU program")
    same("after the change", context.run("check", "--sdk", tree, "--soc", "zx9", "--json", expect=(0, 1)).stdout.count("error"),
         before.count("error"))


def run(context: Context) -> str:
    made = Made(context)
    cores = check_map(made)
    check_tree(made)
    check_refused(made)
    return f"{cores} tables compiled, a tree changed, 6 mistakes told"


if __name__ == "__main__":
    main(__doc__, run)
