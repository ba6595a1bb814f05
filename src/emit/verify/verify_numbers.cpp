// A number that no rule asks for is no less wrong.
#include "memsize/emit/verify_numbers.hpp"

#include "memsize/core/cursor.hpp"
#include "memsize/core/text.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Code;

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// Behind the number that begins at `at`.
std::size_t behind_number(std::string_view token, std::size_t at) {
  const bool is_hex = token.substr(at, 2) == "0x" || token.substr(at, 2) == "0X";
  std::size_t end = is_hex ? at + 2 : at;
  while (end < token.size() &&
         (is_digit(token[end]) ||
          (is_hex && std::isxdigit(static_cast<unsigned char>(token[end])) != 0))) {
    ++end;
  }
  return end;
}

// What is left of a token without its numbers.
std::string bare_words(std::string_view token) {
  std::string words;
  for (std::size_t at = 0; at < token.size();) {
    if (is_digit(token[at])) {
      at = behind_number(token, at);
      words += '#';
    } else {
      words += token[at++];
    }
  }
  return words;
}

bool is_binary(const MapFile& file) {
  return file.path.ends_with(".bin");
}

// Such files have lines for which memory_map.json has nothing: where sections go, and what is
// asserted. The page has figures of the map before, which the board does not know.
bool has_own_lines(const MapFile& file) {
  return file.path.ends_with(".ld") || file.path.ends_with(".hpp");
}

bool is_page(const MapFile& file) {
  return file.path.ends_with(".html");
}

std::string line_of(const std::string& text, std::size_t line) {
  std::size_t begin = 0;
  for (; line > 1; --line) {
    begin = text.find('\n', begin) + 1;
  }
  const std::size_t first = std::min(text.find_first_not_of(' ', begin), text.size());
  return text.substr(first, text.find('\n', first) - first);
}

// What the board gives and the file leaves out, if that is all; the first of it is told.
std::optional<core::Diagnostic> left_out(const MapFile& file,
                                         const MapFile& wanted,
                                         const std::string& root,
                                         const std::string& board) {
  core::Diagnostics unread;
  core::Cursor here{file.path_under(root), file.content, Code::kVerifyParse, unread};
  core::Cursor there{wanted.path, wanted.content, Code::kVerifyParse, unread};
  std::optional<core::Diagnostic> told;
  if (file.path.ends_with(".ld")) {
    // MEMORY is held against memory_map.json.
    here.skip_past("}");
    there.skip_past("}");
  }
  for (; !there.done(); there.take()) {
    if (!here.done() && bare_words(here.peek()) == bare_words(there.peek())) {
      here.take();
    } else if (!told) {
      const core::Place next = here.place();
      told = core::error(
          Code::kVerifyDisagree,
          fmt::format("board '{}' has something more here: {}",
                      board,
                      core::printable(line_of(wanted.content, there.place().line), 120)),
          {next.path.str(), next.line});
    }
  }
  return here.done() ? told : std::nullopt;
}

}  // namespace

core::Diagnostics verify_numbers(const MapFile& file,
                                 const MapFile& wanted,
                                 const std::string& root,
                                 const std::string& board) {
  core::Diagnostics found;
  if (file.content == wanted.content || is_page(file)) {
    return found;
  }
  const std::string hint = fmt::format(
      "write the map again with memsize emit, or name the board that it was written "
      "for with --board, if that is not '{}'",
      board);
  if (is_binary(file)) {
    found.push_back(core::error(Code::kVerifyDisagree,
                                fmt::format("these are not the bytes that board '{}' gives", board),
                                {file.path_under(root)},
                                hint));
    return found;
  }
  if (auto gap = has_own_lines(file) ? left_out(file, wanted, root, board) : std::nullopt) {
    gap->hint = hint;
    found.push_back(std::move(*gap));
    core::add_text(found, file.path_under(root), file.content);
    return found;
  }
  core::Diagnostics unread;
  core::Cursor here{file.path_under(root), file.content, Code::kVerifyParse, unread};
  core::Cursor there{wanted.path, wanted.content, Code::kVerifyParse, unread};
  for (; !here.done() && !there.done(); here.take(), there.take()) {
    if (bare_words(here.peek()) != bare_words(there.peek())) {
      return {};
    }
    if (found.empty() && here.peek() != there.peek()) {
      found.push_back(core::error(Code::kVerifyDisagree,
                                  fmt::format("this is {}, but board '{}' gives {}",
                                              core::printable(here.peek(), 60),
                                              board,
                                              core::printable(there.peek(), 60)),
                                  here.place(),
                                  hint));
    }
  }
  if (!here.done() || !there.done()) {
    return {};
  }
  core::add_text(found, file.path_under(root), file.content);
  return found;
}

}  // namespace memsize::emit
