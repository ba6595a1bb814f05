// Devicetree overlays for Zephyr, one of each core: its memories by their bus addresses, as nodes
// of "zephyr,memory-region" and "mmio-sram".
//
//   - Zephyr makes a linker region of a node's reg. That is right only where the core sees the
//   memory
//     at its bus address; elsewhere the node is "mmio-sram" alone, which nothing is linked to.
//   - The nodes' parent has two cells of its own, so that the overlay fits boards with one cell and
//     with two. It has no ranges: empty ones must have the cells of the root, and Zephyr takes an
//     address without ranges as it is.
//   - zephyr,memory-attr says how the memory must be cached, in the attributes that all
//     architectures share; for memory that is linked to, because Zephyr programs MPU regions by it.
#include "memsize/core/cursor.hpp"
#include "memsize/core/text.hpp"

#include "consumers/consumer.hpp"
#include "rendered.hpp"
#include "view.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Code;
using layout::Region;

// "ddr-heap@80000000" of DDR_HEAP.
std::string zephyr_node(const Region& region) {
  std::string name = region.name;
  std::ranges::transform(name, name.begin(), [](char c) {
    return c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return fmt::format("{}@{:x}", name, region.physical_base->value());
}

std::string zephyr_attribute(chip::Cache cache) {
  return cache == chip::Cache::kNonCached ? "\n\t\t\tzephyr,memory-attr = <0x100>;"
                                          : "\n\t\t\tzephyr,memory-attr = <0x1>;";
}

Json zephyr_memory(const Region& region) {
  const bool is_linked = region.virtual_base->value() == region.physical_base->value();
  return {{"label", region.name},
          {"node", zephyr_node(region)},
          {"compatible", is_linked ? "\"zephyr,memory-region\", \"mmio-sram\"" : "\"mmio-sram\""},
          {"base", cells(region.physical_base->value())},
          {"length", cells(region.size.count())},
          {"linked",
           is_linked ? fmt::format("\n\t\t\tzephyr,memory-region = \"{}\";", region.name)
                     : std::string{}},
          {"attribute",
           !is_linked || region.cache == chip::Cache::kAny ? std::string{}
                                                           : zephyr_attribute(region.cache)},
          {"size", core::format_size(region.size)},
          {"note", region.note}};
}

Json zephyr_view(const layout::MemoryMap& map, const std::string& core) {
  Json view = head_view(map);
  view["core"] = core;
  view["regions"] = Json::array();
  std::vector<std::string> hidden;
  for (const Region& region : map.regions) {
    if (region.seen_by(core) && region.physical_base) {
      view["regions"].push_back(zephyr_memory(region));
    } else if (region.seen_by(core)) {
      hidden.push_back(region.name);
    }
  }
  view["has_hidden"] = !hidden.empty();
  view["hidden"] = core::join(hidden, ", ");
  return view;
}

core::Result<std::vector<Artifact>> render_zephyr(const EmitInput& input) {
  std::vector<Artifact> artifacts;
  for (const board::Core& core : input.map.board.cores) {
    MEMSIZE_TRY(add_rendered(artifacts,
                             input,
                             core.name + "/memory.overlay",
                             "zephyr",
                             zephyr_view(input.map, core.name)));
  }
  return artifacts;
}

constexpr unsigned kDeepest = 64;

struct OverlayNode {
  WrittenRange range;
  std::string unit_address;
  std::vector<std::string> compatible;
  std::optional<std::string> linker_region;
  std::optional<std::uint64_t> attribute;
};

// The labelled nodes with a reg, at any depth; other properties and nodes are passed over.
class OverlayReader {
 public:
  OverlayReader(const WrittenFile& file, core::Diagnostics& errors)
      : cursor_(file.file.path_under(file.root), file.file.content, Code::kVerifyParse, errors),
        errors_(errors) {}

  std::vector<OverlayNode> read() {
    while (!cursor_.done() && errors_.empty()) {
      node(0);
    }
    return std::move(nodes_);
  }

 private:
  // [LABEL:] NAME { property; ... node; ... };
  void node(unsigned depth) {
    OverlayNode own{.range = {.place = cursor_.place()}};
    if (depth > kDeepest) {
      cursor_.wrong("no memory is as deep in a tree", own.range.place);
      return;
    }
    if (cursor_.peek(1) == ":") {
      own.range.name = cursor_.take();
      cursor_.take();
    }
    const std::string name = cursor_.take();
    own.unit_address = name.substr(std::min(name.find('@'), name.size()));
    if (!cursor_.expect("{")) {
      return;
    }
    while (!cursor_.done() && cursor_.peek() != "}" && errors_.empty()) {
      if (cursor_.peek(1) == "{" || cursor_.peek(1) == ":") {
        node(depth + 1);
      } else {
        property(own);
      }
    }
    cursor_.expect("}");
    cursor_.expect(";");
    if (!own.range.name.empty()) {
      nodes_.push_back(std::move(own));
    }
  }

  // The name of a property may have a comma in it.
  void property(OverlayNode& node) {
    std::string name = cursor_.take();
    while (cursor_.peek() == ",") {
      name += cursor_.take();
      name += cursor_.take();
    }
    if (cursor_.peek() != ";" && !cursor_.expect("=")) {
      return;
    }
    std::vector<std::string> texts;
    std::vector<std::uint64_t> numbers;
    while (!cursor_.done() && cursor_.peek() != ";" && errors_.empty()) {
      if (cursor_.peek().starts_with('"')) {
        texts.push_back(core::unquoted(cursor_.take()));
      } else if (cursor_.peek() == "<" || cursor_.peek() == ">" || cursor_.peek() == ",") {
        cursor_.take();
      } else {
        numbers.push_back(cursor_.number());
      }
    }
    cursor_.expect(";");
    if (name == "reg") {
      reg(node, numbers);
    } else if (name == "compatible") {
      node.compatible = texts;
    } else if (name == "zephyr,memory-region" && texts.size() == 1) {
      node.linker_region = texts.front();
    } else if (name == "zephyr,memory-attr" && numbers.size() == 1) {
      node.attribute = numbers.front();
    }
  }

  void reg(OverlayNode& node, const std::vector<std::uint64_t>& numbers) {
    const bool fits =
        std::ranges::all_of(numbers, [](std::uint64_t number) { return number <= UINT32_MAX; });
    if (numbers.size() != 4 || !fits) {
      cursor_.wrong("reg has two cells for the address and two for the size", node.range.place);
      return;
    }
    node.range.base = numbers[0] << 32U | numbers[1];
    node.range.size = numbers[2] << 32U | numbers[3];
  }

  core::Cursor cursor_;
  core::Diagnostics& errors_;
  std::vector<OverlayNode> nodes_;
};

// What else a node must say of its region.
void hold_overlay_node(const OverlayNode& node, const MapRegion& region, core::Diagnostics& found) {
  const bool is_linked = region.virtual_base == region.physical;
  const bool says_linked = core::contains(node.compatible, std::string{"zephyr,memory-region"});
  const core::Parties parties = {{"region", region.name}};
  if (node.unit_address != fmt::format("@{:x}", node.range.base)) {
    found.push_back(disagreement(node.range.place,
                                 parties,
                                 fmt::format("'{}' is named '{}', but begins at {}",
                                             region.name,
                                             core::printable(node.unit_address, 60),
                                             core::format_hex(node.range.base))));
  }
  if (says_linked != is_linked || node.linker_region.has_value() != is_linked ||
      node.linker_region.value_or(region.name) != region.name) {
    found.push_back(disagreement(
        node.range.place,
        parties,
        is_linked ? fmt::format("the linker does not get '{}' by its name", region.name)
                  : fmt::format("the core sees '{}' elsewhere than it is on the bus: nothing can "
                                "be linked to it",
                                region.name)));
  }
  const std::map<chip::Cache, std::uint64_t> attributes = {{chip::Cache::kNonCached, 1U << 8U},
                                                           {chip::Cache::kWriteThrough, 1},
                                                           {chip::Cache::kCached, 1}};
  const auto wanted = attributes.find(region.cache);
  const std::uint64_t attribute = is_linked && wanted != attributes.end() ? wanted->second : 0;
  if (node.attribute.value_or(0) != attribute) {
    found.push_back(disagreement(node.range.place,
                                 parties,
                                 fmt::format("the attribute of '{}' is {} here, not {}",
                                             region.name,
                                             core::format_hex(node.attribute.value_or(0)),
                                             core::format_hex(attribute))));
  }
}

void verify_zephyr(const WrittenFile& file, core::Diagnostics& found) {
  const std::vector<OverlayNode> nodes = OverlayReader{file, found}.read();
  if (!found.empty()) {
    return;
  }
  std::vector<WrittenRange> ranges;
  for (const OverlayNode& node : nodes) {
    ranges.push_back(node.range);
  }
  hold_ranges(file, "region", ranges, bus_ranges(file), found);
  for (const MapRegion& region : file.map.regions) {
    const auto node = std::ranges::find(
        nodes, region.name, [](const OverlayNode& each) { return each.range.name; });
    if (node != nodes.end() && region.physical && core::contains(region.cores, file.core)) {
      hold_overlay_node(*node, region, found);
    }
  }
}

}  // namespace

Emitter zephyr_emitter() {
  return {"zephyr",
          "a devicetree overlay of each core, with its memories for Zephyr",
          render_zephyr,
          true,
          "*/memory.overlay",
          verify_zephyr};
}

}  // namespace memsize::emit
