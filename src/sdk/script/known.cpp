// Evaluates a script again and again with the failing statement blanked out, until it runs or has
// failed too often. Blanks keep their length, so that places stay those of the file.
#include "known.hpp"

#include "memsize/core/find.hpp"

#include "eval.hpp"
#include "parser.hpp"

#include <utility>

namespace memsize::sdk {

namespace {

// A script with more than that is broken in another way than a name that somebody forgot.
constexpr std::size_t kMostPassedOver = 16;

// A statement that does nothing, of the same length and on the same lines: places stay.
void blank(std::string& text, Span span) {
  for (std::size_t i = span.begin; i < span.end; ++i) {
    if (text[i] != '\n' && text[i] != '\r') {
      text[i] = i == span.begin ? '0' : ' ';
    }
  }
}

bool is_assignment(const Statement& statement) {
  return statement.kind == StatementKind::kAssign || statement.kind == StatementKind::kAugment;
}

}  // namespace

core::Diagnostics KnownScript::read(const Script* evaluated) {
  if (core::Diagnostics problems = check_bytes(source_); !problems.empty()) {
    return problems;
  }
  auto tree = parse_script(source_);
  if (!tree) {
    return tree.error();
  }
  tree_ = std::move(*tree);
  core::Diagnostics problems;
  if (evaluated != nullptr) {
    script_ = *evaluated;
  } else {
    problems = evaluate();
  }
  index();
  return problems;
}

core::Diagnostics KnownScript::evaluate() {
  std::string runs = text_;
  while (true) {
    auto script = passed_over_.empty() ? Evaluator{source_, tree_, {}}.run(path_)
                                       : evaluate_script(path_, runs);
    if (script) {
      script_ = std::move(*script);
      return {};
    }
    const auto statement = statement_of(script.error().front().place);
    if (!statement || passed_over_.size() == kMostPassedOver) {
      return passed_over_.empty() ? script.error() : core::Diagnostics{passed_over_.front().why};
    }
    passed_over_.push_back({*statement, script.error().front()});
    blank(runs, tree_.statements[tree_.body[*statement]].span);
  }
}

// Of several statements on the line, the last one that begins before the place; one that was passed
// over cannot fail again.
std::optional<std::size_t> KnownScript::statement_of(const core::Place& place) const {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < tree_.body.size(); ++i) {
    const Span span = tree_.statements[tree_.body[i]].span;
    const ScriptPiece piece = source_.piece(span);
    const std::size_t last = source_.line(span.end > span.begin ? span.end - 1 : span.begin);
    const bool here =
        piece.line <= place.line && place.line <= last &&
        (piece.line < place.line || piece.column <= place.column || !found.has_value());
    const bool gone = core::contains(passed_over_, i, &PassedOver::statement);
    if (here && !gone) {
      found = i;
    }
  }
  return found;
}

const Statement* KnownScript::assignment_at(std::size_t offset) const {
  return core::find_where(tree_.statements, [&](const Statement& each) {
    return is_assignment(each) && each.value_span.begin == offset;
  });
}

void KnownScript::index() {
  for (const ScriptVariable& variable : script_.variables) {
    variables_.emplace(variable.name, &variable);
  }
  for (const StatementId id : tree_.body) {
    if (is_assignment(tree_.statements[id])) {
      top_level_.insert(tree_.statements[id].value_span.begin);
    }
  }
}

const ScriptVariable* KnownScript::variable(std::string_view name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? nullptr : found->second;
}

}  // namespace memsize::sdk
