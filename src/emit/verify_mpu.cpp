#include "verify_mpu.hpp"

#include "memsize/core/text.hpp"
#include "memsize/emit/written.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Code;

constexpr std::uint64_t kSpace = 1ULL << 32;
constexpr std::uint64_t kParts = 8;
constexpr std::size_t kRatEntries = 16;
constexpr std::string_view kAgain = "write the map again with: memsize emit";

// What an access through a region does with the inner cache, as the table of TEX, C and B in
// DDI 0406C, B5.4 says.
std::string_view kind_of(const MpuRegionFields& region) {
  const bool split = region.tex >= 4;
  const bool second = region.bufferable;
  if (!region.cacheable && (!split || !second)) {
    return "non-cached";
  }
  const bool through = region.cacheable && !second && (split || region.tex == 0);
  return through ? "write-through" : "cached";
}

std::string range_text(std::uint64_t base, std::uint64_t size) {
  const auto range = core::VirtRange::make(core::VirtAddr{base}, core::Bytes{size});
  return range ? core::format_range(*range) : "a range that ends above 2^64";
}

bool shows_at(const MpuRegionFields& region, std::uint64_t address) {
  if (address < region.base || address - region.base >= region.size) {
    return false;
  }
  const std::uint64_t eighth = region.size / kParts;
  return (region.disabled >> ((address - region.base) / eighth) & 1U) == 0;
}

// A stretch over which one region, or none, decides.
struct Stretch {
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  const WrittenMpuRegion* winner = nullptr;
};

// The 4 GiB, painted by the regions in the order of their numbers.
class Painting {
 public:
  explicit Painting(const std::vector<WrittenMpuRegion>& regions) : regions_(regions) {
    for (const WrittenMpuRegion& region : regions) {
      const std::uint64_t eighth = region.fields.size / kParts;
      for (std::uint64_t i = 0; i <= kParts; ++i) {
        edges_.insert(region.fields.base + i * eighth);
      }
    }
  }

  [[nodiscard]] std::vector<Stretch> over(std::uint64_t base, std::uint64_t size) const {
    std::vector<Stretch> list;
    const std::uint64_t end = base + size;
    for (std::uint64_t at = base; at < end;) {
      const auto next = edges_.upper_bound(at);
      const std::uint64_t to = next == edges_.end() ? end : std::min(*next, end);
      const WrittenMpuRegion* winner = winner_at(at);
      if (!list.empty() && list.back().winner == winner) {
        list.back().size += to - at;
      } else {
        list.push_back({at, to - at, winner});
      }
      at = to;
    }
    return list;
  }

 private:
  [[nodiscard]] const WrittenMpuRegion* winner_at(std::uint64_t address) const {
    const auto found = std::find_if(regions_.rbegin(), regions_.rend(), [&](const auto& region) {
      return shows_at(region.fields, address);
    });
    return found == regions_.rend() ? nullptr : &*found;
  }

  const std::vector<WrittenMpuRegion>& regions_;
  std::set<std::uint64_t> edges_;
};

class MpuVerifier {
 public:
  MpuVerifier(const WrittenMap& map,
              const MpuFiles& files,
              const std::string& root,
              core::Diagnostics& errors)
      : map_(map),
        files_(files),
        root_(root),
        errors_(errors),
        mpu_(map.find_mpu(files.core)),
        rat_(map.find_rat(files.core)) {}

  void run() {
    if (files_.syscfg != nullptr) {
      read_syscfg();
    }
    if (files_.source != nullptr) {
      read_source();
    }
    if (rat_ != nullptr && !map_.rat_in_sysconfig) {
      std::vector<WrittenRatEntry> entries;
      for (const RatEntryFields& entry : rat_->entries) {
        entries.push_back({entry, place_of("memory_map.json")});
      }
      check_rat(entries, place_of("memory_map.json"));
    }
  }

 private:
  [[nodiscard]] core::Place place_of(const std::string& path) const {
    core::Place place;
    place.path = root_.empty() ? path : root_ + "/" + path;
    return place;
  }

  void wrong(Code code,
             const core::Place& place,
             const std::string& what,
             std::string hint = std::string{kAgain}) {
    errors_.push_back(core::error(code, what, place, std::move(hint)));
  }

  // Only the first mistake of a file is kept, because the others follow from it.
  bool good_since(std::size_t before) {
    if (errors_.size() == before) {
      return true;
    }
    errors_.resize(before + 1);
    return false;
  }

