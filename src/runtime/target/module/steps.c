/* The application's operators: each writes what becomes alive at its step, and reads what is needed for the last time.
 * Every tensor has a pattern of its own, in every run another, so that two that share bytes show. */
#include "module_probe.h"

enum { INIT_FAILS = 55, RUN_FAILS = 77 };

/* Bytes of a tensor up to which all count, and at its ends. */
enum { WHOLE = 1024, ENDS = 64 };

M(model_context_t) probe_context;

static struct {
  uint32_t salt;            /* of this run */
  uint32_t persistent_salt; /* of the run that wrote persistent tensors; 0: they are zeros */
  uint32_t inits;
  int is_changed;    /* constants, on purpose */
  uint32_t fails_at; /* a step whose init or run gives a status */
  uint32_t step;
  uint32_t written; /* rows of probe_writes, probe_reads that were done */
  uint32_t read;
  uint32_t started; /* calls of the callback */
  uint32_t finished;
} now;

static uint8_t pattern(uint32_t salt, uint32_t tensor, size_t at) {
  if (salt == 0) {
    return 0;
  }
  const uint32_t mixed = ((uint32_t)at ^ (tensor + 1) * 0x9E3779B1U) * 0x85EBCA6BU + salt * 0xC2B2AE35U;
  return (uint8_t)((mixed ^ mixed >> 15) * 0x2C1B3C6DU >> 24);
}

/* Where the module has it; what it has outside of the arena is said by probe_tables(), and not tried. */
static uint8_t* place_of(uint32_t tensor) {
  const struct probe_tensor* const own = &probe_tensors[tensor];
  const M(tensor_t)* const row = &M(tensors)[tensor];
  const size_t room = probe_arenas[own->arena].size;
  const int is_inside = (size_t)row->arena == own->arena && row->offset <= room && own->size <= room - row->offset;
  return is_inside ? M(tensor_data)(&probe_context, tensor) : probe_buffer(own->arena) + own->offset;
}

/* Of large tensors not every byte counts: both ends, and between them wherever another tensor may begin. Of two that
 * share bytes, one begins or ends within the other. */
static size_t next_byte(uint32_t tensor, size_t at) {
  const struct probe_tensor* const own = &probe_tensors[tensor];
  if (own->size <= WHOLE || at < ENDS || at >= own->size - ENDS) {
    return at + 1;
  }
  const size_t next = ((own->offset + at) / probe_stride + 1) * probe_stride - own->offset;
  return next < own->size - ENDS ? next : own->size - ENDS;
}

/* The tensor whose pattern lies where `tensor` has something else, while both are alive; its own row: none. */
static uint32_t who_wrote(uint32_t tensor, const uint8_t* at) {
  const struct probe_tensor* const own = &probe_tensors[tensor];
  for (uint32_t row = 0; row < probe_tensor_count; ++row) {
    const struct probe_tensor* const other = &probe_tensors[row];
    if (row == own->root || other->root != row || other->arena != own->arena || other->first > own->last ||
        other->last < own->first) {
      continue;
    }
    const uint8_t* const place = place_of(row);
    if (at >= place && at < place + other->size && *at == pattern(now.salt, row, (size_t)(at - place))) {
      return row;
    }
  }
  return tensor;
}

static void write_tensor(uint32_t tensor) {
  uint8_t* const place = place_of(tensor);
  for (size_t at = 0; at < probe_tensors[tensor].size; at = next_byte(tensor, at)) {
    place[at] = pattern(now.salt, tensor, at);
  }
}

/* The first byte that is not its root's; its size: all are. An alias has only what its root wrote. */
static size_t first_changed(uint32_t tensor, uint32_t salt) {
  const struct probe_tensor* const own = &probe_tensors[tensor];
  const size_t from = own->offset - probe_tensors[own->root].offset;
  const uint8_t* const place = place_of(tensor);
  size_t at = 0;
  while (at < own->size && place[at] == pattern(salt, own->root, from + at)) {
    at = next_byte(own->root, from + at) - from;
  }
  return at < own->size ? at : own->size;
}

static int is_persistent(uint32_t tensor) {
  return probe_arenas[probe_tensors[tensor].arena].role == PROBE_PERSISTENT;
}

static void read_tensor(uint32_t tensor) {
  const size_t at = first_changed(tensor, now.salt);
  const int is_right = at == probe_tensors[tensor].size;
  const uint32_t by = is_right ? tensor : who_wrote(tensor, place_of(tensor) + at);
  probe_check(is_right, "overlap", "its bytes were changed while it is alive", PROBE_TENSOR, tensor, at, by);
}

