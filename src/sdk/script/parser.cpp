// Parses statements into a tree in which each has its bytes. Python that no generator script uses
// is refused by name rather than skipped.
#include "parser.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "limits.hpp"
#include "parse_base.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

// Each rule takes its tokens and adds a statement.
class Parser : public ExpressionParser {
 public:
  using ExpressionParser::ExpressionParser;

  void run() {
    while (!failed() && !is_kind(TokenKind::kEnd)) {
      statement(tree_.body);
    }
  }

 private:
  void statement(Block& block) {
    if (is_word("if")) {
      if_statement(block);
    } else if (is_word("def")) {
      def_statement(block);
    } else {
      simple_line(block);
    }
  }

  void simple_line(Block& block) {
    simple(block);
    while (take_sign(";")) {
      if (is_kind(TokenKind::kNewline)) {
        break;
      }
      simple(block);
    }
    if (failed()) {
      return;
    }
    if (!is_kind(TokenKind::kNewline)) {
      return unexpected();
    }
    advance();
  }

  void add(Block& block, Statement statement) {
    if (failed()) {
      return;
    }
    if (tree_.statements.size() == kMostStatements) {
      return wrong(fmt::format("more than {} statements", kMostStatements), statement.span);
    }
    block.push_back(static_cast<StatementId>(tree_.statements.size()));
    tree_.statements.push_back(std::move(statement));
  }

  void simple(Block& block) {
    if (failed()) {
      return;
    }
    Statement statement;
    const std::size_t begin = here();
    if (!is_kind(TokenKind::kName) || may_begin_value(token().text)) {
      assignment(statement);
    } else if (take_word("pass")) {
      statement.kind = StatementKind::kPass;
    } else if (take_word("assert")) {
      assert_statement(statement);
    } else if (take_word("return")) {
      return_statement(statement, begin);
    } else if (take_word("import")) {
      import_statement(statement);
    } else if (take_word("from")) {
      from_statement(statement);
    } else {
      wrong(fmt::format("a '{}' statement is not understood", token().text),
            source_.span(token().text));
    }
    statement.span = {begin, passed()};
    add(block, std::move(statement));
  }

  // Also what is wrong there, for the expression to say so.
  static bool may_begin_value(std::string_view word) {
    return !is_keyword(word) ||
           core::is_one_of(word, "False None True and or not is in if else elif as lambda await");
  }

  // The rest of a statement whose value is not in brackets.
  void no_comma() {
    if (!failed() && is_sign(",")) {
      wrong("a tuple is not understood here", source_.span(token().text));
    }
  }

  void value(Statement& statement) {
    const std::size_t begin = here();
    statement.value = expression();
    statement.value_span = {begin, passed()};
  }

  void assert_statement(Statement& statement) {
    statement.kind = StatementKind::kAssert;
    value(statement);
    if (take_sign(",")) {
      statement.message = expression();
    }
  }

  void return_statement(Statement& statement, std::size_t begin) {
    statement.kind = StatementKind::kReturn;
    if (locals_ == nullptr) {
      return wrong("'return' outside of a function", {begin, passed()});
    }
    if (!is_kind(TokenKind::kNewline) && !is_sign(";")) {
      value(statement);
      no_comma();
    }
  }

  void assignment(Statement& statement) {
    statement.kind = StatementKind::kExpression;
    value(statement);
    if (failed()) {
      return;
    }
    if (const auto op = augmented_op()) {
      target(statement);
      advance();
      statement.kind = StatementKind::kAugment;
      statement.op = *op;
      value(statement);
      return no_comma();
    }
    while (!failed() && is_sign("=")) {
      target(statement);
      advance();
      statement.kind = StatementKind::kAssign;
      value(statement);
    }
    if (!failed() && is_sign(":")) {
      return wrong("an annotation is not understood", source_.span(token().text));
    }
    no_comma();
  }

  [[nodiscard]] std::optional<Op> augmented_op() const {
    const std::string_view text = token().text;
    return is_kind(TokenKind::kOperator) && text.ends_with('=')
               ? arithmetic_op(text.substr(0, text.size() - 1))
               : std::nullopt;
  }

  // What was a value turns out to be assigned to.
  void target(Statement& statement) {
    if (failed()) {
      return;
    }
    const Expr& expr = tree_.exprs[statement.value];
    if (expr.kind != ExprKind::kName) {
      const bool member = expr.kind == ExprKind::kAttribute || expr.kind == ExprKind::kSubscript;
      return wrong(
          member ? "assigning to a member is not understood" : "only a name can be assigned to",
          statement.value_span);
    }
    statement.targets.push_back({expr.name, expr.span});
    if (locals_ != nullptr) {
      locals_->push_back(expr.name);
    }
  }

  std::string_view dotted_name() {
    const std::size_t begin = here();
    do {
      if (!is_kind(TokenKind::kName) || is_keyword(token().text)) {
        unexpected("a name");
        return {};
      }
      advance();
    } while (take_sign("."));
    return source_.text({begin, passed()});
  }

  void bind(Statement& statement, ImportedName import, std::string_view name) {
    if (take_word("as")) {
      if (!is_kind(TokenKind::kName) || is_keyword(token().text)) {
        return unexpected("a name");
      }
      name = token().text;
      advance();
    }
    if (failed()) {
      return;
    }
    import.bound = intern(name);
    if (locals_ != nullptr) {
      locals_->push_back(import.bound);
    }
    statement.imports.push_back(import);
  }

