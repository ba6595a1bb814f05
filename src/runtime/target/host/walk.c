#include "walk.h"

#include <stdlib.h>
#include <unistd.h>

#include "../map_table.h"
#include "../report.h"

enum { ANY_KIND = MAP_NON_CACHED | MAP_WRITE_THROUGH | MAP_WRITE_BACK };

static void* grown(void* rows, size_t count, size_t size) {
  /* By powers of two, at each of them. */
  if ((count & (count - 1)) != 0) {
    return rows;
  }
  void* const larger = realloc(rows, (count == 0 ? 1 : 2 * count) * size);
  if (larger == NULL) {
    give_up("no memory");
  }
  return larger;
}

static void append(struct pieces* pieces, const struct piece* piece) {
  struct piece* const last = pieces->count == 0 ? NULL : &pieces->rows[pieces->count - 1];
  if (last != NULL && last->base + last->size == piece->base && last->physical + last->size == piece->physical &&
      last->rights == piece->rights && last->kind == piece->kind && last->fd == piece->fd &&
      (piece->fd < 0 || last->offset + last->size == piece->offset)) {
    last->size += piece->size;
    return;
  }
  pieces->rows = grown(pieces->rows, pieces->count, sizeof *piece);
  pieces->rows[pieces->count++] = *piece;
}

/* How far it is from the address to the next place where a range begins or ends; at most `limit`. */
static uint64_t until_edge(const struct ranges* ranges, uint64_t address, uint64_t limit) {
  for (size_t row = 0; row < ranges->count; ++row) {
    const struct range* const range = &ranges->rows[row];
    const uint64_t inside = address - range->base;
    const uint64_t distance = inside < range->size ? range->size - inside : range->base - address;
    limit = distance < limit ? distance : limit;
  }
  return limit;
}

/* Splits what the MMU or MPU makes one piece by what lies behind it. */
static void add(const struct space* space, struct pieces* pieces, struct piece whole) {
  if (whole.rights == 0) {
    return;
  }
  for (uint64_t done = 0, step = 0; done < whole.size; done += step) {
    struct piece piece = whole;
    piece.base = whole.base + done;
    piece.physical = whole.physical + done;
    step = until_edge(&space->rats, piece.physical, whole.size - done);
    const struct range* const rat = range_of(&space->rats, piece.physical);
    if (rat != NULL) {
      piece.physical = rat->to + (piece.physical - rat->base);
    }
    step = until_edge(&space->locals, piece.base, step);
    step = until_edge(&space->memories, piece.physical, step);
    const struct range* memory = range_of(&space->locals, piece.base);
    const uint64_t place = memory != NULL ? piece.base : piece.physical;
    memory = memory != NULL ? memory : range_of(&space->memories, place);
    piece.size = step;
    piece.fd = memory != NULL ? memory->fd : -1;
    piece.offset = memory != NULL ? place - memory->base : 0;
    append(pieces, &piece);
  }
}

/* --- Armv8-A: stage 1 at EL1, DDI 0487, D5 -------------------------------------------------------------------------- */

enum { ENTRIES = 512 };

#define OUTPUT_ADDRESS 0x0000FFFFFFFFF000ULL
#define BIT(number) (1ULL << (number))

/* Descriptor bits; those of tables are what they forbid to all below. */
#define IS_VALID BIT(0)
#define IS_TABLE BIT(1)
#define EL0_ACCESS BIT(6)
#define READ_ONLY BIT(7)
#define ACCESS_FLAG BIT(10)
#define PXN BIT(53)
#define TABLE_NO_EL0 BIT(61)
#define TABLE_READ_ONLY BIT(62)
#define TABLE_PXN BIT(59)

static uint32_t kind_of_nibble(unsigned nibble) {
  const unsigned policy = nibble >> 2;
  const unsigned allocate = nibble & 3;
  switch (policy) {
    case 0:
      return allocate == 0 ? ANY_KIND : MAP_WRITE_THROUGH;
    case 1:
      return allocate == 0 ? MAP_NON_CACHED : MAP_WRITE_BACK;
    case 2:
      return MAP_WRITE_THROUGH;
    default:
      return MAP_WRITE_BACK;
  }
}

/* By the inner policy: that is what the core's own caches do. */
static uint32_t kind_of_index(const struct space* space, unsigned index) {
  if (!space->has_mair) {
    return 0;
  }
  const unsigned byte = (unsigned)(space->mair >> 8 * index) & 0xFF;
  if (byte >> 4 == 0) {
    return MAP_NON_CACHED;
  }
  return kind_of_nibble(byte & 15);
}

