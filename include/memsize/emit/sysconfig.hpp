// What the instances of sysconfig's modules mmu_armv8, mpu_armv7 and addr_translate say, property
// by property, and what sysconfig calls the same in the ti_dpl_config.c that it makes of them.
// Whoever reads, changes or compares such files walks these tables.
//
// Sources: mmu_armv8.syscfg.js, mpu_armv7.syscfg.js, addr_translate.syscfg.js and their templates,
// MCU+ SDK.
#pragma once

#include "memsize/board/mpu.hpp"
#include "memsize/chip/entry.hpp"
#include "memsize/chip/limits.hpp"
#include "memsize/emit/written.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <variant>

namespace memsize::emit {

inline constexpr const char* kMmuModule = "mmu_armv8";
inline constexpr const char* kMpuModule = "mpu_armv7";
inline constexpr const char* kRatModule = "addr_translate";

/// Of every instance.
inline constexpr std::string_view kNameProperty = "$name";
/// "MAIR7": what an MMU entry's memory is.
inline constexpr std::string_view kMairProperty = "attribute";
inline constexpr std::string_view kMadeMair = "attrIndx";
/// What an MPU region's memory is: one of board::kSyscfgKinds, or kCustomKind with the bits.
inline constexpr std::string_view kKindProperty = "attributes";
inline constexpr std::string_view kCustomKind = "CUSTOM";
inline constexpr std::string_view kPermissionsProperty = "accessPermissions";
/// Entries of the table are on; sysconfig writes no others.
inline constexpr std::string_view kMadeEnable = "isEnable";

/// The bus has 48 bits.
inline constexpr std::uint64_t kBusEnd = 1ULL << 48;

enum class PropertyType : std::uint8_t {
  kAddress,  // hexadecimal
  kNumber,   // decimal
  kMask,     // hexadecimal
  kSize,     // bytes, hexadecimal
  kPower,    // a size, as the power of two
  kFlag,     // true or false
};

/// A property with a number in the fields of an entry; flags are 0 and 1, sizes are bytes.
template <typename Fields>
struct Property {
  std::string_view name;
  /// In ti_dpl_config.c.
  std::string_view made;
  /// For people.
  std::string_view what;
  PropertyType type{};
  /// What it must be below.
  std::uint64_t limit = 0;
  std::variant<std::uint64_t Fields::*, unsigned Fields::*, bool Fields::*> member;
  /// One of the bits that a name of board::kSyscfgKinds stands for.
  bool is_of_kind = false;
  /// There 1 is what 0 is here.
  bool made_inverted = false;
  /// Of a size there: how much less than the power of two.
  unsigned made_less = 0;

  [[nodiscard]] std::uint64_t get(const Fields& fields) const {
    return std::visit([&](auto at) { return static_cast<std::uint64_t>(fields.*at); }, member);
  }

  void set(Fields& fields, std::uint64_t value) const {
    std::visit(
        [&](auto at) {
          fields.*at = static_cast<std::remove_reference_t<decltype(fields.*at)>>(value);
        },
        member);
  }
};

namespace properties {

using enum PropertyType;
using Mmu = WrittenMmuEntry;
using Mpu = chip::MpuRegionFields;
using Rat = chip::RatEntryFields;
using chip::kMpuSpace;

inline constexpr auto kMmu = std::to_array<Property<Mmu>>({
    {"vAddr", "vaddr", "virtual address", kAddress, kBusEnd, &Mmu::virtual_base},
    {"pAddr", "paddr", "physical address", kAddress, kBusEnd, &Mmu::physical},
    {"size", "size", "size", kSize, kBusEnd, &Mmu::size},
});

inline constexpr auto kMpu = std::to_array<Property<Mpu>>({
    {"baseAddr", "baseAddr", "base", kAddress, kMpuSpace, &Mpu::base},
    {"size", "size", "size", kPower, 2 * kMpuSpace, &Mpu::size, false, false, 1},
    {"allowExecute", "isExecuteNever", "execute-never bit", kFlag, 2, &Mpu::execute, false, true},
    {"tex", "tex", "TEX", kNumber, chip::kLastTex + 1, &Mpu::tex, true},
    {"isCacheable", "isCacheable", "C", kFlag, 2, &Mpu::cacheable, true},
    {"isBufferable", "isBufferable", "B", kFlag, 2, &Mpu::bufferable, true},
    {"isShareable", "isSharable", "S", kFlag, 2, &Mpu::shareable, true},
    {"subregionDisableMask", "subregionDisableMask", "mask", kMask, 0x100, &Mpu::disabled},
});

inline constexpr auto kRat = std::to_array<Property<Rat>>({
    {"localAddr", "localAddr", "local address", kAddress, kMpuSpace, &Rat::local},
    {"systemAddr", "systemAddr", "system address", kAddress, kBusEnd, &Rat::system},
    {"size", "size", "size", kPower, 2 * kMpuSpace, &Rat::size},
});

}  // namespace properties

/// Where none of these is said; its bits are those of CUSTOM where they are not set.
inline constexpr const board::SyscfgKind& kDefaultKind = board::kSyscfgKinds[2];

/// An instance of which nothing is set.
[[nodiscard]] chip::MpuRegionFields default_mpu_region();
[[nodiscard]] chip::RatEntryFields default_rat_entry();

}  // namespace memsize::emit
