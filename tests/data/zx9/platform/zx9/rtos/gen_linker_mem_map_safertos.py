from ti_psdk_rtos_tools import *

code = MemSection("CODE_R5", "RWIX", 0xA0000000, 0x00400000, "code of r5")
r5_map = MemoryMap("r5")
r5_map.addMemSection(code)
LinkerCmdFile(r5_map, "./r5/linker_mem_map_safertos.cmd").export()
