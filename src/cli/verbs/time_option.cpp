// "60", "60s" or "500ms" to milliseconds, up to a day; an error names the option.
#include "time_option.hpp"

#include "memsize/core/text.hpp"

#include <charconv>

#include <fmt/format.h>

namespace memsize::cli {

core::Result<std::chrono::milliseconds> parse_time(const char* option, const std::string& text) {
  std::string_view digits = text;
  const bool milli = digits.ends_with("ms");
  digits.remove_suffix(milli ? 2 : digits.ends_with('s') ? 1 : 0);
  std::uint32_t number = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  constexpr std::uint32_t kDay = 86400;
  if (failure != std::errc{} || end != digits.data() + digits.size() || number == 0 ||
      number > kDay * (milli ? 1000U : 1U)) {
    return core::fail(
        core::error(core::Code::kUsage,
                    fmt::format("{}: '{}' is no time", option, core::printable(text, 40)),
                    {},
                    "write seconds, as in 60s, up to a day"));
  }
  return std::chrono::milliseconds{milli ? number : number * 1000ULL};
}

}  // namespace memsize::cli
