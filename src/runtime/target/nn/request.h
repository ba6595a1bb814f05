/* Executions that use buffers by their tokens: what a request must be, what a run may touch, and what has become of the
 * buffers that it wrote. */
#ifndef MEMSIZE_NN_REQUEST_H
#define MEMSIZE_NN_REQUEST_H

#include "buffers.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ms_nn_argument {
  int has_no_value;
  int32_t pool;
  int64_t offset; /* these three are numbers of 32 bits, or refused */
  int64_t length;
  int64_t padding;
  struct ms_nn_shape shape; /* empty: as the model has it */
};

struct ms_nn_pool {
  const struct ms_nn_memory* memory; /* null: a buffer, by its token */
  int32_t token;
};

struct ms_nn_request {
  const struct ms_nn_argument* inputs;
  uint32_t input_count;
  const struct ms_nn_argument* outputs;
  uint32_t output_count;
  const struct ms_nn_pool* pools;
  uint32_t pool_count;
};

/* How it is executed; all of it may be left out. */
struct ms_nn_terms {
  int is_fenced; /* every output's shape must be known before */
  int is_late;   /* the deadline has passed */
  enum ms_nn_status (*wait)(void* context); /* for what it must wait for */
  void* context;
};

/* A pool while the execution lasts: a buffer that it holds, or memory that it mapped. */
struct ms_nn_place {
  struct ms_nn_buffer* buffer;
  struct ms_nn_mapping mapping;
};

/* An argument while the execution lasts. In a buffer the bytes are in the device's layout. */
struct ms_nn_span {
  struct ms_nn_buffer* buffer; /* null: memory of the client */
  unsigned char* bytes;        /* null: it has no value */
  uint64_t size;               /* raw bytes; of an output: as many as there is room for */
  struct ms_nn_operand operand; /* with all that is known of its shape */
};

/* The caller fills in the tables: a place for each pool, a span for each input and output. */
struct ms_nn_execution {
  struct ms_nn_place* places;
  struct ms_nn_span* inputs;
  struct ms_nn_span* outputs;
  /* From here on it is the reference's. */
  const struct ms_nn_model* model;
  const struct ms_nn_request* request;
};

/* What the run made of an output. */
struct ms_nn_output {
  struct ms_nn_shape shape;
  int is_sufficient;
};

/* Looks at the request and at the deadline, waits, then at each pool in their order. After NONE the run may begin, and
 * ms_nn_finish() must follow; after anything else nothing was changed and nothing is held. The model and the request must
 * stay until then. */
enum ms_nn_status ms_nn_begin(const struct ms_nn_model* model, const struct ms_nn_request* request,
                              const struct ms_nn_terms* terms, struct ms_nn_execution* execution);
/* Whether `run` is the result, or something is wrong with what it wrote. `outputs` may be null where every shape was
 * known. Buffers are initialised by a run that did well, and by no other. */
enum ms_nn_status ms_nn_finish(struct ms_nn_execution* execution, enum ms_nn_status run, const struct ms_nn_output* outputs);

/* Raw bytes out of an input and into an output, of the span's shape (an output's: as it is given). */
void ms_nn_read(const struct ms_nn_span* input, unsigned char* raw);
enum ms_nn_status ms_nn_write(const struct ms_nn_span* output, const struct ms_nn_shape* shape, const unsigned char* raw);

#ifdef __cplusplus
}
#endif

#endif
