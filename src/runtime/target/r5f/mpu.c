#include "mpu.h"

#include "boot.h"

#define STARTUP __attribute__((section(".startup")))
#define INLINE static inline __attribute__((always_inline))

enum {
  SCTLR_M = 1U << 0,
  SCTLR_C = 1U << 2,
  SCTLR_I = 1U << 12,
  SCTLR_V = 1U << 13,
  SCTLR_BR = 1U << 17,
  SIZE_ENABLE = 1U,
  ACCESS_EXECUTE_NEVER = 1U << 12,
  EIGHTHS_FROM = 8 /* bits of the smallest region that has eighths */
};

INLINE uint32_t control(void) {
  uint32_t value;
  __asm__ volatile("mrc p15, 0, %0, c1, c0, 0" : "=r"(value));
  return value;
}

INLINE void set_control(uint32_t value) {
  __asm__ volatile("dsb\n\tmcr p15, 0, %0, c1, c0, 0\n\tisb" : : "r"(value) : "memory");
}

INLINE uint32_t region_count(void) {
  uint32_t type;
  __asm__ volatile("mrc p15, 0, %0, c0, c0, 4" : "=r"(type));
  return type >> 8 & 0xFF;
}

INLINE void select_region(uint32_t number) {
  __asm__ volatile("mcr p15, 0, %0, c6, c2, 0\n\tisb" : : "r"(number));
}

INLINE void set_region(uint32_t number, uint32_t base, uint32_t size, uint32_t access) {
  select_region(number);
  __asm__ volatile(
      "mcr p15, 0, %0, c6, c1, 0\n\t"
      "mcr p15, 0, %2, c6, c1, 4\n\t"
      "mcr p15, 0, %1, c6, c1, 2"
      :
      : "r"(base), "r"(size), "r"(access));
}

INLINE bool covers(uint32_t base, uint32_t size, uint32_t address) {
  const uint32_t bits = mpu_bits(size);
  if ((size & SIZE_ENABLE) == 0 || !mpu_is_region(base, size)) {
    return false;
  }
  if (bits != 32 && (address ^ base) >> bits != 0) {
    return false;
  }
  const uint32_t inside = address - base;
  return bits < EIGHTHS_FROM || (size >> 8 >> (inside >> (bits - 3)) & 1) == 0;
}

INLINE bool find(uint32_t address, uint32_t* access) {
  for (uint32_t number = region_count(); number-- != 0;) {
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
INLINE bool readable(uint32_t access) { return (0x6E >> (access >> 8 & 7) & 1) != 0; }

INLINE bool executable(uint32_t address) {
  uint32_t access;
  return find(address, &access) && readable(access) && (access & ACCESS_EXECUTE_NEVER) == 0;
}

STARTUP bool mpu_start(uint32_t vectors, uint32_t here, uint32_t next) {
  const uint32_t off = SCTLR_M | SCTLR_C | SCTLR_I | SCTLR_V | SCTLR_BR;
  set_control(control() & ~off);
  for (uint32_t number = region_count(); number-- != 0;) {
    set_region(number, 0, 0, 0);
  }
  for (uint32_t at = 0; at < memsize_boot.region_count; ++at) {
    const struct boot_region* region = &memsize_boot.regions[at];
    set_region(region->number, region->base, region->size, region->access);
  }
  if (!executable(vectors) || !executable(here) || !executable(next)) {
    return false;
  }
  set_control(control() | SCTLR_M);
  return true;
}

STARTUP uint64_t mpu_exchange(uint32_t address, uint64_t value) {
  volatile uint32_t* place = (volatile uint32_t*)address;
  const uint32_t on = control();
  set_control(on & ~(uint32_t)SCTLR_M);
  const uint64_t before = (uint64_t)place[1] << 32 | place[0];
  place[0] = (uint32_t)value;
  place[1] = (uint32_t)(value >> 32);
  set_control(on);
  return before;
}

bool mpu_find(uint32_t address, uint32_t* access) { return find(address, access); }

uint32_t mpu_count(void) { return region_count(); }

bool mpu_readable(uint32_t access) { return readable(access); }
