#include "app_mem_map.h"
#define REGISTERS_SIZE 0x40000000U

static void map_all(Bool is_secure)
{
    Bool good;
    Mmu_MapAttrs attrs;
    Mmu_initMapAttrs(&attrs);
    attrs.attrIndx = Mmu_AttrIndx_MAIR0;
    good = Mmu_map(0x00000000U, 0x00000000U, REGISTERS_SIZE, &attrs, is_secure);
    attrs.attrIndx = Mmu_AttrIndx_MAIR7;
    good = Mmu_map(CODE_C8_ADDR, CODE_C8_ADDR, CODE_C8_SIZE, &attrs, is_secure);
    if (good == UFALSE) { goto failed; }
    attrs.attrIndx = Mmu_AttrIndx_MAIR4;
    good = Mmu_map(RINGS_ADDR, RINGS_ADDR, RINGS_SIZE, &attrs, is_secure);
    attrs.attrIndx = Mmu_AttrIndx_MAIR7;
    good = Mmu_map(HEAP_C8_ADDR, HEAP_C8_PHYS_ADDR, HEAP_C8_SIZE, &attrs, is_secure);
failed:
    return;
}
