/* A network that runs on a cluster, tile by tile: int8, channel by channel (CHW), batch 1. Tables say which layer is
 * cut how and where everything lies; nothing is allocated while it runs. The cluster's controller moves data and forks
 * its workers, which see what is in L1 only, but for what NET_OPEN names. */
#ifndef NET_H
#define NET_H

#include "net_config.h"
#include "pmsis.h"

#include "bsp/ram.h"

#include <stddef.h>
#include <stdint.h>

/* What lies where a network is loaded. L3 is no memory that anybody could point into. */
enum net_memory { NET_L2, NET_L2_CONSTANT, NET_L3, NET_L3_CONSTANT, NET_MEMORIES };

struct net_place {
  uint32_t memory;
  uint32_t offset;
};

/* Set before the first step. */
struct net_memories {
  uint8_t* l1;
  uint8_t* l2[2]; /* NET_L2, NET_L2_CONSTANT */
  uint32_t l3[2]; /* NET_L3, NET_L3_CONSTANT */
  struct pi_device* ram;
};

extern struct net_memories net_memories;

/* Rows or columns of a layer with windows. `tile`: outputs of a tile. */
struct net_axis {
  uint32_t in;
  uint32_t out;
  uint32_t kernel;
  uint32_t stride;
  uint32_t padding;
  uint32_t tile;
};

/* What is done to an int8 value after it was rounded; net_round.h. */
enum net_change { NET_RELU, NET_RELU_QUANTISED, NET_REQUANTISED, NET_RESCALED, NET_CHANGES = 3 };

struct net_chain {
  uint32_t count;
  struct {
    uint32_t kind;
    float in;
    float out;
  } changes[NET_CHANGES];
};

struct net_operand {
  struct net_place place;
  uint32_t channels;
  float scale;
  struct net_chain chain; /* of a concatenation's input */
};

struct net_step {
  const char* name;
  void (*run)(const struct net_step* step); /* NULL: what it reads is what it makes */
  const struct net_operand* reads;
  uint32_t read_count;
  struct net_place writes;
  uint32_t size; /* bytes of what it makes */

  struct net_axis rows;    /* a linear layer's are its tokens */
  struct net_axis columns; /* a concatenation's are all its places */
  uint32_t in_channels;    /* of what has no axes: everything */
  uint32_t out_channels;
  uint32_t channel_tile; /* 0: it is not cut, and works where its data lie */
  uint32_t is_depthwise;
  uint32_t is_float; /* it makes float */
  uint32_t stays;    /* a linear layer's inputs and outputs: workers read and write them in L2 */

  /* Of rows, or a linear layer's features. */
  uint32_t slab;    /* 0: all in one */
  uint32_t slab_in; /* rows that one reads, at most */
  uint32_t has_in_slab;
  uint32_t has_out_slab;
  struct net_place in_slab;
  struct net_place out_slab;
  struct net_place staging; /* what is in L3 and comes in no slab comes through here */
  uint32_t staging_size;

  /* A linear layer's come in slabs, others as a whole, while the step before runs or before they are needed. */
  struct net_place weights;
  struct net_place bias;
  uint32_t has_bias;
  struct net_place weight_slab;
  struct net_place bias_slab;
  uint32_t staged; /* bytes of weights that come from L3 as a whole */
  uint32_t stages_next;

  /* In L1. */
  uint32_t input[2];
  uint32_t output[2]; /* where it is the input's: the input's place */
  uint32_t weight[3];
  uint32_t weight_buffers;
  uint32_t weight_row; /* bytes from one channel's to the next one's */
  uint32_t bias_copy;
  uint32_t table; /* 256 bytes where there is a chain */
  uint32_t sums;  /* of a global pool; what lies there is tiled by its rows and columns of the input */

  float scale;
  float scale_out;
  uint32_t is_exact; /* an addition of equal scales */
  struct net_chain chain;
  void (*pool)(void* pool); /* behind a convolution of one tile; NULL: none */
  struct net_axis pool_rows;
  struct net_axis pool_columns;
};

/* Constants and the input, as they come from files. */
struct net_file {
  const char* name;
  struct net_place place;
  uint32_t size;
  uint32_t checksum; /* the sum of its bytes */
};

/* What a step must have made. */
struct net_golden {
  uint32_t step;
  struct net_file file;
};

/* Runs one step, on the cluster's controller. `next` is the step behind it, or NULL. */
void net_run(const struct net_step* step, const struct net_step* next);

/* net_move.c: what moves. A span is a row of transfers, in the order in which they were asked for. */
struct net_span {
  uint32_t first;
  uint32_t end;
};

