/* The tables were loaded beside the program: the plan says where. */
#include "a64.h"

struct registers tables_to_use(void) {
  return PLAN->registers;
}
