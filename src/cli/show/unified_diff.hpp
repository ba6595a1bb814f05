// The difference of two texts as people and patch(1) read it.
#pragma once

#include <string>

namespace memsize::cli {

/// Empty where the texts are equal. Three lines of context. Of bytes that are no text only that
/// they differ, in the words of diff(1).
[[nodiscard]] std::string unified_diff(const std::string& old_name,
                                       const std::string& old_text,
                                       const std::string& new_name,
                                       const std::string& new_text);

}  // namespace memsize::cli
