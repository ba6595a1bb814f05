// nettle's base64.
#include "memsize/core/base64.hpp"

#include <cstdint>

#include <nettle/base64.h>

namespace memsize::core {

std::string to_base64(std::string_view bytes) {
  std::string text(BASE64_ENCODE_RAW_LENGTH(bytes.size()), '\0');
  // Bytes are what nettle counts in.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  const auto* from = reinterpret_cast<const std::uint8_t*>(bytes.data());
  base64_encode_raw(text.data(), bytes.size(), from);
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes(BASE64_DECODE_LENGTH(text.size()), '\0');
  std::size_t size = bytes.size();
  base64_decode_ctx context;
  base64_decode_init(&context);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  auto* to = reinterpret_cast<std::uint8_t*>(bytes.data());
  if (base64_decode_update(&context, &size, to, text.size(), text.data()) == 0 ||
      base64_decode_final(&context) == 0) {
    return std::nullopt;
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace memsize::core
