/* PMSIS, as far as a network's program needs it, over a machine of cores.h. Everything that the chip would not do is
 * refused and reported. Transfers take place at one of four times: a program that is right is right at all of them. */
#include "pmsis.h"

#include "board.h"
#include "bsp/flash.h"
#include "bsp/fs.h"
#include "bsp/fs/readfs.h"
#include "bsp/ram.h"
#include "cores.h"
#include "hal.h"
#include "report.h"

#include <stdatomic.h>

enum { CLEAN = 0, FOUND = 1, BROKEN = 3, PATTERN = 0xA5, BLOCKS = 16, MOVES = 64, ALIGNMENT = 8, MOST_FINDINGS = 16 };

/* When a transfer takes place: as soon as it is asked for; when it is awaited; then, but all that are open with it, the
 * last one first; whenever an engine of its own gets to it. */
enum timing { NOW, WAIT, LAST, OWN, TIMINGS };

static enum timing timing;
static struct cores_memories memories;

static void find(const char* check, const char* what, uint64_t address, uint64_t expected, uint64_t actual) {
  if (report_findings() < MOST_FINDINGS) {
    report_finding(&(struct report_finding){check, what, address, expected, actual});
  }
}

_Noreturn static void end(int status) {
  const int ok = report_findings() == 0;
  report_part("exit", (uint64_t)(uint32_t)status, 0, 0);
  report_verdict(ok);
  hal_exit(ok ? CLEAN : FOUND);
}

/* Memory that was handed out. */
struct block {
  uint8_t* base;
  uint32_t size;
};

struct heap {
  struct block blocks[BLOCKS];
  uint32_t count;
  uint32_t used;
  uint32_t size;
};

static struct heap l1;
static struct heap l2;
static struct heap l3;
static uint32_t stack_size; /* of the controller, at the end of L1 */

static void fill(uint8_t* base, uint32_t size) {
  for (uint32_t at = 0; at < size; ++at) {
    base[at] = PATTERN;
  }
}

static uint8_t* take(struct heap* heap, uint8_t* base, uint32_t size) {
  const uint32_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (size == 0 || rounded < size || heap->count == BLOCKS || rounded > heap->size - heap->used) {
    return NULL;
  }
  heap->blocks[heap->count++] = (struct block){base, size};
  heap->used += rounded;
  fill(base, size);
  return base;
}

/* The block that has all of it; NULL: none has. */
static const struct block* block_of(const struct heap* heap, const uint8_t* base, uint32_t size) {
  for (uint32_t at = 0; at < heap->count; ++at) {
    const struct block* const block = &heap->blocks[at];
    const uintptr_t offset = (uintptr_t)base - (uintptr_t)block->base;
    if (offset <= block->size && size <= block->size - offset) {
      return block;
    }
  }
  return NULL;
}

static int touches(const struct heap* heap, const uint8_t* base) { return block_of(heap, base, 1) != NULL; }

void* pi_l2_malloc(int size) { return size <= 0 ? NULL : take(&l2, memories.l2 + l2.used, (uint32_t)size); }

void* pi_cl_l1_malloc(struct pi_device* device, uint32_t size) {
  (void)device;
  return size > l1.size - l1.used ? NULL : take(&l1, cores_place_l1(l1.used, size), size);
}

/* Transfers that were asked for and are not awaited yet. */
enum state { FREE, OPEN, DONE };

struct move {
  atomic_uint state;
  const void* owner; /* the command or request */
  uint8_t* to;
  const uint8_t* from;
  uint32_t size;
  uint32_t is_ram;
  uint32_t turn;
};

static struct move moves[MOVES];
static uint32_t turns;
/* Of the task that runs. */
static uint32_t commands;
static uint32_t most_open;
static uint64_t dma_bytes;
static uint64_t ram_bytes;

static uint8_t* as_engine(uint8_t* address) {
  const uintptr_t offset = (uintptr_t)address - (uintptr_t)memories.l2;
  return offset < l2.size ? memories.l2_engine + offset : address;
}

static void carry_out(struct move* move) {
  for (uint32_t at = 0; at < move->size; ++at) {
    move->to[at] = move->from[at];
  }
  atomic_store_explicit(&move->state, DONE, memory_order_release);
}

static unsigned state_of(const struct move* move) { return atomic_load_explicit(&move->state, memory_order_acquire); }

/* The one that was asked for first, or last, and is not done. */
static struct move* next_move(int is_last) {
  struct move* found = NULL;
  for (uint32_t at = 0; at < MOVES; ++at) {
    struct move* const move = &moves[at];
    if (state_of(move) == OPEN && (found == NULL || (is_last ? move->turn > found->turn : move->turn < found->turn))) {
      found = move;
    }
  }
  return found;
}

