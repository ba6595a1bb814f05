// Any bytes as a model whose constants are read: errors, or bytes in the text for each constant
// that the model's reader finds, of the size that it says.
#include "memsize/readers/constants_reader.hpp"
#include "memsize/readers/plan_reader.hpp"

#include "check.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

MEMSIZE_FUZZ_TARGET(constants) {
  using memsize::fuzz::require;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto constants = memsize::readers::read_constants(text, "m.tflite");
  if (!constants) {
    require(!constants.error().empty(), "constants fail without an error");
    return 0;
  }
  for (const auto& [id, bytes] : *constants) {
    require(bytes.data() >= text.data() && bytes.data() + bytes.size() <= text.data() + size,
            "bytes of a constant lie outside the model");
  }
  const auto model = memsize::readers::read_plan(text, "m.tflite");
  require(model.has_value(), "constants are read of a model that is refused");
  for (const auto& block : model->blocks) {
    if (block.role == memsize::model::Lifetime::kConstant) {
      const auto found = constants->find(block.id);
      require(found != constants->end() && found->second.size() == block.size.count(),
              "a constant has no bytes, or others than the model says");
    }
  }
  return 0;
}
