// The list of paths: nothing else of a board is read.
#define _GNU_SOURCE
#include "collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMostText = 4 << 20, kMostTree = 2 << 20, kMostCores = 64, kMostNodes = 256, kMostHeaps = 256 };

void begin_entry(struct Probe* probe, const char* path, const struct Found* found) {
  document_open(&probe->document, NULL, '{');
  document_name(&probe->document, "path", path);
  if (found != NULL && found->link_count != 0) {
    document_open(&probe->document, "link", '[');
    for (size_t i = 0; i < found->link_count; ++i) {
      document_name(&probe->document, NULL, found->links[i]);
    }
    document_close(&probe->document, ']');
  }
}

void end_entry(struct Probe* probe) {
  document_close(&probe->document, '}');
}

void add_missing(struct Probe* probe, const char* path, const struct Found* found, int failure) {
  begin_entry(probe, path, found);
  document_name(&probe->document, "error", error_name(failure));
  end_entry(probe);
}

void collect_file(struct Probe* probe, const char* path, size_t limit) {
  struct Content content;
  const int failure = read_file(probe->root, path, limit, &content);
  if (failure != 0) {
    add_missing(probe, path, NULL, failure);
    return;
  }
  begin_entry(probe, path, NULL);
  document_content(&probe->document, content.bytes, content.size);
  end_entry(probe);
  free(content.bytes);
}

static uint32_t big_endian(const uint8_t* at) {
  return (uint32_t)at[0] << 24U | (uint32_t)at[1] << 16U | (uint32_t)at[2] << 8U | at[3];
}

// What names one board, starts its secrets or says how it was booted.
static bool is_private(const char* name) {
  static const char* const kNames[] = {
      "serial-number", "bootargs", "kaslr-seed", "rng-seed", "local-mac-address", "mac-address"};
  for (size_t i = 0; i < sizeof kNames / sizeof *kNames; ++i) {
    if (strcmp(name, kNames[i]) == 0) {
      return true;
    }
  }
  return false;
}

struct Zeroed {
  const char* names[16];
  size_t count;
};

// Zeroes the values of private properties; false where the tree cannot be walked to its end.
static bool zero_private(uint8_t* tree, size_t size, struct Zeroed* zeroed) {
  enum { kHeader = 40, kBeginNode = 1, kEndNode = 2, kProperty = 3, kNothing = 4, kEnd = 9 };
  zeroed->count = 0;
  if (size < kHeader || big_endian(tree) != 0xd00dfeedU) {
    return false;
  }
  const size_t total = big_endian(tree + 4);
  size_t at = big_endian(tree + 8);
  const size_t strings = big_endian(tree + 12);
  if (total > size || strings > total || total < kHeader) {
    return false;
  }
  while (at <= total - 4) {
    const uint32_t token = big_endian(tree + at);
    at += 4;
    if (token == kEnd) {
      return true;
    }
    if (token == kBeginNode) {
      const uint8_t* nul = at < total ? memchr(tree + at, 0, total - at) : NULL;
      if (nul == NULL) {
        return false;
      }
      at = ((size_t)(nul - tree) + 4) & ~(size_t)3;
    } else if (token == kProperty) {
      if (at > total - 8) {
        return false;
      }
      const size_t length = big_endian(tree + at);
      const size_t name = strings + big_endian(tree + at + 4);
      at += 8;
      if (length > total - at || name >= total || memchr(tree + name, 0, total - name) == NULL) {
        return false;
      }
      const char* text = (const char*)tree + name;
      if (is_private(text)) {
        memset(tree + at, 0, length);
        if (zeroed->count < sizeof zeroed->names / sizeof *zeroed->names) {
          zeroed->names[zeroed->count++] = text;
        }
      }
      at = (at + length + 3) & ~(size_t)3;
    } else if (token != kEndNode && token != kNothing) {
      return false;
    }
  }
  return false;
}

void collect_tree(struct Probe* probe) {
  static const char kPath[] = "/sys/firmware/fdt";
  struct Content tree;
  const int failure = read_file(probe->root, kPath, kMostTree, &tree);
  if (failure != 0) {
    add_missing(probe, kPath, NULL, failure);
    collect_reserved_nodes(probe);
    return;
  }
  struct Zeroed zeroed;
  if (!zero_private(tree.bytes, tree.size, &zeroed)) {
    // What cannot be cleaned is not taken along: EBADMSG.
    free(tree.bytes);
    begin_entry(probe, kPath, NULL);
    document_name(&probe->document, "error", "EBADMSG");
    end_entry(probe);
    collect_reserved_nodes(probe);
    return;
  }
  begin_entry(probe, kPath, NULL);
  if (zeroed.count != 0) {
    document_open(&probe->document, "zeroed", '[');
    for (size_t i = 0; i < zeroed.count; ++i) {
      document_name(&probe->document, NULL, zeroed.names[i]);
    }
    document_close(&probe->document, ']');
  }
  document_base64(&probe->document, "base64", tree.bytes, tree.size);
  end_entry(probe);
  free(tree.bytes);
}

// The names in a folder, which are an entry of their own.
static void collect_names(struct Probe* probe, const char* path, const char* end, size_t limit, struct Names* names) {
  const int failure = list_folder(probe->root, path, end, limit, names);
  if (failure != 0) {
    add_missing(probe, path, NULL, failure);
    return;
  }
  begin_entry(probe, path, NULL);
  document_open(&probe->document, "entries", '[');
  for (size_t i = 0; i < names->count; ++i) {
    document_name(&probe->document, NULL, names->names[i]);
  }
  document_close(&probe->document, ']');
  end_entry(probe);
}

static void collect_members(struct Probe* probe, const char* folder, const char* const* members, size_t count, size_t limit) {
  struct Names names;
  collect_names(probe, folder, "", limit, &names);
  for (size_t i = 0; i < names.count; ++i) {
    for (size_t member = 0; member < count; ++member) {
      char path[PATH_MAX];
      const int size = snprintf(path, sizeof path, "%s/%s/%s", folder, names.names[i], members[member]);
      if (size > 0 && (size_t)size < sizeof path) {
        collect_file(probe, path, kMostText);
      }
    }
  }
  free_names(&names);
}

void collect_reserved_nodes(struct Probe* probe) {
  static const char kFolder[] = "/proc/device-tree/reserved-memory";
  static const char* const kMembers[] = {"reg", "size", "no-map", "compatible"};
  struct Names names;
  collect_names(probe, kFolder, "", kMostNodes, &names);
  for (size_t i = 0; i < names.count; ++i) {
    for (size_t member = 0; member < sizeof kMembers / sizeof *kMembers; ++member) {
      char path[PATH_MAX];
      snprintf(path, sizeof path, "%s/%s/%s", kFolder, names.names[i], kMembers[member]);
      struct Content content;
      // A node has few of these.
      if (read_file(probe->root, path, 4096, &content) != 0) {
        continue;
      }
      begin_entry(probe, path, NULL);
      document_content(&probe->document, content.bytes, content.size);
      end_entry(probe);
      free(content.bytes);
    }
  }
  free_names(&names);
}

void collect_remote_cores(struct Probe* probe) {
  static const char* const kState[] = {"name", "state", "firmware"};
  static const char* const kSaid[] = {"resource_table", "carveout_memories", "trace0"};
  collect_members(probe, "/sys/class/remoteproc", kState, 3, kMostCores);
  collect_members(probe, "/sys/kernel/debug/remoteproc", kSaid, 3, kMostCores);
  struct Names heaps;
  collect_names(probe, "/dev/dma_heap", "", kMostHeaps, &heaps);
  free_names(&heaps);
}
