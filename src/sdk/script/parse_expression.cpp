// Descends through expressions by Python's precedence, from or down to atoms. Depth and size are
// limited, and a bracket that is never closed is told as such.
#include "memsize/core/text.hpp"

#include "limits.hpp"
#include "parse_base.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

struct BinaryOp {
  std::string_view text;
  Op op;
  int precedence;
};

// From weak to strong; all are left-associative.
constexpr std::array<BinaryOp, 11> kBinaryOps = {{
    {"|", Op::kBitOr, 0},
    {"^", Op::kBitXor, 1},
    {"&", Op::kBitAnd, 2},
    {"<<", Op::kShiftLeft, 3},
    {">>", Op::kShiftRight, 3},
    {"+", Op::kAdd, 4},
    {"-", Op::kSubtract, 4},
    {"*", Op::kMultiply, 5},
    {"/", Op::kDivide, 5},
    {"//", Op::kFloorDivide, 5},
    {"%", Op::kModulo, 5},
}};

constexpr std::array<std::pair<std::string_view, Op>, 6> kComparisons = {{
    {"<", Op::kLess},
    {"<=", Op::kLessEqual},
    {">", Op::kGreater},
    {">=", Op::kGreaterEqual},
    {"==", Op::kEqual},
    {"!=", Op::kNotEqual},
}};

// In the order of Op: first those that stand between two numbers.
constexpr std::array<std::string_view, 26> kOpTexts = {
    "+", "-", "*",   "/", "//", "%", "**", "<<", ">>", "&",  "|",      "^",  "+",
    "-", "~", "not", "<", "<=", ">", ">=", "==", "!=", "is", "is not", "in", "not in"};

constexpr std::array<std::pair<std::string_view, Op>, 3> kSigns = {{
    {"-", Op::kMinus},
    {"+", Op::kPlus},
    {"~", Op::kInvert},
}};

constexpr std::array<std::string_view, 35> kKeywords = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

// Most tokens behind an operand are none.
bool may_be_binary(std::string_view text) {
  switch (text.front()) {
    case ')':
    case ',':
    case '=':
    case ';':
    case '.':
      return false;
    default:
      return text.size() <= 2;
  }
}

const BinaryOp* binary_op(const Token& token) {
  if (token.kind != TokenKind::kOperator || !may_be_binary(token.text)) {
    return nullptr;
  }
  const auto* found = std::ranges::find_if(kBinaryOps, [&](const auto& op) {
    return op.text.front() == token.text.front() && op.text == token.text;
  });
  return found == kBinaryOps.end() ? nullptr : found;
}

}  // namespace

bool is_keyword(std::string_view word) {
  return word.size() <= 8 && std::ranges::find(kKeywords, word) != kKeywords.end();
}

std::string_view op_text(Op op) {
  return kOpTexts.at(static_cast<std::size_t>(op));
}

std::optional<Op> arithmetic_op(std::string_view text) {
  const auto* const end = kOpTexts.begin() + static_cast<std::size_t>(Op::kPlus);
  const auto* const found = std::find(kOpTexts.begin(), end, text);
  return found == end ? std::nullopt : std::optional{static_cast<Op>(found - kOpTexts.begin())};
}

ExpressionParser::Level::Level(ExpressionParser& parser) : parser_(parser) {
  if (++parser_.depth_ > kDeepest) {
    parser_.wrong(fmt::format("expressions and blocks are nested deeper than {}", kDeepest),
                  parser_.source_.span(parser_.token().text));
  }
}

void ExpressionParser::expect_sign(std::string_view text) {
  if (!take_sign(text)) {
    unexpected(fmt::format("'{}'", text));
  }
}

NameId ExpressionParser::intern(std::string_view name) {
  const auto [place, fresh] = names_.try_emplace(name, static_cast<NameId>(tree_.names.size()));
  if (fresh) {
    tree_.names.push_back(name);
  }
  return place->second;
}