static void serve(void) {
  for (struct move* move = next_move(0); move != NULL; move = next_move(0)) {
    carry_out(move);
    cores_wake(CORES_CONTROLLER);
  }
}

static int is_asked(void) { return next_move(0) != NULL; }

static int is_done(const void* move) { return state_of(move) == DONE; }

static struct move* move_of(const void* owner, uint32_t is_ram) {
  for (uint32_t at = 0; at < MOVES; ++at) {
    if (state_of(&moves[at]) != FREE && moves[at].owner == owner && moves[at].is_ram == is_ram) {
      return &moves[at];
    }
  }
  return NULL;
}

static uint32_t open_moves(uint32_t is_ram) {
  uint32_t count = 0;
  for (uint32_t at = 0; at < MOVES; ++at) {
    count += state_of(&moves[at]) != FREE && moves[at].is_ram == is_ram;
  }
  return count;
}

static void begin(const void* owner, uint8_t* to, const uint8_t* from, uint32_t size, uint32_t is_ram) {
  struct move* move = &moves[0];
  while (state_of(move) != FREE) {
    ++move;
  }
  move->owner = owner;
  move->to = to;
  move->from = from;
  move->size = size;
  move->is_ram = is_ram;
  move->turn = ++turns;
  atomic_store_explicit(&move->state, OPEN, memory_order_release);
  if (timing == NOW) {
    carry_out(move);
  } else if (timing == OWN) {
    cores_wake(CORES_ENGINE);
  }
}

static void finish(struct move* move) {
  switch (timing) {
    case WAIT:
      carry_out(move);
      break;
    case LAST:
      for (struct move* last = next_move(1); last != NULL; last = next_move(1)) {
        carry_out(last);
      }
      break;
    case OWN:
      cores_sleep(is_done, move);
      break;
    default:
      break;
  }
  atomic_store_explicit(&move->state, FREE, memory_order_release);
}

/* Why the engine would not do it; NULL: it does. `limit` and `is` are numbers behind that. */
static const char* wrong_with(const uint8_t* ext, const uint8_t* loc, uint32_t size, const void* command,
                              uint64_t* limit, uint64_t* is) {
  *limit = pmsis_board.dma_longest;
  *is = size;
  if (cores_id() != CORES_CONTROLLER) {
    return "a worker asks for a transfer";
  }
  if (size == 0) {
    return "a transfer of nothing";
  }
  if (size > pmsis_board.dma_longest) {
    return "a transfer is longer than a command can say";
  }
  if (move_of(command, 0) != NULL) {
    return "a command is used again before it was awaited";
  }
  *limit = pmsis_board.dma_open;
  *is = open_moves(0) + 1;
  if (*is > pmsis_board.dma_open) {
    return "one more transfer than the engine has open at once";
  }
  *limit = 0;
  *is = size;
  if (block_of(&l1, loc, size) == NULL) {
    return touches(&l1, loc) ? "its local side goes beyond what L1 gave" : "its local side is not in L1";
  }
  if (block_of(&l2, ext, size) == NULL) {
    return touches(&l1, ext)   ? "its external side is in L1"
           : touches(&l2, ext) ? "its external side goes beyond what L2 gave"
                               : "its external side is not in L2";
  }
  return NULL;
}

void pi_cl_dma_cmd(uint32_t ext, uint32_t loc, uint32_t size, pi_cl_dma_dir_e direction, pi_cl_dma_cmd_t* command) {
  uint8_t* const outer = (uint8_t*)(uintptr_t)ext;
  uint8_t* const inner = (uint8_t*)(uintptr_t)loc;
  uint64_t limit = 0;
  uint64_t is = 0;
  const char* const wrong = wrong_with(outer, inner, size, command, &limit, &is);
  if (wrong != NULL) {
    const int is_loc = block_of(&l1, inner, size) == NULL;
    find("dma", wrong, is_loc ? loc : ext, limit, is);
    return;
  }
  ++commands;
  dma_bytes += size;
  if (direction == PI_CL_DMA_DIR_EXT2LOC) {
    begin(command, inner, as_engine(outer), size, 0);
  } else {
    begin(command, as_engine(outer), inner, size, 0);
  }
  const uint32_t open = open_moves(0);
  most_open = open > most_open ? open : most_open;
}

void pi_cl_dma_cmd_wait(pi_cl_dma_cmd_t* command) {
  struct move* const move = move_of(command, 0);
  if (move == NULL) {
    find("dma", "a wait for a transfer that nobody asked for", (uintptr_t)command, 0, 0);
    return;
  }
  finish(move);
}

static uint8_t* in_l3(uint32_t address) { return memories.l3 + address; }

