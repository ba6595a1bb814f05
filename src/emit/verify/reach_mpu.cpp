// Holds each region that a core must reach against the MPU regions that show it and the RAT entry
// that leads there.
#include "memsize/chip/limits.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/reach.hpp"

#include "mpu_names.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Code;

bool below_4_gib(std::uint64_t base, std::uint64_t size) {
  return size != 0 && base < chip::kMpuSpace && size <= chip::kMpuSpace - base;
}

class Holder {
 public:
  Holder(const Core& core, core::Diagnostics& found) : core_(core), found_(found) {}

 protected:
  void wrong(Code code, const core::Place& place, const std::string& what, core::Parties parties) {
    parties.push_back({"core", core_.name});
    found_.push_back(core::error(code, what, place, core_.hint).about(std::move(parties)));
  }

  void wrong(Code code, const core::Place& place, const std::string& what, const Reach& region) {
    wrong(code, place, what, core::Parties{{"region", region.name}});
    if (!region.place.path.empty()) {
      found_.back().related.push_back(core::region_at(region.place, region.name));
    }
  }

  const Core& core_;
  core::Diagnostics& found_;
};

class MpuHolder : Holder {
 public:
  MpuHolder(const Core& core, const MpuNumbers& numbers, core::Diagnostics& found)
      : Holder(core, found), numbers_(numbers) {}

  void run(const std::vector<WrittenMpuRegion>& regions) {
    if (!few_enough(regions)) {
      return;
    }
    for (const WrittenMpuRegion& region : regions) {
      check_shape(region);
    }
    const chip::Lens lens = lens_of(regions);
    std::set<std::pair<std::string, std::uint64_t>> told;
    for (const Reach& region : core_.regions) {
      if (!below_4_gib(region.address, region.size)) {
        continue;
      }
      for (const chip::Piece& piece : lens.over(region.address, region.size)) {
        const WrittenMpuRegion* winner = piece.layer ? &regions[*piece.layer] : nullptr;
        const bool good = winner != nullptr && (region.cache == chip::Cache::kAny ||
                                                cache_of(winner->fields) == region.cache);
        if (!good && told.emplace(region.name, piece.base).second) {
          report(piece, winner, region);
        }
      }
    }
  }

 private:
  static core::Parties parties_of(const chip::MpuRegionFields& region) {
    return {{"entry", region.name.empty() ? fmt::format("{}", region.number) : region.name}};
  }

  bool few_enough(const std::vector<WrittenMpuRegion>& regions) {
    const auto stranger = std::ranges::find_if(regions, [&](const auto& region) {
      return region.fields.number < numbers_.first || region.fields.number > numbers_.last;
    });
    if (stranger == regions.end()) {
      return true;
    }
    wrong(Code::kMpuRegions,
          stranger->place,
          fmt::format("{} has {}, one of them number {}, but may use numbers {} to {}",
                      core_.name,
                      core::plural(regions.size(), "MPU region"),
                      stranger->fields.number,
                      numbers_.first,
                      numbers_.last),
          core::Parties{});
    return false;
  }

  void check_shape(const WrittenMpuRegion& region) {
    const std::uint64_t size = region.fields.size;
    const std::uint64_t past = region.fields.base % size;
    if ((size & (size - 1)) != 0) {
      wrong(Code::kMpuRegion,
            region.place,
            fmt::format("MPU region {} of {} has {}, which is no power of two",
                        named(region.fields),
                        core_.name,
                        core::format_size(core::Bytes{size})),
            parties_of(region.fields));
    } else if (past != 0) {
      wrong(Code::kMpuRegion,
            region.place,
            fmt::format("MPU region {} of {} begins at {}, which is no multiple of its size, {}",
                        named(region.fields),
                        core_.name,
                        core::format_hex(region.fields.base),
                        core::format_size(core::Bytes{size})),
            parties_of(region.fields));
    }
  }

  void report(const chip::Piece& piece, const WrittenMpuRegion* winner, const Reach& region) {
    wrong(Code::kMpuCache,
          winner == nullptr ? core_.file : winner->place,
          fmt::format("{} sees {} of '{}' {}, but {}",
                      core_.name,
                      range_text(piece.base, piece.size()),
                      region.name,
                      winner == nullptr ? "not at all"
                                        : fmt::format("{} through MPU region {}",
                                                      chip::name_of(cache_of(winner->fields)),
                                                      named(winner->fields)),
                      region.cache == chip::Cache::kAny
                          ? "its linker map has it"
                          : fmt::format("it must be {}", chip::name_of(region.cache))),
          region);
  }

