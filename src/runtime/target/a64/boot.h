/* What an A64 image is told, in a C file that memsize writes for each core and links in:
 *
 *   #include "boot.h"
 *   const struct memsize_boot memsize_boot = {.table = 0x..., .mair = 0x..., .tcr = 0x...};
 *   const uint64_t memsize_map_words[] = {0x31455A49534D454D, ...};
 *
 * The image is linked at the core's virtual addresses and placed at the physical ones. It starts at _start's
 * physical address, at EL3 with the MMU off, and goes on at EL1 at the virtual address of `virtual_start`: so
 * nothing must be mapped one to one. Before that it asks the tables for its own vectors and for the place
 * where it goes on; where these are not mapped it ends with status 5. */
#ifndef MEMSIZE_A64_BOOT_H
#define MEMSIZE_A64_BOOT_H

#include "map_table.h"

/* In .startup, beside the code that reads it with the MMU off. */
struct memsize_boot {
  uint64_t table; /* TTBR0_EL1: physical base of the first table */
  uint64_t mair;  /* MAIR_EL1 */
  uint64_t tcr;   /* TCR_EL1: T0SZ, TG0, IPS, ...; walks by TTBR1 are switched off (EPD1) in any case */
};

extern const struct memsize_boot memsize_boot __attribute__((section(".startup")));

/* A map table (map_table.h) as little-endian words. */
extern const uint64_t memsize_map_words[];
#define memsize_map ((const struct map_table*)memsize_map_words)

#endif
