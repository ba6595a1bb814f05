// Tells the generation by the form of a table, else by the size of one record, on the board's part
// first. Tables of one recording must agree: only generations that all of them may be of are left.
#include "generation.hpp"

#include "memsize/core/text.hpp"

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
      std::ranges::find_if(sizes, [&](Bytes size) { return printed_so(block, size); });
  return found == sizes.end() ? std::nullopt : std::optional{*found};
}

// Whether the table can be one of that generation, as far as its records' numbers tell.
bool may_have_printed(const Generation& candidate, const model::Instance& instance) {
  return candidate.records == 0 || instance.blocks.empty() ||
         instance.blocks.back().record < candidate.records;
}

// The size of the fingerprint's record that is the candidate's, too.
std::optional<Bytes> told_by(const Generation& candidate,
                             const model::Instance& instance,
                             const std::vector<Bytes>& sizes) {
  for (const Block& block : instance.blocks) {
    if (block.record == candidate.fingerprint_record) {
      if (const auto size = matching(sizes, block); size) {
        return size;
      }
    }
  }
  return std::nullopt;
}

// A table without a later generation's last records is of the earlier one; where it was cut, its
// totals do not agree.
void keep_complete(const model::Instance& instance, ToldGeneration& told) {
  if (instance.blocks.empty()) {
    return;
  }
  const std::uint32_t last = instance.blocks.back().record;
  const auto ends = [&](const Generation* each) { return each->records == last + 1; };
  if (std::ranges::any_of(told.generations, ends)) {
    std::erase_if(told.generations, [&](const Generation* each) { return !ends(each); });
  }
}

// Every generation of which `sizes_of` has a size of the table's.
template <typename SizesOf>
ToldGeneration told_by_sizes(const model::Instance& instance,
                             const board::TraceFormat& format,
                             std::string part,
                             SizesOf sizes_of) {
  ToldGeneration told{.part = std::move(part)};
  for (const Generation& candidate : format.generations) {
    const std::vector<Bytes>* sizes = sizes_of(candidate);
    const auto size =
        sizes != nullptr && candidate.form.empty() && may_have_printed(candidate, instance)
            ? told_by(candidate, instance, *sizes)
            : std::nullopt;
    if (size) {
      told.generations.push_back(&candidate);
      told.evidence = *size;
    }
  }
  keep_complete(instance, told);
  return told;
}

// Without a board: a size that most parts have says more than that of one family.
ToldGeneration told_on_any_part(const model::Instance& instance, const board::TraceFormat& format) {
  ToldGeneration told = told_by_sizes(instance, format, {}, [](const Generation& candidate) {
    return &candidate.fingerprint_sizes;
  });
  for (const Generation& candidate : format.generations) {
    for (const auto& [part, rule] : candidate.parts) {
      if (told.generations.empty()) {
        told = told_by_sizes(instance, format, part, [&part = part](const Generation& other) {
          return &other.fingerprint_on(part);
        });
      }
    }
  }
  return told;
}

}  // namespace

bool ToldGeneration::contains(const Generation* generation) const {
  return std::ranges::find(generations, generation) != generations.end();
}

const Generation* ToldGeneration::choose(const Generation* wanted) const {
  if (contains(wanted)) {
    return wanted;
  }
  const Generation* best = nullptr;
  Bytes most;
  for (const Generation* each : generations) {
    const board::FixedParts& fixed = each->fixed_on(part);
    const auto own = fixed.find(each->fingerprint_record);
    const Bytes size = own == fixed.end() ? Bytes{} : own->second.size;
    if (best == nullptr || (size >= most && size <= evidence)) {
      best = each;
      most = size;
    }
  }
  return best;
}

std::vector<std::string> ToldGeneration::names() const {
  std::vector<std::string> names;
  for (const Generation* each : generations) {
    names.push_back(each->name);
  }
  return names;
}

ToldGeneration generation_of(const model::Instance& instance,
                             const board::TraceFormat& format,
                             const std::string& soc) {
  for (const Generation& candidate : format.generations) {
    if (!candidate.form.empty() && candidate.form == instance.form) {
      return {{&candidate}, {}, {}};
    }
  }
  if (soc.empty()) {
    return told_on_any_part(instance, format);
  }
  ToldGeneration told = told_by_sizes(instance, format, soc, [&](const Generation& candidate) {
    return &candidate.fingerprint_on(soc);
  });
  // A model that was traced with firmware of most parts.
  return !told.generations.empty()
             ? told
             : told_by_sizes(instance, format, {}, [](const Generation& candidate) {
                 return &candidate.fingerprint_sizes;
               });
}

ToldRecording generation_of(const model::Recording& recording,
                            const board::TraceFormat& format,
                            const std::string& soc) {
  ToldRecording result;
  for (const model::CoreRecording& core : recording.cores) {
    for (const model::Instance& instance : core.instances) {
      ToldGeneration own = generation_of(instance, format, soc);
      if (own.generations.empty()) {
        result.everywhere = false;
        continue;
      }
      ToldGeneration& told = result.told;
      if (told.generations.empty()) {
        told = std::move(own);
        continue;
      }
      result.several = result.several || told.part != own.part;
      std::erase_if(told.generations, [&](const Generation* each) { return !own.contains(each); });
      result.several = result.several || told.generations.empty();
      if (result.several) {
        return result;
      }
    }
  }
  return result;
}

std::string evidence_of(const ToldGeneration& told) {
  return told.evidence == Bytes{} ? std::string{"its tables have the form of that generation"}
                                  : fmt::format("record {} has {}",
                                                told.generations.front()->fingerprint_record,
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

}  // namespace memsize::sizing
