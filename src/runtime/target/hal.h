/* What the runtime needs of the machine that it runs on: a64/, r5f/ and host/ each have one. */
#ifndef MEMSIZE_HAL_H
#define MEMSIZE_HAL_H

#include <stddef.h>
#include <stdint.h>

/* What an access came to. */
enum hal_result {
  HAL_DONE = 0,
  HAL_FAULTED = 1,   /* as hal_last_fault() says */
  HAL_UNREACHED = 2  /* this machine cannot try it: an address that its own code needs */
};

struct hal_fault {
  uint64_t address;
  uint64_t status; /* the machine's own code: ESR_EL1, DFSR or IFSR, the signal's number */
  uint64_t pc;
};

/* Eight bytes on a multiple of eight. A fault is caught and reported by the result. */
enum hal_result hal_read(uint64_t address, uint64_t* value);
enum hal_result hal_write(uint64_t address, uint64_t value);
/* Fetches one instruction there, after writing a return to it if the place can be written. */
enum hal_result hal_execute(uint64_t address);
struct hal_fault hal_last_fault(void);

struct hal_translation {
  uint64_t physical;
  uint32_t kind; /* MAP_NON_CACHED and so on; a sum where several are possible; 0: nothing is known */
};

/* What the hardware makes of an address: HAL_FAULTED where nothing is mapped, HAL_UNREACHED where the machine
 * cannot say. */
enum hal_result hal_translate(uint64_t address, struct hal_translation* found);

/* What the machine finds wrong with how it is set up, as report_finding; asked once, after the start. The runtime
 * has one that finds nothing: a machine with checks of its own defines it, too. */
void hal_check(void);

/* Where the image itself is, at the core's addresses: no probe writes there. */
void hal_image(uint64_t* begin, uint64_t* end);

/* Whether the eight bytes hold anything that the machine's own code needs, outside of hal_image() too: vectors, a
 * stack. */
int hal_is_own(uint64_t address);

/* 1: claim and replay; 2: look again. */
unsigned hal_phase(void);

void hal_put(const char* text, size_t size);
/* 0: nothing was found; 1: something was; 3: a fault that nobody expected. Does not return. */
_Noreturn void hal_exit(int status);

#endif
