// One comparison for each kind of file, in both directions: what the script has and the file lacks
// or says otherwise, and what only the file has.
#include "compare_generated.hpp"

#include "memsize/core/c_expression.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "generated_text.hpp"
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

// What a file has of a section.
struct Shown {
  const std::string& name;
  std::uint64_t base = 0;
  std::uint64_t size = 0;
};

// How a file names sections, and what it is called to have one of a range.
struct Wording {
  std::string ScriptSection::*name;
  std::string_view what;
  std::string_view is;
  std::string (*range)(std::uint64_t base, std::uint64_t size) = emit::range_text;
};

// Every section in the file, by its name there, with its range, and nothing else.
template <typename Written, typename Show>
GeneratedDifferences compare_ranges(const ScriptExport& exported,
                                    const std::vector<Written>& written,
                                    const Wording& wording,
                                    Show show) {
  Collector collector;
  for (const ScriptMapEntry& entry : exported.entries) {
    const ScriptSection& section = *entry.section;
    const std::string& name = section.*wording.name;
    collector.expect(name);
    const auto* own =
        core::find_where(written, [&](const Written& each) { return show(each).name == name; });
    if (own == nullptr) {
      collector.add(name, fmt::format("it lacks {}'{}'", wording.what, name), {}, &section);
    } else if (show(*own).base != section.origin || show(*own).size != section.length) {
      collector.add(name,
                    fmt::format("'{}' {} {} here, but {} there",
                                name,
                                wording.is,
                                wording.range(show(*own).base, show(*own).size),
                                emit::range_text(section.origin, section.length)),
                    own->place,
                    &section);
    }
  }
  for (const Written& each : written) {
    const std::string& name = show(each).name;
    collector.have(name, fmt::format("{}'{}'", wording.what, core::printable(name)), each.place);
  }
  return collector.take();
}

}  // namespace

GeneratedDifferences compare_header(const ScriptExport& exported,
                                    const std::map<std::string, emit::WrittenMacro>& written) {
  Collector collector;
  for (const ScriptMapEntry& entry : exported.entries) {
    const ScriptSection& section = *entry.section;
    for (const auto& [end, value] :
         {std::pair{"_ADDR", section.origin}, std::pair{"_SIZE", section.length}}) {
      const std::string macro = section.name + end;
      collector.expect(macro);
      collector.compare(macro, value, &section, written);
    }
  }
  const auto compare_base = [&](const char* macro, const std::optional<std::uint64_t>& value) {
    if (value && written.contains(macro)) {
      collector.compare(macro, *value, nullptr, written);
    }
  };
  compare_base(kVirtualBase, exported.virtual_base);
  compare_base(kPhysicalBase, exported.physical_base);
  for (const auto& [macro, own] : written) {
    if (macro.ends_with("_ADDR") || macro.ends_with("_SIZE")) {
      collector.have(macro, core::printable(macro), own.place);
    }
  }
  return collector.take();
}

GeneratedDifferences compare_linker(const ScriptExport& exported,
                                    const std::vector<emit::WrittenRange>& written) {
  return compare_ranges(exported, written, {&ScriptSection::name, "", "is"}, [](const auto& range) {
    return Shown{range.name, range.base, range.size};
  });
}

GeneratedDifferences compare_dts(const ScriptExport& exported,
                                 const std::vector<emit::WrittenNode>& written) {
  GeneratedDifferences found = compare_ranges(
      exported, written, {&ScriptSection::dts_label, "node ", "reserves"}, [](const auto& node) {
        return Shown{node.label, node.base, node.size};
      });
  for (const ScriptMapEntry& entry : exported.entries) {
    const std::string& label = entry.section->dts_label;
    if (const auto* node = core::find_in(written, label, &emit::WrittenNode::label)) {
      const GeneratedDifferences properties = compare_properties(*entry.section, *node);
      found.insert(found.end(), properties.begin(), properties.end());
    }
  }
  return found;
}

