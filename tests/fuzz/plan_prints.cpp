// Any bytes as what tools print about plans: TFLM, Vela, AutoTiler and programs of ARES.
#include "plan_check.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  for (const char* const format : {"tflm", "vela", "autotiler", "ares-log"}) {
    (void)memsize::fuzz::read_as(text, format);
  }
  (void)memsize::readers::plan_reader_of(text);
  return 0;
}
