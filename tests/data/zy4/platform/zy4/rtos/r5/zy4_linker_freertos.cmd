SECTIONS
{
    .text : {} > DDR_R5_CODE
    .rings (NOLOAD) : {} > RING_MEM
    .bss:logs (NOLOAD) : {} > LOG_MEM
    .bss:heap (NOLOAD) : {} > DDR_R5_HEAP
}
