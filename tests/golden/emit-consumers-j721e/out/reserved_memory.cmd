# Reserved memory for U-Boot: TI J721E, Processor SDK 12.0, FreeRTOS.
# Written by memsize from board 'j721e'. Change the board's knobs, not this file.
# 1744 MiB are kept from Linux.
#
#   mkimage -T script -d reserved_memory.cmd boot.scr
#
# Load the device tree, then source this, then boot. ${fdt_addr_r}, or ${fdtaddr}, says where the device tree is; behind it
# 0x4000 must be free. What the tree has under a label already stays the same node. Afterwards ${memsize_wrong} is
# empty, or nothing may be booted. FDT_ERR_NOTFOUND is what libfdt says of a node that is new.
setenv memsize_wrong
test -n "${fdt_addr_r}" || setenv fdt_addr_r "${fdtaddr}"
fdt addr "${fdt_addr_r}" || setenv memsize_wrong "no device tree"
fdt resize 0x4000 || setenv memsize_wrong "no room"
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
if fdt get value memsize_node /__symbols__ vision_apps_mcu_r5fss0_core1_dma_memory_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-r5f-dma-memory@a1000000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-r5f-dma-memory@a1000000
fi
fdt set ${memsize_node} reg <0x00 0xa1000000 0x00 0x00100000> || setenv memsize_wrong vision_apps_mcu_r5fss0_core1_dma_memory_region
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_mcu_r5fss0_core1_dma_memory_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_mcu_r5fss0_core1_dma_memory_region

# 15 MiB
if fdt get value memsize_node /__symbols__ vision_apps_mcu_r5fss0_core1_memory_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-r5f-memory@a1100000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-r5f-memory@a1100000
fi
fdt set ${memsize_node} reg <0x00 0xa1100000 0x00 0x00f00000> || setenv memsize_wrong vision_apps_mcu_r5fss0_core1_memory_region
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_mcu_r5fss0_core1_memory_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_mcu_r5fss0_core1_memory_region

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

# 1 MiB
if fdt get value memsize_node /__symbols__ vision_apps_main_r5fss0_core1_dma_memory_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-r5f-dma-memory@a4000000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-r5f-dma-memory@a4000000
fi
fdt set ${memsize_node} reg <0x00 0xa4000000 0x00 0x00100000> || setenv memsize_wrong vision_apps_main_r5fss0_core1_dma_memory_region
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_main_r5fss0_core1_dma_memory_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_main_r5fss0_core1_dma_memory_region

# 31 MiB
if fdt get value memsize_node /__symbols__ vision_apps_main_r5fss0_core1_memory_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-r5f-memory@a4100000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-r5f-memory@a4100000
fi
fdt set ${memsize_node} reg <0x00 0xa4100000 0x00 0x01f00000> || setenv memsize_wrong vision_apps_main_r5fss0_core1_memory_region
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_main_r5fss0_core1_memory_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_main_r5fss0_core1_memory_region

# 1 MiB
if fdt get value memsize_node /__symbols__ vision_apps_main_r5fss1_core0_dma_memory_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-r5f-dma-memory@a6000000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-r5f-dma-memory@a6000000
fi
fdt set ${memsize_node} reg <0x00 0xa6000000 0x00 0x00100000> || setenv memsize_wrong vision_apps_main_r5fss1_core0_dma_memory_region
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_main_r5fss1_core0_dma_memory_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_main_r5fss1_core0_dma_memory_region

# 15 MiB
if fdt get value memsize_node /__symbols__ vision_apps_main_r5fss1_core0_memory_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-r5f-memory@a6100000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-r5f-memory@a6100000
fi
fdt set ${memsize_node} reg <0x00 0xa6100000 0x00 0x00f00000> || setenv memsize_wrong vision_apps_main_r5fss1_core0_memory_region
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_main_r5fss1_core0_memory_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_main_r5fss1_core0_memory_region

# 1 MiB
if fdt get value memsize_node /__symbols__ vision_apps_main_r5fss1_core1_dma_memory_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-r5f-dma-memory@a7000000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-r5f-dma-memory@a7000000
fi
fdt set ${memsize_node} reg <0x00 0xa7000000 0x00 0x00100000> || setenv memsize_wrong vision_apps_main_r5fss1_core1_dma_memory_region
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_main_r5fss1_core1_dma_memory_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_main_r5fss1_core1_dma_memory_region

# 15 MiB
if fdt get value memsize_node /__symbols__ vision_apps_main_r5fss1_core1_memory_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-r5f-memory@a7100000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-r5f-memory@a7100000
fi
fdt set ${memsize_node} reg <0x00 0xa7100000 0x00 0x00f00000> || setenv memsize_wrong vision_apps_main_r5fss1_core1_memory_region
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_main_r5fss1_core1_memory_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_main_r5fss1_core1_memory_region

# 1 MiB
if fdt get value memsize_node /__symbols__ vision_apps_c66_1_dma_memory_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-c66-dma-memory@a8000000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-c66-dma-memory@a8000000
fi
fdt set ${memsize_node} reg <0x00 0xa8000000 0x00 0x00100000> || setenv memsize_wrong vision_apps_c66_1_dma_memory_region
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_c66_1_dma_memory_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_c66_1_dma_memory_region

# 15 MiB
if fdt get value memsize_node /__symbols__ vision_apps_c66_0_memory_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-c66-memory@a8100000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-c66-memory@a8100000
fi
fdt set ${memsize_node} reg <0x00 0xa8100000 0x00 0x00f00000> || setenv memsize_wrong vision_apps_c66_0_memory_region
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_c66_0_memory_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_c66_0_memory_region

