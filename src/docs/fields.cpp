// One function for each kind of value that a key may have. Every key that was asked for is noted,
// so that finish() can name the others, with the key that was probably meant.
#include "memsize/docs/fields.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::docs {

namespace {

constexpr std::size_t kLongestLine = 400;

}  // namespace

Voice Voice::of(core::Code code, std::string hint, std::string prefix) {
  return {code, code, code, code, std::move(prefix), std::move(hint), false};
}

const Voice& Voice::of_toml() {
  using core::Code;
  static const Voice voice{Code::kTomlMissingKey,
                           Code::kTomlType,
                           Code::kBoardValue,
                           Code::kTomlUnknownKey,
                           {},
                           {},
                           false};
  return voice;
}

bool Fields::is_full() const {
  constexpr std::size_t kMostErrors = 1000;
  return errors_->size() >= kMostErrors;
}

void Fields::wrong(core::Code code,
                   const std::string& message,
                   const core::Place& place,
                   std::string hint) {
  errors_->push_back(core::error(
      code, voice_->prefix + message, place, hint.empty() ? voice_->hint : std::move(hint)));
}

void Fields::wrong(Value value, const std::string& message) {
  if (is_full()) {
    return;
  }
  wrong(voice_->value, fmt::format("{}: {}", value.path(), message), value.place());
}

void Fields::must_be(Value value, std::string_view what) {
  if (is_full()) {
    return;
  }
  if (what_.empty()) {
    wrong(value, fmt::format("it must be {}, not {}", what, value.shown()));
    return;
  }
  wrong(voice_->kind,
        fmt::format("'{}' of {} must be {}, not {}",
                    core::printable(value.key()),
                    what_,
                    what,
                    kind_name(value.kind())),
        value.place());
}

void Fields::missing(std::string_view key) {
  if ((std::exchange(told_missing_, true) && voice_->one_missing) || is_full()) {
    return;
  }
  wrong(voice_->missing,
        what_.empty() ? fmt::format("{}: '{}' is missing", table_.path(), key)
                      : fmt::format("{} has no '{}'", what_, key),
        table_.place());
}

bool Fields::is_kind(Value value, Kind kind) {
  if (!value || value.is(kind) || (kind == Kind::kWhole && value.is(Kind::kNegative))) {
    return static_cast<bool>(value);
  }
  must_be(value, what_.empty() && kind == Kind::kTable ? "an object" : kind_name(kind));
  if (kind == Kind::kText && value.is_integer() && !what_.empty() && !is_full()) {
    errors_->back().hint =
        fmt::format("put it in quotes: {} = \"{}\"", core::printable(value.key()), value.shown());
  }
  return false;
}

Value Fields::optional(std::string_view key, Kind kind) {
  if (!what_.empty()) {
    known_.emplace_back(key);
  }
  const Value value = table_[key];
  return is_kind(value, kind) ? value : Value{};
}

Value Fields::required(std::string_view key, Kind kind) {
  // What should be a table and is none was told already.
  if (!has(key) && (table_.is(Kind::kTable) || !what_.empty())) {
    missing(key);
  }
  return optional(key, kind);
}

Text Fields::text(std::string_view key, const std::string& fallback) {
  const Value value = optional(key, Kind::kText);
  return value ? Text{true, value.string(), value.place()} : Text{false, fallback, table_.place()};
}

Text Fields::as_text(Value value) {
  const bool is_text = is_kind(value, Kind::kText);
  return is_text ? Text{true, value.string(), value.place()} : Text{false, {}, table_.place()};
}

Text Fields::required_text(std::string_view key) {
  const Value value = required(key, Kind::kText);
  return value ? Text{true, value.string(), value.place()} : Text{false, {}, table_.place()};
}

std::string Fields::string(std::string_view key, const std::string& fallback) {
  const Value value = optional(key, Kind::kText);
  return value ? value.string() : fallback;
}

std::string Fields::required_string(std::string_view key) {
  return required(key, Kind::kText).string();
}

std::string Fields::one_line(std::string_view key) {
  return core::ascii_text(core::printable(string(key), kLongestLine));
}

std::string Fields::required_one_line(std::string_view key) {
  return core::ascii_text(core::printable(required_string(key), kLongestLine));
}

std::string Fields::one_of(std::string_view key, const std::vector<std::string>& words) {
  const auto found = as_one_of(required(key, Kind::kText), words);
  return found ? words[*found] : std::string{};
}

std::optional<std::size_t> Fields::as_one_of(Value value, const std::vector<std::string>& words) {
  if (!is_kind(value, Kind::kText)) {
    return std::nullopt;
  }
  if (const auto found = std::ranges::find(words, value.text()); found != words.end()) {
    return found - words.begin();
  }
  const std::vector<std::string> first{words.begin(), words.end() - 1};
  const std::string known = fmt::format("{} or {}", core::join(first, ", "), words.back());
  if (what_.empty()) {
    must_be(value, known);
  } else {
    wrong(voice_->value,
          fmt::format("'{}' of {} must be {}, not '{}'",
                      core::printable(value.key()),
                      what_,
                      known,
                      core::printable(value.text(), 60)),
          value.place());
  }
  return std::nullopt;
}

