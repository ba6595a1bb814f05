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

bool has_phandle(const DeviceProperty& property) {
  return is_phandle(property.name) && property.value.size() == model::kCellSize;
}

// A tree that knows which node and which property have a name, and which node a phandle, without
// going through all of them each time.
class IndexedTree {
 public:
  explicit IndexedTree(const DeviceTree& tree) : tree_(tree) {
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const DeviceNode& node = tree.nodes[i];
      for (const std::size_t child : node.children) {
        children_.emplace(std::pair{i, tree.nodes[child].name}, child);
        children_.emplace(std::pair{i, short_name(tree.nodes[child].name)}, child);
      }
      for (std::size_t property = 0; property < node.properties.size(); ++property) {
        properties_.emplace(std::pair{i, node.properties[property].name}, property);
        if (has_phandle(node.properties[property])) {
          by_phandle_.emplace(cell_at(node.properties[property].value, 0), i);
        }
      }
    }
  }

  [[nodiscard]] const DeviceTree* operator->() const { return &tree_; }

  [[nodiscard]] std::string& value(std::size_t node, std::size_t property) {
    return tree_.nodes[node].properties[property].value;
  }

  [[nodiscard]] DeviceTree take() { return std::move(tree_); }

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

  // 0 where there is none.
  [[nodiscard]] std::uint32_t last_phandle() const {
    const auto behind = by_phandle_.upper_bound(kLastPhandle);
    return behind == by_phandle_.begin() ? 0 : std::prev(behind)->first;
  }

  [[nodiscard]] std::optional<std::size_t> with_phandle(std::uint32_t phandle) const {
    const auto* const found = core::value_in(by_phandle_, phandle);
    return found == nullptr ? std::nullopt : std::optional{*found};
  }

  // A name without unit address then finds this one: libfdt puts what is new before the others.
  std::size_t add_node(std::size_t parent, const std::string& name) {
    const std::size_t index = tree_.nodes.size();
    tree_.nodes.push_back({.name = name, .parent = parent});
    tree_.nodes[parent].children.push_back(index);
    children_.insert_or_assign({parent, short_name(name)}, index);
    children_.insert_or_assign({parent, name}, index);
    return index;
  }

  // A property, in place of one of that name.
  void set(std::size_t node, const DeviceProperty& property) {
    auto& properties = tree_.nodes[node].properties;
    const auto [there, is_new] = properties_.try_emplace({node, property.name}, properties.size());
    if (is_new) {
      properties.push_back(property);
    } else {
      properties[there->second].value = property.value;
    }
    if (has_phandle(property)) {
      by_phandle_.insert_or_assign(cell_at(property.value, 0), node);
    }
  }

 private:
  static std::string short_name(const std::string& name) { return name.substr(0, name.find('@')); }

  DeviceTree tree_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> children_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> properties_;
  std::map<std::uint32_t, std::size_t> by_phandle_;
};

tl::unexpected<core::Diagnostics> wrong_overlay(const IndexedTree& overlay,
                                                std::string what,
                                                std::string hint = {}) {
  return core::fail(core::error(
      Code::kDevicetreeOverlay,
      std::move(what),
      {overlay->path},
      hint.empty() ? "compile the overlay again: dtc -@ -I dts -O dtb" : std::move(hint)));
}

std::string shown_part(std::string_view text) {
  return core::printable(text, 120);
}

// Those of the overlay begin behind the last one of the base.
core::Result<void> move_phandles(IndexedTree& overlay, std::uint32_t last) {
  for (std::size_t i = 0; i < overlay->nodes.size(); ++i) {
    const DeviceNode& node = overlay->nodes[i];
    for (std::size_t j = 0; j < node.properties.size(); ++j) {
      if (!is_phandle(node.properties[j].name)) {
        continue;
      }
      std::string& value = overlay.value(i, j);
      const std::uint32_t own = value.size() == model::kCellSize ? cell_at(value, 0) : UINT32_MAX;
      if (own > kLastPhandle - last) {
        return wrong_overlay(
            overlay,
            fmt::format("the phandle of '{}' is none, or too large to be moved behind those of the "
                        "base",
                        shown_part(node.name)));
      }
      put_cell(value, 0, own + last);
    }
  }
  return {};
}

