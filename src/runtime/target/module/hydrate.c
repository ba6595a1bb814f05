/* hydrate_constants() as programs have it: the module's own, which is weak, or one of an application's as recipe 4 of
 * heliaAOT's page on tensor packaging writes it. PROBE_VARIANT says which. */
#include "module_probe.h"

const enum probe_variant probe_variant = PROBE_VARIANT;

#if PROBE_VARIANT != 0
int32_t M(hydrate_constants)(M(model_context_t) * ctx) {
  if (ctx == NULL) {
    return 100;
  }
  const size_t count = M(num_constant_blobs);
  for (size_t at = 0; at < count; ++at) {
    const M(constant_blob_t)* const blob = &M(constant_blobs)[at];
    uint8_t* const target = ctx->arena_buffers[blob->arena];
    if (blob->source == NULL) {
      (void)machine_load(probe_arenas[blob->arena].file, 0, target, blob->size);
      continue;
    }
    for (size_t byte = 0; byte < blob->size; ++byte) {
      target[byte] = blob->source[byte];
    }
  }
  /* 2 forgets it. */
  if (PROBE_VARIANT == 1) {
    M(mark_hydrated)();
  }
  return 0;
}
#endif
