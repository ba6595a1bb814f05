// toml++ parses, and its tree becomes a document, in the order of the text. What it cannot be given
// is found before: keys so deep that its stack overflows, and letters beyond ASCII in bare keys.
#include "memsize/docs/parse.hpp"

#include <algorithm>
#include <optional>
#include <sstream>
#include <tuple>

#include <fmt/format.h>

// Header-only and without exceptions: the packaged library is of the throwing kind.
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
// Its assertions guard against its own callers, but some fail on bad files, which it then reports.
#define TOML_ASSERT(expr) static_cast<void>(0)
#define TOML_ASSERT_ASSUME(expr) static_cast<void>(0)
#include "memsize/core/text.hpp"

#include <toml++/toml.h>

namespace memsize::docs {

namespace {

// A line as a terminal may show it: control characters and broken UTF-8 are escaped.
std::string shown(std::string_view line) {
  constexpr std::size_t kWhole = 100'000;
  const bool plain = std::ranges::all_of(line, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= 0x20 && byte != 0x7F) || c == '\t';
  });
  return plain && core::is_utf8(line) ? std::string{line} : core::printable(line, kWhole);
}

// Walks over TOML outside of strings and comments, to find what toml++ cannot be given: keys so
// deep that its recursion overflows the stack, and letters outside ASCII in bare keys, on which its
// tables of Unicode are undefined.
class Scanner {
 public:
  struct Finding {
    std::size_t line = 0;
    std::size_t column = 0;
    std::string what;
  };

  explicit Scanner(std::string_view text) : text_(text) {}

  std::optional<Finding> find() {
    constexpr std::size_t kDeepest = 256;
    std::size_t dots = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_string(c);
        continue;
      }
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      if (static_cast<unsigned char>(c) >= 0x80) {
        return Finding{line_, at_ - line_start_ + 1, "letters outside ASCII stand in quotes only"};
      }
      dots = c == '.' ? dots + 1 : c == '\n' || c == '=' || c == ',' ? 0 : dots;
      if (dots > kDeepest) {
        return Finding{line_, 1, "tables are nested more than 256 deep"};
      }
      step();
    }
    return std::nullopt;
  }

 private:
  void step() {
    if (text_[at_++] == '\n') {
      ++line_;
      line_start_ = at_;
    }
  }

  // A string that does not end is toml++'s to report.
  void skip_string(char quote) {
    const std::string triple(3, quote);
    const bool long_form = text_.substr(at_, 3) == triple;
    const std::string_view end =
        long_form ? std::string_view{triple} : std::string_view{triple}.substr(0, 1);
    for (std::size_t i = 0; i < end.size(); ++i) {
      step();
    }
    while (at_ < text_.size() && text_.substr(at_, end.size()) != end) {
      if (!long_form && text_[at_] == '\n') {
        return;
      }
      if (quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size()) {
        step();
      }
      step();
    }
    for (std::size_t i = 0; i < end.size() && at_ < text_.size(); ++i) {
      step();
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t line_start_ = 0;
};

class Converter {
 public:
  Converter(std::string_view text, std::string path) : path_(std::move(path)) {
    std::size_t from = 0;
    while (from <= text.size()) {
      const std::size_t end = std::min(text.find('\n', from), text.size());
      std::string_view line = text.substr(from, end - from);
      if (line.ends_with('\r')) {
        line.remove_suffix(1);
      }
      lines_.emplace_back(shown(line));
      from = end + 1;
    }
  }

  [[nodiscard]] core::Place place(const toml::source_region& region) const {
    core::Place place;
    place.path = path_;
    place.line = region.begin.line;
    place.column = region.begin.column;
    place.length = region.end.line == region.begin.line && region.end.column > region.begin.column
                       ? region.end.column - region.begin.column
                       : 1;
    if (place.line >= 1 && place.line <= lines_.size()) {
      place.text = lines_[place.line - 1];
      // The end of a file is found behind its last character.
      place.column = std::min(place.column, place.text.str().size() + 1);
    }
    return place;
  }

  void convert(const toml::node& node, Builder& out) const {
    core::Place at = place(node.source());
    if (const auto* table = node.as_table()) {
      out.open(Kind::kTable, std::move(at));
      convert_members(*table, out);
      out.close();
    } else if (const auto* array = node.as_array()) {
      out.open(Kind::kList, std::move(at));
      for (const toml::node& item : *array) {
        convert(item, out);
      }
      out.close();
    } else if (const auto* string = node.as_string()) {
      out.add_text(string->get(), std::move(at));
    } else if (const auto* integer = node.as_integer()) {
      out.add_integer(integer->get(), std::move(at));
    } else if (const auto* boolean = node.as_boolean()) {
      out.add_boolean(boolean->get(), std::move(at));
    } else {
      out.add_real(node.value<double>().value_or(0), std::move(at));
    }
  }

 private:
  // toml++ sorts by name; a board is read in the order in which it was written.
  void convert_members(const toml::table& table, Builder& out) const {
    std::vector<std::pair<const toml::key*, const toml::node*>> members;
    for (const auto& [key, child] : table) {
      members.emplace_back(&key, &child);
    }
    std::ranges::stable_sort(members, [](const auto& a, const auto& b) {
      const toml::source_position& first = a.first->source().begin;
      const toml::source_position& second = b.first->source().begin;
      return std::tie(first.line, first.column) < std::tie(second.line, second.column);
    });
    for (const auto& [key, child] : members) {
      out.key(key->str(), place(key->source()));
      convert(*child, out);
    }
  }

  core::SharedText path_;
  std::vector<core::SharedText> lines_;
};

}  // namespace

core::Result<Document> parse_toml(std::string_view text, const std::string& path) {
  text = core::without_byte_order_mark(text);
  const Converter converter{text, path};
  // Bytes that are no UTF-8 are toml++'s to report, if it can be given what stands before them.
  if (const auto found = Scanner{text}.find(); found) {
    toml::source_region region;
    region.begin.line = static_cast<toml::source_index>(found->line);
    region.begin.column = static_cast<toml::source_index>(found->column);
    region.end = region.begin;
    return core::fail(core::error(core::Code::kTomlSyntax,
                                  fmt::format("this is not TOML: {}", found->what),
                                  converter.place(region)));
  }
  const toml::parse_result parsed = toml::parse(text, path);
  if (!parsed) {
    const toml::parse_error& problem = parsed.error();
    return core::fail(core::error(
        core::Code::kTomlSyntax,
        fmt::format("this is not TOML: {}", core::printable(problem.description(), 400)),
        converter.place(problem.source())));
  }
  Builder builder;
  converter.convert(parsed.table(), builder);
  return builder.take();
}

}  // namespace memsize::docs