void ExpressionParser::wrong(std::string message, Span span) {
  if (failed()) {
    return;
  }
  // Behind a bracket that is never closed, everything looks wrong.
  if (tokens_.unclosed && span.begin > tokens_.unclosed->begin) {
    problem_ = tokens_.problem;
  } else {
    problem_ = source_.error(std::move(message), span);
  }
}

void ExpressionParser::unexpected(std::string_view wanted) {
  if (failed()) {
    return;
  }
  if (is_kind(TokenKind::kWrong)) {
    problem_ = tokens_.problem;
    return;
  }
  std::string what;
  Span span = source_.span(token().text);
  switch (token().kind) {
    case TokenKind::kNewline:
    case TokenKind::kEnd:
      what = is_kind(TokenKind::kEnd) ? "the script ends here" : "the line ends here";
      span.end = span.begin;
      break;
    case TokenKind::kIndent:
      what = "the line is indented";
      break;
    case TokenKind::kDedent:
      what = "the block ends here";
      break;
    case TokenKind::kName:
      what = is_keyword(token().text)
                 ? fmt::format("'{}' is not understood here", token().text)
                 : fmt::format("'{}' is not expected here", core::printable(token().text, 40));
      break;
    default:
      what = fmt::format("'{}' is not expected here", core::printable(token().text, 40));
      break;
  }
  wrong(wanted.empty() ? what : fmt::format("{}, {} is missing", what, wanted), span);
}

ExprId ExpressionParser::add(Expr expr) {
  if (failed()) {
    return kNothing;
  }
  if (tree_.exprs.size() == kMostOperands) {
    wrong(fmt::format("more than {} operands and operators", kMostOperands), expr.span);
    return kNothing;
  }
  tree_.exprs.push_back(std::move(expr));
  return static_cast<ExprId>(tree_.exprs.size() - 1);
}

ExprId ExpressionParser::add_list(ExprKind kind, std::vector<ExprId> operands, std::size_t begin) {
  if (failed()) {
    return kNothing;
  }
  return add({.kind = kind, .span = {begin, passed()}, .operands = std::move(operands)});
}

ExprId ExpressionParser::add_binary(Op op, ExprId left, ExprId right, std::size_t begin) {
  return add(
      {.kind = ExprKind::kBinary, .op = op, .span = {begin, passed()}, .operands = {left, right}});
}

ExprId ExpressionParser::expression() {
  const Level level{*this};
  if (failed()) {
    return kNothing;
  }
  const std::size_t begin = here();
  const ExprId value = disjunction();
  if (!take_word("if")) {
    return value;
  }
  const ExprId condition = disjunction();
  if (!take_word("else")) {
    unexpected("'else'");
    return kNothing;
  }
  const ExprId other = expression();
  return add_list(ExprKind::kConditional, {condition, value, other}, begin);
}

ExprId ExpressionParser::logical(std::string_view word, ExprKind kind, Rule operand) {
  const std::size_t begin = here();
  const ExprId first = (this->*operand)();
  if (!is_word(word)) {
    return first;
  }
  std::vector<ExprId> operands = {first};
  while (take_word(word)) {
    operands.push_back((this->*operand)());
  }
  return add_list(kind, std::move(operands), begin);
}

ExprId ExpressionParser::unary(Op op, std::size_t begin, Rule operand) {
  const Level level{*this};
  const ExprId value = (this->*operand)();
  return add({.kind = ExprKind::kUnary, .op = op, .span = {begin, passed()}, .operands = {value}});
}

ExprId ExpressionParser::inversion() {
  const std::size_t begin = here();
  return take_word("not") ? unary(Op::kNot, begin, &ExpressionParser::inversion) : comparison();
}

