"""The library of the tree's generator scripts: the names and the file formats of an SDK's own, and nothing else of it."""

import os, re, sys  # noqa: E401,F401 - scripts get them with `import *`

NOTICE = "/*\n * Written by the scripts of a fictitious SDK.\n * Copyright (c) 2026 Nobody\n */\n"
STYLES = ("tg-kftd", "tg-6sgx")


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
        if self.origin == 0 and self.length == 0:
            self.origin, self.length = memSection.origin, memSection.length
            return
        end = max(self.origin + self.length, memSection.origin + memSection.length)
        self.origin = min(self.origin, memSection.origin)
        self.length = end - self.origin

    def size_text(self):
        for unit, text in ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")):
            if self.length > unit:
                return f"{self.length / unit:5.2f} {text}"
        return f"{self.length} B"


class MemoryMap:
    def __init__(self, name="MyMemoryMap"):
        self.memoryMap, self.name = {}, name

    def addMemSection(self, memSection):
        self.memoryMap[memSection.name] = memSection

    def ordered(self):
        return sorted(self.memoryMap.values(), key=lambda section: section.origin)

    def checkOverlap(self):
        found = False
        for one in self.ordered():
            for other in self.ordered():
                is_hit = one.origin < other.origin + other.length and other.origin < one.origin + one.length
                if one is not other and other.origin < 1 << 32 and is_hit:
                    found = True
                    print(f"WARNING: {self.name} memory map has a overlap between {one.name} and {other.name} sections")
        return found


class Exporter:
    def __init__(self, memoryMap, name):
        self.memoryMap, self.name = memoryMap, name

    def save(self, text):
        os.makedirs(os.path.dirname(self.name), exist_ok=True)
        with open(self.name, "w") as file:
            file.write(text)


class LinkerCmdFile(Exporter):
    def __init__(self, memoryMap, name="linker_mem_map.cmd"):
        super().__init__(memoryMap, name)

    def export(self):
        text = NOTICE + "\nMEMORY\n{\n"
        for each in self.memoryMap.ordered():
            attributes = f"( {each.attributes:>4} )" if each.attributes else ""
            text += f"    /* {each.comment} [ size {each.size_text()} ] */\n"
            text += f"    {each.name:<24} {attributes:>8} : ORIGIN = 0x{each.origin:08X} , LENGTH = 0x{each.length:08X}\n"
        self.save(text + "}\n\n")


class CHeaderFile(Exporter):
    def __init__(self, memoryMap, phys_addr_base, virt_addr_base, name="app_mem_map.h"):
        super().__init__(memoryMap, name)
        self.phys_addr_base, self.virt_addr_base = phys_addr_base, virt_addr_base

    def export(self):
        text = NOTICE + "#ifndef APP_MEM_MAP_H\n#define APP_MEM_MAP_H\n\n"
        for each in self.memoryMap.ordered():
            text += f"/* {each.comment} [ size {each.size_text()} ] */\n"
            text += f"#define {each.name}_ADDR (0x{each.origin:08X}u)\n#define {each.name}_SIZE (0x{each.length:08X}u)\n\n"
        text += f"#define DDR_64BIT_BASE_VADDR (0x{self.virt_addr_base:08X}u)\n"
        text += f"#define DDR_64BIT_BASE_PADDR (0x{self.phys_addr_base:08X}u)\n"
        self.save(text + "\n#endif /* APP_MEM_MAP_H */\n")


class DtsFile(Exporter):
    def __init__(self, memoryMap, name="app_mem_map.h"):
        super().__init__(memoryMap, name)

    def export(self):
        text = "\n/* Nodes for reserved-memory. */\n\n"
        for each in self.memoryMap.ordered():
            node = f"{each.dtsNodeName}@{each.origin:08x}" if each.origin_tag else each.dtsNodeName
            text += f"\t{each.dtsLabelName}: {node} {{\n"
            if each.printCompatibility:
                text += f'\t\tcompatible = "{each.compatibility}";\n'
            low = each.origin & 0xFFFFFFFF if each.split_origin else each.origin
            high = each.origin >> 32 if each.split_origin else 0
            # The high cell of the length is 0, as in the SDK's own: wrong from 4 GiB on.
            text += f"\t\treg = <0x{high:02x} 0x{low:08x} 0x00 0x{each.length:08x}>;\n"
            text += "\t\talignment = <0x1000>;\n" if each.alignment else ""
            text += "\t\tno-map;\n" if each.no_map else ""
            text += "\t};\n"
        self.save(text + "\n")


class HtmlMmapTable(Exporter):
    def __init__(self, memoryMap, name="./memory_map.html"):
        super().__init__(memoryMap, name)

    def export(self):
        indent = " " * 16
        text = f"<html>\n    <head>\n        <title>{self.memoryMap.name}</title>\n    </head>\n    <body>\n"
        text += '        <table class="tg">\n            <tr>\n'
        for title in ("Name", "Start Addr", "End Addr", "Size ", "Attributes", "Description"):
            text += f'{indent}<th class="tg-fjir">{title}</th>\n'
        text += "            </tr>\n"
        for row, each in enumerate(self.memoryMap.ordered()):
            last = each.origin + each.length - 1
            cells = (each.name, f"0x{each.origin:08X}", f"0x{last:08X}", each.size_text(), each.attributes, each.comment)
            text += "            <tr>\n"
            text += "".join(f'{indent}<td class="{STYLES[row % 2]}">{cell}</td>\n' for cell in cells)
            text += "            </tr>\n"
        self.save(text + "        </table>\n    </body>\n</html>\n")
