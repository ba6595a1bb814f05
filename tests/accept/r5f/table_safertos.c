/* The table of mpu_cfg.c, read as the PDK's xConfigureMPU and SafeRTOS read it. */
#include "r5f.h"

#include <ti/osal/SafeRTOS_MPU.h>

extern xMPU_CONFIG_PARAMETERS gMPUConfigParms[CSL_ARM_R5F_MPU_REGIONS_MAX];

/* Regions 0 and 11 to 15 are the kernel's own. */
enum { FIRST_REGION = 1, LAST_REGION = 10, SUB_REGIONS = 0xFF00 };

/* TEX, C and B by memAttr, for what is not cacheable. */
static const uint8_t kinds[CSL_ARM_R5_MEM_ATTR_MAX][3] = {
    {0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {1, 0, 0}, {1, 1, 1}, {2, 0, 0}};

static uint32_t kind_of(const xMPU_CONFIG_ACCESS *access) {
  if (access->ulmemAttr >= CSL_ARM_R5_MEM_ATTR_MAX ||
      access->ulcachePolicy > CSL_ARM_R5_CACHE_POLICY_WB_NO_WA) {
    leave(BAD_KIND);
  }
  if (access->ulcacheable == 1U) {
    return (4U | access->ulcachePolicy) << 3 | access->ulcachePolicy;
  }
  /* C comes out as bit 0 and B as bit 1: the PDK's code has them the wrong way round. */
  const uint8_t *kind = kinds[access->ulmemAttr];
  return (uint32_t)kind[0] << 3 | (uint32_t)kind[2] << 1 | kind[1];
}

/* The size register for a power of two on a multiple of itself. */
static uint32_t size_of(const xMPU_CONFIG_PARAMETERS *region) {
  uint32_t exponent = 5;
  while (exponent < 31U && 1U << exponent != region->ulRegionSize) {
    ++exponent;
  }
  if (1U << exponent != region->ulRegionSize ||
      (region->ulRegionBeginAddress & (region->ulRegionSize - 1U)) != 0U) {
    leave(BAD_SIZE);
  }
  return (exponent - 1U) << 1;
}

void load_table(struct registers table[TABLE_REGIONS]) {
  for (uint32_t at = 0; at < CSL_ARM_R5F_MPU_REGIONS_MAX; ++at) {
    const xMPU_CONFIG_PARAMETERS *region = &gMPUConfigParms[at];
    if (region->ulRegionSize < 32U) {
      continue;
    }
    if (region->ulRegionNumber < FIRST_REGION || region->ulRegionNumber > LAST_REGION) {
      leave(BAD_NUMBER);
    }
    if ((region->ulSubRegionDisable & ~(uint32_t)SUB_REGIONS) != 0U) {
      leave(BAD_PARTS);
    }
    const xMPU_CONFIG_ACCESS *access = &region->xRegionAccess;
    struct registers *target = &table[region->ulRegionNumber];
    target->base = region->ulRegionBeginAddress;
    target->size = region->ulSubRegionDisable | size_of(region) | 1U;
    target->access = access->ulexeNeverControl << 12 | access->ulaccessPermission << 8 |
                     access->ulshareable << 2 | kind_of(access);
  }
}
