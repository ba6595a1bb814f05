/* What the NDK adds to buffers.h: descriptors that collect roles, memories that are a driver's where it can and the runtime's
 * own where it refuses, and copies between memories. Thin: one compilation is one prepared model. As in the NDK, one thread at
 * a time has a descriptor or a memory. */
#ifndef MEMSIZE_NN_DOMAINS_H
#define MEMSIZE_NN_DOMAINS_H

#include "buffers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The result codes of NeuralNetworks.h. */
enum ms_nn_code {
  MS_NN_NO_ERROR = 0,
  MS_NN_OUT_OF_MEMORY = 1,
  MS_NN_INCOMPLETE = 2,
  MS_NN_UNEXPECTED_NULL = 3,
  MS_NN_BAD_DATA = 4,
  MS_NN_OP_FAILED = 5,
  MS_NN_BAD_STATE = 6,
  MS_NN_UNMAPPABLE = 7,
  MS_NN_OUTPUT_TOO_SMALL = 8,
  MS_NN_UNAVAILABLE_DEVICE = 9,
  MS_NN_LATE_TRANSIENT = 10,
  MS_NN_LATE_PERSISTENT = 11,
  MS_NN_EXHAUSTED_TRANSIENT = 12,
  MS_NN_EXHAUSTED_PERSISTENT = 13,
  MS_NN_DEAD = 14
};

enum ms_nn_code ms_nn_code_of(enum ms_nn_status status);

struct ms_nn_compilation {
  const struct ms_nn_model* model;
  int is_finished;
  int has_explicit_devices; /* the application said which: nothing else may take their place */
  int takes_blobs;          /* its driver is of HAL 1.3 or later */
};

/* Memory for what a driver refused, and for copies between two of them. */
struct ms_nn_domain {
  void* context;
  enum ms_nn_code (*make)(void* context, uint64_t size, int is_blob, struct ms_nn_memory* memory);
  void (*drop)(void* context, struct ms_nn_memory* memory);
};

enum { MS_NN_DESC_ROLES = 16 };

struct ms_nn_desc_role {
  const struct ms_nn_compilation* compilation;
  int is_output;
  uint32_t io;
  float frequency;
};

/* All zero: one that was just made. */
struct ms_nn_memory_desc {
  struct ms_nn_desc_role roles[MS_NN_DESC_ROLES]; /* more of them: OUT_OF_MEMORY */
  uint32_t count;
  int is_finished;
  struct ms_nn_operand operand; /* of the first role, with the shape of all that is known */
};

enum ms_nn_backing { MS_NN_OF_CLIENT, MS_NN_OF_RUNTIME, MS_NN_OF_DRIVER };

struct ms_nn_domain_memory {
  enum ms_nn_backing backing;
  int is_blob; /* of the runtime */
  struct ms_nn_memory memory;  /* of a client or the runtime */
  struct ms_nn_buffer* buffer; /* of a driver */
  int32_t token;
  /* Of what was made by a descriptor. */
  struct ms_nn_memory_desc desc; /* its operand's shape: the initial one */
  struct ms_nn_shape shape;
  int is_initialised;
};

enum ms_nn_code ms_nn_desc_add(struct ms_nn_memory_desc* desc, const struct ms_nn_compilation* compilation, int is_output,
                               uint32_t io, float frequency);
enum ms_nn_code ms_nn_desc_shape(struct ms_nn_memory_desc* desc, const struct ms_nn_shape* shape);
enum ms_nn_code ms_nn_desc_finish(struct ms_nn_memory_desc* desc);

/* The driver is asked where all roles are of one; then the domain, where a fallback is allowed. */
enum ms_nn_code ms_nn_memory_create(const struct ms_nn_memory_desc* desc, const struct ms_nn_domain* domain,
                                    struct ms_nn_domain_memory* memory);
/* One that the client has; it counts as initialised. */
void ms_nn_memory_wrap(const struct ms_nn_memory* client, struct ms_nn_domain_memory* memory);
void ms_nn_memory_free(struct ms_nn_domain_memory* memory, const struct ms_nn_domain* domain);

/* After a copy that failed the target has no contents. A copy onto itself does nothing. */
enum ms_nn_code ms_nn_memory_copy(struct ms_nn_domain_memory* source, struct ms_nn_domain_memory* target,
                                  const struct ms_nn_domain* domain);

/* As an execution's argument: when it is set, and when it is computed. Without a compilation: as a model's constant. */
enum ms_nn_code ms_nn_memory_set(const struct ms_nn_domain_memory* memory, const struct ms_nn_compilation* compilation,
                                 int is_output, uint32_t io, const struct ms_nn_shape* shape, uint64_t offset, uint64_t length);
enum ms_nn_code ms_nn_memory_compute(const struct ms_nn_domain_memory* memory, const struct ms_nn_shape* shape);
/* It was an output of an execution that did well, with that shape, or of one that did not. */
void ms_nn_memory_computed(struct ms_nn_domain_memory* memory, int is_good, const struct ms_nn_shape* shape);

#ifdef __cplusplus
}
#endif

#endif
