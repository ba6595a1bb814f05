/* Pools: the largest, or the average, of each window. */
#include "net.h"

#include "net_round.h"

/* What of the window at an output is there. */
static struct net_range window(const struct net_axis* axis, uint32_t output) {
  return net_inputs(axis, output, output + 1);
}

static void each(const struct net_pool* pool, int8_t (*made)(const struct net_pool* pool, const int8_t* plane,
                                                             struct net_range rows, struct net_range columns)) {
  NET_FOR_MINE(item, pool->to.channels * pool->to.rows) {
    const int8_t* const plane = pool->in + item / pool->to.rows * pool->from.rows * pool->from.columns;
    int8_t* const out = pool->out + item * pool->to.columns;
    struct net_range rows = window(&pool->rows, pool->to.row + item % pool->to.rows);
    rows = (struct net_range){rows.from - pool->from.row, rows.to - pool->from.row};
    for (uint32_t column = 0; column < pool->to.columns; ++column) {
      const struct net_range across = window(&pool->columns, pool->to.column + column);
      const int8_t value =
          made(pool, plane, rows, (struct net_range){across.from - pool->from.column, across.to - pool->from.column});
      out[column] = pool->table != NULL ? pool->table[(uint8_t)value] : value;
    }
  }
}

/* Padding is the least value. */
static int8_t largest(const struct net_pool* pool, const int8_t* plane, struct net_range rows,
                      struct net_range columns) {
  int8_t most = NET_LEAST;
  for (uint32_t row = rows.from; row < rows.to; ++row) {
    for (uint32_t column = columns.from; column < columns.to; ++column) {
      const int8_t value = plane[row * pool->from.columns + column];
      most = value > most ? value : most;
    }
  }
  return most;
}

/* Padding counts as zeros. */
static int8_t average(const struct net_pool* pool, const int8_t* plane, struct net_range rows,
                      struct net_range columns) {
  int32_t sum = 0;
  for (uint32_t row = rows.from; row < rows.to; ++row) {
    for (uint32_t column = columns.from; column < columns.to; ++column) {
      sum += plane[row * pool->from.columns + column];
    }
  }
  return net_round_even((float)sum / (float)(pool->rows.kernel * pool->columns.kernel) * pool->scale);
}

void net_max_pool_work(void* pool) { each(pool, largest); }

static void average_work(void* pool) { each(pool, average); }

struct tiles {
  const struct net_slab* slab;
  struct net_pool pool;
  struct net_box from[2];
  struct net_box to[2];
  void (*entry)(void* pool);
};

static struct net_span load(void* context, uint32_t tile, uint32_t buffer) {
  struct tiles* const tiles = context;
  const struct net_step* const step = tiles->slab->step;
  const uint32_t columns = net_parts(step->columns.out, step->columns.tile);
  const uint32_t rows = net_parts(tiles->slab->to - tiles->slab->from, step->rows.tile);
  const struct net_range channels = net_part(step->out_channels, step->channel_tile, tile / (rows * columns));
  const struct net_range down = net_part(tiles->slab->to - tiles->slab->from, step->rows.tile, tile / columns % rows);
  const struct net_range across = net_part(step->columns.out, step->columns.tile, tile % columns);
  const uint32_t from_row = tiles->slab->from + down.from;
  const struct net_range in_rows = net_inputs(&step->rows, from_row, tiles->slab->from + down.to);
  const struct net_range in_columns = net_inputs(&step->columns, across.from, across.to);
  const uint32_t count = channels.to - channels.from;
  tiles->to[buffer] =
      (struct net_box){channels.from, count, from_row, down.to - down.from, across.from, across.to - across.from};
  tiles->from[buffer] = (struct net_box){
      channels.from, count, in_rows.from, in_rows.to - in_rows.from, in_columns.from, in_columns.to - in_columns.from};
  return net_load(step, &tiles->slab->in, &tiles->from[buffer], net_memories.l1 + step->input[buffer]);
}

static void work(void* context, uint32_t tile, uint32_t buffer) {
  struct tiles* const tiles = context;
  const struct net_step* const step = tiles->slab->step;
  (void)tile;
  tiles->pool.in = (const int8_t*)(net_memories.l1 + step->input[buffer]);
  tiles->pool.out = (int8_t*)(net_memories.l1 + step->output[buffer]);
  tiles->pool.from = tiles->from[buffer];
  tiles->pool.to = tiles->to[buffer];
  pi_cl_team_fork(NET_WORKERS, tiles->entry, &tiles->pool);
}

static struct net_span store(void* context, uint32_t tile, uint32_t buffer) {
  struct tiles* const tiles = context;
  const struct net_step* const step = tiles->slab->step;
  (void)tile;
  return net_store(step, &tiles->slab->out, &tiles->to[buffer], net_memories.l1 + step->output[buffer]);
}

static void run_slab(const struct net_slab* slab, void* context) {
  struct tiles* const tiles = context;
  const struct net_step* const step = slab->step;
  tiles->slab = slab;
  if (step->channel_tile == 0) {
    uint8_t* const in = net_l2(step->reads[0].place);
    uint8_t* const out = net_l2(step->writes);
    NET_OPEN(in, step->in_channels * step->rows.in * step->columns.in);
    NET_OPEN(out, step->size);
    tiles->pool.in = (const int8_t*)in;
    tiles->pool.out = (int8_t*)out;
    tiles->pool.from = (struct net_box){0, step->in_channels, 0, step->rows.in, 0, step->columns.in};
    tiles->pool.to = (struct net_box){0, step->out_channels, 0, step->rows.out, 0, step->columns.out};
    pi_cl_team_fork(NET_WORKERS, tiles->entry, &tiles->pool);
    return;
  }
  const uint32_t count = net_parts(step->out_channels, step->channel_tile) *
                         net_parts(slab->to - slab->from, step->rows.tile) *
                         net_parts(step->columns.out, step->columns.tile);
  net_pipeline(&(struct net_stages){count, 0, tiles, load, work, store});
}

static void run(const struct net_step* step, void (*entry)(void* pool)) {
  struct tiles tiles = {
      .entry = entry,
      .pool = {
          .rows = step->rows, .columns = step->columns, .table = net_table(step, &step->chain), .scale = step->scale}};
  net_in_slabs(step, run_slab, &tiles);
}

void net_max_pool(const struct net_step* step) { run(step, net_max_pool_work); }

void net_average_pool(const struct net_step* step) { run(step, average_work); }
