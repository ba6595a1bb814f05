// A linker script that GNU ld and lld read alike.
//
//   - No section is left to the linkers' own choice: they choose a region by attributes, or that of
//   a
//     section nearby.
//   - The first pattern that matches a section wins. So sections with a region of their own come
//     first, then code and data by the kinds that every compiler knows.
//   - A reserved section is NOLOAD: the ELF file carries its size, not its bytes. Both linkers
//   would
//     put it into a segment all the same, which remoteproc refuses where it is not the core's own
//     memory ("bad phdr"): so segments are written out, one for each region that is loaded.
//   - What the map says is asserted, because neither linker minds regions that overlap.
#include "view_ld.hpp"

#include "memsize/core/text.hpp"

#include "view.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using board::CoreSections;
using board::PlacedSection;
using board::SectionUse;
using layout::MemoryMap;
using layout::Region;

// A colon would end the name of an output section in GNU ld.
std::string output_name(std::string name) {
  std::ranges::replace(name, ':', '.');
  return name;
}

// Patterns of the section, by both of its spellings, and of what compilers append to it for each
// object.
std::string patterns(const std::string& name) {
  const std::string dotted = output_name(name);
  std::string text = fmt::format("{0} {0}.*", name);
  if (dotted == name) {
    text += fmt::format(" {}:*", name);
  } else {
    text += fmt::format(" {0} {0}.*", dotted);
  }
  return text;
}

std::string patterns(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += " " + patterns(name);
  }
  return text;
}

std::vector<const Region*> regions_by_address(const MemoryMap& map, const std::string& core) {
  std::vector<const Region*> regions;
  for (const Region& region : map.regions) {
    if (region.seen_by(core)) {
      regions.push_back(&region);
    }
  }
  std::ranges::stable_sort(regions, [](const Region* a, const Region* b) {
    return printed_address(*a) < printed_address(*b);
  });
  return regions;
}

Json check(std::string condition, std::string message) {
  return {{"condition", std::move(condition)}, {"message", std::move(message)}};
}

Json map_checks(const std::vector<const Region*>& regions) {
  Json checks = Json::array();
  const Region* before = nullptr;
  for (const Region* region : regions) {
    if (before != nullptr) {
      checks.push_back(
          check(fmt::format("ORIGIN({0}) + LENGTH({0}) <= ORIGIN({1})", before->name, region->name),
                fmt::format("{} overlaps {}", before->name, region->name)));
    }
    before = region;
  }
  for (const Region* region : regions) {
    if (region->align.value() > 1) {
      checks.push_back(
          check(fmt::format(
                    "ORIGIN({}) % {} == 0", region->name, core::format_hex(region->align.value())),
                fmt::format("{} must begin on a multiple of {}",
                            region->name,
                            core::format_size(core::Bytes{region->align.value()}))));
    }
  }
  for (const Region* region : regions) {
    checks.push_back(check(fmt::format("ORIGIN({0}) == {1} && LENGTH({0}) == {2}",
                                       region->name,
                                       hex8(printed_address(*region)),
                                       hex8(region->size.count())),
                           fmt::format("{} is not where the map has it", region->name)));
  }
  return checks;
}

Json inside(const std::string& section, const std::string& region) {
  return check(fmt::format("SIZEOF({0}) == 0 || (ADDR({0}) >= ORIGIN({1}) && ADDR({0}) + "
                           "SIZEOF({0}) <= ORIGIN({1}) + LENGTH({1}))",
                           section,
                           region),
               fmt::format("{} is not inside {}", section, region));
}

Json section_checks(const CoreSections& sections) {
  Json checks = Json::array();
  for (const PlacedSection& placed : sections.placed) {
    const std::string name = output_name(placed.name);
    checks.push_back(inside(name, placed.region));
    if (placed.use == SectionUse::kWhole) {
      checks.push_back(check(
          fmt::format("SIZEOF({0}) == 0 || SIZEOF({0}) == LENGTH({1})", name, placed.region),
          fmt::format(
              "{} is not as large as {}: was it compiled for another map?", name, placed.region)));
    }
  }
  for (const char* name : {".text", ".rodata", ".data", ".bss", ".stack", ".other"}) {
    checks.push_back(inside(name, sections.region));
  }
  return checks;
}

// A region's, in PHDRS.
std::string segment_name(const std::string& region) {
  return "in_" + region;
}

Json placed_view(const PlacedSection& placed) {
  return {{"output", output_name(placed.name)},
          {"segment", segment_name(placed.region)},
          {"patterns", patterns(placed.name)},
          {"align", core::format_hex(placed.align.value())},
          {"region", placed.region}};
}

}  // namespace

Json gnu_ld_view(const MemoryMap& map, const CoreSections& sections) {
  Json view = head_view(map);
  const std::vector<const Region*> regions = regions_by_address(map, sections.core);
  view["core"] = sections.core;
  view["code"] = sections.region;
  view["code_segment"] = segment_name(sections.region);
  view["segments"] = Json::array();
  view["regions"] = Json::array();
  std::size_t widest = 0;
  for (const Region* region : regions) {
    widest = std::max(widest, region->name.size());
  }
  for (const Region* region : regions) {
    const bool is_code = region->name == sections.region;
    view["regions"].push_back({{"name", fmt::format("{:<{}}", region->name, widest)},
                               {"attributes", is_code ? "(rwx)" : "     "},
                               {"origin", hex8(printed_address(*region))},
                               {"length", hex8(region->size.count())},
                               {"size", core::format_size(region->size)},
                               {"note", region->note}});
    const bool is_loaded = std::ranges::any_of(sections.placed, [&](const PlacedSection& placed) {
      return placed.use == SectionUse::kLoaded && placed.region == region->name;
    });
    if (is_code || is_loaded) {
      view["segments"].push_back({{"name", segment_name(region->name)}});
    }
    if (is_code) {
      view["code_align"] = core::format_hex(region->section_align.value());
    }
  }
  for (const char* list : {"loaded", "reserved", "loaded_with_code", "reserved_with_code"}) {
    view[list] = Json::array();
  }
  // By region: lld gives the sections of a segment their places in the file together.
  for (const Region* region : regions) {
    for (const PlacedSection& placed : sections.placed) {
      if (placed.region != region->name) {
        continue;
      }
      const bool is_loaded = placed.use == SectionUse::kLoaded;
      const bool with_code = placed.region == sections.region;
      view[fmt::format("{}{}", is_loaded ? "loaded" : "reserved", with_code ? "_with_code" : "")]
          .push_back(placed_view(placed));
    }
  }
  view["text"] = patterns(sections.text);
  view["rodata"] = patterns(sections.rodata);
  view["data"] = patterns(sections.data);
  view["bss"] = patterns(sections.bss);
  view["stack"] = core::format_hex(sections.stack.count());
  view["stack_size"] = core::format_size(sections.stack);
  view["map_checks"] = map_checks(regions);
  view["section_checks"] = section_checks(sections);
  return view;
}

}  // namespace memsize::emit
