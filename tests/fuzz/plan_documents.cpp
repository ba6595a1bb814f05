// Any bytes as JSON about plans: ARES's, ST Edge AI's, ExecuTorch's and memsize's own, which is the
// same when it is written and read again.
#include "memsize/emit/plan_files.hpp"

#include "check.hpp"
#include "plan_check.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

using memsize::fuzz::require;

MEMSIZE_FUZZ_TARGET(plan_documents) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  for (const char* const format : {"ares-checkpoint", "ares-levels", "st-edge-ai", "executorch"}) {
    (void)memsize::fuzz::read_as(text, format);
  }
  const auto report = memsize::fuzz::read_as(text, "memsize-plan");
  if (report) {
    const std::string written = memsize::emit::plan_json(*report);
    const auto again = memsize::fuzz::read_as(written, "memsize-plan");
    require(again.has_value(), "what memsize writes it reads");
    require(memsize::emit::plan_json(*again) == written, "a document comes back as it was");
  }
  return 0;
}
