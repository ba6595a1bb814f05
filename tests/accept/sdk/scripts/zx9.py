#!/usr/bin/env python3
"""The memory map of the ZX9, a part that exists nowhere."""
from ti_psdk_rtos_tools import *
import math, os, sys
from gen_zx9_overlay import Overlay_file
from gen_zx9_config import (Config_file,
                            Other_file as Renamed)

def round_up(x, y=1 << 20):
    # To a multiple of y.
    return int(math.ceil(x / y)) * y

def hull(first, second):
    both = MemSection("HULL", "", 0, 0)
    both.concat(first); both.concat(second)
    return both

KB = 1024
MB = KB*KB; GB = KB * MB

low_addr = 0x0090_0000_00;  # one end of the window
low_size=96*MB
high_addr = 0x8_8000_0000
window = (low_addr
          + low_size     # the other end
          - 1)
budget = 0
boot_size = 17 * KB \
            - 3
budget += boot_size
heap_size = 24*MB if low_size >= 64*MB else 8*MB
budget += heap_size
code_addr = low_addr + boot_size
code_addr = round_up(code_addr)
code_size = round_up(3*MB + 5, 64*KB)
budget += round_up(y=MB, x=code_size)
heap_addr = code_addr + code_size
trace_addr = heap_addr + heap_size; trace_size = 1*MB - 1*KB
shadow_addr = -(-(trace_addr + trace_size) // MB) * MB
mask = ~0xFFF & 0xFFFF_F000 | 0b1 ^ 0o17
signed = -7 // 2 + -7 % 3 - 2 ** -(-2) ** 1
label = "zx9" "_" 'main\x5fregion'
empty = ''
both_flags = True & (not False)
assert budget <= low_size, "the low window is full"
assert 0 < code_size < heap_size and code_addr & (MB - 1) == 0

if heap_size > 16*MB and not empty:
    extra_size = 2*MB
elif heap_size > 8*MB:
    extra_size = 1*MB
else: extra_size = 0

boot = MemSection("BOOT", "RX", low_addr, boot_size)
code = MemSection("CODE", "RWX", code_addr, code_size, "code and data of the ZX9")
code.setDtsName(label, "zx9-memory")
heap = MemSection(name="HEAP", attributes="RW", origin=heap_addr, length=heap_size, comment="")
heap.setCompatibility("dma-heap-carveout"); heap.setNoMap(False)
trace = MemSection('TRACE', '', trace_addr, trace_size, "a text with # and ; in it")
trace.setOriginTag(0)
trace.setAlignment(1)
trace.setPrintCompatibility(False)
high = MemSection("HIGH", "RW", high_addr, 4*GB)
high.splitOrigin(True)
shadow = MemSection("SHADOW", "RW", shadow_addr, extra_size)
total = MemSection("TOTAL", "", 0, 0, "from first to last")
total.concat(trace)
total.concat(boot)
total.concat(heap)
pair = hull(code, heap)
after = total.origin + total.length

zx9_map = MemoryMap("zx9")
zx9_map.addMemSection( boot )
zx9_map.addMemSection( code )
zx9_map.addMemSection( heap )
zx9_map.addMemSection( MemSection("HEAP", "R", heap_addr, heap_size // 2, "takes the place of the first") )
zx9_map.addMemSection( trace )
zx9_map.addMemSection( high )
zx9_map.checkOverlap()
all_map = MemoryMap()
for_all = all_map.addMemSection(total)
all_map.addMemSection(code)
all_map.addMemSection(shadow)
all_map.addMemSection(pair)
overlap = all_map.checkOverlap()

LinkerCmdFile(zx9_map, "./zx9/linker_mem_map.cmd").export()
code.setNoMap(False)
DtsFile(all_map, "./k3-zx9.dtsi").export()
html = HtmlMmapTable(all_map)
all_map.addMemSection(heap)
html.export()
CHeaderFile(zx9_map, high_addr, 0x1_0000_0000, name="./app_mem_map.h").export()
Config_file(all_map).export()
print("window %08x" % (window), f"budget {budget:x}", (low_addr, low_size), [1, 2], "{}".format(budget), sep="\n")

if os.path.isdir(os.path.join(os.path.dirname(__file__), "../overlay")):
    Renamed(zx9_map, "overlay.dts").export()

def overlay():
    folder = os.environ.get("OVERLAY_FOLDER")
    if not folder:
        print("the overlay stays as it is")
        sys.exit(1)
    else:
        Overlay_file(all_map).export()

if __name__ == "__main__":
    overlay()
