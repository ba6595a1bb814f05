/* The cases, one after another, as a process: `nn_main [ID]`. Ends with 1 where one fails. */
#include "cases.h"

#include <stdio.h>
#include <stdlib.h>

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

int main(int count, char** words) {
  static struct nn_run run = {.in = in, .out = out, .raw = raw};
  unsigned runs = 0;
  const unsigned failed = nn_run_all(&run, count > 1 ? words[1] : NULL, &runs);
  (void)printf("%zu cases, %u runs, %u failed\n", nn_case_count, runs, failed);
  return failed != 0 || runs == 0;
}
