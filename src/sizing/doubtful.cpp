// Takes an address away where it lies on no multiple that its heap gives, ends where none can,
// shares bytes with another record of its model, or lies further from those of its heap than they
// explain: where nothing tells which is wrong, from all of them.
#include "doubtful.hpp"

#include "memsize/core/text.hpp"
#include "memsize/sizing/addresses.hpp"

#include "allocator.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::sizing {

namespace {

using core::Bytes;
using core::Code;
using model::Block;
using model::Instance;

constexpr std::uint64_t kLowWords = std::uint64_t{1} << 32U;

// What rows that were lost, other models and other kernels may hold between two records of a model.
constexpr Bytes kMostUntold{std::uint64_t{256} << 20U};

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

// The space, and what of it.
using HeapName = std::tuple<std::string, model::Cacheability, model::Lifetime>;

// The blocks of a model in one heap, and where in its instance they stand.
struct HeapBlocks {
  BlockList all;
  // Those with addresses, in the order of these.
  std::vector<std::size_t> placed;
};

constexpr const char* kStray =
    "a digit was damaged on the way, or it is a pointer of a process and no place in a heap";

// Why an address is not believed; empty where that is told already.
struct Doubt {
  std::string why;
  const char* hint =
      "a digit was damaged on the way, or two heaps of that firmware lie over each other";
};

// What addresses are multiples of: of an operating system's heap, which knows no alignments, what
// its blocks and their headers are; else what the record asks for. A trace does not say on which
// family of parts it was taken, so the rules of all of them count.
std::uint64_t step_of(const Work& work, const Block& block) {
  std::uint64_t step = block.alignment.value();
  for (const board::HeapRule& rule : work.generation->heaps) {
    if (rule.kind == board::HeapRule::Kind::kRtos && rule.cacheability == block.cacheability &&
        rule.lifetime == block.lifetime) {
      step = std::gcd(step, std::gcd(rule.align.value(), rule.header.count()));
    }
  }
  return step;
}

const board::HeapRule* rule_for(const Work& work, const HeapName& name) {
  const auto& [space, cacheability, lifetime] = name;
  return work.generation->find_heap(cacheability, lifetime, rtos_family_of(work));
}

// Only those whose allocator is known.
std::map<HeapName, HeapBlocks> heaps_in(const Work& work,
                                        const std::string& core,
                                        const Instance& instance) {
  static const std::vector<HeapRegion> kNoHeaps;
  const auto& regions = work.view == nullptr ? kNoHeaps : work.view->heaps;
  const bool by_meaning = has_form_without_lifetime(work.format, instance);
  std::map<HeapName, HeapBlocks> heaps;
  for (std::size_t i = 0; i < instance.blocks.size(); ++i) {
    const Block& block = instance.blocks[i];
    if (!is_in_heap(block)) {
      continue;
    }
    const auto known = by_meaning ? lifetime_of(work.format, work.generation, regions, core, block)
                                  : std::optional{KnownLifetime{block.lifetime}};
    for (const auto lifetime : {model::Lifetime::kPersistent, model::Lifetime::kScratch}) {
      const HeapName name{block.space, block.cacheability, lifetime};
      if ((known && known->lifetime != lifetime) || rule_for(work, name) == nullptr) {
        continue;
      }
      // One of which it is not known may lie in either.
      heaps[name].all.push_back(&block);
      if (known && block.address) {
        heaps[name].placed.push_back(i);
      }
    }
  }
  return heaps;
}

// Of those from `first` to before `last`, which are sorted by address.
Bytes reach_of(const Instance& instance,
               const std::vector<std::size_t>& indices,
               std::size_t first,
               std::size_t last) {
  Bytes end;
  for (std::size_t i = first; i < last; ++i) {
    const Block& block = instance.blocks[indices[i]];
    const model::PrintedAddress base = *instance.blocks[indices[first]].address;
    end = std::max(end, block.address->offset_from(base) + Bytes{least_of(block)});
  }
  return end;
}

// From the one behind the widest gap on, because a heap may lie across a multiple of 4 GiB.
void sort_by_address(const Instance& instance, std::vector<std::size_t>& indices) {
  if (indices.empty()) {
    return;
  }
  const auto address = [&](std::size_t i) { return *instance.blocks[i].address; };
  const model::PrintedAddress any = address(indices.front());
  std::ranges::stable_sort(
      indices, {}, [&](std::size_t i) { return address(i).offset_from(any).count(); });
  std::size_t begin = 0;
  Bytes widest;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::size_t before = indices[(i + indices.size() - 1) % indices.size()];
    const Bytes gap = address(indices[i]).offset_from(address(before));
    if (gap > widest) {
      widest = gap;
      begin = i;
    }
  }
  std::rotate(indices.begin(), indices.begin() + static_cast<std::ptrdiff_t>(begin), indices.end());
}

class Doubts {
 public:
  Doubts(const Work& work, const model::CoreRecording& recorded)
      : work_(work), core_(recorded.core) {
    for (const Instance& instance : recorded.instances) {
      for (const auto& [name, heap] : heaps_in(work_, core_, instance)) {
        asked_[{instance.input, name}] += cost_of(*rule_for(work_, name), heap.all);
      }
    }
  }

