// Files below the root: found without leaving it, read without waiting for anybody, up to a limit.
#ifndef MEMSIZE_PROBE_FILES_H
#define MEMSIZE_PROBE_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { kMostLinks = 16 };

// Where a path leads.
struct Found {
  // Below the root, without links in it.
  char path[PATH_MAX];
  // What each link of its last part says, in the order in which they are followed.
  char* links[kMostLinks];
  size_t link_count;
};

struct Content {
  uint8_t* bytes;
  size_t size;
};

struct Names {
  char** names;
  size_t count;
};

// "ENOENT"; for what has no name here "E123".
const char* error_name(int error);

// 0, or the error. Links are followed inside of the root, as if it were "/". What is found is freed
// in either case.
int find_file(const char* root, const char* path, struct Found* found);
void free_found(struct Found* found);

// 0 or the error. Only a plain file is opened: a pipe would wait for a writer.
int open_plain(const char* path, int* descriptor, uint64_t* size);
// EFBIG where there is more than `limit`. The bytes are the caller's to free().
int read_content(int descriptor, size_t limit, struct Content* content);
// Of a path below the root, links followed.
int read_file(const char* root, const char* path, size_t limit, struct Content* content);

// The entries of a folder below the root that end so, sorted; at most `limit`.
int list_folder(const char* root, const char* path, const char* end, size_t limit, struct Names* names);
void free_names(struct Names* names);

#endif
