/* Programs the MPU as a table says, touches addresses, and prints which of them fault:
 *   m TYPE                                 the MPU's type register
 *   r NUMBER BASE SIZE ACCESS              what the MPU holds, for the table's regions
 *   f PHASE KIND ADDRESS STATUS FAULTADDR  a fault; KIND: 0 read, 1 write, 2 execute
 *   e PHASE                                the end of a phase
 * Phase 0 has the permissions of the table; phase n takes them from all regions of one kind of
 * memory. */
#include "r5f.h"

enum {
  MAGIC = 0x4D505537,
  SYS_WRITE0 = 0x04,
  SYS_EXIT_EXTENDED = 0x20,
  APPLICATION_EXIT = 0x20026,
  PERMISSIONS = 0x700,
  FULL_ACCESS = 0x300,
  /* Above the table's numbers, so that it wins: this program's own 64 KiB. */
  OWN_REGION = TABLE_REGIONS,
  OWN_SIZE = 15 << 1 | 1,
};

/* The instruction "bx lr". */
#define BX_LR 0xE12FFF1EU

uint64_t touch_read(uint32_t address);
uint64_t touch_write(uint32_t address, uint32_t value);
uint64_t touch_execute(uint32_t address);
uint32_t semihosting(uint32_t operation, const void *block);
void mpu_region(uint32_t number, uint32_t base, uint32_t size, uint32_t access);
void mpu_held(uint32_t number, struct registers *held);
uint32_t mpu_type(void);
void mpu_switch(uint32_t on);
int main(void);

extern char vectors[];

static char text[4096];
static uint32_t used;
static struct registers table[TABLE_REGIONS];

static void flush(void) {
  text[used] = '\0';
  (void)semihosting(SYS_WRITE0, text);
  used = 0;
}

_Noreturn void leave(uint32_t status) {
  flush();
  const uint32_t block[2] = {APPLICATION_EXIT, status};
  for (;;) {
    (void)semihosting(SYS_EXIT_EXTENDED, block);
  }
}

/* A letter, and numbers in hexadecimal. */
static void line(char letter, const uint32_t *numbers, uint32_t count) {
  if (used + 16U + 9U * count > sizeof text) {
    flush();
  }
  text[used++] = letter;
  for (uint32_t at = 0; at < count; ++at) {
    text[used++] = ' ';
    for (uint32_t shift = 32; shift != 0;) {
      shift -= 4;
      text[used++] = "0123456789abcdef"[numbers[at] >> shift & 15U];
    }
  }
  text[used++] = '\n';
}

static void report(uint32_t phase, uint32_t kind, uint32_t address, uint64_t fault) {
  if (fault != 0) {
    const uint32_t numbers[5] = {
        phase, kind, address, (uint32_t)fault & 0x7FFFFFFFU, (uint32_t)(fault >> 32)};
    line('f', numbers, 5);
  }
}

static void program(uint32_t phase) {
  mpu_switch(0);
  for (uint32_t number = 0; number < TABLE_REGIONS; ++number) {
    uint32_t access = table[number].access;
    if (phase != 0 && (access & ~(uint32_t)PERMISSIONS) == PLAN->blocked[phase - 1]) {
      access &= ~(uint32_t)PERMISSIONS;
    }
    mpu_region(number, table[number].base, table[number].size, access);
  }
  mpu_region(OWN_REGION, (uint32_t)(uintptr_t)vectors, OWN_SIZE, FULL_ACCESS);
  mpu_switch(1);
}

static void run(uint32_t phase) {
  program(phase);
  for (uint32_t at = 0; at < PLAN->touches; ++at) {
    const uint32_t address = PLAN->addresses[at];
    report(phase, 0, address, touch_read(address));
    if (phase == 0) {
      report(phase, 2, address, touch_execute(address & ~3U));
      report(phase, 1, address, touch_write(address, 0));
    }
  }
  line('e', &phase, 1);
}

static void show_table(void) {
  const uint32_t type = mpu_type();
  line('m', &type, 1);
  for (uint32_t number = 0; number < TABLE_REGIONS; ++number) {
    struct registers held;
    mpu_held(number, &held);
    const uint32_t numbers[4] = {number, held.base, held.size, held.access};
    line('r', numbers, 4);
  }
}

int main(void) {
  if (PLAN->magic != MAGIC) {
    leave(NO_PLAN);
  }
  load_table(table);
  program(0);
  show_table();
  mpu_switch(0);
  for (uint32_t at = 0; at < PLAN->touches; ++at) {
    *(volatile uint32_t *)(uintptr_t)(PLAN->addresses[at] & ~3U) = BX_LR;
  }
  for (uint32_t phase = 0; phase <= PLAN->phases; ++phase) {
    run(phase);
  }
  leave(0);
}
