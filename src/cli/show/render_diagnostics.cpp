// A diagnostic with its line and a caret, as colours allow. Nothing from an input may
// begin a line of its own or command a terminal.
#include "render_diagnostics.hpp"

#include "memsize/core/text.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Diagnostic;
using core::Place;
using core::Severity;

std::string paint(const std::string& text, const char* code, bool colour) {
  return colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
}

std::string locus(const Place& place) {
  if (place.path.empty()) {
    return "memsize";
  }
  // A newline in a file's name must not forge a line of its own.
  std::string text =
      core::printable(place.path == "-" ? "<standard input>" : place.path.str(), 400);
  if (place.line != 0) {
    text += fmt::format(":{}", place.line);
    if (place.column != 0) {
      text += fmt::format(":{}", place.column);
    }
  }
  return text;
}

// The line and, below its piece, a caret. Long lines are cut around the piece.
std::string excerpt(const Place& place, bool colour) {
  constexpr std::size_t kWidest = 100;
  if (place.text.empty()) {
    return {};
  }
  // A word of the command line is on no line.
  const std::string line = place.line == 0 ? "" : fmt::format("{}", place.line);
  std::string text = place.text.str();
  std::size_t column = place.column;
  if (text.size() > kWidest) {
    const std::size_t half = kWidest / 2;
    const std::size_t from = std::min(column > half ? column - half : 0, text.size());
    text = (from > 0 ? "..." : "") + text.substr(from, kWidest) +
           (from + kWidest < text.size() ? "..." : "");
    column = column == 0 ? 0 : column - from + (from > 0 ? 3 : 0);
  }
  // Nothing in a file commands the terminal, nor does a character that was cut in two.
  text = core::masked_text(text);
  std::string out = fmt::format("{:>5} | {}\n", line, text);
  if (column != 0 && column <= text.size() + 1) {
    const std::string before = text.substr(0, column - 1);
    const std::string piece = text.substr(column - 1, place.length);
    const std::size_t length = std::max<std::size_t>(1, core::text_width(piece));
    out += fmt::format("{:>5} | {}{}\n",
                       "",
                       std::string(core::text_width(before), ' '),
                       paint(std::string(length, '^'), "1;32", colour));
  }
  return out;
}

// A sentence may have names of an input in it.
std::string sentence_shown(const std::string& sentence) {
  return core::printable(sentence, std::string::npos);
}

}  // namespace

std::string render_line(const Diagnostic& diagnostic, bool colour) {
  const char* hue = diagnostic.severity == Severity::kError     ? "1;31"
                    : diagnostic.severity == Severity::kWarning ? "1;35"
                                                                : "1;36";
  const std::string kind = fmt::format(
      "{}[{}]", core::severity_name(diagnostic.severity), core::code_name(diagnostic.code));
  return fmt::format("{}: {}: {}\n",
                     locus(diagnostic.place),
                     paint(kind, hue, colour),
                     sentence_shown(diagnostic.message));
}

std::string render(const Diagnostic& diagnostic, bool colour) {
  std::string out = render_line(diagnostic, colour);
  out += excerpt(diagnostic.place, colour);
  for (const std::string& detail : diagnostic.details) {
    out += fmt::format("  {}\n", sentence_shown(detail));
  }
  for (const core::Related& related : diagnostic.related) {
    out += fmt::format("{}: note: {}\n", locus(related.place), sentence_shown(related.message));
    out += excerpt(related.place, colour);
  }
  if (!diagnostic.hint.empty()) {
    out += fmt::format("  hint: {}\n", sentence_shown(diagnostic.hint));
  }
  return out;
}

std::string render_problems(const core::Diagnostics& diagnostics, bool colour, bool lines_only) {
  constexpr std::size_t kMost = 20;
  std::string out;
  std::size_t errors = 0;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity == Severity::kNote ||
        (lines_only && diagnostic.severity != Severity::kError)) {
      continue;
    }
    // Each file that is to be written again is wanted, and is a line.
    const bool is_line = diagnostic.code == core::Code::kEmitStale;
    if (diagnostic.severity == Severity::kError && !is_line && ++errors > kMost) {
      continue;
    }
    out += lines_only ? render_line(diagnostic, colour) : render(diagnostic, colour);
  }
  if (errors > kMost) {
    out += fmt::format("memsize: {} more\n", core::plural(errors - kMost, "error"));
  }
  return out;
}

std::string message_text(const Diagnostic& diagnostic, bool related) {
  std::string text = sentence_shown(diagnostic.message);
  for (const std::string& detail : diagnostic.details) {
    text += "\n" + sentence_shown(detail);
  }
  for (std::size_t i = 0; related && i < diagnostic.related.size(); ++i) {
    const core::Related& other = diagnostic.related[i];
    text += fmt::format("\n{}: {}", locus(other.place), sentence_shown(other.message));
  }
  if (!diagnostic.hint.empty()) {
    text += "\nhint: " + sentence_shown(diagnostic.hint);
  }
  return text;
}

std::string plain_path(const std::string& path) {
  return std::filesystem::path{path}.lexically_normal().generic_string();
}

std::string describe_notes(const core::Diagnostics& found) {
  std::string text;
  for (const core::Diagnostic& diagnostic : found) {
    if (diagnostic.severity == core::Severity::kNote) {
      text += fmt::format(
          "  - {}: {}\n", sentence_shown(diagnostic.message), sentence_shown(diagnostic.hint));
    }
  }
  return text;
}

}  // namespace memsize::cli
