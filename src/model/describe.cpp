// Sizes and addresses of documents, as they were printed.
#include "memsize/model/describe.hpp"

#include <fmt/format.h>

namespace memsize::model {

namespace {

// "19.42" as 1942.
std::optional<std::uint64_t> printed_hundredths(std::string_view text) {
  constexpr std::size_t kDecimals = 2;
  constexpr std::size_t kLongest = 16;  // 2^53 B
  if (text.size() < kDecimals + 2 || text.size() > kLongest ||
      text[text.size() - kDecimals - 1] != '.') {
    return std::nullopt;
  }
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + kDecimals + 1 == text.size()) {
      continue;
    }
    if (text[i] < '0' || text[i] > '9') {
      return std::nullopt;
    }
    value = value * 10 + static_cast<std::uint64_t>(text[i] - '0');
  }
  return value;
}

}  // namespace

MeasuredSize read_size(docs::Fields& of, std::uint64_t most) {
  const docs::Text printed = of.text("printed_kib");
  const auto hundredths = printed.written ? printed_hundredths(printed.text) : std::nullopt;
  auto restored = hundredths ? measured_kib(*hundredths) : MeasuredSize{};
  // The largest print is that of 2^32 - 1 B, rounded to 2^32 B by TIDL.
  const bool rounded = restored.nearest.count() == most + 1;
  const auto size = of.number("size_bytes", rounded ? most + 1 : most);
  if (!size) {
    return {};
  }
  if (printed.written && (!hundredths || restored.nearest.count() != *size)) {
    of.wrong("printed_kib", "it does not agree with size_bytes");
  } else if (printed.written) {
    return restored;
  }
  return measured_exactly(core::Bytes{*size});
}

std::optional<PrintedAddress> read_address(docs::Fields& of) {
  if (!of.has("address")) {
    return std::nullopt;
  }
  const std::uint64_t address = of.address("address");
  // Without a width, the upper bits are those of the heap that was known then.
  constexpr std::uint64_t kLow = 32;
  constexpr std::uint64_t kWhole = 64;
  const auto bits = of.number_if_any("address_bits", kWhole).value_or(kLow);
  if (bits != kLow && bits != kWhole) {
    of.wrong("address_bits", fmt::format("it must be 32 or 64, not {}", bits));
  }
  return bits == kWhole ? PrintedAddress::whole(address) : PrintedAddress::low(address);
}

}  // namespace memsize::model
