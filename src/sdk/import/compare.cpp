// An imported board's map against the sections that the script made: nothing here is shared with
// what wrote the board.
#include "memsize/core/find.hpp"
#include "memsize/emit/written.hpp"
#include "memsize/sdk/import.hpp"

#include "check/generated.hpp"
#include "plan.hpp"
#include "script/script.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;
using layout::Region;

class Comparer {
 public:
  Comparer(const Variant& variant, const layout::MemoryMap& map) : variant_(variant), map_(map) {}

  core::Diagnostics run() {
    for (const ScriptExport& each : variant_.script->exports) {
      const std::string path = path_of(each);
      if (each.kind == "LinkerCmdFile" && path.find('/') != std::string::npos) {
        compare_core(each, path.substr(0, path.find('/')));
      } else if (each.kind == "CHeaderFile") {
        compare_header(each);
      } else if (is_dts(each)) {
        compare_nodes(each);
      }
    }
    return std::move(found_);
  }

 private:
  void differs(const ScriptSection& section, const std::string& what, const core::Place& board) {
    core::Diagnostic both =
        core::error(Code::kSdkImport,
                    fmt::format("the imported board is not the tree's map: {}", what),
                    place_in_script(variant_, section.place),
                    "say it in the script in a simpler way, or write a board by hand");
    if (!board.path.empty()) {
      both.related.push_back({board, "the board has it here"});
    }
    found_.push_back(std::move(both));
  }

  // A board has hulls and physical names in the C header and the device tree, never in a core's
  // map.
  [[nodiscard]] static bool is_sayable(const ScriptSection& section) {
    return section.concat.empty() && !section.name.ends_with("_PHYS");
  }

  [[nodiscard]] bool is_alias(const std::string& name) const {
    return std::ranges::any_of(map_.regions, [&](const Region& region) {
      return region.name == name && region.kind == layout::RegionKind::kAlias;
    });
  }

  void compare_core(const ScriptExport& each, const std::string& core) {
    std::set<std::string> names;
    for (const ScriptMapEntry& entry : each.entries) {
      const ScriptSection& section = *entry.section;
      names.insert(section.name);
      const auto own = std::ranges::find_if(
          map_.regions, [&](const Region& r) { return r.name == section.name && r.seen_by(core); });
      if (own == map_.regions.end()) {
        differs(section, fmt::format("{} has no '{}' in it", core, section.name), {});
        found_.back().severity =
            is_sayable(section) ? core::Severity::kError : core::Severity::kWarning;
      } else if (own->virtual_base->value() != section.origin ||
                 own->size.count() != section.length) {
        differs(section,
                fmt::format("'{}' of {} is {} there, but {} in the script",
                            section.name,
                            core,
                            emit::range_text(own->virtual_base->value(), own->size.count()),
                            emit::range_text(section.origin, section.length)),
                own->place);
      }
    }
    for (const Region& region : map_.regions) {
      if (region.seen_by(core) && !names.contains(region.name)) {
        found_.push_back(
            core::error(
                Code::kSdkImport,
                fmt::format(
                    "the imported board is not the tree's map: it gives '{}' to {}, which has "
                    "none of it in the script",
                    region.name,
                    core),
                place_in_script(variant_, each.place))
                .beside(region.place, "the board has it here"));
      }
    }
  }

  void compare_header(const ScriptExport& each) {
    for (const ScriptMapEntry& entry : each.entries) {
      const ScriptSection& section = *entry.section;
      const auto range = header_range(section.name);
      if (!section.concat.empty() && !range) {
        // That was said when the board was written.
        continue;
      }
      if (!range) {
        differs(section, fmt::format("the C header lacks '{}'", section.name), {});
        // Another name has macros where its owner has them.
        found_.back().severity =
            is_alias(section.name) ? core::Severity::kWarning : core::Severity::kError;
      } else if (range->first != section.origin || range->second != section.length) {
        differs(section,
                fmt::format("'{}' of the C header is {} there, but {} in the script",
                            section.name,
                            emit::range_text(range->first, range->second),
                            emit::range_text(section.origin, section.length)),
                {});
      }
    }
  }

  [[nodiscard]] std::optional<std::pair<std::uint64_t, std::uint64_t>> header_range(
      const std::string& name) const {
    for (const Region& region : map_.regions) {
      if (region.name == name && region.in_header) {
        const std::uint64_t base =
            region.virtual_base ? region.virtual_base->value() : region.physical_base->value();
        return std::pair{base, region.size.count()};
      }
    }
    for (const layout::Carveout& carveout : map_.carveouts) {
      if (carveout.name == name && carveout.in_header) {
        return std::pair{carveout.range.base().value(), carveout.range.size().count()};
      }
    }
    return std::nullopt;
  }

  void compare_nodes(const ScriptExport& each) {
    for (const ScriptMapEntry& entry : each.entries) {
      const ScriptSection& section = *entry.section;
      const auto* node = core::find_in(map_.carveouts, section.dts_label, &layout::Carveout::label);
      // One without a carve-out was told when the board was written.
      if (node != nullptr && (node->range.base().value() != section.origin ||
                              node->range.size().count() != section.length)) {
        differs(
            section,
            fmt::format("node '{}' is {} there, but {} in the script",
                        section.dts_label,
                        emit::range_text(node->range.base().value(), node->range.size().count()),
                        emit::range_text(section.origin, section.length)),
            node->place);
      }
    }
  }

  const Variant& variant_;
  const layout::MemoryMap& map_;
  core::Diagnostics found_;
};

}  // namespace

core::Diagnostics compare_import(const Variant& variant, const layout::MemoryMap& map) {
  return Comparer{variant, map}.run();
}

}  // namespace memsize::sdk
