/* The two allocators of an accelerator's core, by their arithmetic alone: nothing is read from or written to the
 * memory that they hand out, so addresses come out as on the chip wherever this runs.
 *
 *   linear   an offset that only grows. Giving back any block, whichever, sets the offset of the whole heap to 0,
 *            and its high-water mark, too (appMemFree; app_mem.c of TI's vision_apps): blocks that others still
 *            use are handed out again.
 *   RTOS     first fit in a list of free pieces in the order of their addresses, neighbours joined: as the heap_4 of
 *            FreeRTOS. A block is a header and the size rounded up; a rest of no more than two headers stays with the
 *            block. */
#ifndef MEMSIZE_HEAP_H
#define MEMSIZE_HEAP_H

#include <stdint.h>

enum heap_result {
  HEAP_DONE = 0,
  HEAP_FULL = 1,    /* no room for the size */
  HEAP_CROWDED = 2, /* no row left to remember the block by */
  HEAP_UNKNOWN = 3  /* no block begins there */
};

#define HEAP_END 0xFFFFFFFFU

/* A block of an RTOS heap, its header included: [begin, end), offsets. */
struct heap_block {
  uint64_t begin;
  uint64_t end;
  uint32_t next;
};

/* Rows for the blocks of all RTOS heaps; what is in use is in the heaps' lists. */
struct heap_rows {
  struct heap_block* rows;
  uint32_t count;
  uint32_t unused; /* head of the list of unused rows */
};

void heap_rows_init(struct heap_rows* rows, struct heap_block* storage, uint32_t count);

struct heap {
  uint64_t base;
  uint64_t size;
  uint64_t align;  /* a power of two; map_table.h says of what */
  uint64_t header; /* RTOS */
  uint64_t idle;   /* RTOS: bytes in use at the heap's end */
  uint64_t offset; /* linear: where the next block may begin */
  uint64_t used;   /* bytes handed out, with headers, paddings and what is idle */
  uint64_t peak;   /* the most that `used` has been; linear: since the last reset */
  struct heap_rows* rows; /* null: a linear heap */
  uint32_t first;
};

void heap_init_linear(struct heap* heap, uint64_t base, uint64_t size, uint64_t align);
void heap_init_rtos(struct heap* heap, uint64_t base, uint64_t size, uint64_t align, uint64_t header, uint64_t idle,
                    struct heap_rows* rows);

/* `align`: of this block, a power of two; 0: the heap's own. What an RTOS heap aligns is a block's size. */
enum heap_result heap_alloc(struct heap* heap, uint64_t size, uint64_t align, uint64_t* address);
enum heap_result heap_free(struct heap* heap, uint64_t address);
/* No block any more. */
void heap_reset(struct heap* heap);
/* The largest block that heap_alloc would give. */
uint64_t heap_room(const struct heap* heap);

#endif
