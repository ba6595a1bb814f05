/* Transfers: between L2 and L1 by the cluster's DMA, between L3 and L2 by the driver of the external memory. Of each so
 * many may be open; the oldest is awaited before one more is asked for. */
#include "net.h"

struct net_memories net_memories;

enum { RAM_OPEN = 4 };

static pi_cl_dma_cmd_t commands[NET_DMA_OPEN];
static uint32_t command_of[NET_DMA_OPEN]; /* one more than the transfer that is open; 0: none is */
static uint32_t moved;

static pi_cl_ram_req_t requests[RAM_OPEN];
static uint32_t request_of[RAM_OPEN]; /* likewise; a write's highest bit is set */
static uint32_t asked;
#define WRITES 0x80000000U

int net_is_l3(struct net_place place) { return place.memory == NET_L3 || place.memory == NET_L3_CONSTANT; }

uint8_t* net_l2(struct net_place place) { return net_memories.l2[place.memory - NET_L2] + place.offset; }

uint32_t net_l3(struct net_place place) { return net_memories.l3[place.memory - NET_L3] + place.offset; }

static void close_command(uint32_t slot) {
  if (command_of[slot] != 0) {
    pi_cl_dma_cmd_wait(&commands[slot]);
    command_of[slot] = 0;
  }
}

void net_wait(struct net_span span) {
  for (uint32_t at = span.first; at != span.end; ++at) {
    const uint32_t slot = at % NET_DMA_OPEN;
    if (command_of[slot] == at + 1) {
      close_command(slot);
    }
  }
}

struct net_span net_move(uint8_t* l2, uint8_t* l1, uint32_t size, pi_cl_dma_dir_e direction) {
  struct net_span span = {moved, moved};
  while (size != 0) {
    const uint32_t now = size < NET_DMA_LONGEST ? size : NET_DMA_LONGEST;
    const uint32_t slot = moved % NET_DMA_OPEN;
    close_command(slot);
    pi_cl_dma_cmd((uint32_t)(uintptr_t)l2, (uint32_t)(uintptr_t)l1, now, direction, &commands[slot]);
    command_of[slot] = ++moved;
    l2 += now;
    l1 += now;
    size -= now;
  }
  span.end = moved;
  return span;
}

static void close_request(uint32_t slot) {
  if ((request_of[slot] & WRITES) != 0) {
    pi_cl_ram_write_wait(&requests[slot]);
  } else if (request_of[slot] != 0) {
    pi_cl_ram_read_wait(&requests[slot]);
  }
  request_of[slot] = 0;
}

void net_ram_wait(struct net_span span) {
  for (uint32_t at = span.first; at != span.end; ++at) {
    const uint32_t slot = at % RAM_OPEN;
    if ((request_of[slot] & ~WRITES) == at + 1) {
      close_request(slot);
    }
  }
}

static struct net_span ask(uint32_t l3, uint8_t* l2, uint32_t size, uint32_t writes) {
  struct net_span span = {asked, asked};
  if (size != 0) {
    const uint32_t slot = asked % RAM_OPEN;
    close_request(slot);
    if (writes != 0) {
      pi_cl_ram_write(net_memories.ram, l3, l2, size, &requests[slot]);
    } else {
      pi_cl_ram_read(net_memories.ram, l3, l2, size, &requests[slot]);
    }
    request_of[slot] = ++asked | writes;
  }
  span.end = asked;
  return span;
}

struct net_span net_ram_read(uint32_t l3, uint8_t* l2, uint32_t size) {
  return ask(l3, l2, size, 0);
}

struct net_span net_ram_write(uint32_t l3, uint8_t* l2, uint32_t size) {
  return ask(l3, l2, size, WRITES);
}

/* Through L2, piece by piece, each before the next one. */
static void move_l3(const struct net_step* step, uint32_t l3, uint8_t* l1, uint32_t size, pi_cl_dma_dir_e direction) {
  uint8_t* const staging = net_l2(step->staging);
  while (size != 0) {
    const uint32_t now = size < step->staging_size ? size : step->staging_size;
    if (direction == PI_CL_DMA_DIR_EXT2LOC) {
      net_ram_wait(net_ram_read(l3, staging, now));
    }
    net_wait(net_move(staging, l1, now, direction));
    if (direction == PI_CL_DMA_DIR_LOC2EXT) {
      net_ram_wait(net_ram_write(l3, staging, now));
    }
    l3 += now;
    l1 += now;
    size -= now;
  }
}

static struct net_span move_bytes(const struct net_step* step, struct net_place place, uint32_t size, uint8_t* l1,
                                  pi_cl_dma_dir_e direction) {
  if (!net_is_l3(place)) {
    return net_move(net_l2(place), l1, size, direction);
  }
  move_l3(step, net_l3(place), l1, size, direction);
  return (struct net_span){moved, moved};
}

struct net_span net_load_bytes(const struct net_step* step, struct net_place place, uint32_t size, uint8_t* l1) {
  return move_bytes(step, place, size, l1, PI_CL_DMA_DIR_EXT2LOC);
}

struct net_span net_store_bytes(const struct net_step* step, struct net_place place, uint32_t size, uint8_t* l1) {
  return move_bytes(step, place, size, l1, PI_CL_DMA_DIR_LOC2EXT);
}

static struct net_span move_box(const struct net_step* step, const struct net_view* view, const struct net_box* box,
                                uint8_t* l1, pi_cl_dma_dir_e direction) {
  struct net_span span = {moved, moved};
  for (uint32_t channel = 0; channel < box->channels; ++channel) {
    for (uint32_t row = 0; row < box->rows; ++row) {
      struct net_place place = view->place;
      place.offset +=
          (box->channel + channel) * view->plane + (box->row + row - view->first) * view->width + box->column;
      (void)move_bytes(step, place, box->columns, l1, direction);
      l1 += box->columns;
    }
  }
  span.end = moved;
  return span;
}

struct net_span net_load(const struct net_step* step, const struct net_view* view, const struct net_box* box,
                         uint8_t* l1) {
  return move_box(step, view, box, l1, PI_CL_DMA_DIR_EXT2LOC);
}

struct net_span net_store(const struct net_step* step, const struct net_view* view, const struct net_box* box,
                          uint8_t* l1) {
  return move_box(step, view, box, l1, PI_CL_DMA_DIR_LOC2EXT);
}
