// The memories of a part as a table, the sections of its linker scripts as another. What nobody
// found out is told, or it would look like memory that stays empty.
#include "part_report.hpp"

#include "memsize/core/text.hpp"

#include "table.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Json;

std::string address_or_none(const std::optional<core::PhysAddr>& address) {
  return address ? core::format_address(*address) : "-";
}

// A window that lacks four bytes of its memory must not look like the whole of it.
std::string exact(core::Bytes size) {
  constexpr std::uint64_t kKib = 1024;
  return size.count() % kKib == 0 ? core::format_size(size) : core::format_bytes(size);
}

Table memory_table(const board::MemorySet& part) {
  Table table{.columns = {{"memory"},
                          {"address", true},
                          {"hardware", true},
                          {"window", true},
                          {"budget", true},
                          {"cost", true},
                          {"writable"},
                          {"constants from it"},
                          {"tensors"}}};
  if (!part.machine.empty()) {
    table.columns.push_back({"on " + part.machine, true});
  }
  for (const board::PartMemory& memory : part.memories) {
    table.rows.push_back({memory.name,
                          address_or_none(memory.base),
                          exact(memory.hardware),
                          exact(memory.window),
                          exact(board::budget_of(memory)),
                          fmt::format("{}", memory.cost),
                          memory.writable ? "yes" : "no",
                          memory.is_volatile ? "no" : "yes",
                          memory.by_rule ? "by rule" : "always"});
    if (!part.machine.empty()) {
      table.rows.back().push_back(address_or_none(board::emulated_at(part, memory)));
    }
  }
  return table;
}

std::string_view start_up_words(const board::PartSection& section) {
  switch (section.start_up) {
    case board::StartUp::kClears:
      return "cleared";
    case board::StartUp::kCopies:
      return "copied";
    case board::StartUp::kNone:
      break;
  }
  return "-";
}

Table section_table(const board::MemorySet& part) {
  Table table{
      .columns = {{"memory"}, {"section"}, {"holds"}, {"at start"}, {"attribute"}, {"toolchain"}}};
  for (const board::PartMemory& memory : part.memories) {
    for (const board::PartSection& section : memory.sections) {
      table.rows.push_back({memory.name,
                            section.name,
                            std::string{name_of(section.holds)},
                            std::string{start_up_words(section)},
                            section.attribute.empty() ? "-" : section.attribute,
                            section.toolchain.empty() ? "all" : section.toolchain});
    }
  }
  return table;
}

std::vector<std::string> without_sections(const board::MemorySet& part) {
  std::vector<std::string> names;
  for (const board::PartMemory& memory : part.memories) {
    if (memory.sections.empty()) {
      names.push_back(memory.name);
    }
  }
  return names;
}

Json section_json(const board::PartSection& section) {
  Json json{{"name", section.name},
            {"holds", name_of(section.holds)},
            {"start_up", name_of(section.start_up)}};
  if (!section.attribute.empty()) {
    json["attribute"] = section.attribute;
  }
  if (!section.toolchain.empty()) {
    json["toolchain"] = section.toolchain;
  }
  return json;
}

Json memory_json(const board::MemorySet& part, const board::PartMemory& memory) {
  Json json{{"name", memory.name},
            {"hardware_bytes", memory.hardware.count()},
            {"window_bytes", memory.window.count()},
            {"budget_bytes", board::budget_of(memory).count()},
            {"arena_alignment", memory.arena_alignment.value()},
            {"cost", memory.cost},
            {"writable", memory.writable},
            {"volatile", memory.is_volatile},
            {"by_rule", memory.by_rule},
            {"source", memory.source}};
  const auto keep = [&](const char* key, const std::optional<core::PhysAddr>& address) {
    if (address) {
      json[key] = fmt::format("0x{:x}", address->value());
    }
  };
  if (!memory.also.empty()) {
    json["also"] = memory.also;
  }
  keep("address", memory.base);
  keep("emulated_address", board::emulated_at(part, memory));
  for (const board::PartConsumer& consumer : memory.consumers) {
    Json item = {{"name", consumer.name},
                 {"size_bytes", consumer.size.count()},
                 {"in_image", consumer.in_image},
                 {"source", consumer.source}};
    item.set_if_any("knob", consumer.knob);
    item.set_if_any("of", consumer.of);
    json["consumers"].push_back(std::move(item));
  }
  json["sections"] = Json::array();
  for (const board::PartSection& section : memory.sections) {
    json["sections"].push_back(section_json(section));
  }
  return json;
}

