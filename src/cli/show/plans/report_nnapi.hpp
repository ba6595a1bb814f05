// What a log of NNAPI says about memory, for people and as data.
#pragma once

#include "memsize/app/plan.hpp"
#include "memsize/core/json.hpp"

#include <string>

namespace memsize::cli {

/// Of planning.nnapi, which must be there: models, pools, requests and events, up to the
/// temporaries that a planner may place.
[[nodiscard]] std::string nnapi_text(const app::Planning& planning);

[[nodiscard]] core::Json nnapi_json(const network::NnAccount& account, const model::NnLog& log);

}  // namespace memsize::cli
