/* A Cortex-R5F under its MPU: addresses are physical ones. */
#include "hal.h"

#include "boot.h"
#include "mpu.h"
#include "report.h"
#include "runtime.h"
#include "semihosting.h"

/* start.S: 1 where the access faulted. */
int touch_read(uint32_t address, struct hal_fault* fault, uint64_t* value);
int touch_write(uint32_t address, struct hal_fault* fault, uint64_t value);
int touch_fetch(uint32_t address, struct hal_fault* fault);
uint64_t touch_past(uint32_t address, uint64_t value);
_Noreturn void hal_main(void);
_Noreturn void hal_unexpected(uint32_t address, uint32_t status, uint32_t pc);

/* start.S reads these words with the MPU off. */
_Static_assert(offsetof(struct memsize_boot, regions) == 8, "start.S");
_Static_assert(sizeof(struct boot_region) == 16, "start.S");
_Static_assert(sizeof(struct memsize_boot) == 392, "start.S");
_Static_assert(offsetof(struct hal_fault, status) == 8, "start.S");
_Static_assert(offsetof(struct hal_fault, pc) == 16, "start.S");

/* start.S: first and behind the last byte of what the linker script may place apart: the image, the start
 * and what it reads, the stack, the vectors. */
enum { OWN_RANGES = 5 };
extern const uintptr_t own_ranges[OWN_RANGES][2];

/* The instruction "bx lr", twice. */
#define RETURNS 0xE12FFF1EE12FFF1EULL

static struct hal_fault last_fault;

static enum hal_result result(int faulted) { return faulted ? HAL_FAULTED : HAL_DONE; }

int hal_is_own(uint64_t address) {
  for (unsigned at = 0; at < OWN_RANGES; ++at) {
    if (address + sizeof(uint64_t) > own_ranges[at][0] && address < own_ranges[at][1]) {
      return true;
    }
  }
  return false;
}

static bool is_reached(uint64_t address) {
  for (uint32_t at = 0; at < memsize_boot.window_count; ++at) {
    const struct boot_window* window = &memsize_boot.windows[at];
    if (address >= window->base && address <= window->last) {
      return false;
    }
  }
  return address <= UINT32_MAX;
}

enum hal_result hal_read(uint64_t address, uint64_t* value) {
  return is_reached(address) ? result(touch_read((uint32_t)address, &last_fault, value)) : HAL_UNREACHED;
}

enum hal_result hal_write(uint64_t address, uint64_t value) {
  if (!is_reached(address) || hal_is_own(address)) {
    return HAL_UNREACHED;
  }
  return result(touch_write((uint32_t)address, &last_fault, value));
}

/* The return is written past the MPU: also what is read-only can be tried. */
enum hal_result hal_execute(uint64_t address) {
  if (!is_reached(address) || hal_is_own(address)) {
    return HAL_UNREACHED;
  }
  const uint64_t before = touch_past((uint32_t)address, RETURNS);
  const int faulted = touch_fetch((uint32_t)address, &last_fault);
  (void)touch_past((uint32_t)address, before);
  return result(faulted);
}

struct hal_fault hal_last_fault(void) { return last_fault; }

static uint32_t policy_of(uint32_t bits) {
  static const uint32_t policies[4] = {MAP_NON_CACHED, MAP_WRITE_BACK, MAP_WRITE_THROUGH, MAP_WRITE_BACK};
  return policies[bits & 3];
}

/* By TEX, C and B of the access control; 0: reserved. From TEX 4 on C and B are the inner policy. */
static uint32_t kind_of(uint32_t access) {
  const uint32_t tex = access >> 3 & 7;
  const uint32_t bits = access & 3;
  if (tex >= 4) {
    return policy_of(bits);
  }
  switch (tex << 2 | bits) {
    case 0: /* strongly ordered */
    case 1: /* device */
    case 4:
    case 8: /* device, not shareable */
      return MAP_NON_CACHED;
    case 2:
      return MAP_WRITE_THROUGH;
    case 3:
    case 7:
      return MAP_WRITE_BACK;
    default:
      return 0;
  }
}

enum hal_result hal_translate(uint64_t address, struct hal_translation* found) {
  if (!is_reached(address)) {
    return HAL_UNREACHED;
  }
  uint32_t access = 0;
  if (!mpu_find((uint32_t)address, &access) || !mpu_readable(access)) {
    last_fault = (struct hal_fault){address, 0, 0};
    return HAL_FAULTED;
  }
  found->physical = address;
  found->kind = kind_of(access);
  return HAL_DONE;
}

void hal_check(void) {
  for (uint32_t at = 0; at < memsize_boot.region_count; ++at) {
    const struct boot_region* region = &memsize_boot.regions[at];
    if (region->number >= mpu_count() || !mpu_is_region(region->base, region->size)) {
      const uint64_t bytes = 1ULL << mpu_bits(region->size);
      report_finding(&(struct report_finding){"mpu", "", region->base, bytes, region->number});
    }
  }
}

void hal_image(uint64_t* begin, uint64_t* end) {
  *begin = own_ranges[0][0];
  *end = own_ranges[0][1];
}

_Noreturn void hal_unexpected(uint32_t address, uint32_t status, uint32_t pc) {
  semihosting_drop_line();
  runtime_fault((struct hal_fault){address, status, pc});
}

_Noreturn void hal_main(void) {
  runtime_main(memsize_map);
}
