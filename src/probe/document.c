// Prints JSON: what stands in a list or at the top has a line of its own.
#include "document.h"

#include <inttypes.h>
#include <string.h>

static void put(struct Document* document, const char* text, size_t size) {
  document->written += size;
  fwrite(text, 1, size, document->file);
}

static void put_text(struct Document* document, const char* text) {
  put(document, text, strlen(text));
}

static void put_quoted(struct Document* document, const uint8_t* bytes, size_t size) {
  put_text(document, "\"");
  for (size_t i = 0; i < size; ++i) {
    const uint8_t byte = bytes[i];
    char escape[8];
    if (byte == '"' || byte == '\\') {
      snprintf(escape, sizeof escape, "\\%c", byte);
    } else if (byte == '\n') {
      snprintf(escape, sizeof escape, "\\n");
    } else if (byte == '\t') {
      snprintf(escape, sizeof escape, "\\t");
    } else if (byte < 0x20 || byte >= 0x7F) {
      snprintf(escape, sizeof escape, "\\u%04x", byte);
    } else {
      snprintf(escape, sizeof escape, "%c", byte);
    }
    put_text(document, escape);
  }
  put_text(document, "\"");
}

// The comma, the line, the key.
static void begin(struct Document* document, const char* key) {
  if (document->is_begun[document->depth]) {
    put_text(document, ",");
  }
  if (document->depth == 1 || (document->depth == 2 && key == NULL)) {
    put_text(document, "\n");
  }
  document->is_begun[document->depth] = true;
  if (key != NULL) {
    put_quoted(document, (const uint8_t*)key, strlen(key));
    put_text(document, ":");
  }
}

void document_open(struct Document* document, const char* key, char bracket) {
  begin(document, key);
  put(document, &bracket, 1);
  document->is_begun[++document->depth] = false;
}

void document_close(struct Document* document, char bracket) {
  put(document, &bracket, 1);
  if (--document->depth == 0) {
    put_text(document, "\n");
  }
}

void document_number(struct Document* document, const char* key, uint64_t value) {
  char text[24];
  begin(document, key);
  snprintf(text, sizeof text, "%" PRIu64, value);
  put_text(document, text);
}

void document_seconds(struct Document* document, const char* key, uint64_t milliseconds) {
  char text[32];
  begin(document, key);
  snprintf(text, sizeof text, "%" PRIu64 ".%03u", milliseconds / 1000, (unsigned)(milliseconds % 1000));
  put_text(document, text);
}

void document_flag(struct Document* document, const char* key, bool value) {
  begin(document, key);
  put_text(document, value ? "true" : "false");
}

void document_name(struct Document* document, const char* key, const char* name) {
  begin(document, key);
  put_quoted(document, (const uint8_t*)name, strlen(name));
}

void document_content(struct Document* document, const uint8_t* bytes, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    if (bytes[i] == 0 || bytes[i] >= 0x80) {
      document_base64(document, "base64", bytes, size);
      return;
    }
  }
  begin(document, "text");
  put_quoted(document, bytes, size);
}

void document_base64(struct Document* document, const char* key, const uint8_t* bytes, size_t size) {
  static const char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  begin(document, key);
  put_text(document, "\"");
  for (size_t i = 0; i < size; i += 3) {
    const size_t left = size - i;
    const uint32_t group = (uint32_t)bytes[i] << 16U | (left > 1 ? (uint32_t)bytes[i + 1] << 8U : 0) |
                           (left > 2 ? bytes[i + 2] : 0U);
    char text[4] = {kDigits[group >> 18U],
                    kDigits[group >> 12U & 63U],
                    left > 1 ? kDigits[group >> 6U & 63U] : '=',
                    left > 2 ? kDigits[group & 63U] : '='};
    put(document, text, sizeof text);
  }
  put_text(document, "\"");
}
