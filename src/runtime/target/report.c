#include "report.h"

#include <stddef.h>

#include "hal.h"
#include "map_table.h"

static char line[2048];
static size_t used;
static uint64_t findings;

static void put(char byte) {
  if (used < sizeof line) {
    line[used++] = byte;
  }
}

static void text(const char* from) {
  while (*from != '\0') {
    put(*from++);
  }
}

/* What is not printable ASCII comes as \u00XX, byte by byte; no name is longer than MAP_NAME. */
static void quoted(const char* name) {
  static const char kDigits[] = "0123456789abcdef";
  put('"');
  for (unsigned at = 0; at < MAP_NAME && name[at] != '\0'; ++at) {
    const unsigned byte = (unsigned char)name[at];
    if (byte == '"' || byte == '\\') {
      put('\\');
      put(name[at]);
    } else if (byte < 0x20 || byte >= 0x7F) {
      text("\\u00");
      put(kDigits[byte >> 4]);
      put(kDigits[byte & 15]);
    } else {
      put(name[at]);
    }
  }
  put('"');
}

static void hex(uint64_t value) {
  text("\"0x");
  unsigned shift = 60;
  while (shift != 0 && value >> shift == 0) {
    shift -= 4;
  }
  for (;; shift -= 4) {
    put("0123456789abcdef"[value >> shift & 15]);
    if (shift == 0) {
      break;
    }
  }
  put('"');
}

/* By subtraction: a 32-bit core has no division of 64 bits without a library. */
static void decimal(uint64_t value) {
  static const uint64_t kPowers[] = {
      10000000000000000000ULL, 1000000000000000000ULL, 100000000000000000ULL,
      10000000000000000ULL, 1000000000000000ULL, 100000000000000ULL,
      10000000000000ULL, 1000000000000ULL, 100000000000ULL,
      10000000000ULL, 1000000000ULL, 100000000ULL,
      10000000ULL, 1000000ULL, 100000ULL,
      10000ULL, 1000ULL, 100ULL,
      10ULL, 1ULL};
  int begun = 0;
  for (unsigned at = 0; at < sizeof kPowers / sizeof kPowers[0]; ++at) {
    char digit = '0';
    while (value >= kPowers[at]) {
      value -= kPowers[at];
      ++digit;
    }
    begun |= digit != '0' || kPowers[at] == 1;
    if (begun) {
      put(digit);
    }
  }
}

static void begin(const char* event) {
  used = 0;
  text("{\"event\":\"");
  text(event);
  put('"');
}

static void key(const char* name) {
  text(",\"");
  text(name);
  text("\":");
}

static void hex_of(const char* name, uint64_t value) {
  key(name);
  hex(value);
}

static void decimal_of(const char* name, uint64_t value) {
  key(name);
  decimal(value);
}

static void quoted_of(const char* name, const char* value) {
  key(name);
  quoted(value);
}

static void end(void) {
  text("}\n");
  hal_put(line, used);
}

void report_start(const char* core, unsigned phase) {
  findings = 0;
  begin("start");
  quoted_of("core", core);
  decimal_of("phase", phase);
  end();
}

void report_finding(const struct report_finding* finding) {
  ++findings;
  begin("finding");
  quoted_of("check", finding->check);
  quoted_of("region", finding->region);
  hex_of("address", finding->address);
  hex_of("expected", finding->expected);
  hex_of("actual", finding->actual);
  end();
}

uint64_t report_findings(void) {
  return findings;
}

void report_block(const char* region, uint32_t instance, uint32_t record, uint64_t address, uint64_t size) {
  begin("block");
  quoted_of("region", region);
  decimal_of("instance", instance);
  if (record != MAP_NO_RECORD) {
    decimal_of("record", record);
  }
  hex_of("address", address);
  decimal_of("size", size);
  end();
}

void report_part(const char* part, uint64_t done, uint64_t skipped, uint64_t found) {
  begin("part");
  quoted_of("part", part);
  decimal_of("done", done);
  decimal_of("skipped", skipped);
  decimal_of("findings", found);
  end();
}

void report_fault(uint64_t address, uint64_t status, uint64_t pc) {
  begin("fault");
  hex_of("address", address);
  hex_of("status", status);
  hex_of("pc", pc);
  end();
}

void report_verdict(int ok) {
  begin("verdict");
  key("ok");
  text(ok ? "true" : "false");
  decimal_of("findings", findings);
  end();
}
