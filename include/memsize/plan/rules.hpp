// Where tensors shall go: rules by role and id, in the words of heliaAOT's `memory:` section, as
// YAML (a file that was written for heliaAOT is one) or TOML.
#pragma once

#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/model/plan.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::plan {

/// memory.constraints[]: replaces what the part says of a memory. Two of one memory are one, field
/// by field, the later over the earlier.
struct MemoryConstraint {
  /// In lower case, like all names of memories here.
  std::string memory;
  std::optional<core::Bytes> max_size;
  /// For the base of the arenas and for each slot.
  std::optional<core::Align> arena_alignment;
  core::Place place;
};

/// Fields that a rule sets; empty: left alone.
struct TensorAttributes {
  /// Where it is; of a constant: where its bytes come from.
  std::string memory;
  /// Of a constant: where kernels read it.
  std::string constant_destination_memory;
  /// The places of the two, for errors.
  core::Place memory_place;
  core::Place destination_place;
};

/// memory.tensors[].
struct TensorRule {
  /// Nothing: "*".
  std::optional<model::Lifetime> type;
  /// Empty: every id.
  std::vector<std::string> ids;
  TensorAttributes attributes;
  core::Place place;
};

struct Rules {
  std::vector<MemoryConstraint> constraints;
  std::vector<TensorRule> tensors;
  /// False: an application owns the arenas (memory.allocate_arenas).
  bool allocates_arenas = true;
  /// Warnings (plan.rule): keys that mean nothing, which heliaAOT ignores without a word.
  core::Diagnostics diagnostics;
};

/// A path that ends in ".toml" is TOML, any other YAML. Sizes are whole numbers of bytes or text
/// such as "64KiB"; types and memories may be written in any case; an id is text or a whole number,
/// or a list of these, and "*" is every id. Everything outside of `memory` is somebody else's.
/// Errors: plan.rule, and those of the text.
[[nodiscard]] core::Result<Rules> read_rules(std::string_view text, const std::string& path);

/// What the rules say of a block: (type and id) over type over id over neither, later over earlier
/// among equals, field by field (heliaAOT: reference/attributes).
[[nodiscard]] TensorAttributes attributes_of(const Rules& rules,
                                             model::Lifetime role,
                                             const std::string& id);

}  // namespace memsize::plan
