// Finds the core whose image this is by where it lies, then goes through its sections region by
// region. What Linux says of it is in firmware_load.cpp and firmware_table.cpp.
#include "memsize/layout/firmware.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/sha256.hpp"
#include "memsize/core/text.hpp"
#include "memsize/layout/why.hpp"

#include "firmware_parts.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::layout {

namespace {

using core::Code;
using model::Image;
using model::ImageRegion;
using model::ImageSection;
using model::ImageSegment;

// A region begins and ends on a page, wherever it moves: what lies on less is as it was.
constexpr std::uint64_t kPageBytes = 4096;
// What hardly any section exceeds.
constexpr std::uint64_t kFine = 64;
// From here on a region's base decides how much padding a section gets.
constexpr std::uint64_t kCoarse = 65536;
// What lies elsewhere in so many places was linked for another map, which is told well enough.
constexpr std::size_t kMostStrays = 20;

std::string range_of(std::uint64_t base, core::Bytes size) {
  return size.count() > UINT64_MAX - base
             ? fmt::format("from {} on", core::format_hex(base))
             : fmt::format(
                   "[{}, {})", core::format_hex(base), core::format_hex(base + size.count()));
}

// GNU ld has no colons in names: ".bss:app_log_mem" is ".bss.app_log_mem" there.
std::string spelt(std::string_view name) {
  std::string text{name};
  std::ranges::replace(text, ':', '.');
  return text;
}

class FirmwareCheck {
 public:
  FirmwareCheck(const MemoryMap& map, const Image& image, const FirmwareOptions& options)
      : map_(map), image_(image), options_(options) {}

  FirmwareReport run() {
    report_.path = image_.path;
    if (!image_.content.empty()) {
      report_.sha256 = core::sha256(image_.content.str());
    }
    report_.resources = image_.resources;
    read_sections();
    if (image_.machine.starts_with("x86")) {
      wrong(Code::kFirmwareCore,
            fmt::format("this is a program for {}, which no core of board '{}' is",
                        image_.machine,
                        map_.board.name),
            "name the file that was linked for the core");
      return std::move(report_);
    }
    report_.core = core_of_image();
    if (report_.core.empty()) {
      wrong(Code::kFirmwareCore,
            fmt::format("nothing of this image lies in memory that a core of board '{}' has for "
                        "itself",
                        map_.board.name),
            "it was linked for another map: name the board or the map that it was built with");
      return std::move(report_);
    }
    regions_ = regions_of(report_.core);
    sections_of_core_ = map_.board.find_sections(report_.core);
    if (!image_.regions.empty()) {
      take_map();
      return std::move(report_);
    }
    if (sections_of_core_ != nullptr) {
      for (const board::PlacedSection& placed : sections_of_core_->placed) {
        placed_.emplace(spelt(placed.name), placed);
      }
    }
    for (const ImageSection& section : sections_) {
      check(section);
    }
    if (strays_ > kMostStrays) {
      wrong(Code::kFirmwareRegion,
            fmt::format("{} more are in no region of the core's linker map", strays_ - kMostStrays),
            "");
    }
    for (const Region* region : regions_) {
      measure(*region);
    }
    const core::Diagnostics found = check_loading(map_, report_.core, image_);
    report_.diagnostics.insert(report_.diagnostics.end(), found.begin(), found.end());
    return std::move(report_);
  }

 private:
  core::Diagnostic& wrong(Code code, std::string message, std::string hint) {
    report_.diagnostics.push_back(
        core::error(code, std::move(message), {image_.path}, std::move(hint)));
    return report_.diagnostics.back();
  }

  // A program without a table of sections has segments only.
  void read_sections() {
    sections_ = image_.sections;
    for (std::size_t i = 0; image_.sections.empty() && i < image_.segments.size(); ++i) {
      const ImageSegment& segment = image_.segments[i];
      if (segment.size != 0 && core::checked_add(segment.address, segment.size)) {
        sections_.push_back({.name = "(segment)",
                             .address = segment.address,
                             .load_address = segment.load_address,
                             .size = core::Bytes{segment.size},
                             .is_stored = segment.stored != 0,
                             // A page, often, which no section of it asks for.
                             .alignment = std::min<std::uint64_t>(segment.alignment, kFine)});
      }
    }
    std::ranges::stable_sort(sections_, {}, &ImageSection::address);
  }

