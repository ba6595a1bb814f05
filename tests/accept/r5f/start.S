/* Exception vectors, and the touches that may fault. The core starts with high vectors. */

    .syntax unified
    .arm

    .equ MODE_ABORT, 0x17
    .equ MODE_SUPERVISOR, 0x13
    .equ IRQ_FIQ_OFF, 0xC0
    .equ FAULTED, 0x80000000

    .section .vectors, "ax"
    .global vectors
vectors:
    b start
    b unexpected
    b unexpected
    b prefetch_abort
    b data_abort
    b unexpected
    b unexpected
    b unexpected

    .text
start:
    cpsid if, #MODE_SUPERVISOR
    ldr sp, =stack_end
    bl main
unexpected:
    mov r0, #99
    bl leave

/* Only a touch may fault: it goes on with r1 = status, r2 = address. Anything else ends the run. */
data_abort:
    sub r3, lr, #8
    ldr r12, =read_here
    cmp r3, r12
    ldrne r12, =write_here
    cmpne r3, r12
    bne unexpected
    mrc p15, 0, r1, c5, c0, 0       /* DFSR */
    mrc p15, 0, r2, c6, c0, 0       /* DFAR */
    orr r1, r1, #FAULTED
    subs pc, lr, #4

prefetch_abort:
    sub r3, lr, #4
    cmp r3, r0
    bne unexpected
    mrc p15, 0, r1, c5, c0, 1       /* IFSR */
    mrc p15, 0, r2, c6, c0, 2       /* IFAR */
    orr r1, r1, #FAULTED
    ldr lr, =executed
    movs pc, lr

/* uint64_t touch(address): the fault's status, bit 31 set, and its address in the upper half; 0 without a fault. */
    .global touch_read
touch_read:
    mov r1, #0
    mov r2, #0
read_here:
    ldrb r3, [r0]
    mov r0, r1
    mov r1, r2
    bx lr

/* r1: the byte. */
    .global touch_write
touch_write:
    mov r3, r1
    mov r1, #0
    mov r2, #0
write_here:
    strb r3, [r0]
    mov r0, r1
    mov r1, r2
    bx lr

/* Calls an address that holds "bx lr". */
    .global touch_execute
touch_execute:
    push {r4, lr}
    mov r1, #0
    mov r2, #0
    ldr lr, =executed
    bx r0
executed:
    mov r0, r1
    mov r1, r2
    pop {r4, pc}

/* uint32_t semihosting(operation, block) */
    .global semihosting
semihosting:
    push {r4, lr}
    svc 0x123456
    pop {r4, pc}

/* void mpu_region(number, base, size, access) */
    .global mpu_region
mpu_region:
    mcr p15, 0, r0, c6, c2, 0       /* RGNR */
    mcr p15, 0, r1, c6, c1, 0       /* DRBAR */
    mcr p15, 0, r2, c6, c1, 2       /* DRSR */
    mcr p15, 0, r3, c6, c1, 4       /* DRACR */
    bx lr

/* void mpu_held(number, registers): what the MPU holds */
    .global mpu_held
mpu_held:
    mcr p15, 0, r0, c6, c2, 0
    mrc p15, 0, r0, c6, c1, 0
    mrc p15, 0, r2, c6, c1, 2
    mrc p15, 0, r3, c6, c1, 4
    stm r1, {r0, r2, r3}
    bx lr

/* uint32_t mpu_type(void) */
    .global mpu_type
mpu_type:
    mrc p15, 0, r0, c0, c0, 4       /* MPUIR */
    bx lr

/* void mpu_switch(on): without a background region, so that what no region covers faults. */
    .global mpu_switch
mpu_switch:
    mrc p15, 0, r1, c1, c0, 0       /* SCTLR */
    bic r1, r1, #0x20000            /* BR */
    bic r1, r1, #1                  /* M */
    cmp r0, #0
    orrne r1, r1, #1
    dsb
    mcr p15, 0, r1, c1, c0, 0
    isb
    bx lr
