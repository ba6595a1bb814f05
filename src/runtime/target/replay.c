#include "replay.h"

#include <stddef.h>

#include "arena.h"
#include "hal.h"
#include "heap.h"
#include "map_check.h"
#include "report.h"

enum state {
  SLOT_EMPTY = 0,
  SLOT_FAILED, /* found no room */
  SLOT_UNSEEN, /* live, but cannot be written */
  SLOT_LIVE
};

struct slot {
  uint64_t address;
  uint64_t size;
  uint64_t shared; /* the first byte of the last block placed over this one; 0: none is */
  uint32_t step;
  enum state state;
};

/* Bytes [first, last]: an end may be 2^64. */
struct span {
  uint64_t first;
  uint64_t last;
};

static struct heap heaps[MAP_HEAPS];
static struct arena_region regions[MAP_HEAPS];
static struct arena_buffer bound_buffers[MAP_HEAPS];
static struct heap_block block_rows[MAP_SLOTS];
static struct slot slots[MAP_SLOTS];
static uint32_t slot_end; /* no slot from here on was ever used */
static uint32_t covered[MAP_POINTS / 32];
static int writing;
static uint64_t done;
static uint64_t skipped;

int replay_bind(const struct map_table* table) {
  const uint64_t before = report_findings();
  struct arena_set set;
  for (uint32_t row = 0; row < table->heap_count; ++row) {
    const struct map_heap* const heap = &map_heaps(table)[row];
    const struct map_region* const region = &map_regions(table)[heap->region];
    regions[row].name = region->name;
    regions[row].size = region->size;
    regions[row].align = heap->align;
  }
  arena_init(&set, regions, bound_buffers, table->heap_count);
  for (uint32_t row = 0; row < table->heap_count; ++row) {
    const struct map_region* const region = &map_regions(table)[map_heaps(table)[row].region];
    const int32_t code = arena_bind(&set, row, region->virtual_base, region->size);
    if (code != ARENA_BOUND) {
      const struct report_finding finding = {
          "arena", region->name, region->virtual_base, ARENA_BOUND, (uint64_t)code};
      report_finding(&finding);
    }
  }
  report_part("arenas", table->heap_count, 0, report_findings() - before);
  uint32_t unbound = 0;
  return arena_ready(&set, &unbound) == ARENA_BOUND;
}

static struct span span_of(uint64_t first, uint64_t size, uint64_t limit) {
  const struct span span = {first, first + ((size < limit ? size : limit) - 1)};
  return span;
}

static struct span first_of(const struct slot* slot) {
  return span_of(slot->address, slot->size, 8);
}

static struct span last_of(const struct slot* slot) {
  const uint64_t size = slot->size < 8 ? slot->size : 8;
  return span_of(slot->address + (slot->size - size), size, 8);
}

static struct span shared_of(const struct slot* slot) {
  return span_of(slot->shared, slot->size - (slot->shared - slot->address), 8);
}

/* The bits of the word at `word` that belong to the span. */
static uint64_t mask_of(const struct span* span, uint64_t word) {
  uint64_t mask = ~0ULL;
  if (span->first > word) {
    mask &= ~0ULL << 8 * (unsigned)(span->first - word);
  }
  if (span->last < word + 7) {
    mask &= ~0ULL >> 8 * (unsigned)(word + 7 - span->last);
  }
  return mask;
}

static uint64_t pattern_of(const struct map_table* table, const struct slot* slot) {
  /* No region has such a number. */
  return map_pattern(slot->address, table->core_number, 0x80000000U | slot->step);
}

static const char* region_of(const struct map_table* table, const struct slot* slot) {
  return map_regions(table)[map_heaps(table)[map_steps(table)[slot->step].heap].region].name;
}

static int overlap(uint64_t one, uint64_t one_size, uint64_t other, uint64_t other_size) {
  return one >= other ? one - other < other_size : other - one < one_size;
}