  // By address, as the core sees them.
  [[nodiscard]] std::vector<const Region*> regions_of(const std::string& core) const {
    std::vector<const Region*> regions;
    for (const Region& region : map_.regions) {
      const auto range = region.virtual_range();
      if (region.seen_by(core) && range && !range->empty()) {
        regions.push_back(&region);
      }
    }
    std::ranges::stable_sort(
        regions, {}, [](const Region* region) { return region->virtual_base->value(); });
    return regions;
  }

  // The one that has most of the image in regions that no other core has.
  [[nodiscard]] std::string core_of_image() const {
    std::map<std::string, core::Bytes> bytes;
    for (const Region& region : map_.regions) {
      if (region.cores.size() == 1) {
        bytes[region.cores.front()] += bytes_in(region);
      }
    }
    std::string best;
    for (const board::Core& core : map_.board.cores) {
      // A map has the program's name, which has the core's.
      if (image_.output.find(core.name) != std::string_view::npos &&
          bytes[core.name] != core::Bytes{}) {
        return core.name;
      }
      const core::Bytes most = best.empty() ? core::Bytes{} : bytes[best];
      best = bytes[core.name] > most ? core.name : best;
    }
    return best;
  }

  [[nodiscard]] core::Bytes bytes_in(const Region& region) const {
    core::Bytes bytes;
    for (const ImageSection& section : sections_) {
      bytes += holds(region, section.address, section.size.count()) ? section.size : core::Bytes{};
    }
    for (const ImageRegion& row : image_.regions) {
      bytes += row.name == region.name ? row.used : core::Bytes{};
    }
    return bytes;
  }

  static bool holds(const Region& region, std::uint64_t address, std::uint64_t size) {
    const auto range = region.virtual_range();
    return range && !range->empty() && address >= range->base().value() &&
           address - range->base().value() < range->size().count() &&
           size <= range->size().count() - (address - range->base().value());
  }

  [[nodiscard]] const Region* region_of(const ImageSection& section) const {
    const auto found = std::ranges::find_if(regions_, [&](const Region* region) {
      return holds(*region, section.address, section.size.count());
    });
    return found == regions_.end() ? nullptr : *found;
  }

  // Where the board puts sections of that name; null: where the rest of the code goes.
  [[nodiscard]] const board::PlacedSection* place_of(const ImageSection& section) const {
    return core::value_in(placed_, spelt(section.name));
  }

  void check(const ImageSection& section) {
    const std::string shown = fmt::format("section '{}' {} of {}",
                                          core::printable(section.name, 60),
                                          range_of(section.address, section.size),
                                          report_.core);
    const Region* region = region_of(section);
    const board::PlacedSection* placed = place_of(section);
    const Region* home = placed == nullptr ? nullptr : region_named(placed->region);
    if (home != nullptr && placed->use != board::SectionUse::kLoaded) {
      const bool is_there = section.address == home->virtual_base->value() &&
                            (placed->use == board::SectionUse::kWhole ? section.size == home->size
                                                                      : section.size <= home->size);
      if (!is_there) {
        wrong(Code::kFirmwarePlace,
              fmt::format("{} is there for '{}', which is {}",
                          shown,
                          home->name,
                          range_of(home->virtual_base->value(), home->size)),
              "the image was linked for another map: build it with this one's linker maps and "
              "header, or name the map that it was built with")
            .related.push_back(core::region_at(home->place, home->name, "is placed here"));
        strayed_.insert(&section);
        return;
      }
    }
    if (region == nullptr) {
      note_stray(section);
      if (++strays_ <= kMostStrays) {
        wrong(Code::kFirmwareRegion,
              fmt::format("{} is in no region of the core's linker map", shown),
              "the image was linked for another map: build it with this one's linker maps");
      }
      return;
    }
    // What all cores know by one array they share.
    const bool is_shared =
        region->cores.size() > 1 && placed != nullptr && placed->use != board::SectionUse::kLoaded;
    if (region->physical_base && !is_shared) {
      const std::uint64_t at =
          region->physical_base->value() + section.address - region->virtual_base->value();
      note_piece(section.name, at, section.size.count());
    }
  }

