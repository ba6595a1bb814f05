// Walks over a JSON text with the keys of every object that is open. Keys are compared as what they
// stand for: an escape is another spelling of the same key.
#include "memsize/core/json_keys.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

namespace memsize::core {

namespace {

// Four hexadecimal digits; JSON has no others behind "\u".
std::uint32_t code_unit(std::string_view digits) {
  std::uint32_t value = 0;
  for (const char c : digits) {
    const auto low = static_cast<unsigned char>(c | 0x20);
    value = value * 16 + static_cast<std::uint32_t>(low <= '9' ? c - '0' : low - 'a' + 10);
  }
  return value;
}

// Two spellings of a key are one: escapes become what they stand for. Code units from 0x80 upwards
// keep a spelling of their own, "\u" and small digits.
std::string unescaped(std::string_view key) {
  std::string text;
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (key[i] != '\\' || i + 1 == key.size()) {
      text += key[i];
      continue;
    }
    constexpr std::string_view kEscapes = "bfnrt";
    constexpr std::string_view kMeant = "\b\f\n\r\t";
    const char escape = key[++i];
    const std::size_t known = kEscapes.find(escape);
    if (known != std::string_view::npos) {
      text += kMeant[known];
    } else if (escape != 'u') {
      text += escape;
    } else {
      const std::string_view digits = key.substr(i + 1, 4);
      const std::uint32_t unit = code_unit(digits);
      i += digits.size();
      if (unit < 0x80) {
        text += static_cast<char>(unit);
      } else {
        text += "\\u" + std::to_string(unit);
      }
    }
  }
  return text;
}

}  // namespace

std::optional<RepeatedKey> repeated_key(std::string_view text) {
  // The keys of each object that is open; an array has none.
  std::vector<std::set<std::string>> open;
  std::size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '{' || c == '[') {
      open.emplace_back();
    } else if ((c == '}' || c == ']') && !open.empty()) {
      open.pop_back();
    }
    if (c != '"') {
      ++at;
      continue;
    }
    const std::size_t begin = at++;
    while (at < text.size() && text[at] != '"') {
      at += text[at] == '\\' ? 2U : 1U;
    }
    at = std::min(at + 1, text.size());
    const std::size_t next = text.find_first_not_of(" \t\r\n", at);
    if (next == std::string_view::npos || text[next] != ':' || open.empty()) {
      continue;
    }
    std::string key = unescaped(text.substr(begin + 1, at - begin - 2));
    if (!open.back().insert(key).second) {
      const std::string_view before = text.substr(0, begin);
      const auto lines = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
      return RepeatedKey{std::move(key), lines + 1, begin - (before.rfind('\n') + 1) + 1};
    }
  }
  return std::nullopt;
}

}  // namespace memsize::core
