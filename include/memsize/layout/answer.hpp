// What a name or an address is, in a board's map or in an SDK tree: the answer as data. Who fills
// it for a board is in layout/why.hpp, for a tree in sdk/why.hpp.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/layout/sight.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::layout {

struct MemoryMap;

/// A place that says something of the subject, and what.
struct Statement {
  core::Place place;
  std::string what;
};

/// A range that another size would move or change.
struct Shift {
  std::string name;
  std::uint64_t base_before = 0;
  std::uint64_t base_after = 0;
  std::uint64_t size_before = 0;
  std::uint64_t size_after = 0;
};

/// Translation tables of a core's MMU driver.
struct TableUse {
  std::string core;
  std::size_t before = 0;
  std::size_t after = 0;
  /// 0: not known.
  std::uint64_t limit = 0;
};

/// Free bytes behind what grew and what moved with it.
struct Room {
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  /// What does not move, such as "'NAME' at 0xAD000000"; and why, if somebody says so.
  std::string until;
  std::string why;
};

/// What another size would do: the map as it is against the map with that size.
struct Expansion {
  /// What a user changes: a knob, a variable, an expression; and what to write.
  std::string what;
  std::string change;
  core::Place place;
  /// Bytes.
  std::uint64_t step = 0;
  /// The step that a user would take first, and why it does not work, where `step` is the least
  /// that does; 0 where `step` is the first.
  std::uint64_t refused_step = 0;
  core::Diagnostics refused;
  /// Why it does not work; empty where it does.
  core::Diagnostics problems;
  /// What stands elsewhere then, by address; the subject itself is under `resized`.
  std::vector<Shift> moved;
  /// What has another size then: the subject, and the hulls of it.
  std::vector<Shift> resized;
  std::vector<TableUse> tables;
  std::optional<Room> room;
  /// The largest size that was found to work, in steps of `step`; nothing where none was.
  std::optional<std::uint64_t> largest;
  /// What to write for it.
  std::string largest_change;
  std::vector<std::string> cores;
  /// Files that change by themselves when the change is made.
  std::vector<std::string> files;
  /// Files that name something that moves, but are not made from the change.
  std::vector<std::string> by_hand;
  /// A board's map with the change; null in a tree, and where it does not work.
  std::shared_ptr<const MemoryMap> after;

  [[nodiscard]] bool works() const { return problems.empty(); }
};

/// One thing that the question may mean.
struct Subject {
  /// "region", "gap", "carve-out", "knob", "variable", ...
  std::string kind;
  std::string name;
  /// What it holds, in its author's words.
  std::string note;
  /// Cores whose linker map has it.
  std::vector<std::string> cores;
  /// Where its owner sees it.
  std::optional<std::uint64_t> address;
  std::optional<std::uint64_t> physical;
  std::optional<std::uint64_t> size;
  /// How it must be cached: "cached", "non-cached", "write-through"; empty where nobody says so.
  std::string must_be;
  /// Sentences.
  std::vector<std::string> facts;
  /// What two sources say differently.
  std::vector<std::string> disagreements;
  std::vector<Sight> sights;
  std::vector<Statement> said;
  std::optional<Expansion> growth;
};

/// What one reader makes of an address that was asked for.
struct AddressReading {
  /// Empty: the bus.
  std::string core;
  std::string build;
  bool is_mapped = true;
  std::optional<std::uint64_t> physical;
  std::string cached;
  std::string by;
  core::Place by_place;
  /// The range that it is in, and how far from its base; empty and 0 where it is in none.
  std::string name;
  std::uint64_t offset = 0;
  /// What there is to say where it is in none: a gap, a hole, the end of memory.
  std::string where;
};

struct Answer {
  std::string asked;
  /// The address that was asked for, if it is one.
  std::optional<std::uint64_t> address;
  /// "board 'NAME': TITLE", or the tree's part and operating system.
  std::string source;
  /// The folder that places are below; may be empty.
  std::string root;
  std::vector<AddressReading> readings;
  std::vector<Subject> subjects;
  /// Files that could not be read: what they say is missing here.
  core::Diagnostics unread;
};

/// The names of the cores' entries of MMU, MPU and RAT; what has none is left out.
[[nodiscard]] std::vector<std::string> entry_names(const std::vector<CoreHardware>& cores);

/// The entries of that name, with what the cores see where they are; nothing where none has it.
[[nodiscard]] std::optional<Subject> subject_of_entries(const std::vector<CoreHardware>& cores,
                                                        const std::string& name);

/// What the core sees at the address, and by which entries; which range it is in, who asks knows.
[[nodiscard]] AddressReading reading_of(const CoreHardware& core, std::uint64_t address);

struct Question {
  std::string text;
  /// Only what this core makes of an address; empty: everybody.
  std::string core;
};

/// The address that the text is: hexadecimal with 0x, decimal, or hexadecimal without 0x where a
/// letter shows it. Nothing where it is a name. Error usage: a number that cannot be an address.
[[nodiscard]] core::Result<std::optional<std::uint64_t>> address_in(std::string_view text);

/// The entry of `names` that is meant: itself, without an ending that a macro adds (_ADDR, _SIZE,
/// _VADDR, _PADDR), or in other letters' case. Empty where none is.
[[nodiscard]] std::string name_meant(std::string_view text, const std::vector<std::string>& names);

}  // namespace memsize::layout
