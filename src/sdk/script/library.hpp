// The SDK's ti_psdk_rtos_tools, as far as a map depends on it: sections and maps are objects that
// scripts change, so what counts is what they are at an export.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include "script.hpp"
#include "source.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace memsize::sdk {

class Library {
 public:
  Library(const ScriptSource& source, const ScriptRules& rules) : source_(source), rules_(rules) {}

  /// `section` with origin and length that were checked. Returns its index.
  std::size_t make_section(ScriptSection section);
  std::size_t make_map(std::string title, Span span);

  [[nodiscard]] std::size_t sections() const { return sections_.size(); }

  [[nodiscard]] const ScriptSection& section(std::size_t index) const {
    return sections_[index].now;
  }

  /// For changing it: an export that has happened keeps what it was.
  [[nodiscard]] ScriptSection& change(std::size_t index);

  [[nodiscard]] const std::string& title(std::size_t map) const { return maps_[map].title; }

  [[nodiscard]] std::size_t size(std::size_t map) const { return maps_[map].members.size(); }

  /// The first name stays.
  void name_section(std::size_t index, std::string_view variable);
  void name_map(std::size_t index, std::string_view variable);

  void add(std::size_t map, std::size_t section, Span span);

  /// The first section is the hull of both afterwards; an empty one at 0 becomes the second. False
  /// where the hull ends beyond 2^64.
  [[nodiscard]] bool concat(std::size_t first, std::size_t second);

  /// Appends the warnings. False where there are more than kMostOverlaps.
  [[nodiscard]] bool check_overlap(std::size_t map, core::Diagnostics& warnings);

  /// The map as it is now, as an export without what only the exporter knows.
  [[nodiscard]] ScriptExport snapshot(std::size_t map);

  /// As everything is when the script is left.
  void finish(Script& script);

 private:
  struct Section {
    ScriptSection now;
    /// What `now` was at the last snapshot, unless it has changed.
    ScriptSectionPointer frozen;
  };

  struct Member {
    std::size_t section = 0;
    ScriptPiece place;
  };

  struct Map {
    std::string variable;
    std::string title;
    std::vector<Member> members;
    std::unordered_map<std::string, std::size_t> places;
    bool overlap_checked = false;
    ScriptPiece place;
  };

  [[nodiscard]] ScriptSectionPointer freeze(std::size_t index);
  [[nodiscard]] std::vector<ScriptMapEntry> entries(const Map& map);
  [[nodiscard]] bool separate(const ScriptSection& a, const ScriptSection& b) const;
  [[nodiscard]] core::Diagnostic overlap(const Map& map,
                                         const ScriptSection& a,
                                         const ScriptSection& b) const;

  const ScriptSource& source_;
  const ScriptRules& rules_;
  std::vector<Section> sections_;
  std::vector<Map> maps_;
};

}  // namespace memsize::sdk
