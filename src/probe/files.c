// Follows links by itself, so that an absolute one stays below --root. Nothing here writes.
#define _GNU_SOURCE
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char* error_name(int error) {
  static const struct {
    int error;
    const char* name;
  } kNames[] = {{EPERM, "EPERM"},     {ENOENT, "ENOENT"},   {EIO, "EIO"},         {ENXIO, "ENXIO"},
                {EAGAIN, "EAGAIN"},   {ENOMEM, "ENOMEM"},   {EACCES, "EACCES"},   {EBUSY, "EBUSY"},
                {ENODEV, "ENODEV"},   {ENOTDIR, "ENOTDIR"}, {EISDIR, "EISDIR"},   {EINVAL, "EINVAL"},
                {ENFILE, "ENFILE"},   {EMFILE, "EMFILE"},   {EFBIG, "EFBIG"},     {ESPIPE, "ESPIPE"},
                {EFAULT, "EFAULT"},   {ELOOP, "ELOOP"},     {ENODATA, "ENODATA"}, {ENAMETOOLONG, "ENAMETOOLONG"},
                {EBADMSG, "EBADMSG"}, {ESTALE, "ESTALE"},   {EINTR, "EINTR"},     {EOPNOTSUPP, "EOPNOTSUPP"},
                {ENOSYS, "ENOSYS"},   {EPROTO, "EPROTO"},   {ESRCH, "ESRCH"},     {EOVERFLOW, "EOVERFLOW"}};
  static char other[16];
  for (size_t i = 0; i < sizeof kNames / sizeof *kNames; ++i) {
    if (kNames[i].error == error) {
      return kNames[i].name;
    }
  }
  snprintf(other, sizeof other, "E%d", error);
  return other;
}

// Appends a part to a path, unless it is full.
static int append(char* path, const char* part, size_t size) {
  const size_t used = strlen(path);
  if (used + 1 + size >= PATH_MAX) {
    return ENAMETOOLONG;
  }
  path[used] = '/';
  memcpy(path + used + 1, part, size);
  path[used + 1 + size] = '\0';
  return 0;
}

static void drop_last(char* path, size_t root_size) {
  char* slash = strrchr(path, '/');
  if (slash != NULL && (size_t)(slash - path) >= root_size) {
    *slash = '\0';
  }
}

// What is left to walk: the link's text, then what stood behind it.
static int put_before(char* rest, const char* link, const char* tail) {
  char joined[PATH_MAX];
  const int size = snprintf(joined, sizeof joined, "%s/%s", link, tail);
  if (size < 0 || (size_t)size >= sizeof joined) {
    return ENAMETOOLONG;
  }
  memcpy(rest, joined, (size_t)size + 1);
  return 0;
}

static int keep_link(struct Found* found, const char* text) {
  if (found->link_count == kMostLinks) {
    return ELOOP;
  }
  char* copy = strdup(text);
  if (copy == NULL) {
    return ENOMEM;
  }
  found->links[found->link_count++] = copy;
  return 0;
}

int find_file(const char* root, const char* path, struct Found* found) {
  enum { kMostSteps = 40 };
  found->link_count = 0;
  found->path[0] = '\0';
  // A root of "/" is nothing before the first slash.
  size_t root_size = strlen(root);
  while (root_size != 0 && root[root_size - 1] == '/') {
    --root_size;
  }
  char rest[PATH_MAX];
  if (root_size >= PATH_MAX || strlen(path) >= sizeof rest) {
    return ENAMETOOLONG;
  }
  memcpy(found->path, root, root_size);
  found->path[root_size] = '\0';
  strcpy(rest, path);
  unsigned steps = 0;
  while (true) {
    char* part = rest + strspn(rest, "/");
    const size_t size = strcspn(part, "/");
    const char* tail = part + size + strspn(part + size, "/");
    if (size == 0) {
      break;
    }
    if (size == 1 && part[0] == '.') {
      memmove(rest, tail, strlen(tail) + 1);
      continue;
    }
    if (size == 2 && part[0] == '.' && part[1] == '.') {
      drop_last(found->path, root_size);
      memmove(rest, tail, strlen(tail) + 1);
      continue;
    }
    const int full = append(found->path, part, size);
    if (full != 0) {
      return full;
    }
    char link[PATH_MAX];
    const ssize_t length = readlink(found->path, link, sizeof link - 1);
    if (length < 0) {
      if (errno != EINVAL) {
        return errno;
      }
      memmove(rest, tail, strlen(tail) + 1);
      continue;
    }
    link[length] = '\0';
    if (++steps > kMostSteps) {
      return ELOOP;
    }
    int failure = *tail == '\0' ? keep_link(found, link) : 0;
    if (failure == 0) {
      failure = put_before(rest, link, tail);
    }
    if (failure != 0) {
      return failure;
    }
    if (link[0] == '/') {
      found->path[root_size] = '\0';
    } else {
      drop_last(found->path, root_size);
    }
  }
  if (found->path[0] == '\0') {
    strcpy(found->path, "/");
  }
  return 0;
}

