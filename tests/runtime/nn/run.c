/* Does the steps of a case, and holds each against what it must come to. */
#include "world.h"

/* Words. ------------------------------------------------------------------------------------------------------------- */

enum { WORD = 40, WORDS = 10, ITEMS = 4 };

struct words {
  char word[WORDS + 1][WORD];
  unsigned count;
};

int nn_same(const char* one, const char* other) {
  while (*one != '\0' && *one == *other) {
    ++one;
    ++other;
  }
  return *one == *other;
}

static void add_text(struct nn_run* run, const char* text) {
  size_t used = 0;
  while (run->text[used] != '\0') {
    ++used;
  }
  for (; *text != '\0' && *text != ';' && used + 1 < sizeof run->text; ++text) {
    run->text[used++] = *text;
  }
  run->text[used] = '\0';
}

static void add_number(struct nn_run* run, long number) {
  char digits[24];
  size_t at = sizeof digits - 1;
  unsigned long rest = number < 0 ? 0UL - (unsigned long)number : (unsigned long)number;
  digits[at] = '\0';
  do {
    digits[--at] = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest != 0);
  if (number < 0) {
    digits[--at] = '-';
  }
  add_text(run, &digits[at]);
}

static void fail(struct nn_run* run, const char* what, long is, long wanted) {
  if (run->has_failed) {
    return;
  }
  run->has_failed = 1;
  run->text[0] = '\0';
  add_text(run, run->one->id);
  add_text(run, ", type ");
  add_number(run, run->type);
  add_text(run, ", executor ");
  add_number(run, run->executor);
  add_text(run, ": ");
  add_text(run, run->step);
  add_text(run, ": ");
  add_text(run, what);
  add_text(run, " is ");
  add_number(run, is);
  add_text(run, ", not ");
  add_number(run, wanted);
  add_text(run, "\n");
}

static const char* read_words(const char* text, struct words* words) {
  words->count = 0;
  while (*text != '\0' && *text != ';') {
    while (*text == ' ') {
      ++text;
    }
    size_t used = 0;
    char* const word = words->word[words->count];
    while (*text != '\0' && *text != ';' && *text != ' ' && used + 1 < WORD) {
      word[used++] = *text++;
    }
    word[used] = '\0';
    words->count += used != 0 && words->count < WORDS;
  }
  for (unsigned at = words->count; at <= WORDS; ++at) {
    words->word[at][0] = '\0';
  }
  return *text == ';' ? text + 1 : text;
}

static long read_number(const char** at) {
  const char* text = *at;
  const int is_negative = *text == '-';
  long number = 0;
  text += is_negative;
  for (; *text >= '0' && *text <= '9'; ++text) {
    number = number * 10 + (*text - '0');
  }
  *at = text;
  return is_negative ? -number : number;
}

static long number_of(const char* text) { return read_number(&text); }

static struct ms_nn_shape read_shape(const char** at) {
  struct ms_nn_shape shape = {0, {0}};
  const char* text = *at;
  if (*text == '-' && (text[1] < '0' || text[1] > '9')) {
    *at = text + 1;
    return shape;
  }
  for (;;) {
    const uint32_t size = (uint32_t)read_number(&text);
    if (shape.rank < MS_NN_RANK) {
      shape.dims[shape.rank] = size;
    }
    ++shape.rank;
    if (*text != 'x') {
      break;
    }
    ++text;
  }
  *at = text;
  return shape;
}

static struct ms_nn_shape shape_of(const char* text) { return read_shape(&text); }

static void expect(struct nn_run* run, const char* what, enum ms_nn_status is, const char* word) {
  const enum ms_nn_status wanted = word[0] == 'o'   ? MS_NN_NONE
                                   : word[0] == 'b' ? MS_NN_INVALID_ARGUMENT
                                   : word[0] == 's' ? MS_NN_OUTPUT_INSUFFICIENT_SIZE
                                   : word[0] == 'l' ? MS_NN_MISSED_DEADLINE_PERSISTENT
                                                    : MS_NN_GENERAL_FAILURE;
  if (is != wanted) {
    fail(run, what, (long)is, (long)wanted);
  }
}

