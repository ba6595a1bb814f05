/* A reference of NNAPI's memory domains: buffers that a driver manages, as IDevice::allocate, IBuffer and executions must
 * treat them (HAL 1.3, AIDL). C11 without a library: every table and every byte is the caller's, and nothing waits but for a
 * lock that is held for as long as metadata are looked at.
 *
 *   a service   has the tables and gives tokens: what one process of a driver has
 *   a device    is what models are prepared by; the layout inside a buffer is its own
 *   a model     is a prepared one; its identity is its address, so it lives as long as buffers with roles of it
 *   a buffer    is an IBuffer; ms_nn_release() is its end, and executions that run keep its memory
 *
 * Any thread may call anything at any time, and nobody is made to wait by a copy or a run. Bytes have no lock: who reads what
 * another writes gets a mixture (so say the documents), and every copy is made of relaxed atomic words, so that this is no
 * undefined behaviour. Only the handle of a buffer must not be used once it was released.
 *
 * Sizes are bytes, of the operand as the model has it (raw); what the layout makes of them is `capacity`. */
#ifndef MEMSIZE_NN_BUFFERS_H
#define MEMSIZE_NN_BUFFERS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ErrorStatus of the HAL. */
enum ms_nn_status {
  MS_NN_NONE = 0,
  MS_NN_DEVICE_UNAVAILABLE = 1,
  MS_NN_GENERAL_FAILURE = 2,
  MS_NN_OUTPUT_INSUFFICIENT_SIZE = 3,
  MS_NN_INVALID_ARGUMENT = 4,
  MS_NN_MISSED_DEADLINE_TRANSIENT = 5,
  MS_NN_MISSED_DEADLINE_PERSISTENT = 6,
  MS_NN_RESOURCE_EXHAUSTED_TRANSIENT = 7,
  MS_NN_RESOURCE_EXHAUSTED_PERSISTENT = 8,
  MS_NN_DEAD_OBJECT = 10000
};

/* Shapes. ---------------------------------------------------------------------------------------------------- */

enum { MS_NN_RANK = 8 };

/* A dimension of 0 is not known. Rank 0: of a tensor, not even the rank is known; scalars have none. */
struct ms_nn_shape {
  uint32_t rank; /* more than MS_NN_RANK is refused wherever it comes from outside */
  uint32_t dims[MS_NN_RANK];
};

struct ms_nn_operand {
  int32_t type; /* OperandType */
  float scale;
  int32_t zero_point;
  struct ms_nn_shape shape;
  const void* extra; /* extraParams, as bytes that are equal where they are; null: none */
  uint32_t extra_size;
};

enum ms_nn_known { MS_NN_KNOWN, MS_NN_UNKNOWN, MS_NN_TOO_LARGE };

/* Whether there is one shape that is both. */
int ms_nn_combine(const struct ms_nn_shape* one, const struct ms_nn_shape* other, struct ms_nn_shape* both);
int ms_nn_same_shape(const struct ms_nn_shape* one, const struct ms_nn_shape* other);
int ms_nn_is_scalar(int32_t type);
int ms_nn_is_extension(int32_t type);
/* Bytes; what is too large is no number of 32 bits. Of extensions nothing is known. */
enum ms_nn_known ms_nn_size(int32_t type, const struct ms_nn_shape* shape, uint64_t* size);

/* Memory that is a client's. ----------------------------------------------------------------------------------- */

struct ms_nn_mapping {
  unsigned char* bytes;
  int readable;
  int writable;
};

struct ms_nn_memory;

struct ms_nn_memory_ops {
  /* INVALID_ARGUMENT where there can be no such memory. */
  enum ms_nn_status (*check)(const struct ms_nn_memory* memory);
  enum ms_nn_status (*map)(const struct ms_nn_memory* memory, struct ms_nn_mapping* mapping);
  void (*unmap)(const struct ms_nn_memory* memory, const struct ms_nn_mapping* mapping);
  enum ms_nn_status (*flush)(const struct ms_nn_memory* memory, const struct ms_nn_mapping* mapping);
};

struct ms_nn_memory {
  uint64_t size;                      /* as it is announced */
  const struct ms_nn_memory_ops* ops; /* null: `bytes` is all there is to it */
  unsigned char* bytes;
  void* owner;                        /* the ops' */
};

/* A service and its devices. ------------------------------------------------------------------------------------ */

/* Rows of tables that the caller gives; what is in them is the reference's. */
struct ms_nn_buffer;

struct ms_nn_token_row {
  struct ms_nn_buffer* buffer; /* null: no live token */
  uint32_t next;
};

struct ms_nn_device;
struct ms_nn_model;

struct ms_nn_role_row {
  const struct ms_nn_model* model;
  uint32_t io;
  int is_output;
  uint32_t next;
};

