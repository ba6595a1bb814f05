/* Ten harts of QEMU's `virt` as the cores of cores.h. Nobody spins: a hart that has nothing to do waits for an
 * interrupt by another one, which it sees without taking it. */
#include "cores.h"

#include "hal.h"
#include "semihosting.h"

#include <stdatomic.h>

enum { HARTS = 10, STACK = 8192, ENTRIES = 16, ENDS_RANGE = 0x08, READ = 1, WRITE = 2, EXECUTE = 4 };

/* QEMU 7.2, hw/riscv/virt.c: a word for each hart. */
#define CLINT ((volatile uint32_t*)0x02000000)

void cores_run(void (*entry)(void* arg), void* arg, uintptr_t stack_end);
void cores_protect(const uint32_t* addresses, const uint32_t* kinds);
void cores_doze(void);
_Noreturn void cores_main(uint32_t hart);
_Noreturn void cores_fault(uint32_t address, uint32_t cause, uint32_t pc);

/* Of the linker script. What workers may run and read is from the beginning of the image to __code_end. */
extern uint8_t _start[];
extern uint8_t __code_end[];
extern uint8_t __stacks[];
extern uint8_t __l1[];
extern uint8_t __l2[];
extern uint8_t __l3[];

uint32_t cores_id(void) {
  uint32_t id;
  __asm__ volatile("mv %0, tp" : "=r"(id));
  return id;
}

void cores_wake(uint32_t core) {
  atomic_thread_fence(memory_order_seq_cst);
  CLINT[core] = 1;
}

/* What is set from now on is not lost. */
static void forget(void) {
  CLINT[cores_id()] = 0;
  atomic_thread_fence(memory_order_seq_cst);
}

void cores_sleep(int (*ready)(const void* context), const void* context) {
  for (;;) {
    forget();
    if (ready != NULL && ready(context)) {
      return;
    }
    cores_doze();
  }
}

static uint32_t l1_end;
static uint32_t l1_size;

struct cores_memories cores_memories(uint32_t size, uint32_t l2_size, uint32_t l3_size) {
  (void)l2_size;
  (void)l3_size;
  l1_size = size;
  return (struct cores_memories){__l1, __l2, __l2, __l3};
}

uint8_t* cores_place_l1(uint32_t used, uint32_t size) {
  l1_end = used + size;
  return __l1 + used;
}

/* A team. */
static struct {
  void (*entry)(void* arg);
  void* arg;
  const struct cores_span* spans;
  uint32_t span_count;
  uint32_t count;
  uintptr_t stack; /* of the controller, on which what a team is given lies */
} team;

static atomic_uint turn;
static atomic_uint done;

static int all_are_done(const void* count) { return atomic_load(&done) == *(const uint32_t*)count; }

void cores_fork(uint32_t count, void (*entry)(void* arg), void* arg, const struct cores_span* spans,
                uint32_t span_count) {
  team.entry = entry;
  team.arg = arg;
  team.spans = spans;
  team.span_count = span_count;
  team.count = count;
  team.stack = (uintptr_t)&count;
  atomic_store(&done, 0);
  atomic_fetch_add(&turn, 1);
  for (uint32_t core = 0; core < count; ++core) {
    cores_wake(core);
  }
  cores_sleep(all_are_done, &count);
}

static void protect(uint32_t core) {
  uint32_t addresses[ENTRIES] = {0};
  uint32_t kinds[ENTRIES / 4] = {0};
  struct {
    uintptr_t base;
    uintptr_t end;
    uint32_t kind;
  } ranges[ENTRIES / 2] = {
      {(uintptr_t)_start, (uintptr_t)__code_end, READ | EXECUTE},
      {(uintptr_t)__l1, (uintptr_t)__l1 + l1_end, READ | WRITE},
      {team.stack, (uintptr_t)__l1 + l1_size, READ},
      {(uintptr_t)__stacks + core * STACK, (uintptr_t)__stacks + (core + 1) * STACK, READ | WRITE},
  };
  for (uint32_t at = 0; at < team.span_count; ++at) {
    ranges[4 + at].base = (uintptr_t)team.spans[at].base;
    ranges[4 + at].end = (uintptr_t)team.spans[at].base + team.spans[at].size;
    ranges[4 + at].kind = READ | WRITE;
  }
  for (uint32_t at = 0; at < ENTRIES / 2; ++at) {
    /* In units of four bytes; the second of a pair ends it. */
    addresses[2 * at] = (uint32_t)(ranges[at].base >> 2);
    addresses[2 * at + 1] = (uint32_t)((ranges[at].end + 3) >> 2);
    const uint32_t entry = 2 * at + 1;
    const uint32_t kind = ranges[at].kind == 0 ? 0 : ranges[at].kind | ENDS_RANGE;
    kinds[entry / 4] |= kind << (entry % 4 * 8);
  }
  cores_protect(addresses, kinds);
}

static int has_turn(const void* seen) { return atomic_load(&turn) != *(const uint32_t*)seen; }

_Noreturn static void work(uint32_t core) {
  for (uint32_t seen = 0;;) {
    cores_sleep(has_turn, &seen);
    seen = atomic_load(&turn);
    if (core < team.count) {
      protect(core);
      /* Below what the hart itself has on its stack: user mode and machine mode are never in it at once. */
      cores_run(team.entry, team.arg, (uintptr_t)__stacks + core * STACK + STACK / 2);
      atomic_fetch_add(&done, 1);
      cores_wake(CORES_CONTROLLER);
    }
  }
}

static void (*_Atomic serving)(void);

static int never(const void* context) {
  (void)context;
  if (serving != NULL) {
    serving();
  }
  return 0;
}

void cores_start_engine(void (*serve)(void), int (*is_asked)(void)) {
  (void)is_asked; /* to serve nothing costs nothing */
  serving = serve;
  cores_wake(CORES_ENGINE);
}

_Noreturn void cores_main(uint32_t hart) {
  if (hart == CORES_CONTROLLER) {
    pmsis_main();
  }
  if (hart == CORES_ENGINE) {
    cores_sleep(never, NULL);
  }
  if (hart < CORES_WORKERS) {
    work(hart);
  }
  for (;;) {
    cores_sleep(NULL, NULL);
  }
}

_Noreturn void cores_fault(uint32_t address, uint32_t cause, uint32_t pc) {
  enum { STORE_MISALIGNED = 6, STORE_REFUSED = 7 };
  semihosting_drop_line();
  pmsis_fault(cores_id(), cause == STORE_MISALIGNED || cause == STORE_REFUSED, address, cause, pc);
}

/* A word of the emulator's command line. */
uint32_t cores_choice(const char* key, const char* const* words, uint32_t count) {
  enum { SYS_GET_CMDLINE = 0x15 };
  static char command[256];
  const uintptr_t block[2] = {(uintptr_t)command, sizeof command};
  if (semihosting(SYS_GET_CMDLINE, block) != 0) {
    return 0;
  }
  for (const char* at = command; *at != '\0'; ++at) {
    const char* of = key;
    const char* seen = at;
    while (*of != '\0' && *seen == *of) {
      ++seen;
      ++of;
    }
    for (uint32_t word = 0; *of == '\0' && *seen == '=' && word < count; ++word) {
      const char* wanted = words[word];
      const char* given = seen + 1;
      while (*wanted != '\0' && *given == *wanted) {
        ++given;
        ++wanted;
      }
      if (*wanted == '\0' && (*given == '\0' || *given == ' ')) {
        return word;
      }
    }
  }
  return 0;
}
