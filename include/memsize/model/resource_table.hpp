// What a firmware asks Linux' remoteproc for: the table in its section `.resource_table`.
//
// Source: include/linux/remoteproc.h of Linux (struct resource_table, fw_resource_type).
#pragma once

#include "memsize/core/bytes.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memsize::model {

/// Types of entries; others are a vendor's (from 128 to 512), or such that this kernel does not
/// know.
inline constexpr std::uint32_t kCarveoutResource = 0;
inline constexpr std::uint32_t kMemoryResource = 1;
inline constexpr std::uint32_t kTraceResource = 2;
inline constexpr std::uint32_t kVirtioResource = 3;
inline constexpr std::uint32_t kVendorResource = 128;
inline constexpr std::uint32_t kLastVendorResource = 512;

/// Linux is to choose the address.
inline constexpr std::uint32_t kAnyAddress = 0xFFFFFFFF;

struct ResourceVring {
  std::uint32_t device_address = kAnyAddress;
  std::uint32_t alignment = 0;
  std::uint32_t buffers = 0;
};

struct Resource {
  std::uint32_t type = 0;
  /// Of a virtio device: 7 is rpmsg.
  std::uint32_t id = 0;
  std::vector<ResourceVring> vrings;
  /// Of memory and traces.
  std::uint32_t device_address = 0;
  core::Bytes size;
  std::string name;
};

/// What Linux says of the table, in its own words.
struct ResourceComplaint {
  std::string words;
  /// The firmware does not start; else it does without the entry.
  bool is_fatal = true;
};

struct ResourceTable {
  std::uint64_t address = 0;
  core::Bytes size;
  /// In the table's order, up to the first that Linux stops at.
  std::vector<Resource> entries;
  std::vector<ResourceComplaint> complaints;
};

}  // namespace memsize::model
