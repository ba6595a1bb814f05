#include "heap.h"

#include <stddef.h>

void heap_rows_init(struct heap_rows* rows, struct heap_block* storage, uint32_t count) {
  rows->rows = storage;
  rows->count = count;
  rows->unused = count == 0 ? HEAP_END : 0;
  for (uint32_t row = 0; row < count; ++row) {
    storage[row].next = row + 1 < count ? row + 1 : HEAP_END;
  }
}

static void init(struct heap* heap, uint64_t base, uint64_t size, uint64_t align) {
  heap->base = base;
  heap->size = size;
  heap->align = align;
  heap->header = 0;
  heap->idle = 0;
  heap->offset = 0;
  heap->used = 0;
  heap->peak = 0;
  heap->rows = NULL;
  heap->first = HEAP_END;
}

void heap_init_linear(struct heap* heap, uint64_t base, uint64_t size, uint64_t align) {
  init(heap, base, size, align);
}

void heap_init_rtos(struct heap* heap, uint64_t base, uint64_t size, uint64_t align, uint64_t header, uint64_t idle,
                    struct heap_rows* rows) {
  init(heap, base, size, align);
  heap->header = header;
  heap->idle = idle < size ? idle : size;
  heap->used = heap->idle;
  heap->peak = heap->idle;
  heap->rows = rows;
}

/* 0 where the sum is no number of 64 bits. */
static int align_up(uint64_t value, uint64_t align, uint64_t* aligned) {
  const uint64_t mask = align - 1;
  *aligned = (value + mask) & ~mask;
  return *aligned >= value;
}

static void use(struct heap* heap, uint64_t used) {
  heap->used = used;
  if (heap->peak < used) {
    heap->peak = used;
  }
}

static enum heap_result linear_alloc(struct heap* heap, uint64_t size, uint64_t align, uint64_t* address) {
  uint64_t begin = 0;
  if (!align_up(heap->offset, align, &begin) || begin > heap->size || size > heap->size - begin) {
    return HEAP_FULL;
  }
  heap->offset = begin + size;
  use(heap, heap->offset);
  *address = heap->base + begin;
  return HEAP_DONE;
}

/* A free piece lies between two blocks that follow each other in the list, or at an end of the heap. */
static uint64_t piece_end(const struct heap* heap, uint32_t next) {
  return next == HEAP_END ? heap->size - heap->idle : heap->rows->rows[next].begin;
}

static enum heap_result rtos_alloc(struct heap* heap, uint64_t size, uint64_t align, uint64_t* address) {
  struct heap_block* const rows = heap->rows->rows;
  uint64_t wanted = 0;
  if (!align_up(size, align, &wanted) || wanted + heap->header < wanted) {
    return HEAP_FULL;
  }
  wanted += heap->header;
  uint64_t begin = 0;
  uint32_t* link = &heap->first;
  for (;;) {
    const uint64_t piece = piece_end(heap, *link) - begin;
    if (wanted <= piece) {
      const uint32_t row = heap->rows->unused;
      if (row == HEAP_END) {
        return HEAP_CROWDED;
      }
      heap->rows->unused = rows[row].next;
      const uint64_t taken = piece - wanted > 2 * heap->header ? wanted : piece;
      rows[row].begin = begin;
      rows[row].end = begin + taken;
      rows[row].next = *link;
      *link = row;
      use(heap, heap->used + taken);
      *address = heap->base + begin + heap->header;
      return HEAP_DONE;
    }
    if (*link == HEAP_END) {
      return HEAP_FULL;
    }
    begin = rows[*link].end;
    link = &rows[*link].next;
  }
}

enum heap_result heap_alloc(struct heap* heap, uint64_t size, uint64_t align, uint64_t* address) {
  const uint64_t larger = align > heap->align ? align : heap->align;
  return heap->rows == NULL ? linear_alloc(heap, size, larger, address) : rtos_alloc(heap, size, larger, address);
}

static void drop(struct heap* heap, uint32_t* link) {
  struct heap_block* const rows = heap->rows->rows;
  const uint32_t row = *link;
  *link = rows[row].next;
  heap->used -= rows[row].end - rows[row].begin;
  rows[row].next = heap->rows->unused;
  heap->rows->unused = row;
}

enum heap_result heap_free(struct heap* heap, uint64_t address) {
  if (heap->rows == NULL) {
    heap_reset(heap);
    return HEAP_DONE;
  }
  struct heap_block* const rows = heap->rows->rows;
  for (uint32_t* link = &heap->first; *link != HEAP_END; link = &rows[*link].next) {
    if (heap->base + rows[*link].begin + heap->header == address) {
      drop(heap, link);
      return HEAP_DONE;
    }
  }
  return HEAP_UNKNOWN;
}

void heap_reset(struct heap* heap) {
  if (heap->rows == NULL) {
    heap->offset = 0;
    heap->used = 0;
    heap->peak = 0;
    return;
  }
  while (heap->first != HEAP_END) {
    drop(heap, &heap->first);
  }
}

uint64_t heap_room(const struct heap* heap) {
  if (heap->rows == NULL) {
    uint64_t begin = 0;
    return align_up(heap->offset, heap->align, &begin) && begin < heap->size ? heap->size - begin : 0;
  }
  uint64_t largest = 0;
  uint64_t begin = 0;
  for (uint32_t next = heap->first;; next = heap->rows->rows[next].next) {
    const uint64_t piece = piece_end(heap, next) - begin;
    largest = piece > largest ? piece : largest;
    if (next == HEAP_END) {
      break;
    }
    begin = heap->rows->rows[next].end;
  }
  return largest > heap->header ? (largest - heap->header) & ~(heap->align - 1) : 0;
}
