/* What the parts of the test program share. */
#ifndef A64_H
#define A64_H

#include <stdint.h>

/* How the program ends where it cannot run. */
enum { NO_PLAN = 10, AN_EXCEPTION = 99 };

/* What the registers hold while the tables are in use. */
struct registers {
  uint64_t ttbr0;
  uint64_t tcr;
  uint64_t mair;
};

/* What the test wants to know; it is loaded at PLAN. */
struct plan {
  uint64_t magic;
  uint64_t count;
  struct registers registers;
  uint64_t addresses[];
};

#define PLAN ((const struct plan *)0x2000000U)

/* The plan's, or those of the tables that are linked in. */
struct registers tables_to_use(void);

_Noreturn void leave(uint64_t status);

#endif
