// Sets constants one after the other, each where its last assignment stands, and evaluates the
// script again where the next one is computed from those before. What differs and was not computed
// from them is an error.
#include "edit_script.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "known.hpp"
#include "rewrite.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;
using Values = std::map<std::string, Integer>;

constexpr std::string_view kPlainHint = "edit this script by hand: only 'name = value' is edited";

Span span_of(const ScriptPiece& piece) {
  return {piece.offset, piece.offset + piece.length};
}

core::Diagnostic script_error(std::string message, core::Place place, std::string_view hint) {
  return core::error(Code::kSdkScript, std::move(message), std::move(place), std::string{hint});
}

// Why a name that is not among the variables cannot be set.
class Missing {
 public:
  Missing(const KnownScript& known, const std::string& name) : known_(known), name_(name) {}

  [[nodiscard]] core::Diagnostic explain() const {
    for (const PassedOver& each : known_.passed_over()) {
      const Statement& statement = tree().statements[tree().body[each.statement]];
      if (const auto place = assigned_in(statement)) {
        return script_error(fmt::format("'{}' cannot be set: its value is not known", name_),
                            *place,
                            "correct what is wrong there first")
            .beside(each.why.place, each.why.message);
      }
    }
    for (const Function& function : tree().functions) {
      for (const StatementId id : function.body) {
        if (const auto place = assigned_in(tree().statements[id])) {
          return script_error(
              fmt::format(
                  "'{}' is only assigned in function '{}'", name_, tree().names[function.name]),
              *place,
              kPlainHint);
        }
      }
    }
    for (const StatementId id : tree().body) {
      if (const auto place = assigned_in(tree().statements[id])) {
        return script_error(fmt::format("'{}' is no number, or depends on the environment", name_),
                            *place,
                            kPlainHint);
      }
    }
    return unknown();
  }

 private:
  [[nodiscard]] const Tree& tree() const { return known_.tree(); }

