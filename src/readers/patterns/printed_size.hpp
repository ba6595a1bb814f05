// A size as a log prints it, in whatever unit.
#pragma once

#include "memsize/model/block.hpp"

#include <optional>
#include <string_view>

namespace memsize::readers {

/// "440", "0.875", "20,625": so many units, rounded to the last decimal that is printed, of which
/// half may be missing: it counts. Whole numbers are exact. Nothing where it is no number, or more
/// than 2^50 bytes.
[[nodiscard]] std::optional<model::MeasuredSize> printed_size(std::string_view printed,
                                                              core::Bytes unit);

}  // namespace memsize::readers
