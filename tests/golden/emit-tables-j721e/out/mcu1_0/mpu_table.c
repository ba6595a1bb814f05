/*
 * MPU regions of mcu1_0: TI J721E, Processor SDK 12.0, FreeRTOS.
 * Written by memsize from board 'j721e'. Change the board's knobs, not this file.
 * A row is what is written to RGNR, DRBAR, DRSR and DRACR (Armv7-R, PMSAv7). Where regions overlap,
 * the higher number wins.
 */
#include <stdint.h>

const uint32_t memsize_mpu_regions = 12U;

const uint32_t memsize_mpu_table[12][4] =
{
    /* REGISTERS, device: whatever no other region has: registers, OCRAM of the main domain
     * [ 4 GiB, 0x0 to 0xFFFFFFFF ] */
    { 0U, 0x00000000U, 0x0000003FU, 0x00001300U },
    /* ATCM, cached: tightly coupled memory A
     * [ 32 KiB, 0x0 to 0x7FFF ] */
    { 1U, 0x00000000U, 0x0000001DU, 0x00000329U },
    /* ATCM_HIGH, cached: tightly coupled memory A, if the boot loader puts B at 0
     * [ 32 KiB, 0x41000000 to 0x41007FFF ] */
    { 2U, 0x41000000U, 0x0000001DU, 0x00000329U },
    /* BTCM, cached: tightly coupled memory B
     * [ 32 KiB, 0x41010000 to 0x41017FFF ] */
    { 3U, 0x41010000U, 0x0000001DU, 0x00000329U },
    /* MCU_OCRAM, cached: OCRAM of the MCU domain
     * [ 1 MiB, 0x41C00000 to 0x41CFFFFF ] */
    { 4U, 0x41C00000U, 0x00000027U, 0x00000329U },
    /* MSMC, cached: MSMC
     * [ 8 MiB, 0x70000000 to 0x707FFFFF ] */
    { 5U, 0x70000000U, 0x0000002DU, 0x00000329U },
    /* DDR, cached: code, data, heaps, shared memory
     * [ 2 GiB, 0x80000000 to 0xFFFFFFFF ] */
    { 6U, 0x80000000U, 0x0000003DU, 0x00000329U },
    /* DDR_MCU1_0_IPC, non-cached: DDR_MCU1_0_IPC
     * [ 1 MiB, 0xA0000000 to 0xA00FFFFF ] */
    { 7U, 0xA0000000U, 0x00000027U, 0x00001300U },
    /* IPC_VRING_MEM, non-cached: IPC_VRING_MEM, APP_LOG_MEM, TIOVX_OBJ_DESC_MEM
     * [ 128 MiB, 0xA8000000 to 0xAFFFFFFF; on from 0xAA000000 to 0xAFFFFFFF ] */
    { 8U, 0xA8000000U, 0x00000335U, 0x00001300U },
    /* APP_FILEIO_MEM, non-cached: APP_FILEIO_MEM, TIOVX_LOG_RT_MEM
     * [ 32 MiB, 0xB0000000 to 0xB1FFFFFF ] */
    { 9U, 0xB0000000U, 0x00000031U, 0x00001300U },
    /* INTERCORE_ETH_DATA_MEM, shared: INTERCORE_ETH_DATA_MEM
     * [ 32 MiB, 0xE4000000 to 0xE5FFFFFF ] */
    { 10U, 0xE4000000U, 0x00000031U, 0x0000132DU },
    /* INTERCORE_ETH_DESC_MEM, non-cached: INTERCORE_ETH_DESC_MEM
     * [ 8 MiB, 0xE4000000 to 0xE47FFFFF ] */
    { 11U, 0xE4000000U, 0x0000002DU, 0x00001300U },
};
