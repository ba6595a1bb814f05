/* A case is a row: its id, the types and executors that it is run for, and its steps, each with what it must come to. run.c
 * has the words.
 *
 * Models, by letter, of the device that all are of where nothing else is said; shapes are n = 1x32x32x8 and
 *   c conv, d the same prepared again, t two convs, a ADD (input 2 is a scalar), b ADD of 32x32x8, w 4x32x32x8,
 *   y another type, s another scale, z another zero point, p other extra parameters, u dimension 0 unknown, r rank unknown,
 *   e an extension's type, i 2, j 1x2, o 2x1, k too large, x another device's, n of a device that takes no open shapes,
 *   v the same with dimension 0 unknown, l of a device with tiles, m the same with dimension 0 unknown, f of a device that has
 *   no memory, g the same of 32x32x8, h the same with dimension 0 unknown; 0 none
 * A role is model.io, *1 *2 *3 *4 behind it a probability of 10, 0, -0.5 and what is no number.
 *
 *   alloc BUFFER SHAPE MODELS INPUTS OUTPUTS RESULT     from BUFFER SIZE SHAPE RESULT     to BUFFER SIZE RESULT
 *   run MODEL INPUTS OUTPUTS RESULT [HOW]               free BUFFER     look BUFFER yes|no SHAPE     token BUFFER NUMBER
 * An argument: m memory, h memory half as long, M twice, v no value, t0 buffer 0, T0 the same in a pool of its own, #9 a token;
 * with a shape behind a colon. How: as in the function `how` of run.c. Sizes: half, full, double, two (elements), pair and four (bytes), none (no
 * memory), lost (it cannot be mapped), void (half, and lost). A result: ok, bad (INVALID_ARGUMENT), no (GENERAL_FAILURE), small, late; of an allocation with the
 * number of its test.
 *
 *   plain BUFFER yes|no     whether the bytes lie in the buffer as the model has them
 *   desc D    add D in|out COMPILATION IO FREQUENCY CODE    shape D SHAPE CODE    finish D CODE    create D MEMORY CODE [BACKING]
 *   wrap MEMORY SIZE    fill MEMORY    same MEMORY MEMORY    copy MEMORY MEMORY CODE
 *   set MEMORY COMPILATION in|out IO SHAPE OFFSET LENGTH CODE    compute MEMORY SHAPE CODE    computed MEMORY ok|no SHAPE
 * A compilation is the letter of its model: ? unfinished, ! with a list of devices, ^ of a driver that takes BLOBs; - none. */
#include "cases.h"

#define N "1x32x32x8"
/* For inputs and for outputs. */
#define ALLOCATE(id, types, models, roles, result) \
  {id, types, SYNC, "alloc 0 - " models " " roles " - " result}, {id, types, SYNC, "alloc 0 - " models " - " roles " " result}
/* For two inputs, an input and an output, two outputs. */
#define DIFFER(id, types, models, result)                                                                          \
  {id, types, SYNC, "alloc 0 - " models " 0.0,1.0 - " result}, {id, types, SYNC, "alloc 0 - " models " 0.0 1.0 " result}, \
      {id, types, SYNC, "alloc 0 - " models " - 0.0,1.0 " result}
#define COPY(id, model, steps) \
  {id, ALL, SYNC, "alloc 0 - " model " 0.0 - ok; " steps}, {id, ALL, SYNC, "alloc 0 - " model " - 0.0 ok; " steps}

