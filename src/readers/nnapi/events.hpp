// What the runtime says in one line each while a model is built, planned and run.
#pragma once

#include "memsize/model/nnapi.hpp"

#include "nnapi/logcat.hpp"

namespace memsize::readers::nnapi {

/// Takes a line into the events, if it is one. A line that was cut is none: its last number may be
/// the beginning of another.
bool take_event(const LogLine& line, model::NnEvents& events);

/// Whether a message begins as an event does, without what is everywhere.
[[nodiscard]] bool is_event(std::string_view message);

}  // namespace memsize::readers::nnapi
