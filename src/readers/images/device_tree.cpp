// The blob of a device tree, token by token. Whoever wrote it may have lied: every offset and
// length is held against what is there before anything is read, and the message says where it
// stands.
#include "memsize/core/text.hpp"
#include "memsize/readers/device_tree_reader.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;

constexpr std::uint32_t kTreeMagic = 0xD00DFEED;
// Versions that everybody writes; what is newer says whether an old reader understands it.
constexpr std::uint32_t kVersion16 = 16;
constexpr std::uint32_t kVersion17 = 17;
constexpr std::size_t kTreeHeader = 40;
constexpr std::size_t kTreeHeader16 = 36;
constexpr std::size_t kDeepest = 64;
// No name that anybody asks for is longer, and a blob could use one text a million times.
constexpr std::size_t kLongestName = 256;
// A large tree has 20000 nodes and properties.
constexpr std::size_t kMostItems = std::size_t{1} << 19;

enum TreeToken : std::uint32_t {
  kTokenBegin = 1,
  kTokenEnd = 2,
  kTokenProperty = 3,
  kTokenNothing = 4,
  kTokenLast = 9
};

// A piece of the blob that the header names.
struct BlobPart {
  std::size_t begin = 0;
  std::size_t end = 0;
};

class TreeReader {
 public:
  TreeReader(std::string_view bytes, const std::string& path) : bytes_(bytes) { tree_.path = path; }

  core::Result<model::DeviceTree> read(core::Bytes most) {
    MEMSIZE_TRY(read_header(most));
    MEMSIZE_TRY(read_reservations());
    MEMSIZE_TRY(read_nodes());
    return std::move(tree_);
  }

 private:
  [[nodiscard]] tl::unexpected<core::Diagnostics> wrong(std::string what) const {
    return core::fail(core::error(Code::kDevicetreeSyntax,
                                  std::move(what),
                                  {tree_.path},
                                  "compile it again (dtc), or copy it again, whole and as binary"));
  }

  [[nodiscard]] tl::unexpected<core::Diagnostics> wrong_at(std::size_t at, std::string what) const {
    return wrong(fmt::format("byte {} of this device tree: {}", core::format_hex(at), what));
  }

  // The caller knows that it is there.
  [[nodiscard]] std::uint32_t cell(std::size_t at) const {
    return model::cells_of(bytes_.substr(at, model::kCellSize)).front();
  }

  [[nodiscard]] bool is_there(std::size_t at, std::size_t count, std::size_t end) const {
    return at <= end && end - at >= count;
  }

  core::Result<void> read_header(core::Bytes most) {
    if (bytes_.size() < kTreeHeader16 || cell(0) != kTreeMagic) {
      return wrong("this is no device tree, or its first bytes are damaged");
    }
    const std::uint32_t total = cell(4);
    const std::uint32_t version = cell(20);
    if (core::Bytes{total} > most) {
      return wrong(fmt::format("this device tree has {}, where {} are the most",
                               core::format_size(core::Bytes{total}),
                               core::format_size(most)));
    }
    if (total > bytes_.size()) {
      return wrong(fmt::format("this device tree has {}, of which {} are here: it is cut short",
                               core::format_bytes(core::Bytes{total}),
                               core::format_bytes(core::Bytes{bytes_.size()})));
    }
    if (version < kVersion16 || cell(24) > kVersion17) {
      return wrong_at(20,
                      fmt::format("it is of version {}, for readers of {} and newer; what is in "
                                  "use is 16 and 17",
                                  version,
                                  cell(24)));
    }
    if (total < (version < kVersion17 ? kTreeHeader16 : kTreeHeader)) {
      return wrong_at(4, fmt::format("it would end in its header, after {} bytes", total));
    }
    bytes_ = bytes_.substr(0, total);
    const auto structure = block(8, version < kVersion17 ? std::nullopt : std::optional{36U});
    MEMSIZE_TRY(structure);
    const auto strings = block(12, 32);
    MEMSIZE_TRY(strings);
    structure_ = *structure;
    strings_ = *strings;
    if (structure_.begin % model::kCellSize != 0) {
      return wrong_at(8, "its nodes do not begin on a multiple of 4");
    }
    return {};
  }

  // What has its offset at one place of the header, and its length at another; without: to the end.
  [[nodiscard]] core::Result<BlobPart> block(std::size_t offset_at,
                                             std::optional<std::size_t> size_at) const {
    const std::size_t begin = cell(offset_at);
    if (begin > bytes_.size() || (size_at && !is_there(begin, cell(*size_at), bytes_.size()))) {
      return wrong_at(offset_at,
                      fmt::format("what begins at {} would be behind the end, {}",
                                  core::format_hex(begin),
                                  core::format_hex(bytes_.size())));
    }
    return BlobPart{begin, size_at ? begin + cell(*size_at) : bytes_.size()};
  }

  core::Result<void> read_reservations() {
    constexpr std::size_t kRow = 16;
    for (std::size_t at = cell(16);; at += kRow) {
      if (!is_there(at, kRow, bytes_.size())) {
        return wrong_at(at, "the list of reservations has no end");
      }
      const std::uint64_t base = std::uint64_t{cell(at)} << 32U | cell(at + 4);
      const std::uint64_t size = std::uint64_t{cell(at + 8)} << 32U | cell(at + 12);
      if (base == 0 && size == 0) {
        return {};
      }
      const auto range = core::PhysRange::make(core::PhysAddr{base}, core::Bytes{size});
      if (!range) {
        return wrong_at(at, "a reservation would end behind the last address");
      }
      tree_.reserved.push_back(*range);
    }
  }