// The node of the fixups has the properties and nodes that `node` has references in.
core::Result<void> move_references(IndexedTree& overlay,
                                   std::uint32_t last,
                                   std::size_t fixups,
                                   std::size_t node) {
  for (const DeviceProperty& fixup : overlay->nodes[fixups].properties) {
    const auto property = overlay.property(node, fixup.name);
    if (!property || fixup.value.size() % model::kCellSize != 0) {
      return wrong_overlay(
          overlay,
          fmt::format("its __local_fixups__ name '{}' of '{}', which has no such property",
                      shown_part(fixup.name),
                      shown_part(overlay->nodes[node].name)));
    }
    std::string& value = overlay.value(node, *property);
    for (const std::uint32_t at : model::cells_of(fixup.value)) {
      if (at > value.size() || value.size() - at < model::kCellSize) {
        return wrong_overlay(
            overlay,
            fmt::format("its __local_fixups__ point behind the end of '{}' of '{}'",
                        shown_part(fixup.name),
                        shown_part(overlay->nodes[node].name)));
      }
      put_cell(value, at, cell_at(value, at) + last);
    }
  }
  for (const std::size_t child : overlay->nodes[fixups].children) {
    const auto same = overlay.child(node, overlay->nodes[child].name);
    if (!same) {
      return wrong_overlay(
          overlay,
          fmt::format("its __local_fixups__ name a node '{}' that it does not have",
                      shown_part(overlay->nodes[child].name)));
    }
    MEMSIZE_TRY(move_references(overlay, last, child, *same));
  }
  return {};
}

core::Result<std::uint32_t> phandle_of_label(const IndexedTree& base,
                                             const IndexedTree& overlay,
                                             std::size_t symbols,
                                             const std::string& label) {
  const auto property = base.property(symbols, label);
  if (!property) {
    return wrong_overlay(
        overlay,
        fmt::format("it needs the label '{}', which {} does not have",
                    shown_part(label),
                    shown_part(base->path)),
        "it was made for another tree, or for one more overlay before it: name them in "
        "the order in which U-Boot applies them");
  }
  const auto paths = model::strings_of(base->nodes[symbols].properties[*property].value);
  const auto node = paths.size() == 1 ? base.at(paths.front()) : std::nullopt;
  if (node) {
    for (const char* const name : {"phandle", "linux,phandle"}) {
      if (const auto phandle = base->nodes[*node].number(name); phandle && *phandle != 0) {
        return *phandle;
      }
    }
  }
  return wrong_overlay(overlay,
                       fmt::format("the label '{}' of {} leads to no node with a phandle",
                                   shown_part(label),
                                   shown_part(base->path)),
                       "compile the base with its labels: dtc -@");
}

// "/fragment@0:target:0".
core::Result<void> fill_in_label(IndexedTree& overlay,
                                 std::string_view place,
                                 std::uint32_t phandle) {
  const std::size_t name_at = place.find(':');
  const std::size_t offset_at =
      name_at == std::string_view::npos ? name_at : place.find(':', name_at + 1);
  if (offset_at == std::string_view::npos) {
    return wrong_overlay(overlay,
                         fmt::format("'{}' in its __fixups__ is no place", shown_part(place)));
  }
  const auto node = overlay.at(place.substr(0, name_at));
  const auto property =
      node ? overlay.property(*node, place.substr(name_at + 1, offset_at - name_at - 1))
           : std::nullopt;
  const auto offset = core::parse_address(place.substr(offset_at + 1));
  if (!property || !offset) {
    return wrong_overlay(overlay,
                         fmt::format("'{}' in its __fixups__ leads to nothing", shown_part(place)));
  }
  std::string& value = overlay.value(*node, *property);
  if (*offset > value.size() || value.size() - *offset < model::kCellSize) {
    return wrong_overlay(overlay,
                         fmt::format("'{}' in its __fixups__ is behind the end of that property",
                                     shown_part(place)));
  }
  put_cell(value, *offset, phandle);
  return {};
}

// What the overlay calls by labels of the base becomes their phandles.
core::Result<void> fill_in_labels(const IndexedTree& base, IndexedTree& overlay) {
  const auto fixups = overlay.at("/__fixups__");
  if (!fixups) {
    return {};
  }
  const std::vector<DeviceProperty> labels = overlay->nodes[*fixups].properties;
  const auto symbols = base.at("/__symbols__");
  if (!labels.empty() && !symbols) {
    return wrong_overlay(overlay,
                         fmt::format("{} has no labels, of which this overlay needs '{}'",
                                     shown_part(base->path),
                                     shown_part(labels.front().name)),
                         "compile the base with its labels: dtc -@");
  }
  for (const DeviceProperty& label : labels) {
    if (is_phandle(label.name)) {
      continue;
    }
    const auto phandle = phandle_of_label(base, overlay, *symbols, label.name);
    MEMSIZE_TRY(phandle);
    const std::vector<std::string_view> places = model::strings_of(label.value);
    if (places.empty()) {
      return wrong_overlay(
          overlay,
          fmt::format("its __fixups__ do not say where '{}' goes", shown_part(label.name)));
    }
    for (const std::string_view place : places) {
      MEMSIZE_TRY(fill_in_label(overlay, place, *phandle));
    }
  }
  return {};
}

