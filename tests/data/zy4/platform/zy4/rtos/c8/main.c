#include <app_mem_map.h>

#define REGISTERS_SIZE 0x40000000U
/* The code is behind the rings. */
#define C8_CODE_ADDR (DDR_C8_IPC_ADDR + DDR_C8_IPC_SIZE)
#define C8_CODE_SIZE (0x01F00000U)

static void map_all(Bool is_secure)
{
    Bool is_good;
    Mmu_MapAttrs attrs;

    Mmu_initMapAttrs(&attrs);

    attrs.attrIndx = Mmu_AttrIndx_MAIR0;
    is_good = Mmu_map(0x00000000U, 0x00000000U, REGISTERS_SIZE, &attrs, is_secure);
    if (is_good == UFALSE) { goto failed; }

    attrs.attrIndx = Mmu_AttrIndx_MAIR7;
    is_good = Mmu_map(C8_CODE_ADDR, C8_CODE_ADDR, C8_CODE_SIZE, &attrs, is_secure);
    if (is_good == UFALSE) { goto failed; }
    is_good = Mmu_map(SHARED_MEM_ADDR, SHARED_MEM_PHYS_ADDR, SHARED_MEM_SIZE, &attrs, is_secure);
    if (is_good == UFALSE) { goto failed; }
    is_good = Mmu_map(C8_HEAP_ADDR, C8_HEAP_PHYS_ADDR, C8_HEAP_SIZE, &attrs, is_secure);
    if (is_good == UFALSE) { goto failed; }
    is_good = Mmu_map(C8_SCRATCH_ADDR, C8_SCRATCH_PHYS_ADDR, C8_SCRATCH_SIZE, &attrs, is_secure);
    if (is_good == UFALSE) { goto failed; }
    is_good = Mmu_map(C8_7_HEAP_ADDR, C7_HEAP_PHYS_ADDR, C8_7_HEAP_SIZE, &attrs, is_secure);
    if (is_good == UFALSE) { goto failed; }
    is_good = Mmu_map(C8_7_SCRATCH_ADDR, C7_SCRATCH_PHYS_ADDR, C8_7_SCRATCH_SIZE, &attrs, is_secure);
    if (is_good == UFALSE) { goto failed; }

    attrs.attrIndx = Mmu_AttrIndx_MAIR4;
    is_good = Mmu_map(C8_HEAP_NC_ADDR, C8_HEAP_NC_PHYS_ADDR, C8_HEAP_NC_SIZE, &attrs, is_secure);
    if (is_good == UFALSE) { goto failed; }
    is_good = Mmu_map(C8_SCRATCH_NC_ADDR, C8_SCRATCH_NC_PHYS_ADDR, C8_SCRATCH_NC_SIZE, &attrs, is_secure);
    if (is_good == UFALSE) { goto failed; }
    is_good = Mmu_map(C8_7_HEAP_NC_ADDR, C7_HEAP_NC_PHYS_ADDR, C8_7_HEAP_NC_SIZE, &attrs, is_secure);
    if (is_good == UFALSE) { goto failed; }
    is_good = Mmu_map(C8_7_SCRATCH_NC_ADDR, C7_SCRATCH_NC_PHYS_ADDR, C8_7_SCRATCH_NC_SIZE, &attrs, is_secure);
    if (is_good == UFALSE) { goto failed; }
    is_good = Mmu_map(RING_MEM_ADDR, RING_MEM_ADDR, RING_MEM_SIZE, &attrs, is_secure);
    if (is_good == UFALSE) { goto failed; }
    is_good = Mmu_map(LOG_MEM_ADDR, LOG_MEM_ADDR, LOG_MEM_SIZE, &attrs, is_secure);
    if (is_good == UFALSE) { goto failed; }
    is_good = Mmu_map(OBJ_MEM_ADDR, OBJ_MEM_ADDR, OBJ_MEM_SIZE, &attrs, is_secure);
    if (is_good == UFALSE) { goto failed; }
    is_good = Mmu_map(FILEIO_MEM_ADDR, FILEIO_MEM_ADDR, FILEIO_MEM_SIZE, &attrs, is_secure);
    if (is_good == UFALSE) { goto failed; }
    is_good = Mmu_map(DDR_C8_IPC_ADDR, DDR_C8_IPC_ADDR, DDR_C8_IPC_SIZE, &attrs, is_secure);
    if (is_good == UFALSE) { goto failed; }
failed:
    return;
}
