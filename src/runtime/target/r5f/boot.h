/* What an R5F image is told, in a C file that memsize writes for each core and links in:
 *
 *   #include "boot.h"
 *   const struct memsize_boot memsize_boot = {
 *       .region_count = 1,
 *       .window_count = 0,
 *       .regions = {{.number = 0, .base = 0x0, .size = 0x3F, .access = 0x31C}},
 *   };
 *   const uint64_t memsize_map_words[] = {0x31455A49534D454D, ...};
 *
 * The image starts at _start with the MPU off, in A32. Then nothing from 0x80000000 on can be executed: .startupCode
 * must lie below. Regions that are not named are off, and so is the background region. Where the regions let
 * nobody execute the vectors (at 0), the start or what follows it, the image ends with status 5. */
#ifndef MEMSIZE_R5F_BOOT_H
#define MEMSIZE_R5F_BOOT_H

#include "map_table.h"

enum { BOOT_REGIONS = 16, BOOT_WINDOWS = 16 };

struct boot_region {
  uint32_t number; /* of the MPU's; the highest one that covers an address decides */
  uint32_t base;   /* DRBAR */
  uint32_t size;   /* DRSR: size, disabled eighths, enable */
  uint32_t access; /* DRACR */
};

/* A window of the region address translation, which is not emulated: nothing in it is tried. */
struct boot_window {
  uint32_t base;
  uint32_t last; /* the last byte's address */
};

struct memsize_boot {
  uint32_t region_count;
  uint32_t window_count;
  struct boot_region regions[BOOT_REGIONS];
  struct boot_window windows[BOOT_WINDOWS];
};

extern const struct memsize_boot memsize_boot;

/* A map table (map_table.h) as little-endian words. */
extern const uint64_t memsize_map_words[];
#define memsize_map ((const struct map_table*)memsize_map_words)

#endif
