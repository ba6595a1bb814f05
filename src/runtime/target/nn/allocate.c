/* IDevice::allocate: the tests of a descriptor, in the order in which they are made. */
#include "internal.h"

static enum ms_nn_test test_role(const struct ms_nn_device* device, const struct ms_nn_desc* desc,
                                 const struct ms_nn_role* role, int is_output) {
  /* What is negative is too large, too. */
  if ((uint32_t)role->model >= desc->model_count) {
    return MS_NN_MODEL_INDEX;
  }
  const struct ms_nn_model* const model = desc->models[role->model];
  if (model == NULL) {
    return MS_NN_MODEL_NULL;
  }
  if (model->device != device) {
    return MS_NN_MODEL_FOREIGN;
  }
  if ((uint32_t)role->io >= (is_output ? model->output_count : model->input_count)) {
    return MS_NN_IO_INDEX;
  }
  /* So that what is no number fails, too. */
  return role->probability > 0.0F && role->probability <= 1.0F ? MS_NN_PASSED : MS_NN_PROBABILITY;
}

/* By the model itself: one that is listed twice is still one. */
static enum ms_nn_test test_unique(const struct ms_nn_desc* desc, const struct ms_nn_role* roles, uint32_t count) {
  for (uint32_t at = 0; at < count; ++at) {
    for (uint32_t before = 0; before < at; ++before) {
      if (desc->models[roles[before].model] == desc->models[roles[at].model] && roles[before].io == roles[at].io) {
        return MS_NN_ROLE_TWICE;
      }
    }
  }
  return MS_NN_PASSED;
}

static enum ms_nn_test test_roles(const struct ms_nn_device* device, const struct ms_nn_desc* desc) {
  for (uint32_t at = 0; at < desc->input_count; ++at) {
    const enum ms_nn_test test = test_role(device, desc, &desc->inputs[at], 0);
    if (test != MS_NN_PASSED) {
      return test;
    }
  }
  for (uint32_t at = 0; at < desc->output_count; ++at) {
    const enum ms_nn_test test = test_role(device, desc, &desc->outputs[at], 1);
    if (test != MS_NN_PASSED) {
      return test;
    }
  }
  const enum ms_nn_test test = test_unique(desc, desc->inputs, desc->input_count);
  return test != MS_NN_PASSED ? test : test_unique(desc, desc->outputs, desc->output_count);
}

static int same_extra(const struct ms_nn_operand* one, const struct ms_nn_operand* other) {
  const unsigned char* const left = one->extra;
  const unsigned char* const right = other->extra;
  if (one->extra_size != other->extra_size) {
    return 0;
  }
  for (uint32_t at = 0; at < one->extra_size; ++at) {
    if (left[at] != right[at]) {
      return 0;
    }
  }
  return 1;
}

enum ms_nn_test ms_nn_test_operands(const struct ms_nn_operand* first, const struct ms_nn_operand* other) {
  if (first->type != other->type) {
    return MS_NN_TYPE;
  }
  if (first->scale != other->scale) {
    return MS_NN_SCALE;
  }
  if (first->zero_point != other->zero_point) {
    return MS_NN_ZERO_POINT;
  }
  /* What an extension's parameters mean, only its vendor knows. */
  if (!ms_nn_is_extension(first->type) && !same_extra(first, other)) {
    return MS_NN_EXTRA;
  }
  return MS_NN_PASSED;
}

static const struct ms_nn_operand* operand_of(const struct ms_nn_desc* desc, uint64_t at) {
  if (at < desc->input_count) {
    return &desc->models[desc->inputs[at].model]->inputs[desc->inputs[at].io];
  }
  const struct ms_nn_role* const role = &desc->outputs[at - desc->input_count];
  return &desc->models[role->model]->outputs[role->io];
}

/* One operand that is all of them. */
static enum ms_nn_test test_all(const struct ms_nn_desc* desc, struct ms_nn_operand* found) {
  const uint64_t count = (uint64_t)desc->input_count + desc->output_count;
  *found = *operand_of(desc, 0);
  found->shape = desc->shape;
  for (uint64_t at = 0; at < count; ++at) {
    const enum ms_nn_test test = ms_nn_test_operands(found, operand_of(desc, at));
    if (test != MS_NN_PASSED) {
      return test;
    }
  }
  if (!ms_nn_is_shape(&desc->shape)) {
    return MS_NN_DIMENSIONS;
  }
  for (uint64_t at = 0; at < count; ++at) {
    if (!ms_nn_combine(&found->shape, &operand_of(desc, at)->shape, &found->shape)) {
      return MS_NN_DIMENSIONS;
    }
  }
  return ms_nn_is_scalar(found->type) && found->shape.rank != 0 ? MS_NN_SCALAR : MS_NN_PASSED;
}

/* Bytes in the device's layout; of a shape that comes later as many as the device gives such. */
static enum ms_nn_test capacity_of(const struct ms_nn_device* device, const struct ms_nn_operand* operand,
                                   uint64_t* capacity) {
  if (ms_nn_is_extension(operand->type)) {
    return MS_NN_EXTENSION;
  }
  switch (ms_nn_size(operand->type, &operand->shape, capacity)) {
    case MS_NN_KNOWN:
      if (device->layout != NULL) {
        *capacity = device->layout->size(device->layout_context, operand);
      }
      break;
    case MS_NN_UNKNOWN:
      *capacity = device->late_bytes;
      break;
    default:
      *capacity = 0;
      break;
  }
  return *capacity != 0 ? MS_NN_PASSED : MS_NN_SIZE;
}

static enum ms_nn_test test_desc(const struct ms_nn_device* device, const struct ms_nn_desc* desc,
                                 struct ms_nn_operand* operand) {
  if (desc->model_count == 0) {
    return MS_NN_NO_MODEL;
  }
  if (desc->input_count == 0 && desc->output_count == 0) {
    return MS_NN_NO_ROLE;
  }
  const enum ms_nn_test test = test_roles(device, desc);
  return test != MS_NN_PASSED ? test : test_all(desc, operand);
}

enum ms_nn_status ms_nn_allocate(const struct ms_nn_device* device, const struct ms_nn_desc* desc,
                                 struct ms_nn_allocated* allocated) {
  struct ms_nn_operand operand = {0, 0.0F, 0, {0, {0}}, NULL, 0};
  uint64_t capacity = 0;
  *allocated = (struct ms_nn_allocated){NULL, 0, MS_NN_PASSED};
  allocated->test = test_desc(device, desc, &operand);
  if (allocated->test != MS_NN_PASSED) {
    return MS_NN_INVALID_ARGUMENT;
  }
  allocated->test = capacity_of(device, &operand, &capacity);
  if (allocated->test == MS_NN_PASSED) {
    allocated->test = ms_nn_enter(device, desc, &operand, capacity, allocated);
  }
  return allocated->test == MS_NN_PASSED ? MS_NN_NONE : MS_NN_GENERAL_FAILURE;
}
