// emit --sdk: what a tree has to become, shown, checked or written.
#pragma once

#include "memsize/emit/artifact.hpp"

#include "verbs.hpp"

namespace memsize::cli {

/// `schema` is that of emit's document.
[[nodiscard]] Outcome emit_tree(app::Session& session,
                                const app::EmitRequest& request,
                                const char* schema,
                                bool json);

/// The keys that emit's document has of two maps, and of what the change goes into: bytes, cores
/// and steps.
void add_balance(const layout::MemoryMap& map,
                 const layout::MemoryMap& baseline,
                 const emit::Affected& affected,
                 Json& document);

/// "237 MiB go back to Linux: ...; reflash c7x_1, c7x_2."
[[nodiscard]] std::string balance_sentence(const layout::MemoryMap& map,
                                           const layout::MemoryMap& baseline,
                                           const emit::Affected& affected);

}  // namespace memsize::cli
