// Runs the tree of a script. Its three parts are statements, expressions and calls.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include "library.hpp"
#include "script.hpp"
#include "source.hpp"
#include "tree.hpp"
#include "values.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memsize::sdk {

class Evaluator {
 public:
  Evaluator(const ScriptSource& source, const Tree& tree, const ScriptRules& rules);

  [[nodiscard]] core::Result<Script> run(const std::string& path);

 private:
  /// How a statement or a block is left.
  enum class Flow { kNext, kReturn, kExit };

  /// A call of a function of the script.
  struct Frame {
    const Function* function = nullptr;
    std::vector<std::pair<NameId, Value>> locals;
    Span call;
    /// What is returned; none without a value.
    std::optional<Value> result;
    /// Whether it has returned depends on the environment: the rest is undecided.
    bool maybe_returned = false;
  };

  /// An argument of a call, by the parameter it is for.
  struct Bound {
    bool given = false;
    Value value;
    Span span;
    std::vector<NameId> uses;
  };

  // --- statements (script_eval.cpp)
  Flow block(const Block& block);
  Flow statement(const Statement& statement);
  Flow if_statement(const Statement& statement);
  Flow undecided_if(const Statement& statement, std::size_t first);
  Flow join(const std::vector<Flow>& flows);
  Flow return_statement(const Statement& statement);
  void assign(const Statement& statement);
  void assign_again(const Statement& statement);
  void bind(const Target& target, const Value& value, const ScriptAssignment& assignment);
  void record(NameId name, const Value& value, const ScriptAssignment& assignment);
  void assertion(const Statement& statement);
  void define(const Statement& statement);
  void import(const Statement& statement);
  void import_part(const ImportedName& import);
  void set_name(NameId name, const Value& value);
  void finish(Script& script);

  // --- expressions (script_eval_expression.cpp)
  Value eval(ExprId id);
  Value name(const Expr& expr);
  Value undefined(const Expr& expr, bool local);
  Value attribute(const Expr& expr);
  Value section_attribute(const Expr& expr, std::size_t index);
  Value binary_chain(ExprId id);
  Value comparison(const Expr& expr);
  Value logical(const Expr& expr);
  Value conditional(const Expr& expr);
  Value undecided_operand(ExprId id);
  Value display(const Expr& expr);
  /// A value, or an error at the span.
  Value take(Computed computed, Span span);

  // --- calls (script_eval_call.cpp)
  Value call(const Expr& expr);
  Value method(const Expr& expr, const Value& object, std::string_view name);
  Value section_method(const Expr& expr, std::size_t index, std::string_view name);
  bool section_setter(ScriptSection& section, std::string_view name, const Bound& value);
  Value map_method(const Expr& expr, std::size_t map, std::string_view name);
  Value export_method(const Expr& expr, std::size_t index, std::string_view name);
  Value call_function(const Expr& expr, const Function& function);
  Value call_builtin(const Expr& expr, const Value& callee);
  Value extreme(const Expr& expr, bool largest);
  Value exit(const Expr& expr);
  Value call_class(const Expr& expr, const Value& callee);
  Value make_section(const Expr& expr);
  Value make_exporter(const Expr& expr, const Value& callee);
  [[nodiscard]] bool is_header_without_bases(const Expr& expr) const;
  /// Fills one Bound a parameter; an argument that does not fit is an error.
  std::vector<Bound> arguments(const Expr& expr,
                               std::initializer_list<std::string_view> parameters,
                               std::size_t required,
                               std::string_view callee);
  std::vector<Bound> arguments(const Expr& expr,
                               const std::vector<std::string_view>& parameters,
                               std::size_t required,
                               std::string_view callee);
  /// Of arguments that lead nowhere.
  void eval_all(const Expr& expr);
  /// A text, or an error.
  std::string text_of(const Bound& bound, std::string_view what);
  std::uint64_t unsigned_of(const Bound& bound, std::string_view what);
  bool flag_of(const Bound& bound);
  std::optional<std::size_t> object_of(const Bound& bound, ValueKind kind, std::string_view what);
  bool may_change(Span span);

  // --- common
  [[nodiscard]] const Expr& expr(ExprId id) const { return tree_.exprs[id]; }

  [[nodiscard]] std::string_view name_text(NameId name) const { return tree_.names[name]; }

  [[nodiscard]] bool failed() const { return problem_.has_value(); }

  /// Nothing more is evaluated: after an error, or on the way out of the script.
  [[nodiscard]] bool stopped() const { return failed() || exiting_; }

  void wrong(std::string message, Span span);
  void fail_with(core::Diagnostic problem);
  void step(std::size_t count = 1);

  /// For copies of texts that a script can make long and many.
  void step_for_text(std::size_t bytes) { step(bytes / 64); }

  [[nodiscard]] ScriptExpression expression_at(Span span, const std::vector<NameId>& uses);
  [[nodiscard]] std::vector<std::string> defined_names() const;
  void enter_undecided();
  void leave_undecided();

  /// Whether what the innermost function (or the script) does here may not happen.
  [[nodiscard]] bool is_undecided() const {
    return !undecided_.empty() && undecided_.back() >= frames_.size();
  }

  /// Collects what is read while it lives, and passes it on to the collector around it.
  class Reads {
   public:
    explicit Reads(Evaluator& evaluator);
    Reads(const Reads&) = delete;
    Reads& operator=(const Reads&) = delete;
    ~Reads();

    [[nodiscard]] const std::vector<NameId>& list() const { return list_; }

   private:
    Evaluator& evaluator_;
    std::vector<NameId>* outer_;
    std::vector<NameId> list_;
  };

  void read(std::vector<NameId>& list, NameId name);

  struct Exporter {
    std::string kind;
    std::size_t map = 0;
    ScriptExport target;
  };

  const ScriptSource& source_;
  const Tree& tree_;
  Library library_;
  std::vector<Value> globals_;
  std::vector<std::vector<Value>> presets_;
  std::vector<Frame> frames_;
  std::vector<Exporter> exporters_;
  std::vector<ScriptVariable> variables_;
  std::vector<std::uint32_t> variable_of_;
  std::vector<ScriptExport> exports_;
  core::Diagnostics warnings_;
  std::vector<NameId>* reads_ = nullptr;
  Span statement_;
  std::size_t steps_ = 0;
  /// Branches around that depend on the environment: the calls that were open at each.
  std::vector<std::size_t> undecided_;
  /// An earlier branch may have left the script.
  bool maybe_ended_ = false;
  bool exiting_ = false;
  std::optional<core::Diagnostic> problem_;
};

/// What a module of Python or of the SDK has under a name, as far as scripts use it.
[[nodiscard]] std::optional<Value> module_member(std::string_view module, std::string_view name);
[[nodiscard]] bool is_known_module(std::string_view module);
/// What `from module import *` binds.
[[nodiscard]] std::vector<std::string_view> exported_names(std::string_view module);
/// int, print and their like.
[[nodiscard]] std::optional<Value> builtin_name(std::string_view name);

}  // namespace memsize::sdk
