/*
 * Memory map: TI J722S, Processor SDK 11.01, FreeRTOS.
 * Written by memsize from board 'j722s-sdk11'. Change the board's knobs, not this file.
 */
#ifndef APP_MEM_MAP_H
#define APP_MEM_MAP_H

/* C7x 1 main L2, which TIDL uses as L3 [ 2 MiB ] */
#define L2RAM_C7x_1_MAIN_ADDR (0x7E000000u)
#define L2RAM_C7x_1_MAIN_SIZE (0x00200000u)

/* C7x 2 main L2, which TIDL uses as L3 [ 2 MiB ] */
#define L2RAM_C7x_2_MAIN_ADDR (0x7E200000u)
#define L2RAM_C7x_2_MAIN_SIZE (0x00200000u)

/* C7x 1 auxiliary L2, which TIDL uses as L2 [ 240 KiB ] */
#define L2RAM_C7x_1_AUX_ADDR (0x7F000000u)
#define L2RAM_C7x_1_AUX_SIZE (0x0003C000u)

/* C7x 1 auxiliary L2, which TIDL uses as L1 [ 16 KiB ] */
#define L2RAM_C7x_1_AUX_AS_L1_ADDR (0x7F03C000u)
#define L2RAM_C7x_1_AUX_AS_L1_SIZE (0x00004000u)

/* C7x 2 auxiliary L2, which TIDL uses as L2 [ 240 KiB ] */
#define L2RAM_C7x_2_AUX_ADDR (0x7F800000u)
#define L2RAM_C7x_2_AUX_SIZE (0x0003C000u)

/* C7x 2 auxiliary L2, which TIDL uses as L1 [ 16 KiB ] */
#define L2RAM_C7x_2_AUX_AS_L1_ADDR (0x7F83C000u)
#define L2RAM_C7x_2_AUX_AS_L1_SIZE (0x00004000u)

/* mcu1_0 to Linux: vrings [ 1 MiB ] */
#define DDR_MCU1_0_IPC_ADDR (0xA0000000u)
#define DDR_MCU1_0_IPC_SIZE (0x00100000u)

/* all that Linux reserves as vision_apps_mcu_r5fss0_core0_memory_region [ 15 MiB ] */
#define DDR_MCU1_0_DTS_ADDR (0xA0100000u)
#define DDR_MCU1_0_DTS_SIZE (0x00F00000u)

/* mcu2_0 to Linux: vrings [ 1 MiB ] */
#define DDR_MCU2_0_IPC_ADDR (0xA2000000u)
#define DDR_MCU2_0_IPC_SIZE (0x00100000u)

/* all that Linux reserves as vision_apps_main_r5fss0_core0_memory_region [ 31 MiB ] */
#define DDR_MCU2_0_DTS_ADDR (0xA2100000u)
#define DDR_MCU2_0_DTS_SIZE (0x01F00000u)

/* vrings between the cores; never cached [ 32 MiB ] */
#define IPC_VRING_MEM_ADDR (0xA5000000u)
#define IPC_VRING_MEM_SIZE (0x02000000u)

/* log ring of every core [ 256 KiB ] */
#define APP_LOG_MEM_ADDR (0xA7000000u)
#define APP_LOG_MEM_SIZE (0x00040000u)

/* OpenVX object descriptors; never cached [ 63.75 MiB ] */
#define TIOVX_OBJ_DESC_MEM_ADDR (0xA7040000u)
#define TIOVX_OBJ_DESC_MEM_SIZE (0x03FC0000u)

/* file access of the remote cores [ 4 MiB ] */
#define APP_FILEIO_MEM_ADDR (0xAB000000u)
#define APP_FILEIO_MEM_SIZE (0x00400000u)

/* OpenVX run-time log; never cached [ 28 MiB ] */
#define TIOVX_LOG_RT_MEM_ADDR (0xAB400000u)
#define TIOVX_LOG_RT_MEM_SIZE (0x01C00000u)

/* c7x_1 to Linux: vrings [ 1 MiB ] */
#define DDR_C7x_1_IPC_ADDR (0xAD000000u)
#define DDR_C7x_1_IPC_SIZE (0x00100000u)

/* all that Linux reserves as vision_apps_c71_0_memory_region [ 63 MiB ] */
#define DDR_C7x_1_DTS_ADDR (0xAD100000u)
#define DDR_C7x_1_DTS_SIZE (0x03F00000u)

