"""The conformance cases of memory domains as an image on an emulated A64 core, under translation tables: the same cases, runs and
results as in a process, without pools. Built by clang and lld and by gcc and GNU ld; nothing of a library is linked.
"""

import subprocess
from pathlib import Path

from accept_runtime_qemu import COMPILERS, FREESTANDING, MAIR, OPTIONS, TABLES, TARGET, TCR, WB, a64_tables, read_elf
from nn_cases import CASES, build_process, case_sources, numbers_of, reference_sources
from support import Context, check, main, same, tool

MIB = 1 << 20
MEMORY = 64 * MIB
# Virtual base, physical base, size, attribute, other bits.
CODE = (0x110000000, 0x1000000, 8 * MIB, WB, 0)
LINK = """ENTRY(_start)
PHDRS { code PT_LOAD FLAGS(5); data PT_LOAD FLAGS(6); }
SECTIONS
{
  . = 0x110000000;
  .startup : { __image_start = .; *(.startup .startup.*) } :code
  .vectors : { *(.vectors) } :code
  .text : { *(.text .text.*) } :code
  .rodata : { *(.rodata .rodata.*) } :code
  .data : ALIGN(4096) { *(.data .data.*) } :data
  .bss (NOLOAD) : { __bss_start = .; *(.bss .bss.* COMMON) __bss_end = .; __image_end = .; } :data
  .stack (NOLOAD) : ALIGN(64) { __stack_start = .; . = . + 128K; __stack_end = .; } :data
  ASSERT(. <= 0x110800000, "it does not fit")
  /DISCARD/ : { *(.comment) *(.note.*) *(.eh_frame*) }
}
"""


def build(work: Path, toolchain: str) -> Path:
    command = COMPILERS["a64", toolchain]
    words, script = work / f"{toolchain}.c", work / "image.ld"
    words.write_text(f'#include "boot.h"\nconst struct memsize_boot memsize_boot = {{.table = {TABLES:#x}, .mair = {MAIR:#x}, '
                     f".tcr = {TCR:#x}}};\nconst uint64_t memsize_map_words[] = {{0}};\n")
    script.write_text(LINK)
    include = [f"-I{TARGET}", f"-I{TARGET / 'a64'}", f"-I{TARGET / 'nn'}", f"-I{CASES}"]
    # Without floats, as everywhere before they are switched on; then what has floats.
    plain = [TARGET / "a64" / "start.S", *sorted((TARGET / "a64").glob("*.c")), TARGET / "semihosting.c", TARGET / "memory.c", words]
    floats = [*reference_sources(), *case_sources(), CASES / "image.c"]
    objects = []
    for sources, options in ((plain, OPTIONS["a64"]), (floats, ["-mstrict-align", "-mno-outline-atomics"])):
        for source in sources:
            made = work / f"{toolchain}-{source.name}.o"
            compile_words = [word for word in FREESTANDING if not word.startswith("-Wl,") and word != "-static"]
            compile_words += [word for word in command[1:] if not word.startswith(("-fuse-ld", "-no-pie", "-Wl,"))]
            run([tool(command[0]), *compile_words, *options, *include, "-c", source, "-o", made])
            objects.append(made)
    image = work / f"{toolchain}.elf"
    run([tool(command[0]), *command[1:], *FREESTANDING, "-T", script, *objects, "-o", image])
    return image


def run(words: list[object]) -> None:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120)
    said = done.stdout + done.stderr
    check(done.returncode == 0 and not said, f"{' '.join(str(word) for word in words[-3:])}: status {done.returncode}\n{said[:4000]}")


def run_image(work: Path, toolchain: str, path: Path) -> str:
    image = read_elf(path)
    memory = work / f"{toolchain}.memory"
    with open(memory, "wb") as file:
        file.truncate(MEMORY)
        for segment in image.segments:
            file.seek(segment.base - CODE[0] + CODE[1])
            file.write(segment.data)
            # What was there before must not show.
            file.write(b"\xA5" * (segment.size - len(segment.data)))
        file.seek(TABLES)
        file.write(a64_tables((CODE,)))
    done = subprocess.run(
        [tool("qemu-system-aarch64"), "-machine", "none,memory-backend=r", "-cpu", "cortex-a53", "-m", f"{MEMORY // MIB}M",
         "-object", f"memory-backend-file,id=r,size={MEMORY},mem-path={memory},share=on", "-nic", "none", "-display", "none",
         "-serial", "none", "-monitor", "none", "-chardev", "stdio,id=report", "-semihosting-config",
         "enable=on,target=native,chardev=report,arg=fw", "-device",
         f"loader,addr={image.entry - CODE[0] + CODE[1]:#x},cpu-num=0"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    check(done.returncode == 0, f"{toolchain}: status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    same(f"{toolchain}: standard error", done.stderr, "")
    return done.stdout


def body(context: Context) -> str:
    tool("qemu-system-aarch64")
    process = build_process(context.work, tool("cc", "gcc"), ["-O1"])
    wanted = subprocess.run([str(process)], capture_output=True, text=True, timeout=120)
    check(wanted.returncode == 0, f"the cases fail in a process: {wanted.stdout[-2000:]}")
    for toolchain in ("clang", "gcc"):
        same(f"{toolchain}: what the image says", run_image(context.work, toolchain, build(context.work, toolchain)), wanted.stdout)
    cases, runs, _ = numbers_of(wanted.stdout)
    return f"{cases} cases, {runs} runs on an emulated core as in a process, built by clang and by gcc"


if __name__ == "__main__":
    main(__doc__, body)
