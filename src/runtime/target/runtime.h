/* A run of the reference runtime on one core: an entry point calls it when the core's memory is as the map says. */
#ifndef MEMSIZE_RUNTIME_H
#define MEMSIZE_RUNTIME_H

#include "hal.h"
#include "map_table.h"

/* Claims the map of the table, or looks at it again, as hal_phase says, and leaves by hal_exit. */
_Noreturn void runtime_main(const struct map_table* table);

/* For a fault outside of hal_read, hal_write and hal_execute. A second one, in the report of the first, ends the run
 * without a verdict. */
_Noreturn void runtime_fault(struct hal_fault fault);

#endif
