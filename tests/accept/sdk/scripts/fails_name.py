from ti_psdk_rtos_tools import *
KB = 1024
first = MemSection("FIRST", "", 0, KB)
m = MemoryMap("m")
m.addMemSection(first)
m.addMemSection(
    secnd)
second = MemSection("SECOND", "", KB, KB)
