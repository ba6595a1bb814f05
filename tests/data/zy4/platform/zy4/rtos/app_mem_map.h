/*
 * Written by the scripts of a fictitious SDK.
 * Copyright (c) 2026 Nobody
 */
#ifndef APP_MEM_MAP_H
#define APP_MEM_MAP_H

/* rings between r5 and Linux [ size 1024.00 KB ] */
#define DDR_R5_IPC_ADDR (0xA0000000u)
#define DDR_R5_IPC_SIZE (0x00100000u)

/* rings between r6 and Linux [ size 1024.00 KB ] */
#define DDR_R6_IPC_ADDR (0xA1000000u)
#define DDR_R6_IPC_SIZE (0x00100000u)

/* rings between the cores, never cached [ size 16.00 MB ] */
#define RING_MEM_ADDR (0xA4000000u)
#define RING_MEM_SIZE (0x01000000u)

/* logs of all cores, never cached [ size 256.00 KB ] */
#define LOG_MEM_ADDR (0xA5000000u)
#define LOG_MEM_SIZE (0x00040000u)

/* objects of all cores, never cached [ size  3.75 MB ] */
#define OBJ_MEM_ADDR (0xA5040000u)
#define OBJ_MEM_SIZE (0x003C0000u)

/* files of all cores, never cached [ size  4.00 MB ] */
#define FILEIO_MEM_ADDR (0xA5400000u)
#define FILEIO_MEM_SIZE (0x00400000u)

/* rings between c7 and Linux [ size 1024.00 KB ] */
#define DDR_C7_IPC_ADDR (0xA6000000u)
#define DDR_C7_IPC_SIZE (0x00100000u)

/* rings between c8 and Linux [ size 1024.00 KB ] */
#define DDR_C8_IPC_ADDR (0xA8000000u)
#define DDR_C8_IPC_SIZE (0x00100000u)

/* heap of r5 [ size  8.00 MB ] */
#define DDR_R5_HEAP_ADDR (0xAA000000u)
#define DDR_R5_HEAP_SIZE (0x00800000u)

/* heap of r6 [ size  8.00 MB ] */
#define DDR_R6_HEAP_ADDR (0xAA800000u)
#define DDR_R6_HEAP_SIZE (0x00800000u)

/* buffers that all cores share [ size 512.00 MB ] */
#define SHARED_MEM_ADDR (0xC0000000u)
#define SHARED_MEM_SIZE (0x20000000u)

/* heap, not cached of c7 [ size 16.00 MB ] */
#define C7_HEAP_NC_ADDR (0x100000000u)
#define C7_HEAP_NC_SIZE (0x01000000u)

/* heap, not cached of c7, for the other [ size 16.00 MB ] */
#define C8_7_HEAP_NC_ADDR (0x100000000u)
#define C8_7_HEAP_NC_SIZE (0x01000000u)

/* scratch, not cached of c7 [ size 16.00 MB ] */
#define C7_SCRATCH_NC_ADDR (0x101000000u)
#define C7_SCRATCH_NC_SIZE (0x01000000u)

/* scratch, not cached of c7, for the other [ size 16.00 MB ] */
#define C8_7_SCRATCH_NC_ADDR (0x101000000u)
#define C8_7_SCRATCH_NC_SIZE (0x01000000u)

/* heap of c7 [ size 64.00 MB ] */
#define C7_HEAP_ADDR (0x102000000u)
#define C7_HEAP_SIZE (0x04000000u)

/* heap of c7, for the other [ size 64.00 MB ] */
#define C8_7_HEAP_ADDR (0x102000000u)
#define C8_7_HEAP_SIZE (0x04000000u)

/* scratch of c7 [ size 64.00 MB ] */
#define C7_SCRATCH_ADDR (0x106000000u)
#define C7_SCRATCH_SIZE (0x04000000u)

/* scratch of c7, for the other [ size 64.00 MB ] */
#define C8_7_SCRATCH_ADDR (0x106000000u)
#define C8_7_SCRATCH_SIZE (0x04000000u)

