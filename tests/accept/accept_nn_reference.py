"""The reference of memory domains as a process: its cases and its pools, built by two compilers without a warning and run under
sanitizers; and as the library that is installed, linked by a driver's test in C, and by C++.
"""

import argparse
import subprocess
from pathlib import Path

from nn_cases import CASES, HOST, INCLUDE, REFERENCE, build, build_process, case_sources, numbers_of, reference_sources
from support import SOURCE, Context, check, main, same, tool

SAMPLE = SOURCE / "samples" / "nn-driver" / "driver_test.c"
STRICT = ["-Wpedantic", "-Wsign-conversion", "-Wstrict-prototypes", "-Wmissing-prototypes", "-ffreestanding"]
HEADERS = ("buffers.h", "domains.h", "pools.h", "request.h")
# The lists of the vendor's test suite and of the NDK's tests.
LISTS = {"A": 16, "C": 7, "E": 11, "N": 8}


def run(*words: object, expect: int = 0) -> str:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300)
    check(done.returncode == expect, f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-3000:]}")
    return done.stdout


def check_lists() -> None:
    text = (CASES / "cases.c").read_text()
    for letter, last in LISTS.items():
        missing = [f"{letter}{number}" for number in range(1, last + 1) if f'"{letter}{number}"' not in text]
        check(not missing, f"no case for {' '.join(missing)}")


def check_objects(work: Path, compiler: str) -> None:
    """Each source alone, as a core without a library compiles it; nothing of a library but memory's four functions is called."""
    called = set()
    for source in reference_sources():
        made = work / f"{source.stem}.o"
        build(made, compiler, [*STRICT, "-O2", "-c"], [source])
        called |= {line.split()[-1] for line in run(tool("nm"), "-u", made).splitlines()}
    called = {name for name in called if not name.startswith("ms_nn_")}
    check(called <= {"memcpy", "memset", "memmove", "memcmp", "_GLOBAL_OFFSET_TABLE_"}, f"{compiler}: it calls {sorted(called)}")


def check_installed(context: Context) -> None:
    prefix = context.work / "prefix"
    if context.options.build is None:
        objects = []
        (prefix / "include" / "memsize" / "nn").mkdir(parents=True)
        (prefix / "lib").mkdir()
        for folder in (REFERENCE, HOST):
            for name in HEADERS:
                if (folder / name).is_file():
                    (prefix / "include" / "memsize" / "nn" / name).write_text((folder / name).read_text())
        for source in (*reference_sources(), HOST / "pools.c"):
            objects.append(context.work / f"lib-{source.stem}.o")
            run(tool("cc", "gcc"), "-std=c11", "-O1", *INCLUDE, "-c", source, "-o", objects[-1])
        run(tool("ar"), "rcs", prefix / "lib" / "libmemsize_nn.a", *objects)
    else:
        run("cmake", "--install", context.options.build, "--component", "library", "--prefix", prefix)
    headers = prefix / "include" / "memsize" / "nn"
    same("headers that are installed", sorted(path.name for path in headers.iterdir()), sorted(HEADERS))
    libraries = list(prefix.rglob("libmemsize_nn.a"))
    same("libraries that are installed", len(libraries), 1)
    where = [f"-I{prefix / 'include'}", f"-L{libraries[0].parent}"]
    program = context.work / "driver_test"
    run(tool("cc", "gcc"), "-std=c11", "-Wall", "-Wextra", "-Werror", SAMPLE, *where, "-lmemsize_nn", "-o", program)
    same("what the sample finds", run(program, expect=1), "step 4, copyTo of 16 bytes: 0, should be 2\n")
    run(tool("cc", "gcc"), "-std=c11", "-DMENDED", SAMPLE, *where, "-lmemsize_nn", "-o", program)
    same("what the mended sample finds", run(program), "")
    check(30 <= len(SAMPLE.read_text().splitlines()) <= 80, "the sample is not a page")

    plus = context.work / "all.cpp"
    plus.write_text("".join(f"#include <memsize/nn/{name}>\n" for name in HEADERS) +
                    "int main() {\n  ms_nn_shape shape = {1, {3}};\n  std::uint64_t size = 0;\n"
                    "  return ms_nn_size(3, &shape, &size) == MS_NN_KNOWN && size == 12 ? 0 : 1;\n}\n")
    plus.write_text("#include <cstdint>\n" + plus.read_text())
    run(tool("c++", "g++"), "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror", plus, *where, "-lmemsize_nn", "-o", program)
    run(program)


CONSUMER = """cmake_minimum_required(VERSION 3.19)
project(driver LANGUAGES C)
find_package(memsize REQUIRED COMPONENTS nn)
if(TARGET memsize::core)
  message(FATAL_ERROR "nobody asked for the library")
endif()
add_executable(driver_test driver_test.c)
target_link_libraries(driver_test PRIVATE memsize::nn)
"""


def check_package(context: Context) -> None:
    """A project in C, on a machine that has nothing of what the library of the program needs."""
    source, made = context.work / "driver", context.work / "driver-build"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(CONSUMER)
    (source / "driver_test.c").write_text(SAMPLE.read_text())
    run("cmake", "--install", context.options.build, "--component", "program", "--prefix", context.work / "prefix")
    run("cmake", "-S", source, "-B", made, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={context.work / 'prefix'}",
        *(f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in ("fmt", "ZLIB", "yaml-cpp")))
    run("cmake", "--build", made)
    run(made / "driver_test", expect=1)


def body(context: Context) -> str:
    check_lists()
    numbers = set()
    for compiler in (tool("gcc"), tool("clang")):
        check_objects(context.work, compiler)
        options = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
        process = build_process(context.work, compiler, options)
        numbers.add(numbers_of(run(process)))
        pools = build(context.work / "pools", compiler, options,
                      [*reference_sources(), HOST / "pools.c", *case_sources(), CASES / "pools_main.c"])
        said = run(pools, context.work)
    same("numbers of two compilers", len(numbers), 1)
    cases, runs, failed = numbers.pop()
    same("cases that fail", failed, 0)
    check_installed(context)
    if context.options.build is not None:
        check_package(context)
    page = (SOURCE / "samples" / "docs" / "nnapi_buffers.md").read_text()
    check(f"{cases} rows, {runs} runs" in page, f"nnapi_buffers.md does not say '{cases} rows, {runs} runs'")
    return f"{cases} cases, {runs} runs; {said.strip()}; a driver's test links the library"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--build", type=Path, help="what to install; without it the library is made here")


if __name__ == "__main__":
    main(__doc__, body, arguments)
