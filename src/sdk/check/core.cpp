// Lays what a core programs over its linker map, entry by entry and region by region. The MAR
// registers of a C66x have pages of 16 MiB (SPRUGW0), and the last call for a page counts.
#include "core.hpp"

#include "memsize/core/text.hpp"
#include "memsize/emit/reach.hpp"

#include "fixed.hpp"
#include "formats/claims.hpp"
#include "shared.hpp"
#include "tree/reading.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;

constexpr std::uint64_t kMarPage = 1ULL << 24U;

class CoreChecker {
 public:
  CoreChecker(const View& view, const CoreReading& core, core::Diagnostics& found)
      : view_(view), core_(core), found_(found) {}

  void run() {
    for (const MmuReading& mmu : core_.mmu) {
      check_mmu(mmu);
    }
    for (const MpuReading& mpu : core_.mpu) {
      check_mpu(mpu);
    }
    for (const RatReading& rat : core_.rat) {
      emit::hold_rat(view_.reach_of(core_, rat.path), rat.entries, found_);
    }
    // A core with an MPU has a RAT, programmed or not.
    if (!core_.mpu.empty() && core_.rat.empty()) {
      emit::hold_rat(view_.reach_of(core_, core_.name), {}, found_);
    }
    check_mar();
    check_fixed(view_, core_, found_);
    check_shared(view_, core_, found_);
    check_sections();
    check_bound_sections();
  }

 private:
  void check_mmu(const MmuReading& mmu) {
    const emit::Core reach = view_.reach_of(core_, mmu.path);
    emit::hold_mmu(reach, view_.mair_kinds(), mmu.entries, found_);
    check_named_entries(reach, mmu.entries);
    check_neighbours(reach, mmu.entries);
    check_comments(mmu.path, mmu.entries);
  }

  void check_mpu(const MpuReading& mpu) {
    emit::Core reach = view_.reach_of(core_, mpu.path);
    add_areas(reach);
    emit::hold_mpu(reach, numbers(), mpu.regions, found_);
    check_comments(mpu.path, mpu.regions);
  }

  [[nodiscard]] emit::MpuNumbers numbers() const {
    const layout::MemoryMap* board = view_.board();
    return board == nullptr ? emit::MpuNumbers{}
                            : emit::MpuNumbers{board->board.mpu.first, board->board.mpu.last};
  }

  // Whether the board has an entry as large at that address, for a reason that it says.
  [[nodiscard]] bool board_maps(const emit::WrittenMmuEntry& entry) const {
    const layout::MemoryMap* board = view_.board();
    for (std::size_t i = 0; board != nullptr && i < board->mmu.size(); ++i) {
      const auto& ranges = board->mmu[i].ranges;
      if (board->mmu[i].core == core_.name &&
          std::ranges::any_of(ranges, [&](const layout::MmuRange& range) {
            return range.virtual_range.base().value() == entry.virtual_base &&
                   range.virtual_range.size().count() >= entry.size;
          })) {
        return true;
      }
    }
    return false;
  }

  // An entry with the name of a region is there for it alone.
  void check_named_entries(const emit::Core& core,
                           const std::vector<emit::WrittenMmuEntry>& entries) {
    for (const emit::WrittenMmuEntry& entry : entries) {
      for (const emit::Reach& region : core.regions) {
        if (region.name != entry.name || region.address != entry.virtual_base ||
            entry.size <= region.size || board_maps(entry)) {
          continue;
        }
        core::Diagnostic wrong =
            core::error(Code::kMmuExcess,
                        fmt::format("MMU entry '{}' of {} maps {}, but '{}' has {}",
                                    entry.name,
                                    core.name,
                                    core::format_size(core::Bytes{entry.size}),
                                    region.name,
                                    core::format_size(core::Bytes{region.size})),
                        entry.place,
                        core.hint)
                .about({{"entry", entry.name}, {"core", core.name}, {"region", region.name}});
        wrong.related.push_back(core::region_at(region.place, region.name));
        found_.push_back(std::move(wrong));
      }
    }
  }

