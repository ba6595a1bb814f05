/* The heaps and arenas, step by step as standard input says; one answer a line.
 *   linear BASE SIZE ALIGN | rtos BASE SIZE ALIGN HEADER IDLE     the next heap, numbered from 0
 *   alloc HEAP SIZE ALIGN                                        the address, or "full"
 *   free HEAP ADDRESS | reset HEAP                               the heap's used and peak
 *   room HEAP                                                    the largest block
 *   region SIZE ALIGN                                            the next arena region; nothing is bound after it
 *   bind REGION BUFFER SIZE | ready                              the code
 *   bind_all COUNT BUFFER SIZE ...                               the code */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "heap.h"

static struct heap heaps[8];
static struct heap_block storage[512];
static struct heap_rows rows;
static struct arena_region regions[8];
static struct arena_buffer bound[8];
static struct arena_set set;

static uint64_t number(void) {
  uint64_t value = 0;
  (void)(scanf("%" SCNu64, &value) == 1);
  return value;
}

static void use_arenas(const char* word) {
  if (strcmp(word, "region") == 0) {
    regions[set.count].name = "region";
    regions[set.count].size = number();
    regions[set.count].align = number();
    arena_init(&set, regions, bound, set.count + 1);
  } else if (strcmp(word, "bind") == 0) {
    const uint32_t region = (uint32_t)number();
    const uint64_t buffer = number();
    printf("%d\n", (int)arena_bind(&set, region, buffer, number()));
  } else if (strcmp(word, "ready") == 0) {
    uint32_t unbound = 0;
    printf("%d\n", (int)arena_ready(&set, &unbound));
  } else {
    struct arena_buffer buffers[8];
    const uint32_t count = (uint32_t)number();
    for (uint32_t at = 0; at < count; ++at) {
      buffers[at].address = number();
      buffers[at].size = number();
    }
    printf("%d\n", (int)arena_bind_all(&set, buffers, count));
  }
}

int main(void) {
  char word[16];
  unsigned count = 0;
  heap_rows_init(&rows, storage, 512);
  while (scanf("%15s", word) == 1) {
    if (strcmp(word, "linear") == 0 || strcmp(word, "rtos") == 0) {
      const uint64_t base = number();
      const uint64_t size = number();
      const uint64_t align = number();
      if (word[0] == 'l') {
        heap_init_linear(&heaps[count++], base, size, align);
      } else {
        const uint64_t header = number();
        heap_init_rtos(&heaps[count++], base, size, align, header, number(), &rows);
      }
    } else if (strcmp(word, "alloc") == 0) {
      struct heap* const heap = &heaps[number()];
      const uint64_t size = number();
      uint64_t address = 0;
      if (heap_alloc(heap, size, number(), &address) == HEAP_DONE) {
        printf("%" PRIu64 "\n", address);
      } else {
        printf("full\n");
      }
    } else if (strcmp(word, "free") == 0 || strcmp(word, "reset") == 0) {
      struct heap* const heap = &heaps[number()];
      if (word[0] == 'r') {
        heap_reset(heap);
      } else if (heap_free(heap, number()) != HEAP_DONE) {
        printf("unknown\n");
        continue;
      }
      printf("%" PRIu64 " %" PRIu64 "\n", heap->used, heap->peak);
    } else if (strcmp(word, "room") == 0) {
      printf("%" PRIu64 "\n", heap_room(&heaps[number()]));
    } else {
      use_arenas(word);
    }
  }
  return 0;
}
