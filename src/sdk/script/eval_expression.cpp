// Expressions: names, attributes, operators, comparisons, conditions. Every value keeps the bytes
// that it comes from, and a branch that the environment decides leaves a value unknown.
#include "memsize/core/text.hpp"

#include "eval.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using Kind = ValueKind;

// Functions, classes and modules are not what an expression depends on.
bool is_variable(const Value& value) {
  switch (value.kind) {
    case Kind::kFunction:
    case Kind::kBuiltin:
    case Kind::kClass:
    case Kind::kModule:
      return false;
    default:
      return true;
  }
}

}  // namespace

Value Evaluator::take(Computed computed, Span span) {
  if (!computed) {
    wrong(computed.error(), span);
    return make_none();
  }
  return std::move(*computed);
}

Value Evaluator::eval(ExprId id) {
  step();
  if (stopped()) {
    return make_none();
  }
  const Expr& node = expr(id);
  switch (node.kind) {
    case ExprKind::kInteger:
      return make_integer(node.number);
    case ExprKind::kFloat:
    case ExprKind::kFormatted:
      return make_unknown(Kind::kOpaque);
    case ExprKind::kText: {
      Value value = make_unknown(Kind::kText);
      value.text = node.text;
      return value;
    }
    case ExprKind::kTrue:
    case ExprKind::kFalse:
      return make_boolean(node.kind == ExprKind::kTrue);
    case ExprKind::kNone:
      return make_none();
    case ExprKind::kName:
      return name(node);
    case ExprKind::kAttribute:
      return attribute(node);
    case ExprKind::kCall:
      return call(node);
    case ExprKind::kUnary:
    case ExprKind::kBinary:
      return binary_chain(id);
    case ExprKind::kCompare:
      return comparison(node);
    case ExprKind::kAnd:
    case ExprKind::kOr:
      return logical(node);
    case ExprKind::kConditional:
      return conditional(node);
    case ExprKind::kSubscript:
    case ExprKind::kDisplay:
      return display(node);
  }
  return make_none();
}

Value Evaluator::name(const Expr& expr) {
  if (!frames_.empty()) {
    const Frame& frame = frames_.back();
    step(frame.locals.size() / 16);
    const auto& own = frame.function->locals;
    if (std::ranges::binary_search(own, expr.name)) {
      for (const auto& [local, value] : frame.locals) {
        if (local == expr.name) {
          return value;
        }
      }
      return undefined(expr, true);
    }
  }
  const Value& value = globals_[expr.name];
  if (!value.is(Kind::kUndefined)) {
    if (reads_ != nullptr && is_variable(value)) {
      read(*reads_, expr.name);
    }
    return value;
  }
  const auto builtin = builtin_name(name_text(expr.name));
  return builtin ? *builtin : undefined(expr, false);
}

Value Evaluator::undefined(const Expr& expr, bool local) {
  const std::string name{name_text(expr.name)};
  const std::string shown = core::printable(name, 60);
  std::string hint = core::did_you_mean(name, defined_names());
  if (hint.empty()) {
    hint = kBundledHint;
  }
  core::Diagnostic problem = source_.error(
      local
          ? fmt::format("cannot access local variable '{}' where it is not associated with a value",
                        shown)
          : fmt::format("name '{}' is not defined", shown),
      expr.span,
      std::move(hint));
  problem.code = core::Code::kSdkName;
  fail_with(std::move(problem));
  return make_none();
}

std::vector<std::string> Evaluator::defined_names() const {
  std::vector<std::string> names;
  for (std::size_t id = 0; id < globals_.size(); ++id) {
    if (!globals_[id].is(Kind::kUndefined)) {
      names.emplace_back(tree_.names[id]);
    }
  }
  return names;
}

Value Evaluator::attribute(const Expr& expr) {
  Value object = eval(expr.operands.front());
  if (stopped()) {
    return make_none();
  }
  const std::string_view member = name_text(expr.name);
  switch (object.kind) {
    case Kind::kEnvironment:
    case Kind::kOpaque:
      return object;
    case Kind::kModule:
      if (const auto found = module_member(*object.text, member)) {
        return *found;
      }
      break;
    case Kind::kSection:
      return section_attribute(expr, object.index);
    case Kind::kMap:
      if (member == "name") {
        return make_text(library_.title(object.index));
      }
      break;
    default:
      break;
  }
  wrong(fmt::format(
            "'{}' of a '{}' is not understood", core::printable(member, 60), type_name(object)),
        expr.span);
  return make_none();
}

Value Evaluator::section_attribute(const Expr& expr, std::size_t index) {
  const ScriptSection& section = library_.section(index);
  const std::string_view member = name_text(expr.name);
  const auto text = [&](const std::string& value) {
    step_for_text(value.size());
    return make_text(value);
  };
  if (member == "origin" || member == "length") {
    return make_integer(Integer{member == "origin" ? section.origin : section.length});
  }
  if (member == "name") {
    return text(section.name);
  }
  if (member == "attributes") {
    return text(section.attributes);
  }
  if (member == "comment") {
    return text(section.comment);
  }
  wrong(fmt::format("'{}' of a 'MemSection' is not understood", core::printable(member, 60)),
        expr.span);
  return make_none();
}

