// DMA buffers that are alive now: from debugfs' list of them, else from the open files of every process.
// A buffer has one inode, and counts once however many have it open.
#define _GNU_SOURCE
#include "collect.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kMostBuffers = 65536, kMostExporters = 64, kMostList = 16 << 20, kLongestName = 64 };

// A watch ends when so much was written: the document stays one that can be read.
static const uint64_t kMostWritten = 24U << 20U;

struct Exporter {
  char name[kLongestName];
  uint64_t objects;
  uint64_t bytes;
  uint64_t largest;
};

struct Sample {
  struct Exporter exporters[kMostExporters];
  size_t count;
};

struct Sampler {
  struct Probe* probe;
  uint64_t* inodes;
  size_t inode_count;
  struct Sample now;
};

static bool is_new(struct Sampler* sampler, uint64_t inode) {
  // Few are alive at once: hashing into a table of twice the number.
  const size_t room = 2 * (size_t)kMostBuffers;
  for (size_t at = (size_t)(inode * 2654435761U % room);; at = (at + 1) % room) {
    if (sampler->inodes[at] == inode + 1) {
      return false;
    }
    if (sampler->inodes[at] == 0) {
      if (sampler->inode_count == kMostBuffers) {
        return false;
      }
      ++sampler->inode_count;
      sampler->inodes[at] = inode + 1;
      return true;
    }
  }
}

static void add_buffer(struct Sampler* sampler, const char* name, uint64_t inode, uint64_t size) {
  if (!is_new(sampler, inode)) {
    return;
  }
  struct Sample* now = &sampler->now;
  size_t at = 0;
  while (at < now->count && strncmp(now->exporters[at].name, name, kLongestName - 1) != 0) {
    ++at;
  }
  if (at == now->count) {
    if (now->count == kMostExporters) {
      return;
    }
    now->exporters[now->count++] = (struct Exporter){.objects = 0};
    snprintf(now->exporters[at].name, kLongestName, "%s", name);
  }
  struct Exporter* exporter = &now->exporters[at];
  ++exporter->objects;
  exporter->bytes += size;
  exporter->largest = size > exporter->largest ? size : exporter->largest;
}

static void begin_sample(struct Sampler* sampler) {
  memset(sampler->inodes, 0, 2 * (size_t)kMostBuffers * sizeof *sampler->inodes);
  sampler->inode_count = 0;
  memset(&sampler->now, 0, sizeof sampler->now);
}

// A row: size, flags, mode, count, exporter, inode and perhaps a name, with tabs between them.
static bool take_row(struct Sampler* sampler, char* line) {
  char* fields[8];
  size_t count = 0;
  for (char* rest = line; rest != NULL && count < 8;) {
    fields[count++] = strsep(&rest, "\t");
  }
  if (count < 6 || fields[4][0] == '\0') {
    return false;
  }
  char* end = NULL;
  const uint64_t size = strtoull(fields[0], &end, 10);
  if (end == fields[0] || *end != '\0') {
    return false;
  }
  const uint64_t inode = strtoull(fields[5], &end, 10);
  if (end == fields[5] || *end != '\0') {
    return false;
  }
  add_buffer(sampler, fields[4], inode, size);
  return true;
}

// The kernel's list; its last line says what its rows sum to, and must.
static int sample_list(struct Sampler* sampler) {
  struct Content list;
  const int failure = read_file(sampler->probe->root, "/sys/kernel/debug/dma_buf/bufinfo", kMostList - 1, &list);
  if (failure != 0) {
    return failure;
  }
  list.bytes[list.size == 0 ? 0 : list.size - 1] = '\0';
  bool is_whole = false;
  char* rest = (char*)list.bytes;
  while (rest != NULL) {
    char* line = strsep(&rest, "\n");
    uint64_t objects = 0;
    uint64_t bytes = 0;
    if (line[0] >= '0' && line[0] <= '9') {
      take_row(sampler, line);
    } else if (sscanf(line, "Total %" SCNu64 " objects, %" SCNu64 " bytes", &objects, &bytes) == 2) {
      uint64_t sum = 0;
      uint64_t rows = 0;
      for (size_t i = 0; i < sampler->now.count; ++i) {
        sum += sampler->now.exporters[i].bytes;
        rows += sampler->now.exporters[i].objects;
      }
      is_whole = sum == bytes && rows == objects;
    }
  }
  free(list.bytes);
  return is_whole ? 0 : EPROTO;
}

// One open file of a process, which is a buffer where its link says so.
static void sample_file(struct Sampler* sampler, int process, const char* number) {
  char link[64];
  char path[300];
  snprintf(path, sizeof path, "fd/%s", number);
  const ssize_t length = readlinkat(process, path, link, sizeof link - 1);
  if (length <= 0) {
    return;
  }
  link[length] = '\0';
  if (strncmp(link, "/dmabuf:", 8) != 0) {
    return;
  }
  snprintf(path, sizeof path, "fdinfo/%s", number);
  const int descriptor = openat(process, path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) {
    return;
  }
  char text[1024];
  const ssize_t got = read(descriptor, text, sizeof text - 1);
  close(descriptor);
  if (got <= 0) {
    return;
  }
  text[got] = '\0';
  uint64_t inode = 0;
  uint64_t size = 0;
  char name[kLongestName] = "";
  unsigned known = 0;
  for (char* rest = text; rest != NULL;) {
    const char* line = strsep(&rest, "\n");
    known |= sscanf(line, "ino:\t%" SCNu64, &inode) == 1 ? 1U : 0U;
    known |= sscanf(line, "size:\t%" SCNu64, &size) == 1 ? 2U : 0U;
    known |= sscanf(line, "exp_name:\t%63[^\n]", name) == 1 ? 4U : 0U;
  }
  if (known == 7U) {
    add_buffer(sampler, name, inode, size);
  }
}

