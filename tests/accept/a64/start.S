/* The core starts at EL3; only translations for EL1 and EL0 are asked for, so its own MMU stays off. */

    .equ SCR_NS_RW, 0x401           /* EL1 is 64-bit and not secure */
    .equ HCR_RW, 0x80000000         /* once more, for EL2; no stage 2 */
    .equ SCTLR_EL1_M, 1

    .section .start, "ax"
    .global start
start:
    ldr x0, =stack_end
    mov sp, x0
    ldr x0, =vectors
    msr vbar_el3, x0
    mov x0, #SCR_NS_RW
    msr scr_el3, x0
    mov x0, #HCR_RW
    msr hcr_el2, x0
    isb
    bl main
unexpected:
    mov x0, #99
    bl leave

    .text
    .balign 2048
vectors:
    .rept 16
    b unexpected
    .balign 128
    .endr

/* uint64_t semihosting(operation, block) */
    .global semihosting
semihosting:
    hlt #0xf000
    ret

/* void mmu_use(ttbr0, tcr, mair) */
    .global mmu_use
mmu_use:
    msr ttbr0_el1, x0
    msr tcr_el1, x1
    msr mair_el1, x2
    mov x3, #SCTLR_EL1_M
    msr sctlr_el1, x3
    isb
    tlbi alle1
    dsb sy
    isb
    ret

/* void mmu_held(registers): what they read back as */
    .global mmu_held
mmu_held:
    mrs x1, ttbr0_el1
    mrs x2, tcr_el1
    mrs x3, mair_el1
    stp x1, x2, [x0]
    str x3, [x0, #16]
    ret

/* uint64_t ask_...(address): PAR_EL1 */
    .macro ask name, operation
    .global \name
\name:
    at \operation, x0
    isb
    mrs x0, par_el1
    ret
    .endm

    ask ask_read, s1e1r
    ask ask_write, s1e1w
    ask ask_user, s1e0r