static int ram_is_wrong(uint32_t address, const uint8_t* data, uint32_t size, const void* request) {
  const char* wrong = NULL;
  if (size == 0) {
    wrong = "a transfer of nothing, to or from L3";
  } else if (request != NULL && move_of(request, 1) != NULL) {
    wrong = "a request to L3 is used again before it was awaited";
  } else if (block_of(&l3, in_l3(address), size) == NULL) {
    wrong = "its side in L3 is not what L3 gave";
  } else if (block_of(&l2, data, size) == NULL) {
    wrong = "its side in L2 is not what L2 gave";
  } else if (open_moves(1) >= MOVES / 2) {
    wrong = "too many requests to L3 are open";
  }
  if (wrong != NULL) {
    find("dma", wrong, address, 0, size);
  }
  return wrong != NULL;
}

void pi_cl_ram_read(struct pi_device* device, uint32_t address, void* data, uint32_t size, pi_cl_ram_req_t* request) {
  (void)device;
  if (!ram_is_wrong(address, data, size, request)) {
    ram_bytes += size;
    begin(request, as_engine(data), in_l3(address), size, 1);
  }
}

void pi_cl_ram_write(struct pi_device* device, uint32_t address, void* data, uint32_t size, pi_cl_ram_req_t* request) {
  (void)device;
  if (!ram_is_wrong(address, data, size, request)) {
    ram_bytes += size;
    begin(request, in_l3(address), as_engine(data), size, 1);
  }
}

static void wait_for_ram(const void* request) {
  struct move* const move = move_of(request, 1);
  if (move == NULL) {
    find("dma", "a wait for a request to L3 that nobody made", 0, 0, 0);
    return;
  }
  finish(move);
}

void pi_cl_ram_read_wait(pi_cl_ram_req_t* request) { wait_for_ram(request); }

void pi_cl_ram_write_wait(pi_cl_ram_req_t* request) { wait_for_ram(request); }

/* The fabric controller's, at once. */
static void copy(uint8_t* to, const uint8_t* from, uint32_t size) {
  for (uint32_t at = 0; at < size; ++at) {
    to[at] = from[at];
  }
}

void pi_ram_read(struct pi_device* device, uint32_t address, void* data, uint32_t size) {
  (void)device;
  if (!ram_is_wrong(address, data, size, NULL)) {
    copy(data, in_l3(address), size);
  }
}

void pi_ram_write(struct pi_device* device, uint32_t address, void* data, uint32_t size) {
  (void)device;
  if (!ram_is_wrong(address, data, size, NULL)) {
    copy(in_l3(address), data, size);
  }
}

int32_t pi_ram_alloc(struct pi_device* device, uint32_t* address, uint32_t size) {
  (void)device;
  const uint8_t* const base = take(&l3, in_l3(l3.used), size);
  *address = base == NULL ? 0 : (uint32_t)(base - memories.l3);
  return base == NULL ? -1 : 0;
}

/* Devices are there. */
void pi_open_from_conf(struct pi_device* device, void* conf) { device->config = conf; }

void pi_default_ram_conf_init(struct pi_default_ram_conf* conf) { *conf = (struct pi_default_ram_conf){0}; }

int32_t pi_ram_open(struct pi_device* device) { return device->config == NULL; }

void pi_default_flash_conf_init(struct pi_default_flash_conf* conf) { *conf = (struct pi_default_flash_conf){0}; }

int32_t pi_flash_open(struct pi_device* device) { return device->config == NULL; }

void pi_readfs_conf_init(struct pi_readfs_conf* conf) { *conf = (struct pi_readfs_conf){{NULL}}; }

int32_t pi_fs_mount(struct pi_device* device) { return device->config == NULL; }

/* One is open at a time. */
struct pi_fs_file_s {
  const uint8_t* at;
  const uint8_t* end;
};

static struct pi_fs_file_s opened;

static int is_same(const char* one, const char* other) {
  while (*one != '\0' && *one == *other) {
    ++one;
    ++other;
  }
  return *one == *other;
}

pi_fs_file_t* pi_fs_open(struct pi_device* device, const char* name, int flags) {
  (void)device;
  (void)flags;
  for (size_t at = 0; at < pmsis_file_count; ++at) {
    if (opened.at == NULL && is_same(pmsis_files[at].name, name)) {
      opened = (struct pi_fs_file_s){pmsis_files[at].begin, pmsis_files[at].end};
      return &opened;
    }
  }
  return NULL;
}

int32_t pi_fs_read(pi_fs_file_t* file, void* data, uint32_t size) {
  const size_t rest = (size_t)(file->end - file->at);
  const uint32_t now = rest < size ? (uint32_t)rest : size;
  copy(data, file->at, now);
  file->at += now;
  return (int32_t)now;
}

void pi_fs_close(pi_fs_file_t* file) { file->at = NULL; }

