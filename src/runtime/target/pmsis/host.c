/* A process as the cores of cores.h: a thread each. L1 and L2 lie where the chip has them. While a team works, L2 is
 * nobody's but the engine's, which reaches it elsewhere. */
#include "cores.h"

#include "hal.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <ucontext.h>
#include <unistd.h>

/* GAP9's, from its linker script as ARES has it. */
#define L1_BASE ((uint8_t*)0x10000000)
#define L2_BASE ((uint8_t*)0x1C000000)

static _Thread_local uint32_t own_id = CORES_CONTROLLER;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static struct cores_memories memories;
static size_t l1_bytes;
static size_t l2_bytes;

uint32_t cores_id(void) { return own_id; }

void cores_wake(uint32_t core) {
  (void)core;
  (void)pthread_mutex_lock(&lock);
  (void)pthread_cond_broadcast(&woken);
  (void)pthread_mutex_unlock(&lock);
}

/* What is asked for is asked under the lock, and so is what makes it true, or somebody wakes afterwards. */
void cores_sleep(int (*ready)(const void* context), const void* context) {
  (void)pthread_mutex_lock(&lock);
  while (ready == NULL || !ready(context)) {
    (void)pthread_cond_wait(&woken, &lock);
  }
  (void)pthread_mutex_unlock(&lock);
}

_Noreturn static void give_up(const char* what) {
  (void)fprintf(stderr, "%s\n", what);
  exit(4);
}

static size_t pages(size_t size) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  return (size + page - 1) / page * page;
}

static uint8_t* map(uint8_t* at, size_t size, int access, int file) {
  const int flags = (file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED) | (at != NULL ? MAP_FIXED_NOREPLACE : 0);
  uint8_t* const base = mmap(at, size, access, flags, file, 0);
  if (base == MAP_FAILED || (at != NULL && base != at)) {
    give_up("the addresses of L1 and L2 are not free in this process");
  }
  return base;
}

struct cores_memories cores_memories(uint32_t l1_size, uint32_t l2_size, uint32_t l3_size) {
  l1_bytes = pages(l1_size);
  l2_bytes = pages(l2_size);
  const int file = memfd_create("l2", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, (off_t)l2_bytes) != 0) {
    give_up("there is no memory for L2");
  }
  memories.l1 = map(L1_BASE, l1_bytes, PROT_READ | PROT_WRITE, -1);
  memories.l2 = map(L2_BASE, l2_bytes, PROT_READ | PROT_WRITE, file);
  memories.l2_engine = map(NULL, l2_bytes, PROT_READ | PROT_WRITE, file);
  memories.l3 = map(NULL, pages(l3_size) + 1, PROT_READ | PROT_WRITE, -1);
  return memories;
}

/* Before a page that nobody may touch, as near as alignment lets it; the controller's stack is behind that page. */
uint8_t* cores_place_l1(uint32_t used, uint32_t size) {
  enum { ALIGNMENT = 8 };
  const size_t end = pages(used + size);
  if (end + pages(1) <= l1_bytes && mprotect(memories.l1 + end, pages(1), PROT_NONE) != 0) {
    give_up("L1 cannot be guarded");
  }
  const size_t place = end <= l1_bytes ? (end - size) / ALIGNMENT * ALIGNMENT : used;
  return memories.l1 + place;
}

void cores_call(uint8_t* stack_end, void (*entry)(void* arg), void* arg) {
  (void)stack_end;
  entry(arg);
}

/* A team. */
static struct {
  void (*entry)(void* arg);
  void* arg;
  uint32_t count;
  uint32_t turn;
  uint32_t done;
} team;

static void set_access(const struct cores_span* spans, uint32_t count, int others) {
  (void)mprotect(memories.l2, l2_bytes, others);
  for (uint32_t at = 0; at < count; ++at) {
    const uintptr_t first = (uintptr_t)spans[at].base / pages(1) * pages(1);
    const uintptr_t last = (uintptr_t)spans[at].base + spans[at].size;
    (void)mprotect((void*)first, pages(last - first), PROT_READ | PROT_WRITE);
  }
}

