/* The average of each channel: sums grow tile by tile. */
#include "net.h"

#include "net_round.h"

struct work {
  const int8_t* in;
  int32_t* sums;
  int8_t* out; /* NULL: only sums grow */
  const int8_t* table;
  struct net_box box;
  float area;
  float scale;
};

static void work_on(void* argument) {
  const struct work* const work = argument;
  NET_FOR_MINE(channel, work->box.channels) {
    if (work->out != NULL) {
      const int8_t made = net_round_up((float)work->sums[channel] / work->area * work->scale);
      work->out[channel] = work->table != NULL ? work->table[(uint8_t)made] : made;
      continue;
    }
    const uint32_t count = work->box.rows * work->box.columns;
    for (uint32_t at = 0; at < count; ++at) {
      work->sums[channel] += work->in[channel * count + at];
    }
  }
}

struct tiles {
  const struct net_step* step;
  struct work work;
  struct net_range channels;
  struct net_box from[2];
};

static struct net_span load(void* context, uint32_t tile, uint32_t buffer) {
  struct tiles* const tiles = context;
  const struct net_step* const step = tiles->step;
  const uint32_t columns = net_parts(step->columns.in, step->columns.tile);
  const struct net_range down = net_part(step->rows.in, step->rows.tile, tile / columns);
  const struct net_range across = net_part(step->columns.in, step->columns.tile, tile % columns);
  const struct net_view view = {step->reads[0].place, step->rows.in * step->columns.in, step->columns.in, 0};
  tiles->from[buffer] = (struct net_box){
      tiles->channels.from,   tiles->channels.to - tiles->channels.from, down.from, down.to - down.from, across.from,
      across.to - across.from};
  return net_load(step, &view, &tiles->from[buffer], net_memories.l1 + step->input[buffer]);
}

static void work(void* context, uint32_t tile, uint32_t buffer) {
  struct tiles* const tiles = context;
  (void)tile;
  tiles->work.in = (const int8_t*)(net_memories.l1 + tiles->step->input[buffer]);
  tiles->work.box = tiles->from[buffer];
  pi_cl_team_fork(NET_WORKERS, work_on, &tiles->work);
}

void net_global_pool(const struct net_step* step) {
  struct tiles tiles = {.step = step};
  tiles.work.table = net_table(step, &step->chain);
  tiles.work.area = (float)(step->rows.in * step->columns.in);
  tiles.work.scale = step->scale;
  tiles.work.sums = (int32_t*)(void*)(net_memories.l1 + step->sums);
  const uint32_t count = net_parts(step->rows.in, step->rows.tile) * net_parts(step->columns.in, step->columns.tile);
  for (uint32_t at = 0; at < net_parts(step->out_channels, step->channel_tile); ++at) {
    tiles.channels = net_part(step->out_channels, step->channel_tile, at);
    const uint32_t channels = tiles.channels.to - tiles.channels.from;
    for (uint32_t channel = 0; channel < channels; ++channel) {
      tiles.work.sums[channel] = 0;
    }
    tiles.work.out = NULL;
    net_pipeline(&(struct net_stages){count, 0, &tiles, load, work, NULL});
    uint8_t* const out = net_memories.l1 + step->output[0];
    tiles.work.out = (int8_t*)out;
    pi_cl_team_fork(NET_WORKERS, work_on, &tiles.work);
    struct net_place place = step->writes;
    place.offset += tiles.channels.from;
    net_wait(net_store_bytes(step, place, channels, out));
  }
}
