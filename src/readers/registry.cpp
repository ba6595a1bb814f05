// The readers of logs, and how one is chosen: the text's beginning is kept until it tells of which
// format it is, then handed on with all that follows. A plan is told apart from a log.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/readers/pattern_reader.hpp"
#include "memsize/readers/plan_reader.hpp"
#include "memsize/readers/probe_reader.hpp"
#include "memsize/readers/reader.hpp"

#include "formats.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;

core::Place whole_file(const std::string& path) {
  return {path};
}

const std::string& pattern_name(const std::shared_ptr<const PatternReader>& pattern) {
  return pattern->format().name;
}

core::Diagnostic unknown_format(const std::string& format, const PatternReaders& patterns) {
  std::vector<std::string> names = core::texts_of(all_readers(), &Reader::name);
  std::ranges::transform(patterns, std::back_inserter(names), pattern_name);
  return core::error(Code::kReadUnknownFormat,
                     fmt::format("there is no reader '{}'", core::printable(format)),
                     {},
                     core::did_you_mean(format, names, "the readers are"));
}

std::string no_table_hint() {
  return "trace the model with debugTraceLevel = 2 (TIDL-RT), debug_level = 2 (edgeai-tidl-tools) "
         "or "
         "traceLogLevel = 2 (TIOVX), with vision_apps_init.sh running before the model is loaded";
}

bool is_utf16(std::string_view text) {
  return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
}

// A compiler says what it means to use; that is for other verbs.
core::Diagnostic is_plan(const std::string& path, const PlanReader& reader) {
  const std::string file = core::shell_path(path);
  return core::error(Code::kReadNoTable,
                     fmt::format("{} is a plan of memory ({}), not a log of what was used",
                                 shown_name(path),
                                 reader.name),
                     whole_file(path),
                     fmt::format("memsize check {} says whether the plan is right, memsize plan {} "
                                 "looks for a lower one",
                                 file,
                                 file))
      .about({{"file", path}});
}

// Keeps the beginning of a text until it tells of which format it is.
class Unknown : public Reading {
 public:
  // `pattern`: the one that was named.
  Unknown(std::string path,
          const Reader* reader,
          OnModel on_model,
          PatternSource patterns,
          std::shared_ptr<const PatternReader> pattern)
      : path_(std::move(path)),
        reader_(reader),
        on_model_(std::move(on_model)),
        patterns_(std::move(patterns)),
        pattern_(std::move(pattern)) {}

  void take(std::string_view block) override {
    if (reading_ != nullptr) {
      reading_->take(block);
      return;
    }
    head_.append(block);
    if (head_.size() >= kHead) {
      decide();
    }
  }

  [[nodiscard]] bool wants_more() const override {
    return reading_ == nullptr || reading_->wants_more();
  }

  void pause() override {
    if (reading_ == nullptr && !core::trim(head_).empty()) {
      decide();
    }
    if (reading_ != nullptr) {
      reading_->pause();
    }
  }

  core::Result<model::Recording> finish() override {
    if (reading_ == nullptr) {
      decide();
    }
    if (utf16_) {
      return core::fail(
          core::error(Code::kReadNoTable,
                      fmt::format("{} is UTF-16 text, not UTF-8 or ASCII", shown_name(path_)),
                      whole_file(path_),
                      "convert it: iconv -f UTF-16 -t UTF-8")
              .about({{"file", path_}}));
    }
    if (blank_) {
      return core::fail(core::error(Code::kReadEmpty,
                                    fmt::format("{} is empty", shown_name(path_)),
                                    whole_file(path_),
                                    no_table_hint())
                            .about({{"file", path_}}));
    }
    auto recording = reading_->finish();
    if (!recording && !named_) {
      if (const PlanReader* const plan = plan_reader_of(head_); plan) {
        return core::fail(is_plan(path_, *plan));
      }
    }
    return recording;
  }

 private:
  // More than a document's first key, or a terminal's greeting, stands before.
  static constexpr std::size_t kHead = 65536;

