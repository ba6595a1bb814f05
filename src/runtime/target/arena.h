/* Arenas: memory that a consumer needs, by size and alignment, and that somebody else gives it.
 *
 * A module says what it needs as rows of struct arena_region, whatever they hold (scratch, what is kept, constants
 * that are staged from a slower memory); whoever knows the memory map binds each to a buffer of the right memory
 * domain; only then may the module run. The codes are those of heliaAOT's generated bind functions. */
#ifndef MEMSIZE_ARENA_H
#define MEMSIZE_ARENA_H

#include <stdint.h>

enum {
  ARENA_BOUND = 0,
  ARENA_NO_REGION = 1,  /* region out of range */
  ARENA_NULL = 2,       /* the buffer is null */
  ARENA_SMALL = 3,      /* the buffer is smaller than the region */
  ARENA_MISALIGNED = 4, /* the buffer is off the region's alignment */
  ARENA_COUNT = 5,      /* arena_bind_all: not as many buffers as regions */
  ARENA_UNBOUND = 6     /* a run is refused: a region has no buffer */
};

struct arena_region {
  const char* name;
  uint64_t size;
  uint64_t align; /* a power of two */
};

/* Addresses as the core has them: those of a 32-bit core fit, too. */
struct arena_buffer {
  uint64_t address; /* 0: none is bound */
  uint64_t size;
};

struct arena_set {
  const struct arena_region* regions;
  struct arena_buffer* bound; /* one for each region */
  uint32_t count;
};

/* Nothing is bound. */
void arena_init(struct arena_set* set, const struct arena_region* regions, struct arena_buffer* bound, uint32_t count);
/* Checked in the codes' order; what is refused leaves an earlier binding as it was. */
int32_t arena_bind(struct arena_set* set, uint32_t region, uint64_t buffer, uint64_t size);
/* The first code that is not 0; the regions before it are bound. */
int32_t arena_bind_all(struct arena_set* set, const struct arena_buffer* buffers, uint32_t count);
/* ARENA_BOUND, or ARENA_UNBOUND and the first such region. */
int32_t arena_ready(const struct arena_set* set, uint32_t* unbound);

#endif
