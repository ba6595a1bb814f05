#include "memsize/core/text.hpp"
#include "memsize/readers/reader.hpp"

#include "formats.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;

core::Place whole_file(const std::string& path) {
  core::Place place;
  place.path = path;
  return place;
}

// What stands in the way of a table, guessed from what is there instead.
std::string no_table_hint(std::string_view text) {
  if (text.find("requiement") != std::string_view::npos) {
    return "the table's title is there but no row: was the log cut short?";
  }
  return "trace the model with debugTraceLevel = 2 (TIDL-RT), debug_level = 2 (edgeai-tidl-tools) "
         "or "
         "traceLogLevel = 2 (TIOVX), with vision_apps_init.sh running before the model is loaded";
}

core::Diagnostic no_table(std::string_view text, const std::string& path) {
  const auto lines = std::count(text.begin(), text.end(), '\n') + (text.ends_with('\n') ? 0 : 1);
  return core::error(Code::kReadNoTable,
                     fmt::format("no table of memory records in {} ({} read)",
                                 shown_name(path),
                                 core::plural(static_cast<std::uint64_t>(lines), "line")),
                     whole_file(path),
                     no_table_hint(text));
}

core::Diagnostic unknown_format(const std::string& format) {
  std::vector<std::string> names;
  for (const Reader& reader : all_readers()) {
    names.emplace_back(reader.name);
  }
  const std::string hint = core::did_you_mean(format, names);
  return core::error(
      Code::kReadUnknownFormat,
      fmt::format("there is no reader '{}'", core::printable(format)),
      {},
      hint.empty() ? fmt::format("the readers are: {}", core::join(names, ", ")) : hint);
}

bool is_utf16(std::string_view text) {
  return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
}

}  // namespace

const std::vector<Reader>& all_readers() {
  static const std::vector<Reader> readers = {
      {"memsize-sizing",
       "a memsize.sizing/1 document, as analyze --json prints it",
       probe_sizing_document,
       read_sizing_document},
      {"tidl-table",
       "TIDL's table of memory records in a console log (SDK 9 and newer, sizes in KB)",
       probe_tidl_table,
       read_tidl_table},
  };
  return readers;
}

std::string shown_name(const std::string& path) {
  return path == "-" ? "standard input" : fmt::format("'{}'", core::printable(path));
}

core::Result<model::Recording> read_text(std::string_view text,
                                         const std::string& path,
                                         const std::string& format) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  const auto& readers = all_readers();
  const auto fits = [&](const Reader& reader) {
    return format.empty() ? reader.probe(text) : reader.name == format;
  };
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  const auto reader = std::find_if(readers.begin(), readers.end(), fits);
  if (reader == readers.end() && !format.empty()) {
    return core::fail(unknown_format(format));
  }
  if (core::trim(text).empty()) {
    return core::fail(core::error(Code::kReadEmpty,
                                  fmt::format("{} is empty", shown_name(path)),
                                  whole_file(path),
                                  no_table_hint(text)));
  }
  if (is_utf16(text)) {
    return core::fail(
        core::error(Code::kReadNoTable,
                    fmt::format("{} is UTF-16 text, not UTF-8 or ASCII", shown_name(path)),
                    whole_file(path),
                    "convert it: iconv -f UTF-16 -t UTF-8"));
  }
  if (reader == readers.end()) {
    return core::fail(no_table(text, path));
  }
  auto recording = reader->read(text, path);
  // A reader that was forced finds nothing in another format's text.
  if (recording && recording->cores.empty()) {
    return core::fail(no_table(text, path));
  }
  return recording;
}

}  // namespace memsize::readers
