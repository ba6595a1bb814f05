// Decides for each file of a core's program which entries follow the map, and has it edited. Where
// MPU regions would then show memory otherwise than it must be seen, or was, that alone is changed.
#include "programs.hpp"

#include "memsize/chip/lens.hpp"
#include "memsize/chip/limits.hpp"
#include "memsize/core/cursor.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/reach.hpp"

#include "follow.hpp"
#include "program/edit_program.hpp"
#include "repaint.hpp"
#include "tree/reading.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using chip::MpuRegionFields;
using chip::RatEntryFields;
using core::Code;
using layout::MemoryMap;

bool covers_same(const emit::WrittenMmuEntry& a, const emit::WrittenMmuEntry& b) {
  return a.virtual_base == b.virtual_base && a.physical == b.physical && a.size == b.size;
}

bool same_ranges(const std::vector<emit::WrittenMmuEntry>& a,
                 const std::vector<emit::WrittenMmuEntry>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), covers_same);
}

// Whether an entry that moves was over addresses that another one should be over: as long as it
// stood there, the other's mistake was hidden.
bool is_uncovered(const std::vector<emit::WrittenMmuEntry>& before,
                  const std::vector<emit::WrittenMmuEntry>& after,
                  const emit::WrittenMmuEntry& right) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!covers_same(before[i], after[i]) &&
        before[i].virtual_base < right.virtual_base + right.size &&
        right.virtual_base < before[i].virtual_base + before[i].size) {
      return true;
    }
  }
  return false;
}

std::string leads_text(const emit::WrittenMmuEntry& entry) {
  const std::string range = emit::range_text(entry.virtual_base, entry.size);
  return entry.virtual_base == entry.physical
             ? range
             : fmt::format("{} to {}", range, core::format_hex(entry.physical));
}

template <typename Fields, typename Written>
bool same_fields(const std::vector<Fields>& wanted, const std::vector<Written>& written) {
  return std::equal(wanted.begin(),
                    wanted.end(),
                    written.begin(),
                    written.end(),
                    [](const Fields& a, const Written& b) { return a == b.fields; });
}

bool is_syscfg(const std::string& path) {
  return path.ends_with(".syscfg");
}

bool is_table(const std::string& path) {
  return path.ends_with("_mpu_cfg.c");
}

// What an MPU must show of the map.
emit::Core reach_of(const MemoryMap& map, const std::string& core) {
  emit::Core reach;
  reach.name = core;
  std::set<std::string> told;
  const auto add = [&](const layout::Region& region, chip::Cache cache) {
    reach.regions.push_back({.name = region.name,
                             .address = region.virtual_base->value(),
                             .size = region.size.count(),
                             .cache = cache});
  };
  for (const layout::Region& region : map.regions) {
    if (region.seen_by(core) && region.virtual_base) {
      add(region, region.cache);
    }
  }
  for (const layout::MpuTable& table : map.mpu) {
    for (std::size_t i = 0; table.core == core && i < table.areas.size(); ++i) {
      const layout::Region* region = map.find_owned(table.areas[i].region);
      if (region != nullptr && region->virtual_base && !region->seen_by(core)) {
        add(*region, region->cache);
      }
    }
  }
  return reach;
}

std::size_t count_wrong(const MemoryMap& map,
                        const std::string& core,
                        const std::vector<MpuRegionFields>& fields) {
  std::vector<emit::WrittenMpuRegion> regions;
  for (const MpuRegionFields& each : fields) {
    regions.push_back({.fields = each});
  }
  core::Diagnostics found;
  emit::hold_mpu(reach_of(map, core), {map.board.mpu.first, map.board.mpu.last}, regions, found);
  return found.size();
}

bool is_legal(const MpuRegionFields& region) {
  return std::has_single_bit(region.size) && region.base % region.size == 0;
}

// Nothing shows memory where there is no region.
bool is_right(const MpuRegionFields* by, chip::Cache cache) {
  return by != nullptr && (cache == chip::Cache::kAny || cache_of(*by) == cache);
}

bool same_bits(const MpuRegionFields* by, const chip::MpuBits& bits) {
  return by != nullptr && bits == *by;
}

