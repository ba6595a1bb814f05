"""The cases of memory domains find mistakes: each of the mutations below, made in a copy of the reference, fails at least the
cases that it is said to fail, and each case of the vendor's lists is failed by one. A case that none fails would prove nothing.
"""

import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from nn_cases import CASES, INCLUDE, REFERENCE, STANDARD, case_sources, numbers_of, reference_sources
from support import SOURCE, Context, check, main, same, tool

# File, what stands there, what stands there instead, cases that must fail.
MUTATIONS = (
    # IDevice::allocate, test by test.
    ("allocate", "desc->model_count == 0", "0", "A1"),
    ("allocate", "desc->input_count == 0 && desc->output_count == 0", "desc->input_count == 0", "G1 E10"),
    ("allocate", "return MS_NN_NO_ROLE;", "return MS_NN_TYPE;", "A1"),
    ("allocate", "(uint32_t)role->model >= desc->model_count", "(uint32_t)role->model > desc->model_count", "A4"),
    ("allocate", "if (model == NULL) {", "if (0) {", "A2"),
    ("allocate", "model->device != device", "0", "A3"),
    ("allocate", "(uint32_t)role->io >= (", "(uint32_t)role->io > (", "A5"),
    ("allocate", "(is_output ? model->output_count : model->input_count)", "model->input_count", "G4"),
    ("allocate", " && role->probability <= 1.0F", "", "A6"),
    ("allocate", "role->probability > 0.0F", "role->probability >= 0.0F", "A6"),
    ("allocate", "role->probability > 0.0F && role->probability <= 1.0F ? MS_NN_PASSED : MS_NN_PROBABILITY",
     "role->probability <= 0.0F || role->probability > 1.0F ? MS_NN_PROBABILITY : MS_NN_PASSED", "G4"),
    ("allocate", "return MS_NN_ROLE_TWICE;", "return MS_NN_PASSED;", "A7 A8"),
    ("allocate", "desc->models[roles[before].model] == desc->models[roles[at].model]", "roles[before].model == roles[at].model",
     "A8"),
    ("allocate", " && roles[before].io == roles[at].io", "", "E7 E8"),
    ("allocate", "test != MS_NN_PASSED ? test : test_unique(desc, desc->outputs, desc->output_count)", "test", "A7 A8"),
    ("allocate", "first->type != other->type", "0", "A9 N4"),
    ("allocate", "first->scale != other->scale", "0", "A10 N4"),
    ("allocate", "first->zero_point != other->zero_point", "0", "A11 N4"),
    ("allocate", "left[at] != right[at]", "0", "G5 N4"),
    ("allocate", "found->shape = desc->shape;", "", "A14 A15 A16"),
    ("allocate", "if (!ms_nn_combine(&found->shape, &operand_of(desc, at)->shape, &found->shape)) {",
     "if (at < 1 && !ms_nn_combine(&found->shape, &operand_of(desc, at)->shape, &found->shape)) {", "A12 A13"),
    ("allocate", "if (!ms_nn_is_shape(&desc->shape)) {", "if (0) {", "G5"),
    ("allocate", " && found->shape.rank != 0 ? MS_NN_SCALAR", " && 0 ? MS_NN_SCALAR", "A16"),
    ("allocate", "*capacity = device->late_bytes;", "*capacity = 0;", "C2 C2b C2c C4 C4b C7"),
    ("allocate", "*capacity != 0 ?", "1 ?", "G2"),
    ("allocate", "return MS_NN_EXTENSION;", "return MS_NN_SIZE;", "G3"),
    ("allocate", "*capacity = device->layout->size(device->layout_context, operand);", "", "L1 N7"),
    # Shapes.
    ("shape", "if (left.rank != right.rank) {", "if (left.rank > right.rank) {", "G5"),
    ("shape", "left.rank == 0 || right.rank == 0", "left.rank == 0", "C3b"),
    ("shape", "left.dims[axis] != right.dims[axis]", "left.dims[axis] > right.dims[axis]", "A13 C3 E9"),
    ("shape", "left.dims[axis] != 0 ? left.dims[axis] : right.dims[axis]", "left.dims[axis]", "C2b C4b"),
    ("shape", "bytes > UINT32_MAX", "bytes > UINT64_MAX / 2", "G3"),
    ("shape", "{8, 2, 0}", "{8, 4, 0}", "C1 C2b C3b C6"),
    ("shape", "shape->dims[axis] > INT32_MAX", "0", "S3"),
    # Copies.
    ("buffers", "size != source->size", "size > source->size", "C1 C2"),
    ("buffers", "size != source->size", "size < source->size", "C1 C2"),
    ("buffers", "!ms_nn_combine(&operand.shape, shape, &operand.shape) ||", "(!ms_nn_combine(&operand.shape, shape, &operand.shape) && 0) ||",
     "C3"),
    ("buffers", "(shape->rank != 0 && !ms_nn_is_full(operand.type, shape))", "0", "C3 C4"),
    ("buffers", "(shape->rank != 0 && !ms_nn_is_full(operand.type, shape))", "!ms_nn_is_full(operand.type, shape)", "C3b C6"),
    ("buffers", "(is_scalar && shape->rank != 0) ||", "", "S9"),
    ("buffers", "  ms_nn_clear(buffer);\n  if (status == MS_NN_NONE) {", "  if (status == MS_NN_NONE) {", "S2"),
    ("buffers", "    buffer->is_initialised = 1;\n", "", "C6 C7 E8"),
    ("buffers", "    buffer->is_initialised = 1;\n    buffer->shape = operand.shape;", "    buffer->is_initialised = 1;", "C7"),
    ("buffers", "return MS_NN_INVALID_ARGUMENT; /* it is not even asked: the state stays */", "ms_nn_clear(buffer); return MS_NN_INVALID_ARGUMENT;", "S3"),
    ("buffers", "} else if (!is_initialised) {", "} else if (0) {", "C5"),
    ("buffers", "known == MS_NN_KNOWN && size != target->size", "known == MS_NN_KNOWN && size > target->size", "C6 C7"),
    ("buffers", "known == MS_NN_KNOWN && size != target->size", "is_initialised && size != target->size", "S11"),
    ("buffers", "known == MS_NN_KNOWN && size != target->size", "size != target->size", "S4"),
    ("buffers", "  operand.shape = buffer->shape;\n", "", "C7"),
    ("buffers", "} else if (!ms_nn_has_room(buffer, &operand)) {", "} else if (0) {", "S6"),
    # Tokens and what they stand for.
    ("buffers", "service->next_token = 1;", "service->next_token = 0;", "G1"),
    ("buffers", "service->freed_token = service->tokens[token].next;", "service->freed_token = MS_NN_END;", "T1"),
    ("buffers", "{NULL, service->freed_token}", "{service->tokens[token].buffer, service->freed_token}", "T2"),
    ("request", ": one->token < 0) {", ": 0) {", "R5"),
    ("buffers", "rows[row].model == model && ", "", "E2 R8"),
    ("buffers", "rows[row].is_output == is_output && ", "", "E4"),
    ("buffers", " && rows[row].io == io", "", "E3"),
    ("buffers", "    left = ms_nn_leave(buffer);\n  }\n", "  }\n", "G1"),
    # Executions.
    ("request", "enum ms_nn_status status = MS_NN_INVALID_ARGUMENT;\n  if (buffer", "enum ms_nn_status status = MS_NN_GENERAL_FAILURE;\n  if (buffer", "E1 T2"),
    ("request", "    ++buffer->holders;\n", "", "T3"),
    ("request", "if (!buffer->is_initialised) {", "if (0) {", "E5 S1"),
    ("request", "if (!ms_nn_has_role(buffer, execution->model, 0, io)) {", "if (buffer->is_initialised && !ms_nn_has_role(buffer, execution->model, 0, io)) {", "R8"),
    ("request", "!ms_nn_has_role(buffer, execution->model, 1, io) ||", "", "E2 E3 E4"),
    ("request", "if (outputs > 1 || (outputs == 1 && inputs != 0)) {", "if (outputs > 1) {", "E6"),
    ("request", "if (outputs > 1 || (outputs == 1 && inputs != 0)) {", "if (outputs == 1 && inputs != 0) {", "E7"),
    ("request", "if (outputs > 1 ||", "if (inputs > 1 || outputs > 1 ||", "E8"),
    ("request", "if (!ms_nn_combine(&buffer->shape, &request->inputs[io].shape, &both)) {", "if (0) {", "E9"),
    ("request", "||\n        !ms_nn_combine(&buffer->operand.shape, &request->outputs[io].shape, &both)", "", "E10"),
    ("request", "return MS_NN_GENERAL_FAILURE; /* no client", "return run; /* no client", "E11 S8"),
    ("request", "      buffer->is_initialised = 1;\n", "", "E5b"),
    ("request", "    ms_nn_clear(buffer);\n    if (is_good) {", "    if (is_good) {", "S1"),
    ("request", "ms_nn_combine(&operand->shape, made != NULL ? &made->shape : &span->operand.shape, &operand->shape) &&", "", "S10"),
    ("request", " &&\n         ms_nn_has_room(span->buffer, operand)", "", "S7"),
    ("request", "request->output_count != model->output_count", "0", "R1"),
    ("request", "(uint64_t)argument->length == size", "(uint64_t)argument->length >= size", "R2"),
    ("request", "|| (room > 0 && argument->length == 0)", "", "R6"),
    ("request", "argument->offset + argument->length + argument->padding > room", "argument->offset + argument->length > room", "R6"),
    ("request", "!test_argument(request, &request->outputs[io], &model->outputs[io], !is_fenced)", "!test_argument(request, &request->outputs[io], &model->outputs[io], 1)", "R4"),
    ("request", "terms != NULL && terms->is_late", "0", "R5"),
    ("request", "    if (status != MS_NN_NONE) {\n      return status;\n    }\n  }\n  for", "    (void)status;\n  }\n  for", "R5"),
    # A layout.
    ("bytes", "device->layout->unpack(device->layout_context, operand, raw, buffer->bytes);", "ms_nn_copy_bytes(raw, buffer->bytes, size);", "L1 N7"),
    ("bytes", "device->layout->pack(device->layout_context, operand, buffer->bytes, raw);", "ms_nn_copy_bytes(buffer->bytes, raw, size);", "L1 N7"),
    ("bytes", "for (; at < size; ++at) {", "for (; at + 1 < size; ++at) {", "S9"),
    # The NDK.
    ("domains", "desc == NULL || compilation == NULL", "desc == NULL", "N1"),
    ("domains", "!compilation->is_finished || ", "", "N2"),
    ("domains", " || has(desc, compilation, is_output, io)", "", "N2"),
    ("domains", "if (io >= (is_output", "if (io > 999 + (is_output", "N2"),
    ("domains", "!(frequency > 0.0F && frequency <= 1.0F)", "!(frequency <= 1.0F)", "N2"),
    ("domains", "!ms_nn_combine(&desc->operand.shape, shape, &desc->operand.shape)", "0", "N3"),
    ("domains", "desc->count != 0 && ms_nn_test_operands(&desc->operand, &operand) != MS_NN_PASSED", "0", "N4"),
    ("domains", "  if (desc->count == 0) {\n    return MS_NN_BAD_DATA;", "  if (desc->count == 0) {\n    return MS_NN_NO_ERROR;", "N5"),
    ("domains", "  if (!desc->is_finished) {", "  if (0) {", "N5"),
    ("domains", "  desc->is_finished = 1;", "", "N2 N5"),
    ("domains", "!source->is_initialised || ", "", "N6"),
    ("domains", "target->is_initialised = code == MS_NN_NO_ERROR;", "target->is_initialised |= code == MS_NN_NO_ERROR;", "N6"),
    ("domains", "       !ms_nn_combine(&source->shape, &operand.shape, &operand.shape))", "       0)", "N6"),
    ("domains", "  if (size != 0 && size != own) {", "  if (0) {", "N6"),
    ("domains", "size == 0 || target->memory.size == 0 || size == target->memory.size", "1", "N6"),
    ("domains", "  if (source == target) {", "  if (0) {", "N6"),
    ("domains", "    code = ms_nn_code_of(ms_nn_copy_from(target, &between, shape));\n", "", "N7"),
    ("domains", "is_blob &=", "is_blob |=", "N8"),
    ("domains", "has_explicit_devices) {", "has_explicit_devices > 1) {", "N8"),
    ("domains", "      return NULL;\n", "      return first;\n", "N8"),
    ("domains", "offset != 0 || length != 0) {\n    return MS_NN_BAD_DATA", "0) {\n    return MS_NN_BAD_DATA", "K1"),
    ("domains", "offset <= size && length <= size - offset", "(uint32_t)(offset + length) <= size", "K3"),
    ("domains", "memory->is_initialised && ms_nn_same_shape", "ms_nn_same_shape", "K2"),
)