static void expect_code(struct nn_run* run, enum ms_nn_code is, const char* word) {
  static const struct {
    const char* word;
    enum ms_nn_code code;
  } codes[] = {{"ok", MS_NN_NO_ERROR},   {"null", MS_NN_UNEXPECTED_NULL}, {"data", MS_NN_BAD_DATA},
               {"state", MS_NN_BAD_STATE}, {"failed", MS_NN_OP_FAILED},     {"unmappable", MS_NN_UNMAPPABLE}};
  for (size_t at = 0; at < sizeof codes / sizeof codes[0]; ++at) {
    if (nn_same(codes[at].word, word)) {
      if (is != codes[at].code) {
        fail(run, "the code", (long)is, (long)codes[at].code);
      }
      return;
    }
  }
  fail(run, "a word that is none", 0, 1);
}

/* Bytes. ------------------------------------------------------------------------------------------------------------- */

/* A run's own, so that no sanitizer need watch each of them. */
#if defined(__clang__)
#define UNWATCHED __attribute__((no_sanitize("thread", "address")))
#else
#define UNWATCHED
#endif

UNWATCHED static void fill(unsigned char* bytes, uint64_t size, unsigned seed) {
  for (uint64_t at = 0; at < size; ++at) {
    bytes[at] = (unsigned char)(seed * 37U + at * 11U + (at >> 8) * 5U);
  }
}

UNWATCHED static long first_other(const unsigned char* bytes, uint64_t size, unsigned seed) {
  for (uint64_t at = 0; at < size; ++at) {
    if (bytes[at] != (unsigned char)(seed * 37U + at * 11U + (at >> 8) * 5U)) {
      return (long)at;
    }
  }
  return -1;
}

static enum ms_nn_status refuse(const struct ms_nn_memory* memory) {
  (void)memory;
  return MS_NN_INVALID_ARGUMENT;
}

static const struct ms_nn_memory_ops gone = {refuse, NULL, NULL, NULL};

/* By hand: the reference must come to the same. */
static uint64_t size_of(const struct nn_run* run, const struct ms_nn_operand* operand) {
  static const uint64_t elements[TYPES] = {4, 2, 1, 1};
  uint64_t size = operand->shape.rank != 0 ? elements[run->type] : 4;
  for (uint32_t axis = 0; axis < operand->shape.rank; ++axis) {
    size *= operand->shape.dims[axis];
  }
  return size;
}

/* Memory of so many times the size of c's operands; null where there is to be none. */
static const struct ms_nn_memory* memory_of(const struct nn_run* run, const char* word, unsigned char* bytes,
                                            struct ms_nn_memory* memory) {
  const uint64_t full = size_of(run, &nn_model(run->world, 'c')->inputs[0]);
  *memory = (struct ms_nn_memory){full, NULL, bytes, NULL};
  switch (word[0]) {
    case 'h':
      memory->size = full / 2;
      break;
    case 'd':
      memory->size = full * 2;
      break;
    case 't': /* two elements */
      memory->size = full / 4096;
      break;
    case 'n':
      return NULL;
    case 'v':
      memory->size = full / 2;
      memory->bytes = NULL;
      break;
    case 'l':
      memory->bytes = NULL;
      break;
    default:
      break;
  }
  if (nn_same(word, "four")) {
    memory->size = 4;
  } else if (nn_same(word, "pair")) {
    memory->size = 2;
  }
  return memory;
}

/* Buffers. ----------------------------------------------------------------------------------------------------------- */

