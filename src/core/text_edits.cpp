// Collects changes by place and makes all of them in one pass. Two changes of the same bytes are a
// bug; inserted lines end as the text's own do.
#include "memsize/core/text_edits.hpp"

#include "memsize/core/bug.hpp"

#include <algorithm>
#include <utility>

namespace memsize::core {

TextEdits::TextEdits(std::string_view text) : text_(text), begins_{0} {
  for (std::size_t at = text.find('\n'); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    begins_.push_back(at + 1);
  }
  if (begins_.back() != text.size()) {
    begins_.push_back(text.size());
  }
}

void TextEdits::check_line(std::size_t line) const {
  bug_if(line == 0 || line > lines(), "a change of a line that the text does not have");
}

std::string_view TextEdits::line(std::size_t number) const {
  check_line(number);
  std::string_view line = text_.substr(begins_[number - 1], begins_[number] - begins_[number - 1]);
  if (line.ends_with('\n')) {
    line.remove_suffix(1);
    line.remove_suffix(line.ends_with('\r') ? 1 : 0);
  }
  return line;
}

std::string_view TextEdits::at(const Place& place) const {
  check_line(place.line);
  bug_if(place.column == 0 ||
             place.column - 1 + place.length > begins_[place.line] - begins_[place.line - 1],
         "a change of bytes that the line does not have");
  return text_.substr(begins_[place.line - 1] + place.column - 1, place.length);
}

// The line's own, or that of the text's first line where it has none.
std::string TextEdits::ending(std::size_t line) const {
  const auto of = [this](std::size_t end) {
    return end >= 2 && text_[end - 2] == '\r' ? std::string{"\r\n"} : std::string{"\n"};
  };
  if (text_[begins_[line] - 1] == '\n') {
    return of(begins_[line]);
  }
  return lines() > 1 ? of(begins_[1]) : std::string{"\n"};
}

void TextEdits::replace(const Place& place, std::string text) {
  const std::size_t length = at(place).size();
  const std::size_t begin = begins_[place.line - 1] + place.column - 1;
  edits_.push_back({begin, begin + length, std::move(text)});
}

void TextEdits::insert_after_line(std::size_t line, const std::string& text) {
  check_line(line);
  const std::string end = ending(line);
  std::string lines;
  for (const char c : text) {
    lines += c == '\n' ? end : std::string(1, c);
  }
  const bool is_open = text_[begins_[line] - 1] != '\n';
  edits_.push_back({begins_[line], begins_[line], is_open ? end + lines : lines + end});
}

void TextEdits::remove_lines(std::size_t first, std::size_t last) {
  check_line(first);
  check_line(last);
  bug_if(first > last, "lines are removed from the last to the first");
  edits_.push_back({begins_[first - 1], begins_[last], {}});
}

std::string TextEdits::apply() const {
  std::vector<const Edit*> order;
  order.reserve(edits_.size());
  for (const Edit& edit : edits_) {
    order.push_back(&edit);
  }
  // An insertion at the beginning of what is replaced stands before it.
  std::ranges::stable_sort(order, [](const Edit* a, const Edit* b) {
    return std::pair{a->begin, a->begin != a->end} < std::pair{b->begin, b->begin != b->end};
  });
  std::string result;
  std::size_t done = 0;
  for (const Edit* edit : order) {
    const bool is_inside = edit->begin == edit->end && edit->begin < done;
    bug_if(edit->begin < done && !is_inside, "two changes of the same bytes");
    if (!is_inside) {
      result += text_.substr(done, edit->begin - done);
      done = edit->end;
    }
    result += edit->text;
  }
  result += text_.substr(done);
  return result;
}

}  // namespace memsize::core