bool Fields::boolean(std::string_view key, bool fallback) {
  const Value value = optional(key, Kind::kBoolean);
  return value ? value.boolean() : fallback;
}

bool Fields::required_boolean(std::string_view key) {
  const Value value = required(key, Kind::kBoolean);
  return value && value.boolean();
}

std::vector<std::string> Fields::strings(std::string_view key) {
  std::vector<std::string> list;
  for (Text& item : texts(key)) {
    list.push_back(std::move(item.text));
  }
  return list;
}

std::vector<Text> Fields::texts(std::string_view key) {
  std::vector<Text> list;
  for (const Value item : items(key)) {
    if (item.is(Kind::kText)) {
      list.push_back({true, item.string(), item.place()});
    } else if (what_.empty()) {
      must_be(item, kind_name(Kind::kText));
    } else {
      wrong(voice_->kind,
            fmt::format("'{}' of {} must hold strings, not {}", key, what_, kind_name(item.kind())),
            item.place());
    }
  }
  return list;
}

std::vector<unsigned> Fields::numbers(std::string_view key) {
  constexpr std::uint64_t kMost = 1 << 20;
  std::vector<unsigned> list;
  for (const Value item : items(key)) {
    if (item.is(Kind::kWhole) && item.whole() <= kMost) {
      list.push_back(static_cast<unsigned>(item.whole()));
    } else if (what_.empty()) {
      must_be(item, kind_name(Kind::kWhole));
    } else {
      wrong(voice_->kind,
            fmt::format("'{}' of {} must hold whole numbers from 0", key, what_),
            item.place());
    }
  }
  return list;
}

std::optional<std::uint64_t> Fields::integer(std::string_view key) {
  const Value value = optional(key, Kind::kWhole);
  if (value.is(Kind::kNegative)) {
    wrong(voice_->value, fmt::format("'{}' of {} must not be negative", key, what_), value.place());
    return std::nullopt;
  }
  return value ? std::optional{value.whole()} : std::nullopt;
}

std::optional<std::uint64_t> Fields::as_number(Value value, std::uint64_t most) {
  if (!value) {
    return std::nullopt;
  }
  if (value.is(Kind::kWhole) && value.whole() <= most) {
    return value.whole();
  }
  must_be(value,
          most == std::numeric_limits<std::uint64_t>::max()
              ? "a whole number from 0"
              : fmt::format("a whole number from 0 to {}", most));
  return std::nullopt;
}

std::optional<std::uint64_t> Fields::number(std::string_view key, std::uint64_t most) {
  const Value value = table_[key];
  if (!value && table_.is(Kind::kTable)) {
    missing(key);
  }
  return as_number(value, most);
}

std::optional<std::uint64_t> Fields::number_if_any(std::string_view key, std::uint64_t most) {
  return as_number(table_[key], most);
}

std::uint64_t Fields::address(std::string_view key) {
  return as_address(required(key, Kind::kText));
}

std::uint64_t Fields::as_address(Value value) {
  if (!is_kind(value, Kind::kText)) {
    return 0;
  }
  const auto parsed = core::parse_address(value.text(), value.place());
  if (!parsed && what_.empty()) {
    must_be(value, "a hexadecimal address");
  } else if (!parsed) {
    wrong(voice_->value,
          fmt::format("'{}' of {} is not an address: '{}'",
                      core::printable(value.key()),
                      what_,
                      core::printable(value.text())),
          value.place());
  }
  return parsed.value_or(0);
}

bool Fields::is_table() {
  if (!table_.is(Kind::kTable) && what_.empty()) {
    must_be(table_, "an object");
  } else if (!table_.is(Kind::kTable)) {
    wrong(voice_->kind,
          fmt::format("{} must be a table, not {}", what_, kind_name(table_.kind())),
          table_.place());
  }
  return table_.is(Kind::kTable);
}

std::vector<Fields> Fields::tables(std::string_view key) {
  return tables_in(items(key));
}

std::vector<Fields> Fields::required_tables(std::string_view key) {
  return tables_in(required(key, Kind::kList));
}

std::vector<Fields> Fields::tables_in(Value list) {
  std::vector<Fields> tables;
  for (const Value item : list) {
    if (Fields fields = below(item); fields.is_table()) {
      tables.push_back(std::move(fields));
    }
  }
  return tables;
}

void Fields::finish() {
  std::ranges::sort(known_);
  known_.erase(std::unique(known_.begin(), known_.end()), known_.end());
  for (const Value field : table_) {
    if (!std::ranges::binary_search(known_, field.key())) {
      std::string hint = core::did_you_mean(field.name(), known_);
      wrong(voice_->unknown_key,
            fmt::format("{} has no key '{}'", what_, core::printable(field.key())),
            field.key_place(),
            hint.empty() ? fmt::format("known keys: {}", core::join(known_, ", ")) : hint);
    }
  }
}

}  // namespace memsize::docs
