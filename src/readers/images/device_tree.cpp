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

// The bytes of a tree, and where they have its nodes and the names of properties.
struct TreeBlob {
  std::string_view bytes;
  const std::string& path;
  BlobPart structure = {};
  BlobPart strings = {};

  [[nodiscard]] tl::unexpected<core::Diagnostics> wrong(std::string what) const {
    return core::fail(core::error(Code::kDevicetreeSyntax,
                                  std::move(what),
                                  {path},
                                  "compile it again (dtc), or copy it again, whole and as binary"));
  }

  [[nodiscard]] tl::unexpected<core::Diagnostics> wrong_at(std::size_t at, std::string what) const {
    return wrong(fmt::format("byte {} of this device tree: {}", core::format_hex(at), what));
  }

  // The caller knows that it is there.
  [[nodiscard]] std::uint32_t cell(std::size_t at) const {
    return model::cells_of(bytes.substr(at, model::kCellSize)).front();
  }
};

bool is_there(std::size_t at, std::size_t count, std::size_t end) {
  return at <= end && end - at >= count;
}

// What has its offset at one place of the header, and its length at another; without: to the end.
core::Result<BlobPart> part_of(const TreeBlob& blob,
                               std::size_t offset_at,
                               std::optional<std::size_t> size_at) {
  const std::size_t begin = blob.cell(offset_at);
  if (begin > blob.bytes.size() ||
      (size_at && !is_there(begin, blob.cell(*size_at), blob.bytes.size()))) {
    return blob.wrong_at(offset_at,
                         fmt::format("what begins at {} would be behind the end, {}",
                                     core::format_hex(begin),
                                     core::format_hex(blob.bytes.size())));
  }
  return BlobPart{begin, size_at ? begin + blob.cell(*size_at) : blob.bytes.size()};
}

core::Result<TreeBlob> blob_of(std::string_view bytes, const std::string& path, core::Bytes most) {
  TreeBlob blob{bytes, path};
  if (bytes.size() < kTreeHeader16 || blob.cell(0) != kTreeMagic) {
    return blob.wrong("this is no device tree, or its first bytes are damaged");
  }
  const std::uint32_t total = blob.cell(4);
  const std::uint32_t version = blob.cell(20);
  if (core::Bytes{total} > most) {
    return blob.wrong(fmt::format("this device tree has {}, where {} are the most",
                                  core::format_size(core::Bytes{total}),
                                  core::format_size(most)));
  }
  if (total > bytes.size()) {
    return blob.wrong(fmt::format("this device tree has {}, of which {} are here: it is cut short",
                                  core::format_bytes(core::Bytes{total}),
                                  core::format_bytes(core::Bytes{bytes.size()})));
  }
  if (version < kVersion16 || blob.cell(24) > kVersion17) {
    return blob.wrong_at(20,
                         fmt::format("it is of version {}, for readers of {} and newer; what is in "
                                     "use is 16 and 17",
                                     version,
                                     blob.cell(24)));
  }
  if (total < (version < kVersion17 ? kTreeHeader16 : kTreeHeader)) {
    return blob.wrong_at(4, fmt::format("it would end in its header, after {} bytes", total));
  }
  blob.bytes = bytes.substr(0, total);
  const auto structure = part_of(blob, 8, version < kVersion17 ? std::nullopt : std::optional{36U});
  MEMSIZE_TRY(structure);
  const auto strings = part_of(blob, 12, 32);
  MEMSIZE_TRY(strings);
  blob.structure = *structure;
  blob.strings = *strings;
  if (blob.structure.begin % model::kCellSize != 0) {
    return blob.wrong_at(8, "its nodes do not begin on a multiple of 4");
  }
  return blob;
}

core::Result<std::vector<core::PhysRange>> read_reservations(const TreeBlob& blob) {
  std::vector<core::PhysRange> reserved;
  constexpr std::size_t kRow = 16;
  for (std::size_t at = blob.cell(16);; at += kRow) {
    if (!is_there(at, kRow, blob.bytes.size())) {
      return blob.wrong_at(at, "the list of reservations has no end");
    }
    const std::uint64_t base = std::uint64_t{blob.cell(at)} << 32U | blob.cell(at + 4);
    const std::uint64_t size = std::uint64_t{blob.cell(at + 8)} << 32U | blob.cell(at + 12);
    if (base == 0 && size == 0) {
      return reserved;
    }
    const auto range = core::PhysRange::make(core::PhysAddr{base}, core::Bytes{size});
    if (!range) {
      return blob.wrong_at(at, "a reservation would end behind the last address");
    }
    reserved.push_back(*range);
  }
}

// Nodes, token by token.
class NodeReader {
 public:
  explicit NodeReader(const TreeBlob& blob) : blob_(blob), at_(blob.structure.begin) {}

