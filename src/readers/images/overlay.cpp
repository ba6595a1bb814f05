// Merges an overlay into a tree with the rules of libfdt's fdt_overlay_apply(), which U-Boot calls.
// Those of Debian 12's libfdt 1.6 trust what an overlay says of itself, and follow it out of their
// memory; here every reference is held against what is there, and a label that is missing has its
// name in the message.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/readers/device_tree_reader.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;
using model::DeviceNode;
using model::DeviceProperty;
using model::DeviceTree;

constexpr std::uint32_t kLastPhandle = 0xFFFFFFFE;
constexpr std::string_view kSymbols = "__symbols__";
constexpr std::string_view kOverlay = "__overlay__";

// Which node and which property have a name, without going through all of them each time.
class TreeIndex {
 public:
  explicit TreeIndex(const DeviceTree& tree) {
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const DeviceNode& node = tree.nodes[i];
      for (const std::size_t child : node.children) {
        children_.emplace(std::pair{i, tree.nodes[child].name}, child);
        children_.emplace(std::pair{i, short_name(tree.nodes[child].name)}, child);
      }
      for (std::size_t property = 0; property < node.properties.size(); ++property) {
        properties_.emplace(std::pair{i, node.properties[property].name}, property);
      }
    }
  }

  // A name without unit address finds the first node that is called so.
  [[nodiscard]] std::optional<std::size_t> child(std::size_t node, std::string_view name) const {
    const auto* const found = core::value_in(children_, std::pair{node, std::string{name}});
    return found == nullptr ? std::nullopt : std::optional{*found};
  }

  [[nodiscard]] std::optional<std::size_t> property(std::size_t node, std::string_view name) const {
    const auto* const found = core::value_in(properties_, std::pair{node, std::string{name}});
    return found == nullptr ? std::nullopt : std::optional{*found};
  }

  [[nodiscard]] std::optional<std::size_t> at(std::string_view path) const {
    if (!path.starts_with('/')) {
      return std::nullopt;
    }
    std::optional<std::size_t> node = 0;
    while (node && !path.empty()) {
      const std::size_t begin = std::min(path.find_first_not_of('/'), path.size());
      const std::size_t end = std::min(path.find('/', begin), path.size());
      node = begin == end ? node : child(*node, path.substr(begin, end - begin));
      path.remove_prefix(end);
    }
    return node;
  }

  // A name without unit address then finds this one: libfdt puts what is new before the others.
  void add_child(std::size_t node, const std::string& name, std::size_t child) {
    children_.insert_or_assign({node, short_name(name)}, child);
    children_.insert_or_assign({node, name}, child);
  }

  void add_property(std::size_t node, const std::string& name, std::size_t property) {
    properties_.emplace(std::pair{node, name}, property);
  }

 private:
  static std::string short_name(const std::string& name) { return name.substr(0, name.find('@')); }

  std::map<std::pair<std::size_t, std::string>, std::size_t> children_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> properties_;
};

void put_cell(std::string& value, std::size_t at, std::uint32_t cell) {
  for (std::size_t i = 0; i < model::kCellSize; ++i) {
    value[at + i] = static_cast<char>(cell >> (8U * (model::kCellSize - 1 - i)) & 0xFFU);
  }
}

std::uint32_t cell_at(const std::string& value, std::size_t at) {
  return model::cells_of(std::string_view{value}.substr(at, model::kCellSize)).front();
}

bool is_phandle(const std::string& property) {
  return property == "phandle" || property == "linux,phandle";
}

class OverlayMerge {
 public:
  OverlayMerge(const DeviceTree& base, const DeviceTree& overlay)
      : tree_(base), overlay_(overlay), base_index_(tree_), index_(overlay_) {}