// How regions show memory of the map.
struct Showing {
  /// Of those that show it as it must be seen, the first; null where none does.
  const MpuRegionFields* right = nullptr;
  /// All of it is shown like that.
  bool is_whole = false;
};

Showing showing_of(const std::vector<MpuRegionFields>& regions, const emit::Reach& memory) {
  Showing showing;
  const auto pieces = lens_of(regions).over(memory.address, memory.size);
  for (const chip::Piece& piece : pieces) {
    const MpuRegionFields* by = piece.layer ? &regions[*piece.layer] : nullptr;
    showing.right = showing.right == nullptr && is_right(by, memory.cache) ? by : showing.right;
  }
  showing.is_whole =
      showing.right != nullptr && std::ranges::all_of(pieces, [&](const auto& piece) {
        return piece.layer && same_bits(&regions[*piece.layer], *showing.right);
      });
  return showing;
}

core::Diagnostic lost(const std::string& what, const CoreReading& core, const core::Place& place) {
  return core::error(
      Code::kSdkFollow,
      fmt::format("{} of {} lies over regions that move, but is not just theirs: it cannot "
                  "follow them",
                  what,
                  core.name),
      place,
      "let the entry begin and end where its regions do, and try again");
}

// What the core must see otherwise than `shown` has it. Memory that it saw as it must, all of it
// in one way, is seen so wherever it is now. With `mends`, what is wrong becomes right, and by
// that neither less shareable nor executable.
std::vector<MpuPatch> patches_for(const MemoryMap& map,
                                  const MemoryMap& after,
                                  const std::string& core,
                                  const std::vector<MpuRegionFields>& now,
                                  const std::vector<MpuRegionFields>& shown,
                                  const std::vector<MpuRegionFields>& computed,
                                  bool mends) {
  const emit::Core before = reach_of(map, core);
  const chip::Lens lens = lens_of(shown);
  std::vector<MpuPatch> patches;
  for (const emit::Reach& region : reach_of(after, core).regions) {
    if (region.address + region.size > chip::kMpuSpace) {
      continue;
    }
    const emit::Reach* old = core::find_in(before.regions, region.name, &emit::Reach::name);
    Showing showing = old == nullptr ? Showing{} : showing_of(now, *old);
    if (showing.right == nullptr) {
      showing.right = showing_of(computed, region).right;
    }
    if (showing.right == nullptr || !(showing.is_whole || mends)) {
      continue;
    }
    for (const chip::Piece& piece : lens.over(region.address, region.size)) {
      const MpuRegionFields* by = piece.layer ? &shown[*piece.layer] : nullptr;
      MpuPatch patch{region.name, piece.base, piece.size(), *showing.right};
      if (!showing.is_whole && by != nullptr) {
        patch.bits.shareable = patch.bits.shareable || by->shareable;
        patch.bits.execute = patch.bits.execute && by->execute;
      }
      if (showing.is_whole ? !same_bits(by, patch.bits) : !is_right(by, region.cache)) {
        patches.push_back(std::move(patch));
      }
    }
  }
  return patches;
}

// What stays as it was keeps what somebody called it.
void keep_name(const std::vector<MpuRegionFields>& now, MpuRegionFields& region) {
  for (const MpuRegionFields& old : now) {
    MpuRegionFields renamed = region;
    renamed.name = old.name;
    renamed.number = old.number;
    if (renamed == old) {
      region.name = old.name;
      return;
    }
  }
}

core::Diagnostic too_few(const board::Mpu& numbers,
                         const CoreReading& core,
                         const MpuReading& mpu,
                         const std::vector<MpuPatch>& patches,
                         bool mends) {
  const std::string kept = patches.empty()
                               ? "what its linker map has"
                               : fmt::format("'{}' as it does now", patches.front().name);
  return core::error(
      Code::kSdkFollow,
      fmt::format("MPU regions {} to {} of {} do not suffice to show {} beside what changes",
                  numbers.first,
                  numbers.last,
                  core.name,
                  kept),
      mpu.regions.front().place,
      mends ? "change its MPU regions by hand, or leave out --force: then they stay as they are"
            : "give regions sizes that are powers of two");
}

