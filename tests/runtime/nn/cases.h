/* The conformance cases of memory domains as data, and what runs them: on a host, by many threads, and on a core without an
 * operating system. The ids of A, C, E and N are those of the vendor test suite's and the NDK tests' lists; T, S, R, L, G and K
 * are ours. */
#ifndef MEMSIZE_NN_CASES_H
#define MEMSIZE_NN_CASES_H

#include "domains.h"
#include "request.h"

#include <stddef.h>

enum { TYPES = 4, EXECUTORS = 3 };
/* FLOAT32, FLOAT16, QUANT8_ASYMM, QUANT8_ASYMM_SIGNED. */
enum { F32 = 1, F16 = 2, Q8 = 4, Q8S = 8, QUANT = Q8 | Q8S, ALL = F32 | F16 | QUANT };
/* At once; with others between begin and end, as asynchronous ones and bursts are; fenced. */
enum { SYNC = 1, ASYNC = 2, FENCED = 4, OPEN = SYNC | ASYNC, EVERY = OPEN | FENCED };

struct nn_case {
  const char* id;
  unsigned types;
  unsigned executors;
  const char* steps;
};

extern const struct nn_case nn_cases[];
extern const size_t nn_case_count;

/* What a case runs on. */
struct nn_world;

/* The program's. */
void* nn_take(void* context, uint64_t size);
void nn_give(void* context, void* bytes, uint64_t size);
void nn_pause(void* context);
void nn_say(const char* text);

enum { BUFFERS = 4, MEMORIES = 6, DESCS = 2, RAW = 65536 };

/* One run's own things. */
struct nn_run {
  struct nn_world* world;
  const struct nn_case* one;
  unsigned type;
  unsigned executor;
  int is_shared; /* the world is others', too: no number of a token can be foretold */
  const char* step;
  int has_failed;
  struct ms_nn_allocated buffers[BUFFERS];
  unsigned seeds[BUFFERS];
  unsigned next_seed;
  struct ms_nn_memory_desc descs[DESCS];
  struct ms_nn_domain_memory memories[MEMORIES];
  unsigned char is_made[MEMORIES];
  unsigned char* in;  /* RAW bytes each */
  unsigned char* out;
  unsigned char* raw;
  char text[400]; /* why it failed */
};

/* A world of the type; there is one for each. */
struct nn_world* nn_world(unsigned type);
/* Begins the world again: nothing of it may be in use. */
void nn_reset(struct nn_world* world);
/* 1 where everything came out as it should. */
int nn_run(struct nn_run* run);
/* Whether everything was given back: tokens, rows and buffers. */
int nn_is_empty(struct nn_world* world);
/* One after another, each in a fresh world; says which fail. `id` may be null: all of them. */
unsigned nn_run_all(struct nn_run* run, const char* id, unsigned* runs);

/* For what drives the worlds without steps. */
const struct ms_nn_model* nn_model(struct nn_world* world, char letter);
int nn_same(const char* one, const char* other);

#endif
