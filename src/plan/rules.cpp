// Reads the rules, and finds what holds for a tensor: attribute by attribute, from rules for all to
// those of an id, of a role, and of both, each over what came before.
#include "memsize/plan/rules.hpp"

#include "memsize/core/text.hpp"
#include "memsize/core/toml_doc.hpp"
#include "memsize/core/yaml_doc.hpp"

#include "rule_index.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

namespace memsize::plan {

using core::Code;
using core::TomlField;
using core::TomlValue;
using Kind = core::TomlValue::Kind;

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

class RulesReader {
 public:
  core::Result<Rules> read(const TomlValue& file) {
    if (file.kind != Kind::kTable) {
      wrong("the rules are no table", file.place, "put them under 'memory:'");
    } else if (const TomlField* memory = memory_in(file); memory != nullptr) {
      read_memory(memory->get());
      check_any(memory->key_place);
    } else {
      read_stray(file);
    }
    if (!errors_.empty()) {
      return tl::make_unexpected(std::move(errors_));
    }
    return std::move(rules_);
  }

 private:
  void wrong(std::string what, const core::Place& place, std::string hint) {
    if (errors_.size() < kMostFindings) {
      errors_.push_back(core::error(Code::kPlanRule, std::move(what), place, std::move(hint)));
    }
  }

  void warn(std::string what, const core::Place& place, std::string hint) {
    if (rules_.diagnostics.size() < kMostFindings) {
      rules_.diagnostics.push_back(
          core::warning(Code::kPlanRule, std::move(what), place, std::move(hint)));
    }
  }

  // At the top, as heliaAOT has it, or where a profiler's configuration keeps heliaAOT's arguments.
  static const TomlField* memory_in(const TomlValue& file) {
    const TomlField* memory = file.find("memory");
    const TomlValue* at = &file;
    for (const char* const key : {"engine", "config", "aot_args", "memory"}) {
      const TomlField* const field = memory == nullptr && at != nullptr ? at->find(key) : nullptr;
      if (field == nullptr) {
        return memory;
      }
      if (std::string_view{key} == "memory") {
        return field;
      }
      at = field->get().kind == Kind::kTable ? &field->get() : nullptr;
    }
    return memory;
  }

  void check_any(const core::Place& place) {
    if (rules_.constraints.empty() && rules_.tensors.empty() && errors_.empty()) {
      wrong("there is no rule in 'memory'",
            place,
            "rules are its 'constraints' and 'tensors'; without any, leave out --rules");
    }
  }

  // A whole configuration has much else at its top; without `memory` it has no rule. Rules that
  // stand beside it would be lost without a word.
  void read_stray(const TomlValue& file) {
    for (const TomlField& field : file.fields) {
      if (field.key == "constraints" || field.key == "tensors") {
        wrong(fmt::format("'{}' stands outside of 'memory'", field.key),
              field.key_place,
              fmt::format("write it below 'memory:' (TOML: [[memory.{}]])", field.key));
      }
    }
    if (errors_.empty()) {
      std::string hint;
      for (const TomlField& field : file.fields) {
        if (hint.empty() && !core::did_you_mean(field.key, {"memory"}).empty()) {
          hint = core::did_you_mean(field.key, {"memory"});
        }
      }
      wrong("there is no 'memory': the file has no rule",
            file.place,
            hint.empty() ? "rules are below 'memory:', or 'engine: config: aot_args: memory:'"
                         : std::move(hint));
    }
  }

  void report_unknown(const TomlValue& table,
                      std::string_view what,
                      const std::vector<std::string>& known) {
    for (const TomlField& field : table.fields) {
      if (std::find(known.begin(), known.end(), field.key) == known.end()) {
        std::string hint = core::did_you_mean(field.key, known);
        warn(fmt::format("{} has no key '{}': it is ignored", what, core::printable(field.key)),
             field.key_place,
             hint.empty() ? fmt::format("known keys: {}", core::join(known, ", ")) : hint);
      }
    }
  }