GeneratedDifferences compare_properties(const ScriptSection& section,
                                        const emit::WrittenNode& node) {
  Collector collector;
  const auto add = [&](const std::string& property, std::string what) {
    const auto place = node.places.find(property);
    collector.add(node.label,
                  std::move(what),
                  place == node.places.end() ? node.place : place->second,
                  &section);
  };
  const std::string name = core::printable(node.label);
  const std::string range = emit::range_text(node.base, node.size);
  if (node.is_disabled) {
    add("status", fmt::format("'{}' is not in use: Linux does not reserve {}", name, range));
  }
  if (node.is_reusable) {
    add("reusable", fmt::format("'{}' is reusable: Linux uses {}, too", name, range));
  }
  if (node.no_map != section.no_map) {
    add("no-map",
        node.no_map ? fmt::format("'{}' has no-map here: Linux cannot map it", name)
                    : fmt::format("'{}' lacks no-map: Linux has it in its page tables", name));
  }
  const std::string compatible = section.print_compatibility ? section.compatibility : "";
  if (node.compatible != compatible) {
    const auto quoted = [](const std::string& text) {
      return text.empty() ? "nothing" : fmt::format("'{}'", core::printable(text, 60));
    };
    add("compatible",
        fmt::format("'{}' is compatible with {} here, but with {} there",
                    name,
                    quoted(node.compatible),
                    quoted(compatible)));
  }
  return collector.take();
}

GeneratedDifferences compare_html(const ScriptExport& exported,
                                  const std::vector<HtmlRow>& written) {
  // Somebody may have put the last byte before the first.
  const auto range = [](std::uint64_t base, std::uint64_t size) {
    return fmt::format("[{}, {})", core::format_hex(base), core::format_hex(base + size));
  };
  return compare_ranges(
      exported, written, {&ScriptSection::name, "", "is", range}, [](const auto& row) {
        return Shown{row.name, row.first, row.last + 1 - row.first};
      });
}

GeneratedDifferences compare_html_sizes(const ScriptExport& exported,
                                        const std::vector<HtmlRow>& written) {
  Collector collector;
  for (const ScriptMapEntry& entry : exported.entries) {
    const ScriptSection& section = *entry.section;
    const auto* row = core::find_in(written, section.name, &HtmlRow::name);
    if (row != nullptr && !may_be_size(row->size, section.length)) {
      collector.add(section.name,
                    fmt::format("'{}' is said to have {} here, but has {}",
                                section.name,
                                core::printable(row->size, 40),
                                core::trim(people_size(section.length))),
                    row->place,
                    &section);
    }
  }
  return collector.take();
}

std::vector<WrongClaim> wrong_sizes(const ScriptExport& exported,
                                    const emit::MapFile& file,
                                    const std::string& path) {
  std::vector<WrongClaim> wrong;
  const auto format = generated_format(exported.kind);
  if (format == nullptr || !format->read(file).empty()) {
    return wrong;
  }
  const Offsets offsets{file.content};
  const core::SharedText shared{path};
  const auto text = [&](const Field& field) {
    return file.content.substr(field.span.begin, field.span.end - field.span.begin);
  };
  for (const Entry& entry : format->entries()) {
    const auto* stated = core::find_in(entry.fields, FieldKind::kSize, &Field::kind);
    const auto* written = core::find_in(entry.fields, FieldKind::kLength, &Field::kind);
    const auto length =
        stated == nullptr || written == nullptr ? std::nullopt : core::c_constant(text(*written));
    if (length && !may_be_size(text(*stated), *length)) {
      const Claim claim{.what = Stated::kSize,
                        .text = text(*stated),
                        .place = offsets.place(shared, stated->span)};
      wrong.push_back({claim, std::string{core::trim(people_size(*length))}, entry.key});
    }
  }
  return wrong;
}

std::vector<std::pair<const ScriptSection*, const ScriptSection*>> overlapping(
    const ScriptExport& exported) {
  std::vector<const ScriptSection*> sections;
  for (const ScriptMapEntry& entry : exported.entries) {
    sections.push_back(entry.section.get());
  }
  std::ranges::stable_sort(sections, {}, &ScriptSection::origin);
  std::vector<std::pair<const ScriptSection*, const ScriptSection*>> found;
  for (std::size_t i = 1; i < sections.size(); ++i) {
    const ScriptSection& before = *sections[i - 1];
    if (sections[i]->length != 0 && sections[i]->origin - before.origin < before.length) {
      found.emplace_back(&before, sections[i]);
    }
  }
  return found;
}

}  // namespace memsize::sdk
