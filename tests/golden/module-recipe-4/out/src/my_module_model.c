/* Bindings, start and run of model 'my_module'. Written by memsize from aot_operator_manifest.json; write it again instead of
 * changing it. */
#include "my_module_model.h"
#include "my_module_platform.h"

/* As in string.h, which a freestanding compiler need not have. */
void* memcpy(void* target, const void* source, size_t size);
void* memset(void* target, int value, size_t size);

MY_MODULE_PUT_IN_DTCM MY_MODULE_ALIGNED(my_module_arena_dtcm_alignment)
uint8_t my_module_arena_dtcm_buffer[my_module_arena_dtcm_size];

MY_MODULE_PUT_IN_DTCM MY_MODULE_ALIGNED(my_module_arena_persistent_dtcm_alignment)
uint8_t my_module_arena_persistent_dtcm_buffer[my_module_arena_persistent_dtcm_size];

MY_MODULE_PUT_IN_DTCM MY_MODULE_ALIGNED(my_module_arena_const_dtcm_alignment)
uint8_t my_module_arena_const_dtcm_buffer[my_module_arena_const_dtcm_size];

const char my_module_memsize_envelope_hash[] = MY_MODULE_PLAN_HASH;

const size_t my_module_arena_sizes[my_module_num_arena_buffers] = {
    my_module_arena_dtcm_size,
    my_module_arena_persistent_dtcm_size,
    my_module_arena_const_dtcm_size,
};

const size_t my_module_arena_alignments[my_module_num_arena_buffers] = {
    my_module_arena_dtcm_alignment,
    my_module_arena_persistent_dtcm_alignment,
    my_module_arena_const_dtcm_alignment,
};

const my_module_tensor_t my_module_tensors[] = {
    { "0", my_module_arena_dtcm, 1008, 490 },
    { "3", my_module_arena_dtcm, 0, 1000 },
    { "1", my_module_arena_const_dtcm, 0, 320 },
    { "2", my_module_arena_const_dtcm, 1104, 32 },
    { "6", my_module_arena_dtcm, 1008, 1000 },
    { "4", my_module_arena_const_dtcm, 1168, 72 },
    { "5", my_module_arena_const_dtcm, 1136, 32 },
    { "7", my_module_arena_dtcm, 0, 192 },
    { "8", my_module_arena_dtcm, 0, 192 },
    { "9", my_module_arena_persistent_dtcm, 0, 192 },
    { "10", my_module_arena_dtcm, 192, 192 },
    { "13", my_module_arena_dtcm, 0, 4 },
    { "11", my_module_arena_const_dtcm, 320, 768 },
    { "12", my_module_arena_const_dtcm, 1088, 16 },
    { "14", my_module_arena_dtcm, 16, 4 },
};

/* By region; NULL: not bound yet. */
static uint8_t* bound[my_module_num_arena_buffers] = {
    my_module_arena_dtcm_buffer,
    my_module_arena_persistent_dtcm_buffer,
    my_module_arena_const_dtcm_buffer,
};

/* Staged constants are in their arenas. */
static volatile int hydrated;

int32_t my_module_bind_arena(my_module_arena_region_t region, void* buffer, size_t size) {
  const size_t at = (size_t)region;
  if (at >= my_module_num_arena_buffers) {
    return MY_MODULE_BAD_REGION;
  }
  if (buffer == NULL) {
    return MY_MODULE_NO_BUFFER;
  }
  if (size < my_module_arena_sizes[at]) {
    return MY_MODULE_TOO_SMALL;
  }
  if (((uintptr_t)buffer & (my_module_arena_alignments[at] - 1)) != 0) {
    return MY_MODULE_MISALIGNED;
  }
  if (bound[at] != (uint8_t*)buffer) {
    bound[at] = (uint8_t*)buffer;
    hydrated = 0;
  }
  return MY_MODULE_OK;
}

