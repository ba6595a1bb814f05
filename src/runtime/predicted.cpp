// Places a model's records one behind the other by the allocator's arithmetic, and compares with
// the log's offsets. A place is a span, because sizes print rounded; what is outside is told.
#include "predicted.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace memsize::runtime {

namespace {

using board::HeapRule;
using core::Bytes;
using core::Code;
using model::Block;

// Of a finding's parties.
constexpr std::size_t kNamedBlocks = 6;

// Offsets from the heap's base at which a record may begin: sizes print rounded.
struct Span {
  std::uint64_t least = 0;
  std::uint64_t most = 0;

  // How far off, behind or before. Between the ends, the allocator takes whole steps.
  [[nodiscard]] std::int64_t miss(std::uint64_t offset, core::Align step) const {
    return offset > most    ? static_cast<std::int64_t>(offset - most)
           : offset < least ? -static_cast<std::int64_t>(least - offset)
                            : static_cast<std::int64_t>((offset - least) % step.value());
  }
};

std::uint64_t up(std::uint64_t value, core::Align align) {
  return core::align_up(Bytes{value}, align).count();
}

bool is_rtos(const HeapRule& rule) {
  return rule.kind == HeapRule::Kind::kRtos;
}

// Where the block behind one that begins at `offset` begins.
std::uint64_t behind(const HeapRule& rule, std::uint64_t offset, const Block& block, Bytes size) {
  const std::uint64_t bytes = up(size.count(), block.alignment);
  return is_rtos(rule) ? offset + up(bytes, rule.align) + rule.header.count()
                       : up(offset + size.count(), rule.align);
}

Span behind(const HeapRule& rule, const Span& span, const Block& block) {
  const Bytes slack = block.size.upper - block.size.nearest;
  const Bytes least = std::max(block.size.nearest - std::min(slack, block.size.nearest), Bytes{1});
  return {behind(rule, span.least, block, least), behind(rule, span.most, block, block.size.upper)};
}

// The first record of the first model in an empty heap. The mark of a list's end takes as much as a
// header, which stands before the record.
Span first_place(const HeapRule& rule) {
  std::uint64_t offset = 0;
  for (const auto* objects : {&rule.transient, &rule.objects}) {
    for (const Bytes object : *objects) {
      offset +=
          is_rtos(rule) ? up(object.count(), rule.align) + rule.header.count() : object.count();
    }
  }
  offset = is_rtos(rule) ? offset + rule.header.count() : up(offset, rule.align);
  return {offset, offset};
}

std::string signed_hex(std::int64_t miss) {
  return fmt::format("{} {}",
                     core::format_hex(static_cast<std::uint64_t>(miss < 0 ? -miss : miss)),
                     miss < 0 ? "before" : "behind");
}

class Predictor {
 public:
  Predictor(const layout::MemoryMap& map, const BoardLog& log)
      : map_(map), log_(log), generation_(log.format.find_generation(log.sizing.rules_of)) {}

  core::Diagnostics run(const std::vector<model::CoreRecording>& cores) {
    // Rules that are only an estimate prove nothing, and neither do those of another generation.
    if (generation_ == nullptr || !generation_->estimate.empty() ||
        log_.sizing.generations.empty()) {
      return {};
    }
    for (const model::CoreRecording& core : cores) {
      for (std::size_t i = 0; i < core.instances.size(); ++i) {
        hold(core, i);
      }
    }
    return std::move(found_);
  }

 private:
  void hold(const model::CoreRecording& core, std::size_t index) {
    for (const board::Knob& knob : map_.board.knobs) {
      const layout::Region* region = map_.find_by_knob(knob.name);
      if (!knob.demand || knob.demand->core != core.core || region == nullptr ||
          !region->virtual_range()) {
        continue;
      }
      const HeapRule* rule = generation_->find_heap(
          knob.demand->cacheability, knob.demand->lifetime, map_.board.rtos_family);
      if (rule != nullptr) {
        hold_heap(core, index, *region, *knob.demand, *rule);
      }
    }
  }

  void hold_heap(const model::CoreRecording& core,
                 std::size_t index,
                 const layout::Region& region,
                 const board::DemandKey& key,
                 const HeapRule& rule) {
    // Memory that is kept may hold other models' records: only the first model's place is known.
    bool is_known = index == 0 || key.lifetime == model::Lifetime::kScratch;
    Span expected = first_place(rule);
    std::vector<std::string> details;
    std::size_t shifted = 0;
    std::size_t placed = 0;
    std::size_t line = 0;
    const model::Instance& instance = core.instances[index];
    for (const Block& block : instance.blocks) {
      if (block.space != key.space || block.cacheability != key.cacheability ||
          block.lifetime != key.lifetime) {
        continue;
      }
      const auto offset = offset_in(*region.virtual_range(), block);
      if (!offset) {
        // Records outside of their heap are told elsewhere.
        return;
      }
      ++placed;
      expected = is_known ? expected : Span{*offset, *offset};
      is_known = true;
      if (expected.miss(*offset, rule.align) != 0) {
        line = shifted == 0 ? block.line : line;
        if (++shifted <= kNamedBlocks) {
          details.push_back(fmt::format("record {} at {}: {} where the allocator puts it",
                                        block.record,
                                        core::format_hex(block.address->value()),
                                        signed_hex(expected.miss(*offset, rule.align))));
        }
      }
      expected = behind(rule, expected, block);
    }
    if (shifted != 0) {
      report(core.core, instance, region, rule, shifted, placed, line, std::move(details));
    }
  }

  static std::optional<std::uint64_t> offset_in(const core::VirtRange& range, const Block& block) {
    if (!block.address) {
      return std::nullopt;
    }
    const Bytes offset = block.address->offset_from(range.base());
    return offset < range.size() ? std::optional{offset.count()} : std::nullopt;
  }

  void report(const std::string& core,
              const model::Instance& instance,
              const layout::Region& region,
              const HeapRule& rule,
              std::size_t shifted,
              std::size_t placed,
              std::size_t line,
              std::vector<std::string> details) {
    core::Diagnostic said = core::warning(
        Code::kSizingAddresses,
        fmt::format("{}: {} of {} in {} {} not where the allocator of {} puts them",
                    sizing::core_name(core),
                    shifted,
                    core::plural(placed, "record"),
                    region.name,
                    shifted == 1 ? "is" : "are",
                    generation_->title),
        {log_.recording.inputs.at(instance.input).path, line},
        "something else is in the heap, or the firmware's allocator is another one: then the sizes "
        "that were computed for this heap may be too small");
    if (shifted > kNamedBlocks) {
      details.push_back(fmt::format("and {} more", shifted - kNamedBlocks));
    }
    details.push_back("the allocator: " + rule.source);
    said.details = std::move(details);
    found_.push_back(std::move(said));
  }

  const layout::MemoryMap& map_;
  const BoardLog& log_;
  const board::Generation* generation_;
  core::Diagnostics found_;
};

}  // namespace

core::Diagnostics hold_predictions(const layout::MemoryMap& map,
                                   const BoardLog& log,
                                   const std::vector<model::CoreRecording>& cores) {
  return Predictor{map, log}.run(cores);
}

}  // namespace memsize::runtime
