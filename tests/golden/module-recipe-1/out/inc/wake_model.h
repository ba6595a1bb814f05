/*
 * The memory of model 'wake': 3 arenas of corstone-300, and what binds, fills and checks them.
 * Written by memsize from aot_operator_manifest.json; planned by: memsize. Write it again instead of changing it.
 *
 * The module has no kernels: an application gives model_init() a table of operators, which find their
 * tensors by wake_tensor_data().
 */
#ifndef WAKE_MODEL_H
#define WAKE_MODEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* memsize's own hashes, as wake_residency.json has them: of the arenas, and of the tensors in them. */
#define WAKE_PLAN_HASH "462ce51a6fb4c1e1"
#define WAKE_TENSOR_LAYOUT_HASH "8dbeccffbfc3d6e2"

/* What functions return; everything else comes from operators. */
#define WAKE_OK 0
#define WAKE_BAD_REGION 1    /* bind: there is no such region */
#define WAKE_NO_BUFFER 2     /* bind: the buffer is NULL */
#define WAKE_TOO_SMALL 3     /* bind: smaller than wake_arena_sizes[region] */
#define WAKE_MISALIGNED 4    /* bind: no multiple of wake_arena_alignments[region] */
#define WAKE_WRONG_COUNT 5   /* bind_arenas: not wake_num_arena_buffers of them */
#define WAKE_NO_CONTEXT 100  /* the context is NULL */
#define WAKE_UNBOUND 101     /* a region has no buffer yet */
#define WAKE_NO_SOURCE 102   /* hydrate_constants: no section of the image has these bytes; replace it */
#define WAKE_NOT_HYDRATED 200

typedef enum wake_arena_region {
  wake_arena_dtcm = 0, /* dtcm, scratch, 8 tensors, 2 008 B */
  wake_arena_persistent_dtcm = 1, /* dtcm, persistent, 1 tensor, 192 B */
  wake_arena_const_dtcm = 2 /* dtcm, constant copied from mram, 6 tensors, 1 240 B */
} wake_arena_region_t;

#define wake_num_arena_buffers 3

#define wake_arena_dtcm_size 2008
#define wake_arena_dtcm_alignment 16
extern uint8_t wake_arena_dtcm_buffer[];

#define wake_arena_persistent_dtcm_size 192
#define wake_arena_persistent_dtcm_alignment 16
extern uint8_t wake_arena_persistent_dtcm_buffer[];

#define wake_arena_const_dtcm_size 1240
#define wake_arena_const_dtcm_alignment 16
extern uint8_t wake_arena_const_dtcm_buffer[];

/* By region, in bytes. Every alignment is a power of two. */
extern const size_t wake_arena_sizes[wake_num_arena_buffers];
extern const size_t wake_arena_alignments[wake_num_arena_buffers];
/* WAKE_PLAN_HASH, by which memsize check --images knows the plan. */
extern const char wake_memsize_envelope_hash[];

/* Of a network input or output; its bytes are valid while the network reads or writes them. */
typedef struct wake_tensor_view {
  void* data;
  size_t size;
} wake_tensor_view_t;

typedef enum wake_operator_state {
  wake_op_state_run_started,
  wake_op_state_run_finished
} wake_operator_state_t;

/* Before and after each operator's run; `status` is what the run returned. */
typedef void (*wake_operator_callback_t)(int32_t op, wake_operator_state_t state, int32_t status,
                                               void* user_data);

struct wake_model_context;

/* An operator of the application: functions may be NULL, other than 0 from them ends model_init or model_run. */
typedef struct wake_operator {
  int32_t id;
  int32_t (*init)(struct wake_model_context* ctx, int32_t id);
  int32_t (*run)(struct wake_model_context* ctx, int32_t id);
} wake_operator_t;

/* The network's operators, in their order: what the application's table may have as ids. */
enum {
  wake_operator_0 = 0, /* CONV_2D; reads 0, 1, 2; writes 3 */
  wake_operator_1 = 1, /* DEPTHWISE_CONV_2D; reads 3, 4, 5; writes 6 */
  wake_operator_2 = 2, /* AVERAGE_POOL_2D; reads 6; writes 7 */
  wake_operator_3 = 3, /* RESHAPE; reads 7; writes 8 */
  wake_operator_4 = 4, /* ADD; reads 8, 9; writes 10 */
  wake_operator_5 = 5, /* FULLY_CONNECTED; reads 10, 11, 12; writes 13 */
  wake_operator_6 = 6, /* SOFTMAX; reads 13; writes 14 */
  wake_num_operators = 7
};

