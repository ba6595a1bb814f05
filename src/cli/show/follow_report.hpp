// A model that was loaded while its log is followed.
#pragma once

#include "memsize/model/recording.hpp"

#include <string>

namespace memsize::cli {

/// A table with its line ends; `again`: more of the model came.
[[nodiscard]] std::string model_text(const std::string& core,
                                     const model::Instance& instance,
                                     bool again);

}  // namespace memsize::cli
