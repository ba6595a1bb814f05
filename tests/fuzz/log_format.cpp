// Any bytes as a format with its log behind it: errors with a place, or a reader that reads the log
// to its end, and nothing that was not printed.
#include "memsize/board/trace_format.hpp"
#include "memsize/core/file_system.hpp"
#include "memsize/readers/pattern_reader.hpp"

#include "check.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

using memsize::fuzz::require;

MEMSIZE_FUZZ_TARGET(log_format) {
  const std::string_view all{reinterpret_cast<const char*>(data), size};
  const std::size_t cut = all.find("\n=====\n");
  const std::string_view text = cut == std::string_view::npos ? "" : all.substr(cut + 7);
  memsize::core::MemFileSystem files;
  files.content["boards/formats/f.toml"] = std::string{all.substr(0, cut)};
  const auto format = memsize::board::load_trace_format(files, "boards", "f");
  if (!format) {
    require(memsize::core::has_errors(format.error()), "a failure has errors");
    return 0;
  }
  if (!format->log) {
    return 0;
  }
  const auto reader = memsize::readers::PatternReader::make(*format->log);
  if (!reader) {
    require(memsize::core::has_errors(reader.error()), "a failure has errors");
    return 0;
  }
  memsize::readers::PatternAccount account;
  const auto reading = (*reader)->open("log", {}, &account);
  reading->take(text);
  const auto recording = reading->finish();
  if (!recording) {
    require(memsize::core::has_errors(recording.error()), "a failure has errors");
    return 0;
  }
  std::size_t rows = 0;
  for (const auto& core : recording->cores) {
    for (const auto& instance : core.instances) {
      rows += instance.blocks.size();
      for (std::size_t i = 1; i < instance.blocks.size(); ++i) {
        require(instance.blocks[i - 1].record < instance.blocks[i].record,
                "each record stands once, in order");
      }
    }
  }
  require(rows == account.rows, "each row is counted once");
  require(rows <= account.lines, "a line is one row at most");
  return 0;
}