struct ms_nn_buffer {
  const struct ms_nn_device* device;
  int32_t token;               /* 0: released */
  uint32_t holders;            /* its handle, and each copy and execution that runs */
  int is_initialised;
  struct ms_nn_operand operand; /* its shape: the initial one */
  struct ms_nn_shape shape;     /* as it is now */
  unsigned char* bytes;
  uint64_t capacity; /* bytes in the layout of the device */
  uint32_t roles;
  uint32_t next;
};

struct ms_nn_service {
  struct ms_nn_buffer* buffers;
  uint32_t buffer_count;
  struct ms_nn_token_row* tokens; /* the first one is never used: 0 is no token */
  uint32_t token_count;
  struct ms_nn_role_row* roles;
  uint32_t role_count;
  void* context;
  void* (*take)(void* context, uint64_t size); /* null: no memory. The first word is aligned. */
  void (*give)(void* context, void* bytes, uint64_t size);
  void (*pause)(void* context); /* while another has the lock; may be null */
  /* From here on it is the reference's. */
  uint32_t lock;
  uint32_t unused_buffer;
  uint32_t unused_role;
  uint32_t freed_token; /* the last that was freed is the first to be used again */
  uint32_t next_token;
};

/* What a device makes of the bytes of an operand, whose shape is known. It may be called for one buffer by several
 * threads at once. */
struct ms_nn_layout {
  uint64_t (*size)(void* context, const struct ms_nn_operand* operand);
  void (*pack)(void* context, const struct ms_nn_operand* operand, unsigned char* packed, const unsigned char* raw);
  void (*unpack)(void* context, const struct ms_nn_operand* operand, unsigned char* raw, const unsigned char* packed);
};

struct ms_nn_device {
  struct ms_nn_service* service;
  const struct ms_nn_layout* layout; /* null: as the model has it */
  void* layout_context;
  /* What a buffer gets whose size is not known when it is allocated; 0: such are refused, as drivers may. */
  uint64_t late_bytes;
};

/* The device that prepared it, and the operands of its inputs and outputs. */
struct ms_nn_model {
  const struct ms_nn_device* device;
  const struct ms_nn_operand* inputs;
  uint32_t input_count;
  const struct ms_nn_operand* outputs;
  uint32_t output_count;
};

/* Before anything else, once. */
void ms_nn_init(struct ms_nn_service* service);

/* Buffers. -------------------------------------------------------------------------------------------------------- */

struct ms_nn_role {
  int32_t model; /* index into ms_nn_desc.models */
  int32_t io;
  float probability;
};

struct ms_nn_desc {
  struct ms_nn_shape shape;
  const struct ms_nn_model* const* models;
  uint32_t model_count;
  const struct ms_nn_role* inputs;
  uint32_t input_count;
  const struct ms_nn_role* outputs;
  uint32_t output_count;
};

/* What ms_nn_allocate() looks at, in this order: the number says what was wrong. */
enum ms_nn_test {
  MS_NN_PASSED = 0,
  MS_NN_NO_MODEL = 1,
  MS_NN_NO_ROLE = 2,
  MS_NN_MODEL_INDEX = 3,
  MS_NN_MODEL_NULL = 4,
  MS_NN_MODEL_FOREIGN = 5,
  MS_NN_IO_INDEX = 6,
  MS_NN_PROBABILITY = 7,
  MS_NN_ROLE_TWICE = 8,
  MS_NN_TYPE = 9,
  MS_NN_SCALE = 10,
  MS_NN_ZERO_POINT = 11,
  MS_NN_EXTRA = 12,
  MS_NN_DIMENSIONS = 13,
  MS_NN_SCALAR = 14,
  /* GENERAL_FAILURE: not wrong, but not to be had. */
  MS_NN_EXTENSION = 15,
  MS_NN_SIZE = 16,
  MS_NN_MEMORY = 17,
  MS_NN_TABLE = 18
};

struct ms_nn_allocated {
  struct ms_nn_buffer* buffer; /* null and 0 after a failure */
  int32_t token;
  enum ms_nn_test test;
};

enum ms_nn_status ms_nn_allocate(const struct ms_nn_device* device, const struct ms_nn_desc* desc,
                                 struct ms_nn_allocated* allocated);
/* The token is free at once, the memory when the last execution that uses it has ended. */
void ms_nn_release(struct ms_nn_buffer* buffer);
/* IBuffer::copyFrom and copyTo. An empty shape: none is given. */
enum ms_nn_status ms_nn_copy_from(struct ms_nn_buffer* buffer, const struct ms_nn_memory* source,
                                  const struct ms_nn_shape* shape);
enum ms_nn_status ms_nn_copy_to(struct ms_nn_buffer* buffer, const struct ms_nn_memory* target);
/* Whether it is initialised, and its shape. */
int ms_nn_look(struct ms_nn_buffer* buffer, struct ms_nn_shape* shape);
/* By relaxed atomic words: no call of a library may take its place. */
void ms_nn_copy_bytes(unsigned char* target, const unsigned char* source, uint64_t size);

#ifdef __cplusplus
}
#endif

#endif
