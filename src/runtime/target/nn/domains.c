/* Descriptors and memories as the NDK has them, on top of one driver's buffers. */
#include "domains.h"

#include "internal.h"

enum ms_nn_code ms_nn_code_of(enum ms_nn_status status) {
  switch (status) {
    case MS_NN_NONE:
      return MS_NN_NO_ERROR;
    case MS_NN_DEVICE_UNAVAILABLE:
      return MS_NN_UNAVAILABLE_DEVICE;
    case MS_NN_OUTPUT_INSUFFICIENT_SIZE:
      return MS_NN_OUTPUT_TOO_SMALL;
    case MS_NN_INVALID_ARGUMENT:
      return MS_NN_BAD_DATA;
    case MS_NN_MISSED_DEADLINE_TRANSIENT:
      return MS_NN_LATE_TRANSIENT;
    case MS_NN_MISSED_DEADLINE_PERSISTENT:
      return MS_NN_LATE_PERSISTENT;
    case MS_NN_RESOURCE_EXHAUSTED_TRANSIENT:
      return MS_NN_EXHAUSTED_TRANSIENT;
    case MS_NN_RESOURCE_EXHAUSTED_PERSISTENT:
      return MS_NN_EXHAUSTED_PERSISTENT;
    case MS_NN_DEAD_OBJECT:
      return MS_NN_DEAD;
    default:
      return MS_NN_OP_FAILED;
  }
}

/* Descriptors. ------------------------------------------------------------------------------------------------------- */

static int has(const struct ms_nn_memory_desc* desc, const struct ms_nn_compilation* compilation, int is_output,
               uint32_t io) {
  for (uint32_t row = 0; row < desc->count; ++row) {
    const struct ms_nn_desc_role* const role = &desc->roles[row];
    if (role->compilation == compilation && role->is_output == is_output && role->io == io) {
      return 1;
    }
  }
  return 0;
}

enum ms_nn_code ms_nn_desc_add(struct ms_nn_memory_desc* desc, const struct ms_nn_compilation* compilation, int is_output,
                               uint32_t io, float frequency) {
  if (desc == NULL || compilation == NULL) {
    return MS_NN_UNEXPECTED_NULL;
  }
  if (desc->is_finished) {
    return MS_NN_BAD_STATE;
  }
  if (!compilation->is_finished || has(desc, compilation, is_output, io)) {
    return MS_NN_BAD_DATA;
  }
  const struct ms_nn_model* const model = compilation->model;
  if (io >= (is_output ? model->output_count : model->input_count)) {
    return MS_NN_BAD_DATA;
  }
  struct ms_nn_operand operand = is_output ? model->outputs[io] : model->inputs[io];
  if (desc->count != 0 && ms_nn_test_operands(&desc->operand, &operand) != MS_NN_PASSED) {
    return MS_NN_BAD_DATA;
  }
  if ((ms_nn_is_scalar(operand.type) && desc->operand.shape.rank != 0) ||
      !ms_nn_combine(&desc->operand.shape, &operand.shape, &operand.shape)) {
    return MS_NN_BAD_DATA;
  }
  if (!(frequency > 0.0F && frequency <= 1.0F)) {
    return MS_NN_BAD_DATA;
  }
  if (desc->count == MS_NN_DESC_ROLES) {
    return MS_NN_OUT_OF_MEMORY;
  }
  desc->roles[desc->count++] = (struct ms_nn_desc_role){compilation, is_output, io, frequency};
  desc->operand = operand;
  return MS_NN_NO_ERROR;
}

enum ms_nn_code ms_nn_desc_shape(struct ms_nn_memory_desc* desc, const struct ms_nn_shape* shape) {
  if (desc == NULL || shape == NULL) {
    return MS_NN_UNEXPECTED_NULL;
  }
  if (desc->is_finished) {
    return MS_NN_BAD_STATE;
  }
  if (!ms_nn_is_shape(shape) ||
      (desc->count != 0 && ms_nn_is_scalar(desc->operand.type) && shape->rank != 0) ||
      !ms_nn_combine(&desc->operand.shape, shape, &desc->operand.shape)) {
    return MS_NN_BAD_DATA;
  }
  return MS_NN_NO_ERROR;
}

