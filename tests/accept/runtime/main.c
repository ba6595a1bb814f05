/* Tries what hal.h offers at the addresses of a plan, then ends as the plan says. One line each, numbers in
 * hexadecimal:
 *   phase PHASE                                of the command line
 *   state DATA BSS                             1 and 0 where the image is whole
 *   finding ADDRESS EXPECTED ACTUAL            of hal_check
 *   image BEGIN END
 *   translate|read|write|execute ADDRESS RESULT [A B C]
 *       of a fault its address, status and place; else what was found
 *   fault ADDRESS STATUS PC
 *   end */
#include "boot.h"
#include "report.h"
#include "runtime.h"

enum { RETURN = 0, FAULT = 1, FAULT_TWICE = 2, UNDEFINED = 3, OVERFLOW = 4 };

#ifdef __aarch64__
#define UNDEFINED_INSTRUCTION ".inst 0x00000000"
#else
#define UNDEFINED_INSTRUCTION ".inst 0xE7F000F0"
#endif

/* In the place of a map table. */
struct plan {
  uint64_t ending;
  uint64_t bad; /* nothing is there */
  uint64_t count;
  uint64_t addresses[];
};

static const struct plan* plan;
static volatile uint64_t data = 1;
static volatile uint64_t zero;

static void put_text(const char* text) {
  size_t size = 0;
  while (text[size] != '\0') {
    ++size;
  }
  hal_put(text, size);
}

static void put_number(uint64_t number) {
  for (unsigned shift = 64; shift != 0;) {
    shift -= 4;
    hal_put(&"0123456789abcdef"[number >> shift & 15], 1);
  }
}

static void put_line(const char* word, const uint64_t* numbers, size_t count) {
  put_text(word);
  for (size_t at = 0; at < count; ++at) {
    put_text(" ");
    put_number(numbers[at]);
  }
  put_text("\n");
}

static void put_result(const char* word, uint64_t address, enum hal_result result, uint64_t a, uint64_t b) {
  const struct hal_fault fault = hal_last_fault();
  if (result == HAL_FAULTED) {
    put_line(word, (const uint64_t[]){address, result, fault.address, fault.status, fault.pc}, 5);
  } else {
    put_line(word, (const uint64_t[]){address, result, a, b}, 4);
  }
}

static void try_address(uint64_t address) {
  struct hal_translation found = {0, 0};
  const enum hal_result translated = hal_translate(address, &found);
  put_result("translate", address, translated, found.physical, found.kind);
  put_result("write", address, hal_write(address, address ^ UINT64_MAX), 0, 0);
  put_result("execute", address, hal_execute(address), 0, 0);
  uint64_t value = 0;
  const enum hal_result read = hal_read(address, &value);
  put_result("read", address, read, value, 0);
}

static uint64_t touch_bad(void) { return *(volatile const uint64_t*)(uintptr_t)plan->bad; }

static uint64_t deeper(uint64_t depth) {
  volatile char much[4096];
  much[0] = (char)depth;
  return depth == UINT64_MAX ? 0 : deeper(depth + 1) + (uint64_t)much[0];
}

__attribute__((weak)) void hal_check(void) {}

void report_finding(const struct report_finding* finding) {
  put_line("finding", (const uint64_t[]){finding->address, finding->expected, finding->actual}, 3);
}

_Noreturn void runtime_fault(struct hal_fault fault) {
  put_line("fault", (const uint64_t[]){fault.address, fault.status, fault.pc}, 3);
  if (plan->ending == FAULT_TWICE) {
    (void)touch_bad();
  }
  hal_exit(3);
}

_Noreturn void runtime_main(const struct map_table* table) {
  plan = (const void*)table;
  put_line("phase", (const uint64_t[]){hal_phase()}, 1);
  put_line("state", (const uint64_t[]){data, zero}, 2);
  data = zero = 2;
  hal_check();
  uint64_t begin = 0;
  uint64_t end = 0;
  hal_image(&begin, &end);
  put_line("image", (const uint64_t[]){begin, end}, 2);
  for (uint64_t at = 0; at < plan->count; ++at) {
    try_address(plan->addresses[at]);
  }
  switch (plan->ending) {
    case FAULT:
    case FAULT_TWICE:
      put_text("half a li");
      zero = touch_bad();
      break;
    case UNDEFINED:
      __asm__ volatile(UNDEFINED_INSTRUCTION);
      break;
    case OVERFLOW:
      zero = deeper(zero);
      break;
    default:
      break;
  }
  put_line("end", 0, 0);
  hal_exit(0);
}
