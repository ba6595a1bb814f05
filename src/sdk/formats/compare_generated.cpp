// One comparison for each kind of file, in both directions: what the script has and the file lacks
// or says otherwise, and what only the file has.
#include "compare_generated.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "script/script.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

class Collector {
 public:
  void add(const std::string& name,
           std::string what,
           const core::Place& here,
           const ScriptSection* section) {
    found_.push_back(
        {name, std::move(what), here, section == nullptr ? ScriptPiece{} : section->place});
  }

  void compare(const std::string& macro,
               std::uint64_t value,
               const ScriptSection* section,
               const std::map<std::string, emit::WrittenMacro>& written) {
    const auto own = written.find(macro);
    if (own == written.end()) {
      add(macro, fmt::format("it lacks {}", macro), {}, section);
    } else if (own->second.value != value) {
      add(macro,
          fmt::format("{} is {} here, but {} there",
                      macro,
                      core::format_hex(own->second.value),
                      core::format_hex(value)),
          own->second.place,
          section);
    }
  }

  // The script has it; once for each section.
  void expect(const std::string& name) { ++expected_[name]; }

  // The file has it. `what` is for people.
  void have(const std::string& name, const std::string& what, const core::Place& here) {
    const auto known = expected_.find(name);
    if (known == expected_.end()) {
      add(name, fmt::format("{} is only here", what), here, nullptr);
    } else if (known->second == 0) {
      add(name, fmt::format("{} is here once more", what), here, nullptr);
    } else {
      --known->second;
    }
  }

  [[nodiscard]] GeneratedDifferences take() { return std::move(found_); }

 private:
  GeneratedDifferences found_;
  std::map<std::string, std::size_t> expected_;
};

}  // namespace

GeneratedDifferences compare_linker(const ScriptExport& exported,
                                    const std::vector<emit::WrittenRange>& written) {
  Collector collector;
  for (const ScriptMapEntry& entry : exported.entries) {
    const ScriptSection& section = *entry.section;
    collector.expect(section.name);
    const auto* own = core::find_in(written, section.name, &emit::WrittenRange::name);
    if (own == nullptr) {
      collector.add(section.name, fmt::format("it lacks '{}'", section.name), {}, &section);
    } else if (own->base != section.origin || own->size != section.length) {
      collector.add(section.name,
                    fmt::format("'{}' is {} here, but {} there",
                                section.name,
                                emit::range_text(own->base, own->size),
                                emit::range_text(section.origin, section.length)),
                    own->place,
                    &section);
    }
  }
  for (const emit::WrittenRange& range : written) {
    collector.have(range.name, fmt::format("'{}'", core::printable(range.name)), range.place);
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
  for (const ScriptMapEntry& entry : exported.entries) {
    const ScriptSection& section = *entry.section;
    collector.expect(section.dts_label);
    const auto* own = core::find_in(written, section.dts_label, &emit::WrittenNode::label);
    if (own == nullptr) {
      collector.add(
          section.dts_label, fmt::format("it lacks node '{}'", section.dts_label), {}, &section);
    } else if (own->base != section.origin || own->size != section.length) {
      collector.add(section.dts_label,
                    fmt::format("'{}' reserves {} here, but {} there",
                                section.dts_label,
                                emit::range_text(own->base, own->size),
                                emit::range_text(section.origin, section.length)),
                    own->place,
                    &section);
    }
  }
  for (const emit::WrittenNode& node : written) {
    collector.have(node.label, fmt::format("node '{}'", core::printable(node.label)), node.place);
  }
  return collector.take();
}

GeneratedDifferences compare_html(const ScriptExport& exported,
                                  const std::vector<HtmlRow>& written) {
  Collector collector;
  for (const ScriptMapEntry& entry : exported.entries) {
    const ScriptSection& section = *entry.section;
    collector.expect(section.name);
    const auto own =
        std::ranges::find_if(written, [&](const auto& row) { return row.name == section.name; });
    if (own == written.end()) {
      collector.add(section.name, fmt::format("it lacks '{}'", section.name), {}, &section);
    } else if (own->first != section.origin || own->last + 1 - own->first != section.length) {
      collector.add(section.name,
                    fmt::format("'{}' is {} here, but {} there",
                                section.name,
                                emit::range_text(own->first, own->last + 1 - own->first),
                                emit::range_text(section.origin, section.length)),
                    own->place,
                    &section);
    }
  }
  for (const HtmlRow& row : written) {
    collector.have(row.name, fmt::format("'{}'", core::printable(row.name)), row.place);
  }
  return collector.take();
}

}  // namespace memsize::sdk
