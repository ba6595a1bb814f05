#include "runtime.h"

#include "map_check.h"
#include "probe.h"
#include "replay.h"
#include "report.h"

enum { CLEAN = 0, FOUND = 1, FAULT = 3 };

__attribute__((weak)) void hal_check(void) {}

_Noreturn static void leave(void) {
  const int ok = report_findings() == 0;
  report_verdict(ok);
  hal_exit(ok ? CLEAN : FOUND);
}

static void claim(const struct map_table* table) {
  probe_points(table);
  const int bound = replay_bind(table);
  replay_run(table, bound);
}

static void look_again(const struct map_table* table) {
  const int bound = replay_bind(table);
  replay_again(table, bound);
  probe_kept(table, replay_covers);
  probe_peers(table);
  replay_blocks(table);
}

_Noreturn void runtime_main(const struct map_table* table) {
  const unsigned phase = hal_phase();
  /* A table that is none has no name. */
  report_start(table->magic == MAP_MAGIC ? table->core : "", phase);
  hal_check();
  if (!map_table_ok(table)) {
    leave();
  }
  map_check(table);
  if (phase == 1) {
    claim(table);
  } else {
    look_again(table);
  }
  leave();
}

_Noreturn void runtime_fault(struct hal_fault fault) {
  static volatile int faulted;
  if (!faulted) {
    faulted = 1;
    report_fault(fault.address, fault.status, fault.pc);
    report_verdict(0);
  }
  hal_exit(FAULT);
}
