// A table for each image: what start-up clears, copies and leaves alone, apart from what heaps and
// stacks are given, which other tools count as used.
#include "report_image.hpp"

#include "memsize/core/text.hpp"

#include "show/table.hpp"

#include <utility>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Json;

// Without the unit, which the whole table has.
std::string bytes_cell(core::Bytes bytes) {
  if (bytes == core::Bytes{}) {
    return "-";
  }
  std::string text = core::format_bytes(bytes);
  text.erase(text.rfind(' '));
  return text;
}

std::string image_head(const app::CheckedImage& checked) {
  std::string head = core::printable(checked.image.path, 300) + ":";
  if (checked.image.format != "elf") {
    head += " map of GNU ld,";
  }
  if (!checked.image.machine.empty()) {
    head += fmt::format(" {},", checked.image.machine);
  }
  if (checked.image.bits != 0) {
    head += fmt::format(" {} bit,", checked.image.bits);
  }
  head.pop_back();
  if (checked.module.empty()) {
    return head + "\n";
  }
  return fmt::format("{}; {} of module '{}'\n",
                     head,
                     core::plural(checked.found.symbols.size(), "symbol"),
                     core::printable(checked.module, 80));
}

Json image_json(const app::CheckedImage& checked) {
  Json json = {{"path", checked.image.path}, {"format", checked.image.format}};
  json.set_if_any("machine", checked.image.machine);
  if (checked.image.bits != 0) {
    json["bits"] = checked.image.bits;
  }
  json.set_if_any("module", checked.module);
  json["memories"] = Json::array(checked.found.memories, [](const plan::MemoryUse& use) {
    return Json{{"memory", use.memory},
                {"constant_bytes", use.constant.count()},
                {"zeroed_bytes", use.zeroed.count()},
                {"data_bytes", use.data.count()},
                {"copied_bytes", use.copied.count()},
                {"reserved_bytes", use.reserved.count()},
                {"window_bytes", use.window.count()}};
  });
  json["symbols"] = Json::array(checked.found.symbols, [](const plan::FoundSymbol& symbol) {
    Json item = {{"name", symbol.name},
                 {"memory", symbol.memory},
                 {"role", model::name_of(symbol.role)},
                 {"address", core::format_hex(symbol.address)}};
    item.set_if_any("size_bytes", symbol.size, [](core::Bytes size) { return size.count(); });
    item.set_if_any("section", symbol.section);
    return item;
  });
  return json;
}

}  // namespace

std::string images_text(const std::vector<app::CheckedImage>& images) {
  std::string text;
  for (const app::CheckedImage& checked : images) {
    Table table;
    table.columns = {{"memory"}};
    for (const char* const title :
         {"code, constants", "zeroed", "data", "copied at start", "reserved", "of"}) {
      table.columns.push_back({title, true});
    }
    for (const plan::MemoryUse& use : checked.found.memories) {
      table.rows.push_back({use.memory,
                            bytes_cell(use.constant),
                            bytes_cell(use.zeroed),
                            bytes_cell(use.data),
                            bytes_cell(use.copied),
                            bytes_cell(use.reserved),
                            bytes_cell(use.window)});
    }
    text += image_head(checked) + (table.rows.empty() ? std::string{} : table.text(2));
  }
  return text;
}

core::Json::Array images_json(const std::vector<app::CheckedImage>& images) {
  core::Json::Array items;
  for (const app::CheckedImage& checked : images) {
    items.push_back(image_json(checked));
  }
  return items;
}

}  // namespace memsize::cli
