/* Where bytes are: a client's memory, and the layout of a device. */
#include "internal.h"

typedef uintptr_t __attribute__((may_alias)) word;

void ms_nn_copy_bytes(unsigned char* target, const unsigned char* source, uint64_t size) {
  uint64_t at = 0;
  if ((((uintptr_t)target | (uintptr_t)source) & (sizeof(word) - 1)) == 0) {
    for (; size - at >= sizeof(word); at += sizeof(word)) {
      const word value = __atomic_load_n((const word*)(const void*)(source + at), __ATOMIC_RELAXED);
      __atomic_store_n((word*)(void*)(target + at), value, __ATOMIC_RELAXED);
    }
  }
  for (; at < size; ++at) {
    __atomic_store_n(target + at, __atomic_load_n(source + at, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
  }
}

int ms_nn_has_room(const struct ms_nn_buffer* buffer, const struct ms_nn_operand* operand) {
  const struct ms_nn_device* const device = buffer->device;
  uint64_t size = 0;
  if (ms_nn_size(operand->type, &operand->shape, &size) != MS_NN_KNOWN) {
    return 0;
  }
  if (device->layout != NULL) {
    size = device->layout->size(device->layout_context, operand);
  }
  return size != 0 && size <= buffer->capacity;
}

void ms_nn_pack(const struct ms_nn_buffer* buffer, const struct ms_nn_operand* operand, const unsigned char* raw,
                uint64_t size) {
  const struct ms_nn_device* const device = buffer->device;
  if (device->layout != NULL) {
    device->layout->pack(device->layout_context, operand, buffer->bytes, raw);
  } else {
    ms_nn_copy_bytes(buffer->bytes, raw, size);
  }
}

void ms_nn_unpack(const struct ms_nn_buffer* buffer, const struct ms_nn_operand* operand, unsigned char* raw,
                  uint64_t size) {
  const struct ms_nn_device* const device = buffer->device;
  if (device->layout != NULL) {
    device->layout->unpack(device->layout_context, operand, raw, buffer->bytes);
  } else {
    ms_nn_copy_bytes(raw, buffer->bytes, size);
  }
}

enum ms_nn_status ms_nn_check_memory(const struct ms_nn_memory* memory) {
  if (memory == NULL) {
    return MS_NN_INVALID_ARGUMENT;
  }
  return memory->ops != NULL && memory->ops->check != NULL ? memory->ops->check(memory) : MS_NN_NONE;
}

enum ms_nn_status ms_nn_map(const struct ms_nn_memory* memory, struct ms_nn_mapping* mapping) {
  if (memory->ops != NULL) {
    return memory->ops->map(memory, mapping);
  }
  *mapping = (struct ms_nn_mapping){memory->bytes, 1, 1};
  return memory->bytes != NULL ? MS_NN_NONE : MS_NN_GENERAL_FAILURE;
}

void ms_nn_unmap(const struct ms_nn_memory* memory, const struct ms_nn_mapping* mapping) {
  if (memory->ops != NULL && memory->ops->unmap != NULL) {
    memory->ops->unmap(memory, mapping);
  }
}

enum ms_nn_status ms_nn_flush(const struct ms_nn_memory* memory, const struct ms_nn_mapping* mapping) {
  return memory->ops != NULL && memory->ops->flush != NULL ? memory->ops->flush(memory, mapping) : MS_NN_NONE;
}