struct armv8 {
  const struct space* space;
  struct pieces* pieces;
  uint64_t tables_left;
};

/* What the tables above a descriptor forbid, as bits of a table descriptor. */
static void leaf(const struct armv8* armv8, uint64_t base, uint64_t size, uint64_t entry, uint64_t forbidden) {
  if ((entry & ACCESS_FLAG) == 0) {
    return;
  }
  struct piece piece = {base, size, entry & OUTPUT_ADDRESS & ~(size - 1), CAN_READ, 0, -1, 0};
  const int writable = (entry & READ_ONLY) == 0 && (forbidden & TABLE_READ_ONLY) == 0;
  const int el0 = (entry & EL0_ACCESS) != 0 && (forbidden & TABLE_NO_EL0) == 0;
  piece.rights |= writable ? CAN_WRITE : 0U;
  /* What EL0 may write EL1 does not execute. */
  if ((entry & PXN) == 0 && (forbidden & TABLE_PXN) == 0 && !(writable && el0)) {
    piece.rights |= CAN_EXECUTE;
  }
  piece.kind = kind_of_index(armv8->space, (unsigned)(entry >> 2) & 7);
  add(armv8->space, armv8->pieces, piece);
}

static void walk_table(struct armv8* armv8, uint64_t table, unsigned level, uint64_t base, uint64_t forbidden) {
  if (armv8->tables_left-- == 0) {
    give_up("the tables at 0x%llx: a walk meets more tables than their size has room for",
            (unsigned long long)armv8->space->tables);
  }
  uint64_t entries[ENTRIES];
  const struct range* const memory = range_of(&armv8->space->memories, table);
  if (memory == NULL || memory->size - (table - memory->base) < sizeof entries ||
      pread(memory->fd, entries, sizeof entries, (off_t)(table - memory->base)) != (ssize_t)sizeof entries) {
    /* The walk itself aborts: nothing below is mapped. */
    return;
  }
  const unsigned shift = 39 - 9 * level;
  for (uint64_t at = 0; at < ENTRIES; ++at) {
    const uint64_t entry = entries[at];
    const uint64_t place = base + (at << shift);
    if ((entry & IS_VALID) == 0) {
      continue;
    }
    if ((entry & IS_TABLE) != 0 && level < 3) {
      walk_table(armv8, entry & OUTPUT_ADDRESS, level + 1, place, forbidden | entry);
    } else if (((entry & IS_TABLE) != 0) == (level == 3) && level != 0) {
      leaf(armv8, place, 1ULL << shift, entry, forbidden);
    }
  }
}

/* --- Armv7-R: DDI 0406C, B5 ------------------------------------------------------------------------------------------ */

static int region_enabled(const struct mpu_region* region) {
  return region->present && (region->size & 1) != 0 && (region->size >> 1 & 31) >= 4;
}

static uint64_t region_size(const struct mpu_region* region) {
  return 2ULL << (region->size >> 1 & 31);
}

static int region_misaligned(const struct mpu_region* region) {
  return (region->base & (region_size(region) - 1)) != 0;
}

static int region_has(const struct mpu_region* region, uint64_t address) {
  if (!region_enabled(region) || region_misaligned(region) || address - region->base >= region_size(region)) {
    return 0;
  }
  const unsigned eighth = (unsigned)((address - region->base) / (region_size(region) / 8));
  return region_size(region) < 256 || (region->size >> 8 >> eighth & 1) == 0;
}

static uint32_t kind_of_access(uint32_t access) {
  static const uint32_t kPolicies[] = {MAP_NON_CACHED, MAP_WRITE_BACK, MAP_WRITE_THROUGH, MAP_WRITE_BACK};
  const unsigned tex = access >> 3 & 7;
  const unsigned bits = access & 3; /* C and B */
  if (tex >= 4) {
    return kPolicies[bits]; /* the inner policy; TEX has the outer one */
  }
  static const uint32_t kKinds[4][4] = {
      {MAP_NON_CACHED, MAP_NON_CACHED, MAP_WRITE_THROUGH, MAP_WRITE_BACK},
      {MAP_NON_CACHED, ANY_KIND, ANY_KIND, MAP_WRITE_BACK},
      {MAP_NON_CACHED, ANY_KIND, ANY_KIND, ANY_KIND},
      {ANY_KIND, ANY_KIND, ANY_KIND, ANY_KIND},
  };
  return kKinds[tex][bits];
}

