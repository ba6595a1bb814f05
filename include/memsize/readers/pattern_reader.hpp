// Logs whose lines are described as data (model::LogFormat), read in linear time whatever the
// pattern and the line: RE2 has no backtracking.
#pragma once

#include "memsize/model/log_format.hpp"
#include "memsize/readers/reader.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::readers {

/// What one pattern matched of a log.
struct PatternUse {
  /// "row", "total", "begins", "ends", "ignore", "failure".
  std::string_view what;
  model::LogPattern pattern;
  /// Text that every match has; lines without it are not looked at. Empty: it is looked for only
  /// between `begins` and `ends`.
  std::string literal;
  std::size_t lines = 0;
  /// 0: nowhere.
  std::size_t first_line = 0;
};

/// A line that looks like a row and is none.
struct SimilarLine {
  std::size_t line = 0;
  std::string text;
};

struct PatternAccount {
  std::vector<PatternUse> patterns;
  std::vector<SimilarLine> similar;
  std::size_t lines = 0;
  std::size_t models = 0;
  std::size_t rows = 0;
};

/// A format, compiled. Several threads may read with one.
class PatternReader {
 public:
  /// Errors are format.pattern, at the pattern: what RE2 does not take, a group that is missing or
  /// unknown, one that is too large, or one without a text that every match has.
  [[nodiscard]] static core::Result<std::shared_ptr<const PatternReader>> make(
      model::LogFormat format);

  PatternReader(const PatternReader&) = delete;
  PatternReader& operator=(const PatternReader&) = delete;
  ~PatternReader();

  [[nodiscard]] const model::LogFormat& format() const;

  /// Whether the beginning of a text has a row, a total or a failure.
  [[nodiscard]] bool probe(std::string_view head) const;

  /// `account` is filled while it is read; null: nobody asks.
  [[nodiscard]] std::unique_ptr<Reading> open(const std::string& path,
                                              OnModel on_model,
                                              PatternAccount* account = nullptr) const;

  struct Compiled;

 private:
  explicit PatternReader(std::unique_ptr<Compiled> compiled);

  std::unique_ptr<Compiled> compiled_;
};

}  // namespace memsize::readers
