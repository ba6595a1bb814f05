// Lines of a text, and from offsets to places. Before anything reads it: too many bytes, bytes that
// are no UTF-8 and NULs are errors.
#include "source.hpp"

#include "memsize/core/text.hpp"

#include "limits.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

// A line beyond this is not shown.
constexpr std::size_t kLongestShown = 2000;

// How many bytes from the front are UTF-8.
std::size_t utf8_prefix(std::string_view text) {
  std::size_t good = 0;
  while (good < text.size()) {
    std::size_t length = 1;
    while (length <= 4 && !core::is_utf8(text.substr(good, length))) {
      ++length;
    }
    if (length > 4) {
      break;
    }
    good += length;
  }
  return good;
}

}  // namespace

ScriptSource::ScriptSource(const std::string& path, std::string_view text)
    : path_(path), text_(text), begin_(text.size() - core::without_byte_order_mark(text).size()) {
  lines_.reserve(text.size() / 32 + 1);
  lines_.push_back(begin_);
  for (std::size_t i = begin_; i < text.size(); ++i) {
    if (text[i] == '\n' || (text[i] == '\r' && text.substr(i + 1, 1) != "\n")) {
      lines_.push_back(i + 1);
    }
  }
}

Span ScriptSource::span(std::string_view part) const {
  const auto begin = static_cast<std::size_t>(part.data() - text_.data());
  return {begin, begin + part.size()};
}

std::size_t ScriptSource::line(std::size_t offset) const {
  const auto after = std::ranges::upper_bound(lines_, std::max(offset, begin_));
  return static_cast<std::size_t>(after - lines_.begin());
}

std::size_t ScriptSource::line_begin(std::size_t line) const {
  return lines_[line - 1];
}

std::size_t ScriptSource::line_end(std::size_t line) const {
  const std::size_t end = line < lines_.size() ? lines_[line] : text_.size();
  const std::string_view whole = text({lines_[line - 1], end});
  const std::size_t last = whole.find_last_not_of("\r\n");
  return lines_[line - 1] + (last == std::string_view::npos ? 0 : last + 1);
}

ScriptPiece ScriptSource::piece(Span span) const {
  const std::size_t at = line(span.begin);
  return {at, span.begin - line_begin(at) + 1, span.begin, span.end - span.begin};
}

core::Place ScriptSource::place(Span span) const {
  const std::size_t at = line(span.begin);
  const std::size_t begin = line_begin(at);
  const std::size_t end = line_end(at);
  const std::size_t from = std::min(span.begin, end);
  core::Place place{path_, at, from - begin + 1, std::clamp(span.end, from, end) - from};
  if (end - begin <= kLongestShown) {
    place.text = std::string{text({begin, end})};
  }
  return place;
}

core::Diagnostic ScriptSource::error(std::string message, Span span, std::string hint) const {
  return core::error(core::Code::kSdkScript, std::move(message), place(span), std::move(hint));
}

core::Diagnostics check_bytes(const ScriptSource& source) {
  const std::string_view text = source.text();
  if (text.size() > kMostBytes) {
    return {source.error(
        fmt::format("the script has {} bytes, the limit is {}", text.size(), kMostBytes),
        {source.begin(), source.begin()})};
  }
  if (!core::is_utf8(text)) {
    const std::size_t at = utf8_prefix(text);
    return {source.error("a byte that is not UTF-8", {at, at + 1})};
  }
  const std::size_t nul = text.find('\0');
  if (nul != std::string_view::npos) {
    return {source.error("a NUL byte", {nul, nul + 1})};
  }
  return {};
}

}  // namespace memsize::sdk