/* The points that a write to the span changes, by either of their addresses. */
static void cover(const struct map_table* table, const struct map_region* region, const struct span* span) {
  const uint64_t size = span->last - span->first + 1;
  const uint64_t physical = region->physical_base + (span->first - region->virtual_base);
  for (uint32_t row = 0; row < table->point_count; ++row) {
    const struct map_point* const point = &map_points(table)[row];
    const uint32_t both = region->flags & map_regions(table)[point->region].flags;
    if (overlap(span->first, size, point->virtual_base, 8) ||
        ((both & MAP_HAS_PHYSICAL) != 0 && overlap(physical, size, point->physical, 8))) {
      covered[row / 32] |= 1U << row % 32;
    }
  }
}

static enum hal_result write_word(uint64_t word, uint64_t mask, uint64_t pattern) {
  uint64_t value = 0;
  if (mask != ~0ULL) {
    const enum hal_result result = hal_read(word, &value);
    if (result != HAL_DONE) {
      return result;
    }
  }
  return hal_write(word, (value & ~mask) | (pattern & mask));
}

/* Writes the slot's pattern. What cannot be written makes the block one that is not looked at. */
static void fill(const struct map_table* table, struct slot* slot, struct span span) {
  if (!writing) {
    cover(table, &map_regions(table)[map_heaps(table)[map_steps(table)[slot->step].heap].region], &span);
    return;
  }
  for (uint64_t word = span.first & ~7ULL; slot->state == SLOT_LIVE; word += 8) {
    const enum hal_result result =
        map_protected(table, word) ? HAL_UNREACHED : write_word(word, mask_of(&span, word), pattern_of(table, slot));
    if (result != HAL_DONE) {
      slot->state = SLOT_UNSEEN;
    }
    if (result == HAL_FAULTED) {
      const struct report_finding finding = {"fault", region_of(table, slot), word, 0, hal_last_fault().status};
      report_finding(&finding);
    }
    if (word == (span.last & ~7ULL)) {
      break;
    }
  }
}

/* 0: the block is not as it was, or cannot be read; the finding is reported. */
static int intact(const struct map_table* table, struct slot* slot, struct span span) {
  const uint64_t pattern = pattern_of(table, slot);
  for (uint64_t word = span.first & ~7ULL;; word += 8) {
    uint64_t value = 0;
    const enum hal_result result = map_protected(table, word) ? HAL_UNREACHED : hal_read(word, &value);
    const uint64_t mask = mask_of(&span, word);
    if (result == HAL_UNREACHED) {
      slot->state = SLOT_UNSEEN;
      return 0;
    }
    if (result == HAL_FAULTED || (value & mask) != (pattern & mask)) {
      const int faulted = result == HAL_FAULTED;
      const struct report_finding finding = {faulted ? "fault" : "block",
                                             region_of(table, slot),
                                             word,
                                             faulted ? 0 : pattern & mask,
                                             faulted ? hal_last_fault().status : value & mask};
      report_finding(&finding);
      return 0;
    }
    if (word == (span.last & ~7ULL)) {
      return 1;
    }
  }
}

static void verify(const struct map_table* table, struct slot* slot) {
  if (slot->state != SLOT_LIVE) {
    return;
  }
  (void)(intact(table, slot, first_of(slot)) && intact(table, slot, last_of(slot)) &&
         (slot->shared == 0 || intact(table, slot, shared_of(slot))));
}

static void verify_all(const struct map_table* table) {
  for (uint32_t row = 0; row < slot_end; ++row) {
    verify(table, &slots[row]);
  }
}

/* A heap whose offset was set back hands live blocks out again: the new block is written there, too. */
static void place_over(const struct map_table* table, struct slot* slot) {
  for (uint32_t row = 0; row < slot_end; ++row) {
    struct slot* const other = &slots[row];
    if (other == slot || other->state < SLOT_UNSEEN ||
        !overlap(slot->address, slot->size, other->address, other->size)) {
      continue;
    }
    other->shared = slot->address > other->address ? slot->address : other->address;
    struct span span = shared_of(other);
    const uint64_t last = slot->address + (slot->size - 1);
    span.last = span.last < last ? span.last : last;
    fill(table, slot, span);
  }
}

