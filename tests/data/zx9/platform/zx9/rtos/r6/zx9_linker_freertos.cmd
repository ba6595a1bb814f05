-l "linker_mem_map.cmd"
SECTIONS
{
    .text : {} > CODE_R6 ALIGN(0x10000)
    .rings (NOLOAD) : {} > RINGS
}
