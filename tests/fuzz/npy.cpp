// Any bytes as an array of NumPy: an error with a way out, or bytes at the end of the text.
#include "memsize/readers/constants_reader.hpp"

#include "check.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

MEMSIZE_FUZZ_TARGET(npy) {
  using memsize::fuzz::require;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto array = memsize::readers::read_npy(text, "w.npy");
  if (!array) {
    require(array.error().size() == 1 && !array.error().front().hint.empty(),
            "an array fails without a way out");
    return 0;
  }
  require(array->bytes.size() < size && text.ends_with(array->bytes),
          "bytes are not the end of the array");
  return 0;
}
