/* A machine made up for tests. Called as machine TABLE SPEC PHASES, it runs the phases one after the other over one
 * memory; as machine tables, it takes tables from standard input (length, bytes) and prints whether each is good.
 * Lines of SPEC:
 *   map VIRTUAL PHYSICAL SIZE RIGHTS KIND    RIGHTS: a sum of 1 read, 2 write, 4 execute
 *   hide VIRTUAL SIZE                        what the machine cannot try
 *   image BEGIN END
 *   stuck PHYSICAL SIZE                      writes there are lost
 *   poke PHYSICAL VALUE                      between the phases */
#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hal.h"
#include "map_check.h"
#include "report.h"
#include "runtime.h"

struct row {
  uint64_t at[5];
};

static struct row maps[32], hides[8], stucks[8], pokes[8], images[1];
static unsigned map_count, hide_count, stuck_count, poke_count, image_count;
static struct {
  uint64_t physical;
  uint64_t value;
} words[65536];
static unsigned word_count;
static unsigned phase;
static int left;
static int quiet;
static jmp_buf out;

static int inside(const struct row* row, unsigned size, uint64_t address) {
  return address - row->at[0] < row->at[size];
}

static const struct row* mapped(uint64_t address) {
  for (unsigned row = 0; row < map_count; ++row) {
    if (inside(&maps[row], 2, address)) {
      return &maps[row];
    }
  }
  return NULL;
}

static enum hal_result reach(uint64_t address, uint64_t right, uint64_t* physical) {
  const struct row* const row = mapped(address);
  for (unsigned hide = 0; hide < hide_count; ++hide) {
    if (inside(&hides[hide], 1, address)) {
      return HAL_UNREACHED;
    }
  }
  if (row == NULL || (row->at[3] & right) == 0) {
    return HAL_FAULTED;
  }
  *physical = row->at[1] + (address - row->at[0]);
  return HAL_DONE;
}

static uint64_t* word(uint64_t physical) {
  for (unsigned at = 0; at < word_count; ++at) {
    if (words[at].physical == physical) {
      return &words[at].value;
    }
  }
  if (word_count == sizeof words / sizeof words[0]) {
    abort();
  }
  words[word_count].physical = physical;
  words[word_count].value = 0;
  return &words[word_count++].value;
}

enum hal_result hal_read(uint64_t address, uint64_t* value) {
  uint64_t physical = 0;
  const enum hal_result result = reach(address, 1, &physical);
  if (address % 8 != 0) {
    abort();
  }
  if (result == HAL_DONE) {
    *value = *word(physical);
  }
  return result;
}

enum hal_result hal_write(uint64_t address, uint64_t value) {
  uint64_t physical = 0;
  const enum hal_result result = reach(address, 2, &physical);
  if (address % 8 != 0 || phase == 2) {
    abort();
  }
  for (unsigned row = 0; row < image_count; ++row) {
    if (address + 7 >= images[row].at[0] && address < images[row].at[1]) {
      abort();
    }
  }
  for (unsigned row = 0; row < stuck_count; ++row) {
    if (inside(&stucks[row], 1, physical)) {
      return result;
    }
  }
  if (result == HAL_DONE) {
    *word(physical) = value;
  }
  return result;
}

enum hal_result hal_execute(uint64_t address) {
  uint64_t physical = 0;
  return reach(address, 4, &physical);
}

struct hal_fault hal_last_fault(void) {
  const struct hal_fault fault = {0, 0x77, 0};
  return fault;
}

enum hal_result hal_translate(uint64_t address, struct hal_translation* found) {
  const enum hal_result result = reach(address, 7, &found->physical);
  if (result == HAL_DONE) {
    found->kind = (uint32_t)mapped(address)->at[4];
  }
  return result;
}

int hal_is_own(uint64_t address) {
  (void)address;
  return 0;
}

void hal_image(uint64_t* begin, uint64_t* end) {
  *begin = images[0].at[0];
  *end = images[0].at[1];
}

unsigned hal_phase(void) {
  return phase;
}

void hal_put(const char* text, size_t size) {
  if (!quiet) {
    (void)fwrite(text, size, 1, stdout);
  }
}

_Noreturn void hal_exit(int status) {
  left = status;
  longjmp(out, 1);
}

static void run(const struct map_table* table, unsigned which) {
  phase = which;
  if (setjmp(out) == 0) {
    runtime_main(table);
  }
}

static void read_spec(const char* path) {
  static const struct {
    const char* name;
    struct row* rows;
    unsigned* count;
    unsigned numbers;
  } kForms[] = {{"map", maps, &map_count, 5},
                {"hide", hides, &hide_count, 2},
                {"image", images, &image_count, 2},
                {"stuck", stucks, &stuck_count, 2},
                {"poke", pokes, &poke_count, 2}};
  char name[16];
  FILE* const file = fopen(path, "r");
  while (file != NULL && fscanf(file, "%15s", name) == 1) {
    for (unsigned form = 0; form < sizeof kForms / sizeof kForms[0]; ++form) {
      if (strcmp(name, kForms[form].name) == 0) {
        struct row* const row = &kForms[form].rows[(*kForms[form].count)++];
        for (unsigned at = 0; at < kForms[form].numbers; ++at) {
          (void)(fscanf(file, "%" SCNi64, (int64_t*)&row->at[at]) == 1);
        }
      }
    }
  }
  if (file != NULL) {
    (void)fclose(file);
  }
}

static struct map_table* read_bytes(FILE* file, size_t size) {
  struct map_table* const table = malloc(size);
  if (table == NULL || fread(table, 1, size, file) != size) {
    abort();
  }
  return table;
}

int main(int count, char** arguments) {
  if (count == 2) {
    uint32_t size = 0;
    quiet = 1;
    while (fread(&size, sizeof size, 1, stdin) == 1) {
      struct map_table* const table = read_bytes(stdin, size);
      const int good = table->bytes <= size && map_table_ok(table);
      printf("%d\n", good);
      word_count = 0;
      if (good) {
        run(table, 1);
        run(table, 2);
      }
      free(table);
    }
    return 0;
  }
  FILE* const file = fopen(arguments[1], "rb");
  (void)fseek(file, 0, SEEK_END);
  const size_t size = (size_t)ftell(file);
  (void)fseek(file, 0, SEEK_SET);
  struct map_table* const table = read_bytes(file, size);
  (void)fclose(file);
  read_spec(arguments[2]);
  for (const char* which = arguments[3]; *which != '\0'; ++which) {
    if (*which == 'f') {
      const struct hal_fault fault = {0x1234, 5, 0x99};
      if (setjmp(out) == 0) {
        runtime_fault(fault);
      }
    } else {
      for (unsigned row = 0; *which == '2' && row < poke_count; ++row) {
        *word(pokes[row].at[0]) = pokes[row].at[1];
      }
      run(table, (unsigned)(*which - '0'));
    }
    printf("exit %d\n", left);
  }
  free(table);
  return 0;
}
