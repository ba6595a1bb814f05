// The memory map that an SDK's generator script describes, read without running Python.
//
// Such a script (gen_linker_mem_map*.py) is a list of constants, of sections made from them, of
// maps that collect sections, and of exports that write a map to a file. The subset of Python that
// these need is evaluated exactly as Python 3 does; anything else is an error that shows the place.
// The classes (MemSection, MemoryMap and the exporters) are the SDK's ti_psdk_rtos_tools, whose
// rules are restated here: they are the same in every SDK generation that was compared.
//
// Every value keeps the bytes it comes from, because constants are edited in place.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace memsize::sdk {

/// Python's integers as far as scripts need them: magnitudes below 2^100, else an error.
__extension__ using Integer = __int128;

/// A piece of the file. Line and column count from 1, the column in bytes (a byte order mark is not
/// counted). `offset` and `length` are bytes of the file as it is on disk, with its byte order mark
/// and its line ends. A length of 0: not written in the file.
struct ScriptPiece {
  std::size_t line = 0;
  std::size_t column = 0;
  std::size_t offset = 0;
  std::size_t length = 0;
};

/// An expression as it is written, without what stands around it (';', ',' and comments).
struct ScriptExpression {
  ScriptPiece place;
  std::string text;
  /// The script's variables that were read to compute it, each once, in the order of the first
  /// read; those that a called function reads, too.
  std::vector<std::string> uses;
};

using ScriptValue = std::variant<Integer, bool, std::string>;

/// `name = expression`, or `name += expression` and its like.
struct ScriptAssignment {
  /// What the variable is from here on.
  ScriptValue value;
  ScriptPiece name_place;
  ScriptExpression expression;
  /// Then the expression is only what is added, and the variable itself is not among its uses.
  bool augmented = false;
};

/// A variable outside functions whose last value is a number, a truth value or a text.
struct ScriptVariable {
  std::string name;
  /// In order, at least one; the last one counts where the script is left.
  std::vector<ScriptAssignment> assignments;

  [[nodiscard]] const ScriptValue& value() const { return assignments.back().value; }

  [[nodiscard]] bool assigned_again() const { return assignments.size() > 1; }
};

/// A MemSection. Flags are what the setters say, else the library's defaults.
struct ScriptSection {
  /// The first variable it was assigned to; empty without one.
  std::string variable;
  std::string name;
  /// Letters of a linker's MEMORY line, such as "RWIX".
  std::string attributes;
  /// The name where the script gives none.
  std::string comment;
  /// Bytes; concat() included.
  std::uint64_t origin = 0;
  std::uint64_t length = 0;
  /// setDtsName(); both are the name without it.
  std::string dts_label;
  std::string dts_node;
  std::string compatibility = "shared-dma-pool";
  bool print_compatibility = true;
  bool no_map = true;
  bool origin_tag = true;
  bool split_origin = false;
  /// Whether the device tree node gets an alignment; the library always writes 0x1000.
  bool alignment = false;
  /// What concat() joined to it, in order: the variables of those sections, or their names.
  std::vector<std::string> concat;
  /// The call that made it, and three of its arguments.
  ScriptPiece place;
  ScriptPiece name_place;
  ScriptExpression origin_argument;
  ScriptExpression length_argument;
};

/// Sections are shared by maps; one that changes after an export is another object from then on.
using ScriptSectionPointer = std::shared_ptr<const ScriptSection>;

struct ScriptMapEntry {
  ScriptSectionPointer section;
  /// The call of addMemSection() that put it there.
  ScriptPiece place;
};

/// A MemoryMap when the script is left. A section with a name that is there already takes the
/// place of the earlier one.
struct ScriptMap {
  std::string variable;
  std::string title;
  std::vector<ScriptMapEntry> entries;
  /// checkOverlap() was called.
  bool overlap_checked = false;
  ScriptPiece place;
};

/// One file that the script writes.
struct ScriptExport {
  /// The exporter's class: LinkerCmdFile, HtmlMmapTable, CHeaderFile, DtsFile, or one that the
  /// script imports from a gen_*.py beside it.
  std::string kind;
  std::string map_variable;
  std::string map_title;
  /// The map as it was at the export.
  std::vector<ScriptMapEntry> entries;
  /// Relative to the script's folder, as written; the class' default; empty for a class from
  /// beside.
  std::string path;
  ScriptPiece path_place;
  /// CHeaderFile: the bases of the 64-bit DDR window.
  std::optional<std::uint64_t> physical_base;
  std::optional<std::uint64_t> virtual_base;
  /// Whether it happens depends on the environment: a variable, a folder, an earlier way out.
  bool conditional = false;
  /// The call of export().
  ScriptPiece place;
};

struct Script {
  std::string path;
  /// In the order of their first assignment.
  std::vector<ScriptVariable> variables;
  /// As they are when the script is left, in the order of their creation.
  std::vector<ScriptSectionPointer> sections;
  std::vector<ScriptMap> maps;
  std::vector<ScriptExport> exports;
  /// The overlaps that checkOverlap() prints, in its order, at the places of both sections. It
  /// skips every second section that begins at or above 4 GiB.
  core::Diagnostics warnings;
};

/// What the SDK's library knows about a part by name.
struct ScriptRules {
  /// Pairs of sections that checkOverlap() never compares.
  std::vector<std::pair<std::string, std::string>> separate;
};

/// Evaluates the script. `path` is only shown. One error, with its place:
///  - sdk.script: not the understood subset, or what Python itself would refuse (syntax,
///  indentation,
///    types, a failed assertion), or a limit of src/sdk/script_limits.hpp;
///  - sdk.name: a name that is not defined where it is used.
/// A condition on the environment (os.environ, os.path, sys.argv, __file__) is not decided: both of
/// its branches run, their exports are conditional, and anything else that would be left different
/// is an error.
[[nodiscard]] core::Result<Script> evaluate_script(const std::string& path,
                                                   std::string_view text,
                                                   const ScriptRules& rules = {});

/// Null where there is none.
[[nodiscard]] const ScriptVariable* find_variable(const Script& script, std::string_view name);

/// Its last value; null where there is none, or it is no number.
[[nodiscard]] const Integer* number_of(const Script& script, std::string_view name);

}  // namespace memsize::sdk