enum ms_nn_code ms_nn_desc_finish(struct ms_nn_memory_desc* desc) {
  if (desc == NULL) {
    return MS_NN_UNEXPECTED_NULL;
  }
  if (desc->is_finished) {
    return MS_NN_BAD_STATE;
  }
  if (desc->count == 0) {
    return MS_NN_BAD_DATA;
  }
  desc->is_finished = 1;
  return MS_NN_NO_ERROR;
}

/* Memories. ---------------------------------------------------------------------------------------------------------- */

/* Null where roles are of several devices: none of them can have it. */
static const struct ms_nn_device* device_of(const struct ms_nn_memory_desc* desc) {
  const struct ms_nn_device* const first = desc->roles[0].compilation->model->device;
  for (uint32_t row = 1; row < desc->count; ++row) {
    if (desc->roles[row].compilation->model->device != first) {
      return NULL;
    }
  }
  return first;
}

static enum ms_nn_code ask(const struct ms_nn_memory_desc* desc, struct ms_nn_domain_memory* memory) {
  const struct ms_nn_device* const device = device_of(desc);
  const struct ms_nn_model* models[MS_NN_DESC_ROLES];
  struct ms_nn_role inputs[MS_NN_DESC_ROLES];
  struct ms_nn_role outputs[MS_NN_DESC_ROLES];
  struct ms_nn_desc asked = {desc->operand.shape, models, 0, inputs, 0, outputs, 0};
  if (device == NULL) {
    return MS_NN_OP_FAILED;
  }
  for (uint32_t row = 0; row < desc->count; ++row) {
    const struct ms_nn_desc_role* const role = &desc->roles[row];
    uint32_t model = 0;
    while (model < asked.model_count && models[model] != role->compilation->model) {
      ++model;
    }
    if (model == asked.model_count) {
      models[asked.model_count++] = role->compilation->model;
    }
    const struct ms_nn_role one = {(int32_t)model, (int32_t)role->io, role->frequency};
    if (role->is_output) {
      outputs[asked.output_count++] = one;
    } else {
      inputs[asked.input_count++] = one;
    }
  }
  struct ms_nn_allocated allocated;
  const enum ms_nn_status status = ms_nn_allocate(device, &asked, &allocated);
  memory->backing = MS_NN_OF_DRIVER;
  memory->buffer = allocated.buffer;
  memory->token = allocated.token;
  return ms_nn_code_of(status);
}

static enum ms_nn_code fall_back(const struct ms_nn_memory_desc* desc, const struct ms_nn_domain* domain, enum ms_nn_code said,
                                 struct ms_nn_domain_memory* memory) {
  uint64_t size = 0;
  int is_blob = 1;
  if (ms_nn_size(desc->operand.type, &desc->operand.shape, &size) != MS_NN_KNOWN) {
    return said;
  }
  for (uint32_t row = 0; row < desc->count; ++row) {
    if (desc->roles[row].compilation->has_explicit_devices) {
      return said;
    }
    is_blob &= desc->roles[row].compilation->takes_blobs != 0;
  }
  memory->backing = MS_NN_OF_RUNTIME;
  memory->is_blob = is_blob;
  return domain->make(domain->context, size, is_blob, &memory->memory);
}

enum ms_nn_code ms_nn_memory_create(const struct ms_nn_memory_desc* desc, const struct ms_nn_domain* domain,
                                    struct ms_nn_domain_memory* memory) {
  if (desc == NULL || memory == NULL) {
    return MS_NN_UNEXPECTED_NULL;
  }
  if (!desc->is_finished) {
    return MS_NN_BAD_STATE;
  }
  *memory = (struct ms_nn_domain_memory){.desc = *desc, .shape = desc->operand.shape};
  const enum ms_nn_code code = ask(desc, memory);
  return code == MS_NN_NO_ERROR ? code : fall_back(desc, domain, code, memory);
}

