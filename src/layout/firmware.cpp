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

core::Diagnostic wrong_image(const Image& image, Code code, std::string message, std::string hint) {
  return core::error(code, std::move(message), {image.path}, std::move(hint));
}

// By address: the image's, or its segments where it is a program without a table of sections.
std::vector<ImageSection> sections_of(const Image& image) {
  std::vector<ImageSection> sections = image.sections;
  for (std::size_t i = 0; image.sections.empty() && i < image.segments.size(); ++i) {
    const ImageSegment& segment = image.segments[i];
    if (segment.size != 0 && core::checked_add(segment.address, segment.size)) {
      sections.push_back({.name = "(segment)",
                          .address = segment.address,
                          .load_address = segment.load_address,
                          .size = core::Bytes{segment.size},
                          .is_stored = segment.stored != 0,
                          // A page, often, which no section of it asks for.
                          .alignment = std::min<std::uint64_t>(segment.alignment, kFine)});
    }
  }
  std::ranges::stable_sort(sections, {}, &ImageSection::address);
  return sections;
}

// How many bytes the region has from the address on; 0: the address is not in it.
std::uint64_t bytes_from(const Region& region, std::uint64_t address) {
  const auto range = region.virtual_range();
  return range && address >= range->base().value() &&
                 address - range->base().value() < range->size().count()
             ? range->size().count() - (address - range->base().value())
             : 0;
}

bool begins_in(const Region& region, std::uint64_t address) {
  return bytes_from(region, address) != 0;
}

bool holds_section(const Region& region, const ImageSection& section) {
  return begins_in(region, section.address) &&
         section.size.count() <= bytes_from(region, section.address);
}

core::Bytes bytes_in(const Region& region,
                     const Image& image,
                     const std::vector<ImageSection>& sections) {
  core::Bytes bytes;
  for (const ImageSection& section : sections) {
    // A segment may go on into another region.
    const bool is_in = image.sections.empty() ? begins_in(region, section.address)
                                              : holds_section(region, section);
    bytes += is_in ? section.size : core::Bytes{};
  }
  for (const ImageRegion& row : image.regions) {
    bytes += row.name == region.name ? row.used : core::Bytes{};
  }
  return bytes;
}

// The one that has most of the image in regions that no other core has.
std::string core_of_image(const MemoryMap& map,
                          const Image& image,
                          const std::vector<ImageSection>& sections) {
  std::map<std::string, core::Bytes> bytes;
  for (const Region& region : map.regions) {
    if (region.cores.size() == 1) {
      bytes[region.cores.front()] += bytes_in(region, image, sections);
    }
  }
  std::string best;
  for (const board::Core& core : map.board.cores) {
    // A map has the program's name, which has the core's.
    if (image.output.find(core.name) != std::string_view::npos &&
        bytes[core.name] != core::Bytes{}) {
      return core.name;
    }
    const core::Bytes most = best.empty() ? core::Bytes{} : bytes[best];
    best = bytes[core.name] > most ? core.name : best;
  }
  return best;
}

// What the board's linker map of a core has, and where it puts what.
class CoreLinkerMap {
 public:
  CoreLinkerMap(const MemoryMap& map, const std::string& core)
      : sections_(map.board.find_sections(core)) {
    for (const Region& region : map.regions) {
      const auto range = region.virtual_range();
      if (region.seen_by(core) && range && !range->empty()) {
        regions_.push_back(&region);
      }
    }
    std::ranges::stable_sort(
        regions_, {}, [](const Region* region) { return region->virtual_base->value(); });
    for (std::size_t i = 0; sections_ != nullptr && i < sections_->placed.size(); ++i) {
      placed_.emplace(spelt(sections_->placed[i].name), sections_->placed[i]);
    }
  }

  /// By address, as the core sees them.
  [[nodiscard]] const std::vector<const Region*>& regions() const { return regions_; }

  /// Null where there is none.
  [[nodiscard]] const Region* named(std::string_view name) const {
    const auto* found = core::find_in(regions_, name, &Region::name);
    return found == nullptr ? nullptr : *found;
  }

  /// The region that holds all of it; null where none does.
  [[nodiscard]] const Region* around(const ImageSection& section) const {
    const auto* found = core::find_where(
        regions_, [&](const Region* region) { return holds_section(*region, section); });
    return found == nullptr ? nullptr : *found;
  }

