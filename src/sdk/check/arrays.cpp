// Holds each array that the C code puts into a section against the region which the linker's
// command file has for that section: whether it is the region whose size the array has, and is
// full.
#include "arrays.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;

class ArrayChecker {
 public:
  ArrayChecker(const CoreReading& core, core::Diagnostics& found) : core_(core), found_(found) {}

  void run() {
    for (const PlacedArray& array : core_.arrays) {
      const OutputSection* section =
          core::find_in(core_.sections, array.section, &OutputSection::name);
      if (section == nullptr || section->regions.size() != 1) {
        continue;
      }
      const SectionRegion& place = section->regions.front();
      if (const emit::WrittenRange* region = find(place.name)) {
        check(array, place, *region);
      }
    }
  }

 private:
  [[nodiscard]] const emit::WrittenRange* find(const std::string& region) const {
    return core::find_in(core_.linker, region, &emit::WrittenRange::name);
  }

  void check(const PlacedArray& array,
             const SectionRegion& place,
             const emit::WrittenRange& region) {
    const bool fits = array.size.value <= region.size;
    if (array.region != region.name && find(array.region) != nullptr) {
      tell(fits,
           fmt::format("'{}' of {} goes to '{}', but '{}' in it has the size of '{}'",
                       core::printable(array.section, 60),
                       core_.name,
                       region.name,
                       core::printable(array.name, 60),
                       array.region),
           fmt::format("place the section in '{}'", array.region),
           array,
           place);
      return;
    }
    const std::string sizes = fmt::format("'{}' of {} has {}, but '{}', which '{}' goes to, has {}",
                                          core::printable(array.name, 60),
                                          core_.name,
                                          core::format_size(core::Bytes{array.size.value}),
                                          region.name,
                                          core::printable(array.section, 60),
                                          core::format_size(core::Bytes{region.size}));
    const std::string hint = fmt::format("let {} be {}_SIZE, which follows the map",
                                         core::printable(array.size.text, 60),
                                         region.name);
    if (!fits) {
      const std::string lacking = core::format_size(core::Bytes{array.size.value - region.size});
      tell(false, fmt::format("{}, {} too few", sizes, lacking), hint, array, place);
    } else if (array.size.value < region.size && is_alone(region.name)) {
      const std::string rest = core::format_size(core::Bytes{region.size - array.size.value});
      tell(true,
           fmt::format("{}: no other section takes the other {}", sizes, rest),
           hint,
           array,
           place);
    }
  }

  [[nodiscard]] bool is_alone(const std::string& region) const {
    const auto goes_there = [&](const OutputSection& section) {
      return core::contains(section.regions, region, &SectionRegion::name) ||
             core::contains(section.load_regions, region, &SectionRegion::name);
    };
    return std::ranges::count_if(core_.sections, goes_there) == 1;
  }

  void tell(bool fits,
            std::string message,
            std::string hint,
            const PlacedArray& array,
            const SectionRegion& place) {
    const auto make = fits ? core::warning : core::error;
    found_.push_back(
        make(Code::kSdkDisagree, std::move(message), place.place, std::move(hint))
            .about({{"section", array.section}, {"core", core_.name}, {"region", place.name}})
            .beside(array.place, "the array is here"));
  }

  const CoreReading& core_;
  core::Diagnostics& found_;
};

}  // namespace

void check_arrays(const CoreReading& core, core::Diagnostics& found) {
  ArrayChecker{core, found}.run();
}

}  // namespace memsize::sdk
