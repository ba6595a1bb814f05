#include "mpu.h"

/* Bits of the smallest region that has eighths. */
#define EIGHTHS_FROM 8

uint32_t mpu_count(void) {
  uint32_t type;
  __asm__ volatile("mrc p15, 0, %0, c0, c0, 4" : "=r"(type));
  return type >> 8 & 0xFF;
}

static void select_region(uint32_t number) {
  __asm__ volatile("mcr p15, 0, %0, c6, c2, 0\n\tisb" : : "r"(number));
}

static bool covers(uint32_t base, uint32_t size, uint32_t address) {
  const uint32_t bits = mpu_bits(size);
  if ((size & 1) == 0 || !mpu_is_region(base, size)) {
    return false;
  }
  if (bits != 32 && (address ^ base) >> bits != 0) {
    return false;
  }
  const uint32_t inside = address - base;
  return bits < EIGHTHS_FROM || (size >> 8 >> (inside >> (bits - 3)) & 1) == 0;
}

bool mpu_find(uint32_t address, uint32_t* access) {
  for (uint32_t number = mpu_count(); number-- != 0;) {
    uint32_t base;
    uint32_t size;
    select_region(number);
    __asm__ volatile("mrc p15, 0, %0, c6, c1, 0" : "=r"(base));
    __asm__ volatile("mrc p15, 0, %0, c6, c1, 2" : "=r"(size));
    if (covers(base, size, address)) {
      __asm__ volatile("mrc p15, 0, %0, c6, c1, 4" : "=r"(*access));
      return true;
    }
  }
  return false;
}

/* Bits 10:8: 1, 2, 3, 5 and 6 let privileged code read. */
bool mpu_readable(uint32_t access) { return (0x6E >> (access >> 8 & 7) & 1) != 0; }
