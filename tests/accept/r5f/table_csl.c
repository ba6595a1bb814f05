/* The table of mpu_cfg.c, read as the PDK's start-up code (csl/arch/r5, startup) reads it. */
#include "r5f.h"

#include <ti/csl/arch/r5/csl_arm_r5_mpu.h>

extern const CSL_ArmR5MpuRegionCfg gCslR5MpuCfg[CSL_ARM_R5F_MPU_REGIONS_MAX];

/* TEX, C and B by memAttr, for what is not cacheable. */
static const uint8_t kinds[CSL_ARM_R5_MEM_ATTR_MAX][3] = {
    {0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {1, 0, 0}, {1, 1, 1}, {2, 0, 0}};

static uint32_t kind_of(const CSL_ArmR5MpuRegionCfg *region) {
  if (region->cacheable == 1U) {
    return (4U | region->cachePolicy) << 3 | region->cachePolicy;
  }
  const uint8_t *kind = kinds[region->memAttr];
  return (uint32_t)kind[0] << 3 | (uint32_t)kind[1] << 1 | kind[2];
}

void load_table(struct registers table[TABLE_REGIONS]) {
  for (uint32_t at = 0; at < CSL_ARM_R5F_MPU_REGIONS_MAX; ++at) {
    const CSL_ArmR5MpuRegionCfg *region = &gCslR5MpuCfg[at];
    if (region->size < CSL_ARM_R5_MPU_REGION_SIZE_32B) {
      continue;
    }
    if (region->regionId >= TABLE_REGIONS) {
      leave(BAD_NUMBER);
    }
    if (region->memAttr >= CSL_ARM_R5_MEM_ATTR_MAX ||
        region->cachePolicy > CSL_ARM_R5_CACHE_POLICY_WB_NO_WA) {
      leave(BAD_KIND);
    }
    struct registers *target = &table[region->regionId];
    target->base = region->baseAddr;
    target->size = region->subRegionEnable << 8 | region->size << 1 | region->enable;
    target->access = region->exeNeverControl << 12 | region->accessPermission << 8 |
                     region->shareable << 2 | kind_of(region);
  }
}
