// What Linux' remoteproc does with the resource table of an image: where it looks for it, from
// which memory it takes vrings, and where it looks for a trace.
//
// Sources: drivers/remoteproc of Linux: remoteproc_core.c, remoteproc_debugfs.c,
// ti_k3_common.c (k3_get_loaded_rsc_table); drivers/rpmsg/virtio_rpmsg_bus.c for buffers.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "firmware_parts.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::layout {

namespace {

using core::Code;
using model::Resource;
using model::ResourceTable;
using model::ResourceVring;

// What Linux reads of the table of a core that runs already.
constexpr core::Bytes kAttachedTable{256};
constexpr std::uint64_t kVringPage = 4096;
// rpmsg: 256 buffers a direction, at most, of 512 bytes.
constexpr std::uint32_t kRpmsg = 7;
constexpr std::uint64_t kMostBuffers = 512;
constexpr core::Bytes kBuffer{512};

// Whether [address, address + size) is in the carve-out, by device addresses.
bool holds(const Carveout& carveout, std::uint64_t address, core::Bytes size) {
  const std::uint64_t base = carveout.range.base().value();
  return address >= base && address - base < carveout.range.size().count() &&
         size.count() <= carveout.range.size().count() - (address - base);
}

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t step) {
  return (value + step - 1) / step * step;
}

// vring_size() of include/uapi/linux/virtio_ring.h, on whole pages. Both factors have 32 bits.
core::Bytes size_of(const ResourceVring& vring) {
  const std::uint64_t count = vring.buffers;
  const std::uint64_t first = rounded_up(16 * count + 2 * (3 + count), vring.alignment);
  return core::Bytes{rounded_up(first + 6 + 8 * count, kVringPage)};
}

std::string range_text(const Carveout& carveout) {
  return core::format_range(carveout.range);
}

class TableCheck {
 public:
  TableCheck(const MemoryMap& map,
             const std::string& core,
             const model::Image& image,
             const ResourceTable& table)
      : map_(map),
        core_(core),
        image_(image),
        table_(table),
        vrings_(vring_memory(map, core)),
        code_(code_memory(map, core)) {}

  core::Diagnostics run() {
    for (const model::ResourceComplaint& complaint : table_.complaints) {
      say(complaint.is_fatal ? core::Severity::kError : core::Severity::kWarning,
          complaint.is_fatal
              ? fmt::format("Linux will not start this image: {}", complaint.words)
              : fmt::format("Linux leaves out an entry of the resource table: {}", complaint.words),
          complaint.is_fatal ? "mend the table (ipc_rsctable.h of the SDK)"
                             : "the core runs, without what that entry is for");
    }
    if (code_ != nullptr) {
      check_place(*code_);
    }
    for (const Resource& entry : table_.entries) {
      if (entry.type == model::kTraceResource) {
        check_trace(entry);
      }
    }
    check_vrings();
    return std::move(found_);
  }

 private:
  void say(core::Severity severity, std::string message, std::string hint) {
    found_.push_back({.severity = severity,
                      .code = Code::kFirmwareTable,
                      .message = std::move(message),
                      .place = {image_.path},
                      .hint = std::move(hint)});
  }

  void check_place(const Carveout& code) {
    const std::string shown =
        fmt::format("the resource table at {}", core::format_hex(table_.address));
    if (!holds(code, table_.address, table_.size)) {
      say(core::Severity::kError,
          fmt::format("{} is outside of '{}' {}, in which Linux looks for it",
                      shown,
                      code.label,
                      range_text(code)),
          "give section .resource_table the region that the linker map has for it");
    } else if (table_.address != code.range.base().value()) {
      say(core::Severity::kWarning,
          fmt::format("{} is not at the start of '{}' {}, where Linux reads it of a core that "
                      "runs already",
                      shown,
                      code.label,
                      range_text(code)),
          "without that Linux cannot attach to a core that a boot loader has started");
    } else if (table_.size > kAttachedTable) {
      say(core::Severity::kWarning,
          fmt::format("{} has {}: Linux reads {} of it where the core runs already",
                      shown,
                      core::format_bytes(table_.size),
                      core::format_bytes(kAttachedTable)),
          "leave out entries, or let Linux start the core");
    }
  }

  void check_trace(const Resource& entry) {
    if (code_ == nullptr || holds(*code_, entry.device_address, entry.size)) {
      return;
    }
    const std::string name = core::printable(entry.name, 40);
    say(core::Severity::kWarning,
        fmt::format("Linux cannot read the trace: Trace {} not available (da {:#x} len {:#x})",
                    name,
                    entry.device_address,
                    entry.size.count()),
        fmt::format("the trace buffer must lie in '{}' {}", code_->label, range_text(*code_)));
  }

  void check_vrings() {
    core::Bytes needs;
    for (const Resource& entry : table_.entries) {
      std::uint64_t buffers = 0;
      for (const ResourceVring& vring : entry.vrings) {
        if (vring.alignment == 0 || vring.buffers == 0) {
          return;
        }
        buffers += vring.buffers;
        if (vring.device_address == model::kAnyAddress) {
          needs += size_of(vring);
        } else {
          check_fixed(vring);
        }
      }
      if (entry.id == kRpmsg && entry.type == model::kVirtioResource) {
        needs += core::Bytes{std::min(buffers, kMostBuffers) * kBuffer.count()};
      }
    }
    if (vrings_ != nullptr && needs > vrings_->range.size()) {
      say(core::Severity::kError,
          fmt::format("Linux takes {} for vrings and buffers from '{}', which has {}",
                      core::format_size(needs),
                      vrings_->label,
                      core::format_size(vrings_->range.size())),
          "make that carve-out larger, or ask for fewer buffers");
    }
  }

  void check_fixed(const ResourceVring& vring) {
    const core::Bytes size = size_of(vring);
    const bool is_there = std::ranges::any_of(map_.carveouts, [&](const Carveout& carveout) {
      return is_own(map_, carveout, core_) && holds(carveout, vring.device_address, size);
    });
    if (!is_there) {
      say(core::Severity::kError,
          fmt::format("vring da {:#x} size {:#x} is in no carve-out of {}: Allocated carveout "
                      "doesn't fit device address request",
                      vring.device_address,
                      size.count(),
                      core_),
          "write 0xffffffff, and Linux chooses the address");
    }
  }

  const MemoryMap& map_;
  const std::string& core_;
  const model::Image& image_;
  const ResourceTable& table_;
  const Carveout* vrings_;
  const Carveout* code_;
  core::Diagnostics found_;
};

}  // namespace

core::Diagnostics check_resources(const MemoryMap& map,
                                  const std::string& core,
                                  const model::Image& image) {
  if (image.resources) {
    return TableCheck{map, core, image, *image.resources}.run();
  }
  // A linker's map has no contents.
  return image.format != "elf" || code_memory(map, core) == nullptr
             ? core::Diagnostics{}
             : core::Diagnostics{
                   core::note(Code::kFirmwareTable,
                              "this image has no resource table: there was none to hold against "
                              "the map",
                              {image.path},
                              "a boot loader may start a core with it, Linux does not")};
}

}  // namespace memsize::layout
