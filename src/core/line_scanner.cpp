// Keeps the piece of a line that a block cuts off and searches all else in place. Lines with a
// word, long ones and those that the taker asks for are handed over; the others are only counted.
#include "memsize/core/line_scanner.hpp"

#include "word_filter.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace memsize::core {

namespace {

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return line;
}

// Behind the last line's end before `at`, but not before `from`.
std::size_t line_begin(std::string_view text, std::size_t from, std::size_t at) {
#if defined(__GLIBC__)
  const void* const end = ::memrchr(text.data() + from, '\n', at - from);
  return end == nullptr ? from
                        : static_cast<std::size_t>(static_cast<const char*>(end) - text.data()) + 1;
#else
  const std::size_t end = text.substr(from, at - from).rfind('\n');
  return end == std::string_view::npos ? from : from + end + 1;
#endif
}

std::size_t count_lines(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

// A line of `size` bytes or more has at least so many whole steps without a line's end; 0 where it
// may have none.
std::size_t quiet_steps(std::size_t size) {
  return size < kStep ? 0 : (size - (kStep - 1)) / kStep;
}

}  // namespace

class LineScanner::Scan {
 public:
  Scan(Options options, LineTaker& taker)
      : options_(std::move(options)),
        taker_(taker),
        filter_(options_.words),
        wide_(filter_.is_ascii() ? wide_look(options_.widest) : nullptr),
        quiet_(quiet_steps(std::min(options_.long_line, options_.longest))) {}

  tl::expected<void, std::size_t> feed(std::string_view block) {
    if (!rest_.empty()) {
      const std::size_t end = block.find('\n');
      const std::string_view more = block.substr(0, end);
      if (rest_.size() + more.size() > options_.longest) {
        return tl::make_unexpected(lines_ + 1);
      }
      rest_.append(more);
      if (end == std::string_view::npos) {
        return {};
      }
      block.remove_prefix(end + 1);
      finish_rest();
    }
    const std::size_t whole = line_begin(block, 0, block.size());
    if (!scan(block.substr(0, whole)) || block.size() - whole > options_.longest) {
      return tl::make_unexpected(lines_ + 1);
    }
    rest_.assign(block.substr(whole));
    return {};
  }

  void finish() {
    if (!rest_.empty()) {
      finish_rest();
    }
  }

  [[nodiscard]] std::size_t lines() const { return lines_ + (rest_.empty() ? 0U : 1U); }

 private:
  void hand_over(std::string_view line) {
    ++lines_;
    next_ = taker_.take(without_return(line), lines_);
  }

  void finish_rest() {
    if (next_ || is_long(rest_) || has_word(rest_)) {
      hand_over(rest_);
    } else {
      ++lines_;
    }
    rest_.clear();
  }

  [[nodiscard]] bool is_long(std::string_view line) const {
    return line.size() > options_.longest || without_return(line).size() >= options_.long_line;
  }

  [[nodiscard]] bool has_word(std::string_view line) const {
    Search search;
    while (look_bytewise(filter_, line, line.size() + 1, search)) {
      if (first_word(line, search) != std::string_view::npos) {
        return true;
      }
      search.at += kStep;
    }
    return false;
  }

  // The first place of the step at which a word really stands.
  [[nodiscard]] std::size_t first_word(std::string_view text, const Search& search) const {
    for (std::size_t half = 0; half < search.candidates.size(); ++half) {
      for (std::uint64_t bits = search.candidates[half]; bits != 0; bits &= bits - 1) {
        const std::size_t at =
            search.at + half * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        if (filter_.confirm(text, at)) {
          return at;
        }
      }
    }
    return std::string_view::npos;
  }

  // Whole lines. False where one is too long: it is the one behind `lines_`.
  [[nodiscard]] bool scan(std::string_view text) {
    // Where the first line begins that was neither counted nor handed over.
    std::size_t from = 0;
    while (from < text.size()) {
      if (next_ || quiet_ == 0) {
        if (!take_line(text, from, next_)) {
          return false;
        }
        continue;
      }
      Search search{.at = from};
      const std::size_t found = find(text, from, search);
      lines_ += search.newlines;
      if (found == std::string_view::npos) {
        return true;
      }
      from = line_begin(text, from, found);
      if (!take_line(text, from, true)) {
        return false;
      }
    }
    return true;
  }

  // A byte of the next line that is to be looked at; the lines before that line are counted.
  [[nodiscard]] std::size_t find(std::string_view text, std::size_t from, Search& search) const {
    while (look(text, search)) {
      const std::string_view step = text.substr(search.at, kStep);
      std::size_t found = first_word(text, search);
      if (found == std::string_view::npos && search.quiet >= quiet_) {
        const std::size_t end = text.find('\n', search.at);
        const std::size_t begin = line_begin(text, from, search.at);
        found = is_long(text.substr(begin, end - begin)) ? search.at : found;
      }
      if (found != std::string_view::npos) {
        search.newlines += count_lines(text.substr(search.at, found - search.at));
        return found;
      }
      search.newlines += count_lines(step);
      search.at += step.size();
    }
    return std::string_view::npos;
  }

  [[nodiscard]] bool look(std::string_view text, Search& search) const {
    return (wide_ != nullptr && wide_(filter_, text, quiet_, search)) ||
           look_bytewise(filter_, text, quiet_, search);
  }

  // One line from `from` on, which is handed over if it is `wanted`, or should be.
  [[nodiscard]] bool take_line(std::string_view text, std::size_t& from, bool wanted) {
    const std::size_t end = text.find('\n', from);
    const std::string_view line = text.substr(from, end - from);
    if (line.size() > options_.longest) {
      return false;
    }
    from = end + 1;
    if (wanted || is_long(line) || has_word(line)) {
      hand_over(line);
    } else {
      ++lines_;
    }
    return true;
  }

  Options options_;
  LineTaker& taker_;
  WordFilter filter_;
  Look wide_;
  // So many steps without a line's end may be of a line that is long.
  std::size_t quiet_;
  // The beginning of a line whose end has not come.
  std::string rest_;
  std::size_t lines_ = 0;
  bool next_ = false;
};

LineScanner::LineScanner(Options options, LineTaker& taker)
    : scan_(std::make_unique<Scan>(std::move(options), taker)) {}

LineScanner::~LineScanner() = default;

tl::expected<void, std::size_t> LineScanner::feed(std::string_view block) {
  return scan_->feed(block);
}

void LineScanner::finish() {
  scan_->finish();
}

std::size_t LineScanner::lines() const {
  return scan_->lines();
}

}  // namespace memsize::core
