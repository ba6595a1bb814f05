// What a demand will be under the board's SDK generation, where the trace is of another one.
#pragma once

#include "candidate.hpp"

#include <vector>

namespace memsize::sizing {

/// Fills `forecast`, `forecast_figure` and `forecast_steps` of a demand that drives a knob. `lists`
/// are the blocks that were counted, model by model, `pad_last` as for `bound_of`.
void forecast(const Work& work, const std::vector<BlockList>& lists, bool pad_last, Demand& demand);

/// One warning with every change, and the settings that take the forecast.
void report_forecast(const Work& work);

}  // namespace memsize::sizing
