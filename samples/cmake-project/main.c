/* What the memory map of this build gives to the heaps of one core. */
#include <stdio.h>

#include "app_mem_map.h"

_Static_assert(DDR_C7X_2_LOCAL_HEAP_SIZE > 0, "the map has no heap for c7x_2");

int main(void) {
  printf("persistent: 0x%llX, %llu bytes\n",
         (unsigned long long)DDR_C7X_2_LOCAL_HEAP_ADDR,
         (unsigned long long)DDR_C7X_2_LOCAL_HEAP_SIZE);
  printf("scratch:    0x%llX, %llu bytes\n",
         (unsigned long long)DDR_C7X_2_SCRATCH_ADDR,
         (unsigned long long)DDR_C7X_2_SCRATCH_SIZE);
  return 0;
}
