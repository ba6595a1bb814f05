/* Linear layers, to int8 or, at the end of a network, to float. */
#include "net.h"

#include "net_round.h"

struct work {
  const int8_t* in;
  const int8_t* weights;
  const void* bias;
  uint8_t* out;
  const int8_t* table;
  uint32_t inputs;
  uint32_t tokens;
  uint32_t features;
  uint32_t row; /* features from one token's outputs to the next one's */
  uint32_t is_float;
  float scale;
};

static void work_on(void* argument) {
  const struct work* const work = argument;
  NET_FOR_MINE(item, work->tokens * work->features) {
    const uint32_t token = item / work->features;
    const uint32_t feature = item % work->features;
    const int8_t* const values = work->in + token * work->inputs;
    const int8_t* const factors = work->weights + feature * work->inputs;
    uint32_t sum = 0;
    for (uint32_t at = 0; at < work->inputs; ++at) {
      sum += (uint32_t)(values[at] * factors[at]);
    }
    const uint32_t to = token * work->row + feature;
    if (work->is_float) {
      const float product = (float)(int32_t)sum * work->scale;
      ((float*)(void*)work->out)[to] = work->bias != NULL ? product + ((const float*)work->bias)[feature] : product;
      continue;
    }
    const int32_t bias = work->bias != NULL ? ((const int32_t*)work->bias)[feature] : 0;
    const int8_t made = net_quantised(net_sum((int32_t)sum, bias), work->scale);
    ((int8_t*)work->out)[to] = work->table != NULL ? work->table[(uint8_t)made] : made;
  }
}

struct tiles {
  const struct net_step* step;
  struct work work;
  struct net_range slab;
  uint8_t* weights; /* of the slab, in L2 */
  const uint8_t* bias;
  uint32_t element;
};

static struct net_range features_of(const struct tiles* tiles, uint32_t tile) {
  return net_part(tiles->slab.to - tiles->slab.from, tiles->step->channel_tile, tile);
}

static struct net_span load(void* context, uint32_t tile, uint32_t buffer) {
  struct tiles* const tiles = context;
  const struct net_range part = features_of(tiles, tile);
  const uint32_t inputs = tiles->work.inputs;
  return net_move(tiles->weights + part.from * inputs, net_memories.l1 + tiles->step->weight[buffer],
                  (part.to - part.from) * inputs, PI_CL_DMA_DIR_EXT2LOC);
}

static void open_tensors(const struct net_step* step) {
  NET_OPEN(net_l2(step->reads[0].place), step->rows.in * step->in_channels);
  NET_OPEN(net_l2(step->writes), step->size);
}

static void work(void* context, uint32_t tile, uint32_t buffer) {
  struct tiles* const tiles = context;
  const struct net_step* const step = tiles->step;
  const struct net_range part = features_of(tiles, tile);
  tiles->work.weights = (const int8_t*)(net_memories.l1 + step->weight[buffer]);
  tiles->work.features = part.to - part.from;
  tiles->work.bias =
      net_biases(step, tiles->bias != NULL ? tiles->bias + part.from * sizeof(int32_t) : NULL, part.to - part.from);
  if (step->stays) {
    open_tensors(step);
    tiles->work.out = net_l2(step->writes) + tiles->slab.from + part.from;
  } else {
    tiles->work.out = net_memories.l1 + step->output[buffer];
    tiles->work.row = tiles->work.features;
  }
  pi_cl_team_fork(NET_WORKERS, work_on, &tiles->work);
}

static struct net_span store(void* context, uint32_t tile, uint32_t buffer) {
  struct tiles* const tiles = context;
  const struct net_step* const step = tiles->step;
  const struct net_range part = features_of(tiles, tile);
  const uint32_t size = (part.to - part.from) * tiles->element;
  struct net_span all = {0, 0};
  for (uint32_t token = 0; token < step->rows.in; ++token) {
    struct net_place place = step->writes;
    place.offset += (token * step->out_channels + tiles->slab.from + part.from) * tiles->element;
    const struct net_span one =
        net_store_bytes(step, place, size, net_memories.l1 + step->output[buffer] + token * size);
    all.first = token == 0 ? one.first : all.first;
    all.end = one.end;
  }
  return all;
}

