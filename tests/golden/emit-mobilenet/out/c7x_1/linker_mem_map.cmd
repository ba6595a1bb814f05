/*
 * Memory regions of c7x_1: TI J722S, Processor SDK 11.01, FreeRTOS.
 * Written by memsize from board 'j722s-sdk11'. Change the board's knobs, not this file.
 */

MEMORY
{
    /* C7x 1 main L2, which TIDL uses as L3 [ 2 MiB ] */
    L2RAM_C7x_1_MAIN                     ( RWIX ) : ORIGIN = 0x7E000000 , LENGTH = 0x00200000
    /* C7x 1 auxiliary L2, which TIDL uses as L2 [ 240 KiB ] */
    L2RAM_C7x_1_AUX                      ( RWIX ) : ORIGIN = 0x7F000000 , LENGTH = 0x0003C000
    /* C7x 1 auxiliary L2, which TIDL uses as L1 [ 16 KiB ] */
    L2RAM_C7x_1_AUX_AS_L1                ( RWIX ) : ORIGIN = 0x7F03C000 , LENGTH = 0x00004000
    /* vrings between the cores; never cached [ 32 MiB ] */
    IPC_VRING_MEM                                 : ORIGIN = 0xA5000000 , LENGTH = 0x02000000
    /* log ring of every core [ 256 KiB ] */
    APP_LOG_MEM                                   : ORIGIN = 0xA7000000 , LENGTH = 0x00040000
    /* OpenVX object descriptors; never cached [ 63.75 MiB ] */
    TIOVX_OBJ_DESC_MEM                            : ORIGIN = 0xA7040000 , LENGTH = 0x03FC0000
    /* file access of the remote cores [ 4 MiB ] */
    APP_FILEIO_MEM                                : ORIGIN = 0xAB000000 , LENGTH = 0x00400000
    /* c7x_1 to Linux: vrings [ 1 MiB ] */
    DDR_C7x_1_IPC                        ( RWIX ) : ORIGIN = 0xAD000000 , LENGTH = 0x00100000
    /* c7x_1 resource table [ 1 KiB ] */
    DDR_C7x_1_RESOURCE_TABLE             ( RWIX ) : ORIGIN = 0xAD100000 , LENGTH = 0x00000400
    /* c7x_1 trace buffer [ 1023 KiB ] */
    DDR_C7x_1_IPC_TRACE                  ( RWIX ) : ORIGIN = 0xAD100400 , LENGTH = 0x000FFC00
    /* c7x_1 boot section [ 1 KiB ] */
    DDR_C7x_1_BOOT                       ( RWIX ) : ORIGIN = 0xAD200000 , LENGTH = 0x00000400
    /* c7x_1 vectors [ 16 KiB ] */
    DDR_C7x_1_VECS                       ( RWIX ) : ORIGIN = 0xAD400000 , LENGTH = 0x00004000
    /* c7x_1 secure vectors [ 16 KiB ] */
    DDR_C7x_1_SECURE_VECS                ( RWIX ) : ORIGIN = 0xAD600000 , LENGTH = 0x00004000
    /* c7x_1 code and data [ 59376 KiB ] */
    DDR_C7x_1                            ( RWIX ) : ORIGIN = 0xAD604000 , LENGTH = 0x039FC000
    /* buffers that the cores share [ 512 MiB ] */
    DDR_SHARED_MEM                                : ORIGIN = 0xC0000000 , LENGTH = 0x20000000
    /* c7x_1 persistent, non-cacheable [ 64 MiB ] */
    DDR_C7X_1_LOCAL_HEAP_NON_CACHEABLE   ( RWIX ) : ORIGIN = 0x100000000 , LENGTH = 0x04000000
    /* c7x_1 scratch, non-cacheable [ 64 MiB ] */
    DDR_C7X_1_SCRATCH_NON_CACHEABLE      ( RWIX ) : ORIGIN = 0x104000000 , LENGTH = 0x04000000
    /* c7x_1 persistent [ 64 MiB ] */
    DDR_C7X_1_LOCAL_HEAP                 ( RWIX ) : ORIGIN = 0x108000000 , LENGTH = 0x04000000
    /* c7x_1 scratch [ 64 MiB ] */
    DDR_C7X_1_SCRATCH                    ( RWIX ) : ORIGIN = 0x10C000000 , LENGTH = 0x04000000
    /* c7x_2 persistent, non-cacheable, as c7x_1 maps it [ 3 MiB ] */
    DDR_C7X_1_2_LOCAL_HEAP_NON_CACHEABLE ( RWIX ) : ORIGIN = 0x110000000 , LENGTH = 0x00300000
    /* c7x_2 scratch, non-cacheable, as c7x_1 maps it [ 1 MiB ] */
    DDR_C7X_1_2_SCRATCH_NON_CACHEABLE    ( RWIX ) : ORIGIN = 0x110300000 , LENGTH = 0x00100000
    /* c7x_2 persistent, as c7x_1 maps it [ 10 MiB ] */
    DDR_C7X_1_2_LOCAL_HEAP               ( RWIX ) : ORIGIN = 0x110400000 , LENGTH = 0x00A00000
    /* c7x_2 scratch, as c7x_1 maps it [ 5 MiB ] */
    DDR_C7X_1_2_SCRATCH                  ( RWIX ) : ORIGIN = 0x110E00000 , LENGTH = 0x00500000
}
