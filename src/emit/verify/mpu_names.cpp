// A range, a region with its number and name, an entry with both of its sides, as messages say
// them.
#include "mpu_names.hpp"

#include "memsize/core/address.hpp"
#include "memsize/core/text.hpp"

#include <fmt/format.h>

namespace memsize::emit {

std::string range_text(std::uint64_t base, std::uint64_t size) {
  const auto range = core::VirtRange::make(core::VirtAddr{base}, core::Bytes{size});
  return range ? core::format_range(*range) : "a range that ends above 2^64";
}

std::string named(const chip::MpuRegionFields& region) {
  return region.name.empty()
             ? fmt::format("{}", region.number)
             : fmt::format("{} '{}'", region.number, core::printable(region.name, 60));
}

std::string entry_text(const chip::RatEntryFields& entry) {
  return fmt::format(
      "{} to {}", range_text(entry.local, entry.size), core::format_hex(entry.system));
}

std::string entry_named(const WrittenRatEntry& entry) {
  return fmt::format("'{}', {},", core::printable(entry.fields.name, 60), entry_text(entry.fields));
}

}  // namespace memsize::emit