  void note_piece(std::string_view name, std::uint64_t physical, std::uint64_t size) {
    const auto range = core::PhysRange::make(core::PhysAddr{physical}, core::Bytes{size});
    if (range && !range->empty()) {
      report_.pieces.push_back({std::string{name}, *range});
    }
  }

  // It lies somewhere nevertheless.
  void note_stray(const ImageSection& section) {
    if (strays_ >= kMostStrays) {
      return;
    }
    if (!hardware_) {
      hardware_ = hardware_of(map_, report_.core);
    }
    for (const Sight& sight : look_at(*hardware_, section.address, section.size.count())) {
      if (sight.physical) {
        note_piece(section.name, *sight.physical, sight.size);
      }
    }
  }

  // What TI's linker says of its regions, by their names.
  void take_map() {
    for (const Region* region : regions_) {
      const ImageRegion* row = core::find_in(image_.regions, region->name, &ImageRegion::name);
      if (row == nullptr || row->used == core::Bytes{}) {
        continue;
      }
      const bool is_code =
          sections_of_core_ != nullptr && sections_of_core_->region == region->name;
      const bool is_filled = row->used == row->length && !is_code;
      report_.regions.push_back({.region = region->name,
                                 .knob = region->knob,
                                 .reserved = region->size,
                                 .low = row->used,
                                 .high = core::Bytes{},
                                 .is_kept = is_filled,
                                 .is_filled = is_filled,
                                 .need = row->used,
                                 .moves = core::Bytes{}});
      compare_with(*region, *row);
      warn_if_full(*region, report_.regions.back());
    }
    for (const ImageRegion& row : image_.regions) {
      if (row.used != core::Bytes{} && region_named(std::string{row.name}) == nullptr) {
        wrong(Code::kFirmwareRegion,
              fmt::format("region '{}' {} of this map is none of {}'s linker map",
                          core::printable(row.name, 60),
                          range_of(row.origin, row.length),
                          report_.core),
              "the image was linked for another map: build it with this one's linker maps")
            .place.line = row.line;
      }
    }
  }

  void compare_with(const Region& region, const ImageRegion& row) {
    if (row.origin == region.virtual_base->value() && row.length == region.size) {
      return;
    }
    report_.diagnostics.push_back(
        core::note(Code::kFirmwarePlace,
                   fmt::format("region '{}' is {} in this map, and {} on the board: what is used "
                               "counts all the same",
                               region.name,
                               range_of(row.origin, row.length),
                               range_of(region.virtual_base->value(), region.size)),
                   {image_.path, row.line},
                   "the image was linked for another map: link it again with this one's before it "
                   "runs")
            .about({{"region", region.name}, {"core", report_.core}}));
  }

  [[nodiscard]] const Region* region_named(const std::string& name) const {
    const auto found =
        std::ranges::find_if(regions_, [&](const Region* region) { return region->name == name; });
    return found == regions_.end() ? nullptr : *found;
  }

