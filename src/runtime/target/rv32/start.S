/* Start, traps and what else C cannot say, for ten harts of RV32. Workers run a team's function in user mode, where the
 * PMP holds; everything else is in machine mode. `tp` is the hart's number in both. */

    .equ SOFTWARE, 8                /* mie, mip: an interrupt by another hart */
    .equ FLOATS, 0x6000             /* mstatus.FS */
    .equ MODE, 0x1800               /* mstatus.MPP */
    .equ FROM_USER, 8               /* mcause: a call */
    .equ STACK, 8192

    .section .text.start, "ax"
    .global _start
_start:
    csrr tp, mhartid
    li t0, FLOATS
    csrs mstatus, t0
    la t0, trap
    csrw mtvec, t0
    li t0, SOFTWARE
    csrw mie, t0
    call own_stack
    mv sp, t0
    mv a0, tp
    call cores_main
1:
    wfi
    j 1b

/* t0: the end of the hart's own stack */
own_stack:
    la t0, __stacks
    li t1, STACK
    addi t2, tp, 1
    mul t1, t1, t2
    add t0, t0, t1
    ret

    .balign 4
trap:
    csrr t0, mcause
    li t1, FROM_USER
    bne t0, t1, fault
    csrr sp, mscratch
    li t0, SOFTWARE
    csrw mie, t0
    lw ra, 12(sp)
    addi sp, sp, 16
    ret
fault:
    call own_stack
    mv sp, t0
    csrr a0, mtval
    csrr a1, mcause
    csrr a2, mepc
    call cores_fault

/* void cores_run(void (*entry)(void* arg), void* arg, uintptr_t stack_end): in user mode, until it returns */
    .global cores_run
cores_run:
    addi sp, sp, -16
    sw ra, 12(sp)
    csrw mscratch, sp
    csrw mie, zero                  /* user mode is always interrupted by what is enabled */
    csrw mepc, a0
    li t0, MODE
    csrc mstatus, t0
    mv a0, a1
    mv sp, a2
    la ra, 1f
    mret
    .balign 4
1:
    ecall

/* void cores_call(uint8_t* stack_end, void (*entry)(void* arg), void* arg) */
    .global cores_call
cores_call:
    addi a0, a0, -16
    sw ra, 12(a0)
    sw sp, 8(a0)
    mv sp, a0
    mv a0, a2
    jalr a1
    lw ra, 12(sp)
    lw sp, 8(sp)
    ret

/* void cores_protect(const uint32_t* addresses, const uint32_t* kinds): 16 entries, 4 words of kinds */
    .global cores_protect
cores_protect:
    csrw pmpcfg0, zero
    csrw pmpcfg1, zero
    csrw pmpcfg2, zero
    csrw pmpcfg3, zero
    .altmacro
    .macro entry number
    lw t0, \number * 4(a0)
    csrw pmpaddr\number, t0
    .endm
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    entry \number
    .endr
    .irp number, 0, 1, 2, 3
    lw t0, \number * 4(a1)
    csrw pmpcfg\number, t0
    .endr
    ret

/* void cores_doze(void): until somebody wakes the hart, or did since cores_forget() */
    .global cores_doze
cores_doze:
    wfi
    ret

/* uintptr_t semihosting(uintptr_t operation, const void* block) */
    .global semihosting
    .balign 16
    .option push
    .option norvc
semihosting:
    slli zero, zero, 0x1f
    ebreak
    srai zero, zero, 7
    ret
    .option pop

    .section .bss.stacks, "aw", @nobits
    .balign 16
    .global __stacks
__stacks:
    .skip 10 * STACK
