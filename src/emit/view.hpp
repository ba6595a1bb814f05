// From a resolved map to the values that templates print. All formatting, sorting and arithmetic is
// done here; a template can only place what a view holds.
#pragma once

#include "memsize/emit/artifact.hpp"
#include "memsize/layout/memory_map.hpp"

#include "template.hpp"

#include <string>

namespace memsize::emit {

/// "0xAD000000"; at least eight digits, as the SDK's own files print addresses and lengths.
[[nodiscard]] std::string hex8(std::uint64_t value);

/// Documents spell addresses in lower case, whatever the generated files do.
[[nodiscard]] std::string json_hex(std::uint64_t value);

template <typename Tag>
[[nodiscard]] std::string json_hex(core::Address<Tag> address) {
  return json_hex(address.value());
}

/// What linker maps and the C header call a region's address.
[[nodiscard]] std::uint64_t printed_address(const layout::Region& region);

/// Two 32-bit cells, high word first: "0x08 0x80000000".
[[nodiscard]] std::string cells(std::uint64_t value);

/// Names and titles that every view has: board, title, sdk.
[[nodiscard]] Json head_view(const layout::MemoryMap& map);

[[nodiscard]] Json linker_view(const layout::MemoryMap& map, const std::string& core);
[[nodiscard]] Json syscfg_view(const layout::MemoryMap& map, const layout::MmuTable& table);
[[nodiscard]] Json header_view(const layout::MemoryMap& map);
[[nodiscard]] Json dts_view(const layout::MemoryMap& map);
[[nodiscard]] Json rebuild_view(const EmitInput& input);

/// The documents that are data themselves.
[[nodiscard]] Json map_document(const layout::MemoryMap& map);
[[nodiscard]] Json mmu_document(const layout::MmuTable& table);

}  // namespace memsize::emit
