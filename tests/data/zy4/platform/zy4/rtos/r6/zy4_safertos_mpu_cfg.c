#include <stdint.h>
#include <ti/csl/csl_types.h>
#include <ti/csl/arch/r5/csl_arm_r5.h>
#include <ti/csl/arch/r5/csl_arm_r5_mpu.h>
#include <SafeRTOS_API.h>
#include <ti/osal/SafeRTOS_MPU.h>
#include <mpuARM.h>
#include <app_mem_map.h>

xMPU_CONFIG_PARAMETERS gMPUConfigParms[CSL_ARM_R5F_MPU_REGIONS_MAX] =
{
    /* Regions 0 and 11 to 15 are the kernel's. */
    {
        /* Region 1 configuration: registers */
        .ulRegionNumber         = 1U,
        .ulRegionBeginAddress   = 0x0U,
        {
            .ulexeNeverControl  = 1U,
            .ulaccessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR,
            .ulshareable        = 1U,
            .ulcacheable        = 0U,
            .ulcachePolicy      = 0U,
            .ulmemAttr          = CSL_ARM_R5_MEM_ATTR_STRONGLY_ORDERED,
        },
        .ulRegionSize           = portmpuLARGEST_REGION_SIZE_ACTUAL,
        .ulSubRegionDisable     = mpuREGION_ALL_SUB_REGIONS_ENABLED,
    },
    {
        /* Region 2 configuration: all of the DRAM */
        .ulRegionNumber         = 2U,
        .ulRegionBeginAddress   = 0x80000000U,
        {
            .ulexeNeverControl  = 0U,
            .ulaccessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR,
            .ulshareable        = 0U,
            .ulcacheable        = 1U,
            .ulcachePolicy      = CSL_ARM_R5_CACHE_POLICY_WB_WA,
            .ulmemAttr          = 0U,
        },
        .ulRegionSize           = portmpuLARGEST_REGION_SIZE_ACTUAL,
        .ulSubRegionDisable     = mpuREGION_ALL_SUB_REGIONS_ENABLED,
    },
    {
        /* Region 3 configuration: rings between r6 and Linux */
        .ulRegionNumber         = 3U,
        .ulRegionBeginAddress   = DDR_R6_IPC_ADDR,
        {
            .ulexeNeverControl  = 1U,
            .ulaccessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR,
            .ulshareable        = 1U,
            .ulcacheable        = 0U,
            .ulcachePolicy      = 0U,
            .ulmemAttr          = CSL_ARM_R5_MEM_ATTR_STRONGLY_NON_CACHED,
        },
        .ulRegionSize           = (1024U * 1024U),
        .ulSubRegionDisable     = mpuREGION_ALL_SUB_REGIONS_ENABLED,
    },
    {
        /* Region 4 configuration: rings, logs, objects and files */
        .ulRegionNumber         = 4U,
        .ulRegionBeginAddress   = RING_MEM_ADDR,
        {
            .ulexeNeverControl  = 1U,
            .ulaccessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR,
            .ulshareable        = 1U,
            .ulcacheable        = 0U,
            .ulcachePolicy      = 0U,
            .ulmemAttr          = CSL_ARM_R5_MEM_ATTR_STRONGLY_NON_CACHED,
        },
        .ulRegionSize           = (32U * 1024U * 1024U),
        .ulSubRegionDisable     = mpuREGION_ALL_SUB_REGIONS_ENABLED,
    },
};
