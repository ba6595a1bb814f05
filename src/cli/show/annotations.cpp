// One line of a workflow command for each diagnostic. Percent signs and line ends are escaped, and
// in properties also colons and commas, or a file's name could begin a command of its own.
#include "annotations.hpp"

#include "memsize/core/text.hpp"

#include "columns.hpp"
#include "render_diagnostics.hpp"

#include <string_view>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

std::string escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) == std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string escape_data(std::string_view text) {
  return escaped(text, "%\r\n");
}

std::string escape_property(std::string_view text) {
  return escaped(text, "%\r\n:,");
}

const char* command_for(core::Severity severity) {
  switch (severity) {
    case core::Severity::kError:
      return "error";
    case core::Severity::kWarning:
      return "warning";
    case core::Severity::kNote:
      return "notice";
  }
  return "error";
}

std::string properties_of(const core::Diagnostic& diagnostic) {
  const core::Place& place = diagnostic.place;
  std::string out;
  if (!place.path.empty() && place.path.str() != "-") {
    out +=
        fmt::format("file={},", core::visible_text(escape_property(plain_path(place.path.str()))));
    if (place.line != 0) {
      out += fmt::format("line={},", place.line);
    }
    if (const auto columns = columns_of(place); columns) {
      // The last column is the piece's own.
      out += fmt::format("col={},endColumn={},", columns->first, columns->end - 1);
    }
  }
  return out + fmt::format("title={}", escape_property(core::code_name(diagnostic.code)));
}

}  // namespace

std::string github_annotations(const core::Diagnostics& diagnostics) {
  std::string out;
  for (const core::Diagnostic& diagnostic : diagnostics) {
    out += fmt::format("::{} {}::{}\n",
                       command_for(diagnostic.severity),
                       properties_of(diagnostic),
                       escape_data(message_text(diagnostic, true)));
  }
  return out;
}

}  // namespace memsize::cli