  // The items of a list of tables; others are errors.
  std::vector<const TomlValue*> tables(const TomlValue& memory, std::string_view key) {
    std::vector<const TomlValue*> found;
    const TomlField* field = memory.find(key);
    if (field == nullptr) {
      return found;
    }
    if (field->get().kind != Kind::kArray) {
      wrong(fmt::format("'{}' must be a list, not {}", key, core::kind_name(field->get().kind)),
            field->get().place,
            "begin each of its tables with '- '");
      return found;
    }
    for (const TomlValue& item : field->get().items) {
      if (item.kind != Kind::kTable) {
        wrong(fmt::format("'{}' must hold tables, not {}", key, core::kind_name(item.kind)),
              item.place,
              "");
      } else {
        found.push_back(&item);
      }
    }
    return found;
  }

  void read_memory(const TomlValue& memory) {
    if (memory.kind != Kind::kTable) {
      wrong(fmt::format("'memory' must be a table, not {}", core::kind_name(memory.kind)),
            memory.place,
            "");
      return;
    }
    report_unknown(memory, "'memory'", kMemoryKeys);
    for (const TomlValue* table : tables(memory, "constraints")) {
      read_constraint(*table);
    }
    for (const TomlValue* table : tables(memory, "tensors")) {
      read_rule(*table);
    }
  }

  // A memory's name, in lower case; empty where there is none.
  std::string name_at(const TomlValue& table, std::string_view key, core::Place* place = nullptr) {
    const TomlField* field = table.find(key);
    if (field == nullptr) {
      return {};
    }
    const TomlValue& value = field->get();
    if (value.kind != Kind::kString || core::trim(value.string).empty()) {
      wrong(fmt::format("'{}' must be a memory's name, not {}",
                        key,
                        value.kind == Kind::kString ? "nothing" : core::kind_name(value.kind)),
            value.place,
            "such as DTCM");
      return {};
    }
    if (place != nullptr) {
      *place = value.place;
    }
    return core::to_lower(core::trim(value.string));
  }

  std::optional<std::uint64_t> size_at(const TomlValue& table, std::string_view key) {
    const TomlField* field = table.find(key);
    if (field == nullptr) {
      return std::nullopt;
    }
    const TomlValue& value = field->get();
    if (value.kind == Kind::kInteger && value.integer >= 0) {
      return static_cast<std::uint64_t>(value.integer);
    }
    if (value.kind == Kind::kString) {
      const std::string& text = value.string;
      if (text.size() > 1 && text.front() == '0' && text[1] >= '0' && text[1] <= '9') {
        wrong(fmt::format(
                  "'{}' begins with 0, which some read as octal: '{}'", key, core::printable(text)),
              value.place,
              "leave out the leading zeros");
        return std::nullopt;
      }
      const auto parsed = core::parse_bytes(text, value.place);
      if (parsed) {
        return parsed->count();
      }
      wrong(parsed.error().front().message, value.place, parsed.error().front().hint);
      return std::nullopt;
    }
    wrong(fmt::format(
              "'{}' must be a size, not {}",
              key,
              value.kind == Kind::kInteger ? "a negative number" : core::kind_name(value.kind)),
          value.place,
          "bytes as a whole number, or text such as \"64KiB\"");
    return std::nullopt;
  }

  void read_constraint(const TomlValue& table) {
    report_unknown(table, "a constraint", kConstraintKeys);
    MemoryConstraint read;
    read.place = table.place;
    read.memory = name_at(table, "name", &read.place);
    if (table.find("name") == nullptr) {
      wrong("a constraint has no 'name'", table.place, "name the memory that it is about");
    }
    if (const auto size = size_at(table, "max_size"); size) {
      read.max_size = core::Bytes{*size};
    }
    if (const auto value = size_at(table, "arena_alignment"); value) {
      read.arena_alignment = core::Align::make(*value);
      if (!read.arena_alignment || *value > kLargestRuleAlignment) {
        wrong(fmt::format("'arena_alignment' must be a power of two up to 1 GiB, not {}", *value),
              table.find("arena_alignment")->get().place,
              "such as 16, 32 or 64");
      }
    }
    const auto known = std::find_if(
        rules_.constraints.begin(), rules_.constraints.end(), [&](const MemoryConstraint& one) {
          return one.memory == read.memory;
        });
    if (known == rules_.constraints.end()) {
      if (rules_.constraints.size() >= kMostMemories) {
        wrong(fmt::format("there are more than {} constraints", kMostMemories), table.place, "");
        return;
      }
      rules_.constraints.push_back(std::move(read));
      return;
    }
    warn(fmt::format("'{}' has two constraints: the later one holds", core::printable(read.memory)),
         read.place,
         "write one");
    known->max_size = read.max_size ? read.max_size : known->max_size;
    known->arena_alignment = read.arena_alignment ? read.arena_alignment : known->arena_alignment;
    known->place = read.place;
  }

