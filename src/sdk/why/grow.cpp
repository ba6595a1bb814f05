// Edits a script's expression in memory to a larger size, evaluates it, and says what moves, what
// then overlaps, which numbers do not follow, and how much room there is.
#include "grow.hpp"

#include "memsize/core/cursor.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "check/generated.hpp"
#include "script/edit_script.hpp"
#include "script/script.hpp"
#include "tree/reading.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;
using layout::Expansion;
using layout::Shift;

// A name for a name for a name: scripts have two, and a cycle cannot be.
constexpr std::size_t kMostNames = 8;

// What every core sees at its place on the bus.
constexpr std::uint64_t kAddressesOf32Bits = 1ULL << 32;

constexpr const char* kPhysical = "_PHYS";

using Sections = std::vector<const ScriptSection*>;
using Pair = std::pair<std::string, std::string>;

std::uint64_t address_behind(const ScriptSection& section) {
  const std::uint64_t room = UINT64_MAX - section.origin;
  return section.origin + std::min(section.length, room);
}

// The sections that share one space of addresses.
std::vector<Sections> spaces_of(const Script& script) {
  std::vector<Sections> spaces(2);
  for (const ScriptExport& each : script.exports) {
    Sections own;
    for (const ScriptMapEntry& entry : each.entries) {
      const ScriptSection* section = entry.section.get();
      const bool is_physical = section->name.ends_with(kPhysical) || each.kind == "DtsFile";
      if (is_physical) {
        spaces[1].push_back(section);
      } else if (section->origin < kAddressesOf32Bits) {
        spaces[0].push_back(section);
      }
      own.push_back(section);
    }
    if (each.kind == "LinkerCmdFile") {
      spaces.push_back(std::move(own));
    }
  }
  return spaces;
}

std::set<Pair> overlaps_of(const Script& script) {
  std::set<Pair> found;
  for (Sections& space : spaces_of(script)) {
    std::ranges::sort(space, [](const auto* a, const auto* b) { return a->origin < b->origin; });
    for (std::size_t i = 0; i < space.size(); ++i) {
      for (std::size_t j = i + 1; j < space.size() && space[j]->origin < address_behind(*space[i]);
           ++j) {
        if (space[j]->length != 0 && space[i]->name != space[j]->name) {
          found.insert(std::minmax(space[i]->name, space[j]->name));
        }
      }
    }
  }
  return found;
}

// A script with one of its expressions larger, held against the script as it is.
class LargerScript {
 public:
  LargerScript(const View& view, const ScriptExpression& expression)
      : script_(*view.variant().script),
        text_(view.sources().find(view.variant().script_path)->content),
        expression_(expression),
        place_(place_in_script(view.variant(), expression.place)),
        before_(overlaps_of(script_)) {
    for (const ScriptSectionPointer& section : script_.sections) {
      if (!section->concat.empty()) {
        hulls_.insert(section->name);
      }
    }
  }

  // The script with `by` bytes more.
  [[nodiscard]] core::Result<Script> made(std::uint64_t by) const {
    const std::string text = text_with(text_, expression_, by);
    auto after = evaluate_script(script_.path, text);
    if (!after) {
      core::add_text(after.error(), script_.path, text);
    }
    return after;
  }

  // Regions that overlap then and do not now.
  [[nodiscard]] core::Diagnostics new_overlaps(const Script& after) const {
    core::Diagnostics overlaps;
    core::Diagnostics of_hulls;
    for (const Pair& pair : overlaps_of(after)) {
      if (!before_.contains(pair)) {
        const bool has_hull = hulls_.contains(pair.first) || hulls_.contains(pair.second);
        (has_hull ? of_hulls : overlaps)
            .push_back(
                core::error(Code::kLayoutOverlap,
                            fmt::format("'{}' and '{}' overlap then", pair.first, pair.second),
                            place_)
                    .about({{"region", pair.first}, {"region", pair.second}}));
      }
    }
    // Hulls overlap because of what is in them, which says more.
    overlaps.insert(overlaps.end(), of_hulls.begin(), of_hulls.end());
    return overlaps;
  }

  [[nodiscard]] bool works(std::uint64_t by) const {
    const auto after = made(by);
    return after && new_overlaps(*after).empty();
  }

 private:
  const Script& script_;
  const std::string& text_;
  const ScriptExpression& expression_;
  core::Place place_;
  std::set<Pair> before_;
  std::set<std::string> hulls_;
};

