/*
 * Memory regions of mcu3_1: TI J784S4, Processor SDK 12.0, FreeRTOS.
 * Written by memsize from board 'j784s4'. Change the board's knobs, not this file.
 */

MEMORY
{
    /* vectors [ 64 B ] */
    R5F_TCMA_VECS             (    X ) : ORIGIN = 0x00000000 , LENGTH = 0x00000040
    /* tightly coupled memory A [ 31.94 KiB ] */
    R5F_TCMA                  (    X ) : ORIGIN = 0x00000040 , LENGTH = 0x00007FC0
    /* tightly coupled memory B [ 32 KiB ] */
    R5F_TCMB0                 ( RWIX ) : ORIGIN = 0x41010000 , LENGTH = 0x00008000
    /* mcu3_1 to Linux: vrings [ 1 MiB ] */
    DDR_MCU3_1_IPC            ( RWIX ) : ORIGIN = 0xA6000000 , LENGTH = 0x00100000
    /* mcu3_1 resource table [ 1 KiB ] */
    DDR_MCU3_1_RESOURCE_TABLE ( RWIX ) : ORIGIN = 0xA6100000 , LENGTH = 0x00000400
    /* mcu3_1 code and data [ 15359 KiB ] */
    DDR_MCU3_1                ( RWIX ) : ORIGIN = 0xA6100400 , LENGTH = 0x00EFFC00
    /* vrings between the cores; never cached [ 48 MiB ] */
    IPC_VRING_MEM                      : ORIGIN = 0xAC000000 , LENGTH = 0x03000000
    /* log ring of every core [ 256 KiB ] */
    APP_LOG_MEM                        : ORIGIN = 0xAF000000 , LENGTH = 0x00040000
    /* OpenVX object descriptors; never cached [ 31.75 MiB ] */
    TIOVX_OBJ_DESC_MEM                 : ORIGIN = 0xAF040000 , LENGTH = 0x01FC0000
    /* file access of the remote cores [ 4 MiB ] */
    APP_FILEIO_MEM                     : ORIGIN = 0xB1000000 , LENGTH = 0x00400000
    /* mcu3_1 heap [ 8 MiB ] */
    DDR_MCU3_1_LOCAL_HEAP     ( RWIX ) : ORIGIN = 0xBC800000 , LENGTH = 0x00800000
    /* buffers that the cores share [ 960 MiB ] */
    DDR_SHARED_MEM                     : ORIGIN = 0xC0000000 , LENGTH = 0x3C000000
}
