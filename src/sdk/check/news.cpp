// Counts findings before and after by code, file and message without its numbers, since a change
// moves addresses. One more of a kind is news.
#include "memsize/sdk/news.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace memsize::sdk {

namespace {

using core::Code;

using Key = std::tuple<Code, std::string, std::string>;

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

// Numbers and their units become '#'; digits in names stay.
std::string without_numbers(std::string_view text) {
  static constexpr std::array<std::string_view, 5> kUnits = {
      " KiB", " MiB", " GiB", " bytes", " B"};
  std::string plain;
  for (std::size_t i = 0; i < text.size();) {
    const bool begins =
        std::isdigit(static_cast<unsigned char>(text[i])) != 0 && (i == 0 || !in_word(text[i - 1]));
    if (!begins) {
      plain += text[i++];
      continue;
    }
    while (i < text.size() && in_word(text[i])) {
      ++i;
    }
    plain += '#';
    for (const std::string_view unit : kUnits) {
      const bool here = text.substr(i).starts_with(unit) &&
                        (i + unit.size() == text.size() || !in_word(text[i + unit.size()]));
      i += here ? unit.size() : 0;
    }
  }
  return plain;
}

Key key_of(const core::Diagnostic& finding) {
  const bool is_list = finding.code == Code::kSdkGenerated || finding.code == Code::kSdkComment;
  return {finding.code,
          finding.place.path.str(),
          is_list ? std::string{} : without_numbers(finding.message)};
}

}  // namespace

core::Diagnostics news(const core::Diagnostics& before, core::Diagnostics after) {
  std::map<Key, std::size_t> known;
  for (const core::Diagnostic& each : before) {
    ++known[key_of(each)];
  }
  std::erase_if(after, [&](const core::Diagnostic& each) {
    const auto same = known.find(key_of(each));
    if (same == known.end() || same->second == 0) {
      return false;
    }
    --same->second;
    return true;
  });
  return after;
}

}  // namespace memsize::sdk
