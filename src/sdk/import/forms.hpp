// What each address and size of a generator script is made of, in the script's own variables.
#pragma once

#include "script/linear.hpp"
#include "script/script.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memsize::sdk {

/// A variable that forms are written in.
struct Symbol {
  std::string name;
  Integer value = 0;
  /// What the script computes it from, in symbols before it. A plain number has no terms.
  Linear definition;
  /// Byte offset of the assignment, for the script's own order.
  std::size_t offset = 0;
};

struct SectionForms {
  Linear origin;
  Linear length;
};

/// An expression that is no sum: a board has its value, and does not follow the script.
struct Unclear {
  ScriptExpression expression;
  Integer value = 0;
  /// The symbols behind it.
  Linear made_of;
};

class ScriptForms {
 public:
  /// `wanted`: variables that are to be symbols beside those that the script gives a number, and
  /// those that are the length of a section. `pinned`: those that are numbers to the board,
  /// whatever the script computes them from.
  ScriptForms(const Script& script,
              const std::set<std::string>& wanted,
              const std::set<std::string>& pinned = {});

  /// By name. Units such as KB are none.
  [[nodiscard]] const std::map<std::string, Symbol>& symbols() const { return symbols_; }

  [[nodiscard]] const Symbol* find(const std::string& name) const;

  /// Of a section that the script makes; plain numbers where they cannot be told from the text.
  [[nodiscard]] SectionForms of(const ScriptSection& section) const;

  /// The form in the symbols of `keep` alone: each other one is replaced by what it is made of.
  [[nodiscard]] Linear reduced(const Linear& form, const std::set<std::string>& keep) const;

  [[nodiscard]] const std::vector<Unclear>& unclear() const { return unclear_; }

 private:
  void assign(const ScriptVariable& variable, std::size_t index);
  [[nodiscard]] Linear form_of(const ScriptVariable& variable, std::size_t index);
  [[nodiscard]] Linear form_of(const ScriptExpression& expression, Integer value);
  void note_unclear(const ScriptExpression& expression, Integer value);
  [[nodiscard]] std::optional<Linear> rounded(std::string_view text, Integer value) const;

  std::set<std::string> wanted_;
  std::set<std::string> pinned_;
  std::map<std::string, Symbol> symbols_;
  Numbers values_;
  /// Of all variables, as the script has got to.
  Forms forms_;
  std::vector<Unclear> unclear_;
  /// By the place of the call that makes the section.
  std::map<std::size_t, SectionForms> sections_;
};

}  // namespace memsize::sdk
