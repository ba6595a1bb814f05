// Writes the values of regions into an MPU table of C, in the words that the table has.
#pragma once

#include "memsize/chip/entry.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/text_edits.hpp"
#include "memsize/emit/written.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace memsize::sdk {

/// Refers to all that it is made from.
class TableValues {
 public:
  TableValues(const emit::MapFile& file,
              const emit::WrittenMpuSource& source,
              const emit::Constants& macros,
              core::TextEdits& edits,
              core::Diagnostics& errors);

  /// Brings the region at `index` to the wanted fields; of a new one a base that is a number may
  /// become a macro.
  void set(std::size_t index, const chip::MpuRegionFields& wanted, bool is_new);

  [[nodiscard]] bool changed(std::size_t index) const { return changed_.contains(index); }

 private:
  [[nodiscard]] const board::MpuProgram& program() const { return *source_.program; }

  [[nodiscard]] std::string text(std::size_t index, const std::string& field) const;
  [[nodiscard]] std::string base_text(std::size_t index,
                                      const chip::MpuRegionFields& wanted,
                                      bool is_new) const;
  [[nodiscard]] std::string macro_for(const chip::MpuRegionFields& wanted) const;
  [[nodiscard]] std::string size_text(std::size_t index, std::uint64_t size) const;
  [[nodiscard]] std::string mask_text(std::size_t index, unsigned disabled) const;

  /// As another region writes it that has the same, else as a number.
  [[nodiscard]] std::string word_text(
      std::size_t index,
      const std::string& field,
      std::uint64_t value,
      const std::function<bool(const chip::MpuRegionFields&)>& has_same) const;

  /// A field that is on or off.
  void set_flag(std::size_t index,
                const board::ProgramField& field,
                bool value,
                const std::function<bool(const chip::MpuRegionFields&)>& has_same);
  void set_kind(std::size_t index, const chip::MpuRegionFields& wanted);
  void set_field(std::size_t index, const std::string& field, std::string value);
  void refuse(std::string message, const core::Place& place, std::string hint);

  const emit::MapFile& file_;
  const emit::WrittenMpuSource& source_;
  const emit::Constants& macros_;
  core::TextEdits& edits_;
  core::Diagnostics& errors_;
  std::set<std::size_t> changed_;
};

}  // namespace memsize::sdk