void ms_nn_memory_wrap(const struct ms_nn_memory* client, struct ms_nn_domain_memory* memory) {
  *memory = (struct ms_nn_domain_memory){.backing = MS_NN_OF_CLIENT, .memory = *client, .is_initialised = 1};
}

void ms_nn_memory_free(struct ms_nn_domain_memory* memory, const struct ms_nn_domain* domain) {
  if (memory == NULL) {
    return;
  }
  if (memory->backing == MS_NN_OF_DRIVER) {
    ms_nn_release(memory->buffer);
    memory->buffer = NULL;
  } else if (memory->backing == MS_NN_OF_RUNTIME) {
    domain->drop(domain->context, &memory->memory);
  }
}

/* Copies. ------------------------------------------------------------------------------------------------------------- */

/* 0: nothing is known of it. */
static uint64_t logical_size(const struct ms_nn_domain_memory* memory) {
  uint64_t size = 0;
  if (memory->backing == MS_NN_OF_CLIENT) {
    return memory->memory.size;
  }
  (void)ms_nn_size(memory->desc.operand.type, &memory->shape, &size);
  return size;
}

/* Whether the target may have what the source is; it then has its shape. */
static int adopt(const struct ms_nn_domain_memory* source, struct ms_nn_domain_memory* target) {
  const uint64_t size = logical_size(source);
  if (target->backing == MS_NN_OF_CLIENT) {
    return size == 0 || target->memory.size == 0 || size == target->memory.size;
  }
  struct ms_nn_operand operand = target->desc.operand;
  if (source->backing != MS_NN_OF_CLIENT &&
      (ms_nn_test_operands(&source->desc.operand, &operand) != MS_NN_PASSED ||
       !ms_nn_combine(&source->shape, &operand.shape, &operand.shape))) {
    return 0;
  }
  uint64_t own = 0;
  (void)ms_nn_size(operand.type, &operand.shape, &own);
  if (size != 0 && size != own) {
    return 0;
  }
  target->shape = operand.shape;
  return 1;
}

static enum ms_nn_code copy_memories(const struct ms_nn_memory* source, const struct ms_nn_memory* target) {
  struct ms_nn_mapping from = {NULL, 0, 0};
  struct ms_nn_mapping to = {NULL, 0, 0};
  if (ms_nn_check_memory(source) != MS_NN_NONE || ms_nn_map(source, &from) != MS_NN_NONE) {
    return MS_NN_UNMAPPABLE;
  }
  if (ms_nn_check_memory(target) != MS_NN_NONE || ms_nn_map(target, &to) != MS_NN_NONE) {
    ms_nn_unmap(source, &from);
    return MS_NN_UNMAPPABLE;
  }
  enum ms_nn_code code = MS_NN_NO_ERROR;
  if (!from.readable || !to.writable) {
    code = MS_NN_UNMAPPABLE;
  } else if (source->size != target->size) {
    code = MS_NN_BAD_DATA;
  } else {
    ms_nn_copy_bytes(to.bytes, from.bytes, source->size);
    code = ms_nn_code_of(ms_nn_flush(target, &to));
  }
  ms_nn_unmap(source, &from);
  ms_nn_unmap(target, &to);
  return code;
}

static enum ms_nn_code copy_buffers(struct ms_nn_buffer* source, uint64_t size, const struct ms_nn_shape* shape,
                                    struct ms_nn_buffer* target, const struct ms_nn_domain* domain) {
  struct ms_nn_memory between = {0, NULL, NULL, NULL};
  enum ms_nn_code code = domain->make(domain->context, size, 1, &between);
  if (code != MS_NN_NO_ERROR) {
    return code;
  }
  code = ms_nn_code_of(ms_nn_copy_to(source, &between));
  if (code == MS_NN_NO_ERROR) {
    code = ms_nn_code_of(ms_nn_copy_from(target, &between, shape));
  }
  domain->drop(domain->context, &between);
  return code;
}

