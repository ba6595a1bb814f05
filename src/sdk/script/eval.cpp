// Statements.
//
// A condition on the environment cannot be decided here. Then each branch runs as if it were taken
// ("undecided"): exports in it are conditional, a name that it assigns becomes a value of the
// environment, and sections and maps must not change. A branch that may leave the script or its
// function makes what follows conditional, too.
#include "eval.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "limits.hpp"
#include "parser.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using Kind = ValueKind;

// What a variable can be listed with.
std::optional<ScriptValue> plain(const Value& value) {
  switch (value.kind) {
    case Kind::kInteger:
      return value.number;
    case Kind::kBoolean:
      return value.number != 0;
    case Kind::kText:
      return *value.text;
    default:
      return std::nullopt;
  }
}

}  // namespace

Evaluator::Evaluator(const ScriptSource& source, const Tree& tree, const ScriptRules& rules)
    : source_(source),
      tree_(tree),
      library_(source, rules),
      globals_(tree.names.size()),
      presets_(tree.functions.size()),
      variable_of_(tree.names.size(), kNothing) {}

core::Result<Script> Evaluator::run(const std::string& path) {
  (void)block(tree_.body);
  if (failed()) {
    return core::fail(*problem_);
  }
  Script script{.path = path};
  finish(script);
  return script;
}

void Evaluator::finish(Script& script) {
  for (std::size_t id = 0; id < globals_.size(); ++id) {
    if (variable_of_[id] != kNothing && !plain(globals_[id])) {
      variables_[variable_of_[id]].assignments.clear();
    }
  }
  std::erase_if(variables_, [](const ScriptVariable& v) { return v.assignments.empty(); });
  script.variables = std::move(variables_);
  library_.finish(script);
  script.exports = std::move(exports_);
  script.warnings = std::move(warnings_);
}

void Evaluator::wrong(std::string message, Span span) {
  fail_with(source_.error(std::move(message), span));
}

void Evaluator::fail_with(core::Diagnostic problem) {
  if (failed()) {
    return;
  }
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    problem.related.push_back(
        {source_.place(frame->call),
         fmt::format("'{}' is called here", name_text(frame->function->name))});
  }
  problem_ = std::move(problem);
}

void Evaluator::step(std::size_t count) {
  steps_ += count;
  if (steps_ > kMostSteps) {
    wrong(fmt::format("the script takes more than {} steps", kMostSteps), statement_);
  }
}

ScriptExpression Evaluator::expression_at(Span span, const std::vector<NameId>& uses) {
  step_for_text(span.end - span.begin);
  ScriptExpression expression{.place = source_.piece(span),
                              .text = std::string{source_.text(span)}};
  expression.uses.reserve(uses.size());
  for (const NameId use : uses) {
    expression.uses.emplace_back(name_text(use));
  }
  return expression;
}

Evaluator::Reads::Reads(Evaluator& evaluator) : evaluator_(evaluator), outer_(evaluator.reads_) {
  evaluator_.reads_ = &list_;
}

Evaluator::Reads::~Reads() {
  evaluator_.reads_ = outer_;
  if (outer_ != nullptr) {
    for (const NameId name : list_) {
      evaluator_.read(*outer_, name);
    }
  }
}

void Evaluator::read(std::vector<NameId>& list, NameId name) {
  step(list.size() / 16);
  if (!core::contains(list, name)) {
    list.push_back(name);
  }
}

void Evaluator::enter_undecided() {
  undecided_.push_back(frames_.size());
}

void Evaluator::leave_undecided() {
  undecided_.pop_back();
}

Evaluator::Flow Evaluator::block(const Block& block) {
  for (const StatementId id : block) {
    const Flow flow = statement(tree_.statements[id]);
    if (failed() || flow != Flow::kNext) {
      return flow;
    }
  }
  return Flow::kNext;
}

Evaluator::Flow Evaluator::statement(const Statement& statement) {
  statement_ = statement.span;
  step();
  Flow flow = Flow::kNext;
  switch (statement.kind) {
    case StatementKind::kPass:
      break;
    case StatementKind::kExpression:
      (void)eval(statement.value);
      break;
    case StatementKind::kAssign:
      assign(statement);
      break;
    case StatementKind::kAugment:
      assign_again(statement);
      break;
    case StatementKind::kAssert:
      assertion(statement);
      break;
    case StatementKind::kReturn:
      flow = return_statement(statement);
      break;
    case StatementKind::kIf:
      flow = if_statement(statement);
      break;
    case StatementKind::kDef:
      define(statement);
      break;
    case StatementKind::kImport:
      import(statement);
      break;
  }
  return exiting_ ? Flow::kExit : flow;
}

