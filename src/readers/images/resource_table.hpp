// The resource table of a firmware, read as Linux does.
#pragma once

#include "memsize/model/resource_table.hpp"

#include <string_view>

namespace memsize::readers {

/// The section's bytes; its address and size are the caller's. Whatever the bytes are: what cannot
/// be read is a complaint.
[[nodiscard]] model::ResourceTable read_resource_table(std::string_view bytes);

/// Of a file that ends before it.
[[nodiscard]] model::ResourceTable cut_resource_table();

}  // namespace memsize::readers
