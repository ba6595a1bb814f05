/* Asks the MMU of an emulated core, at EL3, what EL1 and EL0 would find at addresses:
 *   s TTBR0 TCR MAIR            the registers, as they read back
 *   t ADDRESS READ WRITE USER   PAR_EL1 of a read by EL1, a write by EL1, a read by EL0 */
#include "a64.h"

enum { MAGIC = 0x414D4D55, SYS_WRITE0 = 0x04, SYS_EXIT_EXTENDED = 0x20, APPLICATION_EXIT = 0x20026 };

uint64_t semihosting(uint64_t operation, const void *block);
void mmu_use(uint64_t ttbr0, uint64_t tcr, uint64_t mair);
void mmu_held(struct registers *held);
uint64_t ask_read(uint64_t address);
uint64_t ask_write(uint64_t address);
uint64_t ask_user(uint64_t address);
int main(void);

static char text[4096];
static uint64_t used;

static void flush(void) {
  text[used] = '\0';
  (void)semihosting(SYS_WRITE0, text);
  used = 0;
}

_Noreturn void leave(uint64_t status) {
  flush();
  const uint64_t block[2] = {APPLICATION_EXIT, status};
  for (;;) {
    (void)semihosting(SYS_EXIT_EXTENDED, block);
  }
}

/* A letter, and numbers in hexadecimal. */
static void line(char letter, const uint64_t *numbers, uint64_t count) {
  if (used + 16U + 17U * count > sizeof text) {
    flush();
  }
  text[used++] = letter;
  for (uint64_t at = 0; at < count; ++at) {
    text[used++] = ' ';
    for (uint64_t shift = 64; shift != 0;) {
      shift -= 4;
      text[used++] = "0123456789abcdef"[numbers[at] >> shift & 15U];
    }
  }
  text[used++] = '\n';
}

int main(void) {
  if (PLAN->magic != MAGIC) {
    leave(NO_PLAN);
  }
  const struct registers use = tables_to_use();
  mmu_use(use.ttbr0, use.tcr, use.mair);
  struct registers held;
  mmu_held(&held);
  const uint64_t registers[3] = {held.ttbr0, held.tcr, held.mair};
  line('s', registers, 3);
  for (uint64_t at = 0; at < PLAN->count; ++at) {
    const uint64_t address = PLAN->addresses[at];
    const uint64_t numbers[4] = {
        address, ask_read(address), ask_write(address), ask_user(address)};
    line('t', numbers, 4);
  }
  leave(0);
}