Evaluator::Flow Evaluator::if_statement(const Statement& statement) {
  for (std::size_t i = 0; i < statement.branches.size(); ++i) {
    const Branch& branch = statement.branches[i];
    const Span span = expr(branch.condition).span;
    const Value decision = take(truth(eval(branch.condition)), span);
    if (stopped()) {
      return Flow::kNext;
    }
    if (decision.is(Kind::kEnvironment)) {
      return undecided_if(statement, i);
    }
    if (decision.number != 0) {
      return block(branch.body);
    }
  }
  return block(statement.otherwise);
}

// From this branch on, each may be the one.
Evaluator::Flow Evaluator::undecided_if(const Statement& statement, std::size_t first) {
  std::vector<Flow> flows;
  bool certain = false;
  enter_undecided();
  for (std::size_t i = first; i < statement.branches.size() && !failed() && !certain; ++i) {
    const Branch& branch = statement.branches[i];
    if (i > first) {
      const Value decision = take(truth(eval(branch.condition)), expr(branch.condition).span);
      if (failed() || (!decision.is(Kind::kEnvironment) && decision.number == 0)) {
        continue;
      }
      certain = !decision.is(Kind::kEnvironment);
    }
    flows.push_back(block(branch.body));
    exiting_ = false;
  }
  if (!certain && !failed()) {
    flows.push_back(block(statement.otherwise));
    exiting_ = false;
  }
  leave_undecided();
  return failed() ? Flow::kNext : join(flows);
}

Evaluator::Flow Evaluator::join(const std::vector<Flow>& flows) {
  const auto count = [&](Flow flow) {
    return static_cast<std::size_t>(std::ranges::count(flows, flow));
  };
  if (count(Flow::kExit) == flows.size()) {
    exiting_ = true;
    return Flow::kExit;
  }
  maybe_ended_ = maybe_ended_ || count(Flow::kExit) > 0;
  if (count(Flow::kReturn) == 0) {
    return Flow::kNext;
  }
  if (count(Flow::kNext) == 0) {
    return Flow::kReturn;
  }
  if (!frames_.back().maybe_returned) {
    frames_.back().maybe_returned = true;
    enter_undecided();
  }
  return Flow::kNext;
}

Evaluator::Flow Evaluator::return_statement(const Statement& statement) {
  const Value value = statement.value == kNothing ? make_none() : eval(statement.value);
  if (stopped()) {
    return Flow::kNext;
  }
  Frame& frame = frames_.back();
  // Only nothing is the same on every way out.
  const bool certain = !is_undecided() || value.is(Kind::kNone);
  const bool other = frame.result && !frame.result->is(value.kind);
  frame.result = certain && !other ? value : make_unknown(Kind::kEnvironment);
  return Flow::kReturn;
}

void Evaluator::assign(const Statement& statement) {
  ScriptAssignment assignment;
  Value value;
  {
    const Reads reads{*this};
    value = eval(statement.value);
    if (stopped()) {
      return;
    }
    if (frames_.empty() && plain(value)) {
      assignment.expression = expression_at(statement.value_span, reads.list());
    }
  }
  for (const Target& target : statement.targets) {
    bind(target, value, assignment);
  }
}

void Evaluator::assign_again(const Statement& statement) {
  const Target& target = statement.targets.front();
  Expr variable{.kind = ExprKind::kName, .name = target.name};
  variable.span = target.span;
  const Value before = name(variable);
  ScriptAssignment assignment{.augmented = true};
  Value value;
  {
    const Reads reads{*this};
    value = eval(statement.value);
    if (stopped()) {
      return;
    }
    value = take(sdk::binary(statement.op, before, value), statement.span);
    if (!failed() && frames_.empty() && plain(value)) {
      assignment.expression = expression_at(statement.value_span, reads.list());
    }
  }
  if (!failed()) {
    bind(target, value, assignment);
  }
}

void Evaluator::bind(const Target& target, const Value& value, const ScriptAssignment& assignment) {
  if (is_undecided()) {
    return set_name(target.name, make_unknown(Kind::kEnvironment));
  }
  if (!frames_.empty()) {
    return set_name(target.name, value);
  }
  set_name(target.name, value);
  if (value.is(Kind::kSection)) {
    library_.name_section(value.index, name_text(target.name));
  } else if (value.is(Kind::kMap)) {
    library_.name_map(value.index, name_text(target.name));
  }
  ScriptAssignment recorded = assignment;
  recorded.name_place = source_.piece(target.span);
  record(target.name, value, recorded);
}

void Evaluator::record(NameId name, const Value& value, const ScriptAssignment& assignment) {
  const auto listed = plain(value);
  if (!listed) {
    return;
  }
  if (variable_of_[name] == kNothing) {
    variable_of_[name] = static_cast<std::uint32_t>(variables_.size());
    variables_.push_back({std::string{name_text(name)}, {}});
  }
  auto& assignments = variables_[variable_of_[name]].assignments;
  assignments.push_back(assignment);
  assignments.back().value = *listed;
}

