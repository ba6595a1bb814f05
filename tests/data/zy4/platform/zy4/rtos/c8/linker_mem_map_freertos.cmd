/*
 * Written by the scripts of a fictitious SDK.
 * Copyright (c) 2026 Nobody
 */

MEMORY
{
    /* rings between the cores, never cached [ size 16.00 MB ] */
    RING_MEM                          : ORIGIN = 0xA4000000 , LENGTH = 0x01000000
    /* logs of all cores, never cached [ size 256.00 KB ] */
    LOG_MEM                           : ORIGIN = 0xA5000000 , LENGTH = 0x00040000
    /* objects of all cores, never cached [ size  3.75 MB ] */
    OBJ_MEM                           : ORIGIN = 0xA5040000 , LENGTH = 0x003C0000
    /* files of all cores, never cached [ size  4.00 MB ] */
    FILEIO_MEM                        : ORIGIN = 0xA5400000 , LENGTH = 0x00400000
    /* rings between c8 and Linux [ size 1024.00 KB ] */
    DDR_C8_IPC               ( RWIX ) : ORIGIN = 0xA8000000 , LENGTH = 0x00100000
    /* code and data of c8 [ size 31.00 MB ] */
    DDR_C8_CODE              ( RWIX ) : ORIGIN = 0xA8100000 , LENGTH = 0x01F00000
    /* buffers that all cores share [ size 512.00 MB ] */
    SHARED_MEM                        : ORIGIN = 0xC0000000 , LENGTH = 0x20000000
    /* heap, not cached of c7, for the other [ size 16.00 MB ] */
    C8_7_HEAP_NC             ( RWIX ) : ORIGIN = 0x100000000 , LENGTH = 0x01000000
    /* scratch, not cached of c7, for the other [ size 16.00 MB ] */
    C8_7_SCRATCH_NC          ( RWIX ) : ORIGIN = 0x101000000 , LENGTH = 0x01000000
    /* heap of c7, for the other [ size 64.00 MB ] */
    C8_7_HEAP                ( RWIX ) : ORIGIN = 0x102000000 , LENGTH = 0x04000000
    /* scratch of c7, for the other [ size 64.00 MB ] */
    C8_7_SCRATCH             ( RWIX ) : ORIGIN = 0x106000000 , LENGTH = 0x04000000
    /* heap, not cached of c8 [ size 16.00 MB ] */
    C8_HEAP_NC               ( RWIX ) : ORIGIN = 0x10A000000 , LENGTH = 0x01000000
    /* scratch, not cached of c8 [ size 16.00 MB ] */
    C8_SCRATCH_NC            ( RWIX ) : ORIGIN = 0x10B000000 , LENGTH = 0x01000000
    /* heap of c8 [ size 64.00 MB ] */
    C8_HEAP                  ( RWIX ) : ORIGIN = 0x10C000000 , LENGTH = 0x04000000
    /* scratch of c8 [ size 64.00 MB ] */
    C8_SCRATCH               ( RWIX ) : ORIGIN = 0x110000000 , LENGTH = 0x04000000
}

