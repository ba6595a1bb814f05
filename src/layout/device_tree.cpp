// Finds the node that stands for each carve-out of the map, by range, label or name; holds what
// else is reserved against the map; then looks at the nodes of the cores, which name what they use.
#include "memsize/layout/device_tree.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::layout {

namespace {

using core::Bytes;
using core::Code;
using core::PhysRange;
using model::DeviceNode;
using model::DeviceTree;

constexpr core::Align kPage = core::Align::make(4096).value();
constexpr const char* kReservedList = "/memreserve/";
// MAX_HEAPS of TI's carveout-heap.c; what is more gets no device.
constexpr std::size_t kMostHeaps = 7;
// As many nodes as Linux keeps in mind (MAX_RESERVED_REGIONS of of_reserved_mem.c); no board has as
// many banks. What goes through all of something for each of these ends there.
constexpr std::size_t kMostLooked = 64;
constexpr std::string_view kHeapDriver = "dma-heap-carveout";
// What TI's device trees call the memory of a core's vrings.
constexpr std::string_view kVringLabel = "_dma_memory_region";

// A node, or one range of it, and what of the map it stands for.
struct Found {
  const DeviceNode* node = nullptr;
  ReservedRow row;
  const Carveout* carveout = nullptr;
};

// As of_fdt_device_is_available() has it: Linux passes over what is not.
bool is_in_use(const DeviceNode& node) {
  const std::string_view status = node.text("status");
  return !node.has("status") || status == "okay" || status == "ok";
}

bool is_compatible(const DeviceNode& node, std::string_view with) {
  const std::string* value = node.find("compatible");
  return value != nullptr && core::contains(model::strings_of(*value), with);
}

std::string shown_node(const DeviceNode& node) {
  return core::printable(node.name, 80);
}

std::string shown_range(const PhysRange& range) {
  return fmt::format("{}, {}", core::format_range(range), core::format_size(range.size()));
}

std::string node_name_of(const Carveout& carveout) {
  return carveout.unit_address
             ? fmt::format("{}@{:x}", carveout.node, carveout.range.base().value())
             : carveout.node;
}

// The largest piece of `windows` that begins on the alignment and in which nothing of `taken` lies,
// which is in order.
Bytes largest_free(const std::vector<PhysRange>& windows,
                   const std::vector<PhysRange>& taken,
                   core::Align align) {
  const auto end_of = [](const PhysRange& range) {
    return core::checked_add(range.base().value(), range.size().count()).value_or(UINT64_MAX);
  };
  std::uint64_t largest = 0;
  for (const PhysRange& window : windows) {
    std::uint64_t at = window.base().value();
    const auto look = [&](std::uint64_t end) {
      const auto begin = core::align_up(at, align);
      largest = begin && *begin < end ? std::max(largest, end - *begin) : largest;
    };
    for (const PhysRange& range : taken) {
      if (range.overlaps(window)) {
        look(range.base().value());
        at = std::max(at, end_of(range));
      }
    }
    look(end_of(window));
  }
  return Bytes{largest};
}

// What is wrong with a device tree, in the order in which it was found.
class Findings {
 public:
  explicit Findings(std::string path) : path_(std::move(path)) {}

  core::Diagnostic& say(core::Severity severity, Code code, std::string message, std::string hint) {
    told_.push_back(core::error(code, std::move(message), {path_}, std::move(hint)));
    told_.back().severity = severity;
    return told_.back();
  }

  core::Diagnostic& wrong(Code code, std::string message, std::string hint) {
    return say(core::Severity::kError, code, std::move(message), std::move(hint));
  }

  [[nodiscard]] core::Diagnostics take() { return std::move(told_); }