/* heap, not cached of c8 [ size 16.00 MB ] */
#define C8_HEAP_NC_ADDR (0x10A000000u)
#define C8_HEAP_NC_SIZE (0x01000000u)

/* heap, not cached of c8, for the other [ size 16.00 MB ] */
#define C7_8_HEAP_NC_ADDR (0x10A000000u)
#define C7_8_HEAP_NC_SIZE (0x01000000u)

/* scratch, not cached of c8 [ size 16.00 MB ] */
#define C8_SCRATCH_NC_ADDR (0x10B000000u)
#define C8_SCRATCH_NC_SIZE (0x01000000u)

/* scratch, not cached of c8, for the other [ size 16.00 MB ] */
#define C7_8_SCRATCH_NC_ADDR (0x10B000000u)
#define C7_8_SCRATCH_NC_SIZE (0x01000000u)

/* heap of c8 [ size 64.00 MB ] */
#define C8_HEAP_ADDR (0x10C000000u)
#define C8_HEAP_SIZE (0x04000000u)

/* heap of c8, for the other [ size 64.00 MB ] */
#define C7_8_HEAP_ADDR (0x10C000000u)
#define C7_8_HEAP_SIZE (0x04000000u)

/* scratch of c8 [ size 64.00 MB ] */
#define C8_SCRATCH_ADDR (0x110000000u)
#define C8_SCRATCH_SIZE (0x04000000u)

/* scratch of c8, for the other [ size 64.00 MB ] */
#define C7_8_SCRATCH_ADDR (0x110000000u)
#define C7_8_SCRATCH_SIZE (0x04000000u)

/* heap, not cached of c7, on the bus [ size 16.00 MB ] */
#define C7_HEAP_NC_PHYS_ADDR (0x880000000u)
#define C7_HEAP_NC_PHYS_SIZE (0x01000000u)

/* scratch, not cached of c7, on the bus [ size 16.00 MB ] */
#define C7_SCRATCH_NC_PHYS_ADDR (0x881000000u)
#define C7_SCRATCH_NC_PHYS_SIZE (0x01000000u)

/* heap of c7, on the bus [ size 64.00 MB ] */
#define C7_HEAP_PHYS_ADDR (0x882000000u)
#define C7_HEAP_PHYS_SIZE (0x04000000u)

/* scratch of c7, on the bus [ size 64.00 MB ] */
#define C7_SCRATCH_PHYS_ADDR (0x886000000u)
#define C7_SCRATCH_PHYS_SIZE (0x04000000u)

/* heap, not cached of c8, on the bus [ size 16.00 MB ] */
#define C8_HEAP_NC_PHYS_ADDR (0x88A000000u)
#define C8_HEAP_NC_PHYS_SIZE (0x01000000u)

/* scratch, not cached of c8, on the bus [ size 16.00 MB ] */
#define C8_SCRATCH_NC_PHYS_ADDR (0x88B000000u)
#define C8_SCRATCH_NC_PHYS_SIZE (0x01000000u)

/* heap of c8, on the bus [ size 64.00 MB ] */
#define C8_HEAP_PHYS_ADDR (0x88C000000u)
#define C8_HEAP_PHYS_SIZE (0x04000000u)

/* scratch of c8, on the bus [ size 64.00 MB ] */
#define C8_SCRATCH_PHYS_ADDR (0x890000000u)
#define C8_SCRATCH_PHYS_SIZE (0x04000000u)

/* buffers that all cores share, on the bus [ size 512.00 MB ] */
#define SHARED_MEM_PHYS_ADDR (0x900000000u)
#define SHARED_MEM_PHYS_SIZE (0x20000000u)

#define DDR_64BIT_BASE_VADDR (0x100000000u)
#define DDR_64BIT_BASE_PADDR (0x880000000u)

#endif /* APP_MEM_MAP_H */