void free_found(struct Found* found) {
  for (size_t i = 0; i < found->link_count; ++i) {
    free(found->links[i]);
  }
  found->link_count = 0;
}

int open_plain(const char* path, int* descriptor, uint64_t* size) {
  struct stat is;
  if (lstat(path, &is) != 0) {
    return errno;
  }
  if (!S_ISREG(is.st_mode)) {
    return S_ISDIR(is.st_mode) ? EISDIR : ESPIPE;
  }
  *descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (*descriptor < 0) {
    return errno;
  }
  *size = (uint64_t)is.st_size;
  return 0;
}

int read_content(int descriptor, size_t limit, struct Content* content) {
  size_t room = 0;
  *content = (struct Content){NULL, 0};
  while (true) {
    if (content->size == room) {
      room = room == 0 ? 16384 : 2 * room;
      room = room > limit ? limit + 1 : room;
      uint8_t* more = content->size > limit ? NULL : realloc(content->bytes, room);
      if (more == NULL) {
        const int failure = content->size > limit ? EFBIG : ENOMEM;
        free(content->bytes);
        *content = (struct Content){NULL, 0};
        return failure;
      }
      content->bytes = more;
    }
    const ssize_t got = read(descriptor, content->bytes + content->size, room - content->size);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      const int failure = errno;
      free(content->bytes);
      *content = (struct Content){NULL, 0};
      return failure;
    }
    if (got == 0) {
      return 0;
    }
    content->size += (size_t)got;
  }
}

int read_file(const char* root, const char* path, size_t limit, struct Content* content) {
  struct Found found;
  int descriptor = -1;
  uint64_t size = 0;
  int failure = find_file(root, path, &found);
  if (failure == 0) {
    failure = open_plain(found.path, &descriptor, &size);
  }
  free_found(&found);
  if (failure != 0) {
    return failure;
  }
  failure = read_content(descriptor, limit, content);
  close(descriptor);
  return failure;
}

static int by_bytes(const void* a, const void* b) {
  return strcmp(*(char* const*)a, *(char* const*)b);
}

static bool ends_with(const char* name, const char* end) {
  const size_t name_size = strlen(name);
  const size_t end_size = strlen(end);
  return name_size >= end_size && strcmp(name + name_size - end_size, end) == 0;
}

int list_folder(const char* root, const char* path, const char* end, size_t limit, struct Names* names) {
  *names = (struct Names){NULL, 0};
  struct Found found;
  const int failure = find_file(root, path, &found);
  DIR* folder = failure == 0 ? opendir(found.path) : NULL;
  const int refused = failure != 0 ? failure : errno;
  free_found(&found);
  if (folder == NULL) {
    return refused;
  }
  names->names = calloc(limit, sizeof *names->names);
  for (const struct dirent* each = readdir(folder); each != NULL; each = readdir(folder)) {
    if (names->names == NULL || names->count == limit) {
      break;
    }
    if (strcmp(each->d_name, ".") == 0 || strcmp(each->d_name, "..") == 0 || !ends_with(each->d_name, end)) {
      continue;
    }
    char* copy = strdup(each->d_name);
    if (copy == NULL) {
      break;
    }
    names->names[names->count++] = copy;
  }
  closedir(folder);
  if (names->names == NULL) {
    return ENOMEM;
  }
  qsort(names->names, names->count, sizeof *names->names, by_bytes);
  return 0;
}

void free_names(struct Names* names) {
  for (size_t i = 0; i < names->count; ++i) {
    free(names->names[i]);
  }
  free(names->names);
  *names = (struct Names){NULL, 0};
}
