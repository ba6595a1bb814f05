// Walks a pattern once: groups and classes are stepped over, escapes of punctuation are characters,
// and what a repetition may leave out is taken back.
#include "literals.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace memsize::readers {

namespace {

// "(?i)", "(?si:", wherever it stands: that it is asked for again behind "-i" is no loss.
bool has_flag_i(std::string_view pattern) {
  constexpr std::string_view kFlags = "imsU-";
  for (std::size_t at = pattern.find("(?"); at != std::string_view::npos;
       at = pattern.find("(?", at + 1)) {
    const std::string_view flags = pattern.substr(at + 2);
    if (flags.substr(0, flags.find_first_not_of(kFlags)).find('i') != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

class Walk {
 public:
  explicit Walk(std::string_view pattern) : pattern_(pattern) {}

  std::string longest() {
    // Letters that match others, and a choice of everything, have no text in common.
    if (has_flag_i(pattern_)) {
      return {};
    }
    while (at_ < pattern_.size()) {
      if (!step()) {
        return {};
      }
    }
    end_run();
    return best_;
  }

 private:
  // False: the pattern is a choice.
  bool step() {
    const char c = pattern_[at_++];
    switch (c) {
      case '|':
        return false;
      case '(':
        end_run();
        skip_group();
        break;
      case '[':
        end_run();
        skip_class();
        break;
      case '*':
      case '?':
      case '{':
        // What stands before it may be missing.
        if (!run_.empty()) {
          run_.pop_back();
        }
        end_run();
        if (c == '{') {
          at_ = std::min(pattern_.find('}', at_), pattern_.size() - 1) + 1;
        }
        break;
      case '+':
      case '.':
      case '^':
      case '$':
      // No line has them.
      case '\n':
      case '\r':
        end_run();
        break;
      case '\\':
        take_escape();
        break;
      default:
        run_ += c;
    }
    return true;
  }

  void take_escape() {
    const char c = at_ < pattern_.size() ? pattern_[at_++] : '\\';
    if (std::ispunct(static_cast<unsigned char>(c)) != 0) {
      run_ += c;
      return;
    }
    // A class, a number or a name: nothing is known of it, nor where it ends.
    end_run();
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == 'Q' || c == 'x' || c == 'p' ||
        c == 'P') {
      at_ = pattern_.size();
    }
  }

  void skip_class() {
    for (bool first = true; at_ < pattern_.size(); first = false) {
      const char c = pattern_[at_++];
      if (c == '\\') {
        ++at_;
      } else if (c == '[' && at_ < pattern_.size() && pattern_[at_] == ':') {
        at_ = std::min(pattern_.find(":]", at_), pattern_.size() - 2) + 2;
      } else if (c == ']' && !first) {
        return;
      } else if (c == '^' && first && at_ < pattern_.size() && pattern_[at_] == ']') {
        ++at_;
      }
    }
  }

  void skip_group() {
    for (int depth = 1; depth > 0 && at_ < pattern_.size();) {
      const char c = pattern_[at_++];
      if (c == '\\') {
        ++at_;
      } else if (c == '[') {
        skip_class();
      } else {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      }
    }
  }

  void end_run() {
    if (run_.size() > best_.size()) {
      best_ = run_;
    }
    run_.clear();
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  std::string run_;
  std::string best_;
};

}  // namespace

std::string longest_literal(std::string_view pattern) {
  return Walk{pattern}.longest();
}

}  // namespace memsize::readers
