// How a region must be cached and where it must begin: the board that is known says so, else what
// the cores program and what their linker command files ask for.
#include "memsize/emit/reach.hpp"
#include "memsize/sdk/view.hpp"

#include "formats/linker_sections.hpp"
#include "plan.hpp"
#include "programs.hpp"
#include "tree/reading.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

namespace memsize::sdk {

namespace {

// Smaller alignments are met by any region that begins on a page.
constexpr std::uint64_t kSmallestAlignment = 64ULL << 10;

bool lists(docs::Value numbers, const std::string& attribute) {
  return std::ranges::any_of(
      numbers, [&](docs::Value number) { return attribute == "MAIR" + number.digits(); });
}

class NeedFinder {
 public:
  explicit NeedFinder(Plan& plan) : plan_(plan) {}

  void run() {
    for (PlanRegion& region : plan_.regions) {
      if (region.known != nullptr) {
        const board::Item& known = *region.known;
        region.cache = known.cache;
        // Where the tree has it one to one, no RAT entry asks for its alignment.
        const bool is_translated = region.physical_at != region.virtual_at;
        region.align =
            is_translated || !is_led_to(plan_.known()->rat, region.name) ? known.align.value() : 1;
        region.section_align = known.section_align.value();
      } else if (region.space == board::Space::kDdr) {
        region.cache = cache_of(region);
        find_alignment(region);
      }
    }
  }

 private:
  // What all cores that have it agree on.
  [[nodiscard]] chip::Cache cache_of(const PlanRegion& region) const {
    std::optional<chip::Cache> kind;
    for (const std::string& name : region.cores) {
      const CoreReading* core = plan_.reading->find(name);
      const auto own = core == nullptr ? std::nullopt : kind_for(*core, region);
      if (!own) {
        continue;
      }
      if (kind && *kind != *own) {
        return chip::Cache::kAny;
      }
      kind = own;
    }
    return kind.value_or(chip::Cache::kAny);
  }

  [[nodiscard]] std::optional<chip::Cache> kind_for(const CoreReading& core,
                                                    const PlanRegion& region) const {
    if (!core.mmu.empty()) {
      const auto& entries = core.mmu.front().entries;
      // C code names what it maps, wherever its header has it.
      auto entry = std::find_if(entries.rbegin(), entries.rend(), [&](const auto& each) {
        return each.name == region.name;
      });
      if (entry == entries.rend()) {
        entry = std::find_if(entries.rbegin(), entries.rend(), [&](const auto& each) {
          return region.virtual_at >= each.virtual_base &&
                 region.virtual_at - each.virtual_base < each.size;
        });
      }
      for (const auto& [kind, key] :
           {std::pair{chip::Cache::kNonCached, "mmu.mair_non_cached"},
            std::pair{chip::Cache::kWriteThrough, "mmu.mair_write_through"},
            std::pair{chip::Cache::kCached, "mmu.mair_cached"}}) {
        if (entry != entries.rend() && lists(given(plan_, key), entry->attribute)) {
          return kind;
        }
      }
      return std::nullopt;
    }
    if (core.mpu.empty()) {
      return std::nullopt;
    }
    const auto layer = emit::lens_of(core.mpu.front().regions).at(region.virtual_at);
    return layer ? std::optional{chip::cache_of(core.mpu.front().regions[*layer].fields)}
                 : std::nullopt;
  }

  void find_alignment(PlanRegion& region) const {
    for (const std::string& name : region.cores) {
      const CoreReading* core = plan_.reading->find(name);
      const OutputSection* section =
          core == nullptr ? nullptr : most_aligned(core->sections, region.name);
      if (section == nullptr || !section->alignment) {
        continue;
      }
      const std::uint64_t wanted = section->alignment->value;
      if (wanted < kSmallestAlignment || !std::has_single_bit(wanted)) {
        continue;
      }
      std::uint64_t& need = region.virtual_at % wanted == 0 ? region.align : region.section_align;
      need = std::max(need, wanted);
    }
  }

  Plan& plan_;
};

}  // namespace

void plan_needs(Plan& plan) {
  NeedFinder{plan}.run();
}

}  // namespace memsize::sdk
