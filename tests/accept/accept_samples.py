"""The sample projects, built against an installed memsize: with CMake (Ninja and make), with GNU make, and linked with it.

A map that is out of date stops the build where it is only checked, and is written where it is not; a second
build does nothing, and nothing that would not change gets another time.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from support import (MIB, SOURCE, TRACE, Context, check, main, read, same, times_of, tool)

GENERATORS = ("Ninja", "Unix Makefiles")
FILES = 15
# The application note's case: what its trace needs, rounded up to the SDK's step (samples/j722s-mobilenet).
PERSISTENT, SCRATCH = 10 * MIB, 5 * MIB
LARGER = "c7x_2_ddr_scratch_size=9MiB"
# The largest persistent record (KiB), and 4000 KiB more of it.
RECORD, GROWN = "4381.13", "8381.13"


def run(command: list[object], folder: Path) -> subprocess.CompletedProcess[str]:
    """What make is told by whoever runs this test is not for the builds here."""
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith(("MAKE", "MFLAGS", "MEMSIZE"))}
    return subprocess.run([str(word) for word in command], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=300, env={**environment, "NO_COLOR": "1", "LC_ALL": "C"})


def must(command: list[object], folder: Path) -> str:
    done = run(command, folder)
    output = done.stdout + done.stderr
    check(done.returncode == 0, f"{' '.join(map(str, command))}: exit {done.returncode}\n{output[-3000:]}")
    return output


def must_stop(command: list[object], folder: Path, *words: str) -> str:
    done = run(command, folder)
    output = done.stdout + done.stderr
    check(done.returncode != 0, f"{' '.join(map(str, command))}: did not stop\n{output[-3000:]}")
    for word in words:
        check(word in output, f"{' '.join(map(str, command))}: does not say {word!r}\n{output[-3000:]}")
    return output


def install(context: Context) -> Path:
    """Moved afterwards: nothing may know where it was installed to."""
    first, prefix = context.work / "first", context.work / "moved" / "prefix"
    for component in ([], ["--component", "library"]):
        must(["cmake", "--install", context.options.build.resolve(), *component, "--prefix", first], context.work)
    prefix.parent.mkdir()
    first.rename(prefix)
    return prefix


def larger_trace(path: Path) -> None:
    text = read(path)
    same(f"{RECORD} in {path}", text.count(RECORD), 1)
    path.write_text(text.replace(RECORD, GROWN))


class CMakeProject:
    def __init__(self, context: Context, prefix: Path, source: Path, generator: str, name: str) -> None:
        self.source = source
        self.prefix = prefix
        self.generator = generator
        self.folder = context.work / f"{name}-{generator.split()[-1].lower()}"
        self.work = context.work
        self.map = self.folder / "memory-map"

    def configure(self, *words: object) -> str:
        return must(["cmake", "-S", self.source, "-B", self.folder, "-G", self.generator,
                     f"-DCMAKE_PREFIX_PATH={self.prefix}", *words], self.work)

    def command(self) -> list[object]:
        return ["cmake", "--build", self.folder]

    def build(self) -> str:
        return must(self.command(), self.work)

    def times(self) -> dict[str, int]:
        return {**times_of(self.map), "show_map": (self.folder / "show_map").stat().st_mtime_ns}

    def must_be_idle(self, what: str) -> None:
        before = self.times()
        output = self.build()
        check("Writing the memory map" not in output and "Building C" not in output, f"{what}: built again\n{output}")
        check(self.generator != "Ninja" or "no work to do" in output, f"{what}: there was work\n{output}")
        same(f"{what}: times", self.times(), before)


def sizes(program: Path) -> list[int]:
    return [int(line.split()[-2]) for line in must([program], program.parent).splitlines()]


def check_writing(context: Context, prefix: Path, generator: str, trace: Path) -> CMakeProject:
    project = CMakeProject(context, prefix, SOURCE / "samples" / "cmake-project", generator, "show")
    project.configure(f"-DMAP_TRACE={trace}")
    project.build()
    same("files of the map", len(times_of(project.map)), FILES)
    same("sizes that were compiled in", sizes(project.folder / "show_map"), [PERSISTENT, SCRATCH])
    project.must_be_idle(f"{generator}: a second build")

    # The same trace at another time: memsize has to look, and finds nothing to change.
    before = project.times()
    os.utime(trace)
    output = project.build()
    check("Writing the memory map" in output, f"{generator}: a newer trace is not looked at\n{output}")
    check("Building C" not in output, f"{generator}: compiled although the map is the same\n{output}")
    same(f"{generator}: times after a newer trace", project.times(), before)
    project.must_be_idle(f"{generator}: after a newer trace")

    larger_trace(trace)
    project.build()
    after = project.times()
    persistent, scratch = sizes(project.folder / "show_map")
    check(persistent >= PERSISTENT + 3 * MIB and scratch == SCRATCH,
          f"{generator}: sizes after a larger trace: {persistent}, {scratch}")
    check(after["show_map"] != before["show_map"], f"{generator}: not compiled again")
    same(f"{generator}: time of a file that is the same", after["mcu1_0/mpu.syscfg"], before["mcu1_0/mpu.syscfg"])
    project.must_be_idle(f"{generator}: after a larger trace")

    project.configure(f"-DMAP_SET={LARGER}")
    project.build()
    same("scratch with SET", sizes(project.folder / "show_map")[1], 9 * MIB)
    project.must_be_idle(f"{generator}: after SET")
    return project


def check_checking(context: Context, prefix: Path, written: CMakeProject, trace: Path) -> None:
    generator = written.generator
    project = CMakeProject(context, prefix, written.source, generator, "check")
    words = [f"-DMAP_TRACE={trace}", "-DMAP_CHECK=ON", f"-DMAP_DIR={written.map}"]
    header = written.map / "app_mem_map.h"

    # Of the same trace, but not of the same --set.
    project.configure(*words)
    before = times_of(written.map)
    must_stop(project.command(), context.work, str(header), "emit.stale")
    check(not (project.folder / "show_map").exists(), f"{generator}: built with a map that is out of date")
    project.configure(f"-DMAP_SET={LARGER}")
    project.build()
    project.build()
    same(f"{generator}: times after checking", times_of(written.map), before)

    # Looked at each time: by hand nothing gets newer that the build knows of.
    text = read(header)
    header.write_text(text.replace("#define", "#define ", 1))
    must_stop(project.command(), context.work, str(header), "emit.stale")
    header.write_text(text)
    project.build()

    shutil.copy(TRACE, trace)
    project.configure("-DMAP_SET=")
    must_stop(project.command(), context.work, str(header), "emit.stale")
    written.configure("-DMAP_SET=")
    written.build()
    project.build()
    same("sizes after the refresh", sizes(project.folder / "show_map"), [PERSISTENT, SCRATCH])
    larger_trace(trace)
    must_stop(project.command(), context.work, str(header), "emit.stale")
    written.build()
    project.build()
    shutil.copy(TRACE, trace)


def check_late_trace(context: Context, prefix: Path, generator: str) -> None:
    """A trace that is not there yet when the build is configured."""
    late = context.work / f"late-{generator.split()[-1]}.log"
    project = CMakeProject(context, prefix, SOURCE / "samples" / "cmake-project", generator, "late")
    project.configure(f"-DMAP_TRACE={late}")
    must_stop(project.command(), context.work, late.name)
    shutil.copy(TRACE, late)
    project.build()
    same("sizes of a late trace", sizes(project.folder / "show_map"), [PERSISTENT, SCRATCH])
    project.must_be_idle(f"{generator}: after a late trace")


PROJECT_LIST = """cmake_minimum_required(VERSION 3.19)
project(budgeted LANGUAGES C)
find_package(memsize 0.1 REQUIRED COMPONENTS program)
add_executable(show_map main.c)
memsize_emit(TARGET show_map PROJECT evm/memsize.toml)
target_include_directories(show_map PRIVATE ${MEMSIZE_EMIT_DIR})
"""


def check_project_file(context: Context, prefix: Path, generator: str) -> None:
    """Everything from a project file, which also says what Linux may lose."""
    source = context.work / f"budgeted-source-{generator.split()[-1]}"
    (source / "evm").mkdir(parents=True)
    (source / "CMakeLists.txt").write_text(PROJECT_LIST)
    shutil.copy(SOURCE / "samples" / "cmake-project" / "main.c", source)
    shutil.copy(TRACE, source / "evm" / "trace.log")
    file = source / "evm" / "memsize.toml"

    def write(reserved: str, more: str = "") -> None:
        file.write_text(f'board = "j722s-sdk11"\ntraces = ["trace.log"]\nout = "map"\n{more}'
                        f'[budget]\nreserved = "{reserved}"\n')

    write("1200MiB")
    project = CMakeProject(context, prefix, source, generator, "budgeted")
    project.map = source / "evm" / "map"
    project.configure()
    project.build()
    same("sizes of a project", sizes(project.folder / "show_map"), [PERSISTENT, SCRATCH])
    project.must_be_idle(f"{generator}: a project file")

    write("1100MiB")
    before = times_of(project.map)
    must_stop(project.command(), context.work, "memsize.toml:5:12", "emit.budget", "1131 MiB", "1100 MiB")
    same("times after a budget", times_of(project.map), before)
    write("1200MiB")
    project.build()

    # A trace that only the project names.
    larger_trace(source / "evm" / "trace.log")
    project.build()
    check(sizes(project.folder / "show_map")[0] >= PERSISTENT + 3 * MIB, f"{generator}: a project's trace is not seen")
    shutil.copy(TRACE, source / "evm" / "trace.log")

    write("1200MiB", f'[set]\n{LARGER.replace("=", " = " + chr(34))}"\n')
    project.build()
    same("sizes of a changed project", sizes(project.folder / "show_map"), [PERSISTENT, 9 * MIB])
    write("1200MiB", "tigth = true\n")
    must_stop(project.command(), context.work, "memsize.toml:4:1", "did you mean 'tight'?")


SDK_LIST = """cmake_minimum_required(VERSION 3.19)
project(in_place LANGUAGES NONE)
find_package(memsize REQUIRED COMPONENTS program)
set_target_properties(memsize::program PROPERTIES
  IMPORTED_LOCATION "${CMAKE_SOURCE_DIR}/stub" IMPORTED_LOCATION_RELEASE "${CMAKE_SOURCE_DIR}/stub"
  IMPORTED_LOCATION_DEBUG "${CMAKE_SOURCE_DIR}/stub" IMPORTED_LOCATION_NOCONFIG "${CMAKE_SOURCE_DIR}/stub")
