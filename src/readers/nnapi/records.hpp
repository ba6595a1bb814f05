// From trees of text to what they say, whatever the skin.
#pragma once

#include "memsize/model/nnapi.hpp"

#include "nnapi/text.hpp"

namespace memsize::readers::nnapi {

/// The line of the log at which the text begins; places in it are counted from there.
struct Source {
  const Tree& tree;
  model::NnSkin skin = model::NnSkin::kHidl;
  std::size_t line = 0;
};

[[nodiscard]] model::NnNumbers numbers_of(const Source& source, const Value* list);
[[nodiscard]] model::NnList<model::NnOperand> operands_of(const Source& source, const Value* list);
[[nodiscard]] model::NnList<model::NnOperation> operations_of(const Source& source,
                                                              const Value* list);
/// Of a model: memories; of a request: what holds a memory, a token or a buffer.
[[nodiscard]] model::NnList<model::NnPool> pools_of(const Source& source, const Value* list);
[[nodiscard]] model::NnModel model_of(const Source& source);
[[nodiscard]] model::NnRequest request_of(const Source& source);

}  // namespace memsize::readers::nnapi
