from ti_psdk_rtos_tools import *

KB = 1024
MB = KB * KB

low_addr = 0xA0000000
rings_addr = 0xA8000000
high_addr = 0x100000000
high_addr_phys = 0x880000000

ipc_size = 1 * MB
table_size = 4 * KB


def roundUp(x, y):
    return -(-x // y) * y


# Firmware, one behind the other.
r5_ipc_addr = low_addr
r5_table_addr = r5_ipc_addr + ipc_size
r5_addr = r5_table_addr + table_size
r5_size = 8 * MB - (r5_addr - r5_ipc_addr)
dsp_1_ipc_addr = r5_addr + r5_size + 8 * MB
dsp_1_table_addr = dsp_1_ipc_addr + ipc_size
dsp_1_vectors_addr = roundUp(dsp_1_table_addr + table_size, 2 * MB)
dsp_1_vectors_size = 16 * KB
dsp_1_addr = dsp_1_vectors_addr + dsp_1_vectors_size
dsp_1_size = 16 * MB - (dsp_1_addr - dsp_1_ipc_addr)
r5_heap_addr = dsp_1_addr + dsp_1_size
r5_heap_size = 8 * MB

# What the cores share.
rings_size = 4 * MB
log_addr = rings_addr + rings_size
log_size = 4 * MB - 256 * KB
shared_addr = 0xC0000000
shared_addr_phys = 0x900000000
shared_size = 256 * MB

# Each DSP has its heaps at the same address, and the other one's behind them.
dsp_1_heap_addr = high_addr
dsp_1_heap_addr_phys = high_addr_phys
dsp_1_heap_size = 64 * MB
dsp_1_scratch_addr = dsp_1_heap_addr + dsp_1_heap_size
dsp_1_scratch_addr_phys = dsp_1_heap_addr_phys + dsp_1_heap_size
dsp_1_scratch_size = 32 * MB
dsp_2_heap_addr = high_addr
dsp_2_heap_addr_phys = dsp_1_scratch_addr_phys + dsp_1_scratch_size
dsp_2_heap_size = 16 * MB
dsp_1_2_heap_addr = dsp_1_scratch_addr + dsp_1_scratch_size
dsp_2_1_heap_addr = dsp_2_heap_addr + dsp_2_heap_size
dsp_2_1_scratch_addr = dsp_2_1_heap_addr + dsp_1_heap_size

assert shared_addr_phys >= dsp_2_heap_addr_phys + dsp_2_heap_size

vectors = MemSection("TCM_VECTORS", "X", 0x0, 64, "vectors")
tcm = MemSection("TCM", "X", 0x40, 32 * KB - 64, "the rest of it")
dsp_1_l2 = MemSection("L2_DSP_1", "RWIX", 0x64800000, 448 * KB, "L2 of dsp_1")

r5_ipc = MemSection("R5_IPC", "RWIX", r5_ipc_addr, ipc_size, "r5 and Linux")
r5_ipc.setDtsName("r5_dma_region", "r5-dma-memory")
r5_table = MemSection("R5_TABLE", "RWIX", r5_table_addr, table_size, "resource table of r5")
r5_code = MemSection("R5_CODE", "RWIX", r5_addr, r5_size, "code and data of r5")
r5_total = MemSection("R5_DTS", "", 0, 0, "all of r5")
r5_total.concat(r5_table)
r5_total.concat(r5_code)
r5_total.setDtsName("r5_region", "r5-memory")
r5_heap = MemSection("R5_HEAP", "RWIX", r5_heap_addr, r5_heap_size, "heap of r5, \"write-through\"")
r5_heap.setDtsName("r5_heap_region", "r5-heap-memory")

dsp_1_ipc = MemSection("DSP_1_IPC", "RWIX", dsp_1_ipc_addr, ipc_size, "dsp_1 and Linux")
dsp_1_ipc.setDtsName("dsp_1_dma_region", "dsp-dma-memory")
dsp_1_table = MemSection("DSP_1_TABLE", "RWIX", dsp_1_table_addr, table_size, "resource table of dsp_1")
dsp_1_vectors = MemSection("DSP_1_VECTORS", "RWIX", dsp_1_vectors_addr, dsp_1_vectors_size, "vectors of dsp_1")
dsp_1_code = MemSection("DSP_1_CODE", "RWIX", dsp_1_addr, dsp_1_size, "code and data of dsp_1")
dsp_1_total = MemSection("DSP_1_DTS", "", 0, 0, "all of dsp_1")
dsp_1_total.concat(dsp_1_table)
dsp_1_total.concat(dsp_1_code)
dsp_1_total.setDtsName("dsp_1_region", "dsp-memory")

rings = MemSection("RINGS", "", rings_addr, rings_size, "rings of all cores")
rings.setDtsName("rings_region", "rings-memory")
rings.setPrintCompatibility(False)
rings.setAlignment(True)
rings.setOriginTag(False)
log = MemSection("LOG", "", log_addr, log_size, "log of all cores")
log.setDtsName("log_region", "log-memory")
shared = MemSection("SHARED", "", shared_addr, shared_size, "buffers of all cores")
shared_phys = MemSection("SHARED_PHYS", "", shared_addr_phys, shared_size, "buffers of all cores")
shared_phys.setDtsName("shared_region", "shared-memories")
shared_phys.setCompatibility("dma-heap-carveout")
shared_phys.setNoMap(False)

dsp_1_heap = MemSection("DSP_1_HEAP", "RWIX", dsp_1_heap_addr, dsp_1_heap_size, "heap of dsp_1")
dsp_1_heap_phys = MemSection("DSP_1_HEAP_PHYS", "RWIX", dsp_1_heap_addr_phys, dsp_1_heap_size, "heap of dsp_1")
dsp_1_scratch = MemSection("DSP_1_SCRATCH", "RWIX", dsp_1_scratch_addr, dsp_1_scratch_size, "scratch of dsp_1")
dsp_1_scratch_phys = MemSection("DSP_1_SCRATCH_PHYS", "RWIX", dsp_1_scratch_addr_phys, dsp_1_scratch_size, "scratch")
dsp_2_heap = MemSection("DSP_2_HEAP", "RWIX", dsp_2_heap_addr, dsp_2_heap_size, "heap of dsp_2")
dsp_2_heap_phys = MemSection("DSP_2_HEAP_PHYS", "RWIX", dsp_2_heap_addr_phys, dsp_2_heap_size, "heap of dsp_2")
dsp_1_2_heap = MemSection("DSP_1_2_HEAP", "RWIX", dsp_1_2_heap_addr, dsp_2_heap_size, "heap of dsp_2 for dsp_1")
dsp_2_1_heap = MemSection("DSP_2_1_HEAP", "RWIX", dsp_2_1_heap_addr, dsp_1_heap_size, "heap of dsp_1 for dsp_2")
dsp_2_1_scratch = MemSection("DSP_2_1_SCRATCH", "RWIX", dsp_2_1_scratch_addr, dsp_1_scratch_size, "scratch for dsp_2")
high = MemSection("HIGH", "RWIX", high_addr_phys, dsp_1_heap_size + dsp_1_scratch_size + dsp_2_heap_size, "all heaps")
high_dts = MemSection("HIGH_DTS", "", 0, 0, "all heaps")
high_dts.concat(high)
high_dts.setDtsName("heaps_region", "dsp-heaps")

r5_map = MemoryMap("r5")
r5_map.addMemSection(vectors)
r5_map.addMemSection(tcm)
r5_map.addMemSection(r5_ipc)
r5_map.addMemSection(r5_table)
r5_map.addMemSection(r5_code)
r5_map.addMemSection(r5_heap)
r5_map.addMemSection(rings)
r5_map.addMemSection(log)
r5_map.addMemSection(shared)

dsp_1_map = MemoryMap("dsp_1")
dsp_1_map.addMemSection(dsp_1_l2)
dsp_1_map.addMemSection(dsp_1_ipc)
dsp_1_map.addMemSection(dsp_1_table)
dsp_1_map.addMemSection(dsp_1_vectors)
dsp_1_map.addMemSection(dsp_1_code)
dsp_1_map.addMemSection(rings)
dsp_1_map.addMemSection(log)
dsp_1_map.addMemSection(shared)
dsp_1_map.addMemSection(dsp_1_heap)
dsp_1_map.addMemSection(dsp_1_scratch)
dsp_1_map.addMemSection(dsp_1_2_heap)

dsp_2_map = MemoryMap("dsp_2")
dsp_2_map.addMemSection(rings)
dsp_2_map.addMemSection(log)
dsp_2_map.addMemSection(shared)
dsp_2_map.addMemSection(dsp_2_heap)
dsp_2_map.addMemSection(dsp_2_1_heap)
dsp_2_map.addMemSection(dsp_2_1_scratch)

header_map = MemoryMap("header")
header_map.addMemSection(dsp_1_l2)
header_map.addMemSection(r5_ipc)
header_map.addMemSection(r5_total)
header_map.addMemSection(r5_heap)
header_map.addMemSection(dsp_1_ipc)
header_map.addMemSection(dsp_1_total)
header_map.addMemSection(rings)
header_map.addMemSection(log)
header_map.addMemSection(shared)
header_map.addMemSection(shared_phys)
header_map.addMemSection(dsp_1_heap)
header_map.addMemSection(dsp_1_heap_phys)
header_map.addMemSection(dsp_1_scratch)
header_map.addMemSection(dsp_1_scratch_phys)
header_map.addMemSection(dsp_2_heap)
header_map.addMemSection(dsp_2_heap_phys)
header_map.addMemSection(dsp_1_2_heap)
header_map.addMemSection(dsp_2_1_heap)
header_map.addMemSection(dsp_2_1_scratch)

dts_map = MemoryMap("dts")
dts_map.addMemSection(r5_ipc)
dts_map.addMemSection(r5_total)
dts_map.addMemSection(r5_heap)
dts_map.addMemSection(dsp_1_ipc)
dts_map.addMemSection(dsp_1_total)
dts_map.addMemSection(rings)
dts_map.addMemSection(log)
dts_map.addMemSection(high_dts)
dts_map.addMemSection(shared_phys)

LinkerCmdFile(r5_map, "./r5/linker_mem_map.cmd").export()
LinkerCmdFile(dsp_1_map, "./dsp_1/linker_mem_map.cmd").export()
LinkerCmdFile(dsp_2_map, "./dsp_2/linker_mem_map.cmd").export()
HtmlMmapTable(header_map, "./system_memory_map.html").export()
CHeaderFile(header_map, 0x880000000, 0x100000000, "./app_mem_map.h").export()
DtsFile(dts_map, "./k3-zx9-rtos-memory-map.dtsi").export()
