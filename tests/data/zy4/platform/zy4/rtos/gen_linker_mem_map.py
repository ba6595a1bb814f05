#!/usr/bin/env python3
#
# Memory map of zy4, FreeRTOS on every core.
# Change the sizes below and run this script in its folder.

from ti_psdk_rtos_tools import *

KB = 1024;
MB = KB*KB;

#
# Sizes and addresses, in the order of memory
#
ipc_size      = 1*MB;

r5_ipc_addr   = 0xA0000000;
r5_code_addr  = r5_ipc_addr + ipc_size;
r5_code_size  = 15*MB;

r6_ipc_addr   = r5_code_addr + r5_code_size;
r6_code_addr  = r6_ipc_addr + ipc_size;
r6_code_size  = 15 * MB

# Descending powers of two: one MPU region each.
ring_addr     = 0xA4000000;
ring_size     = 16*MB;
log_addr      = ring_addr + ring_size;
log_size      = (256*KB);     # 16 logs of 16 KB
obj_addr      = log_addr + log_size;
obj_size      = 4*MB - log_size;
fileio_addr   = obj_addr + obj_size;
fileio_size   = 4*MB;

c7_ipc_addr   = 0xA6000000;
c7_code_addr  = c7_ipc_addr + ipc_size;
c7_code_size  = 31*MB;
c8_ipc_addr   = c7_code_addr + c7_code_size;
c8_code_addr  = c8_ipc_addr + ipc_size;
c8_code_size  = 31*MB;
r5_heap_addr  = c8_code_addr + c8_code_size;
r5_heap_size  = 8*MB;
r6_heap_addr  = r5_heap_addr + r5_heap_size;
r6_heap_size  = 8*MB;

shared_addr      = 0xC0000000;
shared_addr_phys = 0x900000000;
shared_size      = 512*MB;

# Above 4 GB: where the C7x see it, and where it is on the bus.
high_addr      = 0x100000000;
high_addr_phys = 0x880000000;
c7_heap_nc_addr = high_addr;
c7_heap_nc_addr_phys = high_addr_phys;
c7_heap_nc_size = 16*MB;
c7_scratch_nc_addr = c7_heap_nc_addr + c7_heap_nc_size;
c7_scratch_nc_addr_phys = c7_heap_nc_addr_phys + c7_heap_nc_size;
c7_scratch_nc_size = 16*MB;
c7_heap_addr = c7_scratch_nc_addr + c7_scratch_nc_size;
c7_heap_addr_phys = c7_scratch_nc_addr_phys + c7_scratch_nc_size;
c7_heap_size = 64*MB;
c7_scratch_addr = c7_heap_addr + c7_heap_size;
c7_scratch_addr_phys = c7_heap_addr_phys + c7_heap_size;
c7_scratch_size = (64 * MB)
c8_heap_nc_addr = c7_scratch_addr + c7_scratch_size;
c8_heap_nc_addr_phys = c7_scratch_addr_phys + c7_scratch_size;
c8_heap_nc_size = 0x1000000;
c8_scratch_nc_addr = c8_heap_nc_addr + c8_heap_nc_size;
c8_scratch_nc_addr_phys = c8_heap_nc_addr_phys + c8_heap_nc_size;
c8_scratch_nc_size = 16*MB;
c8_heap_addr = c8_scratch_nc_addr + c8_scratch_nc_size;
c8_heap_addr_phys = c8_scratch_nc_addr_phys + c8_scratch_nc_size;
c8_heap_size = 64*MB;
c8_scratch_addr = c8_heap_addr + c8_heap_size;
c8_scratch_addr_phys = c8_heap_addr_phys + c8_heap_size;
c8_scratch_size = 64*MB;

assert r6_heap_addr + r6_heap_size <= shared_addr

