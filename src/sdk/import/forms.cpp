// The script is walked once more, in the order of its text, with sums instead of numbers. Every sum
// is held against the number that the script really came to: where the two differ (a loop, a
// function, a branch), the number stays, and nothing is claimed about where it comes from.
#include "forms.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "script/script.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

namespace memsize::sdk {

namespace {

std::optional<Integer> number_of(const ScriptValue& value) {
  const auto* number = std::get_if<Integer>(&value);
  return number == nullptr ? std::nullopt : std::optional{*number};
}

// KB, MB and their like: 1024, or nothing but products of such.
bool is_unit(const ScriptVariable& variable, const std::set<std::string>& units) {
  const auto value = number_of(variable.value());
  constexpr int kStep = 10;
  constexpr int kSteps = 4;
  bool is_power = false;
  for (int i = 1; i <= kSteps; ++i) {
    is_power = is_power || (value && *value == Integer{1} << (kStep * i));
  }
  if (!is_power || variable.assigned_again()) {
    return false;
  }
  const ScriptExpression& expression = variable.assignments.front().expression;
  const auto& uses = expression.uses;
  const bool of_units =
      std::ranges::all_of(uses, [&](const std::string& use) { return units.contains(use); });
  const bool has_digit =
      std::ranges::any_of(expression.text, [](unsigned char c) { return std::isdigit(c) != 0; });
  return uses.empty() ? *value == Integer{1} << kStep ||
                            expression.text.find_first_of("*<") != std::string::npos
                      : of_units && !has_digit;
}

// Whether the variable is one number throughout.
bool is_steady(const ScriptVariable& variable) {
  const auto& all = variable.assignments;
  return std::ranges::all_of(all, [&](const ScriptAssignment& each) {
    return each.value == all.front().value && !each.augmented;
  });
}

// "name(first, second)" and nothing behind it.
std::optional<std::pair<std::string_view, std::string_view>> two_arguments(std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos || !core::is_identifier(text.substr(0, open)) ||
      text.back() != ')') {
    return std::nullopt;
  }
  const std::string_view inner = text.substr(open + 1, text.size() - open - 2);
  const std::size_t comma = inner.find(',');
  if (comma == std::string_view::npos) {
    return std::nullopt;
  }
  return std::pair{inner.substr(0, comma), inner.substr(comma + 1)};
}

}  // namespace

ScriptForms::ScriptForms(const Script& script,
                         const std::set<std::string>& wanted,
                         const std::set<std::string>& pinned)
    : wanted_(wanted), pinned_(pinned) {
  std::set<std::string> units;
  for (const ScriptVariable& variable : script.variables) {
    if (is_unit(variable, units)) {
      units.insert(variable.name);
      forms_[variable.name] = constant_of(*number_of(variable.value()));
    }
  }
  for (const ScriptSectionPointer& section : script.sections) {
    wanted_.insert(std::string{core::trim(section->length_argument.text)});
  }

  // Assignments and sections in the order of the text.
  struct Step {
    std::size_t offset = 0;
    const ScriptVariable* variable = nullptr;
    std::size_t index = 0;
    const ScriptSection* section = nullptr;
  };

  std::vector<Step> steps;
  for (const ScriptVariable& variable : script.variables) {
    if (units.contains(variable.name) || !number_of(variable.value())) {
      continue;
    }
    if (!is_steady(variable)) {
      wanted_.erase(variable.name);
    }
    for (std::size_t i = 0; i < variable.assignments.size(); ++i) {
      steps.push_back({variable.assignments[i].name_place.offset, &variable, i, nullptr});
    }
  }
  for (const ScriptSectionPointer& section : script.sections) {
    steps.push_back({section->place.offset, nullptr, 0, section.get()});
  }
  std::ranges::stable_sort(steps, {}, &Step::offset);
  for (const Step& step : steps) {
    if (step.variable != nullptr) {
      assign(*step.variable, step.index);
    } else {
      const ScriptSection& section = *step.section;
      sections_[section.place.offset] = {
          form_of(section.origin_argument, static_cast<Integer>(section.origin)),
          form_of(section.length_argument, static_cast<Integer>(section.length))};
    }
  }
}

