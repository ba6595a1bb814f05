/* The memory protection unit (Armv7-R manual, DDI 0406C, B5). start.S programs it. */
#ifndef MEMSIZE_R5F_MPU_H
#define MEMSIZE_R5F_MPU_H

#include <stdbool.h>
#include <stdint.h>

/* How many low bits of an address lie inside of a region; from DRSR. */
static inline uint32_t mpu_bits(uint32_t size) { return (size >> 1 & 31) + 1; }

/* At least 32 bytes, on a multiple of its size; what else the registers say covers nothing for certain. */
static inline bool mpu_is_region(uint32_t base, uint32_t size) {
  const uint32_t bits = mpu_bits(size);
  return bits >= 5 && (bits == 32 ? base == 0 : (base & ((1U << bits) - 1)) == 0);
}

/* How many regions there are. */
uint32_t mpu_count(void);

/* The access control of the region that decides over an address, as the hardware holds it. */
bool mpu_find(uint32_t address, uint32_t* access);

/* False where nobody may read. */
bool mpu_readable(uint32_t access);

#endif