std::optional<Op> ExpressionParser::comparison_op() {
  if (failed() || is_kind(TokenKind::kNewline) || is_sign(")") || is_sign(",")) {
    return std::nullopt;
  }
  if (take_word("is")) {
    return take_word("not") ? Op::kIsNot : Op::kIs;
  }
  if (take_word("in")) {
    return Op::kIn;
  }
  if (is_word("not") && !failed()) {
    advance();
    if (!take_word("in")) {
      unexpected("'in'");
    }
    return Op::kNotIn;
  }
  for (const auto& [text, op] : kComparisons) {
    if (take_sign(text)) {
      return op;
    }
  }
  return std::nullopt;
}

ExprId ExpressionParser::comparison() {
  const std::size_t begin = here();
  const ExprId first = binary(0);
  auto op = comparison_op();
  if (!op) {
    return first;
  }
  std::vector<ExprId> operands = {first};
  std::vector<Op> ops;
  for (; op; op = comparison_op()) {
    ops.push_back(*op);
    operands.push_back(binary(0));
    if (failed()) {
      return kNothing;
    }
  }
  const ExprId id = add_list(ExprKind::kCompare, std::move(operands), begin);
  if (id != kNothing) {
    tree_.exprs[id].ops = std::move(ops);
  }
  return id;
}

ExprId ExpressionParser::binary(int weakest) {
  const std::size_t begin = here();
  ExprId left = factor();
  while (!failed()) {
    const BinaryOp* known = binary_op(token());
    if (known == nullptr || known->precedence < weakest) {
      return left;
    }
    advance();
    const ExprId right = binary(known->precedence + 1);
    left = add_binary(known->op, left, right, begin);
  }
  return kNothing;
}

ExprId ExpressionParser::factor() {
  const std::size_t begin = here();
  for (const auto& [sign, op] : kSigns) {
    if (take_sign(sign)) {
      return unary(op, begin, &ExpressionParser::factor);
    }
  }
  return power();
}

// Binds stronger than a sign before it and weaker than a sign behind it: -2 ** -1.
ExprId ExpressionParser::power() {
  const std::size_t begin = here();
  const ExprId base = primary();
  if (!take_sign("**")) {
    return base;
  }
  const Level level{*this};
  const ExprId exponent = factor();
  return add_binary(Op::kPower, base, exponent, begin);
}

ExprId ExpressionParser::primary() {
  const std::size_t begin = here();
  ExprId value = atom();
  for (int links = 0; !failed(); ++links) {
    const ExprId longer = postfix(value, begin);
    if (longer == value) {
      return value;
    }
    value = longer;
    if (links == kDeepest) {
      wrong(fmt::format("more than {} calls and members behind each other", kDeepest),
            {begin, passed()});
    }
  }
  return kNothing;
}

ExprId ExpressionParser::postfix(ExprId object, std::size_t begin) {
  if (take_sign(".")) {
    if (!is_kind(TokenKind::kName) || is_keyword(token().text)) {
      unexpected("a name");
      return kNothing;
    }
    Expr expr{.kind = ExprKind::kAttribute, .name = intern(token().text), .operands = {object}};
    advance();
    expr.span = {begin, passed()};
    return add(std::move(expr));
  }
  if (take_sign("(")) {
    return call(object, begin);
  }
  if (take_sign("[")) {
    const ExprId index = expression();
    expect_sign("]");
    return add_list(ExprKind::kSubscript, {object, index}, begin);
  }
  return object;
}

ExprId ExpressionParser::call(ExprId callee, std::size_t begin) {
  Expr expr{.kind = ExprKind::kCall, .operands = {callee}};
  while (!failed() && !take_sign(")")) {
    if (!argument(expr)) {
      return kNothing;
    }
    if (!is_sign(")") && !take_sign(",")) {
      unexpected("',' or ')'");
    }
  }
  if (failed()) {
    return kNothing;
  }
  expr.span = {begin, passed()};
  return add(std::move(expr));
}

