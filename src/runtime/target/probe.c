#include "probe.h"

#include <stddef.h>

#include "hal.h"
#include "map_check.h"
#include "report.h"

struct part {
  uint64_t done;
  uint64_t skipped;
  uint64_t before;
};

static struct part begin_part(void) {
  const struct part part = {0, 0, report_findings()};
  return part;
}

static void end_part(const char* name, const struct part* part) {
  report_part(name, part->done, part->skipped, report_findings() - part->before);
}

static void find(const struct map_table* table,
                 const struct map_point* point,
                 const char* check,
                 uint64_t expected,
                 uint64_t actual) {
  const struct report_finding finding = {
      check, map_regions(table)[point->region].name, point->virtual_base, expected, actual};
  report_finding(&finding);
}

static void find_fault(const struct map_table* table, const struct map_point* point) {
  find(table, point, "fault", 0, hal_last_fault().status);
}

static uint64_t pattern_of(const struct map_table* table, const struct map_point* point) {
  const int on_bus = (map_regions(table)[point->region].flags & MAP_HAS_PHYSICAL) != 0;
  return map_pattern(on_bus ? point->physical : point->virtual_base, table->core_number, point->region);
}

/* Where the address leads, and how it is cached. 0: nothing is mapped there. */
static int look(const struct map_table* table, const struct map_point* point, struct part* part) {
  const struct map_region* const region = &map_regions(table)[point->region];
  struct hal_translation found = {0, 0};
  switch (hal_translate(point->virtual_base, &found)) {
    case HAL_UNREACHED:
      if (point->kind == MAP_LOOK) {
        ++part->skipped;
      }
      return 1;
    case HAL_FAULTED:
      find(table, point, "unmapped", point->physical, hal_last_fault().status);
      part->done += point->kind == MAP_LOOK;
      return 0;
    default:
      break;
  }
  if ((region->flags & MAP_HAS_PHYSICAL) != 0 && found.physical != point->physical) {
    find(table, point, "translate", point->physical, found.physical);
  }
  if ((found.kind & ~region->kinds) != 0) {
    find(table, point, "attribute", region->kinds, found.kind);
  }
  part->done += point->kind == MAP_LOOK;
  return 1;
}

static void must_fault(const struct map_table* table, const struct map_point* point, struct part* part) {
  uint64_t value = 0;
  enum hal_result result = HAL_UNREACHED;
  const char* check = "guard";
  if (point->kind == MAP_FAULT) {
    result = hal_read(point->virtual_base, &value);
  } else if (!map_protected(table, point->virtual_base)) {
    if (point->kind == MAP_NO_WRITE) {
      check = "read-only";
      result = hal_read(point->virtual_base, &value);
      if (result == HAL_FAULTED) {
        find_fault(table, point);
        ++part->done;
        return;
      }
      /* What is there, so that a write that is allowed harms nothing. */
      if (result == HAL_DONE) {
        result = hal_write(point->virtual_base, value);
      }
    } else {
      check = "execute";
      result = hal_execute(point->virtual_base);
    }
  }
  if (result == HAL_UNREACHED) {
    ++part->skipped;
    return;
  }
  ++part->done;
  if (result == HAL_DONE) {
    find(table, point, check, 0, value);
  }
}

/* MAP_ACCESS points that were written. */
static uint32_t written[MAP_POINTS / 32];

static void write_one(const struct map_table* table, uint32_t row, struct part* part) {
  const struct map_point* const point = &map_points(table)[row];
  if (!look(table, point, part)) {
    ++part->done;
    return;
  }
  if (map_protected(table, point->virtual_base)) {
    ++part->skipped;
    return;
  }
  switch (hal_write(point->virtual_base, pattern_of(table, point))) {
    case HAL_DONE:
      written[row / 32] |= 1U << row % 32;
      break;
    case HAL_FAULTED:
      find_fault(table, point);
      ++part->done;
      break;
    default:
      ++part->skipped;
      break;
  }
}

static void read_one(const struct map_table* table,
                     const struct map_point* point,
                     const char* check,
                     uint64_t expected,
                     struct part* part) {
  uint64_t value = 0;
  switch (hal_read(point->virtual_base, &value)) {
    case HAL_DONE:
      ++part->done;
      if (value != expected) {
        find(table, point, check, expected, value);
      }
      break;
    case HAL_FAULTED:
      ++part->done;
      find_fault(table, point);
      break;
    default:
      ++part->skipped;
      break;
  }
}

void probe_points(const struct map_table* table) {
  const struct map_point* const points = map_points(table);
  struct part part = begin_part();
  for (uint32_t row = 0; row < table->point_count; ++row) {
    written[row / 32] &= ~(1U << row % 32);
    if (points[row].kind == MAP_LOOK) {
      (void)look(table, &points[row], &part);
    } else if (points[row].kind != MAP_ACCESS && points[row].kind != MAP_PEER) {
      must_fault(table, &points[row], &part);
    }
  }
  for (uint32_t row = 0; row < table->point_count; ++row) {
    if (points[row].kind == MAP_ACCESS) {
      write_one(table, row, &part);
    }
  }
  for (uint32_t row = 0; row < table->point_count; ++row) {
    if ((written[row / 32] >> row % 32 & 1U) != 0) {
      read_one(table, &points[row], "write", pattern_of(table, &points[row]), &part);
    }
  }
  end_part("points", &part);
}

void probe_kept(const struct map_table* table, int (*covered)(uint32_t point)) {
  const struct map_point* const points = map_points(table);
  struct part part = begin_part();
  for (uint32_t row = 0; row < table->point_count; ++row) {
    if (points[row].kind != MAP_ACCESS) {
      continue;
    }
    if (covered(row) || map_protected(table, points[row].virtual_base)) {
      ++part.skipped;
    } else {
      read_one(table, &points[row], "kept", pattern_of(table, &points[row]), &part);
    }
  }
  end_part("kept", &part);
}

void probe_peers(const struct map_table* table) {
  const struct map_point* const points = map_points(table);
  struct part part = begin_part();
  for (uint32_t row = 0; row < table->point_count; ++row) {
    if (points[row].kind == MAP_PEER) {
      const uint64_t expected = map_pattern(points[row].physical, points[row].writer, points[row].writer_region);
      read_one(table, &points[row], "peer", expected, &part);
    }
  }
  end_part("peers", &part);
}
