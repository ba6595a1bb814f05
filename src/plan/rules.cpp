// Reads the rules, and finds what holds for a tensor: attribute by attribute, from rules for all to
// those of an id, of a role, and of both, each over what came before.
#include "memsize/plan/rules.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/docs/fields.hpp"
#include "memsize/docs/parse.hpp"

#include "rule_index.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

namespace memsize::plan {

using core::Code;
using docs::Fields;
using docs::Kind;
using docs::Value;

namespace {

constexpr std::string_view kEvery = "*";
// More of a kind tell nobody more.
constexpr std::size_t kMostFindings = 20;
constexpr std::uint64_t kLargestRuleAlignment = std::uint64_t{1} << 30;

// Keys of heliaAOT's `memory:` that say how it generates code, not where tensors go.
const std::vector<std::string> kMemoryKeys = {"planner",
                                              "constraints",
                                              "tensors",
                                              "allocate_arenas",
                                              "auto_hydrate_constants",
                                              "dump_residency_json"};
const std::vector<std::string> kConstraintKeys = {"name", "max_size", "arena_alignment"};
const std::vector<std::string> kRuleKeys = {"type", "id", "attributes"};
const std::vector<std::string> kAttributeKeys = {"memory", "constant_destination_memory"};

// As a part's file may have.
constexpr std::size_t kMostMemories = 64;

const docs::Voice& voice() {
  static const docs::Voice of_rules = docs::Voice::of(Code::kPlanRule);
  return of_rules;
}

void wrong(core::Diagnostics& errors,
           std::string what,
           const core::Place& place,
           std::string hint) {
  errors.push_back(core::error(Code::kPlanRule, std::move(what), place, std::move(hint)));
}

void warn(core::Diagnostics& notes,
          std::string what,
          const core::Place& place,
          std::string hint = {}) {
  if (notes.size() < kMostFindings) {
    notes.push_back(core::warning(Code::kPlanRule, std::move(what), place, std::move(hint)));
  }
}

// At the top, as heliaAOT has it, or where a profiler's configuration keeps heliaAOT's arguments.
Value memory_in(Value file) {
  const Value memory = file["memory"];
  Value at = file;
  for (const char* const key : {"engine", "config", "aot_args", "memory"}) {
    const Value field = at[key];
    if (memory || !field) {
      return memory;
    }
    if (std::string_view{key} == "memory") {
      return field;
    }
    at = field;
  }
  return memory;
}

// A whole configuration has much else at its top; without `memory` it has no rule. Rules that stand
// beside it would be lost without a word.
core::Diagnostics no_memory(Value file) {
  core::Diagnostics errors;
  for (const Value field : file) {
    if (field.name() == "constraints" || field.name() == "tensors") {
      wrong(errors,
            fmt::format("'{}' stands outside of 'memory'", field.name()),
            field.key_place(),
            fmt::format("write it below 'memory:' (TOML: [[memory.{}]])", field.name()));
    }
  }
  if (errors.empty()) {
    std::string hint;
    for (const Value field : file) {
      if (hint.empty()) {
        hint = core::did_you_mean(field.name(), {"memory"});
      }
    }
    wrong(errors,
          "there is no 'memory': the file has no rule",
          file.place(),
          hint.empty() ? "rules are below 'memory:', or 'engine: config: aot_args: memory:'"
                       : std::move(hint));
  }
  return errors;
}

void report_unknown(const Fields& table,
                    const std::vector<std::string>& known,
                    core::Diagnostics& notes) {
  for (const Value field : table.value()) {
    if (!core::contains(known, field.name())) {
      warn(notes,
           fmt::format(
               "{} has no key '{}': it is ignored", table.what(), core::printable(field.name())),
           field.key_place(),
           core::did_you_mean(field.name(), known, "known keys"));
    }
  }
}

// The items of a list of tables; others are errors.
std::vector<Fields> tables(Fields& memory, std::string_view key, const std::string& what) {
  std::vector<Fields> found;
  for (const Value item : memory.items(key)) {
    Fields table{item, what, memory.errors(), voice()};
    if (table.is_table()) {
      found.push_back(std::move(table));
    }
  }
  return found;
}

// A memory's name, in lower case; empty where there is none, and then `place` stays what it is.
std::string name_at(Fields& table, std::string_view key, core::Place& place) {
  const docs::Text name = table.text(key);
  if (name.written && core::trim(name.text).empty()) {
    wrong(table.errors(),
          fmt::format("'{}' must be a memory's name, not nothing", key),
          name.place,
          "such as DTCM");
  } else if (name.written) {
    place = name.place;
  }
  return core::to_lower(core::trim(name.text));
}

std::optional<std::uint64_t> size_at(Fields& table, std::string_view key) {
  const Value value = table.value()[key];
  if (!value) {
    return std::nullopt;
  }
  if (value.is(Kind::kWhole)) {
    return value.whole();
  }
  if (!value.is(Kind::kText)) {
    wrong(table.errors(),
          fmt::format(
              "'{}' must be a size, not {}",
              key,
              value.is(Kind::kNegative) ? "a negative number" : docs::kind_name(value.kind())),
          value.place(),
          "bytes as a whole number, or text such as \"64KiB\"");
    return std::nullopt;
  }
  const std::string text = value.string();
  if (text.size() > 1 && text.front() == '0' && text[1] >= '0' && text[1] <= '9') {
    wrong(table.errors(),
          fmt::format(
              "'{}' begins with 0, which some read as octal: '{}'", key, core::printable(text)),
          value.place(),
          "leave out the leading zeros");
    return std::nullopt;
  }
  const auto parsed = core::parse_bytes(text, value.place());
  if (!parsed) {
    const core::Diagnostic& error = parsed.error().front();
    wrong(table.errors(), error.message, value.place(), error.hint);
    return std::nullopt;
  }
  return parsed->count();
}

MemoryConstraint read_constraint(Fields& table, core::Diagnostics& notes) {
  report_unknown(table, kConstraintKeys, notes);
  MemoryConstraint read{.place = table.place()};
  read.memory = name_at(table, "name", read.place);
  if (!table.has("name")) {
    wrong(table.errors(),
          "a constraint has no 'name'",
          table.place(),
          "name the memory that it is about");
  }
  if (const auto size = size_at(table, "max_size"); size) {
    read.max_size = core::Bytes{*size};
  }
  if (const auto value = size_at(table, "arena_alignment"); value) {
    read.arena_alignment = core::Align::make(*value);
    if (!read.arena_alignment || *value > kLargestRuleAlignment) {
      wrong(table.errors(),
            fmt::format("'arena_alignment' must be a power of two up to 1 GiB, not {}", *value),
            table.value()["arena_alignment"].place(),
            "such as 16, 32 or 64");
    }
  }
  return read;
}

void add_constraint(MemoryConstraint read,
                    const core::Place& table,
                    Rules& rules,
                    core::Diagnostics& errors) {
  auto* known = core::find_in(rules.constraints, read.memory, &MemoryConstraint::memory);
  if (known == nullptr && rules.constraints.size() >= kMostMemories) {
    wrong(errors, fmt::format("there are more than {} constraints", kMostMemories), table, "");
  } else if (known == nullptr) {
    rules.constraints.push_back(std::move(read));
  } else {
    warn(rules.diagnostics,
         fmt::format("'{}' has two constraints: the later one holds", core::printable(read.memory)),
         read.place,
         "write one");
    known->max_size = read.max_size ? read.max_size : known->max_size;
    known->arena_alignment = read.arena_alignment ? read.arena_alignment : known->arena_alignment;
    known->place = read.place;
  }
}

std::optional<model::Lifetime> read_type(Value value, core::Diagnostics& errors) {
  const std::string type = value.is(Kind::kText) ? core::to_lower(value.text()) : "";
  if (!value || type == kEvery) {
    return std::nullopt;
  }
  const auto read = model::named<model::Lifetime>(type);
  if (!read) {
    const std::string hint = core::did_you_mean(type, {"scratch", "persistent", "constant", "*"});
    wrong(errors,
          value.is(Kind::kText)
              ? fmt::format("'{}' is not a type of tensor", core::printable(value.text()))
              : fmt::format("'type' must be a string, not {}", docs::kind_name(value.kind())),
          value.place(),
          hint.empty() ? "the types are: scratch, persistent, constant, \"*\"" : hint);
  }
  return read;
}

// None: every tensor.
std::vector<std::string> read_ids(Value value, core::Diagnostics& errors) {
  if (!value) {
    return {};
  }
  const bool list = value.is(Kind::kList);
  if (list && value.size() == 0) {
    wrong(
        errors, "a rule's list of ids is empty", value.place(), "leave 'id' out for every tensor");
  }
  std::vector<std::string> ids;
  for (const Value item :
       list ? std::vector<Value>{value.begin(), value.end()} : std::vector<Value>{value}) {
    if (item.is(Kind::kText)) {
      ids.push_back(item.string());
    } else if (item.is_integer()) {
      ids.push_back(item.digits());
    } else {
      wrong(errors,
            fmt::format("an id must be a string or a whole number, not {}",
                        docs::kind_name(item.kind())),
            item.place(),
            "");
    }
  }
  return core::contains(ids, kEvery) ? std::vector<std::string>{} : ids;
}

TensorRule read_rule(Fields& table, core::Diagnostics& notes) {
  report_unknown(table, kRuleKeys, notes);
  TensorRule rule{.place = table.place()};
  rule.type = read_type(table.value()["type"], table.errors());
  rule.ids = read_ids(table.value()["id"], table.errors());
  if (table.has("attributes")) {
    Fields attributes{table.fields("attributes"), "'attributes'", table.errors(), voice()};
    report_unknown(attributes, kAttributeKeys, notes);
    rule.attributes.memory = name_at(attributes, "memory", rule.attributes.memory_place);
    rule.attributes.constant_destination_memory =
        name_at(attributes, "constant_destination_memory", rule.attributes.destination_place);
    return rule;
  }
  warn(notes, "a rule without 'attributes' says nothing", table.place());
  for (const std::string& key : kAttributeKeys) {
    if (const Value stray = table.value()[key]) {
      wrong(table.errors(),
            fmt::format("'{}' stands outside of 'attributes'", key),
            stray.key_place(),
            "write it below 'attributes:'");
    }
  }
  return rule;
}

Rules read_memory(Value value, core::Diagnostics& errors) {
  Rules rules;
  Fields memory{value, "'memory'", errors, voice()};
  if (memory.is_table()) {
    report_unknown(memory, kMemoryKeys, rules.diagnostics);
    rules.allocates_arenas = memory.boolean("allocate_arenas", true);
    for (Fields& table : tables(memory, "constraints", "a constraint")) {
      add_constraint(read_constraint(table, rules.diagnostics), table.place(), rules, errors);
    }
    for (Fields& table : tables(memory, "tensors", "a rule")) {
      rules.tensors.push_back(read_rule(table, rules.diagnostics));
    }
  }
  if (rules.constraints.empty() && rules.tensors.empty() && errors.empty()) {
    wrong(errors,
          "there is no rule in 'memory'",
          value.key_place(),
          "rules are its 'constraints' and 'tensors'; without any, leave out --rules");
  }
  return rules;
}

std::size_t slot_of(model::Lifetime role) {
  return static_cast<std::size_t>(role);
}

}  // namespace

core::Result<Rules> read_rules(std::string_view text, const std::string& path) {
  const auto file =
      path.ends_with(".toml") ? docs::parse_toml(text, path) : docs::parse_yaml(text, path);
  MEMSIZE_TRY(file);
  Rules rules;
  core::Diagnostics errors;
  if (const Value root = file->root(); !root.is(Kind::kTable)) {
    wrong(errors, "the rules are no table", root.place(), "put them under 'memory:'");
  } else if (const Value memory = memory_in(root)) {
    rules = read_memory(memory, errors);
  } else {
    errors = no_memory(root);
  }
  if (!errors.empty()) {
    errors.resize(std::min(errors.size(), kMostFindings));
    return tl::make_unexpected(std::move(errors));
  }
  return rules;
}

RuleIndex::RuleIndex(const Rules& rules) {
  for (const TensorRule& rule : rules.tensors) {
    if (rule.ids.empty()) {
      put(rule.type ? by_type_[slot_of(*rule.type)] : any_, rule.attributes);
    }
    for (const std::string& id : rule.ids) {
      ById& table = rule.type ? by_type_and_id_[slot_of(*rule.type)] : by_id_;
      put(table[id], rule.attributes);
    }
  }
}

void RuleIndex::put(TensorAttributes& over, const TensorAttributes& from) {
  if (!from.memory.empty()) {
    over.memory = from.memory;
    over.memory_place = from.memory_place;
  }
  if (!from.constant_destination_memory.empty()) {
    over.constant_destination_memory = from.constant_destination_memory;
    over.destination_place = from.destination_place;
  }
}

TensorAttributes RuleIndex::of(model::Lifetime role, std::string_view id) const {
  TensorAttributes attributes = any_;
  const std::size_t slot = slot_of(role);
  if (const auto found = by_id_.find(id); found != by_id_.end()) {
    put(attributes, found->second);
  }
  put(attributes, by_type_[slot]);
  if (const auto found = by_type_and_id_[slot].find(id); found != by_type_and_id_[slot].end()) {
    put(attributes, found->second);
  }
  return attributes;
}

TensorAttributes attributes_of(const Rules& rules, model::Lifetime role, const std::string& id) {
  return RuleIndex{rules}.of(role, id);
}

}  // namespace memsize::plan
