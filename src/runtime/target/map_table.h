/* The expected map of one core, as data: what memsize writes and the runtime reads.
 *
 * One block of little-endian words: this header, then rows at the offsets that it names. It is the same
 * on every core, linked into an image or read from a file. memsize's C++ includes this file, too. */
#ifndef MEMSIZE_MAP_TABLE_H
#define MEMSIZE_MAP_TABLE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "MEMSIZE1" in memory. */
#define MAP_MAGIC 0x31455A49534D454DULL
/* Bytes of a name, the zero behind it included. */
#define MAP_NAME 64

/* How a core caches: what an attribute of the hardware comes to. */
enum { MAP_NON_CACHED = 1, MAP_WRITE_THROUGH = 2, MAP_WRITE_BACK = 4 };

struct map_table {
  uint64_t magic;
  uint64_t bytes; /* of the whole block */
  char core[MAP_NAME];
  uint32_t core_number; /* from 0, in the board's order */
  uint32_t core_count;
  uint32_t region_count;
  uint32_t region_offset;
  uint32_t keep_count;
  uint32_t keep_offset;
  uint32_t point_count;
  uint32_t point_offset;
  uint32_t heap_count;
  uint32_t heap_offset;
  uint32_t step_count;
  uint32_t step_offset;
};

enum {
  MAP_HAS_PHYSICAL = 1 /* on the bus; else only its own core sees it */
};

/* A region that the core uses. */
struct map_region {
  char name[MAP_NAME];
  uint64_t virtual_base;
  uint64_t physical_base;
  uint64_t size;
  uint64_t align; /* of the virtual base; a power of two */
  uint32_t flags;
  uint32_t kinds; /* how it may be cached: a sum of MAP_NON_CACHED and the others */
};

/* Bytes that no probe may write, at the core's addresses: translation tables. */
struct map_keep {
  uint64_t virtual_base;
  uint64_t size;
};

enum {
  MAP_ACCESS = 0,     /* leads to `physical`, cached as allowed; is written, read, and must still be there later */
  MAP_LOOK = 1,       /* leads to `physical`, cached as allowed */
  MAP_FAULT = 2,      /* reading must fault */
  MAP_NO_WRITE = 3,   /* reading works, writing must fault */
  MAP_NO_EXECUTE = 4, /* fetching an instruction must fault */
  MAP_PEER = 5        /* in phase 2: what `writer` wrote at this physical address is read */
};

/* A place to be tried: eight bytes on a multiple of eight. */
struct map_point {
  uint64_t virtual_base;
  uint64_t physical; /* as expected; without meaning where the region has no physical address */
  uint32_t region;   /* row of the region; for MAP_FAULT the region beside it */
  uint32_t kind;
  uint32_t writer;        /* MAP_PEER: the number of the core that wrote */
  uint32_t writer_region; /* MAP_PEER: the row of the region in that core's table */
};

enum { MAP_LINEAR = 0, MAP_RTOS = 1 }; /* heap.h */

/* A heap that fills a region. */
struct map_heap {
  uint32_t region;
  uint32_t kind;
  uint64_t align;  /* linear: where a block may begin; RTOS: what a block's size is rounded up to */
  uint64_t header; /* RTOS: bytes before each block */
  uint64_t idle;   /* RTOS: in use before any block, at the heap's end */
};

enum {
  MAP_ALLOC = 0, /* `size` bytes, more than 0, kept as `slot`, which is not in use */
  MAP_FREE = 1,  /* `slot`, which is in use by this heap, is given back; a linear heap begins at its base again, while
                  * its other blocks are still somebody's */
  MAP_RESET = 2  /* the heap is empty again, and nobody uses any of its blocks: scratch, before the next model */
};

#define MAP_NO_RECORD 0xFFFFFFFFU
/* What the runtime has room for. */
#define MAP_SLOTS 4096
#define MAP_HEAPS 32
#define MAP_POINTS 65536

/* One step of the allocations to be replayed. */
struct map_step {
  uint32_t kind;
  uint32_t heap;
  uint32_t slot; /* below MAP_SLOTS */
  uint32_t instance;
  uint32_t record; /* MAP_NO_RECORD: an object of the instance's own */
  uint32_t reserved;
  uint64_t size;
  uint64_t align; /* of the block; 0: the heap's own */
};

/* What the core writes at a point: no two cores, regions or places have the same. `number` is the core's. */
static inline uint64_t map_pattern(uint64_t physical, uint32_t number, uint32_t region) {
  /* The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). */
  uint64_t where = number;
  where = where << 32 | region;
  uint64_t x = physical + 0x9E3779B97F4A7C15ULL * (where + 1);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

#ifdef __cplusplus
}
#endif
#endif
