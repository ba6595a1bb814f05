// What the readers of a board's tables share: the board they fill, the mistakes they found, and the
// words that stand in several tables.
#pragma once

#include "memsize/board/accepted.hpp"
#include "memsize/board/board.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/docs/value.hpp"

#include "field_values.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memsize::board {

/// "knob 'x'", for messages.
[[nodiscard]] std::string named(std::string_view what, docs::Value field);

class ReaderContext {
 public:
  ReaderContext(Board& board, core::Diagnostics& errors) : board_(board), errors_(errors) {}

  [[nodiscard]] Board& board() { return board_; }

  [[nodiscard]] core::Diagnostics& errors() { return errors_; }

  /// Names become C macros and section names: anything else is an error.
  void check_identifier(const Text& name);
  void check_identifier(const std::string& name, const core::Place& place);

  void unknown_core(const std::string& core, const core::Place& place);

  /// The required key `cores`: "all", or a list of core names.
  std::vector<std::string> read_cores(Fields& reader, docs::Value table);

  /// The key `attributes`: letters of "RWIX".
  static std::string read_attributes(Fields& reader, const std::string& fallback);

  /// The key `covers`, with the place of each name.
  static void read_covers(Fields& reader,
                          std::vector<std::string>& names,
                          std::vector<core::Place>& places);

 private:
  Board& board_;
  core::Diagnostics& errors_;
};

void read_chain(ReaderContext& context, docs::Value field);
void read_alias(ReaderContext& context, docs::Value field);
void read_view(ReaderContext& context, docs::Value field);
void read_mmu(ReaderContext& context, docs::Value table);
void read_mpu(ReaderContext& context, docs::Value table);
void read_rat(ReaderContext& context, docs::Value table);
[[nodiscard]] Accepted read_accepted(Fields& top, core::Diagnostics& errors);
/// After every chain, alias and view: sections go to regions.
void read_sections(ReaderContext& context, docs::Value lists);

}  // namespace memsize::board