add_custom_target(firmware ALL)
memsize_emit(TARGET firmware BOARD b SDK sdk LINUX kernel SET one=1MiB two=2MiB FLAGS --keep)
memsize_emit(TARGET firmware BOARD b SIZING s.json SDK sdk CHECK)
memsize_emit(TARGET firmware BOARD ./b.toml DRAM 4GiB OUT some ONLY dts html CHECK)
memsize_emit(TARGET firmware BOARD p PLAN a.json ./b.json DATA w RULES r.yaml STAGE auto m=4KiB OUT module CHECK)
memsize_emit(TARGET firmware PROJECT evm/memsize.toml)
"""


def check_words(context: Context, prefix: Path) -> None:
    """What memsize_emit() hands on, told by a program in memsize's place."""
    source = context.work / "in-place"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(SDK_LIST)
    (source / "stub").write_text(
        f'#!/bin/sh\necho "$@" >> "{source}/words"\ncase "$*" in\n'
        '*--project*--json) echo \'{"sdk": "tree", "files": []}\' ;;\n*--json) exit 1 ;;\nesac\n')
    (source / "stub").chmod(0o755)
    (source / "evm").mkdir()
    (source / "evm" / "memsize.toml").write_text("")
    project = CMakeProject(context, prefix, source, "Ninja", "in-place")
    project.configure()
    # Of a folder the files are asked for; of an SDK tree there is nothing to ask.
    some = f"--board {source / 'b.toml'} --dram 4GiB --out {project.folder / 'some'} --only dts,html --no-project"
    project_file = f"--project {source / 'evm' / 'memsize.toml'}"
    module = (f"--board p --out {project.folder / 'module'} --data {source / 'w'} --rules {source / 'r.yaml'} "
              f"--plan {source / 'a.json'} --plan {source / 'b.json'} --stage auto --stage m=4KiB --no-project")
    same("words of the configuration", read(source / "words"),
         f"emit {some} --diff --json\nemit {module} --diff --json\nemit {project_file} --diff --json\n")
    (source / "words").unlink()
    project.build()
    sdk, kernel = source / "sdk", source / "kernel"
    wanted = [f"emit --board b --sdk {sdk} --linux {kernel} --set one=1MiB --set two=2MiB --no-project "
              "--keep",
              f"emit --board b --sizing {source / 's.json'} --sdk {sdk} --no-project --check",
              f"emit {some} --check", f"emit {module} --check", f"emit {project_file}"]
    same("words", sorted(read(source / "words").splitlines()), sorted(wanted))
    project.build()
    same("words of a second build", sorted(read(source / "words").splitlines()[5:]), sorted(wanted[1:4]))


