"""emit --plan: a module by gcc and clang, for this machine, a Cortex-M4 and a Cortex-M55, in C and for C++; its numbers against
heliaAOT's report, its bytes against the model; linked by scripts of the vendor's shape, by its own and with its fragment, and
judged by check --images. Its contract is tried by an application that is written here, from the published recipes."""

import itertools
import json
import random
import re
import struct
import subprocess
from pathlib import Path
from typing import Any

from firmware import CPU, Firmware, output, symbols_of
from support import SOURCE, Context, check, main, parse_json, read, read_json, same, tool

HELIA = SOURCE / "samples" / "plans" / "helia"
PLANS = ("--plan", HELIA / "wake_residency.json", "--plan", HELIA / "aot_operator_manifest.json")
MODEL = SOURCE / "samples" / "plans" / "tflite" / "kws_ref_model.tflite"
PARTS = ("apollo510", "apollo330p", "apollo4p", "apollo3p")
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
ROLES = {"scratch": "", "persistent": "persistent_", "constant": "const_"}

# Prints each macro of each arena, and the tables.
NUMBERS = """
#include <stdio.h>
#include "wake_model.h"
int main(void) {
  for (size_t i = 0; i < wake_num_arena_buffers; ++i) {
    printf("%zu %zu %zu\\n", i, wake_arena_sizes[i], wake_arena_alignments[i]);
  }
  for (size_t i = 0; i < wake_num_tensors; ++i) {
    printf("%s %d %zu %zu\\n", wake_tensors[i].id, (int)wake_tensors[i].arena, wake_tensors[i].offset, wake_tensors[i].size);
  }
%s  return 0;
}
"""