# 1 MiB
if fdt get value memsize_node /__symbols__ vision_apps_c66_0_dma_memory_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-c66-dma-memory@a9000000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-c66-dma-memory@a9000000
fi
fdt set ${memsize_node} reg <0x00 0xa9000000 0x00 0x00100000> || setenv memsize_wrong vision_apps_c66_0_dma_memory_region
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_c66_0_dma_memory_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_c66_0_dma_memory_region

# 15 MiB
if fdt get value memsize_node /__symbols__ vision_apps_c66_1_memory_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-c66-memory@a9100000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-c66-memory@a9100000
fi
fdt set ${memsize_node} reg <0x00 0xa9100000 0x00 0x00f00000> || setenv memsize_wrong vision_apps_c66_1_memory_region
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_c66_1_memory_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_c66_1_memory_region

# 32 MiB
if fdt get value memsize_node /__symbols__ vision_apps_rtos_ipc_memory_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-rtos-ipc-memory-region
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-rtos-ipc-memory-region
fi
fdt set ${memsize_node} reg <0x00 0xaa000000 0x00 0x02000000> || setenv memsize_wrong vision_apps_rtos_ipc_memory_region
fdt set ${memsize_node} alignment <0x1000> || setenv memsize_wrong vision_apps_rtos_ipc_memory_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_rtos_ipc_memory_region

# 96 MiB
if fdt get value memsize_node /__symbols__ vision_apps_memory_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-dma-memory@ac000000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-dma-memory@ac000000
fi
fdt set ${memsize_node} reg <0x00 0xac000000 0x00 0x06000000> || setenv memsize_wrong vision_apps_memory_region
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_memory_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_memory_region

# 1 MiB
if fdt get value memsize_node /__symbols__ vision_apps_c71_0_dma_memory_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-c71-dma-memory@b2000000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-c71-dma-memory@b2000000
fi
fdt set ${memsize_node} reg <0x00 0xb2000000 0x00 0x00100000> || setenv memsize_wrong vision_apps_c71_0_dma_memory_region
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_c71_0_dma_memory_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_c71_0_dma_memory_region

# 95 MiB
if fdt get value memsize_node /__symbols__ vision_apps_c71_0_memory_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-c71-memory@b2100000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-c71-memory@b2100000
fi
fdt set ${memsize_node} reg <0x00 0xb2100000 0x00 0x05f00000> || setenv memsize_wrong vision_apps_c71_0_memory_region
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_c71_0_memory_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_c71_0_memory_region

# 512 MiB
if fdt get value memsize_node /__symbols__ vision_apps_shared_region; then true; else
  setenv memsize_node /reserved-memory/vision_apps_shared-memories
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision_apps_shared-memories
fi
fdt set ${memsize_node} reg <0x00 0xb8000000 0x00 0x20000000> || setenv memsize_wrong vision_apps_shared_region; if fdt get size memsize_old ${memsize_node} no-map; then fdt rm ${memsize_node} no-map; fi
fdt set ${memsize_node} compatible "dma-heap-carveout" || setenv memsize_wrong vision_apps_shared_region

# 192 MiB
if fdt get value memsize_node /__symbols__ vision_apps_core_heaps_lo; then true; else
  setenv memsize_node /reserved-memory/vision-apps-core-heap-memory-lo@d8000000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-core-heap-memory-lo@d8000000
fi
fdt set ${memsize_node} reg <0x00 0xd8000000 0x00 0x0c000000> || setenv memsize_wrong vision_apps_core_heaps_lo
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_core_heaps_lo
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_core_heaps_lo

# 8 MiB
if fdt get value memsize_node /__symbols__ vision_apps_main_r5fss0_core0_shared_memory_queue_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-r5f-virtual-eth-queues@e4000000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-r5f-virtual-eth-queues@e4000000
fi
fdt set ${memsize_node} reg <0x00 0xe4000000 0x00 0x00800000> || setenv memsize_wrong vision_apps_main_r5fss0_core0_shared_memory_queue_region
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_main_r5fss0_core0_shared_memory_queue_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_main_r5fss0_core0_shared_memory_queue_region

# 24 MiB
if fdt get value memsize_node /__symbols__ vision_apps_main_r5fss0_core0_shared_memory_bufpool_region; then true; else
  setenv memsize_node /reserved-memory/vision-apps-r5f-virtual-eth-buffers@e4800000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-r5f-virtual-eth-buffers@e4800000
fi
fdt set ${memsize_node} reg <0x00 0xe4800000 0x00 0x01800000> || setenv memsize_wrong vision_apps_main_r5fss0_core0_shared_memory_bufpool_region
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_main_r5fss0_core0_shared_memory_bufpool_region
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_main_r5fss0_core0_shared_memory_bufpool_region

# 624 MiB
if fdt get value memsize_node /__symbols__ vision_apps_core_heaps_hi; then true; else
  setenv memsize_node /reserved-memory/vision-apps-core-heap-memory-hi@880000000
  fdt get size memsize_old ${memsize_node} || fdt mknode /reserved-memory vision-apps-core-heap-memory-hi@880000000
fi
fdt set ${memsize_node} reg <0x08 0x80000000 0x00 0x27000000> || setenv memsize_wrong vision_apps_core_heaps_hi
fdt set ${memsize_node} compatible "shared-dma-pool" || setenv memsize_wrong vision_apps_core_heaps_hi
fdt set ${memsize_node} no-map || setenv memsize_wrong vision_apps_core_heaps_hi

if test -n "${memsize_wrong}"; then echo "memsize: not all memory is reserved: ${memsize_wrong}"; fi
