// A table for each image: of each region that it uses, how much, and what lies at the end apart
// from the rest.
#include "report_firmware.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "show/table.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Json;

std::string what_of(const layout::FirmwareUse& use) {
  if (use.is_kept) {
    return "only reserved";
  }
  std::string text = use.high == core::Bytes{} || use.low == core::Bytes{}
                         ? std::string{}
                         : fmt::format("{} of it at the end", core::format_size(use.high));
  if (use.need != use.used()) {
    text += fmt::format("{}needs {}", text.empty() ? "" : ", ", core::format_size(use.need));
  }
  if (use.moves != core::Bytes{}) {
    text += fmt::format(
        "{}up to {} more where it moves", text.empty() ? "" : ", ", core::format_size(use.moves));
  }
  return text;
}

std::string kind_of(const model::Resource& entry) {
  switch (entry.type) {
    case model::kCarveoutResource:
      return "carveout";
    case model::kMemoryResource:
      return "devmem";
    case model::kTraceResource:
      return "trace";
    case model::kVirtioResource:
      return "vdev";
    default:
      return entry.type >= model::kVendorResource && entry.type <= model::kLastVendorResource
                 ? "vendor"
                 : "unknown";
  }
}

std::string address_text(std::uint32_t address) {
  return address == model::kAnyAddress ? "anywhere" : "at " + core::format_hex(address);
}

// "vdev 7 with 2 vrings (256 buffers anywhere, 256 buffers anywhere)"
std::string entry_text(const model::Resource& entry) {
  if (entry.type > model::kVirtioResource) {
    return fmt::format("{} entry of type {:#x}", kind_of(entry), entry.type);
  }
  if (entry.type != model::kVirtioResource) {
    return fmt::format("{} '{}', {} {}",
                       kind_of(entry),
                       core::printable(entry.name, 40),
                       core::format_size(entry.size),
                       address_text(entry.device_address));
  }
  const std::vector<std::string> vrings =
      core::texts_of(entry.vrings, [](const model::ResourceVring& vring) {
        return fmt::format(
            "{} {}", core::plural(vring.buffers, "buffer"), address_text(vring.device_address));
      });
  return fmt::format("vdev {}, {}{}",
                     entry.id,
                     core::plural(entry.vrings.size(), "vring"),
                     vrings.empty() ? "" : ": " + core::join(vrings, ", "));
}

std::string resources_text(const std::optional<model::ResourceTable>& table) {
  if (!table) {
    return {};
  }
  constexpr std::size_t kMost = 16;
  std::string text = fmt::format("  resource table at {}, {}\n",
                                 core::format_hex(table->address),
                                 core::format_bytes(table->size));
  for (std::size_t i = 0; i < std::min(table->entries.size(), kMost); ++i) {
    text += fmt::format("    {}\n", entry_text(table->entries[i]));
  }
  if (table->entries.size() > kMost) {
    text += fmt::format("    and {} more\n", table->entries.size() - kMost);
  }
  return text;
}

Json entry_json(const model::Resource& entry) {
  Json json = {{"type", entry.type}, {"kind", kind_of(entry)}};
  if (entry.type == model::kVirtioResource) {
    json["id"] = entry.id;
    json["vrings"] = Json::array(entry.vrings, [](const model::ResourceVring& vring) {
      Json item = {{"alignment", vring.alignment}, {"buffers", vring.buffers}};
      if (vring.device_address != model::kAnyAddress) {
        item["device_address"] = core::format_hex(vring.device_address);
      }
      return item;
    });
  } else if (entry.type < model::kVirtioResource) {
    json["size_bytes"] = entry.size.count();
    json["name"] = core::printable(entry.name, 40);
    if (entry.device_address != model::kAnyAddress) {
      json["device_address"] = core::format_hex(entry.device_address);
    }
  }
  return json;
}

Json table_json(const model::ResourceTable& table) {
  return {{"address", core::format_hex(table.address)},
          {"size_bytes", table.size.count()},
          {"entries", Json::array(table.entries, entry_json)}};
}

// A map does not say.
std::string machine_of(const app::CheckedFirmware& checked) {
  if (checked.bits == 0) {
    return "map of TI's linker";
  }
  return fmt::format(
      "{}{}{} bit", checked.machine, checked.machine.empty() ? "" : ", ", checked.bits);
}

Json use_json(const layout::FirmwareUse& use) {
  Json json = {{"name", use.region},
               {"reserved_bytes", use.reserved.count()},
               {"low_bytes", use.low.count()},
               {"high_bytes", use.high.count()},
               {"only_reserved", use.is_kept},
               {"need_bytes", use.need.count()}};
  if (use.moves != core::Bytes{}) {
    json["moves_bytes"] = use.moves.count();
  }
  json.set_if_any("knob", use.knob);
  return json;
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
    text += resources_text(checked.found.resources);
  }
  return text;
}

core::Json::Array firmware_json(const std::vector<app::CheckedFirmware>& firmware) {
  core::Json::Array items;
  for (const app::CheckedFirmware& checked : firmware) {
    Json json = {{"path", checked.path}, {"format", checked.format}, {"bits", checked.bits}};
    json.set_if_any("sha256", checked.found.sha256);
    json.set_if_any("machine", checked.machine);
    json.set_if_any("core", checked.found.core);
    json["regions"] = Json::array(checked.found.regions, use_json);
    if (checked.found.resources) {
      json["resource_table"] = table_json(*checked.found.resources);
    }
    items.push_back(std::move(json));
  }
  return items;
}

}  // namespace memsize::cli
