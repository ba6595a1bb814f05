// Declares the emitters of consumers.def.
#pragma once

#include "memsize/emit/artifact.hpp"

namespace memsize::emit {

#define MEMSIZE_CONSUMER(name) Emitter name##_emitter();
#include "consumers.def"
#undef MEMSIZE_CONSUMER

}  // namespace memsize::emit
