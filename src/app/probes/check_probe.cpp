// What a running board said: its device tree, what Linux reserved, its cores, and their firmware,
// each against the map.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/readers/image_reader.hpp"
#include "memsize/readers/probe_reader.hpp"

#include "check_stages.hpp"

#include <algorithm>
#include <utility>

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
void check_hashes(const model::Probe& probe, CheckReport& report) {
  std::vector<std::string> there;
  for (const model::ProbeFile& file : probe.files) {
    if (!file.sha256.empty()) {
      there.push_back(fmt::format(
          "{}... {}", core::printable(file.sha256.substr(0, kShownDigits)), shown_file(file)));
    }
  }
  for (const CheckedFirmware& image : report.firmware) {
    const std::string& hash = image.found.sha256;
    // A linker's map is no image.
    if (image.format != "elf" || core::contains(probe.files, hash, &model::ProbeFile::sha256)) {
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
  const layout::RunningTree tree;
  layout::ProbeReport found = layout::check_probe(map, *probe, tree);
  keep_all(found.diagnostics, report);
  check_hashes(*probe, report);
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
