-l "linker_mem_map.cmd"
SECTIONS
{
    .text : {} > CODE_C8 ALIGN(0x10000)
    .bss:heap (NOLOAD) : {} > HEAP_C8
    .rings (NOLOAD) : {} > RINGS
}
