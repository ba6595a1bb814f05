/* Start, vectors and the touches that may fault, for Armv7-M and Armv8-M with an FPU. In assembly: code that a compiler
 * made may use the FPU or the vector extension before anybody switched them on. */

    .syntax unified
    .thumb

    .equ CPACR, 0xE000ED88
    .equ SHCSR, 0xE000ED24
    .equ CFSR, 0xE000ED28
    .equ MMFAR, 0xE000ED34          /* BFAR behind it */
    .equ MPU_CTRL, 0xE000ED94
    .equ MMFAR_VALID, 0x80
    .equ BFAR_VALID, 0x8000

    .section .isr_vector, "a"
    .balign 4
vectors:
    .word __stack_end
    .word _start
    .rept 14
    .word fault
    .endr

    .text
    .global _start
    .type _start, %function
    .thumb_func
_start:
    ldr r0, =CPACR
    ldr r1, [r0]
    orr r1, r1, #0xF << 20
    str r1, [r0]
    dsb
    isb
    ldr r4, =__copy_table_start     /* from, to, bytes */
    ldr r5, =__copy_table_end
1:
    cmp r4, r5
    bhs 3f
    ldm r4!, {r0, r1, r2}
2:
    subs r2, r2, #1
    bmi 1b
    ldrb r3, [r0], #1
    strb r3, [r1], #1
    b 2b
3:
    ldr r4, =__zero_table_start     /* at, bytes */
    ldr r5, =__zero_table_end
    movs r3, #0
4:
    cmp r4, r5
    bhs 6f
    ldm r4!, {r1, r2}
5:
    subs r2, r2, #1
    bmi 4b
    strb r3, [r1], #1
    b 5b
6:
    ldr r0, =SHCSR                  /* faults of memory, bus and usage have handlers of their own */
    ldr r1, [r0]
    orr r1, r1, #7 << 16
    str r1, [r0]
    bl hal_main

/* Only a touch may fault. It then returns 1. */
    .type fault, %function
    .thumb_func
fault:
    tst lr, #4
    ite eq
    mrseq r0, msp
    mrsne r0, psp
    ldr r2, [r0, #24]               /* where it happened */
    ldr r3, =touch_read_at
    cmp r2, r3
    beq 1f
    ldr r3, =touch_write_at
    cmp r2, r3
    bne 2f
1:
    movs r1, #1
    str r1, [r0]
    ldr r1, =touch_return
    str r1, [r0, #24]
    ldr r0, =CFSR
    ldr r1, [r0]
    str r1, [r0]
    bx lr
2:
    movs r0, #0
    ldr r3, =MPU_CTRL               /* what is reported must not fault again */
    str r0, [r3]
    dsb
    isb
    ldr r3, =CFSR
    ldr r1, [r3]
    ldr r3, =MMFAR
    tst r1, #MMFAR_VALID
    it ne
    ldrne r0, [r3]
    tst r1, #BFAR_VALID
    it ne
    ldrne r0, [r3, #4]
    ldr r3, =__stack_end
    mov sp, r3
    bl hal_unexpected               /* address, CFSR, place */

/* int touch_read(uint32_t address) */
    .global touch_read
    .type touch_read, %function
    .thumb_func
touch_read:
    mov r1, r0
    movs r0, #0
touch_read_at:
    ldrb r2, [r1]
touch_return:
    bx lr

/* int touch_write(uint32_t address, uint32_t byte) */
    .global touch_write
    .type touch_write, %function
    .thumb_func
touch_write:
    mov r2, r0
    movs r0, #0
touch_write_at:
    strb r1, [r2]
    bx lr

/* uintptr_t semihosting(uintptr_t operation, const void* block) */
    .global semihosting
    .type semihosting, %function
    .thumb_func
semihosting:
    bkpt 0xAB
    bx lr

    .ltorg
