// MPU regions and RAT entries in the words of each consumer: sysconfig's names, those of a table of
// C, register words, and the documents' fields.
#include "view_mpu.hpp"

#include "memsize/chip/limits.hpp"
#include "memsize/core/bug.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/mpu_words.hpp"

#include "view.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using layout::MemoryMap;
using layout::MpuRegion;
using layout::MpuTable;
using layout::RatTable;

const board::MpuAttribute& attribute_of(const MemoryMap& map, const MpuRegion& region) {
  const board::MpuAttribute* attribute = map.board.mpu.find_attribute(region.attribute);
  core::bug_if(attribute == nullptr, "an MPU region has an attribute that the board has not");
  return *attribute;
}

// What a comment says that the region is for.
std::string purpose_of(const MpuRegion& region) {
  if (!region.covers.empty()) {
    return core::join(region.covers, ", ");
  }
  if (!region.is_fixed) {
    return "what lies between the regions before";
  }
  return region.note.empty() ? region.name : region.note;
}

std::string last_of(std::uint64_t base, std::uint64_t size) {
  return core::format_address(core::VirtAddr{base + (size - 1)});
}

// "; on from 0xA0000000 to 0xA0FFFFFF" for a region with switched-off parts.
std::string parts_of(const MpuRegion& region) {
  const std::uint64_t base = region.range.base().value();
  const std::uint64_t part = region.range.size().count() / chip::kMpuParts;
  std::vector<std::string> shown;
  for (std::uint64_t i = 0; region.disabled != 0 && i < chip::kMpuParts;) {
    if ((region.disabled >> i & 1U) != 0) {
      ++i;
      continue;
    }
    const std::uint64_t from = i;
    while (i < chip::kMpuParts && (region.disabled >> i & 1U) == 0) {
      ++i;
    }
    shown.push_back(fmt::format("{} to {}",
                                core::format_address(core::VirtAddr{base + from * part}),
                                last_of(base, i * part)));
  }
  return shown.empty() ? std::string{} : fmt::format("; on from {}", core::join(shown, ", "));
}

// What all formats say about a region.
Json region_view(const MpuRegion& region) {
  const std::uint64_t base = region.range.base().value();
  return {{"number", fmt::format("{}", region.number)},
          {"name", region.name},
          {"kind", region.attribute},
          {"purpose", purpose_of(region)},
          {"size_text", core::format_size(region.range.size())},
          {"first", core::format_address(region.range.base())},
          {"last", last_of(base, region.range.size().count())},
          {"parts", parts_of(region)},
          {"base", hex8(base)}};
}

std::string flag(bool value) {
  return value ? "true" : "false";
}

// The words of the table's fields stand beside what all formats say.
Json source_region(const MpuRegion& region,
                   const chip::MpuRegionFields& fields,
                   const board::MpuProgram& program) {
  Json view = region_view(region);
  for (const auto& [field, word] : program.words_of(fields)) {
    view[field] = word;
  }
  return view;
}

template <typename Table>
const Table* find_table(const std::vector<Table>& tables, const std::string& core) {
  return core::find_in(tables, core, &Table::core);
}

Json mpu_region_document(const MpuRegion& region, const board::MpuAttribute& attribute) {
  return {{"number", region.number},
          {"name", region.name},
          {"base", json_hex(region.range.base().value())},
          {"size_bytes", region.range.size().count()},
          {"disabled", region.disabled},
          {"attribute", region.attribute},
          {"tex", attribute.tex},
          {"cacheable", attribute.cacheable},
          {"bufferable", attribute.bufferable},
          {"shareable", attribute.shareable},
          {"execute", attribute.execute},
          {"covers", region.covers}};
}

}  // namespace

const MpuTable* find_mpu(const MemoryMap& map, const std::string& core) {
  return find_table(map.mpu, core);
}

const RatTable* find_rat(const MemoryMap& map, const std::string& core) {
  return find_table(map.rat, core);
}

