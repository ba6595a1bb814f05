/*
 * Memory regions of c7x_1: TI J721E, Processor SDK 12.0, FreeRTOS.
 * Written by memsize from board 'j721e'. Change the board's knobs, not this file.
 */

MEMORY
{
    /* C7x 1 L2: 512 KiB, of which 64 are cache [ 448 KiB ] */
    L2RAM_C7x_1              ( RWIX ) : ORIGIN = 0x64800000 , LENGTH = 0x00070000
    /* C7x 1 L1D: 48 KiB, of which 32 are cache [ 16 KiB ] */
    L1RAM_C7x_1              ( RWIX ) : ORIGIN = 0x64E00000 , LENGTH = 0x00004000
    /* MSMC of C7x 1, which TIDL uses as L3 [ 7968 KiB ] */
    MSMC_C7x_1               ( RWIX ) : ORIGIN = 0x70020000 , LENGTH = 0x007C8000
    /* vrings between the cores; never cached [ 32 MiB ] */
    IPC_VRING_MEM                     : ORIGIN = 0xAA000000 , LENGTH = 0x02000000
    /* log ring of every core [ 256 KiB ] */
    APP_LOG_MEM                       : ORIGIN = 0xAC000000 , LENGTH = 0x00040000
    /* OpenVX object descriptors; never cached [ 63.75 MiB ] */
    TIOVX_OBJ_DESC_MEM                : ORIGIN = 0xAC040000 , LENGTH = 0x03FC0000
    /* file access of the remote cores [ 4 MiB ] */
    APP_FILEIO_MEM                    : ORIGIN = 0xB0000000 , LENGTH = 0x00400000
    /* c7x_1 to Linux: vrings [ 1 MiB ] */
    DDR_C7x_1_IPC            ( RWIX ) : ORIGIN = 0xB2000000 , LENGTH = 0x00100000
    /* c7x_1 resource table [ 1 KiB ] */
    DDR_C7x_1_RESOURCE_TABLE ( RWIX ) : ORIGIN = 0xB2100000 , LENGTH = 0x00000400
    /* c7x_1 boot section [ 1 KiB ] */
    DDR_C7x_1_BOOT           ( RWIX ) : ORIGIN = 0xB2200000 , LENGTH = 0x00000400
    /* c7x_1 vectors [ 16 KiB ] */
    DDR_C7x_1_VECS           ( RWIX ) : ORIGIN = 0xB2400000 , LENGTH = 0x00004000
    /* c7x_1 secure vectors [ 16 KiB ] */
    DDR_C7x_1_SECURE_VECS    ( RWIX ) : ORIGIN = 0xB2600000 , LENGTH = 0x00004000
    /* c7x_1 code and data [ 92144 KiB ] */
    DDR_C7x_1                ( RWIX ) : ORIGIN = 0xB2604000 , LENGTH = 0x059FC000
    /* buffers that the cores share [ 512 MiB ] */
    DDR_SHARED_MEM                    : ORIGIN = 0xB8000000 , LENGTH = 0x20000000
    /* c7x_1 scratch [ 368 MiB ] */
    DDR_C7X_1_SCRATCH        ( RWIX ) : ORIGIN = 0x100000000 , LENGTH = 0x17000000
    /* c7x_1 persistent [ 256 MiB ] */
    DDR_C7X_1_LOCAL_HEAP     ( RWIX ) : ORIGIN = 0x117000000 , LENGTH = 0x10000000
}
