// Writes another value as the script writes this one: the same unit, hexadecimal digits or sum,
// where one term changes. If nothing fits, a plain number takes the whole place.
#include "rewrite.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

constexpr Integer kPythonKib = Integer{1} << 10;
constexpr Integer kPythonMib = Integer{1} << 20;
constexpr Integer kPythonGib = Integer{1} << 30;

// Addresses and sizes of 32 bits are written with all of their digits.
constexpr std::size_t kUsualDigits = 8;

struct Unit {
  std::string_view name;
  Integer value = 0;
};

// `64*MB` or `MB*64`.
struct Product {
  ExprId number = kNothing;
  ExprId name = kNothing;
  Integer unit = 0;
};

// One operand of a sum.
struct Term {
  ExprId expr = kNothing;
  bool negative = false;
};

bool is_hexadecimal(std::string_view literal) {
  return literal.starts_with("0x") || literal.starts_with("0X");
}

std::string hexadecimal(Integer value) {
  return fmt::format("0x{:0{}X}", value, kUsualDigits);
}

// In the base, case and width of a literal.
std::string number_like(std::string_view literal, Integer value) {
  if (!is_hexadecimal(literal)) {
    const bool decimal = std::ranges::all_of(
        literal, [](unsigned char c) { return std::isdigit(c) != 0 || c == '_'; });
    return decimal ? fmt::format("{}", value) : hexadecimal(value);
  }
  const std::string_view digits = literal.substr(2);
  const bool lower =
      std::ranges::any_of(digits, [](unsigned char c) { return std::islower(c) != 0; });
  const std::size_t written =
      digits.size() - static_cast<std::size_t>(std::ranges::count(digits, '_'));
  const bool fixed = digits.front() == '0' || written == kUsualDigits;
  const std::size_t width = fixed ? written : 1;
  return fmt::format(
      "{}{}",
      literal.substr(0, 2),
      lower ? fmt::format("{:0{}x}", value, width) : fmt::format("{:0{}X}", value, width));
}

class Rewriter {
 public:
  Rewriter(const KnownScript& known,
           const ScriptVariable& variable,
           const Statement& statement,
           Integer wanted)
      : known_(known),
        tree_(known.tree()),
        variable_(variable),
        statement_(statement),
        wanted_(wanted) {
    find_units();
  }

  std::vector<ScriptEdit> run() const {
    std::vector<Term> terms;
    collect(statement_.value, false, terms);
    auto edits = terms.size() == 1 ? single(terms.front().expr) : sum(terms);
    if (edits.empty()) {
      edits.push_back({statement_.value_span, plain()});
    }
    return edits;
  }

 private:
  [[nodiscard]] const Expr& expr(ExprId id) const { return tree_.exprs[id]; }

  [[nodiscard]] std::string_view text(ExprId id) const {
    return known_.source().text(expr(id).span);
  }

  // What the name is where the statement stands.
  [[nodiscard]] std::optional<Integer> value_of(NameId name) const {
    const ScriptVariable* variable = known_.variable(tree_.names[name]);
    std::optional<Integer> value;
    if (variable != nullptr) {
      for (const ScriptAssignment& assignment : variable->assignments) {
        const auto* integer = std::get_if<Integer>(&assignment.value);
        if (integer != nullptr && assignment.name_place.offset < statement_.span.begin) {
          value = *integer;
        }
      }
    }
    return value;
  }

  // A number times a name that is 2^10, 2^20 or 2^30.
  [[nodiscard]] std::optional<Product> product(ExprId id) const {
    const Expr& whole = expr(id);
    if (whole.kind != ExprKind::kBinary || whole.op != Op::kMultiply) {
      return std::nullopt;
    }
    Product found{whole.operands[0], whole.operands[1]};
    if (expr(found.number).kind != ExprKind::kInteger) {
      std::swap(found.number, found.name);
    }
    if (expr(found.number).kind != ExprKind::kInteger || expr(found.name).kind != ExprKind::kName) {
      return std::nullopt;
    }
    found.unit = value_of(expr(found.name).name).value_or(0);
    const bool known =
        found.unit == kPythonKib || found.unit == kPythonMib || found.unit == kPythonGib;
    return known ? std::optional{found} : std::nullopt;
  }

  // The names that the script uses as units, each once, the largest first.
  void find_units() {
    std::map<Integer, std::string_view, std::greater<>> units;
    for (ExprId id = 0; id < tree_.exprs.size(); ++id) {
      if (const auto found = product(id)) {
        units.emplace(found->unit, tree_.names[expr(found->name).name]);
      }
    }
    for (const auto& [value, name] : units) {
      units_.push_back({name, value});
    }
  }

