// Headings, strings, keys, lists and inline tables, quoted where TOML wants it. A list that is too
// long for one line goes on in lines of its own.
#include "toml.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

// Where a list gets lines of its own.
constexpr std::size_t kLineWidth = 100;

}  // namespace

std::string heading_text(const std::string& title) {
  const std::string begin = fmt::format("# --- {} ", title);
  return begin + std::string(kLineWidth - std::min(begin.size(), kLineWidth), '-') + "\n";
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : core::printable(text, std::string::npos)) {
    if (c == '"' || c == '\\') {
      result += '\\';
    }
    result += c;
  }
  return result + "\"";
}

std::string key_text(std::string_view key) {
  const bool bare = !key.empty() && std::ranges::all_of(key, [](unsigned char c) {
    return (c < 0x80 && std::isalnum(c) != 0) || c == '_' || c == '-';
  });
  return bare ? std::string{key} : quoted(key);
}

std::string list_text(const std::vector<std::string>& items) {
  const std::vector<std::string> parts =
      core::texts_of(items, [&](const std::string& item) { return quoted(item); });
  return fmt::format("[{}]", core::join(parts, ", "));
}

std::string long_list_text(const std::vector<std::string>& items) {
  std::string one = list_text(items);
  if (one.size() <= kLineWidth) {
    return one;
  }
  std::string lines;
  std::string line;
  for (const std::string& item : items) {
    const std::string part = quoted(item) + ",";
    if (!line.empty() && line.size() + 1 + part.size() > kLineWidth) {
      lines += "  " + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + part;
  }
  return fmt::format("[\n{}  {}\n]", lines, line);
}

InlineTable& InlineTable::text(const char* key, std::string_view value) {
  return plain(key, quoted(value));
}

InlineTable& InlineTable::plain(const char* key, std::string_view value) {
  fields_.emplace_back(key, value);
  return *this;
}

InlineTable& InlineTable::optional_text(const char* key, std::string_view value) {
  return value.empty() ? *this : text(key, value);
}

InlineTable& InlineTable::flag(const char* key, bool value, bool without) {
  return value == without ? *this : plain(key, value ? "true" : "false");
}

InlineTable& InlineTable::append(const InlineTable& other) {
  fields_.insert(fields_.end(), other.fields_.begin(), other.fields_.end());
  return *this;
}

std::string InlineTable::str() const {
  std::vector<std::string> parts;
  for (const auto& [key, value] : fields_) {
    parts.push_back(fmt::format("{} = {}", key, value));
  }
  return fmt::format("{{ {} }}", core::join(parts, ", "));
}

}  // namespace memsize::sdk
