// What all documents have in common: diagnostics, their hash, and how they are written.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/core/json.hpp"

#include <string>

namespace memsize::core {

/// The list "diagnostics" of every document. Those that are read back say what they are about, too.
[[nodiscard]] Json to_json(const Diagnostics& diagnostics, bool is_read_back = false);

/// Path, line and column, as far as they are known.
[[nodiscard]] Json place_json(const Place& place);

/// Adds what everything else in it hashes to, by sorted keys: readers tell who changed it since.
void seal(Json& document);

/// As it is printed and written. A name from an input may be no UTF-8; it is replaced.
[[nodiscard]] std::string document_text(const Json& document);

}  // namespace memsize::core
