/* Value by value: quantisers, and the sum of two tensors. What is made takes the place of what came first. */
#include "net.h"

#include "net_round.h"

struct tiles {
  const struct net_step* step;
  const int8_t* table;
};

static struct net_range part_of(const struct net_step* step, uint32_t tile) {
  return net_part(step->out_channels, step->channel_tile, tile);
}

/* The operands, one behind the other. */
static struct net_span load(void* context, uint32_t tile, uint32_t buffer) {
  const struct net_step* const step = ((struct tiles*)context)->step;
  const struct net_range part = part_of(step, tile);
  struct net_span all = {0, 0};
  for (uint32_t at = 0; at < step->read_count; ++at) {
    struct net_place place = step->reads[at].place;
    place.offset += part.from;
    uint8_t* const to = net_memories.l1 + step->input[buffer] + at * step->channel_tile;
    const struct net_span one = net_load_bytes(step, place, part.to - part.from, to);
    all.first = at == 0 ? one.first : all.first;
    all.end = one.end;
  }
  return all;
}

static struct net_span store(void* context, uint32_t tile, uint32_t buffer) {
  const struct net_step* const step = ((struct tiles*)context)->step;
  const struct net_range part = part_of(step, tile);
  struct net_place place = step->writes;
  place.offset += part.from;
  return net_store_bytes(step, place, part.to - part.from, net_memories.l1 + step->input[buffer]);
}

static void run(struct tiles* tiles, void (*work)(void* context, uint32_t tile, uint32_t buffer)) {
  const uint32_t count = net_parts(tiles->step->out_channels, tiles->step->channel_tile);
  net_pipeline(&(struct net_stages){count, 1, tiles, load, work, store});
}

static void change(void* context, uint32_t tile, uint32_t buffer) {
  const struct tiles* const tiles = context;
  const struct net_range part = part_of(tiles->step, tile);
  net_map((int8_t*)(net_memories.l1 + tiles->step->input[buffer]), tiles->table, part.to - part.from);
}

void net_elements(const struct net_step* step) {
  struct tiles tiles = {step, net_table(step, &step->chain)};
  run(&tiles, change);
}

struct sum {
  int8_t* first;
  const int8_t* second;
  uint32_t count;
  uint32_t is_exact;
  float scales[2];
  float scale_out;
};

static int8_t sum_of(const struct sum* sum, int8_t first, int8_t second) {
  if (sum->is_exact) {
    const int32_t both = first + second;
    return (int8_t)(both < NET_LEAST ? NET_LEAST : both > NET_MOST ? NET_MOST : both);
  }
  const float one = (float)first * sum->scales[0];
  const float other = (float)second * sum->scales[1];
  return net_round_even((one + other) / sum->scale_out);
}

static void sum_work(void* argument) {
  const struct sum* const sum = argument;
  NET_FOR_MINE(at, sum->count) { sum->first[at] = sum_of(sum, sum->first[at], sum->second[at]); }
}

static void add(void* context, uint32_t tile, uint32_t buffer) {
  const struct net_step* const step = ((struct tiles*)context)->step;
  const struct net_range part = part_of(step, tile);
  int8_t* const values = (int8_t*)(net_memories.l1 + step->input[buffer]);
  struct sum sum = {.first = values,
                    .second = values + step->channel_tile,
                    .count = part.to - part.from,
                    .is_exact = step->is_exact,
                    .scales = {step->reads[0].scale, step->reads[1].scale},
                    .scale_out = step->scale_out};
  pi_cl_team_fork(NET_WORKERS, sum_work, &sum);
}

void net_add(const struct net_step* step) {
  struct tiles tiles = {step, NULL};
  run(&tiles, add);
}
