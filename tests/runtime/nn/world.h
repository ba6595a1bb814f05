/* What world.c and run.c share. */
#ifndef MEMSIZE_NN_WORLD_H
#define MEMSIZE_NN_WORLD_H

#include "cases.h"

enum { PLAIN, FOREIGN, CLOSED, TILED, POOR, DEVICES };
enum { ORDINARY, UNFINISHED, EXPLICIT, BLOBS, KINDS };
enum { SERVICES = 2, MODELS = 25, IOS = 3, ROWS = 64, TOKENS = 96, ROLES = 256, LATE = 40000 };

struct nn_world {
  unsigned type;
  struct ms_nn_service services[SERVICES];
  struct ms_nn_device devices[DEVICES];
  struct ms_nn_buffer buffers[SERVICES][ROWS];
  struct ms_nn_token_row tokens[SERVICES][TOKENS];
  struct ms_nn_role_row roles[SERVICES][ROLES];
  struct ms_nn_operand operands[MODELS][IOS];
  struct ms_nn_model models[MODELS];
  struct ms_nn_compilation compilations[MODELS][KINDS];
};

const struct ms_nn_compilation* nn_compilation(struct nn_world* world, const char* word);

#endif
