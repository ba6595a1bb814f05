/*
 * MPU regions of mcu3_1 under SafeRTOS: TI J721E, Processor SDK 12.0, SafeRTOS.
 * Written by memsize from board 'j721e-safertos'. Change the board's knobs, not this file.
 * The PDK's SafeRTOS port takes this table instead of its own. The kernel keeps all regions but
 * 1 to 10. Where regions overlap, the higher number wins.
 * ulSubRegionDisable names the eighths that are off.
 */
#include <stdint.h>

#include <ti/csl/arch/r5/csl_arm_r5.h>
#include <ti/csl/arch/r5/csl_arm_r5_mpu.h>

#include "SafeRTOS_API.h"
#include <ti/osal/SafeRTOS_MPU.h>
#include "mpuARM.h"

xMPU_CONFIG_PARAMETERS __attribute__((section(".startupData")))
    gMPUConfigParms[CSL_ARM_R5F_MPU_REGIONS_MAX] =
{
    {
        /* REGISTERS, device: whatever no other region has: registers, OCRAM of the main domain
         * [ 2 GiB, 0x0 to 0x7FFFFFFF ] */
        .ulRegionNumber       = 1U,
        .ulRegionBeginAddress = 0x00000000U,
        .xRegionAccess =
        {
            .ulexeNeverControl  = 1U,
            .ulaccessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR,
            .ulshareable        = 0U,
            .ulcacheable        = 0U,
            .ulcachePolicy      = 0U,
            .ulmemAttr          = CSL_ARM_R5_MEM_ATTR_STRONGLY_ORDERED,
        },
        .ulRegionSize         = portmpuLARGEST_REGION_SIZE_ACTUAL,
        .ulSubRegionDisable   = mpuREGION_ALL_SUB_REGIONS_ENABLED,
    },
    {
        /* ATCM, cached: tightly coupled memory A
         * [ 32 KiB, 0x0 to 0x7FFF ] */
        .ulRegionNumber       = 2U,
        .ulRegionBeginAddress = 0x00000000U,
        .xRegionAccess =
        {
            .ulexeNeverControl  = 0U,
            .ulaccessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR,
            .ulshareable        = 0U,
            .ulcacheable        = 1U,
            .ulcachePolicy      = CSL_ARM_R5_CACHE_POLICY_WB_WA,
            .ulmemAttr          = 0U,
        },
        .ulRegionSize         = 0x8000U,
        .ulSubRegionDisable   = mpuREGION_ALL_SUB_REGIONS_ENABLED,
    },
    {
        /* MCU_OCRAM, cached: OCRAM of the MCU domain
         * [ 512 KiB, 0x41C00000 to 0x41C7FFFF ] */
        .ulRegionNumber       = 3U,
        .ulRegionBeginAddress = 0x41C00000U,
        .xRegionAccess =
        {
            .ulexeNeverControl  = 0U,
            .ulaccessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR,
            .ulshareable        = 0U,
            .ulcacheable        = 1U,
            .ulcachePolicy      = CSL_ARM_R5_CACHE_POLICY_WB_WA,
            .ulmemAttr          = 0U,
        },
        .ulRegionSize         = 0x80000U,
        .ulSubRegionDisable   = mpuREGION_ALL_SUB_REGIONS_ENABLED,
    },
    {
        /* DDR, cached: code, data, heaps, shared memory
         * [ 2 GiB, 0x80000000 to 0xFFFFFFFF ] */
        .ulRegionNumber       = 4U,
        .ulRegionBeginAddress = 0x80000000U,
        .xRegionAccess =
        {
            .ulexeNeverControl  = 0U,
            .ulaccessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR,
            .ulshareable        = 0U,
            .ulcacheable        = 1U,
            .ulcachePolicy      = CSL_ARM_R5_CACHE_POLICY_WB_WA,
            .ulmemAttr          = 0U,
        },
        .ulRegionSize         = portmpuLARGEST_REGION_SIZE_ACTUAL,
        .ulSubRegionDisable   = mpuREGION_ALL_SUB_REGIONS_ENABLED,
    },
    {
        /* BTCM, tcm: tightly coupled memory B
         * [ 32 KiB, 0x41010000 to 0x41017FFF ] */
        .ulRegionNumber       = 5U,
        .ulRegionBeginAddress = 0x41010000U,
        .xRegionAccess =
        {
            .ulexeNeverControl  = 0U,
            .ulaccessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR,
            .ulshareable        = 0U,
            .ulcacheable        = 1U,
            .ulcachePolicy      = CSL_ARM_R5_CACHE_POLICY_NON_CACHEABLE,
            .ulmemAttr          = 0U,
        },
        .ulRegionSize         = 0x8000U,
        .ulSubRegionDisable   = mpuREGION_ALL_SUB_REGIONS_ENABLED,
    },
    {
        /* DDR_MCU3_1_IPC, non-cached: DDR_MCU3_1_IPC
         * [ 1 MiB, 0xA7000000 to 0xA70FFFFF ] */
        .ulRegionNumber       = 6U,
        .ulRegionBeginAddress = 0xA7000000U,
        .xRegionAccess =
        {
            .ulexeNeverControl  = 1U,
            .ulaccessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR,
            .ulshareable        = 0U,
            .ulcacheable        = 0U,
            .ulcachePolicy      = 0U,
            .ulmemAttr          = CSL_ARM_R5_MEM_ATTR_STRONGLY_ORDERED,
        },
        .ulRegionSize         = 0x100000U,
        .ulSubRegionDisable   = mpuREGION_ALL_SUB_REGIONS_ENABLED,
    },
    {
        /* IPC_VRING_MEM, non-cached: IPC_VRING_MEM, APP_LOG_MEM, TIOVX_OBJ_DESC_MEM
         * [ 128 MiB, 0xA8000000 to 0xAFFFFFFF; on from 0xAA000000 to 0xAFFFFFFF ] */
        .ulRegionNumber       = 7U,
        .ulRegionBeginAddress = 0xA8000000U,
        .xRegionAccess =
        {
            .ulexeNeverControl  = 1U,
            .ulaccessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR,
            .ulshareable        = 0U,
            .ulcacheable        = 0U,
            .ulcachePolicy      = 0U,
            .ulmemAttr          = CSL_ARM_R5_MEM_ATTR_STRONGLY_ORDERED,
        },
        .ulRegionSize         = 0x8000000U,
        .ulSubRegionDisable   = mpuREGION_1ST_SUB_REGION_DISABLE | mpuREGION_2ND_SUB_REGION_DISABLE,
    },
    {
        /* APP_FILEIO_MEM, non-cached: APP_FILEIO_MEM, TIOVX_LOG_RT_MEM
         * [ 32 MiB, 0xB0000000 to 0xB1FFFFFF ] */
        .ulRegionNumber       = 8U,
        .ulRegionBeginAddress = 0xB0000000U,
        .xRegionAccess =
        {
            .ulexeNeverControl  = 1U,
            .ulaccessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR,
            .ulshareable        = 0U,
            .ulcacheable        = 0U,
            .ulcachePolicy      = 0U,
            .ulmemAttr          = CSL_ARM_R5_MEM_ATTR_STRONGLY_ORDERED,
        },
        .ulRegionSize         = 0x2000000U,
        .ulSubRegionDisable   = mpuREGION_ALL_SUB_REGIONS_ENABLED,
    },
    {
        /* INTERCORE_ETH_DESC_MEM, non-cached: INTERCORE_ETH_DESC_MEM
         * [ 8 MiB, 0xE4000000 to 0xE47FFFFF ] */
        .ulRegionNumber       = 9U,
        .ulRegionBeginAddress = 0xE4000000U,
        .xRegionAccess =
        {
            .ulexeNeverControl  = 1U,
            .ulaccessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR,
            .ulshareable        = 0U,
            .ulcacheable        = 0U,
            .ulcachePolicy      = 0U,
            .ulmemAttr          = CSL_ARM_R5_MEM_ATTR_STRONGLY_ORDERED,
        },
        .ulRegionSize         = 0x800000U,
        .ulSubRegionDisable   = mpuREGION_ALL_SUB_REGIONS_ENABLED,
    },
};
