/* Stand-in for the PDK's header of this name. */
#ifndef CSL_TYPES_H
#define CSL_TYPES_H

#include <stdint.h>

typedef unsigned short Bool;

#define UTRUE ((Bool)1)
#define UFALSE ((Bool)0)
#define TRUE ((Bool)1)
#define FALSE ((Bool)0)

#endif
