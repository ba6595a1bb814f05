/* Stand-in for the PDK's header of this name. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

#include <stdint.h>

#endif