MISUSES = {
    "memsize_emit(TARGET nothing BOARD j722s)": "TARGET must name a target",
    "memsize_emit(TARGET t)": "give BOARD a board",
    "memsize_emit(TARGET t BOARD j772s)": "did you mean 'j722s'?",
    "memsize_emit(TARGET t BOARD j722s TRACES a.log)": "unknown arguments: TRACES",
    "memsize_emit(TARGET t BOARD j722s TRACE a.log SIZING b.json)": "TRACE excludes SIZING",
    "memsize_emit(TARGET t BOARD j722s PLAN a.json TRACE b.log)": "PLAN excludes TRACE, SIZING and SDK",
    "memsize_emit(TARGET t BOARD j722s PLAN a.json SIZING b.json)": "PLAN excludes TRACE, SIZING and SDK",
    "memsize_emit(TARGET t BOARD j722s PLAN a.json SDK b)": "PLAN excludes TRACE, SIZING and SDK",
    "memsize_emit(TARGET t BOARD apollo3p DATA a.tflite)": "--data",
    "memsize_emit(TARGET t BOARD apollo3p PLAN a.json DATA)": "these need a value: DATA",
    "memsize_emit(TARGET t BOARD j722s OUT a SDK b)": "OUT excludes SDK",
    "memsize_emit(TARGET t BOARD j722s SDK a ONLY dts)": "ONLY excludes SDK",
    "memsize_emit(TARGET t BOARD j722s LINUX a)": "LINUX requires SDK",
    "memsize_emit(TARGET t BOARD)": "these need a value: BOARD",
    "memsize_emit(TARGET t BOARD j722s SET nothing=1MiB)": "has no knob 'nothing'",
}