static void allocate(const struct map_table* table, uint32_t row) {
  const struct map_step* const step = &map_steps(table)[row];
  struct slot* const slot = &slots[step->slot];
  struct heap* const heap = &heaps[step->heap];
  slot->size = step->size;
  slot->shared = 0;
  slot->step = row;
  slot_end = step->slot < slot_end ? slot_end : step->slot + 1;
  if (heap_alloc(heap, step->size, step->align, &slot->address) != HEAP_DONE) {
    slot->state = SLOT_FAILED;
    if (writing) {
      const struct report_finding finding = {
          "heap", region_of(table, slot), heap->base, heap_room(heap), step->size};
      report_finding(&finding);
    }
    return;
  }
  slot->state = SLOT_LIVE;
  if (writing) {
    report_block(region_of(table, slot), step->instance, step->record, slot->address, slot->size);
  }
  place_over(table, slot);
  fill(table, slot, first_of(slot));
  fill(table, slot, last_of(slot));
  skipped += slot->state == SLOT_UNSEEN;
}

static void give_back(const struct map_table* table, const struct map_step* step) {
  struct slot* const slot = &slots[step->slot];
  if (writing) {
    verify(table, slot);
  }
  if (slot->state >= SLOT_UNSEEN) {
    (void)heap_free(&heaps[step->heap], slot->address);
  }
  slot->state = SLOT_EMPTY;
}

static void reset(const struct map_table* table, const struct map_step* step) {
  for (uint32_t row = 0; row < slot_end; ++row) {
    if (slots[row].state == SLOT_EMPTY || map_steps(table)[slots[row].step].heap != step->heap) {
      continue;
    }
    if (writing) {
      verify(table, &slots[row]);
    }
    slots[row].state = SLOT_EMPTY;
  }
  heap_reset(&heaps[step->heap]);
}

static void init(const struct map_table* table) {
  static struct heap_rows rows;
  heap_rows_init(&rows, block_rows, MAP_SLOTS);
  for (uint32_t row = 0; row < table->heap_count; ++row) {
    const struct map_heap* const heap = &map_heaps(table)[row];
    const struct arena_buffer* const buffer = &bound_buffers[row];
    if (heap->kind == MAP_LINEAR) {
      heap_init_linear(&heaps[row], buffer->address, buffer->size, heap->align);
    } else {
      heap_init_rtos(&heaps[row], buffer->address, buffer->size, heap->align, heap->header, heap->idle, &rows);
    }
  }
  for (uint32_t row = 0; row < slot_end; ++row) {
    slots[row].state = SLOT_EMPTY;
  }
  for (uint32_t row = 0; row < MAP_POINTS / 32; ++row) {
    covered[row] = 0;
  }
  slot_end = 0;
  done = 0;
  skipped = 0;
}

static void steps(const struct map_table* table, int bound) {
  init(table);
  if (!bound) {
    skipped = table->step_count;
    return;
  }
  for (uint32_t row = 0; row < table->step_count; ++row) {
    const struct map_step* const step = &map_steps(table)[row];
    if (step->kind == MAP_ALLOC) {
      allocate(table, row);
    } else if (step->kind == MAP_FREE) {
      give_back(table, step);
    } else {
      reset(table, step);
    }
  }
  done = table->step_count - skipped;
}

void replay_run(const struct map_table* table, int bound) {
  const uint64_t before = report_findings();
  writing = 1;
  steps(table, bound);
  verify_all(table);
  report_part("replay", done, skipped, report_findings() - before);
}

void replay_again(const struct map_table* table, int bound) {
  writing = 0;
  steps(table, bound);
}

int replay_covers(uint32_t point) {
  return (covered[point / 32] >> point % 32 & 1U) != 0;
}

void replay_blocks(const struct map_table* table) {
  const uint64_t before = report_findings();
  uint64_t looked = 0;
  uint64_t unseen = 0;
  verify_all(table);
  for (uint32_t row = 0; row < slot_end; ++row) {
    looked += slots[row].state == SLOT_LIVE;
    unseen += slots[row].state == SLOT_UNSEEN;
  }
  report_part("blocks", looked, unseen, report_findings() - before);
}