// What a part gives to tiles, by the names of knobs.
struct TileRow {
  const char* knob = "";
  std::optional<core::Bytes> size;
  std::uint64_t count = 0;
};

std::vector<TileRow> tile_rows(const board::TileRules& tiles) {
  return {{"l1", tiles.l1},
          {"l2", tiles.l2},
          {"dma_longest", tiles.dma_longest},
          {"dma_open", {}, tiles.dma_open},
          {"stage", tiles.stage},
          {"stage_linear", tiles.stage_linear},
          {"stage_attention", tiles.stage_attention},
          {"activations", tiles.activations},
          {"activation_spill", tiles.activation_spill},
          {"workers", {}, tiles.workers}};
}

// Knobs of --set, with what they are now: of tiles, then of what takes bytes besides.
std::string knobs_text(const board::MemorySet& part) {
  Table table{.columns = {{"knob"}, {"is", true}, {"of"}}};
  for (const TileRow& row : part.tiles ? tile_rows(*part.tiles) : std::vector<TileRow>{}) {
    if (row.size || row.count != 0) {
      table.rows.push_back({row.knob,
                            row.size ? core::format_bytes(*row.size) : fmt::format("{}", row.count),
                            "tiles"});
    }
  }
  for (const board::PartMemory& memory : part.memories) {
    for (const board::PartConsumer& consumer : memory.consumers) {
      table.rows.push_back({consumer.knob.empty() ? "-" : consumer.knob,
                            core::format_bytes(consumer.size),
                            fmt::format("{} in {}{}",
                                        consumer.name,
                                        memory.name,
                                        consumer.of.empty() ? "" : ", of " + consumer.of)});
    }
  }
  return table.rows.empty() ? std::string{} : "\n" + table.text(0);
}

}  // namespace

std::string part_text(const board::MemorySet& part) {
  std::string text = fmt::format("{}: {}\n", part.name, part.title);
  if (!part.core.empty()) {
    text += fmt::format("  core {}{}\n", part.core, part.mve ? " with MVE" : "");
  }
  text += fmt::format("  every tensor begins at a multiple of {} B\n", part.alignment.value());
  if (!part.machine.empty()) {
    text += fmt::format("  QEMU's {} stands in for it\n", part.machine);
  }
  for (const std::string& source : part.sources) {
    text += fmt::format("  from {}\n", source);
  }
  for (const board::PartMemory& memory : part.memories) {
    text += fmt::format("  {} from {}\n", memory.name, memory.source);
    if (!memory.also.empty()) {
      text +=
          fmt::format("  reports call {} also {}\n", memory.name, core::join(memory.also, ", "));
    }
  }
  text += "\n" + memory_table(part).text(0);
  text += knobs_text(part);
  if (const Table sections = section_table(part); !sections.rows.empty()) {
    text += "\n" + sections.text(0);
  }
  if (const std::vector<std::string> names = without_sections(part); !names.empty()) {
    text += fmt::format("\nno section of a linker script is known to lie in {}\n",
                        core::join(names, ", "));
  }
  return text;
}

core::Json part_document(const board::MemorySet& part) {
  Json json{{"name", part.name}, {"title", part.title}, {"alignment", part.alignment.value()}};
  if (!part.core.empty()) {
    json["core"] = part.core;
    json["mve"] = part.mve;
  }
  if (!part.machine.empty()) {
    json["machine"] = part.machine;
  }
  json["sources"] = part.sources;
  for (const TileRow& row : part.tiles ? tile_rows(*part.tiles) : std::vector<TileRow>{}) {
    if (row.size || row.count != 0) {
      json["tiles"][row.knob] = row.size ? row.size->count() : row.count;
    }
  }
  json["memories"] = Json::array();
  for (const board::PartMemory& memory : part.memories) {
    json["memories"].push_back(memory_json(part, memory));
  }
  return json;
}

std::string part_passed(const board::MemorySet& part) {
  std::size_t sections = 0;
  std::size_t emulated = 0;
  for (const board::PartMemory& memory : part.memories) {
    sections += memory.sections.size();
    emulated += board::emulated_at(part, memory) ? 1U : 0U;
  }
  std::string text = fmt::format("{}: {} and {} passed",
                                 part.name,
                                 core::plural(part.memories.size(), "memory", "memories"),
                                 core::plural(sections, "section"));
  if (part.machine_is_known) {
    text += fmt::format("; {} has room for {}", part.machine, emulated);
  } else if (!part.machine.empty()) {
    text += fmt::format("; what {} has room for is not known", part.machine);
  }
  return text + "\n";
}

}  // namespace memsize::cli