def check_misuses(context: Context, prefix: Path) -> None:
    source = context.work / "misuse"
    source.mkdir()
    for call, message in MISUSES.items():
        (source / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.19)\nproject(misuse LANGUAGES NONE)\n"
            f"find_package(memsize REQUIRED COMPONENTS program)\nadd_custom_target(t ALL)\n{call}\n")
        done = run(["cmake", "-S", source, "-B", source / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}"],
                   context.work)
        said = " ".join(done.stderr.split())
        check(done.returncode != 0 and message in said, f"{call}: {said}")


# Without a language nothing can link the library; of another size of pointers it is another machine's.
PACKAGES = {
    ("NONE", "8", "REQUIRED COMPONENTS program"): "",
    ("NONE", "8", "0.1 REQUIRED"): "",
    ("NONE", "", "REQUIRED COMPONENTS library"): "no language is enabled that could link it",
    ("C", "4", "REQUIRED COMPONENTS program"): "",
    ("C", "4", "REQUIRED COMPONENTS program library"): "it was built for another machine",
    ("NONE", "", "REQUIRED COMPONENTS nn"): "no language is enabled that could link it",
    ("C", "4", "REQUIRED COMPONENTS nn"): "component 'nn' of memsize: it was built for another machine",
    ("C", "8", "REQUIRED COMPONENTS nn"): "",
    ("C", "8", "REQUIRED COMPONENTS gui"): "component 'gui' of memsize: there is none of that name",
    ("C", "8", "0.2 REQUIRED"): "compatible with requested version",
}