  void decide() {
    const std::string_view text = core::without_byte_order_mark(head_);
    utf16_ = is_utf16(head_);
    blank_ = head_.size() < kHead && core::trim(text).empty();
    if (!named_) {
      const auto& readers = all_readers();
      reader_ =
          &*std::ranges::find_if(readers, [&](const Reader& reader) { return reader.probe(text); });
      // The last one takes any text.
      if (reader_ != &readers.back()) {
        pattern_ = nullptr;
      } else if (pattern_ == nullptr && patterns_ && !is_surely_tidl_log(text)) {
        for (const auto& pattern : patterns_()) {
          if (pattern_ == nullptr && pattern->probe(text)) {
            pattern_ = pattern;
          }
        }
      }
    }
    reading_ = pattern_ != nullptr ? pattern_->open(path_, std::move(on_model_))
                                   : reader_->open(path_, std::move(on_model_));
    reading_->take(text);
  }

  std::string path_;
  const Reader* reader_;
  // Somebody asked for this reader.
  bool named_ = reader_ != nullptr;
  OnModel on_model_;
  PatternSource patterns_;
  // Who reads it, if it is one of them; it lives as long as the reading.
  std::shared_ptr<const PatternReader> pattern_;
  // What it began with.
  std::string head_;
  bool utf16_ = false;
  bool blank_ = false;
  std::unique_ptr<Reading> reading_;
};

}  // namespace

const std::vector<Reader>& all_readers() {
  static const std::vector<Reader> readers = {
      {"memsize-probe",
       "a memsize.probe/1 document, as memsize-probe writes it on a board: what remote cores print "
       "there, and files that were taken along",
       is_probe_document,
       open_probe_document},
      {"memsize-sizing",
       "a memsize.sizing/1 document, as analyze --json prints it",
       probe_sizing_document,
       open_sizing_document},
      {"tidl-log",
       "a console log with what TIDL prints: tables of memory records in every form (SDK 7 to 12), "
       "totals, failed allocations, heaps and their statistics, run times",
       probe_tidl_log,
       open_tidl_log},
  };
  return readers;
}

std::string shown_name(const std::string& path) {
  return path == "-" ? "standard input" : fmt::format("'{}'", core::printable(path));
}

core::Diagnostic no_table(const std::string& path, std::size_t lines) {
  return core::error(Code::kReadNoTable,
                     fmt::format("nothing in {} says how much memory is used ({} read)",
                                 shown_name(path),
                                 core::plural(lines, "line")),
                     whole_file(path),
                     no_table_hint())
      .about({{"file", path}});
}

core::Result<std::unique_ptr<Reading>> begin_reading(const std::string& path,
                                                     const std::string& format,
                                                     OnModel on_model,
                                                     const PatternSource& patterns) {
  const auto& readers = all_readers();
  const auto* named = core::find_in(readers, format, &Reader::name);
  std::shared_ptr<const PatternReader> pattern;
  if (!format.empty() && named == nullptr) {
    const PatternReaders all = patterns ? patterns() : PatternReaders{};
    const auto* found = core::find_in(all, format, pattern_name);
    if (found == nullptr) {
      return core::fail(unknown_format(format, all));
    }
    pattern = *found;
  }
  return std::make_unique<Unknown>(
      path, format.empty() ? nullptr : named, std::move(on_model), patterns, std::move(pattern));
}

core::Result<model::Recording> read_stream(core::ByteStream& stream,
                                           const std::string& path,
                                           const std::string& format,
                                           const PatternSource& patterns) {
  auto reading = begin_reading(path, format, {}, patterns);
  MEMSIZE_TRY(reading);

  // Stays in a core's own cache; the kernel copies much faster to where a page begins.
  struct alignas(4096) Block {
    std::array<char, 131072> bytes;
  };

  const auto block = std::make_unique_for_overwrite<Block>();
  const std::span<char> buffer{block->bytes};
  while (true) {
    const auto size = stream.read(buffer);
    MEMSIZE_TRY(size);
    if (*size == 0) {
      return (*reading)->finish();
    }
    (*reading)->take({buffer.data(), *size});
    if (!(*reading)->wants_more()) {
      return (*reading)->finish();
    }
  }
}

core::Result<model::Recording> read_text(std::string_view text,
                                         const std::string& path,
                                         const std::string& format) {
  const auto stream = core::stream_of(text);
  return read_stream(*stream, path, format);
}

}  // namespace memsize::readers