  void look_at(Instance& instance) {
    doubtful_.assign(instance.blocks.size(), {});
    for (std::size_t i = 0; i < instance.blocks.size(); ++i) {
      look_at(instance.blocks[i], i);
    }
    look_for_overlaps(instance);
    look_for_strays(instance);
    const bool placed = std::ranges::any_of(instance.blocks, lies_in_heap);
    for (std::size_t i = 0; i < instance.blocks.size(); ++i) {
      if (doubtful_[i]) {
        report(instance, instance.blocks[i], *doubtful_[i]);
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
    if (const std::uint64_t step = step_of(work_, block); address % step != 0) {
      doubtful_[index] = Doubt{fmt::format("lies on no multiple of {}", step)};
    } else if (!core::checked_add(address, least_of(block))) {
      doubtful_[index] = Doubt{"ends beyond 2^64"};
    } else if (!block.address->is_whole() && address + least_of(block) > kLowWords &&
               !may_wrap(block)) {
      doubtful_[index] = Doubt{"ends beyond a multiple of 4 GiB, where no heap is known to lie"};
    }
  }

  // Heaps may lie across a multiple of 4 GiB.
  [[nodiscard]] bool may_wrap(const Block& block) const {
    return work_.view != nullptr && heap_around(work_.view->heaps, core_, block, false) != nullptr;
  }

  // Both of two records that share bytes: which of them is wrong cannot be told.
  void look_for_overlaps(const Instance& instance) {
    std::map<std::string_view, std::vector<std::size_t>> spaces;
    for (std::size_t i = 0; i < instance.blocks.size(); ++i) {
      if (instance.blocks[i].address && !doubtful_[i]) {
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
          doubtful_[i] = Doubt{"lies over " + shown(instance.blocks[*last])};
          doubtful_[*last] = Doubt{"lies over " + shown(instance.blocks[i])};
        }
        if (!last ||
            at(i) + least_of(instance.blocks[i]) > at(*last) + least_of(instance.blocks[*last])) {
          last = i;
        }
      }
    }
  }

  // How far the records of one model can lie from each other in a heap. In a linear one they stand
  // behind each other.
  [[nodiscard]] Bytes explained(const Instance& instance,
                                const HeapName& name,
                                const HeapBlocks& heap) const {
    const board::HeapRule& rule = *rule_for(work_, name);
    const std::uint32_t records = work_.generation->records;
    if (rule.kind == board::HeapRule::Kind::kLinear && records != 0 &&
        instance.blocks.size() >= records) {
      return bound_of(rule, {heap.all}, true);
    }
    return before_records(rule) + asked_.at({instance.input, name}) + kMostUntold;
  }

  void look_for_strays(const Instance& instance) {
    for (auto& [name, heap] : heaps_in(work_, core_, instance)) {
      std::erase_if(heap.placed, [&](std::size_t i) { return doubtful_[i].has_value(); });
      sort_by_address(instance, heap.placed);
      const std::size_t count = heap.placed.size();
      const Bytes most = explained(instance, name, heap);
      const Bytes all = reach_of(instance, heap.placed, 0, count);
      if (count < 2 || all <= most) {
        continue;
      }
      const std::string what = fmt::format("{} {}",
                                           model::name_of(std::get<model::Cacheability>(name)),
                                           model::name_of(std::get<model::Lifetime>(name)));
      const Bytes above = reach_of(instance, heap.placed, 1, count);
      const Bytes below = reach_of(instance, heap.placed, 0, count - 1);
      if (count > 2 && std::min(above, below) <= most) {
        // Without it the rest lies together.
        doubtful_[heap.placed[above < below ? 0 : count - 1]] =
            Doubt{fmt::format("would make its model's {} memory {} long, of which its records "
                              "explain {}",
                              what,
                              core::format_bytes(all),
                              core::format_bytes(most)),
                  kStray};
        continue;
      }
      for (const std::size_t i : heap.placed) {
        doubtful_[i] = Doubt{};
      }
      say(instance,
          instance.blocks[heap.placed.front()].line,
          fmt::format("the {} memory of one model would be {} long, of which its records explain "
                      "{}: none of its addresses is believed",
                      what,
                      core::format_bytes(all),
                      core::format_bytes(most)),
          kStray);
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

  void report(const Instance& instance, const Block& block, const Doubt& doubt) const {
    if (!doubt.why.empty()) {
      say(instance,
          block.line,
          fmt::format("{} {}: its address is not believed", shown(block), doubt.why),
          doubt.hint);
    }
  }

  void say(const Instance& instance,
           std::size_t line,
           const std::string& what,
           const char* hint) const {
    work_.say(core::warning(Code::kSizingAddresses,
                            fmt::format("{}: {}", core_name(core_), what),
                            work_.place_of(instance.input, line),
                            hint)
                  .about({{"core", core_}}));
  }

  const Work& work_;
  const std::string& core_;
  // What the models of an input ask of each heap.
  std::map<std::pair<std::size_t, HeapName>, Bytes> asked_;
  // For each block that is.
  std::vector<std::optional<Doubt>> doubtful_;
};

}  // namespace

model::CoreRecording without_doubtful(const Work& work, const model::CoreRecording& recorded) {
  model::CoreRecording believed = recorded;
  Doubts doubts{work, recorded};
  for (Instance& instance : believed.instances) {
    doubts.look_at(instance);
  }
  return believed;
}

}  // namespace memsize::sizing
