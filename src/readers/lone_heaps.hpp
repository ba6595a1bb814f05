// Heaps of which a log does not say for certain whose they are.
#pragma once

#include "memsize/model/recording.hpp"

#include <string>

namespace memsize::readers {

/// Tells of each heap that is all that is heard of its core, beside another core whose name is much
/// the same and whose other heaps are there: a letter of the name was damaged. Without a name at
/// all, what stands before the line was. `path` is for places.
void tell_lone_heaps(const std::string& path, model::Recording& recording);

}  // namespace memsize::readers
