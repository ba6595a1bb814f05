// What the two halves of the parser share: tokens, names, the first error.
#pragma once

#include "lexer.hpp"
#include "source.hpp"
#include "tree.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace memsize::sdk {

/// Expressions. After an error everything returns at once with kNothing, and problem() says why.
class ExpressionParser {
 public:
  ExpressionParser(const ScriptSource& source, Tokens tokens, Tree& tree)
      : source_(source), tokens_(std::move(tokens)), tree_(tree) {}

  [[nodiscard]] bool failed() const { return problem_.has_value(); }

  [[nodiscard]] const std::optional<core::Diagnostic>& problem() const { return problem_; }

  /// An expression without a comma at its top.
  ExprId expression();

 protected:
  [[nodiscard]] const Token& token() const { return tokens_.list[at_]; }

  [[nodiscard]] bool is_sign(std::string_view text) const {
    return token().kind == TokenKind::kOperator && token().text == text;
  }

  [[nodiscard]] bool is_word(std::string_view text) const {
    return token().kind == TokenKind::kName && token().text == text;
  }

  [[nodiscard]] bool is_kind(TokenKind kind) const { return token().kind == kind; }

  /// The last token is never passed.
  void advance() {
    if (at_ + 1 < tokens_.list.size()) {
      ++at_;
    }
  }

  bool take_sign(std::string_view text) {
    if (!is_sign(text) || failed()) {
      return false;
    }
    advance();
    return true;
  }

  bool take_word(std::string_view text) {
    if (!is_word(text) || failed()) {
      return false;
    }
    advance();
    return true;
  }

  /// Else an error.
  void expect_sign(std::string_view text);

  /// Where the next token begins, and where the last one that was passed ended.
  [[nodiscard]] std::size_t here() const { return source_.span(token().text).begin; }

  [[nodiscard]] std::size_t passed() const {
    return at_ == 0 ? source_.begin() : source_.span(tokens_.list[at_ - 1].text).end;
  }

  NameId intern(std::string_view name);

  /// An error; the first one stays.
  void wrong(std::string message, Span span);
  /// Of the next token.
  void unexpected(std::string_view wanted = {});

  /// A level of recursion, until it goes out of scope.
  class Level {
   public:
    explicit Level(ExpressionParser& parser);
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

    ~Level() { --parser_.depth_; }

   private:
    ExpressionParser& parser_;
  };

  const ScriptSource& source_;
  Tokens tokens_;
  Tree& tree_;
  std::size_t at_ = 0;

 private:
  using Rule = ExprId (ExpressionParser::*)();

  ExprId disjunction() { return logical("or", ExprKind::kOr, &ExpressionParser::conjunction); }

  ExprId conjunction() { return logical("and", ExprKind::kAnd, &ExpressionParser::inversion); }

  /// Operands with the word between them; the first alone where it does not follow.
  ExprId logical(std::string_view word, ExprKind kind, Rule operand);
  /// Behind the sign, which begins there.
  ExprId unary(Op op, std::size_t begin, Rule operand);
  ExprId inversion();
  ExprId comparison();
  /// Of operators that bind at least as strongly.
  ExprId binary(int weakest);
  ExprId factor();
  ExprId power();
  ExprId primary();
  ExprId postfix(ExprId object, std::size_t begin);
  ExprId atom();
  ExprId string_literals();
  ExprId number_literal();
  ExprId word();
  ExprId bracketed();
  ExprId display(std::string_view close, ExprId first, std::size_t begin);
  ExprId call(ExprId callee, std::size_t begin);
  bool argument(Expr& call);
  std::optional<Op> comparison_op();

  ExprId add(Expr expr);
  ExprId add_binary(Op op, ExprId left, ExprId right, std::size_t begin);
  ExprId add_list(ExprKind kind, std::vector<ExprId> operands, std::size_t begin);

  int depth_ = 0;
  std::optional<core::Diagnostic> problem_;
  std::unordered_map<std::string_view, NameId> names_;
};

/// Whether Python reserves the word.
[[nodiscard]] bool is_keyword(std::string_view word);

}  // namespace memsize::sdk