std::vector<MpuRegionFields> fields_of(const MpuReading& mpu) {
  std::vector<MpuRegionFields> fields;
  for (const emit::WrittenMpuRegion& region : mpu.regions) {
    fields.push_back(region.fields);
  }
  return fields;
}

// Each region by itself, with patches where that does not show the core what it must see. Where
// its numbers do not suffice for that, all of them anew, under the same conditions.
tl::expected<std::vector<MpuRegionFields>, core::Diagnostic> wanted_mpu(
    const OpenVariant& variant,
    const MemoryMap& after,
    const std::vector<MovedRegion>& moved,
    const CoreReading& core,
    const MpuReading& mpu,
    bool may_mend) {
  const std::vector<MpuRegionFields> now = fields_of(mpu);
  const unsigned last = variant.board.mpu.last;
  const std::size_t wrong_now = count_wrong(variant.map, core.name, now);
  const auto computed = computed_mpu(after, core.name);
  auto followed = follow_mpu(mpu.regions, moved);
  for (const bool mends : {may_mend, true}) {
    if (!followed) {
      continue;
    }
    const bool are_legal = std::ranges::all_of(*followed, is_legal);
    if (mends) {
      std::erase_if(*followed, [](const MpuRegionFields& each) { return !is_legal(each); });
    }
    const auto patches =
        patches_for(variant.map, after, core.name, now, *followed, computed, mends);
    auto wanted = repaint_mpu(*followed, patches, last);
    const bool is_good = wanted && (mends || ((are_legal || wanted == followed) &&
                                              count_wrong(after, core.name, *wanted) <= wrong_now));
    if (is_good) {
      return std::move(*wanted);
    }
  }
  const auto patches = patches_for(variant.map, after, core.name, now, computed, computed, false);
  auto wanted = repaint_mpu(computed, patches, last);
  if (!wanted) {
    return tl::make_unexpected(too_few(variant.board.mpu, core, mpu, patches, may_mend));
  }
  for (MpuRegionFields& region : *wanted) {
    keep_name(now, region);
  }
  return std::move(*wanted);
}

class Follower {
 public:
  Follower(const Sources& sources,
           const OpenVariant& variant,
           const MemoryMap& after,
           const emit::Constants& macros,
           bool mends)
      : sources_(sources), variant_(variant), after_(after), macros_(macros), mends_(mends) {
    for (const auto& [name, macro] : variant.reading->macros) {
      old_macros_[name] = macro.value;
    }
  }

  ProgramEdits run() {
    for (const CoreReading& core : variant_.reading->cores) {
      regions_ = moved_regions(variant_.map, after_, core.name);
      for (const MmuReading& mmu : core.mmu) {
        if (is_syscfg(mmu.path)) {
          follow(core, mmu);
        }
      }
      std::set<std::string> paths;
      for (const MpuReading& mpu : core.mpu) {
        paths.insert(mpu.path);
      }
      for (const RatReading& rat : core.rat) {
        paths.insert(rat.path);
      }
      for (const std::string& path : paths) {
        if (is_syscfg(path) || is_table(path)) {
          follow(core, path);
        }
      }
    }
    return std::move(edits_);
  }

 private:
  [[nodiscard]] const std::string& root() const { return sources_.platform.folder; }

  // As it is by now.
  [[nodiscard]] emit::MapFile file_of(const std::string& path) const {
    const auto edited = edits_.files.find(path);
    return edited == edits_.files.end() ? *sources_.find(path)
                                        : emit::MapFile{path, edited->second};
  }

  void put(const std::string& path, core::Result<std::string> content) {
    if (!content) {
      edits_.problems.insert(edits_.problems.end(), content.error().begin(), content.error().end());
    } else {
      edits_.files[path] = std::move(*content);
    }
  }

