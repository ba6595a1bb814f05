"""validate --plan: good modules pass on this machine and on emulated Cortex-M4 and Cortex-M55, by both toolchains; modules with one
mistake each, made here in their C, do not, and the finding is of the mistake's kind. What the tool says of tensors that overlap
is held against plans that do."""

import itertools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support import SOURCE, Context, check, main, parse_json, read, same, tool

HELIA = SOURCE / "samples" / "plans" / "helia"
PLANS = ("--plan", HELIA / "wake_residency.json", "--plan", HELIA / "aot_operator_manifest.json")
MODEL = SOURCE / "samples" / "plans" / "tflite" / "kws_ref_model.tflite"
RECIPES = HELIA / "recipes"


@dataclass(frozen=True)
class Mutation:
    name: str
    code: str
    old: str
    new: str
    file: str = "model"
    external: bool = False


MUTATIONS = (
    Mutation("bind checks the size first", "module.contract",
             "  if (buffer == NULL) {\n    return WAKE_NO_BUFFER;\n  }\n  if (size < wake_arena_sizes[at]) {\n"
             "    return WAKE_TOO_SMALL;\n  }\n",
             "  if (size < wake_arena_sizes[at]) {\n    return WAKE_TOO_SMALL;\n  }\n  if (buffer == NULL) {\n"
             "    return WAKE_NO_BUFFER;\n  }\n"),
    Mutation("bind takes a region too many", "module.contract", "at >= wake_num_arena_buffers", "at > wake_num_arena_buffers"),
    Mutation("bind takes a byte too few", "module.contract", "size < wake_arena_sizes[at]", "size + 1 < wake_arena_sizes[at]"),
    Mutation("bind takes half an alignment", "module.contract", "(wake_arena_alignments[at] - 1)",
             "(wake_arena_alignments[at] / 2 - 1)"),
    Mutation("bind keeps the latch", "module.contract", "    bound[at] = (uint8_t*)buffer;\n    hydrated = 0;",
             "    bound[at] = (uint8_t*)buffer;"),
    Mutation("bind_arenas takes any count", "module.contract", "if (n != wake_num_arena_buffers)",
             "if (n > wake_num_arena_buffers)"),
    Mutation("context_init takes unbound regions", "module.contract", "if (bound[at] == NULL)", "if (0)", external=True),
    Mutation("run without the latch", "module.contract", "if (!hydrated)", "if (0)"),
    Mutation("init sets the latch itself", "module.contract", "  status = wake_hydrate_constants(ctx);",
             "  status = wake_hydrate_constants(ctx);\n  hydrated = 1;"),
    Mutation("hydrate copies again", "module.contract|module.constant", "  if (hydrated) {\n    return WAKE_OK;\n  }\n", ""),
    Mutation("hydrate copies a byte less", "module.constant", "blob->source, blob->size)", "blob->source, blob->size - 1)"),
    Mutation("hydrate copies to another arena", "module.constant", "ctx->arena_buffers[blob->arena], blob->source",
             "ctx->arena_buffers[0], blob->source"),
    Mutation("another byte of a constant", "module.constant", "0x", "0x1^0x", file="constants"),
    Mutation("persistents are not cleared", "module.persistent",
             "  (void)memset(ctx->arena_buffers[wake_arena_persistent_dtcm], 0, wake_arena_persistent_dtcm_size);\n", ""),
    Mutation("too much is cleared", "module.bounds", "0, wake_arena_persistent_dtcm_size)",
             "0, wake_arena_persistent_dtcm_size + 1)"),
    Mutation("a tensor lies in another", "module.overlap", '{ "3", wake_arena_dtcm, 496, 1000 }',
             '{ "3", wake_arena_dtcm, 480, 1000 }'),
    Mutation("a tensor is in another arena", "module.contract", '{ "9", wake_arena_persistent_dtcm,', '{ "9", wake_arena_dtcm,'),
    Mutation("operators run from the second on", "module.contract",
             "  for (size_t at = 0; at < ctx->num_operators; ++at) {\n    const", "  for (size_t at = 1; at < ctx->num_operators; "
             "++at) {\n    const"),
    Mutation("an operator's error is forgotten", "module.contract", "    if (status != WAKE_OK) {\n      return status;\n    }\n"
             "  }\n  return WAKE_OK;\n}\n", "  }\n  return WAKE_OK;\n}\n"),
    Mutation("run_finished before the run", "module.contract", "wake_op_state_run_started, 0, ctx", "wake_op_state_run_finished, 0, ctx"),
    Mutation("no buffers in the context", "module.fault|module.contract", "ctx->arena_buffers[at] = bound[at];",
             "ctx->arena_buffers[at] = NULL;"),
    Mutation("it does not compile", "module.build", "static volatile int hydrated;", "static volatile int hydrated"),
    Mutation("a warning", "module.build", "  const size_t at = (size_t)region;", "  const size_t at = (size_t)region; int unused;"),
)
# The last function's end is there more than once.
LAST = {"an operator's error is forgotten"}


