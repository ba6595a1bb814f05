/* Pools of a host, against files that this test reads and writes by itself: names and handles, protection, offsets of 64 bits,
 * files that are too short, what is written back, copies and executions. `nn_pools FOLDER`. */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include "cases.h"
#include "pools.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES = 8192, PAGE = 4096 };

void* nn_take(void* context, uint64_t size) {
  (void)context;
  return malloc((size_t)size);
}

void nn_give(void* context, void* bytes, uint64_t size) {
  (void)context;
  (void)size;
  free(bytes);
}

void nn_pause(void* context) { (void)context; }

void nn_say(const char* text) { (void)fputs(text, stdout); }

static unsigned checks;
static unsigned failures;

static void expect(int line, long is, long wanted) {
  ++checks;
  if (is != wanted) {
    (void)printf("line %d: %ld, not %ld\n", line, is, wanted);
    ++failures;
  }
}

#define SAME(is, wanted) expect(__LINE__, (long)(is), (long)(wanted))

static const struct ms_nn_model* model;
static struct ms_nn_buffer* buffer;
static int32_t token;
static const struct ms_nn_shape none = {0, {0}};
static unsigned char bytes[BYTES];

static int file_of(const char* folder, uint64_t size, int flags) {
  static char path[4096];
  (void)snprintf(path, sizeof path, "%s/pool", folder);
  const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  SAME(ftruncate(fd, (off_t)size), 0);
  if (flags == O_RDWR) {
    return fd;
  }
  const int other = open(path, flags);
  (void)close(fd);
  return other;
}

static enum ms_nn_status open_file(int fd, int protection, uint64_t offset, uint64_t size, struct ms_nn_host_pool* pool,
                                   struct ms_nn_memory* memory) {
  const int ints[] = {protection, (int)(uint32_t)offset, (int)(uint32_t)(offset >> 32)};
  const struct ms_nn_handle handle = {&fd, 1, ints, 3};
  return ms_nn_pool_open("mmap_fd", &handle, size, MS_NN_HAL_1_0, 0, pool, memory);
}

static void test_names(void) {
  const int fd = memfd_create("test", MFD_CLOEXEC);
  const int bad_fd = 1 << 20;
  const int ints[] = {PROT_READ, 0, 0};
  const int run[] = {PROT_READ | PROT_EXEC, 0, 0};
  const struct ms_nn_handle shared = {&fd, 1, NULL, 0};
  const struct ms_nn_handle file = {&fd, 1, ints, 3};
  const struct ms_nn_handle code = {&fd, 1, run, 3};
  const struct ms_nn_handle closed = {&bad_fd, 1, NULL, 0};
  const struct ms_nn_handle empty = {NULL, 0, NULL, 0};
  const struct {
    const char* name;
    const struct ms_nn_handle* handle;
    uint64_t size;
    enum ms_nn_hal hal;
    int is_constant;
    enum ms_nn_status wanted;
  } rows[] = {
      {"ashmem", &shared, 64, MS_NN_HAL_1_0, 0, MS_NN_NONE},
      {"ashmem", &shared, 64, MS_NN_HAL_1_0, 1, MS_NN_NONE},
      {"ashmem", NULL, 64, MS_NN_HAL_1_0, 0, MS_NN_INVALID_ARGUMENT},
      {"ashmem", &empty, 64, MS_NN_HAL_1_0, 0, MS_NN_INVALID_ARGUMENT},
      {"ashmem", &file, 64, MS_NN_HAL_1_0, 0, MS_NN_INVALID_ARGUMENT},
      {"ashmem", &shared, 0, MS_NN_HAL_1_0, 0, MS_NN_INVALID_ARGUMENT},
      {"ashmem", &closed, 64, MS_NN_HAL_1_0, 0, MS_NN_INVALID_ARGUMENT},
      {"mmap_fd", &file, 64, MS_NN_HAL_1_1, 0, MS_NN_NONE},
      {"mmap_fd", &shared, 64, MS_NN_HAL_1_1, 0, MS_NN_INVALID_ARGUMENT},
      {"mmap_fd", &code, 64, MS_NN_HAL_1_1, 0, MS_NN_INVALID_ARGUMENT},
      {"hardware_buffer_blob", &shared, 64, MS_NN_HAL_1_1, 0, MS_NN_INVALID_ARGUMENT},
      {"hardware_buffer_blob", &shared, 64, MS_NN_HAL_1_2, 1, MS_NN_NONE},
      {"hardware_buffer", &shared, 64, MS_NN_HAL_1_1, 0, MS_NN_INVALID_ARGUMENT},
      {"hardware_buffer", &shared, 0, MS_NN_HAL_1_2, 0, MS_NN_NONE},
      {"hardware_buffer", &shared, 0, MS_NN_AIDL, 1, MS_NN_GENERAL_FAILURE},
      {"hardware_buffer", NULL, 0, MS_NN_HAL_1_3, 0, MS_NN_INVALID_ARGUMENT},
      {"ion", &shared, 64, MS_NN_HAL_1_3, 0, MS_NN_INVALID_ARGUMENT},
      {"ASHMEM", &shared, 64, MS_NN_HAL_1_3, 0, MS_NN_INVALID_ARGUMENT},
      {"", &shared, 64, MS_NN_HAL_1_3, 0, MS_NN_INVALID_ARGUMENT},
  };
  for (size_t row = 0; row < sizeof rows / sizeof rows[0]; ++row) {
    struct ms_nn_host_pool pool;
    struct ms_nn_memory memory;
    expect((int)row, (long)ms_nn_pool_open(rows[row].name, rows[row].handle, rows[row].size, rows[row].hal,
                                           rows[row].is_constant, &pool, &memory),
           (long)rows[row].wanted);
    ms_nn_pool_close(&pool);
  }
  (void)close(fd);
}

