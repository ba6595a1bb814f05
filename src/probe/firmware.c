// Of a firmware: where its links lead, how large it is, its hash; and of an ELF file its header, its
// two tables, the names of its sections and its resource table: a few KiB instead of megabytes.
#define _GNU_SOURCE
#include "collect.h"
#include "sha256.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMostFirmware = 256, kMostRemote = 64 };

// No firmware is nearly as large; what is, is not hashed.
static const uint64_t kLargest = 256U << 20U;
// Nor are its tables.
static const uint64_t kMostPart = 256U << 10U;

// What of a section's header is looked at, of either class.
struct Section {
  uint32_t name;
  uint32_t type;
  uint64_t offset;
  uint64_t size;
};

struct Elf {
  struct Probe* probe;
  int descriptor;
  uint64_t file_size;
  // Where the file begins: behind a certificate, where it has one.
  uint64_t base;
  bool is_wide;
  uint64_t segments_at;
  uint64_t segments_size;
  uint64_t sections_at;
  uint16_t section_size;
  uint16_t section_count;
  uint16_t names_index;
};

static bool read_at(const struct Elf* elf, uint64_t at, void* bytes, size_t size) {
  return at <= elf->file_size && size <= elf->file_size - at &&
         pread(elf->descriptor, bytes, size, (off_t)at) == (ssize_t)size;
}

// A part of the file, unless it has none so large there.
static void add_part(const struct Elf* elf, uint64_t offset, uint64_t size) {
  if (size == 0 || size > kMostPart || offset > elf->file_size || elf->base > elf->file_size - offset) {
    return;
  }
  uint8_t* bytes = malloc(size);
  if (bytes != NULL && read_at(elf, elf->base + offset, bytes, size)) {
    struct Document* document = &elf->probe->document;
    document_open(document, NULL, '{');
    document_number(document, "at", elf->base + offset);
    document_base64(document, "base64", bytes, size);
    document_close(document, '}');
  }
  free(bytes);
}

static bool read_section(const struct Elf* elf, unsigned index, struct Section* section) {
  const uint64_t at = elf->base + elf->sections_at + (uint64_t)index * elf->section_size;
  if (elf->is_wide) {
    Elf64_Shdr row;
    if (!read_at(elf, at, &row, sizeof row)) {
      return false;
    }
    *section = (struct Section){row.sh_name, row.sh_type, row.sh_offset, row.sh_size};
    return true;
  }
  Elf32_Shdr row;
  if (!read_at(elf, at, &row, sizeof row)) {
    return false;
  }
  *section = (struct Section){row.sh_name, row.sh_type, row.sh_offset, row.sh_size};
  return true;
}

// Where an ELF header may be: at the start, or behind an X.509 certificate (30 82 and its length).
static bool find_header(struct Elf* elf) {
  uint8_t head[EI_NIDENT];
  elf->base = 0;
  if (!read_at(elf, 0, head, sizeof head)) {
    return false;
  }
  if (head[0] == 0x30 && head[1] == 0x82) {
    elf->base = ((uint64_t)head[2] << 8U | head[3]) + 4;
    if (!read_at(elf, elf->base, head, sizeof head)) {
      return false;
    }
  }
  elf->is_wide = head[EI_CLASS] == ELFCLASS64;
  return memcmp(head, ELFMAG, SELFMAG) == 0 && head[EI_DATA] == ELFDATA2LSB &&
         (elf->is_wide || head[EI_CLASS] == ELFCLASS32);
}

static bool read_header(struct Elf* elf) {
  if (elf->is_wide) {
    Elf64_Ehdr header;
    if (!read_at(elf, elf->base, &header, sizeof header)) {
      return false;
    }
    elf->segments_at = header.e_phoff;
    elf->segments_size = (uint64_t)header.e_phnum * header.e_phentsize;
    elf->sections_at = header.e_shoff;
    elf->section_size = header.e_shentsize;
    elf->section_count = header.e_shnum;
    elf->names_index = header.e_shstrndx;
    return true;
  }
  Elf32_Ehdr header;
  if (!read_at(elf, elf->base, &header, sizeof header)) {
    return false;
  }
  elf->segments_at = header.e_phoff;
  elf->segments_size = (uint64_t)header.e_phnum * header.e_phentsize;
  elf->sections_at = header.e_shoff;
  elf->section_size = header.e_shentsize;
  elf->section_count = header.e_shnum;
  elf->names_index = header.e_shstrndx;
  return true;
}

static bool is_called(const struct Elf* elf, const struct Section* names, uint32_t at, const char* name) {
  char text[32];
  const size_t size = strlen(name) + 1;
  return at <= names->size && size <= names->size - at && size <= sizeof text &&
         names->offset <= elf->file_size &&
         read_at(elf, elf->base + names->offset + at, text, size) && memcmp(text, name, size) == 0;
}

