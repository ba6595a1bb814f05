// Log and report formats. One file a format under src/readers, one row each in registry.cpp.
#pragma once

#include "memsize/core/byte_stream.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/model/recording.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::readers {

/// Called when a model's table is complete as far as can be told; again where more of it comes.
using OnModel = std::function<void(
    const std::string& core, const model::Instance& instance, std::size_t first_line)>;

/// A text that is being read, block by block. Memory does not grow with the text, only with what
/// it says.
class Reading {
 public:
  Reading() = default;
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  virtual ~Reading() = default;

  virtual void take(std::string_view block) = 0;

  /// False where nothing that comes could change the answer: what never ends is left then.
  [[nodiscard]] virtual bool wants_more() const { return true; }

  /// Nothing more has come for a while: tables that wait for rows are told as they are.
  virtual void pause() = 0;
  /// Everything that was read. Text that says nothing of memory at all is an error.
  [[nodiscard]] virtual core::Result<model::Recording> finish() = 0;
};

class PatternReader;
using PatternReaders = std::vector<std::shared_ptr<const PatternReader>>;
/// Asked only where no other reader is sure: compiling patterns takes longer than a short log.
using PatternSource = std::function<PatternReaders()>;

struct Reader {
  /// For `--format` and `memsize list readers`.
  std::string_view name;
  std::string_view description;
  /// Whether a text that begins so is of this format. Content decides, never a file's name.
  bool (*probe)(std::string_view head);
  std::unique_ptr<Reading> (*open)(const std::string& path, OnModel on_model);
};

[[nodiscard]] const std::vector<Reader>& all_readers();

/// Begins to read with the reader called `format`, or with the first whose probe accepts the text.
/// Formats that are data, `patterns`, come before the reader that takes any text; where one is
/// named, documents are still read as such. A byte order mark is skipped; an unknown format fails
/// at once, empty and UTF-16 text at the end.
[[nodiscard]] core::Result<std::unique_ptr<Reading>> begin_reading(
    const std::string& path,
    const std::string& format,
    OnModel on_model = {},
    const PatternSource& patterns = {});

/// The whole stream.
[[nodiscard]] core::Result<model::Recording> read_stream(core::ByteStream& stream,
                                                         const std::string& path,
                                                         const std::string& format = {},
                                                         const PatternSource& patterns = {});
/// The whole text.
///
/// Example:
///     const auto text = session.files.read("samples/j722s-mobilenet/trace.log");
///     MEMSIZE_TRY(text);
///     const auto recording = readers::read_text(*text, "trace.log");
///     MEMSIZE_TRY(recording);
///     assert(recording->cores.front().core == "c7x_2");
///     assert(recording->cores.front().instances.front().blocks.size() == 16);
[[nodiscard]] core::Result<model::Recording> read_text(std::string_view text,
                                                       const std::string& path,
                                                       const std::string& format = {});

}  // namespace memsize::readers
