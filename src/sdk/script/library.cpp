// Sections and maps as the library's objects: what is added under a name replaces what was there, a
// hull grows by concat, and an export freezes the sections as they are then.
#include "library.hpp"

#include "memsize/core/text.hpp"

#include "limits.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

constexpr std::uint64_t kFourGiB = std::uint64_t{1} << 32;

Integer end_of(const ScriptSection& section) {
  return Integer{section.origin} + Integer{section.length};
}

std::string range_of(const ScriptSection& section) {
  const Integer end = end_of(section);
  return fmt::format("[{}, {})",
                     core::format_hex(section.origin),
                     end >> 64 != 0 ? "2^64" : core::format_hex(static_cast<std::uint64_t>(end)));
}

// Not symmetric: the library visits every pair in both orders.
bool runs_into(const ScriptSection& a, const ScriptSection& b) {
  const bool begins_inside = a.origin >= b.origin && a.origin < end_of(b);
  const bool ends_inside = end_of(a) > b.origin && end_of(a) <= end_of(b);
  return b.origin < kFourGiB && (begins_inside || ends_inside);
}

}  // namespace

std::size_t Library::make_section(ScriptSection section) {
  sections_.push_back({std::move(section), nullptr});
  return sections_.size() - 1;
}

std::size_t Library::make_map(std::string title, Span span) {
  maps_.push_back({.title = std::move(title), .place = source_.piece(span)});
  return maps_.size() - 1;
}

ScriptSection& Library::change(std::size_t index) {
  sections_[index].frozen = nullptr;
  return sections_[index].now;
}

void Library::name_section(std::size_t index, std::string_view variable) {
  if (section(index).variable.empty()) {
    change(index).variable = variable;
  }
}

void Library::name_map(std::size_t index, std::string_view variable) {
  if (maps_[index].variable.empty()) {
    maps_[index].variable = variable;
  }
}

void Library::add(std::size_t map, std::size_t section, Span span) {
  Map& to = maps_[map];
  const Member member{section, source_.piece(span)};
  const auto [place, fresh] = to.places.try_emplace(sections_[section].now.name, to.members.size());
  if (fresh) {
    to.members.push_back(member);
  } else {
    to.members[place->second] = member;
  }
}

bool Library::concat(std::size_t first, std::size_t second) {
  const ScriptSection& other = sections_[second].now;
  const std::string name = other.variable.empty() ? other.name : other.variable;
  const std::uint64_t other_origin = other.origin;
  const std::uint64_t other_length = other.length;
  const Integer other_end = end_of(other);
  ScriptSection& hull = change(first);
  hull.concat.push_back(name);
  if (hull.origin == 0 && hull.length == 0) {
    hull.origin = other_origin;
    hull.length = other_length;
    return true;
  }
  const Integer end = std::max(end_of(hull), other_end);
  hull.origin = std::min(hull.origin, other_origin);
  const Integer length = end - hull.origin;
  hull.length = static_cast<std::uint64_t>(length);
  return length >> 64 == 0;
}

bool Library::separate(const ScriptSection& a, const ScriptSection& b) const {
  return std::ranges::any_of(rules_.separate, [&](const auto& pair) {
    return (pair.first == a.name && pair.second == b.name) ||
           (pair.first == b.name && pair.second == a.name);
  });
}

core::Diagnostic Library::overlap(const Map& map,
                                  const ScriptSection& a,
                                  const ScriptSection& b) const {
  const auto at = [&](const ScriptSection& section) {
    return source_.place({section.place.offset, section.place.offset + section.place.length});
  };
  return core::warning(core::Code::kLayoutOverlap,
                       fmt::format("'{}' and '{}' overlap in the script's map '{}'",
                                   core::printable(a.name),
                                   core::printable(b.name),
                                   core::printable(map.title)),
                       at(a))
      .with({fmt::format("{} {}", core::printable(a.name), range_of(a)),
             fmt::format("{} {}", core::printable(b.name), range_of(b))})
      .beside(at(b), fmt::format("'{}' is made here", core::printable(b.name)));
}

bool Library::check_overlap(std::size_t map, core::Diagnostics& warnings) {
  Map& checked = maps_[map];
  checked.overlap_checked = true;
  std::vector<const ScriptSection*> sorted;
  sorted.reserve(checked.members.size());
  for (const Member& member : checked.members) {
    sorted.push_back(&sections_[member.section].now);
  }
  std::ranges::sort(sorted, {}, &ScriptSection::name);
  for (const ScriptSection* a : sorted) {
    for (const ScriptSection* b : sorted) {
      if (a == b || !runs_into(*a, *b) || separate(*a, *b)) {
        continue;
      }
      if (warnings.size() == kMostOverlaps) {
        return false;
      }
      warnings.push_back(overlap(checked, *a, *b));
    }
  }
  return true;
}

ScriptSectionPointer Library::freeze(std::size_t index) {
  Section& section = sections_[index];
  if (section.frozen == nullptr) {
    section.frozen = std::make_shared<const ScriptSection>(section.now);
  }
  return section.frozen;
}

std::vector<ScriptMapEntry> Library::entries(const Map& map) {
  std::vector<ScriptMapEntry> list;
  list.reserve(map.members.size());
  for (const Member& member : map.members) {
    list.push_back({freeze(member.section), member.place});
  }
  return list;
}

ScriptExport Library::snapshot(std::size_t map) {
  return {.map_variable = maps_[map].variable,
          .map_title = maps_[map].title,
          .entries = entries(maps_[map])};
}

void Library::finish(Script& script) {
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    script.sections.push_back(freeze(i));
  }
  for (const Map& map : maps_) {
    script.maps.push_back({map.variable, map.title, entries(map), map.overlap_checked, map.place});
  }
}

}  // namespace memsize::sdk
