#include "check_core.hpp"

#include "memsize/core/text.hpp"
#include "memsize/emit/reach.hpp"
#include "memsize/sdk/claims.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;

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
    check_unused();
    check_sections();
  }

 private:
  void check_mmu(const MmuReading& mmu) {
    const emit::Core reach = view_.reach_of(core_, mmu.path);
    emit::hold_mmu(reach, view_.mair_kinds(), mmu.entries, found_);
    check_named_entries(reach, mmu.entries);
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

  void check_unused() {
    if (core_.unused_mpu_source.empty()) {
      return;
    }
    const std::string by = core_.mpu.empty() ? "sysconfig files" : core_.mpu.front().path;
    found_.push_back(core::warning(
        Code::kSdkStale,
        fmt::format("this table is left over: the MPU regions of {} are in {}", core_.name, by),
        view_.place_of(core_.unused_mpu_source),
        "remove it, lest somebody corrects the wrong file"));
  }

  // Whether the board has an entry as large at that address, for a reason that it says.
  [[nodiscard]] bool board_maps(const emit::WrittenMmuEntry& entry) const {
    const layout::MemoryMap* board = view_.board();
    for (std::size_t i = 0; board != nullptr && i < board->mmu.size(); ++i) {
      const auto& ranges = board->mmu[i].ranges;
      if (board->mmu[i].core == core_.name &&
          std::any_of(ranges.begin(), ranges.end(), [&](const layout::MmuRange& range) {
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
                        core.hint);
        wrong.related.push_back({region.place, fmt::format("'{}' is here", region.name)});
        found_.push_back(std::move(wrong));
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
                      "move the region in the script, or lower the alignment");
      wrong.related.push_back({range.place, fmt::format("'{}' is here", range.name)});
      found_.push_back(std::move(wrong));
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
        const emit::WrittenRange* range = find_range(area.region);
        if (attribute == nullptr || range == nullptr) {
          continue;
        }
        emit::MpuRegionFields fields;
        fields.tex = attribute->tex;
        fields.cacheable = attribute->cacheable;
        fields.bufferable = attribute->bufferable;
        emit::Reach each;
        each.name = area.region;
        each.address = range->base;
        each.size = range->size;
        each.cache = emit::kind_of(fields);
        each.place = range->place;
        reach.regions.push_back(std::move(each));
      }
    }
  }

  // The core's own range of that name, else any core's.
  [[nodiscard]] const emit::WrittenRange* find_range(const std::string& name) const {
    const emit::WrittenRange* found = nullptr;
    for (const CoreReading& owner : view_.reading().cores) {
      for (const emit::WrittenRange& range : owner.linker) {
        if (range.name == name && (found == nullptr || owner.name == core_.name)) {
          found = &range;
        }
      }
    }
    return found;
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