// A long sum is deep on its left side; only what stands on the right is a level of recursion.
Value Evaluator::binary_chain(ExprId id) {
  std::vector<ExprId> chain;
  ExprId first = id;
  while (expr(first).kind == ExprKind::kBinary && expr(first).op != Op::kPower) {
    chain.push_back(first);
    first = expr(first).operands.front();
  }
  const Expr& start = expr(first);
  Value value;
  if (start.kind == ExprKind::kUnary) {
    const Value operand = eval(start.operands.front());
    if (stopped()) {
      return make_none();
    }
    if (start.op == Op::kNot) {
      value = take(truth(operand), start.span);
      value = value.is(Kind::kEnvironment) ? value : make_boolean(value.number == 0);
    } else {
      value = take(sdk::unary(start.op, operand), start.span);
    }
  } else if (start.kind == ExprKind::kBinary) {
    const Value base = eval(start.operands[0]);
    const Value exponent = eval(start.operands[1]);
    if (stopped()) {
      return make_none();
    }
    value = take(sdk::binary(start.op, base, exponent), start.span);
  } else {
    value = eval(first);
  }
  for (auto link = chain.rbegin(); link != chain.rend() && !stopped(); ++link) {
    const Expr& node = expr(*link);
    step();
    const Value right = eval(node.operands[1]);
    if (stopped()) {
      return make_none();
    }
    value = take(sdk::binary(node.op, value, right), node.span);
    if (!failed() && value.is(Kind::kText)) {
      step_for_text(value.text->size());
    }
  }
  return value;
}

// a < b < c: each operand is evaluated once, and none behind the first that fails.
Value Evaluator::comparison(const Expr& expr) {
  Value left = eval(expr.operands.front());
  bool undecided = false;
  Value result = make_boolean(true);
  for (std::size_t i = 0; i < expr.ops.size() && !stopped(); ++i) {
    const Value right = eval(expr.operands[i + 1]);
    if (stopped()) {
      break;
    }
    Value link = take(sdk::compare(expr.ops[i], left, right), expr.span);
    undecided = undecided || link.is(Kind::kEnvironment);
    if (failed() || (!undecided && link.number == 0)) {
      return link;
    }
    // What is behind an undecided link decides only when it is false.
    if (undecided && !link.is(Kind::kEnvironment) && link.number == 0) {
      return make_boolean(false);
    }
    left = right;
  }
  if (stopped()) {
    return make_none();
  }
  return undecided ? make_unknown(Kind::kEnvironment) : result;
}

Value Evaluator::undecided_operand(ExprId id) {
  enter_undecided();
  Value value = eval(id);
  leave_undecided();
  if (exiting_) {
    exiting_ = false;
    maybe_ended_ = true;
    value = make_unknown(Kind::kEnvironment);
  }
  return value;
}

// The operand that decides, as it is.
Value Evaluator::logical(const Expr& expr) {
  const bool ends = expr.kind == ExprKind::kOr;
  bool undecided = false;
  Value value;
  for (std::size_t i = 0; i < expr.operands.size(); ++i) {
    value = undecided ? undecided_operand(expr.operands[i]) : eval(expr.operands[i]);
    if (stopped() || (i + 1 == expr.operands.size() && !undecided)) {
      return value;
    }
    const Value decision = take(truth(value), this->expr(expr.operands[i]).span);
    if (failed()) {
      return make_none();
    }
    undecided = undecided || decision.is(Kind::kEnvironment);
    if (!undecided && (decision.number != 0) == ends) {
      return value;
    }
  }
  return make_unknown(Kind::kEnvironment);
}

Value Evaluator::conditional(const Expr& expr) {
  const Value value = eval(expr.operands[0]);
  if (stopped()) {
    return make_none();
  }
  const Value decision = take(truth(value), this->expr(expr.operands[0]).span);
  if (failed()) {
    return make_none();
  }
  if (decision.is(Kind::kEnvironment)) {
    (void)undecided_operand(expr.operands[1]);
    (void)undecided_operand(expr.operands[2]);
    return make_unknown(Kind::kEnvironment);
  }
  return eval(expr.operands[decision.number != 0 ? 1 : 2]);
}

// Tuples and lists are only there to be printed.
Value Evaluator::display(const Expr& expr) {
  Value first;
  for (std::size_t i = 0; i < expr.operands.size() && !stopped(); ++i) {
    Value item = eval(expr.operands[i]);
    first = i == 0 ? std::move(item) : std::move(first);
  }
  if (stopped()) {
    return make_none();
  }
  if (expr.kind == ExprKind::kDisplay) {
    return make_unknown(Kind::kOpaque);
  }
  if (first.is(Kind::kEnvironment)) {
    // Python stops where the variable is not set.
    maybe_ended_ = true;
    return first;
  }
  wrong("a member in square brackets is not understood", expr.span);
  return make_none();
}

}  // namespace memsize::sdk
