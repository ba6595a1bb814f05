/* Constants of model 'wake', arena by arena with the padding between them. Written by memsize from
 * aot_operator_manifest.json; write it again instead of changing it.
 *
 * Nobody gave the constants' bytes: here they are zeros (memsize emit --data) */
#include "wake_model.h"
#include "wake_platform.h"

extern const uint8_t wake_arena_const_dtcm__source[];
WAKE_PUT_IN_MRAM_INIT WAKE_ALIGNED(16)
uint8_t wake_arena_const_dtcm__source[wake_arena_const_dtcm_size] = {
    0

};

const wake_constant_blob_t wake_constant_blobs[] = {
    { wake_arena_const_dtcm, wake_arena_const_dtcm__source, wake_arena_const_dtcm_size },

};
