// Goes through the parts of a FIT image. What stays in memory after the boot must be kept from
// Linux and lie beside the map; what is only passing through must not be loaded over anything that
// stays.
#include "memsize/layout/boot_image.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::layout {

namespace {

using core::Code;
using core::PhysRange;
using model::BootPart;

constexpr std::string_view kElfMagic =
    "\x7f"
    "ELF";

// What runs beside Linux.
bool stays(const BootPart& part) {
  return part.os == "arm-trusted-firmware" || part.os == "tee" || part.type == "tee";
}

// The device manager's part is a program, wherever it is not encrypted.
bool is_manager(const BootPart& part) {
  return core::to_lower(part.os) == "dm";
}

class BootImageCheck {
 public:
  BootImageCheck(const MemoryMap& map,
                 const model::BootImage& image,
                 const DeviceTreeReport* reserved)
      : map_(map), image_(image), reserved_(reserved) {}

  BootImageReport run() {
    for (const BootPart& part : image_.parts) {
      const std::string& kind = part.os.empty() ? part.type : part.os;
      const bool is_program = !part.is_packed && part.payload.starts_with(kElfMagic);
      report_.rows.push_back({.name = part.name,
                              .kind = kind,
                              .load = part.load,
                              .size = core::Bytes{part.payload.size()},
                              .certificate = part.certificate,
                              .is_program = is_program});
      if (is_manager(part) && !is_program) {
        say(core::Severity::kWarning,
            part,
            Code::kFitFirmware,
            fmt::format("'{}' is {}: its program cannot be looked at",
                        shown(part),
                        part.is_packed ? "compressed" : "encrypted, or no ELF file"),
            "check the ELF file that it was made of: --images FILE");
      }
      check_place(part);
    }
    for (const auto& [name, parts] : image_.configurations) {
      check_together(name, parts);
    }
    return std::move(report_);
  }

 private:
  static std::string shown(const BootPart& part) { return core::printable(part.name, 60); }

  void say(core::Severity severity,
           const BootPart& part,
           Code code,
           std::string message,
           std::string hint) {
    core::Diagnostic said = core::error(code, std::move(message), {image_.path}, std::move(hint));
    said.severity = severity;
    said.parties = {{"part", part.name}};
    report_.diagnostics.push_back(std::move(said));
  }

  void wrong(const BootPart& part, std::string message, std::string hint) {
    say(core::Severity::kError, part, Code::kFitLoad, std::move(message), std::move(hint));
  }

  // Of what is packed nobody knows how large it becomes.
  static std::optional<PhysRange> place_of(const BootPart& part) {
    return part.load && !part.payload.empty() && !part.is_packed
               ? PhysRange::make(core::PhysAddr{*part.load}, core::Bytes{part.payload.size()})
               : std::nullopt;
  }

  // What one configuration loads is in memory at once.
  void check_together(const std::string& configuration, const std::vector<std::string>& names) {
    std::vector<std::pair<PhysRange, const BootPart*>> placed;
    for (const BootPart& part : image_.parts) {
      const auto range = place_of(part);
      if (!range || !core::contains(names, part.name)) {
        continue;
      }
      for (const auto& [other, by] : placed) {
        if (range->overlaps(other) && told_.emplace(by->name, part.name).second) {
          wrong(part,
                fmt::format("'{}' is loaded to {}, over '{}', {}: '{}' loads both",
                            shown(part),
                            core::format_range(*range),
                            shown(*by),
                            core::format_range(other),
                            core::printable(configuration, 60)),
                "load one of them elsewhere");
        }
      }
      placed.emplace_back(*range, &part);
    }
  }

  void check_place(const BootPart& part) {
    if (!part.load || part.payload.empty()) {
      return;
    }
    const auto range =
        PhysRange::make(core::PhysAddr{*part.load}, core::Bytes{part.payload.size()});
    if (!range) {
      wrong(part,
            fmt::format("'{}' would end behind the last address", shown(part)),
            "load it where there is memory");
      return;
    }
    const bool is_dram = std::ranges::any_of(
        map_.board.banks, [&](const board::Bank& bank) { return bank.range.overlaps(*range); });
    if (!is_dram) {
      return;
    }
    for (const Carveout& carveout : map_.carveouts) {
      if (carveout.range.overlaps(*range)) {
        wrong(part,
              fmt::format("'{}' is loaded to {}, over '{}' of the map, {}",
                          shown(part),
                          core::format_range(*range),
                          carveout.label,
                          core::format_range(carveout.range)),
              stays(part) ? "it stays there beside Linux: move one of the two"
                          : "load it elsewhere, or move the map");
        return;
      }
    }
    check_reserved(part, *range);
  }

  void check_reserved(const BootPart& part, const PhysRange& range) {
    if (reserved_ == nullptr) {
      return;
    }
    const auto is_kept = [](const ReservedRow& row) {
      return row.range && row.by != ReservedBy::kReusable;
    };
    const auto* const over = core::find_where(reserved_->rows, [&](const ReservedRow& row) {
      return is_kept(row) && row.range->overlaps(range);
    });
    const bool is_whole = std::ranges::any_of(reserved_->rows, [&](const ReservedRow& row) {
      return is_kept(row) && row.range->contains(range);
    });
    if (stays(part) && !is_whole) {
      wrong(part,
            fmt::format("'{}' stays in {}, which the device tree does not reserve: {}",
                        shown(part),
                        core::format_range(range),
                        over == nullptr ? "Linux would use it"
                                        : fmt::format("'{}' is {}",
                                                      core::printable(over->node, 80),
                                                      core::format_range(*over->range))),
            "reserve all of it in the device tree, with no-map");
    } else if (!stays(part) && over != nullptr) {
      wrong(part,
            fmt::format("'{}' is loaded to {}, over '{}' {} of the device tree",
                        shown(part),
                        core::format_range(range),
                        core::printable(over->node, 80),
                        core::format_range(*over->range)),
            "load it elsewhere, or move what is reserved");
    }
  }

  const MemoryMap& map_;
  const model::BootImage& image_;
  const DeviceTreeReport* reserved_;
  BootImageReport report_;
  // Pairs of parts, which several configurations may load.
  std::set<std::pair<std::string, std::string>> told_;
};

}  // namespace

const std::vector<core::Rule>& boot_image_rules() {
  using core::Severity;
  static const std::vector<core::Rule> rules = {
      {Code::kFitLoad,
       Severity::kError,
       "a boot image loads no part over another or over what is reserved, and what stays beside "
       "Linux into what is",
       "load addresses of the FIT image; /reserved-memory of the device tree"},
      {Code::kFitFirmware,
       Severity::kWarning,
       "the device manager's program can be looked at",
       "U-Boot: arch/arm/dts/k3-*-binman.dtsi (dm)"},
  };
  return rules;
}

BootImageReport check_boot_image(const MemoryMap& map,
                                 const model::BootImage& image,
                                 const DeviceTreeReport* reserved) {
  return BootImageCheck{map, image, reserved}.run();
}

}  // namespace memsize::layout