static void fill(unsigned seed) {
  for (unsigned at = 0; at < BYTES; ++at) {
    bytes[at] = (unsigned char)(at * 7 + (at >> 8) + seed);
  }
}

/* Into a buffer and out again, by the names that a domain must know. */
static void test_shared(const char* name) {
  struct ms_nn_host_pool pool;
  struct ms_nn_host_pool again;
  struct ms_nn_memory memory;
  struct ms_nn_memory other;
  unsigned char read[BYTES];
  fill(1);
  SAME(ms_nn_pool_make(name, BYTES, &pool, &memory), MS_NN_NONE);
  SAME(pwrite(pool.fd, bytes, BYTES, 0), BYTES);
  const struct ms_nn_handle handle = {&pool.fd, 1, NULL, 0};
  SAME(ms_nn_pool_open(name, &handle, BYTES, MS_NN_HAL_1_3, 0, &again, &other), MS_NN_NONE);
  SAME(ms_nn_copy_from(buffer, &memory, &none), MS_NN_NONE);
  ms_nn_pool_close(&pool); /* the other one has a descriptor of its own */
  memset(read, 0, sizeof read);
  SAME(pwrite(again.fd, read, BYTES, 0), BYTES);
  SAME(ms_nn_copy_to(buffer, &other), MS_NN_NONE);
  SAME(pread(again.fd, read, BYTES, 0), BYTES);
  SAME(memcmp(read, bytes, BYTES), 0);
  SAME(again.flushes, 0);
  SAME(ftruncate(again.fd, BYTES / 2), 0);
  SAME(ms_nn_copy_to(buffer, &other), MS_NN_GENERAL_FAILURE);
  ms_nn_pool_close(&again);
}

