/* As much of PMSIS as a network's program needs, with the names and types of the public headers (pmsis_api, pmsis_bsp
 * of gap_sdk). On a board the SDK has all of it; here it is emulated: pmsis.c. */
#ifndef MEMSIZE_PMSIS_H
#define MEMSIZE_PMSIS_H

#include <stddef.h>
#include <stdint.h>

struct pi_device {
  void* config;
};

void pi_open_from_conf(struct pi_device* device, void* conf);

int pmsis_kickoff(void* entry);
void pmsis_exit(int status);

void* pi_l2_malloc(int size);
void* pi_cl_l1_malloc(struct pi_device* device, uint32_t size);

struct pi_cluster_conf {
  int id;
  uint32_t cc_stack_size;
};

struct pi_cluster_task {
  void (*entry)(void* arg);
  void* arg;
  uint32_t stack_size;
  uint32_t slave_stack_size;
};

void pi_cluster_conf_init(struct pi_cluster_conf* conf);
int pi_cluster_open(struct pi_device* device);
int pi_cluster_close(struct pi_device* device);
struct pi_cluster_task* pi_cluster_task(struct pi_cluster_task* task, void (*entry)(void* arg), void* arg);
int pi_cluster_send_task_to_cl(struct pi_device* device, struct pi_cluster_task* task);

/* Within a cluster's task. The controller waits until all of a team are done. */
uint32_t pi_core_id(void);
void pi_cl_team_fork(int cores, void (*entry)(void* arg), void* arg);

typedef enum { PI_CL_DMA_DIR_LOC2EXT = 0, PI_CL_DMA_DIR_EXT2LOC = 1 } pi_cl_dma_dir_e;

typedef struct pi_cl_dma_cmd_s {
  uint32_t reserved;
} pi_cl_dma_cmd_t;

void pi_cl_dma_cmd(uint32_t ext, uint32_t loc, uint32_t size, pi_cl_dma_dir_e direction, pi_cl_dma_cmd_t* command);
void pi_cl_dma_cmd_wait(pi_cl_dma_cmd_t* command);

/* Not of PMSIS: what the workers of the next team reach besides L1. */
void pmsis_allow(const void* base, size_t size);

#endif
