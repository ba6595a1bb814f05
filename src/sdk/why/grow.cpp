// Edits a script's expression in memory to a larger size, evaluates it, and says what moves, what
// then overlaps, which numbers do not follow, and how much room there is.
#include "grow.hpp"

#include "memsize/core/cursor.hpp"
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

class TreeGrower {
 public:
  TreeGrower(const View& view, const SizeSource& source, std::uint64_t step)
      : view_(view),
        source_(source),
        script_(*view.variant().script),
        text_(view.sources().find(view.variant().script_path)->content) {
    growth_.step = step;
  }

  Expansion run() {
    describe();
    before_ = overlaps_of(script_);
    for (const ScriptSectionPointer& section : script_.sections) {
      if (!section->concat.empty()) {
        hulls_.insert(section->name);
      }
    }
    const auto after = made(growth_.step);
    if (!after) {
      growth_.problems = after.error();
      return std::move(growth_);
    }
    // Where regions overlap, too, it helps to know how much room there was.
    compare(*after);
    find_room();
    growth_.problems = new_overlaps(*after);
    if (growth_.works()) {
      find_largest();
    } else {
      forget_changes();
    }
    return std::move(growth_);
  }

 private:
  void describe() {
    growth_.what = source_.variable.empty() ? fmt::format("the size of '{}'", source_.section->name)
                                            : fmt::format("'{}'", source_.variable);
    growth_.change = change_by(growth_.step);
    growth_.place = place_in_script(view_.variant(), source_.expression.place);
  }

  // What to write for `by` bytes more: in the script's own way, where that is a variable's value.
  [[nodiscard]] std::string change_by(std::uint64_t by) const {
    const std::string sum =
        fmt::format("{} + {}", core::printable(source_.expression.text, 80), core::format_hex(by));
    const ScriptVariable* variable = find_variable(script_, source_.variable);
    if (variable == nullptr) {
      return sum;
    }
    std::string written = sum;
    if (const auto* value = std::get_if<Integer>(&variable->value()); value != nullptr) {
      const auto edited =
          script_with(script_.path, text_, &script_, {{variable->name, *value + Integer{by}}});
      if (edited) {
        const ScriptVariable* there = find_variable(*edited, variable->name);
        written = core::printable(there->assignments.back().expression.text, 80);
      }
    }
    return fmt::format("{} = {}", variable->name, written);
  }

  void forget_changes() {
    growth_.moved.clear();
    growth_.resized.clear();
    growth_.cores.clear();
    growth_.files.clear();
    growth_.by_hand.clear();
  }

  // The script with `by` bytes more.
  [[nodiscard]] core::Result<Script> made(std::uint64_t by) const {
    const std::string text = text_with(text_, source_.expression, by);
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
                            growth_.place)
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

  void compare(const Script& after) {
    std::set<Pair> told;
    for (std::size_t i = 0; i < std::min(script_.exports.size(), after.exports.size()); ++i) {
      const ScriptExport& now = script_.exports[i];
      const ScriptExport& then = after.exports[i];
      bool changes = false;
      for (std::size_t j = 0; j < std::min(now.entries.size(), then.entries.size()); ++j) {
        const ScriptSection& before = *now.entries[j].section;
        const ScriptSection& later = *then.entries[j].section;
        if (before.origin == later.origin && before.length == later.length) {
          continue;
        }
        changes = true;
        const Pair key{before.name, core::format_hex(before.origin)};
        if (told.insert(key).second) {
          add({before.name, before.origin, later.origin, before.length, later.length});
        }
      }
      if (changes) {
        add_file(now);
      }
    }
    std::ranges::stable_sort(growth_.moved, {}, &Shift::base_before);
    for (const CoreReading& core : view_.reading().cores) {
      add_by_hand(core);
    }
  }

  void add(const Shift& shift) {
    (shift.size_before != shift.size_after ? growth_.resized : growth_.moved).push_back(shift);
  }

  void add_file(const ScriptExport& each) {
    const std::string path = path_of(each);
    auto& files = growth_.files;
    if (!path.empty() && std::ranges::find(files, path) == files.end()) {
      files.push_back(path);
    }
    const std::string core = path.substr(0, path.find('/'));
    auto& cores = growth_.cores;
    if (each.kind == "LinkerCmdFile" && view_.reading().find(core) != nullptr &&
        std::ranges::find(cores, core) == cores.end()) {
      cores.push_back(core);
    }
  }

