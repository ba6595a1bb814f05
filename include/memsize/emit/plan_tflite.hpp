// A plan in the model that it is of, as TensorFlow Lite Micro's interpreter takes it.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/model/plan.hpp"

#include <string>
#include <string_view>

namespace memsize::emit {

/// Where that interpreter's arena lets a buffer begin:
/// tensorflow/lite/micro/micro_arena_constants.h, MicroArenaBufferAlignment().
inline constexpr std::uint64_t kTfliteSlot = 16;

/// The model of `path`, read before without an error, with its operators in the plan's order, and
/// where its scratch tensors lie as metadata "OfflineMemoryAllocation" (tensorflow/lite/micro/docs/
/// memory_management.md). All else of it stays byte for byte, behind a new beginning. Kernels' own
/// scratch is not in a plan: the interpreter finds room for it around what is planned. Errors
/// (plan.order, plan.alignment, emit.data): a plan of another model, of several scratch memories,
/// or with offsets that are no multiples of 16; a model of a later form, or with bytes behind it.
[[nodiscard]] core::Result<std::string> plan_tflite(std::string_view model,
                                                    const std::string& path,
                                                    const model::PlanReport& plan);

}  // namespace memsize::emit