int32_t my_module_bind_arenas(void* const* buffers, const size_t* sizes, size_t n) {
  if (n != my_module_num_arena_buffers) {
    return MY_MODULE_WRONG_COUNT;
  }
  if (buffers == NULL || sizes == NULL) {
    return MY_MODULE_NO_BUFFER;
  }
  for (size_t at = 0; at < n; ++at) {
    const int32_t status = my_module_bind_arena((my_module_arena_region_t)at, buffers[at], sizes[at]);
    if (status != MY_MODULE_OK) {
      return status;
    }
  }
  return MY_MODULE_OK;
}

void* my_module_tensor_data(const my_module_model_context_t* ctx, size_t tensor) {
  return ctx->arena_buffers[my_module_tensors[tensor].arena] + my_module_tensors[tensor].offset;
}

int32_t my_module_context_init(my_module_model_context_t* ctx) {
  if (ctx == NULL) {
    return MY_MODULE_NO_CONTEXT;
  }
  for (size_t at = 0; at < my_module_num_arena_buffers; ++at) {
    if (bound[at] == NULL) {
      return MY_MODULE_UNBOUND;
    }
    ctx->arena_buffers[at] = bound[at];
  }
  ctx->inputs[0].data = my_module_tensor_data(ctx, my_module_tensor_0);
  ctx->inputs[0].size = 490;
  ctx->outputs[0].data = my_module_tensor_data(ctx, my_module_tensor_14);
  ctx->outputs[0].size = 4;
  return MY_MODULE_OK;
}

MY_MODULE_WEAK int32_t my_module_hydrate_constants(my_module_model_context_t* ctx) {
  if (ctx == NULL) {
    return MY_MODULE_NO_CONTEXT;
  }
  if (hydrated) {
    return MY_MODULE_OK;
  }
  for (size_t at = 0; at < my_module_num_constant_blobs; ++at) {
    const my_module_constant_blob_t* const blob = &my_module_constant_blobs[at];
    if (blob->source == NULL) {
      return MY_MODULE_NO_SOURCE;
    }
    (void)memcpy(ctx->arena_buffers[blob->arena], blob->source, blob->size);
  }
  my_module_mark_hydrated();
  return MY_MODULE_OK;
}

void my_module_mark_hydrated(void) { hydrated = 1; }

void my_module_clear_hydrated(void) { hydrated = 0; }

int my_module_is_hydrated(void) { return hydrated; }

int32_t my_module_model_init(my_module_model_context_t* ctx) {
  int32_t status = my_module_context_init(ctx);
  if (status != MY_MODULE_OK) {
    return status;
  }
  (void)memset(ctx->arena_buffers[my_module_arena_persistent_dtcm], 0, my_module_arena_persistent_dtcm_size);
  status = my_module_hydrate_constants(ctx);
  for (size_t at = 0; status == MY_MODULE_OK && at < ctx->num_operators; ++at) {
    if (ctx->operators[at].init != NULL) {
      status = ctx->operators[at].init(ctx, ctx->operators[at].id);
    }
  }
  return status;
}

int32_t my_module_model_run(my_module_model_context_t* ctx) {
  if (ctx == NULL) {
    return MY_MODULE_NO_CONTEXT;
  }
  if (!hydrated) {
    return MY_MODULE_NOT_HYDRATED;
  }
  for (size_t at = 0; at < ctx->num_operators; ++at) {
    const my_module_operator_t* const op = &ctx->operators[at];
    if (ctx->callback != NULL) {
      ctx->callback(op->id, my_module_op_state_run_started, 0, ctx->user_data);
    }
    const int32_t status = op->run != NULL ? op->run(ctx, op->id) : MY_MODULE_OK;
    if (ctx->callback != NULL) {
      ctx->callback(op->id, my_module_op_state_run_finished, status, ctx->user_data);
    }
    if (status != MY_MODULE_OK) {
      return status;
    }
  }
  return MY_MODULE_OK;
}
