#include "semihosting.h"

#include "hal.h"

#include <stdbool.h>

enum {
  SYS_WRITE0 = 0x04,
  SYS_GET_CMDLINE = 0x15,
  SYS_EXIT_EXTENDED = 0x20,
  APPLICATION_EXIT = 0x20026
};

/* As long as a line of the report gets; a longer one goes out in parts. */
static char line[1024];
static size_t used;
static bool begun; /* a part of this line went out */

static void flush(void) {
  line[used] = '\0';
  (void)semihosting(SYS_WRITE0, line);
  used = 0;
}

void hal_put(const char* text, size_t size) {
  for (size_t at = 0; at < size; ++at) {
    line[used++] = text[at];
    if (text[at] == '\n' || used == sizeof line - 1) {
      flush();
      begun = text[at] != '\n';
    }
  }
}

void semihosting_drop_line(void) {
  used = 0;
  if (begun) {
    hal_put("\n", 1);
  }
}

_Noreturn void hal_exit(int status) {
  if (used != 0) {
    flush();
  }
  const uintptr_t block[2] = {APPLICATION_EXIT, (uintptr_t)status};
  for (;;) {
    (void)semihosting(SYS_EXIT_EXTENDED, block);
  }
}

/* The words of the emulator's command line, separated by spaces. */
unsigned hal_phase(void) {
  static const char key[] = "phase=";
  static char command[256];
  const uintptr_t block[2] = {(uintptr_t)command, sizeof command};
  if (semihosting(SYS_GET_CMDLINE, block) != 0) {
    return 1;
  }
  size_t matched = 0;
  for (size_t at = 0; at < sizeof command && command[at] != '\0'; ++at) {
    if (key[matched] == '\0') {
      return command[at] == '2' ? 2 : 1;
    }
    const bool starts = at == 0 || command[at - 1] == ' ';
    matched = command[at] == key[matched] && (matched != 0 || starts) ? matched + 1 : 0;
  }
  return 1;
}
