/* Stand-in for the PDK's header of this name. */
#ifndef SAFERTOS_MPU_H
#define SAFERTOS_MPU_H

#include "SafeRTOS_API.h"

#include <ti/csl/csl_types.h>

/* The names that both of the PDK's headers have. */
#include <ti/csl/arch/r5/csl_arm_r5_mpu.h>

typedef struct MPU_CONFIG_ACCESS {
  portUInt32Type ulexeNeverControl;
  portUInt32Type ulaccessPermission;
  portUInt32Type ulshareable;
  portUInt32Type ulcacheable;
  portUInt32Type ulcachePolicy;
  portUInt32Type ulmemAttr;
} xMPU_CONFIG_ACCESS;

typedef struct MPU_CONFIG_PARAMETERS {
  portUInt32Type ulRegionNumber;
  portUInt32Type ulRegionBeginAddress;
  xMPU_CONFIG_ACCESS xRegionAccess;
  portUInt32Type ulRegionSize;
  portUInt32Type ulSubRegionDisable;
} xMPU_CONFIG_PARAMETERS;

#endif