 private:
  std::string path_;
  core::Diagnostics told_;
};

std::string merge_hint(const board::Board& board) {
  return fmt::format("compile the map's {} into it, and name the overlays, too, that U-Boot merges",
                     board.dts_file.empty() ? "nodes" : board.dts_file);
}

// --- What the tree has

std::vector<PhysRange> banks_of(const DeviceTree& tree) {
  std::vector<PhysRange> banks;
  for (const DeviceNode* node : tree.children(tree.nodes.front())) {
    if (node->name != "memory" && !node->name.starts_with("memory@")) {
      continue;
    }
    for (const PhysRange& range : tree.ranges(*node).value_or(std::vector<PhysRange>{})) {
      if (banks.size() < kMostLooked) {
        banks.push_back(range);
      }
    }
  }
  std::erase_if(banks, [](const PhysRange& bank) { return bank.empty(); });
  std::ranges::sort(banks, {}, &PhysRange::base);
  return banks;
}

std::optional<Bytes> wanted_size(const DeviceNode& node) {
  const std::string* value = node.find("size");
  const auto cells = value == nullptr ? std::vector<std::uint32_t>{} : model::cells_of(*value);
  if (cells.empty() || cells.size() > 2) {
    return std::nullopt;
  }
  return Bytes{cells.size() == 1 ? cells.front()
                                 : std::uint64_t{cells.front()} << 32U | cells.back()};
}

std::vector<Found> ranges_of(const DeviceTree& tree, const DeviceNode& parent, Findings& told) {
  std::vector<Found> found;
  for (const DeviceNode* node : tree.children(parent)) {
    if (!is_in_use(*node)) {
      continue;
    }
    const ReservedBy by = node->has("reusable") ? ReservedBy::kReusable : ReservedBy::kOther;
    const auto ranges = tree.ranges(*node);
    for (const PhysRange& range : ranges.value_or(std::vector<PhysRange>{})) {
      if (!range.empty()) {
        found.push_back({node, {node->name, range, range.size(), by, {}}});
      }
    }
    if (const auto size = wanted_size(*node); size && !node->has("reg")) {
      found.push_back({node, {node->name, std::nullopt, *size, by, {}}});
    } else if (!ranges) {
      told.wrong(Code::kDevicetreeIgnored,
                 fmt::format(
                     "'{}' has neither a reg nor a size that Linux can read: it reserves nothing",
                     shown_node(*node)),
                 "give it a reg of as many cells as /reserved-memory says")
          .parties = {{"node", node->name}};
    }
  }
  for (const PhysRange& range : tree.reserved) {
    found.push_back({nullptr, {kReservedList, range, range.size(), ReservedBy::kOther, {}}});
  }
  return found;
}

// __reserved_mem_check_root() of Linux.
void check_parent(const DeviceTree& tree, const DeviceNode& parent, Findings& told) {
  const DeviceNode& root = tree.nodes.front();
  for (const char* const cells : {"#address-cells", "#size-cells"}) {
    if (parent.number(cells) != root.number(cells)) {
      told.wrong(
          Code::kDevicetreeIgnored,
          fmt::format("Linux passes over /reserved-memory, whose {} is not that of the root: "
                      "nothing is reserved",
                      cells),
          "give it the root's #address-cells and #size-cells");
      return;
    }
  }
  if (!parent.has("ranges")) {
    told.wrong(Code::kDevicetreeIgnored,
               "Linux passes over /reserved-memory, which has no 'ranges': nothing is reserved",
               "give it an empty property 'ranges'");
  }
}

// --- Which node stands for what

// What of the map lies there, by the names of its regions; without what `own` covers. Where there
// are only bytes between regions, the carve-out that has them.
std::vector<std::string> overlapped(const MemoryMap& map,
                                    const PhysRange& range,
                                    const Carveout* own) {
  std::vector<std::string> names;
  for (const Region& region : map.regions) {
    const auto physical = region.physical();
    const bool is_one = region.kind == RegionKind::kRegion && region.space == board::Space::kDdr &&
                        physical && physical->overlaps(range);
    if (is_one && (own == nullptr || !own->range.overlaps(*physical))) {
      names.push_back(region.name);
    }
  }
  for (const Carveout& carveout : map.carveouts) {
    if (names.empty() && &carveout != own && carveout.range.overlaps(range)) {
      names.push_back(carveout.label);
    }
  }
  return names;
}

bool is_free(const Found& found) {
  return found.node != nullptr && found.row.range && found.carveout == nullptr &&
         found.row.by == ReservedBy::kOther;
}

// Of several at the same place the one that is the map's by label or name.
Found* exact_for(const DeviceTree& tree,
                 std::vector<Found>& found_ranges,
                 const Carveout& carveout) {
  const DeviceNode* labelled = tree.labelled(carveout.label);
  Found* best = nullptr;
  int most = 0;
  for (Found& found : found_ranges) {
    if (is_free(found) && found.row.range == carveout.range) {
      const int likeness = found.node == labelled                       ? 3
                           : found.node->name == node_name_of(carveout) ? 2
                                                                        : 1;
      best = likeness > most ? &found : best;
      most = std::max(most, likeness);
    }
  }
  return best;
}

// By label, by a name that only one of the map's has, or as a shorter one at the same place.
Found* near_to(const MemoryMap& map,
               const DeviceTree& tree,
               std::vector<Found>& found_ranges,
               const Carveout& carveout) {
  const bool is_only_one = std::ranges::count(map.carveouts, carveout.node, &Carveout::node) == 1;
  const auto first_of = [&](auto is_it) {
    return core::find_where(found_ranges,
                            [&](const Found& found) { return is_free(found) && is_it(found); });
  };
  const DeviceNode* labelled = tree.labelled(carveout.label);
  if (Found* found = first_of([&](const Found& each) { return each.node == labelled; });
      found != nullptr) {
    return found;
  }
  if (Found* found = first_of([&](const Found& each) {
        return is_only_one && each.node->name.substr(0, each.node->name.find('@')) == carveout.node;
      });
      found != nullptr) {
    return found;
  }
  return first_of([&](const Found& each) {
    return each.row.range->base() == carveout.range.base() &&
           overlapped(map, *each.row.range, &carveout).empty();
  });
}

void take(Found& found, const Carveout& carveout) {
  found.carveout = &carveout;
  found.row.by = ReservedBy::kMap;
  found.row.carveout = carveout.label;
}

const Found* node_for(const std::vector<Found>& found_ranges, const Carveout& carveout) {
  return core::find_in(found_ranges, &carveout, &Found::carveout);
}

void match(const MemoryMap& map, const DeviceTree& tree, std::vector<Found>& found_ranges) {
  for (const Carveout& carveout : map.carveouts) {
    if (Found* found = exact_for(tree, found_ranges, carveout); found != nullptr) {
      take(*found, carveout);
    }
  }
  for (const Carveout& carveout : map.carveouts) {
    if (Found* found = node_for(found_ranges, carveout) == nullptr
                           ? near_to(map, tree, found_ranges, carveout)
                           : nullptr;
        found != nullptr) {
      take(*found, carveout);
    }
  }
}

// --- The map's carve-outs

void check_bank(const std::vector<PhysRange>& banks, const Carveout& carveout, Findings& told) {
  // What several banks have side by side is one piece.
  std::uint64_t at = carveout.range.base().value();
  for (const PhysRange& bank : banks) {
    if (bank.contains(core::PhysAddr{at})) {
      if (bank.last() >= carveout.range.last()) {
        return;
      }
      at = bank.last().value() + 1;
    }
  }
  if (!banks.empty()) {
    std::vector<std::string> facts;
    for (const PhysRange& bank : banks) {
      facts.push_back(fmt::format("memory: {}", shown_range(bank)));
    }
    core::Diagnostic& found = told.wrong(
        Code::kDevicetreeMemory,
        fmt::format("{} of '{}' is not all in this device tree's memory",
                    shown_range(carveout.range),
                    carveout.label),
        "it is the tree of a board with less memory: name that to emit with --dram, and move "
        "what "
        "lies behind its end");
    found.details = std::move(facts);
    found.parties = {{"carveout", carveout.label}};
  }
}

// Applications open /dev/dma_heap/carveout_NAME.
void check_heap(const Carveout& carveout, const DeviceNode& node, Findings& told) {
  if (carveout.compatible != kHeapDriver) {
    return;
  }
  const std::string name = node_name_of(carveout);
  const std::string hint =
      fmt::format("name it '{}', and give it compatible = \"{}\"", name, kHeapDriver);
  if (!is_compatible(node, kHeapDriver)) {
    told.wrong(Code::kDevicetreeHeap,
               fmt::format(
                   "'{}' is not compatible with {}: there would be no /dev/dma_heap/carveout_{}",
                   shown_node(node),
                   kHeapDriver,
                   name),
               hint)
        .parties = {{"carveout", carveout.label}};
  } else if (node.name != name) {
    told.wrong(Code::kDevicetreeHeap,
               fmt::format("'{}' becomes /dev/dma_heap/carveout_{}, but applications open "
                           "/dev/dma_heap/carveout_{}",
                           shown_node(node),
                           shown_node(node),
                           name),
               hint)
        .parties = {{"carveout", carveout.label}};
  }
}

void check_carveout(const MemoryMap& map,
                    const std::vector<Found>& found_ranges,
                    const Carveout& carveout,
                    Findings& told) {
  const Found* found = node_for(found_ranges, carveout);
  const core::Parties about = {{"carveout", carveout.label}};
  if (found == nullptr) {
    told.wrong(Code::kDevicetreeCarveout,
               fmt::format(
                   "nothing reserves {} for '{}'", shown_range(carveout.range), carveout.label),
               merge_hint(map.board))
        .parties = about;
    return;
  }
  const PhysRange& range = *found->row.range;
  if (range != carveout.range) {
    told.wrong(Code::kDevicetreeCarveout,
               fmt::format("'{}' reserves {}; the map has {} for '{}'",
                           shown_node(*found->node),
                           shown_range(range),
                           shown_range(carveout.range),
                           carveout.label),
               merge_hint(map.board))
        .parties = about;
  } else if (carveout.no_map != found->node->has("no-map")) {
    told.wrong(Code::kDevicetreeCarveout,
               fmt::format("'{}' {} no-map, and '{}' of the map {}",
                           shown_node(*found->node),
                           carveout.no_map ? "lacks" : "has",
                           carveout.label,
                           carveout.no_map ? "needs it: Linux would have it in its page tables"
                                           : "does without"),
               merge_hint(map.board))
        .parties = about;
  }
  check_heap(carveout, *found->node, told);
}

void check_heaps(const std::vector<Found>& found_ranges, Findings& told) {
  std::set<const DeviceNode*> heaps;
  for (const Found& found : found_ranges) {
    if (found.node != nullptr && is_compatible(*found.node, kHeapDriver)) {
      heaps.insert(found.node);
    }
  }
  if (heaps.size() > kMostHeaps) {
    told.wrong(Code::kDevicetreeHeap,
               fmt::format("{} nodes are compatible with {}, of which the driver takes {}",
                           heaps.size(),
                           kHeapDriver,
                           kMostHeaps),
               "join some of them");
  }
}

// --- What else is reserved

void say_overlap(const Found& found, const std::vector<std::string>& names, Findings& told) {
  constexpr std::size_t kShown = 6;
  std::vector<std::string> some(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kShown)));
  if (names.size() > kShown) {
    some.push_back(fmt::format("{} more", names.size() - kShown));
  }
  told.wrong(Code::kDevicetreeOverlap,
             fmt::format("'{}' {} lies over memory of the map: {}",
                         core::printable(found.row.node, 80),
                         core::format_range(*found.row.range),
                         core::join(some, ", ")),
             found.row.node == kReservedList
                 ? "Linux logs an overlap and goes on: take the entry out of the tree's source"
                 : "Linux logs an overlap and goes on: delete the node in the tree's source "
                   "(/delete-node/), or disable it in the overlay (status = \"disabled\")")
      .parties = {{"node", found.row.node}};
}