  // An entry that no size drives, and that is not what the map has.
  void besides(const CoreReading& core,
               const emit::WrittenMmuEntry& entry,
               const emit::WrittenMmuEntry& right,
               bool mend) {
    const std::string what = fmt::format("MMU entry '{}' of {} maps {}, where the map has {}",
                                         core::printable(entry.name, 60),
                                         core.name,
                                         leads_text(entry),
                                         leads_text(right));
    if (mend) {
      edits_.repairs.push_back(what);
    }
    const char* done = !mend    ? "it was left as it is"
                       : mends_ ? "it was put right"
                                : "it was put right, because the entry that covered the rest moves";
    tell(core::warning(Code::kSdkFollow,
                       fmt::format("{}: {}", what, done),
                       entry.place,
                       mend ? "" : "--force puts it right"));
  }

  void tell(core::Diagnostic found) {
    const core::Place place = found.place;
    core::Diagnostics one = {std::move(found)};
    for (const auto& [path, file] : sources_.files) {
      if (file.path_under(root()) == place.path.str()) {
        core::add_text(one, place.path.str(), file.content);
      }
    }
    edits_.problems.push_back(std::move(one.front()));
  }

  void follow(const CoreReading& core, const MmuReading& mmu) {
    const layout::MmuTable* table = after_.find_mmu(core.name);
    auto followed = follow_mmu(mmu.entries, regions_, table, false);
    const auto mended = follow_mmu(mmu.entries, regions_, table, true);
    const std::vector<emit::WrittenMmuEntry> driven = followed.entries;
    for (std::size_t i = 0; i < mmu.entries.size(); ++i) {
      if (!covers_same(driven[i], mended.entries[i])) {
        const bool mend = mends_ || is_uncovered(mmu.entries, driven, mended.entries[i]);
        besides(core, driven[i], mended.entries[i], mend);
        if (mend) {
          followed.entries[i] = mended.entries[i];
        }
      }
    }
    if (mends_) {
      followed = mended;
    }
    for (const std::size_t i : followed.lost) {
      tell(lost(fmt::format("MMU entry '{}'", core::printable(mmu.entries[i].name, 60)),
                core,
                mmu.entries[i].place));
    }
    if (!same_ranges(followed.entries, mmu.entries)) {
      put(mmu.path, edit_mmu_syscfg(file_of(mmu.path), root(), followed.entries));
    }
  }

  void follow(const CoreReading& core, const std::string& path) {
    const auto at = [&](const auto& each) { return each.path == path; };
    const auto mpu = std::ranges::find_if(core.mpu, at);
    const auto rat = std::ranges::find_if(core.rat, at);
    std::vector<MpuRegionFields> regions;
    if (mpu != core.mpu.end()) {
      auto wanted = wanted_mpu(variant_, after_, regions_, core, *mpu, mends_);
      if (!wanted) {
        tell(std::move(wanted.error()));
      }
      regions = wanted ? std::move(*wanted) : fields_of(*mpu);
    }
    if (is_table(path)) {
      put(path,
          edit_mpu_source({file_of(path), root(), sources_.programs, variant_.board.mpu.first},
                          old_macros_,
                          macros_,
                          regions));
      return;
    }
    Followed<RatEntryFields> entries;
    if (rat != core.rat.end()) {
      entries = follow_rat(rat->entries, regions_);
      for (const std::size_t i : entries.lost) {
        tell(lost(fmt::format("RAT entry '{}'", core::printable(entries.entries[i].name, 60)),
                  core,
                  rat->entries[i].place));
      }
    }
    const bool same = (mpu == core.mpu.end() || same_fields(regions, mpu->regions)) &&
                      (rat == core.rat.end() || same_fields(entries.entries, rat->entries));
    if (!same) {
      put(path,
          edit_mpu_syscfg(
              file_of(path), root(), variant_.board.mpu.first, regions, entries.entries));
    }
  }

  const Sources& sources_;
  const OpenVariant& variant_;
  const MemoryMap& after_;
  const emit::Constants& macros_;
  bool mends_;
  emit::Constants old_macros_;
  /// Of the core at hand.
  std::vector<MovedRegion> regions_;
  ProgramEdits edits_;
};

}  // namespace

ProgramEdits follow_programs(const Sources& sources,
                             const OpenVariant& variant,
                             const MemoryMap& after,
                             const emit::Constants& macros,
                             bool mends) {
  return Follower{sources, variant, after, macros, mends}.run();
}

}  // namespace memsize::sdk
