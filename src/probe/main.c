// memsize-probe: collects what a running board says of its memory, and interprets nothing. One document
// is written, beside its place and then renamed; nothing else is.
#define _GNU_SOURCE
#include "collect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { kDone = 0, kUsage = 2, kEnvironment = 4, kMostAdded = 16 };

static volatile sig_atomic_t is_interrupted = 0;

struct Options {
  const char* root;
  const char* out;
  uint64_t watch_ms;
  uint64_t every_ms;
  const char* added[kMostAdded];
  size_t added_count;
  bool with_log;
  bool with_firmware;
};

static const char kHelp[] =
    "memsize-probe: collects what a running board says of its memory, for memsize\n"
    "\n"
    "  memsize-probe -o probe.json                    # as root: sudo memsize-probe -o probe.json\n"
    "  memsize-probe -o probe.json --watch 60 --log   # while the application starts and runs\n"
    "\n"
    "  -o FILE          where the document goes; without it, or with -: standard output\n"
    "  --watch SECONDS  look at DMA buffers for so long (at most 604800); Ctrl-C ends it, and what is there is written\n"
    "  --every MS       ... so often: 100 without it, 10 to 60000\n"
    "  --log            what the remote cores print, out of their memory (reads /dev/mem)\n"
    "  --add FILE       a text file to take along, such as the output of vx_app_heap_stats.out (up to 16 of them)\n"
    "  --no-firmware    no links, sizes and hashes of /lib/firmware\n"
    "  --root DIR       look below DIR instead of /\n"
    "  --help, --version\n"
    "\n"
    "What is not there, or may not be read, is in the document with its error. Serial number, boot arguments,\n"
    "MAC addresses and seeds are not in it, nor is the host's name.\n"
    "On a host: memsize analyze probe.json --board BOARD; memsize check --probe probe.json --map DIR\n"
    "Exit status: 0 written, 2 wrong usage, 4 FILE cannot be written.\n";

static void on_signal(int number) {
  (void)number;
  is_interrupted = 1;
}

static int refuse(const char* what, const char* word) {
  fprintf(stderr, "memsize-probe: %s%s\nmemsize-probe --help says what there is\n", what, word);
  return kUsage;
}

static bool read_number(const char* text, uint64_t least, uint64_t most, uint64_t* value) {
  char* end = NULL;
  errno = 0;
  const unsigned long long number = strtoull(text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || number < least || number > most) {
    return false;
  }
  *value = number;
  return true;
}

// The value behind an option, or after its '='; NULL where it is another option.
static const char* value_of(const char* option, char** words, int count, int* at) {
  const char* word = words[*at];
  const size_t size = strlen(option);
  if (strncmp(word, option, size) != 0) {
    return NULL;
  }
  if (word[size] == '=' && size > 2) {
    return word + size + 1;
  }
  if (word[size] != '\0') {
    return NULL;
  }
  if (*at + 1 >= count) {
    return "";
  }
  return words[++*at];
}

// -1 to go on, else the exit status.
static int read_options(struct Options* options, int count, char** words) {
  for (int i = 1; i < count; ++i) {
    const char* value = NULL;
    uint64_t number = 0;
    if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0) {
      fputs(kHelp, stdout);
      return kDone;
    }
    if (strcmp(words[i], "--version") == 0) {
      puts("memsize-probe " MEMSIZE_VERSION);
      return kDone;
    }
    if (strcmp(words[i], "--log") == 0) {
      options->with_log = true;
    } else if (strcmp(words[i], "--no-firmware") == 0) {
      options->with_firmware = false;
    } else if ((value = value_of("-o", words, count, &i)) != NULL) {
      options->out = value;
    } else if ((value = value_of("--root", words, count, &i)) != NULL) {
      options->root = value;
    } else if ((value = value_of("--add", words, count, &i)) != NULL) {
      if (options->added_count == kMostAdded) {
        return refuse("at most 16 files can be added", "");
      }
      options->added[options->added_count++] = value;
    } else if ((value = value_of("--watch", words, count, &i)) != NULL) {
      if (!read_number(value, 1, 604800, &number)) {
        return refuse("--watch takes seconds, from 1 to 604800, not ", value);
      }
      options->watch_ms = number * 1000;
    } else if ((value = value_of("--every", words, count, &i)) != NULL) {
      if (!read_number(value, 10, 60000, &options->every_ms)) {
        return refuse("--every takes milliseconds, from 10 to 60000, not ", value);
      }
    } else {
      return refuse("there is no ", words[i]);
    }
    if (value != NULL && value[0] == '\0') {
      return refuse("a value is missing behind ", words[i]);
    }
  }
  struct stat is;
  if (stat(options->root, &is) != 0 || !S_ISDIR(is.st_mode)) {
    return refuse("--root must be a folder, not ", options->root);
  }
  return -1;
}