#define wake_num_inputs 1
#define wake_num_outputs 1

/* The application sets the first four before model_init(); context_init() sets the others. */
typedef struct wake_model_context {
  wake_operator_callback_t callback;
  void* user_data;
  const wake_operator_t* operators;
  size_t num_operators;
  wake_tensor_view_t inputs[1];
  wake_tensor_view_t outputs[1];
  uint8_t* arena_buffers[wake_num_arena_buffers];
} wake_model_context_t;

/* Where each tensor lies: in bytes from its region's base. */
typedef struct wake_tensor {
  const char* id;
  wake_arena_region_t arena;
  size_t offset;
  size_t size;
} wake_tensor_t;

enum {
  wake_tensor_0 = 0, /* spectrogram, scratch, step 0, int8 1x49x10x1 */
  wake_tensor_3 = 1, /* conv, scratch, steps 0 to 1, int8 1x25x5x8 */
  wake_tensor_1 = 2, /* conv/weights, constant, all the time, int8 8x10x4x1 */
  wake_tensor_2 = 3, /* conv/bias, constant, all the time, int32 8 */
  wake_tensor_6 = 4, /* depthwise, scratch, steps 1 to 2, int8 1x25x5x8 */
  wake_tensor_4 = 5, /* depthwise/weights, constant, all the time, int8 1x3x3x8 */
  wake_tensor_5 = 6, /* depthwise/bias, constant, all the time, int32 8 */
  wake_tensor_7 = 7, /* pool, scratch, steps 2 to 3, int8 1x12x2x8 */
  wake_tensor_8 = 8, /* flat, scratch, steps 3 to 4, in the bytes of 7, int8 1x192 */
  wake_tensor_9 = 9, /* history, persistent, all the time, int8 1x192 */
  wake_tensor_10 = 10, /* mixed, scratch, steps 4 to 5, int8 1x192 */
  wake_tensor_13 = 11, /* dense, scratch, steps 5 to 6, int8 1x4 */
  wake_tensor_11 = 12, /* dense/weights, constant, all the time, int8 4x192 */
  wake_tensor_12 = 13, /* dense/bias, constant, all the time, int32 4 */
  wake_tensor_14 = 14, /* words, scratch, step 6, int8 1x4 */
  wake_num_tensors = 15
};
extern const wake_tensor_t wake_tensors[];

/* The bytes of a tensor, once context_init() was; those of a constant may be in memory that cannot be written. */
void* wake_tensor_data(const wake_model_context_t* ctx, size_t tensor);

/* What hydrate_constants() copies: `size` bytes from `source` to the base of each staged arena. A source is NULL where
 * the linker scripts of corstone-300 have no section for its memory: wake_arena_const_..__blob.bin has its bytes. */
typedef struct wake_constant_blob {
  wake_arena_region_t arena;
  const uint8_t* source;
  size_t size;
} wake_constant_blob_t;

#define wake_num_constant_blobs 1
extern const wake_constant_blob_t wake_constant_blobs[];

/* Bindings are the module's, not a context's. The module has a buffer for every region, and binds them. Another buffer for a region clears the latch. */
int32_t wake_bind_arena(wake_arena_region_t region, void* buffer, size_t size);
/* All regions in order, up to the first that is refused. */
int32_t wake_bind_arenas(void* const* buffers, const size_t* sizes, size_t n);

/* Refuses unbound regions, and fills in the context. */
int32_t wake_context_init(wake_model_context_t* ctx);
/* context_init(), zeroes in persistent arenas, hydrate_constants(), then each operator's init. */
int32_t wake_model_init(wake_model_context_t* ctx);
/* Each operator's run, in the table's order; WAKE_NOT_HYDRATED before the latch is set. */
int32_t wake_model_run(wake_model_context_t* ctx);

/* Copies staged constants unless that was done, and sets the latch. Weak: an application that copies by DMA has its
 * own, which must call mark_hydrated(). May be called between context_init() and model_init(). */
int32_t wake_hydrate_constants(wake_model_context_t* ctx);
void wake_mark_hydrated(void);
/* The next hydrate_constants() copies again. */
void wake_clear_hydrated(void);
int wake_is_hydrated(void);

#ifdef __cplusplus
}
#endif

#endif /* WAKE_MODEL_H */
