/* The devices and models that cases are run on, and their memory. */
#include "world.h"

/* Not as the model has them: elements that are far apart lie side by side. */
static uint64_t place_of(uint64_t at, uint64_t size) {
  return size % 32 == 0 ? at % 32 * (size / 32) + at / 32 : size - 1 - at;
}

static uint64_t tiled_size(void* context, const struct ms_nn_operand* operand) {
  uint64_t size = 0;
  (void)context;
  (void)ms_nn_size(operand->type, &operand->shape, &size);
  return size + 64;
}

/* Of a buffer that one case has for itself: they need not be atomic. */
static void tiled_pack(void* context, const struct ms_nn_operand* operand, unsigned char* packed, const unsigned char* raw) {
  const uint64_t size = tiled_size(context, operand) - 64;
  for (uint64_t at = 0; at < size; ++at) {
    packed[64 + place_of(at, size)] = raw[at];
  }
}

static void tiled_unpack(void* context, const struct ms_nn_operand* operand, unsigned char* raw, const unsigned char* packed) {
  const uint64_t size = tiled_size(context, operand) - 64;
  for (uint64_t at = 0; at < size; ++at) {
    raw[at] = packed[64 + place_of(at, size)];
  }
}

static const struct ms_nn_layout tiled = {tiled_size, tiled_pack, tiled_unpack};

static const int32_t types[TYPES] = {3, 8, 5, 14};
static const int32_t other_types[TYPES] = {8, 3, 14, 5};
static const unsigned char extra_one[] = {1, 2, 3};
static const unsigned char extra_two[] = {1, 2, 4};

struct model_row {
  char letter;
  unsigned device; /* as in enum of world.h */
  unsigned count;  /* of inputs, and of outputs */
  struct ms_nn_shape shape;
};

static const struct model_row rows[] = {
    {'c', PLAIN, 1, {4, {1, 32, 32, 8}}},  {'d', PLAIN, 1, {4, {1, 32, 32, 8}}},   {'t', PLAIN, 2, {4, {1, 32, 32, 8}}},
    {'a', PLAIN, 3, {4, {1, 32, 32, 8}}},  {'b', PLAIN, 3, {3, {32, 32, 8}}},      {'w', PLAIN, 1, {4, {4, 32, 32, 8}}},
    {'y', PLAIN, 1, {4, {1, 32, 32, 8}}},  {'s', PLAIN, 1, {4, {1, 32, 32, 8}}},   {'z', PLAIN, 1, {4, {1, 32, 32, 8}}},
    {'p', PLAIN, 1, {4, {1, 32, 32, 8}}},  {'u', PLAIN, 1, {4, {0, 32, 32, 8}}},   {'r', PLAIN, 1, {0, {0}}},
    {'e', PLAIN, 1, {4, {1, 32, 32, 8}}},  {'i', PLAIN, 1, {1, {2}}},              {'j', PLAIN, 1, {2, {1, 2}}},
    {'o', PLAIN, 1, {2, {2, 1}}},          {'k', PLAIN, 1, {3, {65536, 65536, 4}}}, {'x', FOREIGN, 1, {4, {1, 32, 32, 8}}},
    {'n', CLOSED, 1, {4, {1, 32, 32, 8}}}, {'v', CLOSED, 1, {4, {0, 32, 32, 8}}},  {'l', TILED, 1, {4, {1, 32, 32, 8}}},
    {'m', TILED, 1, {4, {0, 32, 32, 8}}},  {'f', POOR, 1, {4, {1, 32, 32, 8}}},    {'g', POOR, 1, {3, {32, 32, 8}}},      {'h', POOR, 1, {4, {0, 32, 32, 8}}},
};

_Static_assert(sizeof rows / sizeof rows[0] == MODELS, "world.h");

static void* take_nothing(void* context, uint64_t size) {
  (void)context;
  (void)size;
  return NULL;
}

static struct nn_world worlds[TYPES] = {{.type = 0}, {.type = 1}, {.type = 2}, {.type = 3}};

