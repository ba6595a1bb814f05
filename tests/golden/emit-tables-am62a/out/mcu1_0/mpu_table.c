/*
 * MPU regions of mcu1_0: TI AM62A, Processor SDK 12.0, FreeRTOS.
 * Written by memsize from board 'am62a'. Change the board's knobs, not this file.
 * A row is what is written to RGNR, DRBAR, DRSR and DRACR (Armv7-R, PMSAv7). Where regions overlap,
 * the higher number wins.
 */
#include <stdint.h>

const uint32_t memsize_mpu_regions = 8U;

const uint32_t memsize_mpu_table[8][4] =
{
    /* REGISTER_REGION, device: whatever no other region has: registers
     * [ 4 GiB, 0x0 to 0xFFFFFFFF ] */
    { 0U, 0x00000000U, 0x0000003FU, 0x00001300U },
    /* TCMA_VEC, write-allocate: tightly coupled memory A
     * [ 32 KiB, 0x0 to 0x7FFF ] */
    { 1U, 0x00000000U, 0x0000001DU, 0x00000329U },
    /* DDR, cached: code, data, heaps, shared memory
     * [ 2 GiB, 0x80000000 to 0xFFFFFFFF ] */
    { 2U, 0x80000000U, 0x0000003DU, 0x0000032BU },
    /* TCMB, tcm: tightly coupled memory B
     * [ 32 KiB, 0x41010000 to 0x41017FFF ] */
    { 3U, 0x41010000U, 0x0000001DU, 0x00000320U },
    /* FSS_DAT, write-allocate: flash
     * [ 128 MiB, 0x50000000 to 0x57FFFFFF ] */
    { 4U, 0x50000000U, 0x00000035U, 0x00000329U },
    /* DDR_DM_R5F_IPC, non-cached: DDR_DM_R5F_IPC
     * [ 1 MiB, 0x9C800000 to 0x9C8FFFFF ] */
    { 5U, 0x9C800000U, 0x00000027U, 0x00001300U },
    /* IPC_VRING_MEM, non-cached: IPC_VRING_MEM, APP_LOG_MEM, TIOVX_OBJ_DESC_MEM, APP_FILEIO_MEM, TIOVX_LOG_RT_MEM
     * [ 64 MiB, 0xA0000000 to 0xA3FFFFFF; on from 0xA0000000 to 0xA2FFFFFF ] */
    { 6U, 0xA0000000U, 0x0000C033U, 0x00001300U },
    /* DDR_DM_R5F_VISS_CONFIG_HEAP, write-through: DDR_DM_R5F_VISS_CONFIG_HEAP
     * [ 4 MiB, 0xADC00000 to 0xADFFFFFF ] */
    { 7U, 0xADC00000U, 0x0000002BU, 0x0000033AU },
};