static void test_file(const char* folder) {
  const uint64_t far = ((uint64_t)1 << 32) + PAGE;
  unsigned char read[BYTES];
  struct ms_nn_host_pool pool;
  struct ms_nn_memory memory;
  const int fd = file_of(folder, far + BYTES, O_RDWR);
  fill(2);
  SAME(pwrite(fd, bytes, BYTES, (off_t)far), BYTES);
  SAME(open_file(fd, PROT_READ | PROT_WRITE, far, BYTES, &pool, &memory), MS_NN_NONE);
  SAME(ms_nn_copy_from(buffer, &memory, &none), MS_NN_NONE);
  SAME(pool.flushes, 0);
  memset(read, 0, sizeof read);
  SAME(pwrite(fd, read, BYTES, (off_t)far), BYTES);
  SAME(ms_nn_copy_to(buffer, &memory), MS_NN_NONE);
  SAME(pool.flushes, 1);
  SAME(pread(fd, read, BYTES, (off_t)far), BYTES);
  SAME(memcmp(read, bytes, BYTES), 0);
  ms_nn_pool_close(&pool);

  /* What is not to be written is not, and what is not to be read is not: neither ends the process. */
  SAME(open_file(fd, PROT_READ, far, BYTES, &pool, &memory), MS_NN_NONE);
  SAME(ms_nn_copy_from(buffer, &memory, &none), MS_NN_NONE);
  SAME(ms_nn_copy_to(buffer, &memory), MS_NN_GENERAL_FAILURE);
  SAME(pool.flushes, 0);
  ms_nn_pool_close(&pool);
  SAME(open_file(fd, PROT_WRITE, far, BYTES, &pool, &memory), MS_NN_NONE);
  SAME(ms_nn_copy_to(buffer, &memory), MS_NN_NONE);
  SAME(pool.flushes, 1);
  SAME(ms_nn_copy_from(buffer, &memory, &none), MS_NN_GENERAL_FAILURE);
  SAME(ms_nn_copy_to(buffer, &memory), MS_NN_GENERAL_FAILURE); /* it is uninitialised now */
  SAME(pool.flushes, 1);
  ms_nn_pool_close(&pool);
  SAME(open_file(fd, PROT_NONE, far, BYTES, &pool, &memory), MS_NN_NONE);
  SAME(ms_nn_copy_from(buffer, &memory, &none), MS_NN_GENERAL_FAILURE);
  ms_nn_pool_close(&pool);

  /* Too short, off a page, behind the end, without a size. */
  SAME(open_file(fd, PROT_READ, far + PAGE, BYTES, &pool, &memory), MS_NN_NONE);
  SAME(ms_nn_copy_from(buffer, &memory, &none), MS_NN_GENERAL_FAILURE);
  ms_nn_pool_close(&pool);
  SAME(open_file(fd, PROT_READ, far - 8, BYTES, &pool, &memory), MS_NN_NONE);
  SAME(ms_nn_copy_from(buffer, &memory, &none), MS_NN_GENERAL_FAILURE);
  ms_nn_pool_close(&pool);
  SAME(open_file(fd, PROT_READ, UINT64_MAX - PAGE + 1, BYTES, &pool, &memory), MS_NN_NONE);
  SAME(ms_nn_copy_from(buffer, &memory, &none), MS_NN_GENERAL_FAILURE);
  ms_nn_pool_close(&pool);
  (void)close(fd);

  const int only_read = file_of(folder, BYTES, O_RDONLY);
  SAME(open_file(only_read, PROT_READ | PROT_WRITE, 0, BYTES, &pool, &memory), MS_NN_NONE);
  SAME(ms_nn_copy_from(buffer, &memory, &none), MS_NN_GENERAL_FAILURE); /* it cannot be mapped so */
  ms_nn_pool_close(&pool);
  (void)close(only_read);
}

static enum ms_nn_status execute(const struct ms_nn_pool* pools, int64_t in_length, int64_t out_length, int is_good) {
  const struct ms_nn_argument in = {.pool = 0, .length = in_length};
  const struct ms_nn_argument out = {.pool = 1, .length = out_length};
  const struct ms_nn_request request = {&in, 1, &out, 1, pools, 2};
  unsigned char raw[BYTES];
  struct ms_nn_place places[2];
  struct ms_nn_span spans[2];
  struct ms_nn_execution execution = {places, &spans[0], &spans[1], NULL, NULL};
  const enum ms_nn_status status = ms_nn_begin(model, &request, NULL, &execution);
  if (status != MS_NN_NONE) {
    return status;
  }
  ms_nn_read(&spans[0], raw);
  const enum ms_nn_status run = ms_nn_write(&spans[1], &spans[1].operand.shape, raw);
  return ms_nn_finish(&execution, is_good ? run : MS_NN_GENERAL_FAILURE, NULL);
}

