// What start-up code copies into an R5F's MPU: a table of C whose entries name their fields. Which
// table, which fields and which words is data (boards/programs/*.toml), so that another program is
// another file and a template. sysconfig's mpu_armv7 instances are no such table.
#pragma once

#include "memsize/chip/entry.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/file_system.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::board {

/// A field of a table's entry.
struct ProgramField {
  /// As C calls it; empty: the table has no such field.
  std::string name;
  /// A size that is written as a power of two: how much is added to the number to get it.
  std::optional<unsigned> power;
  /// The lowest bit that is used.
  unsigned shift = 0;
  /// How a number becomes a word: "{n}" is decimal, "{x}", "{x2}" and "{x8}" hexadecimal with at
  /// least so many digits, "{64KB}" and "{64K}" a size.
  std::string write = "{n}U";
  /// Numbers that are written by name.
  std::map<std::string, std::uint64_t> names;
  /// Not empty: a mask is written as the names of its bits, from the lowest on.
  std::vector<std::string> bits;

  /// The number that the table has for a value, and back.
  [[nodiscard]] std::uint64_t number_of(std::uint64_t value) const;
  [[nodiscard]] std::uint64_t value_of(std::uint64_t number) const;

  /// The word for a value.
  [[nodiscard]] std::string word_of(std::uint64_t value) const;
};

/// A field's number in an entry, and the word that the PDK has for it.
struct ProgramWord {
  std::string field;
  std::string word;
  std::uint64_t number = 0;
};

/// A kind of memory: TEX, C and B, and what the fields say of it.
struct ProgramKind {
  unsigned tex = 0;
  bool cacheable = false;
  bool bufferable = false;
  std::vector<ProgramWord> says;

  [[nodiscard]] bool is(const chip::MpuBits& bits) const;
  /// Null where this kind does not look at the field.
  [[nodiscard]] const ProgramWord* find(std::string_view field) const;
};

struct MpuProgram {
  /// What a board's [mpu] calls it: the file's name.
  std::string name;
  std::string title;
  /// The array that is defined.
  std::string table;
  std::string template_name;
  /// The largest region, in bytes.
  std::uint64_t largest = 0;
  /// Without a name the place in the table is the number.
  ProgramField number;
  /// Without a name every entry counts.
  ProgramField enable;
  ProgramField base;
  ProgramField size;
  /// The eighths that are off.
  ProgramField disabled;
  ProgramField execute_never;
  ProgramField shareable;
  std::vector<ProgramKind> kinds;
  /// Fields that say nothing of what a map has.
  std::vector<std::string> kept;
  /// The names that headers have for numbers, with those of the fields.
  std::map<std::string, std::uint64_t> constants;

  /// Null where the table has no words for the bits.
  [[nodiscard]] const ProgramKind* find_kind(const chip::MpuBits& bits) const;
  /// The kind of an entry with these numbers; a field that is not there is 0.
  [[nodiscard]] const ProgramKind* find_kind(
      const std::map<std::string, std::uint64_t>& numbers) const;

  /// Of the fields that kinds look at: the largest number that one of them has.
  [[nodiscard]] std::map<std::string, std::uint64_t> kind_fields() const;

  /// "TEX 0, C 0, B 0; ...", for people.
  [[nodiscard]] std::string kinds_text() const;

  /// The word of each field by its name; fields that a region's kind does not look at are 0. The
  /// kind must be there.
  [[nodiscard]] std::map<std::string, std::string> words_of(
      const chip::MpuRegionFields& region) const;
};

using MpuPrograms = std::vector<std::shared_ptr<const MpuProgram>>;

/// The one of that name in programs/ of the boards' `folder`. `read` gets the paths of its files.
[[nodiscard]] core::Result<std::shared_ptr<const MpuProgram>> load_mpu_program(
    core::FileSystem& files,
    const std::string& folder,
    const std::string& name,
    std::vector<std::string>* read = nullptr);

/// All of them, by name; none where there is no such folder.
[[nodiscard]] core::Result<MpuPrograms> load_mpu_programs(core::FileSystem& files,
                                                          const std::string& folder);

}  // namespace memsize::board
