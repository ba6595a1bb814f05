// Reads a core's MPU regions and RAT entries from wherever they are programmed, and holds them
// against the map's own, against the areas with an attribute, and against what the core must reach.
#include "verify_mpu.hpp"

#include "memsize/board/mpu.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/reach.hpp"
#include "memsize/emit/read_map.hpp"
#include "memsize/emit/written.hpp"

#include "mpu_names.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Code;

class MpuVerifier {
 public:
  MpuVerifier(const WrittenMap& map,
              const MpuFiles& files,
              const std::string& root,
              const board::MpuPrograms& programs,
              core::Diagnostics& errors)
      : map_(map),
        files_(files),
        root_(root),
        programs_(programs),
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
    if (files_.words != nullptr && mpu_ != nullptr) {
      read_words();
    }
    if (rat_ != nullptr && !map_.rat_in_sysconfig) {
      std::vector<WrittenRatEntry> entries;
      for (const chip::RatEntryFields& entry : rat_->entries) {
        entries.push_back({entry, place_of("memory_map.json")});
      }
      check_rat(entries, place_of("memory_map.json"));
    }
  }

 private:
  [[nodiscard]] core::Place place_of(const std::string& path) const {
    return {root_.empty() ? path : root_ + "/" + path};
  }

  void wrong(Code code,
             const core::Place& place,
             const std::string& what,
             std::string hint = std::string{kWriteAgain}) {
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
    const bool has_regions = mpu_ != nullptr && mpu_->program == board::kMpuBySysconfig;
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
    const auto written = parse_mpu_source(
        *files_.source, root_, programs_, constants_of(map_), mpu_->first, errors_);
    if (!good_since(before)) {
      return;
    }
    if (written.program->name != mpu_->program) {
      return wrong(Code::kVerifyDisagree,
                   place_of(files_.source->path),
                   fmt::format("this is for program '{}', but memory_map.json says '{}'",
                               written.program->name,
                               mpu_->program));
    }
    check_mpu(written.regions, place_of(files_.source->path));
  }

  void read_words() {
    const std::size_t before = errors_.size();
    auto regions = parse_mpu_words(*files_.words, root_, errors_);
    if (!good_since(before)) {
      return;
    }
    // Registers have no names.
    for (WrittenMpuRegion& region : regions) {
      for (const MapMpuRegion& known : mpu_->regions) {
        if (known.fields.number == region.fields.number) {
          region.fields.name = known.fields.name;
        }
      }
    }
    check_mpu(regions, place_of(files_.words->path));
  }

  void check_mpu(const std::vector<WrittenMpuRegion>& regions, const core::Place& place) {
    const std::size_t before = errors_.size();
    Core core = map_.core_of(files_.core, place);
    add_areas(core);
    hold_mpu(core, {mpu_->first, mpu_->last}, regions, errors_);
    if (errors_.size() == before) {
      compare_mpu(regions, place);
    }
  }

  // What the core must see with an attribute, whether its linker map has it or not.
  void add_areas(Core& core) {
    for (const MapMpuArea& area : mpu_->areas) {
      const auto* sample = core::find_in(mpu_->regions, area.attribute, &MapMpuRegion::attribute);
      if (sample == nullptr) {
        wrong(Code::kVerifyDisagree,
              place_of("memory_map.json"),
              fmt::format("{} must see {} of '{}' as '{}', but no MPU region of it does",
                          files_.core,
                          range_text(area.base, area.size),
                          area.region,
                          area.attribute));
        continue;
      }
      core.regions.push_back({.name = area.region,
                              .address = area.base,
                              .size = area.size,
                              .cache = chip::cache_of(sample->fields)});
    }
  }

  void check_rat(const std::vector<WrittenRatEntry>& entries, const core::Place& place) {
    hold_rat(map_.core_of(files_.core, place), entries, errors_);
  }

  static std::string described(const chip::MpuRegionFields& region) {
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
      chip::MpuRegionFields said = mpu_->regions[i].fields;
      const chip::MpuRegionFields& found = regions[i].fields;
      // C has no names.
      said.name = found.name.empty() && files_.source != nullptr ? std::string{} : said.name;
      if (said == found) {
        continue;
      }
      const bool renamed = described(said) == described(found) && said.number == found.number;
      return wrong(
          Code::kVerifyDisagree,
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

  void compare_rat(const std::vector<WrittenRatEntry>& entries) {
    for (std::size_t i = 0; i < std::min(entries.size(), rat_->entries.size()); ++i) {
      const chip::RatEntryFields& said = rat_->entries[i];
      const chip::RatEntryFields& found = entries[i].fields;
      if (said == found) {
        continue;
      }
      return wrong(
          Code::kVerifyDisagree,
          entries[i].place,
          fmt::format("RAT entry {} of {} is '{}', {}, here, but '{}', {}, in memory_map.json",
                      i + 1,
                      files_.core,
                      core::printable(found.name, 60),
                      entry_text(found),
                      said.name,
                      entry_text(said)));
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
  const board::MpuPrograms& programs_;
  core::Diagnostics& errors_;
  const MapMpu* mpu_;
  const MapRat* rat_;
};

}  // namespace

void verify_mpu(const WrittenMap& map,
                const MpuFiles& files,
                const std::string& root,
                const board::MpuPrograms& programs,
                core::Diagnostics& errors) {
  MpuVerifier{map, files, root, programs, errors}.run();
}

}  // namespace memsize::emit
