// What a console log's lines mean, as data: boards/formats, table [log]. Values only; patterns are
// those of RE2 (https://github.com/google/re2/wiki/Syntax), compiled by the readers.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/model/block.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace memsize::model {

/// A kind of memory: what a demand is of.
struct MemoryClass {
  std::string space;
  Cacheability cacheability{};
  Lifetime lifetime{};

  friend bool operator==(const MemoryClass&, const MemoryClass&) = default;
};

struct LogPattern {
  std::string text;
  /// Where somebody wrote it.
  core::Place place;
};

/// One allocation. Groups: `size`, and where they are printed `name`, `core`, `unit`, `kind`,
/// `address` (hexadecimal) and `align`.
struct LogRow {
  LogPattern pattern;
  /// Without a `name`: which record it is.
  std::optional<std::uint32_t> record;
  std::optional<MemoryClass> memory;
  /// Bytes of one, where no `unit` is printed.
  core::Bytes unit{1};
  /// What a printed `kind` means.
  std::map<std::string, MemoryClass> kinds;
};

/// What the log says that rows add up to. Groups: `size`, `core`, `unit`.
struct LogTotal {
  LogPattern pattern;
  std::string space;
  Cacheability cacheability{};
  /// Empty: of both.
  std::optional<Lifetime> lifetime;
  core::Bytes unit{1};
};

/// A record by the name that rows print.
struct LogRecord {
  std::uint32_t record = 0;
  std::optional<MemoryClass> memory;
};

struct LogFormat {
  /// Of the format: Input::trace_format.
  std::string name;
  std::string title;
  /// The core of lines that name none; empty: nobody knows.
  std::string core;
  /// A line where a model begins; without one, it begins with the first row, and the next with a
  /// record that it has.
  std::optional<LogPattern> begins;
  /// A line behind its last row.
  std::optional<LogPattern> ends;
  std::vector<LogRow> rows;
  std::vector<LogTotal> totals;
  /// So many records, from 0, are in each table; 0: any number is complete.
  std::uint32_t complete = 0;
  /// Lines that look like rows and are none.
  std::vector<LogPattern> ignored;
  /// Lines that say that there was no room. Groups: `core`.
  std::vector<LogPattern> failures;
  std::map<std::string, LogRecord> names;
  /// Bytes of what `unit` prints: "KB".
  std::map<std::string, core::Bytes> units;
};

}  // namespace memsize::model