  // The largest unit of at most that size of which the value is a multiple.
  [[nodiscard]] std::optional<Unit> unit_for(Integer most) const {
    const auto found = std::ranges::find_if(
        units_, [&](const Unit& unit) { return unit.value <= most && wanted_ % unit.value == 0; });
    return found == units_.end() ? std::nullopt : std::optional{*found};
  }

  [[nodiscard]] bool is_sum(ExprId id) const {
    return expr(id).kind == ExprKind::kBinary &&
           (expr(id).op == Op::kAdd || expr(id).op == Op::kSubtract);
  }

  // In the order of the text. A sum hangs to the left: only what stands in brackets is a level.
  void collect(ExprId id, bool negative, std::vector<Term>& terms) const {
    std::vector<Term> behind;
    while (is_sum(id)) {
      behind.push_back({expr(id).operands[1], negative != (expr(id).op == Op::kSubtract)});
      id = expr(id).operands[0];
    }
    terms.push_back({id, negative});
    for (auto term = behind.rbegin(); term != behind.rend(); ++term) {
      collect(term->expr, term->negative, terms);
    }
  }

  [[nodiscard]] std::vector<ScriptEdit> single(ExprId id) const {
    if (expr(id).kind == ExprKind::kInteger) {
      return {{expr(id).span, number_like(text(id), wanted_)}};
    }
    const auto found = product(id);
    if (!found) {
      return {};
    }
    if (wanted_ % found->unit == 0) {
      return {{expr(found->number).span, number_like(text(found->number), wanted_ / found->unit)}};
    }
    const auto unit = unit_for(found->unit);
    if (!unit) {
      return {{expr(id).span, hexadecimal(wanted_)}};
    }
    std::vector<ScriptEdit> edits = {
        {expr(found->number).span, number_like(text(found->number), wanted_ / unit->value)},
        {expr(found->name).span, std::string{unit->name}}};
    std::ranges::sort(edits, [](const ScriptEdit& a, const ScriptEdit& b) {
      return a.span.begin < b.span.begin;
    });
    return edits;
  }

  // Changes one term, so that the sum comes out right.
  [[nodiscard]] std::vector<ScriptEdit> sum(const std::vector<Term>& terms) const {
    const auto* current = std::get_if<Integer>(&variable_.value());
    const Integer more = current == nullptr ? 0 : wanted_ - *current;
    for (std::size_t i = 0; i < terms.size() && current != nullptr; ++i) {
      const ExprId id = terms[i].expr;
      auto found = product(id);
      if (!found && i == 0 && expr(id).kind == ExprKind::kInteger) {
        found = Product{id, kNothing, 1};
      }
      if (!found) {
        continue;
      }
      const Integer factor = expr(found->number).number;
      const Integer value = factor * found->unit + (terms[i].negative ? -more : more);
      if (value > 0 && value % found->unit == 0) {
        return {{expr(found->number).span, number_like(text(found->number), value / found->unit)}};
      }
    }
    return {};
  }

  [[nodiscard]] std::string plain() const {
    const auto unit = unit_for(kPythonMib);
    const auto large = unit ? unit : unit_for(kPythonGib);
    if (wanted_ == 0) {
      return "0";
    }
    if (!large || (!has_unit() && is_address())) {
      return hexadecimal(wanted_);
    }
    return fmt::format("{}*{}", wanted_ / large->value, large->name);
  }

  [[nodiscard]] bool has_unit() const {
    const Span span = statement_.value_span;
    for (ExprId id = 0; id < tree_.exprs.size(); ++id) {
      if (expr(id).span.begin >= span.begin && expr(id).span.end <= span.end && product(id)) {
        return true;
      }
    }
    return false;
  }

  // Whether a hexadecimal number is among what it is computed from.
  [[nodiscard]] bool is_address() const {
    std::set<std::string_view> seen = {variable_.name};
    std::vector<const ScriptVariable*> open = {&variable_};
    while (!open.empty()) {
      const ScriptExpression& from = open.back()->assignments.back().expression;
      open.pop_back();
      if (from.text.find("0x") != std::string::npos || from.text.find("0X") != std::string::npos) {
        return true;
      }
      for (const std::string& use : from.uses) {
        const ScriptVariable* used = known_.variable(use);
        if (used != nullptr && seen.insert(used->name).second) {
          open.push_back(used);
        }
      }
    }
    return false;
  }

  const KnownScript& known_;
  const Tree& tree_;
  const ScriptVariable& variable_;
  const Statement& statement_;
  Integer wanted_;
  std::vector<Unit> units_;
};

}  // namespace

std::vector<ScriptEdit> rewrite(const KnownScript& known,
                                const ScriptVariable& variable,
                                const Statement& statement,
                                Integer wanted) {
  return Rewriter{known, variable, statement, wanted}.run();
}

}  // namespace memsize::sdk
