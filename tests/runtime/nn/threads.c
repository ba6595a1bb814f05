/* Eight threads on one service, for ThreadSanitizer and AddressSanitizer: `nn_threads [ROUNDS]`.
 *
 * First each does every case, so that every step of every case meets every other one. Then they share buffers: some only read,
 * which must give what was written; some write, copy and run at once, where contents may mix, but where every call must end,
 * with a result that the documents allow. */
#include "cases.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS = 8, SHARED = 3, BYTES = 8192 };

void* nn_take(void* context, uint64_t size) {
  (void)context;
  return malloc((size_t)size);
}

void nn_give(void* context, void* bytes, uint64_t size) {
  (void)context;
  (void)size;
  free(bytes);
}

void nn_pause(void* context) {
  (void)context;
  (void)sched_yield();
}

void nn_say(const char* text) { (void)fputs(text, stdout); }

static unsigned failures;
static unsigned long calls;

static void check(int is_right, const char* what, long is) {
  if (!is_right) {
    (void)printf("%s: %ld\n", what, is);
    (void)__atomic_fetch_add(&failures, 1U, __ATOMIC_RELAXED);
  }
}

static void start(void* (*work)(void*), long rounds) {
  pthread_t threads[THREADS];
  static long numbers[THREADS][2];
  for (long at = 0; at < THREADS; ++at) {
    numbers[at][0] = at;
    numbers[at][1] = rounds;
    check(pthread_create(&threads[at], NULL, work, numbers[at]) == 0, "no thread", at);
  }
  for (long at = 0; at < THREADS; ++at) {
    (void)pthread_join(threads[at], NULL);
  }
}

/* Every case. ---------------------------------------------------------------------------------------------------------- */

static void* do_cases(void* number) {
  struct nn_run* const run = calloc(1, sizeof *run);
  unsigned char* const bytes = calloc(3, RAW);
  unsigned runs = 0;
  (void)number;
  run->is_shared = 1;
  run->in = bytes;
  run->out = bytes + RAW;
  run->raw = bytes + 2 * RAW;
  const unsigned failed = nn_run_all(run, NULL, &runs);
  (void)__atomic_fetch_add(&failures, failed, __ATOMIC_RELAXED);
  (void)__atomic_fetch_add(&calls, runs, __ATOMIC_RELAXED);
  free(bytes);
  free(run);
  return NULL;
}

/* Shared buffers. ------------------------------------------------------------------------------------------------------ */

static struct nn_world* world;
static const struct ms_nn_model* model;
static struct ms_nn_allocated shared[SHARED];

static struct ms_nn_allocated allocate(void) {
  const struct ms_nn_role role = {0, 0, 1.0F};
  const struct ms_nn_desc desc = {{0, {0}}, &model, 1, &role, 1, &role, 1};
  struct ms_nn_allocated allocated;
  const enum ms_nn_status status = ms_nn_allocate(model->device, &desc, &allocated);
  check(status == MS_NN_NONE, "allocate", (long)status);
  return allocated;
}

static enum ms_nn_status execute(int32_t input, int32_t output, unsigned char* raw, int is_good) {
  const struct ms_nn_memory memory = {BYTES, NULL, raw, NULL};
  const struct ms_nn_pool pools[] = {{input != 0 ? NULL : &memory, input}, {output != 0 ? NULL : &memory, output}};
  const struct ms_nn_argument in = {.pool = 0, .length = input != 0 ? 0 : BYTES};
  const struct ms_nn_argument out = {.pool = 1, .length = output != 0 ? 0 : BYTES};
  const struct ms_nn_request request = {&in, 1, &out, 1, pools, 2};
  static _Thread_local unsigned char between[BYTES];
  struct ms_nn_place places[2];
  struct ms_nn_span spans[2];
  struct ms_nn_execution execution = {places, &spans[0], &spans[1], NULL, NULL};
  const enum ms_nn_status status = ms_nn_begin(model, &request, NULL, &execution);
  if (status != MS_NN_NONE) {
    return status;
  }
  ms_nn_read(&spans[0], between);
  const enum ms_nn_status run = ms_nn_write(&spans[1], &spans[1].operand.shape, between);
  return ms_nn_finish(&execution, is_good ? run : MS_NN_GENERAL_FAILURE, NULL);
}

static void* do_reads(void* number) {
  static const unsigned char wanted = 0x5A;
  unsigned char* const raw = malloc(BYTES);
  const struct ms_nn_memory memory = {BYTES, NULL, raw, NULL};
  for (long round = ((long*)number)[1]; round > 0; --round) {
    memset(raw, 0, BYTES);
    const enum ms_nn_status status =
        round % 2 == 0 ? ms_nn_copy_to(shared[0].buffer, &memory) : execute(shared[0].token, 0, raw, 1);
    check(status == MS_NN_NONE, "a read among readers", (long)status);
    for (unsigned at = 0; at < BYTES; ++at) {
      if (raw[at] != wanted) {
        check(0, "a byte among readers", (long)at);
        break;
      }
    }
  }
  free(raw);
  return NULL;
}

static int32_t token_of(unsigned at) { return __atomic_load_n(&shared[at].token, __ATOMIC_RELAXED); }

/* A token that others may find, and that is gone soon: it is somebody else's then, perhaps, or nobody's. */
static void use_shortly(unsigned char* raw) {
  struct ms_nn_allocated mine = allocate();
  enum ms_nn_status status = execute(0, mine.token, raw, 1);
  check(status == MS_NN_NONE, "a run into a new buffer", (long)status);
  ms_nn_release(mine.buffer);
  status = execute(mine.token, 0, raw, 1);
  check(status == MS_NN_NONE || status == MS_NN_GENERAL_FAILURE || status == MS_NN_INVALID_ARGUMENT, "a stale token", (long)status);
}

