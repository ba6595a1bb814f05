// What the page for people shows of each region, against memory_map.json.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/verify.hpp"
#include "memsize/emit/written_map.hpp"

#include <string>

namespace memsize::emit {

/// In the folder of a map.
inline constexpr std::string_view kPageFile = "system_memory_map.html";

/// Each region must have a row with its bytes and its place on the bus, unless the page has no
/// rows of regions at all.
void verify_page(const WrittenMap& map,
                 const MapFile& page,
                 const std::string& root,
                 core::Diagnostics& found);

}  // namespace memsize::emit
