#include "compare_generated.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

class Collector {
 public:
  void add(std::string what, const core::Place& here, const ScriptSection* section) {
    found_.push_back({std::move(what), here, section == nullptr ? ScriptPiece{} : section->place});
  }

  void compare(const std::string& macro,
               std::uint64_t value,
               const ScriptSection* section,
               const std::map<std::string, emit::WrittenMacro>& written) {
    const auto own = written.find(macro);
    if (own == written.end()) {
      add(fmt::format("it lacks {}", macro), {}, section);
    } else if (own->second.value != value) {
      add(fmt::format("{} is {} here, but {} there",
                      macro,
                      core::format_hex(own->second.value),
                      core::format_hex(value)),
          own->second.place,
          section);
    }
  }

  [[nodiscard]] GeneratedDifferences take() { return std::move(found_); }

 private:
  GeneratedDifferences found_;
};

}  // namespace

GeneratedDifferences compare_linker(const ScriptExport& exported,
                                    const std::vector<emit::WrittenRange>& written) {
  Collector collector;
  std::set<std::string> known;
  for (const ScriptMapEntry& entry : exported.entries) {
    const ScriptSection& section = *entry.section;
    known.insert(section.name);
    const auto own = std::find_if(written.begin(), written.end(), [&](const auto& range) {
      return range.name == section.name;
    });
    if (own == written.end()) {
      collector.add(fmt::format("it lacks '{}'", section.name), {}, &section);
    } else if (own->base != section.origin || own->size != section.length) {
      collector.add(fmt::format("'{}' is {} here, but {} there",
                                section.name,
                                emit::range_text(own->base, own->size),
                                emit::range_text(section.origin, section.length)),
                    own->place,
                    &section);
    }
  }
  for (const emit::WrittenRange& range : written) {
    if (!known.contains(range.name)) {
      collector.add(
          fmt::format("'{}' is only here", core::printable(range.name)), range.place, nullptr);
    }
  }
  return collector.take();
}

GeneratedDifferences compare_header(const ScriptExport& exported,
                                    const std::map<std::string, emit::WrittenMacro>& written) {
  Collector collector;
  for (const ScriptMapEntry& entry : exported.entries) {
    const ScriptSection& section = *entry.section;
    collector.compare(section.name + "_ADDR", section.origin, &section, written);
    collector.compare(section.name + "_SIZE", section.length, &section, written);
  }
  const auto compare_base = [&](const char* macro, const std::optional<std::uint64_t>& value) {
    if (value && written.contains(macro)) {
      collector.compare(macro, *value, nullptr, written);
    }
  };
  compare_base(kVirtualBase, exported.virtual_base);
  compare_base(kPhysicalBase, exported.physical_base);
  return collector.take();
}

GeneratedDifferences compare_dts(const ScriptExport& exported,
                                 const std::vector<emit::WrittenNode>& written) {
  Collector collector;
  std::set<std::string> known;
  for (const ScriptMapEntry& entry : exported.entries) {
    const ScriptSection& section = *entry.section;
    known.insert(section.dts_label);
    const auto own = std::find_if(written.begin(), written.end(), [&](const auto& node) {
      return node.label == section.dts_label;
    });
    if (own == written.end()) {
      collector.add(fmt::format("it lacks node '{}'", section.dts_label), {}, &section);
    } else if (own->base != section.origin || own->size != section.length) {
      collector.add(fmt::format("'{}' reserves {} here, but {} there",
                                section.dts_label,
                                emit::range_text(own->base, own->size),
                                emit::range_text(section.origin, section.length)),
                    own->place,
                    &section);
    }
  }
  for (const emit::WrittenNode& node : written) {
    if (!known.contains(node.label)) {
      collector.add(
          fmt::format("node '{}' is only here", core::printable(node.label)), node.place, nullptr);
    }
  }
  return collector.take();
}

GeneratedDifferences compare_html(const ScriptExport& exported,
                                  const std::vector<HtmlRow>& written) {
  Collector collector;
  std::set<std::string> known;
  for (const ScriptMapEntry& entry : exported.entries) {
    const ScriptSection& section = *entry.section;
    known.insert(section.name);
    const auto own = std::find_if(
        written.begin(), written.end(), [&](const auto& row) { return row.name == section.name; });
    if (own == written.end()) {
      collector.add(fmt::format("it lacks '{}'", section.name), {}, &section);
    } else if (own->first != section.origin || own->last + 1 - own->first != section.length) {
      collector.add(fmt::format("'{}' is {} here, but {} there",
                                section.name,
                                emit::range_text(own->first, own->last + 1 - own->first),
                                emit::range_text(section.origin, section.length)),
                    own->place,
                    &section);
    }
  }
  for (const HtmlRow& row : written) {
    if (!known.contains(row.name)) {
      collector.add(
          fmt::format("'{}' is only here", core::printable(row.name)), row.place, nullptr);
    }
  }
  return collector.take();
}

}  // namespace memsize::sdk
