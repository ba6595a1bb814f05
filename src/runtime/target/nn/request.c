/* An execution: what the request is held against, pool by pool, and what becomes of the buffers. */
#include "request.h"

#include "internal.h"

/* What needs no pool to be looked into. --------------------------------------------------------------------------- */

static int is_number(int64_t value) { return value >= 0 && value <= UINT32_MAX; }

static int test_place(const struct ms_nn_request* request, const struct ms_nn_argument* argument,
                      const struct ms_nn_operand* operand) {
  if (argument->pool < 0 || (uint32_t)argument->pool >= request->pool_count) {
    return 0;
  }
  const struct ms_nn_memory* const memory = request->pools[argument->pool].memory;
  const int64_t room = memory == NULL ? 0 : memory->size > INT64_MAX ? INT64_MAX : (int64_t)memory->size;
  if (argument->offset + argument->length + argument->padding > room || (room > 0 && argument->length == 0)) {
    return 0;
  }
  struct ms_nn_shape shape;
  uint64_t size = 0;
  if (argument->length == 0 || !ms_nn_combine(&operand->shape, &argument->shape, &shape)) {
    return 1;
  }
  switch (ms_nn_size(operand->type, &shape, &size)) {
    case MS_NN_KNOWN:
      return (uint64_t)argument->length == size;
    case MS_NN_UNKNOWN:
      return 1;
    default:
      return 0;
  }
}

static int test_shape(const struct ms_nn_argument* argument, const struct ms_nn_operand* operand, int may_be_open) {
  struct ms_nn_shape both;
  if (argument->shape.rank == 0) {
    return may_be_open || ms_nn_is_full(operand->type, &operand->shape);
  }
  if ((ms_nn_is_scalar(operand->type) && argument->shape.rank != 0) ||
      !ms_nn_combine(&operand->shape, &argument->shape, &both)) {
    return 0;
  }
  for (uint32_t axis = 0; axis < argument->shape.rank; ++axis) {
    /* A dimension that the model knows may not be left out. */
    if (argument->shape.dims[axis] == 0 && (!may_be_open || (operand->shape.rank != 0 && operand->shape.dims[axis] != 0))) {
      return 0;
    }
  }
  return 1;
}

static int test_argument(const struct ms_nn_request* request, const struct ms_nn_argument* argument,
                         const struct ms_nn_operand* operand, int may_be_open) {
  if (!is_number(argument->offset) || !is_number(argument->length) || !is_number(argument->padding) ||
      !ms_nn_is_shape(&argument->shape)) {
    return 0;
  }
  if (argument->has_no_value) {
    return argument->pool == 0 && argument->offset == 0 && argument->length == 0 && argument->padding == 0 &&
           argument->shape.rank == 0;
  }
  return test_shape(argument, operand, may_be_open) && test_place(request, argument, operand);
}

static int test_request(const struct ms_nn_model* model, const struct ms_nn_request* request, int is_fenced) {
  if (request->input_count != model->input_count || request->output_count != model->output_count) {
    return 0;
  }
  for (uint32_t io = 0; io < model->input_count; ++io) {
    if (!test_argument(request, &request->inputs[io], &model->inputs[io], 0)) {
      return 0;
    }
  }
  for (uint32_t io = 0; io < model->output_count; ++io) {
    if (!test_argument(request, &request->outputs[io], &model->outputs[io], !is_fenced)) {
      return 0;
    }
  }
  for (uint32_t pool = 0; pool < request->pool_count; ++pool) {
    const struct ms_nn_pool* const one = &request->pools[pool];
    if (one->memory != NULL ? ms_nn_check_memory(one->memory) != MS_NN_NONE : one->token < 0) {
      return 0;
    }
  }
  return 1;
}

/* Pools. ------------------------------------------------------------------------------------------------------------ */

static struct ms_nn_buffer* buffer_at(const struct ms_nn_execution* execution, const struct ms_nn_argument* argument) {
  return argument->has_no_value ? NULL : execution->places[argument->pool].buffer;
}

