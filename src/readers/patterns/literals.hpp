// Text that every match of a pattern has in it.
#pragma once

#include <string>
#include <string_view>

namespace memsize::readers {

/// The longest run of characters that stands outside of groups, classes and choices; empty where
/// there is none. What it has is in every match; not every match's text is in it.
[[nodiscard]] std::string longest_literal(std::string_view pattern);

}  // namespace memsize::readers
