/* Start, vectors, and the touches that may fault. */

    .syntax unified
    .arm

    .equ MODE_SUPERVISOR, 0x13
    .equ MODE_ABORT, 0x17
    .equ SYS_EXIT_EXTENDED, 0x20
    .equ APPLICATION_EXIT, 0x20026
    .equ FAULT_IN_FAULT, 4
    .equ NOT_MAPPED, 5

    .equ SCTLR_M, 1
    .equ SCTLR_OFF, 0x23005         /* MPU, caches, high vectors, background region */
    .equ BOOT_REGIONS_AT, 8         /* boot.h */
    .equ BOOT_SIZE, 392
    .equ EXECUTE_NEVER, 0x1000
    .equ READABLE, 0x6E             /* bit n: with access permission n privileged code reads */

/* 64 bytes at address 0. The code may be farther away than a branch reaches. */
    .section .vectors, "ax"
    .balign 4
vectors:
    ldr pc, 1f
    ldr pc, 2f
    ldr pc, 3f
    ldr pc, 4f
    ldr pc, 5f
    ldr pc, 6f
    ldr pc, 6f
    ldr pc, 6f
1:  .word _start
2:  .word undefined
3:  .word unexpected_call
4:  .word prefetch_abort
5:  .word data_abort
6:  .word interrupt
vectors_end:

/* With the MPU off. */
    .section .startupCode, "ax"
    .balign 8
startup:
    .global _start
    .type _start, %function
_start:
    cpsid if, #MODE_SUPERVISOR
    mrc p15, 0, r0, c1, c0, 0
    ldr r1, =SCTLR_OFF
    bic r0, r0, r1
    dsb
    mcr p15, 0, r0, c1, c0, 0
    isb

    mrc p15, 0, r1, c0, c0, 4       /* MPUIR */
    ubfx r1, r1, #8, #8
    mov r0, #0
1:
    subs r1, r1, #1
    bmi 2f
    mcr p15, 0, r1, c6, c2, 0       /* RGNR */
    isb
    mcr p15, 0, r0, c6, c1, 2       /* DRSR: off */
    b 1b
2:
    ldr r4, =memsize_boot
    ldr r5, [r4]
    add r4, r4, #BOOT_REGIONS_AT
3:
    subs r5, r5, #1
    bmi 4f
    ldm r4!, {r0, r1, r2, r3}
    mcr p15, 0, r0, c6, c2, 0
    isb
    mcr p15, 0, r1, c6, c1, 0       /* DRBAR */
    mcr p15, 0, r3, c6, c1, 4       /* DRACR */
    mcr p15, 0, r2, c6, c1, 2
    b 3b
4:
    ldr r0, =vectors
    bl must_be_executable
    adr r0, _start
    bl must_be_executable
    ldr r0, =protected_start
    bl must_be_executable
    mrc p15, 0, r1, c1, c0, 0
    orr r1, r1, #SCTLR_M
    dsb
    mcr p15, 0, r1, c1, c0, 0
    isb
    bx r0

/* As mpu_find decides; r0 stays. */
must_be_executable:
    mrc p15, 0, r1, c0, c0, 4
    ubfx r1, r1, #8, #8
1:
    subs r1, r1, #1
    bmi not_mapped
    mcr p15, 0, r1, c6, c2, 0
    isb
    mrc p15, 0, r2, c6, c1, 0
    mrc p15, 0, r3, c6, c1, 2
    tst r3, #1                      /* enabled */
    beq 1b
    ubfx r4, r3, #1, #5
    add r4, r4, #1                  /* bits of an address inside */
    cmp r4, #5
    blo 1b
    mov r5, #1
    lsl r5, r5, r4
    sub r5, r5, #1
    tst r2, r5
    bne 1b
    eor r6, r0, r2
    bics r6, r6, r5
    bne 1b
    cmp r4, #8
    blo 2f                          /* too small for eighths */
    and r6, r0, r5
    sub r4, r4, #3
    lsr r6, r6, r4
    add r6, r6, #8
    lsr r6, r3, r6
    tst r6, #1
    bne 1b
2:
    mrc p15, 0, r2, c6, c1, 4
    tst r2, #EXECUTE_NEVER
    bne not_mapped
    ubfx r2, r2, #8, #3
    mov r3, #READABLE
    lsr r3, r3, r2
    tst r3, #1
    bxne lr
not_mapped:
    mov r0, #SYS_EXIT_EXTENDED
    adr r1, not_mapped_exit
    svc 0x123456
    b not_mapped