  void import_statement(Statement& statement) {
    statement.kind = StatementKind::kImport;
    do {
      ImportedName import{.module = dotted_name()};
      import.span = failed() ? Span{} : source_.span(import.module);
      bind(statement, import, import.module.substr(0, import.module.find('.')));
    } while (take_sign(","));
  }

  void from_statement(Statement& statement) {
    statement.kind = StatementKind::kImport;
    ImportedName import{.module = dotted_name()};
    if (!take_word("import")) {
      return unexpected("'import'");
    }
    import.span = source_.span(import.module);
    if (take_sign("*")) {
      import.all = true;
      if (locals_ != nullptr) {
        return wrong("'import *' inside of a function", import.span);
      }
      statement.imports.push_back(import);
      return;
    }
    const bool bracket = take_sign("(");
    do {
      if (bracket && is_sign(")") && !statement.imports.empty()) {
        break;
      }
      if (!is_kind(TokenKind::kName) || is_keyword(token().text)) {
        return unexpected("a name");
      }
      import.part = token().text;
      import.span = source_.span(import.part);
      advance();
      bind(statement, import, import.part);
    } while (take_sign(","));
    if (bracket) {
      expect_sign(")");
    }
  }

  void if_statement(Block& block) {
    Statement statement{.kind = StatementKind::kIf};
    const std::size_t begin = here();
    std::string_view word = "if";
    do {
      advance();
      statement.branches.push_back({.condition = expression(), .body = suite(word)});
      word = "elif";
    } while (!failed() && is_word("elif"));
    if (take_word("else")) {
      statement.otherwise = suite("else");
    }
    statement.span = {begin, passed()};
    add(block, std::move(statement));
  }

  Block suite(std::string_view owner) {
    Block body;
    const Level level{*this};
    if (failed()) {
      return body;
    }
    expect_sign(":");
    if (failed()) {
      return body;
    }
    if (!is_kind(TokenKind::kNewline)) {
      simple_line(body);
      return body;
    }
    advance();
    if (!is_kind(TokenKind::kIndent)) {
      if (is_kind(TokenKind::kWrong)) {
        unexpected();
      } else {
        wrong(fmt::format("an indented block is missing behind '{}'", owner),
              source_.span(token().text));
      }
      return body;
    }
    advance();
    while (!failed() && !is_kind(TokenKind::kDedent)) {
      statement(body);
    }
    advance();
    return body;
  }

  void def_statement(Block& block) {
    Statement statement{.kind = StatementKind::kDef};
    const std::size_t begin = here();
    if (locals_ != nullptr) {
      return wrong("a function inside of a function is not understood", source_.span(token().text));
    }
    advance();
    Function function;
    if (!is_kind(TokenKind::kName) || is_keyword(token().text)) {
      return unexpected("a name");
    }
    function.span = source_.span(token().text);
    function.name = intern(token().text);
    advance();
    parameters(function);
    if (failed()) {
      return;
    }
    for (const Parameter& parameter : function.parameters) {
      function.locals.push_back(parameter.name);
    }
    locals_ = &function.locals;
    function.body = suite("def");
    locals_ = nullptr;
    std::ranges::sort(function.locals);
    const auto last = std::unique(function.locals.begin(), function.locals.end());
    function.locals.erase(last, function.locals.end());
    statement.function = static_cast<FunctionId>(tree_.functions.size());
    statement.span = {begin, passed()};
    tree_.functions.push_back(std::move(function));
    add(block, std::move(statement));
  }

  void parameters(Function& function) {
    expect_sign("(");
    while (!failed() && !take_sign(")")) {
      if (!is_kind(TokenKind::kName) || is_keyword(token().text)) {
        return unexpected("a name");
      }
      Parameter parameter;
      const Span span = source_.span(token().text);
      parameter.name = intern(token().text);
      advance();
      const bool twice = core::contains(function.parameters, parameter.name, &Parameter::name);
      if (twice) {
        return wrong("a parameter of this name is there already", span);
      }
      if (function.parameters.size() == static_cast<std::size_t>(kDeepest)) {
        return wrong(fmt::format("more than {} parameters", kDeepest), span);
      }
      if (take_sign("=")) {
        parameter.preset = expression();
      } else if (!function.parameters.empty() && function.parameters.back().preset != kNothing) {
        return wrong("a parameter without a default behind one with a default", span);
      }
      function.parameters.push_back(parameter);
      if (!is_sign(")") && !take_sign(",")) {
        return unexpected("',' or ')'");
      }
    }
  }

  // Of the function that is being read.
  std::vector<NameId>* locals_ = nullptr;
};

}  // namespace

core::Result<Tree> parse_script(const ScriptSource& source) {
  Tree tree;
  Tokens tokens = split(source);
  tree.exprs.reserve(tokens.list.size() / 2);
  tree.statements.reserve(tokens.list.size() / 5);
  Parser parser{source, std::move(tokens), tree};
  parser.run();
  if (parser.failed()) {
    return core::fail(*parser.problem());
  }
  return tree;
}

}  // namespace memsize::sdk
