// One function for each kind of file. Names and numbers leave here as text, in the order in which
// they are printed; the JSON documents of map and MMU are made here whole.
#include "view.hpp"

#include "memsize/core/text.hpp"
#include "memsize/layout/lens.hpp"

#include "view_mpu.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Bytes;
using layout::Carveout;
using layout::MemoryMap;
using layout::Region;
using layout::RegionKind;

std::string header_guard(const std::string& file) {
  std::string guard;
  for (const char c : file) {
    const std::string_view one{&c, 1};
    const bool letter = core::is_identifier(one) || (c >= '0' && c <= '9');
    guard += letter ? static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c) : '_';
  }
  return guard;
}

// Macros in address order; a carve-out that has macros stands among the regions.
struct Macro {
  std::uint64_t address = 0;
  Bytes size;
  std::string name;
  std::string note;
};

std::vector<Macro> macros_of(const MemoryMap& map) {
  std::vector<Macro> macros;
  for (const Region& region : map.regions) {
    if (region.in_header) {
      macros.push_back({printed_address(region), region.size, region.name, region.note});
    }
  }
  for (const Carveout& carveout : map.carveouts) {
    if (carveout.in_header) {
      macros.push_back({carveout.range.base().value(),
                        carveout.range.size(),
                        carveout.name,
                        "all that Linux reserves as " + carveout.label});
    }
  }
  std::ranges::stable_sort(macros, {}, &Macro::address);
  return macros;
}

// What follows `reg` in a device-tree node: a line, or nothing.
std::string property(bool present, const std::string& text) {
  return present ? fmt::format("\n\t\t{};", text) : std::string{};
}

Json strings(const std::vector<std::string>& list) {
  Json array = Json::array();
  for (const std::string& item : list) {
    array.push_back(item);
  }
  return array;
}

Json region_document(const Region& region) {
  Json json;
  json["name"] = region.name;
  json["kind"] = layout::name_of(region.kind);
  json.set_if_any("of", region.of);
  json["space"] = region.space == board::Space::kDdr    ? "ddr"
                  : region.space == board::Space::kSram ? "sram"
                                                        : "core";
  json["attributes"] = region.attributes;
  json["address"] = json_hex(printed_address(region));
  if (region.virtual_base) {
    json["virtual"] = json_hex(*region.virtual_base);
  }
  if (region.physical_base) {
    json["physical"] = json_hex(*region.physical_base);
  }
  json["size_bytes"] = region.size.count();
  json["cores"] = strings(region.cores);
  if (region.cache != chip::Cache::kAny) {
    json["cache"] = chip::name_of(region.cache);
  }
  json["in_header"] = region.in_header;
  json["in_html"] = region.in_html;
  json.set_if_any("knob", region.knob);
  json.set_if_any("note", region.note);
  return json;
}

Json carveout_document(const Carveout& carveout) {
  Json json;
  json["name"] = carveout.name;
  if (!carveout.label.empty()) {
    json["label"] = carveout.label;
    json["node"] = carveout.node;
    json.set_if_any("compatible", carveout.compatible);
    if (carveout.alignment.count() != 0) {
      json["alignment_bytes"] = carveout.alignment.count();
    }
    json["no_map"] = carveout.no_map;
    json["unit_address"] = carveout.unit_address;
  }
  json["attributes"] = carveout.attributes;
  json["physical"] = json_hex(carveout.range.base());
  json["size_bytes"] = carveout.range.size().count();
  json["members"] = strings(carveout.members);
  json["in_header"] = carveout.in_header;
  return json;
}

}  // namespace

std::string json_hex(std::uint64_t value) {
  return fmt::format("0x{:x}", value);
}

std::string hex8(std::uint64_t value) {
  return fmt::format("0x{:08X}", value);
}

std::uint64_t printed_address(const Region& region) {
  return region.virtual_base ? region.virtual_base->value() : region.physical_base->value();
}

std::string cells(std::uint64_t value) {
  return fmt::format("0x{:02x} 0x{:08x}", value >> 32, value & UINT32_MAX);
}

Json head_view(const MemoryMap& map) {
  return {{"board", map.board.name}, {"title", map.board.title}, {"sdk", map.board.sdk}};
}

Json linker_view(const MemoryMap& map, const std::string& core) {
  Json view = head_view(map);
  view["core"] = core;
  view["regions"] = Json::array();
  std::size_t widest = 0;
  for (const Region& region : map.regions) {
    widest = region.seen_by(core) ? std::max(widest, region.name.size()) : widest;
  }
  for (const Region& region : map.regions) {
    if (!region.seen_by(core)) {
      continue;
    }
    view["regions"].push_back(
        {{"name", fmt::format("{:<{}}", region.name, widest)},
         {"attributes",
          region.attributes.empty() ? std::string(8, ' ')
                                    : fmt::format("( {:>4} )", region.attributes)},
         {"origin", hex8(printed_address(region))},
         {"length", hex8(region.size.count())},
         {"size", core::format_size(region.size)},
         {"note", region.note}});
  }
  return view;
}

