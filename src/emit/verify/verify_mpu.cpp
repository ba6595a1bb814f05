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
#include "stray.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Code;

// Only the first mistake of a file is kept, because the others follow from it.
bool is_good_since(std::size_t before, core::Diagnostics& errors) {
  if (errors.size() == before) {
    return true;
  }
  errors.resize(before + 1);
  return false;
}

core::Place document_place(const std::string& root) {
  return {MapFile{.path = "memory_map.json", .content = {}}.path_under(root)};
}

void add_if_any(std::optional<core::Diagnostic> found, core::Diagnostics& errors) {
  if (found) {
    errors.push_back(std::move(*found));
  }
}

std::string described(const chip::MpuRegionFields& region) {
  return fmt::format("{}{}, TEX {}, C {}, B {}, S {}, {}",
                     range_text(region.base, region.size),
                     region.disabled == 0 ? std::string{}
                                          : fmt::format(" without parts 0x{:02X}", region.disabled),
                     region.tex,
                     region.cacheable ? 1 : 0,
                     region.bufferable ? 1 : 0,
                     region.shareable ? 1 : 0,
                     region.execute ? "with code" : "without code");
}

// What the core must see with an attribute, whether its linker map has it or not.
void add_areas(const MapMpu& mpu,
               const core::Place& document,
               Core& core,
               core::Diagnostics& errors) {
  for (const MapMpuArea& area : mpu.areas) {
    const auto* sample = core::find_in(mpu.regions, area.attribute, &MapMpuRegion::attribute);
    if (sample == nullptr) {
      errors.push_back(
          disagreement(document,
                       {},
                       fmt::format("{} must see {} of '{}' as '{}', but no MPU region of it does",
                                   mpu.core,
                                   range_text(area.base, area.size),
                                   area.region,
                                   area.attribute)));
      continue;
    }
    core.regions.push_back({.name = area.region,
                            .address = area.base,
                            .size = area.size,
                            .cache = chip::cache_of(sample->fields)});
  }
}

// What is not wrong by itself, but not what the map says; the first.
std::optional<core::Diagnostic> compare_mpu(const MapMpu& mpu,
                                            const std::vector<WrittenMpuRegion>& regions,
                                            bool is_in_c,
                                            const core::Place& place) {
  for (std::size_t i = 0; i < std::min(regions.size(), mpu.regions.size()); ++i) {
    chip::MpuRegionFields said = mpu.regions[i].fields;
    const chip::MpuRegionFields& found = regions[i].fields;
    // C has no names.
    said.name = found.name.empty() && is_in_c ? std::string{} : said.name;
    if (said == found) {
      continue;
    }
    const bool renamed = described(said) == described(found) && said.number == found.number;
    return disagreement(
        regions[i].place,
        {},
        renamed ? fmt::format("MPU region {} of {} is called '{}' in memory_map.json",
                              named(found),
                              mpu.core,
                              said.name)
                : fmt::format("MPU region {} of {} is {} here, but {}{} in memory_map.json",
                              named(found),
                              mpu.core,
                              described(found),
                              said.number == found.number ? std::string{}
                                                          : fmt::format("number {}, ", said.number),
                              described(said)));
  }
  if (regions.size() != mpu.regions.size()) {
    return disagreement(place,
                        {},
                        fmt::format("{} has {} here, but {} in memory_map.json",
                                    mpu.core,
                                    core::plural(regions.size(), "MPU region"),
                                    mpu.regions.size()));
  }
  return std::nullopt;
}

std::optional<core::Diagnostic> compare_rat(const MapRat& rat,
                                            const std::vector<WrittenRatEntry>& entries,
                                            const core::Place& place) {
  for (std::size_t i = 0; i < std::min(entries.size(), rat.entries.size()); ++i) {
    const chip::RatEntryFields& said = rat.entries[i];
    const chip::RatEntryFields& found = entries[i].fields;
    if (said == found) {
      continue;
    }
    return disagreement(
        entries[i].place,
        {},
        fmt::format("RAT entry {} of {} is '{}', {}, here, but '{}', {}, in memory_map.json",
                    i + 1,
                    rat.core,
                    core::printable(found.name, 60),
                    entry_text(found),
                    said.name,
                    entry_text(said)));
  }
  if (entries.size() != rat.entries.size()) {
    return disagreement(place,
                        {},
                        fmt::format("{} has {} here, but {} in memory_map.json",
                                    rat.core,
                                    core::plural(entries.size(), "RAT entry", "RAT entries"),
                                    rat.entries.size()));
  }
  return std::nullopt;
}

