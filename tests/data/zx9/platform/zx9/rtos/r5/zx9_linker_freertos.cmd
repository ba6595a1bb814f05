-l "linker_mem_map.cmd"
SECTIONS
{
    .vecs : { *(.vecs) } > CODE_R5 ALIGN(0x10000)
    .text : {} > CODE_R5 , align = 64
    .rings (NOLOAD) : {} > RINGS
}
