// Banks as segments that follow each other without a hole, and as drawings of them.
#include "strips.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/artifact.hpp"
#include "memsize/emit/page.hpp"

#include "template.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Bytes;
using core::PhysAddr;
using core::PhysRange;
using layout::MemoryMap;
using layout::Region;
using layout::RegionKind;

constexpr const char* kShared = "shared";

// Of the picture for documents; names are as wide as this font's.
constexpr double kPictureWidth = 1200;
constexpr double kLabelLetterWidth = 6.2;
constexpr int kStripHeight = 24;

// What lies in a bank, by address.
std::vector<Segment> taken(const MemoryMap& map,
                           const RegionsByName& other,
                           const std::vector<std::string>& owners,
                           const PhysRange& bank) {
  std::vector<Segment> segments;
  for (const Region& region : map.regions) {
    const auto physical = region.physical();
    if (region.kind == RegionKind::kRegion && physical && bank.overlaps(*physical)) {
      segments.push_back({Segment::Kind::kRegion,
                          bank.intersection(*physical),
                          region.name,
                          owner_of(owners, region),
                          is_changed(region, other)});
    }
  }
  for (const layout::Gap& gap : map.gaps) {
    if (bank.overlaps(gap.physical)) {
      segments.push_back({Segment::Kind::kGap, bank.intersection(gap.physical), gap.why});
    }
  }
  std::ranges::stable_sort(segments, {}, [](const Segment& one) { return one.range.base(); });
  return segments;
}

// Bytes that nothing lies in: those that a chain may still take, and what is behind them.
void add_rest(const MemoryMap& map, const PhysRange& hole, std::vector<Segment>& segments) {
  PhysAddr at = hole.base();
  const auto up_to = [&](Segment::Kind kind, PhysAddr end) {
    if (at < end) {
      segments.push_back({kind, *PhysRange::make(at, end - at)});
      at = end;
    }
  };
  const PhysAddr end{hole.base().value() + hole.size().count()};
  for (const layout::Window& window : map.windows) {
    const PhysRange room = hole.intersection(window.range);
    // A chain grows into what is behind its last region.
    if (window.free.count() != 0 && !room.empty() && room.last() == window.range.last() &&
        at <= room.base()) {
      up_to(Segment::Kind::kLinux, room.base());
      up_to(Segment::Kind::kFree, PhysAddr{room.base().value() + room.size().count()});
    }
  }
  up_to(Segment::Kind::kLinux, end);
}

std::vector<Segment> segments_of(const MemoryMap& map,
                                 const RegionsByName& other,
                                 const std::vector<std::string>& owners,
                                 const PhysRange& bank) {
  std::vector<Segment> segments;
  PhysAddr at = bank.base();
  for (Segment& segment : taken(map, other, owners, bank)) {
    if (at < segment.range.base()) {
      add_rest(map, *PhysRange::make(at, segment.range.base() - at), segments);
    }
    if (segment.range.empty() || segment.range.base() < at) {
      continue;
    }
    at = PhysAddr{segment.range.base().value() + segment.range.size().count()};
    segments.push_back(std::move(segment));
  }
  const PhysAddr end{bank.base().value() + bank.size().count()};
  if (at < end) {
    add_rest(map, *PhysRange::make(at, end - at), segments);
  }
  return segments;
}

bool has_regions(const std::vector<Segment>& segments) {
  return core::contains(segments, Segment::Kind::kRegion, &Segment::kind);
}

// Where regions lie, and a sixteenth on each side.
PhysRange view_of(const PhysRange& bank,
                  std::initializer_list<const std::vector<Segment>*> strips) {
  std::uint64_t first = UINT64_MAX;
  std::uint64_t last = 0;
  for (const std::vector<Segment>* strip : strips) {
    for (const Segment& segment : *strip) {
      if (segment.kind == Segment::Kind::kRegion) {
        first = std::min(first, segment.range.base().value());
        last = std::max(last, segment.range.last().value());
      }
    }
  }
  const std::uint64_t margin = (last - first) / 16;
  constexpr std::uint64_t kRound = (1ULL << 20) - 1;
  const std::uint64_t low =
      std::max(bank.base().value(), (first - std::min(first, margin)) & ~kRound);
  const std::uint64_t high =
      std::min(bank.last().value(), (last + std::min(UINT64_MAX - last, margin)) | kRound);
  return *PhysRange::make(PhysAddr{low}, Bytes{high - low + 1});
}

