/* Bindings, start and run of model 'wake'. Written by memsize from aot_operator_manifest.json; write it again instead of
 * changing it. */
#include "wake_model.h"
#include "wake_platform.h"

/* As in string.h, which a freestanding compiler need not have. */
void* memcpy(void* target, const void* source, size_t size);
void* memset(void* target, int value, size_t size);

WAKE_PUT_IN_DTCM WAKE_ALIGNED(wake_arena_dtcm_alignment)
uint8_t wake_arena_dtcm_buffer[wake_arena_dtcm_size];

WAKE_PUT_IN_DTCM WAKE_ALIGNED(wake_arena_persistent_dtcm_alignment)
uint8_t wake_arena_persistent_dtcm_buffer[wake_arena_persistent_dtcm_size];

WAKE_PUT_IN_DTCM WAKE_ALIGNED(wake_arena_const_dtcm_alignment)
uint8_t wake_arena_const_dtcm_buffer[wake_arena_const_dtcm_size];


const char wake_memsize_envelope_hash[] = WAKE_PLAN_HASH;

const size_t wake_arena_sizes[wake_num_arena_buffers] = {
    wake_arena_dtcm_size,
    wake_arena_persistent_dtcm_size,
    wake_arena_const_dtcm_size,
    wake_arena_const_mram_size,
};

const size_t wake_arena_alignments[wake_num_arena_buffers] = {
    wake_arena_dtcm_alignment,
    wake_arena_persistent_dtcm_alignment,
    wake_arena_const_dtcm_alignment,
    wake_arena_const_mram_alignment,
};

const wake_tensor_t wake_tensors[] = {
    { "0", wake_arena_dtcm, 1008, 490 },
    { "3", wake_arena_dtcm, 0, 1000 },
    { "1", wake_arena_const_dtcm, 0, 320 },
    { "2", wake_arena_const_mram, 16, 32 },
    { "6", wake_arena_dtcm, 1008, 1000 },
    { "4", wake_arena_const_dtcm, 1088, 72 },
    { "5", wake_arena_const_mram, 48, 32 },
    { "7", wake_arena_dtcm, 0, 192 },
    { "8", wake_arena_dtcm, 0, 192 },
    { "9", wake_arena_persistent_dtcm, 0, 192 },
    { "10", wake_arena_dtcm, 192, 192 },
    { "13", wake_arena_dtcm, 0, 4 },
    { "11", wake_arena_const_dtcm, 320, 768 },
    { "12", wake_arena_const_mram, 0, 16 },
    { "14", wake_arena_dtcm, 16, 4 },
};

/* By region; NULL: not bound yet. */
static uint8_t* bound[wake_num_arena_buffers] = {
    wake_arena_dtcm_buffer,
    wake_arena_persistent_dtcm_buffer,
    wake_arena_const_dtcm_buffer,
    (uint8_t*)(uintptr_t)wake_arena_const_mram_buffer,
};

/* Staged constants are in their arenas. */
static volatile int hydrated;

int32_t wake_bind_arena(wake_arena_region_t region, void* buffer, size_t size) {
  const size_t at = (size_t)region;
  if (at >= wake_num_arena_buffers) {
    return WAKE_BAD_REGION;
  }
  if (buffer == NULL) {
    return WAKE_NO_BUFFER;
  }
  if (size < wake_arena_sizes[at]) {
    return WAKE_TOO_SMALL;
  }
  if (((uintptr_t)buffer & (wake_arena_alignments[at] - 1)) != 0) {
    return WAKE_MISALIGNED;
  }
  if (bound[at] != (uint8_t*)buffer) {
    bound[at] = (uint8_t*)buffer;
    hydrated = 0;
  }
  return WAKE_OK;
}

int32_t wake_bind_arenas(void* const* buffers, const size_t* sizes, size_t n) {
  if (n != wake_num_arena_buffers) {
    return WAKE_WRONG_COUNT;
  }
  if (buffers == NULL || sizes == NULL) {
    return WAKE_NO_BUFFER;
  }
  for (size_t at = 0; at < n; ++at) {
    const int32_t status = wake_bind_arena((wake_arena_region_t)at, buffers[at], sizes[at]);
    if (status != WAKE_OK) {
      return status;
    }
  }
  return WAKE_OK;
}

void* wake_tensor_data(const wake_model_context_t* ctx, size_t tensor) {
  return ctx->arena_buffers[wake_tensors[tensor].arena] + wake_tensors[tensor].offset;
}

int32_t wake_context_init(wake_model_context_t* ctx) {
  if (ctx == NULL) {
    return WAKE_NO_CONTEXT;
  }
  for (size_t at = 0; at < wake_num_arena_buffers; ++at) {
    if (bound[at] == NULL) {
      return WAKE_UNBOUND;
    }
    ctx->arena_buffers[at] = bound[at];
  }
  ctx->inputs[0].data = wake_tensor_data(ctx, wake_tensor_0);
  ctx->inputs[0].size = 490;
  ctx->outputs[0].data = wake_tensor_data(ctx, wake_tensor_14);
  ctx->outputs[0].size = 4;
  return WAKE_OK;
}

WAKE_WEAK int32_t wake_hydrate_constants(wake_model_context_t* ctx) {
  if (ctx == NULL) {
    return WAKE_NO_CONTEXT;
  }
  if (hydrated) {
    return WAKE_OK;
  }
  for (size_t at = 0; at < wake_num_constant_blobs; ++at) {
    const wake_constant_blob_t* const blob = &wake_constant_blobs[at];
    if (blob->source == NULL) {
      return WAKE_NO_SOURCE;
    }
    (void)memcpy(ctx->arena_buffers[blob->arena], blob->source, blob->size);
  }
  wake_mark_hydrated();
  return WAKE_OK;
}

void wake_mark_hydrated(void) { hydrated = 1; }

void wake_clear_hydrated(void) { hydrated = 0; }

int wake_is_hydrated(void) { return hydrated; }

int32_t wake_model_init(wake_model_context_t* ctx) {
  int32_t status = wake_context_init(ctx);
  if (status != WAKE_OK) {
    return status;
  }
  (void)memset(ctx->arena_buffers[wake_arena_persistent_dtcm], 0, wake_arena_persistent_dtcm_size);
  status = wake_hydrate_constants(ctx);
  for (size_t at = 0; status == WAKE_OK && at < ctx->num_operators; ++at) {
    if (ctx->operators[at].init != NULL) {
      status = ctx->operators[at].init(ctx, ctx->operators[at].id);
    }
  }
  return status;
}

int32_t wake_model_run(wake_model_context_t* ctx) {
  if (ctx == NULL) {
    return WAKE_NO_CONTEXT;
  }
  if (!hydrated) {
    return WAKE_NOT_HYDRATED;
  }
  for (size_t at = 0; at < ctx->num_operators; ++at) {
    const wake_operator_t* const op = &ctx->operators[at];
    if (ctx->callback != NULL) {
      ctx->callback(op->id, wake_op_state_run_started, 0, ctx->user_data);
    }
    const int32_t status = op->run != NULL ? op->run(ctx, op->id) : WAKE_OK;
    if (ctx->callback != NULL) {
      ctx->callback(op->id, wake_op_state_run_finished, status, ctx->user_data);
    }
    if (status != WAKE_OK) {
      return status;
    }
  }
  return WAKE_OK;
}
