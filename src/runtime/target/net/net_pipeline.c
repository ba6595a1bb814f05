/* The order of a layer: slabs between L3 and L2, tiles between L2 and L1. */
#include "net.h"

void net_pipeline(const struct net_stages* stages) {
  struct net_span come[2] = {{0, 0}, {0, 0}};
  struct net_span gone[2] = {{0, 0}, {0, 0}};
  if (stages->count != 0) {
    come[0] = stages->load(stages->context, 0, 0);
  }
  for (uint32_t tile = 0; tile < stages->count; ++tile) {
    const uint32_t buffer = tile % 2;
    net_wait(come[buffer]);
    /* What is about to be written over must have gone. */
    net_wait(gone[stages->in_place ? 1 - buffer : buffer]);
    if (tile + 1 < stages->count) {
      come[1 - buffer] = stages->load(stages->context, tile + 1, 1 - buffer);
    }
    stages->work(stages->context, tile, buffer);
    if (stages->store != NULL) {
      gone[buffer] = stages->store(stages->context, tile, buffer);
    }
  }
  net_wait(gone[0]);
  net_wait(gone[1]);
}

uint32_t net_parts(uint32_t all, uint32_t size) { return all == 0 ? 0 : (all - 1) / size + 1; }

struct net_range net_part(uint32_t all, uint32_t size, uint32_t at) {
  const uint32_t from = at * size;
  const uint32_t rest = all - from;
  return (struct net_range){from, from + (rest < size ? rest : size)};
}

struct net_range net_inputs(const struct net_axis* axis, uint32_t from, uint32_t to) {
  const uint32_t first = from * axis->stride;
  const uint32_t last = (to - 1) * axis->stride + axis->kernel;
  struct net_range range = {first > axis->padding ? first - axis->padding : 0,
                            last > axis->padding ? last - axis->padding : 0};
  range.to = range.to < axis->in ? range.to : axis->in;
  range.from = range.from < range.to ? range.from : range.to;
  return range;
}

/* Rows of every channel, packed. */
struct rows {
  struct net_view of;   /* the tensor */
  struct net_view slab; /* those rows */
  uint32_t channels;
  uint32_t count;
};

static struct rows rows_of(const struct net_view* whole, struct net_place slab, uint32_t most, uint32_t at,
                           struct net_range range, uint32_t channels) {
  struct rows rows = {*whole, *whole, channels, range.to - range.from};
  rows.slab.place = slab;
  rows.slab.place.offset += at % 2 * most * whole->width * channels;
  rows.slab.plane = rows.count * whole->width;
  rows.slab.first = range.from;
  return rows;
}

static struct net_span move_rows(const struct rows* rows,
                                 struct net_span (*move)(uint32_t l3, uint8_t* l2, uint32_t size)) {
  struct net_span span = {0, 0};
  for (uint32_t channel = 0; channel < rows->channels; ++channel) {
    const struct net_span one =
        move(net_l3(rows->of.place) + channel * rows->of.plane + rows->slab.first * rows->of.width,
             net_l2(rows->slab.place) + channel * rows->slab.plane, rows->slab.plane);
    span.first = channel == 0 ? one.first : span.first;
    span.end = one.end;
  }
  return span;
}

void net_in_slabs(const struct net_step* step, void (*run)(const struct net_slab* slab, void* context), void* context) {
  const struct net_view in = {step->reads[0].place, step->rows.in * step->columns.in, step->columns.in, 0};
  const struct net_view out = {step->writes, step->rows.out * step->columns.out, step->columns.out, 0};
  const uint32_t size = step->slab != 0 ? step->slab : step->rows.out;
  const uint32_t slabs = net_parts(step->rows.out, size);
  struct net_span come[2] = {{0, 0}, {0, 0}};
  struct net_span gone[2] = {{0, 0}, {0, 0}};
  struct rows read[2];
  for (uint32_t at = 0; at <= slabs; ++at) {
    /* One ahead. */
    if (step->has_in_slab && at < slabs) {
      const struct net_range made = net_part(step->rows.out, size, at);
      read[at % 2] = rows_of(&in, step->in_slab, step->slab_in, at, net_inputs(&step->rows, made.from, made.to),
                             step->in_channels);
      come[at % 2] = move_rows(&read[at % 2], net_ram_read);
    }
    if (at == 0) {
      continue;
    }
    const uint32_t now = at - 1;
    const struct net_range made = net_part(step->rows.out, size, now);
    struct net_slab slab = {step, in, out, made.from, made.to};
    struct rows written = rows_of(&out, step->out_slab, size, now, made, step->out_channels);
    if (step->has_in_slab) {
      net_ram_wait(come[now % 2]);
      slab.in = read[now % 2].slab;
    }
    if (step->has_out_slab) {
      net_ram_wait(gone[now % 2]);
      slab.out = written.slab;
    }
    run(&slab, context);
    if (step->has_out_slab) {
      gone[now % 2] = move_rows(&written, net_ram_write);
    }
  }
  net_ram_wait(gone[0]);
  net_ram_wait(gone[1]);
}
