/* Loads a network, runs it layer by layer, and compares what each makes with what it must. */
#include "network.h"

#include "bsp/flash.h"
#include "bsp/fs.h"
#include "bsp/fs/readfs.h"
#include "bsp/ram.h"

#include <stdio.h>

enum { PIECE = 1024 };

static struct pi_device cluster;
static struct pi_device ram;
static struct pi_device flash;
static struct pi_device fs;
static uint8_t* piece;
static uint8_t* made;

static void fail(const char* what) {
  printf("network: %s\n", what);
  pmsis_exit(-2);
}

static void* need(void* memory, const char* what) {
  if (memory == NULL) {
    fail(what);
  }
  return memory;
}

static void open_devices(void) {
  static struct pi_cluster_conf cluster_conf;
  static struct pi_default_flash_conf flash_conf;
  static struct pi_default_ram_conf ram_conf;
  static struct pi_readfs_conf fs_conf;
  pi_cluster_conf_init(&cluster_conf);
  cluster_conf.cc_stack_size = NET_CONTROLLER_STACK;
  pi_open_from_conf(&cluster, &cluster_conf);
  if (pi_cluster_open(&cluster) != 0) {
    fail("the cluster cannot be opened");
  }
  pi_default_ram_conf_init(&ram_conf);
  pi_open_from_conf(&ram, &ram_conf);
  if (pi_ram_open(&ram) != 0) {
    fail("the external RAM cannot be opened");
  }
  pi_default_flash_conf_init(&flash_conf);
  pi_open_from_conf(&flash, &flash_conf);
  if (pi_flash_open(&flash) != 0) {
    fail("the flash cannot be opened");
  }
  pi_readfs_conf_init(&fs_conf);
  fs_conf.fs.flash = &flash;
  pi_open_from_conf(&fs, &fs_conf);
  if (pi_fs_mount(&fs) != 0) {
    fail("the files cannot be mounted");
  }
}

static void allocate(void) {
  static const uint32_t sizes[NET_MEMORIES] = {NET_L2_SIZE, NET_L2_CONSTANT_SIZE, NET_L3_SIZE, NET_L3_CONSTANT_SIZE};
  net_memories.ram = &ram;
  if (NET_L1_SIZE != 0) {
    net_memories.l1 = need(pi_cl_l1_malloc(&cluster, NET_L1_SIZE), "L1 is too small");
  }
  piece = need(pi_l2_malloc(2 * PIECE), "L2 is too small");
  made = piece + PIECE;
  for (uint32_t memory = NET_L2; memory <= NET_L2_CONSTANT; ++memory) {
    if (sizes[memory] != 0) {
      net_memories.l2[memory - NET_L2] = need(pi_l2_malloc(sizes[memory]), "L2 is too small");
    }
  }
  for (uint32_t memory = NET_L3; memory <= NET_L3_CONSTANT; ++memory) {
    if (sizes[memory] != 0 && pi_ram_alloc(&ram, &net_memories.l3[memory - NET_L3], sizes[memory]) != 0) {
      fail("the external RAM is too small");
    }
  }
}

/* Where it lies, so that an address in a fault can be told from another. */
static void say(const char* what, const void* base, uint32_t size) {
  const unsigned long first = (unsigned long)(uintptr_t)base;
  printf("  %s: %08lX - %08lX\n", what, first, first + size);
}

static void copy(uint8_t* to, const uint8_t* from, uint32_t size) {
  for (uint32_t at = 0; at < size; ++at) {
    to[at] = from[at];
  }
}

static void put(struct net_place place, uint32_t size) {
  if (net_is_l3(place)) {
    pi_ram_write(&ram, net_l3(place), piece, size);
  } else {
    copy(net_l2(place), piece, size);
  }
}

static void get(struct net_place place, uint32_t size) {
  if (net_is_l3(place)) {
    pi_ram_read(&ram, net_l3(place), made, size);
  } else {
    copy(made, net_l2(place), size);
  }
}