void ScriptForms::assign(const ScriptVariable& variable, std::size_t index) {
  const ScriptAssignment& each = variable.assignments[index];
  const auto value = number_of(each.value);
  if (!value) {
    forms_.erase(variable.name);
    return;
  }
  Linear form = pinned_.contains(variable.name) ? constant_of(*value) : form_of(variable, index);
  const bool is_number = form.terms.empty() && is_steady(variable);
  if ((is_number || wanted_.contains(variable.name)) && is_steady(variable)) {
    // The first assignment counts: a later one has the same value.
    symbols_.try_emplace(variable.name,
                         Symbol{variable.name, *value, std::move(form), each.name_place.offset});
    values_[variable.name] = *value;
    form = name_of(variable.name);
  }
  forms_[variable.name] = std::move(form);
}

Linear ScriptForms::form_of(const ScriptVariable& variable, std::size_t index) {
  const ScriptAssignment& each = variable.assignments[index];
  const Integer value = *number_of(each.value);
  if (!each.augmented) {
    return form_of(each.expression, value);
  }
  const auto before = forms_.find(variable.name);
  const auto added = parse_linear(each.expression.text, forms_);
  if (before != forms_.end() && added) {
    Linear sum = plus(before->second, *added);
    if (value_of(sum, values_) == value) {
      return sum;
    }
  }
  return constant_of(value);
}

Linear ScriptForms::form_of(const ScriptExpression& expression, Integer value) {
  const std::string_view text = core::trim(expression.text);
  const auto form = parse_linear(text, forms_);
  if (form && value_of(*form, values_) == value) {
    return *form;
  }
  note_unclear(expression, value);
  return rounded(text, value).value_or(constant_of(value));
}

void ScriptForms::note_unclear(const ScriptExpression& expression, Integer value) {
  Unclear unclear{expression, value, {}};
  for (const std::string& name : expression.uses) {
    if (const auto known = forms_.find(name); known != forms_.end()) {
      for (const auto& [part, factor] : known->second.terms) {
        unclear.made_of.terms[part] = 1;
      }
    }
  }
  unclear_.push_back(std::move(unclear));
}

// A function that rounds an address up to a step: the address, and what was added.
std::optional<Linear> ScriptForms::rounded(std::string_view text, Integer value) const {
  const auto arguments = two_arguments(text);
  if (!arguments) {
    return std::nullopt;
  }
  const auto base = parse_linear(arguments->first, forms_);
  const auto by = parse_linear(arguments->second, forms_);
  if (!base || !by) {
    return std::nullopt;
  }
  const Integer from = value_of(*base, values_).value_or(0);
  const Integer step = value_of(*by, values_).value_or(0);
  const bool is_rounded =
      step > 0 && step < from && value % step == 0 && value >= from && value - from < step;
  return is_rounded ? std::optional{plus(*base, constant_of(value - from))} : std::nullopt;
}

const Symbol* ScriptForms::find(const std::string& name) const {
  return core::value_in(symbols_, name);
}

SectionForms ScriptForms::of(const ScriptSection& section) const {
  const auto found = sections_.find(section.place.offset);
  const auto origin = static_cast<Integer>(section.origin);
  const auto length = static_cast<Integer>(section.length);
  SectionForms forms{constant_of(origin), constant_of(length)};
  if (found != sections_.end() && value_of(found->second.origin, values_) == origin) {
    forms.origin = found->second.origin;
  }
  if (found != sections_.end() && value_of(found->second.length, values_) == length) {
    forms.length = found->second.length;
  }
  return forms;
}

Linear ScriptForms::reduced(const Linear& form, const std::set<std::string>& keep) const {
  Linear result = constant_of(form.constant);
  for (const auto& [name, factor] : form.terms) {
    const Symbol* symbol = find(name);
    if (keep.contains(name) || symbol == nullptr) {
      result = plus(result, name_of(name), factor);
    } else {
      result = plus(result, reduced(symbol->definition, keep), factor);
    }
  }
  return result;
}

}  // namespace memsize::sdk