/* How many arguments of one kind are in the buffer, whatever pools name it. */
static uint32_t uses(const struct ms_nn_execution* execution, const struct ms_nn_argument* arguments, uint32_t count,
                     const struct ms_nn_buffer* buffer) {
  uint32_t found = 0;
  for (uint32_t at = 0; at < count; ++at) {
    found += buffer_at(execution, &arguments[at]) == buffer;
  }
  return found;
}

static int is_in(const struct ms_nn_argument* argument, uint32_t pool) {
  return !argument->has_no_value && (uint32_t)argument->pool == pool;
}

/* Under the lock. A role is looked for before anything is said of the contents. */
static enum ms_nn_status test_buffer(const struct ms_nn_execution* execution, uint32_t pool) {
  const struct ms_nn_request* const request = execution->request;
  const struct ms_nn_buffer* const buffer = execution->places[pool].buffer;
  struct ms_nn_shape both;
  for (uint32_t io = 0; io < request->input_count; ++io) {
    if (!is_in(&request->inputs[io], pool)) {
      continue;
    }
    if (!ms_nn_has_role(buffer, execution->model, 0, io)) {
      return MS_NN_INVALID_ARGUMENT;
    }
    if (!buffer->is_initialised) {
      return MS_NN_GENERAL_FAILURE;
    }
    if (!ms_nn_combine(&buffer->shape, &request->inputs[io].shape, &both)) {
      return MS_NN_INVALID_ARGUMENT;
    }
  }
  const uint32_t inputs = uses(execution, request->inputs, request->input_count, buffer);
  const uint32_t outputs = uses(execution, request->outputs, request->output_count, buffer);
  if (outputs > 1 || (outputs == 1 && inputs != 0)) {
    return MS_NN_INVALID_ARGUMENT;
  }
  for (uint32_t io = 0; io < request->output_count; ++io) {
    if (!is_in(&request->outputs[io], pool)) {
      continue;
    }
    if (!ms_nn_has_role(buffer, execution->model, 1, io) ||
        !ms_nn_combine(&buffer->operand.shape, &request->outputs[io].shape, &both)) {
      return MS_NN_INVALID_ARGUMENT;
    }
  }
  return MS_NN_NONE;
}

/* Under the lock, too: what the shape is now may change as soon as it is open. */
static void note_shapes(const struct ms_nn_execution* execution, uint32_t pool) {
  const struct ms_nn_request* const request = execution->request;
  const struct ms_nn_buffer* const buffer = execution->places[pool].buffer;
  for (uint32_t io = 0; io < request->input_count; ++io) {
    if (is_in(&request->inputs[io], pool)) {
      execution->inputs[io].operand.shape = buffer->shape;
    }
  }
  for (uint32_t io = 0; io < request->output_count; ++io) {
    if (is_in(&request->outputs[io], pool)) {
      execution->outputs[io].operand.shape = buffer->operand.shape;
    }
  }
}

static enum ms_nn_status open_token(struct ms_nn_execution* execution, uint32_t pool) {
  struct ms_nn_service* const service = execution->model->device->service;
  struct ms_nn_left left = {NULL, 0};
  ms_nn_lock(service);
  struct ms_nn_buffer* const buffer = ms_nn_find(service, execution->request->pools[pool].token);
  enum ms_nn_status status = MS_NN_INVALID_ARGUMENT;
  if (buffer != NULL) {
    ++buffer->holders;
    execution->places[pool].buffer = buffer;
    status = test_buffer(execution, pool);
    if (status == MS_NN_NONE) {
      note_shapes(execution, pool);
    } else {
      execution->places[pool].buffer = NULL;
      left = ms_nn_leave(buffer);
    }
  }
  ms_nn_unlock(service);
  ms_nn_give(service, left);
  return status;
}