static unsigned read_roles(const char* text, struct ms_nn_role* roles) {
  static const float probabilities[] = {1.0F, 10.0F, 0.0F, -0.5F, __builtin_nanf("")};
  unsigned count = 0;
  if (nn_same(text, "-")) {
    return 0;
  }
  for (; count < ITEMS; ++text) {
    roles[count].model = (int32_t)read_number(&text);
    ++text;
    roles[count].io = (int32_t)read_number(&text);
    roles[count].probability = 1.0F;
    if (*text == '*') {
      roles[count].probability = probabilities[text[1] - '0'];
      text += 2;
    }
    ++count;
    if (*text == '\0') {
      break;
    }
  }
  return count;
}

static void do_alloc(struct nn_run* run, const struct words* words) {
  const unsigned at = (unsigned)number_of(words->word[1]);
  const struct ms_nn_model* models[ITEMS];
  struct ms_nn_role inputs[ITEMS];
  struct ms_nn_role outputs[ITEMS];
  struct ms_nn_desc desc = {shape_of(words->word[2]), models, 0, inputs, read_roles(words->word[4], inputs), outputs,
                            read_roles(words->word[5], outputs)};
  const char* const letters = words->word[3];
  while (letters[0] != '-' && letters[desc.model_count] != '\0') {
    models[desc.model_count] = nn_model(run->world, letters[desc.model_count]);
    ++desc.model_count;
  }
  const struct ms_nn_device* device = &run->world->devices[PLAIN];
  if (letters[0] != '-' && letters[0] != '0' && letters[0] != 'x') {
    device = models[0]->device;
  }
  ms_nn_release(run->buffers[at].buffer);
  const enum ms_nn_status status = ms_nn_allocate(device, &desc, &run->buffers[at]);
  const char* const wanted = words->word[6];
  expect(run, "the status", status, wanted);
  const char* number = wanted;
  while (*number != '\0' && *number != ':') {
    ++number;
  }
  const long test = *number == ':' ? number_of(number + 1) : 0;
  if ((long)run->buffers[at].test != test) {
    fail(run, "the test that failed", (long)run->buffers[at].test, test);
  }
  const int is_there = run->buffers[at].buffer != NULL && run->buffers[at].token > 0;
  const int is_none = run->buffers[at].buffer == NULL && run->buffers[at].token == 0;
  if (status == MS_NN_NONE ? !is_there : !is_none) {
    fail(run, "the token", run->buffers[at].token, 0);
  }
}

static void do_from(struct nn_run* run, const struct words* words) {
  const unsigned at = (unsigned)number_of(words->word[1]);
  const struct ms_nn_shape shape = shape_of(words->word[3]);
  struct ms_nn_memory memory;
  const unsigned seed = ++run->next_seed;
  fill(run->in, RAW, seed);
  const enum ms_nn_status status =
      ms_nn_copy_from(run->buffers[at].buffer, memory_of(run, words->word[2], run->in, &memory), &shape);
  expect(run, "the status", status, words->word[4]);
  if (status == MS_NN_NONE) {
    run->seeds[at] = seed;
  }
}

static void do_to(struct nn_run* run, const struct words* words) {
  const unsigned at = (unsigned)number_of(words->word[1]);
  struct ms_nn_memory memory;
  fill(run->out, RAW, 0);
  const struct ms_nn_memory* const target = memory_of(run, words->word[2], run->out, &memory);
  const enum ms_nn_status status = ms_nn_copy_to(run->buffers[at].buffer, target);
  expect(run, "the status", status, words->word[3]);
  if (status == MS_NN_NONE) {
    const long other = first_other(run->out, memory.size, run->seeds[at]);
    if (other >= 0) {
      fail(run, "a byte that is wrong", other, -1);
    }
  } else if (first_other(run->out, RAW, 0) >= 0) {
    fail(run, "a byte that was touched", first_other(run->out, RAW, 0), -1);
  }
}

static void do_free(struct nn_run* run, unsigned at) {
  ms_nn_release(run->buffers[at].buffer);
  run->buffers[at].buffer = NULL;
}

