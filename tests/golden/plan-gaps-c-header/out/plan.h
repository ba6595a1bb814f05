/*
 * A memory plan: where each block lies in its arena, in bytes from the arena's base.
 * Written by memsize; planned by: memsize. Plan again instead of changing numbers here.
 *
 * A block lives from the first to the last step that is named. Every compiler that takes this file
 * has proved that the blocks are inside their arenas, aligned, and apart while they are alive.
 */
#ifndef MEMSIZE_PLAN_H
#define MEMSIZE_PLAN_H

/* Of the arenas, and of the blocks in them: memsize's own hashes, which no other tool makes. */
#define MEMSIZE_ENVELOPE_HASH 0x2cd4644914e26242ull
#define MEMSIZE_LAYOUT_HASH 0x086b828dec98f8aaull


/* default, scratch, 5 blocks; no plan needs less than 32 B; the least possible: it equals the lower bound */
#define MEMSIZE_ARENA_DEFAULT_REGION 0u
#define MEMSIZE_ARENA_DEFAULT_SIZE 32u
#define MEMSIZE_ARENA_DEFAULT_ALIGNMENT 16u
/* in_place, steps 0 to 5, in part */
#define MEMSIZE_BLOCK_IN_PLACE_OFFSET 0u
#define MEMSIZE_BLOCK_IN_PLACE_SIZE 24u
/* below, steps 0 to 2 */
#define MEMSIZE_BLOCK_BELOW_OFFSET 0u
#define MEMSIZE_BLOCK_BELOW_SIZE 8u
/* above, steps 4 to 5 */
#define MEMSIZE_BLOCK_ABOVE_OFFSET 16u
#define MEMSIZE_BLOCK_ABOVE_SIZE 8u
/* state, steps 0 to 7, in part */
#define MEMSIZE_BLOCK_STATE_OFFSET 24u
#define MEMSIZE_BLOCK_STATE_SIZE 8u
/* between, steps 2 to 3 */
#define MEMSIZE_BLOCK_BETWEEN_OFFSET 24u
#define MEMSIZE_BLOCK_BETWEEN_SIZE 8u

#ifdef __cplusplus
#define MEMSIZE_PLAN_ASSERT(condition, message) static_assert(condition, message)
#else
#define MEMSIZE_PLAN_ASSERT(condition, message) _Static_assert(condition, message)
#endif
#define MEMSIZE_PLAN_INSIDE(block, arena) \
  MEMSIZE_PLAN_ASSERT(block##_SIZE <= arena##_SIZE && block##_OFFSET <= arena##_SIZE - block##_SIZE, \
                         #block " ends behind " #arena)
#define MEMSIZE_PLAN_ALIGNED(value, alignment) \
  MEMSIZE_PLAN_ASSERT((value) % (alignment) == 0, #value " is no multiple of " #alignment)
#define MEMSIZE_PLAN_APART(lower, upper) \
  MEMSIZE_PLAN_ASSERT(lower##_OFFSET <= upper##_OFFSET && lower##_SIZE <= upper##_OFFSET - lower##_OFFSET, \
                         #lower " and " #upper " share bytes while both are alive")
#define MEMSIZE_PLAN_ABOVE(end, begin) \
  MEMSIZE_PLAN_ASSERT((end) <= (begin), #end " and " #begin ": these bytes are needed at the same time")
#define MEMSIZE_PLAN_FITS(memory, bytes) \
  MEMSIZE_PLAN_ASSERT((bytes) <= memory##_CAPACITY, "the arenas do not fit " #memory)

MEMSIZE_PLAN_INSIDE(MEMSIZE_BLOCK_IN_PLACE, MEMSIZE_ARENA_DEFAULT);
MEMSIZE_PLAN_INSIDE(MEMSIZE_BLOCK_BELOW, MEMSIZE_ARENA_DEFAULT);
MEMSIZE_PLAN_INSIDE(MEMSIZE_BLOCK_ABOVE, MEMSIZE_ARENA_DEFAULT);
MEMSIZE_PLAN_INSIDE(MEMSIZE_BLOCK_STATE, MEMSIZE_ARENA_DEFAULT);
MEMSIZE_PLAN_INSIDE(MEMSIZE_BLOCK_BETWEEN, MEMSIZE_ARENA_DEFAULT);
MEMSIZE_PLAN_ABOVE(MEMSIZE_BLOCK_IN_PLACE_OFFSET + 24u, MEMSIZE_BLOCK_STATE_OFFSET + 0u);
MEMSIZE_PLAN_ABOVE(MEMSIZE_BLOCK_IN_PLACE_OFFSET + 24u, MEMSIZE_BLOCK_BETWEEN_OFFSET + 0u);
MEMSIZE_PLAN_ABOVE(MEMSIZE_BLOCK_IN_PLACE_OFFSET + 16u, MEMSIZE_BLOCK_ABOVE_OFFSET + 0u);
MEMSIZE_PLAN_ABOVE(MEMSIZE_BLOCK_BELOW_OFFSET + 8u, MEMSIZE_BLOCK_IN_PLACE_OFFSET + 8u);
MEMSIZE_PLAN_APART(MEMSIZE_BLOCK_BELOW, MEMSIZE_BLOCK_BETWEEN);
MEMSIZE_PLAN_ABOVE(MEMSIZE_BLOCK_ABOVE_OFFSET + 8u, MEMSIZE_BLOCK_STATE_OFFSET + 0u);

#undef MEMSIZE_PLAN_ASSERT
#undef MEMSIZE_PLAN_INSIDE
#undef MEMSIZE_PLAN_ALIGNED
#undef MEMSIZE_PLAN_APART
#undef MEMSIZE_PLAN_ABOVE
#undef MEMSIZE_PLAN_FITS

#endif /* MEMSIZE_PLAN_H */
