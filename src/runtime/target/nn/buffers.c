/* Tokens, the life of a buffer, and copies of it. */
#include "internal.h"

/* The lock. Nothing that is called with it closed waits, copies or calls the caller. */

void ms_nn_lock(struct ms_nn_service* service) {
  while (__atomic_exchange_n(&service->lock, 1U, __ATOMIC_ACQUIRE) != 0) {
    if (service->pause != NULL) {
      service->pause(service->context);
    }
  }
}

void ms_nn_unlock(struct ms_nn_service* service) { __atomic_store_n(&service->lock, 0U, __ATOMIC_RELEASE); }

void ms_nn_init(struct ms_nn_service* service) {
  for (uint32_t row = 0; row < service->buffer_count; ++row) {
    service->buffers[row] = (struct ms_nn_buffer){.next = row + 1 < service->buffer_count ? row + 1 : MS_NN_END};
  }
  for (uint32_t row = 0; row < service->role_count; ++row) {
    service->roles[row] = (struct ms_nn_role_row){.next = row + 1 < service->role_count ? row + 1 : MS_NN_END};
  }
  for (uint32_t row = 0; row < service->token_count; ++row) {
    service->tokens[row] = (struct ms_nn_token_row){.next = MS_NN_END};
  }
  service->lock = 0;
  service->unused_buffer = service->buffer_count != 0 ? 0 : MS_NN_END;
  service->unused_role = service->role_count != 0 ? 0 : MS_NN_END;
  service->freed_token = MS_NN_END;
  service->next_token = 1;
}

struct ms_nn_buffer* ms_nn_find(struct ms_nn_service* service, int32_t token) {
  return (uint32_t)token < service->token_count ? service->tokens[token].buffer : NULL;
}

/* 0 where there is none. */
static int32_t take_token(struct ms_nn_service* service, struct ms_nn_buffer* buffer) {
  uint32_t token = service->freed_token;
  if (token != MS_NN_END) {
    service->freed_token = service->tokens[token].next;
  } else if (service->next_token < service->token_count && service->next_token <= INT32_MAX) {
    token = service->next_token++;
  } else {
    return 0;
  }
  service->tokens[token] = (struct ms_nn_token_row){buffer, MS_NN_END};
  return (int32_t)token;
}

static void free_token(struct ms_nn_service* service, int32_t token) {
  service->tokens[token] = (struct ms_nn_token_row){NULL, service->freed_token};
  service->freed_token = (uint32_t)token;
}

static void free_row(struct ms_nn_service* service, struct ms_nn_buffer* buffer) {
  while (buffer->roles != MS_NN_END) {
    const uint32_t row = buffer->roles;
    buffer->roles = service->roles[row].next;
    service->roles[row].next = service->unused_role;
    service->unused_role = row;
  }
  buffer->next = service->unused_buffer;
  service->unused_buffer = (uint32_t)(buffer - service->buffers);
}

struct ms_nn_left ms_nn_leave(struct ms_nn_buffer* buffer) {
  struct ms_nn_left left = {NULL, 0};
  if (--buffer->holders == 0) {
    left = (struct ms_nn_left){buffer->bytes, buffer->capacity};
    buffer->bytes = NULL;
    free_row(buffer->device->service, buffer);
  }
  return left;
}

void ms_nn_give(struct ms_nn_service* service, struct ms_nn_left left) {
  if (left.bytes != NULL) {
    service->give(service->context, left.bytes, left.size);
  }
}

int ms_nn_has_role(const struct ms_nn_buffer* buffer, const struct ms_nn_model* model, int is_output, uint32_t io) {
  const struct ms_nn_role_row* const rows = buffer->device->service->roles;
  for (uint32_t row = buffer->roles; row != MS_NN_END; row = rows[row].next) {
    if (rows[row].model == model && rows[row].is_output == is_output && rows[row].io == io) {
      return 1;
    }
  }
  return 0;
}

void ms_nn_clear(struct ms_nn_buffer* buffer) {
  buffer->is_initialised = 0;
  buffer->shape = buffer->operand.shape;
}

/* Takes rows for a buffer and its roles; all of them or none. */
static struct ms_nn_buffer* take_rows(struct ms_nn_service* service, const struct ms_nn_desc* desc) {
  const uint32_t row = service->unused_buffer;
  const uint64_t wanted = (uint64_t)desc->input_count + desc->output_count;
  uint64_t there = 0;
  for (uint32_t role = service->unused_role; role != MS_NN_END && there < wanted; role = service->roles[role].next) {
    ++there;
  }
  if (row == MS_NN_END || there < wanted) {
    return NULL;
  }
  struct ms_nn_buffer* const buffer = &service->buffers[row];
  service->unused_buffer = buffer->next;
  buffer->roles = MS_NN_END;
  for (uint64_t at = 0; at < wanted; ++at) {
    const int is_output = at >= desc->input_count;
    const struct ms_nn_role* const role = is_output ? &desc->outputs[at - desc->input_count] : &desc->inputs[at];
    const uint32_t taken = service->unused_role;
    service->unused_role = service->roles[taken].next;
    service->roles[taken] =
        (struct ms_nn_role_row){desc->models[role->model], (uint32_t)role->io, is_output, buffer->roles};
    buffer->roles = taken;
  }
  return buffer;
}

