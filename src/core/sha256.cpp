// The digest of nettle, in digits. A short hash is the first 16 of them.
#include "memsize/core/sha256.hpp"

#include <array>
#include <cstdint>

#include <fmt/format.h>
#include <nettle/sha2.h>

namespace memsize::core {

std::string sha256(std::string_view bytes) {
  sha256_ctx context;
  sha256_init(&context);
  // Bytes are what nettle counts in.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  sha256_update(&context, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
  sha256_digest(&context, digest.size(), digest.data());
  std::string text;
  for (const std::uint8_t byte : digest) {
    text += fmt::format("{:02x}", byte);
  }
  return text;
}

std::string short_hash(std::string_view bytes) {
  constexpr std::size_t kDigits = 16;
  return sha256(bytes).substr(0, kDigits);
}

}  // namespace memsize::core
