// Any bytes as a table of lifetimes: errors, or a plan that comes back as it was when it is written
// and read again.
#include "memsize/emit/plan_files.hpp"

#include "check.hpp"
#include "plan_check.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

using memsize::fuzz::require;

MEMSIZE_FUZZ_TARGET(lifetime_csv) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto report = memsize::fuzz::read_as(text, "lifetime-csv");
  if (!report) {
    return 0;
  }
  const std::string written = memsize::emit::plan_json(*report);
  const auto again = memsize::fuzz::read_as(written, "memsize-plan");
  if (again) {
    require(again->blocks.size() == report->blocks.size(), "no block is lost");
    for (std::size_t i = 0; i < again->blocks.size(); ++i) {
      const auto& a = report->blocks[i];
      const auto& b = again->blocks[i];
      require(a.id == b.id && a.live == b.live && a.size == b.size && a.offset == b.offset &&
                  a.alignment == b.alignment && a.role == b.role && a.memory == b.memory,
              "a block comes back as it was");
    }
  }
  return 0;
}