/* c7x_2 to Linux: vrings [ 1 MiB ] */
#define DDR_C7x_2_IPC_ADDR (0xB1000000u)
#define DDR_C7x_2_IPC_SIZE (0x00100000u)

/* all that Linux reserves as vision_apps_c71_1_memory_region [ 63 MiB ] */
#define DDR_C7x_2_DTS_ADDR (0xB1100000u)
#define DDR_C7x_2_DTS_SIZE (0x03F00000u)

/* mcu1_0 heap [ 8 MiB ] */
#define DDR_MCU1_0_LOCAL_HEAP_ADDR (0xB5000000u)
#define DDR_MCU1_0_LOCAL_HEAP_SIZE (0x00800000u)

/* mcu2_0 heap [ 32 MiB ] */
#define DDR_MCU2_0_LOCAL_HEAP_ADDR (0xB5800000u)
#define DDR_MCU2_0_LOCAL_HEAP_SIZE (0x02000000u)

/* buffers that the cores share [ 512 MiB ] */
#define DDR_SHARED_MEM_ADDR (0xC0000000u)
#define DDR_SHARED_MEM_SIZE (0x20000000u)

/* c7x_1 persistent, non-cacheable [ 64 MiB ] */
#define DDR_C7X_1_LOCAL_HEAP_NON_CACHEABLE_ADDR (0x100000000u)
#define DDR_C7X_1_LOCAL_HEAP_NON_CACHEABLE_SIZE (0x04000000u)

/* c7x_1 persistent, non-cacheable, as c7x_2 maps it [ 64 MiB ] */
#define DDR_C7X_2_1_LOCAL_HEAP_NON_CACHEABLE_ADDR (0x100000000u)
#define DDR_C7X_2_1_LOCAL_HEAP_NON_CACHEABLE_SIZE (0x04000000u)

/* c7x_1 scratch, non-cacheable [ 64 MiB ] */
#define DDR_C7X_1_SCRATCH_NON_CACHEABLE_ADDR (0x104000000u)
#define DDR_C7X_1_SCRATCH_NON_CACHEABLE_SIZE (0x04000000u)

/* c7x_1 scratch, non-cacheable, as c7x_2 maps it [ 64 MiB ] */
#define DDR_C7X_2_1_SCRATCH_NON_CACHEABLE_ADDR (0x104000000u)
#define DDR_C7X_2_1_SCRATCH_NON_CACHEABLE_SIZE (0x04000000u)

/* c7x_1 persistent [ 64 MiB ] */
#define DDR_C7X_1_LOCAL_HEAP_ADDR (0x108000000u)
#define DDR_C7X_1_LOCAL_HEAP_SIZE (0x04000000u)

/* c7x_1 persistent, as c7x_2 maps it [ 64 MiB ] */
#define DDR_C7X_2_1_LOCAL_HEAP_ADDR (0x108000000u)
#define DDR_C7X_2_1_LOCAL_HEAP_SIZE (0x04000000u)

/* c7x_1 scratch [ 64 MiB ] */
#define DDR_C7X_1_SCRATCH_ADDR (0x10C000000u)
#define DDR_C7X_1_SCRATCH_SIZE (0x04000000u)

/* c7x_1 scratch, as c7x_2 maps it [ 64 MiB ] */
#define DDR_C7X_2_1_SCRATCH_ADDR (0x10C000000u)
#define DDR_C7X_2_1_SCRATCH_SIZE (0x04000000u)

/* c7x_2 persistent, non-cacheable [ 3 MiB ] */
#define DDR_C7X_2_LOCAL_HEAP_NON_CACHEABLE_ADDR (0x110000000u)
#define DDR_C7X_2_LOCAL_HEAP_NON_CACHEABLE_SIZE (0x00300000u)

/* c7x_2 persistent, non-cacheable, as c7x_1 maps it [ 3 MiB ] */
#define DDR_C7X_1_2_LOCAL_HEAP_NON_CACHEABLE_ADDR (0x110000000u)
#define DDR_C7X_1_2_LOCAL_HEAP_NON_CACHEABLE_SIZE (0x00300000u)