double share(Bytes part, Bytes whole) {
  return 100.0 * static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

std::string class_of(const Segment& segment) {
  switch (segment.kind) {
    case Segment::Kind::kRegion:
      return fmt::format("o{}{}", segment.owner, segment.changed ? " ch" : "");
    case Segment::Kind::kLinux:
      return "lx";
    case Segment::Kind::kFree:
      return "fr";
    case Segment::Kind::kGap:
      return "gp";
  }
  return {};
}

std::string title_of(const Segment& segment) {
  const std::string what = segment.kind == Segment::Kind::kRegion  ? segment.name
                           : segment.kind == Segment::Kind::kLinux ? std::string{"Linux"}
                           : segment.kind == Segment::Kind::kFree
                               ? std::string{"Linux; a chain may grow into it"}
                               : fmt::format("kept unused: {}", segment.name);
  return fmt::format("{}, {} at {}{}",
                     what,
                     core::format_size(segment.range.size()),
                     core::format_address(segment.range.base()),
                     segment.changed ? ", changed" : "");
}

// What is written into the segment itself, if it is wide enough.
std::string label_of(const Segment& segment) {
  return segment.kind == Segment::Kind::kRegion  ? segment.name
         : segment.kind == Segment::Kind::kLinux ? "Linux"
                                                 : std::string{};
}

std::string segment_svg(const BankStrips& bank, const Segment& segment) {
  const Bytes from = segment.range.base() - bank.range.base();
  const double x =
      share(from, bank.view.size()) - share(bank.view.base() - bank.range.base(), bank.view.size());
  const double width = share(segment.range.size(), bank.view.size());
  const std::string label = label_of(segment);
  const bool fits =
      static_cast<double>(label.size()) * kLabelLetterWidth + 8 < width / 100 * kPictureWidth;
  return fmt::format(
      R"(<svg class="s {}" x="{:.4f}%" width="{:.4f}%" data-a="{}" data-n="{}"{}><title>{}</title><rect width="100%" height="100%"/>{}</svg>)",
      class_of(segment),
      x,
      width,
      from.count(),
      segment.range.size().count(),
      segment.kind == Segment::Kind::kRegion
          ? fmt::format(R"( data-r="{}")", escape_html(segment.name))
          : std::string{},
      escape_html(title_of(segment)),
      label.empty() ? std::string{}
                    : fmt::format(R"(<text x="4" y="16"{}>{}</text>)",
                                  fits ? "" : R"( display="none")",
                                  escape_html(label)));
}

}  // namespace

std::vector<std::string> owners_of(const MemoryMap& map) {
  std::vector<std::string> owners;
  for (const board::Core& core : map.board.cores) {
    const bool owns = std::ranges::any_of(map.regions, [&](const Region& region) {
      return region.kind == RegionKind::kRegion && region.cores.size() == 1 &&
             region.cores.front() == core.name;
    });
    if (owns) {
      owners.push_back(core.name);
    }
  }
  owners.emplace_back(kShared);
  return owners;
}

std::size_t owner_of(const std::vector<std::string>& owners, const Region& region) {
  const auto found =
      region.cores.size() == 1 ? std::ranges::find(owners, region.cores.front()) : owners.end();
  return found == owners.end() ? owners.size() - 1
                               : static_cast<std::size_t>(found - owners.begin());
}

const Region* region_in(const RegionsByName& other, const Region& region) {
  for (const Region* one : other.all(region.name)) {
    if (one->kind == region.kind && one->cores == region.cores) {
      return one;
    }
  }
  return nullptr;
}

bool is_changed(const Region& region, const RegionsByName& other) {
  const Region* old = region_in(other, region);
  return old == nullptr || old->size != region.size || old->physical_base != region.physical_base ||
         old->virtual_base != region.virtual_base;
}