static void do_look(struct nn_run* run, const struct words* words) {
  const struct ms_nn_shape wanted = shape_of(words->word[3]);
  struct ms_nn_shape shape;
  const int is_initialised = ms_nn_look(run->buffers[number_of(words->word[1])].buffer, &shape);
  if (is_initialised != (words->word[2][0] == 'y')) {
    fail(run, "initialised", is_initialised, !is_initialised);
  }
  if (!ms_nn_same_shape(&shape, &wanted)) {
    fail(run, "the shape's first dimension", (long)shape.dims[0], (long)wanted.dims[0]);
  }
}

static void do_plain(struct nn_run* run, const struct words* words) {
  const unsigned at = (unsigned)number_of(words->word[1]);
  const int is_plain = first_other(run->buffers[at].buffer->bytes, 256, run->seeds[at]) < 0;
  if (is_plain != (words->word[2][0] == 'y')) {
    fail(run, "plain", is_plain, !is_plain);
  }
}

/* Executions. -------------------------------------------------------------------------------------------------------- */

enum { POOLS = 8 };

/* What of a request is not as the case's arguments say. */
static int is_how(const struct words* words, const char* how) {
  for (unsigned at = 5; at < words->count; ++at) {
    if (nn_same(words->word[at], how)) {
      return 1;
    }
  }
  return 0;
}

struct asked {
  struct ms_nn_argument inputs[ITEMS];
  struct ms_nn_argument outputs[ITEMS];
  struct ms_nn_pool pools[POOLS];
  unsigned buffers[POOLS]; /* BUFFERS: none */
  struct ms_nn_memory in;
  struct ms_nn_memory out;
  struct ms_nn_request request;
};

static int32_t pool_of(struct nn_run* run, struct asked* asked, const char** text) {
  const char letter = *(*text)++;
  const long number = read_number(text);
  const unsigned buffer = letter == '#' ? BUFFERS : (unsigned)number;
  const int32_t token = letter == '#' ? (int32_t)number : run->buffers[buffer].token;
  uint32_t pool = 2;
  while (pool < asked->request.pool_count && (letter != 't' || asked->buffers[pool] != buffer)) {
    ++pool;
  }
  if (pool == asked->request.pool_count) {
    asked->pools[pool] = (struct ms_nn_pool){NULL, token};
    asked->buffers[pool] = buffer;
    ++asked->request.pool_count;
  }
  return (int32_t)pool;
}

static unsigned read_arguments(struct nn_run* run, const char* text, const struct ms_nn_operand* operands, int is_output,
                               struct asked* asked, struct ms_nn_argument* arguments) {
  unsigned count = 0;
  int64_t offset = 0;
  for (; *text != '\0' && *text != '-' && count < ITEMS; ++count) {
    struct ms_nn_argument* const argument = &arguments[count];
    const char letter = *text;
    *argument = (struct ms_nn_argument){0};
    if (letter == 'v') {
      argument->has_no_value = 1;
      ++text;
    } else if (letter == 'm' || letter == 'h' || letter == 'M') {
      argument->pool = is_output;
      ++text;
    } else {
      argument->pool = pool_of(run, asked, &text);
    }
    if (*text == ':') {
      ++text;
      argument->shape = read_shape(&text);
    }
    if (letter == 'm' || letter == 'h' || letter == 'M') {
      const int is_open = operands[count].type != 1 && (operands[count].shape.rank == 0 || operands[count].shape.dims[0] == 0);
      const uint64_t size = size_of(run, is_open ? &nn_model(run->world, 'c')->inputs[0] : &operands[count]);
      argument->offset = offset;
      argument->length = (int64_t)(letter == 'h' ? size / 2 : letter == 'M' ? size * 2 : size);
      offset += argument->length;
    }
    text += *text == ',';
  }
  return count;
}

