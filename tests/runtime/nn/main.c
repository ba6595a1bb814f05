/* The cases, one after another, as a process: `nn_main [ID]`. Ends with 1 where one fails. `nn_main -`: cases from standard input,
 * one a line: its id, the number of the type, that of the executor, and its steps. */
#include "cases.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

void* nn_take(void* context, uint64_t size) {
  (void)context;
  return malloc((size_t)size);
}

void nn_give(void* context, void* bytes, uint64_t size) {
  (void)context;
  (void)size;
  free(bytes);
}

void nn_pause(void* context) { (void)context; }

void nn_say(const char* text) { (void)fputs(text, stdout); }

static unsigned char in[RAW];
static unsigned char out[RAW];
static unsigned char raw[RAW];

static struct nn_run run = {.in = in, .out = out, .raw = raw};

/* A case may end the process, or never end: that is told, too. */
static void end(int signal) {
  static const char text[] = ", ended by a signal\n";
  const char* const id = run.one != NULL ? run.one->id : "none";
  size_t size = 0;
  while (id[size] != '\0') {
    ++size;
  }
  (void)signal;
  if (write(STDOUT_FILENO, id, size) < 0 || write(STDOUT_FILENO, text, sizeof text - 1) < 0) {
    _exit(2);
  }
  _exit(1);
}

static unsigned run_lines(unsigned* runs) {
  static char line[1 << 14];
  static char id[32];
  static struct nn_case one = {.id = id};
  unsigned failed = 0;
  int at = 0;
  while (fgets(line, sizeof line, stdin) != NULL) {
    if (sscanf(line, "%31s %u %u %n", id, &run.type, &run.executor, &at) != 3 || run.type >= TYPES || run.executor >= EXECUTORS) {
      return failed + 1;
    }
    char* end = line;
    while (*end != '\0' && *end != '\n') {
      ++end;
    }
    *end = '\0';
    one.steps = line + at;
    run.one = &one;
    run.world = nn_world(run.type);
    nn_reset(run.world);
    ++*runs;
    if (!nn_run(&run)) {
      ++failed;
      nn_say(run.text);
    }
  }
  return failed;
}

int main(int count, char** words) {
  unsigned runs = 0;
  static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGXCPU};
  for (size_t at = 0; at < sizeof signals / sizeof signals[0]; ++at) {
    (void)signal(signals[at], end);
  }
  (void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  const int has_lines = count > 1 && nn_same(words[1], "-");
  const struct rlimit seconds = {has_lines ? 300 : 5, 310};
  (void)setrlimit(RLIMIT_CPU, &seconds);
  const unsigned failed = has_lines ? run_lines(&runs) : nn_run_all(&run, count > 1 ? words[1] : NULL, &runs);
  (void)printf("%zu cases, %u runs, %u failed\n", nn_case_count, runs, failed);
  return failed != 0 || runs == 0;
}
