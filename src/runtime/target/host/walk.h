/* What a core's own hardware makes of its addresses: the walk through its tables, or the regions of its MPU. */
#ifndef MEMSIZE_HOST_WALK_H
#define MEMSIZE_HOST_WALK_H

#include "space.h"

/* What privileged code may do. */
enum { CAN_READ = 1, CAN_WRITE = 2, CAN_EXECUTE = 4 };

/* Addresses that have the same rights and kind, lead to a run of physical addresses, and are in one memory. */
struct piece {
  uint64_t base;
  uint64_t size;
  uint64_t physical; /* on the bus, behind a RAT */
  unsigned rights;   /* never 0 */
  uint32_t kind;     /* as in hal_translation */
  int fd;            /* -1: no memory is there (registers) */
  uint64_t offset;   /* in the file */
};

struct pieces {
  struct piece* rows;
  size_t count;
};

/* All of the core's address space, in the order of the addresses; nothing is mapped between the pieces. */
struct pieces walk_space(const struct space* space);

/* The piece that has the address, or null. */
const struct piece* piece_of(const struct pieces* pieces, uint64_t address);

/* Reports each MPU region whose base is no multiple of its size, or that is too small: the hardware makes none of it. */
void walk_check(const struct space* space);

#endif