  /// Where the board puts sections of that name; null: where the rest of the code goes.
  [[nodiscard]] const board::PlacedSection* place_of(const ImageSection& section) const {
    return core::value_in(placed_, spelt(section.name));
  }

  /// Whether it is the region of code and data.
  [[nodiscard]] bool is_code(const Region& region) const {
    return sections_ != nullptr && sections_->region == region.name;
  }

 private:
  std::vector<const Region*> regions_;
  const board::CoreSections* sections_;
  std::map<std::string, board::PlacedSection> placed_;
};

// Segments, cut where one goes on from a region into what is behind it: a linker joins what lies
// side by side.
std::vector<ImageSection> cut_at_regions(const std::vector<ImageSection>& segments,
                                         const CoreLinkerMap& linker) {
  std::vector<ImageSection> parts;
  for (ImageSection rest : segments) {
    for (const Region* region : linker.regions()) {
      const std::uint64_t here = bytes_from(*region, rest.address);
      if (here != 0 && here < rest.size.count() && linker.around(rest) == nullptr) {
        parts.push_back(rest);
        parts.back().size = core::Bytes{here};
        rest.address += here;
        rest.load_address += here;
        rest.size = rest.size - core::Bytes{here};
      }
    }
    parts.push_back(std::move(rest));
  }
  return parts;
}

// --- an image with sections

void add_piece(std::string_view name,
               std::uint64_t physical,
               std::uint64_t size,
               FirmwareReport& report) {
  const auto range = core::PhysRange::make(core::PhysAddr{physical}, core::Bytes{size});
  if (range && !range->empty()) {
    report.pieces.push_back({std::string{name}, *range});
  }
}

std::string shown_section(const ImageSection& section, const std::string& core) {
  return fmt::format("section '{}' {} of {}",
                     core::printable(section.name, 60),
                     range_of(section.address, section.size),
                     core);
}

// What is wrong with a section that stands for a region, if it is elsewhere or does not fill it
// where it must.
std::optional<core::Diagnostic> misplaced(const Image& image,
                                          const std::string& core,
                                          const ImageSection& section,
                                          const Region& home,
                                          board::SectionUse use) {
  const bool is_there =
      section.address == home.virtual_base->value() &&
      (use == board::SectionUse::kWhole ? section.size == home.size : section.size <= home.size);
  if (is_there) {
    return std::nullopt;
  }
  core::Diagnostic found =
      wrong_image(image,
                  Code::kFirmwarePlace,
                  fmt::format("{} is there for '{}', which is {}",
                              shown_section(section, core),
                              home.name,
                              range_of(home.virtual_base->value(), home.size)),
                  "the image was linked for another map: build it with this one's linker maps and "
                  "header, or name the map that it was built with");
  found.related.push_back(core::region_at(home.place, home.name, "is placed here"));
  return found;
}

// Adds where each section is on the bus, and what is not where the linker map has it. Gives the
// sections that are there for another region than the one in which they lie.
std::set<const ImageSection*> place_sections(const MemoryMap& map,
                                             const CoreLinkerMap& linker,
                                             const Image& image,
                                             const std::vector<ImageSection>& sections,
                                             FirmwareReport& report) {
  std::set<const ImageSection*> strayed;
  std::optional<CoreHardware> hardware;
  std::size_t strays = 0;
  for (const ImageSection& section : sections) {
    const Region* region = linker.around(section);
    const board::PlacedSection* placed = linker.place_of(section);
    const bool stands = placed != nullptr && placed->use != board::SectionUse::kLoaded;
    const Region* home = stands ? linker.named(placed->region) : nullptr;
    auto wrong =
        home == nullptr ? std::nullopt : misplaced(image, report.core, section, *home, placed->use);
    if (wrong) {
      report.diagnostics.push_back(std::move(*wrong));
      strayed.insert(&section);
    } else if (region == nullptr && ++strays <= kMostStrays) {
      // It lies somewhere nevertheless.
      if (!hardware) {
        hardware = hardware_of(map, report.core);
      }
      for (const Sight& sight : look_at(*hardware, section.address, section.size.count())) {
        if (sight.physical) {
          add_piece(section.name, *sight.physical, sight.size, report);
        }
      }
      report.diagnostics.push_back(
          wrong_image(image,
                      Code::kFirmwareRegion,
                      fmt::format("{} is in no region of the core's linker map",
                                  shown_section(section, report.core)),
                      "the image was linked for another map: build it with this one's linker "
                      "maps"));
    } else if (region != nullptr && region->physical_base &&
               // What all cores know by one array they share.
               !(region->cores.size() > 1 && stands)) {
      add_piece(section.name,
                region->physical_base->value() + section.address - region->virtual_base->value(),
                section.size.count(),
                report);
    }
  }
  if (strays > kMostStrays) {
    report.diagnostics.push_back(wrong_image(
        image,
        Code::kFirmwareRegion,
        fmt::format("{} more are in no region of the core's linker map", strays - kMostStrays),
        ""));
  }
  return strayed;
}

