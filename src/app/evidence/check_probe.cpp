// What a running board said: its device tree, what Linux reserved, its cores, and their firmware,
// each against the map.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/readers/device_tree_reader.hpp"
#include "memsize/readers/image_reader.hpp"
#include "memsize/readers/probe_reader.hpp"

#include "check_stages.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Code;

// Its reader says what is too long.
constexpr core::FileKind kProbeFile = {std::uint64_t{1} << 27, "a document of memsize-probe"};

constexpr std::size_t kShownDigits = 16;

void keep_all(const core::Diagnostics& found, CheckReport& report) {
  report.diagnostics.insert(report.diagnostics.end(), found.begin(), found.end());
}

std::string shown_file(const model::ProbeFile& file) {
  return core::printable(file.path, 120);
}

// What lies in the core's memory, by the parts of the file that the probe took along.
void check_image(const model::Probe& probe,
                 const model::ProbeFile& file,
                 const layout::MemoryMap& map,
                 CheckReport& report) {
  auto content = readers::sparse_image(file);
  if (!content) {
    return;
  }
  const std::string path = fmt::format("{}:{}", probe.path, file.path);
  const auto image = readers::read_elf(std::move(*content), path);
  if (!image) {
    keep_all(image.error(), report);
    return;
  }
  layout::FirmwareReport found = layout::check_firmware(map, *image);
  // Of the whole file, which the board has hashed.
  found.sha256 = file.sha256;
  keep_all(found.diagnostics, report);
  report.firmware.push_back(
      {path, std::string{image->format}, image->machine, image->bits, std::move(found)});
}

// Files that cores load; others in the folder are of other devices. Two names may lead to one file.
void check_images(const model::Probe& probe, const layout::MemoryMap& map, CheckReport& report) {
  std::vector<std::string> seen;
  for (const model::RemoteCore& remote : probe.remote_cores) {
    const model::ProbeFile* file = probe.find("/lib/firmware/" + remote.firmware);
    if (file != nullptr && !file->sha256.empty() && !core::contains(seen, file->sha256)) {
      seen.push_back(file->sha256);
      check_image(probe, *file, map, report);
    }
  }
}

// The images that were built are those that the board has.
void check_hashes(const model::Probe& probe, const CheckRequest& request, CheckReport& report) {
  std::vector<std::string> there;
  for (const model::ProbeFile& file : probe.files) {
    if (!file.sha256.empty()) {
      there.push_back(fmt::format(
          "{}... {}", core::printable(file.sha256.substr(0, kShownDigits)), shown_file(file)));
    }
  }
  if (there.empty()) {
    if (!request.images.empty()) {
      report.diagnostics.push_back(
          core::warning(Code::kProbeAccess,
                        "the probe has no firmware of the board: whether these images run there is "
                        "not known",
                        {probe.path},
                        "record it again as root, without --no-firmware"));
    }
    return;
  }
  for (const CheckedFirmware& image : report.firmware) {
    const std::string& hash = image.found.sha256;
    // A linker's map is no image, and what the boot chain starts is in no file of Linux'.
    if (image.format != "elf" || !core::contains(request.images, image.path) ||
        core::contains(probe.files, hash, &model::ProbeFile::sha256)) {
      continue;
    }
    report.diagnostics.push_back(
        core::error(Code::kProbeFirmware,
                    fmt::format("no firmware of the board is this image (SHA-256 {}...)",
                                hash.substr(0, kShownDigits)),
                    {image.path},
                    "copy it to the board and start its core again, or name the image that runs "
                    "there")
            .about({{"image", image.path}})
            .with(there));
  }
}

// Addresses that no processor has are left out: whoever sums them up need not look.
std::optional<core::PhysRange> sane(const core::PhysRange& range) {
  constexpr std::uint64_t kAddressEnd = 1ULL << 52U;
  return range.empty() || range.last().value() >= kAddressEnd ? std::nullopt : std::optional{range};
}

std::vector<core::PhysRange> ranges_of(const model::DeviceTree& tree,
                                       const model::DeviceNode& node) {
  std::vector<core::PhysRange> all;
  for (const core::PhysRange& range : tree.ranges(node).value_or(std::vector<core::PhysRange>{})) {
    if (const auto good = sane(range); good) {
      all.push_back(*good);
    }
  }
  return all;
}

