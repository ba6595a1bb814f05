// Scatter files for armlink, one of each core: every region of the core's linker map, where the
// core sees it.
//
//   - Regions with bytes in the image have a load region of their own, where they are: each is a
//     root region, and nothing is copied at start.
//   - Memory that is only reserved is UNINIT in the load region of code and data, and memory
//     without a section EMPTY: neither has bytes in the image, and armlink still refuses what would
//     lie over it or outgrow it.
//   - A section may be written .bss:heap or .bss.heap; the wildcard '?' takes both.
#include "memsize/core/cursor.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "consumers/consumer.hpp"
#include "rendered.hpp"
#include "view.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using board::CoreSections;
using board::PlacedSection;
using board::SectionUse;
using core::Code;
using layout::Region;

std::string scatter_patterns(std::string section) {
  std::ranges::replace(section, ':', '?');
  return fmt::format("{0}, {0}.*", section);
}

Json scatter_region(const Region& region) {
  return {{"name", region.name},
          {"origin", hex8(printed_address(region))},
          {"length", hex8(region.size.count())},
          {"size", core::format_size(region.size)},
          {"note", region.note}};
}

Json scatter_view(const layout::MemoryMap& map, const CoreSections& sections) {
  Json view = head_view(map);
  view["core"] = sections.core;
  view["code"] = sections.region;
  view["has_stack"] = sections.stack.count() != 0;
  view["stack"] = core::format_hex(sections.stack.count());
  view["stack_size"] = core::format_size(sections.stack);
  for (const char* list : {"code_lines", "reserved", "empty", "loaded"}) {
    view[list] = Json::array();
  }
  for (const PlacedSection& placed : sections.placed) {
    if (placed.region == sections.region) {
      view["code_lines"].push_back(
          {{"line", fmt::format("* ({})", scatter_patterns(placed.name))}});
    }
  }
  view["code_lines"].push_back({{"line", ".ANY (+RO, +RW, +ZI)"}});
  for (const Region& region : map.regions) {
    if (!region.seen_by(sections.core)) {
      continue;
    }
    Json item = scatter_region(region);
    item["sections"] = Json::array();
    bool is_loaded = false;
    for (const PlacedSection& placed : sections.placed) {
      if (placed.region == region.name) {
        item["sections"].push_back({{"patterns", scatter_patterns(placed.name)}});
        is_loaded = is_loaded || placed.use == SectionUse::kLoaded;
      }
    }
    if (region.name == sections.region) {
      view["origin"] = item["origin"];
      view["length"] = item["length"];
      view["end"] = hex8(printed_address(region) + region.size.count());
    } else {
      const char* list = item["sections"].empty() ? "empty" : is_loaded ? "loaded" : "reserved";
      view[list].push_back(std::move(item));
    }
  }
  return view;
}

core::Result<std::vector<Artifact>> render_core_scatter(const EmitInput& input) {
  std::vector<Artifact> artifacts;
  core::Diagnostics errors;
  for (const board::Core& core : input.map.board.cores) {
    const CoreSections* sections = input.map.board.find_sections(core.name);
    if (sections == nullptr) {
      errors.push_back(no_sections(input.map.board, core));
      continue;
    }
    MEMSIZE_TRY(add_rendered(artifacts,
                             input,
                             core.name + "/scatter.sct",
                             "scatter",
                             scatter_view(input.map, *sections),
                             escape_line));
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return artifacts;
}

// What armlink makes of a file: load regions with execution regions in them.
class ScatterReader {
 public:
  ScatterReader(const WrittenFile& file, const std::string& text, core::Diagnostics& errors)
      : cursor_(file.file.path_under(file.root), text, Code::kVerifyParse, errors),
        errors_(errors) {}

  std::vector<WrittenRange> read() {
    while (!cursor_.done() && errors_.empty()) {
      const WrittenRange load = head();
      if (!cursor_.expect("{")) {
        break;
      }
      bool is_first = true;
      while (!cursor_.done() && cursor_.peek() != "}" && errors_.empty()) {
        WrittenRange region = execution_region();
        if (is_first) {
          hold_load(load, region);
        }
        is_first = false;
        // armlink's own, inside of a region.
        if (region.name != "ARM_LIB_STACK") {
          regions_.push_back(std::move(region));
        }
      }
      cursor_.expect("}");
    }
    return std::move(regions_);
  }

 private:
  // NAME BASE [ATTRIBUTE...] [SIZE]
  WrittenRange head() {
    WrittenRange range{.place = cursor_.place()};
    range.name = cursor_.take();
    range.base = cursor_.number();
    while (cursor_.peek() == "UNINIT" || cursor_.peek() == "EMPTY") {
      cursor_.take();
    }
    const bool is_negative = cursor_.peek().starts_with('-');
    if (is_negative) {
      // "-0x4000": what a region has that ends at its base.
      cursor_.take();
      return range;
    }
    range.size = cursor_.number();
    return range;
  }

  WrittenRange execution_region() {
    WrittenRange region = head();
    if (cursor_.expect("{")) {
      while (!cursor_.done() && cursor_.peek() != "}" && cursor_.peek() != "{") {
        cursor_.take();
      }
      cursor_.expect("}");
    }
    return region;
  }

  void hold_load(const WrittenRange& load, const WrittenRange& first) {
    if (load.base != first.base || load.size != first.size || load.name != "LR_" + first.name) {
      errors_.push_back(disagreement(load.place,
                                     {{"region", first.name}},
                                     fmt::format("load region '{}' is {}, but '{}' in it {}",
                                                 core::printable(load.name, 60),
                                                 range_text(load.base, load.size),
                                                 core::printable(first.name, 60),
                                                 range_text(first.base, first.size))));
    }
  }

  core::Cursor cursor_;
  core::Diagnostics& errors_;
  std::vector<WrittenRange> regions_;
};

void verify_scatter(const WrittenFile& file, core::Diagnostics& found) {
  const std::string text = without_line_comments(file.file.content, ';');
  const auto regions = ScatterReader{file, text, found}.read();
  if (found.empty()) {
    hold_ranges(file, "region", regions, seen_ranges(file), found);
  }
}

}  // namespace

Emitter scatter_emitter() {
  return {"scatter",
          "a scatter file of each core, for armlink",
          render_core_scatter,
          true,
          "*/scatter.sct",
          verify_scatter};
}

}  // namespace memsize::emit