  void read_syscfg() {
    const std::size_t before = errors_.size();
    const bool has_regions = mpu_ != nullptr && mpu_->program == "sysconfig";
    const auto written =
        parse_mpu_syscfg(*files_.syscfg, root_, has_regions ? mpu_->first : 0, errors_);
    if (!good_since(before)) {
      return;
    }
    if (has_regions) {
      check_mpu(written.regions, place_of(files_.syscfg->path));
    }
    if (rat_ != nullptr && map_.rat_in_sysconfig) {
      const std::size_t so_far = errors_.size();
      check_rat(written.entries, place_of(files_.syscfg->path));
      if (errors_.size() == so_far) {
        compare_rat(written.entries);
      }
    }
  }

  void read_source() {
    const std::size_t before = errors_.size();
    Constants constants = map_.bases;
    for (const MapCarveout& carveout : map_.carveouts) {
      if (carveout.in_header) {
        constants[carveout.name + "_ADDR"] = carveout.base;
        constants[carveout.name + "_SIZE"] = carveout.size;
      }
    }
    for (const MapRegion& region : map_.regions) {
      if (region.in_header) {
        constants[region.name + "_ADDR"] = region.address;
        constants[region.name + "_SIZE"] = region.size;
      }
    }
    const auto written = parse_mpu_source(*files_.source, root_, constants, errors_);
    if (!good_since(before)) {
      return;
    }
    if (written.program != mpu_->program) {
      wrong(Code::kVerifyDisagree,
            place_of(files_.source->path),
            fmt::format("this is for program '{}', but memory_map.json says '{}'",
                        written.program,
                        mpu_->program));
      return;
    }
    check_mpu(written.regions, place_of(files_.source->path));
  }

  void check_mpu(const std::vector<WrittenMpuRegion>& regions, const core::Place& place) {
    const std::size_t before = errors_.size();
    if (!few_enough(regions, place)) {
      return;
    }
    for (const WrittenMpuRegion& region : regions) {
      check_shape(region);
    }
    const Painting painting{regions};
    std::set<std::pair<std::string, std::uint64_t>> told;
    for (const MapRegion& region : map_.regions) {
      const bool seen =
          std::find(region.cores.begin(), region.cores.end(), files_.core) != region.cores.end();
      if (seen && below_4_gib(region.address, region.size)) {
        for (const Stretch& stretch : painting.over(region.address, region.size)) {
          const bool any = region.cache == "any";
          const bool good =
              stretch.winner != nullptr && (any || kind_of(stretch.winner->fields) == region.cache);
          if (!good && told.emplace(region.name, stretch.base).second) {
            report(stretch,
                   region.name,
                   any ? "its linker map has it" : fmt::format("it must be {}", region.cache),
                   place);
          }
        }
      }
    }
    for (const MapMpuArea& area : mpu_->areas) {
      check_area(area, painting, told, place);
    }
    if (errors_.size() == before) {
      compare_mpu(regions, place);
    }
  }

  static bool below_4_gib(std::uint64_t base, std::uint64_t size) {
    return size != 0 && base < kSpace && size <= kSpace - base;
  }

  void check_area(const MapMpuArea& area,
                  const Painting& painting,
                  std::set<std::pair<std::string, std::uint64_t>>& told,
                  const core::Place& place) {
    const auto sample =
        std::find_if(mpu_->regions.begin(), mpu_->regions.end(), [&](const MapMpuRegion& region) {
          return region.attribute == area.attribute;
        });
    if (sample == mpu_->regions.end() || !below_4_gib(area.base, area.size)) {
      wrong(Code::kVerifyDisagree,
            place_of("memory_map.json"),
            fmt::format("{} must see {} of '{}' as '{}', but no MPU region of it does",
                        files_.core,
                        range_text(area.base, area.size),
                        area.region,
                        area.attribute));
      return;
    }
    for (const Stretch& stretch : painting.over(area.base, area.size)) {
      const bool good =
          stretch.winner != nullptr && kind_of(stretch.winner->fields) == kind_of(sample->fields);
      if (!good && told.emplace(area.region, stretch.base).second) {
        report(
            stretch, area.region, fmt::format("its areas say {}", kind_of(sample->fields)), place);
      }
    }
  }

