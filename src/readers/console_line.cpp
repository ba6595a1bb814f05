// Finds the prefixes of cores in a line, of which it may have several, or one without its first
// character. Escape sequences, NULs and carriage returns go before that.
#include "console_line.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>

namespace memsize::readers {

namespace {

// The SDK pads names to six characters; boards have longer ones. Longer words in brackets are no
// names.
constexpr std::size_t kLongestName = 40;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

struct Prefix {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t stamp = 0;
  std::string core;
};

// The prefix whose ']' is at `close`. `from`: where the text that belongs to nobody yet begins.
bool find_prefix(std::string_view line, std::size_t from, std::size_t close, Prefix& prefix) {
  const std::size_t stamp = stamp_length(line.substr(close + 1));
  if (stamp == 0) {
    return false;
  }
  const std::string_view before = line.substr(from, close - from);
  const std::size_t open = before.rfind('[');
  // Pasted logs lose the first character of a line.
  const bool lost = open == std::string_view::npos && core::trim(line.substr(0, from)).empty();
  const std::size_t begin = open == std::string_view::npos ? 0 : open + 1;
  const std::string_view name = core::trim(before.substr(begin));
  if ((open == std::string_view::npos && !lost) || name.empty() || name.size() > kLongestName ||
      name.find(',') != std::string_view::npos ||
      (lost && name.find_first_of(kBlank) != std::string_view::npos)) {
    return false;
  }
  prefix.begin = from + (lost ? 0 : open);
  // One blank is the prefix's own ("[%-6s] %s").
  prefix.stamp = close + (line[close + 1] == ' ' ? 2 : 1);
  prefix.end = close + 1 + stamp;
  prefix.core = core::printable(core::to_lower(name), kLongestName);
  return true;
}

// Where the escape sequence that begins at `at` ends, its last byte: of a terminal's title at BEL
// or ESC '\\', of others behind their parameters (ECMA-48). One that does not end is its ESC alone.
std::size_t sequence_end(std::string_view line, std::size_t at) {
  const auto skip = [&](std::size_t from, char first, char last) {
    while (from < line.size() && line[from] >= first && line[from] <= last) {
      ++from;
    }
    return from;
  };
  const std::string_view begin = line.substr(at, 2);
  if (begin == "\x1B[") {
    const std::size_t end = skip(skip(at + 2, '0', '?'), ' ', '/');
    return end < line.size() && line[end] >= '@' && line[end] <= '~' ? end : at;
  }
  const std::size_t end =
      begin == "\x1B]" ? line.find_first_of("\x07\x1B", at + 2) : std::string_view::npos;
  if (end == std::string_view::npos) {
    return at;
  }
  return line[end] == '\x07' ? end : line.substr(end, 2) == "\x1B\\" ? end + 1 : at;
}

}  // namespace

// Called for most lines: a loop is several times as fast as searching for what is in a set.
std::size_t stamp_length(std::string_view text) {
  std::size_t at = 0;
  const auto skip = [&](auto belongs) {
    const std::size_t from = at;
    while (at < text.size() && belongs(text[at])) {
      ++at;
    }
    return at != from;
  };
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  skip(is_blank);
  if (at == text.size() || !is_digit(text[at])) {
    return 0;
  }
  skip([](char c) { return is_digit(c) || c == '.'; });
  return skip(is_blank) && text.substr(at, 2) == "s:" ? at + 2 : 0;
}

std::vector<Piece> split_line(std::string_view line) {
  std::vector<Piece> pieces;
  std::size_t from = 0;
  Prefix last;
  bool any = false;
  const auto flush = [&](std::size_t end) {
    const std::string_view text = line.substr(from, end - from);
    if (any) {
      pieces.push_back({last.core, text, end - last.stamp});
    } else if (!core::trim(text).empty()) {
      // A host's own lines may have a time stamp and no core.
      pieces.push_back({{}, text.substr(stamp_length(text)), 0});
    }
  };
  std::size_t searched = 0;
  for (std::size_t close = line.find(']'); close != std::string_view::npos;
       close = line.find(']', close + 1)) {
    Prefix prefix;
    if (!find_prefix(line, std::max(from, searched), close, prefix)) {
      searched = close + 1;
      continue;
    }
    flush(prefix.begin);
    last = std::move(prefix);
    from = last.end;
    searched = from;
    any = true;
  }
  flush(line.size());
  return pieces;
}

bool clean_line(std::string_view line, std::string& cleaned) {
  constexpr char kEscape = '\x1B';
  if (line.find(kEscape) == std::string_view::npos && line.find('\0') == std::string_view::npos &&
      line.find('\r') == std::string_view::npos) {
    return false;
  }
  cleaned.clear();
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == kEscape) {
      i = sequence_end(line, i);
    } else if (c == '\r') {
      cleaned.push_back(' ');
    } else if (c != '\0') {
      cleaned.push_back(c);
    }
  }
  return true;
}

}  // namespace memsize::readers