static void write_head(struct Probe* probe) {
  struct Document* document = &probe->document;
  char text[1024];
  const time_t now = time(NULL);
  struct tm at;
  struct utsname is;
  document_open(document, NULL, '{');
  document_name(document, "schema", "memsize.probe/1");
  document_name(document, "tool", "memsize-probe " MEMSIZE_VERSION);
  if (gmtime_r(&now, &at) != NULL && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &at) != 0) {
    document_name(document, "time", text);
  }
  if (uname(&is) == 0) {
    snprintf(text, sizeof text, "%s %s %s %s", is.sysname, is.release, is.version, is.machine);
    document_name(document, "uname", text);
  }
  document_name(document, "root", probe->root);
  document_number(document, "uid", geteuid());
}

static void collect(struct Probe* probe, const struct Options* options) {
  enum { kMostText = 4 << 20 };
  write_head(probe);
  document_open(&probe->document, "files", '[');
  collect_file(probe, "/proc/iomem", kMostText);
  collect_file(probe, "/proc/meminfo", kMostText);
  collect_tree(probe);
  collect_remote_cores(probe);
  if (options->with_firmware) {
    collect_firmware(probe);
  }
  if (options->with_log) {
    collect_log_ring(probe);
  }
  const char* root = probe->root;
  probe->root = "/";
  for (size_t i = 0; i < options->added_count; ++i) {
    char* path = realpath(options->added[i], NULL);
    if (path != NULL) {
      collect_file(probe, path, kMostText);
    } else {
      add_missing(probe, options->added[i], NULL, errno);
    }
    free(path);
  }
  probe->root = root;
  document_close(&probe->document, ']');
  watch_buffers(probe, options->watch_ms, options->every_ms);
  document_close(&probe->document, '}');
}

static int fail_out(const char* path, int error) {
  fprintf(stderr, "memsize-probe: cannot write %s: %s\n", path, strerror(error));
  return kEnvironment;
}

// 0 where all of it has reached the file.
static int finish(struct Probe* probe) {
  errno = 0;
  const bool is_whole = fflush(probe->document.file) == 0 && ferror(probe->document.file) == 0;
  return is_whole ? 0 : errno != 0 ? errno : EIO;
}

static int write_here(struct Probe* probe, const struct Options* options, FILE* file, const char* path) {
  probe->document.file = file;
  collect(probe, options);
  const int failure = finish(probe);
  return failure == 0 ? kDone : fail_out(path, failure);
}

// Beside the path, then renamed: what stood there stays until all is there.
static int write_beside(struct Probe* probe, const struct Options* options) {
  char beside[PATH_MAX];
  const int size = snprintf(beside, sizeof beside, "%s.%ld.new", options->out, (long)getpid());
  if (size < 0 || (size_t)size >= sizeof beside) {
    return fail_out(options->out, ENAMETOOLONG);
  }
  const int descriptor = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  FILE* file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  if (file == NULL) {
    return fail_out(options->out, errno);
  }
  probe->document.file = file;
  collect(probe, options);
  int failure = finish(probe);
  if (failure == 0 && fsync(descriptor) != 0 && errno != EINVAL) {
    failure = errno;
  }
  if (fclose(file) != 0 && failure == 0) {
    failure = errno;
  }
  if (failure == 0 && rename(beside, options->out) != 0) {
    failure = errno;
  }
  if (failure != 0) {
    unlink(beside);
    return fail_out(options->out, failure);
  }
  return kDone;
}

int main(int count, char** words) {
  struct Options options = {.root = "/", .every_ms = 100, .with_firmware = true};
  const int status = read_options(&options, count, words);
  if (status >= 0) {
    return status;
  }
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
  static struct Probe probe;
  probe.root = options.root;
  probe.is_interrupted = &is_interrupted;
  if (options.out == NULL || strcmp(options.out, "-") == 0) {
    return write_here(&probe, &options, stdout, "standard output");
  }
  // A device is written to; renamed over, it would be gone.
  struct stat is;
  if (stat(options.out, &is) == 0 && !S_ISREG(is.st_mode)) {
    // What it leads to may be another thing by now; nothing is cut, and no disk written over.
    const int descriptor = open(options.out, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    struct stat opened;
    if (descriptor < 0 || fstat(descriptor, &opened) != 0) {
      return fail_out(options.out, errno);
    }
    FILE* file = S_ISCHR(opened.st_mode) || S_ISFIFO(opened.st_mode) ? fdopen(descriptor, "w") : NULL;
    return file == NULL ? fail_out(options.out, EPERM) : write_here(&probe, &options, file, options.out);
  }
  return write_beside(&probe, &options);
}