def document(context: Context, *words: object) -> Any:
    done = context.run("validate", *words, "--json", expect=(0, 1))
    found = parse_json(done.stdout, "validate --json")
    same("exit status", done.returncode, 0 if found["passed"] else 1)
    return found


def findings(found: Any) -> list[dict[str, Any]]:
    return [each for each in found["diagnostics"] if each["severity"] == "error"]


def check_good(context: Context) -> int:
    machines = [["--on", "host"], ["--on", "qemu", "--toolchain", "gcc"], ["--on", "qemu", "--toolchain", "clang"]]
    cases: list[list[object]] = []
    for part in ("corstone-300", "apollo510", "apollo330p", "apollo4p", "apollo3p"):
        for external in ([], ["--external"]):
            cases.append(["--board", part, *PLANS, *external])
    cases.append(["--board", "apollo330p", "--plan", MODEL, "--data", MODEL, "--stage", "auto"])
    cases.append(["--board", "apollo3p", "--plan", MODEL, "--data", MODEL, "--stage", "none"])
    for recipe, part in (("stage_all", "corstone-300"), ("mixed", "corstone-300"), ("external", "corstone-300"),
                         ("aligned", "apollo510")):
        cases.append(["--board", part, "--plan", HELIA / "aot_operator_manifest.json", "--rules", RECIPES / f"{recipe}.yaml"])
    for number, (case, machine) in enumerate(itertools.product(cases, machines)):
        # Each part with each mode once by each toolchain; the host is the same for all of them.
        if machine[1] == "host" and number % 2:
            continue
        found = document(context, *case, *machine)
        what = " ".join(map(str, [*case, *machine]))
        same(f"{what}: findings", findings(found), [])
        module = found["module"]
        same(f"{what}: programs", module["programs"], ["weak", "strong", "forgetful"])
        check(module["checks"] > 1000, f"{what}: {module['checks']} checks")
        owned = module["guarded_arenas"] + sum(1 for one in found["not_tried"] if one.get("region"))
        check(machine[1] == "host" or module["guarded_arenas"] + 1 >= module["arenas"],
              f"{what}: {owned} of {module['arenas']} arenas are guarded or named")
        if "corstone-300" in case:
            same(f"{what}: moved", module["moved_memories"], [])
    return len(cases)


def check_mutations(context: Context, data: Path) -> int:
    count = 0
    runs = [("corstone-300", ["--on", "host"]), ("corstone-300", ["--on", "qemu", "--toolchain", "clang"]),
            ("apollo3p", ["--on", "qemu", "--toolchain", "gcc"])]
    for part, machine in runs:
        # What an M4 does otherwise is its MPU.
        for mutation in MUTATIONS if part != "apollo3p" else MUTATIONS[::4]:
            words = ["--board", part, *PLANS, "--data", data, *(["--external"] if mutation.external else [])]
            folder = context.work / "mutant"
            context.run("emit", *words, "--out", folder, "--force")
            source = folder / "src" / f"wake_{mutation.file}.c"
            text = read(source)
            parts = text.split(mutation.old)
            check(len(parts) == 2 or mutation.name in LAST or mutation.file == "constants",
                  f"{mutation.name}: {len(parts) - 1} places")
            at = text.rindex(mutation.old) if mutation.name in LAST else text.index(mutation.old)
            source.write_text(text[:at] + mutation.new + text[at + len(mutation.old):])
            found = findings(document(context, *words, "--map", folder, *machine))
            codes = {each["code"] for each in found}
            check(codes & set(mutation.code.split("|")), f"{part} {machine}: {mutation.name}: found {sorted(codes)}")
            check(all(re.fullmatch(r"module\.\w+", code) for code in codes), f"{mutation.name}: {sorted(codes)}")
            count += 1
    return count


def check_overlap(context: Context, data: Path) -> None:
    """The two tensors that share bytes are both named."""
    folder = context.work / "mutant"
    words = ["--board", "apollo510", *PLANS, "--data", data]
    context.run("emit", *words, "--out", folder, "--force")
    source = folder / "src" / "wake_model.c"
    text = read(source)
    source.write_text(text.replace('{ "6", wake_arena_dtcm, 1504, 1000 }', '{ "6", wake_arena_dtcm, 1472, 1000 }'))
    said = " ".join(each["message"] for each in findings(document(context, *words, "--map", folder)))
    check("tensor '3'" in said and "tensor '6'" in said, said)


def body(context: Context) -> str:
    tool("qemu-system-arm")
    tool("arm-none-eabi-gcc")
    data = context.work / "data"
    data.mkdir()
    for number, size in ((1, 320), (2, 32), (4, 72), (5, 32), (11, 768), (12, 16)):
        (data / f"{number}.bin").write_bytes(bytes((7 * number + 3 * at) % 251 + 1 for at in range(size)))
    good = check_good(context)
    mutants = check_mutations(context, data)
    check_overlap(context, data)
    return f"{good} modules pass, {mutants} with a mistake do not"


if __name__ == "__main__":
    main(__doc__, body)