static enum ms_nn_code copy_bytes(struct ms_nn_domain_memory* source, struct ms_nn_domain_memory* target,
                                  const struct ms_nn_domain* domain) {
  static const struct ms_nn_shape none;
  const int is_client = source->backing == MS_NN_OF_CLIENT;
  if (!source->is_initialised || !adopt(source, target)) {
    return MS_NN_BAD_DATA;
  }
  const struct ms_nn_shape* const shape = is_client ? &none : &source->shape;
  if (source->buffer != NULL && target->buffer != NULL) {
    return copy_buffers(source->buffer, logical_size(source), shape, target->buffer, domain);
  }
  if (source->buffer != NULL) {
    return ms_nn_code_of(ms_nn_copy_to(source->buffer, &target->memory));
  }
  if (target->buffer != NULL) {
    return ms_nn_code_of(ms_nn_copy_from(target->buffer, &source->memory, shape));
  }
  return copy_memories(&source->memory, &target->memory);
}

enum ms_nn_code ms_nn_memory_copy(struct ms_nn_domain_memory* source, struct ms_nn_domain_memory* target,
                                  const struct ms_nn_domain* domain) {
  if (source == NULL || target == NULL) {
    return MS_NN_UNEXPECTED_NULL;
  }
  if (source == target) {
    return MS_NN_NO_ERROR;
  }
  const enum ms_nn_code code = copy_bytes(source, target, domain);
  if (target->backing != MS_NN_OF_CLIENT) {
    target->is_initialised = code == MS_NN_NO_ERROR;
  }
  return code;
}

/* Arguments. ---------------------------------------------------------------------------------------------------------- */

enum ms_nn_code ms_nn_memory_set(const struct ms_nn_domain_memory* memory, const struct ms_nn_compilation* compilation,
                                 int is_output, uint32_t io, const struct ms_nn_shape* shape, uint64_t offset, uint64_t length) {
  struct ms_nn_shape both;
  if (memory == NULL) {
    return MS_NN_UNEXPECTED_NULL;
  }
  if (memory->backing == MS_NN_OF_CLIENT) {
    const uint64_t size = memory->memory.size;
    /* In 64 bits: a sum of 32 may come out small again. Without a size, all of it is used. */
    const int is_within = size == 0 ? offset == 0 && length == 0
                                    : (offset != 0 || length != 0) && offset <= size && length <= size - offset;
    return is_within ? MS_NN_NO_ERROR : MS_NN_BAD_DATA;
  }
  const struct ms_nn_operand* const operand = &memory->desc.operand;
  if (compilation == NULL || !has(&memory->desc, compilation, is_output, io) || offset != 0 || length != 0) {
    return MS_NN_BAD_DATA;
  }
  if (shape != NULL && (!ms_nn_is_shape(shape) || (ms_nn_is_scalar(operand->type) && shape->rank != 0) ||
                        !ms_nn_combine(shape, &operand->shape, &both))) {
    return MS_NN_BAD_DATA;
  }
  return MS_NN_NO_ERROR;
}

enum ms_nn_code ms_nn_memory_compute(const struct ms_nn_domain_memory* memory, const struct ms_nn_shape* shape) {
  if (memory->backing == MS_NN_OF_CLIENT) {
    return MS_NN_NO_ERROR;
  }
  return memory->is_initialised && ms_nn_same_shape(&memory->shape, shape) ? MS_NN_NO_ERROR : MS_NN_OP_FAILED;
}

void ms_nn_memory_computed(struct ms_nn_domain_memory* memory, int is_good, const struct ms_nn_shape* shape) {
  if (memory->backing == MS_NN_OF_CLIENT) {
    return;
  }
  memory->is_initialised = is_good && ms_nn_combine(&memory->desc.operand.shape, shape, &memory->shape);
}
