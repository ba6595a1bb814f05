// What the reports of an analysis have in common.
#pragma once

#include "memsize/app/analyze.hpp"
#include "memsize/board/board.hpp"

#include "table.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

namespace memsize::cli {

/// "ddr cacheable persistent". `all` have a key each: what is alone in a memory that is not DDR, as
/// an arena that is one buffer, is known by the memory, since its class is one for all of it.
[[nodiscard]] std::string demand_name(const board::DemandKey& key, bool is_alone);

template <typename Demands>
[[nodiscard]] std::string demand_name(const board::DemandKey& key, const Demands& all) {
  return demand_name(key, std::ranges::count_if(all, [&](const auto& other) {
                            return other.key.core == key.core && other.key.space == key.space;
                          }) == 1);
}

/// As the trace printed it: two decimals of a KiB.
[[nodiscard]] std::string kib(core::Bytes size);
using sizing::core_name;
/// "-" where it is not known.
[[nodiscard]] std::string optional_size(const std::optional<core::Bytes>& size);

/// As people know it.
[[nodiscard]] std::string input_name(const model::Input& input);
/// What was understood of an input, in one line with its end.
[[nodiscard]] std::string understood(const app::Analysis& analysis, std::size_t input);
/// Failures as a table; heaps and runs, too, or how many there are. Empty where nothing tells of
/// them.
[[nodiscard]] std::string said_text(const app::Analysis& analysis, bool all);

/// One line: what is needed of what there is, and what Linux gets back.
[[nodiscard]] std::string verdict(const app::Analysis& analysis);
/// Heaps of a core in 80 columns: used, a share of now, suggested, and what must not be left out.
[[nodiscard]] std::string brief_table(const app::Analysis& analysis,
                                      const sizing::CoreSizing& core);
/// The notes that ask for something, five at most, and how many are left with `facts` others.
[[nodiscard]] std::string brief_notes(const app::Analysis& analysis,
                                      std::size_t width,
                                      std::size_t facts);
/// Words on lines of that width; the first begins in column `first`, the others in `rest`.
[[nodiscard]] std::string wrapped(const std::string& text,
                                  std::size_t width,
                                  std::size_t first,
                                  std::size_t rest);

/// What regions need that no trace sizes; of the whole, with a total that is the reservation.
[[nodiscard]] Table needs_table(const app::Analysis& analysis);
/// The same under a title; empty where nothing of the kind was asked for.
[[nodiscard]] std::string needs_text(const app::Analysis& analysis);

/// For every number of a demand its lines and its rule.
[[nodiscard]] std::string explain_demand(const app::Analysis& analysis,
                                         const sizing::CoreSizing& core,
                                         const sizing::Demand& demand);

}  // namespace memsize::cli
