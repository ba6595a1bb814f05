/* What programs print with: rv32/print.c. */
#ifndef MEMSIZE_STDIO_H
#define MEMSIZE_STDIO_H

int printf(const char* format, ...) __attribute__((format(printf, 1, 2)));

#endif