# What the recipes promise, in the order of this file's reading of them.
CONTRACT = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "my_module_model.h"
#define SAME(what, is) do { const long a = (long)(what), b = (long)(is); \\
  if (a != b) { printf("%d: " #what " is %ld, not %ld\\n", __LINE__, a, b); ++wrong; } } while (0)
static int wrong;
static int inits, runs, calls, fails_at = -1;
static int32_t on_init(struct my_module_model_context *ctx, int32_t id) {
  SAME(ctx->user_data == &inits, 1); SAME(my_module_is_hydrated(), HYDRATES); SAME(id, 100 + inits); ++inits; return 0; }
static int32_t on_run(struct my_module_model_context *ctx, int32_t id) { (void)ctx; ++runs; return id == fails_at ? 77 : 0; }
static void on_state(int32_t op, my_module_operator_state_t state, int32_t status, void *user_data) {
  SAME(user_data == &inits, 1);
  SAME(op, 100 + calls / 2);
  SAME(state, calls % 2 == 0 ? my_module_op_state_run_started : my_module_op_state_run_finished);
  SAME(status, state == my_module_op_state_run_finished && op == fails_at ? 77 : 0);
  ++calls;
}
static const my_module_operator_t table[] = {{100, on_init, on_run}, {101, on_init, on_run}, {102, on_init, NULL}};
static my_module_model_context_t ctx;
static int copies;
#if STRONG
static void dma_copy_blocking(void *dst, const void *src, size_t size) { memcpy(dst, src, size); ++copies; }
int32_t my_module_hydrate_constants(my_module_model_context_t *ctx) {
    for (size_t i = 0; i < my_module_num_constant_blobs; ++i) {
        const my_module_constant_blob_t *b = &my_module_constant_blobs[i];
        void *dst = (void *)ctx->arena_buffers[b->arena];
        dma_copy_blocking(dst, b->source, b->size);
    }
    if (HYDRATES) my_module_mark_hydrated();
    return 0;
}
#endif
static uint8_t *take(size_t at) {
  const size_t align = my_module_arena_alignments[at];
  uint8_t *all = malloc(my_module_arena_sizes[at] + 2 * align);
  return all + align - (uintptr_t)all % align;
}
int main(void) {
  enum { N = my_module_num_arena_buffers };
  void *buffers[N]; size_t sizes[N];
  for (size_t i = 0; i < N; ++i) { buffers[i] = take(i); sizes[i] = my_module_arena_sizes[i]; }
  ctx.callback = on_state; ctx.user_data = &inits; ctx.operators = table; ctx.num_operators = 3;
  SAME(my_module_model_run(&ctx), 200);
#if EXTERNAL
  SAME(my_module_context_init(&ctx) != 0, 1);
  SAME(my_module_model_init(&ctx) != 0, 1);
#endif
  SAME(my_module_bind_arena((my_module_arena_region_t)N, NULL, 0), 1);
  SAME(my_module_bind_arena((my_module_arena_region_t)0, NULL, 0), 2);
  SAME(my_module_bind_arena((my_module_arena_region_t)0, (uint8_t *)buffers[0] + 1, sizes[0] - 1), 3);
  SAME(my_module_bind_arena((my_module_arena_region_t)0, (uint8_t *)buffers[0] + 1, sizes[0]), 4);
  SAME(my_module_bind_arenas(buffers, sizes, N - 1) != 0, 1);
  SAME(my_module_bind_arenas(buffers, sizes, N + 1) != 0, 1);
  --sizes[N - 1];
  SAME(my_module_bind_arenas(buffers, sizes, N), 3);
  ++sizes[N - 1];
#if EXTERNAL
  for (size_t i = 0; i < N; ++i) {
    SAME(my_module_bind_arena((my_module_arena_region_t)i, buffers[i], sizes[i]), 0);
    SAME(my_module_context_init(&ctx) != 0, i + 1 != N);
  }
#endif
  SAME(my_module_context_init(&ctx), 0);
  SAME(my_module_model_run(&ctx), 200);
  memset(ctx.arena_buffers[my_module_arena_persistent_dtcm], 0x5a, my_module_arena_persistent_dtcm_size);
  SAME(my_module_model_init(&ctx), 0);
  SAME(inits, 3); SAME(runs, 0); SAME(my_module_is_hydrated(), HYDRATES);
  SAME(my_module_model_run(&ctx), HYDRATES ? 0 : 200);
  if (!HYDRATES) { my_module_mark_hydrated(); SAME(my_module_model_run(&ctx), 0); }
  SAME(calls, 6); SAME(runs, 2);
  const uint8_t *const kept = ctx.arena_buffers[my_module_arena_persistent_dtcm];
  for (size_t i = 0; i < my_module_arena_persistent_dtcm_size; ++i) SAME(kept[i], 0);
  for (size_t i = 0; i < my_module_num_constant_blobs; ++i)
    SAME(memcmp(ctx.arena_buffers[my_module_constant_blobs[i].arena], my_module_constant_blobs[i].source,
                my_module_constant_blobs[i].size), 0);
#if !STRONG
  ctx.arena_buffers[my_module_arena_const_dtcm][0] ^= 0xff;
  SAME(my_module_hydrate_constants(&ctx), 0);
  SAME(ctx.arena_buffers[my_module_arena_const_dtcm][0] == my_module_constant_blobs[0].source[0], 0);
  my_module_clear_hydrated();
  SAME(my_module_is_hydrated(), 0); SAME(my_module_model_run(&ctx), 200);
  SAME(my_module_hydrate_constants(&ctx), 0);
  SAME(ctx.arena_buffers[my_module_arena_const_dtcm][0] == my_module_constant_blobs[0].source[0], 1);
#endif
  my_module_mark_hydrated();
  SAME(my_module_bind_arena((my_module_arena_region_t)0, ctx.arena_buffers[0], sizes[0]), 0);
  SAME(my_module_is_hydrated(), 1);
  SAME(my_module_bind_arena((my_module_arena_region_t)0, take(0), sizes[0]), 0);
  SAME(my_module_is_hydrated(), 0); SAME(my_module_model_run(&ctx), 200);
  calls = 0; fails_at = 101; my_module_mark_hydrated();
  SAME(my_module_model_run(&ctx), 77);
  SAME(calls, 4);
  SAME(strcmp(my_module_memsize_envelope_hash, MY_MODULE_PLAN_HASH), 0);
  SAME(STRONG ? copies > 0 : 1, 1);
  return wrong != 0;
}
"""

CPLUSPLUS = """
#include "wake_model.h"
static_assert(wake_num_arena_buffers == 4 && wake_arena_dtcm == 0 && wake_arena_const_mram == 3, "regions");
int use(wake_model_context_t& ctx) { return wake_model_init(&ctx) + wake_is_hydrated(); }
"""


def build(command: list[str], what: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    check(done.returncode == 0 and not done.stderr, f"{what}: {' '.join(command)}:\n{done.stderr[:2000]}")


def data_folder(context: Context) -> tuple[Path, dict[str, bytes]]:
    """Bytes of each constant of the sample, half of them as NumPy writes them."""
    folder = context.work / "data"
    folder.mkdir()
    dice = random.Random(22)
    constants = {}
    for tensor in read_json(HELIA / "wake_residency.json")["tensors"]:
        if tensor["role"] != "constant":
            continue
        name, size = tensor["id"], tensor["size"]
        constants[name] = dice.randbytes(size)
        if int(name) % 2:
            (folder / f"{name}.bin").write_bytes(constants[name])
        else:
            header = f"{{'descr': '|i1', 'fortran_order': False, 'shape': ({size},), }}".encode()
            header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
            (folder / f"{name}.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
                                                 + constants[name])
    return folder, constants


def arena_bytes(report: dict[str, Any], constants: dict[str, bytes], memory: str) -> bytes:
    size = next(arena["total_size"] for arena in report["arenas"]["constant"] if arena["memory"] == memory)
    content = bytearray(size)
    for tensor in report["tensors"]:
        if tensor["role"] == "constant" and tensor["memory"] == memory:
            content[tensor["offset"]:tensor["offset"] + tensor["size"]] = constants[tensor["id"]]
    return bytes(content)


def sources_of(folder: Path) -> list[str]:
    return [str(path) for path in sorted((folder / "src").glob("*.c"))]


def check_numbers(context: Context, folder: Path, constants: dict[str, bytes]) -> None:
    """A compiler's numbers against the report that the module was made of."""
    wanted = read_json(HELIA / "wake_residency.json")
    report = read_json(folder / "wake_residency.json")
    same("the report's tensors", sorted(map(json.dumps, report["tensors"])), sorted(map(json.dumps, wanted["tensors"])))
    arenas = sorted(((arena["region_id"], role, arena) for role in ROLES for arena in wanted["arenas"][role]),
                    key=lambda row: row[0])
    lines = [f"{region} {arena['total_size']} {arena['alignment']}" for region, _, arena in arenas]
    regions = {(role, arena["memory"]): region for region, role, arena in arenas}
    lines += [f"{tensor['id']} {regions[tensor['role'], tensor['memory']]} {tensor['offset']} {tensor['size']}"
              for tensor in wanted["tensors"]]
    macros = ""
    for region, role, arena in arenas:
        name = f"wake_arena_{ROLES[role]}{arena['memory']}"
        macros += f'  printf("%d %d %d\\n", (int){name}, {name}_size, {name}_alignment);\n'
        lines.append(f"{region} {arena['total_size']} {arena['alignment']}")
    program = context.work / "numbers"
    program.with_suffix(".c").write_text(NUMBERS.replace("%s  return", macros + "  return"))
    build([tool("gcc"), "-std=c99", *STRICT, f"-I{folder / 'inc'}", f"{program}.c", *sources_of(folder), "-o", str(program)],
          "numbers")
    same("numbers", output(program).split("\n")[:-1], lines)
    for memory in ("dtcm", "mram"):
        same(f"{memory}: blob", (folder / f"wake_arena_const_{memory}__blob.bin").read_bytes(),
             arena_bytes(wanted, constants, memory))
    objects = context.work / "constants.o"
    build([tool("arm-none-eabi-gcc"), "-mcpu=cortex-m4", "-mthumb", "-c", f"-I{folder / 'inc'}",
           str(folder / "src" / "wake_constants.c"), "-o", str(objects)], "constants")
    for memory, symbol in (("dtcm", "wake_arena_const_dtcm__source"), ("mram", "wake_arena_const_mram_buffer")):
        dump = context.work / f"{symbol}.bin"
        build([tool("arm-none-eabi-objcopy"), "-O", "binary", "-j", ".rodata", str(objects), str(dump)], "objcopy")
        at, size = symbols_of(objects)[symbol]
        same(f"{symbol}: bytes", dump.read_bytes()[at:at + size], arena_bytes(wanted, constants, memory))


def compilers() -> list[tuple[str, list[str]]]:
    gcc, clang = tool("arm-none-eabi-gcc"), tool("clang", "clang-14")
    found = [("gcc", [tool("gcc")]), ("clang", [clang])]
    for cpu in ("cortex-m4", "cortex-m55"):
        found += [(f"gcc {cpu}", [gcc, f"-mcpu={cpu}", "-mthumb"]),
                  (f"clang {cpu}", [clang, "--target=arm-none-eabi", f"-mcpu={cpu}", "-mthumb"])]
    return found


def check_compilers(context: Context, folders: list[Path]) -> int:
    count = 0
    for (name, command), folder in itertools.product(compilers(), folders):
        for flags in (["-O0"], ["-O2"], ["-Os"], ["-O2", "-flto"], ["-O2", "-DWAKE_OWN_SECTIONS"]):
            objects = []
            for source in sources_of(folder):
                objects.append(str(context.work / f"{Path(source).stem}.o"))
                build([*command, "-std=c99", "-ffreestanding", *STRICT, *flags, f"-I{folder / 'inc'}", "-c", source, "-o",
                       objects[-1]], f"{name} {flags}")
            count += 1
            if "-flto" in flags:
                continue
            defined, wanted = set(), set()
            for line in output(tool("nm"), *objects).splitlines():
                row = re.fullmatch(r"([0-9a-f]*) +(\w) (\S+)", line)
                if row:
                    (wanted if row[2] == "U" else defined).add(row[3])
            outside = wanted - defined - {"__aeabi_memcpy", "__aeabi_memclr", "__aeabi_memset", "__aeabi_memclr8",
                                          "__aeabi_memclr4", "__aeabi_unwind_cpp_pr0", "__aeabi_unwind_cpp_pr1"}
            check(outside <= {"memcpy", "memset"}, f"{name} {flags}: the module needs {sorted(outside)}")
    source = context.work / "use.cpp"
    source.write_text(CPLUSPLUS)
    for compiler in (tool("g++"), tool("clang++", "clang++-14")):
        build([compiler, "-std=c++20", *STRICT, f"-I{folders[0] / 'inc'}", "-c", str(source), "-o", f"{source}.o"], compiler)
    return count


def check_contract(context: Context, data: Path) -> int:
    """The recipes' own sequences, with weak and strong hydration, arenas of the module and of the application."""
    count = 0
    for external in (0, 1):
        folder = context.emit("corstone-300", context.work / f"contract-{external}", *PLANS, "--data", data, "--prefix",
                              "my_module", *(["--external"] if external else []))
        program = context.work / "contract"
        program.with_suffix(".c").write_text(CONTRACT)
        for strong, hydrates in ((0, 1), (1, 1), (1, 0)):
            for compiler in (tool("gcc"), tool("clang", "clang-14")):
                for level in ("-O0", "-O2"):
                    build([compiler, "-std=c99", level, "-g", f"-DEXTERNAL={external}", f"-DSTRONG={strong}",
                           f"-DHYDRATES={hydrates}", f"-I{folder / 'inc'}", f"{program}.c", *sources_of(folder), "-o",
                           str(program)], "the contract's application")
                    done = subprocess.run([program], capture_output=True, text=True, timeout=60)
                    check(done.returncode == 0, f"external {external}, strong {strong}, hydrates {hydrates}, {compiler} "
                                                f"{level}: {done.stdout[:2000]}")
                    count += 1
    return count


MAIN = """
#include "wake_model.h"
__attribute__((section(".stack"), used)) static uint32_t stack[64];
static wake_model_context_t ctx;
void *memcpy(void *to, const void *from, size_t size) {
  for (size_t i = 0; i < size; ++i) ((volatile uint8_t *)to)[i] = ((const uint8_t *)from)[i];
  return to; }
void *memset(void *to, int value, size_t size) {
  for (size_t i = 0; i < size; ++i) ((volatile uint8_t *)to)[i] = (uint8_t)value;
  return to; }
void __aeabi_memcpy(void *to, const void *from, size_t size) { memcpy(to, from, size); }
void __aeabi_memclr(void *to, size_t size) { memset(to, 0, size); }
void __aeabi_memclr8(void *to, size_t size) { memset(to, 0, size); }
void Reset_Handler(void) { for (;;) { if (wake_model_init(&ctx) == 0) wake_model_run(&ctx); } }
__attribute__((section(".isr_vector"), used)) const void *const vectors[] = {stack + 64, (const void *)Reset_Handler};
"""


def other_plan(context: Context, folder: Path, part: str, elf: Path) -> list[str]:
    """What is said of the image where the report beside it is of another envelope."""
    report = read_json(folder / "wake_residency.json")
    report["arenas"]["persistent"][0]["alignment"] = 64
    for key in [key for key in report if key.startswith("memsize_")]:
        del report[key]
    path = context.work / "other.json"
    path.write_text(json.dumps(report))
    written = context.emit(part, context.work / f"other-{part}", "--plan", path)
    done = context.run("check", written / "wake_residency.json", "--board", part, "--images", elf, "--json", expect=1)
    return [each["code"] for each in parse_json(done.stdout, "check")["diagnostics"] if each["severity"] == "error"]


def check_images(context: Context, folders: dict[str, Path]) -> int:
    """Firmware by both linkers: every symbol is where the plan has it."""
    program = context.work / "firmware.c"
    program.write_text(MAIN)
    count = 0
    for part, folder in folders.items():
        vendor = context.work / f"{part}.ld"
        script = Firmware(part).linker_script()
        vendor.write_text(script)
        fragment = context.work / f"{part}-fragment.ld"
        at = script.index(".heap (NOLOAD)" if ".heap (NOLOAD)" in script else ".ARM.attributes")
        fragment.write_text(f"{script[:at]}INCLUDE {folder / 'wake_sections.ld'}\n{script[at:]}")
        scripts = {"vendor": (vendor, []), "fragment": (fragment, ["-DWAKE_OWN_SECTIONS"]),
                   "own": (folder / "linker.ld", []), "own sections": (folder / "linker.ld", ["-DWAKE_OWN_SECTIONS"])}
        for (name, (file, flags)), toolchain in itertools.product(scripts.items(), ("gcc", "clang")):
            compiler = ([tool("arm-none-eabi-gcc"), "-Wl,--no-warn-rwx-segments"] if toolchain == "gcc" else
                        [tool("clang", "clang-14"), "--target=arm-none-eabi", "-fuse-ld=lld"])
            elf = context.work / f"{part}-{name.split()[0]}-{toolchain}.elf"
            build([*compiler, f"-mcpu={CPU[part]}", "-mthumb", "-mfloat-abi=soft", "-Os", "-ffreestanding", "-nostdlib",
                   "-fno-unwind-tables", *flags, f"-I{folder / 'inc'}", str(program), *sources_of(folder),
                   "-Wl,-n", "-Wl,-e,Reset_Handler", "-T", str(file), "-o", str(elf)],
                  f"{part} {name} {toolchain}")
            done = context.run("check", folder / "wake_residency.json", "--board", part, "--images", elf, "--json",
                               expect=(0, 1))
            # The report alone does not say when each of its blocks is alive.
            found = [(each["code"], each["message"]) for each in parse_json(done.stdout, "check")["diagnostics"]
                     if each["severity"] != "note" and each["code"] != "plan.unplanned"]
            same(f"{part}, {name}, {toolchain}: findings", found, [])
            if name == "own":
                check("image.hash" in other_plan(context, folder, part, elf), f"{part}, {toolchain}: of another plan")
            count += 1
    return count


def check_refusals(context: Context, folder: Path, data: Path, constants: dict[str, bytes]) -> None:
    """The same again writes nothing; what somebody changed is not lost; data that are not the plan's are told."""
    again = ("emit", "--board", "apollo510", *PLANS, "--data", data, "--out", folder)
    check(" 0 files written, " in context.run(*again).stdout, "a second emit writes")
    context.run(*again, "--check")
    header = folder / "inc" / "wake_model.h"
    text = read(header)
    header.write_text(text.replace("#define", "/* mine */ #define", 1))
    context.run(*again, "--check", expect=1)
    check("mine" in context.run(*again, "--diff").stdout, "--diff does not show the change")
    check("somebody changed" in context.run(*again, expect=1).stderr, "a change by hand is lost")
    context.run(*again, "--force")
    same("forced", read(header), text)
    refused = context.run(*again, "--prefix", "other", expect=1).stderr
    check("this folder has module 'wake'" in refused, f"two modules in one folder: {refused}")
    short = context.work / "short"
    short.mkdir()
    for name, content in constants.items():
        (short / f"{name}.bin").write_bytes(content[:-1] if name == "4" else content)
    (short / "11.bin").unlink()
    said = context.run("emit", "--board", "apollo510", *PLANS, "--data", short, "--out", "nowhere", expect=1).stderr
    check("emit.data" in said and "'4' has 72 B in the plan and 71 B in the data" in said and "no bytes of 1 constant: 11"
          in said, said)
    check(not (context.work / "nowhere").exists(), "something was written")


def check_model(context: Context) -> None:
    """A .tflite alone is planned, and is its own data."""
    folder = context.emit("apollo330p", context.work / "kws", "--plan", MODEL, "--data", MODEL, "--stage", "auto")
    report = read_json(folder / "kws_ref_model_residency.json")
    model = MODEL.read_bytes()
    blobs = {arena["memory"]: (folder / f"kws_ref_model_arena_const_{arena['memory']}__blob.bin").read_bytes()
             for arena in report["arenas"]["constant"]}
    check(len(blobs) == 2, f"constants are in {sorted(blobs)}")
    for tensor in report["tensors"]:
        if tensor["role"] == "constant":
            # A flatbuffer has them in one piece.
            content = blobs[tensor["memory"]][tensor["offset"]:tensor["offset"] + tensor["size"]]
            check(len(content) == tensor["size"] and content in model, f"constant {tensor['id']}: other bytes")
    for name, command in compilers()[2:]:
        for source in sources_of(folder):
            build([*command, "-std=c99", "-ffreestanding", *STRICT, "-O2", f"-I{folder / 'inc'}", "-c", source, "-o",
                   str(context.work / "kws.o")], f"{name}: {source}")


# No two give one name, some would be names that the header has, and none may end a literal or a comment.
HOSTILE = ['a"b', "a\\b", "*/ #error 1 /*", "/*", "what??/", "??=", "\\0777", "%s{{prefix}}", "\u00e9\u202e\U0001f600", "\t\x1b[0m",
           "//", "t", "data", "view_t", "1", "int", "a" * 200]

HOSTILE_PROGRAM = """
#include <stdio.h>
#include "hostile_model.h"
int main(void) {
  for (size_t i = 0; i < hostile_num_tensors; ++i) {
    for (const char* at = hostile_tensors[i].id; *at != 0; ++at) printf("%02x", (unsigned char)*at);
    printf(" %zu\\n", hostile_tensors[i].offset);
  }
  return 0;
}
"""


def check_hostile(context: Context) -> None:
    """Names that would end a literal, a comment or an identifier come back as they were."""
    plan = context.work / "hostile.json"
    blocks = [{"id": name, "name": f"{name}*/??/", "memory": "dtcm", "role": "scratch", "lower": 0, "upper": 1, "size": 16,
               "offset": 16 * at} for at, name in enumerate(HOSTILE)]
    plan.write_text(json.dumps({"schema": "memsize.plan/1", "planner": "*/ ??/", "arenas": [], "blocks": blocks}))
    folder = context.emit("corstone-300", context.work / "hostile", "--plan", plan, "--prefix", "hostile")
    program = context.work / "hostile-program"
    program.with_suffix(".c").write_text(HOSTILE_PROGRAM)
    for compiler in (tool("gcc"), tool("clang", "clang-14")):
        build([compiler, "-std=c99", *STRICT, f"-I{folder / 'inc'}", f"{program}.c", *sources_of(folder), "-o", str(program)],
              "a hostile plan")
        same(f"{compiler}: ids", output(program).splitlines(),
             [f"{name.encode().hex()} {16 * at}" for at, name in enumerate(HOSTILE)])
    for compiler in (tool("g++"), tool("clang++", "clang++-14")):
        build([compiler, "-std=c++20", *STRICT, f"-I{folder / 'inc'}", "-fsyntax-only", "-x", "c++",
               str(folder / "inc" / "hostile_model.h")] + (["-Wno-pragma-once-outside-header"] if "clang" in compiler else []),
              "a hostile header in C++")


def body(context: Context) -> str:
    data, constants = data_folder(context)
    folders = {part: context.emit(part, context.work / part, *PLANS, "--data", data) for part in (*PARTS, "corstone-300")}
    external = context.emit("apollo510", context.work / "external", *PLANS, "--data", data, "--external")
    check_numbers(context, folders["apollo510"], constants)
    compiled = check_compilers(context, [folders["apollo510"], folders["apollo3p"], external])
    contracts = check_contract(context, data)
    images = check_images(context, {part: folders[part] for part in PARTS})
    check_refusals(context, folders["apollo510"], data, constants)
    check_model(context)
    check_hostile(context)
    return f"{compiled} builds, {contracts} applications of the contract, {images} images"


if __name__ == "__main__":
    main(__doc__, body)
