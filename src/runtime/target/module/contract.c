/* What the module's functions give, in the order that the contract has: of several mistakes the one with the lowest
 * code counts, and a call that is refused changes nothing. */
#include "module_probe.h"

static M(arena_region_t) region(size_t arena) { return (M(arena_region_t))arena; }

/* A place that is aligned as the arena must be, and no better. Nobody reads or writes it. */
static uint8_t* elsewhere(size_t arena) { return (uint8_t*)(uintptr_t)(probe_arenas[arena].alignment * 3); }

static int same_text(const char* one, const char* other) {
  while (*one != '\0' && *one == *other) {
    ++one;
    ++other;
  }
  return *one == *other;
}

static void check_tensors(void) {
  probe_equal("num_tensors", PROBE_MODULE, 0, (int64_t)probe_tensor_count, (int64_t)M(num_tensors));
  for (size_t row = 0; row < probe_tensor_count && row < (size_t)M(num_tensors); ++row) {
    const struct probe_tensor* const wanted = &probe_tensors[row];
    const M(tensor_t)* const found = &M(tensors)[row];
    probe_equal("tensors[]: is it the id", PROBE_TENSOR, row, 1, same_text(found->id, wanted->id));
    probe_equal("tensors[]: the arena", PROBE_TENSOR, row, wanted->arena, (int64_t)found->arena);
    probe_equal("tensors[]: the offset", PROBE_TENSOR, row, (int64_t)wanted->offset, (int64_t)found->offset);
    probe_equal("tensors[]: the size", PROBE_TENSOR, row, (int64_t)wanted->size, (int64_t)found->size);
  }
}

static void check_blobs(void) {
  const size_t count = M(num_constant_blobs);
  size_t at = 0;
  for (size_t arena = 0; arena < probe_arena_count; ++arena) {
    if (!probe_arenas[arena].is_staged) {
      continue;
    }
    if (at < count) {
      const M(constant_blob_t)* const blob = &M(constant_blobs)[at];
      probe_equal("constant_blobs[]: the arena", PROBE_ARENA, arena, (int64_t)arena, (int64_t)blob->arena);
      probe_equal("constant_blobs[]: the size", PROBE_ARENA, arena, (int64_t)probe_arenas[arena].size,
                  (int64_t)blob->size);
      probe_equal("constant_blobs[]: is there a source", PROBE_ARENA, arena, probe_arenas[arena].has_source,
                  blob->source != NULL);
    }
    ++at;
  }
  probe_equal("num_constant_blobs", PROBE_MODULE, 0, (int64_t)at, (int64_t)count);
}

void probe_tables(void) {
  probe_equal("num_arena_buffers", PROBE_MODULE, 0, (int64_t)probe_arena_count, M(num_arena_buffers));
  probe_equal("num_inputs", PROBE_MODULE, 0, (int64_t)probe_input_count, M(num_inputs));
  probe_equal("num_outputs", PROBE_MODULE, 0, (int64_t)probe_output_count, M(num_outputs));
  probe_equal("memsize_envelope_hash: is it the header's", PROBE_MODULE, 0, 1, same_text(M(memsize_envelope_hash), PROBE_PLAN_HASH));
  for (size_t arena = 0; arena < probe_arena_count; ++arena) {
    const struct probe_arena* const wanted = &probe_arenas[arena];
    const int64_t size = (int64_t)wanted->size;
    const int64_t alignment = (int64_t)wanted->alignment;
    probe_equal("the enumerator", PROBE_ARENA, arena, (int64_t)arena, wanted->region);
    probe_equal("the macro _size", PROBE_ARENA, arena, size, (int64_t)wanted->header_size);
    probe_equal("the macro _alignment", PROBE_ARENA, arena, alignment, (int64_t)wanted->header_alignment);
    probe_equal("arena_sizes[]", PROBE_ARENA, arena, size, (int64_t)M(arena_sizes)[arena]);
    probe_equal("arena_alignments[]", PROBE_ARENA, arena, alignment, (int64_t)M(arena_alignments)[arena]);
    if (wanted->own != NULL) {
      probe_equal("bytes of _buffer behind a multiple of its alignment", PROBE_ARENA, arena, 0,
                  (int64_t)((uintptr_t)wanted->own & (wanted->alignment - 1)));
    }
  }
  check_tensors();
  check_blobs();
}