static unsigned rights_of_access(uint32_t access) {
  static const unsigned kRights[] = {0, CAN_READ | CAN_WRITE, CAN_READ | CAN_WRITE, CAN_READ | CAN_WRITE,
                                     0, CAN_READ,             CAN_READ,             CAN_READ};
  const unsigned rights = kRights[access >> 8 & 7];
  return rights == 0 || (access >> 12 & 1) != 0 ? rights : rights | CAN_EXECUTE;
}

void walk_check(const struct space* space) {
  for (unsigned number = 0; number < MPU_REGIONS; ++number) {
    const struct mpu_region* const region = &space->mpu[number];
    const int wanted = region->present && (region->size & 1) != 0;
    if (wanted && (!region_enabled(region) || region_misaligned(region))) {
      const struct report_finding finding = {"mpu", "", region->base, region_size(region), number};
      report_finding(&finding);
    }
  }
}

/* --- all -------------------------------------------------------------------------------------------------------------- */

struct cuts {
  uint64_t* rows;
  size_t count;
};

static void cut(struct cuts* cuts, uint64_t base, uint64_t size) {
  for (unsigned end = 0; end < 2; ++end) {
    cuts->rows = grown(cuts->rows, cuts->count, sizeof *cuts->rows);
    cuts->rows[cuts->count++] = base + end * size;
  }
}

static int ascending(const void* one, const void* other) {
  const uint64_t left = *(const uint64_t*)one;
  const uint64_t right = *(const uint64_t*)other;
  return (left > right) - (left < right);
}

static struct piece mpu_piece(const struct space* space, uint64_t base, uint64_t size) {
  struct piece piece = {base, size, base, 0, 0, -1, 0};
  for (unsigned number = 0; number < MPU_REGIONS; ++number) {
    if (region_has(&space->mpu[number], base)) {
      piece.rights = rights_of_access(space->mpu[number].access);
      piece.kind = kind_of_access(space->mpu[number].access);
    }
  }
  return piece;
}

static struct piece plain_piece(const struct space* space, uint64_t base, uint64_t size) {
  struct piece piece = {base, size, base, 0, 0, -1, 0};
  const struct range* const window = range_of(&space->windows, base);
  if (window != NULL) {
    piece.physical = window->to + (base - window->base);
  }
  if (window != NULL || range_of(&space->locals, base) != NULL) {
    piece.rights = CAN_READ | CAN_WRITE | CAN_EXECUTE;
  }
  return piece;
}

/* A space whose translation changes only at a few edges. */
static void walk_edges(const struct space* space, struct pieces* pieces) {
  struct cuts cuts = {NULL, 0};
  for (unsigned number = 0; number < MPU_REGIONS; ++number) {
    const struct mpu_region* const region = &space->mpu[number];
    if (region_enabled(region) && !region_misaligned(region)) {
      const uint64_t size = region_size(region);
      for (uint64_t eighth = 0; eighth < 8; ++eighth) {
        cut(&cuts, region->base + eighth * (size / 8), size / 8);
      }
    }
  }
  for (size_t row = 0; row < space->windows.count; ++row) {
    cut(&cuts, space->windows.rows[row].base, space->windows.rows[row].size);
  }
  for (size_t row = 0; row < space->locals.count; ++row) {
    cut(&cuts, space->locals.rows[row].base, space->locals.rows[row].size);
  }
  if (cuts.count == 0) {
    return;
  }
  qsort(cuts.rows, cuts.count, sizeof *cuts.rows, ascending);
  for (size_t at = 0; at + 1 < cuts.count; ++at) {
    const uint64_t base = cuts.rows[at];
    const uint64_t size = cuts.rows[at + 1] - base;
    if (size != 0) {
      add(space, pieces, space->translation == MPU ? mpu_piece(space, base, size) : plain_piece(space, base, size));
    }
  }
  free(cuts.rows);
}

struct pieces walk_space(const struct space* space) {
  struct pieces pieces = {NULL, 0};
  if (space->translation == ARMV8) {
    struct armv8 armv8 = {space, &pieces, space->tables_size / 4096};
    walk_table(&armv8, space->tables, 0, 0, 0);
  } else {
    walk_edges(space, &pieces);
  }
  return pieces;
}

const struct piece* piece_of(const struct pieces* pieces, uint64_t address) {
  size_t low = 0;
  size_t high = pieces->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const struct piece* const piece = &pieces->rows[middle];
    if (address < piece->base) {
      high = middle;
    } else if (address - piece->base >= piece->size) {
      low = middle + 1;
    } else {
      return piece;
    }
  }
  return NULL;
}
