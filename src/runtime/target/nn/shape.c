/* Shapes, and how many bytes a type has of them. */
#include "internal.h"

int ms_nn_is_shape(const struct ms_nn_shape* shape) {
  if (shape->rank > MS_NN_RANK) {
    return 0;
  }
  for (uint32_t axis = 0; axis < shape->rank; ++axis) {
    if (shape->dims[axis] > INT32_MAX) {
      return 0; /* a negative number of AIDL's */
    }
  }
  return 1;
}

int ms_nn_same_shape(const struct ms_nn_shape* one, const struct ms_nn_shape* other) {
  if (one->rank != other->rank) {
    return 0;
  }
  for (uint32_t axis = 0; axis < one->rank; ++axis) {
    if (one->dims[axis] != other->dims[axis]) {
      return 0;
    }
  }
  return 1;
}

int ms_nn_combine(const struct ms_nn_shape* one, const struct ms_nn_shape* other, struct ms_nn_shape* both) {
  const struct ms_nn_shape left = *one;
  const struct ms_nn_shape right = *other;
  if (left.rank == 0 || right.rank == 0) {
    *both = left.rank == 0 ? right : left;
    return 1;
  }
  if (left.rank != right.rank) {
    return 0;
  }
  for (uint32_t axis = 0; axis < left.rank; ++axis) {
    if (left.dims[axis] != 0 && right.dims[axis] != 0 && left.dims[axis] != right.dims[axis]) {
      return 0;
    }
  }
  *both = left;
  for (uint32_t axis = 0; axis < left.rank; ++axis) {
    both->dims[axis] = left.dims[axis] != 0 ? left.dims[axis] : right.dims[axis];
  }
  return 1;
}

/* OperandType: bytes of an element, and whether it is the only one. */
struct type_row {
  int32_t type;
  uint32_t size;
  int is_scalar;
};

static const struct type_row types[] = {
    {0, 4, 1},  {1, 4, 1},  {2, 4, 1},  {3, 4, 0},  {4, 4, 0},  {5, 1, 0},  {6, 1, 1},     {7, 2, 0},    {8, 2, 0},
    {9, 1, 0},  {10, 2, 1}, {11, 1, 0}, {12, 2, 0}, {13, 1, 0}, {14, 1, 0}, {15, 0, 1},    {10000, 0, 1}, {10001, 1, 0},
};

static const struct type_row* row_of(int32_t type) {
  for (size_t row = 0; row < sizeof types / sizeof types[0]; ++row) {
    if (types[row].type == type) {
      return &types[row];
    }
  }
  return NULL;
}

int ms_nn_is_extension(int32_t type) { return (uint32_t)type > 0xFFFF; }

int ms_nn_is_scalar(int32_t type) {
  const struct type_row* const row = row_of(type);
  return row != NULL && row->is_scalar;
}

enum ms_nn_known ms_nn_size(int32_t type, const struct ms_nn_shape* shape, uint64_t* size) {
  const struct type_row* const row = row_of(type);
  *size = 0;
  if (row == NULL || row->size == 0) {
    return MS_NN_UNKNOWN;
  }
  if (row->is_scalar) {
    *size = row->size;
    return MS_NN_KNOWN;
  }
  if (shape->rank == 0) {
    return MS_NN_UNKNOWN;
  }
  for (uint32_t axis = 0; axis < shape->rank; ++axis) {
    if (shape->dims[axis] == 0) {
      return MS_NN_UNKNOWN;
    }
  }
  uint64_t bytes = row->size;
  for (uint32_t axis = 0; axis < shape->rank; ++axis) {
    bytes *= shape->dims[axis];
    if (bytes > UINT32_MAX) {
      return MS_NN_TOO_LARGE;
    }
  }
  *size = bytes;
  return MS_NN_KNOWN;
}

int ms_nn_is_full(int32_t type, const struct ms_nn_shape* shape) {
  if (ms_nn_is_scalar(type)) {
    return 1;
  }
  for (uint32_t axis = 0; axis < shape->rank; ++axis) {
    if (shape->dims[axis] == 0) {
      return 0;
    }
  }
  return shape->rank != 0;
}