/* Part of a tensor. */
struct net_box {
  uint32_t channel, channels;
  uint32_t row, rows;
  uint32_t column, columns;
};

/* A tensor, or those rows of it from `first` on, as it lies in L2 or L3. */
struct net_view {
  struct net_place place;
  uint32_t plane; /* elements of a channel that are there */
  uint32_t width;
  uint32_t first;
};

uint8_t* net_l2(struct net_place place);
uint32_t net_l3(struct net_place place);
int net_is_l3(struct net_place place);

void net_wait(struct net_span span);
/* Both sides grow alike; longer than one command is several. */
struct net_span net_move(uint8_t* l2, uint8_t* l1, uint32_t size, pi_cl_dma_dir_e direction);
/* A box that is packed in L1, one command a row of a channel. */
struct net_span net_load(const struct net_step* step, const struct net_view* view, const struct net_box* box,
                         uint8_t* l1);
struct net_span net_store(const struct net_step* step, const struct net_view* view, const struct net_box* box,
                          uint8_t* l1);
/* Bytes at a place, wherever that is. */
struct net_span net_load_bytes(const struct net_step* step, struct net_place place, uint32_t size, uint8_t* l1);
struct net_span net_store_bytes(const struct net_step* step, struct net_place place, uint32_t size, uint8_t* l1);

void net_ram_wait(struct net_span span);
struct net_span net_ram_read(uint32_t l3, uint8_t* l2, uint32_t size);
struct net_span net_ram_write(uint32_t l3, uint8_t* l2, uint32_t size);

/* net_pipeline.c: tile by tile. While one is worked on, the next one comes and the last one goes. */
struct net_stages {
  uint32_t count;
  int in_place; /* what is made takes the place of what came */
  void* context;
  struct net_span (*load)(void* context, uint32_t tile, uint32_t buffer);
  void (*work)(void* context, uint32_t tile, uint32_t buffer);
  struct net_span (*store)(void* context, uint32_t tile, uint32_t buffer); /* NULL: nothing goes */
};

void net_pipeline(const struct net_stages* stages);

/* Rows of the output, with what they are made of and where they go. */
struct net_slab {
  const struct net_step* step;
  struct net_view in;
  struct net_view out;
  uint32_t from;
  uint32_t to;
};

/* Slab by slab; one where the layer has none. */
void net_in_slabs(const struct net_step* step, void (*run)(const struct net_slab* slab, void* context), void* context);

/* The inputs that outputs [from, to) of an axis read, without padding. */
struct net_range {
  uint32_t from;
  uint32_t to;
};

struct net_range net_inputs(const struct net_axis* axis, uint32_t from, uint32_t to);
struct net_range net_part(uint32_t all, uint32_t size, uint32_t at);
uint32_t net_parts(uint32_t all, uint32_t size);

/* The weights of the step, in L2, and their biases for channels from `channel` on, in L1 as far as there is room. */
uint8_t* net_weights(const struct net_step* step);
const void* net_biases(const struct net_step* step, const void* from, uint32_t count);
/* The chain as 256 bytes in L1, by the value's bits; NULL: it changes nothing. */
const int8_t* net_table(const struct net_step* step, const struct net_chain* chain);
/* Workers look up each value. */
void net_map(int8_t* values, const int8_t* table, uint32_t count);

/* A span in L2 that the workers of the next fork read or write where it lies: the emulated board refuses all others. */
#ifdef MEMSIZE_EMULATED
#define NET_OPEN(base, size) pmsis_allow((base), (size))
#else
#define NET_OPEN(base, size) ((void)(base), (void)(size))
#endif

/* Of the items of a layer, those that this worker does: every NET_WORKERSth. */
#define NET_FOR_MINE(item, count) for (uint32_t item = pi_core_id(); item < (count); item += NET_WORKERS)

/* The operators. */
void net_conv(const struct net_step* step);
void net_linear(const struct net_step* step);
void net_max_pool(const struct net_step* step);
void net_average_pool(const struct net_step* step);
void net_global_pool(const struct net_step* step);
void net_elements(const struct net_step* step);
void net_add(const struct net_step* step);
void net_concat(const struct net_step* step);
void net_pad(const struct net_step* step);

/* The largest of each window, `in` and `out` packed; the workers' part of it. */
struct net_pool {
  const int8_t* in;
  int8_t* out;
  struct net_axis rows;
  struct net_axis columns;
  struct net_box from; /* of the input, what is there */
  struct net_box to;
  const int8_t* table;
  float scale;
};

void net_max_pool_work(void* pool);

#endif