// The most that may be lost in front of it, where it lies on `least` or more.
core::Bytes padding_of(const ImageSection& section, std::uint64_t least) {
  return section.alignment < least ? core::Bytes{} : core::Bytes{section.alignment - 1};
}

bool is_only_kept(const Image& image, const ImageSection& section) {
  return !section.is_stored &&
         std::ranges::none_of(image.segments, [&](const ImageSegment& segment) {
           return section.address >= segment.address &&
                  section.address - segment.address < segment.size;
         });
}

// What lies before the largest hole of a region ends at `low`, what lies behind it up to the end
// begins at `high`.
struct Groups {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

Groups groups_in(const Region& region, const std::vector<const ImageSection*>& inside) {
  const std::uint64_t base = region.virtual_base->value();
  const std::uint64_t end = base + region.size.count();
  std::uint64_t top = base;
  std::uint64_t last_alignment = 1;
  std::uint64_t hole = 0;
  Groups groups;
  for (const ImageSection* section : inside) {
    if (section->address > top && section->address - top > hole) {
      hole = section->address - top;
      groups = {top, section->address};
    }
    if (section->address + section->size.count() >= top) {
      top = section->address + section->size.count();
      last_alignment = std::clamp<std::uint64_t>(section->alignment, 1, kPageBytes);
    }
  }
  // Without anything at the end there is no high group: all of it is counted from the start.
  return hole == 0 || end - top >= last_alignment ? Groups{top, end} : groups;
}

// Nothing where no section is in the region; `strayed` are there for others.
std::optional<FirmwareUse> use_of(const Region& region,
                                  const CoreLinkerMap& linker,
                                  const Image& image,
                                  const std::vector<ImageSection>& sections,
                                  const std::set<const ImageSection*>& strayed) {
  std::vector<const ImageSection*> inside;
  for (const ImageSection& section : sections) {
    if (!strayed.contains(&section) && holds_section(region, section)) {
      inside.push_back(&section);
    }
  }
  if (inside.empty()) {
    return std::nullopt;
  }
  const std::uint64_t base = region.virtual_base->value();
  const auto [low, high] = groups_in(region, inside);
  FirmwareUse use{.region = region.name,
                  .knob = region.knob,
                  .reserved = region.size,
                  .low = core::Bytes{low - base},
                  .high = core::Bytes{base + region.size.count() - high},
                  .is_kept = true,
                  .is_filled = false,
                  .need = core::Bytes{},
                  .moves = core::Bytes{}};
  use.need = use.low + use.high;
  for (const ImageSection* section : inside) {
    const board::PlacedSection* placed = linker.place_of(*section);
    use.is_kept = use.is_kept && is_only_kept(image, *section);
    use.is_filled =
        use.is_filled || (placed != nullptr && placed->use == board::SectionUse::kWhole);
    use.moves += padding_of(*section, kCoarse);
    use.need += section->address >= high ? padding_of(*section, 2 * kPageBytes) : core::Bytes{};
  }
  return use;
}

// Code and data grow with the next build; arrays fill their regions on purpose.
void warn_if_full(const Region& region,
                  const CoreLinkerMap& linker,
                  const Image& image,
                  const FirmwareUse& use,
                  unsigned percent,
                  FirmwareReport& report) {
  // Shares of what may be nearly 2^64 bytes.
  const core::Bytes allowed{region.size.count() / 100 * percent +
                            region.size.count() % 100 * percent / 100};
  if (!linker.is_code(region) || use.used() <= allowed) {
    return;
  }
  report.diagnostics.push_back(
      core::warning(Code::kFirmwareFull,
                    fmt::format("'{}' of {} is fuller than {} %: {} of {}",
                                region.name,
                                report.core,
                                percent,
                                core::format_size(use.used()),
                                core::format_size(region.size)),
                    {image.path},
                    region.knob.empty()
                        ? std::string{"the next build may not fit: give the core more"}
                        : fmt::format("the next build may not fit: --set {}=SIZE", region.knob))
          .about({{"region", region.name}, {"core", report.core}}));
}

// --- a linker's map

void compare_with(const Region& region,
                  const Image& image,
                  const ImageRegion& row,
                  FirmwareReport& report) {
  if (row.origin == region.virtual_base->value() && row.length == region.size) {
    return;
  }
  report.diagnostics.push_back(
      core::note(Code::kFirmwarePlace,
                 fmt::format("region '{}' is {} in this map, and {} on the board: what is used "
                             "counts all the same",
                             region.name,
                             range_of(row.origin, row.length),
                             range_of(region.virtual_base->value(), region.size)),
                 {image.path, row.line},
                 "the image was linked for another map: link it again with this one's before it "
                 "runs")
          .about({{"region", region.name}, {"core", report.core}}));
}

// What TI's linker says of its regions, by their names.
void take_map(const CoreLinkerMap& linker,
              const Image& image,
              unsigned percent,
              FirmwareReport& report) {
  for (const Region* region : linker.regions()) {
    const ImageRegion* row = core::find_in(image.regions, region->name, &ImageRegion::name);
    if (row == nullptr || row->used == core::Bytes{}) {
      continue;
    }
    const bool is_filled = row->used == row->length && !linker.is_code(*region);
    report.regions.push_back({.region = region->name,
                              .knob = region->knob,
                              .reserved = region->size,
                              .low = row->used,
                              .high = core::Bytes{},
                              .is_kept = is_filled,
                              .is_filled = is_filled,
                              .need = row->used,
                              .moves = core::Bytes{}});
    compare_with(*region, image, *row, report);
    warn_if_full(*region, linker, image, report.regions.back(), percent, report);
  }
  for (const ImageRegion& row : image.regions) {
    if (row.used != core::Bytes{} && linker.named(row.name) == nullptr) {
      core::Diagnostic found =
          wrong_image(image,
                      Code::kFirmwareRegion,
                      fmt::format("region '{}' {} of this map is none of {}'s linker map",
                                  core::printable(row.name, 60),
                                  range_of(row.origin, row.length),
                                  report.core),
                      "the image was linked for another map: build it with this one's linker maps");
      found.place.line = row.line;
      report.diagnostics.push_back(std::move(found));
    }
  }
}

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
  FirmwareReport report{.path = image.path};
  if (!image.content.empty()) {
    report.sha256 = core::sha256(image.content.str());
  }
  report.resources = image.resources;
  std::vector<ImageSection> sections = sections_of(image);
  if (image.machine.starts_with("x86")) {
    report.diagnostics.push_back(
        wrong_image(image,
                    Code::kFirmwareCore,
                    fmt::format("this is a program for {}, which no core of board '{}' is",
                                image.machine,
                                map.board.name),
                    "name the file that was linked for the core"));
    return report;
  }
  report.core = core_of_image(map, image, sections);
  if (report.core.empty()) {
    report.diagnostics.push_back(wrong_image(
        image,
        Code::kFirmwareCore,
        fmt::format("nothing of this image lies in memory that a core of board '{}' has for itself",
                    map.board.name),
        "it was linked for another map: name the board or the map that it was built with"));
    return report;
  }
  const CoreLinkerMap linker{map, report.core};
  if (image.sections.empty()) {
    sections = cut_at_regions(sections, linker);
  }
  if (!image.regions.empty()) {
    take_map(linker, image, options.full_percent, report);
    return report;
  }
  const auto strayed = place_sections(map, linker, image, sections, report);
  for (const Region* region : linker.regions()) {
    if (auto use = use_of(*region, linker, image, sections, strayed)) {
      warn_if_full(*region, linker, image, *use, options.full_percent, report);
      report.regions.push_back(std::move(*use));
    }
  }
  const core::Diagnostics found = check_loading(map, report.core, image);
  report.diagnostics.insert(report.diagnostics.end(), found.begin(), found.end());
  return report;
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
