// Sizes, cells and last addresses as the SDK's library prints them, its oddities included, and
// offsets of a text for places of it.
#include "generated_text.hpp"

#include "memsize/core/text.hpp"

#include "script/script.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

constexpr std::uint64_t kKib = 1ULL << 10;
constexpr std::uint64_t kMib = 1ULL << 20;
constexpr std::uint64_t kGib = 1ULL << 30;

// Of a comment that begins there; else the same place.
std::size_t behind_comment(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  const bool is_line = rest.starts_with("//");
  if (!is_line && !rest.starts_with("/*")) {
    return at;
  }
  const std::size_t end = is_line ? rest.find('\n') : rest.find("*/", 2);
  return end == std::string_view::npos ? text.size() : at + end + (is_line ? 1 : 2);
}

std::vector<std::string> cell_texts(const ScriptSection& section) {
  constexpr unsigned kCellBits = 32;
  return {fmt::format("0x{:02x}", section.origin >> kCellBits),
          fmt::format("0x{:08x}", section.origin & UINT32_MAX),
          fmt::format("0x{:02x}", section.length >> kCellBits),
          fmt::format("0x{:08x}", section.length & UINT32_MAX)};
}

}  // namespace

// The library compares with '>', so that 1 MiB is "1024.00 KB".
std::string people_size(std::uint64_t length) {
  const auto in = [&](std::uint64_t unit, std::string_view name) {
    return fmt::format("{:5.2f} {}", static_cast<double>(length) / static_cast<double>(unit), name);
  };
  if (length > kGib) {
    return in(kGib, "GB");
  }
  if (length > kMib) {
    return in(kMib, "MB");
  }
  return length > kKib ? in(kKib, "KB") : fmt::format("{} B", length);
}

bool may_be_size(std::string_view text, std::uint64_t length) {
  const std::size_t behind = std::min(text.find(' '), text.size());
  const std::string_view number = text.substr(0, behind);
  const std::string_view unit = core::trim(text.substr(behind));
  const std::uint64_t bytes = unit == "GB"   ? kGib
                              : unit == "MB" ? kMib
                              : unit == "KB" ? kKib
                              : unit == "B"  ? 1
                                             : 0;
  double value = 0;
  const auto end = std::from_chars(number.data(), number.data() + number.size(), value);
  if (bytes == 0 || end.ec != std::errc{} || end.ptr != number.data() + number.size()) {
    return true;
  }
  // Rounded or cut off: off by less than one of the last digit, which has no exact form.
  double last = 0.999 * static_cast<double>(bytes);
  for (std::size_t digit = number.find('.'); digit + 1 < number.size(); ++digit) {
    last /= 10;
  }
  const double off = value * static_cast<double>(bytes) - static_cast<double>(length);
  return off < last && -off < last;
}

std::string cells_text(const ScriptSection& section) {
  return core::join(cell_texts(section), " ");
}

std::string comments_of(std::string_view text) {
  std::string comments;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t behind = behind_comment(text, at);
    if (behind != at) {
      comments += " ";
      comments += text.substr(at, behind - at);
      at = behind - 1;
    } else if (text[at] == '"') {
      at = std::min(text.find('"', at + 1), text.size());
    }
  }
  return comments;
}

std::string cells_beside(std::string_view now, const ScriptSection& section) {
  if (comments_of(now).empty()) {
    return cells_text(section);
  }
  std::string written;
  std::size_t at = 0;
  for (const std::string& cell : cell_texts(section)) {
    const Span old = next_cell(now, at);
    written += now.substr(at, old.begin - at);
    written += cell;
    written += comments_of(now.substr(old.begin, old.end - old.begin));
    at = old.end;
  }
  written += now.substr(at);
  return written;
}

Span next_cell(std::string_view text, std::size_t from) {
  // What stands between cells, which may be in several brackets.
  constexpr std::string_view kBetween = " \t\r\n>,<";
  const auto ends_cell = [&](std::size_t at) {
    return kBetween.find(text[at]) != std::string_view::npos || behind_comment(text, at) != at;
  };
  while (from < text.size() && ends_cell(from)) {
    from = std::max(behind_comment(text, from), from + 1);
  }
  std::size_t open = 0;
  std::size_t end = from;
  while (end < text.size() && (open > 0 || !ends_cell(end))) {
    open += text[end] == '(' ? 1U : 0U;
    open -= text[end] == ')' && open > 0 ? 1U : 0U;
    end = std::max(behind_comment(text, end), end + 1);
  }
  return {from, end};
}

std::size_t find_code(std::string_view text, char wanted, std::size_t from) {
  while (from < text.size() && text[from] != wanted) {
    const std::size_t behind = text[from] == '"' ? text.find('"', from + 1) : from;
    from = std::max(behind_comment(text, from), std::min(behind, text.size()) + 1);
  }
  return from < text.size() ? from : std::string_view::npos;
}

// A section without bytes at 0 ends before it: the library prints the sign among the zeros.
std::string last_text(const ScriptSection& section) {
  return section.origin == 0 && section.length == 0
             ? "0x-0000001"
             : fmt::format("0x{:08X}", section.origin + section.length - 1);
}

std::string_view row_class(std::size_t row) {
  return row % 2 == 0 ? "tg-kftd" : "tg-6sgx";
}

Offsets::Offsets(std::string_view text) : text_(text), begins_{0} {
  for (std::size_t at = text.find('\n'); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    begins_.push_back(at + 1);
  }
}

Span Offsets::span(const core::Place& place) const {
  if (place.line == 0 || place.line > begins_.size()) {
    return {};
  }
  const std::size_t begin =
      std::min(begins_[place.line - 1] + std::max<std::size_t>(place.column, 1) - 1, text_.size());
  return {begin, std::min(begin + place.length, text_.size())};
}

core::Place Offsets::place(const core::SharedText& path, Span span) const {
  const std::size_t begin = line_begin(span.begin);
  const auto line = std::ranges::lower_bound(begins_, begin) - begins_.begin();
  return {path, static_cast<std::size_t>(line) + 1, span.begin - begin + 1, span.end - span.begin};
}

std::size_t Offsets::behind_line(std::size_t offset) const {
  const auto next = std::ranges::upper_bound(begins_, offset);
  return next == begins_.end() ? text_.size() : *next;
}

std::size_t Offsets::line_begin(std::size_t offset) const {
  return *(std::ranges::upper_bound(begins_, offset) - 1);
}

}  // namespace memsize::sdk
