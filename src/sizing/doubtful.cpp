// Takes an address away where it lies on no multiple that its heap gives, ends where none can, or
// shares bytes with another record of its model: then from both, as nothing tells which is wrong.
#include "doubtful.hpp"

#include "memsize/core/text.hpp"
#include "memsize/sizing/addresses.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace memsize::sizing {

namespace {

using core::Bytes;
using core::Code;
using model::Block;
using model::Instance;

constexpr std::uint64_t kLowWords = std::uint64_t{1} << 32U;

// A size prints rounded: no true size that prints like this is smaller.
std::uint64_t least_of(const Block& block) {
  const Bytes slack = block.size.upper - block.size.nearest;
  return std::max((block.size.nearest - std::min(slack, block.size.nearest)).count(),
                  std::uint64_t{1});
}

bool is_in_heap(const Block& block) {
  return block.cacheability != model::Cacheability::kOnChip;
}

bool lies_in_heap(const Block& block) {
  return is_in_heap(block) && block.address;
}

std::string shown(const Block& block) {
  return fmt::format("record {} ({} at {})",
                     block.record,
                     core::format_bytes(block.size.nearest),
                     core::format_hex(block.address->value()));
}

class Doubts {
 public:
  Doubts(const Work& work, const std::string& core) : work_(work), core_(core) {}

  void look_at(Instance& instance) {
    doubtful_.assign(instance.blocks.size(), {});
    for (std::size_t i = 0; i < instance.blocks.size(); ++i) {
      look_at(instance.blocks[i], i);
    }
    look_for_overlaps(instance);
    const bool placed = std::ranges::any_of(instance.blocks, lies_in_heap);
    for (std::size_t i = 0; i < instance.blocks.size(); ++i) {
      if (!doubtful_[i].empty()) {
        report(instance, instance.blocks[i], doubtful_[i]);
        instance.blocks[i].address.reset();
      } else if (placed && is_in_heap(instance.blocks[i]) && !instance.blocks[i].address) {
        report_missing(instance, instance.blocks[i]);
      }
    }
  }

 private:
  void look_at(const Block& block, std::size_t index) {
    if (!block.address) {
      return;
    }
    const std::uint64_t address = block.address->value();
    if (const std::uint64_t step = step_of(block); address % step != 0) {
      doubtful_[index] = fmt::format("lies on no multiple of {}", step);
    } else if (!core::checked_add(address, least_of(block))) {
      doubtful_[index] = "ends beyond 2^64";
    } else if (!block.address->is_whole() && address + least_of(block) > kLowWords &&
               !may_wrap(block)) {
      doubtful_[index] = "ends beyond a multiple of 4 GiB, where no heap is known to lie";
    }
  }

  // What addresses are multiples of: of an operating system's heap, which knows no alignments, what
  // its blocks and their headers are; else what the record asks for. A trace does not say on which
  // family of parts it was taken, so the rules of all of them count.
  [[nodiscard]] std::uint64_t step_of(const Block& block) const {
    std::uint64_t step = block.alignment.value();
    for (const board::HeapRule& rule : work_.generation->heaps) {
      if (rule.kind == board::HeapRule::Kind::kRtos && rule.cacheability == block.cacheability &&
          rule.lifetime == block.lifetime) {
        step = std::gcd(step, std::gcd(rule.align.value(), rule.header.count()));
      }
    }
    return step;
  }

  // Heaps may lie across a multiple of 4 GiB.
  [[nodiscard]] bool may_wrap(const Block& block) const {
    return work_.view != nullptr && heap_around(work_.view->heaps, core_, block, false) != nullptr;
  }

  // Both of two records that share bytes: which of them is wrong cannot be told.
  void look_for_overlaps(const Instance& instance) {
    std::map<std::string_view, std::vector<std::size_t>> spaces;
    for (std::size_t i = 0; i < instance.blocks.size(); ++i) {
      if (instance.blocks[i].address && doubtful_[i].empty()) {
        spaces[instance.blocks[i].space].push_back(i);
      }
    }
    for (auto& [space, indices] : spaces) {
      const bool whole = std::ranges::all_of(
          indices, [&](std::size_t i) { return instance.blocks[i].address->is_whole(); });
      const auto at = [&](std::size_t i) {
        const model::PrintedAddress address = *instance.blocks[i].address;
        return whole ? address.value() : model::PrintedAddress::low(address.value()).value();
      };
      std::ranges::stable_sort(indices,
                               [&](std::size_t a, std::size_t b) { return at(a) < at(b); });
      std::optional<std::size_t> last;
      for (const std::size_t i : indices) {
        if (last && at(*last) + least_of(instance.blocks[*last]) > at(i)) {
          doubtful_[i] = "lies over " + shown(instance.blocks[*last]);
          doubtful_[*last] = "lies over " + shown(instance.blocks[i]);
        }
        if (!last ||
            at(i) + least_of(instance.blocks[i]) > at(*last) + least_of(instance.blocks[*last])) {
          last = i;
        }
      }
    }
  }

  // Its second print was lost, or it was refused, which is told elsewhere.
  void report_missing(const Instance& instance, const Block& block) const {
    const auto& failures = work_.recording.failures;
    const bool refused = std::ranges::any_of(failures, [&](const model::Failure& failure) {
      return failure.core == core_ && failure.record == block.record;
    });
    if (!refused) {
      work_.say(core::warning(
          Code::kSizingAddresses,
          fmt::format("{}: record {} ({}) has no address, and others of its table have",
                      core_name(core_),
                      block.record,
                      core::format_bytes(block.size.nearest)),
          work_.place_of(instance.input, block.line),
          "the line with its address was lost or damaged: what is in use is told without it"));
    }
  }

  void report(const Instance& instance, const Block& block, const std::string& why) const {
    work_.say(core::warning(
        Code::kSizingAddresses,
        fmt::format("{}: {} {}: its address is not believed", core_name(core_), shown(block), why),
        work_.place_of(instance.input, block.line),
        "a digit was damaged on the way, or two heaps of that firmware lie over each other"));
  }

  const Work& work_;
  const std::string& core_;
  // Why, for each block; empty: it is not.
  std::vector<std::string> doubtful_;
};

}  // namespace

model::CoreRecording without_doubtful(const Work& work, const model::CoreRecording& recorded) {
  model::CoreRecording believed = recorded;
  Doubts doubts{work, recorded.core};
  for (Instance& instance : believed.instances) {
    doubts.look_at(instance);
  }
  return believed;
}

}  // namespace memsize::sizing
