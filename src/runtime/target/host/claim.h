/* The core's address space, made of this process's own: every piece that has memory is mapped where the core has it,
 * with its rights, so that what the core could not reach faults here, too. */
#ifndef MEMSIZE_HOST_CLAIM_H
#define MEMSIZE_HOST_CLAIM_H

#include "walk.h"

void claim_space(const struct pieces* pieces);

/* Not 0: an access to the eight bytes there would not tell about the core: the process's own memory, addresses that it
 * cannot map, and pages that are mapped with more rights than the address has, since several pieces share them. */
int claim_hides(const struct pieces* pieces, uint64_t address, unsigned right);

#endif
