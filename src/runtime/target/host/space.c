#include "space.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

_Noreturn void give_up(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  (void)fputs("memsize-host: ", stderr);
  (void)vfprintf(stderr, format, arguments);
  (void)fputc('\n', stderr);
  va_end(arguments);
  exit(2);
}

const struct range* range_of(const struct ranges* ranges, uint64_t address) {
  for (size_t row = 0; row < ranges->count; ++row) {
    if (address - ranges->rows[row].base < ranges->rows[row].size) {
      return &ranges->rows[row];
    }
  }
  return NULL;
}

enum { MOST_NUMBERS = 4 };

/* The line that is read. */
struct line {
  const char* path;
  unsigned number;
  char* words[MOST_NUMBERS + 2];
  size_t count;
  uint64_t numbers[MOST_NUMBERS];
};

static uint64_t number_of(const struct line* line, const char* word) {
  char* end = NULL;
  const int base = word[0] == '0' && (word[1] == 'x' || word[1] == 'X') ? 16 : 10;
  errno = 0;
  const unsigned long long value = strtoull(word, &end, base);
  if (!isdigit((unsigned char)word[0]) || *end != '\0' || errno != 0 || (base == 16 && word[2] == '\0')) {
    give_up("%s:%u: '%.40s' is no number of 64 bits", line->path, line->number, word);
  }
  return value;
}

static void add(const struct line* line, struct ranges* ranges, const struct range* range) {
  if (range->size == 0 || range->base + (range->size - 1) < range->base || range->to + (range->size - 1) < range->to) {
    give_up("%s:%u: %s: the size 0x%llx is 0 or too large", line->path, line->number, line->words[0],
            (unsigned long long)range->size);
  }
  for (size_t row = 0; row < ranges->count; ++row) {
    const struct range* const other = &ranges->rows[row];
    if (range->base - other->base < other->size || other->base - range->base < range->size) {
      give_up("%s:%u: %s: 0x%llx lies over the one at 0x%llx", line->path, line->number, line->words[0],
              (unsigned long long)range->base, (unsigned long long)other->base);
    }
  }
  if (ranges->count == SPACE_ROWS) {
    give_up("%s:%u: more than %d lines of '%s'", line->path, line->number, SPACE_ROWS, line->words[0]);
  }
  ranges->rows[ranges->count++] = *range;
}

static void add_memory(const struct line* line, struct ranges* ranges) {
  const uint64_t fd = line->numbers[2];
  const struct range range = {line->numbers[0], line->numbers[1], 0, fd <= INT_MAX ? (int)fd : -1};
  struct stat found;
  if (fstat(range.fd, &found) != 0) {
    give_up("%s:%u: file descriptor %llu is not open", line->path, line->number, (unsigned long long)fd);
  }
  if (found.st_size < 0 || (uint64_t)found.st_size < range.size) {
    give_up("%s:%u: the file has %lld bytes, less than 0x%llx", line->path, line->number, (long long)found.st_size,
            (unsigned long long)range.size);
  }
  add(line, ranges, &range);
}

static void read_memory(const struct line* line, struct space* space) {
  add_memory(line, &space->memories);
}

static void read_local(const struct line* line, struct space* space) {
  add_memory(line, &space->locals);
}

static void read_rat(const struct line* line, struct space* space) {
  const struct range range = {line->numbers[0], line->numbers[2], line->numbers[1], -1};
  add(line, &space->rats, &range);
}

static void read_window(const struct line* line, struct space* space) {
  const struct range range = {line->numbers[0], line->numbers[2], line->numbers[1], -1};
  add(line, &space->windows, &range);
}

static void read_armv8(const struct line* line, struct space* space) {
  if (space->translation == ARMV8) {
    give_up("%s:%u: a second 'armv8'", line->path, line->number);
  }
  space->translation = ARMV8;
  space->tables = line->numbers[0];
  space->tables_size = line->numbers[1];
  if (space->tables % 4096 != 0 || space->tables_size < 4096 ||
      space->tables + (space->tables_size - 1) < space->tables) {
    give_up("%s:%u: no table of 4 KiB is at 0x%llx with 0x%llx bytes", line->path, line->number,
            (unsigned long long)space->tables, (unsigned long long)space->tables_size);
  }
}

