// The one grammar of braced records, in three skins: what a printer wrote becomes a tree that
// refers to the text, and knows what of it was cut.
#pragma once

#include "memsize/model/nnapi.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace memsize::readers::nnapi {

struct Value;

struct Field {
  /// Without its dot.
  std::string_view name;
  std::size_t value = 0;
};

/// Children are places in the tree's list of values.
struct Value {
  enum class Kind { kWord, kRecord, kList };

  Kind kind = Kind::kWord;
  /// Of a word all of it; of a record what stands before its brace: "Operand", "memory".
  std::string_view text;
  std::vector<Field> fields;
  /// Of a list; of a record what has no name.
  std::vector<std::size_t> items;
  std::optional<std::uint64_t> announced;
  /// The text ends in it, or at its end where that cannot be told: nothing of a word counts then.
  bool is_cut = false;
  /// "19...": it has more than was printed.
  bool has_more = false;
};

class Tree {
 public:
  /// The value that begins at `begin` of the text; what follows it is not looked at.
  Tree(std::string_view text, std::size_t begin, model::NnSkin skin);

  [[nodiscard]] const Value& root() const { return values_.front(); }

  [[nodiscard]] const Value& at(std::size_t index) const { return values_[index]; }

  /// The field's value; null where there is none.
  [[nodiscard]] const Value* field(const Value& record, std::string_view name) const;

  /// Of `name` within `record` of the skin's names; the first of its unnamed items.
  [[nodiscard]] const Value* first_item(const Value& record) const;

  /// Where the value ends in the text.
  [[nodiscard]] std::size_t end() const { return end_; }

 private:
  friend class Parser;

  std::vector<Value> values_;
  std::size_t end_ = 0;
};

/// A word's number; nothing where it is none, was cut, or needs more than 64 bits. Hexadecimal as
/// HIDL prints unknown values.
[[nodiscard]] std::optional<std::uint64_t> unsigned_of(const Value* value);
[[nodiscard]] std::optional<std::int64_t> signed_of(const Value* value);
[[nodiscard]] std::optional<double> decimal_of(const Value* value);
/// 0, 1, false, true.
[[nodiscard]] std::optional<bool> flag_of(const Value* value);
/// Empty where it was cut.
[[nodiscard]] std::string_view word_of(const Value* value);

}  // namespace memsize::readers::nnapi
