# Reserved memory for U-Boot: TI J722S, Processor SDK 12.0, FreeRTOS.
# Written by memsize from board 'j722s'. Change the board's knobs, not this file.
# 1288.25 MiB are kept from Linux.
#
#   mkimage -T script -d reserved_memory.cmd boot.scr
#
# Load the device tree, then source this, then boot. ${fdt_addr_r}, or ${fdtaddr}, says where the device tree is; behind it
# 0x2000 must be free. What the tree has under a label already stays the same node. Afterwards ${memsize_wrong} is
# empty, or nothing may be booted. FDT_ERR_NOTFOUND is what libfdt says of a node that is new.
setenv memsize_wrong
test -n "${fdt_addr_r}" || setenv fdt_addr_r "${fdtaddr}"
fdt addr "${fdt_addr_r}" || setenv memsize_wrong "no device tree"
fdt resize 0x2000 || setenv memsize_wrong "no room"
if fdt get size memsize_cells /reserved-memory; then true; else
  fdt mknode / reserved-memory || setenv memsize_wrong "/reserved-memory"
  fdt set /reserved-memory "#address-cells" <2>
  fdt set /reserved-memory "#size-cells" <2>
  fdt set /reserved-memory ranges
fi
fdt get value memsize_cells /reserved-memory "#address-cells"
test "${memsize_cells}" -eq 2 || setenv memsize_wrong "#address-cells"
fdt get value memsize_cells /reserved-memory "#size-cells"
test "${memsize_cells}" -eq 2 || setenv memsize_wrong "#size-cells"

# 1 MiB
if fdt get value memsize_node /__symbols__ vision_apps_mcu_r5fss0_core0_dma_memory_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-r5f-dma-memory@a0000000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-r5f-dma-memory@a0000000
fi
fdt set ${memsize_node} reg <0x00 0xa0000000 0x00 0x00100000> || setenv memsize_wrong vision_apps_mcu_r5fss0_core0_dma_memory_region
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_mcu_r5fss0_core0_dma_memory_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_mcu_r5fss0_core0_dma_memory_region

# 15 MiB
if fdt get value memsize_node /__symbols__ vision_apps_mcu_r5fss0_core0_memory_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-r5f-memory@a0100000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-r5f-memory@a0100000
fi
fdt set ${memsize_node} reg <0x00 0xa0100000 0x00 0x00f00000> || setenv memsize_wrong vision_apps_mcu_r5fss0_core0_memory_region
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_mcu_r5fss0_core0_memory_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_mcu_r5fss0_core0_memory_region

# 1 MiB
if fdt get value memsize_node /__symbols__ vision_apps_main_r5fss0_core0_dma_memory_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-r5f-dma-memory@a2000000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-r5f-dma-memory@a2000000
fi
fdt set ${memsize_node} reg <0x00 0xa2000000 0x00 0x00100000> || setenv memsize_wrong vision_apps_main_r5fss0_core0_dma_memory_region
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_main_r5fss0_core0_dma_memory_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_main_r5fss0_core0_dma_memory_region

# 31 MiB
if fdt get value memsize_node /__symbols__ vision_apps_main_r5fss0_core0_memory_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-r5f-memory@a2100000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-r5f-memory@a2100000
fi
fdt set ${memsize_node} reg <0x00 0xa2100000 0x00 0x01f00000> || setenv memsize_wrong vision_apps_main_r5fss0_core0_memory_region
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_main_r5fss0_core0_memory_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_main_r5fss0_core0_memory_region

# 16 MiB
if fdt get value memsize_node /__symbols__ vision_apps_rtos_ipc_memory_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-rtos-ipc-memory-region@a5000000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-rtos-ipc-memory-region@a5000000
fi
fdt set ${memsize_node} reg <0x00 0xa5000000 0x00 0x01000000> || setenv memsize_wrong vision_apps_rtos_ipc_memory_region
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_rtos_ipc_memory_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_rtos_ipc_memory_region

# 28.25 MiB
if fdt get value memsize_node /__symbols__ vision_apps_memory_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-dma-memory@a6000000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-dma-memory@a6000000
fi
fdt set ${memsize_node} reg <0x00 0xa6000000 0x00 0x01c40000> || setenv memsize_wrong vision_apps_memory_region
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_memory_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_memory_region

# 1 MiB
if fdt get value memsize_node /__symbols__ vision_apps_c71_0_dma_memory_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-c71-dma-memory@ad000000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-c71-dma-memory@ad000000
fi
fdt set ${memsize_node} reg <0x00 0xad000000 0x00 0x00100000> || setenv memsize_wrong vision_apps_c71_0_dma_memory_region
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_c71_0_dma_memory_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_c71_0_dma_memory_region

# 63 MiB
if fdt get value memsize_node /__symbols__ vision_apps_c71_0_memory_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-c71_0-memory@ad100000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-c71_0-memory@ad100000
fi
fdt set ${memsize_node} reg <0x00 0xad100000 0x00 0x03f00000> || setenv memsize_wrong vision_apps_c71_0_memory_region
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_c71_0_memory_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_c71_0_memory_region

# 1 MiB
if fdt get value memsize_node /__symbols__ vision_apps_c71_1_dma_memory_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-c71_1-dma-memory@b1000000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-c71_1-dma-memory@b1000000
fi
fdt set ${memsize_node} reg <0x00 0xb1000000 0x00 0x00100000> || setenv memsize_wrong vision_apps_c71_1_dma_memory_region
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_c71_1_dma_memory_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_c71_1_dma_memory_region

# 63 MiB
if fdt get value memsize_node /__symbols__ vision_apps_c71_1_memory_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-c71_1-memory@b1100000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-c71_1-memory@b1100000
fi
fdt set ${memsize_node} reg <0x00 0xb1100000 0x00 0x03f00000> || setenv memsize_wrong vision_apps_c71_1_memory_region
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_c71_1_memory_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_c71_1_memory_region

# 44 MiB
if fdt get value memsize_node /__symbols__ vision_apps_core_heaps_lo; then true; else
  setenv memsize_node /reserved-memory/vision-apps-core-heap-memory-lo@b5000000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-core-heap-memory-lo@b5000000
fi
fdt set ${memsize_node} reg <0x00 0xb5000000 0x00 0x02c00000> || setenv memsize_wrong vision_apps_core_heaps_lo
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_core_heaps_lo
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_core_heaps_lo

# 512 MiB
if fdt get value memsize_node /__symbols__ c7x_ddr_heaps_hi; then true; else
  setenv memsize_node /reserved-memory/c7x-ddr-heaps-hi@880000000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory c7x-ddr-heaps-hi@880000000
fi
fdt set ${memsize_node} reg <0x08 0x80000000 0x00 0x20000000> || setenv memsize_wrong c7x_ddr_heaps_hi
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong c7x_ddr_heaps_hi
fdt set ${memsize_node} no-map || setenv memsize_wrong c7x_ddr_heaps_hi

# 512 MiB
if fdt get value memsize_node /__symbols__ vision_apps_shared_region; then true; else
  setenv memsize_node /reserved-memory/vision_apps_shared-memories
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision_apps_shared-memories
fi
fdt set ${memsize_node} reg <0x09 0x00000000 0x00 0x20000000> || setenv memsize_wrong vision_apps_shared_region; if fdt get size memsize_old ${memsize_node} no-map; then fdt rm ${memsize_node} no-map; fi
fdt set ${memsize_node} compatible "dma-heap-carveout" || setenv memsize_wrong vision_apps_shared_region

if test -n "${memsize_wrong}"; then echo "memsize: not all memory is reserved: ${memsize_wrong}"; fi
