// A longest common subsequence over lines, after the common head and tail are set aside. Generated
// maps have some hundred lines; where two texts are too large for the table, everything between
// head and tail counts as changed, which is longer but as true.
#include "unified_diff.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

constexpr std::size_t kContext = 3;
constexpr std::size_t kLargestTable = 16'000'000;

struct Edit {
  char kind = ' ';  // ' ', '-' or '+'
  std::string_view text;
};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

using Lines = std::vector<std::string_view>;

void edit_middle(const Lines& a, const Lines& b, std::vector<Edit>& edits) {
  if ((a.size() + 1) * (b.size() + 1) > kLargestTable) {
    for (const std::string_view line : a) {
      edits.push_back({'-', line});
    }
    for (const std::string_view line : b) {
      edits.push_back({'+', line});
    }
    return;
  }
  const std::size_t width = b.size() + 1;
  std::vector<std::uint32_t> common((a.size() + 1) * width);
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      common[i * width + j] =
          a[i] == b[j] ? common[(i + 1) * width + j + 1] + 1
                       : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      edits.push_back({' ', a[i]});
      ++i;
      ++j;
    } else if (j == b.size() ||
               (i < a.size() && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      edits.push_back({'-', a[i++]});
    } else {
      edits.push_back({'+', b[j++]});
    }
  }
}

std::vector<Edit> edits_of(const Lines& a, const Lines& b) {
  std::size_t head = 0;
  while (head < std::min(a.size(), b.size()) && a[head] == b[head]) {
    ++head;
  }
  std::size_t tail = 0;
  while (tail < std::min(a.size(), b.size()) - head &&
         a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) {
    ++tail;
  }
  const auto at = [](const Lines& lines, std::size_t index) {
    return lines.begin() + static_cast<std::ptrdiff_t>(index);
  };
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < head; ++i) {
    edits.push_back({' ', a[i]});
  }
  edit_middle({at(a, head), at(a, a.size() - tail)}, {at(b, head), at(b, b.size() - tail)}, edits);
  for (std::size_t i = a.size() - tail; i < a.size(); ++i) {
    edits.push_back({' ', a[i]});
  }
  return edits;
}

}  // namespace

std::string unified_diff(const std::string& old_name,
                         const std::string& old_text,
                         const std::string& new_name,
                         const std::string& new_text) {
  if (old_text == new_text) {
    return {};
  }
  if (old_text.find('\0') != std::string::npos || new_text.find('\0') != std::string::npos) {
    return fmt::format("Binary files {} and {} differ\n", old_name, new_name);
  }
  const std::vector<Edit> edits = edits_of(lines_of(old_text), lines_of(new_text));
  std::string out = fmt::format("--- {}\n+++ {}\n", old_name, new_name);
  std::size_t old_line = 1;
  std::size_t new_line = 1;
  std::size_t at = 0;
  while (at < edits.size()) {
    if (edits[at].kind == ' ') {
      ++old_line;
      ++new_line;
      ++at;
      continue;
    }
    // A hunk runs until more than twice the context is unchanged.
    std::size_t end = at;
    std::size_t last_change = at;
    while (end < edits.size() && end - last_change <= 2 * kContext + 1) {
      last_change = edits[end].kind == ' ' ? last_change : end;
      ++end;
    }
    const std::size_t from = at - std::min({at, kContext, old_line - 1});
    const std::size_t to = std::min(last_change + kContext + 1, edits.size());
    std::size_t old_count = 0;
    std::size_t new_count = 0;
    std::string body;
    for (std::size_t i = from; i < to; ++i) {
      old_count += edits[i].kind == '+' ? 0U : 1U;
      new_count += edits[i].kind == '-' ? 0U : 1U;
      body += edits[i].kind;
      body += edits[i].text;
      if (!edits[i].text.ends_with('\n')) {
        body += "\n\\ No newline at end of file\n";
      }
    }
    const std::size_t lead = at - from;
    // An empty side counts from the line before it.
    out += fmt::format("@@ -{},{} +{},{} @@\n{}",
                       old_line - lead - (old_count == 0 ? 1 : 0),
                       old_count,
                       new_line - lead - (new_count == 0 ? 1 : 0),
                       new_count,
                       body);
    old_line += old_count - lead;
    new_line += new_count - lead;
    at = to;
  }
  return out;
}

}  // namespace memsize::cli
