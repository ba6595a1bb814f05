/* Memory pools of a request or a model on a POSIX host, by hidl_memory's names: shared memory and BLOBs are anonymous files,
 * mmap_fd is a file with its protection and its offset of 64 bits, and a hardware buffer of another format cannot be mapped.
 * For ms_nn_copy_from(), ms_nn_copy_to() and requests. */
#ifndef MEMSIZE_NN_POOLS_H
#define MEMSIZE_NN_POOLS_H

#include "buffers.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ms_nn_hal { MS_NN_HAL_1_0, MS_NN_HAL_1_1, MS_NN_HAL_1_2, MS_NN_HAL_1_3, MS_NN_AIDL };

enum ms_nn_pool_kind { MS_NN_ASHMEM, MS_NN_MMAP_FD, MS_NN_BLOB, MS_NN_HARDWARE_BUFFER };

/* native_handle. Of mmap_fd the numbers are the protection and the offset, its low half first. */
struct ms_nn_handle {
  const int* fds;
  int fd_count;
  const int* ints;
  int int_count;
};

struct ms_nn_host_pool {
  enum ms_nn_pool_kind kind;
  int fd; /* its own */
  int protection;
  uint64_t offset;
  uint64_t size;
  uint32_t flushes; /* how often its bytes were written back to a file */
};

/* validatePool: INVALID_ARGUMENT for a name that the HAL does not have, a handle that is not as the name wants it, a size of 0
 * or another protection; GENERAL_FAILURE for a hardware buffer that holds a model's constants. The memory needs the pool. */
enum ms_nn_status ms_nn_pool_open(const char* name, const struct ms_nn_handle* handle, uint64_t size, enum ms_nn_hal hal,
                                  int is_constant, struct ms_nn_host_pool* pool, struct ms_nn_memory* memory);
/* A new one, ashmem or hardware_buffer_blob. */
enum ms_nn_status ms_nn_pool_make(const char* name, uint64_t size, struct ms_nn_host_pool* pool, struct ms_nn_memory* memory);
void ms_nn_pool_close(struct ms_nn_host_pool* pool);

#ifdef __cplusplus
}
#endif

#endif
