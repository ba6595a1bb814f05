/* What the emulated board has, and the files in its flash: memsize writes both in C, for each run. */
#ifndef MEMSIZE_PMSIS_BOARD_H
#define MEMSIZE_PMSIS_BOARD_H

#include <stddef.h>
#include <stdint.h>

struct pmsis_board {
  const char* name;
  uint32_t workers;
  uint32_t l1_size;
  uint32_t l2_size;
  uint32_t l3_size;
  uint32_t dma_longest; /* bytes of one command */
  uint32_t dma_open;    /* commands at once */
};

struct pmsis_file {
  const char* name;
  const uint8_t* begin;
  const uint8_t* end;
};

extern const struct pmsis_board pmsis_board;
extern const struct pmsis_file pmsis_files[];
extern const size_t pmsis_file_count;

#endif