  // Numbers in a sysconfig file or a table of C do not follow the script.
  void add_by_hand(const CoreReading& core) {
    for (const MmuReading& mmu : core.mmu) {
      for (const emit::WrittenMmuEntry& entry : mmu.entries) {
        note_by_hand(mmu.path, entry.virtual_base, entry.size);
        note_by_hand(mmu.path, entry.physical, entry.size);
      }
    }
    for (const MpuReading& mpu : core.mpu) {
      for (const emit::WrittenMpuRegion& region : mpu.regions) {
        note_by_hand(mpu.path, region.fields.base, region.fields.size);
      }
    }
    for (const RatReading& rat : core.rat) {
      for (const emit::WrittenRatEntry& entry : rat.entries) {
        note_by_hand(rat.path, entry.fields.local, entry.fields.size);
        note_by_hand(rat.path, entry.fields.system, entry.fields.size);
      }
    }
  }

  void note_by_hand(const std::string& path, std::uint64_t base, std::uint64_t size) {
    // Start-up code takes its addresses from the header.
    const bool has_numbers = path.ends_with(".syscfg") || path.ends_with("_mpu_cfg.c");
    auto& list = growth_.by_hand;
    if (has_numbers && size != 0 && has_moving_edge(base, size) &&
        std::ranges::find(list, path) == list.end()) {
      list.push_back(path);
    }
  }

  [[nodiscard]] bool has_moving_edge(std::uint64_t base, std::uint64_t size) const {
    const auto touches = [&](const Shift& shift) {
      const bool begins = shift.base_before != shift.base_after && shift.base_before == base;
      const bool ends = shift.base_before + shift.size_before == base + size &&
                        shift.base_after + shift.size_after != base + size;
      return begins || ends;
    };
    return std::ranges::any_of(growth_.moved, touches) ||
           std::ranges::any_of(growth_.resized, touches);
  }

  [[nodiscard]] bool changes(const ScriptSection& section) const {
    const auto is_it = [&](const Shift& shift) {
      return shift.name == section.name && shift.base_before == section.origin;
    };
    return std::ranges::any_of(growth_.moved, is_it) || std::ranges::any_of(growth_.resized, is_it);
  }

  // Where it has an address on the bus of its own, there may be less room there.
  void find_room() {
    if (source_.section == nullptr) {
      return;
    }
    growth_.room = room_behind(*source_.section);
    for (const ScriptSectionPointer& each : script_.sections) {
      if (each->name != source_.section->name + kPhysical) {
        continue;
      }
      const auto room = room_behind(*each);
      if (room && (!growth_.room || room->size < growth_.room->size)) {
        growth_.room = room;
      }
    }
  }

  // Up to the first section behind it that stays where it is, in any space that has it.
  [[nodiscard]] std::optional<layout::Room> room_behind(const ScriptSection& own) const {
    const ScriptSection* fixed = nullptr;
    Sections moving;
    for (const Sections& space : spaces_of(script_)) {
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

  // The room is the most that there can be.
  void find_largest() {
    if (!growth_.room) {
      return;
    }
    std::uint64_t good = 1;
    std::uint64_t most = growth_.room->size;
    for (const Shift& shift : growth_.resized) {
      // What gives way has so much to give.
      most += shift.size_after < shift.size_before ? shift.size_before : 0;
    }
    std::uint64_t bad = most / growth_.step + 1;
    if (bad > good && works((bad - 1) * growth_.step)) {
      good = bad - 1;
    }
    while (bad > good + 1) {
      const std::uint64_t middle = good + (bad - good) / 2;
      (works(middle * growth_.step) ? good : bad) = middle;
    }
    growth_.largest = source_.section->length + good * growth_.step;
    growth_.largest_change = change_by(good * growth_.step);
  }

  const View& view_;
  const SizeSource& source_;
  const Script& script_;
  const std::string& text_;
  std::set<Pair> before_;
  std::set<std::string> hulls_;
  Expansion growth_;
};

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
  return TreeGrower{view, source, step}.run();
}

}  // namespace memsize::sdk
