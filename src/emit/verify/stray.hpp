// What does not belong into a written map, where nothing is anybody else's.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/verify.hpp"

#include <cstddef>
#include <string>

namespace memsize::emit {

/// In a tree of others a warning may do; in a file that an emitter wrote each is an error, as its
/// consumer has it. Those from `first` on.
void refuse_warnings(core::Diagnostics& errors, std::size_t first);

/// A linker map ends behind MEMORY.
void refuse_behind_memory(const MapFile& file, const std::string& root, core::Diagnostics& errors);

/// What no emitter writes and no consumer takes, in C or C++ of a map: a line that ends with a
/// word, a directive that is none, one more value behind a macro's number, a condition without its
/// end; in a script of GNU ld (.ld) such a line or brace. Comments and blank lines are anybody's.
/// Whether there was nothing of the kind.
bool refuse_stray_words(const MapFile& file, const std::string& root, core::Diagnostics& errors);

}  // namespace memsize::emit
