// Which SDK generation a table is of, and what is known of it.
#pragma once

#include "memsize/board/trace_format.hpp"
#include "memsize/model/recording.hpp"

#include <string>

namespace memsize::sizing {

/// A generation, and the family of chips whose fixed sizes it was told by (empty: those of most).
struct ToldGeneration {
  const board::Generation* generation = nullptr;
  std::string part;
  /// The size that told it; zero where the table's form did.
  core::Bytes evidence;
};

/// Told by the form of the table, or by one record of which all but a few bytes is fixed in the
/// SDK's source.
[[nodiscard]] ToldGeneration generation_of(const model::Instance& instance,
                                           const board::TraceFormat& format);

/// The same generation in all tables that tell one, or none. `several`: they tell different ones.
struct ToldRecording {
  ToldGeneration told;
  /// Whether every table tells it.
  bool everywhere = true;
  bool several = false;
};

[[nodiscard]] ToldRecording generation_of(const model::Recording& recording,
                                          const board::TraceFormat& format);

/// How it was told: "record 11 has 4 194 560 B".
[[nodiscard]] std::string evidence_of(const ToldGeneration& told);

/// The bytes of a block that no model changes.
[[nodiscard]] core::Bytes fixed_part(const board::FixedParts& fixed, const model::Block& block);

}  // namespace memsize::sizing
