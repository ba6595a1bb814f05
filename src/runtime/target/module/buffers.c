/* The memory that arenas are bound to, what must be in it, and what lies behind it. */
#include "module_probe.h"

enum { CANARY = 0xC3, CHUNK = 256, NEAR = 32 };

/* Of arenas that are the application's now. */
static struct machine_place places[PROBE_ARENAS];

static int is_cold(size_t arena) {
  return probe_arenas[arena].role == PROBE_CONSTANT && !probe_arenas[arena].is_staged;
}

uint8_t* probe_buffer(size_t arena) {
  return places[arena].base != NULL ? places[arena].base : probe_arenas[arena].own;
}

uintptr_t probe_guard(size_t arena) { return places[arena].guard; }

/* What lies behind constants is read-only with them. */
static int has_canaries(size_t arena) { return places[arena].guard != 0 && !is_cold(arena); }

static void set_canaries(size_t arena) {
  if (!has_canaries(arena)) {
    return;
  }
  for (uint8_t* at = places[arena].base + probe_arenas[arena].size; (uintptr_t)at < places[arena].guard; ++at) {
    *at = CANARY;
  }
}

void probe_canaries(void) {
  for (size_t arena = 0; arena < probe_arena_count; ++arena) {
    if (!has_canaries(arena)) {
      continue;
    }
    const uint8_t* const end = places[arena].base + probe_arenas[arena].size;
    size_t at = 0;
    while ((uintptr_t)(end + at) < places[arena].guard && end[at] == CANARY) {
      ++at;
    }
    probe_check((uintptr_t)(end + at) >= places[arena].guard, "bounds", "bytes behind its end were changed",
                PROBE_ARENA, arena, at, 0);
    set_canaries(arena);
  }
}

void probe_load(size_t arena) {
  const struct probe_arena* const own = &probe_arenas[arena];
  const size_t got = machine_load(own->file, 0, probe_buffer(arena), own->size);
  probe_check(got == own->size, "machine", "its bytes cannot be loaded", PROBE_ARENA, arena, own->size, got);
}

void probe_make_buffers(void) {
  for (size_t arena = 0; arena < probe_arena_count; ++arena) {
    const struct probe_arena* const own = &probe_arenas[arena];
    if (own->own != NULL) {
      continue;
    }
    /* What is read-only has its bytes, and lies where it must. */
    if (own->is_read_only) {
      places[arena].base = own->room;
      continue;
    }
    const int is_there = machine_place(own->room, own->room_size, own->size, own->alignment, &places[arena]);
    probe_check(is_there, "machine", "there is no room for it", PROBE_ARENA, arena, own->size, own->room_size);
    set_canaries(arena);
    if (is_cold(arena)) {
      probe_load(arena);
    }
  }
}

int probe_move(size_t arena) {
  const struct probe_arena* const own = &probe_arenas[arena];
  if (own->own == NULL || !machine_place(probe_pool, probe_pool_size, own->size, own->alignment, &places[arena])) {
    return 0;
  }
  set_canaries(arena);
  if (is_cold(arena)) {
    probe_load(arena);
  }
  return 1;
}

void probe_move_back(size_t arena) { places[arena] = (struct machine_place){NULL, 0}; }

static uint32_t guarded_now = PROBE_NOBODY;

void probe_protect(uint32_t guarded) {
  struct machine_span spans[MACHINE_SPANS];
  size_t count = 0;
  for (size_t arena = 0; arena < probe_arena_count && count < MACHINE_SPANS; ++arena) {
    const int is_own = probe_arenas[arena].own != NULL && places[arena].base == NULL;
    if (is_cold(arena) && !is_own && !probe_arenas[arena].is_read_only) {
      const uintptr_t base = (uintptr_t)probe_buffer(arena);
      spans[count].base = base;
      spans[count++].size = places[arena].guard != 0 ? places[arena].guard - base : probe_arenas[arena].size;
    }
  }
  guarded_now = guarded;
  machine_protect(spans, count, guarded == PROBE_NOBODY ? 0 : places[guarded].guard);
}

uint32_t probe_guarded(uintptr_t address) {
  for (uint32_t arena = 0; arena < probe_arena_count; ++arena) {
    if (places[arena].guard != 0 && address - places[arena].guard < NEAR &&
        (guarded_now == arena || machine_always_guards)) {
      return arena;
    }
  }
  return PROBE_NOBODY;
}

void probe_fill(size_t arena, uint8_t byte) {
  uint8_t* const buffer = probe_buffer(arena);
  for (size_t at = 0; at < probe_arenas[arena].size; ++at) {
    buffer[at] = byte;
  }
}

size_t probe_other_than(size_t arena, uint8_t byte) {
  const uint8_t* const buffer = probe_buffer(arena);
  size_t at = 0;
  while (at < probe_arenas[arena].size && buffer[at] == byte) {
    ++at;
  }
  return at;
}

static uint64_t hash_of(const uint8_t* bytes, size_t size) {
  uint64_t hash = 0xCBF29CE484222325ULL;
  for (size_t at = 0; at < size; ++at) {
    hash = (hash ^ bytes[at]) * 0x100000001B3ULL;
  }
  return hash;
}

/* The first byte that differs from the file's. */
static size_t first_difference(size_t arena) {
  const uint8_t* const bytes = probe_buffer(arena);
  uint8_t chunk[CHUNK];
  for (size_t at = 0; at < probe_arenas[arena].size; at += CHUNK) {
    const size_t got = machine_load(probe_arenas[arena].file, at, chunk, CHUNK);
    for (size_t byte = 0; byte < got; ++byte) {
      if (bytes[at + byte] != chunk[byte]) {
        return at + byte;
      }
    }
  }
  return 0;
}

void probe_constants(const char* what) {
  for (size_t arena = 0; arena < probe_arena_count; ++arena) {
    const struct probe_arena* const own = &probe_arenas[arena];
    if (own->role != PROBE_CONSTANT || own->size == 0) {
      continue;
    }
    const int is_right = hash_of(probe_buffer(arena), own->size) == own->hash;
    const size_t at = is_right ? 0 : first_difference(arena);
    probe_check(is_right, "constant", what, PROBE_ARENA, arena, at, probe_buffer(arena)[at]);
  }
}

void probe_read_only(void) {
  probe_protect(PROBE_NOBODY);
  for (size_t arena = 0; arena < probe_arena_count; ++arena) {
    if (!is_cold(arena) || probe_arenas[arena].size == 0) {
      continue;
    }
    const uintptr_t first = (uintptr_t)probe_buffer(arena);
    const uintptr_t both[2] = {first, first + probe_arenas[arena].size - 1};
    for (size_t at = 0; at < 2; ++at) {
      if (probe_arenas[arena].is_read_only || machine_is_read_only(both[at])) {
        probe_check(!machine_can_write(both[at]), "bounds", "what is read in place can be written", PROBE_ARENA, arena,
                    both[at] - first, 0);
      } else {
        probe_skip();
      }
    }
  }
}