static void test_execution(const char* folder) {
  struct ms_nn_host_pool in;
  struct ms_nn_host_pool out;
  struct ms_nn_memory source;
  struct ms_nn_memory target;
  unsigned char read[BYTES];
  const int fd = file_of(folder, BYTES + PAGE, O_RDWR);
  fill(3);
  SAME(ms_nn_pool_make("ashmem", BYTES, &in, &source), MS_NN_NONE);
  SAME(pwrite(in.fd, bytes, BYTES, 0), BYTES);
  SAME(open_file(fd, PROT_READ | PROT_WRITE, PAGE, BYTES, &out, &target), MS_NN_NONE);
  const struct ms_nn_pool straight[] = {{&source, 0}, {&target, 0}};
  SAME(execute(straight, BYTES, BYTES, 1), MS_NN_NONE);
  SAME(pread(fd, read, BYTES, PAGE), BYTES);
  SAME(memcmp(read, bytes, BYTES), 0);
  SAME(out.flushes, 1);
  SAME(execute(straight, BYTES, BYTES, 0), MS_NN_GENERAL_FAILURE);
  SAME(out.flushes, 1);
  const struct ms_nn_pool through[] = {{&source, 0}, {NULL, token}};
  const struct ms_nn_pool back[] = {{NULL, token}, {&target, 0}};
  fill(4);
  SAME(pwrite(in.fd, bytes, BYTES, 0), BYTES);
  SAME(execute(through, BYTES, 0, 1), MS_NN_NONE);
  SAME(execute(back, 0, BYTES, 1), MS_NN_NONE);
  SAME(pread(fd, read, BYTES, PAGE), BYTES);
  SAME(memcmp(read, bytes, BYTES), 0);
  ms_nn_pool_close(&out);

  SAME(open_file(fd, PROT_READ, PAGE, BYTES, &out, &target), MS_NN_NONE);
  SAME(execute(straight, BYTES, BYTES, 1), MS_NN_GENERAL_FAILURE);
  const struct ms_nn_pool from_constant[] = {{&target, 0}, {&source, 0}};
  SAME(execute(from_constant, BYTES, BYTES, 1), MS_NN_NONE);
  ms_nn_pool_close(&out);

  /* A hardware buffer that is no BLOB: the whole of it is asked for, and cannot be had. */
  const struct ms_nn_handle handle = {&fd, 1, NULL, 0};
  SAME(ms_nn_pool_open("hardware_buffer", &handle, 0, MS_NN_HAL_1_3, 0, &out, &target), MS_NN_NONE);
  SAME(execute(straight, BYTES, BYTES, 1), MS_NN_INVALID_ARGUMENT);
  SAME(execute(straight, BYTES, 0, 1), MS_NN_GENERAL_FAILURE);
  SAME(ms_nn_copy_to(buffer, &target), MS_NN_GENERAL_FAILURE);
  SAME(ms_nn_copy_from(buffer, &target, &none), MS_NN_GENERAL_FAILURE);
  SAME(ms_nn_look(buffer, &(struct ms_nn_shape){0, {0}}), 0);
  ms_nn_pool_close(&out);
  ms_nn_pool_close(&in);
  (void)close(fd);
}

int main(int count, char** words) {
  const char* const folder = count > 1 ? words[1] : ".";
  struct nn_world* const world = nn_world(2); /* of 8 192 bytes */
  nn_reset(world);
  model = nn_model(world, 'c');
  const struct ms_nn_role role = {0, 0, 1.0F};
  const struct ms_nn_desc desc = {{0, {0}}, &model, 1, &role, 1, &role, 1};
  struct ms_nn_allocated allocated;
  SAME(ms_nn_allocate(model->device, &desc, &allocated), MS_NN_NONE);
  buffer = allocated.buffer;
  token = allocated.token;
  struct ms_nn_host_pool pool;
  struct ms_nn_memory memory;
  SAME(ms_nn_pool_make("mmap_fd", 64, &pool, &memory), MS_NN_INVALID_ARGUMENT);
  SAME(ms_nn_pool_make("ashmem", 0, &pool, &memory), MS_NN_INVALID_ARGUMENT);
  test_names();
  test_shared("ashmem");
  test_shared("hardware_buffer_blob");
  test_file(folder);
  test_execution(folder);
  ms_nn_release(buffer);
  SAME(nn_is_empty(world), 1);
  (void)printf("%u checks of pools, %u failed\n", checks, failures);
  return failures != 0;
}
