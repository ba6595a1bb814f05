// Reads one TOML table key by key, collects every mistake, and at the end reports the keys that
// nobody asked for.
#pragma once

#include "memsize/board/expression.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/toml_doc.hpp"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::board {

/// A string with its place; the place of the table where nothing was written.
struct Text {
  bool written = false;
  std::string text;
  core::Place place;
};

class TableReader {
 public:
  /// `what` names the table in messages: "knob 'ipc_vring_mem_size'".
  TableReader(const core::TomlValue& table, std::string what, core::Diagnostics& errors);

  [[nodiscard]] const core::Place& place() const { return table_.place; }

  /// The value of `key`, or nullptr; a value of another kind is an error.
  const core::TomlValue* optional(std::string_view key, core::TomlValue::Kind kind);
  const core::TomlValue* required(std::string_view key, core::TomlValue::Kind kind);

  Text text(std::string_view key, const std::string& fallback = {});
  Text required_text(std::string_view key);
  std::string string(std::string_view key, const std::string& fallback = {});
  std::string required_string(std::string_view key);
  /// For comments of generated files and tables: one line, no control characters.
  std::string one_line(std::string_view key);
  std::string required_one_line(std::string_view key);
  bool boolean(std::string_view key, bool fallback);
  std::vector<std::string> strings(std::string_view key);
  std::vector<Text> texts(std::string_view key);
  std::vector<unsigned> numbers(std::string_view key);
  std::optional<std::uint64_t> integer(std::string_view key);
  Expression expression(std::string_view key);
  Expression required_expression(std::string_view key);
  core::Bytes bytes(std::string_view key, core::Bytes fallback = {});
  core::Align align(std::string_view key, core::Align fallback = {});
  std::uint64_t address(std::string_view key);
  /// The fields of the table at `key`, in file order; empty where it is absent.
  const std::vector<core::TomlField>& fields(std::string_view key);
  /// The items of the array at `key`.
  const std::vector<core::TomlValue>& items(std::string_view key);

  void wrong(core::Code code,
             const std::string& message,
             const core::Place& place,
             std::string hint = {});

  /// Unknown keys become errors. Call it once, at the end.
  void finish();

 private:
  const core::TomlValue& table_;
  std::string what_;
  core::Diagnostics& errors_;
  std::set<std::string, std::less<>> known_;
};

}  // namespace memsize::board
