// Reads one table of a document key by key, each with its type, and collects every mistake. Tables
// that people write are spoken of by what they are ("'size' of knob 'x' must be a string"), those
// that programs write by where they stand ("cores[0].size: it must be a string").
#pragma once

#include "memsize/docs/value.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memsize::docs {

/// A string with its place; the place of the table where nothing was written.
struct Text {
  bool written = false;
  std::string text;
  core::Place place;
};

/// What a kind of document says of its mistakes.
struct Voice {
  core::Code missing{};
  core::Code kind{};
  core::Code value{};
  core::Code unknown_key{};
  /// Before every message.
  std::string prefix;
  /// Where nothing better is known.
  std::string hint;
  /// A table that lacks one key is none of ours: it is not told what else it lacks.
  bool one_missing = false;

  /// Every mistake has the code.
  [[nodiscard]] static Voice of(core::Code code, std::string hint = {}, std::string prefix = {});
  /// TOML that people write.
  [[nodiscard]] static const Voice& of_toml();
};

class Fields {
 public:
  /// `what` names the table in messages: "knob 'ipc_vring_mem_size'"; without it, its path does.
  Fields(Value table,
         std::string what,
         core::Diagnostics& errors,
         const Voice& voice = Voice::of_toml())
      : table_(table), what_(std::move(what)), errors_(&errors), voice_(&voice) {}

  [[nodiscard]] Value value() const { return table_; }

  [[nodiscard]] core::Place place() const { return table_.place(); }

  /// What names the table in messages.
  [[nodiscard]] const std::string& what() const { return what_; }

  [[nodiscard]] core::Diagnostics& errors() { return *errors_; }

  /// The value of `key`, absent where it is not there; a value of another kind is an error.
  Value optional(std::string_view key, Kind kind);
  Value required(std::string_view key, Kind kind);

  [[nodiscard]] bool has(std::string_view key) const { return static_cast<bool>(table_[key]); }

  Text text(std::string_view key, const std::string& fallback = {});
  Text required_text(std::string_view key);
  std::string string(std::string_view key, const std::string& fallback = {});
  std::string required_string(std::string_view key);
  /// For comments of generated files and tables: one line, no control characters.
  std::string one_line(std::string_view key);
  std::string required_one_line(std::string_view key);
  /// A required text that is one of `words`.
  std::string one_of(std::string_view key, const std::vector<std::string>& words);
  bool boolean(std::string_view key, bool fallback);
  bool required_boolean(std::string_view key);
  std::vector<std::string> strings(std::string_view key);
  std::vector<Text> texts(std::string_view key);
  std::vector<unsigned> numbers(std::string_view key);
  std::optional<std::uint64_t> integer(std::string_view key);
  /// A required whole number up to `most`.
  std::optional<std::uint64_t> number(
      std::string_view key, std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
  std::optional<std::uint64_t> number_if_any(
      std::string_view key, std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
  /// These take a value of the table itself: looking for each by its key takes the square of their
  /// number.
  Text as_text(Value value);
  std::optional<std::uint64_t> as_number(
      Value value, std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
  std::uint64_t as_address(Value value);
  /// Which of them it is.
  std::optional<std::size_t> as_one_of(Value value, const std::vector<std::string>& words);
  /// Required; 0 where it is none.
  std::uint64_t address(std::string_view key);

  /// The table or list at `key`, which has nothing in it where it is absent: `for (Value each :
  /// ...)`.
  Value fields(std::string_view key) { return optional(key, Kind::kTable); }

  Value items(std::string_view key) { return optional(key, Kind::kList); }

  /// Of a value in it, which is spoken of by where it stands.
  [[nodiscard]] Fields below(Value value) const { return {value, {}, *errors_, *voice_}; }

  /// Whether this is a table; an error where it is not.
  bool is_table();

  /// What is in the table at `key`, or in the list, of which each must be a table.
  Fields table(std::string_view key) { return below(required(key, Kind::kTable)); }

  std::vector<Fields> tables(std::string_view key);
  std::vector<Fields> required_tables(std::string_view key);

  void wrong(core::Code code,
             const std::string& message,
             const core::Place& place,
             std::string hint = {});
  /// "cores[0].size: it must be ...".
  void wrong(Value value, const std::string& message);

  void wrong(std::string_view key, const std::string& message) { wrong(table_[key], message); }

  /// Says of a value that it is not what it must be.
  void must_be(Value value, std::string_view what);
  /// Whether it is there, and of the kind, which it must be.
  [[nodiscard]] bool is_kind(Value value, Kind kind);
  void missing(std::string_view key);

  /// Unknown keys become errors. Call it once, at the end.
  void finish();

 private:
  // A document may have the same mistake a million times.
  [[nodiscard]] bool is_full() const;
  std::vector<Fields> tables_in(Value list);

  Value table_;
  std::string what_;
  core::Diagnostics* errors_;
  const Voice* voice_;
  // Of tables that have a name: what was asked for.
  std::vector<std::string> known_;
  bool told_missing_ = false;
};

}  // namespace memsize::docs