static int sample_processes(struct Sampler* sampler) {
  struct Found found;
  const int failure = find_file(sampler->probe->root, "/proc", &found);
  DIR* processes = failure == 0 ? opendir(found.path) : NULL;
  const int refused = failure != 0 ? failure : errno;
  free_found(&found);
  if (processes == NULL) {
    return refused;
  }
  size_t looked = 0;
  size_t hidden = 0;
  for (const struct dirent* each = readdir(processes); each != NULL; each = readdir(processes)) {
    if (each->d_name[0] < '1' || each->d_name[0] > '9') {
      continue;
    }
    const int process = openat(dirfd(processes), each->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const int folder = process < 0 ? -1 : openat(process, "fd", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR* files = folder < 0 ? NULL : fdopendir(folder);
    // One that has ended meanwhile hides nothing.
    hidden += files == NULL && errno == EACCES ? 1 : 0;
    if (files != NULL) {
      ++looked;
      for (const struct dirent* file = readdir(files); file != NULL; file = readdir(files)) {
        if (file->d_name[0] != '.') {
          sample_file(sampler, process, file->d_name);
        }
      }
      closedir(files);
    }
    if (process >= 0) {
      close(process);
    }
  }
  closedir(processes);
  return hidden != 0 ? EACCES : looked == 0 ? ENOENT : 0;
}

static int by_name(const void* a, const void* b) {
  return strcmp(((const struct Exporter*)a)->name, ((const struct Exporter*)b)->name);
}

static void write_sample(struct Sampler* sampler, uint64_t at_ms) {
  struct Document* document = &sampler->probe->document;
  document_open(document, NULL, '{');
  document_seconds(document, "t", at_ms);
  document_open(document, "dmabuf", '[');
  for (size_t i = 0; i < sampler->now.count; ++i) {
    const struct Exporter* exporter = &sampler->now.exporters[i];
    document_open(document, NULL, '[');
    document_name(document, NULL, exporter->name);
    document_number(document, NULL, exporter->objects);
    document_number(document, NULL, exporter->bytes);
    document_number(document, NULL, exporter->largest);
    document_close(document, ']');
  }
  document_close(document, ']');
  document_close(document, '}');
}

static uint64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void wait_until(uint64_t at_ms) {
  const struct timespec at = {(time_t)(at_ms / 1000), (long)(at_ms % 1000) * 1000000};
  // A signal ends it, and the watch.
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

void watch_buffers(struct Probe* probe, uint64_t watch_ms, uint64_t every_ms) {
  struct Document* document = &probe->document;
  static struct Sample last;
  struct Sampler sampler = {.probe = probe, .inodes = calloc(2 * (size_t)kMostBuffers, sizeof(uint64_t))};
  uint64_t taken = 0;
  uint64_t failed = 0;
  int failure = sampler.inodes == NULL ? ENOMEM : 0;
  bool is_list = true;
  const char* ended = "time";
  const uint64_t began = now_ms();
  document_open(document, "samples", '[');
  for (uint64_t at = 0; sampler.inodes != NULL; at += every_ms) {
    wait_until(began + at);
    const uint64_t late = now_ms() - began;
    begin_sample(&sampler);
    int result = is_list ? sample_list(&sampler) : EACCES;
    if (result != 0 && taken == 0) {
      // No debugfs, or a list of another form.
      is_list = false;
      begin_sample(&sampler);
      result = sample_processes(&sampler);
    } else if (!is_list) {
      result = sample_processes(&sampler);
    }
    const bool is_last = at + every_ms > watch_ms || watch_ms == 0 || *probe->is_interrupted != 0;
    if (result != 0) {
      ++failed;
      failure = result;
    } else {
      qsort(sampler.now.exporters, sampler.now.count, sizeof *sampler.now.exporters, by_name);
      // One that is as the one before says nothing; the first and the last say when.
      if (taken == 0 || is_last || memcmp(&sampler.now, &last, sizeof last) != 0) {
        write_sample(&sampler, late);
      }
      last = sampler.now;
      ++taken;
    }
    if (*probe->is_interrupted != 0) {
      ended = "signal";
      break;
    }
    if (document->written > kMostWritten) {
      ended = "size";
      break;
    }
    if (is_last) {
      break;
    }
    // What took longer than a step is not caught up with.
    while (at + every_ms < late) {
      at += every_ms;
    }
  }
  document_close(document, ']');
  free(sampler.inodes);
  document_open(document, "watch", '{');
  document_name(document, "source", is_list ? "bufinfo" : "fdinfo");
  document_seconds(document, "seconds", now_ms() - began);
  document_number(document, "every_ms", every_ms);
  document_number(document, "taken", taken);
  if (failed != 0) {
    document_number(document, "failed", failed);
    document_name(document, "error", error_name(failure));
  }
  document_name(document, "ended", ended);
  document_close(document, '}');
}
