// A script as a tree: what the parser makes and the evaluator walks. Texts are views into the file.
#pragma once

#include "script.hpp"
#include "source.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::sdk {

using NameId = std::uint32_t;
using ExprId = std::uint32_t;
using StatementId = std::uint32_t;
using FunctionId = std::uint32_t;

constexpr std::uint32_t kNothing = std::numeric_limits<std::uint32_t>::max();

enum class ExprKind {
  kInteger,
  kFloat,
  kText,
  kFormatted,  // an f-string that has braces
  kTrue,
  kFalse,
  kNone,
  kName,
  kAttribute,    // operands: the object; name
  kCall,         // operands: the callee; arguments
  kSubscript,    // operands: the object, the index
  kUnary,        // op; one operand
  kBinary,       // op; two operands
  kCompare,      // ops; one operand more than ops
  kAnd,          // two or more operands
  kOr,           // two or more operands
  kConditional,  // operands: condition, value, other value
  kDisplay,      // a tuple or a list
};

enum class Op {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kFloorDivide,
  kModulo,
  kPower,
  kShiftLeft,
  kShiftRight,
  kBitAnd,
  kBitOr,
  kBitXor,
  kPlus,
  kMinus,
  kInvert,
  kNot,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kIs,
  kIsNot,
  kIn,
  kNotIn,
};

/// As it is written.
[[nodiscard]] std::string_view op_text(Op op);
/// The operator between two numbers that is written so, up to kBitXor.
[[nodiscard]] std::optional<Op> arithmetic_op(std::string_view text);

struct CallArgument {
  /// Of a keyword argument, else kNothing.
  NameId keyword = kNothing;
  ExprId value = kNothing;
  /// With the brackets around it.
  Span span;
};

struct Expr {
  ExprKind kind = ExprKind::kNone;
  Op op = Op::kAdd;
  /// Without the brackets around it.
  Span span;
  Integer number = 0;
  std::shared_ptr<const std::string> text;
  /// Of kName and kAttribute.
  NameId name = kNothing;
  std::vector<ExprId> operands;
  std::vector<Op> ops;
  std::vector<CallArgument> arguments;
};

enum class StatementKind {
  kExpression,
  kAssign,
  kAugment,
  kAssert,
  kReturn,
  kPass,
  kIf,
  kDef,
  kImport
};

using Block = std::vector<StatementId>;

struct Target {
  NameId name = kNothing;
  Span span;
};

struct Branch {
  ExprId condition = kNothing;
  Block body;
};

struct ImportedName {
  std::string_view module;
  /// What is taken from the module, or empty for the module itself.
  std::string_view part;
  NameId bound = kNothing;
  Span span;
  /// from module import *
  bool all = false;
};

struct Statement {
  StatementKind kind = StatementKind::kPass;
  /// Of the operator of kAugment.
  Op op = Op::kAdd;
  Span span;
  /// The value, the assertion or what is returned.
  ExprId value = kNothing;
  /// With the brackets around it.
  Span value_span;
  /// The text of an assertion.
  ExprId message = kNothing;
  std::vector<Target> targets;
  std::vector<Branch> branches;
  Block otherwise;
  std::vector<ImportedName> imports;
  FunctionId function = kNothing;
};

struct Parameter {
  NameId name = kNothing;
  ExprId preset = kNothing;
};

struct Function {
  NameId name = kNothing;
  Span span;
  std::vector<Parameter> parameters;
  /// Parameters and every name that the body assigns, sorted.
  std::vector<NameId> locals;
  Block body;
};

struct Tree {
  std::vector<std::string_view> names;
  std::vector<Expr> exprs;
  std::vector<Statement> statements;
  std::vector<Function> functions;
  Block body;
};

}  // namespace memsize::sdk
