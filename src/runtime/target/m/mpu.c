#include "mpu.h"

#define MPU_TYPE (*(volatile uint32_t*)0xE000ED90U)
#define MPU_CTRL (*(volatile uint32_t*)0xE000ED94U)
#define MPU_RNR (*(volatile uint32_t*)0xE000ED98U)
#define MPU_RBAR (*(volatile uint32_t*)0xE000ED9CU)
#define MPU_RASR (*(volatile uint32_t*)0xE000EDA0U) /* Armv8-M: RLAR */
#define MPU_MAIR0 (*(volatile uint32_t*)0xE000EDC0U)

#define BARRIER __asm__ volatile("dsb\n\tisb" ::: "memory")

enum { MOST_REGIONS = 16, ENABLE = 1 };

/* What is read-only, a row each region. */
static struct {
  uintptr_t first;
  uintptr_t last;
} read_only[MOST_REGIONS * 8];
static size_t read_only_count;

static void note(uintptr_t first, uintptr_t last) {
  if (read_only_count < sizeof read_only / sizeof read_only[0]) {
    read_only[read_only_count].first = first;
    read_only[read_only_count].last = last;
    ++read_only_count;
  }
}

int mpu_is_read_only(uintptr_t address) {
  for (size_t at = 0; at < read_only_count; ++at) {
    if (address >= read_only[at].first && address <= read_only[at].last) {
      return 1;
    }
  }
  return 0;
}

static uint32_t region_count(void) { return MPU_TYPE >> 8 & 0xFF; }

static void set_region(uint32_t number, uint32_t base, uint32_t limit) {
  MPU_RNR = number;
  MPU_RBAR = base;
  MPU_RASR = limit;
}

#if __ARM_ARCH >= 8

/* Regions must not share an address, and none of them forbids everything: what is in none faults. */
enum { READ_WRITE = 0 << 1, READ_ONLY = 2 << 1 };

static void cover(uint32_t* number, uintptr_t first, uintptr_t last, uint32_t access) {
  if (first > last || *number == region_count()) {
    return;
  }
  set_region((*number)++, (uint32_t)first | access, ((uint32_t)last & ~(MPU_GRANULE - 1)) | ENABLE);
  if (access == READ_ONLY) {
    note(first, last);
  }
}

/* What is not written: read-only, or of nobody. */
struct cut {
  uintptr_t first;
  uintptr_t last;
  uint32_t is_guard;
};

static size_t sorted(struct cut* cuts, size_t count, uintptr_t first, uintptr_t last, uint32_t is_guard) {
  if (first > last || count == MOST_REGIONS / 2 - 1) {
    return count;
  }
  size_t at = count;
  for (; at != 0 && cuts[at - 1].first > first; --at) {
    cuts[at] = cuts[at - 1];
  }
  cuts[at].first = first;
  cuts[at].last = last;
  cuts[at].is_guard = is_guard;
  return count + 1;
}

void mpu_protect(const struct mpu_span* windows, size_t window_count, const struct mpu_span* spans,
                 size_t span_count, uintptr_t guard) {
  struct cut cuts[MOST_REGIONS];
  size_t count = 0;
  count = sorted(cuts, count, 0, MPU_GRANULE - 1, 1);
  if (guard != 0) {
    count = sorted(cuts, count, guard, guard + MPU_GRANULE - 1, 1);
  }
  for (size_t at = 0; at < window_count; ++at) {
    const uintptr_t base = windows[at].base < MPU_GRANULE ? MPU_GRANULE : windows[at].base;
    count = sorted(cuts, count, base, windows[at].base + windows[at].size - 1, 0);
  }
  for (size_t at = 0; at < span_count; ++at) {
    const uintptr_t first = (spans[at].base + MPU_GRANULE - 1) & ~(uintptr_t)(MPU_GRANULE - 1);
    const uintptr_t end = (spans[at].base + spans[at].size) & ~(uintptr_t)(MPU_GRANULE - 1);
    count = first < end ? sorted(cuts, count, first, end - 1, 0) : count;
  }
  MPU_CTRL = 0;
  BARRIER;
  read_only_count = 0;
  MPU_MAIR0 = 0x44; /* normal memory, not cached */
  uint32_t number = 0;
  uintptr_t at = 0;
  for (size_t row = 0; row < count; ++row) {
    if (cuts[row].first != at) {
      cover(&number, at, cuts[row].first - 1, READ_WRITE);
    }
    if (!cuts[row].is_guard) {
      cover(&number, cuts[row].first, cuts[row].last, READ_ONLY);
    }
    at = cuts[row].last + 1;
  }
  cover(&number, at, UINTPTR_MAX, READ_WRITE);
  for (; number < region_count(); ++number) {
    set_region(number, 0, 0);
  }
  MPU_CTRL = ENABLE;
  BARRIER;
}

#else

/* Powers of two on their multiples, in eighths from 256 bytes on; of several the highest number decides. */
enum { READ_WRITE = 0x03030000, READ_ONLY = 0x05030000, NOTHING = 0x10030000 };

static void cover(uint32_t number, uintptr_t base, uint32_t bits, uint32_t off, uint32_t access) {
  set_region(number, (uint32_t)base, access | off << 8 | (bits - 1) << 1 | ENABLE);
}

/* The smallest region that holds the span, without the eighths that do not belong to it: where `outward`, those that
 * share nothing with it, else those that are not all of it. False: nothing is left. */
static int cover_span(uint32_t number, const struct mpu_span* span, int outward) {
  const uintptr_t last = span->base + span->size - 1;
  uint32_t bits = 8;
  while (bits < 32 && span->base >> bits != last >> bits) {
    ++bits;
  }
  const uintptr_t base = bits == 32 ? 0 : span->base >> bits << bits;
  const uintptr_t eighth = (uintptr_t)1 << (bits - 3);
  uint32_t off = 0;
  for (uint32_t at = 0; at < 8; ++at) {
    const uintptr_t first = base + at * eighth;
    const uintptr_t end = first + (eighth - 1);
    const int is_part = outward ? first <= last && end >= span->base : first >= span->base && end <= last;
    if (is_part) {
      note(first, end);
    } else {
      off |= 1U << at;
    }
  }
  cover(number, base, bits, off, READ_ONLY);
  return off != 0xFF;
}

void mpu_protect(const struct mpu_span* windows, size_t window_count, const struct mpu_span* spans,
                 size_t span_count, uintptr_t guard) {
  MPU_CTRL = 0;
  BARRIER;
  read_only_count = 0;
  cover(0, 0, 32, 0, READ_WRITE);
  uint32_t number = 1;
  for (size_t at = 0; at < window_count + span_count && number + 2 < region_count(); ++at) {
    const int is_window = at < window_count;
    const struct mpu_span* span = is_window ? &windows[at] : &spans[at - window_count];
    number += span->size != 0 && cover_span(number, span, is_window) ? 1 : 0;
  }
  cover(number++, 0, 5, 0, NOTHING);
  if (guard != 0) {
    cover(number++, guard, 5, 0, NOTHING);
  }
  for (; number < region_count(); ++number) {
    set_region(number, 0, 0);
  }
  MPU_CTRL = ENABLE;
  BARRIER;
}

#endif
