/* Start, vectors, and the touches that may fault. */

    .equ SYS_EXIT_EXTENDED, 0x20
    .equ APPLICATION_EXIT, 0x20026
    .equ FAULT_IN_FAULT, 4
    .equ NOT_MAPPED, 5

    .equ HCR_RW, 1 << 31            /* EL1 is A64 */
    .equ SCR, 0x4B1                 /* non-secure, below EL3 A64, no SMC */
    .equ SPSR_EL1H, 0x3C5           /* EL1 with its own stack pointer, exceptions masked */
    .equ TCR_EPD1, 1 << 23
    .equ PA_BITS, 0x0000FFFFFFFFF000

/* Position-independent: at the physical address, with the MMU off. What it reads lies beside it. */
    .section .startup, "ax"
    .balign 8
startup:
    .global _start
    .type _start, %function
_start:
    msr daifset, #15
    adr x19, memsize_boot
    ldp x0, x1, [x19]
    ldr x2, [x19, #16]
    orr x2, x2, #TCR_EPD1
    msr ttbr0_el1, x0
    msr mair_el1, x1
    msr tcr_el1, x2
    ldr x3, sctlr_on
    msr sctlr_el1, x3
    msr cpacr_el1, xzr              /* no floating point: its use must show */
    mov x0, #HCR_RW
    msr hcr_el2, x0
    mov x0, #SCR
    msr scr_el3, x0
    ldr x20, vectors_at
    msr vbar_el1, x20
    tlbi alle1
    dsb sy
    isb

/* EL1's first instruction and its vectors must be there; an exception without vectors never ends. */
    ldr x21, start_at
    mov x0, x20
    bl must_be_mapped
    mov x0, x21
    bl must_be_mapped
    msr elr_el3, x21
    mov x0, #SPSR_EL1H
    msr spsr_el3, x0
    isb
    eret

must_be_mapped:
    at s1e1r, x0
    isb
    mrs x1, par_el1
    tbnz x1, #0, not_mapped
    and x1, x1, #PA_BITS
    and x0, x0, #0xFFF
    ldr w1, [x1, x0]
    cbz w1, not_mapped
    ret

not_mapped:
    adr x1, not_mapped_exit
    mov w0, #SYS_EXIT_EXTENDED
    hlt #0xF000
    b not_mapped

    .balign 8
not_mapped_exit:
    .quad APPLICATION_EXIT, NOT_MAPPED
sctlr_on:
    .quad 0x30D01805                /* bits that are always one, MMU, caches */
vectors_at:
    .quad vectors
start_at:
    .quad virtual_start
startup_end:

/* The vectors may be farther from the code than a branch reaches. */
    .macro vector target
    .balign 128
    ldr x10, 1f
    br x10
    .balign 8
1:
    .quad \target
    .endm

    .section .vectors, "ax"
    .balign 2048
vectors:
    .rept 4                         /* from EL1 with EL0's stack pointer */
    vector unexpected
    .endr
    vector synchronous
    .rept 3
    vector unexpected
    .endr
    .rept 8                         /* from EL0 */
    vector unexpected
    .endr
vectors_end:

    .text
    .global virtual_start
    .type virtual_start, %function
virtual_start:
    msr tpidr_el1, xzr
    ldr x0, =__stack_end
    mov sp, x0
    ldr x0, =__bss_start
    ldr x1, =__bss_end
1:
    cmp x0, x1
    b.hs 2f
    strb wzr, [x0], #1
    b 1b
2:
    mov x29, xzr
    mov x30, xzr
    bl hal_main

/* Only a touch may fault. It then returns 1, and *x1 is FAR, ESR, ELR. A fetch has its target in x9. */
synchronous:
    mrs x10, elr_el1
    adr x11, touch_read_at
    cmp x10, x11
    b.eq caught
    adr x11, touch_write_at
    cmp x10, x11
    b.eq caught
    adr x11, touch_translate_at
    cmp x10, x11
    b.eq caught
    adr x11, touch_fetched
    cmp x30, x11
    b.ne unexpected
    cmp x10, x9
    b.ne unexpected
caught:
    mrs x11, esr_el1
    mrs x12, far_el1
    stp x12, x11, [x1]
    str x10, [x1, #16]
    mov w0, #1
    msr elr_el1, x30
    eret

/* TPIDR_EL1: a fault is being reported. No memory is used until that is known. */
unexpected:
    mrs x0, tpidr_el1
    cbnz x0, give_up
    mov x0, #1
    msr tpidr_el1, x0
    ldr x0, =__stack_end
    mov sp, x0
    mrs x0, far_el1
    mrs x1, esr_el1
    mrs x2, elr_el1
    bl hal_unexpected
give_up:
    adr x1, give_up_exit
    mov w0, #SYS_EXIT_EXTENDED
    hlt #0xF000
    b give_up

    .balign 8
give_up_exit:
    .quad APPLICATION_EXIT, FAULT_IN_FAULT

/* int touch_read(uint64_t address, struct hal_fault* fault, uint64_t* value) */
    .global touch_read
    .type touch_read, %function
touch_read:
touch_read_at:
    ldr x3, [x0]
    str x3, [x2]
    mov w0, #0
    ret

/* int touch_write(uint64_t address, struct hal_fault* fault, uint64_t value) */
    .global touch_write
    .type touch_write, %function
touch_write:
touch_write_at:
    str x2, [x0]
    mov w0, #0
    ret

/* int touch_translate(uint64_t address, struct hal_fault* fault, uint64_t* par) */
    .global touch_translate
    .type touch_translate, %function
touch_translate:
touch_translate_at:
    at s1e1r, x0
    isb
    mrs x3, par_el1
    str x3, [x2]
    mov w0, #0
    ret

/* int touch_fetch(uint64_t address, struct hal_fault* fault): calls what is there. */
    .global touch_fetch
    .type touch_fetch, %function
touch_fetch:
    stp x29, x30, [sp, #-16]!
    mov x9, x0
    mov w0, #0
    blr x9
touch_fetched:
    ldp x29, x30, [sp], #16
    ret

/* void show_code(uint64_t address): what was written there is what is fetched. */
    .global show_code
    .type show_code, %function
show_code:
    dc cvau, x0
    dsb ish
    ic ivau, x0
    dsb ish
    isb
    ret

/* uintptr_t semihosting(uintptr_t operation, const void* block) */
    .global semihosting
    .type semihosting, %function
semihosting:
    hlt #0xF000
    ret

    .ltorg

    .section .rodata, "a"
    .balign 8
    .global own_ranges
own_ranges:
    .quad __image_start, __image_end
    .quad startup, startup_end
    .quad memsize_boot, memsize_boot + 24
    .quad __stack_start, __stack_end
    .quad vectors, vectors_end