static enum ms_nn_status open_memory(struct ms_nn_execution* execution, uint32_t pool) {
  const struct ms_nn_request* const request = execution->request;
  const struct ms_nn_memory* const memory = request->pools[pool].memory;
  struct ms_nn_mapping* const mapping = &execution->places[pool].mapping;
  const enum ms_nn_status status = ms_nn_map(memory, mapping);
  if (status != MS_NN_NONE) {
    return status;
  }
  int may = 1;
  for (uint32_t io = 0; io < request->input_count; ++io) {
    may &= !is_in(&request->inputs[io], pool) || mapping->readable;
  }
  for (uint32_t io = 0; io < request->output_count; ++io) {
    may &= !is_in(&request->outputs[io], pool) || mapping->writable;
  }
  if (!may) {
    ms_nn_unmap(memory, mapping);
    return MS_NN_GENERAL_FAILURE;
  }
  return MS_NN_NONE;
}

static void close_pools(struct ms_nn_execution* execution, uint32_t count) {
  struct ms_nn_service* const service = execution->model->device->service;
  for (uint32_t pool = 0; pool < count; ++pool) {
    struct ms_nn_place* const place = &execution->places[pool];
    if (place->buffer == NULL) {
      ms_nn_unmap(execution->request->pools[pool].memory, &place->mapping);
      continue;
    }
    ms_nn_lock(service);
    const struct ms_nn_left left = ms_nn_leave(place->buffer);
    ms_nn_unlock(service);
    ms_nn_give(service, left);
  }
}

/* Arguments. ------------------------------------------------------------------------------------------------------- */

/* The shape is the buffer's so far; in the end it is all that is known. */
static void fill_span(const struct ms_nn_execution* execution, const struct ms_nn_argument* argument,
                      const struct ms_nn_operand* operand, int is_output, struct ms_nn_span* span) {
  const struct ms_nn_shape own = span->operand.shape;
  const struct ms_nn_place* const place = argument->has_no_value ? NULL : &execution->places[argument->pool];
  span->operand = *operand;
  span->bytes = NULL;
  span->buffer = NULL;
  span->size = 0;
  (void)ms_nn_combine(&operand->shape, &argument->shape, &span->operand.shape);
  if (place == NULL) {
    return;
  }
  if (place->buffer == NULL) {
    span->bytes = place->mapping.bytes + argument->offset;
    span->size = (uint64_t)argument->length;
    return;
  }
  (void)ms_nn_combine(&span->operand.shape, &own, &span->operand.shape);
  span->buffer = place->buffer;
  span->bytes = place->buffer->bytes;
  const enum ms_nn_known known = ms_nn_size(operand->type, is_output ? &place->buffer->operand.shape : &span->operand.shape,
                                            &span->size);
  if (known != MS_NN_KNOWN) {
    span->size = place->buffer->capacity;
  }
}

enum ms_nn_status ms_nn_begin(const struct ms_nn_model* model, const struct ms_nn_request* request,
                              const struct ms_nn_terms* terms, struct ms_nn_execution* execution) {
  execution->model = model;
  execution->request = request;
  if (!test_request(model, request, terms != NULL && terms->is_fenced)) {
    return MS_NN_INVALID_ARGUMENT;
  }
  if (terms != NULL && terms->is_late) {
    return MS_NN_MISSED_DEADLINE_PERSISTENT;
  }
  if (terms != NULL && terms->wait != NULL) {
    const enum ms_nn_status status = terms->wait(terms->context);
    if (status != MS_NN_NONE) {
      return status;
    }
  }
  for (uint32_t pool = 0; pool < request->pool_count; ++pool) {
    execution->places[pool] = (struct ms_nn_place){NULL, {NULL, 0, 0}};
  }
  for (uint32_t pool = 0; pool < request->pool_count; ++pool) {
    const enum ms_nn_status status =
        request->pools[pool].memory != NULL ? open_memory(execution, pool) : open_token(execution, pool);
    if (status != MS_NN_NONE) {
      close_pools(execution, pool);
      return status;
    }
  }
  for (uint32_t io = 0; io < model->input_count; ++io) {
    fill_span(execution, &request->inputs[io], &model->inputs[io], 0, &execution->inputs[io]);
  }
  for (uint32_t io = 0; io < model->output_count; ++io) {
    fill_span(execution, &request->outputs[io], &model->outputs[io], 1, &execution->outputs[io]);
  }
  return MS_NN_NONE;
}

