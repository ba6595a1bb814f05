/* What the sources of the reference share, and nobody else needs. */
#ifndef MEMSIZE_NN_INTERNAL_H
#define MEMSIZE_NN_INTERNAL_H

#include "buffers.h"

#include <stddef.h>

/* Row numbers begin at 0; this one ends a list. */
#define MS_NN_END 0xFFFFFFFFU

void ms_nn_lock(struct ms_nn_service* service);
void ms_nn_unlock(struct ms_nn_service* service);

/* The buffer that all tests let pass: its memory, its rows and its token. The operand's shape is the initial one. */
enum ms_nn_test ms_nn_enter(const struct ms_nn_device* device, const struct ms_nn_desc* desc,
                            const struct ms_nn_operand* operand, uint64_t capacity, struct ms_nn_allocated* allocated);
/* Under the lock: one holder less. Gives the memory that has no holder any more back to the tables, and tells whose it
 * was: it is to be given back to the caller once the lock is open. */
struct ms_nn_left {
  unsigned char* bytes;
  uint64_t size;
};
struct ms_nn_left ms_nn_leave(struct ms_nn_buffer* buffer);
void ms_nn_give(struct ms_nn_service* service, struct ms_nn_left left);
/* Under the lock: null where the token is none. */
struct ms_nn_buffer* ms_nn_find(struct ms_nn_service* service, int32_t token);
int ms_nn_has_role(const struct ms_nn_buffer* buffer, const struct ms_nn_model* model, int is_output, uint32_t io);
/* Under the lock: no contents, and no shape but the one that it began with. */
void ms_nn_clear(struct ms_nn_buffer* buffer);

/* A shape that came from outside. */
int ms_nn_is_shape(const struct ms_nn_shape* shape);
int ms_nn_is_full(int32_t type, const struct ms_nn_shape* shape);

/* What of two operands differs that roles of one buffer may not differ in; their shapes apart. */
enum ms_nn_test ms_nn_test_operands(const struct ms_nn_operand* first, const struct ms_nn_operand* other);

/* Whether a buffer has room for the operand, in its layout. */
int ms_nn_has_room(const struct ms_nn_buffer* buffer, const struct ms_nn_operand* operand);
void ms_nn_pack(const struct ms_nn_buffer* buffer, const struct ms_nn_operand* operand, const unsigned char* raw,
                uint64_t size);
void ms_nn_unpack(const struct ms_nn_buffer* buffer, const struct ms_nn_operand* operand, unsigned char* raw,
                  uint64_t size);

enum ms_nn_status ms_nn_check_memory(const struct ms_nn_memory* memory);
enum ms_nn_status ms_nn_map(const struct ms_nn_memory* memory, struct ms_nn_mapping* mapping);
void ms_nn_unmap(const struct ms_nn_memory* memory, const struct ms_nn_mapping* mapping);
enum ms_nn_status ms_nn_flush(const struct ms_nn_memory* memory, const struct ms_nn_mapping* mapping);

#endif
