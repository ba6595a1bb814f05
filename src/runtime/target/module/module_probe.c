/* The order of a run: what the module says of itself, what its functions give before anything is bound, then starts and
 * runs, and last the same with guards behind one arena after another. */
#include "module_probe.h"

#include "hal.h"
#include "report.h"
#include "runtime.h"

enum { CLEAN = 0, FOUND = 1, FAULT = 3, MOST_FINDINGS = 100 };

static const char* doing = "start";
static uint64_t checks;
static uint64_t skipped;
static uint64_t findings_before;

static uint64_t about_row(enum probe_about about, size_t row) { return (uint64_t)about << 32 | (uint32_t)row; }

int probe_check(int is_good, const char* kind, const char* what, enum probe_about about, size_t row, uint64_t expected,
                uint64_t actual) {
  ++checks;
  if (!is_good && report_findings() < MOST_FINDINGS) {
    report_finding(&(struct report_finding){kind, what, about_row(about, row), expected, actual});
  }
  return is_good;
}

int probe_equal(const char* what, enum probe_about about, size_t row, int64_t expected, int64_t actual) {
  return probe_check(expected == actual, "contract", what, about, row, (uint64_t)expected, (uint64_t)actual);
}

void probe_skip(void) { ++skipped; }

static void begin(const char* part) {
  if (checks != 0) {
    report_part(doing, checks, skipped, report_findings() - findings_before);
  }
  doing = part;
  checks = skipped = 0;
  findings_before = report_findings();
}

/* All with the guard of one arena behind it. */
static void run_guarded(size_t arena) {
  const uintptr_t guard = probe_guard(arena);
  if (guard == 0) {
    probe_skip();
    return;
  }
  probe_canaries();
  probe_protect((uint32_t)arena);
  probe_check(machine_is_forbidden(guard), "machine", "its guard can be touched", PROBE_ARENA, arena, 0, guard);
  M(clear_hydrated)();
  if (probe_start()) {
    probe_run_model(0, PROBE_NEVER);
  }
  probe_protect(PROBE_NOBODY);
  probe_canaries();
}

static void bind(size_t arena) {
  probe_equal("bind_arena", PROBE_ARENA, arena, 0,
              M(bind_arena)((M(arena_region_t))arena, probe_buffer(arena), probe_arenas[arena].size));
}

static void guard_all(void) {
  for (size_t arena = 0; arena < probe_arena_count; ++arena) {
    if (probe_arenas[arena].own == NULL) {
      run_guarded(arena);
    } else if (probe_move(arena)) {
      bind(arena);
      run_guarded(arena);
      probe_move_back(arena);
      bind(arena);
    } else {
      probe_skip();
    }
  }
}

_Noreturn static void leave(void) {
  begin("");
  const int is_clean = report_findings() == 0;
  report_verdict(is_clean);
  hal_exit(is_clean ? CLEAN : FOUND);
}

_Noreturn void machine_main(void) {
  report_start("module", (unsigned)probe_variant);
  begin("tables");
  probe_make_buffers();
  probe_protect(PROBE_NOBODY);
  probe_reset_context();
  probe_tables();
  begin("bind");
  probe_unbound();
  probe_bind();
  begin("run");
  probe_first_start();
  begin("hydrate");
  probe_hydrate();
  begin("read-only");
  probe_read_only();
  begin("guards");
  guard_all();
  leave();
}

/* The arena that has the address; the number of arenas: none. */
static size_t arena_at(uintptr_t address) {
  size_t arena = 0;
  while (arena < probe_arena_count && address - (uintptr_t)probe_buffer(arena) >= probe_arenas[arena].size) {
    ++arena;
  }
  return arena;
}

static void report_unexpected(const struct hal_fault* fault) {
  const uintptr_t address = (uintptr_t)fault->address;
  const uint32_t guarded = probe_guarded(address);
  const size_t arena = arena_at(address);
  struct report_finding finding = {"fault", doing, about_row(PROBE_MODULE, 0), 0, fault->address};
  if (guarded != PROBE_NOBODY) {
    const uintptr_t end = (uintptr_t)probe_buffer(guarded) + probe_arenas[guarded].size;
    finding = (struct report_finding){"bounds", "what lies behind its end is accessed",
                                      about_row(PROBE_ARENA, guarded), address - end, 0};
  } else if (arena != probe_arena_count) {
    finding.address = about_row(PROBE_ARENA, arena);
  }
  report_finding(&finding);
}

_Noreturn void runtime_fault(struct hal_fault fault) {
  static volatile int faulted;
  if (!faulted) {
    faulted = 1;
    report_unexpected(&fault);
    report_fault(fault.address, fault.status, fault.pc);
    report_verdict(0);
  }
  hal_exit(FAULT);
}
