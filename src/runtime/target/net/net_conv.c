/* Convolutions, of all channels or depthwise, and the pool behind them. */
#include "net.h"

#include "net_round.h"

struct work {
  const int8_t* in;
  const int8_t* weights;
  const int32_t* bias;
  int8_t* out;
  const int8_t* table;
  struct net_axis rows;
  struct net_axis columns;
  struct net_box from; /* of the input, what is there */
  struct net_box to;   /* of the output: the channels that are made */
  uint32_t is_depthwise;
  uint32_t repeats; /* outputs of one input channel, of a depthwise layer */
  uint32_t weight_row;
  float scale;
};

/* A row of one window: where it begins in the input and how much of the kernel is there. */
static struct net_range kernel_part(const struct net_axis* axis, uint32_t output) {
  const uint32_t start = output * axis->stride;
  struct net_range part = {start < axis->padding ? axis->padding - start : 0, 0};
  const uint32_t there = axis->in + axis->padding;
  part.to = there > start ? there - start : 0;
  part.to = part.to < axis->kernel ? part.to : axis->kernel;
  part.from = part.from < part.to ? part.from : part.to;
  return part;
}

static int32_t sum_of(const struct work* work, uint32_t channel, uint32_t row, uint32_t column) {
  const uint32_t area = work->rows.kernel * work->columns.kernel;
  const uint32_t made = work->to.channel + channel;
  const uint32_t first = work->is_depthwise ? made / work->repeats : 0;
  const uint32_t count = work->is_depthwise ? 1 : work->from.channels;
  const struct net_range rows = kernel_part(&work->rows, row);
  const struct net_range columns = kernel_part(&work->columns, column);
  const int8_t* const weights = work->weights + channel * work->weight_row;
  uint32_t sum = 0;
  if (columns.from == columns.to) {
    return 0;
  }
  for (uint32_t in = 0; in < count; ++in) {
    for (uint32_t y = rows.from; y < rows.to; ++y) {
      const uint32_t at_row = row * work->rows.stride + y - work->rows.padding - work->from.row;
      const uint32_t at_column =
          column * work->columns.stride + columns.from - work->columns.padding - work->from.column;
      const int8_t* const values =
          work->in + ((first + in) * work->from.rows + at_row) * work->from.columns + at_column;
      const int8_t* const factors = weights + in * area + y * work->columns.kernel + columns.from;
      for (uint32_t x = 0; x < columns.to - columns.from; ++x) {
        sum += (uint32_t)(values[x] * factors[x]);
      }
    }
  }
  return (int32_t)sum;
}

static void conv_work(void* argument) {
  const struct work* const work = argument;
  NET_FOR_MINE(item, work->to.channels * work->to.rows) {
    const uint32_t channel = item / work->to.rows;
    const uint32_t row = item % work->to.rows;
    int8_t* const out = work->out + ((work->to.channel + channel) * work->to.rows + row) * work->to.columns;
    const int32_t bias = work->bias != NULL ? work->bias[channel] : 0;
    for (uint32_t column = 0; column < work->to.columns; ++column) {
      const int32_t sum = sum_of(work, channel, work->to.row + row, work->to.column + column);
      const int8_t made = net_quantised(net_sum(sum, bias), work->scale);
      out[column] = work->table != NULL ? work->table[(uint8_t)made] : made;
    }
  }
}

struct conv {
  const struct net_step* step;
  const struct net_slab* slab;
  struct work work;
  struct net_box from[2];
  struct net_box to[2];
  /* Of all tiles of all slabs, in their order; a layer whose channels are one tile has its weights once. */
  uint32_t weights_done;
  uint32_t weights_asked;
  uint32_t weights_all;
  struct net_span weights_come[3];
};

static uint32_t channel_tiles(const struct net_step* step) { return net_parts(step->out_channels, step->channel_tile); }

