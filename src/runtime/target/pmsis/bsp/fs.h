/* Files in flash, as pmsis_bsp has them. */
#ifndef MEMSIZE_BSP_FS_H
#define MEMSIZE_BSP_FS_H

#include "pmsis.h"

struct pi_fs_conf {
  struct pi_device* flash;
};

typedef struct pi_fs_file_s pi_fs_file_t;

int32_t pi_fs_mount(struct pi_device* device);
pi_fs_file_t* pi_fs_open(struct pi_device* device, const char* name, int flags);
int32_t pi_fs_read(pi_fs_file_t* file, void* data, uint32_t size);
void pi_fs_close(pi_fs_file_t* file);

#endif
