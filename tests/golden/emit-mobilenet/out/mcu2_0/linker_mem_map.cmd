/*
 * Memory regions of mcu2_0: TI J722S, Processor SDK 11.01, FreeRTOS.
 * Written by memsize from board 'j722s-sdk11'. Change the board's knobs, not this file.
 */

MEMORY
{
    /* vectors [ 64 B ] */
    R5F_TCMA_VECS             (    X ) : ORIGIN = 0x00000000 , LENGTH = 0x00000040
    /* tightly coupled memory A [ 31.94 KiB ] */
    R5F_TCMA                  (    X ) : ORIGIN = 0x00000040 , LENGTH = 0x00007FC0
    /* tightly coupled memory B [ 32 KiB ] */
    R5F_TCMB0                 ( RWIX ) : ORIGIN = 0x41010000 , LENGTH = 0x00008000
    /* mcu2_0 to Linux: vrings [ 1 MiB ] */
    DDR_MCU2_0_IPC            ( RWIX ) : ORIGIN = 0xA2000000 , LENGTH = 0x00100000
    /* mcu2_0 resource table [ 1 KiB ] */
    DDR_MCU2_0_RESOURCE_TABLE ( RWIX ) : ORIGIN = 0xA2100000 , LENGTH = 0x00000400
    /* mcu2_0 trace buffer [ 1023 KiB ] */
    DDR_MCU2_0_IPC_TRACE      ( RWIX ) : ORIGIN = 0xA2100400 , LENGTH = 0x000FFC00
    /* mcu2_0 code and data [ 30 MiB ] */
    DDR_MCU2_0                ( RWIX ) : ORIGIN = 0xA2200000 , LENGTH = 0x01E00000
    /* vrings between the cores; never cached [ 32 MiB ] */
    IPC_VRING_MEM                      : ORIGIN = 0xA5000000 , LENGTH = 0x02000000
    /* log ring of every core [ 256 KiB ] */
    APP_LOG_MEM                        : ORIGIN = 0xA7000000 , LENGTH = 0x00040000
    /* OpenVX object descriptors; never cached [ 63.75 MiB ] */
    TIOVX_OBJ_DESC_MEM                 : ORIGIN = 0xA7040000 , LENGTH = 0x03FC0000
    /* file access of the remote cores [ 4 MiB ] */
    APP_FILEIO_MEM                     : ORIGIN = 0xAB000000 , LENGTH = 0x00400000
    /* mcu2_0 heap [ 32 MiB ] */
    DDR_MCU2_0_LOCAL_HEAP     ( RWIX ) : ORIGIN = 0xB5800000 , LENGTH = 0x02000000
    /* buffers that the cores share [ 512 MiB ] */
    DDR_SHARED_MEM                     : ORIGIN = 0xC0000000 , LENGTH = 0x20000000
}
