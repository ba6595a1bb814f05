// A finding is an accepted one if its message is, but for addresses; the sizes of ranges stay, so
// that a defect that grows is a new one. By name alone it is compared by its cores and regions.
#include "accepted.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/layout/check.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace memsize::layout {

namespace {

// The hexadecimal number at the beginning of the text, which is moved behind it.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  constexpr std::string_view kPrefix = "0x";
  constexpr int kBase = 16;
  std::uint64_t number = 0;
  if (!text.starts_with(kPrefix)) {
    return std::nullopt;
  }
  const char* begin = text.data() + kPrefix.size();
  const auto [end, problem] = std::from_chars(begin, text.data() + text.size(), number, kBase);
  if (problem != std::errc{} || end == begin) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// "[0xA0000000, 0xA0100000)" at the beginning of the text, which is moved behind it.
std::optional<std::uint64_t> take_range(std::string_view& text) {
  constexpr std::string_view kBetween = ", ";
  std::string_view rest = text;
  if (!rest.starts_with('[')) {
    return std::nullopt;
  }
  rest.remove_prefix(1);
  const auto base = take_number(rest);
  if (!base || !rest.starts_with(kBetween)) {
    return std::nullopt;
  }
  rest.remove_prefix(kBetween.size());
  const auto end = take_number(rest);
  if (!end || *end < *base || !rest.starts_with(')')) {
    return std::nullopt;
  }
  text = rest.substr(1);
  return *end - *base;
}

// The cores and regions that the message names.
std::set<std::string> parties(const board::Board& board, std::string_view message) {
  std::set<std::string> known;
  for (const board::Core& core : board.cores) {
    known.insert(core.name);
  }
  for (const board::Chain& chain : board.chains) {
    for (const board::Item& item : chain.items) {
      known.insert(item.name);
    }
  }
  std::set<std::string> named;
  std::string word;
  for (const char c : fmt::format("{} ", message)) {
    if (core::is_identifier(fmt::format("_{}", c))) {
      word += c;
      continue;
    }
    if (known.contains(word)) {
      named.insert(word);
    }
    word.clear();
  }
  return named;
}

}  // namespace

std::string without_addresses(std::string_view message) {
  std::string text;
  while (!message.empty()) {
    if (const auto size = take_range(message)) {
      text += fmt::format("[{})", core::format_size(core::Bytes{*size}));
    } else if (take_number(message)) {
      text += "0x";
    } else {
      text += message.front();
      message.remove_prefix(1);
    }
  }
  return text;
}

const board::AcceptedDefect* find_accepted(const board::Accepted& accepted,
                                           const core::Diagnostic& finding) {
  return core::find_where(accepted, [&](const board::AcceptedDefect& each) {
    return each.code == core::code_name(finding.code) &&
           without_addresses(each.message) == without_addresses(core::ascii_text(core::printable(
                                                  finding.message, each.kLongestMessage)));
  });
}

bool is_accepted_by_name(const board::Board& board, const core::Diagnostic& finding) {
  return std::ranges::any_of(board.accepted, [&](const board::AcceptedDefect& each) {
    return each.code == core::code_name(finding.code) &&
           parties(board, each.message) == parties(board, finding.message);
  });
}

}  // namespace memsize::layout