void check_pages(const Found& found, Findings& told) {
  if (found.row.range && (!core::is_aligned(found.row.range->base().value(), kPage) ||
                          !core::is_aligned(found.row.size, kPage))) {
    told.wrong(Code::kDevicetreePage,
               fmt::format("'{}' {} does not begin and end on pages of 4 KiB",
                           core::printable(found.row.node, 80),
                           core::format_range(*found.row.range)),
               "make base and size multiples of 0x1000")
        .parties = {{"node", found.row.node}};
  }
}

void check_others(const MemoryMap& map, const std::vector<Found>& found_ranges, Findings& told) {
  std::vector<std::string> lost;
  Bytes sum;
  for (const Found& found : found_ranges) {
    check_pages(found, told);
    const auto names = found.row.range ? overlapped(map, *found.row.range, found.carveout)
                                       : std::vector<std::string>{};
    if (!names.empty()) {
      say_overlap(found, names, told);
    } else if (found.row.by == ReservedBy::kOther) {
      sum += found.row.size;
      lost.push_back(fmt::format(
          "{}: {}",
          core::printable(found.row.node, 80),
          found.row.range ? shown_range(*found.row.range) : core::format_size(found.row.size)));
    }
  }
  if (!lost.empty()) {
    told.say(core::Severity::kNote,
             Code::kDevicetreeForeign,
             fmt::format("{} beside the map {} {} from Linux",
                         core::plural(lost.size(), "node"),
                         lost.size() == 1 ? "keeps" : "keep",
                         core::format_size(sum)),
             "what nobody uses may be deleted in the tree's source (/delete-node/)")
        .details = std::move(lost);
  }
}

