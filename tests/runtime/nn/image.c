/* The cases as an image on a core: the same sources without a library or an operating system, and so without pools. Prints what
 * fails, then how many there were. */
#include "boot.h"
#include "cases.h"
#include "hal.h"
#include "report.h"
#include "runtime.h"

enum { BLOCKS = 16, BLOCK = RAW + 64 };

static unsigned char blocks[BLOCKS][BLOCK] __attribute__((aligned(64)));
static unsigned char is_used[BLOCKS];

void* nn_take(void* context, uint64_t size) {
  (void)context;
  for (unsigned at = 0; at < BLOCKS; ++at) {
    if (!is_used[at] && size <= BLOCK) {
      is_used[at] = 1;
      return blocks[at];
    }
  }
  return NULL;
}

void nn_give(void* context, void* bytes, uint64_t size) {
  (void)context;
  (void)size;
  is_used[((unsigned char*)bytes - blocks[0]) / BLOCK] = 0;
}

void nn_pause(void* context) { (void)context; }

void nn_say(const char* text) {
  size_t size = 0;
  while (text[size] != '\0') {
    ++size;
  }
  hal_put(text, size);
}

static void say_number(unsigned number, const char* behind) {
  char digits[12];
  size_t at = sizeof digits - 1;
  digits[at] = '\0';
  do {
    digits[--at] = (char)('0' + number % 10);
    number /= 10;
  } while (number != 0);
  nn_say(&digits[at]);
  nn_say(behind);
}

__attribute__((weak)) void hal_check(void) {}

void report_finding(const struct report_finding* finding) { (void)finding; }

_Noreturn void runtime_fault(struct hal_fault fault) {
  (void)fault;
  nn_say("a fault\n");
  hal_exit(3);
}

_Noreturn void runtime_main(const struct map_table* table) {
  static unsigned char in[RAW];
  static unsigned char out[RAW];
  static unsigned char raw[RAW];
  static struct nn_run run = {.in = in, .out = out, .raw = raw};
  unsigned runs = 0;
  (void)table;
  /* Scales and probabilities are floats: the start leaves the unit for them off. */
  __asm__ volatile("msr cpacr_el1, %0\n\tisb" ::"r"(3UL << 20) : "memory");
  const unsigned failed = nn_run_all(&run, NULL, &runs);
  say_number((unsigned)nn_case_count, " cases, ");
  say_number(runs, " runs, ");
  say_number(failed, " failed\n");
  hal_exit(failed != 0);
}
