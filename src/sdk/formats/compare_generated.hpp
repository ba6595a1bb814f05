// What a script's export makes, held against what a file says.
#pragma once

#include "memsize/emit/written.hpp"

#include "claims.hpp"
#include "edit_generated.hpp"
#include "html_rows.hpp"
#include "script/script.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace memsize::sdk {

using GeneratedDifferences = std::vector<GeneratedDifference>;

/// What a C header has for the bases of the 64-bit DDR window.
inline constexpr const char* kVirtualBase = "DDR_64BIT_BASE_VADDR";
inline constexpr const char* kPhysicalBase = "DDR_64BIT_BASE_PADDR";

[[nodiscard]] GeneratedDifferences compare_linker(const ScriptExport& exported,
                                                  const std::vector<emit::WrittenRange>& written);

/// Macros that are neither an address nor a size (NAME_ADDR, NAME_SIZE) are passed over, and bases
/// that the header does not have.
[[nodiscard]] GeneratedDifferences compare_header(
    const ScriptExport& exported, const std::map<std::string, emit::WrittenMacro>& written);

[[nodiscard]] GeneratedDifferences compare_dts(const ScriptExport& exported,
                                               const std::vector<emit::WrittenNode>& written);

/// What Linux is told of a node beside its range.
[[nodiscard]] GeneratedDifferences compare_properties(const ScriptSection& section,
                                                      const emit::WrittenNode& node);

[[nodiscard]] GeneratedDifferences compare_html(const ScriptExport& exported,
                                                const std::vector<HtmlRow>& written);

/// Sizes that rows show beside their ranges.
[[nodiscard]] GeneratedDifferences compare_html_sizes(const ScriptExport& exported,
                                                      const std::vector<HtmlRow>& written);

/// Sizes in the comments of a linker map or a C header that are not those beside them. `path` is
/// what places have.
[[nodiscard]] std::vector<WrongClaim> wrong_sizes(const ScriptExport& exported,
                                                  const emit::MapFile& file,
                                                  const std::string& path);

/// Sections of one file that the script itself puts over each other: the one that begins first,
/// and the one over it.
[[nodiscard]] std::vector<std::pair<const ScriptSection*, const ScriptSection*>> overlapping(
    const ScriptExport& exported);

}  // namespace memsize::sdk