bool ExpressionParser::argument(Expr& call) {
  CallArgument argument;
  const bool named = is_kind(TokenKind::kName) && !is_keyword(token().text) &&
                     at_ + 1 < tokens_.list.size() && tokens_.list[at_ + 1].text == "=";
  if (named) {
    argument.keyword = intern(token().text);
    advance();
    advance();
  } else if (!call.arguments.empty() && call.arguments.back().keyword != kNothing) {
    wrong("an argument without a name behind one with a name", source_.span(token().text));
  }
  argument.span.begin = failed() ? 0 : here();
  argument.value = expression();
  argument.span.end = passed();
  call.arguments.push_back(argument);
  return !failed();
}

ExprId ExpressionParser::atom() {
  switch (token().kind) {
    case TokenKind::kNumber:
      return number_literal();
    case TokenKind::kString:
      return string_literals();
    case TokenKind::kName:
      return word();
    default:
      if (is_sign("(") || is_sign("[")) {
        return bracketed();
      }
      unexpected(is_kind(TokenKind::kNewline) || is_kind(TokenKind::kEnd) ? "a value" : "");
      return kNothing;
  }
}

ExprId ExpressionParser::number_literal() {
  const Span span = source_.span(token().text);
  const Literal literal = decode_number(token().text);
  if (!literal.problem.empty()) {
    wrong(literal.problem, {span.begin + literal.where.begin, span.begin + literal.where.end});
    return kNothing;
  }
  advance();
  Expr expr{.kind = literal.is_float ? ExprKind::kFloat : ExprKind::kInteger,
            .number = literal.number};
  expr.span = span;
  return add(std::move(expr));
}

// Texts beside each other are one.
ExprId ExpressionParser::string_literals() {
  const std::size_t begin = here();
  std::string text;
  Expr expr{.kind = ExprKind::kText};
  while (is_kind(TokenKind::kString)) {
    const Span span = source_.span(token().text);
    const Literal literal = decode_string(token().text);
    if (!literal.problem.empty()) {
      wrong(literal.problem, {span.begin + literal.where.begin, span.begin + literal.where.end});
      return kNothing;
    }
    if (literal.is_formatted) {
      expr.kind = ExprKind::kFormatted;
    }
    text += literal.text;
    advance();
  }
  if (text.size() > kLongestText) {
    wrong(fmt::format("a text of more than {} bytes", kLongestText), {begin, passed()});
    return kNothing;
  }
  expr.text = std::make_shared<const std::string>(std::move(text));
  expr.span = {begin, passed()};
  return add(std::move(expr));
}

ExprId ExpressionParser::word() {
  const std::string_view text = token().text;
  Expr expr{.span = source_.span(text)};
  if (text == "True") {
    expr.kind = ExprKind::kTrue;
  } else if (text == "False") {
    expr.kind = ExprKind::kFalse;
  } else if (text == "None") {
    expr.kind = ExprKind::kNone;
  } else if (is_keyword(text)) {
    unexpected();
    return kNothing;
  } else {
    expr.kind = ExprKind::kName;
    expr.name = intern(text);
  }
  advance();
  return add(std::move(expr));
}

// (value), a tuple or a list.
ExprId ExpressionParser::bracketed() {
  const std::size_t begin = here();
  const bool round = is_sign("(");
  const std::string_view close = round ? ")" : "]";
  advance();
  if (is_sign(close)) {
    return display(close, kNothing, begin);
  }
  const ExprId first = expression();
  return round && take_sign(close) ? first : display(close, first, begin);
}

ExprId ExpressionParser::display(std::string_view close, ExprId first, std::size_t begin) {
  std::vector<ExprId> items;
  if (first != kNothing) {
    items.push_back(first);
  }
  while (!failed() && !take_sign(close)) {
    if (!items.empty()) {
      expect_sign(",");
    }
    if (!is_sign(close)) {
      items.push_back(expression());
    }
  }
  return add_list(ExprKind::kDisplay, std::move(items), begin);
}

}  // namespace memsize::sdk
