SECTIONS
{
    .text : {} > DDR_C8_CODE
    .rings (NOLOAD) : {} > RING_MEM
    .bss:logs (NOLOAD) : {} > LOG_MEM
    .bss:heap_nc (NOLOAD) : {} > C8_HEAP_NC
    .bss:scratch_nc (NOLOAD) : {} > C8_SCRATCH_NC
    .bss:heap (NOLOAD) : {} > C8_HEAP
    .bss:scratch (NOLOAD) : {} > C8_SCRATCH
}
