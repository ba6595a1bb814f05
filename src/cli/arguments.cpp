// Finds the words of the command line that a mistake is about and points at them.
#include "arguments.hpp"

#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

constexpr std::string_view kSet = "--set ";

// The value of `option` among the words ("--dram 4GiB", "--dram=4GiB"), whose text begins with
// `prefix`; the last one counts.
std::optional<std::string> value_of(const std::vector<std::string>& words,
                                    std::string_view option,
                                    std::string_view prefix) {
  std::optional<std::string> found;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    std::optional<std::string_view> value;
    if (word == option && i + 1 < words.size()) {
      value = words[i + 1];
    } else if (word.size() > option.size() && word.starts_with(option) &&
               word[option.size()] == '=') {
      value = word.substr(option.size() + 1);
    }
    if (value && value->starts_with(prefix)) {
      found = std::string{*value};
    }
  }
  return found;
}

}  // namespace

void point_at_arguments(const std::vector<std::string>& words, core::Diagnostics& diagnostics) {
  for (core::Diagnostic& diagnostic : diagnostics) {
    core::Place& place = diagnostic.place;
    if (diagnostic.option.empty() || !place.path.empty() || place.line != 0) {
      continue;
    }
    const bool sets = diagnostic.option.starts_with(kSet);
    const std::string option = sets ? "--set" : diagnostic.option;
    const std::string prefix = sets ? diagnostic.option.substr(kSet.size()) + "=" : "";
    const auto value = value_of(words, option, prefix);
    if (!value) {
      continue;
    }
    const bool is_name = diagnostic.code == core::Code::kKnobUnknown;
    const std::size_t skipped = is_name ? 0 : prefix.size();
    place.text = fmt::format("{} {}", option, *value);
    place.column = option.size() + 2 + skipped;
    place.length = is_name ? prefix.size() - 1 : value->size() - skipped;
  }
}

}  // namespace memsize::cli
