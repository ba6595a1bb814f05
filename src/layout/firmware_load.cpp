// What Linux' remoteproc says of an image when it loads it: of each segment, in the file's order,
// and of the address at which it would start the core.
//
// Sources: rproc_elf_load_segments() of remoteproc_elf_loader.c, da_to_va and start of
// ti_k3_r5_remoteproc.c and ti_k3_dsp_remoteproc.c in drivers/remoteproc of Linux.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "firmware_parts.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::layout {

namespace {

using core::Code;
using model::Image;
using model::ImageSegment;

// What TI's device trees call the memory of a core's vrings.
constexpr std::string_view kVrings = "_dma_memory_region";

// Half-open device addresses.
struct Home {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

bool is_for_vrings(const Carveout& carveout) {
  return carveout.label.find(kVrings) != std::string::npos;
}

// Memory on the chip: a core's tightly coupled memory where the core sees it, SRAM where the bus
// does. Regions that touch are pieces of one memory.
std::vector<Home> memories_on_chip(const MemoryMap& map, const std::string& core) {
  std::vector<Home> found;
  for (const Region& region : map.regions) {
    const bool is_here = region.seen_by(core) && region.kind == RegionKind::kRegion &&
                         region.size != core::Bytes{} &&
                         (region.space == board::Space::kCore ||
                          (region.space == board::Space::kSram && region.cores.size() == 1));
    if (is_here) {
      const std::uint64_t base =
          region.physical_base ? region.physical_base->value() : region.virtual_base->value();
      found.push_back({base, base + region.size.count()});
    }
  }
  std::ranges::sort(found, {}, &Home::begin);
  std::vector<Home> homes;
  for (const Home& each : found) {
    if (!homes.empty() && each.begin <= homes.back().end) {
      homes.back().end = std::max(homes.back().end, each.end);
    } else {
      homes.push_back(each);
    }
  }
  return homes;
}

std::vector<Home> homes_of(const MemoryMap& map, const std::string& core) {
  std::vector<Home> homes = memories_on_chip(map, core);
  for (const Carveout& carveout : map.carveouts) {
    const std::uint64_t base = carveout.range.base().value();
    const std::uint64_t end = base + carveout.range.size().count();
    if (!is_for_vrings(carveout) && end <= kDeviceEnd && is_own(map, carveout, core)) {
      homes.push_back({base, end});
    }
  }
  return homes;
}

class LoadCheck {
 public:
  LoadCheck(const MemoryMap& map, const std::string& core, const Image& image)
      : map_(map), core_(core), image_(image), homes_(homes_of(map, core)) {}

  // In the kernel's order.
  core::Diagnostics run() {
    const core::Diagnostics resources = check_resources(map_, core_, image_);
    if (!image_.refusal.empty()) {
      refuse(image_.refusal, "link it again, or copy it again, whole and as binary");
    }
    found_.insert(found_.end(), resources.begin(), resources.end());
    for (const ImageSegment& segment : image_.segments) {
      check(segment);
    }
    check_overlaps();
    check_entry();
    return std::move(found_);
  }

 private:
  void refuse(const std::string& words, std::string hint) {
    found_.push_back(core::error(Code::kFirmwareLoad,
                                 fmt::format("Linux will not load this image: {}", words),
                                 {image_.path},
                                 std::move(hint)));
  }

