// The parts of a FIT image, as U-Boot's doc/uImage.FIT/source_file_format.txt has them. Parts that
// are signed begin with an X.509 certificate, which says its own length.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/readers/device_tree_reader.hpp"

#include <utility>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;
using model::BootPart;
using model::DeviceNode;

// A DER sequence whose length has two bytes: 0x30, 0x82, high, low.
std::size_t certificate_length(std::string_view data) {
  constexpr std::size_t kHead = 4;
  if (data.size() < kHead || !data.starts_with("\x30\x82")) {
    return 0;
  }
  const std::size_t length = model::cells_of(data.substr(0, kHead)).front() & 0xFFFFU;
  return length + kHead;
}

class FitReader {
 public:
  FitReader(const model::DeviceTree& tree, std::string_view bytes) : tree_(tree), bytes_(bytes) {}

  core::Result<model::BootImage> read() {
    model::BootImage image{.path = tree_.path};
    for (const DeviceNode* node : tree_.children(*tree_.find("/images"))) {
      auto part = read_part(*node);
      MEMSIZE_TRY(part);
      // Parts that share bytes could be a thousand times the file.
      taken_ += part->payload.size();
      if (taken_ > bytes_.size()) {
        return wrong(*node, "ends a list of parts that have more bytes than the file");
      }
      image.parts.push_back(std::move(*part));
    }
    for (const DeviceNode* node : tree_.children(*tree_.find("/configurations"))) {
      image.configurations.emplace_back(node->name, loaded_by(*node));
    }
    return image;
  }

 private:
  [[nodiscard]] tl::unexpected<core::Diagnostics> wrong(const DeviceNode& node,
                                                        std::string_view what) const {
    return core::fail(core::error(Code::kFitSyntax,
                                  fmt::format("'{}' of this FIT image {}", shown(node), what),
                                  {tree_.path},
                                  "build it again, or copy it again, whole and as binary"));
  }

  static std::vector<std::string> loaded_by(const DeviceNode& configuration) {
    std::vector<std::string> names;
    for (const char* what : {"firmware", "kernel", "loadables", "fdt", "ramdisk", "fpga"}) {
      if (const std::string* value = configuration.find(what); value != nullptr) {
        const auto these = model::strings_of(*value);
        names.insert(names.end(), these.begin(), these.end());
      }
    }
    return names;
  }

  static std::string shown(const DeviceNode& node) { return core::printable(node.name, 80); }

  [[nodiscard]] core::Result<BootPart> read_part(const DeviceNode& node) const {
    const auto data = data_of(node);
    MEMSIZE_TRY(data);
    const std::size_t certificate = certificate_length(*data);
    if (certificate > data->size()) {
      return wrong(node,
                   fmt::format("begins with a certificate of {}, but has {}",
                               core::format_bytes(core::Bytes{certificate}),
                               core::format_bytes(core::Bytes{data->size()})));
    }
    const std::string* load = node.find("load");
    const auto cells = load == nullptr ? std::vector<std::uint32_t>{} : model::cells_of(*load);
    if (load != nullptr && (cells.empty() || cells.size() > 2)) {
      return wrong(node, "has a load address that is none");
    }
    BootPart part{.name = node.name,
                  .description = std::string{node.text("description")},
                  .type = std::string{node.text("type")},
                  .os = std::string{node.text("os")},
                  .certificate = core::Bytes{certificate},
                  .payload = std::string{data->substr(certificate)},
                  .is_packed = node.has("compression") && node.text("compression") != "none"};
    if (load != nullptr) {
      part.load =
          cells.size() == 1 ? cells.front() : std::uint64_t{cells.front()} << 32U | cells.back();
    }
    return part;
  }

  // In the node, or behind the tree: `data-offset` counts from there, `data-position` from the
  // file's start.
  [[nodiscard]] core::Result<std::string_view> data_of(const DeviceNode& node) const {
    if (const std::string* data = node.find("data"); data != nullptr) {
      return std::string_view{*data};
    }
    const auto size = node.number("data-size");
    const auto position = node.number("data-position");
    const auto offset = node.number("data-offset");
    if (!size || (!position && !offset)) {
      return wrong(node, "has no data");
    }
    constexpr std::size_t kTotal = 4;
    const std::size_t behind =
        (std::size_t{model::cells_of(bytes_.substr(kTotal, model::kCellSize)).front()} + 3) / 4 * 4;
    const std::size_t at = position ? *position : behind + *offset;
    if (at > bytes_.size() || bytes_.size() - at < *size) {
      return wrong(node,
                   fmt::format("has its data in [{}, {}), behind the file's end, {}",
                               core::format_hex(at),
                               core::format_hex(at + *size),
                               core::format_hex(bytes_.size())));
    }
    return bytes_.substr(at, *size);
  }

  const model::DeviceTree& tree_;
  std::string_view bytes_;
  // Bytes of the parts so far.
  std::size_t taken_ = 0;
};

}  // namespace

bool is_fit(const model::DeviceTree& tree) {
  return tree.find("/images") != nullptr && tree.find("/configurations") != nullptr;
}

core::Result<model::BootImage> read_fit(const model::DeviceTree& tree, std::string_view bytes) {
  return FitReader{tree, bytes}.read();
}

}  // namespace memsize::readers
