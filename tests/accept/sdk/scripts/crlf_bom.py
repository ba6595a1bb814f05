# CRLF and a byte order mark
from ti_psdk_rtos_tools import MemSection, MemoryMap as Map, LinkerCmdFile
KB = 1 << 10; size = (3 * KB +
        1)   # café

text = """two
lines €"""
if size > KB:
	limit = 2; more = limit * \
	  size
one = MemSection("ONE", "R", size, more)
m = Map("m"); m.addMemSection(one); LinkerCmdFile(m, "./one.cmd").export()