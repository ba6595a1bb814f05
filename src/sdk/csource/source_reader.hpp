// What the parsers of firmware sources share: a source with its macros, and arguments.
#pragma once

#include "firmware.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::sdk {

/// A source with its own macros beside those of the build.
struct ReadSource {
  explicit ReadSource(const FirmwareFile& file);

  core::Diagnostics problems;
  CSource source;
  Macros macros;
  core::Cursor cursor;
};

class SourceReader {
 public:
  SourceReader(const FirmwareFile& file, core::Diagnostics& errors);

 protected:
  /// Takes a token and keeps account of the blocks and of the statement that it is in.
  std::string step();

  /// An expression; nothing after an error, which is reported.
  std::optional<Argument> argument();
  /// One operand only.
  std::optional<Argument> operand();

  /// The macro that the argument is, without an ending of `endings`; else its number.
  [[nodiscard]] std::string name_of(const Argument& argument,
                                    const std::vector<std::string_view>& endings) const;

  [[nodiscard]] const Conditions& conditions() const {
    return source_.conditions(cursor_.place().line);
  }

  /// Whether a call at the cursor is made whenever its function is. `blocks` may have been entered.
  [[nodiscard]] bool is_certain(std::size_t blocks) const;

  /// Up to behind the semicolon, or to the brace that ends the block.
  void skip_statement();

  std::shared_ptr<const ReadSource> read_;
  const CSource& source_;
  const Macros& macros_;
  core::CExpressionRules rules_;
  core::Cursor cursor_;
  core::Diagnostics& errors_;
  /// How many blocks are open.
  std::size_t depth_ = 0;

 private:
  std::optional<Argument> taken(bool whole);

  /// First word of the statement, open parentheses in it, and whether a part of it may be left out.
  std::string statement_;
  std::size_t parentheses_ = 0;
  bool is_optional_ = false;
};

}  // namespace memsize::sdk