  void report(const Stretch& stretch,
              const std::string& region,
              const std::string& wanted,
              const core::Place& place) {
    const WrittenMpuRegion* winner = stretch.winner;
    wrong(Code::kMpuCache,
          winner == nullptr ? place : winner->place,
          fmt::format("{} sees {} of '{}' {}, but {}",
                      files_.core,
                      range_text(stretch.base, stretch.size),
                      region,
                      winner == nullptr ? "not at all"
                                        : fmt::format("{} through MPU region {}",
                                                      kind_of(winner->fields),
                                                      named(winner->fields)),
                      wanted));
  }

  static std::string named(const MpuRegionFields& region) {
    return region.name.empty()
               ? fmt::format("{}", region.number)
               : fmt::format("{} '{}'", region.number, core::printable(region.name, 60));
  }

  bool few_enough(const std::vector<WrittenMpuRegion>& regions, const core::Place& place) {
    const auto stranger = std::find_if(regions.begin(), regions.end(), [&](const auto& region) {
      return region.fields.number < mpu_->first || region.fields.number > mpu_->last;
    });
    if (stranger == regions.end()) {
      return true;
    }
    wrong(Code::kMpuRegions,
          regions.empty() ? place : stranger->place,
          fmt::format("{} has {}, one of them number {}, but may use numbers {} to {}",
                      files_.core,
                      core::plural(regions.size(), "MPU region"),
                      stranger->fields.number,
                      mpu_->first,
                      mpu_->last));
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
                        files_.core,
                        core::format_size(core::Bytes{size})));
    } else if (past != 0) {
      wrong(Code::kMpuRegion,
            region.place,
            fmt::format("MPU region {} of {} begins at {}, which is no multiple of its size, {}",
                        named(region.fields),
                        files_.core,
                        core::format_hex(region.fields.base),
                        core::format_size(core::Bytes{size})));
    }
  }

  static std::string described(const MpuRegionFields& region) {
    return fmt::format("{}{}, TEX {}, C {}, B {}, S {}, {}",
                       range_text(region.base, region.size),
                       region.disabled == 0
                           ? std::string{}
                           : fmt::format(" without parts 0x{:02X}", region.disabled),
                       region.tex,
                       region.cacheable ? 1 : 0,
                       region.bufferable ? 1 : 0,
                       region.shareable ? 1 : 0,
                       region.execute ? "with code" : "without code");
  }

  // What is not wrong by itself, but not what the map says.
  void compare_mpu(const std::vector<WrittenMpuRegion>& regions, const core::Place& place) {
    for (std::size_t i = 0; i < std::min(regions.size(), mpu_->regions.size()); ++i) {
      MpuRegionFields said = mpu_->regions[i].fields;
      const MpuRegionFields& found = regions[i].fields;
      // C has no names.
      said.name = found.name.empty() && files_.source != nullptr ? std::string{} : said.name;
      if (said == found) {
        continue;
      }
      const bool renamed = described(said) == described(found) && said.number == found.number;
      wrong(Code::kVerifyDisagree,
            regions[i].place,
            renamed
                ? fmt::format("MPU region {} of {} is called '{}' in memory_map.json",
                              named(found),
                              files_.core,
                              said.name)
                : fmt::format("MPU region {} of {} is {} here, but {}{} in memory_map.json",
                              named(found),
                              files_.core,
                              described(found),
                              said.number == found.number ? std::string{}
                                                          : fmt::format("number {}, ", said.number),
                              described(said)));
      return;
    }
    if (regions.size() != mpu_->regions.size()) {
      wrong(Code::kVerifyDisagree,
            place,
            fmt::format("{} has {} here, but {} in memory_map.json",
                        files_.core,
                        core::plural(regions.size(), "MPU region"),
                        mpu_->regions.size()));
    }
  }

  static std::string entry_text(const RatEntryFields& entry) {
    return fmt::format(
        "{} to {}", range_text(entry.local, entry.size), core::format_hex(entry.system));
  }

  static std::string entry_named(const WrittenRatEntry& entry) {
    return fmt::format(
        "'{}', {},", core::printable(entry.fields.name, 60), entry_text(entry.fields));
  }

  void check_rat(const std::vector<WrittenRatEntry>& entries, const core::Place& place) {
    const std::size_t before = errors_.size();
    if (entries.size() > kRatEntries) {
      wrong(Code::kRatEntries,
            place,
            fmt::format("{} has {} RAT entries, but the RAT has {}",
                        files_.core,
                        entries.size(),
                        kRatEntries));
      return;
    }
    for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
      const RatEntryFields& fields = entry->fields;
      if (fields.size == 0 || (fields.size & (fields.size - 1)) != 0 || fields.size > kSpace) {
        wrong(Code::kRatSize,
              entry->place,
              fmt::format("RAT entry {} of {} is no power of two from 32 B to 4 GiB",
                          entry_named(*entry),
                          files_.core));
        continue;
      }
      if (fields.local % fields.size != 0 || fields.system % fields.size != 0) {
        wrong(Code::kRatAlignment,
              entry->place,
              fmt::format("RAT entry {} of {} begins at no multiple of its size, {}",
                          entry_named(*entry),
                          files_.core,
                          core::format_size(core::Bytes{fields.size})));
      }
      for (auto other = entries.begin(); other != entry; ++other) {
        const std::uint64_t from = std::max(fields.local, other->fields.local);
        if (from - fields.local < fields.size && from - other->fields.local < other->fields.size) {
          wrong(Code::kRatOverlap,
                entry->place,
                fmt::format("RAT entry {} of {} overlaps {} which the RAT does not allow",
                            entry_named(*entry),
                            files_.core,
                            entry_named(*other)));
        }
      }
    }
    if (errors_.size() == before) {
      check_reach(entries, place);
    }
  }

  void check_reach(const std::vector<WrittenRatEntry>& entries, const core::Place& place) {
    for (const MapRegion& region : map_.regions) {
      const bool seen =
          std::find(region.cores.begin(), region.cores.end(), files_.core) != region.cores.end();
      if (!seen || !region.physical || !below_4_gib(region.address, region.size)) {
        continue;
      }
      const auto entry = std::find_if(entries.begin(), entries.end(), [&](const auto& each) {
        const std::uint64_t from = std::max(region.address, each.fields.local);
        return from - region.address < region.size && from - each.fields.local < each.fields.size;
      });
      const bool through = entry != entries.end();
      const std::string seen_at = fmt::format(
          "{} sees '{}' at {}", files_.core, region.name, range_text(region.address, region.size));
      if (through && !holds(entry->fields, region)) {
        wrong(Code::kRatMissing,
              entry->place,
              fmt::format(
                  "{}, but RAT entry {} has only a part of it", seen_at, entry_named(*entry)));
        continue;
      }
      const std::uint64_t reached =
          through ? entry->fields.system + (region.address - entry->fields.local) : region.address;
      if (reached != *region.physical) {
        wrong(Code::kRatMissing,
              through ? entry->place : place,
              fmt::format("{}, which {} leads to {}, but it is at {}",
                          seen_at,
                          through ? "a RAT entry" : "without a RAT entry",
                          core::format_hex(reached),
                          range_text(*region.physical, region.size)));
      }
    }
  }

  static bool holds(const RatEntryFields& entry, const MapRegion& region) {
    return region.address >= entry.local && region.address - entry.local < entry.size &&
           region.size <= entry.size - (region.address - entry.local);
  }

  void compare_rat(const std::vector<WrittenRatEntry>& entries) {
    for (std::size_t i = 0; i < std::min(entries.size(), rat_->entries.size()); ++i) {
      const RatEntryFields& said = rat_->entries[i];
      const RatEntryFields& found = entries[i].fields;
      if (said == found) {
        continue;
      }
      wrong(Code::kVerifyDisagree,
            entries[i].place,
            fmt::format("RAT entry {} of {} is '{}', {}, here, but '{}', {}, in memory_map.json",
                        i + 1,
                        files_.core,
                        core::printable(found.name, 60),
                        entry_text(found),
                        said.name,
                        entry_text(said)));
      return;
    }
    if (entries.size() != rat_->entries.size()) {
      wrong(Code::kVerifyDisagree,
            place_of(files_.syscfg->path),
            fmt::format("{} has {} here, but {} in memory_map.json",
                        files_.core,
                        core::plural(entries.size(), "RAT entry", "RAT entries"),
                        rat_->entries.size()));
    }
  }

  const WrittenMap& map_;
  const MpuFiles& files_;
  const std::string& root_;
  core::Diagnostics& errors_;
  const MapMpu* mpu_;
  const MapRat* rat_;
};

}  // namespace

void verify_mpu(const WrittenMap& map,
                const MpuFiles& files,
                const std::string& root,
                core::Diagnostics& errors) {
  MpuVerifier{map, files, root, errors}.run();
}

}  // namespace memsize::emit
