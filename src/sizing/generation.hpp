// Which SDK generation a table is of, and what is known of it.
#pragma once

#include "memsize/board/trace_format.hpp"
#include "memsize/model/recording.hpp"

#include <string>
#include <vector>

namespace memsize::sizing {

/// What a table or a recording says of its generation.
struct ToldGeneration {
  /// In the format's order; several where they print alike, none where nothing tells it.
  std::vector<const board::Generation*> generations;
  /// The family of chips whose fixed sizes it was told by (empty: those of most).
  std::string part;
  /// The size that told it; zero where the table's form did.
  core::Bytes evidence;

  [[nodiscard]] bool contains(const board::Generation* generation) const;
  /// Whose rules count: `wanted` if it is one of them, else the one that fits the size best.
  [[nodiscard]] const board::Generation* choose(const board::Generation* wanted) const;
  /// The names of the generations.
  [[nodiscard]] std::vector<std::string> names() const;
};

/// Told by the form of the table, or by one record of which all but a few bytes is fixed in the
/// SDK's source. `soc`: on which family of chips; empty: nobody knows.
[[nodiscard]] ToldGeneration generation_of(const model::Instance& instance,
                                           const board::TraceFormat& format,
                                           const std::string& soc);

/// What all tables that tell a generation agree on. `several`: they tell different ones.
struct ToldRecording {
  ToldGeneration told;
  /// Whether every table tells it.
  bool everywhere = true;
  bool several = false;
};

[[nodiscard]] ToldRecording generation_of(const model::Recording& recording,
                                          const board::TraceFormat& format,
                                          const std::string& soc);

/// How it was told: "record 11 has 4 194 560 B".
[[nodiscard]] std::string evidence_of(const ToldGeneration& told);

/// The bytes of a block that no model changes.
[[nodiscard]] core::Bytes fixed_part(const board::FixedParts& fixed, const model::Block& block);

}  // namespace memsize::sizing
