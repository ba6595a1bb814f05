SECTIONS
{
    .text : {} > DDR_C7_CODE
    .rings (NOLOAD) : {} > RING_MEM
    .bss:logs (NOLOAD) : {} > LOG_MEM
    .bss:heap_nc (NOLOAD) : {} > C7_HEAP_NC
    .bss:scratch_nc (NOLOAD) : {} > C7_SCRATCH_NC
    .bss:heap (NOLOAD) : {} > C7_HEAP
    .bss:scratch (NOLOAD) : {} > C7_SCRATCH
}
