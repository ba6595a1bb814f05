/*
 * Where the linker scripts of corstone-300 put what module 'my_module' has. Written by memsize from aot_operator_manifest.json.
 *
 * Define a macro before this file is read (-include) to say it otherwise. Define MY_MODULE_OWN_SECTIONS where
 * my_module_sections.ld, linker.ld or my_module.sct is linked: arenas then have sections of their own, of which
 * the image has no bytes.
 */
#ifndef MY_MODULE_PLATFORM_H
#define MY_MODULE_PLATFORM_H

#ifndef MY_MODULE_ALIGNED
#define MY_MODULE_ALIGNED(bytes) __attribute__((aligned(bytes)))
#endif
#ifndef MY_MODULE_WEAK
#define MY_MODULE_WEAK __attribute__((weak))
#endif

#ifdef MY_MODULE_OWN_SECTIONS
#if defined(__ARMCC_VERSION)
#define MY_MODULE_ARENA(memory) __attribute__((section(".bss.arena." memory)))
#else
#define MY_MODULE_ARENA(memory) __attribute__((section(".arena." memory)))
#endif
#ifndef MY_MODULE_PUT_IN_DTCM
#define MY_MODULE_PUT_IN_DTCM MY_MODULE_ARENA("dtcm")
#endif
#ifndef MY_MODULE_PUT_IN_ITCM
#define MY_MODULE_PUT_IN_ITCM MY_MODULE_ARENA("itcm")
#endif
#ifndef MY_MODULE_PUT_IN_SRAM
#define MY_MODULE_PUT_IN_SRAM MY_MODULE_ARENA("sram")
#endif
#endif

/* dtcm: zeroed, or not */
#ifndef MY_MODULE_PUT_IN_DTCM
#if defined(__ARMCC_VERSION)
#define MY_MODULE_PUT_IN_DTCM __attribute__((section(".dtcm_bss")))
#else
#define MY_MODULE_PUT_IN_DTCM __attribute__((section(".dtcm_bss")))
#endif
#endif

/* dtcm: what the image has bytes of */
#ifndef MY_MODULE_PUT_IN_DTCM_INIT
#if defined(__ARMCC_VERSION)
#define MY_MODULE_PUT_IN_DTCM_INIT __attribute__((section(".dtcm_data")))
#else
#define MY_MODULE_PUT_IN_DTCM_INIT __attribute__((section(".dtcm_data")))
#endif
#endif

/* itcm: zeroed, or not */
#ifndef MY_MODULE_PUT_IN_ITCM
#if defined(__ARMCC_VERSION)
#define MY_MODULE_PUT_IN_ITCM MY_MODULE_HAS_NO_SECTION_FOR_ITCM
#else
#define MY_MODULE_PUT_IN_ITCM MY_MODULE_HAS_NO_SECTION_FOR_ITCM
#endif
#endif

/* itcm: what the image has bytes of */
#ifndef MY_MODULE_PUT_IN_ITCM_INIT
#if defined(__ARMCC_VERSION)
#define MY_MODULE_PUT_IN_ITCM_INIT MY_MODULE_HAS_NO_SECTION_FOR_ITCM
#else
#define MY_MODULE_PUT_IN_ITCM_INIT MY_MODULE_HAS_NO_SECTION_FOR_ITCM
#endif
#endif

/* sram: zeroed, or not */
#ifndef MY_MODULE_PUT_IN_SRAM
#if defined(__ARMCC_VERSION)
#define MY_MODULE_PUT_IN_SRAM __attribute__((section(".sram_bss")))
#else
#define MY_MODULE_PUT_IN_SRAM __attribute__((section(".sram_bss")))
#endif
#endif

/* sram: what the image has bytes of */
#ifndef MY_MODULE_PUT_IN_SRAM_INIT
#if defined(__ARMCC_VERSION)
#define MY_MODULE_PUT_IN_SRAM_INIT __attribute__((section(".sram_data")))
#else
#define MY_MODULE_PUT_IN_SRAM_INIT __attribute__((section(".sram_data")))
#endif
#endif

/* mram: what the image has bytes of */
#ifndef MY_MODULE_PUT_IN_MRAM_INIT
#if defined(__ARMCC_VERSION)
#define MY_MODULE_PUT_IN_MRAM_INIT const __attribute__((section(".ddr_rodata")))
#else
#define MY_MODULE_PUT_IN_MRAM_INIT const __attribute__((section(".ddr_rodata")))
#endif
#endif

#endif /* MY_MODULE_PLATFORM_H */
