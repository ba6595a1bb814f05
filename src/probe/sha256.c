// SHA-256: the constants are the first bits of the cube and square roots of primes (FIPS 180-4, 4.2.2 and 5.3.3).
#include "sha256.h"

#include <stdio.h>
#include <string.h>

static const uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotated(uint32_t word, unsigned by) {
  return word >> by | word << (32U - by);
}

static void mix(struct Sha256* hash) {
  uint32_t w[64];
  for (size_t i = 0; i < 16; ++i) {
    const uint8_t* at = hash->block + 4 * i;
    w[i] = (uint32_t)at[0] << 24U | (uint32_t)at[1] << 16U | (uint32_t)at[2] << 8U | at[3];
  }
  for (size_t i = 16; i < 64; ++i) {
    const uint32_t low = rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ w[i - 15] >> 3U;
    const uint32_t high = rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ w[i - 2] >> 10U;
    w[i] = w[i - 16] + low + w[i - 7] + high;
  }
  uint32_t s[8];
  memcpy(s, hash->state, sizeof s);
  for (size_t i = 0; i < 64; ++i) {
    const uint32_t sum1 = rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25);
    const uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
    const uint32_t one = s[7] + sum1 + choice + kRound[i] + w[i];
    const uint32_t sum0 = rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22);
    const uint32_t two = sum0 + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += one;
    s[0] = one + two;
  }
  for (size_t i = 0; i < 8; ++i) {
    hash->state[i] += s[i];
  }
}

void sha256_begin(struct Sha256* hash) {
  static const uint32_t kFirst[8] = {
      0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memcpy(hash->state, kFirst, sizeof kFirst);
  hash->size = 0;
}

void sha256_add(struct Sha256* hash, const uint8_t* bytes, size_t size) {
  while (size != 0) {
    const size_t used = hash->size % sizeof hash->block;
    const size_t fits = sizeof hash->block - used;
    const size_t some = size < fits ? size : fits;
    memcpy(hash->block + used, bytes, some);
    hash->size += some;
    bytes += some;
    size -= some;
    if (some == fits) {
      mix(hash);
    }
  }
}

void sha256_end(struct Sha256* hash, char digits[65]) {
  const uint64_t bits = hash->size * 8;
  const uint8_t one = 0x80;
  const uint8_t zero = 0;
  sha256_add(hash, &one, 1);
  while (hash->size % 64 != 56) {
    sha256_add(hash, &zero, 1);
  }
  for (unsigned shift = 64; shift != 0; shift -= 8) {
    const uint8_t byte = (uint8_t)(bits >> (shift - 8));
    sha256_add(hash, &byte, 1);
  }
  for (size_t i = 0; i < 8; ++i) {
    snprintf(digits + 8 * i, 9, "%08x", (unsigned)hash->state[i]);
  }
}