  // Low and high group: what lies before the largest hole, and behind it up to the end.
  void measure(const Region& region) {
    const std::uint64_t base = region.virtual_base->value();
    const std::uint64_t end = base + region.size.count();
    std::uint64_t top = base;
    std::uint64_t last_alignment = 1;
    std::uint64_t hole = 0;
    std::uint64_t low = base;
    std::uint64_t high = end;
    bool is_kept = true;
    bool is_filled = false;
    std::vector<const ImageSection*> inside;
    core::Bytes moves;
    const auto look = [&](std::uint64_t begin) {
      if (begin > top && begin - top > hole) {
        hole = begin - top;
        low = top;
        high = begin;
      }
    };
    for (const ImageSection& section : sections_) {
      if (strayed_.contains(&section) || !holds(region, section.address, section.size.count())) {
        continue;
      }
      look(section.address);
      if (section.address + section.size.count() >= top) {
        top = section.address + section.size.count();
        last_alignment = std::clamp<std::uint64_t>(section.alignment, 1, kPageBytes);
      }
      is_kept = is_kept && is_only_kept(section);
      const board::PlacedSection* placed = place_of(section);
      is_filled = is_filled || (placed != nullptr && placed->use == board::SectionUse::kWhole);
      moves += padding_of(section, kCoarse);
      inside.push_back(&section);
    }
    if (inside.empty()) {
      return;
    }
    // Without anything at the end there is no high group: all of it is counted from the start.
    if (hole == 0 || end - top >= last_alignment) {
      low = top;
      high = end;
    }
    FirmwareUse use{.region = region.name,
                    .knob = region.knob,
                    .reserved = region.size,
                    .low = core::Bytes{low - base},
                    .high = core::Bytes{end - high},
                    .is_kept = is_kept,
                    .is_filled = is_filled,
                    .need = core::Bytes{low - base} + core::Bytes{end - high},
                    .moves = moves};
    for (const ImageSection* section : inside) {
      use.need += section->address >= high ? padding_of(*section, 2 * kPageBytes) : core::Bytes{};
    }
    report_.regions.push_back(std::move(use));
    warn_if_full(region, report_.regions.back());
  }

  // The most that may be lost in front of it, where it lies on `least` or more.
  static core::Bytes padding_of(const ImageSection& section, std::uint64_t least) {
    return section.alignment < least ? core::Bytes{} : core::Bytes{section.alignment - 1};
  }

  [[nodiscard]] bool is_only_kept(const ImageSection& section) const {
    return !section.is_stored &&
           std::ranges::none_of(image_.segments, [&](const ImageSegment& segment) {
             return section.address >= segment.address &&
                    section.address - segment.address < segment.size;
           });
  }

  // Code and data grow with the next build; arrays fill their regions on purpose.
  void warn_if_full(const Region& region, const FirmwareUse& use) {
    // Shares of what may be nearly 2^64 bytes.
    const core::Bytes allowed{region.size.count() / 100 * options_.full_percent +
                              region.size.count() % 100 * options_.full_percent / 100};
    if (sections_of_core_ == nullptr || sections_of_core_->region != region.name ||
        use.used() <= allowed) {
      return;
    }
    report_.diagnostics.push_back(
        core::warning(Code::kFirmwareFull,
                      fmt::format("'{}' of {} is fuller than {} %: {} of {}",
                                  region.name,
                                  report_.core,
                                  options_.full_percent,
                                  core::format_size(use.used()),
                                  core::format_size(region.size)),
                      {image_.path},
                      region.knob.empty()
                          ? std::string{"the next build may not fit: give the core more"}
                          : fmt::format("the next build may not fit: --set {}=SIZE", region.knob))
            .about({{"region", region.name}, {"core", report_.core}}));
  }

  const MemoryMap& map_;
  const Image& image_;
  const FirmwareOptions& options_;
  // By address: the image's, or its segments.
  std::vector<ImageSection> sections_;
  const board::CoreSections* sections_of_core_ = nullptr;
  std::vector<const Region*> regions_;
  std::optional<CoreHardware> hardware_;
  // Sections that are in no region.
  std::size_t strays_ = 0;
  std::map<std::string, board::PlacedSection> placed_;
  // Sections that are there for another region than the one in which they lie.
  std::set<const ImageSection*> strayed_;
  FirmwareReport report_;
};

}  // namespace

