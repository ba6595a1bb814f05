/* One core as a process: memsize-host SPACE TABLE PHASE
 *
 * SPACE says what the core sees (space.h), TABLE is the file with its map table, PHASE is 1 or 2. The report goes to
 * standard output; the exit status is hal_exit's, or 2 where an input is broken. Pages are of 4 KiB: borders within a
 * page cannot be tried, and addresses below 64 KiB, the process's own, and those of no memory neither. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "../hal.h"
#include "../runtime.h"
#include "claim.h"

_Static_assert(sizeof(void*) == 8, "a core's addresses are the process's own");

static struct space space;
static struct pieces pieces;
static unsigned phase;
static struct hal_fault last_fault;
static sigjmp_buf back;
static volatile sig_atomic_t trying;

static uint64_t pc_of(const void* context) {
  const ucontext_t* const machine = context;
#if defined(__x86_64__)
  return (uint64_t)machine->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  return machine->uc_mcontext.pc;
#else
  (void)machine;
  return 0;
#endif
}

static void on_signal(int number, siginfo_t* info, void* context) {
  const struct hal_fault fault = {(uint64_t)(uintptr_t)info->si_addr, (uint64_t)number, pc_of(context)};
  last_fault = fault;
  if (trying) {
    siglongjmp(back, 1);
  }
  runtime_fault(fault);
}

static void catch_signals(void) {
  static char stack[65536];
  const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
  action.sa_sigaction = on_signal;
  (void)sigemptyset(&action.sa_mask);
  if (sigaltstack(&other, NULL) != 0 || sigaction(SIGSEGV, &action, NULL) != 0 ||
      sigaction(SIGBUS, &action, NULL) != 0) {
    give_up("signals cannot be caught: %s", strerror(errno));
  }
}

enum hal_result hal_read(uint64_t address, uint64_t* value) {
  if (claim_hides(&pieces, address, CAN_READ)) {
    return HAL_UNREACHED;
  }
  if (sigsetjmp(back, 0) != 0) {
    trying = 0;
    return HAL_FAULTED;
  }
  trying = 1;
  *value = *(const volatile uint64_t*)(uintptr_t)address;
  trying = 0;
  return HAL_DONE;
}

enum hal_result hal_write(uint64_t address, uint64_t value) {
  if (claim_hides(&pieces, address, CAN_WRITE)) {
    return HAL_UNREACHED;
  }
  if (sigsetjmp(back, 0) != 0) {
    trying = 0;
    return HAL_FAULTED;
  }
  trying = 1;
  *(volatile uint64_t*)(uintptr_t)address = value;
  trying = 0;
  return HAL_DONE;
}

/* What may be executed is mapped so, but holds the patterns of other cores, no instructions: it is not entered. */
enum hal_result hal_execute(uint64_t address) {
  if (claim_hides(&pieces, address, CAN_EXECUTE)) {
    return HAL_UNREACHED;
  }
  const struct piece* const piece = piece_of(&pieces, address);
  if (piece != NULL && (piece->rights & CAN_EXECUTE) != 0) {
    return HAL_DONE;
  }
  if (sigsetjmp(back, 0) != 0) {
    trying = 0;
    return HAL_FAULTED;
  }
  trying = 1;
  ((void (*)(void))(uintptr_t)address)();
  trying = 0;
  return HAL_DONE;
}

struct hal_fault hal_last_fault(void) {
  return last_fault;
}

enum hal_result hal_translate(uint64_t address, struct hal_translation* found) {
  const struct piece* const piece = piece_of(&pieces, address);
  if (piece == NULL) {
    last_fault = (struct hal_fault){address, 0, 0};
    return HAL_FAULTED;
  }
  found->physical = piece->physical + (address - piece->base);
  found->kind = piece->kind;
  return HAL_DONE;
}

void hal_check(void) {
  walk_check(&space);
}

int hal_is_own(uint64_t address) {
  (void)address; /* the process lies elsewhere: what collides with it is not mapped */
  return 0;
}

void hal_image(uint64_t* begin, uint64_t* end) {
  *begin = 0;
  *end = 0;
}

unsigned hal_phase(void) {
  return phase;
}

void hal_put(const char* text, size_t size) {
  while (size > 0) {
    const ssize_t put = write(STDOUT_FILENO, text, size);
    if (put < 0 && errno == EINTR) {
      continue;
    }
    if (put <= 0) {
      give_up("the report cannot be written: %s", strerror(errno));
    }
    text += put;
    size -= (size_t)put;
  }
}

_Noreturn void hal_exit(int status) {
  _exit(status);
}

static const struct map_table* read_table(const char* path) {
  FILE* const file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
    give_up("%s: %s", path, strerror(errno));
  }
  const long size = ftell(file);
  if (size < (long)sizeof(struct map_table)) {
    give_up("%s: %ld bytes are no map table", path, size);
  }
  struct map_table* const table = malloc((size_t)size);
  if (table == NULL || fseek(file, 0, SEEK_SET) != 0 || fread(table, (size_t)size, 1, file) != 1) {
    give_up("%s: it cannot be read", path);
  }
  (void)fclose(file);
  if (table->magic == MAP_MAGIC && table->bytes != (uint64_t)size) {
    give_up("%s: the table says that it has %llu bytes, the file has %ld", path, (unsigned long long)table->bytes,
            size);
  }
  return table;
}

int main(int count, char** words) {
  if (count != 4 || (strcmp(words[3], "1") != 0 && strcmp(words[3], "2") != 0)) {
    give_up("usage: memsize-host SPACE TABLE PHASE, the phase being 1 or 2");
  }
  phase = words[3][0] == '1' ? 1 : 2;
  space_read(words[1], &space);
  const struct map_table* const table = read_table(words[2]);
  pieces = walk_space(&space);
  claim_space(&pieces);
  catch_signals();
  runtime_main(table);
}