/* Calls that must be refused, whatever is bound. */
static void check_refused(size_t arena) {
  const size_t count = probe_arena_count;
  const size_t size = probe_arenas[arena].size;
  const size_t alignment = probe_arenas[arena].alignment;
  uint8_t* const good = elsewhere(arena);
  probe_equal("bind_arena: no such region", PROBE_ARENA, arena, 1, M(bind_arena)(region(count), good, size));
  probe_equal("bind_arena: no such region, no buffer, no size", PROBE_ARENA, arena, 1,
              M(bind_arena)(region(count), NULL, 0));
  probe_equal("bind_arena: no such region, by far", PROBE_ARENA, arena, 1, M(bind_arena)(region(0x7FFF), good + 1, size));
  probe_equal("bind_arena: no buffer", PROBE_ARENA, arena, 2, M(bind_arena)(region(arena), NULL, size));
  probe_equal("bind_arena: no buffer, no size", PROBE_ARENA, arena, 2,
              M(bind_arena)(region(arena), NULL, 0));
  if (size != 0) {
    probe_equal("bind_arena: a byte too small", PROBE_ARENA, arena, 3, M(bind_arena)(region(arena), good, size - 1));
    probe_equal("bind_arena: no size", PROBE_ARENA, arena, 3, M(bind_arena)(region(arena), good, 0));
  }
  if (alignment > 1) {
    probe_equal("bind_arena: a byte misaligned", PROBE_ARENA, arena, 4, M(bind_arena)(region(arena), good + 1, size));
    probe_equal("bind_arena: half an alignment misaligned", PROBE_ARENA, arena, 4,
                M(bind_arena)(region(arena), good + alignment / 2, size));
  }
  if (alignment > 1 && size != 0) {
    probe_equal("bind_arena: too small and misaligned", PROBE_ARENA, arena, 3,
                M(bind_arena)(region(arena), good + 1, size - 1));
  }
}

static void check_counts(void) {
  void* buffers[PROBE_ARENAS];
  size_t sizes[PROBE_ARENAS];
  const size_t count = probe_arena_count;
  for (size_t arena = 0; arena < count; ++arena) {
    buffers[arena] = NULL;
    sizes[arena] = probe_arenas[arena].size;
  }
  probe_equal("bind_arenas: one too few", PROBE_MODULE, 0, 5, M(bind_arenas)(buffers, sizes, count - 1));
  probe_equal("bind_arenas: one too many", PROBE_MODULE, 0, 5, M(bind_arenas)(buffers, sizes, count + 1));
  probe_equal("bind_arenas: a wrong count and no lists", PROBE_MODULE, 0, 5, M(bind_arenas)(NULL, NULL, count + 1));
  probe_equal("bind_arenas: no buffers", PROBE_MODULE, 0, 2, M(bind_arenas)(NULL, sizes, count));
  probe_equal("bind_arenas: no sizes", PROBE_MODULE, 0, 2, M(bind_arenas)(buffers, NULL, count));
  probe_equal("bind_arenas: the first buffer is NULL", PROBE_MODULE, 0, 2, M(bind_arenas)(buffers, sizes, count));
}

static void check_contexts(int32_t expected) {
  probe_equal("context_init without a context", PROBE_MODULE, 0, 100, M(context_init)(NULL));
  probe_equal("model_init without a context", PROBE_MODULE, 0, 100, M(model_init)(NULL));
  probe_equal("model_run without a context", PROBE_MODULE, 0, 100, M(model_run)(NULL));
  probe_equal("hydrate_constants without a context", PROBE_MODULE, 0, 100, M(hydrate_constants)(NULL));
  probe_equal("context_init", PROBE_MODULE, 0, expected, M(context_init)(&probe_context));
}

void probe_unbound(void) {
  size_t unbound = 0;
  for (size_t arena = 0; arena < probe_arena_count; ++arena) {
    unbound += probe_arenas[arena].own == NULL ? 1 : 0;
    check_refused(arena);
  }
  check_counts();
  probe_equal("is_hydrated before anything", PROBE_MODULE, 0, 0, M(is_hydrated)() != 0);
  check_contexts(unbound != 0 ? 101 : 0);
  for (size_t arena = 0; arena < probe_arena_count; ++arena) {
    if (probe_arenas[arena].own == NULL) {
      /* One that accepts it would write to nowhere next. */
      if (probe_equal("context_init while a region is unbound", PROBE_ARENA, arena, 101,
                      M(context_init)(&probe_context))) {
        probe_equal("model_init while a region is unbound", PROBE_ARENA, arena, 101, M(model_init)(&probe_context));
      }
      probe_equal("bind_arena", PROBE_ARENA, arena, 0,
                  M(bind_arena)(region(arena), probe_buffer(arena), probe_arenas[arena].size));
    }
  }
  check_contexts(0);
}

static int32_t bind_all(size_t wrong, size_t less) {
  void* buffers[PROBE_ARENAS];
  size_t sizes[PROBE_ARENAS];
  for (size_t arena = 0; arena < probe_arena_count; ++arena) {
    buffers[arena] = arena == wrong && less == 0 ? NULL : probe_buffer(arena);
    sizes[arena] = probe_arenas[arena].size - (arena == wrong ? less : 0);
  }
  return M(bind_arenas)(buffers, sizes, probe_arena_count);
}

