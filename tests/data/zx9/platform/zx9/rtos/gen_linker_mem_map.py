from ti_psdk_rtos_tools import *

KB = 1024
MB = KB * KB

code_addr = 0xA0000000
code_size = 4 * MB
rings_addr = 0xA5000000
rings_size = 16 * MB
heap_addr = 0x880000000
heap_virtual = 0x100000000
heap_size = 16 * MB

code_r5 = MemSection("CODE_R5", "RWIX", code_addr, code_size, "code of r5")
code_r6 = MemSection("CODE_R6", "RWIX", code_addr + code_size, code_size, "code of r6")
code_c7 = MemSection("CODE_C7", "RWIX", code_addr + 2 * code_size, code_size, "code of c7")
code_c8 = MemSection("CODE_C8", "RWIX", code_addr + 3 * code_size, code_size, "code of c8")
rings = MemSection("RINGS", "RWIX", rings_addr, rings_size, "rings of all cores")
rings.setDtsName("rings_region", "rings-memory")
heap_c7 = MemSection("HEAP_C7", "RWIX", heap_virtual, heap_size, "heap of c7")
heap_c8 = MemSection("HEAP_C8", "RWIX", heap_virtual + heap_size, heap_size, "heap of c8")
heap_c7_phys = MemSection("HEAP_C7_PHYS", "", heap_addr, heap_size, "heap of c7 on the bus")
heap_c8_phys = MemSection("HEAP_C8_PHYS", "", heap_addr + heap_size, heap_size, "heap of c8 on the bus")

code = MemSection("CODE", "", 0, 0, "code of all cores")
code.concat(code_r5)
code.concat(code_r6)
code.concat(code_c7)
code.concat(code_c8)
code.setDtsName("code_region", "code-memory")
heap = MemSection("HEAP", "", 0, 0, "heaps")
heap.concat(heap_c7_phys)
heap.concat(heap_c8_phys)
heap.setDtsName("heap_region", "heap-memory")
heap.splitOrigin(True)

r5_map = MemoryMap("r5")
r5_map.addMemSection(code_r5)
r5_map.addMemSection(rings)
r6_map = MemoryMap("r6")
r6_map.addMemSection(code_r6)
r6_map.addMemSection(rings)
c7_map = MemoryMap("c7")
c7_map.addMemSection(code_c7)
c7_map.addMemSection(rings)
c7_map.addMemSection(heap_c7)
c8_map = MemoryMap("c8")
c8_map.addMemSection(code_c8)
c8_map.addMemSection(rings)
c8_map.addMemSection(heap_c8)

header_map = MemoryMap("header")
header_map.addMemSection(code_r5)
header_map.addMemSection(code_r6)
header_map.addMemSection(code_c7)
header_map.addMemSection(code_c8)
header_map.addMemSection(rings)
header_map.addMemSection(heap_c7)
header_map.addMemSection(heap_c8)
header_map.addMemSection(heap_c7_phys)
header_map.addMemSection(heap_c8_phys)
header_map.checkOverlap()

dts_map = MemoryMap("dts")
dts_map.addMemSection(code)
dts_map.addMemSection(rings)
dts_map.addMemSection(heap)

LinkerCmdFile(r5_map, "./r5/linker_mem_map.cmd").export()
LinkerCmdFile(r6_map, "./r6/linker_mem_map.cmd").export()
LinkerCmdFile(c7_map, "./c7/linker_mem_map.cmd").export()
LinkerCmdFile(c8_map, "./c8/linker_mem_map.cmd").export()
CHeaderFile(header_map, heap_addr, heap_virtual, "./app_mem_map.h").export()
DtsFile(dts_map, "./k3-zx9-rtos-memory-map.dtsi").export()
