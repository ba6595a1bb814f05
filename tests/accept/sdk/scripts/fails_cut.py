from ti_psdk_rtos_tools import *
KB = 1024
one = MemSection("ONE", "R",
  0, (KB
m = MemoryMap("m")
m.addMemSection(one)