r5_ipc = MemSection("DDR_R5_IPC", "RWIX", r5_ipc_addr, ipc_size, "rings between r5 and Linux");
r5_ipc.setDtsName("zy4_r5_dma_memory_region", "zy4-r5-dma-memory");
r5_code = MemSection("DDR_R5_CODE", "RWIX", r5_code_addr, r5_code_size, "code and data of r5");
r5_code.setDtsName("zy4_r5_memory_region", "zy4-r5-memory");
r6_ipc = MemSection("DDR_R6_IPC", "RWIX", r6_ipc_addr, ipc_size, "rings between r6 and Linux");
r6_ipc.setDtsName("zy4_r6_dma_memory_region", "zy4-r6-dma-memory");
r6_code = MemSection("DDR_R6_CODE", "RWIX", r6_code_addr, r6_code_size, "code and data of r6");
r6_code.setDtsName("zy4_r6_memory_region", "zy4-r6-memory");
c7_ipc = MemSection("DDR_C7_IPC", "RWIX", c7_ipc_addr, ipc_size, "rings between c7 and Linux");
c7_ipc.setDtsName("zy4_c7_dma_memory_region", "zy4-c7-dma-memory");
c7_code = MemSection("DDR_C7_CODE", "RWIX", c7_code_addr, c7_code_size, "code and data of c7");
c7_code.setDtsName("zy4_c7_memory_region", "zy4-c7-memory");
c8_ipc = MemSection("DDR_C8_IPC", "RWIX", c8_ipc_addr, ipc_size, "rings between c8 and Linux");
c8_ipc.setDtsName("zy4_c8_dma_memory_region", "zy4-c8-dma-memory");
c8_code = MemSection("DDR_C8_CODE", "RWIX", c8_code_addr, c8_code_size, "code and data of c8");
c8_code.setDtsName("zy4_c8_memory_region", "zy4-c8-memory");
ring = MemSection("RING_MEM", "", ring_addr, ring_size, "rings between the cores, never cached");
log = MemSection("LOG_MEM", "", log_addr, log_size, "logs of all cores, never cached");
obj = MemSection("OBJ_MEM", "", obj_addr, obj_size, "objects of all cores, never cached");
fileio = MemSection("FILEIO_MEM", "", fileio_addr, fileio_size, "files of all cores, never cached");
r5_heap = MemSection("DDR_R5_HEAP", "RWIX", r5_heap_addr, r5_heap_size, "heap of r5");
r6_heap = MemSection("DDR_R6_HEAP", "RWIX", r6_heap_addr, r6_heap_size, "heap of r6");
shared = MemSection("SHARED_MEM", "", shared_addr, shared_size, "buffers that all cores share");
shared_phys = MemSection("SHARED_MEM_PHYS", "", shared_addr_phys, shared_size, "buffers that all cores share, on the bus");
shared_phys.setDtsName("zy4_shared_region", "zy4_shared-memories");
shared_phys.setCompatibility("dma-heap-carveout");
shared_phys.setNoMap(False);
shared_phys.setOriginTag(False);
shared_phys.splitOrigin(True);
ring.setDtsName("zy4_ring_memory_region", "zy4-ring-memory");
c7_heap_nc = MemSection("C7_HEAP_NC", "RWIX", c7_heap_nc_addr, c7_heap_nc_size, "heap, not cached of c7");
c7_heap_nc_phys = MemSection("C7_HEAP_NC_PHYS", "", c7_heap_nc_addr_phys, c7_heap_nc_size, "heap, not cached of c7, on the bus");
c8_7_heap_nc = MemSection("C8_7_HEAP_NC", "RWIX", c7_heap_nc_addr, c7_heap_nc_size, "heap, not cached of c7, for the other");
c7_scratch_nc = MemSection("C7_SCRATCH_NC", "RWIX", c7_scratch_nc_addr, c7_scratch_nc_size, "scratch, not cached of c7");
c7_scratch_nc_phys = MemSection("C7_SCRATCH_NC_PHYS", "", c7_scratch_nc_addr_phys, c7_scratch_nc_size, "scratch, not cached of c7, on the bus");
c8_7_scratch_nc = MemSection("C8_7_SCRATCH_NC", "RWIX", c7_scratch_nc_addr, c7_scratch_nc_size, "scratch, not cached of c7, for the other");
c7_heap = MemSection("C7_HEAP", "RWIX", c7_heap_addr, c7_heap_size, "heap of c7");
c7_heap_phys = MemSection("C7_HEAP_PHYS", "", c7_heap_addr_phys, c7_heap_size, "heap of c7, on the bus");
c8_7_heap = MemSection("C8_7_HEAP", "RWIX", c7_heap_addr, c7_heap_size, "heap of c7, for the other");
c7_scratch = MemSection("C7_SCRATCH", "RWIX", c7_scratch_addr, c7_scratch_size, "scratch of c7");
c7_scratch_phys = MemSection("C7_SCRATCH_PHYS", "", c7_scratch_addr_phys, c7_scratch_size, "scratch of c7, on the bus");
c8_7_scratch = MemSection("C8_7_SCRATCH", "RWIX", c7_scratch_addr, c7_scratch_size, "scratch of c7, for the other");
c8_heap_nc = MemSection("C8_HEAP_NC", "RWIX", c8_heap_nc_addr, c8_heap_nc_size, "heap, not cached of c8");
c8_heap_nc_phys = MemSection("C8_HEAP_NC_PHYS", "", c8_heap_nc_addr_phys, c8_heap_nc_size, "heap, not cached of c8, on the bus");
c7_8_heap_nc = MemSection("C7_8_HEAP_NC", "RWIX", c8_heap_nc_addr, c8_heap_nc_size, "heap, not cached of c8, for the other");
c8_scratch_nc = MemSection("C8_SCRATCH_NC", "RWIX", c8_scratch_nc_addr, c8_scratch_nc_size, "scratch, not cached of c8");
c8_scratch_nc_phys = MemSection("C8_SCRATCH_NC_PHYS", "", c8_scratch_nc_addr_phys, c8_scratch_nc_size, "scratch, not cached of c8, on the bus");
c7_8_scratch_nc = MemSection("C7_8_SCRATCH_NC", "RWIX", c8_scratch_nc_addr, c8_scratch_nc_size, "scratch, not cached of c8, for the other");
c8_heap = MemSection("C8_HEAP", "RWIX", c8_heap_addr, c8_heap_size, "heap of c8");
c8_heap_phys = MemSection("C8_HEAP_PHYS", "", c8_heap_addr_phys, c8_heap_size, "heap of c8, on the bus");
c7_8_heap = MemSection("C7_8_HEAP", "RWIX", c8_heap_addr, c8_heap_size, "heap of c8, for the other");
c8_scratch = MemSection("C8_SCRATCH", "RWIX", c8_scratch_addr, c8_scratch_size, "scratch of c8");
c8_scratch_phys = MemSection("C8_SCRATCH_PHYS", "", c8_scratch_addr_phys, c8_scratch_size, "scratch of c8, on the bus");
c7_8_scratch = MemSection("C7_8_SCRATCH", "RWIX", c8_scratch_addr, c8_scratch_size, "scratch of c8, for the other");