static void fill_operands(struct nn_world* world, unsigned at) {
  const struct model_row* const row = &rows[at];
  struct ms_nn_operand* const operands = world->operands[at];
  for (unsigned io = 0; io < IOS; ++io) {
    struct ms_nn_operand* const operand = &operands[io];
    *operand = (struct ms_nn_operand){.type = types[world->type], .shape = row->shape, .extra = extra_one, .extra_size = 3};
    operand->scale = world->type >= 2 ? 0.5F : 0.0F;
    if (row->count == 3 && io == 2) {
      *operand = (struct ms_nn_operand){.type = 1}; /* ADD's activation */
    } else if (row->letter == 'y') {
      operand->type = other_types[world->type];
    } else if (row->letter == 'e') {
      operand->type = 0x10001;
    } else if (row->letter == 's') {
      operand->scale = 1.0F;
    } else if (row->letter == 'z') {
      operand->zero_point = 10;
    } else if (row->letter == 'p') {
      operand->extra = extra_two;
    }
  }
  world->models[at] = (struct ms_nn_model){&world->devices[row->device], operands, row->count, operands,
                                           row->count == 3 ? 1 : row->count};
  for (unsigned kind = 0; kind < KINDS; ++kind) {
    world->compilations[at][kind] =
        (struct ms_nn_compilation){&world->models[at], kind != UNFINISHED, kind == EXPLICIT, kind == BLOBS};
  }
}

void nn_reset(struct nn_world* world) {
  for (unsigned at = 0; at < SERVICES; ++at) {
    struct ms_nn_service* const service = &world->services[at];
    service->buffers = world->buffers[at];
    service->buffer_count = ROWS;
    service->tokens = world->tokens[at];
    service->token_count = TOKENS;
    service->roles = world->roles[at];
    service->role_count = ROLES;
    service->take = at == 0 ? nn_take : take_nothing;
    service->give = nn_give;
    service->pause = nn_pause;
    ms_nn_init(service);
  }
  for (unsigned at = 0; at < DEVICES; ++at) {
    world->devices[at] = (struct ms_nn_device){&world->services[at == POOR], at == TILED ? &tiled : NULL, NULL,
                                               at == CLOSED ? 0 : LATE};
  }
  for (unsigned at = 0; at < MODELS; ++at) {
    fill_operands(world, at);
  }
}

struct nn_world* nn_world(unsigned type) { return &worlds[type]; }

static unsigned index_of(char letter) {
  unsigned at = 0;
  while (at + 1 < MODELS && rows[at].letter != letter) {
    ++at;
  }
  return at;
}

const struct ms_nn_model* nn_model(struct nn_world* world, char letter) {
  return letter == '0' ? NULL : &world->models[index_of(letter)];
}

const struct ms_nn_compilation* nn_compilation(struct nn_world* world, const char* word) {
  if (word[0] == '-') {
    return NULL;
  }
  const unsigned kind = word[1] == '?' ? UNFINISHED : word[1] == '!' ? EXPLICIT : word[1] == '^' ? BLOBS : ORDINARY;
  return &world->compilations[index_of(word[0])][kind];
}

int nn_is_empty(struct nn_world* world) {
  struct ms_nn_service* const service = &world->services[0];
  unsigned used = 0;
  for (unsigned row = 0; row < ROWS; ++row) {
    used += world->buffers[0][row].holders != 0 || world->buffers[0][row].bytes != NULL;
  }
  for (unsigned row = 0; row < TOKENS; ++row) {
    used += world->tokens[0][row].buffer != NULL;
  }
  unsigned unused = 0;
  for (uint32_t row = service->unused_role; row != 0xFFFFFFFFU; row = service->roles[row].next) {
    ++unused;
  }
  unsigned buffers = 0;
  for (uint32_t row = service->unused_buffer; row != 0xFFFFFFFFU; row = service->buffers[row].next) {
    ++buffers;
  }
  return used == 0 && unused == ROLES && buffers == ROWS && service->lock == 0;
}