static void check_persistents(const char* what) {
  for (uint32_t row = 0; row < probe_write_count; ++row) {
    const uint32_t tensor = probe_writes[row];
    if (is_persistent(tensor)) {
      const size_t at = first_changed(tensor, now.persistent_salt);
      probe_check(at == probe_tensors[tensor].size, "persistent", what, PROBE_TENSOR, tensor, at, 0);
    }
  }
}

static void check_cleared(const char* what) {
  for (size_t arena = 0; arena < probe_arena_count; ++arena) {
    if (probe_arenas[arena].role == PROBE_PERSISTENT) {
      const size_t at = probe_other_than(arena, 0);
      probe_check(at == probe_arenas[arena].size, "persistent", what, PROBE_ARENA, arena, at, 0);
    }
  }
}

int32_t probe_init(struct M(model_context) * ctx, int32_t id) {
  probe_equal("the id that an operator's init gets", PROBE_STEP, now.inits, PROBE_ID(now.inits), id);
  probe_equal("the context that an operator's init gets", PROBE_STEP, now.inits, 1, ctx == &probe_context);
  if (now.inits == 0) {
    check_cleared("its arena is no zeros at the first operator's init");
    if (!now.is_changed) {
      probe_constants("its bytes are wrong at the first operator's init");
    }
  }
  return now.inits++ == now.fails_at ? INIT_FAILS : 0;
}

int32_t probe_run(struct M(model_context) * ctx, int32_t id) {
  probe_equal("the id that an operator's run gets", PROBE_STEP, now.step, PROBE_ID(now.step), id);
  probe_equal("the context that an operator's run gets", PROBE_STEP, now.step, 1, ctx == &probe_context);
  probe_equal("callbacks with run_started before the run", PROBE_STEP, now.step, now.step + 1, now.started);
  probe_equal("callbacks with run_finished before the run", PROBE_STEP, now.step, now.step, now.finished);
  if (now.step == 0) {
    check_persistents("it was changed between two runs");
    now.persistent_salt = now.salt;
  }
  for (; now.written < probe_write_count && probe_tensors[probe_writes[now.written]].first <= now.step; ++now.written) {
    write_tensor(probe_writes[now.written]);
  }
  for (; now.read < probe_read_count && probe_tensors[probe_reads[now.read]].last <= now.step; ++now.read) {
    read_tensor(probe_reads[now.read]);
  }
  return now.step++ == now.fails_at ? RUN_FAILS : 0;
}

static void on_operator(int32_t op, M(operator_state_t) state, int32_t status, void* user_data) {
  const int is_start = state == M(op_state_run_started);
  const uint32_t step = is_start ? now.started : now.finished;
  const int32_t expected = !is_start && step == now.fails_at ? RUN_FAILS : 0;
  probe_equal("the user's data that the callback gets", PROBE_STEP, step, 1, user_data == &probe_context);
  probe_equal(is_start ? "the operator of run_started" : "the operator of run_finished", PROBE_STEP, step,
              PROBE_ID(step), op);
  probe_equal(is_start ? "the status of run_started" : "the status of run_finished", PROBE_STEP, step, expected, status);
  probe_equal(is_start ? "runs before run_started" : "runs before run_finished", PROBE_STEP, step,
              is_start ? step : step + 1, now.step);
  now.started += is_start ? 1 : 0;
  now.finished += is_start ? 0 : 1;
}

void probe_reset_context(void) {
  uint8_t* const bytes = (uint8_t*)&probe_context;
  for (size_t at = 0; at < sizeof probe_context; ++at) {
    bytes[at] = 0;
  }
  probe_context.callback = on_operator;
  probe_context.user_data = &probe_context;
  probe_context.operators = probe_operators;
  probe_context.num_operators = probe_step_count;
}

static void check_views(const M(tensor_view_t)* views, const uint32_t* tensors, size_t count, const char* what) {
  for (size_t at = 0; at < count; ++at) {
    const int is_right = views[at].data == M(tensor_data)(&probe_context, tensors[at]) &&
                         views[at].size == probe_tensors[tensors[at]].size;
    probe_check(is_right, "contract", what, PROBE_TENSOR, tensors[at], 0, at);
  }
}

