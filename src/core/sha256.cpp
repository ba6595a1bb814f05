// The compression of FIPS 180-4, block by block; the constants are its tables. A short hash is the
// first 16 digits.
#include "memsize/core/sha256.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

namespace memsize::core {

namespace {

constexpr std::size_t kHashBlock = 64;
constexpr std::size_t kRounds = 64;
constexpr std::size_t kWords = 8;

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, kRounds> kConstants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

// The same of the square roots of the first 8.
constexpr std::array<std::uint32_t, kWords> kStart = {
    0x6a09e667,
    0xbb67ae85,
    0x3c6ef372,
    0xa54ff53a,
    0x510e527f,
    0x9b05688c,
    0x1f83d9ab,
    0x5be0cd19,
};

using State = std::array<std::uint32_t, kWords>;

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t word = 0;
  for (const char byte : bytes) {
    word = word << 8U | static_cast<unsigned char>(byte);
  }
  return word;
}

void add_block(State& state, std::string_view block) {
  std::array<std::uint32_t, kRounds> words{};
  for (std::size_t i = 0; i < kRounds; ++i) {
    if (i < kHashBlock / 4) {
      words[i] = big_endian(block.substr(4 * i, 4));
      continue;
    }
    const std::uint32_t a = words[i - 15];
    const std::uint32_t b = words[i - 2];
    words[i] = words[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3U) + words[i - 7] +
               (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10U);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < kRounds; ++i) {
    const std::uint32_t choice = (e & f) ^ (~e & g);
    const std::uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    const std::uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                choice + kConstants[i] + words[i];
    const std::uint32_t second = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + majority;
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const State add = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < kWords; ++i) {
    state[i] += add[i];
  }
}

}  // namespace

std::string sha256(std::string_view bytes) {
  constexpr std::size_t kLength = 8;
  State state = kStart;
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (; bytes.size() >= kHashBlock; bytes.remove_prefix(kHashBlock)) {
    add_block(state, bytes.substr(0, kHashBlock));
  }
  // A one, zeros, and the length in bits at the end of a block.
  std::string rest{bytes};
  rest += '\x80';
  rest.resize(rest.size() + kLength <= kHashBlock ? kHashBlock : 2 * kHashBlock, '\0');
  for (std::size_t i = 0; i < kLength; ++i) {
    rest[rest.size() - 1 - i] = static_cast<char>(bits >> (8 * i) & 0xFFU);
  }
  for (std::size_t at = 0; at < rest.size(); at += kHashBlock) {
    add_block(state, std::string_view{rest}.substr(at, kHashBlock));
  }
  std::string text;
  for (const std::uint32_t word : state) {
    text += fmt::format("{:08x}", word);
  }
  return text;
}

std::string short_hash(std::string_view bytes) {
  constexpr std::size_t kDigits = 16;
  return sha256(bytes).substr(0, kDigits);
}

}  // namespace memsize::core
