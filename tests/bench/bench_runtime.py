"""Sizes of the embedded runtime's parts, for both kinds of cores and with both compilers: code, constants, memory."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TARGET = Path(__file__).resolve().parents[2] / "src" / "runtime" / "target"
# As src/runtime/image.cpp compiles them.
OPTIONS = ("-std=c11 -O2 -ffreestanding -fno-pic -fno-stack-protector -fno-unwind-tables "
           "-fno-asynchronous-unwind-tables -Wall -Wextra").split()
CORES = {
    "a64": (["clang", "--target=aarch64-none-elf"], ["aarch64-linux-gnu-gcc"],
            ["-mgeneral-regs-only", "-mstrict-align"]),
    "r5f": (["clang", "--target=arm-none-eabi"], ["arm-none-eabi-gcc"],
            ["-mcpu=cortex-r5", "-marm", "-mfloat-abi=soft", "-mno-unaligned-access"]),
}


def sources(core: str) -> list[Path]:
    """The parts that every image has, then those of this core: its start and what it needs of the machine."""
    return [*sorted(TARGET.glob("*.c")), *sorted((TARGET / core).glob("*.[cS]"))]


def sizes(command: list[str], source: Path, core: str, work: Path, size: str) -> tuple[int, int, int]:
    """text, data, bss in bytes: Berkeley's way, which counts constants as text."""
    made = work / "part.o"
    subprocess.run([*command, f"-I{TARGET}", f"-I{TARGET / core}", "-c", str(source), "-o", str(made)], check=True)
    figures = subprocess.run([size, str(made)], check=True, capture_output=True, text=True).stdout.splitlines()[1]
    text, data, bss = figures.split()[:3]
    return int(text), int(data), int(bss)


def main() -> int:
    size = shutil.which("size")
    if size is None:
        print("binutils is not there: the runtime's sizes are not measured")
        return 0
    compilers = [(core, name, [*command, *OPTIONS, *options])
                 for core, (clang, gcc, options) in CORES.items()
                 for name, command in (("clang", clang), ("gcc", gcc)) if shutil.which(command[0])]
    if not compilers:
        print("no cross compiler is there: the runtime's sizes are not measured")
        return 0
    print("Embedded runtime, bytes of text, data and bss (-O2)\n")
    print(f"{'':14}" + "".join(f"{core + ', ' + name:>24}" for core, name, _ in compilers))
    print(f"{'part':14}" + f"{'text':>8}{'data':>8}{'bss':>8}" * len(compilers))
    totals = [[0, 0, 0] for _ in compilers]
    with tempfile.TemporaryDirectory(prefix="memsize-bench-") as folder:
        of_core = {core: {part.stem: part for part in sources(core)} for core in CORES}
        # Common parts first: those of one core's own are in its folder.
        names = [part.stem for part in sorted(TARGET.glob("*.c"))]
        names += sorted({name for parts in of_core.values() for name in parts} - set(names))
        for name in names:
            cells = ""
            for row, (core, _, command) in enumerate(compilers):
                part = of_core[core].get(name)
                if part is None:
                    cells += f"{'-':>8}" * 3
                    continue
                found = sizes(command, part, core, Path(folder), size)
                totals[row] = [total + one for total, one in zip(totals[row], found)]
                cells += "".join(f"{one:8}" for one in found)
            print(f"{name:14}{cells}")
    print(f"{'all':14}" + "".join(f"{one:8}" for total in totals for one in total))
    return 0


if __name__ == "__main__":
    sys.exit(main())
