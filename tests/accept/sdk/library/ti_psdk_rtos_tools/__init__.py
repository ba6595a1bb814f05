"""A stand-in for the SDK's library of this name: the same classes and rules, without any output.

Scripts of the tests run with it where no SDK is at hand.
"""

import os, re, sys  # noqa: E401,F401 - scripts get them with `import *`

_FOUR_GIB = 1 << 32


class MemSection:
    def __init__(self, name, attributes, origin, length, comment=""):
        self.name, self.attributes, self.origin, self.length = name, attributes, origin, length
        self.comment = comment or name
        self.dtsLabelName = self.dtsNodeName = name
        self.compatibility = "shared-dma-pool"
        self.printCompatibility = self.no_map = self.origin_tag = True
        self.split_origin = self.alignment = False

    def setDtsName(self, labelName, nodeName):
        self.dtsLabelName, self.dtsNodeName = labelName, nodeName

    def setCompatibility(self, compatibility):
        self.compatibility = compatibility

    def setNoMap(self, value):
        self.no_map = value

    def setOriginTag(self, value):
        self.origin_tag = value

    def splitOrigin(self, value):
        self.split_origin = value

    def setAlignment(self, value):
        self.alignment = value

    def setPrintCompatibility(self, value):
        self.printCompatibility = value

    def concat(self, memSection):
        if not self.origin and not self.length:
            self.origin, self.length = memSection.origin, memSection.length
            return
        end = max(self.origin + self.length, memSection.origin + memSection.length)
        self.origin = min(self.origin, memSection.origin)
        self.length = end - self.origin


class MemoryMap:
    def __init__(self, name="MyMemoryMap"):
        self.memoryMap, self.name = {}, name

    def addMemSection(self, memSection):
        self.memoryMap[memSection.name] = memSection

    def checkOverlap(self):
        found = False
        ordered = [self.memoryMap[name] for name in sorted(self.memoryMap)]
        for one in ordered:
            for other in ordered:
                if one.name == other.name or other.origin >= _FOUR_GIB:
                    continue
                end, other_end = one.origin + one.length, other.origin + other.length
                if other.origin <= one.origin < other_end or other.origin < end <= other_end:
                    found = True
                    print(f"WARNING: {self.name} memory map has a overlap between {one.name} and {other.name} sections")
        return found


class Exporter:
    def __init__(self, memoryMap, name):
        self.memoryMap, self.name = memoryMap, name

    def export(self):
        pass


class LinkerCmdFile(Exporter):
    def __init__(self, memoryMap, name="linker_mem_map.cmd"):
        super().__init__(memoryMap, name)


class HtmlMmapTable(Exporter):
    def __init__(self, memoryMap, name="./memory_map.html"):
        super().__init__(memoryMap, name)


class DtsFile(Exporter):
    def __init__(self, memoryMap, name="app_mem_map.h"):
        super().__init__(memoryMap, name)


class CHeaderFile(Exporter):
    def __init__(self, memoryMap, phys_addr_base, virt_addr_base, name="app_mem_map.h"):
        super().__init__(memoryMap, name)
        self.phys_addr_base, self.virt_addr_base = phys_addr_base, virt_addr_base
