#include "map_check.h"

#include <stddef.h>

#include "hal.h"
#include "report.h"

/* What a row is refused for: where it is in the table, what was found, and the limit. */
struct refusal {
  uint64_t offset;
  uint64_t expected;
  uint64_t actual;
};

static int refuse(struct refusal* why, uint64_t offset, uint64_t expected, uint64_t actual) {
  why->offset = offset;
  why->expected = expected;
  why->actual = actual;
  return 0;
}

static int power_of_two(uint64_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

/* [base, base + size) ends within 64 bits; 2^64 itself is an end. */
static int fits(uint64_t base, uint64_t size) {
  return size == 0 || base + (size - 1) >= base;
}

static int terminated(const char* name) {
  for (unsigned at = 0; at < MAP_NAME; ++at) {
    if (name[at] == '\0') {
      return 1;
    }
  }
  return 0;
}

struct rows {
  uint64_t begin;
  uint64_t end;
};

static struct rows rows_of(uint32_t count, uint32_t offset, size_t size) {
  const struct rows rows = {offset, offset + (uint64_t)count * size};
  return rows;
}

static int header_ok(const struct map_table* table, struct refusal* why) {
  if (table->magic != MAP_MAGIC) {
    return refuse(why, offsetof(struct map_table, magic), MAP_MAGIC, table->magic);
  }
  if (table->bytes < sizeof *table) {
    return refuse(why, offsetof(struct map_table, bytes), sizeof *table, table->bytes);
  }
  if (!terminated(table->core)) {
    return refuse(why, offsetof(struct map_table, core), 0, 1);
  }
  if (table->core_number >= table->core_count) {
    return refuse(why, offsetof(struct map_table, core_number), table->core_count, table->core_number);
  }
  if (table->heap_count > MAP_HEAPS) {
    return refuse(why, offsetof(struct map_table, heap_count), MAP_HEAPS, table->heap_count);
  }
  if (table->point_count > MAP_POINTS) {
    return refuse(why, offsetof(struct map_table, point_count), MAP_POINTS, table->point_count);
  }
  const struct rows rows[] = {
      rows_of(table->region_count, table->region_offset, sizeof(struct map_region)),
      rows_of(table->keep_count, table->keep_offset, sizeof(struct map_keep)),
      rows_of(table->point_count, table->point_offset, sizeof(struct map_point)),
      rows_of(table->heap_count, table->heap_offset, sizeof(struct map_heap)),
      rows_of(table->step_count, table->step_offset, sizeof(struct map_step)),
  };
  const unsigned kinds = sizeof rows / sizeof rows[0];
  for (unsigned one = 0; one < kinds; ++one) {
    /* The offset's field: counts and offsets alternate. */
    const uint64_t field = offsetof(struct map_table, region_offset) + 8U * one;
    if (rows[one].begin < sizeof *table || (rows[one].begin & 7) != 0) {
      return refuse(why, field, sizeof *table, rows[one].begin);
    }
    if (rows[one].end > table->bytes) {
      return refuse(why, field, table->bytes, rows[one].end);
    }
    for (unsigned other = 0; other < one; ++other) {
      if (rows[one].begin < rows[other].end && rows[other].begin < rows[one].end) {
        return refuse(why, field, rows[other].end, rows[one].begin);
      }
    }
  }
  return 1;
}

static int region_ok(const struct map_region* region, uint64_t at, struct refusal* why) {
  if (!terminated(region->name)) {
    return refuse(why, at + offsetof(struct map_region, name), 0, 1);
  }
  if (!fits(region->virtual_base, region->size)) {
    return refuse(why, at + offsetof(struct map_region, virtual_base), 0 - region->size, region->virtual_base);
  }
  if ((region->flags & MAP_HAS_PHYSICAL) != 0 && !fits(region->physical_base, region->size)) {
    return refuse(why, at + offsetof(struct map_region, physical_base), 0 - region->size, region->physical_base);
  }
  if (!power_of_two(region->align)) {
    return refuse(why, at + offsetof(struct map_region, align), 1, region->align);
  }
  if ((region->flags & ~(uint32_t)MAP_HAS_PHYSICAL) != 0) {
    return refuse(why, at + offsetof(struct map_region, flags), MAP_HAS_PHYSICAL, region->flags);
  }
  const uint32_t all = MAP_NON_CACHED | MAP_WRITE_THROUGH | MAP_WRITE_BACK;
  if (region->kinds == 0 || (region->kinds & ~all) != 0) {
    return refuse(why, at + offsetof(struct map_region, kinds), all, region->kinds);
  }
  return 1;
}

static int point_ok(const struct map_table* table, const struct map_point* point, uint64_t at, struct refusal* why) {
  if (point->kind > MAP_PEER) {
    return refuse(why, at + offsetof(struct map_point, kind), MAP_PEER, point->kind);
  }
  if (point->region >= table->region_count) {
    return refuse(why, at + offsetof(struct map_point, region), table->region_count, point->region);
  }
  const struct map_region* const region = &map_regions(table)[point->region];
  const uint64_t inside = point->virtual_base - region->virtual_base;
  if ((point->virtual_base & 7) != 0 ||
      (point->kind != MAP_FAULT && (region->size < 8 || inside > region->size - 8))) {
    return refuse(why, at + offsetof(struct map_point, virtual_base), region->virtual_base, point->virtual_base);
  }
  if (point->kind == MAP_PEER && point->writer >= table->core_count) {
    return refuse(why, at + offsetof(struct map_point, writer), table->core_count, point->writer);
  }
  return 1;
}

static int heap_ok(const struct map_table* table, const struct map_heap* heap, uint64_t at, struct refusal* why) {
  if (heap->region >= table->region_count) {
    return refuse(why, at + offsetof(struct map_heap, region), table->region_count, heap->region);
  }
  if (heap->kind > MAP_RTOS) {
    return refuse(why, at + offsetof(struct map_heap, kind), MAP_RTOS, heap->kind);
  }
  if (!power_of_two(heap->align)) {
    return refuse(why, at + offsetof(struct map_heap, align), 1, heap->align);
  }
  const uint64_t size = map_regions(table)[heap->region].size;
  if (heap->header > size) {
    return refuse(why, at + offsetof(struct map_heap, header), size, heap->header);
  }
  if (heap->idle > size) {
    return refuse(why, at + offsetof(struct map_heap, idle), size, heap->idle);
  }
  return 1;
}

/* The heap of each slot in use, plus one. */
static uint8_t owners[MAP_SLOTS];

static int step_ok(const struct map_table* table, const struct map_step* step, uint64_t at, struct refusal* why) {
  if (step->kind > MAP_RESET) {
    return refuse(why, at + offsetof(struct map_step, kind), MAP_RESET, step->kind);
  }
  if (step->heap >= table->heap_count) {
    return refuse(why, at + offsetof(struct map_step, heap), table->heap_count, step->heap);
  }
  if (step->reserved != 0) {
    return refuse(why, at + offsetof(struct map_step, reserved), 0, step->reserved);
  }
  const uint8_t owner = (uint8_t)(step->heap + 1);
  if (step->kind == MAP_RESET) {
    for (unsigned slot = 0; slot < MAP_SLOTS; ++slot) {
      owners[slot] = owners[slot] == owner ? 0 : owners[slot];
    }
    return 1;
  }
  if (step->slot >= MAP_SLOTS) {
    return refuse(why, at + offsetof(struct map_step, slot), MAP_SLOTS, step->slot);
  }
  if (owners[step->slot] != (step->kind == MAP_ALLOC ? 0 : owner)) {
    return refuse(why, at + offsetof(struct map_step, slot), step->kind == MAP_ALLOC ? 0 : owner, owners[step->slot]);
  }
  if (step->kind == MAP_FREE) {
    owners[step->slot] = 0;
    return 1;
  }
  owners[step->slot] = owner;
  if (step->size == 0) {
    return refuse(why, at + offsetof(struct map_step, size), 1, 0);
  }
  if (step->align != 0 && !power_of_two(step->align)) {
    return refuse(why, at + offsetof(struct map_step, align), 1, step->align);
  }
  return 1;
}

static int rows_ok(const struct map_table* table, struct refusal* why) {
  for (uint32_t row = 0; row < table->region_count; ++row) {
    if (!region_ok(&map_regions(table)[row], table->region_offset + (uint64_t)row * sizeof(struct map_region), why)) {
      return 0;
    }
  }
  for (uint32_t row = 0; row < table->keep_count; ++row) {
    const struct map_keep* const keep = &map_keeps(table)[row];
    if (!fits(keep->virtual_base, keep->size)) {
      return refuse(why, table->keep_offset + (uint64_t)row * sizeof *keep, 0 - keep->size, keep->virtual_base);
    }
  }
  for (uint32_t row = 0; row < table->point_count; ++row) {
    const uint64_t at = table->point_offset + (uint64_t)row * sizeof(struct map_point);
    if (!point_ok(table, &map_points(table)[row], at, why)) {
      return 0;
    }
  }
  for (uint32_t row = 0; row < table->heap_count; ++row) {
    const uint64_t at = table->heap_offset + (uint64_t)row * sizeof(struct map_heap);
    if (!heap_ok(table, &map_heaps(table)[row], at, why)) {
      return 0;
    }
  }
  for (unsigned slot = 0; slot < MAP_SLOTS; ++slot) {
    owners[slot] = 0;
  }
  for (uint32_t row = 0; row < table->step_count; ++row) {
    const uint64_t at = table->step_offset + (uint64_t)row * sizeof(struct map_step);
    if (!step_ok(table, &map_steps(table)[row], at, why)) {
      return 0;
    }
  }
  return 1;
}

int map_table_ok(const struct map_table* table) {
  struct refusal why;
  if (header_ok(table, &why) && rows_ok(table, &why)) {
    return 1;
  }
  const struct report_finding finding = {"table", "", why.offset, why.expected, why.actual};
  report_finding(&finding);
  return 0;
}

static void check_region(const struct map_table* table, uint32_t row) {
  const struct map_region* const region = &map_regions(table)[row];
  const uint64_t base = region->virtual_base;
  if (region->size == 0 || (base & (region->align - 1)) != 0) {
    const struct report_finding finding = {"region", region->name, base, region->align, base};
    report_finding(&finding);
  }
  for (uint32_t before = 0; before < row && region->size != 0; ++before) {
    const struct map_region* const other = &map_regions(table)[before];
    /* The later of the two begins within the other. */
    const int overlap = base >= other->virtual_base ? base - other->virtual_base < other->size
                                                    : other->virtual_base - base < region->size && other->size != 0;
    if (overlap) {
      const struct report_finding finding = {"overlap", region->name, base, other->virtual_base, base};
      report_finding(&finding);
    }
  }
}

static void check_image(const struct map_table* table) {
  uint64_t begin = 0;
  uint64_t end = 0;
  hal_image(&begin, &end);
  if (begin >= end) {
    return;
  }
  uint64_t outside = begin;
  const char* name = "";
  for (uint32_t row = 0; row < table->region_count; ++row) {
    const struct map_region* const region = &map_regions(table)[row];
    if (begin - region->virtual_base < region->size) {
      if (end - 1 - region->virtual_base < region->size) {
        return;
      }
      outside = region->virtual_base + region->size;
      name = region->name;
    }
  }
  const struct report_finding finding = {"image", name, outside, begin, end};
  report_finding(&finding);
}

void map_check(const struct map_table* table) {
  const uint64_t before = report_findings();
  for (uint32_t row = 0; row < table->region_count; ++row) {
    check_region(table, row);
  }
  check_image(table);
  report_part("map", table->region_count, 0, report_findings() - before);
}

int map_protected(const struct map_table* table, uint64_t address) {
  uint64_t begin = 0;
  uint64_t end = 0;
  hal_image(&begin, &end);
  if ((begin < end && address + 7 >= begin && address < end) || hal_is_own(address)) {
    return 1;
  }
  for (uint32_t row = 0; row < table->keep_count; ++row) {
    const struct map_keep* const keep = &map_keeps(table)[row];
    if (keep->size != 0 && address + 7 >= keep->virtual_base && address <= keep->virtual_base + (keep->size - 1)) {
      return 1;
    }
  }
  return 0;
}
