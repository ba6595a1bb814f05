/* The places of a table, tried one by one. Nothing is written where map_protected says no: such points are skipped. */
#ifndef MEMSIZE_PROBE_H
#define MEMSIZE_PROBE_H

#include <stdint.h>

#include "map_table.h"

/* Phase 1, the part "points": first what must fault (a fetch that does not may have written), then every MAP_ACCESS
 * is written, and read only when all are written: of two places that are the same memory the first has changed. */
void probe_points(const struct map_table* table);

/* Phase 2, the parts "kept" and "peers". `covered`: points that blocks of the replay lie over. */
void probe_kept(const struct map_table* table, int (*covered)(uint32_t point));
void probe_peers(const struct map_table* table);

#endif
