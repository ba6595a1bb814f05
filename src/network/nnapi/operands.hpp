// What plans, accounts and checks of NNAPI share: sizes, roles, and who uses what.
#pragma once

#include "memsize/network/nnapi.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::network {

/// Nothing: its lifetime was cut, or is none that the format has.
[[nodiscard]] std::optional<board::NnRole> nn_role(const board::NnFormat& format,
                                                   const model::NnOperand& operand);

/// "HIDL 1.3".
[[nodiscard]] std::string nn_hal(const model::NnModel& model);

/// "TENSOR_QUANT8_ASYMM 3x3x8x16".
[[nodiscard]] std::string nn_shape(std::string_view type, const model::NnNumbers& dimensions);

/// Its shape is known, and has more bytes than the 32 bits in which the runtime counts them.
[[nodiscard]] bool nn_is_too_large(const board::NnFormat& format,
                                   std::string_view type,
                                   const model::NnNumbers& dimensions);

/// Of the main graph, and of those that it refers to.
[[nodiscard]] std::vector<const model::NnSubgraph*> nn_graphs(const model::NnModel& model);

[[nodiscard]] bool nn_is_whole(const model::NnSubgraph& graph);
[[nodiscard]] bool nn_is_whole(const model::NnModel& model);
/// All operations are there, with all that they read and write.
[[nodiscard]] bool nn_has_operations(const model::NnSubgraph& graph);

/// When an operand of a graph is used, in the order of its operations.
struct NnUses {
  std::optional<std::size_t> first_write;
  std::size_t writes = 0;
  std::optional<std::size_t> first_read;
  std::optional<std::size_t> last_read;
  /// An operation may read it twice.
  std::size_t reads = 0;
};

/// Of each operand that the graph has.
[[nodiscard]] std::vector<NnUses> nn_uses(const model::NnSubgraph& graph);

/// What the log says of a pool of large values is not what its values give.
[[nodiscard]] bool nn_lacks_values(const model::NnLog& log);

/// Where the runtime would put a value of that length in operandValues, or in its pool.
[[nodiscard]] std::uint64_t nn_alignment(std::uint64_t length);

}  // namespace memsize::network
