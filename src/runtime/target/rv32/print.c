/* printf without a library: s, c, d, i, u, x, X and %, with l, a width and leading zeros. */
#include "hal.h"
#include "stdio.h"

#include <stdarg.h>

static void put_number(unsigned long number, unsigned base, const char* digits, int is_negative, unsigned width,
                       char pad) {
  char text[24];
  size_t at = sizeof text;
  do {
    text[--at] = digits[number % base];
    number /= base;
  } while (number != 0);
  while (pad == '0' && sizeof text - at + (is_negative != 0) < width && at > 1) {
    text[--at] = pad;
  }
  if (is_negative) {
    text[--at] = '-';
  }
  for (size_t size = sizeof text - at; size < width; ++size) {
    hal_put(" ", 1);
  }
  hal_put(&text[at], sizeof text - at);
}

static void put_text(const char* text) {
  size_t size = 0;
  while (text[size] != '\0') {
    ++size;
  }
  hal_put(text, size);
}

int printf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  for (const char* at = format; *at != '\0'; ++at) {
    if (*at != '%') {
      hal_put(at, 1);
      continue;
    }
    ++at;
    const char pad = *at == '0' ? '0' : ' ';
    unsigned width = 0;
    for (; *at >= '0' && *at <= '9'; ++at) {
      width = width * 10 + (unsigned)(*at - '0');
    }
    at += *at == 'l';
    switch (*at) {
      case 's':
        put_text(va_arg(arguments, const char*));
        break;
      case 'c': {
        const char one = (char)va_arg(arguments, int);
        hal_put(&one, 1);
        break;
      }
      case 'd':
      case 'i': {
        const long number = va_arg(arguments, long);
        put_number(number < 0 ? 0UL - (unsigned long)number : (unsigned long)number, 10, "0123456789", number < 0,
                   width, pad);
        break;
      }
      case 'u':
        put_number(va_arg(arguments, unsigned long), 10, "0123456789", 0, width, pad);
        break;
      case 'x':
        put_number(va_arg(arguments, unsigned long), 16, "0123456789abcdef", 0, width, pad);
        break;
      case 'X':
        put_number(va_arg(arguments, unsigned long), 16, "0123456789ABCDEF", 0, width, pad);
        break;
      default:
        hal_put(at, 1);
        break;
    }
  }
  va_end(arguments);
  return 0;
}