def check_package(context: Context, prefix: Path) -> None:
    source = context.work / "package"
    source.mkdir()
    for number, ((language, pointer, words), message) in enumerate(PACKAGES.items()):
        (source / "CMakeLists.txt").write_text(
            f"cmake_minimum_required(VERSION 3.19)\nproject(package LANGUAGES {language})\n"
            f"set(CMAKE_SIZEOF_VOID_P {pointer})\nfind_package(memsize {words})\n"
            "if(NOT TARGET memsize::program OR NOT COMMAND memsize_emit)\n"
            "  message(FATAL_ERROR \"no program\")\nendif()\n")
        done = run(["cmake", "-S", source, "-B", source / f"build{number}", "-G", "Ninja",
                    f"-DCMAKE_PREFIX_PATH={prefix}"], context.work)
        said = " ".join(done.stderr.split())
        check((done.returncode == 0) == (message == "") and message in said, f"find_package(memsize {words}): {said}")


def check_make(context: Context, prefix: Path) -> None:
    samples = context.work / "samples"
    shutil.copytree(SOURCE / "samples", samples)
    folder = samples / "make-project"
    out, program, project = folder / "memory-map", folder / "show_map", folder / "memsize.toml"
    make: list[object] = ["make", f"MEMSIZE_PREFIX={prefix}"]

    def times() -> dict[str, int]:
        return {**times_of(out), "show_map": program.stat().st_mtime_ns}

    must_stop([*make, "MAP=check"], folder, "memory-map/app_mem_map.h", "emit.stale")
    must(make, folder)
    same("sizes with make", sizes(program), [PERSISTENT, SCRATCH])
    before = times()
    must(make, folder)
    must([*make, "MAP=check"], folder)
    same("times with make", times(), before)

    text = read(project)
    project.write_text(text + f'[set]\n{LARGER.replace("=", " = " + chr(34))}"\n')
    must_stop([*make, "MAP=check"], folder, "memory-map/app_mem_map.h", "emit.stale")
    shown = must([*make, "memsize-diff"], folder)
    check("+#define DDR_C7X_2_SCRATCH_SIZE (0x00900000u)" in shown, f"no difference shown: {shown}")
    same("times after showing a difference", times(), before)
    must(make, folder)
    same("sizes after a change with make", sizes(program), [PERSISTENT, 9 * MIB])
    must([*make, "MAP=check"], folder)

    before = times()
    project.write_text(text.replace("24MiB", "16MiB"))
    must_stop(make, folder, "memsize.toml:10:9", "emit.budget", "19 MiB", "16 MiB")
    same("times after a budget with make", times(), before)
    must_stop([*make, "memsize-revert"], folder, "MEMSIZE_SDK must name the SDK tree")

    # Without a project: everything from variables, also such as are set behind the include.
    bare = context.work / "bare"
    bare.mkdir()
    (bare / "Makefile").write_text(
        f"-include {prefix}/share/memsize/memsize.mk\nMEMSIZE_BOARD := j722s-sdk11\nMEMSIZE_TRACE := {TRACE}\n"
        f"MEMSIZE_SET := {LARGER} c7x_1_ddr_scratch_size=8MiB\nMEMSIZE_OUT := map\nMEMSIZE_FLAGS := --only c-header\n"
        "first:\n\t@echo the first goal\n")
    check(must(["make"], bare) == "the first goal\n", "memsize.mk took the default goal")
    must(["make", "memsize-emit"], bare)
    header = read(bare / "map" / "app_mem_map.h")
    check("DDR_C7X_2_SCRATCH_SIZE (0x00900000u)" in header and "DDR_C7X_1_SCRATCH_SIZE (0x00800000u)" in header,
          "MEMSIZE_SET was not handed on")
    plans = SOURCE / "samples" / "plans" / "helia"
    (bare / "Makefile").write_text(
        f"include {prefix}/share/memsize/memsize.mk\nMEMSIZE_BOARD := apollo3p\nMEMSIZE_OUT := module\nMEMSIZE_DATA := bytes\n"
        f"MEMSIZE_PLAN := {plans}/wake_residency.json {plans}/aot_operator_manifest.json\nMEMSIZE_RULES := rules.yaml\n")
    words = must(["make", "-n", "memsize-emit"], bare)
    check(f"emit --board apollo3p --plan {plans}/wake_residency.json --plan {plans}/aot_operator_manifest.json --data bytes "
          "--rules rules.yaml --out module" in " ".join(words.split()), f"the words of a module: {words}")