  const MpuNumbers& numbers_;
};

class RatHolder : Holder {
 public:
  using Holder::Holder;

  void run(const std::vector<WrittenRatEntry>& entries) {
    const std::size_t before = found_.size();
    if (entries.size() > chip::kRatEntries) {
      wrong(Code::kRatEntries,
            core_.file,
            fmt::format("{} has {} RAT entries, but the RAT has {}",
                        core_.name,
                        entries.size(),
                        chip::kRatEntries),
            core::Parties{});
      return;
    }
    for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
      const chip::RatEntryFields& fields = entry->fields;
      if (fields.size == 0 || (fields.size & (fields.size - 1)) != 0 ||
          fields.size > chip::kMpuSpace) {
        wrong(Code::kRatSize,
              entry->place,
              fmt::format("RAT entry {} of {} is no power of two from 32 B to 4 GiB",
                          entry_named(*entry),
                          core_.name),
              {{"entry", entry->fields.name}});
        continue;
      }
      if (fields.local % fields.size != 0 || fields.system % fields.size != 0) {
        wrong(Code::kRatAlignment,
              entry->place,
              fmt::format("RAT entry {} of {} begins at no multiple of its size, {}",
                          entry_named(*entry),
                          core_.name,
                          core::format_size(core::Bytes{fields.size})),
              {{"entry", entry->fields.name}});
      }
      for (auto other = entries.begin(); other != entry; ++other) {
        const std::uint64_t from = std::max(fields.local, other->fields.local);
        if (from - fields.local < fields.size && from - other->fields.local < other->fields.size) {
          wrong(Code::kRatOverlap,
                entry->place,
                fmt::format("RAT entry {} of {} overlaps {} which the RAT does not allow",
                            entry_named(*entry),
                            core_.name,
                            entry_named(*other)),
                {{"entry", entry->fields.name}, {"entry", other->fields.name}});
        }
      }
    }
    if (found_.size() == before) {
      check_reach(entries);
    }
  }

 private:
  void check_reach(const std::vector<WrittenRatEntry>& entries) {
    for (const Reach& region : core_.regions) {
      if (!region.physical || !below_4_gib(region.address, region.size)) {
        continue;
      }
      const auto entry = std::ranges::find_if(entries, [&](const auto& each) {
        const std::uint64_t from = std::max(region.address, each.fields.local);
        return from - region.address < region.size && from - each.fields.local < each.fields.size;
      });
      const bool through = entry != entries.end();
      const std::string seen_at = fmt::format(
          "{} sees '{}' at {}", core_.name, region.name, range_text(region.address, region.size));
      if (through && !holds(entry->fields, region)) {
        wrong(
            Code::kRatMissing,
            entry->place,
            fmt::format("{}, but RAT entry {} has only a part of it", seen_at, entry_named(*entry)),
            region);
        continue;
      }
      const std::uint64_t reached =
          through ? entry->fields.system + (region.address - entry->fields.local) : region.address;
      if (reached != *region.physical) {
        wrong(Code::kRatMissing,
              through ? entry->place : core_.file,
              fmt::format("{}, which {} leads to {}, but it is at {}",
                          seen_at,
                          through ? "a RAT entry" : "without a RAT entry",
                          core::format_hex(reached),
                          range_text(*region.physical, region.size)),
              region);
      }
    }
  }

  static bool holds(const chip::RatEntryFields& entry, const Reach& region) {
    return region.address >= entry.local && region.address - entry.local < entry.size &&
           region.size <= entry.size - (region.address - entry.local);
  }
};

}  // namespace

void hold_mpu(const Core& core,
              const MpuNumbers& numbers,
              const std::vector<WrittenMpuRegion>& regions,
              core::Diagnostics& found) {
  MpuHolder{core, numbers, found}.run(regions);
}

void hold_rat(const Core& core,
              const std::vector<WrittenRatEntry>& entries,
              core::Diagnostics& found) {
  RatHolder{core, found}.run(entries);
}

}  // namespace memsize::emit