# Hulls of several, for Linux.
areas = MemSection("AREAS_DTS", "", 0, 0, "logs, objects, files");
areas.concat(log);
areas.concat(obj);
areas.concat(fileio);
areas.setDtsName("zy4_areas_memory_region", "zy4-areas-memory");
low_heaps = MemSection("LOW_HEAPS_DTS", "", 0, 0, "heaps of the R5s");
low_heaps.concat(r5_heap);
low_heaps.concat(r6_heap);
low_heaps.setDtsName("zy4_low_heaps_region", "zy4-low-heaps");
high_heaps = MemSection("HIGH_HEAPS_DTS", "", 0, 0, "heaps of the C7x");
high_heaps.concat(c7_heap_nc_phys);
high_heaps.concat(c7_scratch_nc_phys);
high_heaps.concat(c7_heap_phys);
high_heaps.concat(c7_scratch_phys);
high_heaps.concat(c8_heap_nc_phys);
high_heaps.concat(c8_scratch_nc_phys);
high_heaps.concat(c8_heap_phys);
high_heaps.concat(c8_scratch_phys);
high_heaps.setDtsName("zy4_high_heaps_region", "zy4-high-heaps");
high_heaps.splitOrigin(True);

r5_map = MemoryMap("r5");
r5_map.addMemSection(r5_ipc);
r5_map.addMemSection(r5_code);
r5_map.addMemSection(ring);
r5_map.addMemSection(log);
r5_map.addMemSection(obj);
r5_map.addMemSection(fileio);
r5_map.addMemSection(shared);
r5_map.addMemSection(r5_heap);
r5_map.checkOverlap();

r6_map = MemoryMap("r6");
r6_map.addMemSection(r6_ipc);
r6_map.addMemSection(r6_code);
r6_map.addMemSection(ring);
r6_map.addMemSection(log);
r6_map.addMemSection(obj);
r6_map.addMemSection(fileio);
r6_map.addMemSection(shared);
r6_map.addMemSection(r6_heap);
r6_map.checkOverlap();

c7_map = MemoryMap("c7");
c7_map.addMemSection(c7_ipc);
c7_map.addMemSection(c7_code);
c7_map.addMemSection(ring);
c7_map.addMemSection(log);
c7_map.addMemSection(obj);
c7_map.addMemSection(fileio);
c7_map.addMemSection(shared);
c7_map.addMemSection(c7_heap_nc);
c7_map.addMemSection(c7_scratch_nc);
c7_map.addMemSection(c7_heap);
c7_map.addMemSection(c7_scratch);
c7_map.addMemSection(c7_8_heap_nc);
c7_map.addMemSection(c7_8_scratch_nc);
c7_map.addMemSection(c7_8_heap);
c7_map.addMemSection(c7_8_scratch);
c7_map.checkOverlap();

