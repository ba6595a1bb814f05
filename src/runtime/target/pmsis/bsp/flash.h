/* Flash, as pmsis_bsp has it. */
#ifndef MEMSIZE_BSP_FLASH_H
#define MEMSIZE_BSP_FLASH_H

#include "pmsis.h"

struct pi_default_flash_conf {
  uint32_t baudrate;
};

void pi_default_flash_conf_init(struct pi_default_flash_conf* conf);
int32_t pi_flash_open(struct pi_device* device);

#endif
