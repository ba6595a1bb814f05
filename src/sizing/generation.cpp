#include "generation.hpp"

#include "memsize/core/text.hpp"
#include "memsize/sizing/sizing.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace memsize::sizing {

namespace {

using board::Generation;
using core::Bytes;
using model::Block;

// Whether a block of exactly this size prints like that.
bool printed_so(const Block& block, Bytes size) {
  return size <= block.size.upper &&
         size + block.size.upper >= block.size.nearest + block.size.nearest;
}

std::optional<Bytes> matching(const std::vector<Bytes>& sizes, const Block& block) {
  const auto found =
      std::find_if(sizes.begin(), sizes.end(), [&](Bytes size) { return printed_so(block, size); });
  return found == sizes.end() ? std::nullopt : std::optional{*found};
}

ToldGeneration told_by(const Block& block, const Generation& candidate) {
  if (block.record != candidate.fingerprint_record) {
    return {};
  }
  if (const auto size = matching(candidate.fingerprint_sizes, block); size) {
    return {&candidate, {}, *size};
  }
  for (const auto& [part, rule] : candidate.parts) {
    if (const auto size = matching(rule.fingerprint_sizes, block); size) {
      return {&candidate, part, *size};
    }
  }
  return {};
}

}  // namespace

ToldGeneration generation_of(const model::Instance& instance, const board::TraceFormat& format) {
  for (const Generation& candidate : format.generations) {
    if (!candidate.form.empty() && candidate.form == instance.form) {
      return {&candidate, {}, {}};
    }
  }
  for (const Generation& candidate : format.generations) {
    for (const Block& block : instance.blocks) {
      ToldGeneration told = candidate.form.empty() ? told_by(block, candidate) : ToldGeneration{};
      if (told.generation != nullptr) {
        return told;
      }
    }
  }
  return {};
}

ToldRecording generation_of(const model::Recording& recording, const board::TraceFormat& format) {
  ToldRecording result;
  for (const model::CoreRecording& core : recording.cores) {
    for (const model::Instance& instance : core.instances) {
      ToldGeneration own = generation_of(instance, format);
      if (own.generation == nullptr) {
        result.everywhere = false;
        continue;
      }
      const ToldGeneration& first = result.told;
      result.several =
          result.several || (first.generation != nullptr &&
                             (first.generation != own.generation || first.part != own.part));
      if (first.generation == nullptr) {
        result.told = std::move(own);
      }
    }
  }
  return result;
}

std::string evidence_of(const ToldGeneration& told) {
  return told.evidence == Bytes{} ? std::string{"its tables have the form of that generation"}
                                  : fmt::format("record {} has {}",
                                                told.generation->fingerprint_record,
                                                core::format_bytes(told.evidence));
}

Bytes fixed_part(const board::FixedParts& fixed, const Block& block) {
  const auto known = fixed.find(block.record);
  if (known == fixed.end()) {
    return {};
  }
  return known->second.whole ? block.size.nearest
                             : std::min(known->second.size, block.size.nearest);
}

const Generation* find_generation(const model::Recording& recording,
                                  const board::TraceFormat& format) {
  const ToldRecording told = generation_of(recording, format);
  return told.several || !told.everywhere ? nullptr : told.told.generation;
}

}  // namespace memsize::sizing
