// Parsers of written maps, one per format, for verify.cpp. They know the formats' grammars, not the
// templates: what a linker, sysconfig, a C preprocessor or dtc would accept.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/verify.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace memsize::emit {

struct WrittenRange {
  std::string name;
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  core::Place place;
};

struct WrittenNode {
  std::string label;
  std::optional<std::uint64_t> unit_address;
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  bool no_map = false;
  std::string compatible;
  std::uint64_t alignment = 0;
  core::Place place;
};

struct WrittenMmuEntry {
  unsigned instance = 0;
  std::string name;
  std::uint64_t virtual_base = 0;
  std::uint64_t physical = 0;
  std::uint64_t size = 0;
  std::string attribute;
  core::Place place;
};

struct WrittenMacro {
  std::uint64_t value = 0;
  core::Place place;
};

/// A MEMORY block in the TI linker's syntax.
[[nodiscard]] std::vector<WrittenRange> parse_linker(const MapFile& file,
                                                     const std::string& root,
                                                     core::Diagnostics& errors);

/// `#define NAME (0x...u)`.
[[nodiscard]] std::map<std::string, WrittenMacro> parse_header(const MapFile& file,
                                                               const std::string& root,
                                                               core::Diagnostics& errors);

/// Nodes with a label and a `reg` of four cells, by label.
[[nodiscard]] std::vector<WrittenNode> parse_dts(const MapFile& file,
                                                 const std::string& root,
                                                 core::Diagnostics& errors);

/// mmu_armv8 instances in their order.
[[nodiscard]] std::vector<WrittenMmuEntry> parse_syscfg(const MapFile& file,
                                                        const std::string& root,
                                                        core::Diagnostics& errors);

}  // namespace memsize::emit
