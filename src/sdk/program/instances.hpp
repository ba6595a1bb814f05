// The instances of one sysconfig module in a script: where they are created, what is set in them,
// and how to change that in place. What a value means is the callers' business.
#pragma once

#include "memsize/core/cursor.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/text_edits.hpp"
#include "memsize/emit/written.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::sdk {

/// One statement about an instance: a property that is set, or its creation.
struct Setting {
  unsigned instance = 0;
  /// Empty: the creation.
  std::string property;
  /// Of the first word.
  core::Place place;
  /// The words of the value, joined by blanks, and where it stands if it is one word.
  std::string value;
  std::optional<core::Place> value_place;
  std::size_t last_line = 0;
};

/// A script, read for one module. The file must outlive it.
class InstanceScript {
 public:
  InstanceScript(const emit::MapFile& file, const std::string& root, std::string module);

  /// Of the instances, in the order of their creation.
  [[nodiscard]] const std::vector<unsigned>& numbers() const { return numbers_; }

  [[nodiscard]] const std::vector<Setting>& settings() const { return settings_; }

  [[nodiscard]] const Setting* find(unsigned instance, std::string_view property) const;

  /// As they stand there, of all instances.
  [[nodiscard]] std::vector<std::string> values(std::string_view property) const;

  /// Everything that says nothing of an instance, word by word.
  [[nodiscard]] const std::vector<std::string>& others() const { return others_; }

  [[nodiscard]] const std::string& path() const { return path_; }

  [[nodiscard]] const std::string& module() const { return module_; }

  [[nodiscard]] const std::string& text() const { return *text_; }

  /// Where the statement ends that adds the module.
  [[nodiscard]] std::optional<std::size_t> module_line() const { return module_line_; }

  /// Where the last statement ends that adds a module or an instance of one.
  [[nodiscard]] std::size_t import_line() const { return import_line_; }

  /// The words of instances outside of their creations: each with its number's digits.
  struct Mention {
    unsigned instance = 0;
    core::Place digits;
    /// Whether a setting begins with it.
    bool is_setting = false;
  };

  [[nodiscard]] const std::vector<Mention>& mentions() const { return mentions_; }

  /// Whether there is nothing but this setting on its lines, or others of the same instance that
  /// are creations or not, as this one.
  [[nodiscard]] bool is_alone(const Setting& setting) const;

  /// Whether nothing but comments and white space is on the line.
  [[nodiscard]] bool is_free(std::size_t line) const;

  /// The last one of the instance; its creation if nothing is set in it.
  [[nodiscard]] const Setting* last_of(unsigned instance) const;

 private:
  void read_setting(core::Cursor& cursor);
  void read_other(core::Cursor& cursor);
  void note_line(std::size_t line, long owner);
  [[nodiscard]] std::optional<unsigned> number_of(std::string_view word) const;
  void mention(unsigned instance, const core::Place& place, std::string_view word, bool is_setting);

  const std::string* text_;
  std::string path_;
  std::string module_;
  std::vector<unsigned> numbers_;
  std::vector<Setting> settings_;
  std::vector<Mention> mentions_;
  std::vector<std::string> others_;
  std::optional<std::size_t> module_line_;
  bool in_module_ = false;
  std::size_t import_line_ = 0;
  bool in_import_ = false;
  /// Whose the words of a line are; kShared if of more than one, or of other code.
  std::map<std::size_t, long> owners_;
};

/// What becomes of a script's instances.
struct InstancePlan {
  struct Wanted {
    /// The instance that it was; nothing for a new one.
    std::optional<unsigned> from;
    unsigned number = 0;
    /// Of a new one.
    std::string name;
  };

  /// In their order.
  std::vector<Wanted> wanted;

  [[nodiscard]] bool changes(const InstanceScript& script) const;
};

/// Sets properties in a script: replaces values, adds lines behind the instance's last one.
class PropertyEdits {
 public:
  explicit PropertyEdits(const InstanceScript& script);

  void number(unsigned instance, std::string_view property, std::uint64_t value, bool is_hex);
  void text(unsigned instance, std::string_view property, std::string_view value);
  void word(unsigned instance, std::string_view property, std::string_view value);

  void replace(const core::Place& place, std::string text);

  [[nodiscard]] const InstanceScript& script() const { return script_; }

  /// The changed text.
  [[nodiscard]] core::Result<std::string> apply() const;

 private:
  void set(unsigned instance, std::string_view property, std::string value);

  const InstanceScript& script_;
  core::TextEdits edits_;
  core::Diagnostics errors_;
};

/// Carries a plan out, then lets `fill` set properties in the script that has the planned instances
/// (new ones have a $name only), then holds the result against the file: besides the instances and
/// the properties named `edited` it says the same. Errors have their text.
[[nodiscard]] core::Result<std::string> edit_instances(
    const emit::MapFile& file,
    const std::string& root,
    const std::string& module,
    const InstancePlan& plan,
    const std::vector<std::string_view>& edited,
    const std::function<void(const emit::MapFile&, PropertyEdits&)>& fill);

}  // namespace memsize::sdk
