// Reads, applies and prints a headroom: a whole percentage of what can vary, rounded up, or a size.
#include "headroom.hpp"

#include "memsize/core/text.hpp"

#include <fmt/format.h>

namespace memsize::sizing {

using core::Bytes;
using core::Code;

Bytes headroom_for(const Headroom& headroom, Bytes variable) {
  if (!headroom.is_percent) {
    return headroom.size;
  }
  const std::uint64_t hundredths = variable.count() / 100;
  const std::uint64_t rest = variable.count() % 100;
  return Bytes{hundredths * headroom.percent + (rest * headroom.percent + 99) / 100};
}

core::Result<Headroom> parse_headroom(std::string_view text) {
  constexpr std::uint64_t kMost = 1000;
  const std::string_view trimmed = core::trim(text);
  Headroom headroom;
  const auto refuse = [&] {
    return core::fail(core::error(Code::kTextSize,
                                  fmt::format("'{}' is not a headroom", core::printable(text, 40)),
                                  {},
                                  "a headroom is a whole percentage up to 1000% (10%), a size "
                                  "(512KiB), or 0"));
  };
  if (trimmed.ends_with('%')) {
    const auto percent = core::parse_address(trimmed.substr(0, trimmed.size() - 1));
    if (!percent || *percent > kMost) {
      return refuse();
    }
    headroom.percent = *percent;
    return headroom;
  }
  const bool number = !trimmed.empty() && trimmed.front() >= '0' && trimmed.front() <= '9';
  const auto size = core::parse_bytes(trimmed);
  if (!size) {
    return number ? tl::make_unexpected(size.error()) : refuse();
  }
  headroom.is_percent = false;
  headroom.size = *size;
  return headroom;
}

std::string format_headroom(const Headroom& headroom) {
  return headroom.is_percent ? fmt::format("{}%", headroom.percent)
                             : fmt::format("{}", headroom.size.count());
}

}  // namespace memsize::sizing