Json mpu_syscfg_view(const MemoryMap& map,
                     const std::string& core,
                     const MpuTable* mpu,
                     const RatTable* rat) {
  Json view = head_view(map);
  view["core"] = core;
  view["has_regions"] = mpu != nullptr;
  view["has_ranges"] = rat != nullptr;
  view["has_both"] = mpu != nullptr && rat != nullptr;
  view["some_kept"] = mpu != nullptr && map.board.mpu.first != 0;
  view["first_number"] = fmt::format("{}", map.board.mpu.first);
  view["last_number"] = fmt::format("{}", map.board.mpu.last);
  view["regions"] = Json::array();
  for (std::size_t i = 0; mpu != nullptr && i < mpu->regions.size(); ++i) {
    const MpuRegion& region = mpu->regions[i];
    const board::MpuAttribute& attribute = attribute_of(map, region);
    Json item = region_view(region);
    item["instance"] = fmt::format("mpu_armv7{}", i + 1);
    item["size"] = fmt::format("{}", std::countr_zero(region.range.size().count()));
    item["attributes"] = attribute.sysconfig.empty() ? "CUSTOM" : attribute.sysconfig;
    item["custom"] = attribute.sysconfig.empty();
    item["tex"] = fmt::format("{}", attribute.tex);
    item["cacheable"] = flag(attribute.cacheable);
    item["bufferable"] = flag(attribute.bufferable);
    item["shareable"] = flag(attribute.shareable);
    item["execute"] = flag(attribute.execute);
    item["disabled"] = fmt::format("0x{:X}", region.disabled);
    view["regions"].push_back(std::move(item));
  }
  view["ranges"] = Json::array();
  for (std::size_t i = 0; rat != nullptr && i < rat->ranges.size(); ++i) {
    const layout::RatRange& range = rat->ranges[i];
    view["ranges"].push_back({{"instance", fmt::format("addr_translate{}", i + 1)},
                              {"name", range.name},
                              {"purpose", core::join(range.covers, ", ")},
                              {"size_text", core::format_size(range.size)},
                              {"first", core::format_address(range.local)},
                              {"last", last_of(range.local.value(), range.size.count())},
                              {"local", hex8(range.local.value())},
                              {"system", hex8(range.system.value())},
                              {"size", fmt::format("{}", std::countr_zero(range.size.count()))}});
  }
  return view;
}

Json mpu_source_view(const MemoryMap& map, const MpuTable& table) {
  Json view = head_view(map);
  view["core"] = table.core;
  view["first_number"] = fmt::format("{}", map.board.mpu.first);
  view["last_number"] = fmt::format("{}", map.board.mpu.last);
  view["regions"] = Json::array();
  const std::vector<chip::MpuRegionFields> fields = mpu_fields(table, map.board.mpu);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    view["regions"].push_back(source_region(table.regions[i], fields[i], *map.board.mpu.table));
  }
  return view;
}

Json mpu_table_view(const MemoryMap& map, const MpuTable& table) {
  Json view = head_view(map);
  view["core"] = table.core;
  view["count"] = fmt::format("{}", table.regions.size());
  view["regions"] = Json::array();
  const std::vector<MpuWords> words = mpu_words(mpu_fields(table, map.board.mpu));
  for (std::size_t i = 0; i < words.size(); ++i) {
    Json item = region_view(table.regions[i]);
    item["drbar"] = hex8(words[i].base);
    item["drsr"] = hex8(words[i].size);
    item["dracr"] = hex8(words[i].access);
    view["regions"].push_back(std::move(item));
  }
  return view;
}

Json mpu_documents(const MemoryMap& map) {
  Json list = Json::array();
  for (const MpuTable& table : map.mpu) {
    Json json = {{"core", table.core},
                 {"program", map.board.mpu.program()},
                 {"first", map.board.mpu.first},
                 {"last", map.board.mpu.last},
                 {"spare_bytes", table.spare.count()},
                 {"regions", Json::array()},
                 {"areas", Json::array()}};
    for (const MpuRegion& region : table.regions) {
      json["regions"].push_back(mpu_region_document(region, attribute_of(map, region)));
    }
    for (const layout::MpuArea& area : table.areas) {
      json["areas"].push_back({{"region", area.region},
                               {"base", json_hex(area.range.base().value())},
                               {"size_bytes", area.range.size().count()},
                               {"attribute", area.attribute}});
    }
    list.push_back(std::move(json));
  }
  return list;
}

Json rat_documents(const MemoryMap& map) {
  Json list = Json::array();
  for (const RatTable& table : map.rat) {
    Json json = {{"core", table.core}, {"entries", Json::array()}};
    for (const layout::RatRange& range : table.ranges) {
      json["entries"].push_back({{"name", range.name},
                                 {"local", json_hex(range.local.value())},
                                 {"system", json_hex(range.system.value())},
                                 {"size_bytes", range.size.count()},
                                 {"covers", range.covers}});
    }
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace memsize::emit