std::vector<PhysRange> windows_of(const DeviceTree& tree,
                                  const std::vector<PhysRange>& banks,
                                  const DeviceNode& node) {
  const auto allowed = tree.ranges(node, "alloc-ranges");
  if (!allowed) {
    return banks;
  }
  std::vector<PhysRange> windows;
  for (const PhysRange& range : *allowed) {
    for (const PhysRange& bank : banks) {
      if (range.overlaps(bank) && windows.size() < kMostLooked) {
        windows.push_back(bank.intersection(range));
      }
    }
  }
  return windows;
}

core::Align align_of(const DeviceNode& node) {
  const std::string* value = node.find("alignment");
  const auto cells = value == nullptr ? std::vector<std::uint32_t>{} : model::cells_of(*value);
  return cells.empty() ? kPage : core::Align::make(cells.back()).value_or(kPage);
}

// What Linux finds a place for must have one beside the map.
void check_dynamic(const MemoryMap& map,
                   const DeviceTree& tree,
                   const std::vector<PhysRange>& banks,
                   const std::vector<Found>& found_ranges,
                   Findings& told) {
  std::vector<PhysRange> taken;
  for (const Found& found : found_ranges) {
    if (found.row.range) {
      taken.push_back(*found.row.range);
    }
  }
  for (const Carveout& carveout : map.carveouts) {
    taken.push_back(carveout.range);
  }
  std::ranges::sort(taken, {}, &PhysRange::base);
  std::size_t looked = 0;
  for (const Found& found : found_ranges) {
    if (found.row.range || banks.empty() || ++looked > kMostLooked) {
      continue;
    }
    const Bytes free =
        largest_free(windows_of(tree, banks, *found.node), taken, align_of(*found.node));
    if (free < found.row.size) {
      told.say(core::Severity::kWarning,
               Code::kDevicetreeCma,
               fmt::format("'{}' wants {} in one piece; beside the map the largest has {}",
                           core::printable(found.row.node, 80),
                           core::format_size(found.row.size),
                           core::format_size(free)),
               "make it smaller, or the map")
          .parties = {{"node", found.row.node}};
    }
  }
}

