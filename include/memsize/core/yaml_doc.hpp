// YAML with places, as the tree that TOML becomes: who reads a document need not know which of the
// two it was written in. JSON is YAML.
#pragma once

#include "memsize/core/toml_doc.hpp"

#include <string>
#include <string_view>

namespace memsize::core {

/// Parses one document of at most 4 MiB; `path` is what places say. What TOML has no word for:
/// - Plain scalars are read by YAML 1.2's core schema; an integer keeps its text in `string`, too.
///   Digits behind a leading 0 are a string, because 1.1 reads them as octal.
/// - A key without a value, or whose value is null, is as if it were not there; null in a list is
///   an error. A document of nothing is an empty table.
/// - Keys are strings, whatever they look like, and each stands once in its table.
/// - An alias is a copy of what its anchor names; "<<" merges tables of which nothing is written
///   yet. Both count towards the 500 000 values that a document may have.
/// - Tables and lists are nested at most 64 deep.
/// Errors are plan.syntax.
[[nodiscard]] Result<TomlValue> parse_yaml(std::string_view text, const std::string& path);

}  // namespace memsize::core
