/*
 * MPU regions of mcu3_0: TI J721S2, Processor SDK 12.0, FreeRTOS.
 * Written by memsize from board 'j721s2'. Change the board's knobs, not this file.
 * The start-up code of the PDK takes this table instead of its own. Where regions overlap, the
 * higher number wins. subRegionEnable holds the eighths that are off: bit n is the n-th.
 */
#include <stdint.h>

#include <ti/csl/csl_types.h>
#include <ti/csl/arch/r5/csl_arm_r5.h>
#include <ti/csl/arch/r5/csl_arm_r5_mpu.h>

const CSL_ArmR5MpuRegionCfg gCslR5MpuCfg[CSL_ARM_R5F_MPU_REGIONS_MAX]
    __attribute__((section(".mpu_cfg")));

const CSL_ArmR5MpuRegionCfg gCslR5MpuCfg[CSL_ARM_R5F_MPU_REGIONS_MAX] =
{
    {
        /* REGISTERS, device: whatever no other region has: registers, OCRAM of the main domain
         * [ 4 GiB, 0x0 to 0xFFFFFFFF ] */
        .regionId         = 0U,
        .enable           = 1U,
        .baseAddr         = 0x00000000U,
        .size             = CSL_ARM_R5_MPU_REGION_SIZE_4GB,
        .subRegionEnable  = CSL_ARM_R5_MPU_SUB_REGION_ENABLE_ALL,
        .exeNeverControl  = 1U,
        .accessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR,
        .shareable        = 0U,
        .cacheable        = (uint32_t)UFALSE,
        .cachePolicy      = 0U,
        .memAttr          = CSL_ARM_R5_MEM_ATTR_STRONGLY_ORDERED,
    },
    {
        /* ATCM, cached: tightly coupled memory A, with the other core's in lockstep
         * [ 64 KiB, 0x0 to 0xFFFF ] */
        .regionId         = 1U,
        .enable           = 1U,
        .baseAddr         = 0x00000000U,
        .size             = CSL_ARM_R5_MPU_REGION_SIZE_64KB,
        .subRegionEnable  = CSL_ARM_R5_MPU_SUB_REGION_ENABLE_ALL,
        .exeNeverControl  = 0U,
        .accessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR,
        .shareable        = 0U,
        .cacheable        = (uint32_t)UTRUE,
        .cachePolicy      = CSL_ARM_R5_CACHE_POLICY_WB_WA,
        .memAttr          = 0U,
    },
    {
        /* ATCM_HIGH, cached: tightly coupled memory A, if the boot loader puts B at 0
         * [ 32 KiB, 0x41000000 to 0x41007FFF ] */
        .regionId         = 2U,
        .enable           = 1U,
        .baseAddr         = 0x41000000U,
        .size             = CSL_ARM_R5_MPU_REGION_SIZE_32KB,
        .subRegionEnable  = CSL_ARM_R5_MPU_SUB_REGION_ENABLE_ALL,
        .exeNeverControl  = 0U,
        .accessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR,
        .shareable        = 0U,
        .cacheable        = (uint32_t)UTRUE,
        .cachePolicy      = CSL_ARM_R5_CACHE_POLICY_WB_WA,
        .memAttr          = 0U,
    },
    {
        /* BTCM, cached: tightly coupled memory B, with the other core's in lockstep
         * [ 64 KiB, 0x41010000 to 0x4101FFFF ] */
        .regionId         = 3U,
        .enable           = 1U,
        .baseAddr         = 0x41010000U,
        .size             = CSL_ARM_R5_MPU_REGION_SIZE_64KB,
        .subRegionEnable  = CSL_ARM_R5_MPU_SUB_REGION_ENABLE_ALL,
        .exeNeverControl  = 0U,
        .accessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR,
        .shareable        = 0U,
        .cacheable        = (uint32_t)UTRUE,
        .cachePolicy      = CSL_ARM_R5_CACHE_POLICY_WB_WA,
        .memAttr          = 0U,
    },
    {
        /* MCU_OCRAM, cached: OCRAM of the MCU domain
         * [ 1 MiB, 0x41C00000 to 0x41CFFFFF ] */
        .regionId         = 4U,
        .enable           = 1U,
        .baseAddr         = 0x41C00000U,
        .size             = CSL_ARM_R5_MPU_REGION_SIZE_1MB,
        .subRegionEnable  = CSL_ARM_R5_MPU_SUB_REGION_ENABLE_ALL,
        .exeNeverControl  = 0U,
        .accessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR,
        .shareable        = 0U,
        .cacheable        = (uint32_t)UTRUE,
        .cachePolicy      = CSL_ARM_R5_CACHE_POLICY_WB_WA,
        .memAttr          = 0U,
    },
    {
        /* MSMC, cached: MSMC
         * [ 4 MiB, 0x70000000 to 0x703FFFFF ] */
        .regionId         = 5U,
        .enable           = 1U,
        .baseAddr         = 0x70000000U,
        .size             = CSL_ARM_R5_MPU_REGION_SIZE_4MB,
        .subRegionEnable  = CSL_ARM_R5_MPU_SUB_REGION_ENABLE_ALL,
        .exeNeverControl  = 0U,
        .accessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR,
        .shareable        = 0U,
        .cacheable        = (uint32_t)UTRUE,
        .cachePolicy      = CSL_ARM_R5_CACHE_POLICY_WB_WA,
        .memAttr          = 0U,
    },
    {
        /* DDR, cached: code, data, heaps, shared memory
         * [ 2 GiB, 0x80000000 to 0xFFFFFFFF ] */
        .regionId         = 6U,
        .enable           = 1U,
        .baseAddr         = 0x80000000U,
        .size             = CSL_ARM_R5_MPU_REGION_SIZE_2GB,
        .subRegionEnable  = CSL_ARM_R5_MPU_SUB_REGION_ENABLE_ALL,
        .exeNeverControl  = 0U,
        .accessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR,
        .shareable        = 0U,
        .cacheable        = (uint32_t)UTRUE,
        .cachePolicy      = CSL_ARM_R5_CACHE_POLICY_WB_WA,
        .memAttr          = 0U,
    },
    {
        /* DDR_MCU3_0_IPC, non-cached: DDR_MCU3_0_IPC
         * [ 1 MiB, 0xA6000000 to 0xA60FFFFF ] */
        .regionId         = 7U,
        .enable           = 1U,
        .baseAddr         = 0xA6000000U,
        .size             = CSL_ARM_R5_MPU_REGION_SIZE_1MB,
        .subRegionEnable  = CSL_ARM_R5_MPU_SUB_REGION_ENABLE_ALL,
        .exeNeverControl  = 1U,
        .accessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR,
        .shareable        = 0U,
        .cacheable        = (uint32_t)UFALSE,
        .cachePolicy      = 0U,
        .memAttr          = CSL_ARM_R5_MEM_ATTR_STRONGLY_ORDERED,
    },
    {
        /* IPC_VRING_MEM, non-cached: IPC_VRING_MEM, APP_LOG_MEM, TIOVX_OBJ_DESC_MEM, APP_FILEIO_MEM, TIOVX_LOG_RT_MEM
         * [ 128 MiB, 0xA8000000 to 0xAFFFFFFF ] */
        .regionId         = 8U,
        .enable           = 1U,
        .baseAddr         = 0xA8000000U,
        .size             = CSL_ARM_R5_MPU_REGION_SIZE_128MB,
        .subRegionEnable  = CSL_ARM_R5_MPU_SUB_REGION_ENABLE_ALL,
        .exeNeverControl  = 1U,
        .accessPermission = CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR,
        .shareable        = 0U,
        .cacheable        = (uint32_t)UFALSE,
        .cachePolicy      = 0U,
        .memAttr          = CSL_ARM_R5_MEM_ATTR_STRONGLY_ORDERED,
    },
};
