/* What a64/ and r5f/ share: the report, the end and the phase by Arm semihosting (specification 2.0). */
#ifndef MEMSIZE_SEMIHOSTING_H
#define MEMSIZE_SEMIHOSTING_H

#include <stdint.h>

/* The call itself, in each start.S. The emulator reads the block at the core's own addresses. */
uintptr_t semihosting(uintptr_t operation, const void* block);

/* Gives up a line that has no end yet: a fault came while it was written. */
void semihosting_drop_line(void);

#endif
