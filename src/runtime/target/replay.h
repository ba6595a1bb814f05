/* The traced allocations, done again in the heaps of the map.
 *
 * A block is taken to be filled with a pattern of its own; what is written and looked at are its first and last eight
 * bytes, and the first ones where a later block was placed over it while it was live. */
#ifndef MEMSIZE_REPLAY_H
#define MEMSIZE_REPLAY_H

#include <stdint.h>

#include "map_table.h"

/* Each heap's region as an arena: the part "arenas". Not 0: all are bound. */
int replay_bind(const struct map_table* table);

/* Phase 1: places, reports and writes the blocks. A block is looked at when it is given back or its heap is reset; all
 * that are left, at the end: the part "replay". */
void replay_run(const struct map_table* table, int bound);

/* Phase 2: the same blocks, neither reported nor written. From then on replay_covers is known. */
void replay_again(const struct map_table* table, int bound);
/* Not 0: bytes of the point were written for a block. */
int replay_covers(uint32_t point);
/* The part "blocks": those that are live at the end of the replay, as phase 1 left them. */
void replay_blocks(const struct map_table* table);

#endif