c8_map = MemoryMap("c8");
c8_map.addMemSection(c8_ipc);
c8_map.addMemSection(c8_code);
c8_map.addMemSection(ring);
c8_map.addMemSection(log);
c8_map.addMemSection(obj);
c8_map.addMemSection(fileio);
c8_map.addMemSection(shared);
c8_map.addMemSection(c8_heap_nc);
c8_map.addMemSection(c8_scratch_nc);
c8_map.addMemSection(c8_heap);
c8_map.addMemSection(c8_scratch);
c8_map.addMemSection(c8_7_heap_nc);
c8_map.addMemSection(c8_7_scratch_nc);
c8_map.addMemSection(c8_7_heap);
c8_map.addMemSection(c8_7_scratch);
c8_map.checkOverlap();

page_map = MemoryMap("Memory map of zy4 (freertos)");
page_map.addMemSection(r5_ipc);
page_map.addMemSection(r5_code);
page_map.addMemSection(r6_ipc);
page_map.addMemSection(r6_code);
page_map.addMemSection(c7_ipc);
page_map.addMemSection(c7_code);
page_map.addMemSection(c8_ipc);
page_map.addMemSection(c8_code);
page_map.addMemSection(ring);
page_map.addMemSection(log);
page_map.addMemSection(obj);
page_map.addMemSection(fileio);
page_map.addMemSection(r5_heap);
page_map.addMemSection(r6_heap);
page_map.addMemSection(shared);
page_map.addMemSection(c7_heap_nc);
page_map.addMemSection(c7_scratch_nc);
page_map.addMemSection(c7_heap);
page_map.addMemSection(c7_scratch);
page_map.addMemSection(c8_heap_nc);
page_map.addMemSection(c8_scratch_nc);
page_map.addMemSection(c8_heap);
page_map.addMemSection(c8_scratch);
page_map.checkOverlap();

header_map = MemoryMap("header");
header_map.addMemSection(r5_ipc);
header_map.addMemSection(r6_ipc);
header_map.addMemSection(c7_ipc);
header_map.addMemSection(c8_ipc);
header_map.addMemSection(ring);
header_map.addMemSection(log);
header_map.addMemSection(obj);
header_map.addMemSection(fileio);
header_map.addMemSection(r5_heap);
header_map.addMemSection(r6_heap);
header_map.addMemSection(shared);
header_map.addMemSection(c7_heap_nc);
header_map.addMemSection(c7_scratch_nc);
header_map.addMemSection(c7_heap);
header_map.addMemSection(c7_scratch);
header_map.addMemSection(c8_heap_nc);
header_map.addMemSection(c8_scratch_nc);
header_map.addMemSection(c8_heap);
header_map.addMemSection(c8_scratch);
header_map.addMemSection(shared_phys);
header_map.addMemSection(c7_heap_nc_phys);
header_map.addMemSection(c7_scratch_nc_phys);
header_map.addMemSection(c7_heap_phys);
header_map.addMemSection(c7_scratch_phys);
header_map.addMemSection(c8_heap_nc_phys);
header_map.addMemSection(c8_scratch_nc_phys);
header_map.addMemSection(c8_heap_phys);
header_map.addMemSection(c8_scratch_phys);
header_map.addMemSection(c7_8_heap_nc);
header_map.addMemSection(c7_8_scratch_nc);
header_map.addMemSection(c7_8_heap);
header_map.addMemSection(c7_8_scratch);
header_map.addMemSection(c8_7_heap_nc);
header_map.addMemSection(c8_7_scratch_nc);
header_map.addMemSection(c8_7_heap);
header_map.addMemSection(c8_7_scratch);

dts_map = MemoryMap("nodes");
dts_map.addMemSection(r5_ipc);
dts_map.addMemSection(r5_code);
dts_map.addMemSection(r6_ipc);
dts_map.addMemSection(r6_code);
dts_map.addMemSection(c7_ipc);
dts_map.addMemSection(c7_code);
dts_map.addMemSection(c8_ipc);
dts_map.addMemSection(c8_code);
dts_map.addMemSection(ring);
dts_map.addMemSection(areas);
dts_map.addMemSection(low_heaps);
dts_map.addMemSection(high_heaps);
dts_map.addMemSection(shared_phys);

LinkerCmdFile(r5_map, "./r5/linker_mem_map_freertos.cmd").export();
LinkerCmdFile(r6_map, "./r6/linker_mem_map_freertos.cmd").export();
LinkerCmdFile(c7_map, "./c7/linker_mem_map_freertos.cmd").export();
LinkerCmdFile(c8_map, "./c8/linker_mem_map_freertos.cmd").export();
HtmlMmapTable(page_map, "./system_memory_map.html").export();
CHeaderFile(header_map, high_addr_phys, high_addr, "./app_mem_map.h").export();
DtsFile(dts_map, "./k3-zy4-rtos-memory-map.dtsi").export();
