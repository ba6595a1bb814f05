// Finds the core whose image this is by where it lies, then goes through its sections region by
// region, and through its segments as remoteproc does.
#include "memsize/layout/firmware.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/sha256.hpp"
#include "memsize/core/text.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::layout {

namespace {

using core::Code;
using model::Image;
using model::ImageSection;
using model::ImageSegment;

constexpr std::uint64_t kFullPercent = 95;
// A region begins and ends on a page, wherever it moves: what lies on less is as it was.
constexpr std::uint64_t kPage = 4096;
// From here on a region's base decides how much padding a section gets.
constexpr std::uint64_t kCoarse = 65536;
// remoteproc has device addresses of 32 bits.
constexpr std::uint64_t kDeviceEnd = 1ULL << 32;

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

// What TI's device trees call the memory of a core's vrings: entry 0 of its node's memory-region,
// into which nothing is loaded.
constexpr std::string_view kVrings = "_dma_memory_region";

class FirmwareCheck {
 public:
  FirmwareCheck(const MemoryMap& map, const Image& image) : map_(map), image_(image) {}

  FirmwareReport run() {
    report_.path = image_.path;
    if (!image_.content.empty()) {
      report_.sha256 = core::sha256(image_.content.str());
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
    if (const auto* sections = map_.board.find_sections(report_.core); sections != nullptr) {
      for (const board::PlacedSection& placed : sections->placed) {
        placed_.emplace(spelt(placed.name), placed);
      }
    }
    for (const ImageSection& section : image_.sections) {
      check(section);
    }
    for (const Region* region : regions_) {
      measure(*region);
    }
    for (const ImageSegment& segment : image_.segments) {
      check(segment);
    }
    return std::move(report_);
  }

 private:
  core::Diagnostic& wrong(Code code, std::string message, std::string hint) {
    report_.diagnostics.push_back(
        core::error(code, std::move(message), {image_.path}, std::move(hint)));
    return report_.diagnostics.back();
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
    std::string best;
    std::uint64_t most = 0;
    for (const board::Core& core : map_.board.cores) {
      std::uint64_t bytes = 0;
      for (const Region& region : map_.regions) {
        for (const ImageSection& section : image_.sections) {
          const bool is_inside = region.cores.size() == 1 && region.seen_by(core.name) &&
                                 holds(region, section.address, section.size.count());
          bytes += is_inside ? section.size.count() : 0;
        }
      }
      if (bytes > most) {
        best = core.name;
        most = bytes;
      }
    }
    return best;
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
      wrong(Code::kFirmwareRegion,
            fmt::format("{} is in no region of the core's linker map", shown),
            "the image was linked for another map: build it with this one's linker maps");
    }
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
    for (const ImageSection& section : image_.sections) {
      if (strayed_.contains(&section) || !holds(region, section.address, section.size.count())) {
        continue;
      }
      look(section.address);
      if (section.address + section.size.count() >= top) {
        top = section.address + section.size.count();
        last_alignment = std::clamp<std::uint64_t>(section.alignment, 1, kPage);
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
    if (end - top >= last_alignment) {
      low = top;
      high = end;
    } else if (hole == 0) {
      low = end;
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
      use.need += section->address >= high ? padding_of(*section, 2 * kPage) : core::Bytes{};
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
    const auto* sections = map_.board.find_sections(report_.core);
    if (sections == nullptr || sections->region != region.name ||
        use.used().count() * 100 <= region.size.count() * kFullPercent) {
      return;
    }
    report_.diagnostics.push_back(
        core::warning(Code::kFirmwareFull,
                      fmt::format("'{}' of {} is nearly full: {} of {}",
                                  region.name,
                                  report_.core,
                                  core::format_size(use.used()),
                                  core::format_size(region.size)),
                      {image_.path},
                      region.knob.empty()
                          ? std::string{"the next build may not fit: give the core more"}
                          : fmt::format("the next build may not fit: --set {}=SIZE", region.knob))
            .about({{"region", region.name}, {"core", report_.core}}));
  }

  // Whether Linux loads a program there: the core's own memories on the chip, and carve-outs in
  // which nothing of another core lies, such as a heap.
  [[nodiscard]] bool is_loadable(const Region& region) const {
    const auto is_own = [&](const Region& each) {
      return each.cores.size() == 1 && each.seen_by(report_.core);
    };
    if (region.space != board::Space::kDdr) {
      return region.space == board::Space::kCore || is_own(region);
    }
    return std::ranges::any_of(map_.carveouts, [&](const Carveout& carveout) {
      return core::contains(carveout.members, region.name) &&
             carveout.label.find(kVrings) == std::string::npos &&
             std::ranges::all_of(map_.regions, [&](const Region& each) {
               return !core::contains(carveout.members, each.name) || is_own(each);
             });
    });
  }

  // Each lies in one memory that the core has for itself: regions that touch are one carve-out.
  void check(const ImageSegment& segment) {
    if (segment.size == 0) {
      return;
    }
    std::uint64_t at = segment.load_address;
    const bool is_high = at >= kDeviceEnd || segment.size > kDeviceEnd - at;
    const std::uint64_t end = is_high ? UINT64_MAX : at + segment.size;
    for (const Region* region : regions_) {
      const std::uint64_t base = region->virtual_base->value();
      if (is_loadable(*region) && at >= base && at < base + region->size.count()) {
        at = base + region->size.count();
      }
      if (at >= end) {
        break;
      }
    }
    if (at >= end && !is_high) {
      return;
    }
    wrong(Code::kFirmwareLoad,
          fmt::format("Linux will not load this image: bad phdr da {} mem {}",
                      core::format_hex(segment.load_address),
                      core::format_hex(segment.size)),
          is_high
              ? "remoteproc has 32 bits for an address: move what is loaded below 4 GiB"
              : fmt::format("what is loaded must lie in a carve-out of {}'s own; memory that is "
                            "only reserved, such as heaps, must be in no segment",
                            report_.core));
  }

  const MemoryMap& map_;
  const Image& image_;
  std::vector<const Region*> regions_;
  std::map<std::string, board::PlacedSection> placed_;
  // Sections that are there for another region than the one in which they lie.
  std::set<const ImageSection*> strayed_;
  FirmwareReport report_;
};

}  // namespace

const std::vector<FirmwareRule>& firmware_rules() {
  using core::Severity;
  static const std::vector<FirmwareRule> rules = {
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
      {Code::kFirmwareTwice,
       Severity::kError,
       "a core has one image",
       "a core is started with one firmware"},
  };
  return rules;
}

FirmwareReport check_firmware(const MemoryMap& map, const Image& image) {
  return FirmwareCheck{map, image}.run();
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
