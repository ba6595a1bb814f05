/* The tables of mmu_tables.c, with the registers that it names. */
#include "a64.h"

extern const uint64_t memsize_mmu_ttbr0_el1;
extern const uint64_t memsize_mmu_tcr_el1;
extern const uint64_t memsize_mmu_mair_el1;
extern const uint64_t memsize_mmu_tables[];

struct registers tables_to_use(void) {
  /* What is linked in must be where the register says. */
  if (memsize_mmu_ttbr0_el1 != (uintptr_t)memsize_mmu_tables) {
    leave(NO_PLAN);
  }
  const struct registers found = {memsize_mmu_ttbr0_el1, memsize_mmu_tcr_el1, memsize_mmu_mair_el1};
  return found;
}
