// What sysconfig makes of a core's sysconfig file for the MCU+ SDK's driver porting layer (DPL):
// the tables in ti_dpl_config.c that the start-up code programs MMU, MPU and RAT with
// (MmuP_armv8.h, MpuP_armv7.h and AddrTranslateP.h of the DPL).
#pragma once

#include "memsize/emit/written.hpp"

#include "csource/firmware.hpp"

#include <string>
#include <vector>

namespace memsize::sdk {

/// The places of values are by the names of the fields, those of attributes among them.
struct DplConfig {
  /// gMmuRegionConfig, in its order; named "entry 1" and so on.
  std::vector<emit::WrittenMmuEntry> mmu;
  /// gMpuRegionConfig; without names. A region that is not enabled is left out, but has a number.
  std::vector<emit::WrittenMpuRegion> mpu;
  /// gAddrTranslateRegionConfig; named "1" and so on.
  std::vector<emit::WrittenRatEntry> rat;
};

/// `first_mpu_region` is the number of the first MPU region. The macros are those of the C header;
/// the source's own are added. Fields that say nothing of the map, such as access permissions, are
/// passed over. Errors have code verify.parse.
[[nodiscard]] DplConfig parse_dpl_config(const FirmwareFile& file,
                                         unsigned first_mpu_region,
                                         core::Diagnostics& errors);

}  // namespace memsize::sdk
