/*
 * Memory regions of c66x_1: TI J721E, Processor SDK 12.0, FreeRTOS.
 * Written by memsize from board 'j721e'. Change the board's knobs, not this file.
 */

MEMORY
{
    /* C66x 1 L2: 288 KiB, of which 64 are cache [ 224 KiB ] */
    L2RAM_C66x_1              ( RWIX ) : ORIGIN = 0x00800000 , LENGTH = 0x00038000
    /* c66x_1 resource table [ 1 KiB ] */
    DDR_C66x_1_RESOURCE_TABLE ( RWIX ) : ORIGIN = 0xA8100000 , LENGTH = 0x00000400
    /* c66x_1 boot section [ 1 KiB ] */
    DDR_C66x_1_BOOT           ( RWIX ) : ORIGIN = 0xA8200000 , LENGTH = 0x00000400
    /* c66x_1 vectors, code and data [ 14335 KiB ] */
    DDR_C66x_1                ( RWIX ) : ORIGIN = 0xA8200400 , LENGTH = 0x00DFFC00
    /* c66x_1 to Linux: vrings [ 1 MiB ] */
    DDR_C66x_1_IPC            ( RWIX ) : ORIGIN = 0xA9000000 , LENGTH = 0x00100000
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
    /* c66x_1 heap [ 16 MiB ] */
    DDR_C66X_1_LOCAL_HEAP     ( RWIX ) : ORIGIN = 0xDC000000 , LENGTH = 0x01000000
    /* c66x_1 scratch [ 48 MiB ] */
    DDR_C66X_1_SCRATCH        ( RWIX ) : ORIGIN = 0xDD000000 , LENGTH = 0x03000000
}
