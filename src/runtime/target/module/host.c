/* A process as the machine of machine.h: buffers end at pages that nobody may touch. */
#include "machine.h"

#include "hal.h"
#include "runtime.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

const int machine_always_guards = 1;

static sigjmp_buf back;
static volatile sig_atomic_t trying;
static struct machine_span read_only[MACHINE_SPANS];
static size_t read_only_count;

static uintptr_t page(void) { return (uintptr_t)sysconf(_SC_PAGESIZE); }

static uintptr_t round_up(uintptr_t address, uintptr_t step) { return (address + step - 1) & ~(step - 1); }

/* As near to the guard as the alignment lets it. */
int machine_place(uint8_t* room, size_t room_size, size_t size, size_t alignment, struct machine_place* place) {
  (void)room;
  (void)room_size;
  const size_t bytes = round_up(size + alignment, page());
  uint8_t* const base = mmap(NULL, bytes + page(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED || mprotect(base, bytes, PROT_READ | PROT_WRITE) != 0) {
    return 0;
  }
  place->guard = (uintptr_t)base + bytes;
  place->base = (uint8_t*)((place->guard - size) & ~((uintptr_t)alignment - 1));
  return 1;
}

/* Pages of a buffer hold nothing else. */
static void set_access(const struct machine_span* span, int access) {
  const uintptr_t first = span->base & ~(page() - 1);
  if (mprotect((void*)first, round_up(span->base + span->size, page()) - first, access) != 0) {
    abort();
  }
}

void machine_protect(const struct machine_span* spans, size_t count, uintptr_t guard) {
  (void)guard; /* it always is */
  for (size_t at = 0; at < read_only_count; ++at) {
    set_access(&read_only[at], PROT_READ | PROT_WRITE);
  }
  read_only_count = count;
  for (size_t at = 0; at < count; ++at) {
    read_only[at] = spans[at];
    set_access(&spans[at], PROT_READ);
  }
}

int machine_is_read_only(uintptr_t address) {
  for (size_t at = 0; at < read_only_count; ++at) {
    if (address - read_only[at].base < read_only[at].size) {
      return 1;
    }
  }
  return 0;
}

static int touch(uintptr_t address, int is_write) {
  volatile uint8_t* const byte = (volatile uint8_t*)address;
  if (sigsetjmp(back, 0) != 0) {
    trying = 0;
    return 0;
  }
  trying = 1;
  const uint8_t found = is_write == 2 ? 0 : *byte;
  if (is_write) {
    *byte = found;
  }
  trying = 0;
  return 1;
}

int machine_can_write(uintptr_t address) { return touch(address, 1); }

int machine_is_forbidden(uintptr_t address) { return !touch(address, 0) && !touch(address, 2); }

size_t machine_load(const char* file, size_t offset, void* to, size_t size) {
  const int opened = open(file, O_RDONLY | O_CLOEXEC);
  size_t got = 0;
  for (ssize_t now = opened < 0 ? 0 : 1; now > 0 && got < size;) {
    now = pread(opened, (uint8_t*)to + got, size - got, (off_t)(offset + got));
    got += now > 0 ? (size_t)now : 0;
  }
  if (opened >= 0) {
    (void)close(opened);
  }
  return got;
}

void hal_put(const char* text, size_t size) {
  while (size != 0) {
    const ssize_t put = write(STDOUT_FILENO, text, size);
    if (put <= 0) {
      _exit(4);
    }
    text += put;
    size -= (size_t)put;
  }
}

_Noreturn void hal_exit(int status) { _exit(status); }

static void on_signal(int number, siginfo_t* info, void* context) {
  if (trying) {
    siglongjmp(back, 1);
  }
  const ucontext_t* const machine = context;
  uint64_t pc = 0;
#if defined(__x86_64__)
  pc = (uint64_t)machine->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  pc = machine->uc_mcontext.pc;
#else
  (void)machine;
#endif
  runtime_fault((struct hal_fault){(uint64_t)(uintptr_t)info->si_addr, (uint64_t)number, pc});
}

int main(void) {
  static char stack[65536];
  const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
  action.sa_sigaction = on_signal;
  (void)sigemptyset(&action.sa_mask);
  const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
  int good = sigaltstack(&other, NULL) == 0;
  for (size_t at = 0; at < sizeof signals / sizeof signals[0]; ++at) {
    good = good && sigaction(signals[at], &action, NULL) == 0;
  }
  if (!good) {
    return 4;
  }
  machine_main();
}
