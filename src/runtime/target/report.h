/* One JSON object a line, over semihosting or standard output. Addresses are strings in hexadecimal, sizes are
 * numbers of bytes. A run is
 *
 *   start (finding | block | part)* fault? verdict
 *
 * where only a fault that was not expected is reported as one.
 *
 *   {"event":"start","core":"NAME","phase":1}
 *   {"event":"finding","check":"CHECK","region":"NAME","address":"0x..","expected":"0x..","actual":"0x.."}
 *   {"event":"block","region":"NAME","instance":0,"record":5,"address":"0x..","size":2821540}
 *   {"event":"part","part":"points","done":812,"skipped":0,"findings":0}
 *   {"event":"fault","address":"0x..","status":"0x..","pc":"0x.."}
 *   {"event":"verdict","ok":true,"findings":0}
 *
 * Of a block without a record, "record" is absent. Bytes of a name outside of printable ASCII come as \u00XX. The
 * verdict is the last line, and there is always one: a run without it ended otherwise. It is not ok after a finding or
 * a fault. Parts, in order: "map", in phase 1 "points", "arenas", "replay", in phase 2 "arenas", "kept", "peers",
 * "blocks". A part's `findings` are those since the part before it; `skipped` is what the machine cannot try, what
 * would write over its own code or its tables, and in phase 2 what a block lies over. Checks:
 *
 *   table       the table is no table, or a row lies outside of it
 *   image       the image lies outside of the regions; address: its first byte outside
 *   region      a region is empty or off its alignment; expected/actual: alignment and base
 *   overlap     a region lies over another one of the core's; expected/actual: the other's base and this one's
 *   translate   the address leads elsewhere: expected/actual physical address
 *   unmapped    nothing is mapped where something must be
 *   attribute   expected/actual: kinds of caching (map_table.h)
 *   write       what was written is not read: expected/actual value
 *   guard       an address that must fault does not
 *   read-only   a write that must fault does not
 *   execute     a fetch that must fault does not
 *   arena       a heap's region cannot be bound; actual: the code of arena_bind
 *   heap        a block does not fit: actual: its size, expected: what is free
 *   block       a live block's first or last bytes changed, or those where another block was placed over it
 *   kept        what this core wrote in phase 1 is not there in phase 2
 *   peer        what another core wrote in phase 1 is not read
 *   mpu         a region of the MPU that its registers do not make one: address and expected: its base and size,
 *               actual: its number
 *   fault       an access faulted; expected: 0, actual: the machine's status */
#ifndef MEMSIZE_REPORT_H
#define MEMSIZE_REPORT_H

#include <stdint.h>

struct report_finding {
  const char* check;
  const char* region; /* may be empty */
  uint64_t address;
  uint64_t expected;
  uint64_t actual;
};

void report_start(const char* core, unsigned phase);
void report_finding(const struct report_finding* finding);
/* Since report_start. */
uint64_t report_findings(void);
void report_block(const char* region, uint32_t instance, uint32_t record, uint64_t address, uint64_t size);
void report_part(const char* part, uint64_t done, uint64_t skipped, uint64_t findings);
void report_fault(uint64_t address, uint64_t status, uint64_t pc);
void report_verdict(int ok);

#endif
