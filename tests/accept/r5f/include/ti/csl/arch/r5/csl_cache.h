/* Stand-in for the PDK's header of this name. */
#ifndef CSL_CACHE_H
#define CSL_CACHE_H

#include <ti/csl/csl_types.h>

#endif
