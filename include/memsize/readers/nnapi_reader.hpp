// Logs of Android's neural networks: dumps of models and requests, and the runtime's own events.
#pragma once

#include "memsize/model/nnapi.hpp"

#include <string_view>

namespace memsize::readers {

/// Whether the text, or what it begins with, has a model, a request or an event.
[[nodiscard]] bool probe_nnapi(std::string_view text);

/// What it says; what it does not say is not in there. Nothing of a text is an error here: what was
/// cut is not whole.
[[nodiscard]] model::NnLog read_nnapi(std::string_view text);

}  // namespace memsize::readers