Json syscfg_view(const MemoryMap& map, const layout::MmuTable& table) {
  Json view = head_view(map);
  view["core"] = table.core;
  view["entries"] = Json::array();
  for (const layout::MmuRange& range : table.ranges) {
    Json entry = {{"instance", fmt::format("mmu_armv8{}", range.instance)},
                  {"name", range.entry},
                  {"size_text", core::format_size(range.virtual_range.size())},
                  {"first", core::format_address(range.virtual_range.base())},
                  {"last", core::format_address(range.virtual_range.last())},
                  {"virtual", core::format_address(range.virtual_range.base())},
                  {"physical", core::format_address(range.physical.base())},
                  {"size", core::format_hex(range.virtual_range.size().count())},
                  {"mair", fmt::format("MAIR{}", range.mair)}};
    entry["properties"] = Json::array();
    for (const auto& [name, value] : map.board.mmu.properties) {
      entry["properties"].push_back({{"instance", fmt::format("mmu_armv8{}", range.instance)},
                                     {"property", name},
                                     {"value", value}});
    }
    view["entries"].push_back(std::move(entry));
  }
  return view;
}

Json header_view(const MemoryMap& map) {
  Json view = head_view(map);
  view["guard"] = header_guard(map.board.header_file);
  view["macros"] = Json::array(macros_of(map), [&](const Macro& macro) -> Json {
    return {{"name", macro.name},
            {"address", hex8(macro.address)},
            {"length", hex8(macro.size.count())},
            {"size", core::format_size(macro.size)},
            {"note", macro.note}};
  });
  view["bases"] = Json::array();
  for (const auto& [name, value] : map.header_bases) {
    view["bases"].push_back({{"name", name}, {"value", hex8(value)}});
  }
  return view;
}

Json dts_view(const MemoryMap& map) {
  Json view = head_view(map);
  view["file"] = map.board.dts_file;
  view["total"] = core::format_size(map.reserved());
  view["nodes"] = Json::array();
  for (const Carveout& carveout : map.carveouts) {
    const std::uint64_t base = carveout.range.base().value();
    view["nodes"].push_back(
        {{"label", carveout.label},
         {"node",
          carveout.unit_address ? fmt::format("{}@{:x}", carveout.node, base) : carveout.node},
         {"compatible",
          carveout.compatible.empty()
              ? std::string{}
              : fmt::format("\t\tcompatible = \"{}\";\n", carveout.compatible)},
         {"base", cells(base)},
         {"length", cells(carveout.range.size().count())},
         {"size", core::format_size(carveout.range.size())},
         {"alignment",
          property(carveout.alignment.count() != 0,
                   fmt::format("alignment = <{}>", core::format_hex(carveout.alignment.count())))},
         {"no_map", property(carveout.no_map, "no-map")}});
  }
  return view;
}

Json needs_view(const MemoryMap& map) {
  return Json::array(map.needs, [](const layout::Need& need) -> Json {
    return {{"region", need.region},
            {"class", layout::name_of(need.evidence)},
            {"size", core::format_size(need.suggested)},
            {"need", need.need ? core::format_size(*need.need) : std::string{"-"}},
            {"why", need.why}};
  });
}

Json rebuild_view(const EmitInput& input) {
  const MemoryMap& map = input.map;
  const MemoryMap& baseline = input.baseline;
  const Affected affected = input.affected.value_or(affected_by(map, baseline));
  Json view = head_view(map);
  view["baseline"] = input.baseline_name;
  const std::vector<board::RebuildStep> steps = rebuild_steps(map, affected);
  const std::vector<std::string>& cores = affected.cores;
  view["has_repairs"] = !input.repairs.empty();
  view["repairs"] = Json::array(input.repairs, [&](const std::string& repair) -> Json {
    return {{"what", repair}};
  });
  view["changed"] = !steps.empty();
  view["unchanged"] = steps.empty();
  view["balance"] = describe_balance(map, baseline);
  view["cores"] = cores.empty() ? std::string{"none"} : core::join(cores, ", ");
  view["regions"] = Json::array();
  for (const Region& region : map.regions) {
    const bool is_sized = region.kind == RegionKind::kRegion && !region.knob.empty();
    const Region* old = is_sized ? baseline.find_owned(region.name) : nullptr;
    if (old != nullptr && old->size != region.size) {
      view["regions"].push_back({{"name", region.name},
                                 {"before", core::format_size(old->size)},
                                 {"after", core::format_size(region.size)},
                                 {"knob", region.knob}});
    }
  }
  for (const board::Knob& knob : map.board.knobs) {
    const std::uint64_t before = baseline.values.at(knob.name);
    const std::uint64_t after = map.values.at(knob.name);
    if (knob.is_address && before != after) {
      view["regions"].push_back({{"name", "(an address)"},
                                 {"before", core::format_hex(before)},
                                 {"after", core::format_hex(after)},
                                 {"knob", knob.name}});
    }
  }
  view["needs"] = needs_view(map);
  view["has_needs"] = !map.needs.empty();
  view["soc"] = map.board.soc;
  view["files"] = Json::array();
  view["steps"] = Json::array();
  for (const board::RebuildStep& step : steps) {
    Json& list = view[step.by_hand ? "files" : "steps"];
    list.push_back({{"number", fmt::format("{}", list.size() + 1)},
                    {"what", step.what},
                    {"why", step.why},
                    {"has_run", !step.run.empty()},
                    {"run", step.run}});
  }
  view["has_files"] = !view["files"].empty();
  return view;
}

