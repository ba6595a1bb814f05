/*
 * What the runtime of network_info.json is compiled for. Written by memsize.
 */
#ifndef NET_CONFIG_H
#define NET_CONFIG_H

/* Cores of a team, DMA commands that are open at once, and bytes of one. */
#define NET_WORKERS 8U
#define NET_DMA_OPEN 16U
#define NET_DMA_LONGEST 131071U

/* Bytes that are allocated: tiles with biases and tables; what layers make; constants. */
#define NET_L1_SIZE 2692U
#define NET_L2_SIZE 3072U
#define NET_L2_CONSTANT_SIZE 10632U
#define NET_L3_SIZE 0U
#define NET_L3_CONSTANT_SIZE 0U
#define NET_CONTROLLER_STACK 8192U

#define NET_STEPS 23U
#define NET_FILES 21U
#define NET_GOLDENS 11U

#endif