  core::Result<DeviceTree> run() {
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      for (const DeviceProperty& property : tree_.nodes[i].properties) {
        remember_phandle(i, property);
      }
    }
    MEMSIZE_TRY(move_phandles());
    if (const auto fixups = index_.at("/__local_fixups__"); fixups) {
      MEMSIZE_TRY(move_references(*fixups, 0));
    }
    MEMSIZE_TRY(fill_in_labels());
    MEMSIZE_TRY(merge_fragments());
    MEMSIZE_TRY(add_symbols());
    return std::move(tree_);
  }

 private:
  [[nodiscard]] tl::unexpected<core::Diagnostics> wrong(std::string what,
                                                        std::string hint = {}) const {
    return core::fail(core::error(
        Code::kDevicetreeOverlay,
        std::move(what),
        {overlay_.path},
        hint.empty() ? "compile the overlay again: dtc -@ -I dts -O dtb" : std::move(hint)));
  }

  static std::string shown(std::string_view text) { return core::printable(text, 120); }

  void remember_phandle(std::size_t node, const DeviceProperty& property) {
    if (is_phandle(property.name) && property.value.size() == model::kCellSize) {
      const std::uint32_t phandle = cell_at(property.value, 0);
      by_phandle_.emplace(phandle, node);
      last_ = phandle <= kLastPhandle ? std::max(last_, phandle) : last_;
    }
  }

  // Those of the overlay begin behind the last one of the base.
  core::Result<void> move_phandles() {
    for (DeviceNode& node : overlay_.nodes) {
      for (DeviceProperty& property : node.properties) {
        if (!is_phandle(property.name)) {
          continue;
        }
        const std::uint32_t own =
            property.value.size() == model::kCellSize ? cell_at(property.value, 0) : UINT32_MAX;
        if (own > kLastPhandle - last_) {
          return wrong(
              fmt::format("the phandle of '{}' is none, or too large to be moved behind "
                          "those of the base",
                          shown(node.name)));
        }
        put_cell(property.value, 0, own + last_);
      }
    }
    return {};
  }

  // The node of the fixups has the properties and nodes that `node` has references in.
  core::Result<void> move_references(std::size_t fixups, std::size_t node) {
    for (const DeviceProperty& fixup : overlay_.nodes[fixups].properties) {
      const auto property = index_.property(node, fixup.name);
      if (!property || fixup.value.size() % model::kCellSize != 0) {
        return wrong(
            fmt::format("its __local_fixups__ name '{}' of '{}', which has no such property",
                        shown(fixup.name),
                        shown(overlay_.nodes[node].name)));
      }
      std::string& value = overlay_.nodes[node].properties[*property].value;
      for (const std::uint32_t at : model::cells_of(fixup.value)) {
        if (at > value.size() || value.size() - at < model::kCellSize) {
          return wrong(fmt::format("its __local_fixups__ point behind the end of '{}' of '{}'",
                                   shown(fixup.name),
                                   shown(overlay_.nodes[node].name)));
        }
        put_cell(value, at, cell_at(value, at) + last_);
      }
    }
    for (const std::size_t child : overlay_.nodes[fixups].children) {
      const auto same = index_.child(node, overlay_.nodes[child].name);
      if (!same) {
        return wrong(fmt::format("its __local_fixups__ name a node '{}' that it does not have",
                                 shown(overlay_.nodes[child].name)));
      }
      MEMSIZE_TRY(move_references(child, *same));
    }
    return {};
  }

  // What the overlay calls by labels of the base becomes their phandles.
  core::Result<void> fill_in_labels() {
    const auto fixups = index_.at("/__fixups__");
    if (!fixups) {
      return {};
    }
    const std::vector<DeviceProperty> labels = overlay_.nodes[*fixups].properties;
    const auto symbols = base_index_.at("/__symbols__");
    if (!labels.empty() && !symbols) {
      return wrong(fmt::format("{} has no labels, of which this overlay needs '{}'",
                               shown(tree_.path),
                               shown(labels.front().name)),
                   "compile the base with its labels: dtc -@");
    }
    for (const DeviceProperty& label : labels) {
      if (is_phandle(label.name)) {
        continue;
      }
      const auto phandle = phandle_of_label(*symbols, label.name);
      MEMSIZE_TRY(phandle);
      const std::vector<std::string_view> places = model::strings_of(label.value);
      if (places.empty()) {
        return wrong(fmt::format("its __fixups__ do not say where '{}' goes", shown(label.name)));
      }
      for (const std::string_view place : places) {
        MEMSIZE_TRY(fill_in(place, *phandle));
      }
    }
    return {};
  }

  [[nodiscard]] core::Result<std::uint32_t> phandle_of_label(std::size_t symbols,
                                                             const std::string& label) const {
    const auto property = base_index_.property(symbols, label);
    if (!property) {
      return wrong(
          fmt::format(
              "it needs the label '{}', which {} does not have", shown(label), shown(tree_.path)),
          "it was made for another tree, or for one more overlay before it: name them in "
          "the order in which U-Boot applies them");
    }
    const auto paths = model::strings_of(tree_.nodes[symbols].properties[*property].value);
    const auto node = paths.size() == 1 ? base_index_.at(paths.front()) : std::nullopt;
    if (node) {
      for (const char* const name : {"phandle", "linux,phandle"}) {
        if (const auto phandle = tree_.nodes[*node].number(name); phandle && *phandle != 0) {
          return *phandle;
        }
      }
    }
    return wrong(fmt::format("the label '{}' of {} leads to no node with a phandle",
                             shown(label),
                             shown(tree_.path)),
                 "compile the base with its labels: dtc -@");
  }

  // "/fragment@0:target:0".
  core::Result<void> fill_in(std::string_view place, std::uint32_t phandle) {
    const std::size_t name_at = place.find(':');
    const std::size_t offset_at =
        name_at == std::string_view::npos ? name_at : place.find(':', name_at + 1);
    if (offset_at == std::string_view::npos) {
      return wrong(fmt::format("'{}' in its __fixups__ is no place", shown(place)));
    }
    const auto node = index_.at(place.substr(0, name_at));
    const auto property =
        node ? index_.property(*node, place.substr(name_at + 1, offset_at - name_at - 1))
             : std::nullopt;
    const auto offset = core::parse_address(place.substr(offset_at + 1));
    if (!property || !offset) {
      return wrong(fmt::format("'{}' in its __fixups__ leads to nothing", shown(place)));
    }
    std::string& value = overlay_.nodes[*node].properties[*property].value;
    if (*offset > value.size() || value.size() - *offset < model::kCellSize) {
      return wrong(
          fmt::format("'{}' in its __fixups__ is behind the end of that property", shown(place)));
    }
    put_cell(value, *offset, phandle);
    return {};
  }

  core::Result<void> merge_fragments() {
    for (const std::size_t fragment : overlay_.nodes.front().children) {
      const auto content = index_.child(fragment, kOverlay);
      if (!content) {
        continue;
      }
      const auto target = target_of(fragment);
      MEMSIZE_TRY(target);
      merge(*content, *target);
    }
    return {};
  }

  [[nodiscard]] core::Result<std::size_t> target_of(std::size_t fragment) const {
    const DeviceNode& node = overlay_.nodes[fragment];
    if (node.has("target")) {
      const auto phandle = node.number("target");
      const auto* const found = phandle ? core::value_in(by_phandle_, *phandle) : nullptr;
      if (found == nullptr) {
        return wrong(fmt::format(
            "the target of '{}' is no node of {}", shown(node.name), shown(tree_.path)));
      }
      return *found;
    }
    const auto found = base_index_.at(node.text("target-path"));
    if (!found) {
      return wrong(fmt::format("the target of '{}', '{}', is no node of {}",
                               shown(node.name),
                               shown(node.text("target-path")),
                               shown(tree_.path)),
                   "it was made for another tree, or for one more overlay before it: name them in "
                   "the order in which U-Boot applies them");
    }
    return *found;
  }

  void merge(std::size_t from, std::size_t into) {
    for (const DeviceProperty& property : overlay_.nodes[from].properties) {
      set(into, property);
    }
    for (const std::size_t child : overlay_.nodes[from].children) {
      const std::string& name = overlay_.nodes[child].name;
      const auto there = base_index_.child(into, name);
      merge(child, there ? *there : add_node(into, name));
    }
  }

  void set(std::size_t node, const DeviceProperty& property) {
    auto& properties = tree_.nodes[node].properties;
    if (const auto there = base_index_.property(node, property.name); there) {
      properties[*there].value = property.value;
    } else {
      base_index_.add_property(node, property.name, properties.size());
      properties.push_back(property);
    }
    if (is_phandle(property.name) && property.value.size() == model::kCellSize) {
      by_phandle_.insert_or_assign(cell_at(property.value, 0), node);
    }
  }

  std::size_t add_node(std::size_t parent, const std::string& name) {
    const std::size_t index = tree_.nodes.size();
    tree_.nodes.push_back({.name = name, .parent = parent});
    tree_.nodes[parent].children.push_back(index);
    base_index_.add_child(parent, name, index);
    return index;
  }

  // Labels in fragments lead to where these were merged.
  core::Result<void> add_symbols() {
    const auto symbols = index_.at("/__symbols__");
    if (!symbols || overlay_.nodes[*symbols].properties.empty()) {
      return {};
    }
    const auto there = base_index_.child(0, kSymbols);
    const std::size_t into = there ? *there : add_node(0, std::string{kSymbols});
    for (const DeviceProperty& symbol : overlay_.nodes[*symbols].properties) {
      const std::string_view path = overlay_.nodes[*symbols].text(symbol.name);
      const std::size_t end = path.find('/', 1);
      if (!path.starts_with('/') || end == std::string_view::npos) {
        continue;
      }
      std::string_view rest = path.substr(end + 1);
      const auto fragment = index_.child(0, path.substr(1, end - 1));
      if (!fragment || !rest.starts_with(kOverlay)) {
        continue;
      }
      rest.remove_prefix(kOverlay.size());
      if (!rest.empty() && !rest.starts_with('/')) {
        continue;
      }
      const auto target = target_of(*fragment);
      MEMSIZE_TRY(target);
      const std::string base = tree_.path_of(tree_.nodes[*target]);
      rest.remove_prefix(rest.empty() ? 0 : 1);
      set(into,
          {symbol.name,
           fmt::format("{}/{}", base == "/" ? "" : base, rest) + std::string(1, '\0')});
    }
    return {};
  }

  DeviceTree tree_;
  DeviceTree overlay_;
  TreeIndex base_index_;
  TreeIndex index_;
  std::map<std::uint32_t, std::size_t> by_phandle_;
  std::uint32_t last_ = 0;
};

}  // namespace

core::Result<model::DeviceTree> apply_overlay(const model::DeviceTree& base,
                                              const model::DeviceTree& overlay) {
  return OverlayMerge{base, overlay}.run();
}

}  // namespace memsize::readers
