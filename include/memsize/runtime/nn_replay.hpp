// Buffers that a driver manages, as a log tells of them, done again by the reference of memory
// domains: what a driver gave although it had to refuse, and the other way round.
#pragma once

#include "memsize/board/nnapi_format.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/model/nnapi.hpp"

#include <string>

namespace memsize::runtime {

/// `model`: the only one of the log, whose roles descriptors then name; null where there are
/// several, which no log tells apart: then tokens alone are looked at. Copies into buffers are in
/// no log, so that every buffer counts as initialised.
[[nodiscard]] core::Diagnostics replay_nnapi(const model::NnLog& log,
                                             const model::NnModel* model,
                                             const board::NnFormat& format,
                                             const std::string& path);

}  // namespace memsize::runtime