static void check_context(void) {
  for (size_t arena = 0; arena < probe_arena_count; ++arena) {
    probe_equal("arena_buffers: is it what was bound", PROBE_ARENA, arena, 1,
                probe_context.arena_buffers[arena] == probe_buffer(arena));
  }
  check_views(probe_context.inputs, probe_inputs, probe_input_count, "inputs[] has another place or size");
  check_views(probe_context.outputs, probe_outputs, probe_output_count, "outputs[] has another place or size");
}

static void spoil(int is_latched) {
  for (size_t arena = 0; arena < probe_arena_count; ++arena) {
    if (probe_arenas[arena].role == PROBE_PERSISTENT) {
      probe_fill(arena, 0xA5);
    } else if (probe_arenas[arena].is_staged && !is_latched) {
      probe_fill(arena, 0x5A);
    }
  }
}

static int lacks_source(void) {
  int lacks = 0;
  for (size_t arena = 0; arena < probe_arena_count; ++arena) {
    lacks |= probe_arenas[arena].is_staged && !probe_arenas[arena].has_source;
  }
  return lacks && probe_variant == PROBE_WEAK;
}

/* As applications do whose constants come from elsewhere. */
static void hydrate_by_hand(void) {
  for (size_t arena = 0; arena < probe_arena_count; ++arena) {
    if (probe_arenas[arena].is_staged) {
      probe_load(arena);
    }
  }
  M(mark_hydrated)();
  probe_equal("is_hydrated after mark_hydrated", PROBE_MODULE, 0, 1, M(is_hydrated)() != 0);
}

static void start(void) {
  now.inits = 0;
  now.persistent_salt = 0;
  now.fails_at = PROBE_NEVER;
}

int probe_start(void) {
  const int was_latched = M(is_hydrated)() != 0;
  const int is_refused = lacks_source() && !was_latched;
  spoil(was_latched);
  start();
  const int32_t status = M(model_init)(&probe_context);
  probe_equal("model_init", PROBE_MODULE, 0, is_refused ? 102 : 0, status);
  probe_equal("operators' inits that model_init calls", PROBE_MODULE, 0, is_refused ? 0 : (int64_t)probe_step_count,
              now.inits);
  check_context();
  check_cleared("model_init does not clear it");
  const int is_latched = was_latched || (probe_variant != PROBE_FORGETFUL && !is_refused);
  probe_equal("is_hydrated after model_init", PROBE_MODULE, 0, is_latched, M(is_hydrated)() != 0);
  if (is_refused) {
    probe_run_model(200, PROBE_NEVER);
    hydrate_by_hand();
    return probe_start();
  }
  probe_constants("its bytes are wrong after model_init");
  if (!M(is_hydrated)()) {
    probe_run_model(200, PROBE_NEVER);
    M(mark_hydrated)();
    probe_equal("is_hydrated after mark_hydrated", PROBE_MODULE, 0, 1, M(is_hydrated)() != 0);
  }
  return status == 0;
}

void probe_start_failing(uint32_t step) {
  start();
  now.fails_at = step;
  probe_equal("model_init where an operator's init gives 55", PROBE_STEP, step, INIT_FAILS,
              M(model_init)(&probe_context));
  probe_equal("operators' inits up to the one that fails", PROBE_STEP, step, step + 1, now.inits);
  now.fails_at = PROBE_NEVER;
}

void probe_start_changed(void) {
  start();
  now.is_changed = 1;
  probe_equal("model_init when constants are there", PROBE_MODULE, 0, 0, M(model_init)(&probe_context));
  now.is_changed = 0;
}

void probe_run_model(int32_t expected, uint32_t failing) {
  now.salt += 1;
  now.step = now.written = now.read = now.started = now.finished = 0;
  now.fails_at = failing;
  const int32_t status = M(model_run)(&probe_context);
  const size_t steps = expected == 200 ? 0 : failing == PROBE_NEVER ? probe_step_count : failing + 1;
  probe_equal("model_run", PROBE_MODULE, 0, expected, status);
  probe_equal("operators that model_run runs", PROBE_MODULE, 0, (int64_t)steps, now.step);
  probe_equal("callbacks with run_started", PROBE_MODULE, 0, (int64_t)steps, now.started);
  probe_equal("callbacks with run_finished", PROBE_MODULE, 0, (int64_t)steps, now.finished);
  if (expected != 200) {
    probe_constants("its bytes are wrong after a run");
  }
  probe_canaries();
  now.fails_at = PROBE_NEVER;
}
