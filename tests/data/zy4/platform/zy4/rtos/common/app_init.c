#include <stdint.h>
#include <app_mem_map.h>

static int32_t translate(void)
{
    int32_t status = 0;
#if defined(CPU_r5) || defined(CPU_r6)
    app_mem_rat_prm_t prm;

    if (SHARED_MEM_PHYS_ADDR > 0xFFFFFFFF)
    {
        prm.size              = SHARED_MEM_SIZE;
        prm.baseAddress       = SHARED_MEM_ADDR;
        prm.translatedAddress = SHARED_MEM_PHYS_ADDR;
        status = appMemAddrTranslate(&prm);
    }
#endif
    return status;
}