/* Piece by piece: its bytes, how many, and how many came before. What is wrong with a file ends the program. */
static void read_file(const struct net_file* file, void (*take)(void* context, uint32_t at, uint32_t size),
                      void* context) {
  uint32_t sum = 0;
  pi_fs_file_t* const opened = pi_fs_open(&fs, file->name, 0);
  if (opened == NULL) {
    printf("  [BAD] %s is not there\n", file->name);
    fail("a file is missing");
  }
  for (uint32_t at = 0; at < file->size;) {
    const uint32_t rest = file->size - at;
    const int32_t got = pi_fs_read(opened, piece, rest < PIECE ? rest : PIECE);
    if (got <= 0) {
      printf("  [BAD] %s ends after %lu bytes of %lu\n", file->name, (unsigned long)at, (unsigned long)file->size);
      fail("a file is too short");
    }
    for (int32_t byte = 0; byte < got; ++byte) {
      sum += piece[byte];
    }
    take(context, at, (uint32_t)got);
    at += (uint32_t)got;
  }
  pi_fs_close(opened);
  if (sum != file->checksum) {
    printf("  [BAD] %s ck=0x%08lX, not 0x%08lX\n", file->name, (unsigned long)sum, (unsigned long)file->checksum);
    fail("a file is another one's");
  }
}

static void take_constant(void* context, uint32_t at, uint32_t size) {
  struct net_place place = ((const struct net_file*)context)->place;
  place.offset += at;
  put(place, size);
}

struct comparison {
  struct net_place place;
  uint32_t is_float;
  uint32_t mismatches;
  uint32_t max_diff;
};

static void compare(void* context, uint32_t at, uint32_t size) {
  struct comparison* const comparison = context;
  struct net_place place = comparison->place;
  place.offset += at;
  get(place, size);
  const uint32_t step = comparison->is_float ? sizeof(float) : 1;
  for (uint32_t byte = 0; byte < size; byte += step) {
    uint32_t difference = 0;
    for (uint32_t part = byte; part < byte + step; ++part) {
      const int32_t is = (int8_t)made[part];
      const int32_t must = (int8_t)piece[part];
      const uint32_t apart = (uint32_t)(is > must ? is - must : must - is);
      difference = apart > difference ? apart : difference;
    }
    comparison->mismatches += difference != 0;
    comparison->max_diff = difference > comparison->max_diff ? difference : comparison->max_diff;
  }
}

static void run_step(void* context) {
  const uint32_t at = *(const uint32_t*)context;
  net_run(&network_steps[at], at + 1 < NET_STEPS ? &network_steps[at + 1] : NULL);
}

/* Of a float, every bit counts, and max_diff is that of its bytes. */
static uint32_t check_step(const struct net_golden* golden) {
  const struct net_step* const step = &network_steps[golden->step];
  struct comparison comparison = {.place = step->writes, .is_float = step->is_float};
  read_file(&golden->file, compare, &comparison);
  printf("Layer %s validation: %lu mismatches (max_diff=%lu)\n", step->name, (unsigned long)comparison.mismatches,
         (unsigned long)comparison.max_diff);
  return comparison.mismatches;
}

static void run_network(void) {
  uint32_t wrong = 0;
  uint32_t golden = 0;
  open_devices();
  allocate();
  say("L1", net_memories.l1, NET_L1_SIZE);
  say("L2 arena", net_memories.l2[0], NET_L2_SIZE);
  say("L2 constants", net_memories.l2[1], NET_L2_CONSTANT_SIZE);
  for (uint32_t at = 0; at < NET_FILES; ++at) {
    struct net_file file = network_files[at];
    read_file(&file, take_constant, &file);
  }
  for (uint32_t at = 0; at < NET_STEPS; ++at) {
    struct pi_cluster_task task;
    uint32_t index = at;
    pi_cluster_task(&task, run_step, &index);
    task.stack_size = NET_CONTROLLER_STACK;
    pi_cluster_send_task_to_cl(&cluster, &task);
    for (; golden < NET_GOLDENS && network_goldens[golden].step == at; ++golden) {
      wrong += check_step(&network_goldens[golden]) != 0;
    }
  }
  printf("Network validation: %lu of %lu layers differ\n", (unsigned long)wrong, (unsigned long)NET_GOLDENS);
  pi_cluster_close(&cluster);
  pmsis_exit(wrong == 0 ? 0 : -1);
}

int main(void) {
  printf("network: %s, %lu steps\n", network_name, (unsigned long)NET_STEPS);
  return pmsis_kickoff((void*)run_network);
}
