/* Channels of several tensors, one behind the other: parts of all that a tile has lie in L1 at once. */
#include "net.h"

struct tiles {
  const struct net_step* step;
};

/* What of an operand is in a tile, as one row each channel; `at` is its first channel's among those of the tile. */
struct part {
  struct net_box box;
  uint32_t at;
};

static struct net_box box_of(const struct net_step* step, uint32_t tile) {
  const uint32_t columns = net_parts(step->columns.out, step->columns.tile);
  const struct net_range channels = net_part(step->out_channels, step->channel_tile, tile / columns);
  const struct net_range across = net_part(step->columns.out, step->columns.tile, tile % columns);
  return (struct net_box){channels.from, channels.to - channels.from, 0, 1, across.from, across.to - across.from};
}

/* `first`: the operand's first channel among all. */
static struct part part_of(const struct net_box* tile, uint32_t first, uint32_t channels) {
  const uint32_t end = tile->channel + tile->channels;
  const uint32_t from = first > tile->channel ? first : tile->channel;
  const uint32_t to = first + channels < end ? first + channels : end;
  struct part part = {*tile, from - tile->channel};
  part.box.channel = from - first;
  part.box.channels = to > from ? to - from : 0;
  return part;
}

static struct net_span load(void* context, uint32_t tile, uint32_t buffer) {
  const struct net_step* const step = ((struct tiles*)context)->step;
  const struct net_box box = box_of(step, tile);
  uint32_t first = 0;
  struct net_span all = {0, 0};
  for (uint32_t at = 0; at < step->read_count; ++at) {
    const struct net_view view = {step->reads[at].place, step->columns.out, step->columns.out, 0};
    const struct part part = part_of(&box, first, step->reads[at].channels);
    const struct net_span one =
        net_load(step, &view, &part.box, net_memories.l1 + step->input[buffer] + part.at * box.columns);
    all.first = at == 0 ? one.first : all.first;
    all.end = one.end;
    first += step->reads[at].channels;
  }
  return all;
}

static void work(void* context, uint32_t tile, uint32_t buffer) {
  const struct net_step* const step = ((struct tiles*)context)->step;
  const struct net_box box = box_of(step, tile);
  uint32_t first = 0;
  for (uint32_t at = 0; at < step->read_count; ++at) {
    const struct part part = part_of(&box, first, step->reads[at].channels);
    const int8_t* const table = part.box.channels != 0 ? net_table(step, &step->reads[at].chain) : NULL;
    if (table != NULL) {
      net_map((int8_t*)(net_memories.l1 + step->input[buffer] + part.at * box.columns), table,
              part.box.channels * box.columns);
    }
    first += step->reads[at].channels;
  }
}

static struct net_span store(void* context, uint32_t tile, uint32_t buffer) {
  const struct net_step* const step = ((struct tiles*)context)->step;
  const struct net_box box = box_of(step, tile);
  const struct net_view view = {step->writes, step->columns.out, step->columns.out, 0};
  return net_store(step, &view, &box, net_memories.l1 + step->input[buffer]);
}

void net_concat(const struct net_step* step) {
  struct tiles tiles = {step};
  const uint32_t count =
      net_parts(step->out_channels, step->channel_tile) * net_parts(step->columns.out, step->columns.tile);
  net_pipeline(&(struct net_stages){count, 1, &tiles, load, work, store});
}
