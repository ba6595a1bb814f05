/* Stand-in for the PDK's header of this name. Like that one it does not define TRUE or UTRUE. */
#ifndef CSL_ARM_R5_H
#define CSL_ARM_R5_H

#include <stdint.h>

#endif
