/* A step, with what all of them share: weights that come as a whole, biases and tables in L1. */
#include "net.h"

#include "net_round.h"

/* Of the step that they were asked for. */
static const struct net_step* staged;
static struct net_span coming;

static void stage(const struct net_step* step) {
  if (step->staged != 0 && staged != step) {
    coming = net_ram_read(net_l3(step->weights), net_l2(step->weight_slab), step->staged);
    staged = step;
  }
}

void net_run(const struct net_step* step, const struct net_step* next) {
  stage(step);
  if (step->staged != 0) {
    net_ram_wait(coming);
  }
  if (step->stages_next && next != NULL) {
    stage(next);
  }
  if (step->run != NULL) {
    step->run(step);
  }
  if (staged == step) {
    staged = NULL;
  }
}

uint8_t* net_weights(const struct net_step* step) {
  return net_l2(step->staged != 0 ? step->weight_slab : step->weights);
}

const void* net_biases(const struct net_step* step, const void* from, uint32_t count) {
  if (!step->has_bias) {
    return NULL;
  }
  if (step->channel_tile == 0) {
    NET_OPEN(from, count * sizeof(int32_t));
    return from;
  }
  uint32_t* const copy = (uint32_t*)(void*)(net_memories.l1 + step->bias_copy);
  for (uint32_t at = 0; at < count; ++at) {
    copy[at] = ((const uint32_t*)from)[at];
  }
  return copy;
}

static int8_t changed(const struct net_chain* chain, int8_t value) {
  for (uint32_t at = 0; at < chain->count; ++at) {
    const float in = chain->changes[at].in;
    const float out = chain->changes[at].out;
    switch (chain->changes[at].kind) {
      case NET_RELU:
        value = value > 0 ? value : 0;
        break;
      case NET_RELU_QUANTISED:
        value = value > 0 ? value : 0;
        value = net_round_even((float)value * in / out);
        break;
      case NET_REQUANTISED:
        value = net_round_up((float)value * in);
        break;
      default: /* NET_RESCALED */
        value = net_round_even((float)value * in);
        break;
    }
  }
  return value;
}

const int8_t* net_table(const struct net_step* step, const struct net_chain* chain) {
  if (chain->count == 0) {
    return NULL;
  }
  int8_t* const table = (int8_t*)(net_memories.l1 + step->table);
  for (uint32_t bits = 0; bits < 256; ++bits) {
    table[bits] = changed(chain, (int8_t)(uint8_t)bits);
  }
  return table;
}

struct map {
  int8_t* values;
  const int8_t* table;
  uint32_t count;
};

static void map_work(void* argument) {
  const struct map* const map = argument;
  NET_FOR_MINE(at, map->count) { map->values[at] = map->table[(uint8_t)map->values[at]]; }
}

void net_map(int8_t* values, const int8_t* table, uint32_t count) {
  struct map map = {values, table, count};
  pi_cl_team_fork(NET_WORKERS, map_work, &map);
}