TYPED = f"--board j722s-sdk11 --dram 8GiB --set {LARGER} --set c7x_1_ddr_scratch_size=8MiB"
MARGINS = "--headroom 20% --instances apart --tight"
EVERYTHING = """board = "j722s-sdk11"
dram = "8GiB"
traces = ["one.log"]
headroom = "20%"
instances = "apart"
tight = true
[set]
c7x_2_ddr_scratch_size = "9MiB"
c7x_1_ddr_scratch_size = "8MiB"
"""
SDK = SOURCE / "tests" / "fixtures" / "sdk.disagree" / "header-by-hand"


def check_as_typed(context: Context) -> None:
    """What a project says does what typing it does, for each verb that reads one."""
    folder = context.work / "as-typed"
    (folder / "tree").mkdir(parents=True)
    shutil.copy(TRACE, folder / "one.log")
    (folder / "memsize.toml").write_text(EVERYTHING)
    (folder / "tree" / "memsize.toml").write_text(f'board = "{SDK}/board.toml"\nsdk = "{SDK}/sdk"\n')
    out = "memsize-out/j722s-sdk11"
    pairs = [
        (folder, "emit --diff", f"emit --diff {TYPED} {MARGINS} --trace one.log"),
        (folder, "emit", f"emit {TYPED} {MARGINS} --trace one.log"),
        (folder, "emit --json --check --headroom 0",
         f"emit --json --check {TYPED} --instances apart --tight --headroom 0 --trace one.log"),
        (folder, "emit --diff --set c7x_2_ddr_scratch_size=7MiB --dram 4GiB",
         "emit --diff --board j722s-sdk11 --dram 4GiB --set c7x_2_ddr_scratch_size=7MiB "
         f"--set c7x_1_ddr_scratch_size=8MiB {MARGINS} --trace one.log"),
        (folder, "analyze", f"analyze {TYPED} {MARGINS} one.log"),
        (folder, "analyze --board j722s", f"analyze {TYPED.replace('-sdk11', '')} {MARGINS} one.log"),
        (folder, "check", f"check --map {out} --board j722s-sdk11 --dram 8GiB --log one.log"),
        (folder / "tree", "check --json", f"check --json --sdk {SDK}/sdk --board {SDK}/board.toml"),
        (folder / "tree", "check --soc zx9", f"check --soc zx9 --sdk {SDK}/sdk"),
        (folder / "tree", "why RINGS", f"why RINGS --sdk {SDK}/sdk --board {SDK}/board.toml"),
        (folder / "tree", f"why RINGS --board {SDK}/board.toml", f"why RINGS --board {SDK}/board.toml"),
    ]
    differences = run([context.memsize, "emit", "--diff"], folder).stdout
    # Of the page only that it is another one.
    shown = differences.count("+++ ") + len(re.findall(r"^Files .* differ$", differences, re.M))
    check(shown == FILES, "a project's differences are not all there")
    must([context.memsize, *f"emit {TYPED} {MARGINS} --trace one.log --no-project".split()], folder)
    for where, short, typed in pairs:
        done = [run([context.memsize, *words.split()], where) for words in (f"{typed} --no-project", short)]
        shown = [(one.returncode, one.stdout.replace('"memsize.toml",', "").split(), one.stderr) for one in done]
        check("--diff" in typed or len(done[0].stdout) > 100, f"memsize {typed}: {done[0].stdout}{done[0].stderr}")
        same(f"memsize {short}", shown[1], shown[0])
    # It has no word for each margin: it answers for the map that emit wrote.
    wrote = next(each for each in json.loads(read(folder / out / "memory_map.json"))["regions"]
                 if each["name"] == "DDR_C7X_2_SCRATCH" and each["kind"] == "region")
    said = run([context.memsize, "why", "DDR_C7X_2_SCRATCH"], folder).stdout
    start = int(wrote["physical"], 16)
    check(f"[0x{start:X}, 0x{start + wrote['size_bytes']:X}) on the bus" in said, f"why in a project: {wrote}\n{said}")


