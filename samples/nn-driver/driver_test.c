/* A driver's test, held against the reference of memory domains: whatever is called, the driver must say what it says.
 *
 *   cc driver_test.c -lmemsize_nn -o driver_test && ./driver_test
 *
 * The driver here is made up, and has a mistake that real ones have: a copy into a buffer that fails leaves the buffer
 * initialised. -DMENDED mends it. */
#include <memsize/nn/buffers.h>

#include <stdio.h>
#include <stdlib.h>

/* The driver: one buffer of 16 bytes. */
static int is_initialised;

static enum ms_nn_status driver_copy_from(uint64_t size) {
#ifdef MENDED
  is_initialised = 0;
#endif
  if (size != 16) return MS_NN_INVALID_ARGUMENT;
  is_initialised = 1;
  return MS_NN_NONE;
}

static enum ms_nn_status driver_copy_to(uint64_t size) {
  if (size != 16) return MS_NN_INVALID_ARGUMENT;
  return is_initialised ? MS_NN_NONE : MS_NN_GENERAL_FAILURE;
}

/* The reference: its tables and its memory are ours. */
static void* take(void* context, uint64_t size) { (void)context; return malloc(size); }
static void give(void* context, void* bytes, uint64_t size) { (void)context; (void)size; free(bytes); }

int main(void) {
  static struct ms_nn_buffer buffers[4];
  static struct ms_nn_token_row tokens[5];
  static struct ms_nn_role_row roles[8];
  struct ms_nn_service service = {.buffers = buffers, .buffer_count = 4, .tokens = tokens, .token_count = 5,
                                  .roles = roles, .role_count = 8, .take = take, .give = give};
  const struct ms_nn_device device = {.service = &service};
  const struct ms_nn_operand tensor = {.type = 3, .shape = {2, {2, 2}}}; /* TENSOR_FLOAT32 */
  const struct ms_nn_model model = {&device, &tensor, 1, &tensor, 1}, *const models[] = {&model};
  const struct ms_nn_role input = {.model = 0, .io = 0, .probability = 1.0F};
  const struct ms_nn_desc desc = {.models = models, .model_count = 1, .inputs = &input, .input_count = 1};
  const struct ms_nn_shape none = {0, {0}};
  struct ms_nn_allocated made;
  static unsigned char bytes[32];
  int differ = 0;
  ms_nn_init(&service);
  if (ms_nn_allocate(&device, &desc, &made) != MS_NN_NONE) return 2;

  const struct { char call; uint64_t size; } steps[] = {{'t', 16}, {'f', 16}, {'t', 16}, {'f', 32}, {'t', 16}, {'t', 8}};
  for (size_t at = 0; at < sizeof steps / sizeof steps[0]; ++at) {
    const struct ms_nn_memory memory = {.size = steps[at].size, .bytes = bytes};
    const int from = steps[at].call == 'f';
    const int wanted = from ? ms_nn_copy_from(made.buffer, &memory, &none) : ms_nn_copy_to(made.buffer, &memory);
    const int is = from ? driver_copy_from(memory.size) : driver_copy_to(memory.size);
    if (is != wanted) {
      printf("step %zu, %s of %d bytes: %d, should be %d\n", at, from ? "copyFrom" : "copyTo", (int)memory.size, is, wanted);
      differ = 1;
    }
  }
  ms_nn_release(made.buffer);
  return differ;
}
