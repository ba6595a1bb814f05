#include "arena.h"

void arena_init(struct arena_set* set, const struct arena_region* regions, struct arena_buffer* bound, uint32_t count) {
  set->regions = regions;
  set->bound = bound;
  set->count = count;
  for (uint32_t region = 0; region < count; ++region) {
    bound[region].address = 0;
    bound[region].size = 0;
  }
}

int32_t arena_bind(struct arena_set* set, uint32_t region, uint64_t buffer, uint64_t size) {
  if (region >= set->count) {
    return ARENA_NO_REGION;
  }
  if (buffer == 0) {
    return ARENA_NULL;
  }
  if (size < set->regions[region].size) {
    return ARENA_SMALL;
  }
  if ((buffer & (set->regions[region].align - 1)) != 0) {
    return ARENA_MISALIGNED;
  }
  set->bound[region].address = buffer;
  set->bound[region].size = size;
  return ARENA_BOUND;
}

int32_t arena_bind_all(struct arena_set* set, const struct arena_buffer* buffers, uint32_t count) {
  if (count != set->count) {
    return ARENA_COUNT;
  }
  for (uint32_t region = 0; region < count; ++region) {
    const int32_t code = arena_bind(set, region, buffers[region].address, buffers[region].size);
    if (code != ARENA_BOUND) {
      return code;
    }
  }
  return ARENA_BOUND;
}

int32_t arena_ready(const struct arena_set* set, uint32_t* unbound) {
  for (uint32_t region = 0; region < set->count; ++region) {
    if (set->bound[region].address == 0) {
      *unbound = region;
      return ARENA_UNBOUND;
    }
  }
  return ARENA_BOUND;
}