void probe_bind(void) {
  for (size_t arena = 0; arena < probe_arena_count; ++arena) {
    const size_t size = probe_arenas[arena].size;
    M(mark_hydrated)();
    probe_equal("bind_arena: the buffer that it has", PROBE_ARENA, arena, 0,
                M(bind_arena)(region(arena), probe_buffer(arena), size));
    probe_equal("bind_arena: a larger size", PROBE_ARENA, arena, 0,
                M(bind_arena)(region(arena), probe_buffer(arena), size + 64));
    check_refused(arena);
    probe_equal("is_hydrated after the same buffer", PROBE_ARENA, arena, 1, M(is_hydrated)() != 0);
    probe_equal("bind_arena: aligned as it must be, no better", PROBE_ARENA, arena, 0,
                M(bind_arena)(region(arena), elsewhere(arena), size));
    probe_equal("is_hydrated after another buffer", PROBE_ARENA, arena, 0, M(is_hydrated)() != 0);
    M(mark_hydrated)();
    probe_equal("bind_arena: back again", PROBE_ARENA, arena, 0,
                M(bind_arena)(region(arena), probe_buffer(arena), size));
    probe_equal("is_hydrated after the buffer of before", PROBE_ARENA, arena, 0, M(is_hydrated)() != 0);
    probe_equal("bind_arenas: a buffer is NULL", PROBE_ARENA, arena, 2, bind_all(arena, 0));
    if (size != 0) {
      probe_equal("bind_arenas: a buffer is a byte too small", PROBE_ARENA, arena, 3, bind_all(arena, 1));
    }
  }
  probe_equal("bind_arenas", PROBE_MODULE, 0, 0, bind_all(probe_arena_count, 0));
}

void probe_first_start(void) {
  M(clear_hydrated)();
  probe_run_model(200, PROBE_NEVER);
  if (!probe_start()) {
    return;
  }
  probe_run_model(0, PROBE_NEVER);
  probe_run_model(0, PROBE_NEVER);
  probe_run_model(77, (uint32_t)(probe_step_count / 2));
  probe_run_model(77, 0);
  probe_start_failing((uint32_t)(probe_step_count / 2));
  if (probe_start()) {
    probe_run_model(0, PROBE_NEVER);
  }
}

/* A byte of each arena that is copied, which no copy would leave as it is. */
static uint8_t* marked(size_t arena) {
  const size_t size = probe_arenas[arena].size;
  return probe_arenas[arena].is_staged && size != 0 ? probe_buffer(arena) + size / 2 : NULL;
}

static void mark(uint8_t* marks) {
  for (size_t arena = 0; arena < probe_arena_count; ++arena) {
    uint8_t* const byte = marked(arena);
    if (byte != NULL) {
      *byte ^= 0xFF;
      marks[arena] = *byte;
    }
  }
}

static void check_marks(const uint8_t* marks, const char* what) {
  for (size_t arena = 0; arena < probe_arena_count; ++arena) {
    const uint8_t* const byte = marked(arena);
    if (byte != NULL) {
      probe_equal(what, PROBE_ARENA, arena, marks[arena], *byte);
    }
  }
}

static int needs_source(void) {
  int needs = 0;
  for (size_t arena = 0; arena < probe_arena_count; ++arena) {
    needs |= probe_arenas[arena].is_staged && !probe_arenas[arena].has_source;
  }
  return needs && probe_variant == PROBE_WEAK;
}

void probe_hydrate(void) {
  M(clear_hydrated)();
  probe_equal("is_hydrated after clear_hydrated", PROBE_MODULE, 0, 0, M(is_hydrated)() != 0);
  probe_run_model(200, PROBE_NEVER);
  probe_equal("context_init", PROBE_MODULE, 0, 0, M(context_init)(&probe_context));
  for (size_t arena = 0; arena < probe_arena_count; ++arena) {
    if (probe_arenas[arena].is_staged) {
      probe_fill(arena, 0x5A);
    }
  }
  const int is_refused = needs_source();
  probe_equal("hydrate_constants", PROBE_MODULE, 0, is_refused ? 102 : 0, M(hydrate_constants)(&probe_context));
  probe_equal("is_hydrated after hydrate_constants", PROBE_MODULE, 0,
              !is_refused && probe_variant != PROBE_FORGETFUL, M(is_hydrated)() != 0);
  if (!is_refused) {
    probe_constants("its bytes are wrong after hydrate_constants");
    M(mark_hydrated)();
    if (probe_variant == PROBE_WEAK) {
      uint8_t marks[PROBE_ARENAS];
      mark(marks);
      probe_equal("hydrate_constants when it was done", PROBE_MODULE, 0, 0, M(hydrate_constants)(&probe_context));
      check_marks(marks, "a byte that hydrate_constants must not copy again");
      probe_start_changed();
      check_marks(marks, "a byte that model_init must not copy again");
    }
  }
  M(clear_hydrated)();
  if (probe_start()) {
    probe_run_model(0, PROBE_NEVER);
  }
}