/* The cluster. */
void pi_cluster_conf_init(struct pi_cluster_conf* conf) { *conf = (struct pi_cluster_conf){0, 0x800}; }

int pi_cluster_open(struct pi_device* device) {
  const struct pi_cluster_conf* const conf = device->config;
  stack_size = conf->cc_stack_size;
  if (stack_size == 0 || stack_size % 16 != 0 || stack_size > pmsis_board.l1_size) {
    return -1;
  }
  l1.size = pmsis_board.l1_size - stack_size;
  fill(memories.l1 + l1.size, stack_size);
  return 0;
}

int pi_cluster_close(struct pi_device* device) {
  (void)device;
  return 0;
}

struct pi_cluster_task* pi_cluster_task(struct pi_cluster_task* task, void (*entry)(void* arg), void* arg) {
  *task = (struct pi_cluster_task){.entry = entry, .arg = arg};
  return task;
}

static void drop_open(uint32_t is_ram, const char* what) {
  for (uint32_t at = 0; at < MOVES; ++at) {
    if (state_of(&moves[at]) != FREE && moves[at].is_ram == is_ram) {
      find("dma", what, (uintptr_t)moves[at].to, 0, moves[at].size);
      finish(&moves[at]);
    }
  }
}

int pi_cluster_send_task_to_cl(struct pi_device* device, struct pi_cluster_task* task) {
  (void)device;
  const uint64_t before = report_findings();
  commands = 0;
  most_open = 0;
  dma_bytes = 0;
  ram_bytes = 0;
  cores_call(memories.l1 + pmsis_board.l1_size, task->entry, task->arg);
  drop_open(0, "a transfer is not awaited by the end of the task");
  for (uint32_t at = 0; at < sizeof(uint32_t); ++at) {
    if (memories.l1[l1.size + at] != PATTERN) {
      find("stack", "the controller's stack is too small", (uintptr_t)(memories.l1 + l1.size), stack_size, 0);
      break;
    }
  }
  report_part("commands", commands, most_open, report_findings() - before);
  report_part("bytes", dma_bytes, ram_bytes, 0);
  return 0;
}

uint32_t pi_core_id(void) { return cores_id(); }

static struct cores_span spans[CORES_SPANS];
static uint32_t span_count;

void pmsis_allow(const void* base, size_t size) {
  if (span_count == CORES_SPANS) {
    find("dma", "more spans for workers than the machine can open", (uintptr_t)base, CORES_SPANS, size);
    return;
  }
  spans[span_count++] = (struct cores_span){base, size};
}

void pi_cl_team_fork(int cores, void (*entry)(void* arg), void* arg) {
  if (cores <= 0 || (uint32_t)cores > pmsis_board.workers) {
    find("team", "a team of other than the cluster's workers", 0, pmsis_board.workers, (uint64_t)(uint32_t)cores);
  } else {
    cores_fork((uint32_t)cores, entry, arg, spans, span_count);
  }
  span_count = 0;
}

int pmsis_kickoff(void* entry) {
  ((void (*)(void))entry)();
  return 0;
}

void pmsis_exit(int status) {
  drop_open(1, "a request to L3 is not awaited by the end");
  end(status);
}

_Noreturn void pmsis_main(void) {
  static const char* const words[TIMINGS] = {"now", "wait", "last", "own"};
  timing = (enum timing)cores_choice("timing", words, TIMINGS);
  report_start(pmsis_board.name, timing);
  l1.size = pmsis_board.l1_size;
  l2.size = pmsis_board.l2_size;
  l3.size = pmsis_board.l3_size;
  memories = cores_memories(l1.size, l2.size, l3.size);
  if (timing == OWN) {
    cores_start_engine(serve, is_asked);
  }
  pmsis_exit(program_main());
  end(0);
}

_Noreturn void pmsis_fault(uint32_t core, int is_write, uint64_t address, uint64_t status, uint64_t pc) {
  static atomic_uint is_reported;
  static const char* const reads[] = {"worker 0 reads",       "worker 1 reads",  "worker 2 reads", "worker 3 reads",
                                      "worker 4 reads",       "worker 5 reads",  "worker 6 reads", "worker 7 reads",
                                      "the controller reads", "the engine reads"};
  static const char* const writes[] = {
      "worker 0 writes", "worker 1 writes", "worker 2 writes", "worker 3 writes",       "worker 4 writes",
      "worker 5 writes", "worker 6 writes", "worker 7 writes", "the controller writes", "the engine writes"};
  /* The others' would be in the middle of this one's report. */
  while (atomic_exchange(&is_reported, 1) != 0) {
    cores_sleep(NULL, NULL);
  }
  report_finding(&(struct report_finding){"fault", (is_write ? writes : reads)[core], address, 0, pc});
  report_fault(address, status, pc);
  report_verdict(0);
  hal_exit(BROKEN);
}