static void spoil(const struct words* words, struct asked* asked) {
  struct ms_nn_argument* const first = &asked->inputs[0];
  if (is_how(words, "long")) {
    first->length = 8;
  } else if (is_how(words, "off")) {
    first->offset = INT32_MAX;
  } else if (is_how(words, "pad")) {
    first->padding = INT32_MAX;
  } else if (is_how(words, "zero")) {
    first->length = 0;
  } else if (is_how(words, "minus")) {
    first->length = -first->length;
  } else if (is_how(words, "pool")) {
    first->pool = (int32_t)asked->request.pool_count;
  } else if (is_how(words, "lost")) {
    asked->in.bytes = NULL;
  } else if (is_how(words, "gone")) {
    asked->in.ops = &gone;
  }
}

static void ask(struct nn_run* run, const struct words* words, const struct ms_nn_model* model, struct asked* asked) {
  *asked = (struct asked){.in = {RAW * 2, NULL, run->in, NULL}, .out = {RAW * 2, NULL, run->out, NULL}};
  asked->pools[0].memory = &asked->in;
  asked->pools[1].memory = &asked->out;
  asked->buffers[0] = asked->buffers[1] = BUFFERS;
  asked->request = (struct ms_nn_request){asked->inputs, 0, asked->outputs, 0, asked->pools, 2};
  asked->request.input_count = read_arguments(run, words->word[2], model->inputs, 0, asked, asked->inputs);
  asked->request.output_count = read_arguments(run, words->word[3], model->outputs, 1, asked, asked->outputs);
  spoil(words, asked);
}

/* The kernel: every output is the first input. */
static enum ms_nn_status compute(struct nn_run* run, const struct words* words, const struct ms_nn_execution* execution,
                                 struct ms_nn_output* outputs) {
  const struct ms_nn_model* const model = execution->model;
  const struct ms_nn_shape* const shape = &execution->inputs[0].operand.shape;
  enum ms_nn_status status = is_how(words, "fail") ? MS_NN_GENERAL_FAILURE : MS_NN_NONE;
  ms_nn_read(&execution->inputs[0], run->raw);
  for (uint32_t io = 0; io < model->output_count; ++io) {
    const struct ms_nn_span* const span = &execution->outputs[io];
    uint64_t size = 0;
    outputs[io] = (struct ms_nn_output){*shape, 1};
    (void)ms_nn_size(span->operand.type, shape, &size);
    if (is_how(words, "short") || (span->bytes != NULL && size > span->size)) {
      outputs[io].is_sufficient = 0;
      status = MS_NN_OUTPUT_INSUFFICIENT_SIZE;
    } else if (is_how(words, "swap")) {
      outputs[io].shape.dims[1] *= 2;
    } else if (span->bytes != NULL && status == MS_NN_NONE) {
      status = ms_nn_write(span, shape, run->raw);
    }
  }
  return status;
}

static enum ms_nn_status wait_well(void* context) {
  ++*(unsigned*)context;
  return MS_NN_NONE;
}

static enum ms_nn_status wait_badly(void* context) {
  (void)context;
  return MS_NN_GENERAL_FAILURE;
}

/* Others use the service meanwhile. */
static void disturb(struct nn_run* run) {
  const struct ms_nn_model* const model = nn_model(run->world, 'c');
  const struct ms_nn_role role = {0, 0, 1.0F};
  const struct ms_nn_desc desc = {{0, {0}}, &model, 1, &role, 1, NULL, 0};
  struct ms_nn_allocated allocated;
  (void)ms_nn_allocate(model->device, &desc, &allocated);
  ms_nn_release(allocated.buffer);
}

static void free_used(struct nn_run* run, const struct asked* asked) {
  for (uint32_t pool = 2; pool < asked->request.pool_count; ++pool) {
    if (asked->buffers[pool] < BUFFERS) {
      do_free(run, asked->buffers[pool]);
    }
  }
}

