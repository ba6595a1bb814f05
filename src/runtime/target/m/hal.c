/* A Cortex-M of QEMU's boards as the machine of module/machine.h. */
#include "machine.h"

#include "hal.h"
#include "mpu.h"
#include "runtime.h"
#include "semihosting.h"

enum { SYS_OPEN = 0x01, SYS_CLOSE = 0x02, SYS_READ = 0x06, SYS_SEEK = 0x0A, READ_BINARY = 1 };

const int machine_always_guards = 0;

/* start.S: 1 where the access faulted. */
int touch_read(uint32_t address);
int touch_write(uint32_t address, uint32_t byte);
_Noreturn void hal_main(void);
_Noreturn void hal_unexpected(uint32_t address, uint32_t status, uint32_t pc);

static uintptr_t round_up(uintptr_t address, uintptr_t step) { return (address + step - 1) & ~(step - 1); }

int machine_place(uint8_t* room, size_t room_size, size_t size, size_t alignment, struct machine_place* place) {
  const uintptr_t begin = (uintptr_t)room;
  const uintptr_t end = begin + room_size;
  const uintptr_t base = round_up(begin, alignment);
  if (room == NULL || base > end || end - base < size) {
    return 0;
  }
  const uintptr_t guard = round_up(base + size, MPU_GRANULE);
  place->base = (uint8_t*)base;
  place->guard = guard + MPU_GRANULE <= end ? guard : 0;
  return 1;
}

void machine_protect(const struct machine_span* spans, size_t count, uintptr_t guard) {
  struct mpu_span windows[MACHINE_SPANS];
  struct mpu_span others[MACHINE_SPANS];
  for (size_t at = 0; at < machine_window_count; ++at) {
    windows[at] = (struct mpu_span){machine_windows[at].base, machine_windows[at].size};
  }
  for (size_t at = 0; at < count; ++at) {
    others[at] = (struct mpu_span){spans[at].base, spans[at].size};
  }
  mpu_protect(windows, machine_window_count, others, count, guard);
}

int machine_is_read_only(uintptr_t address) { return mpu_is_read_only(address); }

int machine_can_write(uintptr_t address) { return !touch_write((uint32_t)address, *(const uint8_t*)address); }

int machine_is_forbidden(uintptr_t address) { return touch_read((uint32_t)address) && touch_write((uint32_t)address, 0); }

size_t machine_load(const char* file, size_t offset, void* to, size_t size) {
  size_t length = 0;
  while (file[length] != '\0') {
    ++length;
  }
  const uintptr_t opened[3] = {(uintptr_t)file, READ_BINARY, length};
  const uintptr_t handle = semihosting(SYS_OPEN, opened);
  if (handle == UINTPTR_MAX) {
    return 0;
  }
  const uintptr_t place[2] = {handle, offset};
  const uintptr_t read[3] = {handle, (uintptr_t)to, size};
  const size_t missing = semihosting(SYS_SEEK, place) == 0 ? semihosting(SYS_READ, read) : size;
  (void)semihosting(SYS_CLOSE, &handle);
  return size - missing;
}

_Noreturn void hal_unexpected(uint32_t address, uint32_t status, uint32_t pc) {
  semihosting_drop_line();
  runtime_fault((struct hal_fault){address, status, pc});
}

_Noreturn void hal_main(void) { machine_main(); }