Json map_document(const MemoryMap& map) {
  Json json;
  json["schema"] = "memsize.map/1";
  json["board"] = map.board.name;
  json["title"] = map.board.title;
  json["soc"] = map.board.soc;
  json.set_if_any("sdk", map.board.sdk);
  json["files"] = {{"linker", map.board.linker_file},
                   {"header", map.board.header_file},
                   {"dts", map.board.dts_file}};
  for (const board::Core& core : map.board.cores) {
    if (!core.linker_file.empty()) {
      json["files"]["linker_of"][core.name] = core.linker_file;
    }
  }
  json["mmu_cores"] =
      Json::array(map.mmu, [&](const layout::MmuTable& table) -> Json { return table.core; });
  json["mmu_program"] = map.board.mmu.in_sysconfig ? "sysconfig" : "source";
  // Which attribute indexes make a memory cached, and which do not: the board's to say.
  json["mair"] = {{"non-cached", map.board.mmu.mair.non_cached},
                  {"write-through", map.board.mmu.mair.write_through},
                  {"cached", map.board.mmu.mair.cached}};
  json["rat_program"] = map.board.rat.in_sysconfig ? "sysconfig" : "source";
  json["reserved_bytes"] = map.reserved().count();
  json["knobs"] = Json::object();
  for (const board::Knob& knob : map.board.knobs) {
    const std::uint64_t value = map.values.at(knob.name);
    if (knob.is_address) {
      json["knobs"][knob.name] = json_hex(value);
    } else {
      json["knobs"][knob.name] = value;
    }
  }
  for (const layout::Need& need : map.needs) {
    Json& item = json["needs"].push_back(
        {{"region", need.region}, {"knob", need.knob}, {"class", layout::name_of(need.evidence)}});
    if (need.need) {
      item["need_bytes"] = need.need->count();
    }
    item["why"] = need.why;
  }
  json["header_bases"] = Json::object();
  for (const auto& [name, value] : map.header_bases) {
    json["header_bases"][name] = json_hex(value);
  }
  json["regions"] = Json::array(map.regions, region_document);
  json["carveouts"] = Json::array();
  for (const auto* list : {&map.carveouts, &map.groups}) {
    for (const Carveout& carveout : *list) {
      json["carveouts"].push_back(carveout_document(carveout));
    }
  }
  json["gaps"] = Json::array(map.gaps, [&](const layout::Gap& gap) -> Json {
    return {{"physical", json_hex(gap.physical.base())},
            {"size_bytes", gap.physical.size().count()},
            {"why", gap.why}};
  });
  json["windows"] = Json::array(map.windows, [&](const layout::Window& window) -> Json {
    return {{"chain", window.chain},
            {"physical", json_hex(window.range.base())},
            {"size_bytes", window.range.size().count()},
            {"placed_bytes", window.placed.count()},
            {"padding_bytes", window.padding.count()},
            {"free_bytes", window.free.count()}};
  });
  json["mpu"] = mpu_documents(map);
  json["rat"] = rat_documents(map);
  return json;
}

Json mmu_document(const layout::MmuTable& table) {
  Json json;
  json["schema"] = "memsize.mmu/1";
  json["core"] = table.core;
  json["ranges"] =
      Json::array(layout::effective(table), [&](const layout::Translation& piece) -> Json {
        return {{"virtual", json_hex(piece.virtual_range.base())},
                {"physical", json_hex(piece.physical.base())},
                {"size_bytes", piece.virtual_range.size().count()},
                {"mair", piece.mair},
                {"entry", piece.entry}};
      });
  return json;
}

}  // namespace memsize::emit
