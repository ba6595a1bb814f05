"""What is wrong in three generations of TI's vision_apps, each checked by hand against the files themselves.

The trees are known by the text of one file each. A row: code, SoC, path below rtos/, what the message says, how many findings in
each tree, and what was seen. Paths and messages are regular expressions.
"""

# SHA-256 of platform/j722s/rtos/gen_linker_mem_map.py, and the tree's place in the rows.
TREES = {
    "ed4f64c7daa57f4915b67b0646d913d3cf083d839816c2e05502b44eb930e5f7": 0,  # vision_apps c59a3712
    "19e1fc4e124026424e82a3f707a33235792ab05d5063c06d03fc9a3893d8b1ec": 1,  # vision_apps da7bcc53
    "b4e19152abdb2b6c000be3484422b2b3da2c072ca3edff53f0f92eeacb2c2ad2": 2,  # Processor SDK 12.0
}

Row = tuple[str, str, str, str, tuple[int, int, int], str]

CORE = r"(?:mcu\d_\d|c7x_\d)"
OBJECTS = r"sees \[0xB0000000, 0xB1000000\) of 'TIOVX_OBJ_DESC_MEM' cached"
ETHERNET = r"sees \[0x{}, 0x{}\) of 'INTERCORE_ETH_DESC_MEM' cached"
OCRAM = r"'MAIN_OCRAM_MCU4_0'"
SAFERTOS = f"{CORE}/\\w+_safertos_mpu_cfg.c"

