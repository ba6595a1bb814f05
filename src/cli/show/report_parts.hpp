// What the reports of an analysis have in common.
#pragma once

#include "memsize/app/analyze.hpp"
#include "memsize/board/board.hpp"

#include <optional>
#include <string>

namespace memsize::cli {

/// "ddr cacheable persistent".
[[nodiscard]] std::string demand_name(const board::DemandKey& key);
/// As the trace printed it: two decimals of a KiB.
[[nodiscard]] std::string kib(core::Bytes size);
using sizing::core_name;
/// "-" where it is not known.
[[nodiscard]] std::string optional_size(const std::optional<core::Bytes>& size);

/// As people know it.
[[nodiscard]] std::string input_name(const model::Input& input);
/// What was understood of an input, in one line with its end.
[[nodiscard]] std::string understood(const app::Analysis& analysis, std::size_t input);
/// Heaps, failures and runs, a table each; empty where nothing tells of them.
[[nodiscard]] std::string said_text(const app::Analysis& analysis);

/// For every number of a demand its lines and its rule.
[[nodiscard]] std::string explain_demand(const app::Analysis& analysis,
                                         const sizing::CoreSizing& core,
                                         const sizing::Demand& demand);

}  // namespace memsize::cli
