// A C source of an SDK as the preprocessor leaves it, as far as that can be known: every character
// that is kept stands where it stood, so that places are those of the file.
#pragma once

#include "memsize/core/c_expression.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/written.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace memsize::sdk {

/// What a build says with -D, as far as it is known. A condition with a name that is in neither set
/// and of no family is open: both its branches are kept, each with its condition.
struct BuildFlags {
  std::set<std::string> defined;
  std::set<std::string> undefined;
  /// Beginnings of names of which `defined` has every one, such as those of the cores.
  std::vector<std::string> families;
};

/// The open conditions around a line, outermost first, as they are written: "defined(A)",
/// "!(defined(A))" for its #else.
using Conditions = std::vector<std::string>;

/// "A && B"; empty without any.
[[nodiscard]] std::string joined(const Conditions& conditions);

/// Whether `outer` holds wherever `inner` does, because its conditions are the first of those.
[[nodiscard]] bool covers(const Conditions& outer, const Conditions& inner);

/// A macro without parameters.
struct Define {
  std::string name;
  /// What it stands for: one blank where there was any white space, no comments.
  std::string body;
  /// Of the name.
  core::Place place;
  Conditions conditions;
};

/// Code verify.parse is for comments, literals and conditions that are not closed, and for an
/// #else or #endif without an #if. `__cplusplus` is not defined, and an include guard holds.
class CSource {
 public:
  CSource(const emit::MapFile& file,
          const std::string& root,
          const BuildFlags& flags,
          core::Diagnostics& errors);

  [[nodiscard]] const std::string& path() const { return path_; }

  /// As long as the file: comments, directives and branches that are not compiled are blanks.
  [[nodiscard]] const std::string& text() const { return text_; }

  [[nodiscard]] const Conditions& conditions(std::size_t line) const;

  [[nodiscard]] const std::vector<Define>& defines() const { return defines_; }

  /// Reads text(), with C's words.
  [[nodiscard]] core::Cursor cursor(core::Diagnostics& errors) const;

 private:
  std::string path_;
  std::string text_;
  std::vector<Define> defines_;
  /// Each with the first line that it holds for.
  std::map<std::size_t, Conditions> conditions_;
};

/// Macros of headers and sources, by name. Two definitions that differ, be it under different
/// conditions, leave a name without a value.
class Macros {
 public:
  Macros() = default;
  explicit Macros(const emit::Constants& constants);

  void add(const CSource& source);

  /// Nothing unless all of the body is an expression of numbers and names that have a value.
  [[nodiscard]] std::optional<std::uint64_t> value(const std::string& name) const;

  [[nodiscard]] bool contains(const std::string& name) const { return bodies_.contains(name); }

  /// The last of the names that stand for nothing but the next one; a name itself, where it does
  /// not.
  [[nodiscard]] std::string last_name(std::string name) const;

  /// The number that a body is by itself, without any name.
  [[nodiscard]] static std::optional<std::uint64_t> number_in(const std::string& body);

  /// The flags, with the names of these macros among those that are defined.
  [[nodiscard]] BuildFlags with_names(BuildFlags flags) const;

  /// As core::c_expression() needs them; they must outlive the rules.
  [[nodiscard]] core::CExpressionRules rules() const;

 private:
  static constexpr unsigned kDeepest = 32;

  struct Body {
    std::string text;
    bool is_ambiguous = false;
  };

  [[nodiscard]] std::optional<std::uint64_t> evaluated(const std::string& name) const;

  std::map<std::string, Body> bodies_;
  mutable std::map<std::string, std::optional<std::uint64_t>> values_;
  mutable unsigned depth_ = 0;
};

}  // namespace memsize::sdk