  // Of two regions that touch, an entry was meant for one, and the other was left to a larger entry
  // below it: where the board says nothing about caches, both should be alike.
  void check_neighbours(const emit::Core& core, const std::vector<emit::WrittenMmuEntry>& entries) {
    const chip::Lens lens = emit::lens_of(entries);
    for (std::size_t i = 1; i < core.regions.size(); ++i) {
      const emit::Reach& before = core.regions[i - 1];
      const emit::Reach& region = core.regions[i];
      if (region.cache != chip::Cache::kAny || before.cache != chip::Cache::kAny ||
          region.size == 0 || before.size == 0 || before.address + before.size != region.address) {
        continue;
      }
      const auto own_at = lens.at(before.address);
      const auto rest_at = lens.at(region.address);
      if (!own_at || !rest_at) {
        continue;
      }
      const emit::WrittenMmuEntry& own = entries[*own_at];
      const emit::WrittenMmuEntry& rest = entries[*rest_at];
      if (own.attribute == rest.attribute || own.virtual_base != before.address ||
          rest.virtual_base >= before.address) {
        continue;
      }
      core::Diagnostic left_out =
          core::warning(Code::kMmuCache,
                        fmt::format("{} maps '{}' with {} as a part of '{}', but '{}' before it "
                                    "has an entry of its own with {}",
                                    core.name,
                                    region.name,
                                    core::printable(rest.attribute, 20),
                                    core::printable(rest.name, 60),
                                    before.name,
                                    core::printable(own.attribute, 20)),
                        own.place,
                        "let the entry cover both regions")
              .about({{"core", core.name}, {"region", region.name}, {"region", before.name}});
      left_out.related.push_back(core::region_at(region.place, region.name));
      found_.push_back(std::move(left_out));
    }
  }

  // A C66x caches what its MAR registers say, 16 MiB each (SPRUGW0, memory attribute registers); of
  // several calls for one page, the last one counts, and a page without any is not cached.
  void check_mar() {
    const chip::Lens lens = chip::lens_of(core_.mar, [](const MarCall& call) -> chip::Layer {
      const std::uint64_t first = call.base.value / kMarPage * kMarPage;
      const std::uint64_t last = call.base.value + (call.size.value - 1);
      return call.size.value == 0
                 ? chip::Layer{}
                 : chip::Layer{first, last / kMarPage * kMarPage + kMarPage - first};
    });
    for (const emit::Reach& region : view_.reach_of(core_, core_.mar_path).regions) {
      if (region.cache != chip::Cache::kNonCached) {
        continue;
      }
      for (const chip::Piece& piece : lens.over(region.address, region.size)) {
        if (!piece.layer || !core_.mar[*piece.layer].is_cached) {
          continue;
        }
        core::Diagnostic cached =
            core::error(
                Code::kMmuCache,
                fmt::format("{} caches {} of '{}', but it must be non-cached",
                            core_.name,
                            emit::range_text(piece.base / kMarPage * kMarPage, kMarPage),
                            region.name),
                core_.mar[*piece.layer].place,
                "switch the cache of its pages off, and give them to nothing that must be cached")
                .about({{"core", core_.name}, {"region", region.name}});
        cached.related.push_back(core::region_at(region.place, region.name));
        found_.push_back(std::move(cached));
        break;
      }
    }
  }

  // Of a file with comments that are not true, one warning.
  template <typename Entry>
  void check_comments(const std::string& path, const std::vector<Entry>& entries) {
    const emit::MapFile& file = *view_.sources().find(path);
    const auto wrong = wrong_claims(parse_claims(file, view_.sources().platform.folder), entries);
    if (wrong.empty()) {
      return;
    }
    constexpr std::size_t kMost = 8;
    const auto line_of = [](const WrongClaim& each) {
      return fmt::format("{} of '{}' is {}",
                         core::printable(each.claim.text, 40),
                         core::printable(each.name, 60),
                         each.right);
    };
    core::Diagnostic warning =
        core::warning(Code::kSdkComment,
                      fmt::format("{} not true: {}{}",
                                  wrong.size() == 1 ? "a comment is"
                                                    : fmt::format("{} comments are", wrong.size()),
                                  line_of(wrong.front()),
                                  wrong.size() == 1 ? "" : ", and others"),
                      wrong.front().claim.place,
                      "correct the comments: the next engineer believes them");
    for (const WrongClaim& each : wrong) {
      warning.parties.push_back({"entry", each.name});
    }
    for (std::size_t i = 1; i < std::min(wrong.size(), kMost + 1); ++i) {
      warning.details.push_back(
          fmt::format("line {}: {}", wrong[i].claim.place.line, line_of(wrong[i])));
    }
    if (wrong.size() > kMost + 1) {
      warning.details.push_back(fmt::format("... {} more", wrong.size() - kMost - 1));
    }
    found_.push_back(std::move(warning));
  }