  // The kernel stops at the first; here each is told, with what is wrong first.
  void check(const ImageSegment& segment) {
    if (segment.size == 0) {
      return;
    }
    if (segment.stored > segment.size) {
      refuse(fmt::format("bad phdr filesz {:#x} memsz {:#x}", segment.stored, segment.size),
             "a segment has more bytes in the file than in memory: link it again");
      return;
    }
    const std::size_t have = image_.content.str().size();
    if (image_.format == "elf" &&
        (segment.offset > have || segment.stored > have - segment.offset)) {
      refuse(fmt::format(
                 "truncated fw: need {:#x} avail {:#x}", segment.offset + segment.stored, have),
             "copy it again, whole and as binary");
      return;
    }
    const std::uint64_t at = segment.load_address;
    const bool is_there = std::ranges::any_of(homes_, [&](const Home& home) {
      return at >= home.begin && at < home.end && segment.size <= home.end - at;
    });
    if (is_there) {
      return;
    }
    const bool is_high = at >= kDeviceEnd || segment.size > kDeviceEnd - at;
    refuse(fmt::format("bad phdr da {:#x} mem {:#x}", at, segment.size),
           is_high ? "remoteproc has 32 bits for an address: move what is loaded below 4 GiB"
                   : fmt::format("what is loaded must lie in a carve-out of {}'s own; memory that "
                                 "is only reserved, such as heaps, must be in no segment",
                                 core_));
  }

  // The kernel loads both: the later one in the file wins.
  void check_overlaps() {
    std::vector<const ImageSegment*> segments;
    for (const ImageSegment& segment : image_.segments) {
      if (segment.size != 0 && core::checked_add(segment.load_address, segment.size)) {
        segments.push_back(&segment);
      }
    }
    std::ranges::stable_sort(segments, {}, &ImageSegment::load_address);
    const ImageSegment* widest = nullptr;
    for (const ImageSegment* segment : segments) {
      if (widest != nullptr && segment->load_address < widest->load_address + widest->size) {
        found_.push_back(core::warning(
            Code::kFirmwareLoad,
            fmt::format(
                "segments [{:#x}, {:#x}) and [{:#x}, {:#x}) overlap: one is loaded over the "
                "other",
                widest->load_address,
                widest->load_address + widest->size,
                segment->load_address,
                segment->load_address + segment->size),
            {image_.path},
            "give each output section a load address of its own"));
        return;
      }
      if (widest == nullptr ||
          segment->load_address + segment->size > widest->load_address + widest->size) {
        widest = segment;
      }
    }
  }

  void check_entry() {
    const auto* sections = map_.board.find_sections(core_);
    const auto entry = static_cast<std::uint32_t>(image_.entry);
    if (sections == nullptr || core::is_aligned(entry, sections->entry_align)) {
      return;
    }
    found_.push_back(core::error(
        Code::kFirmwareEntry,
        fmt::format("Linux will not start this image: invalid boot address {:#x}, must be aligned "
                    "on a {:#x} boundary",
                    entry,
                    sections->entry_align.value()),
        {image_.path},
        fmt::format("let the linker put the code that {} begins with on a multiple of {}",
                    core_,
                    core::format_size(core::Bytes{sections->entry_align.value()}))));
  }

  const MemoryMap& map_;
  const std::string& core_;
  const Image& image_;
  std::vector<Home> homes_;
  core::Diagnostics found_;
};

}  // namespace

bool is_own(const MemoryMap& map, const Carveout& carveout, const std::string& core) {
  bool is_any = false;
  for (const Region& region : map.regions) {
    if (region.kind == RegionKind::kRegion && core::contains(carveout.members, region.name)) {
      if (region.cores.size() != 1 || !region.seen_by(core)) {
        return false;
      }
      is_any = true;
    }
  }
  return is_any;
}

const Carveout* vring_memory(const MemoryMap& map, const std::string& core) {
  return core::find_where(map.carveouts, [&](const Carveout& carveout) {
    return is_for_vrings(carveout) && is_own(map, carveout, core);
  });
}

const Carveout* code_memory(const MemoryMap& map, const std::string& core) {
  const auto* sections = map.board.find_sections(core);
  return sections == nullptr ? nullptr
                             : core::find_where(map.carveouts, [&](const Carveout& carveout) {
                                 return core::contains(carveout.members, sections->region) &&
                                        is_own(map, carveout, core);
                               });
}

core::Diagnostics check_loading(const MemoryMap& map, const std::string& core, const Image& image) {
  return LoadCheck{map, core, image}.run();
}

}  // namespace memsize::layout