def check_library(context: Context, prefix: Path) -> None:
    """A program that links memsize writes and says what memsize itself does."""
    build, mine, theirs = (context.work / name for name in ("library", "library-map", "program-map"))
    must(["cmake", "-S", SOURCE / "samples" / "library", "-B", build, "-G", "Ninja",
          f"-DCMAKE_PREFIX_PATH={prefix}"], context.work)
    must(["cmake", "--build", build], context.work)
    program = build / "size_map"
    said = must([program, "j722s-sdk11", TRACE, mine], context.work)
    must([context.memsize, "emit", "--board", "j722s-sdk11", "--trace", TRACE, "--out", theirs], context.work)
    written = {path: (theirs / path).read_bytes() for path in times_of(theirs)}
    same("files of the library", {path: (mine / path).read_bytes() for path in times_of(mine)}, written)
    analysis = must([context.memsize, "analyze", TRACE, "--board", "j722s-sdk11", "--json"], context.work)
    wanted = [f"{demand['region']}: {demand['suggested_bytes']} bytes" for core in json.loads(analysis)["cores"]
              for demand in core["demands"]]
    same("sizes of the library", said.splitlines(), [*wanted, f"{len(written)} files in {mine}"])

    # A second run changes nothing; what is wrong is told with its place and what to do, and with memsize's exit status.
    before = times_of(mine)
    must([program, "j722s-sdk11", TRACE, mine], context.work)
    same("times after a second run", times_of(mine), before)
    for words, status, message in (
            (("j772s", TRACE, mine), 2, "did you mean 'j722s'?"),
            (("j722s-sdk11", context.work / "none.log", mine), 1, f"{context.work / 'none.log'}: "),
            (("j722s", TRACE, mine), 1, "for the SDK of the trace: board j722s-sdk11")):
        done = run([program, *words], context.work)
        check(done.returncode == status and message in done.stderr, f"{words}: {done.returncode}, {done.stderr}")
    same("times after failures", times_of(mine), before)


def body(context: Context) -> str:
    tools = [tool("cmake"), tool("ninja"), tool("make"), tool("cc", "gcc"), tool("c++", "g++")]
    prefix = install(context)
    for generator in GENERATORS:
        trace = context.work / f"trace-{generator.split()[-1]}.log"
        shutil.copy(TRACE, trace)
        written = check_writing(context, prefix, generator, trace)
        check_checking(context, prefix, written, trace)
        check_late_trace(context, prefix, generator)
        check_project_file(context, prefix, generator)
    check_words(context, prefix)
    check_misuses(context, prefix)
    check_package(context, prefix)
    check_library(context, prefix)
    check_make(context, prefix)
    check_as_typed(context)
    return f"the samples build with {', '.join(GENERATORS)} and GNU make ({len(tools)} tools)"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--build", required=True, type=Path, help="what to install")


if __name__ == "__main__":
    main(__doc__, body, arguments)
