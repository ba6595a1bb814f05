/* What the parts of the test program share. */
#ifndef R5F_H
#define R5F_H

#include <stdint.h>

enum { TABLE_REGIONS = 16 };

/* How the program ends where a table cannot be used; 99 where an exception comes from anything but
 * a touch. */
enum { NO_PLAN = 10, BAD_NUMBER = 11, BAD_KIND = 12, BAD_SIZE = 13, BAD_PARTS = 14 };

/* A region as the MPU's registers hold it: DRBAR, DRSR, DRACR. */
struct registers {
  uint32_t base;
  uint32_t size;
  uint32_t access;
};

/* What the test wants to know; it is loaded at PLAN. */
struct plan {
  uint32_t magic;
  uint32_t phases;
  uint32_t touches;
  /* A phase for each: the access control, without permissions, of regions that nobody may access.
   */
  uint32_t blocked[13];
  struct registers table[TABLE_REGIONS];
  uint32_t addresses[];
};

#define PLAN ((const struct plan *)0xFFFF8000U)

/* Fills the table as start-up code would; regions that it leaves alone stay off. */
void load_table(struct registers table[TABLE_REGIONS]);

_Noreturn void leave(uint32_t status);

#endif