ROWS: list[Row] = [
    # The sizes of the heaps were changed in the script, not in the sysconfig files: 0x102000000-0x108000000 and 0x112000000-0x118000000.
    ("mmu.cache", "j722s", "c7x_[12]/example.syscfg", r"maps \[0x1[01][24]000000, 0x1[01][48]000000\) of 'DDR_C7X_\d\w*_NON_CACHEABLE' with MAIR7",
     (0, 8, 0), "32/224 MB against 128/128"),
    # 2^24 with the comment "32 MB".
    ("mpu.cache", "j722s", "mcu[12]_0/example\\w*.syscfg", r"sees \[0xA6000000, 0xA7000000\) of 'IPC_VRING_MEM' cached", (3, 4, 0), "size = 24 for 32 MB"),
    ("mpu.cache", "j722s", "mcu[12]_0/example\\w*.syscfg", r"sees \[0xA8000000, 0xAB000000\) of 'TIOVX_OBJ_DESC_MEM' cached", (3, 4, 0), "size = 24 for 64 MB"),
    ("mpu.cache", "j722s", "mcu[12]_0/example\\w*.syscfg", r"sees \[0xAC000000, 0xAD000000\) of 'TIOVX_LOG_RT_MEM' cached", (3, 4, 0), "size = 24 for 32 MB"),
    ("sdk.comment", "j722s", "mcu[12]_0/example\\w*.syscfg", "32 MB of 'RTOS_IPC_VRING' is 16 MB", (3, 2, 0), "the comment that nobody doubted"),
    # 64 MB from 0xAC000000 end at 0xB0000000.
    ("mpu.cache", "j784s4", f"{CORE}/j784s4_mpu_cfg.c", OBJECTS, (8, 8, 8), "OBJ_DESC goes on to 0xB1000000"),
    ("mpu.cache", "j784s4", SAFERTOS, OBJECTS, (7, 7, 7), "OBJ_DESC goes on to 0xB1000000; mcu1_1 has no file"),
    ("mpu.cache", "j742s2", f"{CORE}/j742s2_mpu_cfg.c", OBJECTS, (8, 8, 8), "OBJ_DESC goes on to 0xB1000000"),
    ("mmu.cache", "j721s2", "c7x_2/main.c", r"maps \[0xAE000000, 0xAE400000\) of 'APP_FILEIO_MEM' with MAIR7", (1, 1, 0), "appMmuMap of c7x_2 has no APP_FILEIO"),
    ("sdk.disagree", "j742s2", "c7x_3/main.c", "c7x_3 maps 8 MiB at 0x70000000 .*, but c7x_1 maps 4 MiB", (1, 1, 1), "0x00800000 against 0x00400000"),
    ("mpu.region", "j721e", f"{CORE}/\\w+_mpu_cfg.c", "begins at 0xB0400000, which is no multiple of its size, 32 MiB", (12, 0, 0), "LOG_RT's base with FILEIO's and its size"),
    ("mpu.cache", "j721e", f"{CORE}/\\w+_mpu_cfg.c", r"sees \[0xB0000000, 0xB0400000\) of 'APP_FILEIO_MEM' cached", (12, 0, 0), "no region for FILEIO"),
    ("mpu.cache", "j721e", SAFERTOS, ETHERNET.format("E4000000", "E4800000"), (5, 5, 5), "no region for it"),
    ("mpu.cache", "j721e", "mcu2_0/j721e_safertos_mpu_cfg.c", ETHERNET.format("E4200000", "E4800000"), (1, 1, 1), "2 of 8 MiB"),
    ("mpu.cache", "j721e", "mcu2_0/j721e_safertos_mpu_cfg.c", r"sees \[0x3600000, 0x3640000\) of 'MAIN_OCRAM_MCU2_0' not at all", (1, 1, 1), "no region for it"),
    ("mpu.cache", "j784s4", "mcu2_0/j784s4_safertos_mpu_cfg.c", ETHERNET.format("BE000000", "BE800000"), (1, 1, 1), "no region for it"),
    ("mmu.excess", "am62a", "c7x_1/example.syscfg", "'L2RAM_C7x_1_MAIN' of c7x_1 maps 16 MiB, but .* has 1 MiB", (1, 1, 1), "0x1000000 against 0x100000"),
    ("mmu.excess", "am62a", "c7x_1/example.syscfg", "'L2RAM_C7x_1_AUX' of c7x_1 maps 16 MiB, but .* has 240 KiB", (1, 0, 0), "0x1000000 against 0x3C000"),
    ("mmu.cache", "am62a", "c7x_1/example.syscfg", "'L2RAM_C7x_1_AUX_AS_L1' with MAIR0 .*'L2RAM_C7x_1_AUX' before it .*MAIR7", (0, 1, 1), "the entry ends at 0x7F03C000"),
    ("sdk.stale", "am62a", "mcu1_0/am62a_mpu_cfg.c", "the MPU regions of mcu1_0 are in mcu1_0/example.syscfg", (1, 1, 1), "compiled by nobody"),
    ("sdk.generated", "am62a", "mcu1_0/linker_mem_map.cmd", r"'R5F_TCMA' is \[0x40, 0x8000\) here, .* 3 differences more", (1, 0, 0), "32 KB TCMs, WKUP_SRAM_TRACE_BUFF"),
    ("sdk.comment", "am62a", "mcu1_0/linker_mem_map.cmd", "29.94 KB of 'R5F_TCMA' is 31.94 KB", (1, 0, 0), "32 KB TCMs by hand, below comments of before"),
    ("sdk.generated", "am62a", "mcu1_0/linker_mem_map.cmd", r"'DDR_DM_R5F' is \[0x9CAA5000, .*0x9CAA0000", (0, 0, 1), "the trace buffer was put before the code by hand"),
    ("dts.cells", "j784s4", "gen_linker_mem_map.py", "'DDR_C7X_HIGH_MEM_DTS' has 4 GiB", (0, 0, 1), "0x00 0x100000000"),
    ("sdk.generated", "j784s4", "c7x_[1-4]/linker_mem_map_safertos.cmd", r"\[0x100000000, 0x110000000\) here, but \[0x100000000, 0x108000000\) there", (0, 0, 4), "256 MB by hand"),
    ("sdk.generated", "j784s4", "app_mem_map.h", "gen_linker_mem_map_safertos.py makes: .*_SIZE is 0x10000000 here, but 0x8000000 there", (0, 0, 1), "256 MB"),
    ("sdk.generated", "j784s4", "k3-j784s4-rtos-memory-map.dtsi", r"'c7x_ddr_heaps_hi' reserves \[0x880000000, 0x980000000\) here", (0, 0, 1), "256 MB"),
    ("sdk.name", "j722s", "gen_linker_mem_map_safertos.py", "name 'c7x_1_msmc' is not defined", (1, 1, 0), "a NameError in Python too"),
    *[row for soc, counts in (("j742s2", (1, 1, 1)), ("j784s4", (1, 1, 0))) for row in (
        ("sdk.disagree", soc, "mcu2_1/linker_mem_map.cmd", OCRAM + " is in the linker map of mcu2_1, but not in that of mcu4_0", counts, "mcu2_1.addMemSection(main_ocram_mcu4_0)"),
        ("rat.missing", soc, "common/app_init.c", "mcu2_1 sees " + OCRAM, counts, "app_init.c maps MCU2_1's own"),
        ("sdk.disagree", soc, "mcu2_1/main.c", "appTarget2SharedConversion of mcu2_1 does not convert a region: .*" + OCRAM, counts, "it converts MCU2_1's own"))],
    ("sdk.stale", "j722s", "k3-am62a7-sk.dts", "no script writes this device tree", (1, 1, 1), "of another chip"),
    ("sdk.stale", "j721e", "k3-j721e-rtos-memory-map_psdkla.dtsi", "it does not reserve 3 regions", (1, 1, 1), "the tail of OBJ_DESC, both high heaps"),
    ("sdk.stale", "j722s", "mcu[12]_0/j722s_mpu_cfg.c", "the MPU regions of mcu[12]_0 are in mcu[12]_0/example.syscfg", (2, 2, 0), "128 MB at 0xA5000000"),
    ("sdk.comment", "j722s", "c7x_[12]/example.syscfg", r"1[45] comments are not true: 0x7[CD]200000 of 'CLEC' is 0x7[CD]300000", (2, 2, 0), "Region end: its start"),
    ("sdk.comment", "j722s", "c7x_[12]/(free|safe)rtos.syscfg", r"2 comments are not true: 0x7[CD]200000 of 'CLEC' is 0x7[CD]2FFFFF", (0, 0, 4), "Region end: its start"),
    ("sdk.comment", "j721s2", SAFERTOS, r"(9|10) comments are not true: 0 of 'region 1' is 1", (5, 5, 5), "Region 0 configuration: ulRegionNumber = 1U"),
    ("sdk.comment", "j721s2", "mcu2_0/j721s2_safertos_mpu_cfg.c", "8MB of 'region 4' is 4MB", (1, 1, 1), "Size is 8MB: (4U * 1024U * 1024U)"),
    ("sdk.comment", "j784s4", "mcu1_0/j784s4_safertos_mpu_cfg.c", "32KB of 'region 6' is 64KB", (1, 1, 1), "size is 32KB: (64U * 1024U)"),
    ("sdk.comment", "j742s2|j784s4", f"{CORE}/j7\\w+_mpu_cfg.c", "10 of 'region 9' is 9", (8, 8, 8), "Region 10 configuration: regionId = 9U"),
    ("mpu.cache", "j784s4", "mcu4_0/j784s4_safertos_mpu_cfg.c", r"'DDR_MCU4_0_VISS_CONFIG_HEAP' cached .* must be write-through", (1, 0, 0), "no region for it"),
    ("sdk.missing", "j784s4", "mcu1_1", "has its MPU regions", (1, 1, 1), "its makefile names $(SOC)_safertos_mpu_cfg.c"),
    ("sdk.missing", "j784s4|j721s2", "mcu1_1", "places its sections", (2, 2, 2), "its makefile names $(SOC)_linker_safertos.cmd"),
    ("sdk.disagree", "j721s2", "c7x_[12]/main.c", "appShared2TargetConversion of c7x_[12] does not convert 2 regions", (2, 2, 2), "the way there converts them, the way back does not"),
    ("verify.parse", "j\\w+", r"k3-\w+-rtos-memory-map.dtsi", "'arch' is no part of a device tree", (5, 5, 5), "'linux*/arch' ends the comment there"),
    ("verify.parse", "am62a", "k3-am62a7-sk.dts", "'arch' is no part of a device tree", (1, 0, 0), "'linux*/arch' ends the comment there"),
]
