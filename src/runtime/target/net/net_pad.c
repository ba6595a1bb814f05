/* Zeros around each channel. It is not cut: workers copy in L2. */
#include "net.h"

struct work {
  const int8_t* in;
  int8_t* out;
  struct net_axis rows; /* `padding`: before the first */
  struct net_axis columns;
  uint32_t channels;
};

static void work_on(void* argument) {
  const struct work* const work = argument;
  NET_FOR_MINE(item, work->channels * work->rows.out) {
    const uint32_t row = item % work->rows.out - work->rows.padding;
    const uint32_t first = item / work->rows.out * work->rows.in;
    int8_t* const to = work->out + item * work->columns.out;
    for (uint32_t at = 0; at < work->columns.out; ++at) {
      const uint32_t column = at - work->columns.padding;
      to[at] = 0;
      if (row < work->rows.in && column < work->columns.in) {
        to[at] = work->in[(first + row) * work->columns.in + column];
      }
    }
  }
}

void net_pad(const struct net_step* step) {
  uint8_t* const in = net_l2(step->reads[0].place);
  uint8_t* const out = net_l2(step->writes);
  NET_OPEN(in, step->in_channels * step->rows.in * step->columns.in);
  NET_OPEN(out, step->size);
  struct work work = {(const int8_t*)in, (int8_t*)out, step->rows, step->columns, step->in_channels};
  pi_cl_team_fork(NET_WORKERS, work_on, &work);
}
