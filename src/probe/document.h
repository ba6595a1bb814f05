// The document, value by value as it is written: memory does not grow with it.
#ifndef MEMSIZE_PROBE_DOCUMENT_H
#define MEMSIZE_PROBE_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { kDeepest = 8 };

struct Document {
  FILE* file;
  unsigned depth;
  // Whether something stands at that depth, which then needs a comma.
  bool is_begun[kDeepest];
  // Bytes so far.
  uint64_t written;
};

// `key` is NULL in a list. `bracket` is '{' or '['.
void document_open(struct Document* document, const char* key, char bracket);
void document_close(struct Document* document, char bracket);
void document_number(struct Document* document, const char* key, uint64_t value);
// Thousandths.
void document_seconds(struct Document* document, const char* key, uint64_t milliseconds);
void document_flag(struct Document* document, const char* key, bool value);
// Bytes of a name: one from 0x80 on is written as the character of that number.
void document_name(struct Document* document, const char* key, const char* name);
// Under "text", or under "base64" where a byte is 0 or no ASCII.
void document_content(struct Document* document, const uint8_t* bytes, size_t size);
void document_base64(struct Document* document, const char* key, const uint8_t* bytes, size_t size);

#endif
