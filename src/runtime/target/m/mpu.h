/* The memory protection unit of Armv7-M (DDI 0403E, B3.5) and Armv8-M (DDI 0553B, D1.2). */
#ifndef MEMSIZE_M_MPU_H
#define MEMSIZE_M_MPU_H

#include <stddef.h>
#include <stdint.h>

/* What cannot be accessed at all, on a multiple of it. */
#define MPU_GRANULE 32U

struct mpu_span {
  uintptr_t base;
  size_t size;
};

/* Everything can be written but the `windows`, which are whole memories, and the `spans`, as far as regions reach;
 * nothing can touch the granule at `guard`, unless that is 0, and that at 0, where null pointers lead: vectors are read past
 * the MPU. */
void mpu_protect(const struct mpu_span* windows, size_t window_count, const struct mpu_span* spans,
                 size_t span_count, uintptr_t guard);

/* Whether mpu_protect() made the byte read-only. */
int mpu_is_read_only(uintptr_t address);

#endif