enum ms_nn_test ms_nn_enter(const struct ms_nn_device* device, const struct ms_nn_desc* desc,
                            const struct ms_nn_operand* operand, uint64_t capacity, struct ms_nn_allocated* allocated) {
  struct ms_nn_service* const service = device->service;
  unsigned char* const bytes = service->take(service->context, capacity);
  if (bytes == NULL) {
    return MS_NN_MEMORY;
  }
  ms_nn_lock(service);
  struct ms_nn_buffer* const buffer = take_rows(service, desc);
  const int32_t token = buffer != NULL ? take_token(service, buffer) : 0;
  if (token != 0) {
    buffer->device = device;
    buffer->token = token;
    buffer->holders = 1;
    buffer->operand = *operand;
    buffer->bytes = bytes;
    buffer->capacity = capacity;
    ms_nn_clear(buffer);
  } else if (buffer != NULL) {
    free_row(service, buffer);
  }
  ms_nn_unlock(service);
  if (token == 0) {
    service->give(service->context, bytes, capacity);
    return MS_NN_TABLE;
  }
  allocated->buffer = buffer;
  allocated->token = token;
  return MS_NN_PASSED;
}

void ms_nn_release(struct ms_nn_buffer* buffer) {
  if (buffer == NULL) {
    return;
  }
  struct ms_nn_service* const service = buffer->device->service;
  struct ms_nn_left left = {NULL, 0};
  ms_nn_lock(service);
  if (buffer->token != 0) {
    free_token(service, buffer->token);
    buffer->token = 0;
    left = ms_nn_leave(buffer);
  }
  ms_nn_unlock(service);
  ms_nn_give(service, left);
}

int ms_nn_look(struct ms_nn_buffer* buffer, struct ms_nn_shape* shape) {
  ms_nn_lock(buffer->device->service);
  const int is_initialised = buffer->is_initialised;
  *shape = buffer->shape;
  ms_nn_unlock(buffer->device->service);
  return is_initialised;
}

/* Copies. The buffer is held while its bytes are touched, so that a release meanwhile does no harm. */

enum ms_nn_status ms_nn_copy_from(struct ms_nn_buffer* buffer, const struct ms_nn_memory* source,
                                  const struct ms_nn_shape* shape) {
  if (!ms_nn_is_shape(shape)) {
    return MS_NN_INVALID_ARGUMENT; /* it is not even asked: the state stays */
  }
  struct ms_nn_service* const service = buffer->device->service;
  ms_nn_lock(service);
  ++buffer->holders;
  ms_nn_unlock(service);
  struct ms_nn_operand operand = buffer->operand;
  struct ms_nn_mapping mapping = {NULL, 0, 0};
  enum ms_nn_status status = ms_nn_check_memory(source);
  if (status == MS_NN_NONE) {
    status = ms_nn_map(source, &mapping);
  }
  if (status == MS_NN_NONE) {
    uint64_t size = 0;
    const int is_scalar = ms_nn_is_scalar(operand.type);
    if (!mapping.readable) {
      status = MS_NN_GENERAL_FAILURE;
    } else if ((is_scalar && shape->rank != 0) || (shape->rank != 0 && !ms_nn_is_full(operand.type, shape)) ||
               !ms_nn_combine(&operand.shape, shape, &operand.shape) ||
               ms_nn_size(operand.type, &operand.shape, &size) != MS_NN_KNOWN || size != source->size) {
      status = MS_NN_INVALID_ARGUMENT;
    } else if (!ms_nn_has_room(buffer, &operand)) {
      status = MS_NN_GENERAL_FAILURE;
    } else {
      ms_nn_pack(buffer, &operand, mapping.bytes, size);
    }
    ms_nn_unmap(source, &mapping);
  }
  ms_nn_lock(service);
  ms_nn_clear(buffer);
  if (status == MS_NN_NONE) {
    buffer->is_initialised = 1;
    buffer->shape = operand.shape;
  }
  const struct ms_nn_left left = ms_nn_leave(buffer);
  ms_nn_unlock(service);
  ms_nn_give(service, left);
  return status;
}

enum ms_nn_status ms_nn_copy_to(struct ms_nn_buffer* buffer, const struct ms_nn_memory* target) {
  struct ms_nn_service* const service = buffer->device->service;
  struct ms_nn_mapping mapping = {NULL, 0, 0};
  enum ms_nn_status status = ms_nn_check_memory(target);
  if (status != MS_NN_NONE) {
    return status;
  }
  status = ms_nn_map(target, &mapping);
  if (status != MS_NN_NONE) {
    return status;
  }
  ms_nn_lock(service);
  ++buffer->holders;
  const int is_initialised = buffer->is_initialised;
  struct ms_nn_operand operand = buffer->operand;
  operand.shape = buffer->shape;
  ms_nn_unlock(service);
  uint64_t size = 0;
  const enum ms_nn_known known = ms_nn_size(operand.type, &operand.shape, &size);
  if (!mapping.writable) {
    status = MS_NN_GENERAL_FAILURE;
  } else if (known == MS_NN_KNOWN && size != target->size) {
    status = MS_NN_INVALID_ARGUMENT;
  } else if (!is_initialised) {
    status = MS_NN_GENERAL_FAILURE;
  } else {
    ms_nn_unpack(buffer, &operand, mapping.bytes, size);
    status = ms_nn_flush(target, &mapping);
  }
  ms_nn_unmap(target, &mapping);
  ms_nn_lock(service);
  const struct ms_nn_left left = ms_nn_leave(buffer);
  ms_nn_unlock(service);
  ms_nn_give(service, left);
  return status;
}
