// One function for each kind of value that a key may have. Every key that was asked for is noted,
// so that finish() can name the others, with the key that was probably meant.
#include "table_reader.hpp"

#include "memsize/core/text.hpp"

#include <utility>

#include <fmt/format.h>

namespace memsize::board {

using core::Code;
using Kind = core::TomlValue::Kind;

namespace {

constexpr std::size_t kLongestLine = 400;

}  // namespace

TableReader::TableReader(const core::TomlValue& table, std::string what, core::Diagnostics& errors)
    : table_(table), what_(std::move(what)), errors_(errors) {}

void TableReader::wrong(Code code,
                        const std::string& message,
                        const core::Place& place,
                        std::string hint) {
  errors_.push_back(core::error(code, message, place, std::move(hint)));
}

const core::TomlValue* TableReader::optional(std::string_view key, Kind kind) {
  known_.emplace(key);
  const core::TomlField* field = table_.find(key);
  if (field == nullptr) {
    return nullptr;
  }
  if (field->get().kind != kind) {
    wrong(Code::kTomlType,
          fmt::format("'{}' of {} must be {}, not {}",
                      key,
                      what_,
                      core::kind_name(kind),
                      core::kind_name(field->get().kind)),
          field->get().place,
          kind == Kind::kString && field->get().kind == Kind::kInteger
              ? fmt::format("put it in quotes: {} = \"{}\"", key, field->get().integer)
              : "");
    return nullptr;
  }
  return &field->get();
}

const core::TomlValue* TableReader::required(std::string_view key, Kind kind) {
  const core::TomlValue* value = optional(key, kind);
  if (value == nullptr && table_.find(key) == nullptr) {
    wrong(Code::kTomlMissingKey, fmt::format("{} has no '{}'", what_, key), table_.place);
  }
  return value;
}

Text TableReader::text(std::string_view key, const std::string& fallback) {
  const core::TomlValue* value = optional(key, Kind::kString);
  return value == nullptr ? Text{false, fallback, table_.place}
                          : Text{true, value->string, value->place};
}

Text TableReader::required_text(std::string_view key) {
  const core::TomlValue* value = required(key, Kind::kString);
  return value == nullptr ? Text{false, {}, table_.place} : Text{true, value->string, value->place};
}

std::string TableReader::string(std::string_view key, const std::string& fallback) {
  return text(key, fallback).text;
}

std::string TableReader::required_string(std::string_view key) {
  return required_text(key).text;
}

std::string TableReader::one_line(std::string_view key) {
  return core::printable(string(key), kLongestLine);
}

std::string TableReader::required_one_line(std::string_view key) {
  return core::printable(required_string(key), kLongestLine);
}

bool TableReader::boolean(std::string_view key, bool fallback) {
  const core::TomlValue* value = optional(key, Kind::kBoolean);
  return value == nullptr ? fallback : value->boolean;
}

std::vector<std::string> TableReader::strings(std::string_view key) {
  std::vector<std::string> list;
  for (Text& item : texts(key)) {
    list.push_back(std::move(item.text));
  }
  return list;
}

std::vector<Text> TableReader::texts(std::string_view key) {
  std::vector<Text> list;
  for (const core::TomlValue& item : items(key)) {
    if (item.kind != Kind::kString) {
      wrong(Code::kTomlType,
            fmt::format(
                "'{}' of {} must hold strings, not {}", key, what_, core::kind_name(item.kind)),
            item.place);
    } else {
      list.push_back({true, item.string, item.place});
    }
  }
  return list;
}

std::vector<unsigned> TableReader::numbers(std::string_view key) {
  constexpr std::int64_t kMost = 1 << 20;
  std::vector<unsigned> list;
  for (const core::TomlValue& item : items(key)) {
    if (item.kind != Kind::kInteger || item.integer < 0 || item.integer > kMost) {
      wrong(Code::kTomlType,
            fmt::format("'{}' of {} must hold whole numbers from 0", key, what_),
            item.place);
    } else {
      list.push_back(static_cast<unsigned>(item.integer));
    }
  }
  return list;
}

std::optional<std::uint64_t> TableReader::integer(std::string_view key) {
  const core::TomlValue* value = optional(key, Kind::kInteger);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (value->integer < 0) {
    wrong(Code::kBoardValue,
          fmt::format("'{}' of {} must not be negative", key, what_),
          value->place);
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(value->integer);
}

Expression TableReader::expression(std::string_view key) {
  const core::TomlValue* value = optional(key, Kind::kString);
  return value == nullptr ? Expression{{}, table_.place} : Expression{value->string, value->place};
}

Expression TableReader::required_expression(std::string_view key) {
  const core::TomlValue* value = required(key, Kind::kString);
  return value == nullptr ? Expression{"0", table_.place} : Expression{value->string, value->place};
}

core::Bytes TableReader::bytes(std::string_view key, core::Bytes fallback) {
  const core::TomlValue* value = optional(key, Kind::kString);
  if (value == nullptr) {
    return fallback;
  }
  const auto evaluated = evaluate(Expression{value->string, value->place}, {});
  if (!evaluated) {
    errors_.insert(errors_.end(), evaluated.error().begin(), evaluated.error().end());
    return fallback;
  }
  return core::Bytes{*evaluated};
}

core::Align TableReader::align(std::string_view key, core::Align fallback) {
  if (table_.find(key) == nullptr) {
    known_.emplace(key);
    return fallback;
  }
  const std::size_t before = errors_.size();
  const core::Bytes size = bytes(key);
  if (errors_.size() != before) {
    return fallback;
  }
  const auto made = core::Align::make(size.count());
  if (!made) {
    wrong(Code::kBoardValue,
          fmt::format(
              "'{}' of {} must be a power of two, not {}", key, what_, core::format_bytes(size)),
          table_.find(key)->get().place);
    return fallback;
  }
  return *made;
}

std::uint64_t TableReader::address(std::string_view key) {
  const core::TomlValue* value = required(key, Kind::kString);
  if (value == nullptr) {
    return 0;
  }
  const auto parsed = core::parse_address(value->string, value->place);
  if (!parsed) {
    wrong(Code::kBoardValue,
          fmt::format(
              "'{}' of {} is not an address: '{}'", key, what_, core::printable(value->string)),
          value->place);
    return 0;
  }
  return *parsed;
}

const std::vector<core::TomlField>& TableReader::fields(std::string_view key) {
  static const std::vector<core::TomlField> none;
  const core::TomlValue* value = optional(key, Kind::kTable);
  return value == nullptr ? none : value->fields;
}

const std::vector<core::TomlValue>& TableReader::items(std::string_view key) {
  static const std::vector<core::TomlValue> none;
  const core::TomlValue* value = optional(key, Kind::kArray);
  return value == nullptr ? none : value->items;
}

void TableReader::finish() {
  for (const core::TomlField& field : table_.fields) {
    if (!known_.contains(field.key)) {
      const std::vector<std::string> names{known_.begin(), known_.end()};
      std::string hint = core::did_you_mean(field.key, names);
      wrong(Code::kTomlUnknownKey,
            fmt::format("{} has no key '{}'", what_, core::printable(field.key)),
            field.key_place,
            hint.empty() ? fmt::format("known keys: {}", core::join(names, ", ")) : hint);
    }
  }
}

}  // namespace memsize::board
