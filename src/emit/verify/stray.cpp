// Finds words in a written map that its consumer would refuse. The parsers pass them over, since
// in an SDK tree much stands beside what memsize knows.
#include "stray.hpp"

#include "memsize/core/cursor.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/written_map.hpp"

#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Code;

bool is_name_or_number(std::string_view word) {
  const auto first = static_cast<unsigned char>(word.front());
  return std::isalnum(first) != 0 || first == '_';
}

// Goes through C line by line, or through a script of GNU ld.
class StrayWords {
 public:
  StrayWords(const MapFile& file, const std::string& root, core::Diagnostics& errors)
      : cursor_(file.path_under(root), file.content, Code::kVerifyParse, errors, core::Words::kC),
        errors_(errors) {}

  void read_c() {
    while (!cursor_.done()) {
      take_line();
      if (words_.front() == "#") {
        check_directive();
      } else if (is_name_or_number(words_.back())) {
        refuse_last();
      }
    }
    if (!open_.empty()) {
      refuse("this condition has no #endif", open_.back());
    }
  }

  void read_ld() {
    while (!cursor_.done()) {
      take_line();
      const bool is_alone = words_.size() == 1;
      const bool belongs = is_alone ? core::is_one_of(words_.front(), "MEMORY SECTIONS PHDRS")
                                    : core::is_one_of(words_[words_.size() - 2], "= > : ,");
      if (is_name_or_number(words_.back()) && !belongs) {
        refuse_last();
      }
      check_braces();
    }
    if (!open_.empty()) {
      refuse("this brace is not closed", open_.back());
    }
  }

 private:
  // With what a backslash puts behind it.
  void take_line() {
    words_.clear();
    places_.clear();
    do {
      places_.push_back(cursor_.place());
      words_.push_back(cursor_.take());
    } while (!cursor_.done() && (!cursor_.begins_line() || words_.back() == "\\"));
  }

  void check_directive() {
    const std::string word = words_.size() > 1 ? words_[1] : std::string{};
    if (core::is_one_of(word, "if ifdef ifndef")) {
      open_.push_back(places_.front());
    } else if (core::is_one_of(word, "endif else elif")) {
      if (open_.empty()) {
        return refuse(fmt::format("this #{} has no #if", word), places_.front());
      }
      open_.resize(open_.size() - (word == "endif" ? 1U : 0U));
    } else if (word == "define") {
      check_macro();
    } else if (!core::is_one_of(word, "undef include pragma error warning line")) {
      refuse(fmt::format("'#{}' is no directive of C", core::printable(word, 40)), places_.front());
    }
  }

  void check_braces() {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (words_[i] == "{") {
        open_.push_back(places_[i]);
      } else if (words_[i] == "}" && open_.empty()) {
        refuse("this brace closes nothing", places_[i]);
      } else if (words_[i] == "}") {
        open_.pop_back();
      }
    }
  }

  // "# define NAME NUMBER", or the number in parentheses.
  void check_macro() {
    const bool is_wrapped = words_.size() > 3 && words_[3] == "(";
    const std::size_t number = is_wrapped ? 4 : 3;
    const std::size_t behind = number + (is_wrapped ? 2 : 1);
    if (words_.size() > behind && words_[number].find_first_of("0123456789") == 0) {
      refuse(fmt::format("'{}' stands behind the macro's number", shown(behind)), places_[behind]);
    }
  }

  void refuse_last() {
    refuse(fmt::format("'{}' does not belong at the end of this line", shown(words_.size() - 1)),
           places_.back());
  }

  [[nodiscard]] std::string shown(std::size_t word) const {
    return core::printable(words_[word], 40);
  }

  void refuse(std::string what, const core::Place& place) {
    errors_.push_back(
        core::error(Code::kVerifyParse, std::move(what), place, std::string{kWriteAgain}));
  }

  core::Cursor cursor_;
  core::Diagnostics& errors_;
  // Of one line.
  std::vector<std::string> words_;
  std::vector<core::Place> places_;
  // The conditions or braces around it.
  std::vector<core::Place> open_;
};

}  // namespace

void refuse_warnings(core::Diagnostics& errors, std::size_t first) {
  for (; first < errors.size(); ++first) {
    errors[first].severity = core::Severity::kError;
  }
}

bool refuse_stray_words(const MapFile& file, const std::string& root, core::Diagnostics& errors) {
  const std::size_t before = errors.size();
  StrayWords words{file, root, errors};
  file.path.ends_with(".ld") ? words.read_ld() : words.read_c();
  return errors.size() == before;
}

void refuse_behind_memory(const MapFile& file, const std::string& root, core::Diagnostics& errors) {
  core::Cursor cursor{file.path_under(root), file.content, Code::kVerifyParse, errors};
  cursor.skip_past("}");
  if (!cursor.done()) {
    errors.push_back(core::error(Code::kVerifyParse,
                                 fmt::format("'{}' stands behind MEMORY, where nothing belongs",
                                             core::printable(cursor.peek(), 40)),
                                 cursor.place(),
                                 std::string{kWriteAgain}));
  }
}

}  // namespace memsize::emit