static void read_mair(const struct line* line, struct space* space) {
  space->mair = line->numbers[0];
  space->has_mair = 1;
}

static void read_mpu(const struct line* line, struct space* space) {
  if (line->numbers[0] >= MPU_REGIONS) {
    give_up("%s:%u: no MPU has a region %llu", line->path, line->number, (unsigned long long)line->numbers[0]);
  }
  for (size_t at = 1; at < 4; ++at) {
    if (line->numbers[at] > UINT32_MAX) {
      give_up("%s:%u: 0x%llx is no register of 32 bits", line->path, line->number,
              (unsigned long long)line->numbers[at]);
    }
  }
  struct mpu_region* const region = &space->mpu[line->numbers[0]];
  if (region->present) {
    give_up("%s:%u: a second region %llu", line->path, line->number, (unsigned long long)line->numbers[0]);
  }
  region->present = 1;
  region->base = (uint32_t)line->numbers[1];
  region->size = (uint32_t)line->numbers[2];
  region->access = (uint32_t)line->numbers[3];
  if (space->translation == ARMV8) {
    give_up("%s:%u: a core has an MMU or an MPU", line->path, line->number);
  }
  space->translation = MPU;
}

static const struct form {
  const char* word;
  size_t numbers;
  void (*read)(const struct line*, struct space*);
} kForms[] = {
    {"memory", 3, read_memory}, {"local", 3, read_local}, {"armv8", 2, read_armv8},   {"mair", 1, read_mair},
    {"mpu", 4, read_mpu},       {"rat", 3, read_rat},     {"window", 3, read_window},
};

static void read_line(struct line* line, char* text, struct space* space) {
  text[strcspn(text, "#\r\n")] = '\0';
  line->count = 0;
  char* rest = NULL;
  for (char* word = strtok_r(text, " \t", &rest); word != NULL; word = strtok_r(NULL, " \t", &rest)) {
    if (line->count == MOST_NUMBERS + 2) {
      give_up("%s:%u: too many words", line->path, line->number);
    }
    line->words[line->count++] = word;
  }
  if (line->count == 0) {
    return;
  }
  for (size_t at = 0; at < sizeof kForms / sizeof kForms[0]; ++at) {
    const struct form* const form = &kForms[at];
    if (strcmp(line->words[0], form->word) != 0) {
      continue;
    }
    if (line->count != form->numbers + 1) {
      give_up("%s:%u: '%s' takes %zu numbers", line->path, line->number, form->word, form->numbers);
    }
    for (size_t number = 0; number < form->numbers; ++number) {
      line->numbers[number] = number_of(line, line->words[number + 1]);
    }
    const enum translation before = space->translation;
    form->read(line, space);
    if (before == MPU && space->translation == ARMV8) {
      give_up("%s:%u: a core has an MMU or an MPU", line->path, line->number);
    }
    return;
  }
  give_up("%s:%u: unknown word '%.40s'", line->path, line->number, line->words[0]);
}

void space_read(const char* path, struct space* space) {
  FILE* const file = fopen(path, "r");
  if (file == NULL) {
    give_up("%s: %s", path, strerror(errno));
  }
  struct line line = {path, 0, {NULL}, 0, {0}};
  char text[512];
  while (fgets(text, sizeof text, file) != NULL) {
    ++line.number;
    if (strchr(text, '\n') == NULL && strlen(text) == sizeof text - 1) {
      give_up("%s:%u: the line is too long", path, line.number);
    }
    read_line(&line, text, space);
  }
  if (ferror(file)) {
    give_up("%s: it cannot be read", path);
  }
  (void)fclose(file);
  if (space->translation != PLAIN && space->windows.count != 0) {
    give_up("%s: a core with an MMU or an MPU has no 'window'", path);
  }
}