// What to write for `by` bytes more: in the script's own way, where that is a variable's value.
std::string change_by(const View& view, const SizeSource& source, std::uint64_t by) {
  const Script& script = *view.variant().script;
  const std::string sum =
      fmt::format("{} + {}", core::printable(source.expression.text, 80), core::format_hex(by));
  const ScriptVariable* variable = find_variable(script, source.variable);
  if (variable == nullptr) {
    return sum;
  }
  std::string written = sum;
  if (const auto* value = std::get_if<Integer>(&variable->value()); value != nullptr) {
    const std::string& text = view.sources().find(view.variant().script_path)->content;
    const auto edited =
        script_with(script.path, text, &script, {{variable->name, *value + Integer{by}}});
    if (edited) {
      const ScriptVariable* there = find_variable(*edited, variable->name);
      written = core::printable(there->assignments.back().expression.text, 80);
    }
  }
  return fmt::format("{} = {}", variable->name, written);
}

// What stands elsewhere or has another size after a change of the script.
struct Shifts {
  /// Each range once.
  std::vector<Shift> ranges;
  /// The exports that have such ranges.
  std::vector<const ScriptExport*> exports;
};

Shifts shifts_between(const Script& before, const Script& after) {
  Shifts shifts;
  std::set<Pair> told;
  for (std::size_t i = 0; i < std::min(before.exports.size(), after.exports.size()); ++i) {
    const ScriptExport& now = before.exports[i];
    const ScriptExport& then = after.exports[i];
    bool changes = false;
    for (std::size_t j = 0; j < std::min(now.entries.size(), then.entries.size()); ++j) {
      const ScriptSection& old = *now.entries[j].section;
      const ScriptSection& later = *then.entries[j].section;
      if (old.origin == later.origin && old.length == later.length) {
        continue;
      }
      changes = true;
      if (told.insert({old.name, core::format_hex(old.origin)}).second) {
        shifts.ranges.push_back({old.name, old.origin, later.origin, old.length, later.length});
      }
    }
    if (changes) {
      shifts.exports.push_back(&now);
    }
  }
  return shifts;
}

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (!core::contains(list, text)) {
    list.push_back(text);
  }
}

bool has_moving_edge(const std::vector<Shift>& shifts, std::uint64_t base, std::uint64_t size) {
  return std::ranges::any_of(shifts, [&](const Shift& shift) {
    const bool begins = shift.base_before != shift.base_after && shift.base_before == base;
    const bool ends = shift.base_before + shift.size_before == base + size &&
                      shift.base_after + shift.size_after != base + size;
    return begins || ends;
  });
}

// Files whose numbers do not follow the script: sysconfig files and tables of C.
std::vector<std::string> files_by_hand(const Reading& reading, const std::vector<Shift>& shifts) {
  std::vector<std::string> files;
  const auto note = [&](const std::string& path, std::uint64_t base, std::uint64_t size) {
    // Start-up code takes its addresses from the header.
    const bool has_numbers = path.ends_with(".syscfg") || path.ends_with("_mpu_cfg.c");
    if (has_numbers && size != 0 && has_moving_edge(shifts, base, size)) {
      add_once(files, path);
    }
  };
  for (const CoreReading& core : reading.cores) {
    for (const MmuReading& mmu : core.mmu) {
      for (const emit::WrittenMmuEntry& entry : mmu.entries) {
        note(mmu.path, entry.virtual_base, entry.size);
        note(mmu.path, entry.physical, entry.size);
      }
    }
    for (const MpuReading& mpu : core.mpu) {
      for (const emit::WrittenMpuRegion& region : mpu.regions) {
        note(mpu.path, region.fields.base, region.fields.size);
      }
    }
    for (const RatReading& rat : core.rat) {
      for (const emit::WrittenRatEntry& entry : rat.entries) {
        note(rat.path, entry.fields.local, entry.fields.size);
        note(rat.path, entry.fields.system, entry.fields.size);
      }
    }
  }
  return files;
}

void tell(const Shifts& shifts, const Reading& reading, Expansion& growth) {
  for (const Shift& shift : shifts.ranges) {
    (shift.size_before != shift.size_after ? growth.resized : growth.moved).push_back(shift);
  }
  std::ranges::stable_sort(growth.moved, {}, &Shift::base_before);
  for (const ScriptExport* each : shifts.exports) {
    const std::string path = path_of(*each);
    if (!path.empty()) {
      add_once(growth.files, path);
    }
    const std::string core = path.substr(0, path.find('/'));
    if (each->kind == "LinkerCmdFile" && reading.find(core) != nullptr) {
      add_once(growth.cores, core);
    }
  }
  growth.by_hand = files_by_hand(reading, shifts.ranges);
}

