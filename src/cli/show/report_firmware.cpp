// A table for each image: of each region that it uses, how much, and what lies at the end apart
// from the rest.
#include "report_firmware.hpp"

#include "memsize/core/text.hpp"

#include "table.hpp"

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Json;

std::string what_of(const layout::FirmwareUse& use) {
  if (use.is_kept) {
    return "only reserved";
  }
  return use.high == core::Bytes{} || use.low == core::Bytes{}
             ? std::string{}
             : fmt::format("{} of it at the end", core::format_size(use.high));
}

// A map of GNU ld does not say.
std::string machine_of(const app::CheckedFirmware& checked) {
  if (checked.bits == 0) {
    return "map of GNU ld";
  }
  return fmt::format(
      "{}{}{} bit", checked.machine, checked.machine.empty() ? "" : ", ", checked.bits);
}

Json use_json(const layout::FirmwareUse& use) {
  return {{"name", use.region},
          {"reserved_bytes", use.reserved.count()},
          {"low_bytes", use.low.count()},
          {"high_bytes", use.high.count()},
          {"only_reserved", use.is_kept}};
}

}  // namespace

std::string firmware_text(const std::vector<app::CheckedFirmware>& firmware) {
  std::string text;
  for (const app::CheckedFirmware& checked : firmware) {
    text += fmt::format("{}: {}{}\n",
                        core::printable(checked.path, 300),
                        checked.found.core.empty() ? "" : checked.found.core + ", ",
                        machine_of(checked));
    Table table{.columns = {{"region"}, {"reserved", true}, {"used", true}, {""}}};
    for (const layout::FirmwareUse& use : checked.found.regions) {
      table.rows.push_back({use.region,
                            core::format_size(use.reserved),
                            core::format_size(use.used()),
                            what_of(use)});
    }
    text += table.rows.empty() ? std::string{} : table.text(2);
  }
  return text;
}

core::Json::Array firmware_json(const std::vector<app::CheckedFirmware>& firmware) {
  core::Json::Array items;
  for (const app::CheckedFirmware& checked : firmware) {
    Json json = {{"path", checked.path}, {"bits", checked.bits}};
    json.set_if_any("machine", checked.machine);
    json.set_if_any("core", checked.found.core);
    json["regions"] = Json::array(checked.found.regions, use_json);
    items.push_back(std::move(json));
  }
  return items;
}

}  // namespace memsize::cli