// What is reserved, and the memory of each device that has some of it: "dsp@7e000000" is
// "7e000000.dsp" to Linux.
layout::RunningTree running_tree(const model::DeviceTree& tree) {
  layout::RunningTree running;
  for (const core::PhysRange& range : tree.reserved) {
    if (const auto good = sane(range); good) {
      running.reserved.push_back({"/memreserve/", *good});
    }
  }
  if (const model::DeviceNode* reserved = tree.find("/reserved-memory"); reserved != nullptr) {
    for (const model::DeviceNode* node : tree.children(*reserved)) {
      for (const core::PhysRange& range : ranges_of(tree, *node)) {
        running.reserved.push_back({node->name, range});
      }
    }
  }
  for (const model::DeviceNode& node : tree.nodes) {
    const std::string* memory = node.find("memory-region");
    const std::size_t at = node.name.find('@');
    if (memory == nullptr || at == std::string::npos) {
      continue;
    }
    layout::RunningTree::Remote remote{
        fmt::format("{}.{}", node.name.substr(at + 1), node.name.substr(0, at)), {}};
    // A core has a few, and a tree may say anything.
    constexpr std::size_t kMostMemories = 16;
    std::vector<std::uint32_t> handles = model::cells_of(*memory);
    handles.resize(std::min(handles.size(), kMostMemories));
    for (const std::uint32_t phandle : handles) {
      if (const model::DeviceNode* each = tree.with_phandle(phandle); each != nullptr) {
        std::vector<core::PhysRange> ranges = ranges_of(tree, *each);
        ranges.resize(std::min(ranges.size(), kMostMemories));
        remote.memory.insert(remote.memory.end(), ranges.begin(), ranges.end());
      }
    }
    running.cores.push_back(std::move(remote));
  }
  return running;
}

// The tree that the kernel got, held against the map; empty, and the report says why, where there
// is none.
layout::RunningTree tree_of(const model::Probe& probe,
                            const layout::MemoryMap& map,
                            CheckReport& report) {
  constexpr const char* kPath = "/sys/firmware/fdt";
  const std::string_view bytes = probe.content(kPath);
  if (bytes.empty()) {
    const model::ProbeFile* file = probe.find(kPath);
    report.diagnostics.push_back(
        core::error(Code::kProbeAccess,
                    fmt::format("the running device tree, {}, is not in the probe{}",
                                kPath,
                                file == nullptr || file->error.empty()
                                    ? std::string{}
                                    : fmt::format(": {}", core::printable(file->error, 40))),
                    {probe.path, file == nullptr ? 0 : file->line},
                    "record it again as root, on the board: sudo memsize-probe -o probe.json"));
    return {};
  }
  const std::string path = fmt::format("{}:{}", probe.path, kPath);
  const auto tree = readers::read_device_tree(bytes, path);
  if (!tree) {
    keep_all(tree.error(), report);
    return {};
  }
  layout::DeviceTreeReport found = layout::check_device_tree(map, *tree);
  keep_all(found.diagnostics, report);
  report.trees.push_back({{path}, std::move(found)});
  return running_tree(*tree);
}

}  // namespace

void check_probe(Session& session,
                 const CheckRequest& request,
                 const layout::MemoryMap& map,
                 CheckReport& report) {
  const auto text = session.files.read(request.probe, kProbeFile);
  if (!text) {
    keep_all(text.error(), report);
    return;
  }
  const auto probe = readers::read_probe(*text, request.probe);
  if (!probe) {
    keep_all(probe.error(), report);
    return;
  }
  const layout::RunningTree tree = tree_of(*probe, map, report);
  layout::ProbeReport found = layout::check_probe(map, *probe, tree);
  keep_all(found.diagnostics, report);
  check_hashes(*probe, request, report);
  check_images(*probe, map, report);
  report.checked.push_back(fmt::format("probe {}", core::printable(request.probe, 300)));
  report.probe = CheckedProbe{.path = request.probe,
                              .time = probe->time,
                              .uname = probe->uname,
                              .total = probe->total,
                              .samples = probe->samples_taken,
                              .cores = std::move(found.cores)};
}

}  // namespace memsize::app