  // A section that wants a larger alignment than its region has wastes the bytes before it, or does
  // not fit.
  void check_sections() {
    for (const emit::WrittenRange& range : core_.linker) {
      const OutputSection* section = most_aligned(core_.sections, range.name);
      if (section == nullptr || section->alignment->value == 0 ||
          range.base % section->alignment->value == 0) {
        continue;
      }
      const std::uint64_t lost = section->alignment->value - range.base % section->alignment->value;
      if (lost < range.size) {
        continue;
      }
      core::Diagnostic wrong =
          core::error(Code::kLayoutSection,
                      fmt::format("'{}' of {} wants a multiple of {} in '{}', but {} has none",
                                  core::printable(section->name, 60),
                                  core_.name,
                                  core::format_size(core::Bytes{section->alignment->value}),
                                  range.name,
                                  emit::range_text(range.base, range.size)),
                      section->place,
                      "move the region in the script, or lower the alignment")
              .about({{"section", section->name}, {"core", core_.name}, {"region", range.name}});
      wrong.related.push_back(core::region_at(range.place, range.name));
      found_.push_back(std::move(wrong));
    }
  }

  // A section that is bound to a number is where no region is, once the regions have moved.
  void check_bound_sections() {
    for (const OutputSection& section : core_.sections) {
      const bool lost = section.address && !core_.linker.empty() &&
                        std::ranges::none_of(core_.linker, [&](const auto& range) {
                          return section.address->value >= range.base &&
                                 section.address->value - range.base < range.size;
                        });
      if (lost) {
        found_.push_back(
            core::error(Code::kSdkDisagree,
                        fmt::format("'{}' of {} is bound to {}, which is in no region of its "
                                    "linker map",
                                    core::printable(section.name, 60),
                                    core_.name,
                                    core::format_hex(section.address->value)),
                        section.address->place,
                        "place the section into a region, so that it follows when that moves")
                .about({{"section", section.name}, {"core", core_.name}})
                .beside(core_.linker.front().place, "the linker map is here"));
      }
    }
  }

  // What the board says that the core must not cache, beside what its linker map has.
  void add_areas(emit::Core& reach) const {
    const layout::MemoryMap* board = view_.board();
    for (std::size_t i = 0; board != nullptr && i < board->mpu.size(); ++i) {
      const layout::MpuTable& table = board->mpu[i];
      for (std::size_t j = 0; table.core == core_.name && j < table.areas.size(); ++j) {
        const layout::MpuArea& area = table.areas[j];
        const board::MpuAttribute* attribute = board->board.mpu.find_attribute(area.attribute);
        const auto range = find_range(area.region);
        if (attribute == nullptr || !range) {
          continue;
        }
        reach.regions.push_back({.name = area.region,
                                 .address = range->base,
                                 .size = range->size,
                                 .cache = cache_of(*attribute),
                                 .place = range->place});
      }
    }
  }

  // The core's own range of that name, else any core's, else what C code has of it.
  [[nodiscard]] std::optional<emit::WrittenRange> find_range(const std::string& name) const {
    const emit::WrittenRange* found = nullptr;
    for (const CoreReading& owner : view_.reading().cores) {
      for (const emit::WrittenRange& range : owner.linker) {
        if (range.name == name && (found == nullptr || owner.name == core_.name)) {
          found = &range;
        }
      }
    }
    if (found != nullptr) {
      return *found;
    }
    const auto& macros = view_.reading().macros;
    const auto address = macros.find(name + "_ADDR");
    const auto size = macros.find(name + "_SIZE");
    if (address == macros.end() || size == macros.end()) {
      return std::nullopt;
    }
    return emit::WrittenRange{.name = name,
                              .base = address->second.value,
                              .size = size->second.value,
                              .place = address->second.place};
  }

  const View& view_;
  const CoreReading& core_;
  core::Diagnostics& found_;
};

}  // namespace

void check_core(const View& view, const CoreReading& core, core::Diagnostics& found) {
  CoreChecker{view, core, found}.run();
}

}  // namespace memsize::sdk
