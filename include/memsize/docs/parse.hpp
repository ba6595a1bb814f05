// From a text to a document: JSON, TOML and YAML become the same tree, so that who reads it need
// not know which of them it was written in.
#pragma once

#include "memsize/docs/value.hpp"

#include <string>
#include <string_view>

namespace memsize::docs {

/// An error with `code`, line and column for what is no JSON, has a key twice in one object, is
/// not UTF-8, is nested more than a hundred deep, or is longer than 1 GiB. `text` must outlive the
/// document; `path` is what places say. Without a `hint`, an error has its own, if any.
[[nodiscard]] core::Result<Document> parse_json(std::string_view text,
                                                const std::string& path,
                                                core::Code code,
                                                const std::string& hint = {});

/// Errors are toml.syntax.
[[nodiscard]] core::Result<Document> parse_toml(std::string_view text, const std::string& path);

/// Parses one document of at most 4 MiB. What TOML has no word for:
/// - Plain scalars are read by YAML 1.2's core schema; an integer knows how it was written.
///   Digits behind a leading 0 are a string, because 1.1 reads them as octal.
/// - A key without a value, or whose value is null, is as if it were not there; null in a list is
///   an error. A document of nothing is an empty table.
/// - Keys are strings, whatever they look like, and each stands once in its table.
/// - An alias is a copy of what its anchor names; "<<" merges tables of which nothing is written
///   yet. Both count towards the 500 000 values that a document may have.
/// - Tables and lists are nested at most 64 deep.
/// Errors are plan.syntax.
[[nodiscard]] core::Result<Document> parse_yaml(std::string_view text, const std::string& path);

}  // namespace memsize::docs
