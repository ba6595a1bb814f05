/* Stand-in for SafeRTOS's header of this name. */
#ifndef MPUARM_H
#define MPUARM_H

#define portmpuLARGEST_REGION_SIZE_ACTUAL 0x80000000U

/* Bits of the size register, as in SafeRTOS's public ports: a table must use the names. */
#define mpuREGION_ALL_SUB_REGIONS_ENABLED 0x0000U
#define mpuREGION_1ST_SUB_REGION_DISABLE 0x0100U
#define mpuREGION_2ND_SUB_REGION_DISABLE 0x0200U
#define mpuREGION_3RD_SUB_REGION_DISABLE 0x0400U
#define mpuREGION_4TH_SUB_REGION_DISABLE 0x0800U
#define mpuREGION_5TH_SUB_REGION_DISABLE 0x1000U
#define mpuREGION_6TH_SUB_REGION_DISABLE 0x2000U
#define mpuREGION_7TH_SUB_REGION_DISABLE 0x4000U
#define mpuREGION_8TH_SUB_REGION_DISABLE 0x8000U

#endif