/* Where the contents of the live buffer with the token are told; null: nowhere. */
static unsigned* seed_of(struct nn_run* run, const struct ms_nn_pool* pool) {
  for (unsigned at = 0; at < BUFFERS; ++at) {
    if (pool->memory == NULL && run->buffers[at].buffer != NULL && run->buffers[at].token == pool->token) {
      return &run->seeds[at];
    }
  }
  return NULL;
}

static void note_seeds(struct nn_run* run, const struct asked* asked, unsigned seed) {
  for (uint32_t io = 0; io < asked->request.output_count; ++io) {
    const struct ms_nn_argument* const argument = &asked->outputs[io];
    unsigned* const told = argument->has_no_value ? NULL : seed_of(run, &asked->pools[argument->pool]);
    if (told != NULL) {
      *told = seed;
    } else if (!argument->has_no_value && argument->pool == 1 && asked->outputs[io].offset == 0) {
      const long other = first_other(run->out, 256, seed);
      if (other >= 0) {
        fail(run, "a byte of the output that is wrong", other, -1);
      }
    }
  }
}

static void do_run(struct nn_run* run, const struct words* words) {
  const struct ms_nn_model* const model = nn_model(run->world, words->word[1][0]);
  struct asked asked;
  struct ms_nn_place places[POOLS];
  struct ms_nn_span inputs[ITEMS];
  struct ms_nn_span outputs[ITEMS];
  struct ms_nn_output made[ITEMS];
  struct ms_nn_execution execution = {places, inputs, outputs, NULL, NULL};
  unsigned waits = 0;
  const struct ms_nn_terms terms = {run->executor == 2, is_how(words, "late"),
                                    is_how(words, "wait") ? wait_badly : wait_well, &waits};
  unsigned seed = ++run->next_seed;
  fill(run->in, RAW, seed);
  fill(run->out, RAW, 0);
  fill(run->raw, RAW, seed); /* what an input without a value is taken for */
  ask(run, words, model, &asked);
  if (asked.request.input_count != 0 && !asked.inputs[0].has_no_value && (uint32_t)asked.inputs[0].pool < asked.request.pool_count) {
    const unsigned* const told = seed_of(run, &asked.pools[asked.inputs[0].pool]);
    seed = told != NULL ? *told : seed;
  }
  enum ms_nn_status status = ms_nn_begin(model, &asked.request, &terms, &execution);
  if (status == MS_NN_NONE) {
    if (is_how(words, "free")) {
      free_used(run, &asked);
    }
    if (run->executor == 1) {
      disturb(run);
    }
    status = ms_nn_finish(&execution, compute(run, words, &execution, made), made);
    if (waits != 1) {
      fail(run, "the number of waits", (long)waits, 1);
    }
    if (status == MS_NN_NONE && !is_how(words, "swap")) {
      note_seeds(run, &asked, seed);
    }
  }
  expect(run, "the status", status, words->word[4]);
}

/* The NDK. ------------------------------------------------------------------------------------------------------------ */

static enum ms_nn_code make(void* context, uint64_t size, int is_blob, struct ms_nn_memory* memory) {
  (void)is_blob;
  *memory = (struct ms_nn_memory){size, NULL, nn_take(context, size), NULL};
  return memory->bytes != NULL ? MS_NN_NO_ERROR : MS_NN_OUT_OF_MEMORY;
}

static void drop(void* context, struct ms_nn_memory* memory) {
  if (memory->bytes != NULL) {
    nn_give(context, memory->bytes, memory->size);
  }
}

static const struct ms_nn_domain domain = {NULL, make, drop};

static struct ms_nn_memory_desc* desc_at(struct nn_run* run, const char* word) {
  return word[0] == '-' ? NULL : &run->descs[number_of(word)];
}

