// Names of demands, sizes in KiB and missing figures, for text, CSV and Markdown alike.
#include "report_parts.hpp"

#include "memsize/core/text.hpp"

#include <fmt/format.h>

namespace memsize::cli {

using core::Bytes;

std::string demand_name(const board::DemandKey& key, bool is_alone) {
  return is_alone && key.space != "ddr" ? key.space
                                        : fmt::format("{} {} {}",
                                                      key.space,
                                                      model::name_of(key.cacheability),
                                                      model::name_of(key.lifetime));
}

std::string kib(Bytes size) {
  return fmt::format("{:.2f} KiB", static_cast<double>(size.count()) / 1024.0);
}

std::string optional_size(const std::optional<Bytes>& size) {
  return size ? core::format_size(*size) : std::string{"-"};
}

}  // namespace memsize::cli
