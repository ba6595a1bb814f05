/* The file system that images are packed into. */
#ifndef MEMSIZE_BSP_READFS_H
#define MEMSIZE_BSP_READFS_H

#include "bsp/fs.h"

struct pi_readfs_conf {
  struct pi_fs_conf fs;
};

void pi_readfs_conf_init(struct pi_readfs_conf* conf);

#endif
