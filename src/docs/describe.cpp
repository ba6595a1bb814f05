// What members of each type look like in a document.
#include "memsize/docs/describe.hpp"

#include "memsize/core/text.hpp"

#include <fmt/format.h>

namespace memsize::docs {

void Reader::take(Key /*key*/, Value value, bool& flag) {
  flag = fields_.is_kind(value, Kind::kBoolean) && value.boolean();
}

// A time or an amount of traffic, as precise as it was printed.
void Reader::take(Key /*key*/, Value value, double& measure) {
  if (value.is(Kind::kWhole)) {
    measure = static_cast<double>(value.whole());
  } else if (value.is(Kind::kReal) && value.real() >= 0) {
    measure = value.real();
  } else {
    fields_.must_be(value, "a number that is not negative");
  }
}

void Reader::take(Key /*key*/, Value value, std::int64_t& number) {
  if (fields_.is_kind(value, Kind::kWhole)) {
    number = value.integer();
  }
}

void Reader::take(Key key, Value value, std::string& text) {
  if (!fields_.is_kind(value, Kind::kText)) {
    return;
  }
  text = key.role == Role::kName ? core::printable(value.text(), kLongestShown) : value.string();
  if (key.role == Role::kIdentifier && !core::is_identifier(text)) {
    fields_.must_be(value, "a name such as ddr");
  }
}

void Reader::take(Key key, Value value, core::Bytes& size) {
  size = core::Bytes{whole(key, value, kMostExact).value_or(0)};
}

void Reader::take(Key key, Value value, core::Align& align) {
  const auto number = whole(key, value, std::numeric_limits<std::uint32_t>::max());
  const auto made = core::Align::make(number.value_or(1));
  if (!made) {
    fields_.wrong(value, fmt::format("{} is not a power of two", *number));
  }
  align = made.value_or(core::Align{});
}

void Reader::take(Key /*key*/, Value value, core::VirtAddr& address) {
  address = core::VirtAddr{fields_.as_address(value)};
}

void Reader::take(Key key, Value /*value*/, std::vector<std::string>& texts) {
  texts = fields_.strings(key.name);
}

std::optional<std::uint64_t> Reader::whole(Key key, Value value, std::uint64_t most) {
  const auto number = fields_.as_number(value, std::min(most, kMostExact));
  if (key.role == Role::kUnique && number && seen_ != nullptr && !seen_->insert(*number).second) {
    fields_.wrong(value, fmt::format("{} {} stands twice in one table", key.name, *number));
  }
  return number;
}

std::string Writer::hex(std::uint64_t address) {
  return fmt::format("0x{:x}", address);
}

}  // namespace memsize::docs