void Evaluator::set_name(NameId name, const Value& value) {
  if (frames_.empty()) {
    globals_[name] = value;
    return;
  }
  auto& locals = frames_.back().locals;
  step(locals.size() / 16);
  const auto known =
      std::ranges::find_if(locals, [&](const auto& local) { return local.first == name; });
  if (known == locals.end()) {
    locals.emplace_back(name, value);
  } else {
    known->second = value;
  }
}

void Evaluator::assertion(const Statement& statement) {
  const Value value = eval(statement.value);
  const Value decision = stopped() ? value : take(truth(value), expr(statement.value).span);
  if (stopped()) {
    return;
  }
  if (decision.is(Kind::kEnvironment)) {
    maybe_ended_ = true;
    return;
  }
  if (decision.number != 0) {
    return;
  }
  if (!undecided_.empty()) {
    exiting_ = true;
    return;
  }
  std::string text;
  if (statement.message != kNothing) {
    const Value message = eval(statement.message);
    if (stopped()) {
      return;
    }
    text = message.is(Kind::kText) ? ": " + core::printable(*message.text) : std::string{};
  }
  core::Diagnostic problem =
      source_.error("the script's assertion fails" + text, statement.value_span);
  const Expr& condition = expr(statement.value);
  if (condition.kind == ExprKind::kCompare) {
    for (const ExprId side : condition.operands) {
      problem.details.push_back(fmt::format(
          "{} is {}", core::printable(source_.text(expr(side).span), 80), show(eval(side))));
    }
  }
  fail_with(std::move(problem));
}

void Evaluator::define(const Statement& statement) {
  const Function& function = tree_.functions[statement.function];
  std::vector<Value> presets;
  for (const Parameter& parameter : function.parameters) {
    presets.push_back(parameter.preset == kNothing ? Value{} : eval(parameter.preset));
  }
  if (stopped()) {
    return;
  }
  presets_[statement.function] = std::move(presets);
  Value value = make_unknown(Kind::kFunction);
  value.index = statement.function;
  set_name(function.name, is_undecided() ? make_unknown(Kind::kEnvironment) : value);
}

void Evaluator::import(const Statement& statement) {
  for (const ImportedName& import : statement.imports) {
    if (failed()) {
      return;
    }
    if (import.all) {
      const auto known = exported_names(import.module);
      if (known.empty()) {
        return wrong(fmt::format("what module '{}' defines is not known",
                                 core::printable(import.module, 60)),
                     import.span);
      }
      for (std::size_t id = 0; id < tree_.names.size(); ++id) {
        if (core::contains(known, tree_.names[id])) {
          set_name(static_cast<NameId>(id), *module_member(import.module, tree_.names[id]));
        }
      }
    } else if (import.part.empty()) {
      if (!is_known_module(import.module)) {
        return wrong(
            fmt::format("module '{}' is not understood", core::printable(import.module, 60)),
            import.span);
      }
      Value module = make_unknown(Kind::kModule);
      module.text = std::make_shared<const std::string>(import.module);
      set_name(import.bound, module);
    } else {
      import_part(import);
    }
  }
}

void Evaluator::import_part(const ImportedName& import) {
  constexpr std::string_view kBeside = "gen_";
  if (const auto member = module_member(import.module, import.part)) {
    return set_name(import.bound, *member);
  }
  if (!is_known_module(import.module) && import.module.starts_with(kBeside) &&
      import.module.find('.') == std::string_view::npos) {
    Value value = make_unknown(Kind::kClass);
    value.index = static_cast<std::size_t>(LibraryClass::kLocalExporter);
    value.text = std::make_shared<const std::string>(import.part);
    return set_name(import.bound, value);
  }
  wrong(fmt::format("'{}' of module '{}' is not understood",
                    core::printable(import.part, 60),
                    core::printable(import.module, 60)),
        import.span);
}

core::Result<Script> evaluate_script(const std::string& path,
                                     std::string_view text,
                                     const ScriptRules& rules) {
  const ScriptSource source{path, text};
  if (core::Diagnostics problems = check_bytes(source); !problems.empty()) {
    return tl::make_unexpected(std::move(problems));
  }
  const auto tree = parse_script(source);
  MEMSIZE_TRY(tree);
  return Evaluator{source, *tree, rules}.run(path);
}

const ScriptVariable* find_variable(const Script& script, std::string_view name) {
  return core::find_in(script.variables, name, &ScriptVariable::name);
}

const Integer* number_of(const Script& script, std::string_view name) {
  const ScriptVariable* variable = find_variable(script, name);
  return variable == nullptr ? nullptr : std::get_if<Integer>(&variable->value());
}

}  // namespace memsize::sdk
