// LineScan steps through a line and stays failed once a piece is missing. PlanText builds a report
// from rows: names that come twice get a number, and sums beyond any memory are refused.
#include "plan_lines.hpp"

#include "memsize/core/cursor.hpp"
#include "memsize/core/text.hpp"

#include "console_line.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

bool may_follow_number(char c) {
  return is_blank(c) || std::string_view{",:;-)]}@%"}.find(c) != std::string_view::npos;
}

}  // namespace

bool PlanLines::next() {
  if (at_ >= text_.size()) {
    return false;
  }
  const std::size_t end = std::min(text_.find('\n', at_), text_.size());
  line_ = text_.substr(at_, end - at_);
  at_ = end + 1;
  ++number_;
  line_.remove_suffix(line_.ends_with('\r') ? 1U : 0U);
  if (clean_line(line_, cleaned_)) {
    line_ = cleaned_;
  }
  return true;
}

void LineScan::skip_blanks() {
  while (at_ < line_.size() && is_blank(line_[at_])) {
    ++at_;
  }
}

LineScan& LineScan::find(std::string_view text) {
  const std::size_t found = ok_ ? line_.find(text, at_) : std::string_view::npos;
  ok_ = found != std::string_view::npos;
  at_ = ok_ ? found + text.size() : at_;
  return *this;
}

LineScan& LineScan::take(std::string_view text) {
  for (const char c : text) {
    if (!ok_) {
      return *this;
    }
    if (is_blank(c)) {
      skip_blanks();
    } else {
      ok_ = at_ < line_.size() && line_[at_] == c;
      ++at_;
    }
  }
  return *this;
}

template <typename Number>
LineScan& LineScan::number(Number& value, int base) {
  if (!ok_) {
    return *this;
  }
  skip_blanks();
  if (base == 16 && (line_.substr(at_).starts_with("0x") || line_.substr(at_).starts_with("0X"))) {
    at_ += 2;
  }
  const char* const begin = line_.data() + at_;
  const auto [stop, failure] = std::from_chars(begin, line_.data() + line_.size(), value, base);
  at_ += static_cast<std::size_t>(stop - begin);
  ok_ = failure == std::errc{} && (at_ == line_.size() || may_follow_number(line_[at_]));
  return *this;
}

LineScan& LineScan::whole(std::uint64_t& value) {
  return number(value, 10);
}

LineScan& LineScan::step(std::int64_t& value) {
  return number(value, 10);
}

LineScan& LineScan::hex(std::uint64_t& value) {
  return number(value, 16);
}

LineScan& LineScan::until(std::string_view stop, std::string_view& value) {
  const std::size_t begin = at_;
  find(stop);
  if (ok_) {
    value = core::trim(line_.substr(begin, at_ - stop.size() - begin));
  }
  return *this;
}

LineScan& LineScan::end() {
  skip_blanks();
  ok_ = ok_ && at_ == line_.size();
  return *this;
}

LineScan& LineScan::rest(std::string_view& value) {
  if (ok_) {
    value = core::trim(line_.substr(at_));
    at_ = line_.size();
  }
  return *this;
}

std::size_t pieces_in(std::string_view line, std::initializer_list<std::string_view> pieces) {
  return static_cast<std::size_t>(std::ranges::count_if(
      pieces, [&](std::string_view piece) { return line.find(piece) != std::string_view::npos; }));
}

void PlanText::damaged(std::size_t line, std::string_view row) {
  error(Code::kPlanSyntax,
        {line, 0},
        fmt::format("this line looks like a row of {}, and cannot be read as one", row),
        "the line is damaged: print the report again, or give the line as its tool printed it");
}

bool PlanText::add(model::PlannedBlock block) {
  const PlanPlace place{block.line, 0};
  const std::string what = fmt::format("'{}'", core::printable(block.id, 40));
  if (!size(block.size.count(), place, what)) {
    return false;
  }
  if (block.offset && (!size(block.offset->count(), place, what) ||
                       !ends_in_plan(*block.offset, block.size, place, what))) {
    return false;
  }
  total_ += block.size;
  if (!adds_up(total_, place, what)) {
    return false;
  }
  // "a#2" may be somebody's own name, too: the next free number.
  const std::string id = block.id;
  std::size_t& times = times_[id];
  for (++times; !ids_.insert(block.id).second; ++times) {
    block.id = fmt::format("{}#{}", id, std::max<std::size_t>(times, 2));
  }
  report_.blocks.push_back(std::move(block));
  return true;
}

model::PlannedMemory& PlanText::memory(const std::string& name, std::size_t line) {
  const auto [found, fresh] = memories_.emplace(name, report_.memories.size());
  if (fresh) {
    model::PlannedMemory& made = report_.memories.emplace_back();
    made.name = name;
    made.line = line;
  }
  return report_.memories[found->second];
}

model::PlannedArena& PlanText::arena(const std::string& name,
                                     model::Lifetime role,
                                     std::size_t line) {
  const auto [found, fresh] = arenas_.emplace(std::pair{name, role}, report_.arenas.size());
  if (fresh) {
    model::PlannedArena& made = report_.arenas.emplace_back();
    made.memory = name;
    made.role = role;
    made.line = line;
  }
  return report_.arenas[found->second];
}

bool PlanText::empty() const {
  return report_.blocks.empty() && report_.arenas.empty() && report_.memories.empty() &&
         report_.layers.empty() && !failed();
}

PlanResult PlanText::done() {
  PlanResult result = finish(std::move(report_));
  core::add_text(result ? result->diagnostics : result.error(), path_, text_);
  return result;
}

}  // namespace memsize::readers