// Up to the first section behind it that stays where it is, in any space that has it.
std::optional<layout::Room> room_behind(const Script& script,
                                        const ScriptSection& own,
                                        const std::vector<Shift>& shifts) {
  const auto changes = [&](const ScriptSection& section) {
    return std::ranges::any_of(shifts, [&](const Shift& shift) {
      return shift.name == section.name && shift.base_before == section.origin;
    });
  };
  const ScriptSection* fixed = nullptr;
  Sections moving;
  for (const Sections& space : spaces_of(script)) {
    const bool has_it = std::ranges::any_of(space, [&](const ScriptSection* each) {
      return each->name == own.name && each->origin == own.origin;
    });
    for (std::size_t i = 0; has_it && i < space.size(); ++i) {
      const ScriptSection& each = *space[i];
      if (each.origin < address_behind(own)) {
        continue;
      }
      if (changes(each)) {
        moving.push_back(&each);
      } else if (each.length != 0 && (fixed == nullptr || each.origin < fixed->origin)) {
        fixed = &each;
      }
    }
  }
  std::uint64_t last = address_behind(own);
  for (const ScriptSection* each : moving) {
    const bool is_before = fixed == nullptr || each->origin < fixed->origin;
    last = is_before ? std::max(last, address_behind(*each)) : last;
  }
  if (fixed == nullptr || fixed->origin < last) {
    return std::nullopt;
  }
  return layout::Room{
      last, fixed->origin - last, fmt::format("where '{}' does not move", fixed->name), ""};
}

// Where it has an address on the bus of its own, there may be less room there.
std::optional<layout::Room> least_room(const Script& script,
                                       const ScriptSection& own,
                                       const std::vector<Shift>& shifts) {
  auto least = room_behind(script, own, shifts);
  for (const ScriptSectionPointer& each : script.sections) {
    if (each->name == own.name + kPhysical) {
      const auto room = room_behind(script, *each, shifts);
      if (room && (!least || room->size < least->size)) {
        least = room;
      }
    }
  }
  return least;
}

// The most steps that work, where one does. The room is the most that there can be.
std::uint64_t most_steps(const LargerScript& larger,
                         std::uint64_t room,
                         const std::vector<Shift>& resized,
                         std::uint64_t step) {
  std::uint64_t good = 1;
  std::uint64_t most = room;
  for (const Shift& shift : resized) {
    // What gives way has so much to give.
    most += shift.size_after < shift.size_before ? shift.size_before : 0;
  }
  std::uint64_t bad = most / step + 1;
  if (bad > good && larger.works((bad - 1) * step)) {
    good = bad - 1;
  }
  while (bad > good + 1) {
    const std::uint64_t middle = good + (bad - good) / 2;
    (larger.works(middle * step) ? good : bad) = middle;
  }
  return good;
}

}  // namespace

SizeSource size_source(const Script& script, const ScriptSection& section) {
  SizeSource source{"", section.length_argument, &section};
  for (std::size_t i = 0; i < kMostNames; ++i) {
    const ScriptVariable* variable = find_variable(script, core::trim(source.expression.text));
    if (variable == nullptr) {
      break;
    }
    source.variable = variable->name;
    source.expression = variable->assignments.back().expression;
  }
  return source;
}

std::string text_with(const std::string& text,
                      const ScriptExpression& expression,
                      std::uint64_t step) {
  const std::size_t end = expression.place.offset + expression.place.length;
  return fmt::format("{}({}) + {}{}",
                     text.substr(0, expression.place.offset),
                     text.substr(expression.place.offset, expression.place.length),
                     core::format_hex(step),
                     text.substr(end));
}

Expansion grow(const View& view, const SizeSource& source, std::uint64_t step) {
  const Script& script = *view.variant().script;
  Expansion growth{.what = source.variable.empty()
                               ? fmt::format("the size of '{}'", source.section->name)
                               : fmt::format("'{}'", source.variable),
                   .change = change_by(view, source, step),
                   .place = place_in_script(view.variant(), source.expression.place),
                   .step = step};
  const LargerScript larger{view, source.expression};
  auto after = larger.made(step);
  if (!after) {
    growth.problems = std::move(after.error());
    return growth;
  }
  // Where regions overlap, too, it helps to know how much room there was.
  const Shifts shifts = shifts_between(script, *after);
  if (source.section != nullptr) {
    growth.room = least_room(script, *source.section, shifts.ranges);
  }
  growth.problems = larger.new_overlaps(*after);
  if (!growth.works()) {
    return growth;
  }
  tell(shifts, view.reading(), growth);
  if (growth.room) {
    const std::uint64_t most = step * most_steps(larger, growth.room->size, growth.resized, step);
    growth.largest = source.section->length + most;
    growth.largest_change = change_by(view, source, most);
  }
  return growth;
}

}  // namespace memsize::sdk
