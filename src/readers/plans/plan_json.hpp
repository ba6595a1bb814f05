// JSON that compilers write about their plans, with the place of every value: nlohmann's parser
// reads the text, and what it finds is kept flat, in the text's order. That costs 32 bytes a value
// where its own tree costs more than a hundred and forgets the places.
#pragma once

#include "plan_problems.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::readers {

enum class JsonKind : std::uint8_t {
  kAbsent,
  kNull,
  kBoolean,
  /// Not negative, and fits 64 bits.
  kWhole,
  kNegative,
  /// Has a fraction or an exponent, or does not fit 64 bits.
  kReal,
  kText,
  kArray,
  kObject,
};

class JsonDocument;

/// A value of a document, which must outlive it. One that is not there is a value, too.
class JsonValue {
 public:
  JsonValue() = default;

  [[nodiscard]] JsonKind kind() const;

  [[nodiscard]] bool is(JsonKind kind) const { return this->kind() == kind; }

  /// Whether it is there; null counts as not there.
  explicit operator bool() const { return !is(JsonKind::kAbsent) && !is(JsonKind::kNull); }

  /// Each asks for a value of its kind.
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] std::uint64_t whole() const;
  [[nodiscard]] std::int64_t negative() const;
  [[nodiscard]] double real() const;
  [[nodiscard]] std::string_view text() const;

  /// The member of an object; absent where this is no object or has no such member. Costs the
  /// number of members.
  [[nodiscard]] JsonValue operator[](std::string_view key) const;
  /// What an array or object contains, as `for (JsonValue item : value)`; other kinds contain
  /// nothing.
  [[nodiscard]] std::size_t size() const;

  class Iterator;
  [[nodiscard]] Iterator begin() const;
  [[nodiscard]] Iterator end() const;

  /// Of a member.
  [[nodiscard]] std::string_view key() const;
  [[nodiscard]] PlanPlace place() const;
  /// "tensors[3].size"; "document" for the whole of it.
  [[nodiscard]] std::string path() const;
  /// For messages: as it stands in the text, cut; arrays and objects are only named.
  [[nodiscard]] std::string shown() const;

 private:
  friend class JsonDocument;

  JsonValue(const JsonDocument* document, std::uint32_t index)
      : document_(document), index_(index) {}

  const JsonDocument* document_ = nullptr;
  std::uint32_t index_ = 0;
};

class JsonDocument {
 public:
  /// Code::kPlanSyntax with line and column for what is no JSON, has a key twice in one object, is
  /// not UTF-8, or is nested more than a hundred deep. `text` must outlive the document.
  [[nodiscard]] static core::Result<JsonDocument> parse(std::string_view text,
                                                        const std::string& path);

  [[nodiscard]] JsonValue root() const { return {this, 0}; }

  /// Lines of the text; one without an end counts.
  [[nodiscard]] std::size_t lines() const;

  /// A member that nobody asked for, with one byte other than a key that was asked for and is not
  /// there.
  struct Misspelt {
    std::uint32_t index = 0;
    std::string wanted;
  };

  /// The first of them, a few.
  [[nodiscard]] std::vector<Misspelt> misspelt() const;

  [[nodiscard]] JsonValue at(std::uint32_t index) const { return {this, index}; }

  /// What everything in it hashes to except one member of the outermost object: by sorted keys,
  /// without blanks.
  [[nodiscard]] std::string hash_without(std::string_view key) const;

 private:
  friend class JsonValue;
  friend class JsonValue::Iterator;
  friend class JsonEvents;

  struct Node {
    std::uint64_t bits = 0;
    std::uint32_t begin = 0;
    std::uint32_t parent = 0;
    // Behind everything in it.
    std::uint32_t next = 0;
    std::uint32_t key_begin = 0;
    std::uint32_t key_size = 0;
    JsonKind kind = JsonKind::kAbsent;
    // Somebody asked for it by its key.
    mutable bool is_asked = false;
  };

