// Any bytes as what tools print about plans: TFLM, Vela, AutoTiler, EON and programs of ARES.
#include "check.hpp"
#include "plan_check.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

MEMSIZE_FUZZ_TARGET(plan_prints) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  for (const char* const format : {"tflm", "vela", "autotiler", "ares-log", "eon"}) {
    (void)memsize::fuzz::read_as(text, format);
  }
  (void)memsize::readers::plan_reader_of(text);
  return 0;
}