  core::Result<std::vector<model::DeviceNode>> read() {
    while (true) {
      const std::size_t begin = at_;
      if (!is_there(at_, model::kCellSize, blob_.structure.end)) {
        return blob_.wrong_at(begin, "the nodes have no end");
      }
      at_ += model::kCellSize;
      switch (blob_.cell(begin)) {
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
          return blob_.wrong_at(
              begin,
              fmt::format("{} is no token of a device tree", core::format_hex(blob_.cell(begin))));
      }
      if (++items_ > kMostItems) {
        return blob_.wrong_at(begin,
                              fmt::format("it has more than {} nodes and properties", kMostItems));
      }
    }
  }

 private:
  core::Result<void> begin_node(std::size_t begin) {
    const std::size_t end = blob_.bytes.substr(0, blob_.structure.end).find('\0', at_);
    if (end == std::string_view::npos) {
      return blob_.wrong_at(begin, "the name of a node has no end");
    }
    const std::string_view name = blob_.bytes.substr(at_, end - at_);
    if (name.size() > kLongestName) {
      return blob_.wrong_at(begin, "a node's name is longer than any");
    }
    if (open_.size() == kDeepest) {
      return blob_.wrong_at(begin,
                            fmt::format("nodes stand in each other more than {} deep", kDeepest));
    }
    if (open_.empty() && (!nodes_.empty() || !name.empty())) {
      return blob_.wrong_at(begin, "there is one root, and it has no name");
    }
    if (!open_.empty() && (name.empty() || name.find('/') != std::string_view::npos)) {
      return blob_.wrong_at(begin,
                            fmt::format("'{}' is no name of a node", core::printable(name, 80)));
    }
    const std::size_t parent = open_.empty() ? 0 : open_.back();
    const std::size_t index = nodes_.size();
    nodes_.push_back({.name = std::string{name}, .parent = parent});
    if (!open_.empty()) {
      nodes_[parent].children.push_back(index);
    }
    open_.push_back(index);
    step_behind(end + 1);
    return {};
  }

  core::Result<void> end_node(std::size_t begin) {
    if (open_.empty()) {
      return blob_.wrong_at(begin, "a node ends that did not begin");
    }
    open_.pop_back();
    return {};
  }

  core::Result<void> read_property(std::size_t begin) {
    if (open_.empty()) {
      return blob_.wrong_at(begin, "a property stands in no node");
    }
    if (!is_there(at_, 2 * model::kCellSize, blob_.structure.end) ||
        !is_there(at_ + 2 * model::kCellSize, blob_.cell(at_), blob_.structure.end)) {
      return blob_.wrong_at(begin, "a property would end behind the nodes");
    }
    const std::size_t size = blob_.cell(at_);
    const std::size_t name_at = blob_.cell(at_ + model::kCellSize);
    const std::string_view strings =
        blob_.bytes.substr(blob_.strings.begin, blob_.strings.end - blob_.strings.begin);
    const std::size_t name_end =
        name_at < strings.size() ? strings.find('\0', name_at) : std::string_view::npos;
    if (name_end == std::string_view::npos || name_end == name_at) {
      return blob_.wrong_at(begin, "a property's name is not among the names");
    }
    if (name_end - name_at > kLongestName) {
      return blob_.wrong_at(begin, "a property's name is longer than any");
    }
    model::DeviceNode& node = nodes_[open_.back()];
    if (!node.children.empty()) {
      return blob_.wrong_at(begin,
                            "a property stands behind a node: some readers would not see it");
    }
    node.properties.push_back({std::string{strings.substr(name_at, name_end - name_at)},
                               std::string{blob_.bytes.substr(at_ + 2 * model::kCellSize, size)}});
    step_behind(at_ + 2 * model::kCellSize + size);
    return {};
  }

  core::Result<std::vector<model::DeviceNode>> finish(std::size_t begin) {
    if (!open_.empty() || nodes_.empty()) {
      return blob_.wrong_at(begin, nodes_.empty() ? "it has no node" : "a node has no end");
    }
    return std::move(nodes_);
  }

  // Tokens begin on multiples of 4.
  void step_behind(std::size_t end) {
    at_ = (end + model::kCellSize - 1) / model::kCellSize * model::kCellSize;
  }

  const TreeBlob& blob_;
  std::vector<model::DeviceNode> nodes_;
  std::size_t at_;
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
  const auto blob = blob_of(bytes, path, most);
  MEMSIZE_TRY(blob);
  auto reserved = read_reservations(*blob);
  MEMSIZE_TRY(reserved);
  auto nodes = NodeReader{*blob}.read();
  MEMSIZE_TRY(nodes);
  return model::DeviceTree{
      .path = path, .nodes = std::move(*nodes), .reserved = std::move(*reserved)};
}

}  // namespace memsize::readers