  [[nodiscard]] std::string_view stored(std::uint32_t begin, std::uint32_t size) const;
  [[nodiscard]] PlanPlace place_of(std::size_t at) const;

  std::string_view text_;
  std::vector<Node> nodes_;
  // Strings with escapes, as they are meant; others are read where they stand in the text.
  std::string unescaped_;
  std::vector<std::uint32_t> line_begins_;
  // What is_asked will tell from keys of other objects that look alike.
  mutable std::vector<Misspelt> doubtful_;
};

class JsonValue::Iterator {
 public:
  JsonValue operator*() const { return {document_, index_}; }

  Iterator& operator++() {
    index_ = document_->nodes_[index_].next;
    return *this;
  }

  friend bool operator==(const Iterator&, const Iterator&) = default;

 private:
  friend class JsonValue;

  Iterator(const JsonDocument* document, std::uint32_t index)
      : document_(document), index_(index) {}

  const JsonDocument* document_ = nullptr;
  std::uint32_t index_ = 0;
};

/// Members with their types. A member that is missing, or is of another type, is an error that
/// names it (Code::kPlanSyntax); `_if_any` takes its absence, and null, for an answer.
class PlanFields : public PlanProblems {
 public:
  using PlanProblems::PlanProblems;

  /// The errors, or the report with the warnings, of misspelt keys too.
  [[nodiscard]] PlanResult finish(model::PlanReport report, const JsonDocument& document);

  void wrong(JsonValue value, const std::string& what, std::string hint = {});
  /// Whether it is an object, or an array; an error where not.
  bool is_object(JsonValue value);
  bool is_array(JsonValue value);

  /// The member, an error where there is none.
  JsonValue member(JsonValue object, const char* key);
  std::string text(JsonValue object, const char* key);
  std::string text_if_any(JsonValue object, const char* key);
  /// A text or a whole number, as text: tensors' ids are written either way.
  std::string id(JsonValue object, const char* key);
  std::optional<std::uint64_t> whole(JsonValue object, const char* key);
  std::optional<std::uint64_t> whole_if_any(JsonValue object, const char* key);
  std::optional<std::int64_t> step(JsonValue object, const char* key);
  std::optional<std::int64_t> step_if_any(JsonValue object, const char* key);
  std::optional<bool> flag_if_any(JsonValue object, const char* key);
  std::optional<core::Bytes> size(JsonValue object, const char* key);
  std::optional<core::Bytes> size_if_any(JsonValue object, const char* key);
  std::optional<core::Align> alignment_if_any(JsonValue object, const char* key);
  /// "default" where there is none.
  std::string memory_if_any(JsonValue object, const char* key);
  std::optional<model::Lifetime> role(JsonValue object, const char* key);
  std::optional<model::Lifetime> role_if_any(JsonValue object, const char* key);

  /// What a document of memsize's says that it hashes to, if it does, and what it does hash to.
  void read_content_hash(const JsonDocument& document, const char* key, model::PlanReport& report);

  /// As PlanProblems::lifetime, said of that value.
  std::optional<model::Interval> lifetime(JsonValue of,
                                          std::int64_t first,
                                          std::int64_t last,
                                          LastStep meaning);

  /// These take the value itself, wherever it stands; absence is an error.
  std::optional<std::uint64_t> as_whole(JsonValue value);
  std::optional<std::int64_t> as_step(JsonValue value);
  std::optional<core::Bytes> as_size(JsonValue value);
  std::string as_id(JsonValue value);

  using PlanProblems::alignment;
  using PlanProblems::finish;
  using PlanProblems::lifetime;
  using PlanProblems::size;

 private:
  // Its path, which costs the length of an array; empty where nothing more of the code is kept.
  [[nodiscard]] std::string subject(JsonValue value, core::Code code) const;
};

}  // namespace memsize::readers