static struct ms_nn_domain_memory* memory_at(struct nn_run* run, const char* word) {
  return word[0] == '-' ? NULL : &run->memories[number_of(word)];
}

static void free_memory(struct nn_run* run, unsigned at) {
  if (run->is_made[at]) {
    struct ms_nn_domain_memory* const memory = &run->memories[at];
    if (memory->backing == MS_NN_OF_CLIENT) {
      drop(NULL, &memory->memory);
    }
    ms_nn_memory_free(memory, &domain);
  }
  run->is_made[at] = 0;
}

static void do_create(struct nn_run* run, const struct words* words) {
  const unsigned at = (unsigned)number_of(words->word[2]);
  free_memory(run, at);
  const enum ms_nn_code code = ms_nn_memory_create(desc_at(run, words->word[1]), &domain, &run->memories[at]);
  expect_code(run, code, words->word[3]);
  if (code != MS_NN_NO_ERROR) {
    return;
  }
  run->is_made[at] = 1;
  const struct ms_nn_domain_memory* const memory = &run->memories[at];
  const char wanted = words->word[4][0];
  const int is_right = wanted == 'd'   ? memory->backing == MS_NN_OF_DRIVER && memory->buffer != NULL && memory->token > 0
                       : wanted == 'b' ? memory->backing == MS_NN_OF_RUNTIME && memory->is_blob && memory->buffer == NULL
                                       : memory->backing == MS_NN_OF_RUNTIME && !memory->is_blob && memory->buffer == NULL;
  if (!is_right) {
    fail(run, "what is behind it", (long)memory->backing, wanted);
  }
}

static void do_wrap(struct nn_run* run, const struct words* words) {
  const unsigned at = (unsigned)number_of(words->word[1]);
  struct ms_nn_memory memory;
  free_memory(run, at);
  (void)memory_of(run, words->word[2], run->in, &memory);
  if (memory.bytes != NULL) {
    memory.bytes = nn_take(NULL, memory.size);
    fill(memory.bytes, memory.size, 0);
  }
  ms_nn_memory_wrap(&memory, &run->memories[at]);
  run->is_made[at] = 1;
}

static void do_same(struct nn_run* run, const struct words* words) {
  const struct ms_nn_memory* const one = &memory_at(run, words->word[1])->memory;
  const struct ms_nn_memory* const other = &memory_at(run, words->word[2])->memory;
  for (uint64_t at = 0; at < one->size; ++at) {
    if (one->bytes[at] != other->bytes[at]) {
      fail(run, "a byte that differs", (long)at, -1);
    }
  }
}

static float frequency_of(const char* word) { return (float)number_of(word); }

static void do_ndk(struct nn_run* run, const struct words* words) {
  const char (*const word)[WORD] = words->word;
  const struct ms_nn_shape shape = shape_of(word[nn_same(word[0], "set") ? 5 : nn_same(word[0], "computed") ? 3 : 2]);
  if (nn_same(word[0], "desc")) {
    *desc_at(run, word[1]) = (struct ms_nn_memory_desc){.count = 0};
  } else if (nn_same(word[0], "add")) {
    expect_code(run,
                ms_nn_desc_add(desc_at(run, word[1]), nn_compilation(run->world, word[3]), word[2][0] == 'o',
                               (uint32_t)number_of(word[4]), frequency_of(word[5])),
                word[6]);
  } else if (nn_same(word[0], "shape")) {
    expect_code(run, ms_nn_desc_shape(desc_at(run, word[1]), &shape), word[3]);
  } else if (nn_same(word[0], "finish")) {
    expect_code(run, ms_nn_desc_finish(desc_at(run, word[1])), word[2]);
  } else if (nn_same(word[0], "create")) {
    do_create(run, words);
  } else if (nn_same(word[0], "wrap")) {
    do_wrap(run, words);
  } else if (nn_same(word[0], "fill")) {
    fill(memory_at(run, word[1])->memory.bytes, memory_at(run, word[1])->memory.size, ++run->next_seed);
  } else if (nn_same(word[0], "same")) {
    do_same(run, words);
  } else if (nn_same(word[0], "copy")) {
    expect_code(run, ms_nn_memory_copy(memory_at(run, word[1]), memory_at(run, word[2]), &domain), word[3]);
  } else if (nn_same(word[0], "set")) {
    expect_code(run,
                ms_nn_memory_set(memory_at(run, word[1]), nn_compilation(run->world, word[2]), word[3][0] == 'o',
                                 (uint32_t)number_of(word[4]), &shape, (uint64_t)number_of(word[6]),
                                 (uint64_t)number_of(word[7])),
                word[8]);
  } else if (nn_same(word[0], "compute")) {
    expect_code(run, ms_nn_memory_compute(memory_at(run, word[1]), &shape), word[3]);
  } else if (nn_same(word[0], "computed")) {
    ms_nn_memory_computed(memory_at(run, word[1]), word[2][0] == 'o', &shape);
  } else {
    fail(run, "a step that is none", 0, 1);
  }
}