static struct net_span load_weights(const struct conv* conv, uint32_t at) {
  const struct net_step* const step = conv->step;
  const struct net_range part = net_part(step->out_channels, step->channel_tile, at % channel_tiles(step));
  const uint32_t bytes = step->rows.kernel * step->columns.kernel * (step->is_depthwise ? 1 : step->in_channels);
  uint8_t* const to = net_memories.l1 + step->weight[at % step->weight_buffers];
  uint8_t* const from = net_weights(step) + part.from * bytes;
  if (step->weight_row == bytes) {
    return net_move(from, to, (part.to - part.from) * bytes, PI_CL_DMA_DIR_EXT2LOC);
  }
  struct net_span all = {0, 0};
  for (uint32_t channel = 0; channel < part.to - part.from; ++channel) {
    const struct net_span one =
        net_move(from + channel * bytes, to + channel * step->weight_row, bytes, PI_CL_DMA_DIR_EXT2LOC);
    all.first = channel == 0 ? one.first : all.first;
    all.end = one.end;
  }
  return all;
}

static void ask_for_weights(struct conv* conv) {
  if (conv->weights_asked < conv->weights_all) {
    conv->weights_come[conv->weights_asked % conv->step->weight_buffers] = load_weights(conv, conv->weights_asked);
    ++conv->weights_asked;
  }
}

/* Those of the next channel tile are there then, and later ones on their way. */
static const uint8_t* next_weights(struct conv* conv) {
  const struct net_step* const step = conv->step;
  const uint32_t buffer = channel_tiles(step) == 1 ? 0 : conv->weights_done % step->weight_buffers;
  if (conv->weights_done < conv->weights_all) {
    net_wait(conv->weights_come[buffer]);
    ask_for_weights(conv);
    ++conv->weights_done;
  }
  return net_memories.l1 + step->weight[buffer];
}

static struct net_span load(void* context, uint32_t tile, uint32_t buffer) {
  struct conv* const conv = context;
  const struct net_step* const step = conv->step;
  const uint32_t columns = net_parts(step->columns.out, step->columns.tile);
  const struct net_range made_rows = net_part(conv->slab->to - conv->slab->from, step->rows.tile, tile / columns);
  const struct net_range made = net_part(step->columns.out, step->columns.tile, tile % columns);
  const uint32_t from_row = conv->slab->from + made_rows.from;
  const struct net_range rows = net_inputs(&step->rows, from_row, conv->slab->from + made_rows.to);
  const struct net_range across = net_inputs(&step->columns, made.from, made.to);
  conv->to[buffer] =
      (struct net_box){0, step->out_channels, from_row, made_rows.to - made_rows.from, made.from, made.to - made.from};
  conv->from[buffer] =
      (struct net_box){0, step->in_channels, rows.from, rows.to - rows.from, across.from, across.to - across.from};
  return net_load(step, &conv->slab->in, &conv->from[buffer], net_memories.l1 + step->input[buffer]);
}

static void run_channels(struct conv* conv, const uint8_t* weights, const void* bias, struct net_range channels) {
  conv->work.weights = (const int8_t*)weights;
  conv->work.bias = bias;
  conv->work.to.channel = channels.from;
  conv->work.to.channels = channels.to - channels.from;
  pi_cl_team_fork(NET_WORKERS, conv_work, &conv->work);
}

static const uint8_t* bias_of(const struct net_step* step, uint32_t channel) {
  return step->has_bias ? net_l2(step->bias) + channel * sizeof(int32_t) : NULL;
}

static void work(void* context, uint32_t tile, uint32_t buffer) {
  struct conv* const conv = context;
  const struct net_step* const step = conv->step;
  (void)tile;
  conv->work.in = (const int8_t*)(net_memories.l1 + step->input[buffer]);
  conv->work.out = (int8_t*)(net_memories.l1 + step->output[buffer]);
  conv->work.from = conv->from[buffer];
  conv->work.to = conv->to[buffer];
  for (uint32_t at = 0; at < channel_tiles(step); ++at) {
    const struct net_range channels = net_part(step->out_channels, step->channel_tile, at);
    const uint8_t* weights = NULL;
    if (step->weight_buffers != 0) {
      weights = next_weights(conv);
    } else {
      weights = net_weights(step) + channels.from * step->weight_row;
      NET_OPEN(weights, (channels.to - channels.from) * step->weight_row);
    }
    const void* const bias = net_biases(step, bias_of(step, channels.from), channels.to - channels.from);
    run_channels(conv, weights, bias, channels);
  }
}

