/* The table that the test wrote into its plan. */
#include "r5f.h"

void load_table(struct registers table[TABLE_REGIONS]) {
  for (uint32_t number = 0; number < TABLE_REGIONS; ++number) {
    table[number].base = PLAN->table[number].base;
    table[number].size = PLAN->table[number].size;
    table[number].access = PLAN->table[number].access;
  }
}
