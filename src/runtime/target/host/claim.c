#include "claim.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

/* Mapping below needs privileges. */
#define LOWEST 0x10000ULL
/* What user space has: the rest is no address at all. */
#define HIGHEST 0x800000000000ULL
/* Below the stack and above the heap is where these grow. */
#define ROOM 0x4000000ULL

/* Ranges of addresses. */
struct list {
  struct range* rows;
  size_t count;
};

static struct list hidden; /* no access tells anything */
static struct list shared; /* pages of several pieces, mapped with all rights */

static void note(struct list* list, uint64_t base, uint64_t size) {
  struct range* const rows = realloc(list->rows, (list->count + 1) * sizeof *rows);
  if (rows == NULL) {
    give_up("no memory");
  }
  list->rows = rows;
  rows[list->count++] = (struct range){base, size, 0, -1};
}

static int has(const struct list* list, uint64_t address) {
  for (size_t row = 0; row < list->count; ++row) {
    if (address - list->rows[row].base < list->rows[row].size) {
      return 1;
    }
  }
  return 0;
}

static void note_own(void) {
  FILE* const maps = fopen("/proc/self/maps", "r");
  if (maps == NULL) {
    give_up("/proc/self/maps: %s", strerror(errno));
  }
  char line[512];
  while (fgets(line, sizeof line, maps) != NULL) {
    uint64_t begin = 0;
    uint64_t end = 0;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64, &begin, &end) != 2) {
      continue;
    }
    const uint64_t below = strstr(line, "[stack]") != NULL ? ROOM : 0;
    const uint64_t above = strstr(line, "[heap]") != NULL ? ROOM : 0;
    note(&hidden, begin - below, end - begin + below + above);
  }
  (void)fclose(maps);
  note(&hidden, 0, LOWEST);
}

static int protection(unsigned rights) {
  return ((rights & CAN_READ) != 0 ? PROT_READ : 0) | ((rights & CAN_WRITE) != 0 ? PROT_WRITE : 0) |
         ((rights & CAN_EXECUTE) != 0 ? PROT_EXEC : 0);
}

/* Maps whole pages; what the process cannot have there is hidden. */
static void map(const struct piece* piece, uint64_t base, uint64_t size, unsigned rights) {
  if (base < LOWEST) {
    const uint64_t low = size < LOWEST - base ? size : LOWEST - base;
    base += low;
    size -= low;
  }
  const uint64_t offset = piece->offset + (base - piece->base);
  if (size == 0) {
    return;
  }
  if (base >= HIGHEST || size > HIGHEST - base || offset % PAGE != 0) {
    note(&hidden, base, size);
    return;
  }
  void* const wanted = (void*)(uintptr_t)base;
  void* const found = mmap(wanted, size, protection(rights), MAP_SHARED | MAP_FIXED_NOREPLACE, piece->fd, (off_t)offset);
  if (found == wanted) {
    return;
  }
  if (found != MAP_FAILED) {
    (void)munmap(found, size);
  } else if (errno != EEXIST) {
    give_up("mapping 0x%" PRIx64 " of 0x%" PRIx64 " bytes: %s", base, size, strerror(errno));
  }
  note(&hidden, base, size);
}

/* A page that no piece fills alone, `row` being the first there: where all that have memory lead to the same page of
 * it, it is mapped. */
static void map_shared(const struct pieces* pieces, size_t row, uint64_t page) {
  const struct piece* first = NULL;
  for (size_t at = row; at < pieces->count && pieces->rows[at].base < page + PAGE; ++at) {
    const struct piece* const piece = &pieces->rows[at];
    if (piece->fd < 0) {
      continue;
    }
    if (first == NULL) {
      first = piece;
    } else if (piece->fd != first->fd || piece->offset - piece->base != first->offset - first->base) {
      note(&hidden, page, PAGE);
      return;
    }
  }
  if (first == NULL) {
    return;
  }
  if (first->offset < first->base - page && first->base > page) {
    note(&hidden, page, PAGE);
    return;
  }
  note(&shared, page, PAGE);
  map(first, page, PAGE, CAN_READ | CAN_WRITE);
}

void claim_space(const struct pieces* pieces) {
  note_own();
  uint64_t done = 0; /* pages below are mapped, or have none */
  for (size_t row = 0; row < pieces->count; ++row) {
    const struct piece* const piece = &pieces->rows[row];
    const uint64_t end = piece->base + piece->size;
    const uint64_t first = (piece->base + PAGE - 1) / PAGE * PAGE;
    const uint64_t last = end / PAGE * PAGE;
    if (piece->base % PAGE != 0 && piece->base / PAGE * PAGE >= done) {
      map_shared(pieces, row, piece->base / PAGE * PAGE);
      done = first;
    }
    if (first < last && piece->fd >= 0) {
      map(piece, first, last - first, piece->rights);
    }
    done = last > done ? last : done;
    if (end % PAGE != 0 && last >= done) {
      map_shared(pieces, row, last);
      done = last + PAGE;
    }
  }
}

int claim_hides(const struct pieces* pieces, uint64_t address, unsigned right) {
  const struct piece* const piece = piece_of(pieces, address);
  if (has(&hidden, address) || (piece != NULL && piece->fd < 0)) {
    return 1;
  }
  return has(&shared, address) && (piece == NULL || (piece->rights & right) == 0);
}