def compile_one(compiler: str, source: Path, out: Path, level: str = "-O1") -> None:
    done = subprocess.run([compiler, *STANDARD, level, "-w", *INCLUDE, "-c", str(source), "-o", str(out)],
                          capture_output=True, text=True, timeout=120)
    check(done.returncode == 0, f"{source}: {done.stderr[:2000]}")


def failures_of(program: Path) -> set[str]:
    done = subprocess.run([str(program)], capture_output=True, text=True, timeout=120)
    found = set(re.findall(r"^(\w+), (?:type|ended)", done.stdout, re.M))
    if done.returncode == 0:
        same("failures of a run that did well", (found, numbers_of(done.stdout)[2]), (set(), 0))
    return found


def body(context: Context) -> str:
    compiler = tool("cc", "gcc", "clang")
    texts = {path.stem: path.read_text() for path in reference_sources()}
    sources = [*reference_sources(), *case_sources(), CASES / "main.c"]
    objects = {path.stem: context.work / f"{path.stem}.o" for path in sources}
    workers = ThreadPoolExecutor(os.cpu_count() or 1)
    list(workers.map(lambda path: compile_one(compiler, path, objects[path.stem]), sources))

    def link(program: Path, parts: dict[str, Path]) -> Path:
        done = subprocess.run([compiler, *map(str, parts.values()), "-o", str(program)], capture_output=True, text=True)
        check(done.returncode == 0, f"{program}: {done.stderr[:2000]}")
        return program

    same("failures of the reference itself", failures_of(link(context.work / "reference", objects)), set())

    def try_one(number: int) -> set[str]:
        name, old, new, _ = MUTATIONS[number]
        same(f"'{old}' in {name}.c: places", texts[name].count(old), 1)
        source = context.work / f"{name}-{number}.c"
        source.write_text(texts[name].replace(old, new))
        mine = context.work / f"{name}-{number}.o"
        compile_one(compiler, source, mine, "-O0")
        return failures_of(link(context.work / f"mutant-{number}", {**objects, name: mine}))

    found = list(workers.map(try_one, range(len(MUTATIONS))))
    wrong, failed = [], set()
    for (name, old, new, wanted), ids in zip(MUTATIONS, found):
        failed |= ids
        if not ids or not set(wanted.split()) <= ids:
            wrong.append(f"{name}.c: {old!r} -> {new!r}: fails {sorted(ids)}, should fail {wanted}")
    check(not wrong, "\n".join(["mutations that are not found as they should be:", *wrong]))
    ids = set(re.findall(r'(?:\{|\()"([A-Z]\d+[a-z]?)"', (CASES / "cases.c").read_text()))
    doubted = sorted(ids - failed)
    check(not doubted, f"cases that no mutation fails: {' '.join(doubted)}")
    page = (SOURCE / "samples" / "docs" / "nnapi_buffers.md").read_text()
    check(f"{len(MUTATIONS)} mistakes" in page, f"nnapi_buffers.md does not say '{len(MUTATIONS)} mistakes'")
    return f"{len(MUTATIONS)} mutations, each fails a case; each of {len(ids)} cases is failed by one"


if __name__ == "__main__":
    main(__doc__, body)
