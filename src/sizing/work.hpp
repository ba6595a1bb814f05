// What every part of the room works on: one recording, the rules, and the sizing that grows.
#pragma once

#include "memsize/sizing/sizing.hpp"

#include <string>
#include <string_view>

namespace memsize::sizing {

struct Work {
  const model::Recording& recording;
  const board::TraceFormat& format;
  /// nullptr without a board.
  const BoardView* view;
  const Options& options;
  /// Whose rules count, and those of the board where they are others.
  const board::Generation* generation = nullptr;
  const board::Generation* forecast = nullptr;
  /// The bytes that no model changes, on the trace's part and on the board's.
  const board::FixedParts* fixed = nullptr;
  const board::FixedParts* forecast_fixed = nullptr;
  Sizing& sizing;

  void say(core::Diagnostic diagnostic) const {
    sizing.diagnostics.push_back(std::move(diagnostic));
  }

  [[nodiscard]] core::Place place_of(std::size_t input, std::size_t line) const {
    return {recording.inputs.at(input).path, line};
  }
};

/// "cacheable persistent".
[[nodiscard]] std::string class_name(const board::DemandKey& key);
/// "record 5 (LAYERS_PARAMS_BUFF, fixed data of the layers)"; only the number where the
/// generation's numbers are not known.
[[nodiscard]] std::string record_name(const Work& work, std::uint32_t record);

[[nodiscard]] bool in_class(const model::Block& block, const board::DemandKey& key);
/// Empty where nobody says.
[[nodiscard]] std::string rtos_family_of(const Work& work);
/// How a generation's heap of a class places blocks on the board; one that takes nothing for itself
/// where no rule is known.
[[nodiscard]] const board::HeapRule& rule_of(const Work& work,
                                             const board::Generation& generation,
                                             const board::DemandKey& key);
/// The knob that a demand drives, or nullptr.
[[nodiscard]] const board::Knob* knob_of(const Work& work, const board::DemandKey& key);

}  // namespace memsize::sizing
