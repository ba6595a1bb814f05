/* Stand-in for SafeRTOS's header of this name. */
#ifndef SAFERTOS_API_H
#define SAFERTOS_API_H

#include <stdint.h>

typedef uint32_t portUInt32Type;

#endif
