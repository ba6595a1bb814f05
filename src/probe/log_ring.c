// The ring of texts that remote cores print into: entries of 16 KiB, each with a magic word and its
// core's name. It is looked for in memory that device drivers share (no-map, shared-dma-pool), which
// no secure world keeps to itself, and only read: no index of it is touched.
//
// Such memory is mapped as a device's: it is read word by word, on words' boundaries.
#define _GNU_SOURCE
#include "collect.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { kEntry = 16384, kPage = 4096, kChunk = 1 << 20, kMostEntries = 16, kMostNodes = 256 };

static const uint32_t kMagic = 0x01357231;
// A pool of a GiB has no ring.
static const uint64_t kMostRegion = 256U << 20U;

struct Region {
  uint64_t base;
  uint64_t size;
};

struct Memory {
  int descriptor;
  // Of a made-up one; a device has no end.
  uint64_t end;
  // Why some of it could not be looked at; 0: all was.
  int failure;
};

static sigjmp_buf guarded;

static uint64_t cells(const uint8_t* at, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < 4 * count; ++i) {
    value = value << 8U | at[i];
  }
  return value;
}

static size_t cell_count(const struct Probe* probe, const char* name) {
  char path[PATH_MAX];
  struct Content content;
  size_t count = 2;
  snprintf(path, sizeof path, "/proc/device-tree/reserved-memory/%s", name);
  if (read_file(probe->root, path, 64, &content) == 0) {
    count = content.size == 4 && content.bytes[3] == 1 ? 1 : 2;
    free(content.bytes);
  }
  return count;
}

// Whether a node has the property; with `holds`, whether the text is in it.
static bool has(const struct Probe* probe, const char* node, const char* property, const char* holds) {
  char path[PATH_MAX];
  struct Content content;
  snprintf(path, sizeof path, "/proc/device-tree/reserved-memory/%s/%s", node, property);
  if (read_file(probe->root, path, 1024, &content) != 0) {
    return false;
  }
  const bool is_there = holds == NULL || memmem(content.bytes, content.size, holds, strlen(holds)) != NULL;
  free(content.bytes);
  return is_there;
}

static size_t find_regions(const struct Probe* probe, struct Region* regions, size_t limit) {
  struct Names nodes;
  if (list_folder(probe->root, "/proc/device-tree/reserved-memory", "", kMostNodes, &nodes) != 0) {
    return 0;
  }
  const size_t address = cell_count(probe, "#address-cells");
  const size_t size = cell_count(probe, "#size-cells");
  size_t count = 0;
  for (size_t i = 0; i < nodes.count && count < limit; ++i) {
    char path[PATH_MAX];
    struct Content reg;
    snprintf(path, sizeof path, "/proc/device-tree/reserved-memory/%s/reg", nodes.names[i]);
    if (!has(probe, nodes.names[i], "no-map", NULL) ||
        !has(probe, nodes.names[i], "compatible", "shared-dma-pool") ||
        read_file(probe->root, path, 1024, &reg) != 0) {
      continue;
    }
    if (reg.size >= 4 * (address + size)) {
      const struct Region region = {cells(reg.bytes, address), cells(reg.bytes + 4 * address, size)};
      if (region.size <= kMostRegion && region.base % kPage == 0 && region.base < (uint64_t)1 << 48U) {
        regions[count++] = region;
      }
    }
    free(reg.bytes);
  }
  free_names(&nodes);
  return count;
}

static void on_bus_error(int signal) {
  (void)signal;
  siglongjmp(guarded, 1);
}

// False where a firewall keeps the memory from us: the bus answers with an error then.
static bool copy_words(uint32_t* to, const volatile uint32_t* from, size_t count) {
  if (sigsetjmp(guarded, 0) != 0) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    to[i] = from[i];
  }
  return true;
}

static bool is_entry(const uint32_t* words) {
  char name[17] = "";
  memcpy(name, words + 4, 16);
  const size_t size = strlen(name);
  if (words[2] != kMagic || size == 0 || size > 15) {
    return false;
  }
  for (size_t i = 0; i < size; ++i) {
    if (name[i] <= ' ' || name[i] > '~') {
      return false;
    }
  }
  return true;
}