core::Result<std::size_t> target_of(const IndexedTree& base,
                                    const IndexedTree& overlay,
                                    std::size_t fragment) {
  const DeviceNode& node = overlay->nodes[fragment];
  if (node.has("target")) {
    const auto phandle = node.number("target");
    const auto found = phandle ? base.with_phandle(*phandle) : std::nullopt;
    if (!found) {
      return wrong_overlay(overlay,
                           fmt::format("the target of '{}' is no node of {}",
                                       shown_part(node.name),
                                       shown_part(base->path)));
    }
    return *found;
  }
  const auto found = base.at(node.text("target-path"));
  if (!found) {
    return wrong_overlay(
        overlay,
        fmt::format("the target of '{}', '{}', is no node of {}",
                    shown_part(node.name),
                    shown_part(node.text("target-path")),
                    shown_part(base->path)),
        "it was made for another tree, or for one more overlay before it: name them in "
        "the order in which U-Boot applies them");
  }
  return *found;
}

void merge_node(IndexedTree& base, const IndexedTree& overlay, std::size_t from, std::size_t into) {
  for (const DeviceProperty& property : overlay->nodes[from].properties) {
    base.set(into, property);
  }
  for (const std::size_t child : overlay->nodes[from].children) {
    const std::string& name = overlay->nodes[child].name;
    const auto there = base.child(into, name);
    merge_node(base, overlay, child, there ? *there : base.add_node(into, name));
  }
}

core::Result<void> merge_fragments(IndexedTree& base, const IndexedTree& overlay) {
  for (const std::size_t fragment : overlay->nodes.front().children) {
    const auto content = overlay.child(fragment, kOverlay);
    if (!content) {
      continue;
    }
    const auto target = target_of(base, overlay, fragment);
    MEMSIZE_TRY(target);
    merge_node(base, overlay, *content, *target);
  }
  return {};
}

// Labels in fragments lead to where these were merged.
core::Result<void> add_symbols(IndexedTree& base, const IndexedTree& overlay) {
  const auto symbols = overlay.at("/__symbols__");
  if (!symbols || overlay->nodes[*symbols].properties.empty()) {
    return {};
  }
  const auto there = base.child(0, kSymbols);
  const std::size_t into = there ? *there : base.add_node(0, std::string{kSymbols});
  for (const DeviceProperty& symbol : overlay->nodes[*symbols].properties) {
    const std::string_view path = overlay->nodes[*symbols].text(symbol.name);
    const std::size_t end = path.find('/', 1);
    if (!path.starts_with('/') || end == std::string_view::npos) {
      continue;
    }
    std::string_view rest = path.substr(end + 1);
    const auto fragment = overlay.child(0, path.substr(1, end - 1));
    if (!fragment || !rest.starts_with(kOverlay)) {
      continue;
    }
    rest.remove_prefix(kOverlay.size());
    if (!rest.empty() && !rest.starts_with('/')) {
      continue;
    }
    const auto target = target_of(base, overlay, *fragment);
    MEMSIZE_TRY(target);
    const std::string path_there = base->path_of(base->nodes[*target]);
    rest.remove_prefix(rest.empty() ? 0 : 1);
    base.set(
        into,
        {symbol.name,
         fmt::format("{}/{}", path_there == "/" ? "" : path_there, rest) + std::string(1, '\0')});
  }
  return {};
}

}  // namespace

core::Result<model::DeviceTree> apply_overlay(const model::DeviceTree& base,
                                              const model::DeviceTree& overlay) {
  IndexedTree tree{base};
  IndexedTree added{overlay};
  const std::uint32_t last = tree.last_phandle();
  MEMSIZE_TRY(move_phandles(added, last));
  if (const auto fixups = added.at("/__local_fixups__"); fixups) {
    MEMSIZE_TRY(move_references(added, last, *fixups, 0));
  }
  MEMSIZE_TRY(fill_in_labels(tree, added));
  MEMSIZE_TRY(merge_fragments(tree, added));
  MEMSIZE_TRY(add_symbols(tree, added));
  return tree.take();
}

}  // namespace memsize::readers
