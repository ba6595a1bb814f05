/*
 * Written by the scripts of a fictitious SDK.
 * Copyright (c) 2026 Nobody
 */

MEMORY
{
    /* rings between r5 and Linux [ size 1024.00 KB ] */
    DDR_R5_IPC               ( RWIX ) : ORIGIN = 0xA0000000 , LENGTH = 0x00100000
    /* code and data of r5 [ size 15.00 MB ] */
    DDR_R5_CODE              ( RWIX ) : ORIGIN = 0xA0100000 , LENGTH = 0x00F00000
    /* rings between the cores, never cached [ size 16.00 MB ] */
    RING_MEM                          : ORIGIN = 0xA4000000 , LENGTH = 0x01000000
    /* logs of all cores, never cached [ size 256.00 KB ] */
    LOG_MEM                           : ORIGIN = 0xA5000000 , LENGTH = 0x00040000
    /* objects of all cores, never cached [ size  3.75 MB ] */
    OBJ_MEM                           : ORIGIN = 0xA5040000 , LENGTH = 0x003C0000
    /* files of all cores, never cached [ size  4.00 MB ] */
    FILEIO_MEM                        : ORIGIN = 0xA5400000 , LENGTH = 0x00400000
    /* heap of r5 [ size  8.00 MB ] */
    DDR_R5_HEAP              ( RWIX ) : ORIGIN = 0xAA000000 , LENGTH = 0x00800000
    /* buffers that all cores share [ size 512.00 MB ] */
    SHARED_MEM                        : ORIGIN = 0xC0000000 , LENGTH = 0x20000000
}