const std::vector<core::Rule>& firmware_rules() {
  using core::Severity;
  static const std::vector<core::Rule> rules = {
      {Code::kFirmwareCore,
       Severity::kError,
       "firmware lies in memory that one of the board's cores has for itself",
       "linker maps of the SDK: code and data have a region for each core"},
      {Code::kFirmwareRegion,
       Severity::kError,
       "each section lies in one region of its core's linker map",
       "linker maps of the SDK; one that is crossed belongs to somebody else"},
      {Code::kFirmwarePlace,
       Severity::kError,
       "arrays that stand for a region begin where it begins, and fill it where they must",
       "NOLOAD sections of the SDK's linker command files"},
      {Code::kFirmwareFull,
       Severity::kWarning,
       "code and data leave a twentieth of their region to the next build",
       "a link that does not fit stops the build; how much code grows nobody knows"},
      {Code::kFirmwareLoad,
       Severity::kError,
       "each segment lies in a carve-out or an on-chip memory of its core's own, below 4 GiB",
       "Linux: remoteproc_elf_loader.c (rproc_elf_load_segments), ti_k3_r5_remoteproc.c and "
       "ti_k3_dsp_remoteproc.c (da_to_va)"},
      {Code::kFirmwareTable,
       Severity::kError,
       "the resource table is one that Linux reads, with vrings and a trace in the core's memory",
       "Linux: remoteproc_elf_loader.c (find_table), remoteproc_core.c, ti_k3_common.c "
       "(k3_get_loaded_rsc_table)"},
      {Code::kFirmwareEntry,
       Severity::kError,
       "a core begins to run on the multiple that its reset needs",
       "Linux: ti_k3_dsp_remoteproc.c (boot_align_addr)"},
      {Code::kFirmwareOverlap,
       Severity::kError,
       "sections of two cores are not the same memory on the bus",
       "each core's code and data are its own"},
      {Code::kFirmwareTwice,
       Severity::kError,
       "a core has one image",
       "a core is started with one firmware"},
  };
  return rules;
}

FirmwareReport check_firmware(const MemoryMap& map,
                              const Image& image,
                              const FirmwareOptions& options) {
  return FirmwareCheck{map, image, options}.run();
}

core::Diagnostics check_apart(const std::vector<const FirmwareReport*>& reports) {
  struct Part {
    const FirmwareReport* report;
    const FirmwarePiece* piece;
  };

  std::vector<Part> parts;
  for (const FirmwareReport* report : reports) {
    for (const FirmwarePiece& piece : report->pieces) {
      parts.push_back({report, &piece});
    }
  }
  std::ranges::stable_sort(parts, {}, [](const Part& part) { return part.piece->range.base(); });
  const auto end_of = [](const Part& part) {
    return part.piece->range.base().value() + part.piece->range.size().count();
  };
  core::Diagnostics found;
  std::set<std::pair<std::string, std::string>> told;
  // Of each core the part that reaches farthest so far.
  std::map<std::string, Part> farthest;
  for (const Part& part : parts) {
    for (const auto& [core, other] : farthest) {
      if (core == part.report->core || end_of(other) <= part.piece->range.base().value() ||
          !told.insert(std::minmax(core, part.report->core)).second) {
        continue;
      }
      found.push_back(
          core::error(Code::kFirmwareOverlap,
                      fmt::format("section '{}' of {} {} and section '{}' of {} {} are the same "
                                  "memory on the bus",
                                  core::printable(part.piece->name, 60),
                                  part.report->core,
                                  core::format_range(part.piece->range),
                                  core::printable(other.piece->name, 60),
                                  core,
                                  core::format_range(other.piece->range)),
                      {part.report->path},
                      "one of the two was linked for another map: build both with this one's "
                      "linker maps")
              .beside({other.report->path}, fmt::format("the image of {}", core)));
    }
    const auto [mine, is_first] = farthest.emplace(part.report->core, part);
    if (!is_first && end_of(part) > end_of(mine->second)) {
      mine->second = part;
    }
  }
  return found;
}

std::vector<FirmwareNeed> firmware_needs(const FirmwareReport& report) {
  std::vector<FirmwareNeed> needs;
  if (core::contains(report.diagnostics, Code::kFirmwareRegion, &core::Diagnostic::code)) {
    return needs;
  }
  for (const FirmwareUse& use : report.regions) {
    if (!use.knob.empty() && !use.is_filled) {
      needs.push_back({.core = report.core,
                       .region = use.region,
                       .knob = use.knob,
                       .now = use.reserved,
                       .need = use.need,
                       .moves = use.moves,
                       .path = report.path,
                       .sha256 = report.sha256});
    }
  }
  return needs;
}

}  // namespace memsize::layout
