/* Constants of model 'my_module', arena by arena with the padding between them. Written by memsize from
 * aot_operator_manifest.json; write it again instead of changing it.
 *
 * Nobody gave the constants' bytes: here they are zeros (memsize emit --data) */
#include "my_module_model.h"
#include "my_module_platform.h"

extern const uint8_t my_module_arena_const_dtcm__source[];
MY_MODULE_PUT_IN_MRAM_INIT MY_MODULE_ALIGNED(16)
uint8_t my_module_arena_const_dtcm__source[my_module_arena_const_dtcm_size] = {
    0

};

const my_module_constant_blob_t my_module_constant_blobs[] = {
    { my_module_arena_const_dtcm, my_module_arena_const_dtcm__source, my_module_arena_const_dtcm_size },

};