// Adds what entries begin in a part of a region; how many.
static size_t add_entries(struct Probe* probe, const volatile uint32_t* memory, uint64_t base, size_t looked, size_t mapped,
                          size_t limit, int* failure) {
  static uint32_t entry[kEntry / 4];
  size_t count = 0;
  for (size_t at = 0; at < looked && count < limit && mapped - at >= kEntry; at += kPage) {
    uint32_t head[8];
    if (!copy_words(head, memory + at / 4, 8)) {
      *failure = EFAULT;
      return count;
    }
    if (!is_entry(head)) {
      continue;
    }
    if (!copy_words(entry, memory + at / 4, kEntry / 4)) {
      *failure = EFAULT;
      return count;
    }
    document_open(&probe->document, NULL, '{');
    document_number(&probe->document, "at", base + at);
    document_base64(&probe->document, "base64", (const uint8_t*)entry, kEntry);
    document_close(&probe->document, '}');
    ++count;
  }
  return count;
}

static size_t look_in(struct Probe* probe, struct Memory* memory, struct Region region, size_t limit) {
  size_t count = 0;
  int failure = 0;
  for (uint64_t at = 0; at < region.size && count < limit && failure == 0; at += kChunk) {
    const uint64_t base = region.base + at;
    uint64_t mapped = region.size - at < kChunk + kEntry ? region.size - at : kChunk + kEntry;
    if (base >= memory->end) {
      break;
    }
    mapped = mapped < memory->end - base ? mapped : memory->end - base;
    if (mapped < kEntry) {
      break;
    }
    void* bytes = mmap(NULL, mapped, PROT_READ, MAP_SHARED, memory->descriptor, (off_t)base);
    if (bytes == MAP_FAILED) {
      failure = errno;
      break;
    }
    count += add_entries(probe, bytes, base, mapped < kChunk ? mapped : kChunk, mapped, limit - count, &failure);
    munmap(bytes, mapped);
  }
  memory->failure = failure != 0 ? failure : memory->failure;
  return count;
}

static int open_memory(const struct Probe* probe, struct Memory* memory) {
  struct Found found;
  const int failure = find_file(probe->root, "/dev/mem", &found);
  memory->descriptor = failure == 0 ? open(found.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
  const int refused = failure != 0 ? failure : errno;
  free_found(&found);
  if (memory->descriptor < 0) {
    return refused;
  }
  struct stat is;
  if (fstat(memory->descriptor, &is) != 0 || !(S_ISREG(is.st_mode) || S_ISCHR(is.st_mode))) {
    close(memory->descriptor);
    return ESPIPE;
  }
  memory->end = S_ISREG(is.st_mode) ? (uint64_t)is.st_size : UINT64_MAX;
  return 0;
}

void collect_log_ring(struct Probe* probe) {
  static const char kPath[] = "/dev/mem";
  struct Memory memory = {-1, 0, 0};
  const int failure = open_memory(probe, &memory);
  if (failure != 0) {
    add_missing(probe, kPath, NULL, failure);
    return;
  }
  struct Region regions[kMostNodes];
  const size_t count = find_regions(probe, regions, kMostNodes);
  begin_entry(probe, kPath, NULL);
  document_open(&probe->document, "parts", '[');
  size_t entries = 0;
  struct sigaction before;
  const struct sigaction guard = {.sa_handler = on_bus_error, .sa_flags = SA_NODEFER};
  sigaction(SIGBUS, &guard, &before);
  for (size_t i = 0; i < count && entries < kMostEntries; ++i) {
    entries += look_in(probe, &memory, regions[i], kMostEntries - entries);
  }
  sigaction(SIGBUS, &before, NULL);
  document_close(&probe->document, ']');
  if (entries == 0) {
    document_name(&probe->document, "error", error_name(memory.failure != 0 ? memory.failure : ENODATA));
  }
  end_entry(probe);
  close(memory.descriptor);
}