/* Whether what was made of an output that is a buffer fits it. */
static int take_shape(const struct ms_nn_execution* execution, uint32_t io, const struct ms_nn_output* made,
                      struct ms_nn_operand* operand) {
  const struct ms_nn_span* const span = &execution->outputs[io];
  *operand = span->buffer->operand;
  if (made != NULL && (!made->is_sufficient || !ms_nn_is_shape(&made->shape))) {
    return 0;
  }
  return ms_nn_combine(&operand->shape, made != NULL ? &made->shape : &span->operand.shape, &operand->shape) &&
         ms_nn_has_room(span->buffer, operand);
}

static enum ms_nn_status judge(const struct ms_nn_execution* execution, enum ms_nn_status run,
                               const struct ms_nn_output* outputs) {
  struct ms_nn_operand operand;
  for (uint32_t io = 0; io < execution->model->output_count; ++io) {
    if (execution->outputs[io].buffer == NULL) {
      continue;
    }
    if (run == MS_NN_OUTPUT_INSUFFICIENT_SIZE && outputs != NULL && !outputs[io].is_sufficient) {
      return MS_NN_GENERAL_FAILURE; /* no client can give a buffer of a driver more room */
    }
    if (run == MS_NN_NONE && !take_shape(execution, io, outputs != NULL ? &outputs[io] : NULL, &operand)) {
      return MS_NN_GENERAL_FAILURE;
    }
  }
  return run;
}

enum ms_nn_status ms_nn_finish(struct ms_nn_execution* execution, enum ms_nn_status run, const struct ms_nn_output* outputs) {
  const struct ms_nn_request* const request = execution->request;
  struct ms_nn_service* const service = execution->model->device->service;
  enum ms_nn_status status = judge(execution, run, outputs);
  for (uint32_t pool = 0; pool < request->pool_count && status == MS_NN_NONE; ++pool) {
    if (request->pools[pool].memory != NULL) {
      status = ms_nn_flush(request->pools[pool].memory, &execution->places[pool].mapping);
    }
  }
  for (uint32_t io = 0; io < execution->model->output_count; ++io) {
    struct ms_nn_buffer* const buffer = execution->outputs[io].buffer;
    struct ms_nn_operand operand;
    if (buffer == NULL) {
      continue;
    }
    const int is_good = status == MS_NN_NONE && take_shape(execution, io, outputs != NULL ? &outputs[io] : NULL, &operand);
    ms_nn_lock(service);
    ms_nn_clear(buffer);
    if (is_good) {
      buffer->is_initialised = 1;
      buffer->shape = operand.shape;
    }
    ms_nn_unlock(service);
  }
  close_pools(execution, request->pool_count);
  return status;
}

void ms_nn_read(const struct ms_nn_span* input, unsigned char* raw) {
  uint64_t size = 0;
  if (input->bytes == NULL || ms_nn_size(input->operand.type, &input->operand.shape, &size) != MS_NN_KNOWN) {
    return;
  }
  if (input->buffer != NULL) {
    ms_nn_unpack(input->buffer, &input->operand, raw, size);
  } else {
    ms_nn_copy_bytes(raw, input->bytes, size);
  }
}

enum ms_nn_status ms_nn_write(const struct ms_nn_span* output, const struct ms_nn_shape* shape, const unsigned char* raw) {
  struct ms_nn_operand operand = output->operand;
  uint64_t size = 0;
  if (!ms_nn_combine(&operand.shape, shape, &operand.shape) ||
      ms_nn_size(operand.type, &operand.shape, &size) != MS_NN_KNOWN) {
    return MS_NN_GENERAL_FAILURE;
  }
  if (output->buffer != NULL ? !ms_nn_has_room(output->buffer, &operand) : size > output->size) {
    return MS_NN_OUTPUT_INSUFFICIENT_SIZE;
  }
  if (output->buffer != NULL) {
    ms_nn_pack(output->buffer, &operand, raw, size);
  } else if (output->bytes != NULL) {
    ms_nn_copy_bytes(output->bytes, raw, size);
  }
  return MS_NN_NONE;
}