/* Whatever comes next, by a generator of the thread's own. */
static void* do_anything(void* number) {
  const long own = ((long*)number)[0];
  unsigned char* const raw = calloc(1, BYTES);
  const struct ms_nn_memory memory = {BYTES, NULL, raw, NULL};
  const struct ms_nn_memory half = {BYTES / 2, NULL, raw, NULL};
  const struct ms_nn_shape none = {0, {0}};
  uint64_t random = 88172645463325252U + (uint64_t)own * 7919U;
  for (long round = ((long*)number)[1]; round > 0; --round) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    const unsigned one = (unsigned)(random >> 8) % SHARED;
    const unsigned other = (one + 1) % SHARED;
    enum ms_nn_status status = MS_NN_NONE;
    struct ms_nn_shape shape;
    switch ((random >> 20) % 9) {
      case 0:
      case 1:
        memset(raw, (int)own, BYTES);
        status = ms_nn_copy_from(shared[one].buffer, &memory, &none);
        check(status == MS_NN_NONE, "copyFrom", (long)status);
        break;
      case 2:
        status = ms_nn_copy_from(shared[one].buffer, &half, &none);
        check(status == MS_NN_INVALID_ARGUMENT, "copyFrom of half", (long)status);
        break;
      case 3:
        status = ms_nn_copy_to(shared[one].buffer, &memory);
        check(status == MS_NN_NONE || status == MS_NN_GENERAL_FAILURE, "copyTo", (long)status);
        break;
      case 4:
        status = execute(token_of(one), token_of(other), raw, 1);
        check(status == MS_NN_NONE || status == MS_NN_GENERAL_FAILURE, "a run between buffers", (long)status);
        break;
      case 5:
        status = execute(0, token_of(one), raw, (random >> 30) % 2 == 0);
        check(status == MS_NN_NONE || status == MS_NN_GENERAL_FAILURE, "a run into a buffer", (long)status);
        break;
      case 6:
        status = execute(token_of(one), token_of(one), raw, 1);
        check(status == MS_NN_GENERAL_FAILURE || status == MS_NN_INVALID_ARGUMENT, "a run onto itself", (long)status);
        break;
      case 7:
        (void)ms_nn_look(shared[one].buffer, &shape);
        check(shape.rank == 4, "the rank", (long)shape.rank);
        break;
      default:
        use_shortly(raw);
    }
    (void)__atomic_fetch_add(&calls, 1UL, __ATOMIC_RELAXED);
  }
  free(raw);
  return NULL;
}

static int is_over(struct timespec since, double seconds) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - since.tv_sec) + (double)(now.tv_nsec - since.tv_nsec) * 1e-9 > seconds;
}

int main(int count, char** words) {
  const long rounds = count > 1 ? atol(words[1]) : 400;
  struct timespec begun;
  (void)clock_gettime(CLOCK_MONOTONIC, &begun);
  for (unsigned type = 0; type < TYPES; ++type) {
    nn_reset(nn_world(type));
  }
  start(do_cases, rounds);
  for (unsigned type = 0; type < TYPES; ++type) {
    check(nn_is_empty(nn_world(type)), "in use after the cases", (long)type);
  }
  const unsigned long runs = calls;
  calls = 0;

  world = nn_world(2); /* of 8 192 bytes */
  nn_reset(world);
  model = nn_model(world, 'c');
  unsigned char bytes[BYTES];
  memset(bytes, 0x5A, sizeof bytes);
  const struct ms_nn_memory memory = {BYTES, NULL, bytes, NULL};
  const struct ms_nn_shape none = {0, {0}};
  for (unsigned at = 0; at < SHARED; ++at) {
    shared[at] = allocate();
    check(ms_nn_copy_from(shared[at].buffer, &memory, &none) == MS_NN_NONE, "copyFrom", (long)at);
  }
  start(do_reads, rounds);
  start(do_anything, rounds * 4);
  /* The handles go while somebody runs. */
  struct ms_nn_place places[2];
  struct ms_nn_span spans[2];
  struct ms_nn_execution execution = {places, &spans[0], &spans[1], NULL, NULL};
  check(ms_nn_copy_from(shared[0].buffer, &memory, &none) == MS_NN_NONE, "copyFrom", 0);
  const struct ms_nn_pool pools[] = {{NULL, shared[0].token}, {NULL, shared[1].token}};
  const struct ms_nn_argument in = {.pool = 0};
  const struct ms_nn_argument out = {.pool = 1};
  const struct ms_nn_request request = {&in, 1, &out, 1, pools, 2};
  check(ms_nn_begin(model, &request, NULL, &execution) == MS_NN_NONE, "begin", 0);
  for (unsigned at = 0; at < SHARED; ++at) {
    ms_nn_release(shared[at].buffer);
  }
  ms_nn_read(&spans[0], bytes);
  check(ms_nn_finish(&execution, ms_nn_write(&spans[1], &spans[1].operand.shape, bytes), NULL) == MS_NN_NONE, "finish", 0);
  check(nn_is_empty(world), "in use in the end", 0);
  check(!is_over(begun, 300), "seconds", 300);
  (void)printf("%d threads: %lu runs of cases, %lu calls on %d shared buffers, %u failed\n", THREADS, runs, calls, SHARED, failures);
  return failures != 0;
}
