// What can be known of a script, also of one that does not run to its end.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include "script.hpp"
#include "source.hpp"
#include "tree.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace memsize::sdk {

/// A top-level statement that cannot be run.
struct PassedOver {
  /// Its index in the tree's body.
  std::size_t statement = 0;
  core::Diagnostic why;
};

/// A script's text, its tree and its values. Refers to itself, so it stays where it is.
class KnownScript {
 public:
  KnownScript(const std::string& path, std::string text)
      : path_(path), text_(std::move(text)), source_(path, text_) {}

  KnownScript(const KnownScript&) = delete;
  KnownScript& operator=(const KnownScript&) = delete;

  /// Parses and evaluates it. What cannot be run is passed over, as if it were not there; an error
  /// where that is too much, or where the text is not understood at all. With `evaluated`, its
  /// values are known already.
  [[nodiscard]] core::Diagnostics read(const Script* evaluated);

  [[nodiscard]] const std::string& text() const { return text_; }

  [[nodiscard]] const ScriptSource& source() const { return source_; }

  [[nodiscard]] const Tree& tree() const { return tree_; }

  [[nodiscard]] const Script& script() const { return script_; }

  [[nodiscard]] const std::vector<PassedOver>& passed_over() const { return passed_over_; }

  /// Null where there is none.
  [[nodiscard]] const ScriptVariable* variable(std::string_view name) const;

  /// The statement whose value begins there; null where none does.
  [[nodiscard]] const Statement* assignment_at(std::size_t offset) const;

  /// Whether that statement is in no branch and no function.
  [[nodiscard]] bool is_top_level(std::size_t offset) const { return top_level_.contains(offset); }

 private:
  [[nodiscard]] core::Diagnostics evaluate();
  void index();
  [[nodiscard]] std::optional<std::size_t> statement_of(const core::Place& place) const;

  std::string path_;
  std::string text_;
  ScriptSource source_;
  Tree tree_;
  Script script_;
  std::vector<PassedOver> passed_over_;
  std::unordered_map<std::string_view, const ScriptVariable*> variables_;
  std::unordered_set<std::size_t> top_level_;
};

}  // namespace memsize::sdk