void cores_fork(uint32_t count, void (*entry)(void* arg), void* arg, const struct cores_span* spans,
                uint32_t span_count) {
  set_access(spans, span_count, PROT_NONE);
  (void)pthread_mutex_lock(&lock);
  team.entry = entry;
  team.arg = arg;
  team.count = count;
  team.done = 0;
  ++team.turn;
  (void)pthread_cond_broadcast(&woken);
  while (team.done != count) {
    (void)pthread_cond_wait(&woken, &lock);
  }
  (void)pthread_mutex_unlock(&lock);
  set_access(NULL, 0, PROT_READ | PROT_WRITE);
}

static void* work(void* id) {
  own_id = (uint32_t)(uintptr_t)id;
  (void)pthread_mutex_lock(&lock);
  for (uint32_t seen = 0;;) {
    while (team.turn == seen) {
      (void)pthread_cond_wait(&woken, &lock);
    }
    seen = team.turn;
    if (own_id < team.count) {
      (void)pthread_mutex_unlock(&lock);
      team.entry(team.arg);
      (void)pthread_mutex_lock(&lock);
      ++team.done;
      (void)pthread_cond_broadcast(&woken);
    }
  }
  return NULL; /* gcc 12 does not see that nobody comes here */
}

static int (*engine_is_asked)(void);

static void* run_engine(void* serve) {
  own_id = CORES_ENGINE;
  void (*served)(void);
  memcpy(&served, serve, sizeof served);
  for (;;) {
    served();
    (void)pthread_mutex_lock(&lock);
    if (!engine_is_asked()) {
      (void)pthread_cond_wait(&woken, &lock);
    }
    (void)pthread_mutex_unlock(&lock);
  }
  return NULL;
}

static void start(void* (*run)(void* arg), void* arg) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, run, arg) != 0 || pthread_detach(thread) != 0) {
    give_up("a thread cannot be started");
  }
}

void cores_start_engine(void (*serve)(void), int (*is_asked)(void)) {
  static void (*served)(void);
  served = serve;
  engine_is_asked = is_asked;
  start(run_engine, &served);
}

void hal_put(const char* text, size_t size) {
  (void)fflush(stdout);
  while (size != 0) {
    const ssize_t put = write(STDOUT_FILENO, text, size);
    if (put <= 0) {
      _exit(4);
    }
    text += put;
    size -= (size_t)put;
  }
}

_Noreturn void hal_exit(int status) {
  (void)fflush(stdout);
  _exit(status);
}

static int argument_count;
static char** argument_words;

uint32_t cores_choice(const char* key, const char* const* words, uint32_t count) {
  const size_t length = strlen(key);
  for (int at = 1; at < argument_count; ++at) {
    const char* const word = argument_words[at];
    for (uint32_t which = 0; strncmp(word, key, length) == 0 && word[length] == '=' && which < count; ++which) {
      if (strcmp(word + length + 1, words[which]) == 0) {
        return which;
      }
    }
  }
  return 0;
}

static void on_signal(int number, siginfo_t* info, void* context) {
  const ucontext_t* const machine = context;
  uint64_t pc = 0;
  int is_write = 0;
#if defined(__x86_64__)
  enum { BY_WRITE = 2 }; /* of the page fault's code */
  pc = (uint64_t)machine->uc_mcontext.gregs[REG_RIP];
  is_write = (machine->uc_mcontext.gregs[REG_ERR] & BY_WRITE) != 0;
#elif defined(__aarch64__)
  pc = machine->uc_mcontext.pc;
#else
  (void)machine;
#endif
  pmsis_fault(own_id, is_write, (uint64_t)(uintptr_t)info->si_addr, (uint64_t)number, pc);
}

/* Linux places the heap anywhere in the first GiB behind a program that lies low, unless told otherwise. */
static void keep_addresses_free(char** words) {
  const int now = personality(0xFFFFFFFF);
  if (now != -1 && (now & ADDR_NO_RANDOMIZE) == 0 && personality((unsigned long)now | ADDR_NO_RANDOMIZE) != -1) {
    (void)execv("/proc/self/exe", words);
  }
}

int main(int count, char** words) {
  keep_addresses_free(words);
  argument_count = count;
  argument_words = words;
  struct sigaction action = {.sa_flags = SA_SIGINFO};
  action.sa_sigaction = on_signal;
  (void)sigemptyset(&action.sa_mask);
  const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
  for (size_t at = 0; at < sizeof signals / sizeof signals[0]; ++at) {
    (void)sigaction(signals[at], &action, NULL);
  }
  for (uintptr_t id = 0; id < CORES_WORKERS; ++id) {
    start(work, (void*)id);
  }
  pmsis_main();
}