/* c7x_2 scratch, non-cacheable [ 1 MiB ] */
#define DDR_C7X_2_SCRATCH_NON_CACHEABLE_ADDR (0x110300000u)
#define DDR_C7X_2_SCRATCH_NON_CACHEABLE_SIZE (0x00100000u)

/* c7x_2 scratch, non-cacheable, as c7x_1 maps it [ 1 MiB ] */
#define DDR_C7X_1_2_SCRATCH_NON_CACHEABLE_ADDR (0x110300000u)
#define DDR_C7X_1_2_SCRATCH_NON_CACHEABLE_SIZE (0x00100000u)

/* c7x_2 persistent [ 10 MiB ] */
#define DDR_C7X_2_LOCAL_HEAP_ADDR (0x110400000u)
#define DDR_C7X_2_LOCAL_HEAP_SIZE (0x00A00000u)

/* c7x_2 persistent, as c7x_1 maps it [ 10 MiB ] */
#define DDR_C7X_1_2_LOCAL_HEAP_ADDR (0x110400000u)
#define DDR_C7X_1_2_LOCAL_HEAP_SIZE (0x00A00000u)

/* c7x_2 scratch [ 5 MiB ] */
#define DDR_C7X_2_SCRATCH_ADDR (0x110E00000u)
#define DDR_C7X_2_SCRATCH_SIZE (0x00500000u)

/* c7x_2 scratch, as c7x_1 maps it [ 5 MiB ] */
#define DDR_C7X_1_2_SCRATCH_ADDR (0x110E00000u)
#define DDR_C7X_1_2_SCRATCH_SIZE (0x00500000u)

/* c7x_1 persistent, non-cacheable: physical address [ 64 MiB ] */
#define DDR_C7X_1_LOCAL_HEAP_NON_CACHEABLE_PHYS_ADDR (0x880000000u)
#define DDR_C7X_1_LOCAL_HEAP_NON_CACHEABLE_PHYS_SIZE (0x04000000u)

/* c7x_1 scratch, non-cacheable: physical address [ 64 MiB ] */
#define DDR_C7X_1_SCRATCH_NON_CACHEABLE_PHYS_ADDR (0x884000000u)
#define DDR_C7X_1_SCRATCH_NON_CACHEABLE_PHYS_SIZE (0x04000000u)

/* c7x_1 persistent: physical address [ 64 MiB ] */
#define DDR_C7X_1_LOCAL_HEAP_PHYS_ADDR (0x888000000u)
#define DDR_C7X_1_LOCAL_HEAP_PHYS_SIZE (0x04000000u)

/* c7x_1 scratch: physical address [ 64 MiB ] */
#define DDR_C7X_1_SCRATCH_PHYS_ADDR (0x88C000000u)
#define DDR_C7X_1_SCRATCH_PHYS_SIZE (0x04000000u)

/* c7x_2 persistent, non-cacheable: physical address [ 3 MiB ] */
#define DDR_C7X_2_LOCAL_HEAP_NON_CACHEABLE_PHYS_ADDR (0x890000000u)
#define DDR_C7X_2_LOCAL_HEAP_NON_CACHEABLE_PHYS_SIZE (0x00300000u)

/* c7x_2 scratch, non-cacheable: physical address [ 1 MiB ] */
#define DDR_C7X_2_SCRATCH_NON_CACHEABLE_PHYS_ADDR (0x890300000u)
#define DDR_C7X_2_SCRATCH_NON_CACHEABLE_PHYS_SIZE (0x00100000u)

/* c7x_2 persistent: physical address [ 10 MiB ] */
#define DDR_C7X_2_LOCAL_HEAP_PHYS_ADDR (0x890400000u)
#define DDR_C7X_2_LOCAL_HEAP_PHYS_SIZE (0x00A00000u)

/* c7x_2 scratch: physical address [ 5 MiB ] */
#define DDR_C7X_2_SCRATCH_PHYS_ADDR (0x890E00000u)
#define DDR_C7X_2_SCRATCH_PHYS_SIZE (0x00500000u)

/* buffers that the cores share: physical address [ 512 MiB ] */
#define DDR_SHARED_MEM_PHYS_ADDR (0x900000000u)
#define DDR_SHARED_MEM_PHYS_SIZE (0x20000000u)

#define DDR_64BIT_BASE_VADDR (0x100000000u)
#define DDR_64BIT_BASE_PADDR (0x880000000u)

#endif /* APP_MEM_MAP_H */