// Holds regions, as a file of the core has them, against what it must reach and what the map says.
void check_mpu_regions(const WrittenMap& map,
                       const MpuFiles& files,
                       const MapFile& file,
                       const std::string& root,
                       const std::vector<WrittenMpuRegion>& regions,
                       core::Diagnostics& errors) {
  const MapMpu& mpu = *map.find_mpu(files.core);
  const core::Place place{file.path_under(root)};
  const std::size_t before = errors.size();
  Core core = map.core_of(files.core, place);
  add_areas(mpu, document_place(root), core, errors);
  hold_mpu(core, {mpu.first, mpu.last}, regions, errors);
  if (errors.size() == before) {
    add_if_any(compare_mpu(mpu, regions, files.source != nullptr, place), errors);
  }
}

void check_mpu_syscfg(const WrittenMap& map,
                      const MpuFiles& files,
                      const std::string& root,
                      core::Diagnostics& errors) {
  const MapMpu* mpu = map.find_mpu(files.core);
  const MapRat* rat = map.find_rat(files.core);
  const bool has_regions = mpu != nullptr && mpu->program == board::kMpuBySysconfig;
  const std::size_t before = errors.size();
  const auto written =
      parse_mpu_syscfg(*files.syscfg, root, has_regions ? mpu->first : 0, errors, Whole::kYes);
  if (!is_good_since(before, errors)) {
    return;
  }
  if (has_regions) {
    check_mpu_regions(map, files, *files.syscfg, root, written.regions, errors);
  }
  if (rat != nullptr && map.rat_in_sysconfig) {
    const core::Place place{files.syscfg->path_under(root)};
    const std::size_t so_far = errors.size();
    hold_rat(map.core_of(files.core, place), written.entries, errors);
    if (errors.size() == so_far) {
      add_if_any(compare_rat(*rat, written.entries, place), errors);
    }
  }
}

void check_mpu_source(const WrittenMap& map,
                      const MpuFiles& files,
                      const std::string& root,
                      const board::MpuPrograms& programs,
                      core::Diagnostics& errors) {
  const MapMpu& mpu = *map.find_mpu(files.core);
  const std::size_t before = errors.size();
  const auto written =
      parse_mpu_source(*files.source, root, programs, constants_of(map), mpu.first, errors);
  if (!is_good_since(before, errors)) {
    return;
  }
  if (written.program->name != mpu.program) {
    errors.push_back(
        disagreement({files.source->path_under(root)},
                     {},
                     fmt::format("this is for program '{}', but memory_map.json says '{}'",
                                 written.program->name,
                                 mpu.program)));
    return;
  }
  refuse_stray_words(*files.source, root, errors);
  check_mpu_regions(map, files, *files.source, root, written.regions, errors);
}

void check_mpu_words(const WrittenMap& map,
                     const MpuFiles& files,
                     const std::string& root,
                     core::Diagnostics& errors) {
  const std::size_t before = errors.size();
  auto regions = parse_mpu_words(*files.words, root, errors);
  if (!is_good_since(before, errors)) {
    return;
  }
  // Registers have no names.
  for (WrittenMpuRegion& region : regions) {
    for (const MapMpuRegion& known : map.find_mpu(files.core)->regions) {
      if (known.fields.number == region.fields.number) {
        region.fields.name = known.fields.name;
      }
    }
  }
  check_mpu_regions(map, files, *files.words, root, regions, errors);
}

}  // namespace

void verify_mpu(const WrittenMap& map,
                const MpuFiles& files,
                const std::string& root,
                const board::MpuPrograms& programs,
                core::Diagnostics& errors) {
  if (files.syscfg != nullptr) {
    check_mpu_syscfg(map, files, root, errors);
  }
  if (files.source != nullptr) {
    check_mpu_source(map, files, root, programs, errors);
  }
  if (files.words != nullptr && map.find_mpu(files.core) != nullptr) {
    check_mpu_words(map, files, root, errors);
  }
  const MapRat* rat = map.find_rat(files.core);
  if (rat != nullptr && !map.rat_in_sysconfig) {
    std::vector<WrittenRatEntry> entries;
    for (const chip::RatEntryFields& entry : rat->entries) {
      entries.push_back({entry, document_place(root)});
    }
    hold_rat(map.core_of(files.core, document_place(root)), entries, errors);
  }
}

}  // namespace memsize::emit
