/* How values are rounded to int8. Each operator has its own way, and they differ where a value lies in the middle of
 * two. Floats are IEEE's of 32 bits; each product, sum and quotient is rounded once, so that no compiler may contract
 * them (-ffp-contract=off). */
#ifndef NET_ROUND_H
#define NET_ROUND_H

#include <stdint.h>

enum { NET_LEAST = -128, NET_MOST = 127 };

/* Bounds are whole, so that it does not matter whether one rounds first. */
static inline float net_clamped(float value) {
  if (!(value > (float)NET_LEAST)) {
    return (float)NET_LEAST;
  }
  return value < (float)NET_MOST ? value : (float)NET_MOST;
}

/* To the nearest, and of two to the even one: quantisers, convolutions, linear layers, additions, averages. */
static inline int8_t net_round_even(float value) {
  const float clamped = net_clamped(value);
  int32_t whole = (int32_t)clamped;
  const float rest = clamped - (float)whole;
  if (rest > 0.5F || (rest == 0.5F && (whole & 1) != 0)) {
    ++whole;
  } else if (rest < -0.5F || (rest == -0.5F && (whole & 1) != 0)) {
    --whole;
  }
  return (int8_t)whole;
}

/* To the nearest, and of two to the larger one, as floor(value + 0.5): requantisations and global averages. The sum is
 * rounded, too. */
static inline int8_t net_round_up(float value) {
  const float moved = net_clamped(value) + 0.5F;
  int32_t whole = (int32_t)moved;
  if ((float)whole > moved) {
    --whole;
  }
  return (int8_t)(whole > NET_MOST ? NET_MOST : whole);
}

/* An accumulator with its bias; what leaves 32 bits wraps. */
static inline int32_t net_sum(int32_t accumulated, int32_t bias) {
  return (int32_t)((uint32_t)accumulated + (uint32_t)bias);
}

/* The bias comes before the scale. */
static inline int8_t net_quantised(int32_t sum, float scale) { return net_round_even((float)sum * scale); }

#endif