// --- The cores

bool stands_for(const std::vector<Found>& found_ranges,
                const DeviceNode* node,
                const Carveout& carveout) {
  return node != nullptr && std::ranges::any_of(found_ranges, [&](const Found& found) {
           return found.node == node &&
                  (found.carveout == &carveout || found.row.range == carveout.range);
         });
}

const Carveout* vrings_of(const MemoryMap& map, const std::string& core) {
  return core::find_where(map.carveouts, [&](const Carveout& carveout) {
    return carveout.label.find(kVringLabel) != std::string::npos &&
           std::ranges::all_of(carveout.members, [&](const std::string& member) {
             const Region* region = map.find_owned(member);
             return region != nullptr && region->cores == std::vector<std::string>{core};
           });
  });
}

const Carveout* code_of(const MemoryMap& map, const std::string& core) {
  const board::CoreSections* sections = map.board.find_sections(core);
  return sections == nullptr ? nullptr
                             : core::find_where(map.carveouts, [&](const Carveout& carveout) {
                                 return core::contains(carveout.members, sections->region);
                               });
}

// For vrings the first, to load into the second.
void check_memory_regions(const MemoryMap& map,
                          const DeviceTree& tree,
                          const std::vector<Found>& found_ranges,
                          const board::Core& core,
                          const DeviceNode& node,
                          Findings& told) {
  const std::string* value = node.find("memory-region");
  const auto regions = value == nullptr ? std::vector<std::uint32_t>{} : model::cells_of(*value);
  const std::array<const Carveout*, 2> wanted = {vrings_of(map, core.name),
                                                 code_of(map, core.name)};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const DeviceNode* there = i < regions.size() ? tree.with_phandle(regions[i]) : nullptr;
    if (wanted[i] == nullptr || stands_for(found_ranges, there, *wanted[i])) {
      continue;
    }
    told.wrong(Code::kDevicetreeCore,
               fmt::format("memory-region {} of '{}' ({}) is {}; the map has {} for its {}",
                           i,
                           shown_node(node),
                           core.name,
                           there == nullptr ? "nothing" : fmt::format("'{}'", shown_node(*there)),
                           core::format_range(wanted[i]->range),
                           i == 0 ? "vrings" : "code and data"),
               fmt::format("memory-region = <&{} &{}>;",
                           wanted[0] == nullptr ? "VRINGS" : wanted[0]->label,
                           wanted[1] == nullptr ? "CODE" : wanted[1]->label))
        .parties = {{"core", core.name}, {"carveout", wanted[i]->label}};
  }
}

