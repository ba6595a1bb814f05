// What bytes of a device tree stand for, and how one node leads to another.
#include "memsize/model/device_tree.hpp"

#include "memsize/core/find.hpp"

#include <algorithm>

namespace memsize::model {

namespace {

std::uint32_t cell_at(std::string_view value, std::size_t at) {
  std::uint32_t cell = 0;
  for (const char byte : value.substr(at, kCellSize)) {
    cell = cell << 8U | static_cast<unsigned char>(byte);
  }
  return cell;
}

// Both spellings of the property have been in use.
std::optional<std::uint32_t> phandle_of(const DeviceNode& node) {
  const auto found = node.number("phandle");
  return found ? found : node.number("linux,phandle");
}

// The next number, of as many cells; nothing where it has more than 64 bits.
std::optional<std::uint64_t> take(const std::vector<std::uint32_t>& cells,
                                  std::size_t& at,
                                  std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (value >> 32U != 0) {
      return std::nullopt;
    }
    value = value << 32U | cells[at++];
  }
  return value;
}

}  // namespace

const std::string* DeviceNode::find(std::string_view property) const {
  const auto* const found = core::find_in(properties, property, &DeviceProperty::name);
  return found == nullptr ? nullptr : &found->value;
}

std::string_view DeviceNode::text(std::string_view property) const {
  const std::string* value = find(property);
  const auto texts = value == nullptr ? std::vector<std::string_view>{} : strings_of(*value);
  return texts.size() == 1 ? texts.front() : std::string_view{};
}

std::optional<std::uint32_t> DeviceNode::number(std::string_view property) const {
  const std::string* value = find(property);
  return value != nullptr && value->size() == kCellSize ? std::optional{cell_at(*value, 0)}
                                                        : std::nullopt;
}

bool DeviceTree::is_overlay() const {
  return !nodes.empty() && std::ranges::any_of(children(nodes.front()), [&](const auto* fragment) {
    return core::contains(children(*fragment), "__overlay__", &DeviceNode::name);
  });
}

const DeviceNode* DeviceTree::find(std::string_view node_path) const {
  if (nodes.empty() || !node_path.starts_with('/')) {
    return nullptr;
  }
  const DeviceNode* node = &nodes.front();
  while (node != nullptr && !node_path.empty()) {
    const std::size_t begin = std::min(node_path.find_first_not_of('/'), node_path.size());
    const std::size_t end = std::min(node_path.find('/', begin), node_path.size());
    const std::string_view name = node_path.substr(begin, end - begin);
    node_path.remove_prefix(end);
    if (name.empty()) {
      break;
    }
    const auto below = children(*node);
    const auto* const found = core::find_where(below, [&](const DeviceNode* each) {
      return each->name == name || each->name.substr(0, each->name.find('@')) == name;
    });
    node = found == nullptr ? nullptr : *found;
  }
  return node;
}

const DeviceNode* DeviceTree::labelled(std::string_view label) const {
  const DeviceNode* symbols = find("/__symbols__");
  return symbols == nullptr ? nullptr : find(symbols->text(label));
}

const DeviceNode* DeviceTree::with_phandle(std::uint32_t phandle) const {
  return core::find_where(nodes,
                          [&](const DeviceNode& node) { return phandle_of(node) == phandle; });
}

std::vector<const DeviceNode*> DeviceTree::children(const DeviceNode& node) const {
  std::vector<const DeviceNode*> found;
  for (const std::size_t child : node.children) {
    found.push_back(&nodes[child]);
  }
  return found;
}

std::string DeviceTree::path_of(const DeviceNode& node) const {
  const DeviceNode* at = &node;
  std::string text = at == &nodes.front() ? "/" : "";
  for (; at != &nodes.front(); at = &nodes[at->parent]) {
    text.insert(0, "/" + at->name);
  }
  return text;
}

std::optional<std::vector<core::PhysRange>> DeviceTree::ranges(const DeviceNode& node,
                                                               std::string_view property) const {
  // What the specification has where a parent does not say.
  constexpr std::uint32_t kAddressCells = 2;
  constexpr std::uint32_t kSizeCells = 1;
  constexpr std::uint32_t kMostCells = 4;
  const std::string* reg = node.find(property);
  const DeviceNode& parent = nodes[node.parent];
  const std::size_t address = parent.number("#address-cells").value_or(kAddressCells);
  const std::size_t size = parent.number("#size-cells").value_or(kSizeCells);
  if (reg == nullptr || address == 0 || address > kMostCells || size > kMostCells ||
      reg->size() % ((address + size) * kCellSize) != 0) {
    return std::nullopt;
  }
  const std::vector<std::uint32_t> cells = cells_of(*reg);
  std::vector<core::PhysRange> found;
  for (std::size_t at = 0; at < cells.size();) {
    const auto base = take(cells, at, address);
    const auto length = take(cells, at, size);
    const auto range = base && length
                           ? core::PhysRange::make(core::PhysAddr{*base}, core::Bytes{*length})
                           : std::nullopt;
    if (!range) {
      return std::nullopt;
    }
    found.push_back(*range);
  }
  return found;
}

std::vector<std::uint32_t> cells_of(std::string_view value) {
  std::vector<std::uint32_t> cells;
  for (std::size_t at = 0; value.size() - at >= kCellSize; at += kCellSize) {
    cells.push_back(cell_at(value, at));
  }
  return cells;
}

std::vector<std::string_view> strings_of(std::string_view value) {
  std::vector<std::string_view> texts;
  if (!value.ends_with('\0')) {
    return texts;
  }
  while (!value.empty()) {
    const std::size_t end = value.find('\0');
    texts.push_back(value.substr(0, end));
    value.remove_prefix(end + 1);
  }
  return texts;
}

}  // namespace memsize::model
