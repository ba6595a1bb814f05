/*
 * Where the linker scripts of corstone-300 put what module 'wake' has. Written by memsize from aot_operator_manifest.json.
 *
 * Define a macro before this file is read (-include) to say it otherwise. Define WAKE_OWN_SECTIONS where
 * wake_sections.ld, linker.ld or wake.sct is linked: arenas then have sections of their own, of which
 * the image has no bytes.
 */
#ifndef WAKE_PLATFORM_H
#define WAKE_PLATFORM_H

#ifndef WAKE_ALIGNED
#define WAKE_ALIGNED(bytes) __attribute__((aligned(bytes)))
#endif
#ifndef WAKE_WEAK
#define WAKE_WEAK __attribute__((weak))
#endif

#ifdef WAKE_OWN_SECTIONS
#if defined(__ARMCC_VERSION)
#define WAKE_ARENA(memory) __attribute__((section(".bss.arena." memory)))
#else
#define WAKE_ARENA(memory) __attribute__((section(".arena." memory)))
#endif
#ifndef WAKE_PUT_IN_DTCM
#define WAKE_PUT_IN_DTCM WAKE_ARENA("dtcm")
#endif
#ifndef WAKE_PUT_IN_ITCM
#define WAKE_PUT_IN_ITCM WAKE_ARENA("itcm")
#endif
#ifndef WAKE_PUT_IN_SRAM
#define WAKE_PUT_IN_SRAM WAKE_ARENA("sram")
#endif
#endif

/* dtcm: zeroed, or not */
#ifndef WAKE_PUT_IN_DTCM
#if defined(__ARMCC_VERSION)
#define WAKE_PUT_IN_DTCM __attribute__((section(".dtcm_bss")))
#else
#define WAKE_PUT_IN_DTCM __attribute__((section(".dtcm_bss")))
#endif
#endif

/* dtcm: what the image has bytes of */
#ifndef WAKE_PUT_IN_DTCM_INIT
#if defined(__ARMCC_VERSION)
#define WAKE_PUT_IN_DTCM_INIT __attribute__((section(".dtcm_data")))
#else
#define WAKE_PUT_IN_DTCM_INIT __attribute__((section(".dtcm_data")))
#endif
#endif

/* itcm: zeroed, or not */
#ifndef WAKE_PUT_IN_ITCM
#if defined(__ARMCC_VERSION)
#define WAKE_PUT_IN_ITCM WAKE_HAS_NO_SECTION_FOR_ITCM
#else
#define WAKE_PUT_IN_ITCM WAKE_HAS_NO_SECTION_FOR_ITCM
#endif
#endif

/* itcm: what the image has bytes of */
#ifndef WAKE_PUT_IN_ITCM_INIT
#if defined(__ARMCC_VERSION)
#define WAKE_PUT_IN_ITCM_INIT WAKE_HAS_NO_SECTION_FOR_ITCM
#else
#define WAKE_PUT_IN_ITCM_INIT WAKE_HAS_NO_SECTION_FOR_ITCM
#endif
#endif

/* sram: zeroed, or not */
#ifndef WAKE_PUT_IN_SRAM
#if defined(__ARMCC_VERSION)
#define WAKE_PUT_IN_SRAM __attribute__((section(".sram_bss")))
#else
#define WAKE_PUT_IN_SRAM __attribute__((section(".sram_bss")))
#endif
#endif

/* sram: what the image has bytes of */
#ifndef WAKE_PUT_IN_SRAM_INIT
#if defined(__ARMCC_VERSION)
#define WAKE_PUT_IN_SRAM_INIT __attribute__((section(".sram_data")))
#else
#define WAKE_PUT_IN_SRAM_INIT __attribute__((section(".sram_data")))
#endif
#endif

/* mram: what the image has bytes of */
#ifndef WAKE_PUT_IN_MRAM_INIT
#if defined(__ARMCC_VERSION)
#define WAKE_PUT_IN_MRAM_INIT const __attribute__((section(".ddr_rodata")))
#else
#define WAKE_PUT_IN_MRAM_INIT const __attribute__((section(".ddr_rodata")))
#endif
#endif

#endif /* WAKE_PLATFORM_H */
