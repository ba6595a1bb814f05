// The statements of a sysconfig script about the instances of some modules. sysconfig runs such a
// script as JavaScript, which has many ways to say one thing; here the one in which sysconfig
// writes them is read, and what may touch an instance in any other way is an error.
#pragma once

#include "memsize/core/cursor.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/written.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::emit {

/// MODULEn = MODULE.addInstance(), or MODULEn.PROPERTY = VALUE.
struct SyscfgStatement {
  std::string module;
  unsigned instance = 0;
  /// Empty: the creation.
  std::string property;
  /// Of the word that names the instance.
  core::Place place;
};

/// Reads the script statement by statement. Errors go to those of the constructor; what is behind
/// one is still read.
class SyscfgScript {
 public:
  /// Called for each statement in its order; where a property is set, with the cursor at the value,
  /// of which it takes one word.
  using Found = std::function<void(const SyscfgStatement&, core::Cursor&)>;

  /// The file must outlive it.
  SyscfgScript(const MapFile& file,
               const std::string& root,
               std::vector<std::string> modules,
               core::Diagnostics& errors);

  void read(const Found& found);

  void expect_modules(Whole whole) { is_script_ = is_script_ || whole == Whole::kYes; }

 private:
  /// A word that names an instance or a module (instance 0), and what stands behind the dot.
  struct Name {
    std::string module;
    unsigned instance = 0;
    std::string property;
  };

  [[nodiscard]] std::optional<Name> name_of(std::string_view word) const;
  [[nodiscard]] std::optional<std::string> touched_by(std::string_view word) const;
  [[nodiscard]] bool is_module_path(std::string_view text) const;

  void check_bytes(const MapFile& file);
  void read_statement(const Found& found);
  bool read_module(const std::optional<Name>& name);
  void read_creation(const Name& name, const core::Place& place, const Found& found);
  void read_setting(const Name& name, const core::Place& place, const Found& found);
  [[nodiscard]] bool is_bare_word() const;
  void pass_over();
  void check_word(bool is_of_function);
  void check_whole();
  bool ends();
  void end(const core::Place& first);
  void refuse(std::string message, const core::Place& place, std::string hint = {});

  core::Cursor cursor_;
  std::vector<std::string> modules_;
  core::Diagnostics& errors_;
  std::set<std::string> added_;
  /// Whether any module is added: else it is a part of a script.
  bool is_script_ = false;
  /// Of modules that were not added above, the first word about one of their instances.
  std::map<std::string, core::Place> early_;
  /// As they are called.
  std::set<std::string> created_;
  /// Statements that are not understood are told once each.
  bool is_refused_ = false;
};

/// The next word, which must be a number as JavaScript has it: decimal or hexadecimal.
[[nodiscard]] std::uint64_t script_number(core::Cursor& cursor);

/// The next word without its quotes; it must be a string in which nothing is escaped.
[[nodiscard]] std::string script_string(core::Cursor& cursor);

}  // namespace memsize::emit
