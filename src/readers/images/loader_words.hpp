// What Linux' remoteproc says of a file before it looks at what is in it.
#pragma once

#include <string>
#include <string_view>

namespace memsize::readers {

/// In the kernel's own words; empty: it goes on.
[[nodiscard]] std::string loader_refusal(std::string_view file);

}  // namespace memsize::readers
