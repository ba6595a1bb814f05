/* The words of mpu_table.c, as they are. */
#include "r5f.h"

extern const uint32_t memsize_mpu_regions;
extern const uint32_t memsize_mpu_table[][4];

void load_table(struct registers table[TABLE_REGIONS]) {
  for (uint32_t at = 0; at < memsize_mpu_regions; ++at) {
    const uint32_t *row = memsize_mpu_table[at];
    if (row[0] >= TABLE_REGIONS) {
      leave(BAD_NUMBER);
    }
    struct registers *target = &table[row[0]];
    target->base = row[1];
    target->size = row[2];
    target->access = row[3];
  }
}