  // Where the statement, or one inside of it, assigns to the name.
  [[nodiscard]] std::optional<core::Place> assigned_in(const Statement& statement) const {
    for (const Target& target : statement.targets) {
      if (tree().names[target.name] == name_) {
        return known_.source().place(target.span);
      }
    }
    std::vector<const Block*> blocks = {&statement.otherwise};
    for (const Branch& branch : statement.branches) {
      blocks.push_back(&branch.body);
    }
    for (const Block* block : blocks) {
      for (const StatementId id : *block) {
        if (auto place = assigned_in(tree().statements[id])) {
          return place;
        }
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] core::Diagnostic unknown() const {
    const std::vector<std::string> names =
        core::texts_of(known_.script().variables, &ScriptVariable::name);
    std::string hint = core::did_you_mean(name_, names);
    return core::error(Code::kSdkName,
                       fmt::format("the script has no variable '{}'", core::printable(name_, 80)),
                       {known_.script().path},
                       hint.empty() ? "its variables are the names that it assigns outside of "
                                      "functions"
                                    : std::move(hint));
  }

  const KnownScript& known_;
  const std::string& name_;
};

// Why the assignment that counts cannot be edited.
std::optional<core::Diagnostic> obstacle(const KnownScript& known, const std::string& name) {
  const ScriptVariable* variable = known.variable(name);
  if (variable == nullptr) {
    return Missing{known, name}.explain();
  }
  const ScriptAssignment& last = variable->assignments.back();
  const core::Place place = known.source().place(span_of(last.name_place));
  if (!std::holds_alternative<Integer>(last.value)) {
    return script_error(fmt::format("'{}' is no number", name), place, kPlainHint);
  }
  if (last.augmented) {
    return script_error(
        fmt::format("'{}' is changed here once more, so that there is no one value of it", name),
        place,
        kPlainHint);
  }
  const Statement* statement = known.assignment_at(last.expression.place.offset);
  if (statement == nullptr) {
    return script_error(fmt::format("'{}' has no assignment of its own", name), place, kPlainHint);
  }
  if (last.expression.text.find('#') != std::string::npos) {
    return script_error(fmt::format("a comment inside of the value of '{}' would be lost", name),
                        place,
                        "put it behind the value");
  }
  if (statement->targets.size() > 1) {
    return script_error(
        fmt::format("'{}' gets its value together with other names", name), place, kPlainHint);
  }
  return std::nullopt;
}

// Adds what the script computes from those that are there, directly or not.
void spread(const KnownScript& known, std::set<std::string>& affected) {
  std::size_t count = 0;
  while (count != affected.size()) {
    count = affected.size();
    for (const ScriptVariable& variable : known.script().variables) {
      for (const ScriptAssignment& assignment : variable.assignments) {
        // A function or a section, of which is not known what it is made from, may be.
        const bool reached =
            std::ranges::any_of(assignment.expression.uses, [&](const std::string& use) {
              return affected.contains(use) || known.variable(use) == nullptr;
            });
        if (reached) {
          affected.insert(variable.name);
        }
      }
    }
  }
}

// Each of `one` that differs in `other` for no reason.
void compare(const KnownScript& one,
             const KnownScript& other,
             const std::set<std::string>& affected,
             core::Diagnostics& problems) {
  for (const ScriptVariable& variable : one.script().variables) {
    const ScriptVariable* same = other.variable(variable.name);
    const ScriptAssignment& last = variable.assignments.back();
    // In a branch it depends on the condition.
    if (!affected.contains(variable.name) &&
        (same == nullptr || same->value() != variable.value()) &&
        one.is_top_level(last.expression.place.offset)) {
      problems.push_back(
          script_error(fmt::format("'{}' would change too, although it is not computed from what "
                                   "was set",
                                   variable.name),
                       one.source().place(span_of(last.name_place)),
                       kPlainHint));
    }
  }
}

class Editor {
 public:
  Editor(const std::string& path, std::string_view text, const Script* script, const Values& values)
      : path_(path), text_(text), script_(script), values_(values) {}

  /// The script with these values; the one that was given where it has them already.
  core::Result<std::unique_ptr<KnownScript>> run() {
    auto before = std::make_unique<KnownScript>(path_, std::string{text_});
    if (core::Diagnostics problems = before->read(script_); !problems.empty()) {
      return tl::make_unexpected(std::move(problems));
    }
    if (core::Diagnostics problems = obstacles(*before); !problems.empty()) {
      return tl::make_unexpected(std::move(problems));
    }
    // Where that leads nowhere, one by one says why.
    auto edited = run_from(*before, Steps::kFew);
    if (!edited) {
      edited = run_from(*before, Steps::kEach);
    }
    MEMSIZE_TRY(edited);
    return *edited ? std::move(*edited) : std::move(before);
  }

 private:
  using Names = std::span<const std::string>;

  /// After how many constants the script is evaluated again: those that are not computed from each
  /// other, or each.
  enum class Steps { kFew, kEach };

  // Null where they have their values already.
  [[nodiscard]] core::Result<std::unique_ptr<KnownScript>> run_from(const KnownScript& before,
                                                                    Steps steps) const {
    std::unique_ptr<KnownScript> edited;
    const std::vector<std::string> names = in_order(before);
    for (std::size_t done = 0; done < names.size();) {
      const KnownScript& now = edited ? *edited : before;
      const Names left = Names{names}.subspan(done);
      const Names step = left.first(steps == Steps::kEach ? 1 : count_unrelated(now, left));
      auto next = set(now, step);
      MEMSIZE_TRY(next);
      edited = *next ? std::move(*next) : std::move(edited);
      done += step.size();
    }
    if (edited) {
      if (core::Diagnostics problems = verify(before, *edited); !problems.empty()) {
        return tl::make_unexpected(std::move(problems));
      }
    }
    return edited;
  }

  // How many of the first names are not computed from those before them.
  static std::size_t count_unrelated(const KnownScript& now, Names names) {
    std::set<std::string> affected{names.front()};
    spread(now, affected);
    std::size_t count = 1;
    for (; count < names.size(); ++count) {
      const ScriptVariable* variable = now.variable(names[count]);
      if (variable == nullptr || affected.contains(names[count]) ||
          !now.is_top_level(variable->assignments.back().expression.place.offset)) {
        break;
      }
      affected.insert(names[count]);
      spread(now, affected);
    }
    return count;
  }

  [[nodiscard]] core::Diagnostics obstacles(const KnownScript& known) const {
    core::Diagnostics problems;
    for (const auto& [name, value] : values_) {
      if (auto problem = obstacle(known, name)) {
        problems.push_back(std::move(*problem));
      } else if (value < 0) {
        problems.push_back(script_error(
            fmt::format("'{}' cannot be {}: sizes and addresses are not negative", name, value),
            known.source().place(span_of(known.variable(name)->assignments.back().name_place)),
            "give it a value from 0 up"));
      }
    }
    return problems;
  }

  // By their places, because what stands below may be computed from what stands above.
  [[nodiscard]] std::vector<std::string> in_order(const KnownScript& known) const {
    std::map<std::size_t, std::string> order;
    for (const auto& [name, value] : values_) {
      const ScriptVariable* variable = known.variable(name);
      order.emplace(variable->assignments.back().name_place.offset, name);
    }
    std::vector<std::string> names;
    names.reserve(order.size());
    for (auto& [offset, name] : order) {
      names.push_back(std::move(name));
    }
    return names;
  }

  // Null where they have their values already.
  [[nodiscard]] core::Result<std::unique_ptr<KnownScript>> set(const KnownScript& now,
                                                               Names names) const {
    std::vector<ScriptEdit> edits;
    for (const std::string& name : names) {
      if (auto problem = obstacle(now, name)) {
        return core::fail(std::move(*problem));
      }
      const ScriptVariable& variable = *now.variable(name);
      const Integer wanted = values_.at(name);
      if (std::get<Integer>(variable.value()) != wanted) {
        const Statement& statement =
            *now.assignment_at(variable.assignments.back().expression.place.offset);
        std::ranges::move(rewrite(now, variable, statement, wanted), std::back_inserter(edits));
      }
    }
    if (edits.empty()) {
      return nullptr;
    }
    std::string text = now.text();
    std::ranges::stable_sort(edits, {}, [](const ScriptEdit& edit) { return edit.span.begin; });
    for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit) {
      text.replace(edit->span.begin, edit->span.end - edit->span.begin, edit->text);
    }
    auto next = std::make_unique<KnownScript>(path_, std::move(text));
    if (core::Diagnostics problems = next->read(nullptr); !problems.empty()) {
      return tl::make_unexpected(std::move(problems));
    }
    return next;
  }

  [[nodiscard]] core::Diagnostics verify(const KnownScript& before,
                                         const KnownScript& after) const {
    core::Diagnostics problems;
    // What else fails may be a consequence of the first.
    const auto& old = before.passed_over();
    const auto fails = std::ranges::find_if(after.passed_over(), [&](const PassedOver& each) {
      return !core::contains(old, each.statement, &PassedOver::statement);
    });
    if (fails != after.passed_over().end()) {
      core::Diagnostic refused = fails->why;
      refused.hint = "the script does not accept these values: set others, or make room elsewhere";
      return {std::move(refused)};
    }
    for (const auto& [name, wanted] : values_) {
      const ScriptVariable* variable = after.variable(name);
      if (variable == nullptr || variable->value() != ScriptValue{wanted}) {
        const core::Place place{path_};
        problems.push_back(script_error(
            fmt::format("'{}' does not become {} by editing its last assignment", name, wanted),
            variable == nullptr
                ? place
                : after.source().place(span_of(variable->assignments.back().name_place)),
            kPlainHint));
      }
    }
    if (problems.empty()) {
      std::set<std::string> affected;
      for (const auto& [name, value] : values_) {
        affected.insert(name);
      }
      std::size_t count = 0;
      while (count != affected.size()) {
        count = affected.size();
        spread(before, affected);
        spread(after, affected);
      }
      compare(after, before, affected, problems);
      compare(before, after, affected, problems);
    }
    return problems;
  }

  const std::string& path_;
  std::string_view text_;
  const Script* script_;
  const Values& values_;
};

}  // namespace

core::Result<std::string> set_constants(const std::string& path,
                                        std::string_view text,
                                        const Script* script,
                                        const std::map<std::string, Integer>& values) {
  const auto edited = Editor{path, text, script, values}.run();
  MEMSIZE_TRY(edited);
  return (*edited)->text();
}

std::optional<Script> script_with(const std::string& path,
                                  std::string_view text,
                                  const Script* script,
                                  const std::map<std::string, Integer>& values) {
  const auto edited = Editor{path, text, script, values}.run();
  return edited && (*edited)->passed_over().empty() ? std::optional{(*edited)->script()}
                                                    : std::nullopt;
}

}  // namespace memsize::sdk
