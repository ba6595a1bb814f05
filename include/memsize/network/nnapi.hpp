// What a log of Android's neural networks says about memory: sizes, pools, temporaries, and what is
// wrong with models and requests.
#pragma once

#include "memsize/board/nnapi_format.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/rule.hpp"
#include "memsize/model/nnapi.hpp"
#include "memsize/model/plan.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::network {

/// Of an operand's elements; nothing: unknown, which is never 0.
[[nodiscard]] std::optional<core::Bytes> nn_bytes(const board::NnFormat& format,
                                                  std::string_view type,
                                                  const model::NnNumbers& dimensions);

/// A model of the log; one that is printed again is the same.
struct NnDistinctModel {
  std::size_t index = 0;
  std::size_t times = 1;
};

[[nodiscard]] std::vector<NnDistinctModel> nn_distinct(const model::NnLog& log);

/// What lies in one pool, or in operandValues.
struct NnPoolUse {
  /// Nothing: operandValues.
  std::optional<std::uint64_t> index;
  /// Empty: "<empty memory>"; nothing: the log does not say.
  std::optional<std::string> name;
  std::optional<core::Bytes> size;
  std::size_t count = 0;
  /// Of all that lie there, each counted; and without what two of them share.
  core::Bytes bytes;
  core::Bytes covered;
  /// Behind the last byte that is used.
  core::Bytes end;
  /// Constants that do not lie where the runtime would put one of their length.
  std::size_t off_rule = 0;

  [[nodiscard]] core::Bytes shared() const { return bytes - covered; }

  /// Bytes before the end, and up to the size where that is known, that nothing uses.
  [[nodiscard]] core::Bytes holes() const { return (size && *size > end ? *size : end) - covered; }
};

/// Operands of one kind.
struct NnRoleUse {
  std::size_t count = 0;
  /// Of those whose size is known.
  core::Bytes bytes;
  std::size_t unknown = 0;
};

struct NnModelUse {
  /// Of the log's models.
  std::size_t index = 0;
  /// "HIDL 1.3", "AIDL", "operator<<".
  std::string hal;
  std::size_t line = 0;
  std::size_t times = 1;
  std::size_t operands = 0;
  std::optional<std::uint64_t> announced_operands;
  std::size_t operations = 0;
  std::optional<std::uint64_t> announced_operations;
  std::size_t subgraphs = 0;
  bool is_whole = true;
  /// Of what is not in the log nobody knows where it lies: there may be no hole at all.
  bool has_operands = true;
  std::optional<core::Bytes> values_size;
  std::optional<NnPoolUse> values;
  std::vector<NnPoolUse> pools;
  NnRoleUse inputs;
  NnRoleUse outputs;
  NnRoleUse temporaries;
  /// Of each operand of the main graph, and of those that it refers to.
  std::vector<std::vector<std::optional<core::Bytes>>> operand_bytes;
  /// What the runtime would lay out if every temporary went between two devices: it never uses
  /// bytes again, and has two of what a loop hands over.
  core::Bytes laid_out_by_runtime;
};

struct NnArgumentUse {
  bool is_output = false;
  std::uint64_t index = 0;
  std::string kind;
  std::optional<std::uint64_t> pool;
  std::optional<core::Bytes> offset;
  std::optional<core::Bytes> length;
  std::optional<core::Bytes> padding;
  std::vector<std::uint64_t> dimensions;
};

struct NnRequestUse {
  std::size_t line = 0;
  std::vector<NnArgumentUse> arguments;
  std::vector<NnPoolUse> pools;
  bool is_whole = true;
  /// Arguments that do not lie, or are not padded, as the runtime prefers; what it would take that
  /// all of them do.
  std::size_t not_preferred = 0;
  core::Bytes preferred_extra;
};

/// What the events of one process say.
struct NnEventUse {
  std::string process;
  std::string device;
  NnRoleUse copied;
  NnRoleUse large;
  NnRoleUse from_memory;
  /// Of all pools that it made.
  std::optional<core::Bytes> large_pool;
  std::size_t large_pools = 0;
  /// Behind the last value that was copied: operandValues has at least so much.
  std::optional<core::Bytes> copied_end;
  /// As in the log, and where large ones lie by the runtime's rule, unless the log contradicts it.
  std::vector<model::NnValue> values;
  /// What the log says of their pool is not what the rule gives: some are not in the log.
  bool lacks_values = false;
  /// Of the last time that the argument was handed over.
  std::vector<NnArgumentUse> arguments;
  std::optional<core::Bytes> between_devices;
  std::size_t failed = 0;
};

struct NnAccount {
  std::vector<NnModelUse> models;
  std::vector<NnRequestUse> requests;
  std::vector<NnEventUse> events;
};

[[nodiscard]] NnAccount nn_account(const model::NnLog& log, const board::NnFormat& format);

/// What the models have beside their temporaries, each as an arena: "pool 0", "operandValues",
/// "inputs", "outputs"; of a second model "model 2, pool 0".
[[nodiscard]] std::vector<model::PlannedArena> nn_arenas(const NnAccount& account);

/// The temporaries become blocks, alive from their first write to their last read; what of the log
/// was cut becomes a warning. Those whose size or life the log does not have are none.
void complete_nnapi(const board::NnFormat& format, model::PlanReport& report);

/// Everything that is wrong with the models and requests of a log, as far as it has them.
[[nodiscard]] core::Diagnostics check_nnapi(const model::NnLog& log,
                                            const board::NnFormat& format,
                                            const std::string& path);

/// What check_nnapi holds logs against.
[[nodiscard]] const std::vector<core::Rule>& nnapi_rules();

}  // namespace memsize::network
