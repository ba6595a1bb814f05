/* External RAM, as pmsis_bsp has it. */
#ifndef MEMSIZE_BSP_RAM_H
#define MEMSIZE_BSP_RAM_H

#include "pmsis.h"

struct pi_default_ram_conf {
  uint32_t baudrate;
};

typedef struct pi_cl_ram_req_s {
  uint32_t reserved;
} pi_cl_ram_req_t;

void pi_default_ram_conf_init(struct pi_default_ram_conf* conf);
int32_t pi_ram_open(struct pi_device* device);
int32_t pi_ram_alloc(struct pi_device* device, uint32_t* address, uint32_t size);
void pi_ram_read(struct pi_device* device, uint32_t address, void* data, uint32_t size);
void pi_ram_write(struct pi_device* device, uint32_t address, void* data, uint32_t size);

/* Of the cluster. */
void pi_cl_ram_read(struct pi_device* device, uint32_t address, void* data, uint32_t size, pi_cl_ram_req_t* request);
void pi_cl_ram_write(struct pi_device* device, uint32_t address, void* data, uint32_t size, pi_cl_ram_req_t* request);
void pi_cl_ram_read_wait(pi_cl_ram_req_t* request);
void pi_cl_ram_write_wait(pi_cl_ram_req_t* request);

#endif
