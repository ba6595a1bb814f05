// SHA-256 (FIPS 180-4), piece by piece.
#ifndef MEMSIZE_PROBE_SHA256_H
#define MEMSIZE_PROBE_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct Sha256 {
  uint32_t state[8];
  uint64_t size;
  uint8_t block[64];
};

void sha256_begin(struct Sha256* hash);
void sha256_add(struct Sha256* hash, const uint8_t* bytes, size_t size);
// 64 hexadecimal digits and a NUL.
void sha256_end(struct Sha256* hash, char digits[65]);

#endif