static void run_slab(struct tiles* tiles) {
  const struct net_step* const step = tiles->step;
  if (step->stays) {
    tiles->work.in = (const int8_t*)net_l2(step->reads[0].place);
  } else {
    uint8_t* const in = net_memories.l1 + step->input[0];
    net_wait(net_load_bytes(step, step->reads[0].place, step->rows.in * step->in_channels, in));
    tiles->work.in = (const int8_t*)in;
  }
  const uint32_t count = net_parts(tiles->slab.to - tiles->slab.from, step->channel_tile);
  net_pipeline(&(struct net_stages){count, 0, tiles, load, work, step->stays ? NULL : store});
}

static void run_whole(struct tiles* tiles) {
  const struct net_step* const step = tiles->step;
  open_tensors(step);
  NET_OPEN(tiles->weights, step->in_channels * step->out_channels);
  tiles->work.in = (const int8_t*)net_l2(step->reads[0].place);
  tiles->work.out = net_l2(step->writes);
  tiles->work.weights = (const int8_t*)tiles->weights;
  tiles->work.features = step->out_channels;
  tiles->work.bias = net_biases(step, tiles->bias, step->out_channels);
  pi_cl_team_fork(NET_WORKERS, work_on, &tiles->work);
}

/* Of slab `at`, weights and biases in their half of the buffers. */
static struct net_span fetch(const struct net_step* step, uint32_t at) {
  const struct net_range part = net_part(step->out_channels, step->slab, at);
  const uint32_t count = part.to - part.from;
  const uint32_t half = at % 2 * step->slab;
  struct net_span span = net_ram_read(net_l3(step->weights) + part.from * step->in_channels,
                                      net_l2(step->weight_slab) + half * step->in_channels, count * step->in_channels);
  if (step->has_bias) {
    span.end = net_ram_read(net_l3(step->bias) + part.from * (uint32_t)sizeof(int32_t),
                            net_l2(step->bias_slab) + half * sizeof(int32_t), count * (uint32_t)sizeof(int32_t))
                   .end;
  }
  return span;
}

static void run_slabs(struct tiles* tiles) {
  const struct net_step* const step = tiles->step;
  const uint32_t slabs = net_parts(step->out_channels, step->slab);
  struct net_span come[2] = {{0, 0}, {0, 0}};
  come[0] = fetch(step, 0);
  for (uint32_t at = 0; at < slabs; ++at) {
    net_ram_wait(come[at % 2]);
    if (at + 1 < slabs) {
      come[(at + 1) % 2] = fetch(step, at + 1);
    }
    const uint32_t half = at % 2 * step->slab;
    tiles->slab = net_part(step->out_channels, step->slab, at);
    tiles->weights = net_l2(step->weight_slab) + half * step->in_channels;
    tiles->bias = step->has_bias ? net_l2(step->bias_slab) + half * sizeof(int32_t) : NULL;
    run_slab(tiles);
  }
}

void net_linear(const struct net_step* step) {
  struct tiles tiles = {.step = step, .element = step->is_float ? (uint32_t)sizeof(float) : 1};
  tiles.work = (struct work){.table = net_table(step, &step->chain),
                             .inputs = step->in_channels,
                             .tokens = step->rows.in,
                             .row = step->out_channels,
                             .is_float = step->is_float,
                             .scale = step->scale};
  if (step->slab != 0) {
    run_slabs(&tiles);
    return;
  }
  tiles.slab = (struct net_range){0, step->out_channels};
  tiles.weights = net_weights(step);
  tiles.bias = step->has_bias ? net_l2(step->bias) : NULL;
  if (step->channel_tile == 0) {
    run_whole(&tiles);
  } else {
    run_slab(&tiles);
  }
}
