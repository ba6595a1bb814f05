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

core::Result<model::Recording> read_text(std::string_view text,
                                         const std::string& path,
                                         const std::string& format) {
  const auto& readers = all_readers();
  if (!format.empty()) {
    const auto named = std::find_if(readers.begin(), readers.end(), [&](const Reader& reader) {
      return reader.name == format;
    });
    if (named == readers.end()) {
      std::vector<std::string> names;
      for (const Reader& reader : readers) {
        names.emplace_back(reader.name);
      }
      std::string hint = core::did_you_mean(format, names);
      return core::fail(core::error(
          Code::kReadUnknownFormat,
          fmt::format("there is no reader '{}'", core::printable(format)),
          {},
          hint.empty() ? fmt::format("the readers are: {}", core::join(names, ", ")) : hint));
    }
    return named->read(text, path);
  }
  if (core::trim(text).empty()) {
    return core::fail(core::error(Code::kReadEmpty,
                                  fmt::format("'{}' is empty", core::printable(path)),
                                  whole_file(path),
                                  no_table_hint(text)));
  }
  const auto fitting = std::find_if(
      readers.begin(), readers.end(), [&](const Reader& reader) { return reader.probe(text); });
  if (fitting == readers.end()) {
    const auto lines = std::count(text.begin(), text.end(), '\n') + (text.ends_with('\n') ? 0 : 1);
    return core::fail(
        core::error(Code::kReadNoTable,
                    fmt::format("no table of memory records in '{}' ({} read)",
                                core::printable(path),
                                core::plural(static_cast<std::uint64_t>(lines), "line")),
                    whole_file(path),
                    no_table_hint(text)));
  }
  return fitting->read(text, path);
}

}  // namespace memsize::readers