  void read_rule(const TomlValue& table) {
    report_unknown(table, "a rule", kRuleKeys);
    TensorRule rule;
    rule.place = table.place;
    read_type(table, rule);
    read_ids(table, rule);
    if (const TomlField* field = table.find("attributes"); field != nullptr) {
      if (field->get().kind != Kind::kTable) {
        wrong(
            fmt::format("'attributes' must be a table, not {}", core::kind_name(field->get().kind)),
            field->get().place,
            "");
      } else {
        read_attributes(field->get(), rule.attributes);
      }
    } else {
      warn("a rule without 'attributes' says nothing", table.place, "");
      for (const std::string& key : kAttributeKeys) {
        if (table.find(key) != nullptr) {
          wrong(fmt::format("'{}' stands outside of 'attributes'", key),
                table.find(key)->key_place,
                "write it below 'attributes:'");
        }
      }
    }
    rules_.tensors.push_back(std::move(rule));
  }

  void read_type(const TomlValue& table, TensorRule& rule) {
    const TomlField* field = table.find("type");
    if (field == nullptr) {
      return;
    }
    const TomlValue& value = field->get();
    const std::string type = value.kind == Kind::kString ? core::to_lower(value.string) : "";
    if (type == kEvery) {
      return;
    }
    rule.type = model::lifetime_named(type);
    if (!rule.type) {
      const std::vector<std::string> types = {"scratch", "persistent", "constant", "*"};
      std::string hint = core::did_you_mean(type, types);
      wrong(value.kind == Kind::kString
                ? fmt::format("'{}' is not a type of tensor", core::printable(value.string))
                : fmt::format("'type' must be a string, not {}", core::kind_name(value.kind)),
            value.place,
            hint.empty() ? "the types are: scratch, persistent, constant, \"*\"" : hint);
    }
  }

  void read_ids(const TomlValue& table, TensorRule& rule) {
    const TomlField* field = table.find("id");
    if (field == nullptr) {
      return;
    }
    const TomlValue& value = field->get();
    const bool list = value.kind == Kind::kArray;
    if (list && value.items.empty()) {
      wrong("a rule's list of ids is empty", value.place, "leave 'id' out for every tensor");
    }
    bool every = false;
    for (std::size_t i = 0; i < (list ? value.items.size() : 1); ++i) {
      const TomlValue& item = list ? value.items[i] : value;
      if (item.kind == Kind::kString) {
        rule.ids.push_back(item.string);
      } else if (item.kind == Kind::kInteger) {
        rule.ids.push_back(item.string.empty() ? fmt::to_string(item.integer) : item.string);
      } else {
        wrong(fmt::format("an id must be a string or a whole number, not {}",
                          core::kind_name(item.kind)),
              item.place,
              "");
        continue;
      }
      every = every || rule.ids.back() == kEvery;
    }
    if (every) {
      rule.ids.clear();
    }
  }

  void read_attributes(const TomlValue& table, TensorAttributes& attributes) {
    report_unknown(table, "'attributes'", kAttributeKeys);
    attributes.memory = name_at(table, "memory", &attributes.memory_place);
    attributes.constant_destination_memory =
        name_at(table, "constant_destination_memory", &attributes.destination_place);
  }

  // As a part's file may have.
  static constexpr std::size_t kMostMemories = 64;

  Rules rules_;
  core::Diagnostics errors_;
};

std::size_t slot_of(model::Lifetime role) {
  return static_cast<std::size_t>(role);
}

}  // namespace

core::Result<Rules> read_rules(std::string_view text, const std::string& path) {
  const auto file =
      path.ends_with(".toml") ? core::parse_toml(text, path) : core::parse_yaml(text, path);
  MEMSIZE_TRY(file);
  return RulesReader{}.read(*file);
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