static struct net_span store(void* context, uint32_t tile, uint32_t buffer) {
  struct conv* const conv = context;
  const struct net_step* const step = conv->step;
  (void)tile;
  if (step->pool == NULL) {
    return net_store(step, &conv->slab->out, &conv->to[buffer], net_memories.l1 + step->output[buffer]);
  }
  /* The only tile, so that the other buffer is free. */
  struct net_pool pool = {.in = (const int8_t*)(net_memories.l1 + step->output[buffer]),
                          .out = (int8_t*)(net_memories.l1 + step->output[1 - buffer]),
                          .rows = step->pool_rows,
                          .columns = step->pool_columns,
                          .from = conv->to[buffer],
                          .to = {0, step->out_channels, 0, step->pool_rows.out, 0, step->pool_columns.out}};
  pi_cl_team_fork(NET_WORKERS, step->pool, &pool);
  const struct net_view view = {step->writes, pool.rows.out * pool.columns.out, pool.columns.out, 0};
  return net_store(step, &view, &pool.to, (uint8_t*)pool.out);
}

static void run_slab(const struct net_slab* slab, void* context) {
  struct conv* const conv = context;
  const struct net_step* const step = conv->step;
  conv->slab = slab;
  const uint32_t tiles =
      net_parts(slab->to - slab->from, step->rows.tile) * net_parts(step->columns.out, step->columns.tile);
  net_pipeline(&(struct net_stages){tiles, 0, conv, load, work, store});
}

/* Where it is not cut, workers read and write whole tensors in L2. */
static void run_whole(struct conv* conv) {
  const struct net_step* const step = conv->step;
  uint8_t* const in = net_l2(step->reads[0].place);
  uint8_t* const out = net_l2(step->writes);
  uint8_t* const weights = net_weights(step);
  NET_OPEN(in, step->in_channels * step->rows.in * step->columns.in);
  NET_OPEN(out, step->size);
  NET_OPEN(weights, step->out_channels * step->weight_row);
  conv->work.in = (const int8_t*)in;
  conv->work.out = (int8_t*)out;
  conv->work.from = (struct net_box){0, step->in_channels, 0, step->rows.in, 0, step->columns.in};
  conv->work.to = (struct net_box){0, step->out_channels, 0, step->rows.out, 0, step->columns.out};
  const void* const bias = net_biases(step, bias_of(step, 0), step->out_channels);
  run_channels(conv, weights, bias, (struct net_range){0, step->out_channels});
}

void net_conv(const struct net_step* step) {
  struct conv conv = {.step = step};
  conv.work = (struct work){.table = net_table(step, &step->chain),
                            .rows = step->rows,
                            .columns = step->columns,
                            .is_depthwise = step->is_depthwise,
                            .repeats = step->out_channels / step->in_channels,
                            .weight_row = step->weight_row,
                            .scale = step->scale};
  if (step->channel_tile == 0) {
    run_whole(&conv);
    return;
  }
  if (step->weight_buffers != 0) {
    const uint32_t channels = channel_tiles(step);
    const uint32_t slab = step->slab != 0 ? step->slab : step->rows.out;
    uint32_t tiles = 0;
    for (uint32_t at = 0; at < net_parts(step->rows.out, slab); ++at) {
      const struct net_range rows = net_part(step->rows.out, slab, at);
      tiles += net_parts(rows.to - rows.from, step->rows.tile) * net_parts(step->columns.out, step->columns.tile);
    }
    conv.weights_all = channels == 1 ? 1 : tiles * channels;
    for (uint32_t at = 0; at + 1 < step->weight_buffers; ++at) {
      ask_for_weights(&conv);
    }
  }
  net_in_slabs(step, run_slab, &conv);
}
