/*
 * Memory regions of mcu1_1: TI J721E, Processor SDK 12.0, FreeRTOS.
 * Written by memsize from board 'j721e'. Change the board's knobs, not this file.
 */

MEMORY
{
    /* vectors [ 64 B ] */
    R5F_TCMA_VECS             (    X ) : ORIGIN = 0x00000000 , LENGTH = 0x00000040
    /* tightly coupled memory A [ 31.94 KiB ] */
    R5F_TCMA                  (    X ) : ORIGIN = 0x00000040 , LENGTH = 0x00007FC0
    /* vectors [ 64 B ] */
    R5F_TCMB0_VECS            ( RWIX ) : ORIGIN = 0x41010000 , LENGTH = 0x00000040
    /* tightly coupled memory B [ 31.94 KiB ] */
    R5F_TCMB0                 ( RWIX ) : ORIGIN = 0x41010040 , LENGTH = 0x00007FC0
    /* mcu1_1 to Linux: vrings [ 1 MiB ] */
    DDR_MCU1_1_IPC            ( RWIX ) : ORIGIN = 0xA1000000 , LENGTH = 0x00100000
    /* mcu1_1 resource table [ 1 KiB ] */
    DDR_MCU1_1_RESOURCE_TABLE ( RWIX ) : ORIGIN = 0xA1100000 , LENGTH = 0x00000400
    /* mcu1_1 code and data [ 15359 KiB ] */
    DDR_MCU1_1                ( RWIX ) : ORIGIN = 0xA1100400 , LENGTH = 0x00EFFC00
    /* vrings between the cores; never cached [ 32 MiB ] */
    IPC_VRING_MEM                      : ORIGIN = 0xAA000000 , LENGTH = 0x02000000
    /* log ring of every core [ 256 KiB ] */
    APP_LOG_MEM                        : ORIGIN = 0xAC000000 , LENGTH = 0x00040000
    /* OpenVX object descriptors; never cached [ 63.75 MiB ] */
    TIOVX_OBJ_DESC_MEM                 : ORIGIN = 0xAC040000 , LENGTH = 0x03FC0000
    /* file access of the remote cores [ 4 MiB ] */
    APP_FILEIO_MEM                     : ORIGIN = 0xB0000000 , LENGTH = 0x00400000
    /* buffers that the cores share [ 512 MiB ] */
    DDR_SHARED_MEM                     : ORIGIN = 0xB8000000 , LENGTH = 0x20000000
    /* mcu1_1 heap [ 8 MiB ] */
    DDR_MCU1_1_LOCAL_HEAP     ( RWIX ) : ORIGIN = 0xD8800000 , LENGTH = 0x00800000
    /* Ethernet between the cores: queues; never cached [ 8 MiB ] */
    INTERCORE_ETH_DESC_MEM             : ORIGIN = 0xE4000000 , LENGTH = 0x00800000
    /* Ethernet between the cores: buffers [ 24 MiB ] */
    INTERCORE_ETH_DATA_MEM             : ORIGIN = 0xE4800000 , LENGTH = 0x01800000
}
