/* The test application of a module: what memsize tells it in C files of its own, and what its sources share.
 *
 * subject.h, which memsize writes, includes the module's header and defines MODULE, the prefix of its names. The
 * application's tables say what the plan says; what the module says is held against them. */
#ifndef MEMSIZE_MODULE_PROBE_H
#define MEMSIZE_MODULE_PROBE_H

#include "machine.h"

#include "subject.h"

#define PROBE_JOINED(prefix, name) prefix##_##name
#define PROBE_NAME(prefix, name) PROBE_JOINED(prefix, name)
/* M(model_run): wake_model_run. */
#define M(name) PROBE_NAME(MODULE, name)

enum probe_role { PROBE_SCRATCH, PROBE_PERSISTENT, PROBE_CONSTANT };

struct probe_arena {
  enum probe_role role;
  int is_staged;    /* constants that are copied when the model starts */
  int has_source;   /* the module has what is copied */
  int is_read_only; /* it lies in memory that nothing writes */
  size_t size;
  size_t alignment;
  uint64_t hash;    /* of a constant's bytes: FNV-1a */
  const char* file; /* where they are beside the program */
  uint8_t* own;     /* the module's buffer; NULL: the application has `room` for it */
  uint8_t* room;
  size_t room_size;
  int region;               /* what the module's header calls it, and says of it */
  size_t header_size;
  size_t header_alignment;
};

struct probe_tensor {
  const char* id;
  uint32_t arena;
  uint32_t root; /* the tensor whose bytes it has; its own row: its own */
  size_t offset;
  size_t size;
  uint32_t first; /* steps, both included */
  uint32_t last;
};

/* By region and by row. */
extern const struct probe_arena probe_arenas[];
extern const struct probe_tensor probe_tensors[];
extern const size_t probe_arena_count;
extern const size_t probe_tensor_count;
/* Every tensor begins on a multiple of it in its arena. */
extern const size_t probe_stride;
/* What each step writes, by first step; and reads, by last. Constants are in neither. */
extern const uint32_t probe_writes[];
extern const uint32_t probe_reads[];
extern const size_t probe_write_count;
extern const size_t probe_read_count;
/* The network's own. */
extern const uint32_t probe_inputs[];
extern const uint32_t probe_outputs[];
extern const size_t probe_input_count;
extern const size_t probe_output_count;
/* One operator each step; ids are PROBE_ID(step). */
extern const M(operator_t) probe_operators[];
extern const size_t probe_step_count;
#define PROBE_ID(step) ((int32_t)(step) * 3 + 5)
/* Room for arenas that the module has its own buffers for. */
extern uint8_t probe_pool[];
extern const size_t probe_pool_size;

/* What the program's hydrate_constants() is: one of hydrate.c. */
enum probe_variant { PROBE_WEAK, PROBE_STRONG, PROBE_FORGETFUL };
extern const enum probe_variant probe_variant;

/* What a finding is about, in the upper half of its address; the lower half is the row. */
enum probe_about { PROBE_MODULE, PROBE_ARENA, PROBE_TENSOR, PROBE_STEP };

/* Counts a check. Where it fails, it is a finding: `kind` is one of memsize's codes without "module.". `what` has no
 * more than 63 characters. */
int probe_check(int is_good, const char* kind, const char* what, enum probe_about about, size_t row, uint64_t expected,
                uint64_t actual);
/* The same of a value that a function of the contract gives. */
int probe_equal(const char* what, enum probe_about about, size_t row, int64_t expected, int64_t actual);
/* One that this machine cannot try. */
void probe_skip(void);

/* buffers.c */

/* Gives the application's own arenas their places, and constants of theirs their bytes. */
void probe_make_buffers(void);
/* What each region is bound to, or to be bound to. */
uint8_t* probe_buffer(size_t arena);
/* What nobody may touch behind it; 0: there is no such place. */
uintptr_t probe_guard(size_t arena);
/* Puts an arena of the module's into the application's pool, and all back. 0: there is no room. */
int probe_move(size_t arena);
void probe_move_back(size_t arena);
/* Makes constants read-only as far as that goes, and forbids the guard of an arena; PROBE_NOBODY: of none. */
void probe_protect(uint32_t guarded);
#define PROBE_NOBODY UINT32_MAX
/* The arena whose guard the address is in; PROBE_NOBODY: none that is guarded now. */
uint32_t probe_guarded(uintptr_t address);
void probe_fill(size_t arena, uint8_t byte);
/* The first byte that is not `byte`; the arena's size: all are. */
size_t probe_other_than(size_t arena, uint8_t byte);
/* Copies a constant's bytes where they must be, past the module. */
void probe_load(size_t arena);
/* Whether constants have the bytes that they must have. */
void probe_constants(const char* what);
/* Whether all is as it was between the ends of arenas and their guards. */
void probe_canaries(void);
/* Whether constants that are read in place can be written. */
void probe_read_only(void);

/* steps.c */

extern M(model_context_t) probe_context;
int32_t probe_init(struct M(model_context) * ctx, int32_t id);
int32_t probe_run(struct M(model_context) * ctx, int32_t id);
/* What an application fills in. */
void probe_reset_context(void);
/* model_init(), and what it must do and leave alone; afterwards the latch is set. 0: model_run() makes no sense. */
int probe_start(void);
/* model_init() where the init of a step gives 55. */
void probe_start_failing(uint32_t step);
/* model_init() where constants were changed on purpose. */
void probe_start_changed(void);
/* model_run(), which must give `expected`; the run of step `failing` gives 77. */
void probe_run_model(int32_t expected, uint32_t failing);
#define PROBE_NEVER UINT32_MAX

/* contract.c */

void probe_tables(void);
/* Before anything is bound. */
void probe_unbound(void);
void probe_bind(void);
void probe_first_start(void);
void probe_hydrate(void);

#endif