  core::Result<void> read_nodes() {
    at_ = structure_.begin;
    while (true) {
      const std::size_t begin = at_;
      if (!is_there(at_, model::kCellSize, structure_.end)) {
        return wrong_at(begin, "the nodes have no end");
      }
      at_ += model::kCellSize;
      switch (cell(begin)) {
        case kTokenBegin:
          MEMSIZE_TRY(begin_node(begin));
          break;
        case kTokenEnd:
          MEMSIZE_TRY(end_node(begin));
          break;
        case kTokenProperty:
          MEMSIZE_TRY(read_property(begin));
          break;
        case kTokenNothing:
          break;
        case kTokenLast:
          return finish(begin);
        default:
          return wrong_at(
              begin, fmt::format("{} is no token of a device tree", core::format_hex(cell(begin))));
      }
      if (++items_ > kMostItems) {
        return wrong_at(begin, fmt::format("it has more than {} nodes and properties", kMostItems));
      }
    }
  }

  core::Result<void> begin_node(std::size_t begin) {
    const std::size_t end = bytes_.substr(0, structure_.end).find('\0', at_);
    if (end == std::string_view::npos) {
      return wrong_at(begin, "the name of a node has no end");
    }
    const std::string_view name = bytes_.substr(at_, end - at_);
    if (name.size() > kLongestName) {
      return wrong_at(begin, "a node's name is longer than any");
    }
    if (open_.size() == kDeepest) {
      return wrong_at(begin, fmt::format("nodes stand in each other more than {} deep", kDeepest));
    }
    if (open_.empty() && (!tree_.nodes.empty() || !name.empty())) {
      return wrong_at(begin, "there is one root, and it has no name");
    }
    if (!open_.empty() && (name.empty() || name.find('/') != std::string_view::npos)) {
      return wrong_at(begin, fmt::format("'{}' is no name of a node", core::printable(name, 80)));
    }
    const std::size_t parent = open_.empty() ? 0 : open_.back();
    const std::size_t index = tree_.nodes.size();
    tree_.nodes.push_back({.name = std::string{name}, .parent = parent});
    if (!open_.empty()) {
      tree_.nodes[parent].children.push_back(index);
    }
    open_.push_back(index);
    step_behind(end + 1);
    return {};
  }

  core::Result<void> end_node(std::size_t begin) {
    if (open_.empty()) {
      return wrong_at(begin, "a node ends that did not begin");
    }
    open_.pop_back();
    return {};
  }

  core::Result<void> read_property(std::size_t begin) {
    if (open_.empty()) {
      return wrong_at(begin, "a property stands in no node");
    }
    if (!is_there(at_, 2 * model::kCellSize, structure_.end) ||
        !is_there(at_ + 2 * model::kCellSize, cell(at_), structure_.end)) {
      return wrong_at(begin, "a property would end behind the nodes");
    }
    const std::size_t size = cell(at_);
    const std::size_t name_at = cell(at_ + model::kCellSize);
    const std::string_view strings = bytes_.substr(strings_.begin, strings_.end - strings_.begin);
    const std::size_t name_end =
        name_at < strings.size() ? strings.find('\0', name_at) : std::string_view::npos;
    if (name_end == std::string_view::npos || name_end == name_at) {
      return wrong_at(begin, "a property's name is not among the names");
    }
    if (name_end - name_at > kLongestName) {
      return wrong_at(begin, "a property's name is longer than any");
    }
    model::DeviceNode& node = tree_.nodes[open_.back()];
    if (!node.children.empty()) {
      return wrong_at(begin, "a property stands behind a node: some readers would not see it");
    }
    node.properties.push_back({std::string{strings.substr(name_at, name_end - name_at)},
                               std::string{bytes_.substr(at_ + 2 * model::kCellSize, size)}});
    step_behind(at_ + 2 * model::kCellSize + size);
    return {};
  }

  core::Result<void> finish(std::size_t begin) {
    if (!open_.empty() || tree_.nodes.empty()) {
      return wrong_at(begin, tree_.nodes.empty() ? "it has no node" : "a node has no end");
    }
    return {};
  }

  // Tokens begin on multiples of 4.
  void step_behind(std::size_t end) {
    at_ = (end + model::kCellSize - 1) / model::kCellSize * model::kCellSize;
  }

  std::string_view bytes_;
  model::DeviceTree tree_;
  BlobPart structure_;
  BlobPart strings_;
  std::size_t at_ = 0;
  std::size_t items_ = 0;
  // Nodes that have begun.
  std::vector<std::size_t> open_;
};

}  // namespace

bool is_device_tree(std::string_view bytes) {
  return bytes.size() >= model::kCellSize &&
         model::cells_of(bytes.substr(0, model::kCellSize)).front() == kTreeMagic;
}

core::Result<model::DeviceTree> read_device_tree(std::string_view bytes,
                                                 const std::string& path,
                                                 core::Bytes most) {
  return TreeReader{bytes, path}.read(most);
}

}  // namespace memsize::readers
