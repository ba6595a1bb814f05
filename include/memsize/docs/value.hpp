// A document as a tree in which every value and every key knows where it was written, so that a
// mistake found much later can still point at its text. Values lie flat, in the text's order: that
// costs 32 bytes a value, where nlohmann's tree costs more than a hundred and forgets the places.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::docs {

enum class Kind : std::uint8_t {
  kAbsent,
  kNull,
  kBoolean,
  /// Not negative, and fits 64 bits.
  kWhole,
  kNegative,
  /// Has a fraction or an exponent, or does not fit 64 bits; of TOML also a date.
  kReal,
  kText,
  kList,
  kTable,
};

/// "a string", "an array", for messages.
[[nodiscard]] std::string_view kind_name(Kind kind);

/// Of a name or a value of the input, in a message.
inline constexpr std::size_t kLongestShown = 40;

/// Where in its text something stands. Line and column count from 1; 0: nowhere in particular.
struct Position {
  std::size_t line = 0;
  std::size_t column = 0;
};

class Document;

/// A value of a document, which must outlive it. One that is not there is a value, too.
class Value {
 public:
  Value() = default;

  [[nodiscard]] Kind kind() const;

  [[nodiscard]] bool is(Kind kind) const { return this->kind() == kind; }

  [[nodiscard]] bool is_integer() const { return is(Kind::kWhole) || is(Kind::kNegative); }

  /// Whether it is there; null counts as not there.
  explicit operator bool() const { return !is(Kind::kAbsent) && !is(Kind::kNull); }

  /// Each asks for a value of its kind; a text of another kind is empty.
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] std::uint64_t whole() const;
  [[nodiscard]] std::int64_t integer() const;
  [[nodiscard]] double real() const;
  [[nodiscard]] std::string_view text() const;

  [[nodiscard]] std::string string() const { return std::string{text()}; }

  /// The member of a table; absent where this is no table or has no such member. Costs the number
  /// of members.
  [[nodiscard]] Value operator[](std::string_view key) const;
  /// What a list or table contains, as `for (Value item : value)`; other kinds contain nothing.
  [[nodiscard]] std::size_t size() const;

  class Iterator;
  [[nodiscard]] Iterator begin() const;
  [[nodiscard]] Iterator end() const;

  /// Of a member.
  [[nodiscard]] std::string_view key() const;

  [[nodiscard]] std::string name() const { return std::string{key()}; }

  [[nodiscard]] core::Place place() const;
  [[nodiscard]] core::Place key_place() const;
  [[nodiscard]] Position position() const;
  /// "tensors[3].size"; "document" for the whole of it. Costs the lengths of the lists around it.
  [[nodiscard]] std::string path() const;
  /// For messages: as it stands in the text, cut; lists and tables are only named.
  [[nodiscard]] std::string shown() const;
  /// An integer as it was written where that is known ("0x10" of YAML), else in digits.
  [[nodiscard]] std::string digits() const;

 private:
  friend class Document;
  friend class Builder;

  Value(const Document* document, std::uint32_t index) : document_(document), index_(index) {}

  const Document* document_ = nullptr;
  std::uint32_t index_ = 0;
};

class Document {
 public:
  [[nodiscard]] Value root() const { return nodes_.empty() ? Value{} : Value{this, 0}; }

  /// Lines of a JSON text; one without an end counts.
  [[nodiscard]] std::size_t lines() const;

  /// A member that nobody asked for, with one byte other than a key that was asked for and is not
  /// there.
  struct Misspelt {
    std::uint32_t index = 0;
    std::string wanted;
  };

  /// The first of them, a few.
  [[nodiscard]] std::vector<Misspelt> misspelt() const;

  [[nodiscard]] Value at(std::uint32_t index) const { return {this, index}; }

  /// What everything in it hashes to except one member of the outermost table: by sorted keys,
  /// without blanks.
  [[nodiscard]] std::string hash_without(std::string_view key) const;

 private:
  friend class Value;
  friend class Value::Iterator;
  friend class Builder;
  friend class JsonEvents;
  friend core::Result<Document> parse_json(std::string_view text,
                                           const std::string& path,
                                           core::Code code,
                                           const std::string& hint);

  struct Node {
    std::uint64_t bits = 0;
    // Where it stands: in a JSON text, or in `spots_`.
    std::uint32_t begin = 0;
    std::uint32_t parent = 0;
    // Behind everything in it.
    std::uint32_t next = 0;
    std::uint32_t key_begin = 0;
    std::uint32_t key_size = 0;
    Kind kind = Kind::kAbsent;
    // Somebody asked for it by its key.
    mutable bool is_asked = false;
  };

  struct Spot {
    core::Place value;
    core::Place key;
  };

  [[nodiscard]] std::string_view stored(std::uint32_t begin, std::uint32_t size) const;
  [[nodiscard]] Position position_of(std::size_t at) const;
  [[nodiscard]] core::Place place_of(std::size_t at, std::size_t length) const;

  core::SharedText path_;
  // Of JSON; it is not copied.
  std::string_view text_;
  std::vector<Node> nodes_;
  // Strings that do not stand in `text_` as they are meant.
  std::string own_;
  std::vector<std::uint32_t> line_begins_;
  std::vector<Spot> spots_;
  // Integers that are not written as their digits.
  std::map<std::uint32_t, std::string> spellings_;
  // What is_asked will tell from keys of other tables that look alike.
  mutable std::vector<Misspelt> doubtful_;
};

class Value::Iterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = Value;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = Value;

  Iterator() = default;

  Value operator*() const { return {document_, index_}; }

  Iterator& operator++() {
    index_ = document_->nodes_[index_].next;
    return *this;
  }

  Iterator operator++(int) {
    const Iterator before = *this;
    ++*this;
    return before;
  }

  friend bool operator==(const Iterator&, const Iterator&) = default;

 private:
  friend class Value;

  Iterator(const Document* document, std::uint32_t index) : document_(document), index_(index) {}

  const Document* document_ = nullptr;
  std::uint32_t index_ = 0;
};

/// Makes a document value by value. What is added to a table needs its key said before.
class Builder {
 public:
  void key(std::string_view key, core::Place place);
  void add_text(std::string_view text, core::Place place);
  void add_integer(std::int64_t value, core::Place place, std::string_view spelling = {});
  void add_boolean(bool value, core::Place place);
  void add_real(double value, core::Place place);
  /// A list or a table.
  void open(Kind kind, core::Place place);
  void close();
  /// With everything in it, under the key that was said.
  void copy(Value value);
  /// A member with its own key.
  void copy_member(Value member);

  [[nodiscard]] Document take() { return std::move(document_); }

 private:
  void add(Kind kind, std::uint64_t bits, core::Place place);
  [[nodiscard]] std::uint64_t store(std::string_view text);

  Document document_;
  std::vector<std::uint32_t> open_;
  std::string key_;
  core::Place key_place_;
};

/// Tables over one another, the lowest first: tables merge key by key, everything else
/// is replaced whole, where it stood. The place of a merged table is that of the uppermost.
[[nodiscard]] Document merged(const std::vector<Value>& layers);

/// Without the value under dotted keys ("chain.x.limit"), of which the last must be there
/// (`is_found`).
[[nodiscard]] Document without(Value table, std::string_view dotted, bool& is_found);

}  // namespace memsize::docs
