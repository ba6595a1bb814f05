/* What the emulation of PMSIS needs of a machine: rv32/ is one of ten harts, host.c a process of threads. */
#ifndef MEMSIZE_CORES_H
#define MEMSIZE_CORES_H

#include <stddef.h>
#include <stdint.h>

enum { CORES_WORKERS = 8, CORES_CONTROLLER = 8, CORES_ENGINE = 9, CORES_SPANS = 4 };

struct cores_span {
  const uint8_t* base;
  size_t size;
};

/* L1, where workers reach what was allocated, and L2, where they do not. `engine`: as the DMA engine reaches L2. */
struct cores_memories {
  uint8_t* l1;
  uint8_t* l2;
  uint8_t* l2_engine;
  uint8_t* l3;
};

/* Workers 0 to 7, the controller, the DMA engine. */
uint32_t cores_id(void);

/* Once, before anything else of these; no memory: the machine has no room. */
struct cores_memories cores_memories(uint32_t l1_size, uint32_t l2_size, uint32_t l3_size);
/* Where a block of L1 lies that is to have `size` bytes; `used` are taken. Workers reach what lies below its end. */
uint8_t* cores_place_l1(uint32_t used, uint32_t size);

/* On a stack of this end, if the machine can. */
void cores_call(uint8_t* stack_end, void (*entry)(void* arg), void* arg);
/* On the workers 0 to `count`, which reach L1 and the spans; until all are done. */
void cores_fork(uint32_t count, void (*entry)(void* arg), void* arg, const struct cores_span* spans,
                uint32_t span_count);

/* From now on the engine serves, whenever it is woken while it is asked for something. */
void cores_start_engine(void (*serve)(void), int (*is_asked)(void));
/* Of the controller or the engine, until somebody wakes it and it is ready. */
void cores_sleep(int (*ready)(const void* context), const void* context);
void cores_wake(uint32_t core);

/* Which of the words of the command line: "timing=last" is 2. */
uint32_t cores_choice(const char* key, const char* const* words, uint32_t count);

/* The emulation, on the controller. */
_Noreturn void pmsis_main(void);
/* Of a core that reached what it must not. */
_Noreturn void pmsis_fault(uint32_t core, int is_write, uint64_t address, uint64_t status, uint64_t pc);

/* The program: its main() under another name. */
int program_main(void);

#endif
