#define _GNU_SOURCE /* memfd_create */
#define _FILE_OFFSET_BITS 64
#include "pools.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(sizeof(off_t) == 8, "offsets have 64 bits");

struct kind_row {
  const char* name;
  enum ms_nn_pool_kind kind;
  enum ms_nn_hal since;
  int fds; /* -1: opaque */
  int ints;
};

static const struct kind_row kinds[] = {
    {"ashmem", MS_NN_ASHMEM, MS_NN_HAL_1_0, 1, 0},
    {"mmap_fd", MS_NN_MMAP_FD, MS_NN_HAL_1_0, 1, 3},
    {"hardware_buffer_blob", MS_NN_BLOB, MS_NN_HAL_1_2, 1, 0},
    {"hardware_buffer", MS_NN_HARDWARE_BUFFER, MS_NN_HAL_1_2, -1, -1},
};

static const struct kind_row* row_of(const char* name) {
  for (size_t row = 0; row < sizeof kinds / sizeof kinds[0]; ++row) {
    if (strcmp(kinds[row].name, name) == 0) {
      return &kinds[row];
    }
  }
  return NULL;
}

static struct ms_nn_host_pool* pool_of(const struct ms_nn_memory* memory) { return memory->owner; }

static enum ms_nn_status pool_check(const struct ms_nn_memory* memory) {
  return pool_of(memory) != NULL ? MS_NN_NONE : MS_NN_INVALID_ARGUMENT;
}

/* A file that is shorter than it should be would end the process at the first touch behind its end. */
static enum ms_nn_status pool_map(const struct ms_nn_memory* memory, struct ms_nn_mapping* mapping) {
  const struct ms_nn_host_pool* const pool = pool_of(memory);
  struct stat file;
  *mapping = (struct ms_nn_mapping){NULL, 0, 0};
  if (pool->kind == MS_NN_HARDWARE_BUFFER || pool->size > SIZE_MAX || pool->offset > INT64_MAX || fstat(pool->fd, &file) != 0) {
    return MS_NN_GENERAL_FAILURE;
  }
  const uint64_t there = file.st_size > 0 ? (uint64_t)file.st_size : 0;
  if (pool->offset > there || pool->size > there - pool->offset) {
    return MS_NN_GENERAL_FAILURE;
  }
  void* const bytes =
      mmap(NULL, (size_t)pool->size, pool->protection, MAP_SHARED, pool->fd, (off_t)pool->offset);
  if (bytes == MAP_FAILED) {
    return MS_NN_GENERAL_FAILURE;
  }
  *mapping = (struct ms_nn_mapping){bytes, (pool->protection & PROT_READ) != 0, (pool->protection & PROT_WRITE) != 0};
  return MS_NN_NONE;
}

static void pool_unmap(const struct ms_nn_memory* memory, const struct ms_nn_mapping* mapping) {
  (void)munmap(mapping->bytes, (size_t)pool_of(memory)->size);
}

/* What is shared memory is there for the other side as soon as it is written. */
static enum ms_nn_status pool_flush(const struct ms_nn_memory* memory, const struct ms_nn_mapping* mapping) {
  struct ms_nn_host_pool* const pool = pool_of(memory);
  if (pool->kind != MS_NN_MMAP_FD || !mapping->writable) {
    return MS_NN_NONE;
  }
  (void)__atomic_fetch_add(&pool->flushes, 1U, __ATOMIC_RELAXED);
  return msync(mapping->bytes, (size_t)pool->size, MS_SYNC) == 0 ? MS_NN_NONE : MS_NN_GENERAL_FAILURE;
}

static const struct ms_nn_memory_ops ops = {pool_check, pool_map, pool_unmap, pool_flush};

static void fill(struct ms_nn_host_pool* pool, struct ms_nn_memory* memory) {
  *memory = (struct ms_nn_memory){.size = pool->size, .ops = &ops, .owner = pool};
}

enum ms_nn_status ms_nn_pool_open(const char* name, const struct ms_nn_handle* handle, uint64_t size, enum ms_nn_hal hal,
                                  int is_constant, struct ms_nn_host_pool* pool, struct ms_nn_memory* memory) {
  const struct kind_row* const row = row_of(name);
  *pool = (struct ms_nn_host_pool){.fd = -1};
  *memory = (struct ms_nn_memory){.ops = &ops};
  if (row == NULL || hal < row->since || handle == NULL) {
    return MS_NN_INVALID_ARGUMENT;
  }
  pool->kind = row->kind;
  if (row->kind == MS_NN_HARDWARE_BUFFER) {
    fill(pool, memory); /* its size is nobody's business but Gralloc's */
    return is_constant ? MS_NN_GENERAL_FAILURE : MS_NN_NONE;
  }
  if (handle->fd_count != row->fds || handle->int_count != row->ints || size == 0) {
    return MS_NN_INVALID_ARGUMENT;
  }
  pool->size = size;
  pool->protection = PROT_READ | PROT_WRITE;
  if (row->kind == MS_NN_MMAP_FD) {
    pool->protection = handle->ints[0];
    pool->offset = (uint64_t)(uint32_t)handle->ints[1] | (uint64_t)(uint32_t)handle->ints[2] << 32;
    if ((pool->protection & ~(PROT_READ | PROT_WRITE)) != 0) {
      return MS_NN_INVALID_ARGUMENT;
    }
  }
  pool->fd = fcntl(handle->fds[0], F_DUPFD_CLOEXEC, 0);
  if (pool->fd < 0) {
    return MS_NN_INVALID_ARGUMENT;
  }
  fill(pool, memory);
  return MS_NN_NONE;
}

enum ms_nn_status ms_nn_pool_make(const char* name, uint64_t size, struct ms_nn_host_pool* pool, struct ms_nn_memory* memory) {
  const struct kind_row* const row = row_of(name);
  *pool = (struct ms_nn_host_pool){.fd = -1};
  *memory = (struct ms_nn_memory){.ops = &ops};
  if (row == NULL || size == 0 || size > INT64_MAX || (row->kind != MS_NN_ASHMEM && row->kind != MS_NN_BLOB)) {
    return MS_NN_INVALID_ARGUMENT;
  }
  pool->kind = row->kind;
  pool->size = size;
  pool->protection = PROT_READ | PROT_WRITE;
  pool->fd = memfd_create("nnapi_ashmem", MFD_CLOEXEC);
  if (pool->fd < 0 || ftruncate(pool->fd, (off_t)size) != 0) {
    ms_nn_pool_close(pool);
    return MS_NN_RESOURCE_EXHAUSTED_TRANSIENT;
  }
  fill(pool, memory);
  return MS_NN_NONE;
}

void ms_nn_pool_close(struct ms_nn_host_pool* pool) {
  if (pool->fd >= 0) {
    (void)close(pool->fd);
    pool->fd = -1;
  }
}
