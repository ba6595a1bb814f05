// Where U-Boot puts the parts of a FIT image, against the map and what Linux will reserve.
//
// Sources: U-Boot's arch/arm/dts/k3-*-binman.dtsi (which part is loaded where), and what each part
// is: the trusted firmware and OP-TEE stay in memory, U-Boot does not.
#pragma once

#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/rule.hpp"
#include "memsize/layout/device_tree.hpp"
#include "memsize/layout/firmware.hpp"
#include "memsize/layout/memory_map.hpp"
#include "memsize/model/boot_image.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memsize::layout {

/// A part as the report has it.
struct BootRow {
  std::string name;
  std::string kind;
  std::optional<std::uint64_t> load;
  core::Bytes size;
  core::Bytes certificate;
  /// Its bytes are a program, for whoever looks into those.
  bool is_program = false;
};

struct BootImageReport {
  std::vector<BootRow> rows;
  core::Diagnostics diagnostics;
};

[[nodiscard]] const std::vector<core::Rule>& boot_image_rules();

/// `reserved` is what the device tree has that Linux is started with; null: nobody named it.
[[nodiscard]] BootImageReport check_boot_image(const MemoryMap& map,
                                               const model::BootImage& image,
                                               const DeviceTreeReport* reserved);

}  // namespace memsize::layout