static void add_parts(struct Probe* probe, int descriptor, uint64_t file_size) {
  struct Elf elf = {.probe = probe, .descriptor = descriptor, .file_size = file_size};
  if (!find_header(&elf) || !read_header(&elf)) {
    return;
  }
  document_open(&probe->document, "parts", '[');
  add_part(&elf, 0, elf.is_wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
  add_part(&elf, elf.segments_at, elf.segments_size);
  const bool is_table = elf.section_size >= (elf.is_wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)) &&
                        elf.sections_at <= file_size;
  struct Section names;
  if (is_table) {
    add_part(&elf, elf.sections_at, (uint64_t)elf.section_count * elf.section_size);
    if (elf.names_index < elf.section_count && read_section(&elf, elf.names_index, &names)) {
      add_part(&elf, names.offset, names.size);
      for (unsigned i = 0; i < elf.section_count && i < 4096; ++i) {
        struct Section section;
        if (read_section(&elf, i, &section) && section.type != SHT_NOBITS &&
            is_called(&elf, &names, section.name, ".resource_table")) {
          add_part(&elf, section.offset, section.size);
          // Linux takes the first.
          break;
        }
      }
    }
  }
  document_close(&probe->document, ']');
}

// The hash of all of it; false where it cannot be read to its end.
static bool hash_file(int descriptor, char digits[65]) {
  static uint8_t block[65536];
  struct Sha256 hash;
  sha256_begin(&hash);
  while (true) {
    const ssize_t got = read(descriptor, block, sizeof block);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0 || hash.size > kLargest) {
      return false;
    }
    if (got == 0) {
      sha256_end(&hash, digits);
      return true;
    }
    sha256_add(&hash, block, (size_t)got);
  }
}

static void collect_one(struct Probe* probe, const char* path) {
  struct Found found;
  int descriptor = -1;
  uint64_t size = 0;
  int failure = find_file(probe->root, path, &found);
  if (failure == 0) {
    failure = open_plain(found.path, &descriptor, &size);
  }
  if (failure != 0) {
    add_missing(probe, path, &found, failure);
    free_found(&found);
    return;
  }
  begin_entry(probe, path, &found);
  document_number(&probe->document, "size", size);
  char digits[65];
  if (size > kLargest) {
    document_name(&probe->document, "error", "EFBIG");
  } else if (!hash_file(descriptor, digits)) {
    document_name(&probe->document, "error", "EIO");
  } else {
    document_name(&probe->document, "sha256", digits);
    add_parts(probe, descriptor, size);
  }
  end_entry(probe);
  close(descriptor);
  free_found(&found);
}

static bool ends_with(const char* name, const char* end) {
  const size_t size = strlen(end);
  return strlen(name) >= size && strcmp(name + strlen(name) - size, end) == 0;
}

// What a remote core says that it loads, where the names in the folder do not have it already.
static void collect_named(struct Probe* probe) {
  struct Names cores;
  if (list_folder(probe->root, "/sys/class/remoteproc", "", kMostRemote, &cores) != 0) {
    return;
  }
  char* seen[kMostRemote];
  size_t seen_count = 0;
  for (size_t i = 0; i < cores.count; ++i) {
    char path[PATH_MAX];
    struct Content name;
    snprintf(path, sizeof path, "/sys/class/remoteproc/%s/firmware", cores.names[i]);
    if (read_file(probe->root, path, 1024, &name) != 0) {
      continue;
    }
    char text[1025] = "";
    memcpy(text, name.bytes, name.size);
    free(name.bytes);
    text[strcspn(text, "\n")] = '\0';
    bool is_new = text[0] != '\0' && strstr(text, "..") == NULL && strcmp(text, "unknown") != 0 &&
                  (strchr(text, '/') != NULL || !(ends_with(text, "-fw") || ends_with(text, "-fw-sec")));
    for (size_t other = 0; other < seen_count; ++other) {
      is_new = is_new && strcmp(seen[other], text) != 0;
    }
    char* copy = is_new ? strdup(text) : NULL;
    if (copy != NULL) {
      seen[seen_count++] = copy;
      snprintf(path, sizeof path, "/lib/firmware/%s", text);
      collect_one(probe, path);
    }
  }
  for (size_t i = 0; i < seen_count; ++i) {
    free(seen[i]);
  }
  free_names(&cores);
}

void collect_firmware(struct Probe* probe) {
  static const char kFolder[] = "/lib/firmware";
  static const char* const kEnds[] = {"-fw", "-fw-sec"};
  for (size_t end = 0; end < 2; ++end) {
    struct Names names;
    const int failure = list_folder(probe->root, kFolder, kEnds[end], kMostFirmware, &names);
    if (failure != 0) {
      add_missing(probe, kFolder, NULL, failure);
      return;
    }
    for (size_t i = 0; i < names.count; ++i) {
      char path[PATH_MAX];
      snprintf(path, sizeof path, "%s/%s", kFolder, names.names[i]);
      collect_one(probe, path);
    }
    free_names(&names);
  }
  collect_named(probe);
}