CoreNode check_core(const MemoryMap& map,
                    const DeviceTree& tree,
                    const std::vector<Found>& found_ranges,
                    const board::Core& core,
                    Findings& told) {
  CoreNode found{.core = core.name, .device = core.device};
  const std::size_t point = core.device.find('.');
  const std::string name =
      point == std::string::npos
          ? std::string{}
          : fmt::format("{}@{}", core.device.substr(point + 1), core.device.substr(0, point));
  const DeviceNode* node =
      name.empty() ? nullptr : core::find_in(tree.nodes, name, &DeviceNode::name);
  if (node == nullptr) {
    return found;
  }
  found.path = tree.path_of(*node);
  if (!is_in_use(*node)) {
    return found;
  }
  check_memory_regions(map, tree, found_ranges, core, *node, told);
  if (node->has("firmware-name") && !core.firmware.empty() &&
      node->text("firmware-name") != core.firmware) {
    told.say(core::Severity::kWarning,
             Code::kDevicetreeFirmware,
             fmt::format("Linux loads '{}' for {}, which the SDK installs as '{}'",
                         core::printable(node->text("firmware-name"), 80),
                         core.name,
                         core.firmware),
             "make sure that the image for this map is what Linux loads")
        .parties = {{"core", core.name}};
  }
  return found;
}

}  // namespace

const std::vector<core::Rule>& device_tree_rules() {
  using core::Severity;
  static const std::vector<core::Rule> rules = {
      {Code::kDevicetreeIgnored,
       Severity::kError,
       "Linux reads /reserved-memory and each of its nodes",
       "Linux: drivers/of/fdt.c (__reserved_mem_check_root)"},
      {Code::kDevicetreeCarveout,
       Severity::kError,
       "each carve-out of the map is reserved, from its first to its last byte",
       "the map; what Linux does not reserve it uses"},
      {Code::kDevicetreeOverlap,
       Severity::kError,
       "nothing else is reserved where the map has memory",
       "Linux: of_reserved_mem.c (__rmem_check_for_overlap) only logs it"},
      {Code::kDevicetreeForeign,
       Severity::kNote,
       "what is reserved beside the map is told, with its size",
       "the device tree"},
      {Code::kDevicetreeHeap,
       Severity::kError,
       "a pool for applications has the name that they open, and there are seven at most",
       "TI's kernel: dma-buf/heaps/carveout-heap.c; app_mem_linux_dma_heap.c"},
      {Code::kDevicetreePage,
       Severity::kError,
       "what is reserved begins and ends on pages of 4 KiB",
       "the kernel's page size on these parts"},
      {Code::kDevicetreeMemory,
       Severity::kError,
       "each carve-out of the map lies in memory that the device tree has",
       "/memory nodes of the device tree"},
      {Code::kDevicetreeCma,
       Severity::kWarning,
       "what Linux finds a place for fits beside the map",
       "size and alloc-ranges of the node; /memory nodes"},
      {Code::kDevicetreeCore,
       Severity::kError,
       "a core's node names its vrings first, then what its image is loaded into",
       "Linux: ti_k3_r5_remoteproc.c, ti_k3_dsp_remoteproc.c (memory-region)"},
      {Code::kDevicetreeFirmware,
       Severity::kWarning,
       "a core's node names the image that the SDK installs for it",
       "firmware-name of the node"},
  };
  return rules;
}

DeviceTreeReport check_device_tree(const MemoryMap& map, const model::DeviceTree& tree) {
  DeviceTreeReport report;
  Findings told{tree.path};
  std::vector<Found> found_ranges;
  if (const DeviceNode* parent = tree.find("/reserved-memory"); parent == nullptr) {
    told.wrong(Code::kDevicetreeIgnored,
               "this device tree has no /reserved-memory: Linux would use all of the map itself",
               merge_hint(map.board));
  } else {
    const std::vector<PhysRange> banks = banks_of(tree);
    found_ranges = ranges_of(tree, *parent, told);
    match(map, tree, found_ranges);
    check_parent(tree, *parent, told);
    for (const Carveout& carveout : map.carveouts) {
      check_bank(banks, carveout, told);
      check_carveout(map, found_ranges, carveout, told);
    }
    check_others(map, found_ranges, told);
    check_heaps(found_ranges, told);
    check_dynamic(map, tree, banks, found_ranges, told);
  }
  for (const board::Core& core : map.board.cores) {
    report.cores.push_back(check_core(map, tree, found_ranges, core, told));
  }
  for (Found& found : found_ranges) {
    report.rows.push_back(std::move(found.row));
  }
  std::ranges::stable_sort(report.rows, {}, [](const ReservedRow& row) {
    return row.range ? row.range->base().value() : UINT64_MAX;
  });
  report.diagnostics = told.take();
  return report;
}

}  // namespace memsize::layout