/* uint64_t exchange(uint32_t address, unused, uint64_t value): past the MPU, which is off for so long. */
exchange:
    push {r4, r5, r6, lr}
    mrc p15, 0, r6, c1, c0, 0
    bic r12, r6, #SCTLR_M
    dsb
    mcr p15, 0, r12, c1, c0, 0
    isb
    ldrd r4, r5, [r0]
    strd r2, r3, [r0]
    dsb
    mcr p15, 0, r6, c1, c0, 0
    isb
    mov r0, r4
    mov r1, r5
    pop {r4, r5, r6, pc}

    .balign 8
not_mapped_exit:
    .word APPLICATION_EXIT, NOT_MAPPED
    .ltorg
startup_end:

    .text
    .global protected_start
    .type protected_start, %function
protected_start:
    mov r0, #0
    mcr p15, 0, r0, c13, c0, 4      /* TPIDRPRW: no fault is being reported */
    ldr r1, =__bss_start
    ldr r2, =__bss_end
1:
    cmp r1, r2
    strblo r0, [r1], #1
    blo 1b
    ldr sp, =__stack_end
    bl hal_main

/* Only a touch may fault. It then returns 1, and *r1 is address, status and place. */
data_abort:
    sub lr, lr, #8
    ldr r12, =touch_read_at
    cmp lr, r12
    ldrne r12, =touch_write_at
    cmpne lr, r12
    bne unexpected_data
    mrc p15, 0, r2, c6, c0, 0       /* DFAR */
    mrc p15, 0, r12, c5, c0, 0      /* DFSR */
    b caught

/* A fetch has its target in r4, and returns to touch_fetched. */
prefetch_abort:
    sub lr, lr, #4
    cmp lr, r4
    bne unexpected_prefetch
    ldr r12, =touch_fetched
    cps #MODE_SUPERVISOR
    cmp lr, r12
    cps #MODE_ABORT
    bne unexpected_prefetch
    mrc p15, 0, r2, c6, c0, 2       /* IFAR */
    mrc p15, 0, r12, c5, c0, 1      /* IFSR */
caught:
    mov r3, #0
    strd r2, r3, [r1]
    mov r2, r12
    strd r2, r3, [r1, #8]
    mov r2, lr
    strd r2, r3, [r1, #16]
    mov r0, #1
    ldr lr, =touch_return
    movs pc, lr

unexpected_data:
    mrc p15, 0, r0, c6, c0, 0
    mrc p15, 0, r1, c5, c0, 0
    mov r2, lr
    b unexpected
unexpected_prefetch:
    mrc p15, 0, r0, c6, c0, 2
    mrc p15, 0, r1, c5, c0, 1
    mov r2, lr
    b unexpected
undefined:
unexpected_call:
interrupt:
    sub r0, lr, #4
    mov r1, #0
    mov r2, r0

/* TPIDRPRW: a fault is being reported. No memory is written until that is known. */
unexpected:
    mrc p15, 0, r3, c13, c0, 4
    cmp r3, #0
    bne give_up
    mov r3, #1
    mcr p15, 0, r3, c13, c0, 4
    ldr sp, =__stack_end
    bl hal_unexpected
give_up:
    mov r0, #SYS_EXIT_EXTENDED
    adr r1, give_up_exit
    svc 0x123456
    b give_up

    .balign 8
give_up_exit:
    .word APPLICATION_EXIT, FAULT_IN_FAULT

/* int touch_read(uint32_t address, struct hal_fault* fault, uint64_t* value) */
    .global touch_read
    .type touch_read, %function
touch_read:
    mov r12, r2
touch_read_at:
    ldrd r2, r3, [r0]
    strd r2, r3, [r12]
    mov r0, #0
touch_return:
    bx lr

/* int touch_write(uint32_t address, struct hal_fault* fault, uint64_t value) */
    .global touch_write
    .type touch_write, %function
touch_write:
touch_write_at:
    strd r2, r3, [r0]
    mov r0, #0
    bx lr

/* int touch_fetch(uint32_t address, struct hal_fault* fault): calls what is there. */
    .global touch_fetch
    .type touch_fetch, %function
touch_fetch:
    push {r4, lr}
    mov r4, r0
    mov r0, #0
    blx r4
touch_fetched:
    pop {r4, pc}

/* uint64_t touch_past(uint32_t address, uint64_t value): writes although the MPU forbids it; what was there. */
    .global touch_past
    .type touch_past, %function
touch_past:
    ldr pc, =exchange

/* uintptr_t semihosting(uintptr_t operation, const void* block) */
    .global semihosting
    .type semihosting, %function
semihosting:
    push {r4, lr}                   /* the call may change lr of this mode */
    svc 0x123456
    pop {r4, pc}

    .ltorg

    .section .rodata, "a"
    .balign 8
    .global own_ranges
own_ranges:
    .word __image_start, __image_end
    .word startup, startup_end
    .word memsize_boot, memsize_boot + BOOT_SIZE
    .word __stack_start, __stack_end
    .word vectors, vectors_end
