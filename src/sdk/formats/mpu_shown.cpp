// From the first to the last piece under the lens.
#include "mpu_shown.hpp"

namespace memsize::sdk {

ShownRange shown_by(const chip::MpuRegionFields& region) {
  const chip::Lens lens{{region.layer()}};
  const auto& shown = lens.shown();
  return shown.empty() ? ShownRange{region.base, region.base, false}
                       : ShownRange{shown.front().base, shown.back().last + 1, shown.size() > 1};
}

}  // namespace memsize::sdk
