/* Constants of model 'wake', arena by arena with the padding between them. Written by memsize from
 * aot_operator_manifest.json; write it again instead of changing it.
 *
 * Nobody gave the constants' bytes: here they are zeros (memsize emit --data) */
#include "wake_model.h"
#include "wake_platform.h"


const wake_constant_blob_t wake_constant_blobs[] = {
    { wake_arena_const_dtcm, NULL, wake_arena_const_dtcm_size },

};
