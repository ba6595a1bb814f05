/* The expected map, checked before anything is tried: as a table, and as a map that the image itself lies in. */
#ifndef MEMSIZE_MAP_CHECK_H
#define MEMSIZE_MAP_CHECK_H

#include <stdint.h>

#include "map_table.h"

static inline const void* map_at(const struct map_table* table, uint32_t offset) {
  return (const unsigned char*)table + offset;
}

static inline const struct map_region* map_regions(const struct map_table* table) {
  return map_at(table, table->region_offset);
}

static inline const struct map_keep* map_keeps(const struct map_table* table) {
  return map_at(table, table->keep_offset);
}

static inline const struct map_point* map_points(const struct map_table* table) {
  return map_at(table, table->point_offset);
}

static inline const struct map_heap* map_heaps(const struct map_table* table) {
  return map_at(table, table->heap_offset);
}

static inline const struct map_step* map_steps(const struct map_table* table) {
  return map_at(table, table->step_offset);
}

/* Not 0: every row lies in the table, and every index, name, address and slot of a row is good. Else the first that
 * is not is reported as "table": address is its offset in the table. Nothing else may look at such a table. */
int map_table_ok(const struct map_table* table);

/* The part "map": regions, and the image within one of them. */
void map_check(const struct map_table* table);

/* Not 0: the eight bytes there belong to the image or to what the table keeps; nothing may write them. */
int map_protected(const struct map_table* table, uint64_t address);

#endif
