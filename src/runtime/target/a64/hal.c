/* An A64 core at EL1, under the tables of a C7x: both have the same format. */
#include "boot.h"
#include "hal.h"
#include "runtime.h"
#include "semihosting.h"

#include <stdbool.h>

/* start.S: 1 where the access faulted. */
int touch_read(uint64_t address, struct hal_fault* fault, uint64_t* value);
int touch_write(uint64_t address, struct hal_fault* fault, uint64_t value);
int touch_translate(uint64_t address, struct hal_fault* fault, uint64_t* par);
int touch_fetch(uint64_t address, struct hal_fault* fault);
void show_code(uint64_t address);
_Noreturn void hal_main(void);
_Noreturn void hal_unexpected(uint64_t far, uint64_t esr, uint64_t elr);

/* start.S reads these words with the MMU off. */
_Static_assert(offsetof(struct memsize_boot, table) == 0, "start.S");
_Static_assert(offsetof(struct memsize_boot, mair) == 8, "start.S");
_Static_assert(offsetof(struct memsize_boot, tcr) == 16, "start.S");
_Static_assert(offsetof(struct hal_fault, status) == 8, "start.S");
_Static_assert(offsetof(struct hal_fault, pc) == 16, "start.S");

/* start.S: first and behind the last byte of what the linker script may place apart: the image, the start
 * and what it reads, the stack, the vectors. */
enum { OWN_RANGES = 5 };
extern const uintptr_t own_ranges[OWN_RANGES][2];

/* The instruction "ret", and what cleared memory is: undefined. */
#define RET 0xD65F03C0U
#define UNDEFINED_ZERO 0U

/* Classes of exceptions: ESR_EL1, bits 31:26. */
enum { UNKNOWN_INSTRUCTION = 0x00, FETCH_ABORT = 0x21, PC_ALIGNMENT = 0x22, DATA_ABORT = 0x25 };

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

static unsigned class_of(uint64_t esr) { return (unsigned)(esr >> 26) & 0x3F; }

enum hal_result hal_read(uint64_t address, uint64_t* value) {
  return result(touch_read(address, &last_fault, value));
}

enum hal_result hal_write(uint64_t address, uint64_t value) {
  return hal_is_own(address) ? HAL_UNREACHED : result(touch_write(address, &last_fault, value));
}

/* Where nothing can be written, what is there may only be tried if it comes back: a return, or the
 * undefined instruction of cleared memory. */
enum hal_result hal_execute(uint64_t address) {
  if (hal_is_own(address)) {
    return HAL_UNREACHED;
  }
  struct hal_fault ignored;
  uint64_t before = 0;
  const bool readable = touch_read(address, &ignored, &before) == 0;
  const bool written = readable && touch_write(address, &ignored, (uint64_t)RET << 32 | RET) == 0;
  if (written) {
    show_code(address);
  } else if (readable && (uint32_t)before != RET && (uint32_t)before != UNDEFINED_ZERO) {
    return HAL_UNREACHED;
  }
  bool faulted = touch_fetch(address, &last_fault) != 0;
  if (faulted && class_of(last_fault.status) == UNKNOWN_INSTRUCTION) {
    faulted = false; /* it was fetched */
  }
  if (written) {
    (void)touch_write(address, &ignored, before);
    show_code(address);
  }
  return result(faulted);
}

struct hal_fault hal_last_fault(void) { return last_fault; }

/* An attribute's byte of MAIR_EL1, by its inner policy; 0: one that is not used. */
static uint32_t kind_of(uint32_t attribute) {
  if ((attribute & 0xF0) == 0) {
    return MAP_NON_CACHED; /* device */
  }
  const uint32_t inner = attribute & 0xF;
  if (inner == 4) {
    return MAP_NON_CACHED;
  }
  if (inner == 0) {
    return 0;
  }
  return (inner & 4) != 0 ? MAP_WRITE_BACK : MAP_WRITE_THROUGH;
}

enum hal_result hal_translate(uint64_t address, struct hal_translation* found) {
  uint64_t par = 0;
  if (touch_translate(address, &last_fault, &par) != 0) {
    return HAL_FAULTED;
  }
  if ((par & 1) != 0) {
    last_fault = (struct hal_fault){address, par, 0};
    return HAL_FAULTED;
  }
  found->physical = (par & 0x0000FFFFFFFFF000) | (address & 0xFFF);
  found->kind = kind_of((uint32_t)(par >> 56));
  return HAL_DONE;
}

void hal_image(uint64_t* begin, uint64_t* end) {
  *begin = own_ranges[0][0];
  *end = own_ranges[0][1];
}

_Noreturn void hal_unexpected(uint64_t far, uint64_t esr, uint64_t elr) {
  semihosting_drop_line();
  const unsigned class = class_of(esr);
  const bool has_address = class == FETCH_ABORT || class == PC_ALIGNMENT || class == DATA_ABORT;
  runtime_fault((struct hal_fault){has_address ? far : elr, esr, elr});
}

_Noreturn void hal_main(void) {
  runtime_main(memsize_map);
}
