// Any bytes as a TensorFlow Lite model: errors, or blocks that every check may take.
#include "check.hpp"
#include "plan_check.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

MEMSIZE_FUZZ_TARGET(tflite) {
  (void)memsize::fuzz::read_as({reinterpret_cast<const char*>(data), size}, "tflite");
  return 0;
}
