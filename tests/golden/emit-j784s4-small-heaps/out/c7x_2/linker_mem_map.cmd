/*
 * Memory regions of c7x_2: TI J784S4, Processor SDK 12.0, FreeRTOS.
 * Written by memsize from board 'j784s4'. Change the board's knobs, not this file.
 */

MEMORY
{
    /* C7x 2 L2: 512 KiB, of which 64 are cache [ 448 KiB ] */
    L2RAM_C7x_2                          ( RWIX ) : ORIGIN = 0x65800000 , LENGTH = 0x00070000
    /* C7x 2 L1D: 48 KiB, of which 32 are cache [ 16 KiB ] */
    L1RAM_C7x_2                          ( RWIX ) : ORIGIN = 0x65E00000 , LENGTH = 0x00004000
    /* C7x 2 part of the MSMC, which TIDL uses as L3 [ 3 MiB ] */
    MSMC_C7x_2                           ( RWIX ) : ORIGIN = 0x69000000 , LENGTH = 0x00300000
    /* vrings between the cores; never cached [ 48 MiB ] */
    IPC_VRING_MEM                                 : ORIGIN = 0xAC000000 , LENGTH = 0x03000000
    /* log ring of every core [ 256 KiB ] */
    APP_LOG_MEM                                   : ORIGIN = 0xAF000000 , LENGTH = 0x00040000
    /* OpenVX object descriptors; never cached [ 31.75 MiB ] */
    TIOVX_OBJ_DESC_MEM                            : ORIGIN = 0xAF040000 , LENGTH = 0x01FC0000
    /* file access of the remote cores [ 4 MiB ] */
    APP_FILEIO_MEM                                : ORIGIN = 0xB1000000 , LENGTH = 0x00400000
    /* c7x_2 to Linux: vrings [ 1 MiB ] */
    DDR_C7x_2_IPC                        ( RWIX ) : ORIGIN = 0xB4000000 , LENGTH = 0x00100000
    /* c7x_2 resource table [ 1 KiB ] */
    DDR_C7x_2_RESOURCE_TABLE             ( RWIX ) : ORIGIN = 0xB4100000 , LENGTH = 0x00000400
    /* c7x_2 boot section [ 1 KiB ] */
    DDR_C7x_2_BOOT                       ( RWIX ) : ORIGIN = 0xB4200000 , LENGTH = 0x00000400
    /* c7x_2 vectors [ 16 KiB ] */
    DDR_C7x_2_VECS                       ( RWIX ) : ORIGIN = 0xB4400000 , LENGTH = 0x00004000
    /* c7x_2 secure vectors [ 16 KiB ] */
    DDR_C7x_2_SECURE_VECS                ( RWIX ) : ORIGIN = 0xB4600000 , LENGTH = 0x00004000
    /* c7x_2 code and data [ 24 MiB ] */
    DDR_C7x_2                            ( RWIX ) : ORIGIN = 0xB4800000 , LENGTH = 0x01800000
    /* buffers that the cores share [ 960 MiB ] */
    DDR_SHARED_MEM                                : ORIGIN = 0xC0000000 , LENGTH = 0x3C000000
    /* c7x_2 persistent, non-cacheable [ 256 MiB ] */
    DDR_C7X_2_LOCAL_HEAP_NON_CACHEABLE   ( RWIX ) : ORIGIN = 0x100000000 , LENGTH = 0x10000000
    /* c7x_2 persistent [ 256 MiB ] */
    DDR_C7X_2_LOCAL_HEAP                 ( RWIX ) : ORIGIN = 0x110000000 , LENGTH = 0x10000000
    /* c7x_2 scratch, non-cacheable [ 256 MiB ] */
    DDR_C7X_2_SCRATCH_NON_CACHEABLE      ( RWIX ) : ORIGIN = 0x120000000 , LENGTH = 0x10000000
    /* c7x_2 scratch [ 256 MiB ] */
    DDR_C7X_2_SCRATCH                    ( RWIX ) : ORIGIN = 0x130000000 , LENGTH = 0x10000000
    /* c7x_1 persistent, non-cacheable, as c7x_2 maps it [ 4 MiB ] */
    DDR_C7X_2_1_LOCAL_HEAP_NON_CACHEABLE ( RWIX ) : ORIGIN = 0x140000000 , LENGTH = 0x00400000
    /* c7x_3 persistent, non-cacheable, as c7x_2 maps it [ 256 MiB ] */
    DDR_C7X_2_3_LOCAL_HEAP_NON_CACHEABLE ( RWIX ) : ORIGIN = 0x140400000 , LENGTH = 0x10000000
    /* c7x_4 persistent, non-cacheable, as c7x_2 maps it [ 256 MiB ] */
    DDR_C7X_2_4_LOCAL_HEAP_NON_CACHEABLE ( RWIX ) : ORIGIN = 0x150400000 , LENGTH = 0x10000000
    /* c7x_1 persistent, as c7x_2 maps it [ 10 MiB ] */
    DDR_C7X_2_1_LOCAL_HEAP               ( RWIX ) : ORIGIN = 0x160400000 , LENGTH = 0x00A00000
    /* c7x_3 persistent, as c7x_2 maps it [ 256 MiB ] */
    DDR_C7X_2_3_LOCAL_HEAP               ( RWIX ) : ORIGIN = 0x160E00000 , LENGTH = 0x10000000
    /* c7x_4 persistent, as c7x_2 maps it [ 256 MiB ] */
    DDR_C7X_2_4_LOCAL_HEAP               ( RWIX ) : ORIGIN = 0x170E00000 , LENGTH = 0x10000000
    /* c7x_1 scratch, non-cacheable, as c7x_2 maps it [ 2 MiB ] */
    DDR_C7X_2_1_SCRATCH_NON_CACHEABLE    ( RWIX ) : ORIGIN = 0x180E00000 , LENGTH = 0x00200000
    /* c7x_3 scratch, non-cacheable, as c7x_2 maps it [ 256 MiB ] */
    DDR_C7X_2_3_SCRATCH_NON_CACHEABLE    ( RWIX ) : ORIGIN = 0x181000000 , LENGTH = 0x10000000
    /* c7x_4 scratch, non-cacheable, as c7x_2 maps it [ 256 MiB ] */
    DDR_C7X_2_4_SCRATCH_NON_CACHEABLE    ( RWIX ) : ORIGIN = 0x191000000 , LENGTH = 0x10000000
    /* c7x_1 scratch, as c7x_2 maps it [ 6 MiB ] */
    DDR_C7X_2_1_SCRATCH                  ( RWIX ) : ORIGIN = 0x1A1000000 , LENGTH = 0x00600000
    /* c7x_3 scratch, as c7x_2 maps it [ 256 MiB ] */
    DDR_C7X_2_3_SCRATCH                  ( RWIX ) : ORIGIN = 0x1A1600000 , LENGTH = 0x10000000
    /* c7x_4 scratch, as c7x_2 maps it [ 256 MiB ] */
    DDR_C7X_2_4_SCRATCH                  ( RWIX ) : ORIGIN = 0x1B1600000 , LENGTH = 0x10000000
}
