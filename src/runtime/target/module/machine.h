/* What the test application of a module needs of its machine, besides hal_put() and hal_exit(): m/hal.c and host.c
 * each have one. */
#ifndef MEMSIZE_MODULE_MACHINE_H
#define MEMSIZE_MODULE_MACHINE_H

#include <stddef.h>
#include <stdint.h>

struct machine_span {
  uintptr_t base;
  size_t size;
};

enum { MACHINE_SPANS = 8 };

/* Whole memories that are read-only, by the machine's addresses: the C file that memsize writes has them. */
extern const struct machine_span machine_windows[];
extern const size_t machine_window_count;

/* A buffer and what lies behind it: bytes up to `guard` are nobody's, and those at `guard` can be made so that nobody
 * touches them. 0: there is no room for that. */
struct machine_place {
  uint8_t* base;
  uintptr_t guard;
};

/* Within `room`; where that is NULL, and the machine can, in memory of its own. 0: there is no room. */
int machine_place(uint8_t* room, size_t room_size, size_t size, size_t alignment, struct machine_place* place);

/* From now on, until the next call: the windows and, as far as the machine can, the spans are read-only, and what is at
 * `guard` is nobody's, unless it is 0. */
void machine_protect(const struct machine_span* spans, size_t count, uintptr_t guard);
int machine_is_read_only(uintptr_t address);
/* Whether guards need no machine_protect(). */
extern const int machine_always_guards;

/* Whether an access faults; what is written is what is there. Forbidden: both do. */
int machine_can_write(uintptr_t address);
int machine_is_forbidden(uintptr_t address);

/* Bytes of a file beside the program; how many there were. */
size_t machine_load(const char* file, size_t offset, void* to, size_t size);

/* The application, in module_probe.c. */
_Noreturn void machine_main(void);

#endif