const struct nn_case nn_cases[] = {
    /* IDevice::allocate. */
    {"A1", ALL, SYNC, "alloc 0 - - - - bad:1"},
    {"A1", ALL, SYNC, "alloc 0 - c - - bad:2"},
    ALLOCATE("A2", ALL, "0", "0.0", "bad:4"),
    ALLOCATE("A3", ALL, "x", "0.0", "bad:5"),
    ALLOCATE("A4", ALL, "c", "1.0", "bad:3"),
    ALLOCATE("A5", ALL, "c", "0.1", "bad:6"),
    ALLOCATE("A6", ALL, "c", "0.0*1", "bad:7"),
    ALLOCATE("A6", ALL, "c", "0.0*2", "bad:7"),
    ALLOCATE("A6", ALL, "c", "0.0*3", "bad:7"),
    ALLOCATE("A7", ALL, "c", "0.0,0.0", "bad:8"),
    ALLOCATE("A8", ALL, "cc", "0.0,1.0", "bad:8"),
    DIFFER("A9", ALL, "cy", "bad:9"),
    DIFFER("A10", QUANT, "cs", "bad:10"),
    DIFFER("A11", QUANT, "cz", "bad:11"),
    DIFFER("A12", ALL, "ab", "bad:13"),
    DIFFER("A13", ALL, "cw", "bad:13"),
    {"A14", ALL, SYNC, "alloc 0 32x32x8 c 0.0 - bad:13"},
    {"A14", ALL, SYNC, "alloc 0 32x32x8 c - 0.0 bad:13"},
    {"A15", ALL, SYNC, "alloc 0 4x32x32x8 c 0.0 - bad:13"},
    {"A15", ALL, SYNC, "alloc 0 4x32x32x8 c - 0.0 bad:13"},
    {"A16", ALL, SYNC, "alloc 0 1 a 0.2 - bad:14"},

    /* IBuffer::copyFrom and copyTo. */
    COPY("C1", "c", "from 0 half - bad; from 0 double - bad"),
    COPY("C2", "u", "from 0 half " N " bad; from 0 double " N " bad"),
    COPY("C2b", "u", "from 0 full " N " ok"),
    COPY("C2c", "u", "from 0 full 2x32x32x8 bad"),
    COPY("C3", "c", "from 0 full 32x32x8 bad; from 0 full 2x32x32x8 bad; from 0 full 0x32x32x8 bad"),
    COPY("C3b", "c", "from 0 full - ok; from 0 full " N " ok"),
    COPY("C4", "u", "from 0 full 32x32x8 bad; from 0 full 2x32x32x4 bad; from 0 full 1x32x32x0 bad; from 0 full - bad"),
    COPY("C4b", "u", "from 0 full " N " ok"),
    COPY("C5", "c", "to 0 full no"),
    COPY("C6", "c", "from 0 full - ok; to 0 half bad; to 0 double bad; to 0 full ok"),
    COPY("C7", "u", "from 0 full " N " ok; to 0 half bad; to 0 double bad; to 0 full ok"),

    /* Executions. */
    {"E1", ALL, EVERY, "run c #0 m bad"},
    {"E1", ALL, EVERY, "run c #100 m bad"},
    {"E1", ALL, EVERY, "run c m #0 bad"},
    {"E1", ALL, EVERY, "run c m #100 bad"},
    {"E2", ALL, EVERY, "alloc 0 - c 0.0 - ok; from 0 full - ok; run d t0 m bad; run c t0 m ok"},
    {"E2", ALL, EVERY, "alloc 0 - c - 0.0 ok; from 0 full - ok; run d m t0 bad; run c m t0 ok"},
    {"E3", ALL, EVERY, "alloc 0 - t 0.0 - ok; from 0 full - ok; run t m,t0 m,m bad; run t t0,m m,m ok"},
    {"E3", ALL, EVERY, "alloc 0 - t 0.0 - ok; from 0 full - ok; run t m,m m,t0 bad"},
    {"E4", ALL, EVERY, "alloc 0 - c 0.0 - ok; run c m t0 bad"},
    {"E4", ALL, EVERY, "alloc 0 - c - 0.0 ok; from 0 full - ok; run c t0 m bad"},
    {"E5", ALL, EVERY, "alloc 0 - c 0.0 0.0 ok; run c t0 m no"},
    {"E5b", ALL, EVERY, "alloc 0 - c 0.0 0.0 ok; run c m t0 ok; run c t0 m ok"},
    {"E6", ALL, EVERY, "alloc 0 - c 0.0 0.0 ok; from 0 full - ok; run c t0 t0 bad"},
    {"E6", ALL, EVERY, "alloc 0 - c 0.0 0.0 ok; from 0 full - ok; run c t0 T0 bad"},
    {"E7", ALL, EVERY, "alloc 0 - t - 0.0,0.1 ok; run t m,m t0,t0 bad"},
    {"E7", ALL, EVERY, "alloc 0 - t - 0.0,0.1 ok; run t m,m t0,T0 bad"},
    {"E8", ALL, EVERY, "alloc 0 - t 0.0,0.1 - ok; from 0 full - ok; run t t0,t0 m,m ok; run t t0,T0 m,m ok"},
    {"E9", ALL, OPEN, "alloc 0 " N " u 0.0 - ok; from 0 full - ok; run u t0:2x32x32x8 m bad; run u t0:" N " m ok"},
    {"E10", ALL, OPEN, "alloc 0 " N " u - 0.0 ok; from 0 full - ok; run u m:" N " t0:2x32x32x8 bad; run u m:" N " t0 ok"},
    {"E11", ALL, OPEN, "alloc 0 " N " u - 0.0 ok; from 0 full - ok; run u M:2x32x32x8 t0 no"},

    /* The NDK. */
    {"N1", ALL, SYNC, "desc 0; add - in c 0 1 null; add 0 in - 0 1 null; shape - " N " null; finish - null"},
    {"N1", ALL, SYNC, "create - 0 null; wrap 0 full; copy 0 - null; copy - 0 null"},
    {"N2", ALL, SYNC, "desc 0; add 0 in c? 0 1 data; add 0 out c? 0 1 data; add 0 in c 999 1 data; add 0 out c 999 1 data"},
    {"N2", ALL, SYNC, "desc 0; add 0 in c 0 10 data; add 0 in c 0 0 data; add 0 in c 0 -1 data"},
    {"N2", ALL, SYNC, "desc 0; add 0 out c 0 10 data; add 0 out c 0 0 data; add 0 out c 0 -1 data"},
    {"N2", ALL, SYNC, "desc 0; add 0 in c 0 1 ok; add 0 in c 0 1 data; add 0 out c 0 1 ok; add 0 out c 0 1 data"},
    {"N2", ALL, SYNC, "desc 0; add 0 in c 0 1 ok; finish 0 ok; add 0 out c 0 1 state"},
    {"N3", ALL, SYNC, "desc 0; add 0 in c 0 1 ok; shape 0 2x32x32x8 data; shape 0 32x32x8 data; shape 0 " N " ok"},
    {"N3", ALL, SYNC, "desc 0; shape 0 0x32x32x8 ok; shape 0 0x16x32x8 data; shape 0 32x8 data; shape 0 2x0x0x0 ok; add 0 in c 0 1 data"},
    {"N4", ALL, SYNC, "desc 0; add 0 in c 0 1 ok; add 0 in y 0 1 data; add 0 out y 0 1 data; add 0 in w 0 1 data; add 0 out b 0 1 data"},
    {"N4", QUANT, SYNC, "desc 0; add 0 in c 0 1 ok; add 0 in s 0 1 data; add 0 out s 0 1 data; add 0 in z 0 1 data; add 0 out z 0 1 data"},
    {"N4", ALL, SYNC, "desc 0; add 0 out c 0 1 ok; add 0 in p 0 1 data; desc 1; shape 1 1 ok; add 1 in a 2 1 data"},
    {"N5", ALL, SYNC, "desc 0; finish 0 data; create 0 0 state; add 0 in c 0 1 ok; create 0 0 state; finish 0 ok"},
    {"N5", ALL, SYNC, "desc 0; add 0 in c 0 1 ok; finish 0 ok; finish 0 state; shape 0 " N " state; create 0 0 ok driver; create 0 1 ok driver"},
    {"N6", ALL, SYNC, "wrap 0 full; wrap 1 half; copy 0 1 data; copy 1 0 data; wrap 2 full; fill 0; copy 0 2 ok; same 0 2"},
    {"N6", ALL, SYNC, "desc 0; add 0 in c 0 1 ok; finish 0 ok; create 0 0 ok driver; wrap 1 half; wrap 2 full; copy 0 2 data; copy 1 0 data; "
     "fill 2; copy 2 0 ok; copy 0 1 data; copy 0 2 ok; copy 1 0 data; copy 0 2 data"},
    {"N6", ALL, SYNC, "desc 0; add 0 in c 0 1 ok; finish 0 ok; create 0 0 ok driver; copy 0 0 ok; wrap 1 full; copy 0 1 data; fill 1; "
     "copy 1 0 ok; copy 0 0 ok; wrap 2 full; copy 0 2 ok; same 1 2"},
    {"N6", ALL, SYNC, "desc 0; add 0 in i 0 1 ok; finish 0 ok; create 0 0 ok driver; desc 1; add 1 in j 0 1 ok; finish 1 ok; create 1 1 ok driver; "
     "wrap 2 two; fill 2; copy 2 0 ok; copy 0 1 data; wrap 3 two; copy 1 3 data"},
    {"N6", ALL, SYNC, "desc 0; add 0 in o 0 1 ok; finish 0 ok; create 0 0 ok driver; desc 1; add 1 in j 0 1 ok; finish 1 ok; create 1 1 ok driver; "
     "wrap 2 two; fill 2; copy 2 0 ok; copy 2 1 ok; copy 0 1 data; wrap 3 two; copy 1 3 data; copy 0 3 ok"},
    {"N6", ALL, SYNC, "desc 0; add 0 in c 0 1 ok; finish 0 ok; create 0 0 ok driver; desc 1; add 1 in g 0 1 ok; finish 1 ok; create 1 1 ok ashmem; "
     "wrap 2 full; fill 2; copy 2 0 ok; copy 0 1 data; copy 2 1 ok; copy 1 0 data; wrap 3 void; copy 2 3 data; copy 3 1 data"},
    {"N7", ALL, SYNC, "desc 0; add 0 in c 0 1 ok; finish 0 ok; create 0 1 ok driver; desc 1; add 1 out l 0 1 ok; finish 1 ok; create 1 2 ok driver; "
     "wrap 0 full; wrap 3 full; fill 0; copy 0 1 ok; copy 1 2 ok; copy 2 3 ok; same 0 3"},
    {"N8", ALL, SYNC, "desc 0; add 0 in c 0 1 ok; add 0 out c! 0 1 ok; finish 0 ok; create 0 0 ok driver"},
    {"N8", ALL, SYNC, "desc 0; add 0 in f 0 1 ok; finish 0 ok; create 0 0 ok ashmem; wrap 1 full; copy 0 1 data; fill 1; copy 1 0 ok; wrap 2 full; "
     "copy 0 2 ok; same 1 2; wrap 3 half; copy 3 0 data; copy 0 2 data"},
    {"N8", ALL, SYNC, "desc 0; add 0 in f^ 0 1 ok; finish 0 ok; create 0 0 ok blob; desc 1; add 1 in f^ 0 1 ok; add 1 out f 0 1 ok; finish 1 ok; "
     "create 1 1 ok ashmem"},
    {"N8", ALL, SYNC, "desc 0; add 0 in f! 0 1 ok; finish 0 ok; create 0 0 failed; desc 1; add 1 in f 0 1 ok; add 1 out f! 0 1 ok; finish 1 ok; "
     "create 1 0 failed"},
    {"N8", ALL, SYNC, "desc 0; add 0 in h 0 1 ok; finish 0 ok; create 0 0 failed; desc 1; add 1 in v 0 1 ok; finish 1 ok; create 1 0 failed"},
    {"N8", ALL, SYNC, "desc 0; add 0 in c 0 1 ok; add 0 in x 0 1 ok; finish 0 ok; create 0 0 ok ashmem; desc 1; add 1 in c 0 1 ok; add 1 in x! 0 1 ok; "
     "finish 1 ok; create 1 1 failed"},

    /* Allocations that are right, and such as are only not to be had. */
    {"G1", ALL, SYNC, "alloc 0 - c 0.0 - ok; alloc 1 - c - 0.0 ok; alloc 2 " N " cd 0.0,1.0 0.0 ok; alloc 3 - a 0.2 - ok"},
    {"G2", ALL, SYNC, "alloc 0 - n 0.0 - ok; alloc 1 - v 0.0 - no:16; alloc 1 " N " v 0.0 - ok; alloc 2 1x0x32x8 v 0.0 - ok"},
    {"G3", ALL, SYNC, "alloc 0 - e 0.0 - no:15; alloc 0 - k 0.0 - no:16; alloc 0 - f 0.0 - no:17"},
    {"G4", ALL, SYNC, "alloc 0 - c 0.0*4 - bad:7; alloc 0 - c -1.0 - bad:3; alloc 0 - c 0.-1 - bad:6; alloc 0 - a - 0.1 bad:6"},
    {"G5", ALL, SYNC, "alloc 0 - cp 0.0,1.0 - bad:12; alloc 0 - r 0.0 - ok; alloc 1 1x32x32 c 0.0 - bad:13; alloc 1 1x1x1x1x1x1x1x1x1 r 0.0 - bad:13"},

    /* Tokens. */
    {"T1", ALL, SYNC, "alloc 0 - c 0.0 - ok; token 0 1; alloc 1 - c 0.0 - ok; token 1 2; alloc 2 - c 0.0 - ok; token 2 3; free 1; free 0; "
     "alloc 3 - c 0.0 - ok; token 3 1; alloc 0 - c 0.0 - ok; token 0 2; alloc 1 - c 0.0 - ok; token 1 4"},
    {"T2", ALL, EVERY, "alloc 0 - c 0.0 - ok; from 0 full - ok; run c t0 m ok; free 0; run c t0 m bad; run c #-1 m bad; run c #2147483647 m bad"},
    {"T3", ALL, EVERY, "alloc 0 - c 0.0 0.0 ok; from 0 full - ok; run c t0 m ok free; run c t0 m bad; alloc 1 - c 0.0 - ok; to 1 full no"},
    {"T4", ALL, EVERY, "alloc 0 - c 0.0 0.0 ok; run c m t0 ok free; alloc 0 - c 0.0 - ok; to 0 full no"},

    /* Contents and shape. */
    {"S1", ALL, EVERY, "alloc 0 - c 0.0 0.0 ok; look 0 no " N "; run c m t0 ok; look 0 yes " N "; to 0 full ok; run c m t0 no fail; look 0 no " N "; "
     "to 0 full no; run c t0 m no"},
    {"S2", ALL, SYNC, "alloc 0 - c 0.0 - ok; from 0 full - ok; from 0 half - bad; look 0 no " N "; from 0 full - ok; to 0 half bad; look 0 yes " N "; "
     "from 0 none - bad; look 0 no " N "; from 0 full - ok; from 0 lost - no; look 0 no " N},
    {"S3", ALL, SYNC, "alloc 0 - c 0.0 - ok; from 0 full - ok; from 0 full -1x32x32x8 bad; look 0 yes " N "; to 0 none bad; to 0 lost no; to 0 full ok"},
    {"S4", ALL, OPEN, "alloc 0 - u 0.0 0.0 ok; look 0 no 0x32x32x8; run u m:" N " t0 ok; look 0 yes " N "; run u t0:" N " m ok; run u t0 m bad; run u t0:2x32x32x8 m bad; "
     "to 0 full ok; from 0 half - bad; look 0 no 0x32x32x8; to 0 full no"},
    {"S5", ALL, SYNC, "alloc 0 - r 0.0 0.0 ok; from 0 full " N " ok; to 0 full ok; from 0 half 16x32x8 ok; look 0 yes 16x32x8; to 0 half ok; to 0 full bad"},
    {"S6", F32, SYNC, "alloc 0 - r 0.0 0.0 ok; from 0 full " N " ok; from 0 double 2x32x32x8 no; look 0 no -"},
    {"S7", F32, OPEN, "alloc 0 - r 0.0 0.0 ok; from 0 full " N " ok; run r M:2x32x32x8 t0 no; look 0 no -"},
    {"S7", F32, OPEN, "alloc 0 - r 0.0 0.0 ok; from 0 full " N " ok; run r m:" N " t0 no swap; look 0 no -"},
    {"S8", ALL, OPEN, "alloc 0 - c 0.0 0.0 ok; run c m t0 no short; look 0 no " N "; run c m h bad; run c m m small short"},
    {"S10", ALL, OPEN, "alloc 0 - c 0.0 0.0 ok; run c m t0 no swap; look 0 no " N "; run c m m ok swap"},
    {"S9", ALL, SYNC, "alloc 0 - a 0.2 - ok; from 0 four 1 bad; from 0 pair - bad; from 0 four - ok; to 0 four ok; run a m,m,t0 m ok; run a m,m,t0:1 m bad"},

    {"S11", ALL, SYNC, "alloc 0 - c 0.0 - ok; to 0 half bad; to 0 double bad; to 0 full no; alloc 1 - u 0.0 - ok; to 1 full no; to 1 half no"},

    /* Requests. */
    {"R1", ALL, EVERY, "run c m m ok; run c - m bad; run c m - bad; run c m,m m bad; run c m m,m bad; run t m,m m bad; run t m,m m,m ok"},
    {"R2", ALL, EVERY, "run c m:" N " m:" N " ok; run c m:32x32x8 m bad; run c m:2x32x32x8 m bad; run c m:0x32x32x8 m bad; run c h m bad; run c M m bad"},
    {"R3", ALL, OPEN, "run u m m bad; run u m:0x32x32x8 m bad; run u m:" N " m ok; run u m:" N " m:0x32x32x8 ok; run c m m:0x32x32x8 bad"},
    {"R4", ALL, FENCED, "run u m:" N " m bad; run u m:" N " m:0x32x32x8 bad; run u m:" N " m:" N " ok; run c m m:0x32x32x8 bad"},
    {"R5", ALL, EVERY, "run c m m late late; run c h m bad late; run c #9 m late late; run c #-1 m bad late; run c m m no wait; run c #9 m no wait; run c h m bad wait"},
    {"R6", ALL, EVERY, "alloc 0 - c 0.0 - ok; from 0 full - ok; run c t0 m bad long; run c t0 m bad off; run c t0 m bad pad; run c m m bad off; "
     "run c m m bad pad; run c m m bad zero; run c m m bad minus; run c m m bad pool"},
    {"R7", ALL, EVERY, "run c m m no lost; run c m m bad gone; run c v m ok; run c m v ok; run c v m bad off"},
    {"R8", ALL, EVERY, "alloc 0 - c 0.0 - ok; run c t0 m no lost; run d t0 m bad; alloc 1 - d 0.0 - ok; run c t1 m bad"},

    /* A layout of the driver's. */
    {"L1", ALL, EVERY, "alloc 0 - l 0.0 0.0 ok; from 0 full - ok; plain 0 no; to 0 full ok; run l t0 m ok; run l m t0 ok; to 0 full ok"},
    {"L2", ALL, OPEN, "alloc 0 - m 0.0 0.0 ok; from 0 full " N " ok; to 0 full ok; run m m:" N " t0 ok; plain 0 no; to 0 full ok"},
    {"L3", ALL, SYNC, "alloc 0 - c 0.0 0.0 ok; from 0 full - ok; plain 0 yes; to 0 full ok"},

    /* Memories of the NDK as arguments. */
    {"K1", ALL, SYNC, "desc 0; add 0 in c 0 1 ok; finish 0 ok; create 0 0 ok driver; set 0 c in 0 - 0 0 ok; set 0 c out 0 - 0 0 data; set 0 d in 0 - 0 0 data; "
     "set 0 c in 0 - 0 8 data; set 0 c in 0 - 8 0 data; set 0 c in 0 2x32x32x8 0 0 data; set 0 c in 0 " N " 0 0 ok; set 0 - in 0 - 0 0 data"},
    {"K2", ALL, SYNC, "desc 0; add 0 out u 0 1 ok; finish 0 ok; create 0 0 ok driver; compute 0 " N " failed; computed 0 ok " N "; compute 0 " N " ok; "
     "compute 0 0x32x32x8 failed; computed 0 no " N "; compute 0 " N " failed; computed 0 ok 1x16x32x8; compute 0 1x16x32x8 failed"},
    {"K3", ALL, SYNC, "wrap 0 full; set 0 c in 0 - 0 64 ok; set 0 c in 0 - 0 0 data; set 0 c in 0 - 4294967295 2 data; set 0 c in 0 - 8 0 ok; "
     "compute 0 - ok; wrap 1 lost; wrap 2 full; copy 1 2 unmappable; copy 2 1 unmappable"},
};

const size_t nn_case_count = sizeof nn_cases / sizeof nn_cases[0];