/* Cases. -------------------------------------------------------------------------------------------------------------- */

static void do_step(struct nn_run* run, const struct words* words) {
  const char* const word = words->word[0];
  if (nn_same(word, "alloc")) {
    do_alloc(run, words);
  } else if (nn_same(word, "from")) {
    do_from(run, words);
  } else if (nn_same(word, "to")) {
    do_to(run, words);
  } else if (nn_same(word, "run")) {
    do_run(run, words);
  } else if (nn_same(word, "free")) {
    do_free(run, (unsigned)number_of(words->word[1]));
  } else if (nn_same(word, "look")) {
    do_look(run, words);
  } else if (nn_same(word, "plain")) {
    do_plain(run, words);
  } else if (nn_same(word, "token")) {
    const long token = run->buffers[number_of(words->word[1])].token;
    if (token != number_of(words->word[2])) {
      fail(run, "the token", token, number_of(words->word[2]));
    }
  } else {
    do_ndk(run, words);
  }
}

int nn_run(struct nn_run* run) {
  struct words words;
  run->has_failed = 0;
  for (unsigned at = 0; at < BUFFERS; ++at) {
    run->buffers[at] = (struct ms_nn_allocated){NULL, 0, MS_NN_PASSED};
  }
  for (const char* step = run->one->steps; *step != '\0' && !run->has_failed;) {
    while (*step == ' ') {
      ++step;
    }
    run->step = step;
    step = read_words(step, &words);
    do_step(run, &words);
  }
  for (unsigned at = 0; at < BUFFERS; ++at) {
    do_free(run, at);
  }
  for (unsigned at = 0; at < MEMORIES; ++at) {
    free_memory(run, at);
  }
  if (!run->is_shared && !nn_is_empty(run->world)) {
    run->step = "the end";
    fail(run, "what is still in use", 1, 0);
  }
  return !run->has_failed;
}

unsigned nn_run_all(struct nn_run* run, const char* id, unsigned* runs) {
  unsigned failed = 0;
  for (size_t at = 0; at < nn_case_count; ++at) {
    const struct nn_case* const one = &nn_cases[at];
    if (id != NULL && !nn_same(id, one->id)) {
      continue;
    }
    for (unsigned each = 0; each < TYPES * EXECUTORS; ++each) {
      run->type = each % TYPES;
      run->executor = each / TYPES;
      if ((one->types >> run->type & 1) == 0 || (one->executors >> run->executor & 1) == 0) {
        continue;
      }
      run->one = one;
      run->world = nn_world(run->type);
      if (!run->is_shared) {
        nn_reset(run->world);
      } else if (one->id[0] == 'T') {
        continue;
      }
      ++*runs;
      if (!nn_run(run)) {
        ++failed;
        nn_say(run->text);
      }
    }
  }
  return failed;
}
