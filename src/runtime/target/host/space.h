/* What one core sees, read from a text: the memories, and how its addresses lead there.
 *
 * One line each, numbers in hexadecimal with 0x or in decimal; '#' begins a comment:
 *   memory PHYSICAL SIZE FD            memory on the bus; FD: an open file whose byte 0 is that address
 *   local VIRTUAL SIZE FD              memory that only this core sees
 *   armv8 PHYSICAL SIZE                translation tables in memory, root first: 4 KiB granule, 4 levels
 *   mair VALUE                         MAIR_EL1, for these tables
 *   mpu NUMBER BASE SIZE ACCESS        DRBAR, DRSR and DRACR of an Armv7-R MPU
 *   rat LOCAL SYSTEM SIZE              translation between the core and the bus
 *   window VIRTUAL PHYSICAL SIZE       a plain mapping, of a core without MMU and MPU */
#ifndef MEMSIZE_HOST_SPACE_H
#define MEMSIZE_HOST_SPACE_H

#include <stddef.h>
#include <stdint.h>

enum { SPACE_ROWS = 1024, MPU_REGIONS = 32 };

struct range {
  uint64_t base;
  uint64_t size;
  uint64_t to; /* where it leads; of memories without meaning */
  int fd;      /* of memories */
};

struct ranges {
  struct range rows[SPACE_ROWS];
  size_t count;
};

struct mpu_region {
  int present;
  uint32_t base;   /* DRBAR */
  uint32_t size;   /* DRSR */
  uint32_t access; /* DRACR */
};

enum translation { PLAIN, ARMV8, MPU };

struct space {
  enum translation translation;
  struct ranges memories;
  struct ranges locals;
  struct ranges rats;
  struct ranges windows;
  uint64_t tables;
  uint64_t tables_size;
  uint64_t mair;
  int has_mair;
  struct mpu_region mpu[MPU_REGIONS];
};

/* A broken file ends the program: status 2, and FILE:LINE on standard error. */
void space_read(const char* path, struct space* space);

/* The row that has the address, or null. */
const struct range* range_of(const struct ranges* ranges, uint64_t address);

/* Prints to standard error and ends the program with status 2. */
_Noreturn void give_up(const char* format, ...) __attribute__((format(printf, 1, 2)));

#endif
