// What the reports of an analysis have in common.
#pragma once

#include "memsize/board/board.hpp"
#include "memsize/core/json.hpp"

#include "app/pipeline.hpp"

#include <optional>
#include <string>

namespace memsize::cli {

/// "ddr cacheable persistent".
[[nodiscard]] std::string demand_name(const board::DemandKey& key);
/// The keys of a class of memory in documents. Not every total tells the lifetime.
void add_class(core::Json& json,
               const std::string& space,
               model::Cacheability cacheability,
               std::optional<model::Lifetime> lifetime);

/// Of a block, a total or a demand's key.
template <typename Item>
void add_class(core::Json& json, const Item& item) {
  add_class(json, item.space, item.cacheability, item.lifetime);
}

/// As the trace printed it: two decimals of a KiB.
[[nodiscard]] std::string kib(core::Bytes size);
using sizing::core_name;
/// "-" where it is not known.
[[nodiscard]] std::string optional_size(const std::optional<core::Bytes>& size);

/// As people know it.
[[nodiscard]] std::string input_name(const model::Input& input);
/// What was understood of an input, in one line with its end.
[[nodiscard]] std::string understood(const Analysis& analysis, std::size_t input);
/// Heaps, failures and runs, a table each; empty where nothing tells of them.
[[nodiscard]] std::string said_text(const Analysis& analysis);

/// What a suggestion must not be read without: "SDK 12.0 needs 9 MiB"; empty where nothing is.
[[nodiscard]] std::string caveat_of(const Analysis& analysis, const sizing::Demand& demand);

/// For every number of a demand its lines and its rule.
[[nodiscard]] std::string explain_demand(const Analysis& analysis,
                                         const sizing::CoreSizing& core,
                                         const sizing::Demand& demand);

}  // namespace memsize::cli
