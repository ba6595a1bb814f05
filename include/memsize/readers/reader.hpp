// Log and report formats. One file a format under src/readers, one row each in registry.cpp.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/model/recording.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memsize::readers {

struct Reader {
  /// For `--format` and `memsize list readers`.
  std::string_view name;
  std::string_view description;
  /// Whether the text holds something of this format. Content decides, never a file's name.
  bool (*probe)(std::string_view text);
  /// Lines that are not understood are counted; a line that is a record but malformed is an error.
  core::Result<model::Recording> (*read)(std::string_view text, const std::string& path);
};

[[nodiscard]] const std::vector<Reader>& all_readers();

/// Reads `text` with the reader called `format`, or with the first whose probe accepts it. A
/// byte order mark is skipped; text that holds no record at all is an error.
[[nodiscard]] core::Result<model::Recording> read_text(std::string_view text,
                                                       const std::string& path,
                                                       const std::string& format = {});

}  // namespace memsize::readers