std::vector<BankStrips> strips_of(const MemoryMap& map, const MemoryMap& baseline) {
  const std::vector<std::string> owners = owners_of(map);
  const RegionsByName regions{map.regions, &Region::name};
  const RegionsByName old_regions{baseline.regions, &Region::name};
  const auto any_changed = [](const std::vector<Segment>& segments) {
    return std::ranges::any_of(segments, &Segment::changed);
  };
  std::vector<BankStrips> banks;
  bool compares = false;
  for (const board::Bank& bank : map.board.banks) {
    BankStrips strips{bank.name, bank.range, bank.range};
    std::vector<Segment> now = segments_of(map, old_regions, owners, bank.range);
    std::vector<Segment> before = segments_of(baseline, regions, owners, bank.range);
    if (!has_regions(now) && !has_regions(before)) {
      continue;
    }
    strips.view = view_of(bank.range, {&now, &before});
    if (any_changed(now) || any_changed(before)) {
      compares = true;
      strips.strips.push_back({"before", std::move(before)});
      strips.strips.push_back({"now", std::move(now)});
    } else {
      strips.strips.push_back({"", std::move(now)});
    }
    banks.push_back(std::move(strips));
  }
  for (BankStrips& bank : banks) {
    if (compares && bank.strips.size() == 1) {
      bank.strips.front().title = "same";
    }
  }
  return banks;
}

std::string strip_svg(const BankStrips& bank, const Strip& strip) {
  std::string out = fmt::format(
      R"(<svg class="strip" width="100%" height="{}" aria-hidden="true">)", kStripHeight);
  for (const Segment& segment : strip.segments) {
    out += segment_svg(bank, segment);
  }
  return out + "</svg>";
}

std::string strips_picture(const EmitInput& input) {
  constexpr int kMargin = 16;
  constexpr int kLegendRow = 20;
  constexpr int kBankHead = 26;
  constexpr int kTitleWidth = 56;
  const std::vector<std::string> owners = owners_of(input.map);
  const std::vector<BankStrips> banks = strips_of(input.map, input.baseline);
  std::string style =
      "text{font:11px sans-serif;fill:#111}.h{font-weight:bold;font-size:13px}.s "
      "rect{stroke:#fff;stroke-width:.6}"
      ".lx rect{fill:#e9edf0}.fr rect{fill:#f7f9fa;stroke:#b8c2cc;stroke-dasharray:3}.gp "
      "rect{fill:#c6cbd1}.ch "
      "rect{stroke:#c4001a;stroke-width:2}";
  std::string body;
  double x = kMargin;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const char* fill =
        i + 1 == owners.size() ? kSharedFill : kOwnerFills.at(i % kOwnerFills.size());
    style += fmt::format(".o{} rect{{fill:{}}}", i, fill);
    body += fmt::format(
        R"(<g class="o{}"><rect x="{:.0f}" y="32" width="10" height="10"/></g><text x="{:.0f}" y="41">{}</text>)",
        i,
        x,
        x + 14,
        escape_html(owners[i]));
    x += 34 + static_cast<double>(owners[i].size()) * kLabelLetterWidth;
  }
  int y = kMargin + kLegendRow + kMargin;
  for (const BankStrips& bank : banks) {
    body += fmt::format(R"(<text class="h" x="{}" y="{}">DRAM {}, {} to {}</text>)",
                        kMargin,
                        y + 16,
                        escape_html(bank.name),
                        core::format_address(bank.view.base()),
                        core::format_address(bank.view.last()));
    y += kBankHead;
    for (const Strip& strip : bank.strips) {
      body += fmt::format(
          R"(<text x="{}" y="{}">{}</text><svg x="{}" y="{}" width="{:.0f}" height="{}">{}</svg>)",
          kMargin,
          y + 16,
          strip.title,
          kMargin + kTitleWidth,
          y,
          kPictureWidth,
          kStripHeight,
          strip_svg(bank, strip));
      y += kStripHeight + 4;
    }
    y += 6;
  }
  const double width = kPictureWidth + kTitleWidth + 2 * kMargin;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1}\" viewBox=\"0 0 "
      "{0:.0f} {1}\" role=\"img\">"
      "<title>{2}</title><style>{3}</style><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
      "<text class=\"h\" x=\"{4}\" y=\"20\">{2}: {5}</text>{6}</svg>\n",
      width,
      y + 4,
      escape_html(input.map.board.title),
      style,
      kMargin,
      escape_html(describe_balance(input.map, input.baseline)),
      body);
}

}  // namespace memsize::emit
