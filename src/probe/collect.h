// What is asked of a board, part by part. Each adds to the list "files" or "samples" of the document.
#ifndef MEMSIZE_PROBE_COLLECT_H
#define MEMSIZE_PROBE_COLLECT_H

#include "document.h"
#include "files.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct Probe {
  // "/" or a made-up one.
  const char* root;
  struct Document document;
  // Set by a signal: what is there is written.
  volatile sig_atomic_t* is_interrupted;
};

// An entry of "files" is open from one of these to the end of the other.
void begin_entry(struct Probe* probe, const char* path, const struct Found* found);
void end_entry(struct Probe* probe);
void add_missing(struct Probe* probe, const char* path, const struct Found* found, int failure);

// A text or bytes, as they are.
void collect_file(struct Probe* probe, const char* path, size_t limit);
// The tree that the kernel got, without what tells one board from another.
void collect_tree(struct Probe* probe);
// The same of the kernel's own view of it, where the tree itself may not be read.
void collect_reserved_nodes(struct Probe* probe);
void collect_remote_cores(struct Probe* probe);
// Links, sizes, hashes, and the parts of an ELF file that say where it lies.
void collect_firmware(struct Probe* probe);
// What the remote cores print, out of the memory in which they keep it.
void collect_log_ring(struct Probe* probe);

// Every buffer that is alive, by exporter; for so long, so often. Nothing to do for 0 milliseconds:
// one sample.
void watch_buffers(struct Probe* probe, uint64_t watch_ms, uint64_t every_ms);

#endif
