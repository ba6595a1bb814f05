-l "linker_mem_map.cmd"
SECTIONS
{
    .text : {} > CODE_C7 ALIGN(0x10000)
    .bss:heap (NOLOAD) : {} > HEAP_C7
    .rings (NOLOAD) : {} > RINGS
}
