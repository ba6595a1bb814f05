// Names of demands, sizes in KiB, missing figures, and the warning that another SDK generation
// needs more, for text, CSV, Markdown and JSON alike.
#include "report_parts.hpp"

#include "memsize/core/json.hpp"
#include "memsize/core/text.hpp"

#include <fmt/format.h>

namespace memsize::cli {

using core::Bytes;

std::string demand_name(const board::DemandKey& key) {
  return fmt::format(
      "{} {} {}", key.space, model::name_of(key.cacheability), model::name_of(key.lifetime));
}

void add_class(core::Json& json,
               const std::string& space,
               model::Cacheability cacheability,
               std::optional<model::Lifetime> lifetime) {
  json["space"] = space;
  json["cacheability"] = model::name_of(cacheability);
  if (lifetime) {
    json["lifetime"] = model::name_of(*lifetime);
  }
}

std::string kib(Bytes size) {
  return fmt::format("{:.2f} KiB", static_cast<double>(size.count()) / 1024.0);
}

std::string optional_size(const std::optional<Bytes>& size) {
  return size ? core::format_size(*size) : std::string{"-"};
}

std::string caveat_of(const Analysis& analysis, const sizing::Demand& demand) {
  if (!demand.forecast || demand.forecast == demand.suggested || !analysis.board) {
    return {};
  }
  return fmt::format("{} needs {}",
                     analysis.format.titles_of(analysis.board->possible_generations()),
                     core::format_size(*demand.forecast));
}

}  // namespace memsize::cli
